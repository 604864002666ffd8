/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The part of the link's thread that watches a connection.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcplinkprivate.h"

#include <errno.h>

#include <notify/notice.h>

GST_DEBUG_CATEGORY_EXTERN (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

/* ns; an encoder that looks ahead takes two seconds to begin */
#define HALF_CLOSED_TIME (3 * PSP_SECOND)
/* bytes, a few segments; max-queue-time never limits unsent data to less */
#define MIN_UNSENT_LIMIT 4096

static const struct
{
  const gchar *name;
  PspReason reason;
  guint flag;
} kinds[ITCP_N_EVENT_KINDS] = {
  [ITCP_EVENT_REXMT] = {"rexmt", PSP_REASON_REXMT, GST_ITCP_EVENTS_REXMT},
  [ITCP_EVENT_DUPACK] = {"dupack", PSP_REASON_DUPACK, GST_ITCP_EVENTS_DUPACK},
  [ITCP_EVENT_BACKLOG] = {"backlog", PSP_REASON_BACKLOG,
      GST_ITCP_EVENTS_BACKLOG},
};

/* Returns the content of a notice; the caller holds the lock. */
static GstCongestionInfo *
make_info (GstItcpLink * link, PspReason reason, gint64 target)
{
  PspNotice notice = {
    .reason = reason,
    .target_bitrate = target,
    .scale = -1,
    .rtt = link->stats.rtt > 0 ? link->stats.rtt : PSP_TIME_UNKNOWN,
    .loss = -1,
    .spacing = PSP_TIME_UNKNOWN
  };
  GstCongestionInfo *info = gst_notice_to_info (&notice, PSP_BITRATE_UNKNOWN,
      0, "itcp");

  if (target > 0)
    gst_congestion_info_set_queue_time (info,
        gst_util_uint64_scale ((guint64) link->stats.unsent, 8 * GST_SECOND,
            (guint64) target));
  gst_congestion_info_set_count (info, link->stats.messages);
  return info;
}

/* Sends a notice. One info serves both receivers if they get the same
 * content. */
static void
send_notice (GstItcpLink * link, const ItcpNotice * notice)
{
  GstCongestionInfo *message = NULL, *event = NULL;
  guint receivers = GST_NOTIFIER_UPSTREAM;

  g_mutex_lock (&link->lock);
  link->stats.messages += notice->message;
  if (notice->event)
    event = make_info (link, notice->event_reason, notice->target_bitrate);
  if (notice->message && notice->event
      && notice->event_reason == notice->message_reason)
    receivers |= GST_NOTIFIER_APPLICATION;
  else if (notice->message)
    message = make_info (link, notice->message_reason, notice->target_bitrate);
  g_mutex_unlock (&link->lock);
  if (message)
    gst_notifier_congestion (link->notifier, message, GST_NOTIFIER_APPLICATION);
  if (event)
    gst_notifier_congestion (link->notifier, event, receivers);
}

static void
notify_estimate (GstItcpLink * link)
{
  guint estimate;

  g_mutex_lock (&link->lock);
  estimate = gst_itcp_link_estimate (link);
  g_mutex_unlock (&link->lock);
  if (estimate != link->notified_estimate)
    gst_notifier_notify (link->notifier, link->estimate_pspec);
  link->notified_estimate = estimate;
}

static void
publish (GstItcpLink * link, ItcpNotice notice)
{
  send_notice (link, &notice);
  notify_estimate (link);
}

/* Passes on the measured base, or the base that would be measured without
 * max-target-bitrate. The caller holds the lock. */
static void
update_base (GstItcpLink * link)
{
  itcp_symbiosis_set_measured (&link->adaptation.symbiosis,
      itcp_meter_peak (&link->meter, gst_itcp_link_meter_now (link)));
}

static void
handle_event (GstItcpLink * link, ItcpEventKind kind, guint n, gint64 at)
{
  gint64 now = wait_monotonic_now ();
  ItcpNotice notice = { 0 };

  if (n == 0)
    return;
  g_mutex_lock (&link->lock);
  link->stats.events[kind] += n;
  link->stats.last_delay = at == PSP_TIME_UNKNOWN ? -1 : now - at;
  update_base (link);
  if (link->settings.events & kinds[kind].flag)
    notice = itcp_adaptation_event (&link->adaptation, kinds[kind].reason, n,
        now);
  GST_INFO_OBJECT (link->element, "%u %s, rtt %" G_GINT64_FORMAT " us, unsent %"
      G_GINT64_FORMAT ": target %" G_GINT64_FORMAT " bits/s", n,
      kinds[kind].name, link->stats.rtt / 1000, link->stats.unsent,
      link->adaptation.symbiosis.rate);
  g_mutex_unlock (&link->lock);
  publish (link, notice);
}

/* Updates the statistics; the caller holds the lock. */
static void
update_stats (GstItcpLink * link, const Connection * c,
    const ItcpTcpInfo * info)
{
  gint64 unsent = itcp_tcp_unsent (c->fd), unacked = itcp_tcp_unacked (c->fd);
  GstItcpLinkStats *s = &link->stats;

  s->rtt = info->rtt;
  itcp_symbiosis_set_rtt (&link->adaptation.symbiosis, info->rtt);
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
  gint64 rate = link->adaptation.symbiosis.rate;
  guint64 written = link->written - link->written_before;

  if (rate == 0)
    rate = itcp_meter_peak (&link->meter, gst_itcp_link_meter_now (link));
  link->written_before = link->written;
  itcp_symbiosis_look (&link->adaptation.symbiosis, link->stats.unsent);
  return itcp_backlog_tick (&link->backlog, link->stats.unsent,
      (gint64) written, rate);
}

/* Limits the unsent data, which can no longer be reduced or dropped. The caller
 * holds the lock. */
static void
limit_unsent (GstItcpLink * link, int fd)
{
  guint64 base = (guint64) itcp_symbiosis_base (&link->adaptation.symbiosis);
  guint limit = 0;

  if (link->settings.max_queue_time > 0 && base > 0)
    limit = (guint) CLAMP (gst_util_uint64_scale (link->settings.max_queue_time,
            base / 8, GST_SECOND), MIN_UNSENT_LIMIT, G_MAXINT);
  /* A measured base changes all the time. */
  if (limit > 0 && limit > link->unsent_limit / 8 * 7
      && limit < link->unsent_limit / 8 * 9)
    return;
  if (limit != link->unsent_limit)
    itcp_tcp_set_unsent_limit (fd, limit);
  link->unsent_limit = limit;
}

/* Does what is due by now. */
static void
tick (GstItcpLink * link, const Connection * c, gint64 now)
{
  ItcpSymbiosis *symbiosis = &link->adaptation.symbiosis;
  gboolean grows = FALSE;
  ItcpNotice notice;

  g_mutex_lock (&link->lock);
  if (now >= link->next_tick) {
    update_base (link);
    limit_unsent (link, c->fd);
    grows = backlog_grows (link);
    /* If backlog is an event of its own, it needs no step. */
    if (grows && !(link->settings.events & GST_ITCP_EVENTS_BACKLOG))
      itcp_symbiosis_grows (symbiosis, now);
    link->next_tick = now + ITCP_BACKLOG_TICK;
  }
  notice = itcp_adaptation_tick (&link->adaptation, now);
  g_mutex_unlock (&link->lock);

  publish (link, notice);
  if (grows)
    handle_event (link, ITCP_EVENT_BACKLOG, 1, PSP_TIME_UNKNOWN);
}

static void
take_settings (GstItcpLink * link, gint64 now)
{
  ItcpNotice notice = { 0 };

  g_mutex_lock (&link->lock);
  if (link->settings_changed) {
    link->settings_changed = FALSE;
    update_base (link);
    notice = itcp_adaptation_set_params (&link->adaptation,
        &link->settings.symbiosis, now);
  }
  if (link->repeats_target && !notice.message
      && itcp_symbiosis_is_known (&link->adaptation.symbiosis))
    notice = itcp_adaptation_repeat (&link->adaptation, now);
  link->repeats_target = FALSE;
  g_mutex_unlock (&link->lock);
  publish (link, notice);
}

static void
signal_room (GstItcpLink * link)
{
  g_mutex_lock (&link->lock);
  g_atomic_int_set (&link->wants_room, FALSE);
  g_cond_broadcast (&link->cond);
  g_mutex_unlock (&link->lock);
}

/* True if acknowledgements have ceased. */
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
  /* The source would look too late. */
  itcp_source_look_by (&link->source, link->stall_due);
  if (found)
    GST_INFO_OBJECT (link->element, "no acknowledgement for %" G_GINT64_FORMAT
        " us, rtt %" G_GINT64_FORMAT " us, deviation %" G_GINT64_FORMAT " us",
        info->since_ack / 1000, info->rtt / 1000, info->rtt_deviation / 1000);
  return found;
}

