/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How controllers share a bottleneck with themselves, in virtual time. The
 * figures of docs/controllers.md come from tests/benchmarks/sharing.c.
 */
#include <gst/check/gstcheck.h>

#include "sharing.h"

typedef struct
{
  const char *name, *spec;
  int64_t rate, access_delay, back_delay;
  uint32_t payload;
  int after;                    /* s from the last start on */
  double jain, use;             /* at least, by "rap-psp" */
  int converged;                /* s, at most */
} Network;

static const Network networks[] = {
  {"2 Mb/s, 40 ms, 10 packets", "rate=2M,delay=20ms,queue=10p", 2000000, 0,
      20 * PSP_MSECOND, 1200, 120, 0.98, 0.93, 10},
  {"20 Mb/s, 40 ms, 50 packets", "rate=20M,delay=20ms,queue=50p", 20000000, 0,
      20 * PSP_MSECOND, 1200, 60, 0.98, 0.93, 10},
  /* A tenth of the buffer that AIMD would need: 3/4 is what it can have. */
  {"155 Mb/s, 84 ms, 10 packets", "rate=155M,delay=40ms,queue=10p", 155000000,
      2 * PSP_MSECOND, 42 * PSP_MSECOND, 1388, 40, 0.93, 0.72, 30},
};

static const unsigned n_flows[] = { 2, 4, 8 };

static Sharing *
run (const char *controller, const Network * network, unsigned flows, int *end)
{
  SharingConfig config = {
    .controller = controller,
    .n_flows = flows,
    .bottleneck = network->spec,
    .access_rate = 100000000,
    .access_delay = network->access_delay,
    .access_queue = 10,
    .back_delay = network->back_delay,
    .stagger = 5 * PSP_SECOND,
    .payload = network->payload,
    .seed = flows
  };
  Sharing *s = sharing_new (&config);

  *end = (int) (flows - 1) * 5 + network->after;
  fail_unless (s != NULL);
  sharing_run (s, *end * PSP_SECOND);
  return s;
}

/* Flows that start 5 s apart soon have the same, and use the link. */
GST_START_TEST (test_rap_psp)
{
  const Network *network = &networks[__i__ / 3];
  int end, from, converged;
  double jain, use;
  Sharing *s = run ("rap-psp", network, n_flows[__i__ % 3], &end);

  from = end - network->after / 2;
  jain = sharing_jain (s, from, end);
  use = sharing_use (s, network->rate, from, end);
  converged = sharing_convergence (s, 0.95, 10, end);
  fail_unless (jain >= network->jain && use >= network->use
      && converged >= 0 && converged <= network->converged,
      "%s, %u flows: Jain %f, use %f, %d s", network->name,
      s->config.n_flows, jain, use, converged);
  sharing_free (s);
}

GST_END_TEST;

/* psp's decrease of a constant in period favours the faster flow: whatever the
 * network, it shares less evenly than that. */
GST_START_TEST (test_against_psp)
{
  const Network *network = &networks[__i__];
  double jain[2];
  Sharing *s;
  int end, i;

  for (i = 0; i < 2; i++) {
    s = run (i ? "psp" : "rap-psp", network, 4, &end);
    jain[i] = sharing_jain (s, end - network->after / 2, end);
    sharing_free (s);
  }
  fail_unless (jain[0] > jain[1] + 0.1, "%s: %f, psp %f", network->name,
      jain[0], jain[1]);
}

GST_END_TEST;

/* "scp" alone finds what there is, although W_Δ is 3 packets and a step of the
 * arrival times eight. */
GST_START_TEST (test_scp_alone)
{
  SharingConfig config = {
    .controller = "scp",
    .n_flows = 1,
    .bottleneck = "rate=100M,delay=40ms,queue=10p",
    .access_rate = 1000000000,
    .access_delay = 2 * PSP_MSECOND,
    .access_queue = 10,
    .back_delay = 42 * PSP_MSECOND,
    .payload = 1388,
    .seed = (uint32_t) __i__ + 1
  };
  Sharing *s = sharing_new (&config);

  sharing_run (s, 40 * PSP_SECOND);
  fail_unless (sharing_use (s, 100000000, 30, 40) > 0.95, "%f",
      sharing_use (s, 100000000, 30, 40));
  sharing_free (s);
}

GST_END_TEST;

static const char *const spaced[] = { "psp", "damped-psp", "rap-psp", "scp" };

/* A source without a rate, before anything is spaced, fills more than the
 * history remembers with what is dropped; the controller learns of it. */
