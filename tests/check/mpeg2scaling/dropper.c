/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <mpeg2scaling/dropper.h>
#include "../scaling/gops.h"
#include <mpeg2/skipped.h>

static Gops gops;
static guint8 bytes[1 << 16];
static const guint8 *const data[2] = { bytes, bytes };

/* By type: the media-scaling paper's figure 2. */
static const GopsStyle paper_style = { 0, 0, {0, 11000, 8000, 2000} };

#define UNTOUCHED { -1, -1, FALSE, FALSE }
#define STOP { -1, 0, FALSE, FALSE }

/* What gops.h leaves out: enough for frames to be replaced. */
static void
complete_frame (M2vFrame * frame)
{
  frame->has_sequence = TRUE;
  frame->sequence.mpeg2 = TRUE;
  frame->sequence.width = 64;
  frame->sequence.height = 32;
  for (guint i = 0; i < frame->n_pictures; i++) {
    M2vPicture *picture = &frame->pictures[i];

    picture->mpeg2 = frame->valid;
    picture->header.temporal_reference = frame->temporal_reference;
    picture->coding.frame_pred_frame_dct = frame->n_pictures == 1;
    if (frame->valid) {
      picture->slices.offset = 100;
      picture->slices.size = picture->size - 120;
    }
  }
}

static void
code (const gchar * display, const GopsStyle * style)
{
  gops_code (&gops, display, style);
  for (guint i = 0; i < gops.n; i++)
    complete_frame (&gops.frames[i]);
}

/* Bytes; checks that the pieces are within the frame. */
static gsize
decision_size (const M2vDecision * decision, const M2vFrame * frame)
{
  gsize size = 0;

  if (decision->action == M2V_DROP) {
    fail_unless_equals_int (decision->n_pieces, 0);
    return 0;
  }
  fail_unless (decision->n_first <= decision->n_pieces);
  fail_unless (decision->n_first > 0);
  for (guint i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];

    fail_unless (piece->size > 0);
    fail_unless_equals_int (piece->picture, i >= decision->n_first);
    if (!piece->literal)
      fail_unless (piece->offset + piece->size <=
          frame->pictures[piece->picture].size);
    size += piece->size;
  }
  if (decision->action == M2V_PASS)
    fail_unless_equals_uint64 (size, frame->size);
  return size;
}

static void
set_scale (M2vDropper * d, gchar c, gboolean repeat)
{
  M2vDropperSettings untouched = UNTOUCHED, stop = STOP, *settings;
  M2vDropperSettings scale = { c - '0', -1, FALSE, FALSE };

  settings = c == 'u' ? &untouched : c == 's' ? &stop : &scale;
  settings->repeat_dropped = repeat;
  m2v_dropper_set (d, settings);
}

/* Streams in display order; settings and what becomes of the frames in coded
 * order: 0 to 4, u: untouched, s: stopped; the last one stays. '!': a
 * discontinuity. In the result '.': dropped. */
