/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspengine.h"
#include "gstpspkeyframes.h"
#include "gstpsprecording.h"
#include "gstpspreserved.h"
#include "gstpsptransport.h"
#include "gstpspwarnings.h"

#include <gst/rtp/gstrtpbuffer.h>

#include <notify/notice.h>
#include <rtpfeedback/rtcpfeedback.h>
#include <rtpfeedback/senderreports.h>

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);
#define GST_CAT_DEFAULT gst_psp_sink_debug

struct _GstPspEngine
{
  GstObject *log;
  PspSender *sender;
  PspRtcpFeedback feedback;     /* received feedback */
  PspSenderReports reports;     /* sent reports */
  GstPspControl control;
  GstPspRecording recording;
  PspAddress destination;
  gboolean open;
  gboolean opened;              /* it was open at least once */
  gboolean playing;

  GstPspQueue *queue;
  GstPspQueueLimits queue_limits;
  GstClockTime max_frame_time;
  PspEcn ecn;                   /* the application's setting */
  GstPspKeyFrames key_frames;

  /* The sender's decisions and measurements; only update() sets them. */
  gint64 target;                /* bits/s */
  gint64 rtt;                   /* ns, or PSP_TIME_UNKNOWN */
  gboolean stopped;
  gboolean unpaced;
  PspEcnVerdict verdict;

  gboolean sending;             /* a driver has a batch */
  GstPspUnsent unsent;          /* packets of the last batch */
  gboolean blocked;             /* unsent packets wait for the socket */
  GstPspPacket last;            /* last media packet, to probe a silent link */
  gboolean said_bye;            /* a BYE has left, or no media before it */
  gboolean rtcp_due;
  gint64 ticked_at;
  gint64 looked_at;             /* ns; last look at timers and notices */

  GstPspRepairConfig repair_config;
  GstPspRepair *repair;         /* NULL = no repairs were requested */
  guint fec_payload_type;       /* payload type of redundancy; 0 = none */
  GstPspReserved reserved;

  GstPspWarnings warnings;
  guint64 feedback_foreign;

  GstPspProtection protection;

  GstPspReporter receiver;      /* the receiver whose feedback counts */
  gint64 first_sent_at;         /* of the session, or PSP_TIME_UNKNOWN */
  GstPspTransport transport;    /* transport-wide packet numbers */
};

static gboolean
is_protected (const GstPspEngine * e)
{
  return e->protection.srtp != NULL;
}

static void
update_verdict (GstPspEngine * e)
{
  PspEcnVerdict verdict = psp_sender_ecn_verdict (e->sender);

  if (verdict != e->verdict)
    GST_INFO_OBJECT (e->log, "ECN: %s", psp_ecn_verdict_name (verdict));
  e->verdict = verdict;
}

/* Copies the sender's decisions; called after every change of the sender. A
 * stopped link causes one warning. */
static void
update (GstPspEngine * e)
{
  gboolean stopped = psp_sender_is_stopped (e->sender);
  PspNotice notice;

  psp_sender_notice (e->sender, &notice);
  e->target = notice.target_bitrate;
  e->rtt = notice.rtt;
  e->unpaced = notice.spacing == PSP_TIME_UNKNOWN &&
      !psp_sender_controller (e->sender)->needs_feedback;
  update_verdict (e);
  if (stopped == e->stopped)
    return;
  e->stopped = stopped;
  if (stopped && e->repair)
    gst_psp_repair_forget (e->repair);
  if (stopped)
    gst_psp_warnings_note_silence (&e->warnings);
  else
    GST_INFO_OBJECT (e->log, "media goes on");
}

/* Forgets the path and the receiver, because both may have changed. */
static void
reset (GstPspEngine * e, gint64 now)
{
  psp_rtcp_feedback_forget (&e->feedback);
  gst_psp_reporter_forget (&e->receiver);
  if (e->repair)
    gst_psp_repair_forget (e->repair);
  gst_psp_control_reset (&e->control, now);
  psp_sender_reset (e->sender, now);
  e->ticked_at = now;
}

