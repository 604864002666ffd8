/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-pspsrc
 * @title: pspsrc
 * @see_also: pspsink, udpsrc, rtpjitterbuffer
 *
 * Receives RTP over UDP and reports every arrival to the sender, so that a
 * #pspsink, or any sender that reads RFC 8888 feedback, can control its rate.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 pspsrc port=5004 caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264" ! rtpjitterbuffer ! rtph264depay ! h264parse ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Receive and show H.264 video.
 * |[
 * gst-launch-1.0 pspsrc uri=psp://239.255.12.42:5004 multicast-iface=eth0 caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264" ! fakesink
 * ]| Receive a multicast group on one interface.
 *
 * ## Sender reports
 *
 * What the sender reports leaves by the pad `rtcp_src`, which is added with the
 * first report. `recv_rtcp_sink_%u` of `rtpbin` takes it, to align sound and
 * video.
 *
 * ## Feedback
 *
 * Reports leave from the socket that the media arrives on, to the address that
 * the media comes from: RTCP on the RTP port (RFC 5761), as congestion control
 * feedback (RFC 8888) at a gap, at 8 unreported packets or when the oldest is
 * #GstPspSrc:feedback-interval old, within 2 % of the RTP payload, beside
 * regular receiver reports. Groups get none. While the pipeline is paused or
 * downstream blocks, nothing is read or reported, and the sender slows down.
 *
 * A GstForceKeyUnit event from downstream becomes a request to the sender: FIR
 * (RFC 5104) if it asks for all headers, otherwise PLI (RFC 4585); for the
 * stream of its field `ssrc`, as #rtpbin sets it, or for all. There are at most
 * two requests a second for a stream.
 *
 * A GstRTPRetransmissionRequest event from downstream, as rtpjitterbuffer sends
 * it with `do-retransmission=true`, becomes a generic NACK (RFC 4585). A packet
 * is only requested if others have overtaken it, it did not come, it was not
 * requested within the event's `frequency`, and its repair can come within the
 * event's `deadline`; and none is while the link is silent. NACKs leave at
 * once, within another 3 % of the RTP payload. The repairs (RFC 4588) come as a
 * separate stream: rtprtxreceive belongs between pspsrc and the jitter buffer.
 *
 * ## Whose media
 *
 * The first address and port that valid RTP comes from is the peer. A stream is
 * accepted from another port of that host after the old port has been silent
 * for 2 s (a NAT moved it); another stream from there, and another host, after
 * a silence of 500 ms; and at once if all streams have sent a BYE from the port
 * of the media. Until then packets from others are dropped and counted as
 * `foreign-packets`. The packets of all senders to a multicast group are
 * delivered.
 *
 * A datagram that is not RTP or RTCP, is malformed, or has one of the payload
 * types 64 to 95, which conflict with RTCP on the same port (RFC 5761 section
 * 4), is dropped and counted as `malformed`. Duplicates are delivered, as by
 * #udpsrc: the jitter buffer drops them. Datagrams of all sizes arrive whole.
 * Packets that were read together are pushed as a #GstBufferList, unless
 * num-buffers is set.
 *
 * ## Time stamps
 *
 * PTS and DTS are the running time at which the kernel received the packet, so
 * that the pipeline's own scheduling adds no jitter. If packets come more often
 * than once in 1.3 ms, some are read together, because a wake-up for each costs
 * more than reading it: pspsrc leaves them in the socket for up to 2 ms, or
 * less if so many come that they might not fit.
 *
 * ## Messages
 *
 * The element message `GstPspSrcBye` is posted when a stream of the peer ends
 * by RTCP BYE:
 *
 * * `ssrc` (#guint): the stream
 * * `address` (string): the peer, as in `peer-address`
 *
 * The element message `GstPspSrcTimeout` is posted whenever no RTP came for
 * #GstPspSrc:timeout:
 *
 * * `timeout` (#guint64): that time, ns
 *
 * ## Statistics
 *
 * #GstPspSrc:stats is a structure `application/x-psp-source-stats`, all 0 or
 * empty while the element is not started:
 *
 * * `packets`, `bytes`, `payload-bytes` (#guint64): RTP received; bytes
 *   include the RTP header, payload-bytes do not
 * * `lost` (#gint64): packets expected but not received, of the streams below;
 *   negative if there are more duplicates than losses
 * * `duplicates`, `reordered` (#guint64)
 * * `malformed`, `foreign-packets` (#guint64): dropped, see above
 * * `unauthenticated`, `replayed` (#guint64): dropped, if
 *   #GstPspSrc:srtp-suite is not none
 * * `feedback-sent` (#guint64): congestion control feedback messages
 * * `feedback-bytes` (#guint64): UDP payload of all RTCP sent
 * * `feedback-throttled` (#guint64): reports delayed by the limit of 2 %
 * * `feedback-errors` (#guint64): reports that the system refused to send
 * * `packets-requested` (#guint64): requested by NACK, repetitions included
 * * `requests-refused` (#guint64): requests from downstream that were not sent,
 *   see above
 * * `rtcp-received`, `rtcp-malformed` (#guint64)
 * * `peer-address` (string): "address:port", "" before the first packet
 * * `streams` (#GstValueArray of #GstStructure): of each SSRC `ssrc` (#guint),
 *   `packets`, `bytes`, `payload-bytes`, `duplicates`, `reordered`
 *   (#guint64), `lost` (#gint64), `jitter` (#guint64, ns, RFC 3550;
 *   %GST_CLOCK_TIME_NONE while the caps have no clock-rate) and `bye`
 *   (#gboolean)
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrc.h"
#include "gstpspenums.h"

#include <control/types.h>
#include "gstpsplistener.h"
#include "gstpspreception.h"
#include "gstpspsrccaps.h"
#include "gstpspsrcrtcp.h"
#include "gstpspsrcsettings.h"
#include "gstpsptransport.h"
#include "gstpspuri.h"

GST_DEBUG_CATEGORY (gst_psp_src_debug);
#define GST_CAT_DEFAULT gst_psp_src_debug

/* ns from a BYE to the end of the stream, for packets that the BYE overtook. */
#define BYE_LINGER (100 * PSP_MSECOND)

/* ns for each millisecond of a request's frequency in which the same packet is
 * not requested again: a jitter buffer's timers may fire a little early. */
#define RETRY_SHARE (GST_MSECOND * 3 / 4)

static GParamSpec *properties[GST_PSP_SRC_N_PROPERTIES];

/* Properties of pspsink that a URI may contain. */
static const gchar *const sink_parameters[] = {
  "host", "bind-address", "bind-port", "rtcp-port", "ttl", "ttl-mc", "loop",
  "qos-dscp", "ecn", "controller", "controller-params", "spacing",
  "scale-bitrates", "min-target-bitrate", "max-target-bitrate",
  "start-target-bitrate", "unproved-target-bitrate", "no-feedback-bitrate",
  "max-queue-time", "max-frame-time", "leaky", "pacing", "rtx-payload-type",
  "repair-share", "repair-deadline", "fec-payload-type", "srtp-keep-ssrc",
  "srtp-soft-limit", NULL
};

struct _GstPspSrc
{
  GstPushSrc parent;

  /* The object lock guards these members. */
  GstPspListenerConfig config;
  gchar *uri_error;             /* message about the last URI, or NULL */
  gchar *port_error;            /* message about the last port, or NULL */
  GstPspSrcCaps caps;
  GstClockTime timeout;
  gboolean eos_on_bye;
  GstPspSrcFeedback feedback;
  GstPspSrtpConfig srtp;
  GSocket *used_socket;
  gint bound_port;              /* 0 while closed */

  /* Only the streaming thread uses these members between start and stop. */
  GstPspListener listener;
  gint64 waiting_since;         /* for `timeout`; PSP_TIME_UNKNOWN = not yet */
  gint64 eos_at;

  GstPspSrcRtcp rtcp;
  GstPspReception *reception;
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

static void gst_psp_src_uri_handler_init (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstPspSrc, gst_psp_src, GST_TYPE_PUSH_SRC,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_psp_src_uri_handler_init);
    GST_DEBUG_CATEGORY_INIT (gst_psp_src_debug, "pspsrc", 0,
        "RTP over UDP with feedback, receiver"));
GST_ELEMENT_REGISTER_DEFINE (pspsrc, "pspsrc", GST_RANK_NONE, GST_TYPE_PSP_SRC);

/* Streaming */

static void
post_byes (GstPspSrc * self)
{
  gchar address[PSP_ADDRESS_TEXT];
  guint32 ssrc;

  while (gst_psp_reception_take_bye (self->reception, &ssrc, address)) {
    GST_INFO_OBJECT (self, "stream %08x of %s ended", ssrc, address);
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self),
            gst_structure_new ("GstPspSrcBye", "ssrc", G_TYPE_UINT, ssrc,
                "address", G_TYPE_STRING, address, NULL)));
    self->eos_at = wait_monotonic_now () + BYE_LINGER;
  }
}

/* True if the stream must end now. */
static gboolean
check_eos (GstPspSrc * self, gint64 now)
{
  gboolean wanted;

  if (now < self->eos_at)
    return FALSE;
  self->eos_at = PSP_TIME_NEVER;
  GST_OBJECT_LOCK (self);
  wanted = self->eos_on_bye;
  GST_OBJECT_UNLOCK (self);
  return wanted && gst_psp_reception_peer_gone (self->reception);
}

/* Posts a timeout if one is due. Returns when the next one is. */
static gint64
check_timeout (GstPspSrc * self, gint64 now)
{
  GstClockTime timeout;
  gint64 since;

  GST_OBJECT_LOCK (self);
  timeout = self->timeout;
  GST_OBJECT_UNLOCK (self);
  if (self->waiting_since == PSP_TIME_UNKNOWN)
    self->waiting_since = now;
  if (timeout == 0 || timeout > (GstClockTime) (G_MAXINT64 - now))
    return PSP_TIME_NEVER;
  since = MAX (self->waiting_since,
      gst_psp_reception_heard_at (self->reception));
  if (now - since >= (gint64) timeout) {
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self),
            gst_structure_new ("GstPspSrcTimeout", "timeout", G_TYPE_UINT64,
                timeout, NULL)));
    since = self->waiting_since = now;
  }
  return since + (gint64) timeout;
}

static GstFlowReturn
read_error (GstPspSrc * self, int err)
{
  GST_ELEMENT_ERROR (self, RESOURCE, READ,
      ("The socket cannot be read any more: %s. If the application handed it "
          "in, it must keep it open while pspsrc uses it.",
          g_strerror (-err)), (NULL));
  return GST_FLOW_ERROR;
}

/* Makes the keys from the properties, or from the key that the application
 * returns for the MKI. Returns TRUE if these keys protect packets. */
static gboolean
find_keys (GstPspSrc * self, GBytes * mki, GstPspSrtpKeys * keys,
    GError ** error)
{
  GstPspSrtpConfig config;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  gst_psp_srtp_config_copy (&config, &self->srtp);
  GST_OBJECT_UNLOCK (self);
  if (mki || gst_psp_srtp_config_lacks_key (&config)) {
    GBytes *key = gst_psp_srtp_request_key (GST_ELEMENT (self), mki);

    if (mki && !key) {
      gst_psp_srtp_config_clear (&config);
      return FALSE;
    }
    g_clear_pointer (&config.key, g_bytes_unref);
    config.key = key;
    if (mki) {
      g_clear_pointer (&config.mki, g_bytes_unref);
      config.mki = g_bytes_ref (mki);
    }
  }
  ok = gst_psp_srtp_keys_init (keys, &config, error);
  gst_psp_srtp_config_clear (&config);
  return ok;
}

/* Changes the keys while playing, to those of the properties (`mki` NULL) or to
 * the key of this MKI. */
static void
update_keys (GstPspSrc * self, GBytes * mki)
{
  GstPspSrtpKeys keys;
  GError *error = NULL;

  if (find_keys (self, mki, &keys, &error) &&
      !gst_psp_reception_set_srtp (self->reception, &keys))
    error = gst_psp_srtp_used_error ();
  psp_srtp_wipe (&keys, sizeof keys);
  gst_settings_warn (GST_ELEMENT (self), error);
}

/* Asks the application for the key if packets came under an unknown one. */
static void
look_for_unknown_key (GstPspSrc * self)
{
  GBytes *mki = gst_psp_reception_ask_key (self->reception);

  if (!mki)
    return;
  update_keys (self, mki);
  g_bytes_unref (mki);
}

/* Without a word, wrong keys would look like a network that delivers nothing. */
static void
look_for_wrong_keys (GstPspSrc * self)
{
  guint64 n = gst_psp_reception_none_authentic (self->reception);

  if (n > 0)
    GST_ELEMENT_WARNING (self, STREAM, DECRYPT,
        ("%" G_GUINT64_FORMAT " packets came, and none is authentic; set the "
            "sender's srtp-suite and its passphrase, or srtp-key and srtp-mki. "
            "A sender without SRTP needs srtp-suite=none here.", n), (NULL));
}

static void
push_rtcp (GstPspSrc * self)
{
  GstBuffer *buffer;

  while ((buffer = gst_psp_reception_take_rtcp (self->reception)))
    gst_psp_src_rtcp_push (&self->rtcp, buffer);
}

static GstFlowReturn
gst_psp_src_create (GstPushSrc * psrc, GstBuffer ** buffer)
{
  GstPspSrc *self = GST_PSP_SRC (psrc);
  GstBaseSrc *base = GST_BASE_SRC (psrc);
  GstPspReception *r = self->reception;

  for (;;) {
    gint64 now;
    int err;

    if (gst_psp_reception_is_flushing (r))
      return GST_FLOW_FLUSHING;
    if (self->caps.undecided && gst_psp_reception_pending (r) > 0 &&
        !gst_psp_src_caps_decide (&self->caps,
            gst_psp_reception_payload_type (r)))
      return GST_FLOW_NOT_NEGOTIATED;
    /* num-buffers counts a list as one. */
    if (gst_psp_reception_pending (r) > 1 && base->num_buffers < 0) {
      gst_base_src_submit_buffer_list (base, gst_psp_reception_take_list (r));
      return GST_FLOW_OK;
    }
    if ((*buffer = gst_psp_reception_take (r)))
      return GST_FLOW_OK;
    now = wait_monotonic_now ();
    if (check_eos (self, now))
      return GST_FLOW_EOS;
    err = gst_psp_reception_run (r, MIN (check_timeout (self, now),
            self->eos_at));
    if (err < 0)
      return read_error (self, err);
    push_rtcp (self);
    post_byes (self);
    look_for_unknown_key (self);
    look_for_wrong_keys (self);
  }
}

static gboolean
gst_psp_src_unlock (GstBaseSrc * bsrc)
{
  gst_psp_reception_set_flushing (GST_PSP_SRC (bsrc)->reception, TRUE);
  return TRUE;
}

static gboolean
gst_psp_src_unlock_stop (GstBaseSrc * bsrc)
{
  GstPspSrc *self = GST_PSP_SRC (bsrc);

  gst_psp_reception_set_flushing (self->reception, FALSE);
  self->waiting_since = PSP_TIME_UNKNOWN;
  return TRUE;
}

/* Returns the field in ms, or 0 if it is missing. */
static guint
request_time (const GstStructure * request, const gchar * field)
{
  guint time = 0;

  gst_structure_get_uint (request, field, &time);
  return time;
}

/* Handles rtpjitterbuffer's request, which names the lost packet, how long it
 * has waited for it, how long it can wait, and how long repairs have taken so
 * far. */
static gboolean
request_packet (GstPspSrc * self, const GstStructure * request,
    const guint * ssrc)
{
  guint number, wait = request_time (request, "delay"), left;

  if (!gst_structure_get_uint (request, "seqnum", &number))
    return FALSE;
  left = request_time (request, "deadline");
  left = left > 0 ? left - MIN (left, wait) : G_MAXUINT;
  return gst_psp_reception_request_packet (self->reception, ssrc,
      (guint16) number, request_time (request, "frequency") * RETRY_SHARE,
      request_time (request, "avg-rtt") <= left);
}

/* Forwards requests for key units and for lost packets to the sender. If
 * streams are demultiplexed downstream, a request names its SSRC. */
static gboolean
gst_psp_src_event (GstBaseSrc * bsrc, GstEvent * event)
{
  GstPspSrc *self = GST_PSP_SRC (bsrc);
  const GstStructure *request = gst_event_get_structure (event);
  gboolean all_headers = FALSE;
  guint value;
  const guint *ssrc;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM || !request)
    return GST_BASE_SRC_CLASS (gst_psp_src_parent_class)->event (bsrc, event);
  ssrc = gst_structure_get_uint (request, "ssrc", &value) ? &value : NULL;
  if (gst_structure_has_name (request, "GstRTPRetransmissionRequest"))
    return request_packet (self, request, ssrc);
  if (!gst_structure_has_name (request, "GstForceKeyUnit"))
    return GST_BASE_SRC_CLASS (gst_psp_src_parent_class)->event (bsrc, event);
  gst_structure_get_boolean (request, "all-headers", &all_headers);
  return gst_psp_reception_request_key_unit (self->reception, ssrc,
      all_headers);
}

/* Start and stop */

static void
set_used_socket (GstPspSrc * self, GSocket * socket)
{
  gint port = 0;
  PspAddress local;
  GSocket *old;

  if (socket && psp_udp_local_address (self->listener.fd, &local) == 0)
    port = psp_address_port (&local);
  GST_OBJECT_LOCK (self);
  old = self->used_socket;
  self->used_socket = socket ? g_object_ref (socket) : NULL;
  self->bound_port = port;
  GST_OBJECT_UNLOCK (self);
  if (old)
    g_object_unref (old);
  g_object_notify_by_pspec (G_OBJECT (self),
      properties[GST_PSP_SRC_USED_SOCKET]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[GST_PSP_SRC_PORT]);
}

static gboolean
open_listener (GstPspSrc * self)
{
  GstPspListenerConfig config;
  GError *error = NULL;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  config = self->config;
  gst_settings_dup (gst_psp_src_fields, &config);
  if (self->uri_error || self->port_error)
    error = g_error_new_literal (GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_OPEN_READ,
        self->uri_error ? self->uri_error : self->port_error);
  GST_OBJECT_UNLOCK (self);
  ok = !error && gst_psp_listener_open (&self->listener, &config, &error);
  if (!ok) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ, ("%s", error->message),
        (NULL));
    g_error_free (error);
  } else if (self->listener.granted) {
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The system granted a receive buffer of %d bytes, not the %d asked "
            "for. Raise it: sysctl -w net.core.rmem_max=%d",
            self->listener.granted, config.buffer_size, config.buffer_size),
        (NULL));
  }
  gst_settings_clear (gst_psp_src_fields, &config);
  return ok;
}

/* Sets the first keys. Returns FALSE after it has posted an error. */
static gboolean
start_srtp (GstPspSrc * self)
{
  GstPspSrtpKeys keys;
  GError *error = NULL;

  if (find_keys (self, NULL, &keys, &error) &&
      !gst_psp_reception_set_srtp (self->reception, &keys))
    g_set_error (&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "This libsrtp lacks the suite; choose another srtp-suite.");
  psp_srtp_wipe (&keys, sizeof keys);
  if (!error)
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message), (NULL));
  g_error_free (error);
  return FALSE;
}

static gboolean
gst_psp_src_start (GstBaseSrc * bsrc)
{
  GstPspSrc *self = GST_PSP_SRC (bsrc);
  int err;

  if (!open_listener (self))
    return FALSE;
  err = gst_psp_reception_start (self->reception, self->listener.fd,
      self->listener.multicast);
  if (err) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("The system lacks what receiving takes: %s. Free memory, or raise "
            "the limit of open files (ulimit -n).", g_strerror (-err)), (NULL));
    gst_psp_listener_close (&self->listener);
    return FALSE;
  }
  if (!start_srtp (self)) {
    gst_psp_reception_stop (self->reception);
    gst_psp_listener_close (&self->listener);
    return FALSE;
  }
  self->caps.warned = FALSE;
  self->waiting_since = PSP_TIME_UNKNOWN;
  self->eos_at = PSP_TIME_NEVER;
  set_used_socket (self, self->listener.socket);
  return TRUE;
}

static gboolean
gst_psp_src_stop (GstBaseSrc * bsrc)
{
  GstPspSrc *self = GST_PSP_SRC (bsrc);

  gst_psp_src_rtcp_end (&self->rtcp);
  gst_psp_reception_stop (self->reception);
  gst_psp_listener_close (&self->listener);
  set_used_socket (self, NULL);
  return TRUE;
}

/* Caps */

static GstCaps *
gst_psp_src_get_caps (GstBaseSrc * bsrc, GstCaps * filter)
{
  return gst_psp_src_caps_get (&GST_PSP_SRC (bsrc)->caps, filter);
}

/* Returns the ID of the extension with transport-wide numbers; 0 = packets are
 * reported by SSRC. */
static guint8
find_transport_id (GstPspSrc * self, const GstCaps * caps)
{
  GstPspSrcFeedback feedback;
  guint8 id;

  GST_OBJECT_LOCK (self);
  feedback = self->feedback;
  GST_OBJECT_UNLOCK (self);
  if (feedback != GST_PSP_SRC_FEEDBACK_TWCC)
    return 0;
  id = gst_psp_transport_id (caps);
  if (id == 0)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("feedback=twcc is set, and caps do not say which header extension has "
            "the transport-wide numbers; add extmap-N=" GST_PSP_TRANSPORT_URI
            " with the sender's N, or set feedback=ccfb."), (NULL));
  return id;
}

