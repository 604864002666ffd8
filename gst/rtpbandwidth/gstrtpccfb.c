/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-rtpccfb
 * @title: rtpccfb
 * @see_also: rtpbandwidth, pspsink, rtpbin
 *
 * rtpccfb stands before rtpbin's recv_rtp_sink and reports to the sender when
 * each packet arrived: congestion control feedback of RFC 8888, which
 * #rtpbandwidth and #pspsink obey. RTP passes unchanged. The reports leave by
 * the pad rtcp_src, in addition to what rtpbin sends by send_rtcp_src:
 * GStreamer's rtpsession has no such reports, and may not send its own so
 * often. They have the SSRC of the rtpsession behind the element.
 *
 * A report is due at a gap, at 8 unreported packets or when the oldest is
 * #GstRtpCcfb:feedback-interval old. All reports together take no more than
 * 2 % of the RTP payload, except that 8 reports a second are always allowed.
 *
 * ## Statistics
 *
 * #GstRtpCcfb:stats is a structure `application/x-rtpccfb-stats`:
 *
 * * `packets`, `payload-bytes` (uint64): RTP that passed
 * * `malformed` (uint64): packets that are neither RTP nor RTCP, or have one of
 *   the payload types 64 to 95 (RFC 5761 section 4); they pass, too
 * * `streams` (uint): SSRCs that are reported
 * * `feedback-sent`, `feedback-bytes` (uint64): reports
 * * `feedback-throttled` (uint64): reports that the 2 % delayed
 *
 * Since: 0.2
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpccfb.h"

#include <settings/settings.h>

#include <rtpfeedback/receiver.h>

#include "gstrtpbandwidthsession.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtp_ccfb_debug);
#define GST_CAT_DEFAULT gst_rtp_ccfb_debug

/* ns; the default of pspsrc, too. */
#define DEFAULT_FEEDBACK_INTERVAL (25 * GST_MSECOND)
/* Offset of the reporter's SSRC, in octets. */
#define SSRC_AT 4
/* ns; the longest wait. It need not be exact. */
#define LONGEST_WAIT (3600 * PSP_SECOND)

enum
{
  PROP_0,
  PROP_FEEDBACK_INTERVAL,
  PROP_STATS,
  N_PROPERTIES
};

typedef enum
{
  END_NONE,
  END_CAME,                     /* the last report and EOS are due */
  END_TOLD                      /* EOS has left; RTP may begin again */
} GstRtpCcfbEnd;

struct _GstRtpCcfb
{
  GstElement parent;
  GstPad *sinkpad, *srcpad, *rtcppad;
  GstClock *clock;

  GMutex lock;                  /* protects all down to `woken` */
  guint64 feedback_interval;    /* ns */
  PspReceiver *receiver;        /* NULL = not started */
  guint64 malformed;
  GstRtpCcfbEnd end;
  gboolean flushing;
  GstClockID id;                /* timer of the task's wait; NULL = it runs */
  gint64 until;                 /* ns; when the wait ends; 0 = no wait */
  gboolean woken;

  /* The RTCP pad's task uses these while it runs. */
  GObject *session;             /* gives reports their SSRC, or NULL */
  gboolean begun;               /* stream-start, caps, segment have left */
  gboolean warned;              /* a failed push has been reported */
};

static GParamSpec *properties[N_PROPERTIES];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_template = GST_STATIC_PAD_TEMPLATE ("rtcp_src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtcp"));

#define gst_rtp_ccfb_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtpCcfb, gst_rtp_ccfb, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_ccfb_debug, "rtpccfb", 0,
        "RTP congestion control feedback"));
GST_ELEMENT_REGISTER_DEFINE (rtpccfb, "rtpccfb", GST_RANK_NONE,
    GST_TYPE_RTP_CCFB);

static gint64
gst_rtp_ccfb_now (GstRtpCcfb * self)
{
  return (gint64) gst_clock_get_time (self->clock);
}

