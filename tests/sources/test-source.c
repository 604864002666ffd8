/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The source model with each recorded encoder.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "source.h"
#include "trace.h"

#define SECOND G_GINT64_CONSTANT (1000000000)

/* Takes what comes until `end`; bits/s of RTP payload since `begin`. */
static gdouble
play (Source * source, gint64 begin, gint64 end)
{
  SourcePacket packet;
  guint64 octets = 0;

  while (source_take (source, end, &packet))
    if (packet.at >= begin)
      octets += packet.size - SOURCE_RTP_HEADER;
  return 8.0 * octets * SECOND / (end - begin);
}

GST_START_TEST (test_names)
{
  guint i;

  fail_unless (source_encoder ("x264-zerolatency") != NULL);
  fail_unless (source_encoder ("nobody's") == NULL);
  for (i = 0; source_encoders[i]; i++)
    fail_unless (source_encoder (source_encoder_name (source_encoders[i])) ==
        source_encoders[i]);
}

GST_END_TEST;

static gboolean
follows (const SourcePacket * packet, const SourcePacket * before)
{
  return packet->size > SOURCE_RTP_HEADER && packet->size <= SOURCE_MTU &&
      packet->frame == before->frame + before->last &&
      packet->at >= before->at && (packet->frame > 1 || packet->key) &&
      (before->last || (packet->at == before->at &&
          packet->key == before->key));
}

/* Frames in order, one marker each, the first a key frame; no packet is empty
 * or larger than the payloader's. */
GST_START_TEST (test_packets)
{
  const SourceEncoder *encoder = source_encoders[__i__];
  gint64 targets[] = { 50000, 700000, 5000000, 20000000 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (targets); i++) {
    SourcePacket packet, before = {.at = 5 * SECOND,.last = true };
    gboolean good = TRUE;
    Source source;

    source_init (&source, encoder, targets[i], 5 * SECOND, i);
    fail_unless_equals_int64 (source_due (&source), 5 * SECOND);
    fail_if (source_take (&source, 5 * SECOND - 1, &packet));
    while (source_take (&source, 15 * SECOND, &packet)) {
      good = good && follows (&packet, &before);
      before = packet;
    }
    fail_unless (good && before.last && before.at <= 15 * SECOND);
    fail_unless (source_due (&source) > 15 * SECOND);
  }
}

GST_END_TEST;

static gboolean
same (const SourcePacket * a, const SourcePacket * b)
{
  return a->at == b->at && a->size == b->size && a->key == b->key &&
      a->last == b->last;
}

/* Whether both give the same until `end`. */
static gboolean
alike (Source * one, Source * other, gint64 end)
{
  SourcePacket a, b;

  while (source_take (one, end, &a))
    if (!source_take (other, end, &b) || !same (&a, &b))
      return FALSE;
  return !source_take (other, end, &b);
}

/* Ten times the highest recorded target makes ten times its bits, or no more
 * where there is nothing to scale. */
GST_START_TEST (test_scaled)
{
  const SourceEncoder *encoder = source_encoders[__i__];
  gdouble once, ten_times;
  Source source;

  source_init (&source, encoder, 4000000, 0, 1);
  once = play (&source, 0, 30 * SECOND);
  source_init (&source, encoder, 40000000, 0, 1);
  ten_times = play (&source, 0, 30 * SECOND);
  fail_unless (ABS (ten_times / once / (encoder->scaled ? 10 : 1) - 1) < 0.02,
      "%f", ten_times / once);
}

GST_END_TEST;

/* A change that an encoder was told long ago has all been made; how long ago,
 * SOURCE_MAX_RESPONSE says. */
GST_START_TEST (test_obeys)
{
  const SourceEncoder *encoder = source_encoders[__i__];
  gint64 told = SOURCE_MAX_RESPONSE * source_encoder_period (encoder);
  Source changed, always;

  source_init (&changed, encoder, 1000000, 0, 7);
  source_init (&always, encoder, 1000000, 0, 7);
  play (&changed, 0, 0);
  play (&always, 0, 0);
  source_set_target (&changed, 900000, 0);
  play (&changed, 0, SECOND);
  play (&always, 0, SECOND);
  source_set_target (&changed, 1000000, SECOND);
  play (&changed, SECOND, SECOND + told);
  play (&always, SECOND, SECOND + told);
  fail_unless (alike (&changed, &always, 20 * SECOND));
}

GST_END_TEST;

/* Whether what was due before is taken before or after makes no difference. */
GST_START_TEST (test_taken_late)
{
  const SourceEncoder *encoder = source_encoders[__i__];
  Source early, late;

  source_init (&early, encoder, 2000000, 0, 5);
  source_init (&late, encoder, 2000000, 0, 5);
  play (&early, 0, SECOND);
  source_set_target (&early, 500000, SECOND + 1);
  source_set_target (&late, 500000, SECOND + 1);
  play (&late, 0, SECOND);
  fail_unless (alike (&early, &late, 3 * SECOND));
}

GST_END_TEST;

GST_START_TEST (test_stopped)
{
  const SourceEncoder *encoder = source_encoders[__i__];
  SourcePacket packet;
  Source source;

  source_init (&source, encoder, 1000000, 0, 3);
  play (&source, 0, 5 * SECOND);
  source_set_target (&source, 0, 5 * SECOND);
  fail_unless (play (&source, 5 * SECOND, 9 * SECOND) == 0);
  source_set_target (&source, 300000, 9 * SECOND);
  fail_unless (source_take (&source, 12 * SECOND, &packet));
  fail_unless (packet.key);
}

GST_END_TEST;

/* A copy goes on alike; another seed begins elsewhere. */
GST_START_TEST (test_repeated)
{
  const SourceEncoder *encoder = source_encoders[__i__];
  Source source, copy, other;

  source_init (&source, encoder, 1000000, 0, 1);
  source_init (&other, encoder, 1000000, 0, 2);
  play (&source, 0, 3 * SECOND);
  play (&other, 0, 3 * SECOND);
  copy = source;
  fail_unless (alike (&source, &copy, 10 * SECOND));
  fail_if (alike (&source, &other, 20 * SECOND));
}

GST_END_TEST;

static Suite *
source_suite (void)
{
  Suite *s = suite_create ("source");
  TCase *tc = tcase_create ("general");
  guint n = 0;

  while (source_encoders[n])
    n++;
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_names);
  tcase_add_loop_test (tc, test_packets, 0, n);
  tcase_add_loop_test (tc, test_scaled, 0, n);
  tcase_add_loop_test (tc, test_obeys, 0, n);
  tcase_add_loop_test (tc, test_taken_late, 0, n);
  tcase_add_loop_test (tc, test_stopped, 0, n);
  tcase_add_loop_test (tc, test_repeated, 0, n);
  return s;
}

GST_CHECK_MAIN (source);
