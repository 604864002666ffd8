/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "detector.h"

#define OPEN 0
#define DISORDER 1
#define RECOVERY ITCP_CA_RECOVERY
#define LOSS ITCP_CA_LOSS
#define N 10

typedef struct
{
  guint state, retransmits, ssthresh;
  gint total_rto;               /* -1 = not reported */
  guint rexmt, dupack;          /* to be found */
} Look;

#define END {99, 0, 0, 0, 0, 0}

static const struct
{
  const gchar *what;
  Look looks[N];
} rows[] = {
  {"nothing", {{OPEN, 0, 10, 0, 0, 0}, {DISORDER, 0, 10, 0, 0, 0},
          {OPEN, 0, 10, 0, 0, 0}, END}},
  {"where it stands at first is no event", {{RECOVERY, 0, 10, 7, 0, 0},
          {RECOVERY, 0, 10, 7, 0, 0}, {OPEN, 0, 10, 7, 0, 0}, END}},
  {"two recoveries", {{OPEN, 0, 90, 0, 0, 0}, {RECOVERY, 0, 10, 0, 0, 1},
          {RECOVERY, 0, 10, 0, 0, 0}, {OPEN, 0, 10, 0, 0, 0},
          {RECOVERY, 0, 7, 0, 0, 1}, END}},
  {"out and in between two looks", {{OPEN, 0, 90, 0, 0, 0},
          {RECOVERY, 0, 10, 0, 0, 1}, {RECOVERY, 0, 7, 0, 0, 1},
          {RECOVERY, 0, 7, 0, 0, 0}, END}},
  {"an undo within recovery", {{OPEN, 0, 90, 0, 0, 0},
          {RECOVERY, 0, 10, 0, 0, 1}, {RECOVERY, 0, 90, 0, 0, 0},
          {RECOVERY, 0, 90, 0, 0, 0}, END}},
  {"a look that does not have the threshold", {{OPEN, 0, 90, 0, 0, 0},
          {RECOVERY, 0, 0, -1, 0, 1}, {RECOVERY, 0, 10, 0, 0, 1}, END}},
  {"timeouts by their count", {{OPEN, 0, 90, 0, 0, 0},
          {LOSS, 0, 5, -1, 0, 0}, {LOSS, 1, 5, 1, 1, 0},
          {LOSS, 2, 5, 2, 1, 0}, {LOSS, 5, 5, 5, 3, 0},
          {OPEN, 0, 5, 5, 0, 0}, {OPEN, 0, 5, 6, 1, 0}, END}},
  {"the count wraps around", {{OPEN, 0, 90, 65534, 0, 0},
          {LOSS, 1, 5, 65535, 1, 0}, {LOSS, 2, 5, 0, 1, 0},
          {LOSS, 3, 5, 2, 2, 0}, END}},
  {"recovery out of loss", {{OPEN, 0, 90, 0, 0, 0}, {LOSS, 1, 5, 1, 1, 0},
          {RECOVERY, 0, 4, 1, 0, 1}, END}},
  /* Kernels before 6.7. */
  {"no count: an outage", {{OPEN, 0, 90, -1, 0, 0}, {LOSS, 0, 5, -1, 1, 0},
          {LOSS, 1, 5, -1, 0, 0}, {LOSS, 2, 5, -1, 1, 0},
          {LOSS, 4, 5, -1, 2, 0}, {LOSS, 0, 5, -1, 0, 0},
          {OPEN, 0, 5, -1, 0, 0}, {LOSS, 1, 5, -1, 1, 0}, END}},
  {"no count: several at the first look", {{OPEN, 0, 90, -1, 0, 0},
          {LOSS, 3, 5, -1, 3, 0}, {LOSS, 3, 5, -1, 0, 0}, END}},
  {"no count: progress within loss, then another one", {
              {OPEN, 0, 90, -1, 0, 0}, {LOSS, 2, 5, -1, 2, 0},
          {LOSS, 1, 5, -1, 1, 0}, {LOSS, 2, 5, -1, 1, 0}, END}},
  {"no count: it is over before the next look", {{OPEN, 0, 90, -1, 0, 0},
          {LOSS, 0, 5, -1, 1, 0}, {OPEN, 0, 5, -1, 0, 0},
          {LOSS, 0, 5, -1, 1, 0}, {OPEN, 0, 5, -1, 0, 0}, END}},
};

GST_START_TEST (test_detector)
{
  ItcpDetector d;
  guint i;

  itcp_detector_init (&d);
  for (i = 0; rows[__i__].looks[i].state != 99; i++) {
    const Look *look = &rows[__i__].looks[i];
    ItcpSample sample = {
      .ca_state = (guint8) look->state,
      .retransmits = (guint8) look->retransmits,
      .ssthresh = look->ssthresh,
      .has_total_rto = look->total_rto >= 0,
      .total_rto = (guint16) MAX (look->total_rto, 0)
    };
    ItcpFindings f;

    itcp_detector_sample (&d, &sample, &f);
    fail_unless (f.rexmt == look->rexmt && f.dupack == look->dupack,
        "%s: look %u: %u rexmt, %u dupack", rows[__i__].what, i, f.rexmt,
        f.dupack);
  }
  fail_unless (i >= 3);
}

GST_END_TEST;

static Suite *
detector_suite (void)
{
  Suite *s = suite_create ("itcp-detector");
  TCase *tc = tcase_create ("detector");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_detector, 0, G_N_ELEMENTS (rows));
  return s;
}

GST_CHECK_MAIN (detector);
