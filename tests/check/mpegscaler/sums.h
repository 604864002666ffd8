/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: what FFmpeg shows of files. Ask avdecode_present() first.
 */
#ifndef TEST_SUMS_H
#define TEST_SUMS_H

#include <glib.h>

/* The sum of each picture that is shown, in that order. `format` is that of
 * avdecode_file(). A file of which FFmpeg makes nothing has an empty array. The caller owns what is returned. */
GPtrArray *test_sums_of_file (const gchar * format, const gchar * path);

/* An array for each of these files. */
GPtrArray *test_sums_of_files (const gchar * format, const gchar * const *paths,
    guint n);

#endif
