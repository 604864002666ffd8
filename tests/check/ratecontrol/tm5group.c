/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What is known of groups, from made ones.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <ratecontrol/tm5group.h>

#define PERIOD (RATECONTROL_SECOND / 25)

static void
fail_unless_near (double a, double b)
{
  fail_unless (fabs (a - b) <= 1e-9 * fmax (fabs (b), 1), "%f is not %f", a, b);
}

/* I, P and B have 120, 40 and 10 kbit. */
static const struct
{
  gchar name;
  gint64 bits;
} sizes[TM5_N_TYPES] = { {'I', 120000}, {'P', 40000}, {'B', 10000} };

static gboolean
add (Tm5 * t, gchar name, gint64 duration)
{
  guint type = 0;

  while (sizes[type].name != name)
    type++;
  t->picture = (Tm5Picture) {
  .type = type,.duration = duration,.bits = sizes[type].bits};
  for (guint i = 0; i < TM5_N_TYPES; i++)
    t->source_bits[i] = (double) sizes[i].bits;
  return tm5_group_picture (t);
}

/* Pictures in coded order; returns how many groups they begin. */
static guint
add_all (Tm5 * t, const gchar * types)
{
  guint n = 0;

  for (; *types; types++)
    n += add (t, *types, PERIOD);
  return n;
}

GST_START_TEST (test_units)
{
  const Tm5Group group = {.n = {1, 4, 10} }, none = { 0 };

  fail_unless_near (tm5_seconds (RATECONTROL_SECOND), 1);
  fail_unless_near (tm5_seconds (PERIOD), .04);
  fail_unless_near (tm5_seconds (-PERIOD), -.04);
  fail_unless_equals_int (tm5_group_size (&group), 15);
  fail_unless_equals_int (tm5_group_size (&none), 0);
  fail_unless_near (tm5_clamp (.5, 0, 1), .5);
  fail_unless_near (tm5_clamp (-2, 0, 1), 0);
  fail_unless_near (tm5_clamp (2, 0, 1), 1);
  fail_unless_near (tm5_clamp (1e300, 0, INFINITY), 1e300);
  fail_unless_near (tm5_clamp (INFINITY, 0, 1), 1);
}

GST_END_TEST;

/* 0.28 s are 7 pictures: the I, and two runs of a P and two B. */
GST_START_TEST (test_first_group)
{
  Tm5Rest rest;
  Tm5 t;

  tm5_init (&t, NULL);
  fail_unless (add (&t, 'I', PERIOD));
  tm5_group_rest (&t, &rest);
  fail_unless_near (rest.n[TM5_I], 1);
  fail_unless_near (rest.n[TM5_P], 2);
  fail_unless_near (rest.n[TM5_B], 4);
  fail_unless_near (rest.seconds, .28);
  fail_unless_near (tm5_group_period (&t), .04);
}

GST_END_TEST;

/* An I is at most 57 % of a group, so that one that takes long at the source's
 * rate tells of a longer first group: of whole runs, at most 10 s, and no more
 * than 1000 pictures. */
GST_START_TEST (test_first_group_of_large_intra)
{
  static const struct
  {
    gint64 rate, period;
    guint n_p;
  } rows[] = {
    {1000000, PERIOD, 2},       /* 0.12 s of 0.21 s: 0.28 s is longer */
    {240000, PERIOD, 7},        /* 0.5 s of 0.877 s: 21 pictures */
    {1, PERIOD, 83},            /* 250 */
    {1, RATECONTROL_SECOND / 10000, 333},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint n = 1 + 3 * rows[i].n_p;
    Tm5 t;

    tm5_init (&t, NULL);
    t.source_max_rate = rows[i].rate;
    fail_unless (add (&t, 'I', rows[i].period));
    fail_unless_equals_int (t.expected.n[TM5_P], rows[i].n_p);
    fail_unless_equals_int (t.expected.n[TM5_B], 2 * rows[i].n_p);
    fail_unless_equals_int64 (t.expected.duration, n * rows[i].period);
  }
}

GST_END_TEST;

typedef struct
{
  const gchar *types;           /* of the pictures that came */
  guint n_p, n_b;               /* of the group, as it is then expected */
} Expected;

static void
check_expected (const Expected * row)
{
  Tm5 t;

  tm5_init (&t, NULL);
  add_all (&t, row->types);
  fail_unless (t.expected.n[TM5_P] == row->n_p &&
      t.expected.n[TM5_B] == row->n_b, "%s: %u P, %u B", row->types,
      t.expected.n[TM5_P], t.expected.n[TM5_B]);
  fail_unless_equals_int64 (t.expected.duration,
      (1 + row->n_p + row->n_b) * PERIOD);
}

