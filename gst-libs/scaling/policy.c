/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The scale policy. In coded order a reference comes before the disposable
 * pictures displayed before it, so their number is known before the first of
 * them.
 */
#include <scaling/policy.h>

#include <string.h>

/* Number of disposable pictures in a row, as most encoders have it; it is used
 * until a run has been seen. */
#define USUAL_RUN 2

/* Number of pictures. No encoder writes longer runs (FFmpeg's limit is 16): a
 * greater distance between references is a gap, a wrap or an error. */
#define LONGEST_RUN 32

void
scaling_policy_init (ScalingPolicy * p)
{
  memset (p, 0, sizeof *p);
  p->last_run_length = USUAL_RUN;
}

static void
begin_run (ScalingPolicy * p, unsigned length)
{
  p->run_length = length;
  p->run_position = 0;
  if (length == 1)
    p->single_toggle = !p->single_toggle;
}

/* Returns how many disposable pictures are displayed between this reference and
 * the one before. */
static unsigned
run_before (const ScalingPolicy * p, const ScalingPicture * picture)
{
  if (picture->distance == 0 || picture->distance - 1 > LONGEST_RUN)
    return p->last_run_length;
  return picture->distance - 1;
}

static void
next_reference (ScalingPolicy * p, const ScalingPicture * picture)
{
  if (p->run_position > 0)
    p->last_run_length = p->run_position;
  begin_run (p, run_before (p, picture));
}

static unsigned
next_predicted (ScalingPolicy * p)
{
  bool first = !p->first_predicted_passed;

  p->first_predicted_passed = true;
  if (!p->seen_key)
    return 0;
  return first ? 1 : 2;
}

/* Returns the picture's place in its run, from its distance if that is usable:
 * so a picture keeps its place if others were lost or dropped upstream. */
static unsigned
run_place (const ScalingPolicy * p, const ScalingPicture * picture)
{
  unsigned left = picture->distance, place;

  if (left == 0 || left > p->run_length)
    return p->run_position;
  place = p->run_length - left;
  return place > p->run_position ? place : p->run_position;
}

static unsigned
next_disposable (ScalingPolicy * p, const ScalingPicture * picture)
{
  unsigned place;

  /* The reference's distance announced no run, so it is not usable. */
  if (p->run_length == 0)
    begin_run (p, p->last_run_length);

  place = run_place (p, picture);
  p->run_position = place + 1;
  if (p->run_length == 1 && place == 0)
    return p->single_toggle ? 4 : 3;
  return place < (p->run_length + 1) / 2 ? 4 : 3;
}

unsigned
scaling_policy_next (ScalingPolicy * p, const ScalingPicture * picture)
{
  /* A picture is missing, maybe a reference. The run starts again. If one of
   * its own pictures is missing, the distances of the others give their
   * places. */
  if (picture->discont || !picture->readable)
    p->run_position = 0;
  /* MPEG-1 has D pictures, which stand alone. */
  if (!picture->readable || (picture->key && !picture->reference))
    return 0;

  if (!picture->reference)
    return next_disposable (p, picture);
  next_reference (p, picture);
  if (!picture->key)
    return next_predicted (p);
  p->seen_key = true;
  p->first_predicted_passed = false;
  return 0;
}
