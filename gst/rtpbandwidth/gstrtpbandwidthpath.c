/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthpath.h"

#include <notify/notice.h>

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_bandwidth_debug);
#define GST_CAT_DEFAULT gst_rtp_bandwidth_debug

/* ns; feedback that comes within this time is one report, because
 * receivers that may not answer at once answer in bursts of packets. */
#define GATHER (PSP_MSECOND)
/* ns; the longest wait. It need not be exact. */
#define LONGEST_WAIT (3600 * PSP_SECOND)
/* ns; the default of pspsink's max-frame-time. */
#define MAX_FRAME_TIME (100 * GST_MSECOND)

/* RTCP's timing rules (RFC 4585 section 3.5) let rtpsession answer each
 * 150 to 400 ms, whatever interval is requested; three such answers may be
 * lost. Silence does not stop media here, because the session's consent
 * (RFC 7675) and its receiver reports (RFC 8083) do that. The packets that
 * still leave show when the receiver is back. */
static const PspFeedbackTiming timing = {
  .report_interval = 400 * PSP_MSECOND,
  .min_silence = 1500 * PSP_MSECOND,
  .silence_rtts = 4,
  .stop_after = G_MAXINT64 / 4,
  .probe_interval = PSP_SECOND
};

/* ns; for this time after a receiver has answered within a picture it is
 * expected to do so again. */
#define ANSWERS_WITHIN (PSP_SECOND)

/* The interval to the next packet grows by one part in this many, which
 * leaves four fifths of the pace. */
#define UNANSWERED_SLOWER 4

struct _GstRtpBandwidthPath
{
  GMutex lock;
  gchar *group;                 /* NULL = one element's path */
  GstClock *clock;
  PspSender *sender;
  PspLimits limits;
  GList *members;
  guint32 last_series;
  /* Numbers of members by receiver. If there are more members than
   * receivers, the rest share the last receiver. */
  guint receivers[PSP_MAX_RECEIVERS];

  guint packets;                /* packets that wait */
  guint64 payload_bytes;        /* bytes of payload that wait */
  gint64 target;
  gint64 ticked_at;
  gint64 feedback_due;          /* ns; PSP_TIME_NEVER = no feedback waits */
  gboolean heard;               /* feedback has come */
  /* When the first packet left, counted or not; PSP_TIME_NEVER = none has. */
  gint64 first_sent_at;
  gboolean uncontrolled;        /* no feedback came, so nothing is held */

  gint64 last_sent_at;
  /* When the current picture began to leave, after the last packet with a
   * marker; PSP_TIME_NEVER = none has begun. */
  gint64 begun_at;
  /* When the receiver last answered within a picture; PSP_TIME_UNKNOWN =
   * never. */
  gint64 answered_within_at;
};

/* Maps the names of groups to their paths. */
static GMutex groups_lock;
static GHashTable *groups;

/* Life */

static GstRtpBandwidthPath *
path_new (const gchar * group, const GstRtpBandwidthPathConfig * config)
{
  GstRtpBandwidthPath *path = g_new0 (GstRtpBandwidthPath, 1);
  PspSenderConfig sender = {
    .controller = config->controller,
    .parameters = config->parameters,
    .limits = config->limits,
    .timing = &timing
  };

  path->clock = gst_system_clock_obtain ();
  path->sender = psp_sender_new (&sender, gst_rtp_bandwidth_path_now (path));
  if (!path->sender) {
    gst_object_unref (path->clock);
    g_free (path);
    return NULL;
  }
  g_mutex_init (&path->lock);
  path->group = g_strdup (group);
  path->limits = config->limits;
  path->ticked_at = gst_rtp_bandwidth_path_now (path);
  path->feedback_due = path->first_sent_at = path->begun_at = PSP_TIME_NEVER;
  path->answered_within_at = PSP_TIME_UNKNOWN;
  path->target = PSP_BITRATE_UNKNOWN;
  return path;
}

static void
path_free (GstRtpBandwidthPath * path)
{
  psp_sender_free (path->sender);
  gst_object_unref (path->clock);
  g_mutex_clear (&path->lock);
  g_free (path->group);
  g_free (path);
}

/* Returns the group's path, or a new one. The caller holds groups_lock. */
static GstRtpBandwidthPath *
get_path (const gchar * group, const GstRtpBandwidthPathConfig * config)
{
  GstRtpBandwidthPath *path;

  if (!group || !*group)
    return path_new (NULL, config);
  if (!groups)
    groups = g_hash_table_new (g_str_hash, g_str_equal);
  path = g_hash_table_lookup (groups, group);
  if (path)
    return path;
  path = path_new (group, config);
  if (path)
    g_hash_table_insert (groups, path->group, path);
  return path;
}