/* Life */

GstPspEngine *
gst_psp_engine_new (const GstPspEngineConfig * config, gint64 now)
{
  GstPspEngine *e = g_new0 (GstPspEngine, 1);
  gchar *cname = g_strdup_printf ("%08x%08x%08x", g_random_int (),
      g_random_int (), g_random_int ());        /* RFC 7022 section 4.2 */
  PspSenderConfig sender = {
    .controller = config->controller,
    .parameters = config->parameters,
    .limits = config->limits
  };

  psp_sender_reports_init (&e->reports, cname, g_random_int ());
  g_free (cname);
  if (!psp_rtcp_feedback_init (&e->feedback, GST_PSP_FEEDBACK_SIZE)) {
    g_free (e);
    return NULL;
  }
  e->queue = gst_psp_queue_new ();
  e->sender = psp_sender_new (&sender, now);
  if (!e->sender) {
    gst_psp_engine_free (e);
    return NULL;
  }
  gst_psp_control_init (&e->control, e->sender, &e->feedback, &e->reports,
      config->controller, config->parameters, &config->limits);
  e->log = config->log;
  e->said_bye = TRUE;
  gst_psp_protection_init (&e->protection);
  e->ticked_at = now;
  e->looked_at = now - PSP_SENDER_MIN_TICK_INTERVAL;
  gst_psp_key_frames_init (&e->key_frames);
  e->first_sent_at = PSP_TIME_UNKNOWN;
  gst_psp_reserved_init (&e->reserved, now);
  gst_psp_transport_init (&e->transport);
  gst_psp_recording_init (&e->recording, config->log, e->sender, now);
  update (e);
  return e;
}

void
gst_psp_engine_free (GstPspEngine * e)
{
  gst_psp_engine_close (e);
  gst_psp_queue_free (e->queue);
  gst_psp_repair_free (e->repair);
  psp_sender_free (e->sender);
  psp_rtcp_feedback_clear (&e->feedback);
  gst_psp_protection_clear (&e->protection);
  g_free (e);
}

void
gst_psp_engine_open (GstPspEngine * e, const PspAddress * destination,
    gint64 now)
{
  e->destination = *destination;
  gst_psp_warnings_begin (&e->warnings);
  if (e->opened)
    reset (e, now);
  e->open = e->opened = TRUE;
  update (e);
}

void
gst_psp_engine_close (GstPspEngine * e)
{
  e->open = FALSE;
  if (!e->sending)
    gst_psp_unsent_drop (&e->unsent);
  e->blocked = FALSE;
  gst_clear_buffer (&e->last.buffer);
}

/* Warnings */

static gboolean
take_warning (GstPspEngine * e, gint64 now, GstPspReply * reply)
{
  const GstPspWarningFacts facts = {
    .destination = &e->destination,
    .sender = e->sender,
    .malformed = e->feedback.malformed,
    .foreign = e->feedback_foreign,
    .no_feedback_bitrate = e->control.no_feedback_bitrate
  };

  return gst_psp_warnings_take (&e->warnings, &facts, now, &reply->code,
      &reply->text, &reply->debug);
}

/* Returns the most bytes of plain RTCP that a datagram has room for. */
static gsize
rtcp_room (const GstPspEngine * e)
{
  return is_protected (e) ? GST_PSP_RTCP_SIZE - PSP_SRTP_ROOM :
      GST_PSP_RTCP_SIZE;
}

/* Sending */

/* Returns the ECN field of the next packet, as in PspUdpSender. */
static gint
next_ecn (const GstPspEngine * e)
{
  return psp_sender_ecn_verdict (e->sender) == PSP_ECN_PATH_OFF ? -1 :
      (gint) psp_sender_ecn (e->sender);
}

/* Returns how many waiting packets may leave now. If the next must wait,
 * reports this to the sender. */
