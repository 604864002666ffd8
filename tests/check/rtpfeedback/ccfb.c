/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/ccfb.h>

/* A message of each feature, every octet by hand from RFC 8888 section 3.1. */
/* *INDENT-OFF* */
static const uint8_t sample[] = {
  0x8b, 205, 0, 11,             /* V=2, FMT=11, 12 words */
  0xde, 0xad, 0xbe, 0xef,       /* who reports */
  0x11, 0x11, 0x11, 0x11,       /* first stream */
  0xff, 0xfe, 0, 3,             /* 65534, 65535, 0 */
  0x82, 0x00, 0, 0,             /* received 512/1024 s before; not received */
  0xff, 0xff, 0, 0,             /* CE, time unknown; padding */
  0x22, 0x22, 0x22, 0x22,       /* second stream, nothing to report */
  0, 7, 0, 0,
  0x33, 0x33, 0x33, 0x33,       /* third: ECT(1), over range; ECT(0), 0 */
  0, 9, 0, 2,
  0xbf, 0xfe, 0xc0, 0x00,
  0xaa, 0xbb, 0xcc, 0xdd,       /* report time stamp */
};
/* *INDENT-ON* */

typedef struct
{
  uint32_t ssrc;
  uint16_t begin_seq, n_reports;
  PspCcfbMetric metrics[3];
} StreamRow;

static const StreamRow sample_streams[] = {
  {0x11111111, 65534, 3, {{true, 0, PSP_SECOND / 2},
          {false, 0, PSP_TIME_UNKNOWN},
          {true, PSP_ECN_CE, PSP_TIME_UNKNOWN}}},
  {0x22222222, 7, 0, {{0}}},
  {0x33333333, 9, 2, {{true, PSP_ECN_ECT1, PSP_TIME_UNKNOWN},
          {true, PSP_ECN_ECT0, 0}}},
};

/* Parses a copy of the exact size, for the sanitizer to see a read past it. */
static bool
parses (const uint8_t * data, size_t size)
{
  uint8_t *copy = g_memdup2 (data, size);
  PspCcfbStream stream;
  PspCcfbMetric metric;
  PspCcfb ccfb;
  size_t position = 0;
  bool ok = psp_ccfb_parse (copy, size, &ccfb);

  while (ok && psp_ccfb_next_stream (&ccfb, &position, &stream)) {
    for (unsigned i = 0; i < stream.n_reports; i++)
      psp_ccfb_metric (&stream, i, &metric);
  }
  if (ok)
    fail_unless_equals_int (position, ccfb.blocks_size);
  g_free (copy);
  return ok;
}

GST_START_TEST (test_parse)
{
  PspCcfb ccfb;
  PspCcfbStream stream;
  PspCcfbMetric metric;
  size_t position = 0;
  unsigned n = 0;

  fail_unless (psp_ccfb_parse (sample, sizeof sample, &ccfb));
  fail_unless_equals_int64 (ccfb.sender_ssrc, 0xdeadbeef);
  fail_unless_equals_int64 (ccfb.timestamp, 0xaabbccdd);
  while (psp_ccfb_next_stream (&ccfb, &position, &stream)) {
    const StreamRow *row = &sample_streams[n++];

    fail_unless_equals_int64 (stream.ssrc, row->ssrc);
    fail_unless_equals_int (stream.begin_seq, row->begin_seq);
    fail_unless_equals_int (stream.n_reports, row->n_reports);
    for (unsigned i = 0; i < stream.n_reports; i++) {
      psp_ccfb_metric (&stream, i, &metric);
      fail_unless (metric.received == row->metrics[i].received);
      fail_unless_equals_int (metric.ecn, row->metrics[i].ecn);
      fail_unless_equals_int64 (metric.offset, row->metrics[i].offset);
    }
  }
  fail_unless_equals_int (n, G_N_ELEMENTS (sample_streams));
}

GST_END_TEST;

/* Another implementation's (pion/rtcp 1.2.20) of 65533 + i, and of the same
 * ten seconds later: it repeats from the first loss on. */
/* *INDENT-OFF* */
static const uint8_t foreign[2][32] = {
  {0x8b, 0xcd, 0, 7, 0, 0, 0, 0, 0x11, 0x11, 0x22, 0x22, 0xff, 0xfd, 0, 5,
   0xa2, 0, 0, 0, 0xe1, 0x80, 0, 0, 0x81, 0, 0, 0, 0x6f, 0x80, 0x7f, 0xff},
  {0x8b, 0xcd, 0, 7, 0, 0, 0, 0, 0x11, 0x11, 0x22, 0x22, 0xff, 0xfe, 0, 5,
   0, 0, 0xff, 0xfe, 0, 0, 0x9f, 0xfe, 0xc2, 0, 0, 0, 0x6f, 0x8a, 0x7f, 0xff},
};
/* *INDENT-ON* */