static const struct
{
  const gchar *what;
  const gchar *display;
  const gchar *settings;
  const gchar *discont;
  const gchar *result;
} rows[] = {
  {"scale 4", "IBBPBBPBBIBBP", "4", "", "IPBBPBBIBBPBB"},
  {"scale 3", "IBBPBBPBBIBBP", "3", "", "IP.BP.BI.BP.B"},
  {"scale 2", "IBBPBBPBBIBBP", "2", "", "IP..P..I..P.."},
  {"scale 1", "IBBPBBPBBIBBP", "1", "", "IP.....I..P.."},
  {"scale 0", "IBBPBBPBBIBBP", "0", "", "I......I....."},
  {"untouched", "IBBPBBPBBIBBP", "u", "", "IPBBPBBIBBPBB"},
  {"pairs of fields", "ibbpbbp", "3", "", "ip.bp.b"},
  {"a fall acts on the next frame", "IBBPBBPBBIBBP", "44420", "",
      "IPB....I....."},
  {"so does a rise", "IBBPBBPBBIBBP", "222224", "", "IP..PBBIBBPBB"},
  {"within a run", "IBBPBBPBBIBBP", "3334", "", "IP.BPBBIBBPBB"},
  {"P as soon as the P before passed", "IBBPBBPBBIBBP", "11112", "",
      "IP..P..I..P.."},
  {"no P where the P before was dropped", "IBBPBBPBBIBBP", "00002", "",
      "I......I..P.."},
  {"nothing without its references; leading B go with their predecessor",
      "IBBPBBPBBIBBP", "111114", "", "IP.....I..PBB"},
  {"untouched is not exempt", "IBBPBBPBBIBBP", "00000u", "",
      "I......I..PBB"},
  {"a closed group's leading B stay", "IBBPBBP|BBIBBP", "000004", "",
      "I......IBBPBB"},
  {"leading B of an open group after a discontinuity", "IBBPBBPBBIBBP", "4",
      "       !", "IPBBPBBI..PBB"},
  {"not of a closed group", "IBBPBBP|BBIBBP", "4", "       !",
      "IPBBPBBIBBPBB"},
  {"untouched, a discontinuity is none of our business", "IBBPBBPBBIBBP", "u",
      "  ! !  !", "IPBBPBBIBBPBB"},
  {"touched later, it counts", "IBBPBBPBBIBBP", "uuuu4", "  !",
      "IPBB...I..PBB"},
  {"a discontinuity within a group", "IBBPBBPBBIBBP", "4", "    !",
      "IPBB...I..PBB"},
  {"a first frame's discontinuity loses nothing", "BBIBBP", "4", "!",
      "IBBPBB"},
  {"after a stop an I comes first", "IBBPBBPBBIBBP", "44ss4", "",
      "IP.....I..PBB"},
  {"untouched too", "IBBPBBPBBIBBP", "uussu", "", "IP.....I..PBB"},
  {"a stop from the start", "IBBPBBPBBIBBP", "s4", "", ".......I..PBB"},
  {"the I of a stop's end", "IBBPBBPBBIBBP", "44sssss4", "",
      "IP.....I..PBB"},
  {"unreadable frames pass", "IXPXP", "0", "", "IX.X."},
  {"not when stopped, nor before the I after", "IXPXPIX", "44ss4", "",
      "IX...IX"},
  {"no I: anchors pass", "PBBPBBP", "0", "", "PP..P.."},
  {"no I: scale 3", "PBBPBBP", "3", "", "PP.BP.B"},
  {"a start within a group", "PBBPBBIBBP", "1", "", "PP..I..P.."},
  {"D refers to nothing", "DDDD", "0", "", "DDDD"},
  {"D ends a stop", "DDDD", "4s4", "", "D.DD"},
};

/* The action on each frame, as a letter. */
static void
run_row (guint n, gchar * out)
{
  const gchar *settings = rows[n].settings;
  M2vDropper *d = m2v_dropper_new ();
  M2vDecision decision;

  code (rows[n].display, &paper_style);
  for (guint i = 0; i < gops.n; i++) {
    M2vFrame *frame = &gops.frames[i];
    const gchar *letter = frame->n_pictures == 2 ? "xipb" : "XIPBD";

    if (i < strlen (rows[n].discont))
      frame->discont = rows[n].discont[i] == '!';
    if (i < strlen (settings))
      set_scale (d, settings[i], FALSE);
    m2v_dropper_frame (d, frame, data, &decision);
    decision_size (&decision, frame);
    out[i] = decision.action == M2V_PASS ? letter[frame->type] : '.';
  }
  out[gops.n] = 0;
  m2v_dropper_free (d);
}

GST_START_TEST (test_rows)
{
  gchar out[GOPS_MAX + 1];

  run_row (__i__, out);
  fail_unless (strcmp (out, rows[__i__].result) == 0, "%s: %s instead of %s",
      rows[__i__].what, out, rows[__i__].result);
}

GST_END_TEST;

/* Figure 2 of the media-scaling paper: the second that begins with an I has 4 I,
 * 6 P and 20 B; and the averages in the long run. */
