/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Thousands of random lists of operations for the sender with each controller,
 * through the fuzz target (tests/fuzz/sender.c), which aborts where more leaves
 * than max_bitrate lets, or a target is announced that is outside the limits.
 */
#include <gst/check/gstcheck.h>

#include "controller.h"

#define LIVES 2000
#define MAX_LENGTH 1000

int LLVMFuzzerTestOneInput (const guint8 * data, gsize size);

GST_START_TEST (test_lives)
{
  guint8 data[MAX_LENGTH];
  GRand *random = g_rand_new_with_seed (1 + __i__);
  guint n, k, length;

  for (n = 0; n < LIVES; n++) {
    length = (guint) g_rand_int_range (random, 50, MAX_LENGTH);
    for (k = 0; k < length; k++)
      data[k] = (guint8) g_rand_int (random);
    data[0] = (guint8) __i__;
    LLVMFuzzerTestOneInput (data, length);
  }
  g_rand_free (random);
}

GST_END_TEST;

static guint
n_controllers (void)
{
  guint n = 0;

  while (psp_controller_list ()[n])
    n++;
  return n;
}

static Suite *
random_senders_suite (void)
{
  Suite *s = suite_create ("random-senders");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_lives, 0, n_controllers ());
  return s;
}

GST_CHECK_MAIN (random_senders);
