/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "detector.h"

#include <string.h>

void
itcp_detector_init (ItcpDetector * d)
{
  memset (d, 0, sizeof *d);
}

/* An entry to recovery shows as the state. If TCP leaves recovery and enters it
 * again at one acknowledgement, only another cut of the threshold shows:
 * nothing else cuts it within recovery (an undo raises it). */
static bool
entered_recovery (const ItcpSample * last, const ItcpSample * sample)
{
  if (sample->ca_state != ITCP_CA_RECOVERY)
    return false;
  if (last->ca_state != ITCP_CA_RECOVERY)
    return true;
  return sample->ssthresh > 0 && sample->ssthresh < last->ssthresh;
}

/* For kernels without a count of timeouts. Counts the entry to loss, which an
 * acknowledgement may have ended before the next look, and each further timeout
 * in a row. */
static unsigned
timeouts (ItcpDetector * d, const ItcpSample * sample)
{
  bool entered = sample->ca_state == ITCP_CA_LOSS
      && d->last.ca_state != ITCP_CA_LOSS;
  unsigned n = 0;

  if (sample->retransmits < d->last.retransmits
      || (sample->ca_state != ITCP_CA_LOSS && sample->retransmits == 0))
    d->counted = 0;
  if (entered && d->counted == 0) {
    d->counted = 1;
    n = 1;
  }
  /* A retransmission counts if the timer backed off; otherwise it may be a
   * probe. */
  if (sample->ca_state == ITCP_CA_LOSS && sample->retransmits > d->counted) {
    n += sample->retransmits - d->counted;
    d->counted = sample->retransmits;
  }
  return n;
}

void
itcp_detector_sample (ItcpDetector * d, const ItcpSample * sample,
    ItcpFindings * findings)
{
  uint32_t ssthresh = sample->ssthresh;

  findings->rexmt = findings->dupack = 0;
  if (d->started) {
    findings->dupack = entered_recovery (&d->last, sample);
    if (!d->exact)
      findings->rexmt = timeouts (d, sample);
    else if (sample->has_total_rto)
      findings->rexmt = (uint16_t) (sample->total_rto - d->total_rto);
  }
  if (sample->has_total_rto) {
    d->exact = true;
    d->total_rto = sample->total_rto;
  }
  if (ssthresh == 0)
    ssthresh = d->last.ssthresh;
  d->last = *sample;
  d->last.ssthresh = ssthresh;
  d->started = true;
}
