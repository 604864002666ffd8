/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Many engines on one thread: what keeps one from sending does not delay the
 * others. In virtual time to the nanosecond. Over sockets, by the shared driver,
 * all packets must arrive; tests/benchmarks/engines.c says how late.
 */
#include <errno.h>
#include <sys/un.h>
#include <unistd.h>
#include <gst/check/gstcheck.h>

#include "gstpspengine.h"
#include "shareddriver.h"
#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/twcc.h>

GST_DEBUG_CATEGORY (gst_psp_sink_debug);

#define N_ENGINES 100
#define N_PACKETS 25            /* each */
#define SPACING (20 * PSP_MSECOND)
#define HEADER 12               /* bytes, of RTP */
#define SIZE 100                /* bytes of a packet */
#define MAX_POLLS (20 * N_PACKETS)      /* some timers a slot; no thread is
                                           kept busy */
#define WATCHDOG (30 * PSP_SECOND)

static GstPspEngine *
make_engine (const gchar * controller, gint64 now)
{
  /* The period of "fixed"; "none" has no parameter. */
  static const gdouble parameters[PSP_MAX_PARAMETERS] = { SPACING };
  GstPspEngineConfig config = {
    .controller = psp_controller_find (controller),
    .parameters = parameters
  };
  GstPspEngine *engine = gst_psp_engine_new (&config, now);

  fail_unless (engine != NULL);
  gst_psp_engine_set_playing (engine, TRUE, now);
  return engine;
}

static guint8 media_type = 96;  /* payload type of queue_packet() */
static guint n_freed;           /* buffers */

static void
note_freed (gpointer data, GstMiniObject * buffer)
{
  (void) data;
  (void) buffer;
  n_freed++;
}

#define TRANSPORT_ID 5          /* of the extension */
static gboolean stamped;        /* a payloader gave transport-wide numbers */

/* RFC 8285 section 4.2: one element of two bytes. */
static void
stamp (guint8 * header, guint16 number)
{
  header[0] |= 0x10;
  GST_WRITE_UINT32_BE (header + HEADER, 0xbede0001);
  GST_WRITE_UINT32_BE (header + HEADER + 4, (TRANSPORT_ID << 4 | 1u) << 24 |
      (guint32) number << 8);
}

/* FALSE: the packet has none. */
static gboolean
read_number (GstBuffer * packet, guint16 * number)
{
  guint8 data[SIZE];

  return psp_rtp_read_extension (data, gst_buffer_extract (packet, 0, data,
          sizeof data), TRANSPORT_ID, number);
}

static void
queue_packet (GstPspEngine * engine, guint32 ssrc, guint16 seq, gint64 now)
{
  guint8 header[HEADER + 8] = { 0x80, media_type };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  GstPspPacket packet;

  gst_buffer_memset (buffer, 0, 0, SIZE);
  GST_WRITE_UINT16_BE (header + 2, seq);
  GST_WRITE_UINT32_BE (header + 4, seq);        /* each is a picture */
  GST_WRITE_UINT32_BE (header + 8, ssrc);
  if (stamped)
    stamp (header, seq);
  gst_buffer_fill (buffer, 0, header, stamped ? sizeof header : HEADER);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), note_freed, NULL);
  fail_unless (gst_psp_packet_parse (&packet, buffer, NULL));
  gst_buffer_unref (buffer);
  fail_unless_equals_int (gst_psp_engine_queue (engine, &packet, now),
      GST_PSP_QUEUE_TAKEN);
}

static void
queue_packets (GstPspEngine * engine, guint32 ssrc, gint64 now)
{
  for (guint i = 0; i < N_PACKETS; i++)
    queue_packet (engine, ssrc, (guint16) i, now);
}

/* Virtual time */

typedef struct
{
  GstPspEngine *engine;
  int fault;                    /* errno of each packet, or 0 */
  gint64 until;                 /* the fault ends */
  gint64 due_at;
  gboolean blocked;
  guint n_polls, n_warnings, n_notices, n_key_frames, n_requests, n_repairs;
  guint n_sent;
  gint64 sent_at[N_PACKETS];
  guint16 seqs[N_PACKETS];
  guint n_numbered;             /* packets with a transport-wide number */
  guint16 number;               /* of the last of them */
} Member;

/* Transport-wide numbers follow each other, whatever leaves. */
static void
note_number (Member * m, GstBuffer * packet)
{
  guint16 number;

  if (!read_number (packet, &number))
    return;
  if (m->n_numbered++ > 0)
    fail_unless_equals_int (number, (guint16) (m->number + 1));
  m->number = number;
}

