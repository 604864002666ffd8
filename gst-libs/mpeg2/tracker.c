/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * docs/mpeg.md, "Decodability", has the rules and their reasons.
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

/* True if the frame precedes its group's I in display order, and the group is
 * closed. */
static bool
leads_closed_group (const M2vTracker * t, const M2vFrame * frame)
{
  return t->leading_closed && frame->temporal_reference < t->intra_reference;
}

unsigned
m2v_tracker_references (const M2vTracker * t, const M2vFrame * frame)
{
  /* An unreadable frame may be of any type. */
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

/* Notes an unreadable picture, which may be an anchor or not. If it is passed
 * on, a decoder of the output treats it as one of the source does. If it is
 * dropped, later pictures may lack either reference. */
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
