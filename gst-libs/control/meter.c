/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/meter.h>

#include <string.h>

static const struct
{
  int64_t min_timeout, start_timeout, max_timeout;
  int64_t min_loss_span;
  double life;
} defaults = {
  .min_timeout = 200 * PSP_MSECOND,     /* as in Linux's TCP */
  .start_timeout = PSP_SECOND,  /* RFC 6298 (2.1) */
  .max_timeout = 60 * PSP_SECOND,       /* RFC 6298 (2.5) */
  /* ns. In a shorter span a single loss would dominate. */
  .min_loss_span = 100 * PSP_MSECOND,
  .life = 10,                   /* s; the default of PSP_LIFE_PARAMETER */
};

void
psp_meter_init (PspMeter * m)
{
  unsigned i;

  memset (m, 0, sizeof *m);
  psp_path_init (&m->path);
  m->loss_since = PSP_TIME_UNKNOWN;
  m->first_at = PSP_TIME_UNKNOWN;
  for (i = 0; i <= PSP_METER_SLOTS; i++)
    m->slots[i].number = INT64_MIN;
}

/* Takes losses back, also those that were counted in the last round trip:
 * they are revoked when their packets are reported, which is later. */
static void
revoke_losses (PspMeter * m, uint64_t n)
{
  uint64_t now = MIN (m->loss.lost, n);

  m->loss.lost -= now;
  m->loss_before.lost -= MIN (m->loss_before.lost, n - now);
}

static void
count_loss (PspMeter * m, const PspReport * report)
{
  int64_t span = MAX (psp_meter_rtt (m), defaults.min_loss_span);

  if (m->loss_since == PSP_TIME_UNKNOWN)
    m->loss_since = report->now;
  if (report->now - m->loss_since >= span) {
    m->loss_before = m->loss;
    memset (&m->loss, 0, sizeof m->loss);
    m->loss_since = report->now;
  }
  m->loss.decided += report->n_received + report->n_lost;
  m->loss.lost += report->n_lost;
  revoke_losses (m, report->n_recovered);
}

static void
count_payload (PspMeter * m, int64_t now, uint64_t payload_received)
{
  int64_t number = now / PSP_METER_SLOT;
  unsigned i = (unsigned) ((uint64_t) number % (PSP_METER_SLOTS + 1));

  if (m->slots[i].number != number) {
    m->slots[i].number = number;
    m->slots[i].bytes = 0;
  }
  m->slots[i].bytes += payload_received;
}

void
psp_meter_report (PspMeter * m, const PspReport * report)
{
  psp_path_add (&m->path, report, defaults.life);
  if (report->n_results > 0 && m->first_at == PSP_TIME_UNKNOWN)
    m->first_at = report->now;
  count_loss (m, report);
  count_payload (m, report->now, report->payload_received);
}

static void
end_slots (PspMeter * m, int64_t now)
{
  uint64_t most = 0;
  unsigned i;

  if (now - m->sent_until >= PSP_METER_SENT_SLOTS * PSP_METER_SENT_SLOT) {
    memset (m->sent, 0, sizeof m->sent);
    m->sent_until = now + PSP_METER_SENT_SLOT;
  }
  for (; now >= m->sent_until; m->sent_until += PSP_METER_SENT_SLOT) {
    memmove (&m->sent[1], &m->sent[0],
        PSP_METER_SENT_SLOTS * sizeof m->sent[0]);
    m->sent[0] = 0;
  }
  for (i = 1; i <= PSP_METER_SENT_SLOTS; i++)
    most = MAX (most, m->sent[i]);
  m->peak_sent = (int64_t) (8 * most * (PSP_SECOND / PSP_METER_SENT_SLOT));
}

void
psp_meter_sent (PspMeter * m, int64_t now, uint32_t payload_size)
{
  if (now >= m->sent_until)
    end_slots (m, now);
  m->sent[0] += payload_size;
}

int64_t
psp_meter_peak_sent (PspMeter * m, int64_t now)
{
  if (now >= m->sent_until)
    end_slots (m, now);
  return m->peak_sent;
}

int64_t
psp_meter_rtt (const PspMeter * m)
{
  return m->path.rtt.smoothed >
      0 ? (int64_t) m->path.rtt.smoothed : PSP_TIME_UNKNOWN;
}

int64_t
psp_meter_rtt_deviation (const PspMeter * m)
{
  return m->path.rtt.smoothed >
      0 ? (int64_t) m->path.rtt.deviation : PSP_TIME_UNKNOWN;
}

int64_t
psp_meter_rtt_min (const PspMeter * m)
{
  return m->path.rtt.smoothed > 0 ? m->path.min_rtt.value : PSP_TIME_UNKNOWN;
}

double
psp_meter_loss (const PspMeter * m)
{
  unsigned decided = m->loss.decided + m->loss_before.decided;

  if (decided == 0)
    return -1;
  return (double) (m->loss.lost + m->loss_before.lost) / decided;
}

int64_t
psp_meter_delivered (const PspMeter * m, int64_t now)
{
  int64_t number = now / PSP_METER_SLOT;
  uint64_t bytes = 0;
  unsigned i;

  if (m->first_at == PSP_TIME_UNKNOWN || now - m->first_at < PSP_SECOND)
    return PSP_BITRATE_UNKNOWN;
  for (i = 0; i <= PSP_METER_SLOTS; i++)
    if (m->slots[i].number < number
        && m->slots[i].number >= number - PSP_METER_SLOTS)
      bytes += m->slots[i].bytes;
  return (int64_t) (8 * bytes);
}

int64_t
psp_meter_loss_timeout (const PspMeter * m, int64_t report_interval)
{
  double timeout = (double) defaults.start_timeout;

  if (m->path.delay.smoothed > 0)
    timeout = psp_delay_timeout (&m->path.delay);
  timeout = MAX (timeout, (double) defaults.min_timeout);
  timeout = MIN (timeout, (double) defaults.max_timeout);
  return (int64_t) timeout + report_interval;
}

int64_t
psp_meter_overtaken_timeout (const PspMeter * m, int64_t report_interval)
{
  int64_t timeout = psp_meter_loss_timeout (m, report_interval);

  if (m->path.last_rtt == 0)
    return timeout;
  return MIN (timeout, m->path.last_rtt + defaults.min_timeout +
      report_interval);
}
