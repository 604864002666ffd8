/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "gops.h"

static Gops gops;

/* What a scale passes of a stream, in display order; the rest is '.'. */
static void
scaled (const gchar * display, const GopsStyle * style, unsigned scale,
    gchar * out)
{
  GopsPolicy policy;
  guint length = 0;

  gops_code (&gops, display, style);
  memset (out, '.', gops.n);
  out[gops.n] = 0;
  gops_policy_init (&policy);
  for (guint i = 0; i < gops.n; i++) {
    unsigned lowest = gops_policy_next (&policy, &gops.frames[i]);

    fail_unless (lowest <= SCALING_MAX_SCALE);
    if (lowest <= scale)
      out[gops.display[i]] = 'x';
  }
  for (const gchar * c = display; *c; c++) {
    if (*c == ' ' || *c == '|' || length == gops.n)
      continue;
    if (out[length] == 'x')
      out[length] = *c;
    length++;
  }
}

static void
assert_scale (const gchar * what, const gchar * display,
    const GopsStyle * style, unsigned scale, const gchar * expected)
{
  gchar out[GOPS_MAX + 1], packed[GOPS_MAX + 1], *end = packed;

  scaled (display, style, scale, out);
  for (const gchar * c = expected; *c; c++)
    if (*c != ' ' && *c != '|')
      *end++ = *c;
  *end = 0;
  fail_unless (strcmp (out, packed) == 0, "%s, scale %u: %s instead of %s",
      what, scale, out, packed);
}

/* Each scale's frames, 4 first: table 2 of the media-scaling paper as it is
 * printed, and the special rules. NULL: as the scale above. */
static const struct
{
  const gchar *what;
  const gchar *scales[SCALING_N_SCALES];
} rows[] = {
  {"pattern 1", {"IBBPBBPBBI", "I.BP.BP.BI", "I..P..P..I", "I..P.....I",
          "I........I"}},
  {"pattern 2", {"IBBPBBPBBPBBI", "I.BP.BP.BP.BI", "I..P..P..P..I",
          "I..P........I", "I...........I"}},
  {"pattern 1 twice", {"IBBPBBPBBIBBPBBPBBI", "I.BP.BP.BI.BP.BP.BI",
              "I..P..P..I..P..P..I", "I..P.....I..P.....I",
          "I........I........I"}},
  {"an open group at the start", {"BBIBBPBBP", ".BI.BP.BP", "..I..P..P",
          "..I..P...", "..I......"}},
  {"closed groups", {"IBBPBBP|IBBPBBP", "I.BP.BP|I.BP.BP",
          "I..P..P|I..P..P", "I..P...|I..P...", "I......|I......"}},
  {"leading B of a closed group", {"IBBP|BBIBBP", "I.BP|.BI.BP",
          "I..P|..I..P", NULL, "I...|..I..."}},
  {"IPPP", {"IPPPIPPP", NULL, NULL, "IP..IP..", "I...I..."}},
  {"IPB: every other of single B", {"IBPBPBPBPBIBP", "I.PBP.PBP.IBP",
          "I.P.P.P.P.I.P", "I.P.......I.P", "I.........I.."}},
  {"single B in groups of one run", {"IBIBIBIBI", "I.IBI.IBI", "I.I.I.I.I",
          NULL, NULL}},
  {"runs of three lose two", {"IBBBPBBBPBBBI", "I..BP..BP..BI",
          "I...P...P...I", "I...P.......I", "I...........I"}},
  {"runs of four lose two", {"IBBBBPBBBBI", "I..BBP..BBI", "I....P....I",
          NULL, "I.........I"}},
  {"a run of nine", {"IBBBBBBBBBP", "I.....BBBBP", "I.........P", NULL,
          "I.........."}},
  {"irregular", {"IBPBBPPBBBPBIBBBBP", "I.P.BPP..BPBI..BBP",
              "I.P..PP...P.I....P", "I.P.........I....P",
          "I...........I....."}},
  {"groups that change", {"IBBPBBPBBIPPIBPBPBBI", "I.BP.BP.BIPPI.PBP.BI",
              "I..P..P..IPPI.P.P..I", "I..P.....IP.I.P....I",
          "I........I..I......I"}},
  {"only I", {"IIIIII", NULL, NULL, NULL, NULL}},
  {"no I", {"PBBPBBPPP", "P.BP.BPPP", "P..P..PPP", NULL, NULL}},
  {"a start within a group", {"PBBPBBIBBPBBP", "P.BP.BI.BP.BP",
          "P..P..I..P..P", "P..P..I..P...", "P..P..I......"}},
  {"pairs of fields", {"ibbpbbpbbi", "i.bp.bp.bi", "i..p..p..i",
          "i..p.....i", "i........i"}},
  {"unreadable ones always pass", {"IBBPXXBBPX", "I.BPXX.BPX",
          "I..PXX..PX", "I..PXX...X", "I...XX...X"}},
};