/* It ends in no run: with B that lead its I, the last P of the 7 brings two more
 * along. A second group is as long as the first, whatever it has. */
GST_START_TEST (test_first_group_ends_runs)
{
  static const Expected rows[] = {
    {"IPBBP", 2, 4},
    {"IBBPBBP", 2, 6},
    {"IPBPBPB", 3, 3},
    {"IPBPBBP", 3, 5},          /* a run is what the last one was */
    {"IPPPPPP", 6, 0},
    {"IBBPBBPBBIBBPBBPBP", 3, 5},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check_expected (&rows[i]);
}

GST_END_TEST;

/* As many B lead an I as in the group before, or as come: after a stream's first
 * group, and at splices, which begin another stream. */
GST_START_TEST (test_leading)
{
  static const Expected rows[] = {
    {"IPBBPBBIBB", 2, 6},
    {"IPBBPBBIBBB", 2, 7},
    {"IPBBPBBIBBPBBPBBIBBP", 2, 6},
    {"IBBPBBIBBPBBIPBBIBB", 1, 4},
    {"IBBPBBIBBPBBIP", 1, 2},
    {"IBBPBBIBBPBBIBP", 1, 3},
    {"IBIBIBI", 0, 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check_expected (&rows[i]);
}

GST_END_TEST;

/* Of a group like the ones before, what is left is its picture at hand and all
 * that follow. */
GST_START_TEST (test_rest)
{
  static const gchar group[] = "IPBBPBBPBBPBB";
  guint n[TM5_N_TYPES] = { 1, 4, 8 };
  Tm5 t;

  tm5_init (&t, NULL);
  fail_unless_equals_int (add_all (&t, group), 1);
  fail_unless_equals_int (add_all (&t, group), 1);
  for (guint i = 0; group[i]; i++) {
    Tm5Rest rest;

    fail_unless (add (&t, group[i], PERIOD) == (i == 0));
    tm5_group_rest (&t, &rest);
    for (guint k = 0; k < TM5_N_TYPES; k++)
      fail_unless_near (rest.n[k], n[k]);
    fail_unless_near (rest.seconds, .04 * (13 - i));
    n[t.picture.type]--;
  }
}

GST_END_TEST;

/* A group that goes on has a next picture, whatever was expected. */
GST_START_TEST (test_longer_group)
{
  Tm5 t;

  tm5_init (&t, NULL);
  add_all (&t, "IPBBPBBIPBBPBBIPBBPBB");
  for (guint i = 0; i < 100; i++) {
    Tm5Rest rest;

    fail_if (add (&t, "PBB"[i % 3], PERIOD));
    tm5_group_rest (&t, &rest);
    fail_unless (rest.n[t.picture.type] >= 1);
    /* From P to P, or an eighth of a second. */
    fail_unless (rest.seconds >= .04 - 1e-9 && rest.seconds <= .125 + .04);
  }
}

GST_END_TEST;

/* Where no I comes; a second field that is an I begins nothing. */
GST_START_TEST (test_groups_are_cut)
{
  guint i;
  Tm5 t;

  tm5_init (&t, NULL);
  fail_unless (add (&t, 'P', PERIOD));
  for (i = 1; !add (&t, 'P', PERIOD); i++);
  /* The first picture at half a second or later. */
  fail_unless_equals_int (i, 13);

  tm5_init (&t, NULL);
  fail_unless (add (&t, 'I', PERIOD));
  for (i = 1; !add (&t, 'P', PERIOD); i++);
  fail_unless_equals_int (i, 250);

  tm5_init (&t, NULL);
  add (&t, 'I', PERIOD / 2);
  t.picture.second_field = TRUE;
  fail_if (tm5_group_picture (&t));
  fail_unless_equals_int (t.group.n[TM5_I], 2);
}

GST_END_TEST;

/* More than one of the last four groups. */
GST_START_TEST (test_thinned)
{
  static const struct
  {
    const gchar *groups;        /* the oldest first; x: thinned */
    gboolean thinned;
  } rows[] = {
    {"-", FALSE}, {"x-", FALSE}, {"xx", TRUE}, {"---x", FALSE}, {"x--x", TRUE},
    {"xx----", FALSE}, {"x-----x-x", TRUE}, {"xxx---x", FALSE}
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5 t;

    tm5_init (&t, NULL);
    for (const gchar * group = rows[i].groups; *group; group++) {
      add_all (&t, "IPB");
      t.group.thinned = *group == 'x';
    }
    add_all (&t, "I");
    fail_unless (tm5_group_is_thinned (&t) == rows[i].thinned, "%s",
        rows[i].groups);
  }
}

GST_END_TEST;

/* At least half of the last four groups are as long as this one should be: as
 * the middle one of the last three. */
GST_START_TEST (test_regular)
{
  static const struct
  {
    guint lengths[6];           /* the oldest first */
    gboolean regular;
  } rows[] = {
    {{12, 12, 12, 12}, TRUE},
    {{12, 15, 15, 12}, TRUE},   /* 15 */
    {{18, 12, 15, 12}, TRUE},   /* 12 */
    {{9, 12, 15, 18}, FALSE},   /* 15, once */
    {{15, 15, 9, 12, 15, 18}, FALSE},
    {{12}, TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5 t;

    tm5_init (&t, NULL);
    for (guint k = 0; k < 6 && rows[i].lengths[k] > 0; k++) {
      add_all (&t, "I");
      for (guint n = 1; n < rows[i].lengths[k]; n++)
        add_all (&t, "P");
    }
    add_all (&t, "I");
    fail_unless (tm5_group_is_regular (&t) == rows[i].regular, "%u", i);
  }
}

GST_END_TEST;

/* Of the last second, in whole groups; 25 a second where nothing is known. */
GST_START_TEST (test_period)
{
  Tm5 t;

  tm5_init (&t, NULL);
  fail_unless_near (tm5_group_period (&t), .04);
  add_all (&t, "IPPPPPPPPPPPPPPPPPPP");
  fail_unless_near (tm5_group_period (&t), .04);
  for (guint i = 0; i < 10; i++)
    add (&t, i == 0 ? 'I' : 'P', 2 * PERIOD);
  /* 0.8 s of this group, and 0.8 s of the one before. */
  fail_unless_near (tm5_group_period (&t), 1.6 / 30);
  for (guint i = 0; i < 13; i++)
    add (&t, i == 0 ? 'I' : 'P', 2 * PERIOD);
  fail_unless_near (tm5_group_period (&t), .08);
}

GST_END_TEST;

/* Groups of 0.28 s and 240 kbit; then one whose I are twice as large. */
GST_START_TEST (test_rates)
{
  Tm5 t;

  tm5_init (&t, NULL);
  for (guint i = 0; i < 100; i++) {
    add_all (&t, "IPBBPBB");
    fail_unless_near (tm5_group_own_rate (&t), 240000 / .28);
    fail_unless_near (tm5_group_source_rate (&t), 240000 / .28);
  }
  add_all (&t, "I");
  t.group.bits += 120000;
  fail_unless_near (tm5_group_own_rate (&t), 360000 / .28);
  /* Over 8 s: 29 groups, were they all remembered. */
  fail_unless_near (tm5_group_source_rate (&t),
      (240000. * (TM5_N_GROUPS + 1) + 120000) / (.28 * (TM5_N_GROUPS + 1)));
}

GST_END_TEST;

/* What was left out belongs to the source. */
GST_START_TEST (test_rate_of_what_was_left_out)
{
  const Tm5Picture b = {.type = TM5_B,.duration = PERIOD,.bits = 10000 };
  Tm5 t;

  tm5_init (&t, NULL);
  for (guint i = 0; i < 2; i++) {
    add_all (&t, "IPB");
    tm5_picture_left_out (&t, &b, 0);
    add_all (&t, "P");
  }
  fail_unless_near (tm5_group_own_rate (&t), 220000 / .2);
}

GST_END_TEST;

static Suite *
tm5group_suite (void)
{
  Suite *s = suite_create ("ratecontrol-tm5group");
  TCase *tc = tcase_create ("groups");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_units);
  tcase_add_test (tc, test_first_group);
  tcase_add_test (tc, test_first_group_of_large_intra);
  tcase_add_test (tc, test_first_group_ends_runs);
  tcase_add_test (tc, test_leading);
  tcase_add_test (tc, test_rest);
  tcase_add_test (tc, test_longer_group);
  tcase_add_test (tc, test_groups_are_cut);
  tcase_add_test (tc, test_thinned);
  tcase_add_test (tc, test_regular);
  tcase_add_test (tc, test_period);
  tcase_add_test (tc, test_rates);
  tcase_add_test (tc, test_rate_of_what_was_left_out);
  return s;
}

GST_CHECK_MAIN (tm5group);
