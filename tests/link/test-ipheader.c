/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * ECN bits and protocol of IP headers; the IPv4 checksum against one computed afresh.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "random.h"
#include "tun/ipheader.h"

/* RFC 1071 over the header. */
static guint16
checksum (const guint8 * h)
{
  guint32 sum = 0;
  int i;

  for (i = 0; i < 20; i += 2)
    if (i != 10)
      sum += (guint32) (h[i] << 8 | h[i + 1]);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return (guint16) ~ sum;
}

GST_START_TEST (test_ipv4)
{
  guint8 h[28] = { 0x45 };
  LinkRandom r;
  int i, k;

  link_random_init (&r, 1, 0);
  for (i = 0; i < 10000; i++) {
    guint16 sum, before;

    for (k = 1; k < 20; k++)
      h[k] = (guint8) link_random_bits (&r);
    sum = checksum (h);
    h[10] = (guint8) (sum >> 8);
    h[11] = (guint8) sum;
    before = (guint16) ip_header_tos (h, sizeof h);
    fail_unless_equals_int (before, h[1]);
    fail_unless_equals_int (ip_header_protocol (h, sizeof h), h[9]);
    ip_header_set_ecn (h, sizeof h, i & 3);
    fail_unless_equals_int (ip_header_tos (h, sizeof h), (before & 0xfc) |
        (i & 3));
    fail_unless_equals_int (h[10] << 8 | h[11], checksum (h));
  }
}

GST_END_TEST;

GST_START_TEST (test_ipv6)
{
  guint8 h[40] = { 0x6a, 0xb5, 0x12, 0x34 };

  fail_unless_equals_int (ip_header_tos (h, sizeof h), 0xab);
  h[6] = 17;
  fail_unless_equals_int (ip_header_protocol (h, sizeof h), 17);
  h[1] = 0x85;
  fail_unless_equals_int (ip_header_tos (h, sizeof h), 0xa8);
  ip_header_set_ecn (h, sizeof h, 3);
  fail_unless_equals_int (ip_header_tos (h, sizeof h), 0xab);
  fail_unless_equals_int (h[0], 0x6a);
  fail_unless_equals_int (h[1], 0xb5);
  ip_header_set_ecn (h, sizeof h, 0);
  fail_unless_equals_int (ip_header_tos (h, sizeof h), 0xa8);
}

GST_END_TEST;

GST_START_TEST (test_other)
{
  static const struct
  {
    guint8 start;
    size_t size;
  } rows[] = { {0x45, 0}, {0x45, 19}, {0x60, 39}, {0x50, 40}, {0x00, 40} };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint8 *h = g_malloc0 (rows[i].size + 1);
    guint8 *copy;

    h[0] = rows[i].start;
    copy = g_memdup2 (h, rows[i].size + 1);
    ip_header_set_ecn (h, rows[i].size, 3);
    fail_unless (memcmp (h, copy, rows[i].size + 1) == 0);
    fail_unless_equals_int (ip_header_tos (h, rows[i].size), 0);
    fail_unless_equals_int (ip_header_protocol (h, rows[i].size), 0);
    g_free (copy);
    g_free (h);
  }
}

GST_END_TEST;

GST_START_TEST (test_flow_hash)
{
  guint8 h[64] = { 0x45 };
  guint32 same;

  h[9] = 17;
  h[12] = 10;
  h[20] = 1;
  same = ip_header_flow_hash (h, sizeof h);
  h[8] = 9;                     /* what is no part of it */
  h[24] = 9;
  fail_unless_equals_int (ip_header_flow_hash (h, sizeof h), same);
  h[23] = 1;                    /* a port */
  fail_unless (ip_header_flow_hash (h, sizeof h) != same);
  h[23] = 0;
  h[19] = 1;                    /* an address */
  fail_unless (ip_header_flow_hash (h, sizeof h) != same);
  h[19] = 0;
  h[9] = 6;
  fail_unless (ip_header_flow_hash (h, sizeof h) != same);

  h[0] = 0x60;
  h[6] = 17;
  same = ip_header_flow_hash (h, sizeof h);
  h[43] = 1;
  fail_unless (ip_header_flow_hash (h, sizeof h) != same);
  fail_unless_equals_int (ip_header_flow_hash (h, 39), 0);
  fail_unless_equals_int (ip_header_flow_hash (h, 0), 0);
}

GST_END_TEST;

static Suite *
link_ipheader_suite (void)
{
  Suite *s = suite_create ("link-ipheader");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_ipv4);
  tcase_add_test (tc, test_ipv6);
  tcase_add_test (tc, test_other);
  tcase_add_test (tc, test_flow_hash);
  return s;
}

GST_CHECK_MAIN (link_ipheader);