GST_START_TEST (test_paper_rates)
{
  static const guint one_second[] = { 352, 544, 736, 896, 1056 };       /* kb/s */
  static const guint average[] = { 293, 507, 720, 880, 1040 };
  GString *display = g_string_new (NULL);

  for (guint i = 0; i < 101; i++)
    g_string_append (display, "IBBPBBPBB");
  g_string_append (display, "I");
  code (display->str, &paper_style);

  for (guint scale = 0; scale < SCALING_N_SCALES; scale++) {
    M2vDropper *d = m2v_dropper_new ();
    guint64 first_bits = 0, bits = 0;
    M2vDropperStats stats;
    M2vDecision decision;

    set_scale (d, '0' + scale, FALSE);
    for (guint i = 0; i < gops.n; i++) {
      gsize size;

      m2v_dropper_frame (d, &gops.frames[i], data, &decision);
      size = decision_size (&decision, &gops.frames[i]);
      if (gops.display[i] < 30)
        first_bits += 8 * size;
      if (gops.display[i] < 900)
        bits += 8 * size;
    }
    fail_unless_equals_uint64 (first_bits, one_second[scale] * 1000);
    fail_unless_equals_uint64 ((bits / 30 + 500) / 1000, average[scale]);
    fail_unless (ABS (m2v_dropper_rate (d, scale) - (gint64) (bits / 30)) <= 1);
    m2v_dropper_stats (d, &stats);
    fail_unless_equals_uint64 (stats.bytes_in, 39000 * 101 + 11000);
    fail_unless (stats.bytes_out * 8 >= bits);
    m2v_dropper_free (d);
  }
  g_string_free (display, TRUE);
}

GST_END_TEST;

/* Below scale 0: only whole I, as many as there is room for, evenly. */
GST_START_TEST (test_groups_dropped_evenly)
{
  static const gdouble shares[] = { 0.9, 0.5, 0.3333, 0.1, 0.02 };
  GString *display = g_string_new (NULL);

  for (guint i = 0; i < 400; i++)
    g_string_append (display, "IBBPBBPBB");
  g_string_append (display, "I");
  code (display->str, &paper_style);

  for (guint k = 0; k < G_N_ELEMENTS (shares); k++) {
    M2vDropperSettings settings = { -1, shares[k] * 293333, FALSE, FALSE };
    M2vDropper *d = m2v_dropper_new ();
    guint since = 0, passed = 0, groups = 0;

    m2v_dropper_set (d, &settings);
    for (guint i = 0; i < gops.n; i++) {
      M2vDecision decision;

      m2v_dropper_frame (d, &gops.frames[i], data, &decision);
      if (groups > 10)
        fail_unless_equals_int (decision.scale, -1);
      if (groups > 10 && decision.action == M2V_PASS)
        fail_unless (gops.frames[i].type == M2V_PICTURE_I);
      if (gops.frames[i].type != M2V_PICTURE_I)
        continue;
      groups++;
      since++;
      /* The first groups teach the rate. */
      if (decision.action == M2V_PASS) {
        if (groups > 100)
          fail_unless (since == floor (1 / shares[k]) ||
              since == ceil (1 / shares[k]), "%u groups", since);
        passed++;
        since = 0;
      }
    }
    fail_unless (fabs (passed - 401 * shares[k]) <= 3, "%g: %u of 401",
        shares[k], passed);
    m2v_dropper_free (d);
  }
  g_string_free (display, TRUE);
}

GST_END_TEST;

/* A request brings the next group, once; the share stays. */
GST_START_TEST (test_key_wanted)
{
  const M2vDropperSettings settings = { -1, 293333 / 5, FALSE, FALSE };
  M2vDropper *d = m2v_dropper_new ();
  GString *display = g_string_new (NULL);
  guint since = 0, passed = 0, groups = 0, asked = 0;

  for (guint i = 0; i < 100; i++)
    g_string_append (display, "IBBPBBPBB");
  code (display->str, &paper_style);
  m2v_dropper_set (d, &settings);
  for (guint i = 0; i < gops.n; i++) {
    M2vDecision decision;
    gboolean now = FALSE;

    if (gops.frames[i].type == M2V_PICTURE_I && groups++ > 50 && since == 2) {
      now = asked++ == 0;
      if (now)
        m2v_dropper_want_key (d);
    }
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    if (gops.frames[i].type != M2V_PICTURE_I)
      continue;
    fail_unless (!now || decision.action == M2V_PASS);
    since = decision.action == M2V_PASS ? 1 : since + 1;
    passed += decision.action == M2V_PASS;
  }
  fail_unless (asked > 0);
  fail_unless (abs ((gint) passed - 20) <= 2, "%u of 100", passed);
  m2v_dropper_free (d);
  g_string_free (display, TRUE);
}

