/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How often a test tries what it tries at random.
 */
#ifndef TESTS_CHECK_ROUNDS_H
#define TESTS_CHECK_ROUNDS_H

#include <stdbool.h>
#include <stdlib.h>

static inline unsigned
test_percent (void)
{
  const char *text = getenv ("TEST_ROUNDS");
  unsigned long percent = text ? strtoul (text, NULL, 10) : 100;

  return percent < 100 ? (unsigned) percent : 100;
}

/* `n` times, or TEST_ROUNDS per cent of that, for where everything takes twenty
 * times as long; once at least. */
static inline unsigned
test_rounds (unsigned n)
{
  const unsigned percent = test_percent ();

  if (percent >= 100)
    return n;
  n = (unsigned) ((unsigned long) n * percent / 100);
  return n > 0 ? n : 1;
}

/* Whether the i-th of several that reach the same code is taken: all, or
 * TEST_ROUNDS per cent, evenly; the first always. */
static inline bool
test_taken (unsigned i)
{
  const unsigned percent = test_percent ();

  return i * percent % 100 < percent;
}

#endif
