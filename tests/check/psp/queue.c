/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How pspsink's queue is bounded, in virtual time.
 */
#include <gst/check/gstcheck.h>

#include "gstpspqueue.h"

#define PAYLOAD 1000
#define LIMIT (100 * GST_MSECOND)

static GstPspQueueResult
offer (GstPspQueue * q, GstPspLeaky leaky, guint i, GstClockTime running_time,
    gint64 bitrate, gint64 now)
{
  GstPspQueueLimits limits = { leaky, LIMIT, bitrate, now };
  GstPspPacket packet = {
    .buffer = gst_buffer_new (),
    .header = {.ssrc = 1,.seq = (guint16) i,.timestamp = i,
        .payload_size = PAYLOAD,.size = PAYLOAD + 12},
    .running_time = running_time
  };
  GstPspQueueResult result = gst_psp_queue_offer (q, &packet, &limits);

  if (result == GST_PSP_QUEUE_FULL)
    gst_buffer_unref (packet.buffer);
  return result;
}

static void
pop (GstPspQueue * q)
{
  GstPspPacket packet;

  fail_unless (gst_psp_queue_pop (q, &packet));
  gst_buffer_unref (packet.buffer);
}

/* Packets of 1 ms each in bits/s, in running time, or in time spent waiting:
 * each alone bounds the queue to the limit. */
GST_START_TEST (test_limit)
{
  const gboolean rate = __i__ == 0, timed = __i__ == 1, jumps = __i__ == 2;
  const gint64 bitrate = rate ? PAYLOAD * 8 * 1000 : -1;
  GstPspQueue *q = gst_psp_queue_new ();
  GstPspQueueResult result;
  guint n = 0;

  do {
    /* Nothing but what bounds it goes on. */
    result = offer (q, GST_PSP_LEAKY_NO, n, timed ? n * GST_MSECOND :
        GST_CLOCK_TIME_NONE, bitrate, jumps ? n * GST_MSECOND : 0);
    if (result == GST_PSP_QUEUE_TAKEN)
      n++;
  } while (result == GST_PSP_QUEUE_TAKEN && n < 1000);
  fail_unless_equals_int (result, GST_PSP_QUEUE_FULL);
  fail_unless_equals_int (n, rate ? 100 : timed ? 101 : 100);
  gst_psp_queue_free (q);
}

GST_END_TEST;

/* Buffers without time stamps, no rate known: what waits for longer than the
 * limit stops the queue from growing, and what leaves lets it go on. */
GST_START_TEST (test_untimed)
{
  const gint64 begin = GST_SECOND;
  GstPspQueue *q = gst_psp_queue_new ();

  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (offer (q, GST_PSP_LEAKY_NO, i, GST_CLOCK_TIME_NONE,
            -1, begin), GST_PSP_QUEUE_TAKEN);
  fail_unless_equals_int (offer (q, GST_PSP_LEAKY_NO, 10, GST_CLOCK_TIME_NONE,
          -1, begin + LIMIT - 1), GST_PSP_QUEUE_TAKEN);
  fail_unless_equals_int (offer (q, GST_PSP_LEAKY_NO, 11, GST_CLOCK_TIME_NONE,
          -1, begin + LIMIT), GST_PSP_QUEUE_FULL);
  fail_unless_equals_uint64 (gst_psp_queue_time (q, -1, begin + LIMIT), LIMIT);
  for (guint i = 0; i < 10; i++)
    pop (q);
  fail_unless_equals_uint64 (gst_psp_queue_time (q, -1, begin + LIMIT), 1);
  fail_unless_equals_int (offer (q, GST_PSP_LEAKY_NO, 11, GST_CLOCK_TIME_NONE,
          -1, begin + LIMIT), GST_PSP_QUEUE_TAKEN);
  gst_psp_queue_free (q);
}

GST_END_TEST;

/* … and a leaky one drops: the oldest pictures, or those to come. */
GST_START_TEST (test_untimed_leaky)
{
  const gboolean downstream = __i__ == 1;
  const GstPspLeaky leaky = downstream ? GST_PSP_LEAKY_DOWNSTREAM :
      GST_PSP_LEAKY_UPSTREAM;
  GstPspQueue *q = gst_psp_queue_new ();

  for (guint i = 0; i < 500; i++)
    offer (q, leaky, i, GST_CLOCK_TIME_NONE, -1, i * GST_MSECOND);
  fail_unless_equals_int (gst_psp_queue_packets (q), 100);
  fail_unless_equals_uint64 (gst_psp_queue_dropped_pictures (q), 400);
  fail_unless_equals_uint64 (gst_psp_queue_time (q, -1, 499 * GST_MSECOND),
      (downstream ? 99 : 499) * GST_MSECOND);
  gst_psp_queue_free (q);
}

GST_END_TEST;

static Suite *
queue_suite (void)
{
  Suite *s = suite_create ("psp/queue");
  TCase *tc = tcase_create ("general");

  tcase_add_loop_test (tc, test_limit, 0, 3);
  tcase_add_test (tc, test_untimed);
  tcase_add_loop_test (tc, test_untimed_leaky, 0, 2);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (queue);