GST_END_TEST;

/* The first group passes, at the start and after a stop: there is a picture;
 * but not where one has just passed at a higher scale. */
GST_START_TEST (test_first_group)
{
  M2vDropperSettings low = { -1, 150000, FALSE, FALSE };
  M2vDropper *d = m2v_dropper_new ();
  M2vDecision decision;

  code ("I|IBBPBBPBBIBBPBBPBBIBBPBBPBBIBBPBBPBBIBBPBBPBBI", &paper_style);
  for (guint round = 0; round < 2; round++) {
    m2v_dropper_set (d, &low);
    m2v_dropper_frame (d, &gops.frames[0], data, &decision);
    fail_unless_equals_int (decision.scale, -1);
    fail_unless_equals_int (decision.action, M2V_PASS);
    m2v_dropper_frame (d, &gops.frames[1], data, &decision);
    fail_unless_equals_int (decision.action, M2V_DROP);
    set_scale (d, 's', FALSE);
  }

  /* What was saved up before a higher scale does not count either. */
  m2v_dropper_reset (d, FALSE);
  code ("IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII", &paper_style);
  for (guint i = 0; i < gops.n; i++) {
    low.target = 2640000 * 0.51;
    if (i < 30 || i == 33)
      set_scale (d, '4', FALSE);
    else
      m2v_dropper_set (d, &low);
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    fail_unless_equals_int (decision.action, i < 30 || i % 2 == 1 ? M2V_PASS
        : M2V_DROP);
  }

  low.target = 150000;
  code ("I|IBBPBBPBBIBBPBBPBBIBBPBBPBBIBBPBBPBBIBBPBBPBBI", &paper_style);
  m2v_dropper_reset (d, FALSE);
  set_scale (d, '4', FALSE);
  for (guint i = 0; i < gops.n; i++) {
    if (i == 15)
      m2v_dropper_set (d, &low);
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    if (i >= 15)
      fail_unless_equals_int (decision.scale, -1);
    if (gops.frames[i].type == M2V_PICTURE_I && i < 20)
      fail_unless_equals_int (decision.action, i < 15 ? M2V_PASS : M2V_DROP);
  }
  m2v_dropper_free (d);
}

GST_END_TEST;

/* A target that changes every few seconds: what each group emits fits, but for
 * the one that the change falls into. */
GST_START_TEST (test_target)
{
  static const gint targets[] = { 1100, 600, 950, 300, 780, 2000, 500 };
  GString *display = g_string_new (NULL);
  M2vDropper *d = m2v_dropper_new ();
  guint64 group_bytes = 0, total = 0;
  gint64 target = -1;
  guint changed = 0;

  for (guint i = 0; i < 7 * 20; i++)
    g_string_append (display, "IBBPBBPBB");
  g_string_append (display, "I");
  code (display->str, &paper_style);
  for (guint i = 0; i < gops.n; i++) {
    guint group = (i + 2) / 9;
    M2vDropperSettings settings = { -1, 0, FALSE, FALSE };
    M2vDecision decision;

    /* In the middle of a group. */
    if (i % (9 * 20) == 4) {
      settings.target = target = targets[MIN (group / 20, 6)] * 1000;
      m2v_dropper_set (d, &settings);
      changed = group;
    }
    if (gops.frames[i].type == M2V_PICTURE_I && i > 0) {
      if (group - 1 > changed)
        fail_unless (group_bytes * 8 <= target * 0.3001,
            "group %u: %" G_GUINT64_FORMAT " bytes", group, group_bytes);
      group_bytes = 0;
    }
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    group_bytes += decision_size (&decision, &gops.frames[i]);
    total += decision_size (&decision, &gops.frames[i]);
  }
  /* Scales 4, 1, 3, 0, 2, 4, 0 but for the holds. */
  fail_unless (total * 8 > 0.9 * 6 * 1000 * (1040 + 507 + 880 + 293 + 720 +
          1040 + 293), "%" G_GUINT64_FORMAT " bytes", total);
  m2v_dropper_free (d);
  g_string_free (display, TRUE);
}

