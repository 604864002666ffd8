/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/epochs.h>

static PspEpoch *
epoch (PspEpochs * e, unsigned i)
{
  return &e->ring[(e->head + i) % PSP_MAX_EPOCHS];
}

void
psp_epochs_init (PspEpochs * e)
{
  e->head = e->n = 0;
}

static void
close_present (PspEpochs * e, int64_t now, int64_t length)
{
  PspEpoch *last = e->n ? epoch (e, e->n - 1) : NULL;

  if (last && length != PSP_TIME_NEVER && e->n < PSP_MAX_EPOCHS
      && now - last->begun_at >= length)
    last->closed = true;
}

void
psp_epochs_sent (PspEpochs * e, const PspSent * sent, int64_t length)
{
  PspEpoch *last;

  close_present (e, sent->now, length);
  if (!e->n || epoch (e, e->n - 1)->closed) {
    last = epoch (e, e->n++);
    last->first = sent->index;
    last->sent = last->received = last->lost = 0;
    last->begun_at = sent->now;
    last->closed = last->app_limited = false;
  }
  last = epoch (e, e->n - 1);
  last->sent++;
  last->last_at = sent->now;
  last->app_limited |= sent->app_limited;
}

static void
count (PspEpoch * e, const PspPacketResult * result)
{
  bool ce = result->ecn == PSP_ECN_CE;

  switch (result->outcome) {
    case PSP_OUTCOME_RECEIVED:
      /* RFC 3168 section 5: a mark has the same effect as a loss. */
      *(ce ? &e->lost : &e->received) += 1;
      break;
    case PSP_OUTCOME_LOST:
      e->lost++;
      break;
    case PSP_OUTCOME_RECOVERED:
      if (e->lost > 0 && !ce) {
        e->lost--;
        e->received++;
      }
      break;
  }
}

/* Results and epochs both have ascending indexes. */
void
psp_epochs_report (PspEpochs * e, const PspReport * report, int64_t length)
{
  unsigned at = 0;
  size_t i;

  close_present (e, report->now, length);
  for (i = 0; i < report->n_results; i++) {
    int64_t index = report->results[i].index;

    while (at < e->n && index - epoch (e, at)->first >= epoch (e, at)->sent)
      at++;
    if (at == e->n)
      break;
    if (index >= epoch (e, at)->first)
      count (epoch (e, at), &report->results[i]);
  }
}

/* A packet that the history has forgotten is no longer in flight, and its
 * outcome will never be known. */
const PspEpoch *
psp_epochs_take (PspEpochs * e, const PspReport * report)
{
  PspEpoch *oldest = e->n ? epoch (e, 0) : NULL;

  if (!oldest || !oldest->closed
      || (oldest->received + oldest->lost < oldest->sent
          && report->oldest_in_flight_at <= oldest->last_at))
    return NULL;
  e->head = (e->head + 1) % PSP_MAX_EPOCHS;
  e->n--;
  return oldest;
}

bool
psp_epoch_is_spacing_bound (const PspEpoch * e, int64_t period, int64_t length,
    double busy_share)
{
  return !e->app_limited || (double) e->sent * (double) period
      >= busy_share * (double) length;
}
