/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

struct MpegAssembler
{
  MpegClock *clock;
  bool waits;                   /* frame holds a first field */
  MpegFrame frame;
  bool discont;                 /* not told to the clock yet */
  int64_t spent;                /* PTS of a picture that had no use for it */
};

MpegAssembler *
mpeg_assembler_new (void)
{
  MpegAssembler *a = calloc (1, sizeof *a);

  if (!a)
    return NULL;
  a->clock = mpeg_clock_new ();
  if (!a->clock) {
    free (a);
    return NULL;
  }
  mpeg_assembler_reset (a);
  return a;
}

void
mpeg_assembler_free (MpegAssembler * a)
{
  if (a)
    mpeg_clock_free (a->clock);
  free (a);
}

void
mpeg_assembler_reset (MpegAssembler * a)
{
  mpeg_clock_reset (a->clock);
  a->waits = false;
  a->discont = false;
  a->spent = MPEG_TIME_NONE;
}

static bool
is_field (const MpegPicture * picture)
{
  return picture->valid && picture->coding.structure != MPEG_FRAME_PICTURE;
}

/* Both fields of a frame have its temporal_reference, and both are B or neither
 * is (13818-2 clauses 6.1.1.4, 6.3.9). */
static bool
pairs (const MpegPicture * first, const MpegPicture * second)
{
  return is_field (second) && !second->has_group &&
      first->coding.structure != second->coding.structure &&
      first->header.temporal_reference == second->header.temporal_reference &&
      (first->header.type == MPEG_PICTURE_B) ==
      (second->header.type == MPEG_PICTURE_B);
}

static void
add_picture (MpegFrame * frame, const MpegSplitter * state,
    const MpegPicture * picture)
{
  frame->pictures[frame->n_pictures] = *picture;
  frame->matrices[frame->n_pictures] = state->matrices;
  frame->n_pictures++;
  frame->size += picture->size;
}

static void
begin_frame (MpegFrame * frame, const MpegSplitter * state,
    const MpegPicture * picture, const MpegStamp * stamp)
{
  memset (frame, 0, sizeof *frame);
  add_picture (frame, state, picture);
  frame->has_sequence = state->has_sequence;
  if (state->has_sequence)
    frame->sequence = state->sequence;
  frame->discont = stamp->discont;
  frame->pts = stamp->pts;
  frame->dts = stamp->dts;
  frame->valid = picture->valid;
  if (!picture->valid)
    return;
  frame->type = picture->header.type;
  frame->temporal_reference = picture->header.temporal_reference;
  frame->starts_group = picture->has_group;
  if (picture->has_group) {
    frame->closed_group = picture->group_header.closed;
    frame->broken_link = picture->group_header.broken_link;
  }
  frame->n_fields = mpeg_display_fields (state->has_sequence &&
      state->sequence.progressive, &picture->coding);
}

/* A field pair shows the first field's parity first. */
static bool
top_field_first (const MpegFrame * frame)
{
  const MpegPictureCoding *coding = &frame->pictures[0].coding;

  return coding->structure == MPEG_FRAME_PICTURE ? coding->top_field_first :
      coding->structure == MPEG_TOP_FIELD;
}

/* The frame is complete: its times. */
static void
finish_frame (MpegAssembler * a, MpegFrame * frame)
{
  const MpegSequence *sequence = frame->has_sequence ? &frame->sequence : NULL;
  MpegClockFrame f;

  if (!frame->valid)
    return;
  memset (&f, 0, sizeof f);
  f.sequence = sequence;
  f.type = frame->type;
  f.temporal_reference = frame->temporal_reference;
  f.starts_group = frame->starts_group;
  f.discont = a->discont;
  f.top_field_first = top_field_first (frame);
  f.n_fields = frame->n_fields;
  f.pts = frame->pts == a->spent ? MPEG_TIME_NONE : frame->pts;
  f.dts = frame->dts;
  frame->pts = mpeg_clock_next (a->clock, &f);
  frame->duration = mpeg_fields_time (sequence, frame->n_fields);
  a->discont = false;
}

static void
spend (MpegAssembler * a, int64_t pts)
{
  if (pts != MPEG_TIME_NONE)
    a->spent = pts;
}

unsigned
mpeg_assembler_push (MpegAssembler * a, const MpegSplitter * state,
    const MpegPicture * picture, const MpegStamp * stamp,
    MpegFrame * frame_before, MpegFrame * frame)
{
  unsigned result = MPEG_ASSEMBLED_NOTHING;

  if (a->waits && !stamp->discont && pairs (&a->frame.pictures[0], picture)) {
    add_picture (&a->frame, state, picture);
    *frame = a->frame;
    a->waits = false;
    finish_frame (a, frame);
    spend (a, stamp->pts);
    return MPEG_ASSEMBLED_FRAME;
  }
  if (mpeg_assembler_finish (a, frame_before))
    result |= MPEG_ASSEMBLED_UNPAIRED;

  if (stamp->discont) {
    a->discont = true;
    a->spent = MPEG_TIME_NONE;
  }
  if (is_field (picture)) {
    begin_frame (&a->frame, state, picture, stamp);
    a->waits = true;
    return result;
  }
  begin_frame (frame, state, picture, stamp);
  finish_frame (a, frame);
  if (!frame->valid)
    spend (a, stamp->pts);
  return result | MPEG_ASSEMBLED_FRAME;
}

bool
mpeg_assembler_finish (MpegAssembler * a, MpegFrame * frame)
{
  if (!a->waits)
    return false;
  *frame = a->frame;
  a->waits = false;
  finish_frame (a, frame);
  return true;
}
