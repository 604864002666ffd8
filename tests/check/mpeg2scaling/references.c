/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Random streams and random settings against a model that looks back over all
 * that has been emitted. It shares no code with dropper, tracker or policy.
 */
#include <gst/check/gstcheck.h>

#include <mpeg2scaling/dropper.h>
#include "../scaling/gops.h"

#define N_FRAMES 120
#define N_STREAMS 3000

/* What has become of the frames, in coded order. */
typedef struct
{
  const M2vFrame *frame;
  gboolean intact;
} Past;

static Gops gops;
static guint stream;            /* the seed of what runs */
static Past past[GOPS_MAX];
static guint8 bytes[1 << 16];
static const guint8 *const data[2] = { bytes, bytes };

static gboolean
chance (GRand * rand, guint percent)
{
  return (guint) g_rand_int_range (rand, 0, 100) < percent;
}

/* Groups in display order: open and closed ones, runs of 0 to 4 B, long groups,
 * none, unreadable frames where there may be. */
static void
random_stream (GRand * rand, gboolean clean, gchar * out)
{
  guint p_share = g_rand_int_range (rand, 0, 100), b_share, fields, broken, n;
  guint i_share = chance (rand, 10) ? 0 : g_rand_int_range (rand, 3, 40);

  b_share = g_rand_int_range (rand, 0, 100);
  fields = chance (rand, 30) ? g_rand_int_range (rand, 0, 100) : 0;
  broken = clean || chance (rand, 50) ? 0 : g_rand_int_range (rand, 0, 20);
  for (n = 0; n < N_FRAMES; n++) {
    gchar c = 'P';

    if (chance (rand, b_share) && n > 0)
      c = 'B';
    else if (chance (rand, i_share) || (clean && n == 0))
      c = 'I';
    else if (!chance (rand, p_share))
      c = chance (rand, 50) && n > 0 ? 'B' : 'P';
    if (chance (rand, fields))
      c = tolower (c);
    if (chance (rand, broken))
      c = 'X';
    if (!clean && chance (rand, 5))
      *out++ = '|';
    *out++ = c;
  }
  *out = 0;
}

static void
random_frames (GRand * rand, gboolean clean)
{
  GopsStyle style = { 0, 0, {500, 11000, 8000, 2000, 500} };
  gchar display[2 * N_FRAMES + 1];
  guint gaps = clean || chance (rand, 50) ? 0 : g_rand_int_range (rand, 0, 10);

  style.no_group_headers = chance (rand, 20);
  style.first_reference = g_rand_int_range (rand, 0, 1024);
  random_stream (rand, clean, display);
  gops_code (&gops, display, &style);
  for (guint i = 0; i < gops.n; i++) {
    M2vFrame *frame = &gops.frames[i];

    frame->discont = i > 0 && chance (rand, gaps);
    frame->broken_link = frame->starts_group && !clean && chance (rand, 10);
    frame->has_sequence = TRUE;
    frame->sequence.mpeg2 = TRUE;
    frame->sequence.width = 64;
    frame->sequence.height = 32;
    for (guint k = 0; k < frame->n_pictures; k++) {
      frame->pictures[k].mpeg2 = frame->valid;
      frame->pictures[k].slices.offset = 50;
      frame->pictures[k].slices.size = frame->pictures[k].size - 50;
    }
  }
}

/* The n-th I or P before i, -1: none. */
static gint
anchor_before (gint i, guint n)
{
  while (--i >= 0)
    if (past[i].frame->valid && (past[i].frame->type == M2V_PICTURE_I
            || past[i].frame->type == M2V_PICTURE_P) && n-- == 0)
      return i;
  return -1;
}

/* Whether something is missing between the frames `from` (-1: the start) and
 * `to`: the source lost it, or what could not be read was dropped. */
static gboolean
gap (gint from, gint to, gboolean with_source)
{
  for (gint i = from + 1; i <= to; i++)
    if ((with_source && past[i].frame->discont)
        || (i < to && !past[i].frame->valid && !past[i].intact))
      return TRUE;
  return FALSE;
}

static gboolean
has_anchor (gint anchor, gint i, gboolean with_source)
{
  return (anchor < 0 || past[anchor].intact) && !gap (anchor, i, with_source);
}

static gboolean
seen_intra (gint i)
{
  while (--i >= 0)
    if (past[i].frame->valid && past[i].frame->type == M2V_PICTURE_I)
      return TRUE;
  return FALSE;
}

/* Whether all that frame i refers to has been emitted. with_source: and has
 * not been lost before. */
static gboolean
has_references (gint i, gboolean with_source)
{
  const M2vFrame *frame = past[i].frame;
  gint last = anchor_before (i, 0);
  const M2vFrame *lead = last < 0 ? NULL : past[last].frame;

  if (!frame->valid || frame->type == M2V_PICTURE_I)
    return TRUE;
  if (frame->type == M2V_PICTURE_P)
    return !seen_intra (i) || has_anchor (last, i, with_source);
  if (!has_anchor (last, i, with_source))
    return FALSE;
  if (lead && lead->type == M2V_PICTURE_I && lead->starts_group
      && lead->closed_group && !lead->broken_link
      && frame->temporal_reference < lead->temporal_reference)
    return TRUE;
  return has_anchor (anchor_before (i, 1), i, with_source);
}

static void
random_settings (GRand * rand, gboolean targets, M2vDropperSettings * s)
{
  s->repeat_dropped = chance (rand, 20);
  s->fill = targets && chance (rand, 50);
  s->scale = -1;
  if (chance (rand, 8))
    s->target = 0;
  else if (chance (rand, 20))
    s->target = -1;
  else if (targets)
    s->target = g_rand_int_range (rand, 1, 3000000);
  else
    s->scale = g_rand_int_range (rand, 0, 5);
}

