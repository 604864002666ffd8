/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/poise/sawtooth.h>

#define LOOP .13                /* s */

typedef struct
{
  double every;                 /* s; from one tooth to the next */
  double gives_way;             /* s after the queue began to stand; < 0: never */
  double grows, falls;          /* s; how long it grows, and how long it falls */
  double longest[2];            /* s; waits of odd and even teeth */
} Teeth;

/* Returns after how many teeth, of at most `most`, there are enough; 0 = never. */
static int
count (PspSawtooth * s, const Teeth * t, int most)
{
  int n, i;

  for (n = 0; n < most; n++) {
    double at = n * t->every, decreased_at = -1;
    double longest = t->longest[n % 2];

    psp_sawtooth_begin (s);
    for (i = 0; i <= 100; i++) {
      double now = at + i * (t->grows + t->falls) / 100, in = now - at;
      double wait = in < t->grows ? longest * (.6 + .4 * in / t->grows)
          : longest * (1 - (in - t->grows) / t->falls);

      if (t->gives_way >= 0 && in >= t->gives_way)
        decreased_at = now;
      psp_sawtooth_follow (s, now, wait, decreased_at);
    }
    if (psp_sawtooth_end (s, at + t->grows + t->falls, LOOP))
      return n + 1;
  }
  return 0;
}

/* A Reno beside which the queue stands for .6 s each 4 s. */
static const Teeth reno = { 4, .05, .6, .06, {.05, .05} };

GST_START_TEST (test_teeth)
{
  PspSawtooth s = { 0 };
  int n = count (&s, &reno, 20);

  fail_unless (n == 5, "%d", n);
  psp_sawtooth_clear (&s);
  n = count (&s, &reno, 4);
  fail_unless (n == 0, "%d", n);
}

GST_END_TEST;

/* Each differs from `reno` in one thing. */
static const Teeth none[] = {
  {4, -1, .6, .06, {.05, .05}}, /* the sender did not give way */
  {4, .5, .6, .06, {.05, .05}}, /* it gave way too late to show anything */
  /* Giving way stopped the growth within 1.5 loops and the queue. */
  {4, .05, .28, .06, {.05, .05}},
  {4, .05, .6, 1, {.05, .05}},  /* the queue drains slowly */
  {4, .05, .6, .06, {.05, .044}},       /* of other lengths */
  {8, .05, .6, .06, {.05, .05}} /* seldom */
};

GST_START_TEST (test_no_teeth)
{
  PspSawtooth s = { 0 };
  int n = count (&s, &none[__i__], 100);

  fail_unless (n == 0, "%d", n);
}

GST_END_TEST;

static Suite *
sawtooth_suite (void)
{
  Suite *s = suite_create ("control-sawtooth");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_teeth);
  tcase_add_loop_test (tc, test_no_teeth, 0, G_N_ELEMENTS (none));
  return s;
}

GST_CHECK_MAIN (sawtooth);