GST_END_TEST;

/* After a stop, a stream without I comes back when every macroblock was intra
 * coded since the start; one with an I only with an I. */
GST_START_TEST (test_stop_without_intra)
{
  M2vDropper *d = m2v_dropper_new ();
  GString *display = g_string_new (__i__ ? "I" : "P");
  M2vDecision decision;

  for (guint i = 1; i < 200; i++)
    g_string_append (display, i == 150 ? "X" : "P");
  code (display->str, &paper_style);
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < gops.n; i++) {
      set_scale (d, i == 50 || i == 180 ? 's' : '4', FALSE);
      m2v_dropper_frame (d, &gops.frames[i], data, &decision);
      fail_unless_equals_int (decision.action, i >= 50 && (i < 131 || i == 180
              || __i__) ? M2V_DROP : M2V_PASS);
    }
    m2v_dropper_reset (d, FALSE);
  }
  m2v_dropper_free (d);
  g_string_free (display, TRUE);
}

GST_END_TEST;

static void
assert_stats (M2vDropper * d, guint frames)
{
  M2vDropperStats s;
  guint64 in = 0;

  m2v_dropper_stats (d, &s);
  for (guint i = 0; i < G_N_ELEMENTS (s.frames); i++)
    in += s.frames[i];
  fail_unless_equals_uint64 (in, frames);
  fail_unless_equals_uint64 (in, s.passed + s.replaced + s.dropped_policy
      + s.dropped_reference + s.dropped_unpaired + s.dropped_group);
}

/* A field without its second is dropped, with what refers to it. */
GST_START_TEST (test_unpaired)
{
  M2vDropper *d = m2v_dropper_new ();
  M2vDropperStats stats;
  M2vDecision decision;

  code ("ibbpbbpbbibbp", &paper_style);
  for (guint i = 0; i < gops.n; i++) {
    if (i == 4) {
      gops.frames[i].n_pictures = 1;
      gops.frames[i].size = gops.frames[i].pictures[0].size;
      m2v_dropper_unpaired (d, &gops.frames[i], data);
      continue;
    }
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    fail_unless_equals_int (decision.action,
        (i > 4 && i < 7) || i == 8 || i == 9 ? M2V_DROP : M2V_PASS);
  }
  m2v_dropper_stats (d, &stats);
  fail_unless_equals_uint64 (stats.frames[M2V_PICTURE_I], 2);
  fail_unless_equals_uint64 (stats.frames[M2V_PICTURE_P], 3);
  fail_unless_equals_uint64 (stats.frames[M2V_PICTURE_B], 8);
  fail_unless_equals_uint64 (stats.dropped_unpaired, 1);
  fail_unless_equals_uint64 (stats.dropped_reference, 4);
  fail_unless_equals_uint64 (stats.bytes_in, 2 * 11000 + 20000 + 8 * 2000);
  fail_unless_equals_uint64 (stats.bytes_out, 2 * 11000 + 16000 + 4 * 2000);
  assert_stats (d, gops.n);
  m2v_dropper_free (d);
}

GST_END_TEST;

/* Where nothing is to be dropped it passes, and so does what refers to it. */
GST_START_TEST (test_unpaired_untouched)
{
  M2vDropper *d = m2v_dropper_new ();
  M2vDropperStats stats;
  M2vDecision decision;

  code ("ibbpbbpbbibbp", &paper_style);
  for (guint i = 0; i < gops.n; i++) {
    if (i == 4) {
      gops.frames[i].n_pictures = 1;
      gops.frames[i].size = gops.frames[i].pictures[0].size;
      fail_unless (m2v_dropper_pass_unpaired (d, &gops.frames[i], data,
              &decision));
      fail_unless_equals_int (decision.n_pieces, 1);
      fail_unless_equals_uint64 (decision.pieces[0].size, gops.frames[i].size);
    } else {
      m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    }
    fail_unless_equals_int (decision.action, M2V_PASS);
  }
  m2v_dropper_stats (d, &stats);
  fail_unless_equals_uint64 (stats.passed, gops.n);
  fail_unless_equals_uint64 (stats.bytes_out, stats.bytes_in);
  assert_stats (d, gops.n);
  set_scale (d, '4', FALSE);
  fail_if (m2v_dropper_pass_unpaired (d, &gops.frames[4], data, &decision));
  m2v_dropper_free (d);
}

