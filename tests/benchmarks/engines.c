/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A hundred engines of pspsink on one thread (tests/check/psp/shareddriver.h),
 * each with a socket and a packet every 20 ms: how late packets arrive on
 * loopback, with and without two sessions that cannot send. One has a full
 * socket, one may not send to its destination. The same 98 sessions count in
 * both; both take turns. Fails if the two delay 99 % of the others' packets by
 * more than 1 ms.
 *
 *   psp-engines [--turns 5] [--packets 150]
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <gst/gst.h>

#include "fullsocket.h"
#include "gstpspengine.h"
#include "shareddriver.h"

GST_DEBUG_CATEGORY (gst_psp_sink_debug);

#define N_ENGINES 100
#define N_FAULTY 2
#define N_COUNTED (N_ENGINES - N_FAULTY)
#define SPACING (20 * PSP_MSECOND)
#define SIZE 100                /* bytes of a packet */
#define WATCHDOG (60 * PSP_SECOND)
#define BOUND PSP_MSECOND       /* ns */

static gint turns = 5, packets = 150;

static const GOptionEntry entries[] = {
  {"turns", 0, 0, G_OPTION_ARG_INT, &turns, "of either kind", "N"},
  {"packets", 0, 0, G_OPTION_ARG_INT, &packets, "of a session in a turn",
      "N"},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

typedef struct
{
  Session *session;
  int fd;
  gint64 queued_at;             /* all its packets; ns since the epoch */
  guint n;                      /* arrived */
} Peer;

static void
require (gboolean ok, const gchar * what)
{
  if (ok)
    return;
  g_printerr ("psp-engines: %s failed\n", what);
  exit (1);
}

static GstPspEngine *
make_engine (void)
{
  static const gdouble parameters[PSP_MAX_PARAMETERS] = { SPACING };
  GstPspEngineConfig config = {
    .controller = psp_controller_find ("fixed"),
    .parameters = parameters
  };
  gint64 now = wait_monotonic_now ();
  GstPspEngine *engine = gst_psp_engine_new (&config, now);

  require (engine != NULL, "an engine");
  gst_psp_engine_set_queue_limits (engine, GST_PSP_LEAKY_NO, GST_CLOCK_TIME_NONE);
  gst_psp_engine_set_playing (engine, TRUE, now);
  return engine;
}

static void
queue_packets (GstPspEngine * engine, guint32 ssrc, gint64 now)
{
  for (gint i = 0; i < packets; i++) {
    guint8 *data = g_malloc0 (SIZE);
    GstBuffer *buffer = gst_buffer_new_wrapped (data, SIZE);
    GstPspPacket packet;

    data[0] = 0x80;
    data[1] = 96;
    GST_WRITE_UINT16_BE (data + 2, (guint16) i);
    GST_WRITE_UINT32_BE (data + 4, (guint32) i);
    GST_WRITE_UINT32_BE (data + 8, ssrc);
    require (gst_psp_packet_parse (&packet, buffer, NULL)
        && gst_psp_engine_queue (engine, &packet, now) == GST_PSP_QUEUE_TAKEN,
        "queueing");
    gst_buffer_unref (buffer);
  }
}

static int
open_udp (PspAddress * address)
{
  PspUdpConfig config = {
    .family = AF_INET,
    .bind_address = "127.0.0.1",
    .receive_buffer = 1 << 22
  };
  int fd;

  require (psp_udp_open (&config, &fd) == 0
      && psp_udp_local_address (fd, address) == 0, "a socket");
  return fd;
}

static void
add_peer (SharedDriver * driver, Peer * p, int fd, const PspAddress * address)
{
  p->fd = fd;
  p->n = 0;
  p->session = shared_driver_add (driver, make_engine (), fd, address);
}

/* The first N_FAULTY peers are not counted, faulty or not. */
static void
add_peers (SharedDriver * driver, Peer * peers, gboolean faulty,
    const PspAddress * here, int *reader)
{
  PspAddress address, unused;
  int full;

  *reader = -1;
  for (guint i = faulty ? N_FAULTY : 0; i < N_ENGINES; i++)
    add_peer (driver, &peers[i], open_udp (&unused), here);
  if (!faulty)
    return;
  full = open_full (&address, reader);
  require (full >= 0, "a full socket");
  add_peer (driver, &peers[0], full, &address);
  /* Only sockets with SO_BROADCAST may. */
  require (psp_address_resolve ("255.255.255.255", 9, AF_INET, &address) == 0,
      "an address");
  add_peer (driver, &peers[1], open_udp (&unused), &address);
}

/* ns from the slot to the arrival of each counted packet. */
static void
receive_all (int fd, Peer * peers, GArray * lateness)
{
  gint64 end = wait_monotonic_now () + packets * SPACING + WATCHDOG;
  guint8 data[PSP_UDP_BATCH][SIZE];
  PspUdpDatagram datagrams[PSP_UDP_BATCH] = { {0} };
  gint left = N_COUNTED * packets;

  for (guint i = 0; i < PSP_UDP_BATCH; i++) {
    datagrams[i].data = data[i];
    datagrams[i].capacity = SIZE;
  }
  while (left > 0) {
    int count;

    require (psp_wait (fd, FALSE, NULL, end) > 0, "arrival in time");
    count = psp_udp_receive (fd, datagrams, PSP_UDP_BATCH);
    for (int i = 0; i < count; i++) {
      const PspUdpDatagram *d = &datagrams[i];
      guint32 ssrc;
      Peer *p;
      gint64 late;

      if (d->size != SIZE || d->data[1] != 96)
        continue;               /* RTCP */
      ssrc = GST_READ_UINT32_BE (d->data + 8);
      if (ssrc < N_FAULTY)
        continue;
      p = &peers[ssrc];
      late = d->arrived_at - p->queued_at - p->n++ * SPACING;
      g_array_append_val (lateness, late);
      left--;
    }
  }
}

static void
take_turn (gboolean faulty, GArray * lateness)
{
  static Peer peers[N_ENGINES];
  SharedDriver *driver = shared_driver_new ();
  PspAddress here;
  int reader, fd = open_udp (&here);

  require (driver != NULL, "a driver");
  add_peers (driver, peers, faulty, &here, &reader);
  for (guint i = 0; i < N_ENGINES; i++) {
    queue_packets (session_lock (peers[i].session), i, wait_monotonic_now ());
    peers[i].queued_at = wait_wall_now ();
    session_unlock (peers[i].session);
    g_usleep (SPACING / N_ENGINES / PSP_USECOND);
  }
  receive_all (fd, peers, lateness);
  for (guint i = 0; i < N_ENGINES; i++) {
    session_remove (peers[i].session);
    psp_udp_close (peers[i].fd);
  }
  shared_driver_free (driver);
  psp_udp_close (fd);
  if (reader >= 0)
    close (reader);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Returns the lateness that this part of the sorted packets does not exceed. */
static gint64
part (GArray * lateness, gdouble share)
{
  return g_array_index (lateness, gint64,
      (guint) (share * (lateness->len - 1)));
}

/* In µs, and the share of packets later than 1 ms in percent. */
static void
print_row (const gchar * name, GArray * lateness)
{
  static const gdouble parts[] = { .5, .95, .99, .999 };
  guint n_late = 0;

  g_array_sort (lateness, compare);
  printf ("| %s | %u |", name, lateness->len);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    printf (" %" G_GINT64_FORMAT " |", part (lateness, parts[i])
        / PSP_USECOND);
  for (guint i = 0; i < lateness->len; i++)
    n_late += g_array_index (lateness, gint64, i) > PSP_MSECOND;
  printf (" %.2f %% |\n", 100.0 * n_late / lateness->len);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GArray *lateness[2];
  gint64 delay;
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || turns < 1
      || packets < 1 || packets > 65536) {
    g_printerr ("%s\n", error ? error->message : "numbers out of range");
    return 1;
  }
  g_option_context_free (context);
  GST_DEBUG_CATEGORY_INIT (gst_psp_sink_debug, "pspsink", 0, "engines");
  for (guint i = 0; i < 2; i++)
    lateness[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint i = 0; i < turns; i++) {
    take_turn (i & 1, lateness[i & 1]);
    take_turn (!(i & 1), lateness[!(i & 1)]);
  }
  printf ("| sessions | packets | p50, µs | p95, µs | p99, µs | p99.9, µs |"
      " later than 1 ms |\n|---|---|---|---|---|---|---|\n");
  print_row ("all send", lateness[0]);
  print_row ("two cannot", lateness[1]);
  delay = part (lateness[1], .99) - part (lateness[0], .99);
  for (guint i = 0; i < 2; i++)
    g_array_unref (lateness[i]);
  if (delay > BOUND) {
    g_printerr ("psp-engines: two that cannot send delay 99 %% of the others by "
        "%" G_GINT64_FORMAT " us, not %" G_GINT64_FORMAT "\n",
        delay / PSP_USECOND, BOUND / PSP_USECOND);
    return 1;
  }
  return 0;
}