/* As a socket would: all leave, or none. */
static void
send_batch (Member * m, GstPspBatch * b, gint64 now)
{
  gboolean fails = m->fault && now < m->until;

  b->error = m->fault;
  b->sent = fails && m->fault == EAGAIN ? 0 : b->n;
  b->lost = fails && m->fault != EAGAIN ? b->n : 0;
  for (guint i = 0; i < b->sent; i++) {
    guint8 header[4];

    gst_buffer_extract (b->buffers[i], 0, header, 4);
    note_number (m, b->buffers[i]);
    gst_buffer_unref (b->buffers[i]);
    m->n_repairs += header[1] == 97;
    if (fails || header[1] != media_type)
      continue;
    fail_unless (m->n_sent < N_PACKETS);
    m->seqs[m->n_sent] = GST_READ_UINT16_BE (header + 2);
    m->sent_at[m->n_sent++] = now;
  }
  gst_clear_buffer (&b->released);
  gst_psp_engine_sent (m->engine, b, now);
}

static void
run_member (Member * m, gint64 now)
{
  static GstPspBatch batch;
  guint8 data[GST_PSP_RTCP_SIZE];
  GstPspReply reply;

  while (gst_psp_engine_poll (m->engine, now, &batch, &reply) !=
      GST_PSP_REPLY_WAIT) {
    fail_unless (++m->n_polls < MAX_POLLS);
    if (reply.kind == GST_PSP_REPLY_SEND)
      send_batch (m, &batch, now);
    else if (reply.kind == GST_PSP_REPLY_RTCP)
      while (gst_psp_engine_pack_rtcp (m->engine, now, 0, PSP_TIME_UNKNOWN,
              FALSE, data) > 0);
    m->n_key_frames += reply.kind == GST_PSP_REPLY_KEY_FRAME;
    m->n_requests += reply.kind == GST_PSP_REPLY_RETRANSMISSION;
    if (reply.kind == GST_PSP_REPLY_NOTICE) {
      m->n_notices++;
      gst_congestion_info_free (reply.info);
    }
    if (reply.kind == GST_PSP_REPLY_WARNING) {
      m->n_warnings++;
      g_free (reply.text);
      g_free (reply.debug);
    }
  }
  m->blocked = reply.blocked;
  m->due_at = MIN (reply.slot, reply.timer);
  fail_unless (m->due_at > now);
  if (m->blocked && m->until > now)
    m->due_at = MIN (m->due_at, m->until);
}

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

/* Feedback */

#define RTT (40 * PSP_MSECOND)
#define PERIOD (600 * PSP_MSECOND)

static gsize
write_ccfb (guint8 * data, gsize room, guint16 seq, gint64 now)
{
  PspCcfbMetric metric = {.received = true };
  PspCcfbPacker packer;
  PspWriter w = psp_writer (data, room);

  psp_ccfb_begin (&packer, &w, 1);
  psp_ccfb_stream (&packer, 0, seq);
  psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, (guint32) ((now << 16) / PSP_SECOND));
  fail_if (w.error);
  return w.size;
}

static void
receive_from (GstPspEngine * engine, guint16 port, const guint8 * data,
    gsize size, gint64 now)
{
  PspAddress from;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", port, AF_INET,
          &from), 0);
  gst_psp_engine_receive (engine, &from, data, size, now);
}

/* The receiver's host reports packet `seq` from this port. */
static void
report (GstPspEngine * engine, guint16 port, guint16 seq, gint64 now)
{
  guint8 data[64];

  receive_from (engine, port, data, write_ccfb (data, sizeof data, seq, now),
      now);
}

static guint64
count_acknowledged (GstPspEngine * engine, gint64 now)
{
  GstPspEngineStats stats;

  gst_psp_engine_stats (engine, now, &stats);
  return stats.sender.packets_acked;
}

/* Feedback from the receiver's host, one step each: what it reports, from which
 * port, and whether that counts. Packet i leaves at i × PERIOD; the step is a round
 * trip after packet `at`. */