GST_END_TEST;

/* What never passes does not count for the rates. */
GST_START_TEST (test_unpaired_rate)
{
  M2vDropper *d = m2v_dropper_new ();
  M2vDecision decision;

  code ("IBBPBBPBBIBBPBBPBBIBBPBBPBBIBBPBBPBBIBBPBBPBBIBBPBBPBBI",
      &paper_style);
  for (guint i = 0; i < gops.n; i++) {
    if (gops.frames[i].type == M2V_PICTURE_P)
      m2v_dropper_unpaired (d, &gops.frames[i], data);
    else
      m2v_dropper_frame (d, &gops.frames[i], data, &decision);
  }
  fail_unless (ABS (m2v_dropper_rate (d, 4) - 8 * 23000 * 10 / 3) <= 1);
  m2v_dropper_free (d);
}

GST_END_TEST;

/* The rates are of what is emitted, repetitions too. */
GST_START_TEST (test_repeated_rate)
{
  M2vDropper *d = m2v_dropper_new ();
  GString *display = g_string_new (NULL);
  M2vDropperStats stats;
  M2vDecision decision;
  gdouble rate;

  for (guint i = 0; i < 40; i++)
    g_string_append (display, "IBBPBBPBB");
  code (display->str, &paper_style);
  set_scale (d, '0', TRUE);
  for (guint i = 0; i < gops.n; i++) {
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    decision_size (&decision, &gops.frames[i]);
    fail_unless_equals_int (decision.action,
        gops.frames[i].type == M2V_PICTURE_I ? M2V_PASS : M2V_REPLACE);
  }
  m2v_dropper_stats (d, &stats);
  rate = stats.bytes_out * 8.0 * 30 / gops.n;
  fail_unless (rate > 1.05 * 293333);
  fail_unless (fabs (m2v_dropper_rate (d, 0) - rate) < 0.01 * rate);
  m2v_dropper_free (d);
  g_string_free (display, TRUE);
}

GST_END_TEST;

/* What a decoder has nothing to repeat for is dropped after all. */
GST_START_TEST (test_nothing_to_repeat)
{
  M2vDropper *d = m2v_dropper_new ();
  M2vDecision decision;

  code ("PBBIBBP", &paper_style);
  set_scale (d, '4', TRUE);
  for (guint i = 0; i < gops.n; i++) {
    /* A flush after the P. */
    if (i == 1) {
      m2v_dropper_reset (d, FALSE);
      m2v_dropper_reset (d, TRUE);
      set_scale (d, '0', TRUE);
    }
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    /* P I B B P B B */
    fail_unless_equals_int (decision.action, i < 2 ? M2V_PASS : M2V_REPLACE);
  }

  /* No I since a flush: not even a P, nor a B. */
  m2v_dropper_reset (d, TRUE);
  m2v_dropper_frame (d, &gops.frames[4], data, &decision);
  fail_unless_equals_int (decision.action, M2V_DROP);
  m2v_dropper_frame (d, &gops.frames[5], data, &decision);
  fail_unless_equals_int (decision.action, M2V_DROP);
  m2v_dropper_free (d);
}

GST_END_TEST;

/* The leading B of a closed group, and of the first one, repeat the I after
 * them, other B the picture before. */
