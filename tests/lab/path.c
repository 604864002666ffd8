/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

struct LabDirection
{
  LabCalendar *calendar;
  LabWay way;
  LinkConfig config;
  Link *link;
  LabTimer next;
  LinkRandom random;
  double tokens;                /* bytes */
  int64_t filled_at;
  int64_t release_at;           /* of the present bunch */
  struct
  {
    LabArrival arrival;
    void *data;
    int64_t delay;
  } flows[LAB_MAX_FLOWS];
};

LabPacket *
lab_packet_new (unsigned flow, uint32_t size, uint64_t id, const void *data,
    unsigned n)
{
  LabPacket *p = calloc (1, sizeof *p + n);

  p->flow = flow;
  p->size = size;
  p->id = id;
  p->n = n;
  if (n > 0)
    memcpy (p->data, data, n);
  return p;
}

static void
arrive (void *data, void *argument)
{
  LabDirection *d = data;
  LabPacket *p = argument;

  d->flows[p->flow].arrival (d->flows[p->flow].data, p);
  free (p);
}

static double
exponential (LabDirection * d, int64_t mean)
{
  return -log (1 - link_random_uniform (&d->random)) * (double) mean;
}

/* A radio gives packets to the host at its own instants. */
static int64_t
release (LabDirection * d, int64_t now)
{
  while (d->release_at < now)
    d->release_at += (int64_t) exponential (d,
        link_random_chance (&d->random, d->way.bunch_share) ?
        d->way.bunch_long : d->way.bunch_gap);
  return d->release_at;
}

static void
leave_link (LabDirection * d, const LinkPacket * packet)
{
  LabPacket *p = packet->handle;
  int64_t at = packet->delivered;

  if (packet->verdict != LINK_DELIVERED
      || (at >= d->way.gap_from && at < d->way.gap_to)) {
    free (p);
    return;
  }
  p->wait = packet->started - packet->arrived;
  if (packet->bleached)
    p->ecn = 0;
  if (packet->marked)
    p->ecn = 3;
  if (d->way.longer_by > 0 && at >= d->way.longer_at)
    at += d->way.longer_by;
  if (d->way.bunch_share > 0)
    at = release (d, at);
  lab_calendar_add (d->calendar, at, arrive, d, p);
}

static void
run_link (void *data, void *argument)
{
  LabDirection *d = data;
  LinkPacket packet;

  (void) argument;
  while (link_take (d->link, d->calendar->now, &packet))
    leave_link (d, &packet);
  lab_timer_set (&d->next, link_next (d->link));
}

static void
enter_link (void *data, void *argument)
{
  LabDirection *d = data;
  LabPacket *p = argument;
  LinkPacket packet;

  memset (&packet, 0, sizeof packet);
  packet.handle = p;
  packet.size = p->size;
  packet.flow = p->flow;
  packet.flow_hash = p->flow;
  packet.ecn = p->ecn;
  if (link_offer (d->link, d->calendar->now, &packet) != LINK_ACCEPTED)
    free (p);
  lab_timer_set (&d->next, link_next (d->link));
}

static bool
passes_policer (LabDirection * d, uint32_t bytes)
{
  int64_t now = d->calendar->now;

  if (d->way.police_rate == 0)
    return true;
  d->tokens += (double) (now - d->filled_at) * 1e-9
      * (double) d->way.police_rate / 8;
  d->tokens = fmin (d->tokens, (double) d->way.police_bucket);
  d->filled_at = now;
  if (d->tokens < bytes)
    return false;
  d->tokens -= bytes;
  return true;
}

void
lab_direction_send (LabDirection * d, LabPacket * p)
{
  if (!passes_policer (d, p->size + LAB_HEADERS)) {
    free (p);
    return;
  }
  lab_calendar_add (d->calendar, d->calendar->now + d->flows[p->flow].delay,
      enter_link, d, p);
}

LabDirection *
lab_direction_new (LabCalendar * calendar, const LabWay * way, uint64_t seed)
{
  LabDirection *d = calloc (1, sizeof *d);
  char error[LINK_ERROR_SIZE];

  d->calendar = calendar;
  d->way = *way;
  if (!link_spec_parse (way->link, &d->config, error)) {
    fprintf (stderr, "%s: %s\n", way->link, error);
    abort ();
  }
  d->config.overhead = LAB_HEADERS;
  d->config.seed = seed;
  d->link = link_new (&d->config);
  d->tokens = (double) way->police_bucket;
  link_random_init (&d->random, seed, 50);
  lab_timer_init (&d->next, calendar, run_link, d);
  return d;
}

void
lab_direction_free (LabDirection * d)
{
  LinkPacket packet;

  while (link_flush (d->link, &packet))
    if (packet.last)
      free (packet.handle);
  link_free (d->link);
  free (d);
}

void
lab_direction_connect (LabDirection * d, unsigned flow, LabArrival arrival,
    void *data, int64_t delay)
{
  d->flows[flow].arrival = arrival;
  d->flows[flow].data = data;
  d->flows[flow].delay = delay;
}

double
lab_direction_capacity (const LabDirection * d, int64_t from, int64_t to)
{
  const LinkSchedule *s = &d->config.schedule;
  double bits = 0;
  unsigned i;

  for (i = 0; i < s->n; i++) {
    int64_t begin = s->step[i].at > from ? s->step[i].at : from;
    int64_t end = i + 1 < s->n && s->step[i + 1].at < to ?
        s->step[i + 1].at : to;
    int64_t rate = s->step[i].rate;

    if (d->way.police_rate > 0 && rate > d->way.police_rate)
      rate = d->way.police_rate;
    if (end > begin)
      bits += (double) (end - begin) * 1e-9 * (double) rate;
  }
  return bits;
}

int64_t
lab_direction_delay (const LabDirection * d)
{
  return d->config.impair.delay;
}
