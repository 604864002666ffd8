/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as video, cut and joined into frames, and scaled: eight octets of
 * settings, each in force for some frames in turn, then the stream.
 */
#include "dropper.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

#define N_SETTINGS 8

typedef struct
{
  const uint8_t *data;
  ScalerDropper *dropper;
  ScalerDropperSettings settings;
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
  scaler_dropper_set (r->dropper, &r->settings);
}

/* The pieces are in bounds and in order; reading them shows a sanitizer what is
 * not there. */
static size_t
check_pieces (const Run * r, const MpegFrame * frame,
    const ScalerDecision * decision)
{
  size_t size = 0, end[2] = { 0, 0 };

  check (decision->n_first <= decision->n_pieces);
  for (unsigned i = 0; i < decision->n_pieces; i++) {
    const MpegPiece *piece = &decision->pieces[i];
    const uint8_t *bytes = piece->literal;

    check (piece->size > 0);
    check (piece->picture == (i >= decision->n_first));
    check (piece->picture < frame->n_pictures);
    if (!bytes) {
      const MpegPicture *picture = &frame->pictures[piece->picture];

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
check_passed (const Run * r, const MpegFrame * frame,
    const ScalerDecision * decision)
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
  else if (frame->type == MPEG_PICTURE_P || frame->type == MPEG_PICTURE_B)
    check (!r->seen_intra || !r->anchor_missing);
}

static void
check_frame (Run * r, const MpegFrame * frame)
{
  const uint8_t *data[2] = { r->data + frame->pictures[0].begin,
    r->data + frame->pictures[1].begin
  };
  bool intra = frame->valid && (frame->type == MPEG_PICTURE_I
      || frame->type == MPEG_PICTURE_D);
  ScalerDecision decision;

  scaler_dropper_frame (r->dropper, frame, data, &decision);
  r->n_frames++;
  r->bytes_in += frame->size;
  check (decision.lowest_scale <= SCALER_MAX_SCALE);
  if (r->settings.scale >= 0)
    check (decision.scale == r->settings.scale);
  if (decision.action == SCALER_DROP) {
    check (decision.n_pieces == 0);
  } else {
    check (r->settings.scale >= 0 || r->settings.target != 0);
    check (!r->waiting || intra);
    r->waiting = false;
    r->bytes_out += check_pieces (r, frame, &decision);
  }
  if (decision.action == SCALER_REPLACE)
    check (r->settings.repeat_dropped && frame->valid && !intra);
  if (decision.action == SCALER_PASS)
    check_passed (r, frame, &decision);
  if (frame->valid && (frame->type == MPEG_PICTURE_I
          || frame->type == MPEG_PICTURE_P)) {
    r->seen_intra = r->seen_intra || intra;
    r->anchor_missing = decision.action != SCALER_PASS;
  }
}

static void
drop_unpaired (Run * r, const MpegFrame * frame)
{
  const uint8_t *data[2] = { r->data + frame->pictures[0].begin, NULL };

  scaler_dropper_unpaired (r->dropper, frame, data);
  r->n_frames++;
  r->bytes_in += frame->size;
  if (frame->type == MPEG_PICTURE_I)
    r->seen_intra = true;
  if (frame->type == MPEG_PICTURE_I || frame->type == MPEG_PICTURE_P)
    r->anchor_missing = true;
}

static void
pass_span (Run * r, const MpegPicture * span)
{
  bool passes = scaler_dropper_span (r->dropper, span, r->data + span->begin);

  check (!passes || !r->waiting);
  r->bytes_in += span->size;
  if (passes)
    r->bytes_out += span->size;
}

static void
check_stats (const Run * r)
{
  ScalerDropperStats s;
  uint64_t in = 0;

  scaler_dropper_stats (r->dropper, &s);
  for (unsigned i = 0; i < 5; i++)
    in += s.frames[i];
  check (in == r->n_frames);
  check (in == s.passed + s.replaced + s.dropped_policy + s.dropped_reference
      + s.dropped_unpaired + s.dropped_group);
  check (s.bytes_in == r->bytes_in);
  check (s.bytes_out == r->bytes_out);
  for (unsigned i = 0; i < SCALER_N_SCALES; i++)
    check (scaler_dropper_rate (r->dropper, i) >= 0);
}

static void
scale (Run * r, MpegAssembler * assembler, const uint8_t * settings,
    size_t size)
{
  MpegStamp stamp = { MPEG_TIME_NONE, MPEG_TIME_NONE, false };
  MpegFrame before, frame;
  MpegSplitter splitter;
  MpegPicture span;
  MpegPiece piece;
  size_t position = 0;
  unsigned done;

  mpeg_splitter_init (&splitter);
  for (unsigned n = 0; mpeg_splitter_next (&splitter, r->data, size, &position,
          &span); n++) {
    uint8_t choice = settings[n / 5 % N_SETTINGS];

    if (n % 5 == 0)
      set (r, choice);
    if (span.kind != MPEG_SPAN_PICTURE) {
      pass_span (r, &span);
      continue;
    }
    stamp.discont = n % 16 == choice % 16;
    done = mpeg_assembler_push (assembler, &splitter, &span, &stamp, &before,
        &frame);
    if (done & MPEG_ASSEMBLED_UNPAIRED)
      drop_unpaired (r, &before);
    if (done & MPEG_ASSEMBLED_FRAME)
      check_frame (r, &frame);
  }
  if (mpeg_assembler_finish (assembler, &frame))
    drop_unpaired (r, &frame);
  if (scaler_dropper_finish (r->dropper, &piece))
    r->bytes_out += piece.size;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Run r = {.data = NULL };
  MpegAssembler *assembler;

  if (size < N_SETTINGS)
    return 0;
  r.data = data + N_SETTINGS;
  r.dropper = scaler_dropper_new ();
  assembler = mpeg_assembler_new ();
  if (r.dropper && assembler) {
    scale (&r, assembler, data, size - N_SETTINGS);
    check_stats (&r);
  }
  mpeg_assembler_free (assembler);
  scaler_dropper_free (r.dropper);
  return 0;
}