GST_START_TEST (test_repeated_direction)
{
  M2vDropper *d = m2v_dropper_new ();
  M2vDecision decision;
  guint n_backward = 0;

  code ("BBIBBP|BBIBBPBBIBBP", &paper_style);
  set_scale (d, '2', TRUE);
  for (guint i = 0; i < gops.n; i++) {
    const M2vFrame *frame = &gops.frames[i];
    gboolean backward = gops.display[i] < 2 || gops.display[i] == 6
        || gops.display[i] == 7;
    const M2vPiece *piece = NULL;
    guint8 slices[1000];
    gsize size;

    m2v_dropper_frame (d, frame, data, &decision);
    if (frame->type != M2V_PICTURE_B)
      continue;
    fail_unless_equals_int (decision.action, M2V_REPLACE);
    size = m2v_write_skipped_slices (slices, sizeof slices, &frame->sequence,
        &frame->pictures[0], backward);
    for (guint k = 0; k < decision.n_pieces; k++)
      if (decision.pieces[k].literal)
        piece = &decision.pieces[k];
    fail_unless (piece && piece->size == size);
    fail_unless (memcmp (piece->literal, slices, size) == 0);
    n_backward += backward;
  }
  fail_unless_equals_int (n_backward, 4);
  m2v_dropper_free (d);
}

GST_END_TEST;

/* Slices astray go with the frame before them, and nothing goes when
 * stopped. */
GST_START_TEST (test_spans)
{
  M2vDropper *d = m2v_dropper_new ();
  M2vPicture stray = { 0, }, end = { 0, };
  M2vDropperStats stats;
  M2vDecision decision;
  M2vPiece piece;

  stray.kind = M2V_SPAN_STRAY;
  stray.size = 7;
  end.kind = M2V_SPAN_SEQUENCE_END;
  end.size = 4;
  end.sequence_end.size = 4;
  code ("IBBPBBPBBI", &paper_style);
  set_scale (d, '3', FALSE);
  fail_unless (m2v_dropper_span (d, &stray, bytes));
  for (guint i = 0; i < gops.n; i++) {
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    fail_unless_equals_int (m2v_dropper_span (d, &stray, bytes),
        decision.action == M2V_PASS);
  }
  m2v_dropper_stats (d, &stats);
  fail_unless_equals_uint64 (stats.bytes_in - stats.bytes_out, 3 * 2007);

  set_scale (d, 's', FALSE);
  fail_if (m2v_dropper_span (d, &stray, bytes));
  fail_if (m2v_dropper_span (d, &end, bytes));
  fail_unless_equals_int (m2v_dropper_finish (d, &piece), 0);
  m2v_dropper_free (d);
}

GST_END_TEST;

/* The end of a sequence whose last frame is dropped comes at the end. */
GST_START_TEST (test_finish)
{
  for (guint stopped = 0; stopped < 2; stopped++) {
    M2vDropper *d = m2v_dropper_new ();
    M2vDropperStats stats;
    M2vDecision decision;
    M2vPiece piece;

    code ("IBBP", &paper_style);
    gops.frames[3].pictures[0].sequence_end.offset = 1996;
    gops.frames[3].pictures[0].sequence_end.size = 4;
    set_scale (d, '0', FALSE);
    for (guint i = 0; i < gops.n; i++)
      m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    if (stopped)
      set_scale (d, 's', FALSE);
    fail_unless_equals_int (m2v_dropper_finish (d, &piece), !stopped);
    m2v_dropper_stats (d, &stats);
    fail_unless_equals_uint64 (stats.bytes_out, stopped ? 11000 : 11004);
    if (!stopped)
      fail_unless_equals_uint64 (piece.size, 4);
    m2v_dropper_free (d);
  }
}

GST_END_TEST;

/* Start and flush. */
GST_START_TEST (test_reset)
{
  M2vDropper *d = m2v_dropper_new ();
  M2vDecision decision;

  code ("IBBPBBP", &paper_style);
  set_scale (d, '4', FALSE);
  m2v_dropper_frame (d, &gops.frames[0], data, &decision);
  m2v_dropper_reset (d, TRUE);
  m2v_dropper_frame (d, &gops.frames[1], data, &decision);
  fail_unless_equals_int (decision.action, M2V_DROP);
  fail_unless_equals_int (decision.lowest_scale, 1);

  m2v_dropper_reset (d, FALSE);
  m2v_dropper_frame (d, &gops.frames[1], data, &decision);
  fail_unless_equals_int (decision.action, M2V_PASS);

  set_scale (d, 's', FALSE);
  m2v_dropper_reset (d, FALSE);
  set_scale (d, 'u', FALSE);
  m2v_dropper_frame (d, &gops.frames[1], data, &decision);
  fail_unless_equals_int (decision.action, M2V_DROP);
  m2v_dropper_frame (d, &gops.frames[0], data, &decision);
  fail_unless_equals_int (decision.action, M2V_PASS);
  m2v_dropper_free (d);
}

