/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/assembler.h>

#include <stdlib.h>
#include <string.h>

struct M2vAssembler
{
  M2vClock *clock;
  bool waits;                   /* frame holds a first field */
  M2vFrame frame;
  bool discont;                 /* has yet to be reported to the clock */
  int64_t spent;                /* PTS of a picture that did not use it */
};

M2vAssembler *
m2v_assembler_new (void)
{
  M2vAssembler *a = calloc (1, sizeof *a);

  if (!a)
    return NULL;
  a->clock = m2v_clock_new ();
  if (!a->clock) {
    free (a);
    return NULL;
  }
  m2v_assembler_reset (a, 0);
  return a;
}

void
m2v_assembler_free (M2vAssembler * a)
{
  if (a)
    m2v_clock_free (a->clock);
  free (a);
}

void
m2v_assembler_reset (M2vAssembler * a, int64_t start)
{
  m2v_clock_reset (a->clock, start);
  a->waits = false;
  a->discont = false;
  a->spent = M2V_TIME_NONE;
}

static bool
is_field (const M2vPicture * picture)
{
  return picture->valid && picture->coding.structure != M2V_FRAME_PICTURE;
}

/* True if the fields are one frame: both have its temporal_reference, and both
 * are B or neither is (13818-2 clauses 6.1.1.4, 6.3.9). */
static bool
pairs (const M2vPicture * first, const M2vPicture * second)
{
  return is_field (second) && !second->has_group &&
      first->coding.structure != second->coding.structure &&
      first->header.temporal_reference == second->header.temporal_reference &&
      (first->header.type == M2V_PICTURE_B) ==
      (second->header.type == M2V_PICTURE_B);
}

static void
add_picture (M2vFrame * frame, const M2vSplitter * state,
    const M2vPicture * picture)
{
  frame->pictures[frame->n_pictures] = *picture;
  frame->matrices[frame->n_pictures] = state->matrices;
  frame->n_pictures++;
  frame->size += picture->size;
}

static void
begin_frame (M2vFrame * frame, const M2vSplitter * state,
    const M2vPicture * picture, const M2vStamp * stamp)
{
  memset (frame, 0, sizeof *frame);
  add_picture (frame, state, picture);
  frame->has_sequence = state->has_sequence;
  if (state->has_sequence)
    frame->sequence = state->sequence;
  frame->discont = stamp->discont;
  frame->pts = frame->given_pts = stamp->pts;
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
  frame->n_fields = m2v_display_fields (state->has_sequence &&
      state->sequence.progressive, &picture->coding);
}

/* A pair of fields is displayed in coded order. */
static bool
top_field_first (const M2vFrame * frame)
{
  const M2vPictureCoding *coding = &frame->pictures[0].coding;

  return coding->structure == M2V_FRAME_PICTURE ? coding->top_field_first :
      coding->structure == M2V_TOP_FIELD;
}

/* Sets the times of a complete frame. */
static void
finish_frame (M2vAssembler * a, M2vFrame * frame)
{
  const M2vSequence *sequence = frame->has_sequence ? &frame->sequence : NULL;
  M2vClockFrame f;

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
  f.pts = frame->pts == a->spent ? M2V_TIME_NONE : frame->pts;
  f.dts = frame->dts;
  frame->pts = m2v_clock_next (a->clock, &f);
  frame->duration = m2v_fields_time (sequence, frame->n_fields);
  a->discont = false;
}

static void
spend (M2vAssembler * a, int64_t pts)
{
  if (pts != M2V_TIME_NONE)
    a->spent = pts;
}

unsigned
m2v_assembler_push (M2vAssembler * a, const M2vSplitter * state,
    const M2vPicture * picture, const M2vStamp * stamp,
    M2vFrame * frame_before, M2vFrame * frame)
{
  unsigned result = M2V_ASSEMBLED_NOTHING;

  if (a->waits && !stamp->discont && pairs (&a->frame.pictures[0], picture)) {
    add_picture (&a->frame, state, picture);
    *frame = a->frame;
    a->waits = false;
    finish_frame (a, frame);
    spend (a, stamp->pts);
    return M2V_ASSEMBLED_FRAME;
  }
  if (m2v_assembler_finish (a, frame_before))
    result |= M2V_ASSEMBLED_UNPAIRED;

  if (stamp->discont) {
    a->discont = true;
    a->spent = M2V_TIME_NONE;
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
  return result | M2V_ASSEMBLED_FRAME;
}

bool
m2v_assembler_finish (M2vAssembler * a, M2vFrame * frame)
{
  if (!a->waits)
    return false;
  *frame = a->frame;
  a->waits = false;
  finish_frame (a, frame);
  return true;
}