static guint8
take_receiver (GstRtpBandwidthPath * path)
{
  guint8 i = 0;

  while (path->receivers[i] > 0 && i < PSP_MAX_RECEIVERS - 1)
    i++;
  path->receivers[i]++;
  return i;
}

/* Gives up the member's receiver. After the last member, nothing reports
 * on the packets under way to it. */
static void
leave_receiver (GstRtpBandwidthPath * path,
    const GstRtpBandwidthMember * member)
{
  if (--path->receivers[member->receiver] == 0)
    psp_sender_forget_receiver (path->sender, member->receiver,
        gst_rtp_bandwidth_path_now (path));
  gst_rtp_bandwidth_path_wake_all (path);
}

GstRtpBandwidthPath *
gst_rtp_bandwidth_path_join (const gchar * group,
    const GstRtpBandwidthPathConfig * config, GstRtpBandwidthMember * member)
{
  GstRtpBandwidthPath *path;

  g_mutex_lock (&groups_lock);
  path = get_path (group, config);
  if (path) {
    member->acknowledgements =
        g_array_new (FALSE, FALSE, sizeof (PspAcknowledgement));
    g_mutex_lock (&path->lock);
    member->series = ++path->last_series;
    member->receiver = take_receiver (path);
    member->named_at = PSP_TIME_UNKNOWN;
    path->members = g_list_append (path->members, member);
    /* Before feedback the estimate is a guess, and webrtcsink still creates
     * its session. */
    gst_notifier_hold_estimate (member->notifier, !path->heard);
    g_mutex_unlock (&path->lock);
  }
  g_mutex_unlock (&groups_lock);
  return path;
}

void
gst_rtp_bandwidth_path_leave (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member)
{
  gboolean last;

  g_mutex_lock (&groups_lock);
  g_mutex_lock (&path->lock);
  path->members = g_list_remove (path->members, member);
  leave_receiver (path, member);
  last = path->members == NULL;
  g_mutex_unlock (&path->lock);
  if (last && path->group)
    g_hash_table_remove (groups, path->group);
  if (last && groups && g_hash_table_size (groups) == 0)
    g_clear_pointer (&groups, g_hash_table_unref);
  g_mutex_unlock (&groups_lock);
  if (last)
    path_free (path);

  psp_rtcp_feedback_clear (&member->rtcp);
  g_clear_pointer (&member->acknowledgements, g_array_unref);
  g_clear_pointer (&member->id, gst_clock_id_unref);
  memset (member, 0, sizeof *member);
}

void
gst_rtp_bandwidth_path_lock (GstRtpBandwidthPath * path)
{
  g_mutex_lock (&path->lock);
}

void
gst_rtp_bandwidth_path_unlock (GstRtpBandwidthPath * path)
{
  g_mutex_unlock (&path->lock);
}

PspSender *
gst_rtp_bandwidth_path_sender (GstRtpBandwidthPath * path)
{
  return path->sender;
}

void
gst_rtp_bandwidth_path_limit (GstRtpBandwidthPath * path, gint64 min,
    gint64 max)
{
  if (min >= 0)
    path->limits.min_bitrate = min;
  if (max >= 0)
    path->limits.max_bitrate = max;
  psp_sender_set_limits (path->sender, &path->limits,
      gst_rtp_bandwidth_path_now (path));
}

/* Waiting */

gint64
gst_rtp_bandwidth_path_now (GstRtpBandwidthPath * path)
{
  return (gint64) gst_clock_get_time (path->clock);
}

void
gst_rtp_bandwidth_path_wake (GstRtpBandwidthMember * member)
{
  member->woken = TRUE;
  if (member->waiting)
    gst_clock_id_unschedule (member->id);
}

void
gst_rtp_bandwidth_path_wake_all (GstRtpBandwidthPath * path)
{
  for (GList * l = path->members; l; l = l->next)
    gst_rtp_bandwidth_path_wake (l->data);
}

void
gst_rtp_bandwidth_path_wait (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, gint64 until)
{
  gint64 longest = gst_rtp_bandwidth_path_now (path) + LONGEST_WAIT;
  GstClockTime time = (GstClockTime) MIN (until, longest);

  if (!member->woken) {
    if (!member->id)
      member->id = gst_clock_new_single_shot_id (path->clock, time);
    else
      gst_clock_single_shot_id_reinit (path->clock, member->id, time);
    member->waiting = TRUE;
    g_mutex_unlock (&path->lock);
    gst_clock_id_wait (member->id, NULL);
    g_mutex_lock (&path->lock);
    member->waiting = FALSE;
  }
  member->woken = FALSE;
}

