/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * pspsink to pspsrc in one process, under every controller: all packets
 * arrive in order, are reported, and the reports cost what they may.
 */
#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <netinet/in.h>

#include <control/controller.h>
#include <rtpfeedback/reporting.h>

#include "play.h"

#define SSRC 0x01020304
#define HEADER 12
#define PAYLOAD 1200
#define PICTURES 60
#define PICTURE 10              /* packets */
#define PACKETS (PICTURES * PICTURE)
#define AHEAD 4                 /* pictures that fit any receive buffer */
#define RTCP_SHARE 0.02
#define REGULAR_RTCP 200        /* bytes of one compound RR, with room */

static GstBuffer *
make_packet (guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, HEADER + PAYLOAD, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, i & 0xff, map.size);
  map.data[0] = 0x80;
  map.data[1] = 96 | ((i + 1) % PICTURE ? 0 : 0x80);
  GST_WRITE_UINT16_BE (map.data + 2, (guint16) (65000 + i));
  GST_WRITE_UINT32_BE (map.data + 4, i / PICTURE * 3600);
  GST_WRITE_UINT32_BE (map.data + 8, SSRC);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
check_packet (GstBuffer * buffer, guint i)
{
  GstBuffer *expected = make_packet (i);
  GstMapInfo map;
  guint8 seq[2];

  fail_unless (gst_buffer_map (expected, &map, GST_MAP_READ));
  gst_buffer_extract (buffer, 2, seq, 2);
  fail_unless_equals_int (GST_READ_UINT16_BE (seq),
      GST_READ_UINT16_BE (map.data + 2));
  fail_unless_equals_int (gst_buffer_get_size (buffer), map.size);
  fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0,
      "packet %u differs", i);
  gst_buffer_unmap (expected, &map);
  gst_buffer_unref (expected);
  gst_buffer_unref (buffer);
}

static guint64
get_count (GstElement * element, const gchar * field)
{
  GstStructure *stats;
  guint64 count;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &count), "%s", field);
  gst_structure_free (stats);
  return count;
}

static GstHarness *
make_receiver (const gchar * address, gint * port)
{
  GstElement *src = gst_element_factory_make ("pspsrc", NULL);

  fail_unless (src != NULL);
  g_object_set (src, "address", address, "port", 0, "eos-on-bye", TRUE, NULL);
  gst_util_set_object_arg (G_OBJECT (src), "caps", CAPS);
  return play_src (src, port);
}

static GstHarness *
make_sender (const gchar * host, gint port, const gchar * controller)
{
  GstElement *sink = gst_element_factory_make ("pspsink", NULL);

  fail_unless (sink != NULL);
  g_object_set (sink, "host", host, "controller", controller, "sync", FALSE,
      "spacing", (guint64) 200 * GST_USECOND, NULL);
  return play_sink (sink, port);
}

/* Every other picture as a buffer list, as payloaders send them. */
static void
push_picture (GstHarness * h, guint picture)
{
  GstBufferList *list;

  if (picture % 2 == 0) {
    for (guint i = 0; i < PICTURE; i++)
      fail_unless_equals_int (gst_harness_push (h,
              make_packet (picture * PICTURE + i)), GST_FLOW_OK);
    return;
  }
  list = gst_buffer_list_new ();
  for (guint i = 0; i < PICTURE; i++)
    gst_buffer_list_add (list, make_packet (picture * PICTURE + i));
  fail_unless_equals_int (gst_pad_push_list (h->srcpad, list), GST_FLOW_OK);
}

static void
pull_picture (GstHarness * h, guint picture)
{
  for (guint i = picture * PICTURE; i < (picture + 1) * PICTURE; i++) {
    GstBuffer *buffer = gst_harness_pull (h);

    fail_unless (buffer != NULL, "only %u packets arrived", i);
    check_packet (buffer, i);
  }
}

static void
check_cost (GstElement * sink, gint64 elapsed)
{
  gdouble payload = get_count (sink, "payload-bytes-sent");
  gdouble allowed = RTCP_SHARE * payload + PSP_REPORTING_FIRST_CREDIT +
      PSP_REPORTING_MAX_DEBT + (1 + elapsed / G_USEC_PER_SEC) *
      (PSP_REPORTING_FLOOR_SIZE + REGULAR_RTCP);

  fail_unless (get_count (sink, "feedback-bytes") <= allowed,
      "%" G_GUINT64_FORMAT " bytes of RTCP for %.0f of payload",
      get_count (sink, "feedback-bytes"), payload);
}

