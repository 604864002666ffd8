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

#include <mpeg2scaling/recoder.h>

typedef struct
{
  M2vRecoderSettings settings;
  M2vDropperSettings dropping;
  gboolean both;                /* drops what would not fit requantized */
  /* Before and after each frame; may be NULL. What is left of the frame is in
   * the decision. */
  void (*before) (gpointer user, M2vRecoder * r, guint n);
  void (*after) (gpointer user, const M2vFrame * frame,
      const guint8 * const data[2], const M2vDecision * decision);
  gpointer user;
} Recode;

typedef struct
{
  GByteArray *out;
  guint n_frames;               /* in */
  guint n_pictures;             /* in, unpaired fields too */
  guint n_pictures_out;
  gint64 duration;              /* ns, of all frames */
  M2vRecoderStats stats;
} Recoded;

static inline Recode
recode_all (gint64 target)
{
  Recode how = {
    .settings = m2v_recoder_defaults,
    .dropping = {.scale = -1,.target = -1 }
  };

  how.settings.target = target;
  return how;
}

/* Its pieces, which must be in bounds and in order. */
static inline void
recode_append (GByteArray * out, const M2vFrame * frame,
    const guint8 * const data[2], const M2vDecision * decision)
{
  gsize end[2] = { 0, 0 };

  fail_unless (decision->n_pieces <= G_N_ELEMENTS (decision->pieces));
  fail_unless (decision->n_first <= decision->n_pieces);
  for (guint i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];
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
recode_decided (const Recode * how, M2vRecoder * r, const M2vFrame * frame,
    const guint8 * const data[2], M2vDecision * decision, Recoded * result)
{
  m2v_recoder_frame (r, frame, data, decision);
  recode_append (result->out, frame, data, decision);
  if (how->after)
    how->after (how->user, frame, data, decision);
  result->n_frames++;
  result->n_pictures += frame->n_pictures;
  result->duration += frame->duration;
  if (decision->action != M2V_DROP)
    result->n_pictures_out += frame->n_pictures;
}

static inline void
recode_unpaired (const Recode * how, M2vDropper * dropper,
    M2vRecoder * r, const guint8 * bytes, const M2vFrame * frame,
    Recoded * result)
{
  const guint8 *data[2] = { bytes + frame->pictures[0].begin, NULL };
  M2vDecision decision = {.action = M2V_DROP };

  if (!m2v_dropper_pass_unpaired (dropper, frame, data, &decision))
    m2v_dropper_unpaired (dropper, frame, data);
  recode_decided (how, r, frame, data, &decision, result);
}

static inline void
recode_frame (const Recode * how, M2vDropper * dropper, M2vRecoder * r,
    const guint8 * bytes, const M2vFrame * frame, Recoded * result)
{
  const guint8 *data[2] = {
    bytes + frame->pictures[0].begin, bytes + frame->pictures[1].begin
  };
  M2vDecision decision;
  ScalingCost cost;

  if (how->before)
    how->before (how->user, r, result->n_frames);
  if (how->both) {
    m2v_recoder_cost (r, frame, data, &cost);
    m2v_dropper_set_cost (dropper, &cost);
  }
  m2v_dropper_frame (dropper, frame, data, &decision);
  recode_decided (how, r, frame, data, &decision, result);
}

static inline void
recode_spans (const Recode * how, M2vDropper * dropper, M2vRecoder * r,
    const guint8 * data, gsize size, Recoded * result)
{
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, FALSE };
  M2vAssembler *assembler = m2v_assembler_new ();
  M2vFrame before, frame;
  M2vSplitter splitter;
  M2vPicture span;
  M2vPiece headers;
  gsize position = 0;
  guint done;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &span)) {
    if (span.kind != M2V_SPAN_PICTURE) {
      if (!m2v_dropper_span (dropper, &span, data + span.begin))
        continue;
      if (m2v_dropper_headers (dropper, &span, data + span.begin,
              &headers) > 0)
        g_byte_array_append (result->out, headers.literal + headers.offset,
            headers.size);
      g_byte_array_append (result->out, data + span.begin, span.size);
      continue;
    }
    done = m2v_assembler_push (assembler, &splitter, &span, &stamp, &before,
        &frame);
    if (done & M2V_ASSEMBLED_UNPAIRED)
      recode_unpaired (how, dropper, r, data, &before, result);
    if (done & M2V_ASSEMBLED_FRAME)
      recode_frame (how, dropper, r, data, &frame, result);
  }
  if (m2v_assembler_finish (assembler, &frame))
    recode_unpaired (how, dropper, r, data, &frame, result);
  m2v_assembler_free (assembler);
}

static inline Recoded
recode (const Recode * how, const guint8 * data, gsize size)
{
  Recoded result = {.out = g_byte_array_sized_new (size) };
  M2vDropper *dropper = m2v_dropper_new ();
  M2vRecoder *r = m2v_recoder_new ();
  M2vPiece piece;

  fail_unless (dropper != NULL && r != NULL);
  m2v_dropper_set (dropper, &how->dropping);
  m2v_recoder_set (r, &how->settings);
  recode_spans (how, dropper, r, data, size, &result);
  if (m2v_dropper_finish (dropper, &piece))
    g_byte_array_append (result.out, piece.literal + piece.offset, piece.size);
  m2v_recoder_stats (r, &result.stats);
  m2v_recoder_free (r);
  m2v_dropper_free (dropper);
  return result;
}

#endif
