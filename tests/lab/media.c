/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "media.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpfeedback/receiver.h>
#include <rtpfeedback/rtcpfeedback.h>

#define RTP_HEADER 12
#define RTCP_SIZE 1200
#define START_BITRATE 300000
/* As pspsink has them. */
#define UNPROVED_BITRATE 600000
#define CLAIMED_AFTER (150 * PSP_MSECOND)
#define QUEUE_TIME 1            /* s at the target; upstream then waits */

struct LabMedia
{
  LabCalendar *calendar;
  LabMediaConfig config;
  unsigned flow;
  LabDirection *forward, *back;
  LabSource *source;
  PspSender *sender;
  PspRtcpFeedback feedback;
  PspReceiver *receiver;
  LabTimer source_timer, send_timer, tick_timer, report_timer;
  LabRecord *records;           /* those made, in order */
  size_t n_made, n_sent, capacity;
  LabTarget *targets;
  size_t n_targets;
  uint32_t frames;
};

static void try_send (LabMedia * m);
static void run_receiver (void *data, void *argument);

static uint64_t
ntp (int64_t now)
{
  uint64_t t = (uint64_t) now + UINT64_C (1000000) * PSP_SECOND;

  return (t / PSP_SECOND) << 32 | ((t % PSP_SECOND) << 32) / PSP_SECOND;
}

static void
set_target (LabMedia * m, int64_t target)
{
  const LabMediaConfig *c = &m->config;

  m->targets = realloc (m->targets, (m->n_targets + 1) * sizeof *m->targets);
  m->targets[m->n_targets].at = m->calendar->now;
  m->targets[m->n_targets++].target = target;
  if (c->most > 0 && m->calendar->now < c->most_until)
    target = MIN (target, c->most);
  m->source->klass->set_target (m->source, m->calendar->now - c->start, target);
}

/* After anything that may have changed the sender. */
static void
follow_decision (LabMedia * m)
{
  int64_t now = m->calendar->now;
  PspNotice notice;

  while (psp_sender_take_notice (m->sender, now, &notice))
    if (notice.target_bitrate >= 0)
      set_target (m, notice.target_bitrate);
  lab_timer_set (&m->tick_timer, psp_sender_next_tick (m->sender, now));
}

static void
tick (void *data, void *argument)
{
  LabMedia *m = data;

  (void) argument;
  psp_sender_tick (m->sender, m->calendar->now);
  follow_decision (m);
  try_send (m);
}

/* By then reports have said that it is lost. */
static void
claim (void *data, void *argument)
{
  LabMedia *m = data;
  LabRecord *r = argument ? &m->records[(size_t) argument - 1] : NULL;
  PspRtpHeader header = {.ssrc = 1 };

  if (!r || r->arrived_at != LAB_NEVER)
    return;
  header.seq = (uint16_t) ((size_t) argument - 1);
  header.size = r->payload + RTP_HEADER;
  header.payload_size = r->payload;
  psp_receiver_packet (m->receiver, &header, PSP_ECN_NOT_ECT,
      m->calendar->now);
  run_receiver (m, NULL);
}

static void
send_one (LabMedia * m)
{
  LabRecord *r = &m->records[m->n_sent];
  int64_t now = m->calendar->now;
  PspRtpHeader header = {
    .ssrc = 1,
    .seq = (uint16_t) m->n_sent,
    .size = r->payload + RTP_HEADER,
    .payload_size = r->payload
  };
  PspPacket packet;
  LabPacket *p = lab_packet_new (m->flow, header.size, m->n_sent, NULL, 0);

  psp_rtp_packet (&header, &packet);
  r->sent_at = now;
  m->n_sent++;
  p->ecn = psp_sender_ecn (m->sender);
  psp_sender_sent (m->sender, &packet, now,
      (unsigned) (m->n_made - m->n_sent));
  psp_sender_make_room (m->sender, now);
  lab_direction_send (m->forward, p);
  if (m->config.lies)
    lab_calendar_add (m->calendar, now + CLAIMED_AFTER, claim, m,
        (void *) m->n_sent);
}

static void
try_send (LabMedia * m)
{
  int64_t now = m->calendar->now, next;

  while (m->n_sent < m->n_made) {
    if (!psp_sender_media_allowed (m->sender, now)) {
      m->n_sent++;              /* a stopped link: the sink drops it */
      continue;
    }
    if (psp_sender_allowance (m->sender, now, 1, &next) == 0) {
      psp_sender_wait (m->sender);
      lab_timer_set (&m->send_timer, next);
      break;
    }
    send_one (m);
  }
  follow_decision (m);
}

static void
on_send (void *data, void *argument)
{
  (void) argument;
  try_send (data);
}

static void
make_room (LabMedia * m, size_t n)
{
  if (m->n_made + n <= m->capacity)
    return;
  m->capacity = 2 * (m->n_made + n);
  m->records = realloc (m->records, m->capacity * sizeof *m->records);
  if (!m->records)
    abort ();
}

static bool
is_full (const LabMedia * m)
{
  double bits = 0;
  size_t i;

  for (i = m->n_sent; i < m->n_made; i++)
    bits += 8.0 * m->records[i].payload;
  return bits > QUEUE_TIME * (double) lab_media_target (m, m->calendar->now);
}