/* Wakes the task. The caller holds the lock. */
static void
gst_rtp_ccfb_wake (GstRtpCcfb * self)
{
  self->woken = TRUE;
  if (self->id)
    gst_clock_id_unschedule (self->id);
}

/* Arrivals */

/* Notes a packet that arrives. The caller holds the lock. */
static void
gst_rtp_ccfb_note (GstRtpCcfb * self, GstBuffer * buffer, gint64 now)
{
  GstMapInfo map;
  PspRtpHeader header;
  gboolean valid = FALSE, rtcp = FALSE;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    rtcp = psp_packet_kind (map.data, map.size) == PSP_PACKET_RTCP;
    valid = psp_rtp_parse (map.data, map.size, map.size, &header);
    gst_buffer_unmap (buffer, &map);
  }
  /* RTCP may come on the same port (RFC 5761). */
  if (valid)
    psp_receiver_packet (self->receiver, &header, PSP_ECN_NOT_ECT, now);
  else if (!rtcp)
    self->malformed++;
}

/* Wakes the task if a report is due before its wait ends. The task waits
 * until the oldest packet is due, but a gap, or many packets, make a
 * report due earlier. The caller holds the lock. */
static void
gst_rtp_ccfb_look (GstRtpCcfb * self, gint64 now)
{
  if (psp_receiver_next (self->receiver, now) < self->until)
    gst_rtp_ccfb_wake (self);
}

static GstFlowReturn
gst_rtp_ccfb_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRtpCcfb *self = GST_RTP_CCFB (parent);
  gint64 now = gst_rtp_ccfb_now (self);

  (void) pad;
  g_mutex_lock (&self->lock);
  gst_rtp_ccfb_note (self, buffer, now);
  gst_rtp_ccfb_look (self, now);
  g_mutex_unlock (&self->lock);
  return gst_pad_push (self->srcpad, buffer);
}

static GstFlowReturn
gst_rtp_ccfb_chain_list (GstPad * pad, GstObject * parent, GstBufferList * list)
{
  GstRtpCcfb *self = GST_RTP_CCFB (parent);
  gint64 now = gst_rtp_ccfb_now (self);

  (void) pad;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    gst_rtp_ccfb_note (self, gst_buffer_list_get (list, i), now);
  gst_rtp_ccfb_look (self, now);
  g_mutex_unlock (&self->lock);
  return gst_pad_push_list (self->srcpad, list);
}

static void
gst_rtp_ccfb_set_end (GstRtpCcfb * self, GstRtpCcfbEnd end)
{
  g_mutex_lock (&self->lock);
  self->end = end;
  gst_rtp_ccfb_wake (self);
  g_mutex_unlock (&self->lock);
}

/* Ends the RTCP stream with the RTP stream, because an element that merges
 * RTCP waits for the end of all its inputs. Only the task pushes there, so
 * that nothing comes before stream-start or after EOS. */
static gboolean
gst_rtp_ccfb_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRtpCcfb *self = GST_RTP_CCFB (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
      gst_rtp_ccfb_set_end (self, END_CAME);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_FLUSH_STOP:
      gst_rtp_ccfb_set_end (self, END_NONE);
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Links the RTP pads with each other. The RTCP pad has no link, because
 * RTCP begins here. */
static GstIterator *
gst_rtp_ccfb_iterate_links (GstPad * pad, GstObject * parent)
{
  GstRtpCcfb *self = GST_RTP_CCFB (parent);
  GstPad *other = pad == self->sinkpad ? self->srcpad : self->sinkpad;
  GValue value = G_VALUE_INIT;
  GstIterator *it;

  if (pad == self->rtcppad)
    return NULL;
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, other);
  it = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return it;
}

/* Reports */