static guint
allowance_or_wait (GstPspEngine * e, gint64 now, guint max, gint64 * next_at)
{
  guint n = psp_sender_allowance (e->sender, now, max, next_at);

  if (max > 0 && *next_at > now)
    psp_sender_wait (e->sender);
  return n;
}

/* Returns the number of waiting packets, repairs included. */
static guint
waiting (const GstPspEngine * e)
{
  return gst_psp_queue_packets (e->queue) +
      (e->repair ? gst_psp_repair_waiting (e->repair) : 0);
}

/* Takes the buffer. The packet counts as sent from here on. */
static void
add_to_batch (GstPspEngine * e, GstPspBatch * batch, GstPspPacket * packet,
    gint64 now)
{
  PspPacket sent;
  guint16 number;
  gboolean numbered = gst_psp_transport_stamp (&e->transport, &packet->buffer,
      &packet->header, &number);

  if (e->first_sent_at == PSP_TIME_UNKNOWN)
    e->first_sent_at = now;
  gst_psp_control_sent (&e->control, now);
  psp_rtp_packet (&packet->header, &sent);
  psp_sender_reports_sent (&e->reports, &packet->header,
      gst_psp_packet_media_time (packet), now);
  if (numbered)
    psp_twcc_feedback_sent (&e->feedback.twcc, number, &sent.key);
  psp_sender_sent (e->sender, &sent, now, waiting (e));
  psp_sender_make_room (e->sender, now);
  if (psp_sender_overlooked (e->sender) > 0)
    gst_psp_warnings_note_overlooked (&e->warnings);
  batch->buffers[batch->n++] = packet->buffer;
}

/* Moves at most n repairs to the batch. Returns how many it moved. */
static guint
add_repairs (GstPspEngine * e, GstPspBatch * batch, guint n, gint64 now)
{
  GstPspPacket packet;
  guint added = 0;

  while (e->repair && added < n && next_ecn (e) == batch->ecn &&
      gst_psp_repair_take (e->repair, &packet, now)) {
    packet.header.ssrc ^= e->protection.ssrc_mask;
    e->reserved.bytes += packet.header.payload_size;
    add_to_batch (e, batch, &packet, now);
    added++;
  }
  return added;
}

/* Moves n packets to the batch, repairs first and then the oldest ones. Stops
 * at a packet with another ECN field. */
static void
fill_batch (GstPspEngine * e, GstPspBatch * batch, guint n, gint64 now)
{
  GstPspPacket packet;

  packet.buffer = NULL;
  n -= add_repairs (e, batch, n, now);
  while (n-- > 0 && next_ecn (e) == batch->ecn &&
      gst_psp_queue_pop (e->queue, &packet)) {
    if (e->repair)
      gst_psp_repair_note_sent (e->repair, &packet, now);
    if (e->fec_payload_type > 0 &&
        packet.header.payload_type == e->fec_payload_type)
      e->reserved.bytes += packet.header.payload_size;
    add_to_batch (e, batch, &packet, now);
  }
  if (packet.buffer) {
    batch->released = e->last.buffer;
    e->last = packet;
    gst_buffer_ref (packet.buffer);
    e->said_bye = FALSE;
  }
}

/* Sends the last packet again to probe a stopped link. If upstream obeys the
 * target 0 of such a link, no media comes that could find out whether the
 * receiver is back. */
static void
add_probe (GstPspEngine * e, GstPspBatch * batch, gint64 now, gint64 * slot)
{
  GstPspPacket probe = {.running_time = GST_CLOCK_TIME_NONE };

  if (!e->stopped || !e->last.buffer || e->said_bye
      || allowance_or_wait (e, now, 1, slot) == 0)
    return;
  if (is_protected (e)) {
    probe.buffer = gst_psp_protection_make_probe (&e->protection,
        &e->last.header, &probe.header);
  } else {
    probe = e->last;
    gst_buffer_ref (probe.buffer);
  }
  add_to_batch (e, batch, &probe, now);
}