static void
on_frame (void *data, void *argument)
{
  LabMedia *m = data;
  const LabMediaConfig *c = &m->config;
  uint32_t payloads[LAB_FRAME_PACKETS];
  int64_t now = m->calendar->now;
  size_t n, i;

  (void) argument;
  if (c->most > 0 && now >= c->most_until && now < c->most_until + 40000000)
    m->source->klass->set_target (m->source, now - c->start,
        lab_media_target (m, now));
  n = m->source->klass->take (m->source, now - c->start, payloads);
  if ((c->stop > 0 && now >= c->stop)
      || (now >= c->pause_from && now < c->pause_to) || is_full (m))
    n = 0;
  make_room (m, n);
  for (i = 0; i < n; i++) {
    LabRecord *r = &m->records[m->n_made++];

    memset (r, 0, sizeof *r);
    r->made_at = now;
    r->sent_at = r->arrived_at = LAB_NEVER;
    r->payload = payloads[i];
    r->frame = m->frames;
    r->last = i + 1 == n;
  }
  m->frames++;
  lab_timer_set (&m->source_timer, c->start
      + m->source->klass->next (m->source));
  try_send (m);
}

static void
run_receiver (void *data, void *argument)
{
  LabMedia *m = data;
  int64_t now = m->calendar->now;
  int64_t clock = now + (now >= m->config.clock_at ? m->config.clock_by : 0);
  uint8_t buffer[RTCP_SIZE];
  size_t size;

  (void) argument;
  while ((size = psp_receiver_pack (m->receiver, now, ntp (clock), buffer,
              sizeof buffer)) > 0)
    lab_direction_send (m->back, lab_packet_new (m->flow, (uint32_t) size, 0,
            buffer, (unsigned) size));
  lab_timer_set (&m->report_timer, psp_receiver_next (m->receiver, now));
}

static void
on_packet (void *data, LabPacket * p)
{
  LabMedia *m = data;
  LabRecord *r = &m->records[p->id];
  PspRtpHeader header = {
    .ssrc = 1,
    .seq = (uint16_t) p->id,
    .size = r->payload + RTP_HEADER,
    .payload_size = r->payload
  };

  r->arrived_at = m->calendar->now;
  r->wait = p->wait;
  psp_receiver_packet (m->receiver, &header, p->ecn, m->calendar->now);
  run_receiver (m, NULL);
}

static void
on_report (void *data, LabPacket * p)
{
  LabMedia *m = data;
  bool bye;

  psp_rtcp_feedback_receive (&m->feedback, m->sender, p->data, p->n,
      m->calendar->now, &bye);
  follow_decision (m);
  try_send (m);
}

static void
start (void *data, void *argument)
{
  LabMedia *m = data;
  const LabMediaConfig *c = &m->config;
  PspSenderConfig config = {
    .controller = psp_controller_find (c->controller),
    .parameters = c->parameters,
    .limits = {.start_bitrate = c->start_bitrate ? c->start_bitrate :
          START_BITRATE,.max_bitrate = c->max_bitrate,
        .unproved_bitrate = c->unproved_bitrate ? c->unproved_bitrate :
          UNPROVED_BITRATE}
  };
  PspReceiverConfig receiver = {
    .ssrc = 0x1000 + m->flow,
    .cname = "receiver",
    .feedback_interval = 25 * PSP_MSECOND,
    .max_rtcp_size = RTCP_SIZE,
    .random_seed = (uint32_t) (c->seed + m->flow)
  };

  (void) argument;
  m->sender = psp_sender_new (&config, c->start);
  m->receiver = psp_receiver_new (&receiver);
  m->source = lab_source_new (c->source, config.limits.start_bitrate,
      c->seed * 1000 + m->flow);
  if (!m->sender || !m->receiver || !m->source)
    abort ();
  psp_sender_set_ecn (m->sender, (PspEcn) c->ecn, c->start);
  lab_timer_set (&m->source_timer, c->start
      + m->source->klass->next (m->source));
  follow_decision (m);
}

LabMedia *
lab_media_new (LabCalendar * calendar, unsigned flow,
    const LabMediaConfig * config, LabDirection * forward, LabDirection * back)
{
  LabMedia *m = calloc (1, sizeof *m);

  m->calendar = calendar;
  m->config = *config;
  m->flow = flow;
  m->forward = forward;
  m->back = back;
  psp_rtcp_feedback_init (&m->feedback, RTCP_SIZE);
  lab_timer_init (&m->source_timer, calendar, on_frame, m);
  lab_timer_init (&m->send_timer, calendar, on_send, m);
  lab_timer_init (&m->tick_timer, calendar, tick, m);
  lab_timer_init (&m->report_timer, calendar, run_receiver, m);
  lab_direction_connect (forward, flow, on_packet, m, config->delay);
  lab_direction_connect (back, flow, on_report, m, config->delay);
  lab_calendar_add (calendar, config->start, start, m, NULL);
  return m;
}

void
lab_media_free (LabMedia * m)
{
  psp_sender_free (m->sender);
  psp_receiver_free (m->receiver);
  psp_rtcp_feedback_clear (&m->feedback);
  if (m->source)
    m->source->klass->free (m->source);
  free (m->records);
  free (m->targets);
  free (m);
}

const LabRecord *
lab_media_records (const LabMedia * m, size_t *n)
{
  *n = m->n_made;
  return m->records;
}

const LabTarget *
lab_media_targets (const LabMedia * m, size_t *n)
{
  *n = m->n_targets;
  return m->targets;
}

void
lab_media_stats (const LabMedia * m, PspSenderStats * stats)
{
  psp_sender_stats (m->sender, m->calendar->now, stats);
}

int64_t
lab_media_target (const LabMedia * m, int64_t at)
{
  int64_t target = m->config.start_bitrate ? m->config.start_bitrate :
      START_BITRATE;
  size_t i;

  for (i = 0; i < m->n_targets && m->targets[i].at <= at; i++)
    target = m->targets[i].target;
  return target;
}
