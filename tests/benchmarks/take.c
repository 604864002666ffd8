/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Sends RTP to sources, each into a fakesink, and says in one line of JSON
 * what a received packet cost: CPU of the process without the thread that
 * sends.
 *
 *   psp-take --source 'pspsrc address=127.0.0.1 port=0 caps=application/x-rtp'
 *     --source 'udpsrc address=127.0.0.1 port=0 caps=application/x-rtp'
 *
 * Sources take turns, of --turn packets each, and "turns" has what each turn
 * cost: where the speed of a CPU changes from one tenth of a second to the next
 * (another tenant on its other half), only neighbours can be compared.
 *
 * A --srtp-source hears SRTP instead, AES-128-GCM under the key 01 00 … 00. A
 * source "bare" is a thread that receives, and under SRTP unprotects, and does no
 * more: what libsrtp takes in the same rhythm is the difference of two of them.
 */
#define _GNU_SOURCE
#include "srtp/session.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <gst/gst.h>

#define MAX_SOURCES 6
#define MAX_LIST 64
#define PACKET_SIZE 1316
/* For the last report of a turn. */
#define SETTLE_US 30000

static gchar **descriptions, **srtp_descriptions;
static gint n_turns = 10, turn = 500, list_size = 1;
static gint64 rate = 20000000;

static const GOptionEntry entries[] = {
  {"source", 0, 0, G_OPTION_ARG_STRING_ARRAY, &descriptions,
      "launch description of a source at a port of 127.0.0.1, or \"bare\"; up "
        "to six in all", "DESCRIPTION"},
  {"srtp-source", 0, 0, G_OPTION_ARG_STRING_ARRAY, &srtp_descriptions,
      "the same of one that hears SRTP; its turn comes after the others'",
        "DESCRIPTION"},
  {"turns", 0, 0, G_OPTION_ARG_INT, &n_turns, "how many for each source", "N"},
  {"turn", 0, 0, G_OPTION_ARG_INT, &turn, "packets a turn", "N"},
  {"list", 0, 0, G_OPTION_ARG_INT, &list_size, "packets sent at once", "N"},
  {"rate", 0, 0, G_OPTION_ARG_INT64, &rate, "bits/s to send", "BPS"},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

typedef struct
{
  GstElement *source;           /* a bin of it and what follows */
  gint taken;                   /* atomic */
  int fd;                       /* connected to it */
  PspSrtpSession *srtp;         /* NULL = packets go as they are */
  /* of a bare one */
  GThread *thread;
  int bare_fd;
  PspSrtpSession *unprotect;
  guint16 seq;
} Take;

static gint64
cpu_ns (clockid_t id)
{
  struct timespec now;

  clock_gettime (id, &now);
  return now.tv_sec * GST_SECOND + now.tv_nsec;
}

/* Of all threads but this one, which sends. */
static gint64
others_ns (void)
{
  return cpu_ns (CLOCK_PROCESS_CPUTIME_ID) - cpu_ns (CLOCK_THREAD_CPUTIME_ID);
}

static GstPadProbeReturn
count (GstPad * pad G_GNUC_UNUSED, GstPadProbeInfo * info, gpointer data)
{
  Take *t = data;
  gint n = 1;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    n = gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  g_atomic_int_add (&t->taken, n);
  return GST_PAD_PROBE_OK;
}

/* An empty datagram ends it. */
static gpointer
receive_bare (gpointer data)
{
  guint32 room[(PACKET_SIZE + PSP_SRTP_ROOM) / 4];
  Take *t = data;
  gssize got;

  while ((got = recv (t->bare_fd, room, sizeof room, 0)) > 0) {
    gsize size = (gsize) got;

    if (!t->unprotect || psp_srtp_unprotect (t->unprotect, (guint8 *) room,
            &size, FALSE) == PSP_SRTP_OK)
      g_atomic_int_inc (&t->taken);
  }
  return NULL;
}

static gboolean
add_bare (Take * t)
{
  struct sockaddr_in at = {.sin_family = AF_INET };

  t->fd = -1;
  at.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  t->bare_fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (t->bare_fd < 0 || bind (t->bare_fd, (struct sockaddr *) &at, sizeof at))
    return FALSE;
  t->thread = g_thread_new ("bare", receive_bare, t);
  return TRUE;
}

static void
end_bare (Take * t)
{
  if (!t->thread)
    return;
  if (send (t->fd, NULL, 0, 0) == 0)
    g_thread_join (t->thread);
  close (t->bare_fd);
}

static gboolean
add_source (GstElement * pipeline, Take * t, const gchar * description)
{
  GError *error = NULL;
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *pad;

  t->fd = -1;
  t->source = gst_parse_bin_from_description (description, TRUE, &error);
  if (!t->source) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    return FALSE;
  }
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add_many (GST_BIN (pipeline), t->source, sink, NULL);
  gst_element_link (t->source, sink);
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count, t,
      NULL);
  gst_object_unref (pad);
  return TRUE;
}

static gint
find_port (const Take * t)
{
  struct sockaddr_in at;
  socklen_t size = sizeof at;
  GstIterator *sources;
  GValue source = G_VALUE_INIT;
  gint port = 0;

  if (t->thread) {
    getsockname (t->bare_fd, (struct sockaddr *) &at, &size);
    return ntohs (at.sin_port);
  }
  sources = gst_bin_iterate_sources (GST_BIN (t->source));
  if (gst_iterator_next (sources, &source) == GST_ITERATOR_OK)
    g_object_get (g_value_get_object (&source), "port", &port, NULL);
  g_value_unset (&source);
  gst_iterator_free (sources);
  return port;
}

