/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reports that are not the receiver's, to a pspsink on loopback, in the clear and
 * under SRTP: by whom, with what in them, and whether a packet counts as arrived.
 * Spoofed addresses take a raw socket, so root; they are skipped without.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <rtpfeedback/ccfb.h>

#include "play.h"

#define SSRC 0x01020304
#define KEY_SIZE 28
#define WATCHDOG 20             /* s */
#define N_SENT 8

typedef enum
{
  RECEIVER,                     /* its own socket */
  OTHER_PORT,
  OTHER_HOST,
  SPOOFED                       /* the receiver's address, by a raw socket */
} From;

typedef enum
{
  FORGED,                       /* as if the receiver had all packets */
  OTHER_SSRC,                   /* guessed without seeing them */
  OTHER_SEQ,
  TRUNCATED,
  REPLAYED                      /* the receiver's report of the first packet */
} What;

static const struct
{
  const gchar *name;
  From from;
  What what;
  gboolean moves;               /* in the clear; docs/wire.md has why */
} attacks[] = {
  {"another host", OTHER_HOST, FORGED, FALSE},
  {"another port", OTHER_PORT, FORGED, FALSE},
  {"off the path, SSRC guessed", SPOOFED, OTHER_SSRC, FALSE},
  {"off the path, numbers guessed", SPOOFED, OTHER_SEQ, FALSE},
  {"truncated", SPOOFED, TRUNCATED, FALSE},
  {"replayed", SPOOFED, REPLAYED, FALSE},
  {"replayed from another port", OTHER_PORT, REPLAYED, FALSE},
  {"on the path", SPOOFED, FORGED, TRUE},
};

typedef struct
{
  GstHarness *sink;
  GstHarness *protector;        /* of the receiver's reports, or NULL */
  int socket;
  struct sockaddr_in receiver, sender;
  guint32 ssrc;                 /* as it leaves */
} Session;

static GstBuffer *
make_key (guint8 n)
{
  GstBuffer *key = gst_buffer_new_allocate (NULL, KEY_SIZE, NULL);

  gst_buffer_memset (key, 0, n, KEY_SIZE);
  return key;
}

static void
set_key (GstElement * element, const gchar * property, guint8 n)
{
  GstBuffer *key = make_key (n);

  g_object_set (element, property, key, NULL);
  gst_buffer_unref (key);
}

static int
open_socket (const gchar * address, struct sockaddr_in *local)
{
  struct timeval timeout = {.tv_sec = WATCHDOG };
  socklen_t size = sizeof *local;
  int fd = socket (AF_INET, SOCK_DGRAM, 0);

  memset (local, 0, sizeof *local);
  local->sin_family = AF_INET;
  inet_pton (AF_INET, address, &local->sin_addr);
  fail_unless (bind (fd, (struct sockaddr *) local, sizeof *local) == 0);
  fail_unless (getsockname (fd, (struct sockaddr *) local, &size) == 0);
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  return fd;
}

static GstHarness *
make_protector (void)
{
  GstElement *enc = gst_element_factory_make ("srtpenc", NULL);
  GstHarness *h;

  set_key (enc, "key", 2);
  gst_util_set_object_arg (G_OBJECT (enc), "rtp-cipher", "aes-128-gcm");
  gst_util_set_object_arg (G_OBJECT (enc), "rtcp-cipher", "aes-128-gcm");
  gst_util_set_object_arg (G_OBJECT (enc), "rtp-auth", "null");
  gst_util_set_object_arg (G_OBJECT (enc), "rtcp-auth", "null");
  h = gst_harness_new_with_element (enc, "rtcp_sink_0", "rtcp_src_0");
  gst_harness_set_src_caps_str (h, "application/x-rtcp");
  gst_object_unref (enc);
  return h;
}

/* Sends packets 0 … N_SENT − 1, which the receiver gets. */
static void
send_media (Session * s)
{
  for (guint16 seq = 0; seq < N_SENT; seq++) {
    guint8 header[12] = { 0x80, 96 }, data[2000];
    socklen_t size = sizeof s->sender;

    GST_WRITE_UINT16_BE (header + 2, seq);
    GST_WRITE_UINT32_BE (header + 8, SSRC);
    gst_harness_push (s->sink, gst_buffer_new_memdup (header, sizeof header));
    fail_unless (recvfrom (s->socket, data, sizeof data, 0,
            (struct sockaddr *) &s->sender, &size) >= 12);
    s->ssrc = GST_READ_UINT32_BE (data + 8);
  }
}

static void
open_session (Session * s, gboolean srtp)
{
  GstElement *sink = gst_element_factory_make ("pspsink", NULL);

  s->socket = open_socket ("127.0.0.1", &s->receiver);
  g_object_set (sink, "host", "127.0.0.1", "controller", "fixed", "sync", FALSE,
      "spacing", (guint64) GST_MSECOND, NULL);
  if (srtp) {
    gst_util_set_object_arg (G_OBJECT (sink), "srtp-suite", "aes-128-gcm");
    set_key (sink, "srtp-feedback-key", 2);
    set_key (sink, "srtp-key", 1);
  }
  s->protector = srtp ? make_protector () : NULL;
  s->sink = play_sink (sink, ntohs (s->receiver.sin_port));
  send_media (s);
}

static void
close_session (Session * s)
{
  gst_harness_teardown (s->sink);
  if (s->protector)
    gst_harness_teardown (s->protector);
  close (s->socket);
}