/* Queue and departures */

/* Until feedback comes, a session without transport-wide numbers is
 * expected to get RFC 8888's. A member of a group is not: another member
 * may have such numbers while no feedback names this one's packets, which
 * would then count as lost. */
gboolean
gst_rtp_bandwidth_path_names_streams (const GstRtpBandwidthPath * path,
    const GstRtpBandwidthMember * member)
{
  return member->names == GST_RTP_BANDWIDTH_NAMES_STREAM
      || (member->names == GST_RTP_BANDWIDTH_NAMES_UNKNOWN && !member->numbers
      && !path->group);
}

void
gst_rtp_bandwidth_path_numbered (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member)
{
  if (member->numbers)
    return;
  member->numbers = TRUE;
  if (member->names == GST_RTP_BANDWIDTH_NAMES_UNKNOWN
      && psp_stream_numbers_end (&member->streams))
    psp_sender_reset (path->sender, gst_rtp_bandwidth_path_now (path));
}

void
gst_rtp_bandwidth_path_queued (GstRtpBandwidthPath * path,
    const GstRtpBandwidthPacket * packet)
{
  if (!packet->counted)
    return;
  path->packets++;
  path->payload_bytes += packet->payload_size;
}

void
gst_rtp_bandwidth_path_unqueued (GstRtpBandwidthPath * path,
    const GstRtpBandwidthPacket * packet)
{
  if (!packet->counted)
    return;
  path->packets--;
  path->payload_bytes -= packet->payload_size;
}

GstClockTime
gst_rtp_bandwidth_path_queue_time (GstRtpBandwidthPath * path)
{
  if (path->target <= 0 || path->uncontrolled)
    return 0;
  return gst_util_uint64_scale (path->payload_bytes, 8 * GST_SECOND,
      (guint64) path->target);
}

/* True if the current picture leaves by the pace alone. rtpsession may
 * answer only once a picture, at its last packet, so the window cannot
 * open within a picture. */
static gboolean
is_picture_unanswered (const GstRtpBandwidthPath * path, gint64 now)
{
  return path->begun_at != PSP_TIME_NEVER
      && (path->answered_within_at == PSP_TIME_UNKNOWN
      || now - path->answered_within_at >= ANSWERS_WITHIN);
}

/* Returns when the next packet leaves, slower than the pace, because no
 * feedback confirms that the network carries the pace. */
static gint64
unanswered_slot (const GstRtpBandwidthPath * path, gint64 now)
{
  gint64 slot = psp_sender_slot (path->sender, now);

  return slot == PSP_TIME_NEVER ? slot :
      slot + (slot - path->last_sent_at) / UNANSWERED_SLOWER;
}

gint64
gst_rtp_bandwidth_path_slot (GstRtpBandwidthPath * path, gint64 now)
{
  gint64 at;

  if (path->uncontrolled
      || psp_sender_allowance (path->sender, now, 1, &at) > 0)
    return now;
  psp_sender_wait (path->sender);
  if (is_picture_unanswered (path, now))
    at = MIN (at, unanswered_slot (path, now));
  return MAX (at, now);
}

/* Gives the packet a key if feedback names streams. A packet with a
 * transport-wide number gets its key with the feedback. */
static void
name_packet (GstRtpBandwidthPath * path, GstRtpBandwidthMember * member,
    const GstRtpBandwidthPacket * packet, PspPacket * sent)
{
  sent->has_key = gst_rtp_bandwidth_path_names_streams (path, member);
  if (sent->has_key)
    sent->key = psp_stream_numbers_count (&member->streams, packet->ssrc,
        packet->number, &path->last_series);
  else
    psp_stream_numbers_pass (&member->streams, packet->ssrc);
}

void
gst_rtp_bandwidth_path_sent (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const GstRtpBandwidthPacket * packet,
    gint64 now)
{
  PspPacket sent;

  if (path->first_sent_at == PSP_TIME_NEVER && !path->uncontrolled)
    path->first_sent_at = now;
  if (path->uncontrolled || !packet->counted
      || !(packet->numbered
          || gst_rtp_bandwidth_path_names_streams (path, member))) {
    psp_stream_numbers_pass (&member->streams, packet->ssrc);
    return;
  }
  path->last_sent_at = now;
  path->begun_at = packet->marker ? PSP_TIME_NEVER : MIN (path->begun_at, now);
  psp_transport_packet (packet->payload_size, &sent);
  sent.receiver = member->receiver;
  name_packet (path, member, packet, &sent);
  psp_sender_sent (path->sender, &sent, now, path->packets);
  psp_sender_make_room (path->sender, now);
}

