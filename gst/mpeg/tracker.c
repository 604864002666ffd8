/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The rules and their reasons: docs/mpeg.md, "Decodability".
 */
#include "tracker.h"

void
mpeg_tracker_init (MpegTracker * t)
{
  t->past = MPEG_REFERENCE_NONE;
  t->last = MPEG_REFERENCE_NONE;
  t->seen_intra = false;
  t->leading_closed = false;
  t->intra_reference = 0;
}

void
mpeg_tracker_discont (MpegTracker * t)
{
  t->past = MPEG_REFERENCE_GONE;
  t->last = MPEG_REFERENCE_GONE;
}

/* It precedes its group's I in display order; the group is closed. */
static bool
leads_closed_group (const MpegTracker * t, const MpegFrame * frame)
{
  return t->leading_closed && frame->temporal_reference < t->intra_reference;
}

bool
mpeg_tracker_decodable (const MpegTracker * t, const MpegFrame * frame)
{
  bool past = t->past != MPEG_REFERENCE_GONE;
  bool last = t->last != MPEG_REFERENCE_GONE;

  /* It may be of any type. */
  if (!frame->valid)
    return past && last;

  switch (frame->type) {
    case MPEG_PICTURE_P:
      return last || !t->seen_intra;
    case MPEG_PICTURE_B:
      return last && (past || leads_closed_group (t, frame));
    default:
      return true;
  }
}

/* An unreadable picture may be an anchor or not. Passed on, a decoder of the
 * output does with it what one of the source does. Dropped, it may be missing
 * from either reference of what follows. */
static void
note_unreadable (MpegTracker * t, bool intact)
{
  if (!intact)
    mpeg_tracker_discont (t);
}

void
mpeg_tracker_note (MpegTracker * t, const MpegFrame * frame, bool intact)
{
  if (!frame->valid) {
    note_unreadable (t, intact);
    return;
  }
  if (frame->type != MPEG_PICTURE_I && frame->type != MPEG_PICTURE_P)
    return;

  t->past = t->last;
  t->last = intact ? MPEG_REFERENCE_INTACT : MPEG_REFERENCE_GONE;
  t->leading_closed = frame->type == MPEG_PICTURE_I && frame->starts_group
      && frame->closed_group && !frame->broken_link;
  t->intra_reference = frame->temporal_reference;
  if (frame->type == MPEG_PICTURE_I)
    t->seen_intra = true;
}
