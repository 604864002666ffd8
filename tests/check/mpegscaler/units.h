/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: access units of coded streams.
 */
#ifndef TEST_UNITS_H
#define TEST_UNITS_H

#include <gst/gst.h>

/* Runs a command line; FALSE: it failed, as the log says. */
gboolean test_run (const gchar * command);

/* The access units of a file, as the parser of `codec` (h264, h265) cuts them, in
 * its stream-format `format`: an array of structures of `unit_size` bytes, 0 but for
 * their first member, a GstBuffer pointer that the array owns. Both are the
 * caller's. */
GArray *test_load_units (const gchar * codec, const gchar * path,
    const gchar * format, guint unit_size, GstCaps ** caps);

#endif
