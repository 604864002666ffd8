/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * pspsrc against real loopback sockets, over which delivery is synchronous:
 * what send_* sent waits in the element's socket when it returns.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <gio/gio.h>
#include <string.h>

#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/twcc.h>
#include <control/types.h>
#include "bothfamilies.h"
#include "udp.h"

#define CAPS "application/x-rtp,media=video,clock-rate=90000," \
    "encoding-name=H264,payload=96"
#define TRANSPORT_URI "http://www.ietf.org/id/" \
    "draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define PAYLOAD 1200
#define FIRST_SEQ 100
#define WAIT_NS (INT64_C (10) * 1000000000)     /* a test that hangs fails */

typedef struct
{
  GstHarness *h;
  GstElement *src;
  GstBus *bus;
  gint port;
} Fixture;

static void
fixture_init (Fixture * f, const gchar * first_property, ...)
{
  va_list args;

  f->src = gst_element_factory_make ("pspsrc", NULL);
  fail_unless (f->src != NULL);
  g_object_set (f->src, "address", "127.0.0.1", "port", 0, NULL);
  gst_util_set_object_arg (G_OBJECT (f->src), "caps", CAPS);
  va_start (args, first_property);
  if (first_property)
    g_object_set_valist (G_OBJECT (f->src), first_property, args);
  va_end (args);
  f->bus = gst_bus_new ();
  gst_element_set_bus (f->src, f->bus);
  f->h = gst_harness_new_with_element (f->src, NULL, "src");
  gst_harness_use_systemclock (f->h);
  gst_harness_play (f->h);
  g_object_get (f->src, "port", &f->port, NULL);
  fail_unless (f->port > 0);
}

static void
fixture_clear (Fixture * f)
{
  gst_harness_teardown (f->h);
  gst_element_set_bus (f->src, NULL);
  gst_object_unref (f->bus);
  ASSERT_OBJECT_REFCOUNT (f->src, "pspsrc", 1);
  gst_object_unref (f->src);
}

typedef struct
{
  int fd;
  PspAddress to;
  guint32 ssrc;
  guint16 seq;
} Sender;

static void
sender_init (Sender * s, const gchar * from, const gchar * to, guint16 port)
{
  PspUdpConfig config = {.family = strchr (from, ':') ? AF_INET6 : AF_INET };

  config.bind_address = from;
  fail_unless_equals_int (psp_udp_open (&config, &s->fd), 0);
  fail_unless_equals_int (psp_address_resolve (to, port, AF_UNSPEC, &s->to), 0);
  s->ssrc = 0x11223344;
  s->seq = FIRST_SEQ;
}

static void
send_bytes (Sender * s, const guint8 * data, gsize size)
{
  PspUdpPacket packet = {.n_iov = 1 };
  PspUdpSender udp;
  int error;

  packet.iov[0].iov_base = (guint8 *) data;
  packet.iov[0].iov_len = packet.size = size;
  psp_udp_sender_init (&udp, s->fd);
  fail_unless_equals_int (psp_udp_send (&udp, &s->to, &packet, 1, &error), 1);
}

static void
make_rtp (const Sender * s, guint8 * data, guint8 payload_type)
{
  data[0] = 0x80;
  data[1] = payload_type;
  GST_WRITE_UINT16_BE (data + 2, s->seq);
  GST_WRITE_UINT32_BE (data + 4, s->seq * 3000);
  GST_WRITE_UINT32_BE (data + 8, s->ssrc);
}

static void
send_rtp_size (Sender * s, gsize size)
{
  guint8 *data = g_malloc0 (size);

  for (gsize i = 12; i < size; i++)
    data[i] = (guint8) (i * 3 + (i >> 8) + s->seq);
  make_rtp (s, data, 96);
  send_bytes (s, data, size);
  s->seq++;
  g_free (data);
}

static void
send_rtp (Sender * s)
{
  send_rtp_size (s, 12 + PAYLOAD);
}

static void
send_bye (Sender * s, guint32 ssrc)
{
  guint8 data[64];
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_rr (&w, ssrc, NULL, 0);
  psp_rtcp_write_bye (&w, &ssrc, 1);
  fail_if (w.error);
  send_bytes (s, data, w.size);
}

static void
check_rtp (GstBuffer * buffer, guint32 ssrc, guint16 seq, gsize size)
{
  GstMapInfo map;

  fail_unless (buffer != NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, size);
  fail_unless_equals_int (GST_READ_UINT32_BE (map.data + 8), ssrc);
  fail_unless_equals_int (GST_READ_UINT16_BE (map.data + 2), seq);
  for (gsize i = 12; i < size; i++)
    if (map.data[i] != (guint8) (i * 3 + (i >> 8) + seq))
      fail ("byte %" G_GSIZE_FORMAT, i);
  gst_buffer_unmap (buffer, &map);
}

/* One packet there and out of the element: the feedback that is due then has
 * left before. */
static void
pass (Fixture * f, Sender * s)
{
  GstBuffer *buffer;

  send_rtp (s);
  buffer = gst_harness_pull (f->h);
  check_rtp (buffer, s->ssrc, s->seq - 1, 12 + PAYLOAD);
  gst_buffer_unref (buffer);
}

static guint64
stat (Fixture * f, const gchar * name)
{
  GstStructure *stats;
  const GValue *value;
  guint64 n;

  g_object_get (f->src, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, name);
  fail_unless (value != NULL, "no %s", name);
  n = G_VALUE_HOLDS_INT64 (value) ? (guint64) g_value_get_int64 (value) :
      g_value_get_uint64 (value);
  gst_structure_free (stats);
  return n;
}

/* Receives an RTCP datagram from the element. */
static gsize
receive_rtcp (Sender * s, guint8 data[2048], PspAddress * from)
{
  PspUdpDatagram d = {.data = data,.capacity = 2048 };

  fail_unless (psp_wait (s->fd, FALSE, NULL, wait_monotonic_now () + WAIT_NS) ==
      PSP_WAIT_READABLE);
  fail_unless_equals_int (psp_udp_receive (s->fd, &d, 1), 1);
  fail_unless (psp_rtcp_validate (data, d.size));
  if (from)
    *from = d.from;
  return d.size;
}

static gboolean
nothing_came_back (Sender * s)
{
  guint8 data[2048];
  PspUdpDatagram d = {.data = data,.capacity = sizeof data };

  return psp_udp_receive (s->fd, &d, 1) == -EAGAIN;
}

/* Bit i is set where the reports have told that `first` + i arrived, in
 * missing where they have told that it did not. */
typedef struct
{
  guint16 first;
  guint32 arrived, missing;
} Told;

static void
read_ccfb (const PspRtcpPacket * packet, const Sender * s, Told * told)
{
  PspCcfb ccfb;
  PspCcfbStream stream;
  PspCcfbMetric metric;
  size_t at = 0;

  fail_unless (psp_ccfb_parse (packet->data, packet->size, &ccfb));
  while (psp_ccfb_next_stream (&ccfb, &at, &stream)) {
    fail_unless_equals_int (stream.ssrc, s->ssrc);
    for (guint i = 0; i < stream.n_reports; i++) {
      guint16 seq = stream.begin_seq + i, bit = seq - told->first;

      fail_unless (seq >= FIRST_SEQ && seq < s->seq);
      psp_ccfb_metric (&stream, i, &metric);
      fail_unless (!metric.received || metric.offset >= 0);
      if (bit >= 32)
        continue;               /* a repetition from before */
      if (metric.received)
        told->arrived |= 1u << bit;
      else
        told->missing |= 1u << bit;
    }
  }
}

/* Reads reports until they told of all these packets. */
static void
wait_told (Sender * s, guint16 from_seq, guint32 arrived, guint32 missing,
    PspAddress * from)
{
  Told told = {.first = from_seq };

  while ((told.arrived & arrived) != arrived ||
      (told.missing & missing) != missing) {
    guint8 data[2048];
    gsize size = receive_rtcp (s, data, from), at = 0;
    PspRtcpPacket packet;

    while (psp_rtcp_next (data, size, &at, &packet))
      if (packet.type == PSP_RTCP_RTPFB && packet.count == PSP_CCFB_FMT)
        read_ccfb (&packet, s, &told);
  }
  fail_unless_equals_int (told.arrived & missing, 0);
  fail_unless_equals_int (told.missing & arrived, 0);
}