static void
add_media (GstPspEngine * e, GstPspBatch * batch, guint n, gint64 now,
    gint64 * slot)
{
  if (!psp_sender_media_allowed (e->sender, now)) {
    gst_psp_queue_drop_all (e->queue);
    return;
  }
  n = allowance_or_wait (e, now, e->stopped ? 1 : n, slot);
  if (n > 0)
    fill_batch (e, batch, MIN (n, GST_PSP_BATCH_SIZE), now);
}

static gboolean
may_send (const GstPspEngine * e)
{
  return e->open && e->playing && !e->sending && !e->blocked;
}

/* Fills the batch with the packets that may leave now. Returns FALSE if none
 * may; *slot is then when the next one may. */
static gboolean
take_batch (GstPspEngine * e, GstPspBatch * batch, gint64 now, gint64 * slot)
{
  guint n = MIN (waiting (e), GST_PSP_BATCH_SIZE);

  *slot = PSP_TIME_NEVER;
  if (!may_send (e))
    return FALSE;
  gst_psp_protection_update (&e->protection);
  batch->srtp = e->protection.srtp;
  batch->ssrc_mask = e->protection.ssrc_mask;
  batch->is_protected = FALSE;
  batch->n = 0;
  batch->ecn = next_ecn (e);
  if (e->unsent.n > 0)
    gst_psp_unsent_restore (&e->unsent, batch);
  else if (n > 0)
    add_media (e, batch, n, now, slot);
  else
    add_probe (e, batch, now, slot);
  e->unsent.n = batch->n;
  e->sending = batch->n > 0;
  return e->sending;
}

void
gst_psp_engine_sent (GstPspEngine * e, const GstPspBatch * batch, gint64 now)
{
  e->sending = FALSE;
  gst_psp_unsent_keep (&e->unsent, batch);
  e->blocked = e->unsent.n > 0 && e->open;
  if (batch->lost > 0)
    gst_psp_warnings_note_error (&e->warnings, batch->error, batch->lost, now);
  else if (batch->sent > 0)
    gst_psp_warnings_note_sent (&e->warnings, now);
  if (e->unsent.n > 0 && !e->open)
    gst_psp_engine_close (e);
}

gboolean
gst_psp_engine_is_sending (const GstPspEngine * e)
{
  return e->sending;
}

void
gst_psp_engine_writable (GstPspEngine * e)
{
  e->blocked = FALSE;
}

void
gst_psp_engine_failed (GstPspEngine * e, int error, gint64 now)
{
  e->blocked = FALSE;
  gst_psp_warnings_note_error (&e->warnings, error, 0, now);
}

gsize
gst_psp_engine_pack_rtcp (GstPspEngine * e, gint64 now, guint64 ntp,
    gint64 media_now, gboolean bye, guint8 data[GST_PSP_RTCP_SIZE])
{
  gsize size = 0;

  gst_psp_control_set_ntp (&e->control, ntp, now);
  if (bye || e->playing)
    size = psp_sender_reports_pack (&e->reports, now, ntp, media_now, bye, data,
        rtcp_room (e));
  if (size == 0 && e->playing && !bye)
    size = gst_psp_protection_pack_roc (&e->protection, e->sending, now, data,
        rtcp_room (e));
  if (size > 0 && is_protected (e) &&
      gst_psp_srtp_protect_rtcp (e->protection.srtp, data,
          &size) != PSP_SRTP_OK)
    size = 0;
  if (bye)
    e->said_bye = TRUE;
  if (size == 0)
    e->rtcp_due = FALSE;
  return size;
}

gboolean
gst_psp_engine_needs_bye (const GstPspEngine * e)
{
  return e->open && !e->said_bye;
}

/* Time */