GST_START_TEST (test_feedback_port)
{
  static const struct
  {
    guint at;
    guint16 port, seq;
    gboolean counts;
  } steps[] = {
    {0, 5000, 0, TRUE},
    /* It speaks: nobody else does. */
    {1, 6000, 1, FALSE},
    {1, 5000, 1, TRUE},
    {2, 6000, 2, FALSE},
    /* It has been silent for more than a second, but what left before is known
     * to anybody who saw it then, and what never left to nobody. */
    {3, 6000, 1, FALSE},
    {3, 6000, 7, FALSE},
    {3, 6000, 3, TRUE},
    /* From now on it is the receiver. */
    {4, 5000, 4, FALSE},
    {4, 6000, 4, TRUE},
  };
  Member m = {.engine = make_engine ("none", 0) };
  guint64 n_acknowledged = 0, n_foreign = 0;
  GstPspEngineStats stats;
  PspAddress to;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", 5004, AF_INET,
          &to), 0);
  gst_psp_engine_open (m.engine, &to, 0);
  for (guint i = 0, seq = 0; i < G_N_ELEMENTS (steps); i++) {
    gint64 now = steps[i].at * PERIOD + RTT;

    for (; seq <= steps[i].at; seq++) {
      queue_packet (m.engine, 0, (guint16) seq, seq * PERIOD);
      run_member (&m, seq * PERIOD);
    }
    report (m.engine, steps[i].port, steps[i].seq, now);
    n_acknowledged += steps[i].counts;
    n_foreign += !steps[i].counts;
    fail_unless_equals_uint64 (count_acknowledged (m.engine, now),
        n_acknowledged);
    gst_psp_engine_stats (m.engine, now, &stats);
    fail_unless_equals_uint64 (stats.feedback_foreign, n_foreign);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Repairs */

static void
request_packets (GstPspEngine * engine, guint16 port, guint16 number,
    guint16 following, gint64 now)
{
  const PspNack nack = { 1, 0, number, following };
  guint8 data[PSP_RTCP_NACK_SIZE (1)];
  PspWriter w = psp_writer (data, sizeof data);
  PspAddress from;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", port, AF_INET,
          &from), 0);
  psp_rtcp_write_nack (&w, &nack, 1);
  gst_psp_engine_receive (engine, &from, data, w.size, now);
}

/* With a payload type for them, repairs leave in the next slots, ahead of the
 * queue. Without one, upstream is asked for them once somebody has asked. Other
 * ports than the receiver's are refused. */
GST_START_TEST (test_repairs)
{
  const gboolean own = __i__ == 0;
  const GstPspRepairConfig config = {
    .payload_type = own ? 97 : 0,.share = .5,.deadline = PSP_SECOND
  };
  Member m = {.engine = make_engine ("fixed", 0) };
  PspAddress to;
  gint64 now = 0;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", 5004, AF_INET,
          &to), 0);
  gst_psp_engine_open (m.engine, &to, 0);
  gst_psp_engine_set_repair (m.engine, &config, 0);
  queue_packets (m.engine, 0, 0);
  run_member (&m, 0);
  report (m.engine, 5000, 0, RTT);
  for (guint i = 1; i < 12; i++) {
    run_member (&m, now += SPACING);
    /* Upstream's repairs are known of from the first request on. */
    if (i == 1)
      request_packets (m.engine, 5000, 0, 0, now);
  }
  fail_unless_equals_int (m.n_requests, own ? 0 : 1);
  m.n_repairs = m.n_requests = 0;
  request_packets (m.engine, 6000, 8, 1, now);
  run_member (&m, now + 1);
  fail_unless_equals_int (m.n_requests, 0);
  request_packets (m.engine, 5000, 8, 1, now);
  run_member (&m, now + 2);
  fail_unless_equals_int (m.n_requests, own ? 0 : 2);
  fail_unless_equals_int (m.n_repairs, 0);
  for (guint i = 1; i <= 4; i++) {
    run_member (&m, now += SPACING);
    fail_unless_equals_int (m.n_repairs, own ? MIN (i, 2) : 0);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What repairs and redundancy take of the rate is not announced. Payload type 0,
 * which stands for none, is PCMU's, and media. */
GST_START_TEST (test_reserved)
{
  const gboolean pcmu = __i__ == 1;
  const GstPspRepairConfig config = {.deadline = PSP_SECOND };
  const PspLimits limits = {.max_bitrate = 1000000,.start_bitrate = 950000 };
  Member m = {.engine = make_engine ("none", 0) };
  const PspAddress nowhere = { 0 };
  GstPspEngineStats stats;
  gint64 now = 0;

  gst_psp_engine_open (m.engine, &nowhere, 0);
  gst_psp_engine_set_limits (m.engine, &limits, 0);
  gst_psp_engine_stats (m.engine, now, &stats);
  fail_unless_equals_int64 (stats.sender.target_bitrate, 950000);
  media_type = pcmu ? 0 : 96;
  gst_psp_engine_set_repair (m.engine, &config, media_type);
  for (guint i = 0; i < 500; i++) {
    m.n_sent = m.n_polls = 0;
    queue_packet (m.engine, 0, (guint16) i, now);
    run_member (&m, now);
    now += 10 * PSP_MSECOND;
  }
  gst_psp_engine_stats (m.engine, now, &stats);
  /* 88 bytes each 10 ms. */
  fail_unless (ABS ((gint64) stats.reserved_bitrate - (pcmu ? 0 : 70400)) <
      4000);
  fail_unless_equals_int64 (stats.sender.target_bitrate,
      950000 - (gint64) stats.reserved_bitrate);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Requests for a key frame */

static void
request_key (GstPspEngine * engine, guint16 port, guint32 ssrc, gint64 now)
{
  const PspKeyRequest request = { PSP_KEY_REQUEST_PLI, 1, ssrc, 0 };
  guint8 data[PSP_RTCP_KEY_REQUEST_SIZE];
  PspWriter w = psp_writer (data, sizeof data);
  PspAddress from;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", port, AF_INET,
          &from), 0);
  psp_rtcp_write_key_request (&w, &request);
  gst_psp_engine_receive (engine, &from, data, w.size, now);
}

