/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: what FFmpeg shows of files. It runs in the test's own process: the
 * program takes longer to load its libraries than to decode some seconds.
 */
#ifndef TEST_SUMS_H
#define TEST_SUMS_H

#include <glib.h>

/* Whether tests were built with libavformat; if not, the reason for a skip is
 * printed. */
gboolean test_sums_present (void);

/* The sum of each picture that is shown, in that order. `format` is FFmpeg's name,
 * as in h264, hevc, mpegvideo; NULL: it finds out. A file of which FFmpeg makes
 * nothing has an empty array. The caller owns what is returned. */
GPtrArray *test_sums_of_file (const gchar * format, const gchar * path);

/* An array for each of these files. */
GPtrArray *test_sums_of_files (const gchar * format, const gchar * const *paths,
    guint n);

#endif