static GstCongestionInfo *
make_info (GstPspEngine * e, PspNotice notice, gint64 now)
{
  const PspReportControl *reports = &e->control.by_reports;
  GstCongestionInfo *info;

  if (e->control.feedback == PSP_REPORT_RR) {
    notice.rtt = reports->rtt >= 0 ? reports->rtt : notice.rtt;
    notice.loss = reports->loss;
  }
  info = gst_notice_to_info (&notice, psp_sender_pace (e->sender),
      e->max_frame_time, e->control.controller->name);
  gst_congestion_info_set_queue_time (info,
      gst_psp_queue_time (e->queue, e->target, now));
  return info;
}

static gboolean
take_notice (GstPspEngine * e, gint64 now, GstPspReply * reply)
{
  PspNotice notice;

  if (!psp_sender_take_notice (e->sender, now, &notice))
    return FALSE;
  update (e);
  reply->info = make_info (e, notice, now);
  GST_DEBUG_OBJECT (e->log, "%s: reason %d, target %" G_GINT64_FORMAT
      " bit/s, spacing %" G_GINT64_FORMAT " ns",
      psp_sender_controller (e->sender)->name, notice.reason,
      notice.target_bitrate, notice.spacing);
  return TRUE;
}

static gint64
next_tick (const GstPspEngine * e, gint64 now)
{
  gint64 next = MIN (MIN (psp_sender_next_tick (e->sender, now),
          gst_psp_control_next (&e->control)),
      psp_sender_reports_next (&e->reports, e->ticked_at));

  return MIN (next, gst_psp_protection_next (&e->protection));
}

/* Runs the timers that are due. Returns when the next one is. */
static gint64
run_timers (GstPspEngine * e, gint64 now)
{
  gint64 next;

  if (gst_psp_reserved_measure (&e->reserved, now)) {
    psp_sender_set_reserved (e->sender, e->reserved.bitrate, now);
    update (e);
  }
  next = next_tick (e, now);
  if (next <= now && now - e->ticked_at >= PSP_SENDER_MIN_TICK_INTERVAL) {
    psp_sender_tick (e->sender, now);
    if (gst_psp_control_tick (&e->control, e->receiver.address.size > 0, now))
      gst_psp_warnings_note_no_feedback (&e->warnings);
    e->ticked_at = now;
    e->rtcp_due = TRUE;
    update (e);
    next = next_tick (e, now);
  }
  return MAX (next, now + PSP_SENDER_MIN_TICK_INTERVAL);
}

static gint64
next_key_frame (const GstPspEngine * e)
{
  return e->stopped ? PSP_TIME_NEVER : gst_psp_key_frames_next (&e->key_frames,
      gst_psp_queue_dropped_references (e->queue), e->rtt);
}

gboolean
gst_psp_engine_take_key_frame (GstPspEngine * e, gint64 now)
{
  guint64 drops = gst_psp_queue_dropped_references (e->queue);

  if (next_key_frame (e) > now)
    return FALSE;
  GST_DEBUG_OBJECT (e->log, "asking for a key frame: %" G_GUINT64_FORMAT
      " pictures dropped%s", drops - e->key_frames.drops_handled,
      e->key_frames.wanted ? ", the receiver asks" : "");
  gst_psp_key_frames_asked (&e->key_frames, drops, now);
  return TRUE;
}

/* If packets can leave one after another, checks timers and notices only every
 * PSP_SENDER_MIN_TICK_INTERVAL, because a check costs as much as a packet. */
