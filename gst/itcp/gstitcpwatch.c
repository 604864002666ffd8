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
#include <gst/video/video-event.h>

GST_DEBUG_CATEGORY_EXTERN (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

#define MIN_UNSENT_LIMIT 32768  /* bytes */

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
make_info (GstItcpLink * link, GstCongestionReason reason, gboolean rules)
{
  GstCongestionInfo *info = gst_congestion_info_new (reason);
  gint64 rate = link->symbiosis.rate;

  /* The target is only known to be one where it is kept to. */
  if (rules && itcp_symbiosis_is_known (&link->symbiosis)) {
    link->told_target = link->symbiosis.params.enabled ? rate : -1;
    gst_congestion_info_set_target_bitrate (info, (guint64) rate);
    if (rate > 0)
      gst_congestion_info_set_queue_time (info,
          gst_util_uint64_scale ((guint64) link->stats.unsent, 8 * GST_SECOND,
              (guint64) rate));
  }
  if (link->stats.rtt > 0)
    gst_congestion_info_set_rtt (info, (GstClockTime) link->stats.rtt);
  gst_congestion_info_set_controller (info, "itcp");
  gst_congestion_info_set_count (info, ++link->stats.told);
  return info;
}

/* quiet: to the application alone. */
static void
tell (GstItcpLink * link, GstCongestionReason reason, gboolean quiet,
    guint estimate_before)
{
  GstCongestionInfo *info;
  gboolean rules, changed;

  g_mutex_lock (&link->lock);
  /* Whoever was told less than the base is released where nobody rules any
   * more. */
  rules = link->symbiosis.params.enabled || (link->told_target >= 0
      && link->told_target < itcp_symbiosis_base (&link->symbiosis));
  info = make_info (link, reason, rules);
  changed = to_estimate (link->symbiosis.rate) != estimate_before;
  g_mutex_unlock (&link->lock);
  gst_notifier_tell (link->notifier, info, rules && !quiet);
  if (changed)
    gst_notifier_notify (link->notifier, link->estimate_pspec);
}

/* With the lock: what the base is measured to be, or would be without
 * max-target-bitrate. */
static void
update_base (GstItcpLink * link)
{
  itcp_symbiosis_set_measured (&link->symbiosis,
      itcp_meter_peak (&link->meter, gst_itcp_link_meter_now (link)));
}

static void
handle_event (GstItcpLink * link, ItcpEventKind kind, guint n, gint64 at)
{
  gint64 now = wait_monotonic_now ();
  guint estimate;
  gboolean wanted, quiet;

  if (n == 0)
    return;
  g_mutex_lock (&link->lock);
  link->stats.events[kind] += n;
  link->stats.last_delay = at == ITCP_TIME_UNKNOWN ? -1 : now - at;
  wanted = (link->settings.events & kinds[kind].flag) != 0;
  estimate = to_estimate (link->symbiosis.rate);
  update_base (link);
  /* What lowers nothing, as at the floor, goes upstream no more often than a
   * rise does. */
  quiet = now < link->symbiosis.quiet_until;
  for (guint i = 0; wanted && i < n; i++)
    if (itcp_symbiosis_event (&link->symbiosis, now))
      quiet = FALSE;
  GST_INFO_OBJECT (link->element, "%u %s, rtt %" G_GINT64_FORMAT " us, unsent %"
      G_GINT64_FORMAT ": target %" G_GINT64_FORMAT " bits/s", n,
      kinds[kind].name, link->stats.rtt / 1000, link->stats.unsent,
      link->symbiosis.rate);
  g_mutex_unlock (&link->lock);
  if (wanted)
    tell (link, kinds[kind].reason, quiet, estimate);
}

/* With the lock. */
static void
update_stats (GstItcpLink * link, const Connection * c,
    const ItcpTcpInfo * info)
{
  gint64 unsent = itcp_tcp_unsent (c->fd), unacked = itcp_tcp_unacked (c->fd);
  GstItcpLinkStats *s = &link->stats;

  s->rtt = info->rtt;
  itcp_symbiosis_set_rtt (&link->symbiosis, info->rtt);
  s->bytes_acked = info->bytes_acked - c->acked_before;
  s->retransmits = info->total_retransmits;
  s->unsent = MAX (unsent, 0);
  s->unacked = MAX (unacked, 0);
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
  itcp_symbiosis_look (&link->symbiosis, link->stats.unsent);
  return itcp_backlog_tick (&link->backlog, link->stats.unsent,
      (gint64) written, rate);
}

/* With the lock. What is unsent can neither be lowered nor dropped any more. */
static void
limit_unsent (GstItcpLink * link, int fd)
{
  guint64 base = (guint64) itcp_symbiosis_base (&link->symbiosis);
  guint limit = 0;

  if (link->settings.max_queue_time > 0 && base > 0)
    limit = (guint) CLAMP (gst_util_uint64_scale (link->settings.max_queue_time,
            base / 8, GST_SECOND), MIN_UNSENT_LIMIT, G_MAXINT);
  /* A measured base moves all the time. */
  if (limit > 0 && limit > link->unsent_limit / 8 * 7
      && limit < link->unsent_limit / 8 * 9)
    return;
  if (limit != link->unsent_limit)
    itcp_tcp_set_unsent_limit (fd, limit);
  link->unsent_limit = limit;
}

/* What is due by now. */
static void
tick (GstItcpLink * link, const Connection * c, gint64 now)
{
  GstCongestionReason reason = GST_CONGESTION_REASON_INCREASE;
  gboolean grows = FALSE, stepped, changed;
  gint64 before;
  guint estimate;

  g_mutex_lock (&link->lock);
  estimate = to_estimate (link->symbiosis.rate);
  if (now >= link->next_tick) {
    update_base (link);
    limit_unsent (link, c->fd);
    grows = backlog_grows (link);
    /* Where it is an event of its own it needs no step. */
    if (grows && !(link->settings.events & GST_ITCP_EVENTS_BACKLOG))
      itcp_symbiosis_grows (&link->symbiosis, now);
    link->next_tick = now + ITCP_BACKLOG_TICK;
  }
  before = link->symbiosis.rate;
  stepped = itcp_symbiosis_tick (&link->symbiosis, now);
  if (link->symbiosis.rate < before)
    reason = link->symbiosis.delayed ? GST_CONGESTION_REASON_DELAY :
        GST_CONGESTION_REASON_BACKLOG;
  changed = to_estimate (link->symbiosis.rate) != estimate;
  g_mutex_unlock (&link->lock);

  if (grows)
    handle_event (link, ITCP_EVENT_BACKLOG, 1, ITCP_TIME_UNKNOWN);
  if (stepped)
    tell (link, reason, FALSE, estimate);
  else if (changed)
    gst_notifier_notify (link->notifier, link->estimate_pspec);
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
    update_base (link);
    changed = itcp_symbiosis_set_params (&link->symbiosis,
        &link->settings.symbiosis, now);
  }
  again = link->tells_again && itcp_symbiosis_is_known (&link->symbiosis);
  link->tells_again = FALSE;
  g_mutex_unlock (&link->lock);
  if (changed)
    tell (link, GST_CONGESTION_REASON_LIMIT, FALSE, estimate);
  else if (again)
    tell (link, GST_CONGESTION_REASON_START, FALSE, estimate);
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

/* Acknowledgements have ceased. */
static gboolean
stalls (GstItcpLink * link, const Connection * c, const ItcpTcpInfo * info)
{
  ItcpStallSample sample = {
    .at = info->at,
    .since_sent = info->since_sent,
    .since_ack = info->since_ack,
    .rtt = info->rtt,
    .deviation = info->rtt_deviation,
    .sent = info->bytes_sent,
    .acked = info->bytes_acked - c->acked_before,
    .mss = info->mss,
    .ca_state = info->ca_state
  };
  gboolean found;

  if (!info->has_bytes_sent)
    return FALSE;
  found = itcp_stall_sample (&link->stall, &sample, &link->stall_due);
  /* Not as late as the source would look. */
  itcp_source_look_by (&link->source, link->stall_due);
  if (found)
    GST_INFO_OBJECT (link->element, "no acknowledgement for %" G_GINT64_FORMAT
        " us, rtt %" G_GINT64_FORMAT " us, deviation %" G_GINT64_FORMAT " us",
        info->since_ack / 1000, info->rtt / 1000, info->rtt_deviation / 1000);
  return found;
}

/* A look at the connection: 0, or a negative errno once it has ended. */
static int
look (GstItcpLink * link, Connection * c, int got, gint64 now)
{
  guint64 stamps = link->source.stamps;
  ItcpNews news;
  int err;

  if ((err = itcp_source_read (&link->source, &news)) < 0)
    return err;
  /* What the error queue had, which is nearly always why. */
  if (link->source.stamps > stamps)
    got &= ~ITCP_WAIT_ERROR;
  if (link->source.klass->by_segment && news.info.mss > 0)
    g_atomic_int_set (&c->segment,
        (gint) MAX (news.info.mss, ITCP_LEAST_SEGMENT));
  g_mutex_lock (&link->lock);
  link->stats.source = link->source.klass->name;
  /* Not each time: a look is for nearly every segment. */
  if (link->drains || news.found.rexmt || news.found.dupack
      || now >= link->next_tick)
    update_stats (link, c, &news.info);
  g_mutex_unlock (&link->lock);
  handle_event (link, ITCP_EVENT_REXMT, news.found.rexmt, news.rexmt_at);
  handle_event (link, ITCP_EVENT_DUPACK, news.found.dupack, news.dupack_at);
  if (stalls (link, c, &news.info))
    handle_event (link, ITCP_EVENT_BACKLOG, 1, ITCP_TIME_UNKNOWN);

  if (got & (ITCP_WAIT_ERROR | ITCP_WAIT_HANGUP)
      && (err = itcp_tcp_take_error (c->fd)) < 0)
    return err;
  if (got & (ITCP_WAIT_READABLE | ITCP_WAIT_HANGUP)
      && (err = itcp_tcp_drain (c->fd)) <= 0)
    return err < 0 ? err : -EPIPE;
  return got & ITCP_WAIT_HANGUP ? -EPIPE : 0;
}

void
gst_itcp_link_open_source (GstItcpLink * link, int fd)
{
  static const ItcpSourceKind sources[] = {
    [GST_ITCP_EVENT_SOURCE_AUTO] = ITCP_SOURCE_AUTO,
    [GST_ITCP_EVENT_SOURCE_BPF] = ITCP_SOURCE_BPF,
    [GST_ITCP_EVENT_SOURCE_ERROR_QUEUE] = ITCP_SOURCE_ERROR_QUEUE,
    [GST_ITCP_EVENT_SOURCE_TCP_INFO] = ITCP_SOURCE_TCP_INFO
  };
  const gchar *text = link->settings.source == GST_ITCP_EVENT_SOURCE_BPF ?
      "There is no eBPF for us: neither may we load a program (CAP_BPF and "
      "CAP_PERFMON) nor does a gst-itcp-events run that we may use. Going on "
      "as with auto." :
      "The kernel does not have this event-source; going on with what it has, "
      "as with auto.";

  if (itcp_source_open (&link->source, sources[link->settings.source], fd) == 0)
    return;
  if (itcp_source_open (&link->source, ITCP_SOURCE_AUTO, fd) < 0) {
    text = "The kernel tells nothing of its connections; sending on without "
        "rexmt and dupack events.";
    itcp_source_init_none (&link->source, fd);
  }
  if (!link->told_of_source)
    gst_itcp_link_complain (link, FALSE, GST_RESOURCE_ERROR_SETTINGS,
        g_strdup (text));
  link->told_of_source = TRUE;
}

/* Whoever comes amid the stream need not wait for the next key frame; but who
 * only comes and goes is not to have an encoder make one each time. */
static void
plan_key_frame (GstItcpLink * link, const Connection * c, gint64 now)
{
  gboolean late;

  g_mutex_lock (&link->lock);
  late = c->number > 1 || link->settings.mode == GST_ITCP_MODE_LISTENER
      || link->stats.dropped > 0;
  g_mutex_unlock (&link->lock);
  link->ask_at = !late ? ITCP_TIME_NEVER :
      MAX (now, link->asked_at + (gint64) link->settings.reconnect_interval);
}

static void
ask_for_key_frame (GstItcpLink * link, gint64 now)
{
  if (now < link->ask_at)
    return;
  link->asked_at = now;
  link->ask_at = ITCP_TIME_NEVER;
  gst_notifier_push (link->notifier,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
}

/* What begins with a connection. */
static void
begin (GstItcpLink * link, Connection * c, gint64 now)
{
  GstCongestionReason reason = c->number > 1 ? GST_CONGESTION_REASON_RESET :
      GST_CONGESTION_REASON_START;
  gboolean known;
  guint estimate;

  take_settings (link, now);
  itcp_backlog_init (&link->backlog);
  itcp_stall_init (&link->stall);
  link->stall_due = ITCP_TIME_NEVER;
  link->next_tick = now + ITCP_BACKLOG_TICK;
  link->unsent_limit = 0;
  g_mutex_lock (&link->lock);
  link->stats.source = link->source.klass->name;
  itcp_tcp_congestion (c->fd, link->stats.congestion);
  estimate = to_estimate (link->symbiosis.rate);
  itcp_symbiosis_reset (&link->symbiosis);
  known = itcp_symbiosis_is_known (&link->symbiosis);
  limit_unsent (link, c->fd);
  g_mutex_unlock (&link->lock);
  if (c->number > 1 || known)
    tell (link, reason, FALSE, c->number > 1 ? estimate : 0);
  plan_key_frame (link, c, now);
  ask_for_key_frame (link, now);
}

int
gst_itcp_link_watch (GstItcpLink * link, Connection * c)
{
  gint64 now = wait_monotonic_now ();
  int got, err;

  begin (link, c, now);
  while (!gst_itcp_link_stops (link)) {
    gint64 until = now + link->source.klass->interval;

    until = MIN (until, link->next_tick);
    until = MIN (until, link->stall_due);
    until = MIN (until, itcp_symbiosis_next (&link->symbiosis));
    got = itcp_source_wait (&link->source, ITCP_WAIT_READABLE |
        (wants_room (link) ? ITCP_WAIT_WRITABLE : 0), &link->waker,
        &link->alarm, until);
    if (got < 0)
      return got;
    if (got & ITCP_WAIT_WOKEN)
      wait_waker_clear (&link->waker);
    if (got & ITCP_WAIT_WRITABLE)
      tell_of_room (link);
    now = wait_monotonic_now ();
    if (now >= link->next_tick)
      itcp_source_look_by (&link->source, now);
    take_settings (link, now);
    if ((err = look (link, c, got, now)) < 0)
      return err;
    tick (link, c, now);
    ask_for_key_frame (link, now);
  }
  return 0;
}
