/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Many engines on one thread: what keeps one from sending does not delay the
 * others. In virtual time to the nanosecond. Over sockets, by the shared driver,
 * all packets must arrive; tests/benchmarks/engines.c says how late.
 */
#include "enginerun.h"

#include <errno.h>
#include <unistd.h>
#include <gst/check/gstcheck.h>

#include "fullsocket.h"
#include "shareddriver.h"

#define N_ENGINES 100
#define WATCHDOG (30 * PSP_SECOND)

/* Virtual time */

static void
run_until (Member * members, guint n, gint64 end)
{
  gint64 now = 0;

  while (now < end) {
    gint64 next = PSP_TIME_NEVER;

    for (guint i = 0; i < n; i++) {
      Member *m = &members[i];

      if (m->due_at <= now && m->blocked && now >= m->until)
        gst_psp_engine_writable (m->engine);
      if (m->due_at <= now)
        run_member (m, now);
      next = MIN (next, m->due_at);
    }
    now = next;
  }
}

/* One engine's trouble, which lasts for some slots: the others send on time to
 * the nanosecond. What the socket had no room for leaves once it has, in order;
 * what meets another error is lost, of which there is one warning. */
static const struct
{
  int fault;
  guint n_slots;
  guint n_warnings;
  guint n_lost;
} faults[] = {
  {0, 0, 0, 0},
  {EAGAIN, 10, 0, 0},
  {ENETUNREACH, 10, 1, 10},
  {EMSGSIZE, 3, 1, 3},
};

GST_START_TEST (test_virtual)
{
  const guint n_lost = faults[__i__].n_lost;
  static Member members[N_ENGINES];
  const PspAddress nowhere = { 0 };
  GstPspEngineStats stats;
  Member *faulty = &members[N_ENGINES / 2];

  memset (members, 0, sizeof members);
  for (guint i = 0; i < N_ENGINES; i++) {
    members[i].engine = make_engine ("fixed", 0);
    gst_psp_engine_open (members[i].engine, &nowhere, 0);
    queue_packets (members[i].engine, i, 0);
  }
  faulty->fault = faults[__i__].fault;
  faulty->until = faults[__i__].n_slots * SPACING;
  run_until (members, N_ENGINES, 2 * N_PACKETS * SPACING);

  for (guint i = 0; i < N_ENGINES; i++) {
    Member *m = &members[i];
    guint lost = m == faulty ? n_lost : 0;

    gst_psp_engine_stats (m->engine, 0, &stats);
    fail_unless_equals_int (m->n_sent, N_PACKETS - lost);
    fail_unless_equals_uint64 (stats.send_errors, lost);
    fail_unless_equals_int (m->n_warnings,
        m == faulty ? faults[__i__].n_warnings : 0);
    fail_unless (gst_psp_engine_is_drained (m->engine));
    for (guint k = 0; k < m->n_sent; k++) {
      fail_unless_equals_int (m->seqs[k], lost + k);
      if (m != faulty || m->fault != EAGAIN)
        fail_unless_equals_int64 (m->sent_at[k], (lost + k) * SPACING);
    }
    gst_psp_engine_free (m->engine);
  }
  if (faulty->fault == EAGAIN)
    fail_unless_equals_int64 (faulty->sent_at[0], faulty->until);
}

GST_END_TEST;

/* What an engine still holds when it is closed goes with it, also what a driver
 * was about to send. */
GST_START_TEST (test_close)
{
  const gboolean while_sending = __i__ == 1;
  GstPspEngine *engine = make_engine ("none", 0);
  const PspAddress nowhere = { 0 };
  static GstPspBatch batch;
  GstPspReply reply;

  n_freed = 0;
  gst_psp_engine_open (engine, &nowhere, 0);
  queue_packets (engine, 1, 0);
  while (gst_psp_engine_poll (engine, 0, &batch, &reply) ==
      GST_PSP_REPLY_NOTICE)
    gst_congestion_info_free (reply.info);
  fail_unless_equals_int (reply.kind, GST_PSP_REPLY_SEND);
  fail_unless_equals_int (batch.n, N_PACKETS);
  fail_unless (gst_psp_engine_is_sending (engine));
  if (while_sending)
    gst_psp_engine_close (engine);
  batch.sent = batch.lost = 0;
  gst_psp_engine_sent (engine, &batch, 0);
  if (!while_sending)
    gst_psp_engine_close (engine);
  fail_unless (gst_psp_engine_is_drained (engine));
  fail_if (gst_psp_engine_poll (engine, 0, &batch, &reply) ==
      GST_PSP_REPLY_SEND);
  fail_unless_equals_int (n_freed, N_PACKETS);
  gst_psp_engine_free (engine);
}