static gboolean
gst_psp_src_set_caps (GstBaseSrc * bsrc, GstCaps * caps)
{
  GstPspSrc *self = GST_PSP_SRC (bsrc);
  gint rate = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate", &rate);
  gst_psp_reception_set_clock_rate (self->reception, MAX (rate, 0));
  gst_psp_reception_set_transport_id (self->reception,
      find_transport_id (self, caps));
  return TRUE;
}

static gboolean
gst_psp_src_negotiate (GstBaseSrc * bsrc)
{
  return gst_psp_src_caps_negotiate (&GST_PSP_SRC (bsrc)->caps);
}

/* URI */

static GstURIType
gst_psp_src_uri_get_type (GType type G_GNUC_UNUSED)
{
  return GST_URI_SRC;
}

static const gchar *const *
gst_psp_src_uri_get_protocols (GType type G_GNUC_UNUSED)
{
  static const gchar *const protocols[] = { "psp", NULL };

  return protocols;
}

static gchar *
gst_psp_src_uri_get_uri (GstURIHandler * handler)
{
  GstPspSrc *self = GST_PSP_SRC (handler);
  gchar *uri;

  GST_OBJECT_LOCK (self);
  uri = gst_psp_uri_format (self->config.address, self->config.port);
  GST_OBJECT_UNLOCK (self);
  return uri;
}

