/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a whole stream, intact or not, through splitter, assembler,
 * dropper and recoder.
 */
#ifndef TEST_RECODING_H
#define TEST_RECODING_H

#include <gst/check/gstcheck.h>

#include <string.h>

#include "recoder.h"

typedef struct
{
  ScalerRecoderSettings settings;
  ScalerDropperSettings dropping;
  /* Before and after each frame; may be NULL. What is left of the frame is in
   * the decision. */
  void (*before) (gpointer user, ScalerRecoder * r, guint n);
  void (*after) (gpointer user, const MpegFrame * frame,
      const guint8 * const data[2], const ScalerDecision * decision);
  gpointer user;
} Recode;

typedef struct
{
  GByteArray *out;
  guint n_frames;               /* in */
  guint n_pictures;             /* in, unpaired fields too */
  guint n_pictures_out;
  gint64 duration;              /* ns, of all frames */
  ScalerRecoderStats stats;
} Recoded;

static inline Recode
recode_all (gint64 target)
{
  Recode how = {
    .settings = scaler_recoder_defaults,
    .dropping = {.scale = -1,.target = -1 }
  };

  how.settings.target = target;
  return how;
}

/* Its pieces, which must be in bounds and in order. */
static inline void
recode_append (GByteArray * out, const MpegFrame * frame,
    const guint8 * const data[2], const ScalerDecision * decision)
{
  gsize end[2] = { 0, 0 };

  fail_unless (decision->n_pieces <= G_N_ELEMENTS (decision->pieces));
  fail_unless (decision->n_first <= decision->n_pieces);
  for (guint i = 0; i < decision->n_pieces; i++) {
    const MpegPiece *piece = &decision->pieces[i];
    const guint8 *from = piece->literal;

    fail_unless (piece->picture == (i >= decision->n_first));
    fail_unless (piece->picture < frame->n_pictures);
    if (!from) {
      from = data[piece->picture];
      fail_unless (piece->offset >= end[piece->picture]);
      end[piece->picture] = piece->offset + piece->size;
      fail_unless (end[piece->picture]
          <= frame->pictures[piece->picture].size);
    }
    g_byte_array_append (out, from + piece->offset, piece->size);
  }
}

/* What has become of the frame. */
static inline void
recode_decided (const Recode * how, ScalerRecoder * r, const MpegFrame * frame,
    const guint8 * const data[2], ScalerDecision * decision, Recoded * result)
{
  scaler_recoder_frame (r, frame, data, decision);
  recode_append (result->out, frame, data, decision);
  if (how->after)
    how->after (how->user, frame, data, decision);
  result->n_frames++;
  result->n_pictures += frame->n_pictures;
  result->duration += frame->duration;
  if (decision->action != SCALER_DROP)
    result->n_pictures_out += frame->n_pictures;
}

static inline void
recode_unpaired (const Recode * how, ScalerDropper * dropper,
    ScalerRecoder * r, const guint8 * bytes, const MpegFrame * frame,
    Recoded * result)
{
  const guint8 *data[2] = { bytes + frame->pictures[0].begin, NULL };
  ScalerDecision decision = {.action = SCALER_DROP };

  if (!scaler_dropper_pass_unpaired (dropper, frame, data, &decision))
    scaler_dropper_unpaired (dropper, frame, data);
  recode_decided (how, r, frame, data, &decision, result);
}

static inline void
recode_frame (const Recode * how, ScalerDropper * dropper, ScalerRecoder * r,
    const guint8 * bytes, const MpegFrame * frame, Recoded * result)
{
  const guint8 *data[2] = {
    bytes + frame->pictures[0].begin, bytes + frame->pictures[1].begin
  };
  ScalerDecision decision;

  if (how->before)
    how->before (how->user, r, result->n_frames);
  scaler_dropper_frame (dropper, frame, data, &decision);
  recode_decided (how, r, frame, data, &decision, result);
}

static inline void
recode_spans (const Recode * how, ScalerDropper * dropper, ScalerRecoder * r,
    const guint8 * data, gsize size, Recoded * result)
{
  MpegStamp stamp = { MPEG_TIME_NONE, MPEG_TIME_NONE, FALSE };
  MpegAssembler *assembler = mpeg_assembler_new ();
  MpegFrame before, frame;
  MpegSplitter splitter;
  MpegPicture span;
  MpegPiece headers;
  gsize position = 0;
  guint done;

  mpeg_splitter_init (&splitter);
  while (mpeg_splitter_next (&splitter, data, size, &position, &span)) {
    if (span.kind != MPEG_SPAN_PICTURE) {
      if (!scaler_dropper_span (dropper, &span, data + span.begin))
        continue;
      if (scaler_dropper_headers (dropper, &span, data + span.begin,
              &headers) > 0)
        g_byte_array_append (result->out, headers.literal + headers.offset,
            headers.size);
      g_byte_array_append (result->out, data + span.begin, span.size);
      continue;
    }
    done = mpeg_assembler_push (assembler, &splitter, &span, &stamp, &before,
        &frame);
    if (done & MPEG_ASSEMBLED_UNPAIRED)
      recode_unpaired (how, dropper, r, data, &before, result);
    if (done & MPEG_ASSEMBLED_FRAME)
      recode_frame (how, dropper, r, data, &frame, result);
  }
  if (mpeg_assembler_finish (assembler, &frame))
    recode_unpaired (how, dropper, r, data, &frame, result);
  mpeg_assembler_free (assembler);
}

static inline Recoded
recode (const Recode * how, const guint8 * data, gsize size)
{
  Recoded result = {.out = g_byte_array_sized_new (size) };
  ScalerDropper *dropper = scaler_dropper_new ();
  ScalerRecoder *r = scaler_recoder_new ();
  MpegPiece piece;

  fail_unless (dropper != NULL && r != NULL);
  scaler_dropper_set (dropper, &how->dropping);
  scaler_recoder_set (r, &how->settings);
  recode_spans (how, dropper, r, data, size, &result);
  if (scaler_dropper_finish (dropper, &piece))
    g_byte_array_append (result.out, piece.literal + piece.offset, piece.size);
  scaler_recoder_stats (r, &result.stats);
  scaler_recoder_free (r);
  scaler_dropper_free (dropper);
  return result;
}

#endif
