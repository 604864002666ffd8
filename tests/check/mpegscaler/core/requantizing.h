/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: streams requantized, picture by picture.
 */
#ifndef TEST_REQUANTIZING_H
#define TEST_REQUANTIZING_H

#include "rewriting.h"

#include "requantizer.h"

/* A picture before and after. */
typedef struct
{
  ScalerSource source;
  ScalerPicture picture;
  const guint8 *slices;         /* of the source */
  gsize size;
  guint8 *out;
  ScalerRequantized result;
} Requantized;

typedef struct
{
  ScalerRequantizer *requantizer;
  ScalerController controller;
  guint n_frames;               /* at most; 0: all */
  /* Before and after each picture; may be NULL. */
  void (*before) (gpointer user, const Requantized * picture);
  void (*after) (gpointer user, const Requantized * picture);
  gpointer user;
} Requantize;

/* What a controller's user data may be: wants factor * code + add. */
typedef struct
{
  gdouble factor;
  gint add;
} Wanted;

static inline guint
wanted_code (gpointer user, const ScalerRequest * request)
{
  const Wanted *w = user;
  gint code = w->factor * request->code + w->add + 0.5;

  return MAX (code, 0);
}

static inline void
requantize_picture (const Requantize * how, const MpegSplitter * splitter,
    const MpegPicture * span, const guint8 * data, GByteArray * out)
{
  const MpegRange *slices = &span->slices;
  gsize end = slices->offset + slices->size;
  gsize capacity = slices->size + SCALER_REQUANTIZER_RESERVE;
  Requantized p = {
    .source = {&splitter->sequence, span, data, &splitter->matrices}
  };

  p.slices = data + slices->offset;
  p.size = slices->size;
  p.out = g_malloc (capacity);
  fail_unless (scaler_picture_init (&p.picture, &splitter->sequence, span));
  if (how->before)
    how->before (how->user, &p);
  fail_unless (scaler_requantizer_picture (how->requantizer, &p.source,
          &how->controller, p.out, capacity, &p.result));
  fail_unless (p.result.size_out <= p.size);
  fail_unless_equals_uint64 (p.result.size_in, p.size);
  if (how->after)
    how->after (how->user, &p);
  g_byte_array_append (out, data, slices->offset);
  g_byte_array_append (out, p.out, p.result.size_out);
  g_byte_array_append (out, data + end, span->size - end);
  g_free (p.out);
}

static inline GByteArray *
requantize_stream (const Requantize * how, const guint8 * data, gsize size)
{
  GByteArray *out = g_byte_array_sized_new (size);
  MpegSplitter splitter;
  MpegPicture span;
  gsize position = 0;
  guint n_fields = 0;

  mpeg_splitter_init (&splitter);
  while (mpeg_splitter_next (&splitter, data, size, &position, &span)) {
    if (span.kind == MPEG_SPAN_PICTURE) {
      fail_unless (span.valid);
      if (how->n_frames > 0 && n_fields >= 2 * how->n_frames && span.has_group)
        break;
      n_fields += span.coding.structure == MPEG_FRAME_PICTURE ? 2 : 1;
      requantize_picture (how, &splitter, &span, data + span.begin, out);
    } else {
      g_byte_array_append (out, data + span.begin, span.size);
    }
  }
  return out;
}

#endif
