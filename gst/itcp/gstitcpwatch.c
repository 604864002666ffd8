/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How the link's thread watches a connection.
  */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcplinkprivate.h"

#include <errno.h>

GST_DEBUG_CATEGORY_EXTERN (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

static const struct
{
  const gchar *name;
  GstCongestionReason reason;
  guint flag;
} kinds[ITCP_N_EVENT_KINDS] = {
  [ITCP_EVENT_REXMT] = {"rexmt", GST_CONGESTION_REASON_REXMT,
      GST_ITCP_EVENTS_REXMT},
  [ITCP_EVENT_DUPACK] = {"dupack", GST_CONGESTION_REASON_DUPACK,
      GST_ITCP_EVENTS_DUPACK},
  [ITCP_EVENT_BACKLOG] = {"backlog", GST_CONGESTION_REASON_BACKLOG,
      GST_ITCP_EVENTS_BACKLOG},
};

static guint
to_estimate (gint64 rate)
{
  return (guint) MIN (rate, (gint64) G_MAXUINT);
}

/* With the lock. */
static GstCongestionInfo *
make_info (GstItcpLink * link, GstCongestionReason reason)
{
  GstCongestionInfo *info = gst_congestion_info_new (reason);
  gint64 rate = link->symbiosis.rate;

  /* The target is only known to be one where it is kept to. */
  if (rate > 0 && link->symbiosis.params.enabled) {
    gst_congestion_info_set_target_bitrate (info, (guint64) rate);
    gst_congestion_info_set_queue_time (info,
        gst_util_uint64_scale ((guint64) MAX (link->stats.unsent, 0),
            8 * GST_SECOND, (guint64) rate));
  }
  if (link->stats.rtt > 0)
    gst_congestion_info_set_rtt (info, (GstClockTime) link->stats.rtt);
  gst_congestion_info_set_controller (info, "itcp");
  gst_congestion_info_set_count (info, ++link->stats.told);
  return info;
}

static void
tell (GstItcpLink * link, GstCongestionReason reason, guint estimate_before)
{
  GstCongestionInfo *info;
  gboolean upstream, changed;

  g_mutex_lock (&link->lock);
  info = make_info (link, reason);
  upstream = link->symbiosis.params.enabled;
  changed = to_estimate (link->symbiosis.rate) != estimate_before;
  g_mutex_unlock (&link->lock);
  gst_itcp_notifier_tell (link->notifier, info, upstream);
  if (changed)
    gst_itcp_notifier_notify (link->notifier, link->estimate_pspec);
}

/* With the lock: what the base is measured to be. */
static void
update_base (GstItcpLink * link)
{
  if (link->symbiosis.params.base_bitrate == 0)
    itcp_symbiosis_set_measured (&link->symbiosis,
        itcp_meter_peak (&link->meter, gst_itcp_link_meter_now (link)));
}

static void
handle_event (GstItcpLink * link, ItcpEventKind kind, guint n, gint64 at)
{
  gint64 now = itcp_monotonic_now ();
  guint estimate;
  gboolean wanted;

  if (n == 0)
    return;
  g_mutex_lock (&link->lock);
  link->stats.events[kind] += n;
  link->stats.last_delay = at == ITCP_TIME_UNKNOWN ? -1 : now - at;
  wanted = (link->settings.events & kinds[kind].flag) != 0;
  estimate = to_estimate (link->symbiosis.rate);
  update_base (link);
  for (guint i = 0; wanted && i < n; i++)
    itcp_symbiosis_event (&link->symbiosis, now);
  GST_INFO_OBJECT (link->element, "%u %s, rtt %" G_GINT64_FORMAT " us, unsent %"
      G_GINT64_FORMAT ": target %" G_GINT64_FORMAT " bits/s", n,
      kinds[kind].name, link->stats.rtt / 1000, link->stats.unsent,
      link->symbiosis.rate);
  g_mutex_unlock (&link->lock);
  if (wanted)
    tell (link, kinds[kind].reason, estimate);
}

/* With the lock. */
static void
update_stats (GstItcpLink * link, const Connection * c,
    const ItcpTcpInfo * info)
{
  GstItcpLinkStats *s = &link->stats;

  s->rtt = info->rtt;
  s->bytes_acked = info->bytes_acked - c->acked_before;
  s->retransmits = info->total_retransmits;
  s->unsent = MAX (itcp_tcp_unsent (c->fd), 0);
  s->unacked = MAX (itcp_tcp_unacked (c->fd), 0);
  if (link->drains && s->unacked == 0)
    g_cond_broadcast (&link->cond);
}

static gboolean
backlog_grows (GstItcpLink * link)
{
  gint64 rate = link->symbiosis.rate;
  guint64 written = link->written - link->written_before;

  if (rate == 0)
    rate = itcp_meter_peak (&link->meter, gst_itcp_link_meter_now (link));
  link->written_before = link->written;
  return itcp_backlog_tick (&link->backlog, link->stats.unsent,
      (gint64) written, rate);
}

/* What is due by now. */
static void
tick (GstItcpLink * link, gint64 now)
{
  gboolean grows = FALSE, risen, changed;
  guint estimate;

  g_mutex_lock (&link->lock);
  estimate = to_estimate (link->symbiosis.rate);
  if (now >= link->next_tick) {
    update_base (link);
    grows = backlog_grows (link);
    link->next_tick = now + ITCP_BACKLOG_TICK;
  }
  risen = itcp_symbiosis_tick (&link->symbiosis, now);
  changed = to_estimate (link->symbiosis.rate) != estimate;
  g_mutex_unlock (&link->lock);

  if (grows)
    handle_event (link, ITCP_EVENT_BACKLOG, 1, ITCP_TIME_UNKNOWN);
  if (risen)
    tell (link, GST_CONGESTION_REASON_INCREASE, estimate);
  else if (changed)
    gst_itcp_notifier_notify (link->notifier, link->estimate_pspec);
}

static void
take_settings (GstItcpLink * link, gint64 now)
{
  gboolean changed = FALSE, again;
  guint estimate;

  g_mutex_lock (&link->lock);
  estimate = to_estimate (link->symbiosis.rate);
  if (link->settings_changed) {
    link->settings_changed = FALSE;
    changed = itcp_symbiosis_set_params (&link->symbiosis,
        &link->settings.symbiosis, now);
  }
  again = link->tells_again && link->symbiosis.rate > 0;
  link->tells_again = FALSE;
  g_mutex_unlock (&link->lock);
  if (changed)
    tell (link, GST_CONGESTION_REASON_LIMIT, estimate);
  else if (again)
    tell (link, GST_CONGESTION_REASON_START, estimate);
}

static gboolean
wants_room (GstItcpLink * link)
{
  gboolean wants;

  g_mutex_lock (&link->lock);
  wants = link->wants_room;
  g_mutex_unlock (&link->lock);
  return wants;
}

static void
tell_of_room (GstItcpLink * link)
{
  g_mutex_lock (&link->lock);
  link->wants_room = FALSE;
  g_cond_broadcast (&link->cond);
  g_mutex_unlock (&link->lock);
}

/* A look at the connection: 0, or a negative errno once it has ended. */
static int
look (GstItcpLink * link, Connection * c, int got)
{
  ItcpNews news;
  int err;

  if ((err = itcp_source_read (&link->source, &news)) < 0)
    return err;
  if (news.info.mss > 0)
    g_atomic_int_set (&c->segment, (gint) news.info.mss);
  g_mutex_lock (&link->lock);
  update_stats (link, c, &news.info);
  g_mutex_unlock (&link->lock);
  handle_event (link, ITCP_EVENT_REXMT, news.found.rexmt, news.rexmt_at);
  handle_event (link, ITCP_EVENT_DUPACK, news.found.dupack, news.dupack_at);

  if (got & (ITCP_WAIT_ERROR | ITCP_WAIT_HANGUP)
      && (err = itcp_tcp_take_error (c->fd)) < 0)
    return err;
  if (got & (ITCP_WAIT_READABLE | ITCP_WAIT_HANGUP)
      && (err = itcp_tcp_drain (c->fd)) <= 0)
    return err < 0 ? err : -EPIPE;
  return got & ITCP_WAIT_HANGUP ? -EPIPE : 0;
}

static int
open_source (GstItcpLink * link, Connection * c)
{
  static const ItcpSourceKind sources[] = {
    [GST_ITCP_EVENT_SOURCE_AUTO] = ITCP_SOURCE_AUTO,
    [GST_ITCP_EVENT_SOURCE_ERROR_QUEUE] = ITCP_SOURCE_ERROR_QUEUE,
    [GST_ITCP_EVENT_SOURCE_TCP_INFO] = ITCP_SOURCE_TCP_INFO
  };
  int err = itcp_source_open (&link->source, sources[link->settings.source],
      c->fd);

  if (err == -ENOPROTOOPT || err == -EINVAL || err == -EOPNOTSUPP) {
    gst_itcp_notifier_post (link->notifier, GST_MESSAGE_WARNING,
        GST_RESOURCE_ERROR_SETTINGS, g_strdup ("The kernel does not have this "
            "event-source; going on with what it has, as with auto."));
    err = itcp_source_open (&link->source, ITCP_SOURCE_AUTO, c->fd);
  }
  return err;
}

int
gst_itcp_link_watch (GstItcpLink * link, Connection * c)
{
  guint estimate;
  gint64 now;
  int got, err = open_source (link, c);

  if (err < 0)
    return err;
  itcp_backlog_init (&link->backlog);
  now = itcp_monotonic_now ();
  link->next_tick = now + ITCP_BACKLOG_TICK;
  g_mutex_lock (&link->lock);
  link->stats.source = link->source.klass->name;
  itcp_tcp_congestion (c->fd, link->stats.congestion);
  estimate = to_estimate (link->symbiosis.rate);
  itcp_symbiosis_reset (&link->symbiosis);
  g_mutex_unlock (&link->lock);
  if (c->number > 1 || link->symbiosis.rate > 0)
    tell (link, c->number > 1 ? GST_CONGESTION_REASON_RESET :
        GST_CONGESTION_REASON_START, c->number > 1 ? estimate : 0);

  while (!gst_itcp_link_stops (link)) {
    gint64 until = now + link->source.klass->interval;

    until = MIN (until, link->next_tick);
    until = MIN (until, itcp_symbiosis_next (&link->symbiosis));
    got = itcp_wait (c->fd, ITCP_WAIT_READABLE |
        (wants_room (link) ? ITCP_WAIT_WRITABLE : 0), &link->waker, until);
    if (got < 0)
      return got;
    if (got & ITCP_WAIT_WOKEN)
      itcp_waker_clear (&link->waker);
    if (got & ITCP_WAIT_WRITABLE)
      tell_of_room (link);
    now = itcp_monotonic_now ();
    take_settings (link, now);
    if ((err = look (link, c, got)) < 0)
      return err;
    tick (link, now);
  }
  return 0;
}