static gboolean
gst_psp_src_uri_set_uri (GstURIHandler * handler, const gchar * uri,
    GError ** error)
{
  GstPspSrc *self = GST_PSP_SRC (handler);
  GError *why = NULL;
  gboolean open;

  GST_OBJECT_LOCK (self);
  open = self->used_socket != NULL;
  GST_OBJECT_UNLOCK (self);
  if (open) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        "pspsrc is open and keeps its URI: set it in state NULL or READY");
    return FALSE;
  }
  /* After an invalid URI the next start fails, instead of using old values. */
  gst_psp_uri_apply (GST_ELEMENT (self), uri, "address", sink_parameters, &why);
  GST_OBJECT_LOCK (self);
  g_free (self->uri_error);
  self->uri_error = why ? g_strdup (why->message) : NULL;
  GST_OBJECT_UNLOCK (self);
  if (why)
    g_propagate_error (error, why);
  return why == NULL;
}

static void
gst_psp_src_uri_handler_init (gpointer iface, gpointer data G_GNUC_UNUSED)
{
  GstURIHandlerInterface *klass = iface;

  klass->get_type = gst_psp_src_uri_get_type;
  klass->get_protocols = gst_psp_src_uri_get_protocols;
  klass->get_uri = gst_psp_src_uri_get_uri;
  klass->set_uri = gst_psp_src_uri_set_uri;
}