GstPspReplyKind
gst_psp_engine_poll (GstPspEngine * e, gint64 now, GstPspBatch * batch,
    GstPspReply * reply)
{
  gboolean send_first = e->playing && !e->rtcp_due &&
      now - e->looked_at < PSP_SENDER_MIN_TICK_INTERVAL;

  reply->kind = GST_PSP_REPLY_WAIT;
  reply->slot = reply->timer = PSP_TIME_NEVER;
  reply->blocked = e->blocked;
  if (send_first && take_batch (e, batch, now, &reply->slot))
    return reply->kind = GST_PSP_REPLY_SEND;

  e->looked_at = now;
  if (take_warning (e, now, reply)) {
    reply->kind = GST_PSP_REPLY_WARNING;
  } else if (take_notice (e, now, reply)) {
    reply->kind = GST_PSP_REPLY_NOTICE;
  } else if (gst_psp_engine_take_key_frame (e, now)) {
    reply->kind = GST_PSP_REPLY_KEY_FRAME;
  } else if (e->repair && gst_psp_repair_take_request (e->repair,
          &reply->request, now)) {
    reply->request.ssrc ^= e->protection.ssrc_mask;
    reply->kind = GST_PSP_REPLY_RETRANSMISSION;
  } else if (e->playing) {
    reply->timer = MIN (run_timers (e, now), next_key_frame (e));
    if (e->rtcp_due)
      reply->kind = GST_PSP_REPLY_RTCP;
    else if (!send_first && take_batch (e, batch, now, &reply->slot))
      reply->kind = GST_PSP_REPLY_SEND;
  }
  return reply->kind;
}

/* Receiving */

static GstPspRepair *
get_repair (GstPspEngine * e)
{
  if (!e->repair)
    e->repair = gst_psp_repair_new (&e->repair_config);
  return e->repair;
}

/* Starts repairs at the first NACK, for the rest of the session. */
static void
receive_nacks (GstPspEngine * e, const guint8 * data, gsize size, gint64 now)
{
  if (e->stopped || !gst_psp_repair_is_asked_for (data, size))
    return;
  gst_psp_repair_receive (get_repair (e), data, size, e->rtt, now);
}

/* True if the datagram counts as feedback. */
static gboolean
accept_from (GstPspEngine * e, const PspAddress * from, const guint8 * data,
    gsize size, gint64 now)
{
  gint64 oldest = PSP_TIME_UNKNOWN;
  GstPspReporterResult result = is_protected (e) ?
      gst_psp_reporter_receive_authentic (&e->receiver, &e->feedback,
      e->sender, from, data, size, now, &oldest) :
      gst_psp_reporter_receive (&e->receiver, &e->feedback, e->sender,
      &e->destination, from, data, size, now, &oldest);

  if (result == GST_PSP_REPORTER_OTHER)
    psp_sender_set_ecn (e->sender, e->ecn, now);
  /* A receiver that joins later than the session began lacks the references of
   * its first pictures. */
  if (result == GST_PSP_REPORTER_FIRST || result == GST_PSP_REPORTER_OTHER)
    e->key_frames.wanted |= oldest != e->first_sent_at;
  return result != GST_PSP_REPORTER_FOREIGN;
}

void
gst_psp_engine_receive (GstPspEngine * e, const PspAddress * from,
    const guint8 * data, gsize size, gint64 now)
{
  guint32 plain[GST_PSP_FEEDBACK_SIZE / 4];
  bool bye = false;

  if (is_protected (e)) {
    /* The key, not the address, authenticates the receiver. */
    size = gst_psp_protection_unprotect (&e->protection, data, size,
        (guint8 *) plain, sizeof plain, now);
    if (size == 0)
      return;
    data = (const guint8 *) plain;
  }
  if (!accept_from (e, from, data, size, now)) {
    e->feedback_foreign++;
    return;
  }
  gst_psp_control_receive (&e->control, data, size, now);
  psp_rtcp_feedback_receive (&e->feedback, e->sender, data, size, now, &bye);
  gst_psp_control_received (&e->control, now);
  /* A port that has not reported a packet may be another program's. */
  if (is_protected (e) || psp_address_equal (from, &e->receiver.address)) {
    if (bye && gst_psp_reporter_receive_bye (&e->receiver, data, size, now))
      GST_INFO_OBJECT (e->log, "the receiver said good-bye");
    e->key_frames.wanted |=
        psp_sender_reports_take_key_requests (&e->reports, data, size);
    receive_nacks (e, data, size, now);
  }
  update (e);
}