static void
check_loopback (const gchar * address, const gchar * controller)
{
  GstHarness *receiver, *sender;
  gint64 start = g_get_monotonic_time ();
  GstElement *sink;
  GstEvent *event;
  gboolean is_eos;
  gint port;

  receiver = make_receiver (address, &port);
  sender = make_sender (address, port, controller);
  sink = sender->element;
  for (guint i = 0; i < PICTURES + AHEAD; i++) {
    if (i < PICTURES)
      push_picture (sender, i);
    if (i >= AHEAD)
      pull_picture (receiver, i - AHEAD);
  }
  fail_unless (gst_harness_push_event (sender, gst_event_new_eos ()));
  do {
    event = gst_harness_pull_event (receiver);
    fail_unless (event != NULL, "no EOS at the receiver");
    is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  } while (!is_eos);

  fail_unless_equals_uint64 (get_count (sink, "packets-sent"), PACKETS);
  fail_unless_equals_uint64 (get_count (sink, "dropped-packets"), 0);
  fail_unless (get_count (sink, "feedback-received") > 0);
  fail_unless (get_count (sink, "packets-acked") > 0);
  fail_unless_equals_uint64 (get_count (sink, "feedback-malformed"), 0);
  fail_unless_equals_uint64 (get_count (sink, "feedback-unknown-ssrc"), 0);
  fail_unless_equals_uint64 (get_count (sink, "feedback-never-sent"), 0);
  fail_unless_equals_uint64 (get_count (sink, "feedback-foreign"), 0);
  check_cost (sink, g_get_monotonic_time () - start);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_START_TEST (test_controller)
{
  check_loopback ("127.0.0.1", psp_controller_list ()[__i__]->name);
}

GST_END_TEST;

GST_START_TEST (test_ipv6)
{
  GSocket *probe = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  GSocketAddress *address = g_inet_socket_address_new_from_string ("::1", 0);
  gboolean has_v6 = probe && g_socket_bind (probe, address, FALSE, NULL);

  g_clear_object (&probe);
  g_object_unref (address);
  if (has_v6)
    check_loopback ("::1", "scp");
  else
    g_print ("no IPv6 here: skipped\n");
}

GST_END_TEST;

/* Whether a group can be reached on lo. */
static gboolean
lo_takes_multicast (const gchar * group)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  GSocketAddress *to = g_inet_socket_address_new_from_string (group, 9);
  gboolean ok = g_socket_set_option (socket, IPPROTO_IP, IP_MULTICAST_IF,
      (gint) g_htonl (INADDR_LOOPBACK), NULL) &&
      g_socket_send_to (socket, to, "", 1, NULL, NULL) == 1;

  g_object_unref (to);
  g_object_unref (socket);
  return ok;
}

/* To a group on an interface that no route to it leads through, and nothing
 * comes back. */
GST_START_TEST (test_multicast)
{
  const gchar *group = "239.255.77.5";
  GstElement *src = gst_element_factory_make ("pspsrc", NULL);
  GstElement *sink = gst_element_factory_make ("pspsink", NULL);
  GstHarness *receiver, *sender;
  gint port;

  g_object_set (src, "address", group, "port", 0, "multicast-iface", "lo",
      NULL);
  gst_util_set_object_arg (G_OBJECT (src), "caps", CAPS);
  receiver = play_src (src, &port);

  if (lo_takes_multicast (group)) {
    g_object_set (sink, "host", group, "port", port, "multicast-iface", "lo",
        "ttl-mc", 0, "controller", "fixed", "spacing",
        (guint64) 200 * GST_USECOND, "sync", FALSE, NULL);
    sender = gst_harness_new_with_element (sink, "sink", NULL);
    gst_harness_set_src_caps_str (sender, CAPS);
    for (guint i = 0; i < PICTURES; i++) {
      push_picture (sender, i);
      pull_picture (receiver, i);
    }
    fail_unless_equals_uint64 (get_count (sink, "packets-sent"), PACKETS);
    fail_unless_equals_uint64 (get_count (sink, "send-errors"), 0);
    fail_unless_equals_uint64 (get_count (src, "packets"), PACKETS);
    fail_unless_equals_uint64 (get_count (src, "feedback-bytes"), 0);
    gst_harness_teardown (sender);
  } else {
    g_print ("lo takes no multicast: skipped\n");
  }
  gst_harness_teardown (receiver);
  gst_object_unref (sink);
}

GST_END_TEST;

static Suite *
loopback_suite (void)
{
  Suite *s = suite_create ("loopback");
  TCase *tc = tcase_create ("general");
  guint n = 0;

  while (psp_controller_list ()[n])
    n++;
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_controller, 0, n);
  tcase_add_test (tc, test_ipv6);
  tcase_add_test (tc, test_multicast);
  return s;
}

GST_CHECK_MAIN (loopback);
