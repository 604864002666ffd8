/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For what a test checks a hundred thousand times and more. fail_unless() notes
 * each check that holds, to say where a crash came after; that takes longer
 * than most of what is checked, and under valgrind most of a test's time.
 */
#ifndef TEST_OFTEN_H
#define TEST_OFTEN_H

#include <gst/check/gstcheck.h>

#define often_fail_unless(condition) \
  G_STMT_START { \
    if (G_UNLIKELY (!(condition))) \
      fail ("Failure '%s' occurred", "!(" #condition ")"); \
  } G_STMT_END

/* Integers that an int64 holds. */
#define often_fail_unless_equals(a, b) \
  G_STMT_START { \
    gint64 often_a = (a), often_b = (b); \
    if (G_UNLIKELY (often_a != often_b)) \
      fail ("'%s' (%" G_GINT64_FORMAT ") is not equal to '%s' (%" \
          G_GINT64_FORMAT ")", #a, often_a, #b, often_b); \
  } G_STMT_END

#endif