static void
gst_rtp_ccfb_begin (GstRtpCcfb * self)
{
  gchar *id = gst_pad_create_stream_id (self->rtcppad, GST_ELEMENT (self),
      "rtcp");
  GstCaps *caps = gst_static_pad_template_get_caps (&rtcp_template);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->rtcppad, gst_event_new_stream_start (id));
  gst_pad_push_event (self->rtcppad, gst_event_new_caps (caps));
  gst_pad_push_event (self->rtcppad, gst_event_new_segment (&segment));
  g_clear_object (&self->session);
  self->begun = TRUE;
  gst_caps_unref (caps);
  g_free (id);
}

/* Writes the SSRC of the session, so that the reporter is the participant
 * whose receiver reports the sender gets. Looks for the session at each
 * report until it is found, because it may be linked after the first one. */
static void
gst_rtp_ccfb_write_ssrc (GstRtpCcfb * self, guint8 * data)
{
  guint ssrc = 0;

  if (!self->session)
    self->session = gst_rtp_bandwidth_find_session (self->srcpad);
  if (!self->session
      || !g_object_class_find_property (G_OBJECT_GET_CLASS (self->session),
          "internal-ssrc"))
    return;
  g_object_get (self->session, "internal-ssrc", &ssrc, NULL);
  GST_WRITE_UINT32_BE (data + SSRC_AT, ssrc);
}

static void
gst_rtp_ccfb_push (GstRtpCcfb * self, guint8 * data, gsize size)
{
  GstFlowReturn ret;

  if (!self->begun)
    gst_rtp_ccfb_begin (self);
  gst_rtp_ccfb_write_ssrc (self, data);
  ret = gst_pad_push (self->rtcppad, gst_buffer_new_memdup (data, size));
  if (ret == GST_FLOW_OK || self->warned)
    return;
  self->warned = TRUE;
  if (ret == GST_FLOW_NOT_LINKED)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Reports leave nowhere, so no sender can adapt: link the pad rtcp_src "
            "to what sends RTCP, by a funnel beside rtpbin's send_rtcp_src."),
        (NULL));
  else
    GST_DEBUG_OBJECT (self, "no more reports: %s", gst_flow_get_name (ret));
}

static void
gst_rtp_ccfb_push_eos (GstRtpCcfb * self)
{
  if (!self->begun)
    gst_rtp_ccfb_begin (self);
  gst_pad_push_event (self->rtcppad, gst_event_new_eos ());
  self->begun = FALSE;
}

/* Waits until the time `until`, or until the task is woken. The caller
 * holds the lock, which is released meanwhile. */
static void
gst_rtp_ccfb_wait (GstRtpCcfb * self, gint64 until)
{
  gint64 longest = gst_rtp_ccfb_now (self) + LONGEST_WAIT;

  if (!self->woken) {
    self->until = until;
    self->id = gst_clock_new_single_shot_id (self->clock,
        (GstClockTime) MIN (until, longest));
    g_mutex_unlock (&self->lock);
    gst_clock_id_wait (self->id, NULL);
    g_mutex_lock (&self->lock);
    g_clear_pointer (&self->id, gst_clock_id_unref);
    self->until = 0;
  }
  self->woken = FALSE;
}

/* Returns the time in NTP format. Any clock will do, because only
 * differences of these times are used. */
static guint64
gst_rtp_ccfb_ntp (gint64 now)
{
  return gst_util_uint64_scale ((guint64) now, G_GUINT64_CONSTANT (1) << 32,
      GST_SECOND);
}

/* Writes the report that is due. At the end, packets that still wait for
 * their interval are due, too, as far as the 2 % allow. The caller holds
 * the lock. */
static gsize
gst_rtp_ccfb_pack (GstRtpCcfb * self, gint64 now, guint8 * report)
{
  gsize size;

  if (self->end == END_TOLD)
    return 0;
  if (self->end == END_CAME && self->feedback_interval > 0) {
    psp_receiver_set_feedback_interval (self->receiver, 1);
    now++;
  }
  size = psp_receiver_pack (self->receiver, now, gst_rtp_ccfb_ntp (now),
      report, PSP_RECEIVER_USUAL_RTCP_SIZE);
  psp_receiver_set_feedback_interval (self->receiver,
      (gint64) self->feedback_interval);
  return size;
}

