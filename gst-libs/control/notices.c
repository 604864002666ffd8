/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/notices.h>

#include <string.h>

/* ns. Upstream elements cannot react to more frequent notices. */
#define MIN_INTERVAL (20 * PSP_MSECOND)
/* ns between notices of small changes. */
#define SMALL_INTERVAL PSP_SECOND
/* A share of the target: a larger decrease is announced at once. */
#define DECREASE 0.05
/* A share of the target: below it a change is small. */
#define SMALL 0.01

void
psp_notices_init (PspNotices * n)
{
  memset (n, 0, sizeof *n);
  n->content.target_bitrate = PSP_BITRATE_UNKNOWN;
  n->content.scale = -1;
  n->announced = n->content;
  n->announced_at = PSP_TIME_UNKNOWN;
}

/* Returns the bitrate that is allowed. While the target is unknown, the rate is
 * not limited. */
static int64_t
allowed (const PspNoticeContent * c)
{
  return c->target_bitrate >= 0 ? c->target_bitrate : INT64_MAX;
}

/* Returns a negative number if b allows less than a, 0 if it allows as much. */
static int
compare (const PspNoticeContent * a, const PspNoticeContent * b)
{
  if (allowed (a) != allowed (b))
    return allowed (b) < allowed (a) ? -1 : 1;
  return b->scale < a->scale ? -1 : b->scale > a->scale;
}

void
psp_notices_update (PspNotices * n, int64_t now, int64_t target_bitrate,
    int scale, PspReason reason)
{
  PspNoticeContent content = { target_bitrate, scale };
  int direction = compare (&n->content, &content);

  if (direction == 0)
    return;
  *(direction < 0 ? &n->down : &n->up) = reason;
  n->reason = reason;
  n->content = content;
  n->changed_at = now;
}

void
psp_notices_reset (PspNotices * n, int64_t now)
{
  n->reset = n->announced_at != PSP_TIME_UNKNOWN;
  n->changed_at = now;
}

static bool
is_decrease (const PspNotices * n)
{
  return (n->content.scale >= 0 && n->content.scale < n->announced.scale)
      || (double) allowed (&n->content)
      < (1 - DECREASE) * (double) allowed (&n->announced);
}

static bool
is_small (const PspNotices * n)
{
  double announced = (double) allowed (&n->announced);
  double change = (double) allowed (&n->content) - announced;

  return n->content.scale == n->announced.scale
      && change < SMALL * announced && change > -SMALL * announced;
}

int64_t
psp_notices_due (const PspNotices * n, int64_t rtt)
{
  if (n->reset)
    return n->changed_at;
  if (compare (&n->announced, &n->content) == 0)
    return PSP_TIME_NEVER;
  if (n->announced_at == PSP_TIME_UNKNOWN || is_decrease (n))
    return n->changed_at;
  return n->announced_at + MAX (is_small (n) ? SMALL_INTERVAL : MIN_INTERVAL,
      rtt);
}

PspReason
psp_notices_reason (const PspNotices * n)
{
  int direction = compare (&n->announced, &n->content);

  if (n->reset)
    return PSP_REASON_RESET;
  if (n->announced_at == PSP_TIME_UNKNOWN && n->reason != PSP_REASON_TIMEOUT)
    return PSP_REASON_START;
  if (direction == 0)
    return n->reason;
  if (direction < 0)
    return n->down;
  return n->up == PSP_REASON_LIMIT ? PSP_REASON_LIMIT : PSP_REASON_INCREASE;
}

void
psp_notices_announced (PspNotices * n, int64_t now)
{
  n->reason = psp_notices_reason (n);
  n->announced = n->content;
  n->announced_at = now;
  n->reset = false;
}