static const PspCcfbMetric foreign_metrics[2][5] = {
  {{true, PSP_ECN_ECT1, PSP_SECOND / 2}, {false, 0, PSP_TIME_UNKNOWN},
      {true, PSP_ECN_CE, 375 * PSP_MSECOND}, {false, 0, PSP_TIME_UNKNOWN},
      {true, 0, 250 * PSP_MSECOND}},
  {{false, 0, PSP_TIME_UNKNOWN}, {true, PSP_ECN_CE, PSP_TIME_UNKNOWN},
      {false, 0, PSP_TIME_UNKNOWN}, {true, 0, PSP_TIME_UNKNOWN},
      {true, PSP_ECN_ECT0, 500 * PSP_MSECOND}},
};

GST_START_TEST (test_parse_foreign)
{
  size_t position = 0;
  PspCcfb ccfb;
  PspCcfbStream stream;
  PspCcfbMetric metric;

  fail_unless (psp_ccfb_parse (foreign[__i__], sizeof foreign[0], &ccfb));
  fail_unless_equals_int64 (ccfb.timestamp, __i__ ? 0x6f8a7fff : 0x6f807fff);
  fail_unless (psp_ccfb_next_stream (&ccfb, &position, &stream));
  fail_unless_equals_int64 (stream.ssrc, 0x11112222);
  fail_unless_equals_int (stream.begin_seq, 65533 + __i__);
  fail_unless_equals_int (stream.n_reports, 5);
  for (unsigned i = 0; i < stream.n_reports; i++) {
    const PspCcfbMetric *expected = &foreign_metrics[__i__][i];

    psp_ccfb_metric (&stream, i, &metric);
    fail_unless (metric.received == expected->received);
    fail_unless_equals_int (metric.ecn, expected->ecn);
    fail_unless_equals_int64 (metric.offset, expected->offset);
  }
  fail_if (psp_ccfb_next_stream (&ccfb, &position, &stream));
}

GST_END_TEST;

GST_START_TEST (test_pack)
{
  uint8_t data[sizeof sample];
  PspWriter w = psp_writer (data, sizeof data);
  PspCcfbPacker packer;

  /* ATO of "over range" packs from what is over range. */
  PspCcfbMetric over = { true, PSP_ECN_ECT1, 9 * PSP_SECOND };

  psp_ccfb_begin (&packer, &w, 0xdeadbeef);
  for (unsigned i = 0; i < G_N_ELEMENTS (sample_streams); i++) {
    const StreamRow *row = &sample_streams[i];

    psp_ccfb_stream (&packer, row->ssrc, row->begin_seq);
    for (unsigned k = 0; k < row->n_reports; k++)
      psp_ccfb_add_metric (&packer, i == 2 && k == 0 ? &over :
          &row->metrics[k]);
  }
  psp_ccfb_end (&packer, 0xaabbccdd);
  fail_if (w.error);
  fail_unless_equals_int (w.size, sizeof sample);
  fail_unless (memcmp (data, sample, sizeof sample) == 0);

  /* It does not fit in less. */
  for (size_t capacity = 0; capacity < sizeof sample; capacity++) {
    uint8_t *small = g_malloc (capacity);

    w = psp_writer (small, capacity);
    psp_ccfb_begin (&packer, &w, 0xdeadbeef);
    for (unsigned i = 0; i < G_N_ELEMENTS (sample_streams); i++) {
      psp_ccfb_stream (&packer, 1, 2);
      for (unsigned k = 0; k < sample_streams[i].n_reports; k++)
        psp_ccfb_add_metric (&packer, &over);
    }
    psp_ccfb_end (&packer, 0);
    fail_unless (w.error);
    g_free (small);
  }
}

GST_END_TEST;

#define TICKS(n) ((n) * PSP_SECOND / 1024)

static const struct
{
  int64_t offset;               /* ns */
  unsigned ato;
} ato_rows[] = {
  {0, 0},
  {PSP_MSECOND / 4, 0},
  {PSP_MSECOND, 1},
  {TICKS (512), 512},
  {TICKS (512) + 488281, 512},
  {TICKS (512) + 488282, 513},
  {TICKS (8189), 8189},
  {TICKS (8189) + 1, PSP_CCFB_ATO_OVERRANGE},   /* not rounded down */
  {PSP_TIME_NEVER, PSP_CCFB_ATO_OVERRANGE},
  {-1, PSP_CCFB_ATO_UNAVAILABLE},
  {PSP_TIME_UNKNOWN, PSP_CCFB_ATO_UNAVAILABLE},
};

GST_START_TEST (test_offsets)
{
  uint8_t data[24];
  PspWriter w = psp_writer (data, sizeof data);
  PspCcfbMetric metric = { true, 0, ato_rows[__i__].offset };
  PspCcfbPacker packer;

  psp_ccfb_begin (&packer, &w, 1);
  psp_ccfb_stream (&packer, 2, 3);
  psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, 4);
  fail_if (w.error);
  fail_unless_equals_int (data[16] << 8 | data[17],
      0x8000 | ato_rows[__i__].ato);
}

GST_END_TEST;