/* Notes that the receiver has ended its own direction. Returns -EPIPE where the
 * kernel does not say what is acknowledged. */
static int
note_half_closed (Connection * c, gint64 now)
{
  /* In this order, for what is acknowledged in between counts twice. */
  gint64 unacked = itcp_tcp_unacked (c->fd);
  ItcpTcpInfo info;

  if (itcp_tcp_info (c->fd, &info) < 0)
    return -EPIPE;
  c->half_closed = TRUE;
  c->written_at_close = info.bytes_acked + (guint64) MAX (unacked, 0);
  c->gone_at = now + HALF_CLOSED_TIME;
  return 0;
}

/* Discards what the receiver says. It may end its own direction and go on to
 * listen, as programs without input do. If it has closed the connection, TCP
 * resets that when more is sent; where nothing is, only time tells. Returns 0,
 * or a negative errno once the connection has ended. */
static int
hear (Connection * c, int got, guint64 acked, gint64 now)
{
  int err;

  if (c->half_closed && acked > c->written_at_close)
    c->gone_at = PSP_TIME_NEVER;

  if (got & (ITCP_WAIT_ERROR | ITCP_WAIT_HANGUP)
      && (err = itcp_tcp_take_error (c->fd)) < 0)
    return err;
  if (got & ITCP_WAIT_HANGUP || (c->half_closed && now >= c->gone_at))
    return -EPIPE;
  if (!(got & ITCP_WAIT_READABLE))
    return 0;
  if ((err = itcp_tcp_drain (c->fd)) < 0)
    return err;
  return err == 0 ? note_half_closed (c, now) : 0;
}