/* Holds for every frame, whatever rules. `waiting`: since the last stop, no I
 * has been emitted. */
static void
assert_safe (gint i, const M2vDecision * decision,
    const M2vDropperSettings * s, gboolean waiting)
{
  const M2vFrame *frame = past[i].frame;
  gboolean untouched = s->scale < 0 && s->target < 0;
  gint highest = MAX (decision->scale, 0);

  if (decision->action == M2V_DROP)
    return;
  if (s->scale < 0 && s->target == 0)
    fail ("stream %u, frame %d: emitted when stopped", stream, i);
  if (waiting && (!frame->valid || frame->type != M2V_PICTURE_I))
    fail ("stream %u, frame %d: emitted before an I", stream, i);
  if (decision->action == M2V_REPLACE) {
    if (frame->type == M2V_PICTURE_I || !frame->valid || !s->repeat_dropped)
      fail ("stream %u, frame %d: replaced", stream, i);
    return;
  }
  if (s->fill && s->scale < 0 && decision->scale >= 0)
    highest = decision->scale + 1;
  if ((gint) decision->lowest_scale > highest)
    fail ("stream %u, frame %d: of scale %u, emitted at %d", stream, i,
        decision->lowest_scale, decision->scale);
  if (!has_references (i, !untouched))
    fail ("stream %u, frame %d: emitted without its references", stream, i);
}

/* As a fixed scale has it: no frame too few either. */
static void
assert_exact (gint i, const M2vDecision * decision,
    const M2vDropperSettings * s, gboolean waiting)
{
  const M2vFrame *frame = past[i].frame;
  gboolean untouched = s->scale < 0 && s->target < 0;
  gint scale = untouched ? 4 : s->scale;
  gboolean expected;

  if (frame->valid && frame->type == M2V_PICTURE_I)
    waiting = FALSE;
  expected = !waiting && (untouched || s->scale >= 0)
      && (gint) decision->lowest_scale <= scale
      && has_references (i, !untouched);
  if (expected != (decision->action == M2V_PASS))
    fail ("stream %u, frame %d: %s", stream, i,
        expected ? "not passed" : "passed");
}

static void
run_stream (guint seed, gboolean targets)
{
  GRand *rand = g_rand_new_with_seed (seed);
  guint change = g_rand_int_range (rand, 0, 50);
  M2vDropper *d = m2v_dropper_new ();
  M2vDropperSettings settings = { -1, -1, FALSE, FALSE };
  gboolean waiting = FALSE;

  stream = seed;
  random_frames (rand, FALSE);
  for (guint i = 0; i < gops.n; i++) {
    const M2vFrame *frame = &gops.frames[i];
    M2vDecision decision;

    past[i].frame = frame;
    past[i].intact = FALSE;
    if (chance (rand, change)) {
      random_settings (rand, targets, &settings);
      m2v_dropper_set (d, &settings);
      if (settings.scale < 0 && settings.target == 0)
        waiting = TRUE;
    }
    if (frame->n_pictures == 2 && chance (rand, 5)) {
      m2v_dropper_unpaired (d, frame, data);
      continue;
    }
    m2v_dropper_frame (d, frame, data, &decision);
    assert_safe (i, &decision, &settings, waiting);
    if (!targets)
      assert_exact (i, &decision, &settings, waiting);
    past[i].intact = decision.action == M2V_PASS;
    if (past[i].intact && frame->valid && frame->type == M2V_PICTURE_I)
      waiting = FALSE;
  }
  m2v_dropper_free (d);
  g_rand_free (rand);
}

GST_START_TEST (test_scales)
{
  for (guint seed = 0; seed < N_STREAMS; seed++)
    run_stream (seed, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_targets)
{
  for (guint seed = 0; seed < N_STREAMS; seed++)
    run_stream (seed, TRUE);
}

GST_END_TEST;

/* The scale that lasts has its pattern from the next I on, its leading B of an
 * open group apart. */
GST_START_TEST (test_pattern_from_next_intra)
{
  guint n_exact = 0;

  for (guint seed = 0; seed < N_STREAMS / 10; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    M2vDropper *d = m2v_dropper_new ();
    gboolean exact = FALSE;

    random_frames (rand, TRUE);
    for (guint i = 0; i < gops.n; i++) {
      M2vDropperSettings settings = { 4, -1, FALSE, FALSE };
      const M2vFrame *frame = &gops.frames[i];
      M2vDecision decision;

      if (i < 30)
        random_settings (rand, TRUE, &settings);
      else
        settings.scale = seed % 5;
      if (i <= 30)
        m2v_dropper_set (d, &settings);
      m2v_dropper_frame (d, frame, data, &decision);
      if (i > 30 && frame->type == M2V_PICTURE_I) {
        /* Its leading B. */
        while (i + 1 < gops.n && gops.frames[i + 1].type == M2V_PICTURE_B)
          m2v_dropper_frame (d, &gops.frames[++i], data, &decision);
        exact = TRUE;
        continue;
      }
      if (!exact)
        continue;
      n_exact++;
      if ((decision.action == M2V_PASS) != (decision.lowest_scale <= seed % 5))
        fail ("stream %u, frame %u", seed, i);
    }
    m2v_dropper_free (d);
    g_rand_free (rand);
  }
  fail_unless (n_exact > N_STREAMS);
}

GST_END_TEST;

static Suite *
references_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-references");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_scales);
  tcase_add_test (tc, test_targets);
  tcase_add_test (tc, test_pattern_from_next_intra);
  return s;
}

GST_CHECK_MAIN (references);