GST_END_TEST;

/* Who asks whether all may leave changes nothing; who says that packets wait does:
 * then the schedule held them back, and no idle application. */
GST_START_TEST (test_ask)
{
  Member m = {.engine = make_engine ("fixed", 0) };
  const PspAddress nowhere = { 0 };

  gst_psp_engine_open (m.engine, &nowhere, 0);
  queue_packet (m.engine, 1, 0, 0);
  fail_unless (gst_psp_engine_may_send_all (m.engine, 0));
  run_member (&m, 0);
  fail_unless_equals_int (m.n_sent, 1);

  queue_packet (m.engine, 1, 1, SPACING / 2);
  for (guint i = 0; i < 10; i++)
    fail_if (gst_psp_engine_may_send_all (m.engine, SPACING / 2));
  if (__i__ == 1)
    gst_psp_engine_note_waiting (m.engine, SPACING / 2);
  fail_unless (gst_psp_engine_may_send_all (m.engine, SPACING));
  /* The driver is late. A packet that waited is due one slot after the one
   * before, and the next one after that; an idle sender's schedule begins anew. */
  run_member (&m, SPACING + PSP_MSECOND);
  fail_unless_equals_int (m.n_sent, 2);
  queue_packet (m.engine, 1, 2, SPACING + 2 * PSP_MSECOND);
  fail_unless (gst_psp_engine_may_send_all (m.engine,
          2 * SPACING) == (__i__ == 1));
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What the socket had no room for leaves as it was to leave. */
GST_START_TEST (test_ecn_left)
{
  static GstPspBatch batch;
  GstPspEngine *engine = make_engine ("media-scaling", 0);
  const PspAddress nowhere = { 0 };
  GstPspReply reply;

  gst_psp_engine_open (engine, &nowhere, 0);
  gst_psp_engine_set_ecn (engine, PSP_ECN_ECT0, 0);
  queue_packets (engine, 1, 0);
  for (guint i = 0; i < 2; i++) {
    while (gst_psp_engine_poll (engine, 0, &batch, &reply) ==
        GST_PSP_REPLY_NOTICE)
      gst_congestion_info_free (reply.info);
    fail_unless_equals_int (reply.kind, GST_PSP_REPLY_SEND);
    fail_unless_equals_int (batch.n, 1);
    fail_unless_equals_int (batch.ecn, PSP_ECN_ECT0);
    batch.sent = batch.lost = 0;
    gst_psp_engine_sent (engine, &batch, 0);
    gst_psp_engine_writable (engine);
  }
  gst_psp_engine_free (engine);
}

GST_END_TEST;

/* Sockets */

typedef struct
{
  Session *session;
  int fd;
  guint n;                      /* arrived */
} Peer;

/* A session that lasts sends reports, too (RFC 5761 section 4). */
static gboolean
is_rtcp (const PspUdpDatagram * d)
{
  return d->size > 1 && d->data[1] >= 192 && d->data[1] < 224;
}

static guint32
ssrc_of (const PspUdpDatagram * d)
{
  fail_unless (d->size == SIZE);
  return GST_READ_UINT32_BE (d->data + 8);
}

static int
open_udp (PspAddress * address)
{
  PspUdpConfig config = {
    .family = AF_INET,
    .bind_address = "127.0.0.1",
    .receive_buffer = 1 << 20
  };
  int fd;

  fail_unless_equals_int (psp_udp_open (&config, &fd), 0);
  fail_unless_equals_int (psp_udp_local_address (fd, address), 0);
  return fd;
}

/* Until all packets of the peers from the first on are there. Each is answered
 * with one that is no feedback. */
static void
receive_all (int fd, Peer * peers, guint first)
{
  static const guint8 answer[4] = { 0x80, 205, 0, 9 };
  gint64 end = wait_monotonic_now () + WATCHDOG;
  guint8 data[PSP_UDP_BATCH][SIZE];
  PspUdpDatagram datagrams[PSP_UDP_BATCH];
  guint arrived = 0;

  memset (datagrams, 0, sizeof datagrams);
  for (guint i = 0; i < PSP_UDP_BATCH; i++) {
    datagrams[i].data = data[i];
    datagrams[i].capacity = SIZE;
  }
  while (arrived < (N_ENGINES - first) * N_PACKETS) {
    int count;

    fail_unless (psp_wait (fd, FALSE, NULL, end) > 0, "%u packets", arrived);
    count = psp_udp_receive (fd, datagrams, PSP_UDP_BATCH);
    for (int i = 0; i < count; i++) {
      const PspUdpDatagram *d = &datagrams[i];

      if (is_rtcp (d))
        continue;
      peers[ssrc_of (d)].n++;
      arrived++;
      sendto (fd, answer, sizeof answer, 0,
          (const struct sockaddr *) &d->from.storage, d->from.size);
    }
  }
}

static void
get_stats (Peer * p, GstPspEngineStats * stats)
{
  gst_psp_engine_stats (session_lock (p->session),
      wait_monotonic_now (), stats);
  session_unlock (p->session);
}

static void
add_peer (SharedDriver * driver, Peer * p, int fd, const PspAddress * address)
{
  p->fd = fd;
  p->session = shared_driver_add (driver,
      make_engine ("fixed", wait_monotonic_now ()), fd, address);
}

/* One of them has a full socket, one may not send to where it shall; the others
 * have their slots all over the time between two packets. */
enum
{
  FULL,
  REFUSED,
  FIRST_GOOD
};

GST_START_TEST (test_shared_driver)
{
  gint64 end = wait_monotonic_now () + WATCHDOG;
  SharedDriver *driver = shared_driver_new ();
  static Peer peers[N_ENGINES];
  PspAddress here, address, unused;
  int reader, full, fd = open_udp (&here);
  guint8 data[SIZE];
  GstPspEngineStats stats;

  memset (peers, 0, sizeof peers);
  full = open_full (&address, &reader);
  fail_unless (full >= 0);
  add_peer (driver, &peers[FULL], full, &address);
  /* Only sockets with SO_BROADCAST may. */
  fail_unless_equals_int (psp_address_resolve ("255.255.255.255", 9, AF_INET,
          &address), 0);
  add_peer (driver, &peers[REFUSED], open_udp (&unused), &address);
  for (guint i = FIRST_GOOD; i < N_ENGINES; i++)
    add_peer (driver, &peers[i], open_udp (&unused), &here);
  for (guint i = 0; i < N_ENGINES; i++) {
    queue_packets (session_lock (peers[i].session), i, wait_monotonic_now ());
    session_unlock (peers[i].session);
    g_usleep (SPACING / N_ENGINES / PSP_USECOND);
  }

  receive_all (fd, peers, FIRST_GOOD);

  for (guint i = FIRST_GOOD; i < N_ENGINES; i++) {
    get_stats (&peers[i], &stats);
    while (stats.feedback_malformed < N_PACKETS) {
      fail_unless (wait_monotonic_now () < end, "%" G_GUINT64_FORMAT " answers",
          stats.feedback_malformed);
      g_usleep (1000);
      get_stats (&peers[i], &stats);
    }
  }
  get_stats (&peers[FULL], &stats);
  fail_unless_equals_int (stats.queue_packets, N_PACKETS);
  fail_unless_equals_uint64 (stats.send_errors, 0);
  get_stats (&peers[REFUSED], &stats);
  fail_unless (stats.send_errors >= N_PACKETS / 2);

  /* Room: what waited goes on. */
  while (peers[FULL].n < N_PACKETS) {
    ssize_t size = recv (reader, data, sizeof data, 0);

    if (size == SIZE) {
      fail_unless_equals_int (GST_READ_UINT16_BE (data + 2), peers[FULL].n);
      peers[FULL].n++;
    } else if (size < 0) {
      psp_wait (reader, FALSE, NULL, end);
    }
    fail_unless (wait_monotonic_now () < end);
  }
  for (guint i = 0; i < N_ENGINES; i++) {
    session_remove (peers[i].session);
    psp_udp_close (peers[i].fd);
  }
  shared_driver_free (driver);
  psp_udp_close (fd);
  close (reader);
}

GST_END_TEST;

static Suite *
engines_suite (void)
{
  Suite *s = suite_create ("psp/engines");
  TCase *tc = tcase_create ("general");

  GST_DEBUG_CATEGORY_INIT (gst_psp_sink_debug, "pspsink", 0, "test");
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_virtual, 0, G_N_ELEMENTS (faults));
  tcase_add_loop_test (tc, test_close, 0, 2);
  tcase_add_loop_test (tc, test_ask, 0, 2);
  tcase_add_test (tc, test_ecn_left);
  tcase_add_test (tc, test_shared_driver);
  return s;
}

GST_CHECK_MAIN (engines);
