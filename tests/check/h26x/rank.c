/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <h26x/rank.h>

#define PICTURE (40 * GST_MSECOND)

/* I random access, P reference, b disposable, ? cannot be read; and the lowest
 * scale that passes each. Groups are thought to last as long as the one before. */
static const struct
{
  const gchar *pictures, *ranks;
} rows[] = {
  {"IPPP IPPPPPPP IPPPPPPP", "0122 01344444 01223344"},
  {"IPbPbPb IPbPbPb IPbPbPb", "0132423 0142324 0132423"},
  {"I?? I?", "000 00"},
};

GST_START_TEST (test_ranks)
{
  GString *got = g_string_new (NULL);
  H26xGroups groups;
  H26xShare half;

  h26x_groups_init (&groups);
  h26x_share_init (&half);
  for (const gchar * c = rows[__i__].pictures; *c; c++) {
    H26xPicture p = {.readable = *c != '?',.random_access = *c == 'I',
      .idr = *c == 'I',.disposable = *c == 'b'
    };
    guint class = h26x_class (&p, true);

    if (*c == ' ') {
      g_string_append_c (got, ' ');
      continue;
    }
    h26x_groups_add (&groups, &p, class, 800, PICTURE, false);
    g_string_append_printf (got, "%u", h26x_rank (&half, &groups, &p, class));
  }
  fail_unless_equals_string (got->str, rows[__i__].ranks);
  g_string_free (got, TRUE);
}

GST_END_TEST;

static Suite *
rank_suite (void)
{
  Suite *s = suite_create ("h26x-rank");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_ranks, 0, G_N_ELEMENTS (rows));
  return s;
}

GST_CHECK_MAIN (rank);