/* Packet i leaves at i × 100 ms. What the receiver's host asks from a port counts
 * once the port has reported packets, and no more often than each 500 ms. A
 * receiver that had the first packet lacks nothing; one that comes later asks by
 * coming. */
GST_START_TEST (test_key_requests)
{
  static const struct
  {
    guint ms;
    enum
    { REPORT, REQUEST, OTHER, RESET, NOTHING } what;
    guint16 port;
    guint n_key_frames;         /* so far */
  } steps[] = {
    {10, REQUEST, 5000, 0},
    {40, REPORT, 5000, 0},
    {50, OTHER, 5000, 0},
    {60, REQUEST, 6000, 0},
    {70, REQUEST, 5000, 1},
    {200, REQUEST, 5000, 1},
    {400, REQUEST, 5000, 1},
    {569, NOTHING, 0, 1},
    {570, NOTHING, 0, 2},
    {1500, NOTHING, 0, 2},
    {1501, REQUEST, 5000, 3},
    {2300, REPORT, 6000, 3},
    {2700, REPORT, 6000, 4},
    {3300, RESET, 0, 4},
    {3450, REPORT, 6000, 5},
  };
  Member m = {.engine = make_engine ("none", 0) };
  PspAddress to;
  guint seq = 0;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", 5004, AF_INET,
          &to), 0);
  gst_psp_engine_open (m.engine, &to, 0);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gint64 now = steps[i].ms * PSP_MSECOND;

    for (; seq * 100 < steps[i].ms; seq++) {
      m.n_sent = m.n_polls = 0;
      queue_packet (m.engine, 0, (guint16) seq, seq * 100 * PSP_MSECOND);
      run_member (&m, seq * 100 * PSP_MSECOND);
    }
    if (steps[i].what == REPORT)
      report (m.engine, steps[i].port, (guint16) (seq - 1), now);
    else if (steps[i].what == RESET)
      gst_psp_engine_reset (m.engine, now);
    else if (steps[i].what != NOTHING)
      request_key (m.engine, steps[i].port, steps[i].what == OTHER, now);
    run_member (&m, now);
    fail_unless (m.n_key_frames == steps[i].n_key_frames,
        "%u key frames after %u ms", m.n_key_frames, steps[i].ms);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Receivers without RFC 8888 */

static guint16 last_seq;        /* sent by run_media() */

/* A packet is queued each 20 ms, if few wait. */
static void
run_media (Member * m, guint from_ms, guint to_ms)
{
  for (guint ms = from_ms; ms < to_ms; ms += 20) {
    gint64 now = ms * PSP_MSECOND;

    m->n_sent = m->n_polls = 0;
    if (gst_psp_engine_queued (m->engine) < 10)
      queue_packet (m->engine, 0, (guint16) (ms / 20), now);
    run_member (m, now);
    if (m->n_sent > 0)
      last_seq = m->seqs[m->n_sent - 1];
  }
}

static void
report_by_rr (GstPspEngine * engine, guint16 port, guint16 highest, gint64 now)
{
  const PspRtcpReportBlock block = {.ssrc = 0,.highest_seq = highest };
  guint8 data[64];
  PspWriter w = psp_writer (data, sizeof data);
  PspAddress from;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", port, AF_INET,
          &from), 0);
  psp_rtcp_write_rr (&w, 1, &block, 1);
  gst_psp_engine_receive (engine, &from, data, w.size, now);
}

static void
check_feedback (GstPspEngine * engine, guint ms, GstPspFeedback kind,
    gint64 target)
{
  GstPspEngineStats stats;

  gst_psp_engine_stats (engine, ms * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.feedback, kind);
  fail_unless_equals_string (stats.controller, "poise");
  if (target >= 0)
    fail_unless_equals_int64 (stats.sender.target_bitrate, target);
}

static GstPspEngine *
make_open_engine (void)
{
  GstPspEngine *engine = make_engine ("poise", 0);
  PspAddress to;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", 5004, AF_INET,
          &to), 0);
  gst_psp_engine_set_queue_limits (engine, GST_PSP_LEAKY_NO, 3600 * GST_SECOND);
  gst_psp_engine_open (engine, &to, 0);
  return engine;
}

/* Where only receiver reports come, these keep media going; when they cease, or
 * name what was never sent, it falls silent. CCFB, once it comes, is all that
 * counts. */