GST_START_TEST (test_outrun)
{
  SharingConfig config = {
    .controller = spaced[__i__],
    .n_flows = 1,
    .bottleneck = "rate=2M,delay=20ms,queue=20p",
    .access_rate = 1600000000,
    .access_queue = SHARING_RING - 2,
    .back_delay = 20 * PSP_MSECOND,
    .payload = 1160,
    .seed = 1
  };
  Sharing *s = sharing_new (&config);
  SharingFlow *f = &s->flows[0];

  sharing_run (s, 6 * PSP_SECOND);
  fail_unless (f->dropped_in[5] * 20 < f->sent_in[5], "%" G_GUINT64_FORMAT
      " of %" G_GUINT64_FORMAT " dropped", f->dropped_in[5], f->sent_in[5]);
  fail_unless (sharing_use (s, 2000000, 5, 6) > 0.6);
  sharing_free (s);
}

GST_END_TEST;

/* The same seed is the same session, to the byte. */
GST_START_TEST (test_repeatable)
{
  int end, k;
  Sharing *s[2];

  for (k = 0; k < 2; k++)
    s[k] = run ("rap-psp", &networks[0], 2, &end);
  fail_unless (memcmp (s[0]->flows[1].bytes, s[1]->flows[1].bytes,
          sizeof s[0]->flows[1].bytes) == 0);
  fail_unless (s[0]->flows[0].n_dropped == s[1]->flows[0].n_dropped);
  fail_unless (s[0]->flows[0].n_dropped > 0);
  for (k = 0; k < 2; k++)
    sharing_free (s[k]);
}

GST_END_TEST;

#define CONTROLLERS 8           /* of psp_controller_list () */

/* Each controller takes over from each other one at the rate in use. After none
 * and fixed, which overload the path, a new one finds a full queue. */
GST_START_TEST (test_change)
{
  const PspControllerClass *const *all = psp_controller_list ();
  const PspControllerClass *from = all[__i__ / CONTROLLERS];
  const PspControllerClass *to = all[__i__ % CONTROLLERS];
  SharingConfig config = {
    .controller = from->name,
    .n_flows = 1,
    .bottleneck = "rate=2M,delay=20ms,queue=20p",
    .access_rate = 4000000,
    .access_queue = 10,
    .back_delay = 20 * PSP_MSECOND,
    .payload = 1160,
    .seed = 1
  };
  Sharing *s = sharing_new (&config);
  SharingFlow *f = &s->flows[0];
  int64_t rate, after;
  PspNotice notice;

  fail_unless (all[CONTROLLERS - 1] != NULL && all[CONTROLLERS] == NULL);
  sharing_run (s, 20 * PSP_SECOND);
  rate = psp_sender_bitrate_in_use (f->sender, s->now);
  fail_unless (rate >= 300000 && rate < 2000000, "%s: %" G_GINT64_FORMAT,
      from->name, rate);
  psp_sender_set_controller (f->sender, to, NULL, rate, s->now);
  f->send_at = s->now;
  psp_sender_notice (f->sender, &notice);
  sharing_run (s, 23 * PSP_SECOND);
  after = 8 * (f->bytes[20] + f->bytes[21] + f->bytes[22]) / 3;
  /* media-scaling has its scales, and others need no feedback. */
  if (to->needs_feedback && notice.scale < 0)
    fail_unless (notice.target_bitrate > .9 * rate
        && notice.target_bitrate <= rate, "%s, %s: %" G_GINT64_FORMAT " of %"
        G_GINT64_FORMAT, from->name, to->name, notice.target_bitrate, rate);
  if (to != &psp_cc_fixed)
    fail_unless (after > .3 * rate, "%s, %s: %" G_GINT64_FORMAT " of %"
        G_GINT64_FORMAT, from->name, to->name, after, rate);
  sharing_free (s);
}

GST_END_TEST;

static Suite *
sharing_suite (void)
{
  Suite *s = suite_create ("control-sharing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rap_psp, 0, 9);
  tcase_add_loop_test (tc, test_against_psp, 0, 3);
  tcase_add_loop_test (tc, test_scp_alone, 0, 3);
  tcase_add_test (tc, test_repeatable);
  tcase_add_loop_test (tc, test_outrun, 0, G_N_ELEMENTS (spaced));
  tcase_add_loop_test (tc, test_change, 0, CONTROLLERS * CONTROLLERS);
  return s;
}

GST_CHECK_MAIN (sharing);
