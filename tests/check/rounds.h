/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How often a test tries what it tries at random.
 */
#ifndef TESTS_CHECK_ROUNDS_H
#define TESTS_CHECK_ROUNDS_H

#include <stdlib.h>

/* `n` times, or TEST_ROUNDS per cent of that, for where everything takes twenty
 * times as long; once at least. */
static inline unsigned
test_rounds (unsigned n)
{
  const char *text = getenv ("TEST_ROUNDS");
  unsigned long percent = text ? strtoul (text, NULL, 10) : 100;

  if (percent >= 100)
    return n;
  n = (unsigned) (n * percent / 100);
  return n > 0 ? n : 1;
}

#endif