/* Properties */

/* Sets the URI and posts a warning if the element is open: it must not seem to
 * have changed its address. A property cannot return an error; after another
 * one the next start fails. */
static void
set_uri_property (GstPspSrc * self, const gchar * uri)
{
  GError *error = NULL;

  if (gst_uri_handler_set_uri (GST_URI_HANDLER (self), uri, &error))
    return;
  GST_WARNING_OBJECT (self, "%s", error->message);
  if (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE))
    gst_settings_warn (GST_ELEMENT (self), error);
  else
    g_error_free (error);
}

static void
gst_psp_src_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec G_GNUC_UNUSED)
{
  GstPspSrc *self = GST_PSP_SRC (object);
  GError *error = NULL;
  const gchar *text;
  gboolean running;

  switch (id) {
    case GST_PSP_SRC_URI:
      text = g_value_get_string (value);
      set_uri_property (self, text ? text : GST_PSP_SRC_DEFAULT_URI);
      break;
    case GST_PSP_SRC_CAPS:
      gst_psp_src_caps_set (&self->caps, gst_value_get_caps (value));
      break;
    case GST_PSP_SRC_TIMEOUT:
      GST_OBJECT_LOCK (self);
      self->timeout = g_value_get_uint64 (value);
      GST_OBJECT_UNLOCK (self);
      gst_psp_reception_wake (self->reception);
      break;
    case GST_PSP_SRC_FEEDBACK_INTERVAL:
      gst_psp_reception_set_feedback_interval (self->reception,
          g_value_get_uint64 (value));
      break;
    case GST_PSP_SRC_FEEDBACK:
      GST_OBJECT_LOCK (self);
      self->feedback = g_value_get_enum (value);
      GST_OBJECT_UNLOCK (self);
      break;
    case GST_PSP_SRC_EOS_ON_BYE:
      GST_OBJECT_LOCK (self);
      self->eos_on_bye = g_value_get_boolean (value);
      GST_OBJECT_UNLOCK (self);
      break;
    default:
      GST_OBJECT_LOCK (self);
      if (id == GST_PSP_SRC_PORT)
        g_clear_pointer (&self->port_error, g_free);
      if (id == GST_PSP_SRC_PORT &&
          !gst_psp_uri_check_port (g_value_get_int (value), &error))
        self->port_error = g_strdup (error->message);
      else if (!gst_psp_srtp_config_set (&self->srtp, id - GST_PSP_SRC_SRTP,
              value, &error))
        gst_settings_set (gst_psp_src_fields, &self->config, id, value);
      running = self->used_socket != NULL;
      GST_OBJECT_UNLOCK (self);
      if (running && (id == GST_PSP_SRC_SRTP + GST_PSP_SRTP_KEY ||
              id == GST_PSP_SRC_SRTP + GST_PSP_SRTP_PASSPHRASE))
        update_keys (self, NULL);
  }
  gst_settings_warn (GST_ELEMENT (self), error);
}