/* Looks at the connection. Returns 0, or a negative errno once it has ended. */
static int
look (GstItcpLink * link, Connection * c, int got, gint64 now)
{
  guint64 stamps = link->source.stamps;
  ItcpReading reading;
  int err;

  if ((err = itcp_source_read (&link->source, &reading)) < 0)
    return err;
  /* The error queue had records, which are nearly always the reason for the
   * wake-up. */
  if (link->source.stamps > stamps)
    got &= ~ITCP_WAIT_ERROR;
  if (link->source.klass->by_segment && reading.info.mss > 0)
    g_atomic_int_set (&c->segment,
        (gint) MAX (reading.info.mss, ITCP_LEAST_SEGMENT));
  g_mutex_lock (&link->lock);
  link->stats.source = link->source.klass->name;
  /* This is not done at each look, because there is a look for nearly every
   * segment. */
  if (link->drains || reading.found.rexmt || reading.found.dupack
      || now >= link->next_tick)
    update_stats (link, c, &reading.info);
  g_mutex_unlock (&link->lock);
  handle_event (link, ITCP_EVENT_REXMT, reading.found.rexmt, reading.rexmt_at);
  handle_event (link, ITCP_EVENT_DUPACK, reading.found.dupack,
      reading.dupack_at);
  if (stalls (link, c, &reading.info))
    handle_event (link, ITCP_EVENT_BACKLOG, 1, PSP_TIME_UNKNOWN);

  return hear (c, got, reading.info.bytes_acked, now);
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
  if (!link->warned_of_source)
    gst_itcp_link_post (link, FALSE, GST_RESOURCE_ERROR_SETTINGS, NULL,
        g_strdup (text));
  link->warned_of_source = TRUE;
}

/* Plans a key frame for a receiver that connects during the stream, so that it
 * need not wait for the next one. One that only connects and disconnects must
 * not make an encoder produce a key frame each time. */
static void
plan_key_frame (GstItcpLink * link, const Connection * c, gint64 now)
{
  gboolean late;

  g_mutex_lock (&link->lock);
  late = c->number > 1 || link->settings.mode == GST_ITCP_MODE_LISTENER
      || link->stats.dropped > 0;
  g_mutex_unlock (&link->lock);
  link->ask_at = !late ? PSP_TIME_NEVER :
      MAX (now, link->asked_at + (gint64) link->settings.reconnect_interval);
}

static void
ask_for_key_frame (GstItcpLink * link, gint64 now)
{
  if (now < link->ask_at)
    return;
  link->asked_at = now;
  link->ask_at = PSP_TIME_NEVER;
  gst_notifier_key_frame (link->notifier);
}

/* Sets what is new with a connection. */
static void
begin (GstItcpLink * link, Connection * c, gint64 now)
{
  ItcpNotice notice;

  take_settings (link, now);
  itcp_backlog_init (&link->backlog);
  itcp_stall_init (&link->stall);
  link->stall_due = PSP_TIME_NEVER;
  link->next_tick = now + ITCP_BACKLOG_TICK;
  link->unsent_limit = 0;
  g_mutex_lock (&link->lock);
  link->stats.source = link->source.klass->name;
  itcp_tcp_congestion (c->fd, link->stats.congestion);
  notice = itcp_adaptation_begin (&link->adaptation, c->number == 1, now);
  limit_unsent (link, c->fd);
  g_mutex_unlock (&link->lock);
  publish (link, notice);
  plan_key_frame (link, c, now);
  ask_for_key_frame (link, now);
}

/* Returns the error of a write that has ended the connection, or 0. The kernel
 * may not report it here, and would let the writer try over and over. */
static int
failed_write (GstItcpLink * link)
{
  int err;

  g_mutex_lock (&link->lock);
  err = link->write_error;
  g_mutex_unlock (&link->lock);
  return err;
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
    until = MIN (until, itcp_adaptation_next (&link->adaptation));
    if (c->half_closed)
      until = MIN (until, c->gone_at);
    got = itcp_source_wait (&link->source,
        (c->half_closed ? 0 : ITCP_WAIT_READABLE) |
        (g_atomic_int_get (&link->wants_room) ? ITCP_WAIT_WRITABLE : 0),
        &link->waker, &link->alarm, until);
    if (got < 0)
      return got;
    if (got & ITCP_WAIT_WOKEN) {
      wait_waker_clear (&link->waker);
      if ((err = failed_write (link)) < 0)
        return err;
    }
    if (got & ITCP_WAIT_WRITABLE)
      signal_room (link);
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
