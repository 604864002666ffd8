/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "codel.h"

#include <math.h>

void
link_codel_init (LinkCodel * codel, const LinkCodelConfig * config)
{
  LinkCodel initial = { 0 };

  *codel = initial;
  codel->config = *config;
}

int64_t
link_codel_control_law (const LinkCodel * codel, int64_t t, uint32_t count)
{
  return t + llround ((double) codel->config.interval / sqrt (count));
}

/* dodequeue(): *ok_to_drop when the sojourn time has been above the target
 * for an interval. */
static LinkPacket *
pop (LinkCodel * codel, LinkQueue * q, int64_t now, bool *ok_to_drop)
{
  LinkPacket *p = link_queue_pop (q);

  *ok_to_drop = false;
  if (!p || now - p->arrived < codel->config.target ||
      q->bytes <= LINK_CODEL_MAX_PACKET) {
    codel->above = false;
  } else if (!codel->above) {
    codel->above = true;
    codel->first_above = link_time_add (now, codel->config.interval);
  } else if (now >= codel->first_above) {
    *ok_to_drop = true;
  }
  return p;
}

/* True: p was marked and still leaves. */
static bool
mark_or_drop (const LinkCodel * codel, LinkPacket * p, LinkQueue * dropped)
{
  if (codel->config.ecn && link_packet_may_mark (p)) {
    p->marked = true;
    return true;
  }
  link_queue_push (dropped, p);
  return false;
}

static LinkPacket *
leave_dropping (LinkCodel * codel, LinkQueue * q, int64_t now,
    LinkPacket * p, LinkQueue * dropped)
{
  bool ok_to_drop;

  while (codel->dropping && now >= codel->drop_next) {
    codel->count++;
    if (mark_or_drop (codel, p, dropped)) {
      codel->drop_next =
          link_codel_control_law (codel, codel->drop_next, codel->count);
      return p;
    }
    p = pop (codel, q, now, &ok_to_drop);
    if (ok_to_drop)
      codel->drop_next =
          link_codel_control_law (codel, codel->drop_next, codel->count);
    else
      codel->dropping = false;
  }
  return p;
}

/* A drop rate that held the queue a short while ago is where to start. */
static void
enter_dropping (LinkCodel * codel, int64_t now)
{
  uint32_t delta = codel->count - codel->last_count;

  codel->dropping = true;
  codel->count = 1;
  if (delta > 1 && now - codel->drop_next < 16 * codel->config.interval)
    codel->count = delta;
  codel->drop_next = link_codel_control_law (codel, now, codel->count);
  codel->last_count = codel->count;
}

LinkPacket *
link_codel_leave (LinkCodel * codel, LinkQueue * q, int64_t now,
    LinkQueue * dropped)
{
  bool ok_to_drop;
  LinkPacket *p = pop (codel, q, now, &ok_to_drop);

  if (codel->dropping) {
    if (!ok_to_drop)
      codel->dropping = false;
    return leave_dropping (codel, q, now, p, dropped);
  }
  if (ok_to_drop) {
    if (!mark_or_drop (codel, p, dropped))
      p = pop (codel, q, now, &ok_to_drop);
    enter_dropping (codel, now);
  }
  return p;
}