void
gst_rtp_bandwidth_path_resume (GstRtpBandwidthPath * path, gint64 now)
{
  psp_sender_resume (path->sender, now);
  if (path->first_sent_at != PSP_TIME_NEVER)
    path->first_sent_at = now;
}

/* Feedback */

gboolean
gst_rtp_bandwidth_path_is_uncontrolled (GstRtpBandwidthPath * path)
{
  return path->uncontrolled;
}

static void
note_answers (GstRtpBandwidthPath * path, const PspAcknowledgement * a,
    gsize n, gint64 now)
{
  for (gsize i = 0; i < n; i++)
    if (a[i].received && a[i].sent_at >= path->begun_at)
      path->answered_within_at = now;
}

/* Returns whether feedback with such names counts. Resets the sender if
 * the receiver names packets otherwise than expected, because no feedback
 * will name the packets under way. */
static gboolean
take_over (GstRtpBandwidthPath * path, GstRtpBandwidthMember * member,
    GstRtpBandwidthNames names, gint64 now)
{
  gboolean by_stream = names == GST_RTP_BANDWIDTH_NAMES_STREAM;

  if (member->names != names
      && member->names != GST_RTP_BANDWIDTH_NAMES_UNKNOWN
      && now - member->named_at < timing.min_silence)
    return FALSE;
  if (member->names != names)
    GST_INFO ("feedback is %s", by_stream ? "RFC 8888's" : "transport-wide");
  if (gst_rtp_bandwidth_path_names_streams (path, member) != by_stream) {
    gboolean begun = psp_stream_numbers_end (&member->streams);

    if (begun || member->numbers)
      psp_sender_reset (path->sender, now);
  }
  member->names = names;
  member->named_at = now;
  return TRUE;
}

static void
hear (GstRtpBandwidthPath * path)
{
  if (path->uncontrolled)
    GST_INFO ("feedback has come: packets are paced from now on");
  for (GList * l = path->members; l && !path->heard; l = l->next)
    gst_notifier_hold_estimate (((GstRtpBandwidthMember *) l->data)->notifier,
        FALSE);
  path->heard = TRUE;
  path->uncontrolled = FALSE;
}

void
gst_rtp_bandwidth_path_feedback (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const PspTransportStatus * statuses,
    gsize n)
{
  gint64 now = gst_rtp_bandwidth_path_now (path);
  GArray *a = member->acknowledgements;
  guint before = a->len;
  PspAcknowledgement *acknowledgements;
  gint64 reported_at;

  /* Statuses beyond the capacity of the sender's history are ignored. */
  n = MIN (n, PSP_HISTORY_CAPACITY - MIN (before, PSP_HISTORY_CAPACITY));
  if (!psp_transport_concerns (path->sender, member->series, statuses, n)
      || !take_over (path, member, GST_RTP_BANDWIDTH_NAMES_TRANSPORT, now))
    return;
  g_array_set_size (a, before + n);
  acknowledgements = &g_array_index (a, PspAcknowledgement, before);
  n = psp_transport_acknowledge (&member->time, path->sender, member->series,
      statuses, n, acknowledgements, &reported_at);
  note_answers (path, acknowledgements, n, now);
  if (path->group)
    psp_transport_align (&member->time, acknowledgements, n, &reported_at);
  g_array_set_size (a, before + n);
  member->reported_at = before == 0 ? reported_at :
      MAX (member->reported_at, reported_at);
  hear (path);
  if (path->feedback_due == PSP_TIME_NEVER) {
    path->feedback_due = now + GATHER;
    gst_rtp_bandwidth_path_wake (member);
  }
}

/* Processes a report at once, because it is complete by itself. */
static void
take_message (GstRtpBandwidthPath * path, GstRtpBandwidthMember * member,
    PspFeedback * feedback, gint64 now)
{
  psp_stream_feedback_translate (&member->streams, path->sender, &member->rtcp,
      feedback);
  if (feedback->n == 0)
    return;
  feedback->receiver = member->receiver;
  note_answers (path, feedback->acknowledgements, feedback->n, now);
  if (path->group)
    psp_transport_align (&member->time, member->rtcp.acknowledgements,
        feedback->n, &feedback->reported_at);
  if (psp_sender_acknowledge (path->sender, feedback, now) == PSP_FEEDBACK_OK)
    psp_rtcp_feedback_accept (&member->rtcp, now);
}