static void
assert_rows (const GopsStyle * style)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const gchar *expected = rows[i].scales[0];

    for (guint k = 0; k < SCALING_N_SCALES; k++) {
      if (rows[i].scales[k])
        expected = rows[i].scales[k];
      assert_scale (rows[i].what, rows[i].scales[0], style,
          SCALING_MAX_SCALE - k, expected);
    }
  }
}

GST_START_TEST (test_patterns)
{
  assert_rows (NULL);
}

GST_END_TEST;

/* Without group headers, and where temporal_reference wraps in the stream. */
GST_START_TEST (test_no_group_headers)
{
  for (guint first = 1000; first < 1030; first++) {
    GopsStyle style = { TRUE, first & 1023, {0,}
    };

    assert_rows (&style);
  }
}

GST_END_TEST;

/* Where temporal references are of no use the last run's length counts, and
 * the order of the frames. */
static guint
useless_reference (guint kind, guint coded)
{
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return 1023;
    case 2:
      return coded;             /* as if in display order */
    default:
      /* All B are their run's first. */
      return gops.frames[coded].type == M2V_PICTURE_B
          ? gops.frames[coded].temporal_reference / 4 * 4 + 1
          : gops.frames[coded].temporal_reference;
  }
}

GST_START_TEST (test_useless_references)
{
  GopsPolicy policy;

  for (guint kind = 0; kind < 4; kind++) {
    gops_code (&gops, "IBBBPBBBPBBBPBBBP", NULL);
    gops_policy_init (&policy);
    for (guint i = 0; i < gops.n; i++) {
      M2vFrame *frame = &gops.frames[i];
      guint place = gops.display[i] % 4, lowest;
      /* The first run teaches the length; until then it is taken for two. */
      guint n_dropped = kind < 3 && gops.display[i] < 4 ? 1 : 2;

      frame->temporal_reference = useless_reference (kind, i);
      lowest = gops_policy_next (&policy, frame);
      if (frame->type == M2V_PICTURE_B)
        fail_unless (lowest == (place <= n_dropped ? 4 : 3),
            "kind %u: %u at %u", kind, lowest, gops.display[i]);
    }
  }
}

GST_END_TEST;

/* A stream that has been scaled before: the same scale takes nothing more. */
GST_START_TEST (test_twice)
{
  static const gchar *const streams[] = {
    "IBBPBBPBBIBBPBBPBBI", "IBPBPBPBPBIBPBP", "IBBBPBBBPBBBI", "IPPPIPPP",
    "BBIBBBBPBPBBP"
  };

  for (guint k = 0; k < G_N_ELEMENTS (streams); k++) {
    for (guint scale = 0; scale < SCALING_N_SCALES; scale++) {
      GopsPolicy first, second;

      gops_code (&gops, streams[k], NULL);
      gops_policy_init (&first);
      gops_policy_init (&second);
      for (guint i = 0; i < gops.n; i++) {
        if (gops_policy_next (&first, &gops.frames[i]) > scale)
          continue;
        fail_unless (gops_policy_next (&second, &gops.frames[i]) <= scale,
            "%s at scale %u: frame %u", streams[k], scale, i);
      }
    }
  }
}

GST_END_TEST;

/* A B keeps its place in the run where another was lost; after a discontinuity
 * the last run's length counts. */
GST_START_TEST (test_losses)
{
  GopsPolicy policy;

  gops_code (&gops, "IBBBPBBBPBBBPBBBP", NULL);
  gops_policy_init (&policy);
  for (guint i = 0; i < gops.n; i++) {
    guint place = gops.display[i], lowest;

    if (place == 6 || place == 12)
      continue;
    gops.frames[i].discont = place == 7 || place == 9 || place == 16;
    lowest = gops_policy_next (&policy, &gops.frames[i]);
    if (gops.frames[i].type == M2V_PICTURE_B && (place < 9 || place > 12))
      fail_unless (lowest == (place % 4 == 3 ? 3 : 4), "B at %u: %u", place,
          lowest);
  }
}

GST_END_TEST;

static Suite *
policy_suite (void)
{
  Suite *s = suite_create ("scaling-policy");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_patterns);
  tcase_add_test (tc, test_no_group_headers);
  tcase_add_test (tc, test_useless_references);
  tcase_add_test (tc, test_twice);
  tcase_add_test (tc, test_losses);
  return s;
}

GST_CHECK_MAIN (policy);
