/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How often a stream is searched for start codes: by the splitter, and once more
 * by whoever requantizes. The search is wrapped (meson.build).
 */
#include "../mpeg2/rewriting.h"

#include "recoding.h"

static gsize n_scanned;         /* bytes */

size_t __real_start_code_find (const uint8_t * data, size_t size,
    size_t from);
size_t __wrap_start_code_find (const uint8_t * data, size_t size,
    size_t from);

size_t
__wrap_start_code_find (const uint8_t * data, size_t size, size_t from)
{
  size_t found = __real_start_code_find (data, size, from);

  n_scanned += found - MIN (from, found);
  return found;
}

/* All that the modes of mpegscaler do. */
static const struct
{
  gboolean both;
  M2vDrift drift;
  gdouble share;                /* of the source's bits */
} rows[] = {
  {FALSE, M2V_DRIFT_OFF, .5},
  {FALSE, M2V_DRIFT_ALL, .5},
  {TRUE, M2V_DRIFT_P, .5},
  {TRUE, M2V_DRIFT_ALL, .1},
  {TRUE, M2V_DRIFT_P, 2},
};

static void
check_stream (const gchar * name, const guint8 * data, gsize size)
{
  gint64 rate = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Recode how = recode_all (G_MAXINT64 / 16);
    Recoded r;

    if (rate > 0)
      how.settings.target = how.dropping.target = rate * rows[i].share;
    how.settings.drift = rows[i].drift;
    how.both = rows[i].both;
    n_scanned = 0;
    r = recode (&how, data, size);
    fail_unless (n_scanned > size / 2, "nothing is counted");
    fail_unless (n_scanned < 2.05 * size, "%s, row %u: %.2f times", name, i,
        (gdouble) n_scanned / size);
    if (rate > 0 && rows[i].share < 1)
      fail_unless (r.stats.recoded > 0);
    rate = (gint64) (size * 8. * GST_SECOND / r.duration);
    g_byte_array_unref (r.out);
  }
}

GST_START_TEST (test_scans)
{
  for_each_stream (FALSE, check_stream);
}

GST_END_TEST;

static Suite *
recoderscans_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-recoderscans");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_test (tc, test_scans);
  return s;
}

GST_CHECK_MAIN (recoderscans);