gboolean
gst_rtp_bandwidth_path_message (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const PspStreamMessage * message)
{
  gint64 now = gst_rtp_bandwidth_path_now (path);
  PspFeedback feedback;

  if (!member->rtcp.acknowledgements
      && !psp_rtcp_feedback_init (&member->rtcp, PSP_STREAM_FEEDBACK_SIZE))
    return TRUE;                /* without memory it counts as lost */
  if (!psp_stream_feedback_read (&member->rtcp, message, now, &feedback))
    return FALSE;
  if (!psp_stream_feedback_concerns (&member->streams, &feedback)
      || !take_over (path, member, GST_RTP_BANDWIDTH_NAMES_STREAM, now))
    return TRUE;
  hear (path);
  take_message (path, member, &feedback, now);
  gst_rtp_bandwidth_path_wake_all (path);
  return TRUE;
}

static void
take_feedback (GstRtpBandwidthPath * path, gint64 now)
{
  if (now < path->feedback_due)
    return;
  path->feedback_due = PSP_TIME_NEVER;
  for (GList * l = path->members; l; l = l->next) {
    GstRtpBandwidthMember *member = l->data;
    GArray *a = member->acknowledgements;
    PspFeedback feedback = { (PspAcknowledgement *) a->data, a->len,
      member->reported_at, member->receiver
    };

    if (a->len > 0)
      psp_sender_acknowledge (path->sender, &feedback, now);
    g_array_set_size (a, 0);
  }
  gst_rtp_bandwidth_path_wake_all (path);
}

/* Time */

/* Returns when the path becomes uncontrolled unless feedback comes. */
static gint64
uncontrolled_at (const GstRtpBandwidthPath * path)
{
  if (path->heard || path->uncontrolled || path->first_sent_at == PSP_TIME_NEVER
      || !psp_sender_controller (path->sender)->needs_feedback)
    return PSP_TIME_NEVER;
  return path->first_sent_at + timing.min_silence;
}

static void
look_for_answer (GstRtpBandwidthPath * path, gint64 now)
{
  if (now < uncontrolled_at (path))
    return;
  GST_WARNING ("no feedback has come: packets leave as they are, without "
      "control");
  path->uncontrolled = TRUE;
  path->first_sent_at = PSP_TIME_NEVER;
  for (GList * l = path->members; l; l = l->next)
    psp_stream_numbers_end (&((GstRtpBandwidthMember *) l->data)->streams);
  psp_sender_reset (path->sender, now);
  gst_rtp_bandwidth_path_wake_all (path);
}

static GstCongestionInfo *
make_info (GstRtpBandwidthPath * path, PspNotice notice, gint64 reserved)
{
  GstCongestionInfo *info;

  if (notice.target_bitrate >= 0)
    notice.target_bitrate = MAX (notice.target_bitrate - reserved, 0);
  info = gst_notice_to_info (&notice, psp_sender_pace (path->sender),
      MAX_FRAME_TIME, psp_sender_controller (path->sender)->name);
  gst_congestion_info_set_queue_time (info,
      gst_rtp_bandwidth_path_queue_time (path));
  return info;
}

static void
announce (GstRtpBandwidthPath * path, gint64 now)
{
  PspNotice notice;

  if (!psp_sender_take_notice (path->sender, now, &notice))
    return;
  path->target = notice.target_bitrate;
  for (GList * l = path->members; l; l = l->next) {
    GstRtpBandwidthMember *member = l->data;

    gst_notifier_replace (member->notifier,
        make_info (path, notice, member->reserved_bitrate));
  }
}

gint64
gst_rtp_bandwidth_path_poll (GstRtpBandwidthPath * path, gint64 now)
{
  gint64 next;

  take_feedback (path, now);
  look_for_answer (path, now);
  if (psp_sender_next_tick (path->sender, now) <= now
      && now - path->ticked_at >= PSP_SENDER_MIN_TICK_INTERVAL) {
    psp_sender_tick (path->sender, now);
    path->ticked_at = now;
  }
  announce (path, now);
  next = MAX (psp_sender_next_tick (path->sender, now),
      now + PSP_SENDER_MIN_TICK_INTERVAL);
  return MIN (MIN (next, path->feedback_due), uncontrolled_at (path));
}