GST_END_TEST;

/* What a fixed scale or none did since does not hold back a target. */
static const struct
{
  gint64 target;
  gboolean costed;
  gdouble passed;               /* of all bytes */
} cost_rows[] = {
  {610000, TRUE, 1}, {610000, FALSE, .5}, {450000, TRUE, .75},
};

/* Frames that come to half behind us: a target of half the rate passes all, and
 * what it leaves between two scales is filled by what they come to. Counts are of
 * what passes here. */
GST_START_TEST (test_cost)
{
  M2vDropperSettings settings = { -1, cost_rows[__i__].target, FALSE, TRUE };
  M2vDropper *d = m2v_dropper_new ();
  M2vDropperStats stats;
  M2vDecision decision;
  ScalingCost cost = { 0, };
  gdouble passed;

  m2v_dropper_set (d, &settings);
  for (guint n = 0; n < 40; n++) {
    code ("IBBPBBP", &paper_style);
    for (guint i = 0; i < gops.n; i++) {
      const M2vFrame *frame = &gops.frames[i];

      cost.floor = frame->size / 2;
      m2v_dropper_set_cost (d, cost_rows[__i__].costed ? &cost : NULL);
      m2v_dropper_frame (d, frame, data, &decision);
      cost.credit += (gdouble) frame->duration / GST_SECOND;
      if (decision.action == M2V_PASS)
        cost.credit -= 8. * cost.floor / settings.target;
    }
  }
  m2v_dropper_stats (d, &stats);
  passed = (gdouble) stats.bytes_out / stats.bytes_in;
  fail_unless (ABS (passed - cost_rows[__i__].passed) < .05, "%g", passed);
  fail_unless_equals_int (stats.filled > 0, cost_rows[__i__].passed < 1);

  /* costs are no more */
  m2v_dropper_set_cost (d, NULL);
  m2v_dropper_frame (d, &gops.frames[0], data, &decision);
  fail_unless_equals_int (decision.scale, 0);
  m2v_dropper_free (d);
}

GST_END_TEST;

GST_START_TEST (test_scale_then_target)
{
  M2vDropperSettings low = { -1, 400000, FALSE, FALSE };
  M2vDropperSettings high = { -1, 9000000, FALSE, FALSE };
  M2vDropper *d = m2v_dropper_new ();
  M2vDecision decision;

  code ("IBBPBBPBBIBBPBBPBBIBBPBBPBBI", &paper_style);
  for (guint i = 0; i < gops.n; i++) {
    if (i == 12)
      m2v_dropper_set (d, &low);
    else if (i == 14)
      set_scale (d, __i__ ? 'u' : '3', FALSE);
    else if (i == 16)
      m2v_dropper_set (d, &high);
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    fail_unless_equals_int (decision.scale,
        i < 12 ? 4 : i < 14 ? 0 : i < 16 && !__i__ ? 3 : 4);
  }
  m2v_dropper_free (d);
}

GST_END_TEST;

static Suite *
dropper_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-dropper");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_paper_rates);
  tcase_add_test (tc, test_groups_dropped_evenly);
  tcase_add_test (tc, test_key_wanted);
  tcase_add_test (tc, test_first_group);
  tcase_add_test (tc, test_target);
  tcase_add_loop_test (tc, test_stop_without_intra, 0, 2);
  tcase_add_test (tc, test_unpaired);
  tcase_add_test (tc, test_unpaired_untouched);
  tcase_add_test (tc, test_unpaired_rate);
  tcase_add_test (tc, test_repeated_rate);
  tcase_add_test (tc, test_nothing_to_repeat);
  tcase_add_test (tc, test_repeated_direction);
  tcase_add_test (tc, test_spans);
  tcase_add_test (tc, test_finish);
  tcase_add_test (tc, test_reset);
  tcase_add_loop_test (tc, test_cost, 0, G_N_ELEMENTS (cost_rows));
  tcase_add_loop_test (tc, test_scale_then_target, 0, 2);
  return s;
}

GST_CHECK_MAIN (dropper);
