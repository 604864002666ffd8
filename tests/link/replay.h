/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For the tests of the fronts: a log read back, and its arrivals put through
 * the model once more, in virtual time; a front's JSON sums.
 */
#ifndef LINK_REPLAY_H
#define LINK_REPLAY_H

#include <gst/check/gstcheck.h>

#include "model.h"

/* Fails the test unless verdict, times and marks come out as they are in the
 * log. `overhead`: the front's default. Returns the number of packets. */
guint replay_check (const char *log, const char *direction, const char *spec,
    int32_t overhead);
/* The rows of a direction, duplicates apart; free by g_array_unref(). */
GArray *replay_rows (const char *log, const char *direction);

/* "direction" may be NULL: then a member outside of both. */
guint64 replay_sum (const char *json, const char *direction,
    const char *member);

#endif
