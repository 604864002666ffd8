/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The rules and their reasons: docs/mpeg.md, "Decodability".
 */
#include <mpeg2/tracker.h>

void
m2v_tracker_init (M2vTracker * t)
{
  t->past = M2V_REFERENCE_NONE;
  t->last = M2V_REFERENCE_NONE;
  t->seen_intra = false;
  t->leading_closed = false;
  t->intra_reference = 0;
}

void
m2v_tracker_discont (M2vTracker * t)
{
  t->past = M2V_REFERENCE_GONE;
  t->last = M2V_REFERENCE_GONE;
}

/* It precedes its group's I in display order; the group is closed. */
static bool
leads_closed_group (const M2vTracker * t, const M2vFrame * frame)
{
  return t->leading_closed && frame->temporal_reference < t->intra_reference;
}

unsigned
m2v_tracker_references (const M2vTracker * t, const M2vFrame * frame)
{
  /* It may be of any type. */
  if (!frame->valid)
    return 2;

  switch (frame->type) {
    case M2V_PICTURE_P:
      return 1;
    case M2V_PICTURE_B:
      return leads_closed_group (t, frame) ? 1 : 2;
    default:
      return 0;
  }
}

bool
m2v_tracker_decodable (const M2vTracker * t, const M2vFrame * frame)
{
  unsigned n = m2v_tracker_references (t, frame);

  if (frame->valid && frame->type == M2V_PICTURE_P && !t->seen_intra)
    return true;
  return (n < 1 || t->last != M2V_REFERENCE_GONE)
      && (n < 2 || t->past != M2V_REFERENCE_GONE);
}

/* An unreadable picture may be an anchor or not. Passed on, a decoder of the
 * output does with it what one of the source does. Dropped, it may be missing
 * from either reference of what follows. */
static void
note_unreadable (M2vTracker * t, bool intact)
{
  if (!intact)
    m2v_tracker_discont (t);
}

void
m2v_tracker_note (M2vTracker * t, const M2vFrame * frame, bool intact)
{
  if (!frame->valid) {
    note_unreadable (t, intact);
    return;
  }
  if (frame->type != M2V_PICTURE_I && frame->type != M2V_PICTURE_P)
    return;

  t->past = t->last;
  t->last = intact ? M2V_REFERENCE_INTACT : M2V_REFERENCE_GONE;
  t->leading_closed = frame->type == M2V_PICTURE_I && frame->starts_group
      && frame->closed_group && !frame->broken_link;
  t->intra_reference = frame->temporal_reference;
  if (frame->type == M2V_PICTURE_I)
    t->seen_intra = true;
}
