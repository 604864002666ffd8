/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Thousands of random lists of operations for each controller, through the fuzz
 * targets of tests/fuzz, whose first octet chooses it: controllers.c, which
 * aborts at a decision that no sender could obey, and sender.c, where more
 * leaves than max_bitrate lets or a target is announced outside the limits.
 */
#include <gst/check/gstcheck.h>

#include <control/controller.h>

#include "../rounds.h"

#define LISTS 2000
#define MAX_LENGTH 2000

int LLVMFuzzerTestOneInput (const guint8 * data, gsize size);

GST_START_TEST (test_lists)
{
  guint8 data[MAX_LENGTH];
  GRand *random = g_rand_new_with_seed (1 + __i__);
  guint n, k, length;

  for (n = 0; n < test_rounds (LISTS); n++) {
    length = (guint) g_rand_int_range (random, 100, MAX_LENGTH);
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
random_suite (void)
{
  Suite *s = suite_create ("control-random");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_lists, 0, n_controllers ());
  return s;
}

GST_CHECK_MAIN (random);