/* Waits for the next report. Returns its size, or 0 at the end or while
 * flushing. The caller holds the lock. */
static gsize
gst_rtp_ccfb_next (GstRtpCcfb * self, guint8 * report)
{
  while (!self->flushing) {
    gint64 now = gst_rtp_ccfb_now (self);
    gsize size = gst_rtp_ccfb_pack (self, now, report);

    if (size > 0 || self->end == END_CAME)
      return size;
    gst_rtp_ccfb_wait (self, self->end == END_TOLD ? PSP_TIME_NEVER :
        psp_receiver_next (self->receiver, now));
  }
  return 0;
}

static void
gst_rtp_ccfb_loop (gpointer data)
{
  GstRtpCcfb *self = data;
  guint8 report[PSP_RECEIVER_USUAL_RTCP_SIZE];
  gboolean flushing;
  gsize size;

  g_mutex_lock (&self->lock);
  size = gst_rtp_ccfb_next (self, report);
  flushing = self->flushing;
  if (!flushing && size == 0)
    self->end = END_TOLD;
  g_mutex_unlock (&self->lock);

  if (flushing)
    gst_pad_pause_task (self->rtcppad);
  else if (size > 0)
    gst_rtp_ccfb_push (self, report, size);
  else
    gst_rtp_ccfb_push_eos (self);
}

static gboolean
gst_rtp_ccfb_activate_mode (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  GstRtpCcfb *self = GST_RTP_CCFB (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  g_mutex_lock (&self->lock);
  self->flushing = !active;
  gst_rtp_ccfb_wake (self);
  g_mutex_unlock (&self->lock);
  return active ? gst_pad_start_task (pad, gst_rtp_ccfb_loop, self, NULL) :
      gst_pad_stop_task (pad);
}

/* States */

static gboolean
gst_rtp_ccfb_start (GstRtpCcfb * self)
{
  PspReceiverConfig config = {.ssrc = g_random_int (),
    .max_rtcp_size = PSP_RECEIVER_USUAL_RTCP_SIZE,
    .random_seed = g_random_int (),
    .feedback_alone = true
  };
  PspReceiver *receiver = psp_receiver_new (&config);

  if (!receiver) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for the reports."), (NULL));
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  psp_receiver_set_feedback_interval (receiver,
      (gint64) self->feedback_interval);
  self->receiver = receiver;
  self->malformed = 0;
  self->end = END_NONE;
  g_mutex_unlock (&self->lock);
  self->begun = self->warned = FALSE;
  return TRUE;
}

static void
gst_rtp_ccfb_stop (GstRtpCcfb * self)
{
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->receiver, psp_receiver_free);
  g_mutex_unlock (&self->lock);
  g_clear_object (&self->session);
}

static GstStateChangeReturn
gst_rtp_ccfb_change_state (GstElement * element, GstStateChange transition)
{
  GstRtpCcfb *self = GST_RTP_CCFB (element);
  GstStateChangeReturn ret;
  gboolean starts = transition == GST_STATE_CHANGE_READY_TO_PAUSED;

  if (starts && !gst_rtp_ccfb_start (self))
    return GST_STATE_CHANGE_FAILURE;
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (starts && ret == GST_STATE_CHANGE_FAILURE))
    gst_rtp_ccfb_stop (self);
  return ret;
}

/* Properties */

static void
gst_rtp_ccfb_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstRtpCcfb *self = GST_RTP_CCFB (object);

  if (id != PROP_FEEDBACK_INTERVAL) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  g_mutex_lock (&self->lock);
  self->feedback_interval = g_value_get_uint64 (value);
  if (self->receiver)
    psp_receiver_set_feedback_interval (self->receiver,
        (gint64) self->feedback_interval);
  gst_rtp_ccfb_wake (self);
  g_mutex_unlock (&self->lock);
}

