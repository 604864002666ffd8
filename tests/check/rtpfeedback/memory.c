/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The sender and the receiver of a session allocate nothing while they handle
 * packets and reports: their owner makes room between calls. The allocator's
 * functions are wrapped (meson.build).
 */
#include <gst/check/gstcheck.h>

#include <control/controller.h>
#include <rtpfeedback/receiver.h>
#include <rtpfeedback/rtcpfeedback.h>

#define MS PSP_MSECOND
#define SSRC 7
#define N_PACKETS 4000
#define SLOT (2 * MS)
#define PAYLOAD 1000            /* bytes */
#define LOST 50                 /* one packet of so many is lost */

static gboolean pure;           /* a call that may not allocate runs */
static guint n_allocated;       /* in such calls */

void *__real_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__real_realloc (void *memory, size_t size);
void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__wrap_realloc (void *memory, size_t size);

void *
__wrap_malloc (size_t size)
{
  n_allocated += pure;
  return __real_malloc (size);
}

void *
__wrap_calloc (size_t n, size_t size)
{
  n_allocated += pure;
  return __real_calloc (n, size);
}

void *
__wrap_realloc (void *memory, size_t size)
{
  n_allocated += pure;
  return __real_realloc (memory, size);
}

/* Runs the call, which may not allocate. */
#define PURE(call) do { \
  pure = TRUE; \
  call; \
  pure = FALSE; \
} while (0)

typedef struct
{
  PspSender *sender;
  PspRtcpFeedback feedback;
  PspReceiver *receiver;
  gboolean numbers;             /* reports are by transport-wide numbers */
  guint n_reports;
} Session;

static void
start (Session * s, const PspControllerClass * klass, gboolean numbers)
{
  PspSenderConfig sender = {.controller = klass };
  PspReceiverConfig receiver = {.ssrc = 9,.cname = "receiver",
    .feedback_interval = 25 * MS,.max_rtcp_size = 1200,.clock_rate = 90000
  };

  s->sender = psp_sender_new (&sender, 0);
  s->receiver = psp_receiver_new (&receiver);
  s->numbers = numbers;
  s->n_reports = 0;
  fail_unless (psp_rtcp_feedback_init (&s->feedback, 1500));
  if (numbers) {
    fail_unless (psp_receiver_open_transport_numbers (s->receiver));
    fail_unless (psp_twcc_feedback_open (&s->feedback.twcc));
  }
}

static void
stop (Session * s)
{
  psp_rtcp_feedback_clear (&s->feedback);
  psp_receiver_free (s->receiver);
  psp_sender_free (s->sender);
}

static void
send (Session * s, const PspRtpHeader * header, gint64 now)
{
  PspPacket packet;

  psp_rtp_packet (header, &packet);
  PURE (psp_sender_sent (s->sender, &packet, now, 0));
  if (s->numbers)
    PURE (psp_twcc_feedback_sent (&s->feedback.twcc, header->seq,
            &packet.key));
  if (header->seq % 64 == 0)
    fail_unless (psp_sender_make_room (s->sender, now));
}

static void
receive (Session * s, const PspRtpHeader * header, gint64 now)
{
  PURE (psp_receiver_packet (s->receiver, header, 0, now));
  if (s->numbers)
    PURE (psp_receiver_transport_number (s->receiver, header, header->seq,
            now));
}

static void
report (Session * s, gint64 now)
{
  guint8 data[1200];
  gboolean bye = FALSE;
  gsize size;

  for (;;) {
    bool seen = false;

    PURE (size = psp_receiver_pack (s->receiver, now, 0, data, sizeof data));
    if (size == 0)
      break;
    PURE (psp_rtcp_feedback_receive (&s->feedback, s->sender, data, size, now,
            &seen));
    bye |= seen;
    s->n_reports++;
  }
  fail_if (bye);
  PURE (psp_sender_tick (s->sender, now));
}

GST_START_TEST (test_no_allocation)
{
  const PspControllerClass *const *all = psp_controller_list ();
  PspSenderStats stats;
  Session s;

  n_allocated = 0;
  start (&s, all[__i__ / 2], __i__ % 2);
  for (guint i = 0; i < N_PACKETS; i++) {
    gint64 now = i * SLOT;
    PspRtpHeader header = {.ssrc = SSRC,.seq = (guint16) i,
      .size = PAYLOAD + 12,.payload_size = PAYLOAD
    };

    send (&s, &header, now);
    if (i % LOST != LOST - 1)
      receive (&s, &header, now + MS / 2);
    report (&s, now + MS);
  }
  psp_sender_stats (s.sender, N_PACKETS * SLOT, &stats);
  fail_unless (s.n_reports > N_PACKETS / 40);
  fail_unless (stats.packets_acked > N_PACKETS / 2);
  fail_unless (stats.packets_lost > 0);
  fail_unless_equals_int (n_allocated, 0);
  stop (&s);
}

GST_END_TEST;

/* The count works: room is what is allocated. */
GST_START_TEST (test_count)
{
  Session s;

  start (&s, psp_controller_list ()[0], FALSE);
  n_allocated = 0;
  PURE (psp_receiver_open_transport_numbers (s.receiver));
  fail_unless_equals_int (n_allocated, 1);
  stop (&s);
}

GST_END_TEST;

static Suite *
memory_suite (void)
{
  Suite *s = suite_create ("memory");
  TCase *tc = tcase_create ("general");
  int n = 0;

  while (psp_controller_list ()[n])
    n++;
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_no_allocation, 0, 2 * n);
  tcase_add_test (tc, test_count);
  return s;
}

GST_CHECK_MAIN (memory);
