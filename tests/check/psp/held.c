/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Datagrams that wait for a key, in virtual time.
 */
#include <gst/check/gstcheck.h>

#include "gstpspheld.h"

#define MS PSP_MSECOND
#define MKI_SIZE 4

static GstPspHeld *held;

static void
setup (void)
{
  held = gst_psp_held_new ();
}

static void
teardown (void)
{
  gst_psp_held_free (held);
}

/* A datagram that holds its number; how many were given up. */
static guint
add (guint32 mki, guint n, gint64 now)
{
  GstPspHeldPacket packet = {.arrived_at = now };

  packet.buffer = gst_buffer_new_memdup (&n, sizeof n);
  return gst_psp_held_add (held, (guint8 *) & mki, MKI_SIZE, &packet);
}

static void
assert_asks (guint32 mki, gint64 now)
{
  GBytes *bytes = gst_psp_held_ask (held, now);

  fail_unless (bytes != NULL);
  fail_unless_equals_int (g_bytes_get_size (bytes), MKI_SIZE);
  fail_unless (memcmp (g_bytes_get_data (bytes, NULL), &mki, MKI_SIZE) == 0);
  g_bytes_unref (bytes);
}

static gboolean
take (guint32 mki, guint * n)
{
  GstPspHeldPacket packet;

  if (!gst_psp_held_take (held, (guint8 *) & mki, MKI_SIZE, &packet))
    return FALSE;
  gst_buffer_extract (packet.buffer, 0, n, sizeof *n);
  gst_buffer_unref (packet.buffer);
  return TRUE;
}

/* In their order, and of this MKI alone. */
GST_START_TEST (test_order)
{
  guint n;

  fail_unless (gst_psp_held_ask (held, 0) == NULL);
  fail_unless_equals_int64 (gst_psp_held_next (held), PSP_TIME_NEVER);
  for (guint i = 0; i < 20; i++)
    fail_unless_equals_int (add (i % 2, i, i * MS), 0);
  fail_unless (gst_psp_held_next (held) <= 20 * MS);
  assert_asks (0, 20 * MS);
  for (guint i = 0; i < 20; i += 2) {
    fail_unless (take (0, &n));
    fail_unless_equals_int (n, i);
  }
  fail_if (take (0, &n));
  fail_if (take (7, &n));
  fail_unless_equals_int64 (gst_psp_held_next (held), 120 * MS);
  fail_unless (gst_psp_held_ask (held, 119 * MS) == NULL);
  assert_asks (1, 120 * MS);
}

GST_END_TEST;

/* What nobody tells the key of is given up. */
GST_START_TEST (test_expire)
{
  guint n;

  add (1, 0, 0);
  add (1, 1, 500 * MS);
  assert_asks (1, 500 * MS);
  fail_unless_equals_int (gst_psp_held_expire (held, 999 * MS), 0);
  fail_unless_equals_int (gst_psp_held_expire (held, 1000 * MS), 1);
  fail_unless (take (1, &n));
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int64 (gst_psp_held_next (held), PSP_TIME_NEVER);
}

GST_END_TEST;

/* However many datagrams come under however many MKIs, so many wait, and none is
 * forgotten in the count. */
GST_START_TEST (test_bounds)
{
  guint given_up = 0, left = 0, n;

  for (guint i = 0; i < 10000; i++)
    given_up += add (__i__ ? g_random_int () : i / 3, i, i * MS / 100);
  for (guint i = 0; i < 3334 && !__i__; i++)
    while (take (i, &n))
      left++;
  if (__i__)
    left = gst_psp_held_expire (held, 10 * PSP_SECOND);
  fail_unless (left <= GST_PSP_HELD_MAX);
  fail_unless_equals_int (given_up + left, 10000);
}

GST_END_TEST;

/* Five forged datagrams, each with an MKI of its own, for each real one; or five
 * MKIs that are repeated. The real key is asked for within a few turns and none of
 * its packets is given up before. */
GST_START_TEST (test_flood)
{
  const guint32 key = 0xffffffff;
  gint64 asked_at = PSP_TIME_UNKNOWN;
  guint n_real = 0, n;
  guint32 forged = 0;

  for (gint64 now = 0; asked_at == PSP_TIME_UNKNOWN; now += 5 * MS) {
    GBytes *bytes;

    fail_unless (now < 700 * MS);
    for (guint i = 0; i < 5; i++) {
      add (__i__ ? i : forged, 1000, now);
      forged++;
    }
    add (key, n_real++, now);
    if ((bytes = gst_psp_held_ask (held, now))) {
      if (memcmp (g_bytes_get_data (bytes, NULL), &key, MKI_SIZE) == 0)
        asked_at = now;
      g_bytes_unref (bytes);
    }
  }
  for (guint i = 0; __i__ == 0 && i < n_real; i++) {
    fail_unless (take (key, &n));
    fail_unless_equals_int (n, i);
  }
}

GST_END_TEST;

static Suite *
held_suite (void)
{
  Suite *s = suite_create ("psp-held");
  TCase *t = tcase_create ("held");

  suite_add_tcase (s, t);
  tcase_add_checked_fixture (t, setup, teardown);
  tcase_add_test (t, test_order);
  tcase_add_test (t, test_expire);
  tcase_add_loop_test (t, test_bounds, 0, 2);
  tcase_add_loop_test (t, test_flood, 0, 2);
  return s;
}

GST_CHECK_MAIN (held);