GST_START_TEST (test_receiver_reports)
{
  Member m = {.engine = make_open_engine () };
  const gint64 start = 300000 / 20 * 19;

  run_media (&m, 0, 3000);
  report_by_rr (m.engine, 7000, 40000, 3000 * PSP_MSECOND);
  check_feedback (m.engine, 3000, GST_PSP_FEEDBACK_NONE, -1);
  report_by_rr (m.engine, 7000, last_seq, 3000 * PSP_MSECOND);
  check_feedback (m.engine, 3000, GST_PSP_FEEDBACK_RR, start);
  for (guint ms = 3000; ms < 40000; ms += 4000) {
    run_media (&m, ms, ms + 4000);
    report_by_rr (m.engine, 7000, last_seq, (ms + 4000) * PSP_MSECOND);
    check_feedback (m.engine, ms + 4000, GST_PSP_FEEDBACK_RR, start);
  }
  fail_unless_equals_int (m.n_warnings, 0);
  run_media (&m, 43000, 57980);
  check_feedback (m.engine, 57980, GST_PSP_FEEDBACK_RR, start);
  run_media (&m, 58000, 60000);
  check_feedback (m.engine, 60000, GST_PSP_FEEDBACK_NONE, -1);
  run_media (&m, 60000, 71000);
  check_feedback (m.engine, 71000, GST_PSP_FEEDBACK_NONE, 0);
  fail_unless_equals_int (m.n_warnings, 1);

  report_by_rr (m.engine, 7000, last_seq, 71000 * PSP_MSECOND);
  check_feedback (m.engine, 71000, GST_PSP_FEEDBACK_RR, start);
  run_media (&m, 71000, 72000);
  report (m.engine, 7000, last_seq, 72000 * PSP_MSECOND);
  check_feedback (m.engine, 72000, GST_PSP_FEEDBACK_CCFB, -1);
  report_by_rr (m.engine, 7000, last_seq, 72001 * PSP_MSECOND);
  check_feedback (m.engine, 72001, GST_PSP_FEEDBACK_CCFB, -1);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What the application starts with is no bound. */
GST_START_TEST (test_reports_rise)
{
  const PspLimits limits = {.start_bitrate = 36000 };
  Member m = {.engine = make_open_engine () };
  GstPspEngineStats stats;

  gst_psp_engine_set_limits (m.engine, &limits, 0);
  run_media (&m, 0, 3000);
  report_by_rr (m.engine, 7000, last_seq, 3000 * PSP_MSECOND);
  check_feedback (m.engine, 3000, GST_PSP_FEEDBACK_RR, 36000 / 20 * 19);
  for (guint ms = 3000; ms < 11000; ms += 4000) {
    run_media (&m, ms, ms + 4000);
    report_by_rr (m.engine, 7000, last_seq, (ms + 4000) * PSP_MSECOND);
  }
  gst_psp_engine_stats (m.engine, 11000 * PSP_MSECOND, &stats);
  fail_unless (stats.sender.target_bitrate > 36000);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Whose CCFB is on its way may have sent a receiver report just before: at the
 * start and on a new path the controller goes on. A receiver that has had a
 * second of media and sent no CCFB sends none. */
GST_START_TEST (test_receiver_report_first)
{
  Member m = {.engine = make_open_engine () };

  run_media (&m, 0, 200);
  report_by_rr (m.engine, 7000, last_seq, 200 * PSP_MSECOND);
  check_feedback (m.engine, 200, GST_PSP_FEEDBACK_NONE, -1);
  report (m.engine, 7000, last_seq, 210 * PSP_MSECOND);
  check_feedback (m.engine, 210, GST_PSP_FEEDBACK_CCFB, -1);
  run_media (&m, 220, 3000);
  gst_psp_engine_path_changed (m.engine, 3000 * PSP_MSECOND);
  run_media (&m, 3000, 3400);
  report_by_rr (m.engine, 7000, last_seq, 3400 * PSP_MSECOND);
  check_feedback (m.engine, 3400, GST_PSP_FEEDBACK_NONE, -1);
  run_media (&m, 3400, 4100);
  report_by_rr (m.engine, 7000, last_seq, 4100 * PSP_MSECOND);
  check_feedback (m.engine, 4100, GST_PSP_FEEDBACK_RR, -1);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What leaves where nothing has ever come back is what the application names, if
 * it does; one warning says so. */
GST_START_TEST (test_no_feedback)
{
  const gboolean named = __i__ == 1;
  Member m = {.engine = make_open_engine () };

  if (named)
    gst_psp_engine_set_no_feedback_bitrate (m.engine, 100000, 0);
  run_media (&m, 0, 12000);
  check_feedback (m.engine, 12000, GST_PSP_FEEDBACK_NONE, named ? 95000 : 0);
  fail_unless_equals_int (m.n_warnings, 1);
  report (m.engine, 7000, last_seq, 12000 * PSP_MSECOND);
  check_feedback (m.engine, 12000, GST_PSP_FEEDBACK_CCFB, -1);
  /* It has come: its end is not answered so. */
  run_media (&m, 12000, 24000);
  check_feedback (m.engine, 24000, GST_PSP_FEEDBACK_CCFB, 0);
  fail_unless_equals_int (m.n_warnings, 2);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Transport-wide feedback */

/* The receiver says by their transport-wide numbers that these packets came, from
 * this one on, 40 ms after they left; of each `one_of` packets one did not come. */
static gsize
write_twcc (guint8 * data, gsize room, guint16 begin, guint n, guint one_of,
    gint64 now)
{
  const gint64 arrived = now - n * SPACING + 40 * PSP_MSECOND;
  const gint64 unit = 64 * PSP_MSECOND;
  PspWriter w = psp_writer (data, room);
  gint64 last = arrived / unit * unit;

  psp_write_u32 (&w, 0x80000000 | PSP_TWCC_FMT << 24 | PSP_TWCC_PT << 16);
  psp_write_u32 (&w, 1);
  psp_write_u32 (&w, 0);        /* the stream of run_media() */
  psp_write_u16 (&w, begin);
  psp_write_u16 (&w, (guint16) n);
  psp_write_u32 (&w, (guint32) (arrived / unit) << 8);
  for (guint i = 0; i < n; i += 7) {
    guint chunk = 0;            /* seven symbols of two bits: small deltas */

    for (guint k = i; k < i + 7; k++)
      chunk = chunk << 2 | (k < n && (one_of == 0 || k % one_of != 0));
    psp_write_u16 (&w, (guint16) (0xc000 | chunk));
  }
  for (guint i = 0; i < n; i++) {
    const gint64 at = arrived + i * SPACING;

    if (one_of > 0 && i % one_of == 0)
      continue;
    psp_write_u8 (&w, (guint8) ((at - last) / (250 * PSP_USECOND)));
    last = at;
  }
  while (w.size % 4)
    psp_write_u8 (&w, 0);
  data[3] = (guint8) (w.size / 4 - 1);
  fail_if (w.error);
  return w.size;
}

/* All that left since the last report came. */
static void
report_by_twcc (Member * m, guint16 port, gint64 now)
{
  guint8 data[256];
  guint16 begin = (guint16) (m->number - m->n_numbered + 1);

  fail_unless (m->n_numbered > 0);
  receive_from (m->engine, port, data, write_twcc (data, sizeof data, begin,
          m->n_numbered, 0, now), now);
  m->n_numbered = 0;
}

static GstPspEngine *
make_numbered_engine (void)
{
  GstPspEngine *engine = make_open_engine ();

  gst_psp_engine_set_transport_id (engine, TRANSPORT_ID);
  return engine;
}

/* A receiver that answers by transport-wide numbers, as seldom as WebRTC's do, is
 * heard: the controller rules, across the wrap of the numbers, and hears of all
 * packets, whether or not a payloader numbered them. */
GST_START_TEST (test_transport_wide)
{
  static const guint intervals[] = { 40, 100, 260, 480 };       /* ms */
  const guint interval = intervals[__i__ / 2];
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;

  stamped = __i__ % 2 == 1;
  for (guint ms = 0; ms + interval <= 20800; ms += interval) {
    run_media (&m, ms, ms + interval);
    report_by_twcc (&m, 7000, (ms + interval) * PSP_MSECOND);
    check_feedback (m.engine, ms + interval, GST_PSP_FEEDBACK_TWCC, -1);
  }
  gst_psp_engine_stats (m.engine, 20800 * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.sender.link, PSP_LINK_ALIVE);
  fail_unless (stats.sender.packets_acked > 1000);
  fail_unless_equals_int64 (stats.sender.packets_lost, 0);
  fail_unless (stats.sender.target_bitrate >= 300000 / 20 * 19);
  fail_unless_equals_int64 (stats.feedback_malformed, 0);
  fail_unless_equals_int (m.n_warnings, 0);
  stamped = FALSE;
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Retransmissions have numbers of their own: who had the original's would look as
 * one more loss to receivers that report each number once. */
GST_START_TEST (test_transport_wide_repairs)
{
  const GstPspRepairConfig config = {
    .payload_type = 97,.share = .5,.deadline = PSP_SECOND
  };
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;

  stamped = TRUE;
  gst_psp_engine_set_repair (m.engine, &config, 0);
  for (guint ms = 0; ms < 4000; ms += 100) {
    run_media (&m, ms, ms + 100);
    report_by_twcc (&m, 7000, (ms + 100) * PSP_MSECOND);
    request_packets (m.engine, 7000, last_seq, 0, (ms + 100) * PSP_MSECOND);
  }
  fail_unless (m.n_repairs > 20, "%u repairs", m.n_repairs);
  gst_psp_engine_stats (m.engine, 4000 * PSP_MSECOND, &stats);
  fail_unless_equals_int64 (stats.sender.packets_lost, 0);
  fail_unless (stats.sender.packets_acked > 200 + 20);
  stamped = FALSE;
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Losses are seen, and answered as those that CCFB tells of. */
GST_START_TEST (test_transport_wide_losses)
{
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;
  gint64 target = 0;
  guint n = 0;

  for (guint ms = 0; ms < 8000; ms += 100) {
    const gint64 now = (ms + 100) * PSP_MSECOND;
    guint8 data[256];

    run_media (&m, ms, ms + 100);
    if (ms < 4000) {
      report_by_twcc (&m, 7000, now);
      continue;
    }
    receive_from (m.engine, 7000, data, write_twcc (data, sizeof data,
            (guint16) (m.number - m.n_numbered + 1), m.n_numbered, 2, now),
        now);
    n += (m.n_numbered + 1) / 2;
    m.n_numbered = 0;
    gst_psp_engine_stats (m.engine, now, &stats);
    target = ms == 4000 ? stats.sender.target_bitrate : target;
  }
  /* What is last in a report may still come. */
  fail_unless (stats.sender.packets_lost >= n - 5
      && stats.sender.packets_lost <= n, "%u of %u losses",
      (guint) stats.sender.packets_lost, n);
  fail_unless (stats.sender.target_bitrate < target);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What tests a path that was silent has a number of its own, too: by that the
 * receiver answers, and media goes on. */
GST_START_TEST (test_transport_wide_stop)
{
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;
  guint n;

  for (guint ms = 0; ms < 1000; ms += 100) {
    run_media (&m, ms, ms + 100);
    report_by_twcc (&m, 7000, (ms + 100) * PSP_MSECOND);
  }
  run_media (&m, 1000, 20000);
  gst_psp_engine_stats (m.engine, 20000 * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.sender.link, PSP_LINK_STOPPED);
  m.n_numbered = 0;
  gst_psp_engine_flush (m.engine);
  for (guint ms = 20000; ms < 23000; ms += 20) {
    m.n_sent = m.n_polls = 0;
    run_member (&m, ms * PSP_MSECOND);
  }
  n = m.n_numbered;
  fail_unless (n >= 2 && n <= 4, "%u probes", n);
  m.n_numbered = 1;
  report_by_twcc (&m, 7000, 23000 * PSP_MSECOND);
  gst_psp_engine_stats (m.engine, 23000 * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.sender.link, PSP_LINK_ALIVE);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Of two kinds the one counts that came first, also within one datagram, until it
 * ceases; `stats` says which. */
GST_START_TEST (test_transport_wide_and_ccfb)
{
  const gboolean twcc_first = __i__ == 1;
  const GstPspFeedback first = twcc_first ? GST_PSP_FEEDBACK_TWCC :
      GST_PSP_FEEDBACK_CCFB;
  const GstPspFeedback other = twcc_first ? GST_PSP_FEEDBACK_CCFB :
      GST_PSP_FEEDBACK_TWCC;
  Member m = {.engine = make_numbered_engine () };

  for (guint ms = 100; ms <= 4000; ms += 100) {
    const gint64 now = ms * PSP_MSECOND;
    guint8 data[512];
    gsize size = 0;

    run_media (&m, ms - 100, ms);
    for (guint k = 0; k < 2; k++) {
      const gboolean twcc = (k == 0) == twcc_first;

      if (k == 0 && ms > 2000)
        continue;
      size += twcc ? write_twcc (data + size, sizeof data - size,
          (guint16) (m.number - m.n_numbered + 1), m.n_numbered, 0, now) :
          write_ccfb (data + size, sizeof data - size, last_seq, now);
    }
    m.n_numbered = 0;
    receive_from (m.engine, 7000, data, size, now);
    /* The other kind counts a second later; few packets leave in between. */
    if (ms <= 2900 || ms >= 3500)
      check_feedback (m.engine, ms, ms <= 2900 ? first : other, -1);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Numbers that never left prove nothing; nor does another port of the host, while
 * the receiver speaks. */
GST_START_TEST (test_transport_wide_forged)
{
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;
  guint8 data[256];

  run_media (&m, 0, 400);
  receive_from (m.engine, 7000, data, write_twcc (data, sizeof data,
          (guint16) (m.number + 1), 10, 0, 400 * PSP_MSECOND),
      400 * PSP_MSECOND);
  check_feedback (m.engine, 400, GST_PSP_FEEDBACK_NONE, -1);
  m.n_numbered = 10;
  report_by_twcc (&m, 7000, 400 * PSP_MSECOND);
  check_feedback (m.engine, 400, GST_PSP_FEEDBACK_TWCC, -1);
  run_media (&m, 400, 600);
  report_by_twcc (&m, 6666, 600 * PSP_MSECOND);
  gst_psp_engine_stats (m.engine, 600 * PSP_MSECOND, &stats);
  fail_unless_equals_int64 (stats.feedback_foreign, 1);
  fail_unless_equals_int64 (stats.sender.packets_acked, 10);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Without the extension in the caps nothing is numbered. */
GST_START_TEST (test_transport_wide_unknown)
{
  Member m = {.engine = make_open_engine () };
  guint8 data[256];

  run_media (&m, 0, 400);
  fail_unless_equals_int (m.n_numbered, 0);
  receive_from (m.engine, 7000, data, write_twcc (data, sizeof data, 0, 10, 0,
          400 * PSP_MSECOND), 400 * PSP_MSECOND);
  check_feedback (m.engine, 400, GST_PSP_FEEDBACK_NONE, -1);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Explicit congestion notification */

static PspEcnVerdict
get_verdict (GstPspEngine * engine)
{
  GstPspEngineStats stats;

  gst_psp_engine_stats (engine, 0, &stats);
  return stats.sender.ecn;
}

/* Packets [from, to) leave, one in 100 ms, and the port reports each, Not-ECT, a
 * round trip later. */
static void
run_reported (Member * m, guint from, guint to, guint16 port)
{
  for (guint seq = from; seq < to; seq++) {
    gint64 now = seq * 100 * PSP_MSECOND;

    m->n_polls = m->n_sent = 0;
    queue_packet (m->engine, 0, (guint16) seq, now);
    run_member (m, now);
    report (m->engine, port, (guint16) seq, now + RTT);
  }
}

/* Another receiver, and another path, may carry what the one before did not. */
GST_START_TEST (test_ecn_anew)
{
  Member m = {.engine = make_engine ("media-scaling", 0) };
  PspAddress to;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", 5004, AF_INET,
          &to), 0);
  gst_psp_engine_open (m.engine, &to, 0);
  gst_psp_engine_set_ecn (m.engine, PSP_ECN_ECT0, 0);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_TESTING);
  run_reported (&m, 0, 40, 5000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_BLEACHED);
  run_reported (&m, 60, 61, 6000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_TESTING);
  run_reported (&m, 61, 100, 6000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_BLEACHED);
  gst_psp_engine_path_changed (m.engine, 10 * PSP_SECOND);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_TESTING);
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

/* A socket that nobody reads: it is full until somebody does. */
static int
open_full (PspAddress * address, int *reader)
{
  struct sockaddr_un any = {.sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

  *reader = socket (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  fail_unless (bind (*reader, (struct sockaddr *) &any,
          sizeof any.sun_family) == 0);
  address->size = sizeof address->storage;
  fail_unless (getsockname (*reader, (struct sockaddr *) &address->storage,
          &address->size) == 0);
  fail_unless (connect (fd, (struct sockaddr *) &address->storage,
          address->size) == 0);
  while (send (fd, &any, 1, 0) > 0);
  fail_unless (errno == EAGAIN);
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
  int reader, fd = open_udp (&here);
  guint8 data[SIZE];
  GstPspEngineStats stats;

  memset (peers, 0, sizeof peers);
  add_peer (driver, &peers[FULL], open_full (&address, &reader), &address);
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
  tcase_add_test (tc, test_feedback_port);
  tcase_add_loop_test (tc, test_repairs, 0, 2);
  tcase_add_loop_test (tc, test_reserved, 0, 2);
  tcase_add_test (tc, test_key_requests);
  tcase_add_test (tc, test_receiver_reports);
  tcase_add_test (tc, test_reports_rise);
  tcase_add_test (tc, test_receiver_report_first);
  tcase_add_loop_test (tc, test_no_feedback, 0, 2);
  tcase_add_loop_test (tc, test_transport_wide, 0, 8);
  tcase_add_test (tc, test_transport_wide_repairs);
  tcase_add_test (tc, test_transport_wide_losses);
  tcase_add_test (tc, test_transport_wide_stop);
  tcase_add_loop_test (tc, test_transport_wide_and_ccfb, 0, 2);
  tcase_add_test (tc, test_transport_wide_forged);
  tcase_add_test (tc, test_transport_wide_unknown);
  tcase_add_test (tc, test_ecn_anew);
  tcase_add_test (tc, test_ecn_left);
  tcase_add_test (tc, test_shared_driver);
  return s;
}

GST_CHECK_MAIN (engines);
