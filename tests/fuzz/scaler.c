/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as video, cut and joined into frames, and scaled: eight octets of
 * settings, each in force for some frames in turn, then the stream.
 */
#include <mpeg2scaling/dropper.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

#define N_SETTINGS 8

typedef struct
{
  const uint8_t *data;
  M2vDropper *dropper;
  M2vDropperSettings settings;
  bool waiting;                 /* stopped, and no I since */
  /* The last anchor is missing in the output. */
  bool seen_intra;
  bool anchor_missing;
  uint64_t n_frames;
  uint64_t bytes_in;
  uint64_t bytes_out;
} Run;

/* What is read is not optimised away. */
static volatile uint8_t sink;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static void
set (Run * r, uint8_t choice)
{
  r->settings.scale = choice % 8 < 5 ? choice % 8 : -1;
  r->settings.repeat_dropped = choice & 0x80;
  r->settings.fill = choice & 0x40;
  r->settings.target = choice % 8 == 5 ? 0 : choice % 8 == 6 ? -1
      : (int64_t) choice *choice * 100;

  if (r->settings.scale < 0 && r->settings.target == 0)
    r->waiting = true;
  m2v_dropper_set (r->dropper, &r->settings);
}

/* The pieces are in bounds and in order; reading them shows a sanitizer what is
 * not there. */
static size_t
check_pieces (const Run * r, const M2vFrame * frame,
    const M2vDecision * decision)
{
  size_t size = 0, end[2] = { 0, 0 };

  check (decision->n_first <= decision->n_pieces);
  for (unsigned i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];
    const uint8_t *bytes = piece->literal;

    check (piece->size > 0);
    check (piece->picture == (i >= decision->n_first));
    check (piece->picture < frame->n_pictures);
    if (!bytes) {
      const M2vPicture *picture = &frame->pictures[piece->picture];

      check (piece->offset >= end[piece->picture]);
      end[piece->picture] = piece->offset + piece->size;
      check (end[piece->picture] <= picture->size);
      bytes = r->data + picture->begin;
    }
    for (size_t k = 0; k < piece->size; k++)
      sink = bytes[piece->offset + k];
    size += piece->size;
  }
  return size;
}

static void
check_passed (const Run * r, const M2vFrame * frame,
    const M2vDecision * decision)
{
  int scale = decision->scale > 0 ? decision->scale : 0;
  size_t own = 0;

  if (r->settings.fill && r->settings.scale < 0 && decision->scale >= 0)
    scale++;
  check ((int) decision->lowest_scale <= scale);
  for (unsigned i = 0; i < decision->n_pieces; i++)
    if (!decision->pieces[i].literal)
      own += decision->pieces[i].size;
  if (!frame->valid)
    check (own == frame->size);
  else if (frame->type == M2V_PICTURE_P || frame->type == M2V_PICTURE_B)
    check (!r->seen_intra || !r->anchor_missing);
}

static void
check_frame (Run * r, const M2vFrame * frame)
{
  const uint8_t *data[2] = { r->data + frame->pictures[0].begin,
    r->data + frame->pictures[1].begin
  };
  bool intra = frame->valid && (frame->type == M2V_PICTURE_I
      || frame->type == M2V_PICTURE_D);
  M2vDecision decision;

  m2v_dropper_frame (r->dropper, frame, data, &decision);
  r->n_frames++;
  r->bytes_in += frame->size;
  check (decision.lowest_scale <= SCALING_MAX_SCALE);
  if (r->settings.scale >= 0)
    check (decision.scale == r->settings.scale);
  if (decision.action == M2V_DROP) {
    check (decision.n_pieces == 0);
  } else {
    check (r->settings.scale >= 0 || r->settings.target != 0);
    check (!r->waiting || intra);
    r->waiting = false;
    r->bytes_out += check_pieces (r, frame, &decision);
  }
  if (decision.action == M2V_REPLACE)
    check (r->settings.repeat_dropped && frame->valid && !intra);
  if (decision.action == M2V_PASS)
    check_passed (r, frame, &decision);
  if (frame->valid && (frame->type == M2V_PICTURE_I
          || frame->type == M2V_PICTURE_P)) {
    r->seen_intra = r->seen_intra || intra;
    r->anchor_missing = decision.action != M2V_PASS;
  }
}

static void
drop_unpaired (Run * r, const M2vFrame * frame)
{
  const uint8_t *data[2] = { r->data + frame->pictures[0].begin, NULL };

  m2v_dropper_unpaired (r->dropper, frame, data);
  r->n_frames++;
  r->bytes_in += frame->size;
  if (frame->type == M2V_PICTURE_I)
    r->seen_intra = true;
  if (frame->type == M2V_PICTURE_I || frame->type == M2V_PICTURE_P)
    r->anchor_missing = true;
}

static void
pass_span (Run * r, const M2vPicture * span)
{
  bool passes = m2v_dropper_span (r->dropper, span, r->data + span->begin);

  check (!passes || !r->waiting);
  r->bytes_in += span->size;
  if (passes)
    r->bytes_out += span->size;
}

static void
check_stats (const Run * r)
{
  M2vDropperStats s;
  uint64_t in = 0;

  m2v_dropper_stats (r->dropper, &s);
  for (unsigned i = 0; i < 5; i++)
    in += s.frames[i];
  check (in == r->n_frames);
  check (in == s.passed + s.replaced + s.dropped_policy + s.dropped_reference
      + s.dropped_unpaired + s.dropped_group);
  check (s.bytes_in == r->bytes_in);
  check (s.bytes_out == r->bytes_out);
  for (unsigned i = 0; i < SCALING_N_SCALES; i++)
    check (m2v_dropper_rate (r->dropper, i) >= 0);
}

static void
scale (Run * r, M2vAssembler * assembler, const uint8_t * settings, size_t size)
{
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, false };
  M2vFrame before, frame;
  M2vSplitter splitter;
  M2vPicture span;
  M2vPiece piece;
  size_t position = 0;
  unsigned done;

  m2v_splitter_init (&splitter);
  for (unsigned n = 0; m2v_splitter_next (&splitter, r->data, size, &position,
          &span); n++) {
    uint8_t choice = settings[n / 5 % N_SETTINGS];

    if (n % 5 == 0)
      set (r, choice);
    if (span.kind != M2V_SPAN_PICTURE) {
      pass_span (r, &span);
      continue;
    }
    stamp.discont = n % 16 == choice % 16;
    done = m2v_assembler_push (assembler, &splitter, &span, &stamp, &before,
        &frame);
    if (done & M2V_ASSEMBLED_UNPAIRED)
      drop_unpaired (r, &before);
    if (done & M2V_ASSEMBLED_FRAME)
      check_frame (r, &frame);
  }
  if (m2v_assembler_finish (assembler, &frame))
    drop_unpaired (r, &frame);
  if (m2v_dropper_finish (r->dropper, &piece))
    r->bytes_out += piece.size;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Run r = {.data = NULL };
  M2vAssembler *assembler;

  if (size < N_SETTINGS)
    return 0;
  r.data = data + N_SETTINGS;
  r.dropper = m2v_dropper_new ();
  assembler = m2v_assembler_new ();
  if (r.dropper && assembler) {
    scale (&r, assembler, data, size - N_SETTINGS);
    check_stats (&r);
  }
  m2v_assembler_free (assembler);
  m2v_dropper_free (r.dropper);
  return 0;
}
