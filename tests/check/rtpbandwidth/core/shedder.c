/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "shedder.h"

static PspShedder shedder;

static void
setup (void)
{
  psp_shedder_init (&shedder);
}

/* Returns the number with which it leaves, or -1. */
static int
offer (uint32_t ssrc, uint32_t timestamp, uint16_t number, uint32_t size,
    PspShedderRoom room)
{
  PspShedderPacket packet = { ssrc, timestamp, number, size, false };
  uint16_t sent;

  return psp_shedder_offer (&shedder, &packet, room, &sent) ? sent : -1;
}

/* The same, and it leaves at once. */
static int
pass (uint32_t ssrc, uint32_t timestamp, uint16_t number, uint32_t size,
    PspShedderRoom room)
{
  int sent = offer (ssrc, timestamp, number, size, room);

  if (sent >= 0)
    psp_shedder_left (&shedder, ssrc, size);
  return sent;
}

/* A retransmission of the stream RTX; returns whether it may leave. */
#define RTX 9

static uint16_t rtx_number;

static bool
repeat_as (uint32_t ssrc, uint32_t timestamp, uint16_t * number)
{
  const PspShedderPacket packet = { ssrc, timestamp, rtx_number, 100, true };
  uint16_t sent;

  if (!psp_shedder_repeat (&shedder, &packet, number))
    return false;
  if (!psp_shedder_offer (&shedder, &packet, PSP_SHEDDER_ROOM, &sent))
    return false;
  psp_shedder_left (&shedder, ssrc, 100);
  return true;
}

static bool
repeat (uint32_t timestamp, uint16_t * number)
{
  rtx_number++;
  return repeat_as (RTX, timestamp, number);
}

GST_START_TEST (whole_pictures_go)
{
  fail_unless_equals_int (offer (1, 100, 10, 1000, PSP_SHEDDER_ROOM), 10);
  /* A picture that began is completed. */
  fail_unless_equals_int (offer (1, 100, 11, 1000, PSP_SHEDDER_FULL), 11);
  fail_unless_equals_int (offer (1, 200, 12, 1000, PSP_SHEDDER_FULL), -1);
  /* Of one that was refused nothing leaves. */
  fail_unless_equals_int (offer (1, 200, 13, 1000, PSP_SHEDDER_ROOM), -1);
  fail_unless_equals_int (offer (1, 300, 14, 1000, PSP_SHEDDER_ROOM), 12);
  fail_unless_equals_uint64 (shedder.dropped_packets, 2);
  fail_unless_equals_uint64 (shedder.dropped_pictures, 1);
}

GST_END_TEST;

GST_START_TEST (small_streams_go_on)
{
  offer (1, 100, 10, 1000, PSP_SHEDDER_ROOM);
  fail_unless_equals_int (offer (2, 7, 70, 100, PSP_SHEDDER_FULL), 70);
  fail_unless_equals_int (offer (2, 8, 71, 100, PSP_SHEDDER_FULL), 71);
  fail_unless_equals_int (offer (1, 200, 11, 1000, PSP_SHEDDER_FULL), -1);
  psp_shedder_left (&shedder, 1, 1000);
  /* Now most waits of the other. */
  fail_unless_equals_int (offer (1, 300, 12, 1000, PSP_SHEDDER_FULL), 11);
  psp_shedder_left (&shedder, 1, 1000);
  fail_unless_equals_int (offer (2, 9, 72, 100, PSP_SHEDDER_FULL), -1);
}

GST_END_TEST;

GST_START_TEST (overflow)
{
  offer (1, 100, 10, 1000, PSP_SHEDDER_ROOM);
  fail_unless_equals_int (offer (1, 100, 11, 1000, PSP_SHEDDER_OVERFLOWING),
      -1);
  fail_unless_equals_int (offer (1, 100, 12, 1000, PSP_SHEDDER_ROOM), -1);
  fail_unless_equals_int (offer (1, 200, 13, 1000, PSP_SHEDDER_ROOM), 11);
  fail_unless_equals_uint64 (shedder.dropped_pictures, 1);
}

GST_END_TEST;

/* A fifth of the packets goes, a tenth of what left is asked for: what is asked
 * for is what was sent under that number, and its repetition says so. */
