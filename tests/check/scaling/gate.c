/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <scaling/gate.h>

/* Pictures in coded order: K key, R reference, d disposable; `!` stops, `<`
 * is a flush, `?` a request for a key picture. What passes is `y`. */
static const struct
{
  const gchar *pictures;
  gint scale;
  gdouble share;
  gboolean seen_key;
  const gchar *passes;
} rows[] = {
  {"KRdKRd", 0, 1, TRUE, "yyyyyy"},
  {"Rd!RdKRd", 0, 1, TRUE, "yynnyyy"},
  {"KR!<RdKR", 0, 1, TRUE, "yynnyy"},
  /* of groups the first passes, then a share */
  {"KRKRKRKRKR", -1, .5, TRUE, "yynnyynnyy"},
  {"KRKRKRKRKR", -1, .25, TRUE, "yynnnnnnyy"},
  {"KRKRKR", -1, 0, TRUE, "yynnnn"},
  {"KRKRKR", -1, 1, TRUE, "yyyyyy"},
  {"KRKR<KRKR", -1, 0, TRUE, "yynnyynn"},
  {"KRKR!KRKR", -1, 0, TRUE, "yynnyynn"},
  /* a request brings the next group, which is paid back; no second is lent */
  {"KKK?KKKKKKK", -1, .25, TRUE, "ynnynnnnyn"},
  {"K?K?K?K?K?K?K?K", -1, .25, TRUE, "yynnnynn"},
  {"KKK?RRKRKR", -1, .25, TRUE, "ynnnnyynn"},
  /* above, it has nothing to bring, and does not wait for later */
  {"K?KR", 0, 1, TRUE, "yyy"},
  /* not against a share of none, nor over a flush */
  {"KR?KRKR", -1, 0, TRUE, "yynnnn"},
  {"KR?!<KRKR", -1, .25, TRUE, "yyyynn"},
};

static void
make_picture (ScalingPicture * picture, gchar kind)
{
  memset (picture, 0, sizeof *picture);
  picture->readable = true;
  picture->key = kind == 'K';
  picture->reference = kind != 'd';
}

static gboolean
passes (ScalingGate * g, gchar kind, gint scale, gdouble share,
    gboolean seen_key)
{
  ScalingPicture picture;

  make_picture (&picture, kind);
  scaling_gate_count (g, &picture);
  return scaling_gate_passes (g, &picture, scale, share, seen_key);
}

GST_START_TEST (test_groups)
{
  ScalingGate g = { 0 };
  GString *got = g_string_new (NULL);

  scaling_gate_reset (&g, false);
  for (const gchar * p = rows[__i__].pictures; *p; p++) {
    if (*p == '!')
      scaling_gate_stop (&g);
    else if (*p == '<')
      scaling_gate_reset (&g, true);
    else if (*p == '?')
      scaling_gate_want_key (&g);
    else
      g_string_append_c (got, passes (&g, *p, rows[__i__].scale,
              rows[__i__].share, rows[__i__].seen_key) ? 'y' : 'n');
  }
  fail_unless_equals_string (got->str, rows[__i__].passes);
  g_string_free (got, TRUE);
}

GST_END_TEST;

/* Of many groups the share passes, in even steps. */
GST_START_TEST (test_share)
{
  const gdouble share = (__i__ + .5) / 10;
  ScalingGate g = { 0 };
  guint n = 0;

  scaling_gate_reset (&g, false);
  for (guint i = 1; i <= 1000; i++) {
    n += passes (&g, 'K', -1, share, TRUE);
    fail_unless (ABS (n - (1 + (i - 1) * share)) <= 1, "%u of %u", n, i);
  }
}

GST_END_TEST;

/* A stream that has shown no key picture goes on with a reference once as many
 * have come as mend each macroblock (13818-2 clause 7.6: 132), and they count
 * over a flush, not over another stream's beginning. */
GST_START_TEST (test_no_key)
{
  const guint forced_updating = 132;
  ScalingGate g = { 0 };

  scaling_gate_reset (&g, false);
  scaling_gate_stop (&g);
  for (guint i = 1; i < forced_updating; i++) {
    fail_if (passes (&g, 'R', 4, 1, FALSE));
    fail_if (passes (&g, 'd', 4, 1, FALSE));
  }
  fail_if (passes (&g, 'R', 4, 1, TRUE));
  fail_unless (passes (&g, 'R', 4, 1, FALSE));
  fail_unless (passes (&g, 'd', 4, 1, FALSE));

  scaling_gate_stop (&g);
  scaling_gate_reset (&g, true);
  fail_if (passes (&g, 'd', 4, 1, FALSE));
  fail_unless (passes (&g, 'R', 4, 1, FALSE));
  scaling_gate_stop (&g);
  scaling_gate_reset (&g, false);
  fail_if (passes (&g, 'R', 4, 1, FALSE));
}

GST_END_TEST;

static Suite *
gate_suite (void)
{
  Suite *s = suite_create ("gate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_groups, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_share, 0, 10);
  tcase_add_test (tc, test_no_key);
  return s;
}

GST_CHECK_MAIN (gate);
