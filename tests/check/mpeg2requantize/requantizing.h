/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: streams requantized, picture by picture.
 */
#ifndef TEST_REQUANTIZING_H
#define TEST_REQUANTIZING_H

#include "../mpeg2/rewriting.h"

#include <mpeg2requantize/requantizer.h>

/* Who chooses quantisers. */
typedef struct
{
  guint (*code) (gpointer user, const M2vRequest * request);
  gpointer user;
} Controller;

/* A picture before and after. */
typedef struct
{
  M2vSource source;
  M2vPictureParams picture;
  const guint8 *slices;         /* of the source */
  gsize size;
  guint8 *out;
  M2vRequantized result;
} Requantized;

typedef struct
{
  M2vRequantizer *requantizer;
  Controller controller;
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
wanted_code (gpointer user, const M2vRequest * request)
{
  const Wanted *w = user;
  gint code = w->factor * request->code + w->add + 0.5;

  return MAX (code, 0);
}

/* The source with an index of its slices, to be cleared. */
static inline M2vSource
indexed (const M2vSource * source, M2vSliceIndex * index)
{
  M2vSource s = *source;

  memset (index, 0, sizeof *index);
  fail_unless (m2v_slice_index_build (index, s.data + s.picture->slices.offset,
          s.picture->slices.size));
  s.index = index;
  return s;
}

static inline gboolean
requantize_with (M2vRequantizer * r, const M2vSource * source,
    const Controller * controller, guint8 * out, gsize capacity,
    M2vRequantized * result)
{
  M2vSliceIndex index;
  M2vSource s = indexed (source, &index);
  gboolean done = m2v_requantizer_begin (r, &s, out, capacity);
  M2vRequest request;

  while (done && m2v_requantizer_next (r, &request))
    m2v_requantizer_quantise (r, controller->code (controller->user, &request));
  done = done && m2v_requantizer_end (r, result);
  m2v_slice_index_clear (&index);
  return done;
}

static inline gboolean
requantizer_pass (M2vRequantizer * r, const M2vSource * source)
{
  M2vSliceIndex index;
  M2vSource s = indexed (source, &index);
  gboolean passed = m2v_requantizer_pass (r, &s);

  m2v_slice_index_clear (&index);
  return passed;
}

static inline gdouble
requantizer_analyse (M2vRequantizer * r, const M2vSource * source)
{
  M2vSliceIndex index;
  M2vSource s = indexed (source, &index);
  gdouble mean = m2v_requantizer_analyse (r, &s);

  m2v_slice_index_clear (&index);
  return mean;
}

static inline void
requantize_picture (const Requantize * how, const M2vSplitter * splitter,
    const M2vPicture * span, const guint8 * data, GByteArray * out)
{
  const M2vRange *slices = &span->slices;
  gsize end = slices->offset + slices->size;
  gsize capacity = slices->size + M2V_REQUANTIZER_RESERVE;
  Requantized p = {
    .source = {&splitter->sequence, span, data, NULL, &splitter->matrices}
  };

  p.slices = data + slices->offset;
  p.size = slices->size;
  p.out = g_malloc (capacity);
  fail_unless (m2v_picture_params_init (&p.picture, &splitter->sequence, span));
  if (how->before)
    how->before (how->user, &p);
  fail_unless (requantize_with (how->requantizer, &p.source,
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
  M2vSplitter splitter;
  M2vPicture span;
  gsize position = 0;
  guint n_fields = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &span)) {
    if (span.kind == M2V_SPAN_PICTURE) {
      fail_unless (span.valid);
      if (how->n_frames > 0 && n_fields >= 2 * how->n_frames && span.has_group)
        break;
      n_fields += span.coding.structure == M2V_FRAME_PICTURE ? 2 : 1;
      requantize_picture (how, &splitter, &span, data + span.begin, out);
    } else {
      g_byte_array_append (out, data + span.begin, span.size);
    }
  }
  return out;
}

#endif