GST_START_TEST (repairs)
{
  uint16_t original[65536], n, next = 65530;

  for (int i = 0; i < 100000; i++) {
    uint16_t number = (uint16_t) (65530 + i);
    PspShedderRoom room = i / 3 % 5 == 2 ? PSP_SHEDDER_FULL : PSP_SHEDDER_ROOM;
    int sent = offer (1, i / 3, number, 1000, room);

    if (room == PSP_SHEDDER_FULL) {
      fail_unless_equals_int (sent, -1);
      continue;
    }
    fail_unless_equals_int (sent, next++);
    psp_shedder_left (&shedder, 1, 1000);
    original[sent] = number;
    if (i < 200 || i % 10 > 0)
      continue;
    n = (uint16_t) (sent - 100);
    fail_unless (psp_shedder_request (&shedder, 1, &n));
    fail_unless_equals_int (n, original[(uint16_t) (sent - 100)]);
    fail_unless (repeat ((uint32_t) (sent - 100), &n));
    fail_unless_equals_int (n, (uint16_t) (sent - 100));
  }
}

GST_END_TEST;

GST_START_TEST (unknown_repairs)
{
  uint16_t n = 5;

  /* Nothing was left out: all numbers are their own. */
  fail_unless (psp_shedder_request (&shedder, 1, &n));
  fail_unless (repeat (100, &n));
  fail_unless_equals_int (n, 5);
  offer (1, 100, 10, 1000, PSP_SHEDDER_ROOM);
  offer (1, 200, 11, 1000, PSP_SHEDDER_FULL);
  fail_if (repeat (100, &n));
}

GST_END_TEST;

/* Two streams of which packets of one number were asked for: a picture of 1 was
 * left out, so its packet 450 left as 449, and 450 of 2 is itself. */
static void
ask_for_both (uint32_t timestamp_1, uint32_t timestamp_2)
{
  uint16_t n;

  pass (1, timestamp_1 - 1, 400, 1000, PSP_SHEDDER_ROOM);
  pass (1, timestamp_1, 401, 1000, PSP_SHEDDER_FULL);
  for (uint16_t i = 402; i <= 460; i++)
    pass (1, timestamp_1 + i, i, 1000, PSP_SHEDDER_ROOM);
  for (uint16_t i = 440; i <= 460; i++)
    pass (2, timestamp_2 + i, i, 100, PSP_SHEDDER_ROOM);
  n = 449;
  fail_unless (psp_shedder_request (&shedder, 1, &n) && n == 450);
  fail_unless (psp_shedder_request (&shedder, 2, &n) && n == 450);
}

/* Whose packet it repeats says its time. */
GST_START_TEST (repairs_of_two_streams)
{
  uint16_t n = 450;

  ask_for_both (1000000, 4000000000u);
  fail_unless (repeat (1000450, &n));
  fail_unless_equals_int (n, 449);
  n = 450;
  rtx_number = 1;
  fail_unless (repeat_as (RTX + 1, 4000000450u, &n));
  fail_unless_equals_int (n, 450);
}

GST_END_TEST;

/* Where times say nothing, what was repeated before does. */
GST_START_TEST (repairs_of_two_streams_of_one_clock)
{
  uint16_t n = 455;

  ask_for_both (1000, 1000);
  fail_unless (psp_shedder_request (&shedder, 1, &n) && n == 456);
  fail_unless (repeat (1456, &n) && n == 455);
  n = 459;
  fail_unless (psp_shedder_request (&shedder, 2, &n) && n == 459);
  fail_unless (repeat_as (RTX + 1, 1459, &n) && n == 459);
  n = 450;
  fail_unless (repeat (1450, &n));
  fail_unless_equals_int (n, 449);
  rtx_number++;
  n = 450;
  fail_unless (repeat_as (RTX + 1, 1450, &n));
  fail_unless_equals_int (n, 450);
}

GST_END_TEST;

/* One that cannot be translated is left out, and the next has its number. */
GST_START_TEST (untranslated_repairs)
{
  PspShedderPacket packet = { RTX, 100, 70, 100, true };
  uint16_t n, sent;

  pass (1, 100, 10, 1000, PSP_SHEDDER_ROOM);
  pass (1, 200, 11, 1000, PSP_SHEDDER_FULL);
  pass (1, 300, 12, 1000, PSP_SHEDDER_ROOM);
  fail_unless (psp_shedder_offer (&shedder, &packet, PSP_SHEDDER_ROOM, &sent));
  fail_unless_equals_int (sent, 70);
  packet.number = 71;
  n = 5;
  fail_if (psp_shedder_repeat (&shedder, &packet, &n));
  n = 11;
  fail_unless (psp_shedder_request (&shedder, 1, &n) && n == 12);
  packet.number = 72;
  fail_unless (psp_shedder_repeat (&shedder, &packet, &n) && n == 11);
  fail_unless (psp_shedder_offer (&shedder, &packet, PSP_SHEDDER_ROOM, &sent));
  fail_unless_equals_int (sent, 71);
}