void
gst_psp_engine_path_changed (GstPspEngine * e, gint64 now)
{
  if (!e->control.controller->needs_feedback)
    return;
  GST_INFO_OBJECT (e->log, "the receiver is reached through another interface: "
      "the controller starts anew");
  gst_psp_engine_reset (e, now);
}

/* True if the packet is a retransmission that upstream made on request.
 * rtprtxreceive sets the same flag on packets that it restores: in a relay they
 * are media. */
static gboolean
is_of_upstream (const GstPspEngine * e, const GstPspPacket * packet)
{
  return e->repair && e->repair_config.payload_type == 0 &&
      GST_BUFFER_FLAG_IS_SET (packet->buffer,
      GST_RTP_BUFFER_FLAG_RETRANSMISSION) &&
      !gst_psp_repair_knows (e->repair,
      packet->header.ssrc ^ e->protection.ssrc_mask);
}

GstPspQueueResult
gst_psp_engine_queue (GstPspEngine * e, const GstPspPacket * packet, gint64 now)
{
  GstPspPacket leaving = *packet;

  leaving.header.size += gst_psp_protection_overhead (&e->protection);
  if (is_of_upstream (e, packet)) {
    gst_psp_repair_add (e->repair, &leaving, now);
    return GST_PSP_QUEUE_TAKEN;
  }
  leaving.header.ssrc ^= e->protection.ssrc_mask;
  e->queue_limits.bitrate = e->target;
  e->queue_limits.now = now;
  return gst_psp_queue_offer (e->queue, &leaving, &e->queue_limits);
}

static gboolean
may_send_media (const GstPspEngine * e, gint64 now)
{
  return may_send (e) && e->unsent.n == 0 && !e->stopped &&
      psp_sender_media_allowed (e->sender, now);
}

gboolean
gst_psp_engine_may_send_all (const GstPspEngine * e, gint64 now)
{
  guint n = waiting (e);
  gint64 slot;

  return may_send_media (e, now) &&
      psp_sender_allowance (e->sender, now, n, &slot) >= n;
}

void
gst_psp_engine_note_waiting (GstPspEngine * e, gint64 now)
{
  gint64 slot;

  if (may_send_media (e, now))
    allowance_or_wait (e, now, gst_psp_queue_packets (e->queue), &slot);
}

void
gst_psp_engine_flush (GstPspEngine * e)
{
  gst_psp_queue_flush (e->queue);
  if (e->repair)
    gst_psp_repair_forget (e->repair);
}

guint
gst_psp_engine_queued (const GstPspEngine * e)
{
  return gst_psp_queue_packets (e->queue);
}

gboolean
gst_psp_engine_is_drained (const GstPspEngine * e)
{
  return waiting (e) == 0 && e->unsent.n == 0;
}

/* Settings */

void
gst_psp_engine_set_playing (GstPspEngine * e, gboolean playing, gint64 now)
{
  if (playing && !e->playing)
    psp_sender_resume (e->sender, now);
  e->playing = playing;
}

gboolean
gst_psp_engine_is_playing (const GstPspEngine * e)
{
  return e->playing;
}

gboolean
gst_psp_engine_set_controller (GstPspEngine * e,
    const PspControllerClass * klass, const gdouble * parameters, gint64 now)
{
  gboolean ok;

  psp_rtcp_feedback_forget (&e->feedback);
  ok = gst_psp_control_set_controller (&e->control, klass, parameters, now);
  update (e);
  return ok;
}

void
gst_psp_engine_set_parameters (GstPspEngine * e, const gdouble * parameters,
    gint64 now)
{
  gst_psp_control_set_parameters (&e->control, parameters, now);
  update (e);
}

const PspControllerClass *
gst_psp_engine_controller (const GstPspEngine * e)
{
  return e->control.controller;
}

