/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/report.h>

const PspPacketResult *
psp_report_oldest_received (const PspReport * report)
{
  size_t i;

  for (i = 0; i < report->n_results; i++)
    if (report->results[i].outcome == PSP_OUTCOME_RECEIVED)
      return &report->results[i];
  return NULL;
}

const PspPacketResult *
psp_report_newest_received (const PspReport * report)
{
  size_t i;

  for (i = report->n_results; i > 0; i--)
    if (report->results[i - 1].outcome == PSP_OUTCOME_RECEIVED)
      return &report->results[i - 1];
  return NULL;
}

const PspPacketResult *
psp_report_newest_recovered (const PspReport * report)
{
  size_t i;

  for (i = report->n_results; i > 0; i--)
    if (report->results[i - 1].outcome == PSP_OUTCOME_RECOVERED)
      return &report->results[i - 1];
  return NULL;
}

size_t
psp_report_received_run (const PspReport * report, size_t first)
{
  size_t end = first;

  while (end < report->n_results
      && report->results[end].outcome == PSP_OUTCOME_RECEIVED
      && report->results[end].ecn != PSP_ECN_CE)
    end++;
  return end - first;
}