GST_END_TEST;

/* What a flush discards leaves no gap, and what left before is still found. */
GST_START_TEST (taken_back)
{
  uint16_t n = 10;

  pass (1, 100, 10, 1000, PSP_SHEDDER_ROOM);
  pass (1, 200, 11, 1000, PSP_SHEDDER_FULL);
  for (uint16_t i = 12; i < 14; i++)
    pass (1, 300, i, 1000, PSP_SHEDDER_ROOM);
  for (uint16_t i = 14; i < 16; i++)
    offer (1, 300, i, 1000, PSP_SHEDDER_ROOM);
  for (uint16_t i = 14; i < 16; i++) {
    psp_shedder_left (&shedder, 1, 1000);
    psp_shedder_take_back (&shedder, 1);
  }
  fail_unless_equals_int (offer (1, 400, 16, 1000, PSP_SHEDDER_ROOM), 13);
  fail_unless (psp_shedder_request (&shedder, 1, &n) && n == 10);
  n = 12;
  fail_unless (psp_shedder_request (&shedder, 1, &n) && n == 13);
  n = 13;
  fail_if (psp_shedder_request (&shedder, 1, &n));
  psp_shedder_left (&shedder, 1, 1000);
  fail_unless (psp_shedder_request (&shedder, 1, &n) && n == 16);
}

GST_END_TEST;

/* A receiver that waits by the clock asks for what the sender still holds. */
GST_START_TEST (late_not_lost)
{
  uint16_t n;

  for (uint16_t i = 0; i < 20; i++)
    fail_unless_equals_int (offer (1, 100, (uint16_t) (65530 + i), 1000,
            PSP_SHEDDER_ROOM), (uint16_t) (65530 + i));
  for (int left = 0; left <= 20; left++) {
    for (int i = 0; i < 20; i++) {
      n = (uint16_t) (65530 + i);
      fail_unless (psp_shedder_request (&shedder, 1, &n) == (i < left));
    }
    psp_shedder_left (&shedder, 1, 1000);
  }
}

GST_END_TEST;

GST_START_TEST (media_or_repair)
{
  PspShedderPacket packet = { 2, 1, 1, 100, true };
  uint16_t sent;

  fail_if (psp_shedder_has_media (&shedder, 1));
  offer (1, 100, 10, 1000, PSP_SHEDDER_ROOM);
  fail_unless (psp_shedder_has_media (&shedder, 1));
  fail_unless (psp_shedder_offer (&shedder, &packet, PSP_SHEDDER_ROOM, &sent));
  fail_if (psp_shedder_has_media (&shedder, 2));
}

GST_END_TEST;

/* More streams than there are places for: the silent one goes. */
GST_START_TEST (many_streams)
{
  offer (1, 100, 10, 1000, PSP_SHEDDER_ROOM);
  offer (1, 200, 11, 1000, PSP_SHEDDER_FULL);
  for (uint32_t ssrc = 2; ssrc < 100; ssrc++) {
    offer (ssrc, 1, 1, 10, PSP_SHEDDER_ROOM);
    fail_unless_equals_int (offer (1, 300 + ssrc, (uint16_t) (10 + ssrc), 10,
            PSP_SHEDDER_ROOM), 9 + ssrc);
  }
}

GST_END_TEST;

static Suite *
shedder_suite (void)
{
  Suite *s = suite_create ("shedder");
  TCase *t = tcase_create ("shedder");

  suite_add_tcase (s, t);
  tcase_add_checked_fixture (t, setup, NULL);
  tcase_add_test (t, whole_pictures_go);
  tcase_add_test (t, small_streams_go_on);
  tcase_add_test (t, overflow);
  tcase_add_test (t, repairs);
  tcase_add_test (t, unknown_repairs);
  tcase_add_test (t, repairs_of_two_streams);
  tcase_add_test (t, repairs_of_two_streams_of_one_clock);
  tcase_add_test (t, untranslated_repairs);
  tcase_add_test (t, taken_back);
  tcase_add_test (t, late_not_lost);
  tcase_add_test (t, media_or_repair);
  tcase_add_test (t, many_streams);
  return s;
}

GST_CHECK_MAIN (shedder);