static GstMessage *
wait_message (GstBus * bus, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (bus, WAIT_NS, type);

  fail_unless (message != NULL);
  return message;
}

GST_START_TEST (test_receive)
{
  Fixture f;
  Sender s;
  GstClockTime last = 0;
  GstCaps *caps, *expected = gst_caps_from_string (CAPS);
  GstQuery *query;
  gboolean live;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 40; i++)
    send_rtp_size (&s, 12 + i * 10);
  for (guint i = 0; i < 40; i++) {
    GstBuffer *buffer = gst_harness_pull (f.h);

    check_rtp (buffer, s.ssrc, 100 + i, 12 + i * 10);
    fail_unless (GST_BUFFER_PTS_IS_VALID (buffer));
    fail_unless (GST_BUFFER_PTS (buffer) >= last);
    fail_unless (GST_BUFFER_DTS (buffer) == GST_BUFFER_PTS (buffer));
    last = GST_BUFFER_PTS (buffer);
    gst_buffer_unref (buffer);
  }
  caps = gst_pad_get_current_caps (f.h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, expected));
  gst_caps_unref (caps);
  gst_caps_unref (expected);

  query = gst_query_new_latency ();
  fail_unless (gst_element_query (f.src, query));
  gst_query_parse_latency (query, &live, NULL, NULL);
  fail_unless (live);
  gst_query_unref (query);
  fail_unless_equals_uint64 (stat (&f, "packets"), 40);
  fail_unless_equals_uint64 (stat (&f, "lost"), 0);
  fail_unless_equals_uint64 (stat (&f, "payload-bytes"), 39 * 40 / 2 * 10);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* A clock whose reader is interrupted now and then. */
typedef struct
{
  GstClock parent;
  guint readings;
} SlowClock;
typedef GstClockClass SlowClockClass;

G_DEFINE_TYPE (SlowClock, slow_clock, GST_TYPE_CLOCK);

static GstClockTime
slow_clock_get_internal_time (GstClock * clock)
{
  SlowClock *self = (SlowClock *) clock;
  gint64 time = wait_monotonic_now ();

  if (self->readings++ % 4 == 1)
    while (wait_monotonic_now () < time + 5 * PSP_MSECOND);
  return time;
}

static void
slow_clock_class_init (SlowClockClass * klass)
{
  klass->get_internal_time = slow_clock_get_internal_time;
}

static void
slow_clock_init (G_GNUC_UNUSED SlowClock * clock)
{
}

/* What interrupts the thread between two clocks turns no times round. */
GST_START_TEST (test_times_in_order)
{
  GstClock *clock = g_object_new (slow_clock_get_type (), NULL);
  GstClockTime last = 0;
  Fixture f;
  Sender s;

  fixture_init (&f, NULL);
  gst_object_ref_sink (clock);
  fail_unless (gst_element_set_clock (f.src, clock));
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 40; i++) {
    GstBuffer *buffer;

    send_rtp (&s);
    buffer = gst_harness_pull (f.h);
    if (GST_BUFFER_PTS (buffer) < last)
      fail ("packet %u: %" GST_TIME_FORMAT " after %" GST_TIME_FORMAT, i,
          GST_TIME_ARGS (GST_BUFFER_PTS (buffer)), GST_TIME_ARGS (last));
    last = GST_BUFFER_PTS (buffer);
    gst_buffer_unref (buffer);
  }
  psp_udp_close (s.fd);
  fixture_clear (&f);
  gst_object_unref (clock);
}

GST_END_TEST;

/* Packets that fit no pooled buffer. */
GST_START_TEST (test_sizes)
{
  static const gsize sizes[] = { 12, 2047, 2048, 2049, 9000, 65507, 13 };
  Fixture f;
  Sender s;

  fixture_init (&f, "buffer-size", 500000, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstBuffer *buffer;

    send_rtp_size (&s, sizes[i]);
    buffer = gst_harness_pull (f.h);
    check_rtp (buffer, s.ssrc, s.seq - 1, sizes[i]);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_uint64 (stat (&f, "malformed"), 0);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_feedback)
{
  Fixture f;
  Sender s;
  PspAddress from;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 8; i++)
    pass (&f, &s);
  wait_told (&s, 100, 0xff, 0, &from);
  fail_unless (psp_address_equal (&from, &s.to));

  /* A gap: 108 and 109. */
  s.seq += 2;
  pass (&f, &s);
  pass (&f, &s);
  wait_told (&s, 100, 0xc00, 0x300, NULL);
  fail_unless_equals_uint64 (stat (&f, "lost"), 2);
  fail_unless (stat (&f, "feedback-sent") > 0);
  fail_unless (stat (&f, "feedback-bytes") > 0);
  fail_unless_equals_uint64 (stat (&f, "feedback-errors"), 0);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* Packets with a transport-wide number, as the caps say. */
GST_START_TEST (test_feedback_by_transport_number)
{
  GstCaps *caps = gst_caps_from_string (CAPS ",extmap-3=(string)" TRANSPORT_URI);
  guint8 data[2048], rtp[32] = { 0 };
  guint n_received = 0;
  Fixture f;
  Sender s;

  fixture_init (&f, "feedback", 1, "caps", caps, NULL);
  gst_caps_unref (caps);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 8; i++, s.seq++) {
    make_rtp (&s, rtp, 96);
    rtp[0] |= 0x10;
    GST_WRITE_UINT32_BE (rtp + 12, 0xbede0001);
    GST_WRITE_UINT32_BE (rtp + 16, 0x31000000 | (65533 + i) % 65536 << 8);
    send_bytes (&s, rtp, sizeof rtp);
    gst_buffer_unref (gst_harness_pull (f.h));
  }
  while (n_received < 8) {
    gsize size = receive_rtcp (&s, data, NULL), at = 0;
    PspRtcpPacket packet;
    PspTwccIterator it;
    PspTwccPacket told;
    PspTwcc twcc;

    while (psp_rtcp_next (data, size, &at, &packet)) {
      fail_if (packet.type == PSP_RTCP_RTPFB && packet.count == PSP_CCFB_FMT);
      if (packet.type != PSP_RTCP_RTPFB || packet.count != PSP_TWCC_FMT)
        continue;
      fail_unless (psp_twcc_parse (packet.data, packet.size, &twcc));
      fail_unless_equals_int (twcc.begin_seq, (guint16) (65533 + n_received));
      fail_unless_equals_int (twcc.media_ssrc, s.ssrc);
      psp_twcc_begin (&twcc, 0, &it);
      while (psp_twcc_next (&it, &told))
        n_received += told.received;
    }
  }
  fail_unless (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING) == NULL);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* Without the extension in the caps there are no numbers to report by: a warning
 * says so, and packets are reported as always. */
