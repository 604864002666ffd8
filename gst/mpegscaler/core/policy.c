/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The scale policy. In coded order a reference frame comes before the B frames
 * displayed before it, so their number is known before the first of them.
 */
#include "policy.h"

#include <string.h>

/* Of most encoders; for B frames before anything is known. */
#define USUAL_RUN 2

/* No encoder writes longer runs (FFmpeg's limit is 16): a greater distance of
 * references is a gap, a wrap or an error. */
#define LONGEST_RUN 32

/* temporal_reference counts modulo 1024 (13818-2 clause 6.3.9). */
#define REFERENCE_MASK 1023u

void
scaler_policy_init (ScalerPolicy * p)
{
  memset (p, 0, sizeof *p);
  p->last_run_length = USUAL_RUN;
}

static void
begin_run (ScalerPolicy * p, unsigned length)
{
  p->run_length = length;
  p->run_position = 0;
  if (length == 1)
    p->single_toggle = !p->single_toggle;
}

/* How many B frames are displayed between this I or P and the one before. */
static unsigned
run_before (const ScalerPolicy * p, const MpegFrame * frame)
{
  unsigned length;

  if (frame->starts_group)
    length = frame->temporal_reference;
  else if (p->has_anchor)
    length = (frame->temporal_reference - p->anchor_reference - 1)
        & REFERENCE_MASK;
  else
    return p->last_run_length;
  return length <= LONGEST_RUN ? length : p->last_run_length;
}

static void
next_anchor (ScalerPolicy * p, const MpegFrame * frame)
{
  if (p->run_position > 0)
    p->last_run_length = p->run_position;
  begin_run (p, run_before (p, frame));
  p->has_anchor = true;
  p->anchor_reference = frame->temporal_reference;
}

static unsigned
next_predicted (ScalerPolicy * p)
{
  bool first = !p->first_p_passed;

  p->first_p_passed = true;
  if (!p->seen_intra)
    return 0;
  return first ? 1 : 2;
}

/* The frame's place in its run, counted from its reference where that is of
 * use: so the places of frames lost or dropped before us stay theirs. */
static unsigned
run_place (const ScalerPolicy * p, const MpegFrame * frame)
{
  unsigned left = (p->anchor_reference - frame->temporal_reference)
      & REFERENCE_MASK;
  unsigned place;

  if (left == 0 || left > p->run_length)
    return p->run_position;
  place = p->run_length - left;
  return place > p->run_position ? place : p->run_position;
}

static unsigned
next_bidirectional (ScalerPolicy * p, const MpegFrame * frame)
{
  unsigned place;

  /* The references announced none, so they are of no use. */
  if (p->run_length == 0)
    begin_run (p, p->last_run_length);

  place = run_place (p, frame);
  p->run_position = place + 1;
  if (p->run_length == 1 && place == 0)
    return p->single_toggle ? 4 : 3;
  return place < (p->run_length + 1) / 2 ? 4 : 3;
}

/* Something is missing, maybe a reference. The run goes on as if at its
 * beginning: should it be one of its own frames that is missing, the others'
 * references give their places. */
static void
interrupt (ScalerPolicy * p)
{
  p->has_anchor = false;
  p->run_position = 0;
}

unsigned
scaler_policy_next (ScalerPolicy * p, const MpegFrame * frame)
{
  if (frame->discont || !frame->valid)
    interrupt (p);
  if (!frame->valid)
    return 0;

  switch (frame->type) {
    case MPEG_PICTURE_I:
      p->seen_intra = true;
      p->first_p_passed = false;
      next_anchor (p, frame);
      return 0;
    case MPEG_PICTURE_P:
      next_anchor (p, frame);
      return next_predicted (p);
    case MPEG_PICTURE_B:
      return next_bidirectional (p, frame);
    case MPEG_PICTURE_D:
      break;
  }
  return 0;                     /* D refers to nothing */
}