/* A report of n packets from `seq` on. */
static gsize
make_report (guint32 ssrc, guint16 seq, guint n, guint8 * data, gsize size)
{
  PspCcfbMetric metric = {.received = true };
  PspCcfbPacker packer;
  PspWriter w = psp_writer (data, size);

  psp_ccfb_begin (&packer, &w, 5);
  psp_ccfb_stream (&packer, ssrc, seq);
  for (guint i = 0; i < n; i++)
    psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, 1 << 16);
  return w.size;
}

/* With the receiver's own address, whoever sends it. */
static gboolean
send_spoofed (const Session * s, const guint8 * data, gsize size)
{
  guint8 packet[sizeof (struct iphdr) + sizeof (struct udphdr) + 256];
  struct iphdr ip = {.version = 4,.ihl = 5,.ttl = 64,.protocol = IPPROTO_UDP,
    .saddr = s->receiver.sin_addr.s_addr,.daddr = s->sender.sin_addr.s_addr
  };
  struct udphdr udp = {.source = s->receiver.sin_port,
    .dest = s->sender.sin_port,.len = htons ((uint16_t) (sizeof udp + size))
  };
  int fd = socket (AF_INET, SOCK_RAW, IPPROTO_RAW);

  if (fd < 0)
    return FALSE;
  memcpy (packet, &ip, sizeof ip);
  memcpy (packet + sizeof ip, &udp, sizeof udp);
  memcpy (packet + sizeof ip + sizeof udp, data, size);
  fail_unless (sendto (fd, packet, sizeof ip + sizeof udp + size, 0,
          (const struct sockaddr *) &s->sender, sizeof s->sender) > 0);
  close (fd);
  return TRUE;
}

/* FALSE: it cannot be sent here. */
static gboolean
send_from (const Session * s, From from, const guint8 * data, gsize size)
{
  struct sockaddr_in local;
  int fd = s->socket;

  if (from == SPOOFED)
    return send_spoofed (s, data, size);
  if (from != RECEIVER)
    fd = open_socket (from == OTHER_HOST ? "127.0.0.2" : "127.0.0.1", &local);
  fail_unless (sendto (fd, data, size, 0,
          (const struct sockaddr *) &s->sender, sizeof s->sender) > 0);
  if (from != RECEIVER)
    close (fd);
  return TRUE;
}

static guint64
get_count (const Session * s, const gchar * field)
{
  GstStructure *stats;
  guint64 count;

  g_object_get (s->sink->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &count), "%s", field);
  gst_structure_free (stats);
  return count;
}

static void
wait_acked (const Session * s, guint64 n)
{
  gint64 end = g_get_monotonic_time () + WATCHDOG * G_TIME_SPAN_SECOND;

  while (get_count (s, "packets-acked") < n) {
    fail_unless (g_get_monotonic_time () < end);
    g_usleep (1000);
  }
}

/* What the receiver says, protected where it has to be; returns its size. */
static gsize
report_as_receiver (const Session * s, guint16 seq, guint8 * data, gsize room)
{
  gsize size = make_report (s->ssrc, seq, 1, data, room);

  if (s->protector) {
    GstBuffer *buffer = gst_harness_push_and_pull (s->protector,
        gst_buffer_new_memdup (data, size));

    size = gst_buffer_extract (buffer, 0, data, room);
    gst_buffer_unref (buffer);
  }
  fail_unless (send_from (s, RECEIVER, data, size));
  return size;
}

static gsize
make_attack (const Session * s, What what, const guint8 * old, gsize old_size,
    guint8 * data, gsize room)
{
  guint32 ssrc = s->ssrc + (what == OTHER_SSRC);
  guint16 seq = what == OTHER_SEQ ? 30000 : 0;
  gsize size = make_report (ssrc, seq, N_SENT, data, room);

  if (what == TRUNCATED)
    return size - 4;
  if (what != REPLAYED)
    return size;
  memcpy (data, old, old_size);
  return old_size;
}

/* The receiver reports the first packet, then comes the attack, then the receiver
 * reports the second: what was acted upon in between shows. */
GST_START_TEST (test_attack)
{
  const guint n = __i__ / 2;
  const gboolean srtp = __i__ % 2;
  guint8 first_report[256], second_report[256], attack[256];
  gsize old_size, size;
  guint64 expected;
  Session s;

  open_session (&s, srtp);
  old_size = report_as_receiver (&s, 0, first_report, sizeof first_report);
  wait_acked (&s, 1);
  size = make_attack (&s, attacks[n].what, first_report, old_size, attack,
      sizeof attack);
  if (!send_from (&s, attacks[n].from, attack, size)) {
    g_print ("skipped: %s: no raw socket: %s\n", attacks[n].name,
        g_strerror (errno));
    close_session (&s);
    return;
  }
  report_as_receiver (&s, 1, second_report, sizeof second_report);
  expected = attacks[n].moves && !srtp ? N_SENT : 2;
  wait_acked (&s, expected);
  fail_unless_equals_uint64 (get_count (&s, "packets-acked"), expected);
  if (srtp)
    fail_unless_equals_uint64 (get_count (&s, "feedback-unauthenticated") +
        get_count (&s, "feedback-replayed"), 1);
  close_session (&s);
}

GST_END_TEST;

static Suite *
attacks_suite (void)
{
  Suite *s = suite_create ("psp-attacks");
  TCase *t = tcase_create ("attacks");

  suite_add_tcase (s, t);
  if (gst_registry_check_feature_version (gst_registry_get (), "srtpenc", 1,
          22, 0))
    tcase_add_loop_test (t, test_attack, 0, 2 * G_N_ELEMENTS (attacks));
  else
    g_print ("skipped: srtpenc is not installed\n");
  return s;
}

GST_CHECK_MAIN (attacks);
