/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <h26x/floor.h>
#include <h26x/rank.h>

#define PICTURE (40 * GST_MSECOND)

/* I is an IDR picture, C another random-access one, P a reference, b a disposable
 * picture; and of each the lowest scale at which it stays. Then the lowest scale
 * that is to be had of the last two groups, and what holds. */
static const struct
{
  const gchar *name;
  H26xHolds holds;
  guint cycle, frame_num_limit;
  const gchar *pictures, *ranks;
  gint lowest;
} rows[] = {
  {"nothing holds", {.max_freeze = -1}, 16, 16,
      "IPPPPPPP IPPPPPPP IPPPPPPP", "01222222 01223344 01223344", -1},
  {"frame_num, where the next one is no IDR", {.max_freeze = -1}, 0, 16,
      "IPPPPPPP CPPPbPPP CPPPbPPP CPPPbPPP",
      "01222222 00004000 00003000 00004000", 2},
  {"frame_num, with gaps", {.max_freeze = -1,.allow_gaps = true}, 0, 16,
      "IPPPPPPP CPPPPPPP CPPPPPPP", "01222222 01223344 01223344", -1},
  /* of 16 order counts 8 are half a cycle: all up to the anchor at 10 */
  {"order count", {.max_freeze = -1,.allow_gaps = true}, 16, 16,
      "IPPPPPPP CPPPPPPP CPPPPPPP", "01222222 00000044 00000044", 3},
  {"order count, spliced", {.max_freeze = -1,.splices = true}, 16, 0,
      "IPPPPPPP CPPPPPPP CPPPPPPP", "01222222 01223344 01223344", -1},
  {"a freeze of 3", {.max_freeze = 3 * PICTURE}, 0, 0,
      "IPPPPPPP IPPPPPPP IPPPPPPP", "00000000 00000344 00000344", 3},
  {"no freeze", {.max_freeze = 0}, 0, 0,
      "IPbPbPbP IPbPbPbP IPbPbPbP", "00304030 00403040 00304030", 2},
  {"a freeze of a group", {.max_freeze = 8 * PICTURE}, 0, 0,
      "IPPPPPPP IPPPPPPP IPPPPPPP", "00000000 01223344 01223344", -1},
  {"a freeze of less than one", {.max_freeze = 7 * PICTURE}, 0, 0,
      "IPPPPPPP IPPPPPPP IPPPPPPP", "00000000 01223344 01223344", 0},
  {"the first group", {.max_freeze = -1,.first_stays = true}, 0, 0,
      "IPbPbPbP", "00304030", 2},
};

GST_START_TEST (test_floor)
{
  GString *got = g_string_new (NULL);
  gint64 order = 0;
  H26xGroups groups;
  H26xShare half;
  H26xFloor floor;

  h26x_groups_init (&groups);
  h26x_share_init (&half);
  h26x_floor_init (&floor);
  for (const gchar * c = rows[__i__].pictures; *c; c++) {
    H26xPicture p = {.readable = true,.random_access = strchr ("IC", *c),
      .idr = *c == 'I',.disposable = *c == 'b',.counts = *c != 'b',
      .order_cycle = rows[__i__].cycle,.order = order,
      .frame_num_gap_limit = rows[__i__].frame_num_limit
    };
    guint class = h26x_class (&p, true), rank;

    if (*c == ' ') {
      g_string_append_c (got, ' ');
      continue;
    }
    order += 2;
    h26x_groups_add (&groups, &p, class, 800, PICTURE, false);
    rank = h26x_rank (&half, &groups, &p, class);
    g_string_append_printf (got, "%u", h26x_floor_add (&floor,
            &rows[__i__].holds, &groups, &p, class, rank));
  }
  fail_unless (strcmp (got->str, rows[__i__].ranks) == 0, "%s: %s is not %s",
      rows[__i__].name, got->str, rows[__i__].ranks);
  fail_unless_equals_int (h26x_floor_scale (&floor, &rows[__i__].holds,
          &groups), rows[__i__].lowest);
  g_string_free (got, TRUE);
}

GST_END_TEST;

/* What was exceeded is so for this group and the next one. */
GST_START_TEST (test_exceeded)
{
  const H26xHolds holds = {.max_freeze = -1 };
  H26xPicture key = {.readable = true,.random_access = true,.idr = true };
  H26xGroups groups;
  H26xFloor floor;

  h26x_groups_init (&groups);
  h26x_floor_init (&floor);
  fail_if (h26x_floor_exceeded (&floor));
  h26x_floor_exceed (&floor);
  for (guint i = 0; i < 3; i++) {
    fail_unless (h26x_floor_exceeded (&floor) == (i < 2));
    h26x_floor_add (&floor, &holds, &groups, &key, 0, 0);
  }
  h26x_groups_add (&groups, &key, 0, 800, PICTURE, false);
  fail_if (h26x_holds (&holds, &groups, &key, 1, 0));
}

GST_END_TEST;

static Suite *
floor_suite (void)
{
  Suite *s = suite_create ("h26x-floor");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_floor, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_exceeded);
  return s;
}

GST_CHECK_MAIN (floor);