/* Every offset comes back as the step it was packed from. */
GST_START_TEST (test_offset_round_trip)
{
  uint8_t data[24];

  for (unsigned ato = 0; ato <= 0x1ffd; ato++) {
    uint8_t bits[2] = { (uint8_t) (0x80 | ato >> 8), (uint8_t) ato };
    PspCcfbStream stream = { 2, 3, 1, bits };
    PspWriter w = psp_writer (data, sizeof data);
    PspCcfbPacker packer;
    PspCcfbMetric metric;

    psp_ccfb_metric (&stream, 0, &metric);
    fail_unless_equals_int64 (metric.offset, TICKS ((int64_t) ato));
    psp_ccfb_begin (&packer, &w, 1);
    psp_ccfb_stream (&packer, 2, 3);
    psp_ccfb_add_metric (&packer, &metric);
    psp_ccfb_end (&packer, 4);
    fail_unless (memcmp (data + 16, bits, 2) == 0, "%u", ato);
  }
}

GST_END_TEST;

/* One octet (or the size) of the sample changed. */
static const struct
{
  const char *what;
  size_t size, at;
  uint8_t value;
  bool ok;
} hostile_rows[] = {
  {"as it is", 48, 4, 0xde, true},
  {"version 1", 48, 0, 0x4b, false},
  {"another FMT", 48, 0, 0x8f, false},
  {"another PT", 48, 1, 206, false},
  {"length too small", 48, 3, 10, false},
  {"length too large", 48, 3, 12, false},
  {"length huge", 48, 2, 0xff, false},
  {"count past the end", 48, 31, 200, false},
  {"count one too many", 48, 39, 3, false},
  {"a word short", 44, 3, 10, false},
  {"padding of 0xdd octets", 48, 0, 0xab, false},
};

GST_START_TEST (test_hostile)
{
  uint8_t data[64] = { 0 };

  memcpy (data, sample, sizeof sample);
  data[hostile_rows[__i__].at] = hostile_rows[__i__].value;
  fail_unless (parses (data, hostile_rows[__i__].size) ==
      hostile_rows[__i__].ok, "%s", hostile_rows[__i__].what);
}

GST_END_TEST;

GST_START_TEST (test_truncated)
{
  uint8_t data[sizeof sample];

  /* Cut anywhere, with the length as it was and made to fit. */
  for (size_t size = 0; size < sizeof sample; size++) {
    memcpy (data, sample, sizeof sample);
    fail_if (parses (data, size));
    data[3] = (uint8_t) (size / 4 - 1);
    if (size >= 4)
      parses (data, size);
  }
}

GST_END_TEST;

GST_START_TEST (test_padding)
{
  uint8_t data[sizeof sample + 8] = { 0 };
  PspCcfb ccfb;

  memcpy (data, sample, sizeof sample);
  data[0] |= 0x20;
  data[3] += 2;
  data[sizeof data - 1] = 8;
  fail_unless (psp_ccfb_parse (data, sizeof data, &ccfb));
  fail_unless_equals_int64 (ccfb.timestamp, 0xaabbccdd);
  for (unsigned padding = 0; padding < 256; padding++) {
    data[sizeof data - 1] = (uint8_t) padding;
    if (padding == 0 || padding % 4)
      fail_if (parses (data, sizeof data));
    else
      parses (data, sizeof data);
  }
}

GST_END_TEST;

GST_START_TEST (test_largest_block)
{
  const size_t capacity = 65536;
  uint8_t *data = g_malloc0 (capacity);
  PspWriter w = psp_writer (data, capacity);
  uint16_t n = PSP_CCFB_MAX_REPORTS;
  PspCcfbMetric metric = { true, 0, 0 };
  PspCcfbPacker packer;

  psp_ccfb_begin (&packer, &w, 1);
  psp_ccfb_stream (&packer, 2, 60000);
  for (unsigned i = 0; i < n; i++)
    psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, 3);
  fail_if (w.error);
  fail_unless_equals_int (w.size, 12 + 8 + 2 * n);
  fail_unless (parses (data, w.size));

  /* One more, with its octets all there. */
  data[3]++;
  data[15]++;
  fail_if (parses (data, w.size + 4));

  psp_ccfb_add_metric (&packer, &metric);
  fail_unless (w.error);
  g_free (data);
}

GST_END_TEST;

static Suite *
ccfb_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-ccfb");
  TCase *tc = tcase_create ("ccfb");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_parse);
  tcase_add_loop_test (tc, test_parse_foreign, 0, G_N_ELEMENTS (foreign));
  tcase_add_test (tc, test_pack);
  tcase_add_loop_test (tc, test_offsets, 0, G_N_ELEMENTS (ato_rows));
  tcase_add_test (tc, test_offset_round_trip);
  tcase_add_loop_test (tc, test_hostile, 0, G_N_ELEMENTS (hostile_rows));
  tcase_add_test (tc, test_truncated);
  tcase_add_test (tc, test_padding);
  tcase_add_test (tc, test_largest_block);
  return s;
}

GST_CHECK_MAIN (ccfb);
