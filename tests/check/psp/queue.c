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

/* A stream of groups: a key picture, then nine pictures of which each refers
 * to the one before it, but the fourth and the eighth, to which none does. */
#define GROUP 10

static gboolean
is_disposable (guint i)
{
  return i % GROUP == 4 || i % GROUP == 8;
}

static void
place (GstPspPlace * p, guint i)
{
  gboolean after_disposable = i > 0 && is_disposable (i - 1);

  memset (p, 0, sizeof *p);
  p->known = TRUE;
  p->id = i;
  p->key = i % GROUP == 0;
  p->disposable = is_disposable (i);
  p->references = p->key ? 0 : after_disposable ? 2 : 1;
}

/* Each picture has three packets, the first of which may say nothing of its
 * place, as parameter sets that a payloader adds. */
static GstPspQueueResult
offer_placed (GstPspQueue * q, GstPspLeaky leaky, guint i, guint part,
    gint64 now)
{
  GstPspQueueLimits limits = { leaky, LIMIT, PAYLOAD * 8 * 1000, now };
  GstPspPacket packet = {
    .buffer = gst_buffer_new (),
    .header = {.ssrc = 1,.seq = (guint16) (3 * i + part),.timestamp = i,
        .payload_size = PAYLOAD,.size = PAYLOAD + 12},
    .running_time = GST_CLOCK_TIME_NONE
  };
  GstPspQueueResult result;

  if (part > 0 || i % GROUP != 0)
    place (&packet.place, i);
  result = gst_psp_queue_offer (q, &packet, &limits);
  if (result == GST_PSP_QUEUE_FULL)
    gst_buffer_unref (packet.buffer);
  return result;
}

typedef struct
{
  guint packets[1000];          /* that left, of each picture */
} Left;

static void
pop_to (GstPspQueue * q, Left * left)
{
  GstPspPacket packet;

  if (!gst_psp_queue_pop (q, &packet))
    return;
  left->packets[packet.header.timestamp]++;
  gst_buffer_unref (packet.buffer);
}

/* Whether all that the picture refers to left whole, and so on. */
static gboolean
is_decodable (const Left * left, guint i)
{
  for (;;) {
    GstPspPlace p;

    place (&p, i);
    if (left->packets[i] < 3)
      return FALSE;
    if (p.key)
      return TRUE;
    i -= p.references;
  }
}

static guint
count_undecodable (const Left * left)
{
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (left->packets); i++)
    n += left->packets[i] == 3 && !is_decodable (left, i);
  return n;
}

/* Random stretches of a link that is too slow: what leaves whole can be
 * decoded, however the queue sheds. Where pictures do not say what they refer
 * to, some cannot. */
GST_START_TEST (test_dependants)
{
  const GstPspLeaky leaky = __i__ % 2 ? GST_PSP_LEAKY_DOWNSTREAM :
      GST_PSP_LEAKY_UPSTREAM;
  GRand *rand = g_rand_new_with_seed (__i__);
  GstPspQueue *q = gst_psp_queue_new ();
  Left left = { {0} };
  gdouble credit = 0, rate = 1;
  guint whole = 0;

  for (guint i = 0; i < G_N_ELEMENTS (left.packets); i++) {
    if (i % 50 == 0)
      rate = g_rand_double_range (rand, 0.2, 1.2);
    for (guint part = 0; part < 3; part++) {
      offer_placed (q, leaky, i, part, 0);
      for (credit += rate; credit >= 1; credit--)
        pop_to (q, &left);
    }
  }
  while (gst_psp_queue_packets (q) > 0)
    pop_to (q, &left);
  for (guint i = 0; i < G_N_ELEMENTS (left.packets); i++)
    whole += left.packets[i] == 3;

  fail_unless_equals_int (count_undecodable (&left), 0);
  fail_unless (gst_psp_queue_dropped_pictures (q) > 0);
  fail_unless (whole > G_N_ELEMENTS (left.packets) / 4, "%u", whole);
  gst_psp_queue_free (q);
  g_rand_free (rand);
}

GST_END_TEST;

/* A key picture that does not fit takes its group along, also what waits
 * already; the next one is sent. A disposable one goes alone, and needs no key
 * picture. */
GST_START_TEST (test_dependants_by_kind)
{
  const gboolean downstream = __i__ == 1;
  const GstPspLeaky leaky = downstream ? GST_PSP_LEAKY_DOWNSTREAM :
      GST_PSP_LEAKY_UPSTREAM;
  GstPspQueue *q = gst_psp_queue_new ();
  Left left = { {0} };

  /* Three packets each: the limit is reached by the 35th picture. */
  for (guint i = 0; i < 34; i++)
    for (guint part = 0; part < 3; part++)
      offer_placed (q, leaky, i, part, 0);
  fail_unless_equals_uint64 (gst_psp_queue_dropped_pictures (q), 0);
  offer_placed (q, leaky, 34, 0, 0);
  if (downstream) {
    /* The first group. */
    fail_unless_equals_uint64 (gst_psp_queue_dropped_pictures (q), GROUP);
    fail_unless_equals_uint64 (gst_psp_queue_dropped_references (q), GROUP - 2);
    /* The packet without a place stays. */
    fail_unless_equals_int (gst_psp_queue_packets (q), 24 * 3 + 1);
  } else {
    fail_unless_equals_uint64 (gst_psp_queue_dropped_pictures (q), 1);
    fail_unless_equals_uint64 (gst_psp_queue_dropped_references (q), 0);
    for (guint n = 0; n < 30; n++)
      pop_to (q, &left);
    for (guint i = 35; i < 40; i++)
      for (guint part = 0; part < 3; part++)
        offer_placed (q, leaky, i, part, 0);
    fail_unless_equals_uint64 (gst_psp_queue_dropped_pictures (q), 1);
  }
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
  tcase_add_loop_test (tc, test_dependants, 0, 20);
  tcase_add_loop_test (tc, test_dependants_by_kind, 0, 2);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (queue);