static gboolean
connect_to (Take * t)
{
  struct sockaddr_in to = {.sin_family = AF_INET };
  gint port = find_port (t);

  to.sin_port = htons (port);
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  t->fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return t->fd >= 0 && connect (t->fd, (struct sockaddr *) &to, sizeof to) == 0;
}

/* Reads the reports, as a sender would, and sends the next n packets. */
static void
send_some (Take * t, gint n)
{
  static guint32 packets[MAX_LIST][(PACKET_SIZE + PSP_SRTP_ROOM) / 4];
  struct mmsghdr messages[MAX_LIST];
  struct iovec iov[MAX_LIST];
  guint8 report[1500];
  gint i;

  while (recv (t->fd, report, sizeof report, 0) >= 0);
  memset (messages, 0, sizeof messages);
  for (i = 0; i < n; i++) {
    guint8 *p = (guint8 *) packets[i];
    gsize size = PACKET_SIZE;

    p[0] = 0x80;
    p[1] = 96;
    GST_WRITE_UINT16_BE (p + 2, t->seq);
    GST_WRITE_UINT32_BE (p + 4, (guint32) (t->seq / 8) * 3000);
    GST_WRITE_UINT32_BE (p + 8, 0x1234);
    t->seq++;
    if (t->srtp && psp_srtp_protect (t->srtp, p, &size, FALSE) != PSP_SRTP_OK)
      g_printerr ("a packet could not be protected\n");
    iov[i].iov_base = p;
    iov[i].iov_len = size;
    messages[i].msg_hdr.msg_iov = &iov[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  if (sendmmsg (t->fd, messages, n, 0) != n)
    g_printerr ("not all could be sent\n");
}

/* CPU ns a packet; ≤ 0 where none came. */
static gdouble
take_turn (Take * t)
{
  gint64 start = g_get_monotonic_time (), cpu = others_ns ();
  gint i, n, before = g_atomic_int_get (&t->taken), got;

  for (i = 0; i < turn; i += n) {
    gint64 wait = start + (gint64) i * PACKET_SIZE * 8 * 1000000 / rate -
        g_get_monotonic_time ();

    n = MIN (list_size, turn - i);
    if (wait > 0)
      g_usleep (wait);
    send_some (t, n);
  }
  g_usleep (SETTLE_US);
  got = g_atomic_int_get (&t->taken) - before;
  return got > 0 ? (gdouble) (others_ns () - cpu) / got : 0;
}

/* A first round warms up and is not told. */
static gboolean
measure (Take * takes, guint n)
{
  gint i;
  guint k;

  g_print ("{\"turns\": [");
  for (i = -1; i < n_turns; i++) {
    if (i >= 0)
      g_print ("%s[", i ? ", " : "");
    for (k = 0; k < n; k++) {
      gdouble cost = take_turn (&takes[k]);

      if (cost <= 0)
        return FALSE;
      if (i >= 0)
        g_print ("%s%.4f", k ? ", " : "", cost / 1000);
    }
    if (i >= 0)
      g_print ("]");
  }
  g_print ("], \"packets\": [");
  for (k = 0; k < n; k++)
    g_print ("%s%d", k ? ", " : "", g_atomic_int_get (&takes[k].taken));
  g_print ("]}\n");
  return TRUE;
}

static gboolean
add_sources (GstElement * pipeline, Take * takes, guint n_plain, guint n)
{
  PspSrtpKey key = {.suite = PSP_SRTP_AES_128_GCM,.key = {1} };
  guint i;

  for (i = 0; i < n; i++) {
    const gchar *description = i < n_plain ? descriptions[i] :
        srtp_descriptions[i - n_plain];
    gboolean bare = g_str_equal (description, "bare");

    if (i >= n_plain) {
      takes[i].srtp = psp_srtp_session_new (&key, FALSE);
      if (!takes[i].srtp) {
        g_printerr ("%s\n", psp_srtp_missing ());
        return FALSE;
      }
      takes[i].unprotect = bare ? psp_srtp_session_new (&key, TRUE) : NULL;
    }
    if (bare ? !add_bare (&takes[i]) :
        !add_source (pipeline, &takes[i], description))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run (GstElement * pipeline, Take * takes, guint n_plain, guint n)
{
  guint i;

  if (!add_sources (pipeline, takes, n_plain, n))
    return FALSE;
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE) {
    g_printerr ("a source does not start\n");
    return FALSE;
  }
  for (i = 0; i < n; i++) {
    if (!connect_to (&takes[i]))
      return FALSE;
  }
  return measure (takes, n);
}

int
main (int argc, char *argv[])
{
  GError *error = NULL;
  GOptionContext *context = g_option_context_new ("- measure a source");
  GstElement *pipeline;
  Take takes[MAX_SOURCES] = { 0 };
  guint n_plain, n, i;
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  n_plain = descriptions ? g_strv_length (descriptions) : 0;
  n = n_plain + (srtp_descriptions ? g_strv_length (srtp_descriptions) : 0);
  if (n == 0 || n > MAX_SOURCES || list_size < 1 || list_size > MAX_LIST ||
      turn < 1 || rate < 1) {
    g_printerr ("sources are needed, one to six, --list of 1 to 64\n");
    return 2;
  }
  pipeline = gst_pipeline_new (NULL);
  ok = run (pipeline, takes, n_plain, n);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (i = 0; i < n; i++) {
    end_bare (&takes[i]);
    if (takes[i].fd > 0)
      close (takes[i].fd);
    psp_srtp_session_free (takes[i].srtp);
    psp_srtp_session_free (takes[i].unprotect);
  }
  gst_object_unref (pipeline);
  g_strfreev (descriptions);
  g_strfreev (srtp_descriptions);
  g_option_context_free (context);
  return ok ? 0 : 1;
}
