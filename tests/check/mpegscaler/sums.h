/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: what FFmpeg shows of coded streams.
 */
#ifndef TEST_SUMS_H
#define TEST_SUMS_H

#include <glib.h>

/* Of each of these files an array with the sum of each picture that is shown, in
 * that order. `format` is FFmpeg's name for all: h264, hevc. One process decodes
 * many files, as it takes longer to begin than to decode some seconds. A file of
 * which FFmpeg makes nothing has an empty array. The caller owns what is returned. */
GPtrArray *test_sums_of_files (const gchar * format, const gchar * const *paths,
    guint n);

/* Of one file. */
GPtrArray *test_sums_of_file (const gchar * format, const gchar * path);

#endif