gboolean
gst_psp_engine_is_unpaced (const GstPspEngine * e)
{
  return e->unpaced;
}

void
gst_psp_engine_set_limits (GstPspEngine * e, const PspLimits * limits,
    gint64 now)
{
  gst_psp_control_set_limits (&e->control, limits, now);
  update (e);
}

void
gst_psp_engine_set_no_feedback_bitrate (GstPspEngine * e, guint64 bitrate,
    gint64 now)
{
  gst_psp_control_set_no_feedback_bitrate (&e->control, bitrate, now);
  update (e);
}

void
gst_psp_engine_set_queue_limits (GstPspEngine * e, GstPspLeaky leaky,
    GstClockTime max_time)
{
  e->queue_limits.leaky = leaky;
  e->queue_limits.max_time = max_time;
}

void
gst_psp_engine_set_repair (GstPspEngine * e, const GstPspRepairConfig * config,
    guint fec_payload_type)
{
  e->fec_payload_type = fec_payload_type;
  e->repair_config = *config;
  if (e->repair)
    gst_psp_repair_configure (e->repair, config);
  else if (config->payload_type > 0)
    get_repair (e);
}

void
gst_psp_engine_set_max_frame_time (GstPspEngine * e, GstClockTime max_time)
{
  e->max_frame_time = max_time;
}

void
gst_psp_engine_set_ecn (GstPspEngine * e, PspEcn ecn, gint64 now)
{
  e->ecn = ecn;
  psp_sender_set_ecn (e->sender, ecn, now);
  update_verdict (e);
}

void
gst_psp_engine_set_pairs (GstPspEngine * e, gboolean pairs)
{
  psp_sender_set_pairs (e->sender, pairs);
}

GstPspProtection *
gst_psp_engine_protection (GstPspEngine * e)
{
  return &e->protection;
}

void
gst_psp_engine_set_transport_id (GstPspEngine * e, guint8 id)
{
  e->transport.id = id > 0 && psp_twcc_feedback_open (&e->feedback.twcc) ?
      id : 0;
}

void
gst_psp_engine_set_clock_rate (GstPspEngine * e, guint clock_rate)
{
  psp_sender_reports_set_clock_rate (&e->reports, clock_rate);
}

void
gst_psp_engine_reset (GstPspEngine * e, gint64 now)
{
  reset (e, now);
  update (e);
}

void
gst_psp_engine_stats (GstPspEngine * e, gint64 now, GstPspEngineStats * stats)
{
  psp_sender_stats (e->sender, now, &stats->sender);
  if (e->control.feedback == PSP_REPORT_RR) {
    stats->sender.rtt = e->control.by_reports.rtt;
    stats->sender.rtt_min = e->control.by_reports.rtt_min;
    stats->sender.loss = e->control.by_reports.loss;
  }
  stats->feedback = e->control.feedback;
  stats->controller = e->control.controller->name;
  stats->queue_packets = gst_psp_queue_packets (e->queue) + e->unsent.n;
  stats->queue_bytes = gst_psp_queue_payload_bytes (e->queue);
  stats->queue_time = gst_psp_queue_time (e->queue, e->target, now);
  stats->dropped_packets = gst_psp_queue_dropped_packets (e->queue);
  stats->dropped_pictures = gst_psp_queue_dropped_pictures (e->queue);
  if (e->repair)
    gst_psp_repair_stats (e->repair, &stats->repairs);
  else
    memset (&stats->repairs, 0, sizeof stats->repairs);
  stats->reserved_bitrate = (guint64) e->reserved.bitrate;
  stats->send_errors = e->warnings.send_errors;
  stats->feedback_bytes = e->feedback.bytes;
  stats->feedback_malformed = e->feedback.malformed;
  stats->feedback_foreign = e->feedback_foreign;
  stats->feedback_unauthenticated = e->protection.unauthenticated;
  stats->feedback_replayed = e->protection.replayed;
}
