/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Nothing that a controller was told is for ever: neither a path that became
 * longer nor a forged report costs it more than the life of what it learnt.
 */
#include <gst/check/gstcheck.h>

#include "bottleneck.h"

#define AT (60 * PSP_SECOND)    /* when something happens */
#define FORGOTTEN (15 * PSP_SECOND)
#define LONGER (40 * PSP_MSECOND)

static const char *const controllers[] = {
  "scp", "rap-psp", "psp", "damped-psp", "poise"
};

/* *INDENT-OFF* */
static const struct
{
  const char *name;
  int n_forged;
  int64_t longer_by;
} events[] = {
  {"a forged report", 1, 0},
  {"six forged reports", 6, 0},
  {"a longer path", 0, LONGER},
};
/* *INDENT-ON* */

static BnConfig
path (const char *controller, bool encoder)
{
  BnConfig config = {
    .controller = controller,
    .limits = {.start_bitrate = 1000000},
    .steps = {{0, 2000000}},
    .delay = 20 * PSP_MSECOND,
    .queue = 60,
    .payload = 1200,
    .overhead = 40,
    .report_packets = 8,
    .report_interval = 25 * PSP_MSECOND,
    .seed = 1
  };

  if (encoder) {
    config.fps = 30;
    config.noise = .2;
    config.start_bitrate = config.limits.start_bitrate;
  }
  return config;
}

/* Bits/s from the time at which everything is forgotten. */
static double
goodput (const BnConfig * config)
{
  Bn *b = bn_new (config);
  double rate;

  bn_run (b, AT + FORGOTTEN);
  bn_mark (b);
  bn_run (b, AT + FORGOTTEN + 20 * PSP_SECOND);
  rate = bn_goodput (b);
  bn_free (b);
  return rate;
}

static void
check_event (const char *controller, unsigned event, bool encoder)
{
  BnConfig config = path (controller, encoder);
  double usual, after;

  /* psp and damped-psp gain by the round trip. */
  if (events[event].longer_by > 0) {
    config.longer_at = 1;
    config.longer_by = events[event].longer_by;
  }
  usual = goodput (&config);
  config.longer_at = config.forged_at = AT;
  config.n_forged = events[event].n_forged;
  after = goodput (&config);
  fail_unless (after > .97 * usual, "%s, %s: %.0f of %.0f bit/s", controller,
      events[event].name, after, usual);
}

GST_START_TEST (test_event)
{
  unsigned event = __i__ % G_N_ELEMENTS (events);
  const char *controller = controllers[__i__ / G_N_ELEMENTS (events)];

  check_event (controller, event, true);
  check_event (controller, event, false);
}

GST_END_TEST;

/* As the paper has it: the smallest round trip is one of another path. */
GST_START_TEST (test_for_ever)
{
  static const double parameters[PSP_MAX_PARAMETERS] = { 0 };
  BnConfig config = path ("scp", true);
  double usual = goodput (&config);

  fail_unless_equals_string (psp_cc_scp.parameters[0].name, "life");
  config.parameters = parameters;
  config.longer_at = AT;
  config.longer_by = LONGER;
  fail_unless (goodput (&config) < .8 * usual);
}

GST_END_TEST;

static Suite *
ageing_suite (void)
{
  Suite *s = suite_create ("control-ageing");
  TCase *tc = tcase_create ("ageing");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_event, 0,
      G_N_ELEMENTS (controllers) * G_N_ELEMENTS (events));
  tcase_add_test (tc, test_for_ever);
  return s;
}

GST_CHECK_MAIN (ageing);
