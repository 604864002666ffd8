/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Helps the tests of the fronts. It reads a log back and puts its arrivals
 * through the model once more, in virtual time. It also reads a front's JSON
 * sums.
 */
#ifndef LINK_REPLAY_H
#define LINK_REPLAY_H

#include <gst/check/gstcheck.h>

#include "model.h"

/* Fails the test unless verdict, times and marks come out as they are in the
 * log. `overhead` is the front's default. Returns the number of packets. */
guint replay_check (const char *log, const char *direction, const char *spec,
    int32_t overhead);
/* Returns the rows of a direction without duplicates; free them by
 * g_array_unref(). */
GArray *replay_rows (const char *log, const char *direction);

/* Returns a sum. `direction` may be NULL, for a member outside of both. */
guint64 replay_sum (const char *json, const char *direction,
    const char *member);

#endif