static void
gst_psp_src_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec G_GNUC_UNUSED)
{
  GstPspSrc *self = GST_PSP_SRC (object);

  switch (id) {
    case GST_PSP_SRC_URI:
      g_value_take_string (value,
          gst_psp_src_uri_get_uri (GST_URI_HANDLER (self)));
      return;
    case GST_PSP_SRC_STATS:
      g_value_take_boxed (value, gst_psp_reception_stats (self->reception));
      return;
    case GST_PSP_SRC_FEEDBACK_INTERVAL:
      g_value_set_uint64 (value,
          gst_psp_reception_feedback_interval (self->reception));
      return;
    default:
      break;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case GST_PSP_SRC_PORT:
      g_value_set_int (value, self->bound_port ? self->bound_port :
          self->config.port);
      break;
    case GST_PSP_SRC_CAPS:
      gst_value_set_caps (value, self->caps.set);
      break;
    case GST_PSP_SRC_TIMEOUT:
      g_value_set_uint64 (value, self->timeout);
      break;
    case GST_PSP_SRC_FEEDBACK:
      g_value_set_enum (value, self->feedback);
      break;
    case GST_PSP_SRC_EOS_ON_BYE:
      g_value_set_boolean (value, self->eos_on_bye);
      break;
    case GST_PSP_SRC_SRTP + GST_PSP_SRTP_SUITE:
      g_value_set_enum (value, self->srtp.suite);
      break;
    case GST_PSP_SRC_USED_SOCKET:
      g_value_set_object (value, self->used_socket);
      break;
    default:
      gst_settings_get (gst_psp_src_fields, &self->config, id, value);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_psp_src_finalize (GObject * object)
{
  GstPspSrc *self = GST_PSP_SRC (object);

  gst_settings_clear (gst_psp_src_fields, &self->config);
  gst_psp_srtp_config_clear (&self->srtp);
  g_free (self->uri_error);
  g_free (self->port_error);
  gst_clear_caps (&self->caps.set);
  gst_psp_reception_free (self->reception);
  G_OBJECT_CLASS (gst_psp_src_parent_class)->finalize (object);
}

static void
gst_psp_src_init (GstPspSrc * self)
{
  self->caps.src = GST_BASE_SRC (self);
  gst_psp_src_rtcp_init (&self->rtcp, GST_ELEMENT (self),
      GST_BASE_SRC_PAD (self));
  self->reception = gst_psp_reception_new (GST_ELEMENT (self));
  gst_settings_init (gst_psp_src_fields, &self->config, properties);
  self->timeout = GST_PSP_SRC_DEFAULT_TIMEOUT;
  gst_psp_reception_set_feedback_interval (self->reception,
      GST_PSP_SRC_DEFAULT_FEEDBACK_INTERVAL);
  self->eos_on_bye = GST_PSP_SRC_DEFAULT_EOS_ON_BYE;
  self->feedback = GST_PSP_SRC_DEFAULT_FEEDBACK;
  self->listener.fd = -1;

  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

static void
gst_psp_src_class_init (GstPspSrcClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = gst_psp_src_set_property;
  object_class->get_property = gst_psp_src_get_property;
  object_class->finalize = gst_psp_src_finalize;
  gst_psp_src_settings_install (object_class, properties);
  /**
   * GstPspSrc::request-key:
   * @mki: (nullable): the MKI of packets whose key is unknown; %NULL at the
   *   start, if #GstPspSrc:srtp-suite is set without a key
   *
   * Asks for the key of packets with this MKI. The streaming thread emits the
   * signal.
   *
   * Returns: (nullable): a #GstPspSrc:srtp-key, for this run
   *
   * Since: 0.2
   */
  gst_psp_srtp_add_signal (GST_TYPE_PSP_SRC);
  gst_type_mark_as_plugin_api (GST_TYPE_PSP_SRC_FEEDBACK, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PSP_SRTP_SUITE, 0);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_psp_src_rtcp_add_template (element_class);
  gst_element_class_set_static_metadata (element_class,
      "RTP receiver with feedback", "Source/Network/RTP",
      "Receives RTP over UDP and reports arrivals to the sender (RFC 8888)",
      "The gst-psp authors");

  src_class->start = GST_DEBUG_FUNCPTR (gst_psp_src_start);
  src_class->stop = GST_DEBUG_FUNCPTR (gst_psp_src_stop);
  src_class->event = GST_DEBUG_FUNCPTR (gst_psp_src_event);
  src_class->unlock = GST_DEBUG_FUNCPTR (gst_psp_src_unlock);
  src_class->unlock_stop = GST_DEBUG_FUNCPTR (gst_psp_src_unlock_stop);
  src_class->get_caps = GST_DEBUG_FUNCPTR (gst_psp_src_get_caps);
  src_class->set_caps = GST_DEBUG_FUNCPTR (gst_psp_src_set_caps);
  src_class->negotiate = GST_DEBUG_FUNCPTR (gst_psp_src_negotiate);
  GST_PUSH_SRC_CLASS (klass)->create = GST_DEBUG_FUNCPTR (gst_psp_src_create);
}