static GstStructure *
gst_rtp_ccfb_get_stats (GstRtpCcfb * self)
{
  PspReceiverStats stats;
  guint64 malformed;

  memset (&stats, 0, sizeof stats);
  g_mutex_lock (&self->lock);
  if (self->receiver)
    psp_receiver_stats (self->receiver, &stats);
  malformed = self->malformed;
  g_mutex_unlock (&self->lock);
  return gst_structure_new ("application/x-rtpccfb-stats",
      "packets", G_TYPE_UINT64, stats.packets,
      "payload-bytes", G_TYPE_UINT64, stats.payload_bytes,
      "malformed", G_TYPE_UINT64, malformed,
      "streams", G_TYPE_UINT, stats.n_streams,
      "feedback-sent", G_TYPE_UINT64, stats.feedback_sent,
      "feedback-bytes", G_TYPE_UINT64, stats.feedback_bytes,
      "feedback-throttled", G_TYPE_UINT64, stats.feedback_throttled, NULL);
}

static void
gst_rtp_ccfb_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstRtpCcfb *self = GST_RTP_CCFB (object);

  switch (id) {
    case PROP_FEEDBACK_INTERVAL:
      g_mutex_lock (&self->lock);
      g_value_set_uint64 (value, self->feedback_interval);
      g_mutex_unlock (&self->lock);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, gst_rtp_ccfb_get_stats (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

/* Life */

static void
gst_rtp_ccfb_finalize (GObject * object)
{
  GstRtpCcfb *self = GST_RTP_CCFB (object);

  gst_object_unref (self->clock);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_ccfb_install_properties (GObjectClass * object_class)
{
  /**
   * GstRtpCcfb:feedback-interval:
   *
   * Losses and every eighth packet are reported at once; 0 reports nothing.
   */
  properties[PROP_FEEDBACK_INTERVAL] =
      g_param_spec_uint64 ("feedback-interval", "Feedback interval",
      "Longest that a packet goes unreported, ns (0 = report nothing)", 0,
      GST_SECOND, DEFAULT_FEEDBACK_INTERVAL, GST_SETTINGS_PLAYING);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "What passed and what was reported", GST_TYPE_STRUCTURE,
      GST_SETTINGS_READ_ONLY);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
gst_rtp_ccfb_class_init (GstRtpCcfbClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_rtp_ccfb_set_property;
  object_class->get_property = gst_rtp_ccfb_get_property;
  object_class->finalize = gst_rtp_ccfb_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_rtp_ccfb_change_state);
  gst_rtp_ccfb_install_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_template);
  gst_element_class_set_static_metadata (element_class,
      "RTP congestion control feedback", "Network/RTP/Filter",
      "Reports to the sender when packets arrived (RFC 8888), before rtpbin",
      "The gst-psp authors");
}

static void
gst_rtp_ccfb_init (GstRtpCcfb * self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_rtp_ccfb_chain));
  gst_pad_set_chain_list_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_rtp_ccfb_chain_list));
  gst_pad_set_event_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_rtp_ccfb_sink_event));
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  self->rtcppad = gst_pad_new_from_static_template (&rtcp_template, "rtcp_src");
  gst_pad_set_activatemode_function (self->rtcppad,
      GST_DEBUG_FUNCPTR (gst_rtp_ccfb_activate_mode));
  gst_pad_use_fixed_caps (self->rtcppad);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_pad_set_iterate_internal_links_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_rtp_ccfb_iterate_links));
  gst_pad_set_iterate_internal_links_function (self->srcpad,
      GST_DEBUG_FUNCPTR (gst_rtp_ccfb_iterate_links));
  gst_pad_set_iterate_internal_links_function (self->rtcppad,
      GST_DEBUG_FUNCPTR (gst_rtp_ccfb_iterate_links));
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->rtcppad);

  g_mutex_init (&self->lock);
  self->clock = gst_system_clock_obtain ();
  self->feedback_interval = DEFAULT_FEEDBACK_INTERVAL;
}