GST_START_TEST (test_feedback_without_extension)
{
  GstMessage *message;
  Fixture f;
  Sender s;

  fixture_init (&f, "feedback", 1, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 8; i++)
    pass (&f, &s);
  message = wait_message (f.bus, GST_MESSAGE_WARNING);
  gst_message_unref (message);
  wait_told (&s, 100, 0xff, 0, NULL);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* Whoever sends little is not answered with more, headers counted: a forged
 * source address would turn the answers on somebody else. */
GST_START_TEST (test_no_amplification)
{
  const gsize headers_sent = 28, headers_received = 48;
  gsize sent = 0, received = 0;
  PspUdpDatagram d = { 0 };
  guint8 data[2048];
  Fixture f;
  Sender s;

  fixture_init (&f, "feedback-interval", (guint64) 1, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  d.data = data;
  d.capacity = sizeof data;
  for (guint i = 0; i < 100 || received == 0; i++) {
    fail_unless (i < 10000, "no feedback at all");
    s.seq += i % 3 == 2;        /* gaps are urgent */
    send_rtp_size (&s, 12);
    sent += 12 + headers_sent;
    gst_buffer_unref (gst_harness_pull (f.h));
    while (psp_udp_receive (s.fd, &d, 1) == 1)
      received += d.size + headers_received;
    fail_unless (received <= sent, "%" G_GSIZE_FORMAT " bytes for %"
        G_GSIZE_FORMAT, received, sent);
  }
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* A lone packet is reported too, after the interval. */
GST_START_TEST (test_feedback_interval)
{
  Fixture f;
  Sender s;

  fixture_init (&f, "feedback-interval", (guint64) 0, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 20; i++)
    pass (&f, &s);
  s.seq += 5;
  pass (&f, &s);
  fail_unless (nothing_came_back (&s));
  fail_unless_equals_uint64 (stat (&f, "feedback-sent"), 0);

  g_object_set (f.src, "feedback-interval", (guint64) GST_MSECOND, NULL);
  pass (&f, &s);
  wait_told (&s, s.seq - 1, 1, 0, NULL);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* An event from downstream becomes a request to the sender: of the stream that it
 * names, or of all; by FIR where it wants all headers. */
GST_START_TEST (test_key_unit)
{
  static const struct
  {
    gboolean all_headers, named;
    guint8 fmt;
  } rows[] = { {FALSE, FALSE, 1}, {TRUE, TRUE, 4} };
  GstStructure *request = gst_structure_new ("GstForceKeyUnit",
      "all-headers", G_TYPE_BOOLEAN, rows[__i__].all_headers, NULL);
  PspRtcpPacket packet = { 0 };
  PspKeyRequest key;
  guint8 data[2048];
  GstEvent *event;
  Fixture f;
  Sender s;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  if (rows[__i__].named)
    gst_structure_set (request, "ssrc", G_TYPE_UINT, s.ssrc, NULL);
  event = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, request);
  fail_if (gst_harness_push_upstream_event (f.h, gst_event_ref (event)));
  pass (&f, &s);
  fail_unless (gst_harness_push_upstream_event (f.h, event));
  while (packet.type != PSP_RTCP_PSFB) {
    gsize size = receive_rtcp (&s, data, NULL), at = 0;

    while (packet.type != PSP_RTCP_PSFB &&
        psp_rtcp_next (data, size, &at, &packet));
  }
  fail_unless_equals_int (packet.count, rows[__i__].fmt);
  fail_unless (psp_rtcp_parse_key_request (&packet, 0, &key));
  fail_unless_equals_int (key.ssrc, s.ssrc);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

static gboolean
request_packet (Fixture * f, guint number, guint delay)
{
  /* As rtpjitterbuffer makes it, without an SSRC. */
  return gst_harness_push_upstream_event (f->h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("GstRTPRetransmissionRequest",
              "seqnum", G_TYPE_UINT, number, "delay", G_TYPE_UINT, delay,
              "frequency", G_TYPE_UINT, 40, "deadline", G_TYPE_UINT, 200,
              "avg-rtt", G_TYPE_UINT, 50, NULL)));
}

GST_START_TEST (test_packet_request)
{
  PspRtcpPacket packet;
  gboolean asked = FALSE;
  guint64 requested, refused;
  GstStructure *stats;
  guint8 data[2048];
  PspNack nack;
  Fixture f;
  Sender s;
  guint lost;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  fail_if (request_packet (&f, s.seq, 0));
  pass (&f, &s);
  lost = s.seq++;
  pass (&f, &s);
  fail_if (request_packet (&f, s.seq, 0));      /* never sent */
  fail_if (request_packet (&f, lost, 160));     /* it would come too late */
  fail_unless (request_packet (&f, lost, 150));
  fail_if (request_packet (&f, lost, 0));       /* again, at once */
  while (!asked) {
    gsize size = receive_rtcp (&s, data, NULL), at = 0;

    while (!asked && psp_rtcp_next (data, size, &at, &packet))
      asked = psp_rtcp_parse_nack (&packet, 0, &nack);
  }
  fail_unless_equals_int (nack.first, lost);
  fail_unless_equals_int (nack.ssrc, s.ssrc);

  g_object_get (f.h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats,
          "packets-requested", G_TYPE_UINT64, &requested,
          "requests-refused", G_TYPE_UINT64, &refused, NULL));
  fail_unless_equals_uint64 (requested, 1);
  fail_unless_equals_uint64 (refused, 4);
  gst_structure_free (stats);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* On a host of several addresses, the answer comes from the one asked. */
GST_START_TEST (test_feedback_source)
{
  Fixture f;
  Sender s;
  PspAddress from;

  fixture_init (&f, "address", "0.0.0.0", NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.3", f.port);
  for (guint i = 0; i < 8; i++)
    pass (&f, &s);
  wait_told (&s, 100, 0xff, 0, &from);
  fail_unless (psp_address_equal (&from, &s.to));
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_bye_on_stop)
{
  Fixture f;
  Sender s;
  gboolean bye = FALSE;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  /* Who never reported says no BYE either (RFC 3550 section 6.3.7). */
  for (guint i = 0; i < 8; i++)
    pass (&f, &s);
  wait_told (&s, 100, 0xff, 0, NULL);
  fixture_clear (&f);
  while (!bye) {
    guint8 data[2048];
    gsize size = receive_rtcp (&s, data, NULL), at = 0;
    PspRtcpPacket packet;

    while (psp_rtcp_next (data, size, &at, &packet))
      bye |= packet.type == PSP_RTCP_BYE;
  }
  fail_unless (nothing_came_back (&s));
  psp_udp_close (s.fd);
}

GST_END_TEST;

static const struct
{
  const gchar *name;
  guint size;                   /* zeros make it up beyond the bytes given */
  guint8 bytes[24];
} junk[] = {
  {"empty", 0, {0}},
  {"one byte", 1, {0x80}},
  {"text", 16, "GET / HTTP/1.0\r\n"},
  {"zeros", 1200, {0}},
  {"64 KiB", 65507, {0}},
  {"version 1", 20, {0x40, 96}},
  {"version 3", 20, {0xc0, 96}},
  {"short header", 11, {0x80, 96}},
  {"CSRCs beyond the end", 16, {0x82, 96}},
  {"extension beyond the end", 16, {0x90, 96, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
          0xbe, 0xde, 0, 1}},
  {"padding beyond the packet", 16, {0xa0, 96, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
          0, 0, 0, 200}},
  {"payload type 72", 20, {0x80, 72}},
  {"payload type 95", 20, {0x80, 95}},
};

GST_START_TEST (test_junk)
{
  Fixture f;
  Sender s;

  fixture_init (&f, "buffer-size", 500000, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < G_N_ELEMENTS (junk); i++) {
    guint8 *data = g_malloc0 (MAX (junk[i].size, sizeof junk[i].bytes));

    memcpy (data, junk[i].bytes, sizeof junk[i].bytes);
    send_bytes (&s, data, junk[i].size);
    g_free (data);
    pass (&f, &s);
    if (stat (&f, "malformed") != i + 1)
      fail ("%s", junk[i].name);
  }
  fail_unless_equals_uint64 (stat (&f, "packets"), G_N_ELEMENTS (junk));
  fail_unless (gst_bus_pop_filtered (f.bus, GST_MESSAGE_ERROR |
          GST_MESSAGE_WARNING) == NULL);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_rtcp)
{
  /* What a marker bit makes of payload type 72: a broken SR. */
  static const guint8 broken[24] = { 0x80, 200, 0xff, 0xff };
  Fixture f;
  Sender s;
  guint8 data[8192];
  guint32 ssrcs[31];
  PspRtcpSenderInfo info = {.ssrc = 0x11223344 };
  PspWriter w = psp_writer (data, sizeof data);

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  psp_rtcp_write_sr (&w, &info);
  for (guint i = 0; i < 31; i++)
    ssrcs[i] = i;
  send_bytes (&s, data, w.size);
  pass (&f, &s);
  fail_unless_equals_uint64 (stat (&f, "rtcp-received"), 1);
  fail_unless_equals_uint64 (stat (&f, "rtcp-malformed"), 0);
  send_bytes (&s, broken, sizeof broken);
  pass (&f, &s);
  fail_unless_equals_uint64 (stat (&f, "rtcp-malformed"), 1);

  /* Larger than a pooled buffer, and whole. */
  psp_rtcp_write_sdes (&w, ssrcs, 31, "a name of some length, which repeated "
      "thirty-one times takes more room than a buffer of the pool has for "
      "it, that is, two thousand and forty-eight bytes");
  fail_if (w.error);
  fail_unless (w.size > 2048);
  send_bytes (&s, data, w.size);
  pass (&f, &s);
  fail_unless_equals_uint64 (stat (&f, "rtcp-received"), 2);
  fail_unless_equals_uint64 (stat (&f, "rtcp-malformed"), 1);
  fail_unless_equals_uint64 (stat (&f, "malformed"), 0);
  fail_unless_equals_uint64 (stat (&f, "packets"), 4);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

static void
wait_eos (GstHarness * h)
{
  GstEvent *event;
  gboolean eos = FALSE;

  while (!eos && (event = gst_harness_pull_event (h))) {
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (eos);
}

/* Where a sink asks, so that the pipeline's latency is found. */
static void
check_live (GstPad * sinkpad)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live;

  fail_unless (gst_pad_peer_query (sinkpad, query));
  gst_query_parse_latency (query, &live, NULL, NULL);
  fail_unless (live);
  gst_query_unref (query);
}

static void
link_rtcp (GstElement * src, GstPad * pad, gpointer data)
{
  GstHarness **h = data;

  (void) pad;
  *h = gst_harness_new_with_element (src, NULL, "rtcp_src");
}

/* What the sender reports leaves by a pad, as it came; strangers' do not. The end
 * of the stream leaves there, too. It is the same after a stop. */
GST_START_TEST (test_rtcp_pad)
{
  PspRtcpSenderInfo info = {.ssrc = 0x11223344,.ntp = 77,.rtp_timestamp = 9 };
  guint8 data[64];
  PspWriter w = psp_writer (data, sizeof data);
  Sender s, stranger;
  Fixture f;

  psp_rtcp_write_sr (&w, &info);
  fixture_init (&f, "eos-on-bye", TRUE, NULL);
  sender_init (&stranger, "127.0.0.2", "127.0.0.1", f.port);
  for (guint run = 0; run < 2; run++) {
    GstHarness *h = NULL;
    GstBuffer *buffer;
    gulong id = g_signal_connect (f.src, "pad-added", G_CALLBACK (link_rtcp),
        &h);

    sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
    pass (&f, &s);
    send_bytes (&stranger, data, w.size);
    pass (&f, &s);
    fail_unless (h == NULL);
    for (guint i = 0; i < 3; i++) {
      data[w.size - 1] = (guint8) i;
      send_bytes (&s, data, w.size);
      pass (&f, &s);
    }
    fail_unless (h != NULL);
    check_live (h->sinkpad);
    for (guint i = 0; i < 3; i++) {
      buffer = gst_harness_pull (h);
      fail_unless_equals_int (gst_buffer_get_size (buffer), w.size);
      data[w.size - 1] = (guint8) i;
      fail_unless (gst_buffer_memcmp (buffer, 0, data, w.size) == 0);
      fail_unless (GST_BUFFER_PTS_IS_VALID (buffer));
      gst_buffer_unref (buffer);
    }
    send_bye (&s, s.ssrc);
    gst_buffer_unref (gst_harness_pull (h));
    wait_eos (h);
    wait_eos (f.h);
    psp_udp_close (s.fd);
    g_signal_handler_disconnect (f.src, id);
    gst_element_set_state (f.src, GST_STATE_READY);
    fail_unless (gst_element_get_static_pad (f.src, "rtcp_src") == NULL);
    gst_harness_teardown (h);
    gst_element_set_state (f.src, GST_STATE_PLAYING);
    g_object_get (f.src, "port", &f.port, NULL);
  }
  psp_udp_close (stranger.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* A pad that nobody takes does not stop the media. */
GST_START_TEST (test_rtcp_pad_unlinked)
{
  PspRtcpSenderInfo info = {.ssrc = 0x11223344 };
  guint8 data[64];
  PspWriter w = psp_writer (data, sizeof data);
  Sender s;
  Fixture f;

  psp_rtcp_write_sr (&w, &info);
  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint n = 0; n < 3; n++) {
    pass (&f, &s);
    for (guint i = 0; i < 40; i++)
      send_bytes (&s, data, w.size);
  }
  pass (&f, &s);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_duplicates)
{
  Fixture f;
  Sender s;
  GstStructure *stats;
  const GValue *streams;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 4; i++)
    pass (&f, &s);
  s.seq -= 2;
  pass (&f, &s);
  fail_unless_equals_uint64 (stat (&f, "duplicates"), 1);

  g_object_get (f.src, "stats", &stats, NULL);
  streams = gst_structure_get_value (stats, "streams");
  fail_unless_equals_int (gst_value_array_get_size (streams), 1);
  gst_structure_free (stats);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_new_ssrc)
{
  Fixture f;
  Sender s;
  GstStructure *stats;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  s.ssrc = 77;
  s.seq = 40000;
  for (guint i = 0; i < 3; i++)
    pass (&f, &s);
  g_object_get (f.src, "stats", &stats, NULL);
  fail_unless_equals_int (gst_value_array_get_size (gst_structure_get_value
          (stats, "streams")), 2);
  gst_structure_free (stats);
  fail_unless_equals_uint64 (stat (&f, "lost"), 0);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* A sender that ended and comes back on another port is answered there. */
GST_START_TEST (test_new_port)
{
  Fixture f;
  Sender s, again;
  PspAddress local;
  gchar text[PSP_ADDRESS_TEXT];
  GstStructure *stats;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  sender_init (&again, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 8; i++)
    pass (&f, &s);
  wait_told (&s, 100, 0xff, 0, NULL);
  send_bye (&s, s.ssrc);
  again.seq = s.seq;
  for (guint i = 0; i < 8; i++)
    pass (&f, &again);
  wait_told (&again, 100, 0xff00, 0, NULL);
  fail_unless_equals_uint64 (stat (&f, "foreign-packets"), 0);

  psp_udp_local_address (again.fd, &local);
  psp_address_text (&local, text);
  g_object_get (f.src, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "peer-address"),
      text);
  gst_structure_free (stats);
  psp_udp_close (s.fd);
  psp_udp_close (again.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* Another host, and another port of the sender's. */
GST_START_TEST (test_foreign)
{
  const gboolean same_host = __i__ == 1;
  Fixture f;
  Sender s, other;
  GstMessage *message;

  fixture_init (&f, "address", "0.0.0.0", NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  sender_init (&other, same_host ? "127.0.0.1" : "127.0.0.2", "127.0.0.1",
      f.port);
  other.seq = 30000;
  pass (&f, &s);
  send_rtp (&s);
  send_rtp (&other);
  if (!same_host)
    send_bye (&other, s.ssrc);
  send_rtp (&s);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_harness_pull (f.h);

    check_rtp (buffer, s.ssrc, 101 + i, 12 + PAYLOAD);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_uint64 (stat (&f, "foreign-packets"), same_host ? 1 : 2);
  fail_unless_equals_uint64 (stat (&f, "packets"), 3);
  fail_unless (nothing_came_back (&other));
  while ((message = gst_bus_pop (f.bus))) {
    fail_if (gst_message_has_name (message, "GstPspSrcBye"));
    gst_message_unref (message);
  }
  psp_udp_close (s.fd);
  psp_udp_close (other.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_bye)
{
  Fixture f;
  Sender s;
  GstMessage *message;
  const GstStructure *structure;
  guint ssrc;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  pass (&f, &s);
  send_bye (&s, 999);           /* no such stream */
  send_bye (&s, s.ssrc);
  message = wait_message (f.bus, GST_MESSAGE_ELEMENT);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "GstPspSrcBye"));
  fail_unless (gst_structure_get_uint (structure, "ssrc", &ssrc));
  fail_unless_equals_int (ssrc, s.ssrc);
  fail_unless (g_str_has_prefix (gst_structure_get_string (structure,
              "address"), "127.0.0.1:"));
  gst_message_unref (message);

  /* It goes on: eos-on-bye is off. The repeated BYE is no news. */
  send_bye (&s, s.ssrc);
  pass (&f, &s);
  fail_unless (gst_bus_pop_filtered (f.bus, GST_MESSAGE_ELEMENT) == NULL);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* Nothing is received on another port than the one that was asked for. */
GST_START_TEST (test_no_such_port)
{
  GstElement *src = gst_element_factory_make ("pspsrc", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;
  gint port;

  gst_element_set_bus (src, bus);
  g_object_set (src, "address", "127.0.0.1", "port", 70000, NULL);
  g_object_get (src, "port", &port, NULL);
  fail_unless_equals_int (port, 5004);
  fail_unless_equals_int (gst_element_set_state (src, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "70000") != NULL);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (src, GST_STATE_NULL);
  g_object_set (src, "port", 0, NULL);
  fail_unless_equals_int (gst_element_set_state (src, GST_STATE_PAUSED),
      GST_STATE_CHANGE_NO_PREROLL);
  gst_element_set_state (src, GST_STATE_NULL);
  gst_element_set_bus (src, NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
}

GST_END_TEST;

/* The sender's RTCP has a port of its own: its BYE counts once the media is
 * silent. */
GST_START_TEST (test_bye_from_rtcp_port)
{
  Fixture f;
  Sender s, rtcp;

  fixture_init (&f, "eos-on-bye", TRUE, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  sender_init (&rtcp, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  send_bye (&rtcp, s.ssrc);
  wait_eos (f.h);
  psp_udp_close (s.fd);
  psp_udp_close (rtcp.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* A stream that goes on has not ended, whoever says so from the sender's host. */
GST_START_TEST (test_forged_bye)
{
  Fixture f;
  Sender s, other;
  guint lost;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  sender_init (&other, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  send_bye (&other, s.ssrc);
  lost = s.seq++;
  pass (&f, &s);
  fail_unless (request_packet (&f, lost, 0));
  psp_udp_close (s.fd);
  psp_udp_close (other.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_eos_on_bye)
{
  Fixture f;
  Sender s;

  fixture_init (&f, "eos-on-bye", TRUE, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  s.ssrc++;
  pass (&f, &s);
  send_bye (&s, s.ssrc - 1);
  pass (&f, &s);                /* the other stream lives */
  send_bye (&s, s.ssrc);
  /* Media that BYE overtook. */
  send_rtp (&s);
  wait_eos (f.h);
  fail_unless_equals_int (gst_harness_buffers_received (f.h), 4);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_num_buffers)
{
  Fixture f;
  Sender s;

  fixture_init (&f, "num-buffers", 3, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 10; i++)
    send_rtp (&s);
  wait_eos (f.h);
  fail_unless_equals_int (gst_harness_buffers_received (f.h), 3);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_timeout)
{
  Fixture f;
  guint64 timeout;

  fixture_init (&f, "timeout", (guint64) G_MAXUINT64, NULL);
  /* Changed while it waits. */
  g_object_set (f.src, "timeout", (guint64) GST_MSECOND, NULL);
  for (guint i = 0; i < 3; i++) {
    GstMessage *message = wait_message (f.bus, GST_MESSAGE_ELEMENT);

    fail_unless (gst_message_has_name (message, "GstPspSrcTimeout"));
    fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
            "timeout", &timeout));
    fail_unless_equals_uint64 (timeout, GST_MSECOND);
    gst_message_unref (message);
  }
  fixture_clear (&f);
}

GST_END_TEST;

/* What cannot be opened: cause and remedy are in the message. */
static const struct
{
  const gchar *properties;
  const gchar *cause, *remedy;
} open_errors[] = {
  {"address=192.0.2.77", "192.0.2.77 is not an address of this host",
      "Set address"},
  {"address=no.such.host.invalid", "no.such.host.invalid", "Set it to"},
  {"address=1.2.3.4.5", "1.2.3.4.5", "Set it to"},
  {"multicast-group=127.0.0.1", "not a multicast address", "belongs into"},
  {"address=239.255.77.1 multicast-iface=nosuch0", "\"nosuch0\"",
      "Set multicast-iface"},
  {"address=239.255.77.1 multicast-iface=lo,nosuch0", "\"nosuch0\"",
      "Set multicast-iface"},
};

static void
check_open_error (GstElement * pipeline, const gchar * cause,
    const gchar * remedy)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  message = wait_message (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_OPEN_READ));
  if (!strstr (error->message, cause) || !strstr (error->message, remedy))
    fail ("%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
}

static GstElement *
parse (const gchar * format, ...)
{
  GError *error = NULL;
  GstElement *pipeline;
  gchar *text;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = gst_parse_launch (text, &error);
  fail_unless (error == NULL, "%s", text);
  g_free (text);
  return pipeline;
}

GST_START_TEST (test_open_error)
{
  GstElement *pipeline = parse ("pspsrc port=0 %s ! fakesink",
      open_errors[__i__].properties);

  check_open_error (pipeline, open_errors[__i__].cause,
      open_errors[__i__].remedy);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* A unicast port has one reader, whatever reuse says. */
GST_START_TEST (test_port_in_use)
{
  Fixture f;
  GstElement *pipeline;
  gchar *cause;

  fixture_init (&f, NULL);
  pipeline = parse ("pspsrc address=127.0.0.1 port=%d ! fakesink", f.port);
  cause = g_strdup_printf ("UDP port %d is in use on 127.0.0.1", f.port);
  check_open_error (pipeline, cause, "Set port");
  fixture_clear (&f);
  /* Free again. */
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PAUSED) !=
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (cause);
}

GST_END_TEST;

/* Plays until a message of the type comes; checks for the words. */
static void
check_message (const gchar * sink, const gchar * caps, GstMessageType type,
    const gchar * words)
{
  GstElement *pipeline = parse ("pspsrc name=src port=0 ! %s", sink);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error = NULL;

  if (caps)
    gst_util_set_object_arg (G_OBJECT (src), "caps", caps);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = wait_message (bus, type | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), type);
  fail_unless (g_error_matches (error, GST_CORE_ERROR,
          GST_CORE_ERROR_NEGOTIATION));
  if (!strstr (error->message, words))
    fail ("%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
  gst_object_unref (pipeline);
}

GST_START_TEST (test_missing_caps)
{
  check_message ("appsink "
      "caps=\"application/x-rtp,media=audio,clock-rate=[1,99999]\"", NULL,
      GST_MESSAGE_ERROR, "Set caps to");
}

GST_END_TEST;

GST_START_TEST (test_wrong_caps)
{
  check_message ("fakesink", "video/x-raw", GST_MESSAGE_ERROR,
      "application/x-rtp");
  check_message ("appsink caps=application/x-rtp,media=audio",
      "application/x-rtp,media=video", GST_MESSAGE_ERROR,
      "does not take its caps");
}

GST_END_TEST;

/* What follows may name the format all by itself. */
GST_START_TEST (test_caps_of_peer)
{
  Fixture f;
  Sender s;
  GstCaps *caps, *expected = gst_caps_from_string (CAPS);

  f.src = gst_element_factory_make ("pspsrc", NULL);
  g_object_set (f.src, "address", "127.0.0.1", "port", 0, NULL);
  f.bus = gst_bus_new ();
  gst_element_set_bus (f.src, f.bus);
  f.h = gst_harness_new_with_element (f.src, NULL, "src");
  gst_harness_set_sink_caps_str (f.h, CAPS);
  gst_harness_use_systemclock (f.h);
  gst_harness_play (f.h);
  g_object_get (f.src, "port", &f.port, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  caps = gst_pad_get_current_caps (f.h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, expected));
  gst_caps_unref (caps);
  gst_caps_unref (expected);
  fail_unless (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING) == NULL);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* Where nobody says it, a static payload type does. Of another type it is only
 * told how to say it. */
GST_START_TEST (test_caps_of_payload_type)
{
  static const struct
  {
    guint8 payload_type;
    const gchar *caps;
    gboolean warns;
  } rows[] = {
    {32, "application/x-rtp,media=video,payload=32,clock-rate=90000,"
          "encoding-name=MPV", FALSE},
    {33, "application/x-rtp,media=video,payload=33,clock-rate=90000,"
          "encoding-name=MP2T", FALSE},
    {96, "application/x-rtp", TRUE},
  };
  GstCaps *caps, *expected = gst_caps_from_string (rows[__i__].caps);
  guint8 data[100] = { 0 };
  GstMessage *message;
  GError *error;
  Fixture f;
  Sender s;

  fixture_init (&f, "caps", NULL, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  make_rtp (&s, data, rows[__i__].payload_type);
  send_bytes (&s, data, sizeof data);
  gst_buffer_unref (gst_harness_pull (f.h));
  caps = gst_pad_get_current_caps (f.h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, expected));
  message = gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING);
  fail_unless_equals_int (message != NULL, rows[__i__].warns);
  if (message) {
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, "Set caps to") &&
        strstr (error->message, "psp://host:port?caps="));
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_caps_unref (caps);
  gst_caps_unref (expected);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_caps_changed)
{
  Fixture f;
  Sender s;
  GstCaps *caps, *expected;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  expected = gst_caps_from_string ("application/x-rtp,media=audio,"
      "clock-rate=8000,encoding-name=PCMU");
  g_object_set (f.src, "caps", expected, NULL);
  /* The thread may have waited for a packet since before. */
  pass (&f, &s);
  pass (&f, &s);
  caps = gst_pad_get_current_caps (f.h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, expected));
  gst_caps_unref (caps);
  gst_caps_unref (expected);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

static guint
count_fds (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  fail_unless (dir != NULL);
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

/* States change while the thread waits for packets that never come. */
GST_START_TEST (test_states)
{
  GstElement *pipeline = parse ("pspsrc address=127.0.0.1 port=0 "
      "caps=application/x-rtp,clock-rate=90000 ! fakesink async=false");
  guint before = 0;

  for (guint i = 0; i < 22; i++) {
    if (i == 2)                 /* GLib and GStreamer have opened theirs */
      before = count_fds ();
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    if (i % 3 == 0)
      gst_element_set_state (pipeline, GST_STATE_PAUSED);
    if (i % 3 == 1)
      gst_element_set_state (pipeline, GST_STATE_PLAYING);
    fail_unless_equals_int (gst_element_set_state (pipeline,
            i % 2 ? GST_STATE_READY : GST_STATE_NULL),
        GST_STATE_CHANGE_SUCCESS);
    if (i >= 2)
      fail_unless_equals_int (count_fds (), before);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_pause)
{
  Fixture f;
  Sender s;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  for (guint i = 0; i < 5; i++) {
    gst_element_set_state (f.src, GST_STATE_PAUSED);
    gst_element_set_state (f.src, GST_STATE_PLAYING);
    pass (&f, &s);
  }
  /* READY forgets. */
  gst_element_set_state (f.src, GST_STATE_READY);
  fail_unless_equals_uint64 (stat (&f, "packets"), 0);
  g_object_get (f.src, "port", &f.port, NULL);
  fail_unless_equals_int (f.port, 0);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* Whatever waits at the time, it goes on afterwards, with a new segment. */
GST_START_TEST (test_flush)
{
  GstEvent *event;
  Fixture f;
  Sender s;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint i = 0; i < 5; i++) {
    pass (&f, &s);
    while ((event = gst_harness_try_pull_event (f.h)))
      gst_event_unref (event);
    fail_unless (gst_element_send_event (f.src, gst_event_new_flush_start ()));
    fail_unless (gst_element_send_event (f.src,
            gst_event_new_flush_stop (TRUE)));
    pass (&f, &s);
    do {
      GstEventType type;

      event = gst_harness_pull_event (f.h);
      fail_unless (event != NULL, "no segment");
      type = GST_EVENT_TYPE (event);
      gst_event_unref (event);
      if (type == GST_EVENT_SEGMENT)
        break;
    } while (TRUE);
  }
  fail_unless_equals_uint64 (stat (&f, "packets"), 10);
  fail_unless_equals_uint64 (stat (&f, "lost"), 0);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

static GstPadProbeReturn
count_listed (GstPad * pad, GstPadProbeInfo * info, gpointer listed)
{
  (void) pad;
  g_atomic_int_add ((gint *) listed,
      gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info)));
  return GST_PAD_PROBE_OK;
}

/* What waits together leaves together, in order. */
GST_START_TEST (test_lists)
{
  Fixture f;
  Sender s;
  GstPad *pad;
  gint listed = 0;
  guint n = 60;                 /* fits the default receive buffer */

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pad = gst_element_get_static_pad (f.src, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER_LIST, count_listed,
      &listed, NULL);
  gst_element_set_state (f.src, GST_STATE_PAUSED);
  for (guint i = 0; i < n; i++)
    send_rtp (&s);
  gst_element_set_state (f.src, GST_STATE_PLAYING);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_harness_pull (f.h);

    check_rtp (buffer, s.ssrc, FIRST_SEQ + i, 12 + PAYLOAD);
    fail_unless (GST_BUFFER_PTS_IS_VALID (buffer));
    gst_buffer_unref (buffer);
  }
  /* All but the ends of what was asked for at a time. */
  fail_unless (g_atomic_int_get (&listed) >= (gint) n - 2, "%d of %u", listed,
      n);
  gst_object_unref (pad);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

/* One by one for longer than it takes to expect that, then many at once. */
GST_START_TEST (test_bursts)
{
  Fixture f;
  Sender s;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  for (guint k = 0; k < 3; k++) {
    guint16 first;

    for (guint i = 0; i < 40; i++)
      pass (&f, &s);
    first = s.seq;
    for (guint i = 0; i < 50; i++)
      send_rtp (&s);
    for (guint i = 0; i < 50; i++) {
      GstBuffer *buffer = gst_harness_pull (f.h);

      check_rtp (buffer, s.ssrc, first + i, 12 + PAYLOAD);
      gst_buffer_unref (buffer);
    }
  }
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

static GSocket *
bound_socket (GSocketType type)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, type,
      G_SOCKET_PROTOCOL_DEFAULT, NULL);
  GInetAddress *any = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *address = g_inet_socket_address_new (any, 0);

  fail_unless (g_socket_bind (socket, address, FALSE, NULL));
  g_object_unref (address);
  g_object_unref (any);
  return socket;
}

GST_START_TEST (test_socket)
{
  Fixture f;
  Sender s;
  GSocket *socket = bound_socket (G_SOCKET_TYPE_DATAGRAM), *used;

  for (guint i = 0; i < 2; i++) {
    fixture_init (&f, "socket", socket, "close-socket", i == 1, NULL);
    g_object_get (f.src, "used-socket", &used, NULL);
    fail_unless (used == socket);
    g_object_unref (used);
    sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
    for (guint k = 0; k < 8; k++)
      pass (&f, &s);
    wait_told (&s, 100, 0xff, 0, NULL);
    gst_element_set_state (f.src, GST_STATE_NULL);
    g_object_get (f.src, "used-socket", &used, NULL);
    fail_unless (used == NULL);
    fail_unless_equals_int (g_socket_is_closed (socket), i == 1);
    psp_udp_close (s.fd);
    fixture_clear (&f);
  }
  ASSERT_OBJECT_REFCOUNT (socket, "socket", 1);
  g_object_unref (socket);
}

GST_END_TEST;

GST_START_TEST (test_socket_unfit)
{
  GstElement *pipeline = parse ("pspsrc name=src ! fakesink");
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GSocket *tcp = bound_socket (G_SOCKET_TYPE_STREAM);
  GSocket *closed = bound_socket (G_SOCKET_TYPE_DATAGRAM);

  g_object_set (src, "socket", tcp, NULL);
  check_open_error (pipeline, "of no use", "Set a bound UDP socket");
  g_socket_close (closed, NULL);
  g_object_set (src, "socket", closed, NULL);
  check_open_error (pipeline, "is closed", "close-socket");
  g_object_unref (tcp);
  g_object_unref (closed);
  gst_object_unref (src);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static const struct
{
  const gchar *address, *from, *to;
} families[] = {
  {"::1", "::1", "::1"},
  {"[::1]", "::1", "::1"},
  {"::", "::1", "::1"},
  {"::", "127.0.0.1", "127.0.0.1"},
  {BOTH_FAMILIES, NULL, NULL},
};

GST_START_TEST (test_ipv6)
{
  PspUdpConfig config = {.family = AF_INET6,.bind_address = "::1" };
  PspAddress local;
  Fixture f;
  Sender s;
  int fd;

  if (psp_udp_open (&config, &fd) < 0) {
    g_print ("skipped: no IPv6 here\n");
    return;
  }
  psp_udp_close (fd);
  fixture_init (&f, "address", families[__i__].address, NULL);
  if (families[__i__].from) {
    PspAddress from;

    sender_init (&s, families[__i__].from, families[__i__].to, f.port);
    for (guint i = 0; i < 8; i++)
      pass (&f, &s);
    wait_told (&s, 100, 0xff, 0, &from);
    fail_unless (psp_address_equal (&from, &s.to));
    psp_udp_local_address (s.fd, &local);
    psp_udp_close (s.fd);
  }
  fixture_clear (&f);
}

GST_END_TEST;

/* A group gets no feedback; all its senders are heard. */
GST_START_TEST (test_multicast)
{
  const gchar *group = "239.255.77.2";
  Fixture f;
  Sender s, other;
  PspAddress to;

  fixture_init (&f, __i__ ? "multicast-group" : "address", group,
      "multicast-iface", "lo", NULL);
  sender_init (&s, "127.0.0.1", group, f.port);
  sender_init (&other, "127.0.0.2", group, f.port);
  psp_address_resolve (group, 9, AF_INET, &to);
  if (psp_udp_set_multicast (s.fd, AF_INET, 0, TRUE, "lo") < 0 ||
      psp_udp_set_multicast (other.fd, AF_INET, 0, TRUE, "lo") < 0 ||
      sendto (s.fd, "", 0, 0, (struct sockaddr *) &to.storage, to.size) < 0) {
    g_print ("skipped: lo takes no multicast\n");
  } else {
    other.ssrc++;
    for (guint i = 0; i < 10; i++) {
      pass (&f, &s);
      pass (&f, &other);
      s.seq++;
    }
    fail_unless (nothing_came_back (&s));
    fail_unless (nothing_came_back (&other));
    fail_unless_equals_uint64 (stat (&f, "packets"), 20);
    fail_unless_equals_uint64 (stat (&f, "foreign-packets"), 0);
    fail_unless_equals_uint64 (stat (&f, "feedback-bytes"), 0);
  }
  fixture_clear (&f);
  fail_unless (nothing_came_back (&s));
  psp_udp_close (s.fd);
  psp_udp_close (other.fd);
}

GST_END_TEST;

/* A group's port is shared. */
GST_START_TEST (test_multicast_reuse)
{
  Fixture a, b;

  fixture_init (&a, "address", "239.255.77.3", "multicast-iface", "lo", NULL);
  fixture_init (&b, "address", "239.255.77.3", "multicast-iface", " lo",
      "port", a.port, NULL);
  fail_unless_equals_int (a.port, b.port);
  fixture_clear (&a);
  fixture_clear (&b);
}

GST_END_TEST;

/* Unless it is not to be, or the groups are another's to join. */
GST_START_TEST (test_multicast_alone)
{
  Fixture a, b;

  fixture_init (&a, "address", "239.255.77.4", "multicast-iface", "lo",
      "reuse", FALSE, NULL);
  b.src = gst_check_setup_element ("pspsrc");
  b.bus = gst_bus_new ();
  gst_element_set_bus (b.src, b.bus);
  g_object_set (b.src, "address", "239.255.77.4", "multicast-iface", "lo",
      "port", a.port, NULL);
  fail_unless_equals_int (gst_element_set_state (b.src, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (b.src, GST_STATE_NULL);
  gst_element_set_bus (b.src, NULL);
  gst_object_unref (b.bus);
  gst_check_teardown_element (b.src);
  fixture_clear (&a);
}

GST_END_TEST;

/* 239.255.77.5, as the kernel prints a number in the network's order. */
static gboolean
has_joined (void)
{
  const guint32 group = g_htonl (0xefff4d05);
  gchar *text, *wanted = g_strdup_printf ("%08X", group);
  gboolean found;

  fail_unless (g_file_get_contents ("/proc/net/igmp", &text, NULL, NULL));
  found = strstr (text, wanted) != NULL;
  g_free (wanted);
  g_free (text);
  return found;
}

GST_START_TEST (test_auto_multicast)
{
  Fixture f;

  fixture_init (&f, "address", "239.255.77.5", "multicast-iface", "lo",
      "auto-multicast", __i__ == 1, NULL);
  fail_unless_equals_int (has_joined (), __i__ == 1);
  fixture_clear (&f);
  fail_if (has_joined ());
}

GST_END_TEST;

/* The kernel doubles what it is asked for, and grants no more than its most. */
GST_START_TEST (test_buffer_size)
{
  gint sizes[2], wanted[] = { 20000, 40000 };

  for (guint i = 0; i < 2; i++) {
    GSocket *used;
    Fixture f;

    fixture_init (&f, "buffer-size", wanted[i], NULL);
    g_object_get (f.src, "used-socket", &used, NULL);
    fail_unless (g_socket_get_option (used, SOL_SOCKET, SO_RCVBUF, &sizes[i],
            NULL));
    g_object_unref (used);
    fixture_clear (&f);
  }
  fail_unless_equals_int (sizes[0], 2 * wanted[0]);
  fail_unless_equals_int (sizes[1], 2 * wanted[1]);
}

GST_END_TEST;

GST_START_TEST (test_uri)
{
  GstElement *src = gst_element_make_from_uri (GST_URI_SRC,
      "psp://[::1]:1234?timeout=5000&feedback-interval=10000000&controller=scp"
      "&max-queue-time=1", NULL, NULL);
  gchar *text;
  guint64 number;
  gint port;

  fail_unless (src != NULL);
  g_object_get (src, "address", &text, "port", &port, NULL);
  fail_unless_equals_string (text, "::1");
  fail_unless_equals_int (port, 1234);
  g_free (text);
  g_object_get (src, "timeout", &number, NULL);
  fail_unless_equals_uint64 (number, 5000);
  g_object_get (src, "feedback-interval", &number, NULL);
  fail_unless_equals_uint64 (number, 10000000);
  g_object_get (src, "uri", &text, NULL);
  fail_unless_equals_string (text, "psp://[::1]:1234");
  g_free (text);
  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (src),
          "psp://1.2.3.4:5?nonsense=1", NULL));
  gst_object_unref (src);
}

GST_END_TEST;

/* A URI set as a property has nobody to tell: it does not start. */
GST_START_TEST (test_uri_wrong)
{
  GstElement *pipeline = parse ("pspsrc uri=psp://127.0.0.1:0 ! fakesink");

  check_open_error (pipeline, "psp://127.0.0.1:0", "write psp://host:port");
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_uri_while_open)
{
  Fixture f;
  GError *error = NULL;
  GstMessage *message;

  fixture_init (&f, NULL);
  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (f.src),
          "psp://1.2.3.4:5", &error));
  fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE));
  g_clear_error (&error);

  /* A property has nowhere else to say so. */
  g_object_set (f.src, "uri", "psp://1.2.3.4:5", NULL);
  message = wait_message (f.bus, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_SETTINGS));
  fail_unless (strstr (error->message, "READY") != NULL);
  g_error_free (error);
  gst_message_unref (message);
  fixture_clear (&f);
}

GST_END_TEST;

static const struct
{
  const gchar *name;
    GType (*type) (void);
  GType fixed;
} fields[] = {
  {"packets", NULL, G_TYPE_UINT64},
  {"bytes", NULL, G_TYPE_UINT64},
  {"payload-bytes", NULL, G_TYPE_UINT64},
  {"lost", NULL, G_TYPE_INT64},
  {"duplicates", NULL, G_TYPE_UINT64},
  {"reordered", NULL, G_TYPE_UINT64},
  {"malformed", NULL, G_TYPE_UINT64},
  {"foreign-packets", NULL, G_TYPE_UINT64},
  {"unauthenticated", NULL, G_TYPE_UINT64},
  {"replayed", NULL, G_TYPE_UINT64},
  {"feedback", NULL, G_TYPE_STRING},
  {"feedback-sent", NULL, G_TYPE_UINT64},
  {"feedback-bytes", NULL, G_TYPE_UINT64},
  {"feedback-throttled", NULL, G_TYPE_UINT64},
  {"feedback-errors", NULL, G_TYPE_UINT64},
  {"rtcp-received", NULL, G_TYPE_UINT64},
  {"rtcp-malformed", NULL, G_TYPE_UINT64},
  {"packets-requested", NULL, G_TYPE_UINT64},
  {"requests-refused", NULL, G_TYPE_UINT64},
  {"peer-address", NULL, G_TYPE_STRING},
  {"streams", gst_value_array_get_type, 0},
}, stream_fields[] = {
  {"ssrc", NULL, G_TYPE_UINT},
  {"packets", NULL, G_TYPE_UINT64},
  {"bytes", NULL, G_TYPE_UINT64},
  {"payload-bytes", NULL, G_TYPE_UINT64},
  {"lost", NULL, G_TYPE_INT64},
  {"duplicates", NULL, G_TYPE_UINT64},
  {"reordered", NULL, G_TYPE_UINT64},
  {"jitter", NULL, G_TYPE_UINT64},
  {"bye", NULL, G_TYPE_BOOLEAN},
};

static void
check_fields (GstElement * src, gboolean running)
{
  const GstStructure *stream;
  const GValue *streams;
  GstStructure *stats;

  g_object_get (src, "stats", &stats, NULL);
  fail_unless (gst_structure_has_name (stats,
          "application/x-psp-source-stats"));
  fail_unless_equals_int (gst_structure_n_fields (stats),
      G_N_ELEMENTS (fields));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    fail_unless (gst_structure_has_field_typed (stats, fields[i].name,
            fields[i].type ? fields[i].type () : fields[i].fixed),
        "%s", fields[i].name);
  streams = gst_structure_get_value (stats, "streams");
  fail_unless_equals_int (gst_value_array_get_size (streams), running);
  if (running) {
    stream = gst_value_get_structure (gst_value_array_get_value (streams, 0));
    fail_unless_equals_int (gst_structure_n_fields (stream),
        G_N_ELEMENTS (stream_fields));
    for (guint i = 0; i < G_N_ELEMENTS (stream_fields); i++)
      fail_unless (gst_structure_has_field_typed (stream,
              stream_fields[i].name, stream_fields[i].fixed), "%s",
          stream_fields[i].name);
  }
  gst_structure_free (stats);
}

GST_START_TEST (test_stats)
{
  Fixture f;
  Sender s;

  fixture_init (&f, NULL);
  check_fields (f.src, FALSE);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  pass (&f, &s);
  check_fields (f.src, TRUE);
  fail_unless_equals_uint64 (stat (&f, "bytes"), 12 + PAYLOAD);
  fail_unless_equals_uint64 (stat (&f, "payload-bytes"), PAYLOAD);
  gst_element_set_state (f.src, GST_STATE_NULL);
  check_fields (f.src, FALSE);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

static gpointer
read_stats (gpointer data)
{
  Fixture *f = data;

  for (guint i = 0; i < 200; i++) {
    stat (f, "packets");
    g_object_set (f->src, "feedback-interval",
        (guint64) (i % 20 * GST_MSECOND), NULL);
  }
  return NULL;
}

/* For the thread sanitizer: readers and setters beside the stream. */
GST_START_TEST (test_threads)
{
  Fixture f;
  Sender s;
  GThread *thread;

  fixture_init (&f, NULL);
  sender_init (&s, "127.0.0.1", "127.0.0.1", f.port);
  thread = g_thread_new ("stats", read_stats, &f);
  for (guint i = 0; i < 300; i++)
    pass (&f, &s);
  g_thread_join (thread);
  fail_unless_equals_uint64 (stat (&f, "packets"), 300);
  psp_udp_close (s.fd);
  fixture_clear (&f);
}

GST_END_TEST;

static Suite *
pspsrc_suite (void)
{
  Suite *s = suite_create ("pspsrc");
  TCase *tc = tcase_create ("pspsrc");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_receive);
  tcase_add_test (tc, test_times_in_order);
  tcase_add_test (tc, test_sizes);
  tcase_add_test (tc, test_feedback);
  tcase_add_test (tc, test_feedback_interval);
  tcase_add_test (tc, test_feedback_by_transport_number);
  tcase_add_test (tc, test_feedback_without_extension);
  tcase_add_test (tc, test_no_amplification);
  tcase_add_loop_test (tc, test_key_unit, 0, 2);
  tcase_add_test (tc, test_packet_request);
  tcase_add_test (tc, test_feedback_source);
  tcase_add_test (tc, test_bye_on_stop);
  tcase_add_test (tc, test_junk);
  tcase_add_test (tc, test_rtcp);
  tcase_add_test (tc, test_rtcp_pad);
  tcase_add_test (tc, test_rtcp_pad_unlinked);
  tcase_add_test (tc, test_duplicates);
  tcase_add_test (tc, test_new_ssrc);
  tcase_add_test (tc, test_new_port);
  tcase_add_loop_test (tc, test_foreign, 0, 2);
  tcase_add_test (tc, test_bye);
  tcase_add_test (tc, test_no_such_port);
  tcase_add_test (tc, test_bye_from_rtcp_port);
  tcase_add_test (tc, test_forged_bye);
  tcase_add_test (tc, test_eos_on_bye);
  tcase_add_test (tc, test_num_buffers);
  tcase_add_test (tc, test_timeout);
  tcase_add_loop_test (tc, test_open_error, 0, G_N_ELEMENTS (open_errors));
  tcase_add_test (tc, test_port_in_use);
  tcase_add_test (tc, test_missing_caps);
  tcase_add_test (tc, test_wrong_caps);
  tcase_add_test (tc, test_caps_of_peer);
  tcase_add_loop_test (tc, test_caps_of_payload_type, 0, 3);
  tcase_add_test (tc, test_caps_changed);
  tcase_add_test (tc, test_states);
  tcase_add_test (tc, test_pause);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_lists);
  tcase_add_test (tc, test_bursts);
  tcase_add_test (tc, test_socket);
  tcase_add_test (tc, test_socket_unfit);
  tcase_add_loop_test (tc, test_ipv6, 0, G_N_ELEMENTS (families));
  tcase_add_loop_test (tc, test_multicast, 0, 2);
  tcase_add_test (tc, test_multicast_reuse);
  tcase_add_test (tc, test_multicast_alone);
  tcase_add_loop_test (tc, test_auto_multicast, 0, 2);
  tcase_add_test (tc, test_buffer_size);
  tcase_add_test (tc, test_uri);
  tcase_add_test (tc, test_uri_wrong);
  tcase_add_test (tc, test_uri_while_open);
  tcase_add_test (tc, test_stats);
  tcase_add_test (tc, test_threads);
  return s;
}

GST_CHECK_MAIN (pspsrc);
