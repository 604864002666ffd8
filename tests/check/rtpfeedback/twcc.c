/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/twcc.h>

#define MAX_CHUNKS 6
#define MAX_BYTES 64

/* Chunks, by section 3.1.3 and 3.1.4 of the draft. */
#define RUN(symbol, n) ((symbol) << 13 | (n))
#define ONE_BIT(symbols) (0x8000 | (symbols))
#define TWO_BIT(symbols) (0xc000 | (symbols))
#define NONE 0                  /* symbols */
#define SMALL 1
#define LARGE 2
#define RESERVED 3

#define UNIT (64 * PSP_MSECOND) /* of the reference time */
#define TICK (250 * PSP_USECOND)        /* of a delta */
#define LOST INT64_C(-1000000)  /* ticks: not received */

/* A report, and what it says: arrivals in ticks after its reference time. */
typedef struct
{
  const char *what;
  uint16_t begin_seq, n_packets;
  uint16_t chunks[MAX_CHUNKS];
  unsigned n_chunks;
  uint8_t deltas[24];
  unsigned n_deltas;            /* bytes */
  int64_t arrivals[24];
} Row;

static const Row rows[] = {
  {"a run of small deltas", 7, 3, {RUN (SMALL, 3)}, 1,
      {4, 0, 255}, 3, {4, 4, 259}},
  {"a run of large ones", 7, 2, {RUN (LARGE, 2)}, 1,
      {0x7f, 0xff, 0x80, 0x00}, 4, {32767, -1}},
  {"a run of none", 7, 4, {RUN (NONE, 4)}, 1,
      {0}, 0, {LOST, LOST, LOST, LOST}},
  {"runs of no packets", 7, 1, {RUN (NONE, 0), RUN (RESERVED, 0),
          RUN (SMALL, 1)}, 3, {9}, 1, {9}},
  {"runs one behind the other", 7, 5, {RUN (SMALL, 2), RUN (NONE, 1),
          RUN (LARGE, 2)}, 3, {1, 1, 1, 0, 0xff, 0xff}, 6,
      {1, 2, LOST, 258, 257}},
  {"a longer run than packets", 7, 2, {RUN (SMALL, 8191)}, 1, {1, 2}, 2,
      {1, 3}},
  {"one bit each", 7, 14, {ONE_BIT (0x2001 | 0x0400)}, 1, {1, 2, 3}, 3,
      {1, LOST, LOST, 3, LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST,
          6}},
  {"one bit, for fewer packets", 7, 3, {ONE_BIT (0x3fff)}, 1, {1, 2, 3}, 3,
      {1, 3, 6}},
  {"two bits each", 7, 7, {TWO_BIT (SMALL << 12 | LARGE << 8 | SMALL)}, 1,
      {1, 0xff, 0xf0, 2}, 4, {1, LOST, -15, LOST, LOST, LOST, -13}},
  {"two bits, for fewer packets", 7, 2, {TWO_BIT (SMALL << 12 | SMALL << 10
                  | RESERVED << 8 | RESERVED)}, 1, {1, 2}, 2, {1, 3}},
  {"vectors and a run", 7, 23, {TWO_BIT (0), ONE_BIT (0x0001),
          RUN (SMALL, 2)}, 3, {1, 2, 3}, 3,
      {LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST,
          LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST, 1, 3, 6}},
  {"sequence numbers wrap around", 65534, 4, {RUN (SMALL, 4)}, 1,
      {1, 1, 1, 1}, 4, {1, 2, 3, 4}},
};

/* Writes the report; its size in bytes. padding: of RTCP; 0 = zeros to fill the
 * last word. */
static size_t
make (const Row * row, uint8_t * data, unsigned padding)
{
  PspWriter w = psp_writer (data, MAX_BYTES);

  psp_write_u8 (&w, 0x80 | (padding ? 0x20 : 0) | PSP_TWCC_FMT);
  psp_write_u8 (&w, PSP_RTCP_RTPFB);
  psp_write_u16 (&w, 0);
  psp_write_u32 (&w, 0xdeadbeef);
  psp_write_u32 (&w, 0x01020304);
  psp_write_u16 (&w, row->begin_seq);
  psp_write_u16 (&w, row->n_packets);
  psp_write_u32 (&w, 0xabcdefu << 8 | 200);
  for (unsigned i = 0; i < row->n_chunks; i++)
    psp_write_u16 (&w, row->chunks[i]);
  psp_write_bytes (&w, row->deltas, row->n_deltas);
  for (unsigned i = 1; i < padding; i++)
    psp_write_u8 (&w, 0xff);
  if (padding)
    psp_write_u8 (&w, (uint8_t) padding);
  while (w.size % 4)
    psp_write_u8 (&w, 0);
  fail_if (w.error);
  data[3] = (uint8_t) (w.size / 4 - 1);
  return w.size;
}

/* Bytes that fill the last word. */
static unsigned
filling (const Row * row)
{
  return (2 * row->n_chunks + 3 * row->n_deltas) % 4;
}

/* Both ways to iterate have the same packets as received. Returns how many. */
static unsigned
count_received (const PspTwcc * twcc)
{
  PspTwccIterator all, received;
  PspTwccPacket packet, same;
  unsigned n = 0;

  psp_twcc_begin (twcc, 0, &all);
  psp_twcc_begin (twcc, 0, &received);
  while (psp_twcc_next (&all, &packet)) {
    if (!packet.received)
      continue;
    fail_unless (psp_twcc_next_received (&received, &same));
    fail_unless (same.received);
    fail_unless_equals_int (same.seq, packet.seq);
    fail_unless_equals_int64 (same.arrived_at, packet.arrived_at);
    n++;
  }
  fail_if (psp_twcc_next_received (&received, &same));
  fail_if (received.chunks.error || received.deltas.error);
  fail_unless_equals_int (received.chunks.left, 0);
  fail_unless_equals_int (received.deltas.left, 0);
  return n;
}

/* Parses a copy of the exact size, for the sanitizer to see a read past it, and
 * reads all of it. */
static bool
parses (const uint8_t * data, size_t size)
{
  uint8_t *copy = g_memdup2 (data, size);
  PspTwccIterator it;
  PspTwccPacket packet;
  PspTwcc twcc;
  bool ok = psp_twcc_parse (copy, size, &twcc);
  unsigned n = 0;

  if (ok) {
    psp_twcc_begin (&twcc, 0, &it);
    while (psp_twcc_next (&it, &packet))
      n++;
    fail_unless_equals_int (n, twcc.n_packets);
    fail_if (it.chunks.error || it.deltas.error);
    fail_unless_equals_int (it.chunks.left, 0);
    fail_unless_equals_int (it.deltas.left, 0);
    fail_unless_equals_int (count_received (&twcc), twcc.n_received);
  }
  g_free (copy);
  return ok;
}

/* times: the report has them. */
static void
check_packets (const PspTwcc * twcc, const int64_t * arrivals, bool times)
{
  PspTwccIterator it;
  PspTwccPacket packet;
  unsigned n = 0;

  psp_twcc_begin (twcc, 5 * UNIT, &it);
  while (psp_twcc_next (&it, &packet)) {
    bool received = arrivals[n] != LOST;

    fail_unless_equals_int (packet.seq, (uint16_t) (twcc->begin_seq + n));
    fail_unless (packet.received == received, "%u", n);
    fail_unless_equals_int64 (packet.arrived_at, received && times ?
        5 * UNIT + arrivals[n] * TICK : PSP_TIME_UNKNOWN);
    n++;
  }
  fail_unless_equals_int (n, twcc->n_packets);
  fail_if (psp_twcc_next (&it, &packet));
}

GST_START_TEST (test_rows)
{
  const Row *row = &rows[__i__];
  uint8_t data[MAX_BYTES];
  size_t size = make (row, data, 0);
  PspTwcc twcc;

  fail_unless (psp_twcc_parse (data, size, &twcc), "%s", row->what);
  fail_unless_equals_int64 (twcc.sender_ssrc, 0xdeadbeef);
  fail_unless_equals_int64 (twcc.media_ssrc, 0x01020304);
  fail_unless_equals_int (twcc.begin_seq, row->begin_seq);
  fail_unless_equals_int (twcc.n_packets, row->n_packets);
  fail_unless_equals_int64 (twcc.reference, 0xabcdef);
  fail_unless_equals_int (twcc.count, 200);
  fail_unless (twcc.has_times);
  check_packets (&twcc, row->arrivals, true);
  fail_unless (parses (data, size));
}

GST_END_TEST;

/* RTCP's padding is not taken for deltas, whatever its size. */
GST_START_TEST (test_padding)
{
  const Row *row = &rows[__i__];
  uint8_t data[MAX_BYTES];
  PspTwcc twcc;

  for (unsigned words = 0; words < 3; words++) {
    unsigned padding = filling (row) + 4 * words;
    size_t size = make (row, data, padding);

    fail_unless (psp_twcc_parse (data, size, &twcc));
    fail_unless (twcc.has_times);
    check_packets (&twcc, row->arrivals, true);
    if (padding == 0)
      continue;
    data[size - 1] = 0;
    fail_if (parses (data, size));
    data[size - 1] = (uint8_t) (size - 19);
    fail_if (parses (data, size));
    data[size - 1] = 255;
    fail_if (parses (data, size));
  }
}

GST_END_TEST;

/* No deltas at all is a report without times; a part of them is none. */
GST_START_TEST (test_without_times)
{
  Row row = rows[__i__];
  uint8_t data[MAX_BYTES];
  PspTwcc twcc;

  for (row.n_deltas = 0; row.n_deltas < rows[__i__].n_deltas; row.n_deltas++) {
    unsigned padding = filling (&row);
    size_t size = make (&row, data, padding ? padding : 4);
    bool ok = psp_twcc_parse (data, size, &twcc);

    fail_unless (ok == (row.n_deltas < 4));
    if (ok) {
      fail_if (twcc.has_times);
      check_packets (&twcc, row.arrivals, false);
    }
  }
}

GST_END_TEST;

static const Row refused[] = {
  {"no packets", 7, 0, {RUN (SMALL, 1)}, 1, {1}, 1, {0}},
  {"no chunk", 7, 1, {0}, 0, {0}, 0, {0}},
  {"too few packets in chunks", 7, 22, {TWO_BIT (0), ONE_BIT (0)}, 2,
      {0}, 0, {0}},
  {"only runs of none", 7, 1, {RUN (SMALL, 0), RUN (SMALL, 0)}, 2, {0}, 0,
      {0}},
  {"more than half the sequence space", 7, 32769, {RUN (NONE, 8191),
              RUN (NONE, 8191), RUN (NONE, 8191), RUN (NONE, 8191),
          RUN (NONE, 8191)}, 5, {0}, 0, {0}},
  {"a run of what is reserved", 7, 1, {RUN (RESERVED, 1)}, 1, {1, 2, 3}, 3,
      {0}},
  {"a symbol that is reserved", 7, 7, {TWO_BIT (RESERVED)}, 1, {1, 2, 3}, 3,
      {0}},
  {"fewer deltas than packets", 7, 8, {RUN (SMALL, 8)}, 1, {1, 2, 3, 4, 5, 6},
      6, {0}},
};

GST_START_TEST (test_refused)
{
  uint8_t data[MAX_BYTES];
  size_t size = make (&refused[__i__], data, 0);

  fail_if (parses (data, size), "%s", refused[__i__].what);
}

GST_END_TEST;

GST_START_TEST (test_most_packets)
{
  Row row = { "", 7, 32768, {RUN (NONE, 8191), RUN (NONE, 8191),
      RUN (NONE, 8191), RUN (NONE, 8191), ONE_BIT (0)}, 5, {0}, 0, {0}
  };
  uint8_t data[MAX_BYTES];
  size_t size = make (&row, data, 0);

  fail_unless (parses (data, size));
}

GST_END_TEST;

/* A byte of the first row's report changed. */
static const struct
{
  const char *what;
  size_t at;
  uint8_t value;
  bool ok;
} bytes[] = {
  {"as it is", 0, 0x8f, true},
  {"version 1", 0, 0x4f, false},
  {"another FMT", 0, 0x8b, false},
  {"another PT", 1, 206, false},
  {"length too small", 3, 5, false},
  {"length too large", 3, 7, false},
  {"length huge", 2, 0xff, false},
  {"many packets more", 14, 0x10, false},
  {"one packet less", 15, 2, true},
  {"another reference time", 16, 0, true},
};

GST_START_TEST (test_bytes)
{
  uint8_t data[MAX_BYTES];
  size_t size = make (&rows[0], data, 0);

  data[bytes[__i__].at] = bytes[__i__].value;
  fail_unless (parses (data, size) == bytes[__i__].ok, "%s", bytes[__i__].what);
}

GST_END_TEST;

GST_START_TEST (test_truncated)
{
  uint8_t data[MAX_BYTES], whole[MAX_BYTES];
  size_t all = make (&rows[4], whole, 0);

  /* Cut anywhere, with the length as it was and made to fit; without deltas it is
   * a report without times. */
  for (size_t size = 0; size < all; size++) {
    memcpy (data, whole, all);
    fail_if (parses (data, size));
    data[3] = (uint8_t) (size / 4 - 1);
    if (size >= 4)
      fail_unless (parses (data, size) == (size == 28));
  }
}

GST_END_TEST;

/* GStreamer's rtpsession (1.22.0) of packets that were given to it. */
/* *INDENT-OFF* */
static const uint8_t in_order[] = {
  0x8f, 0xcd, 0x00, 0x06, 0xca, 0x61, 0xe8, 0x98, 0x11, 0x22, 0x33, 0x44,
  0xff, 0xfd, 0x00, 0x05, 0x00, 0x00, 0x0f, 0x00, 0x20, 0x05, 0xa0, 0x04,
  0x05, 0x03, 0x02, 0x00,
};
static const uint8_t reordered[] = {
  0x8f, 0xcd, 0x00, 0x08, 0xb9, 0xb3, 0xd5, 0xa5, 0x11, 0x22, 0x33, 0x44,
  0x00, 0x0a, 0x00, 0x09, 0x00, 0x00, 0x1f, 0x00, 0xd4, 0x1a, 0xe4, 0x00,
  0x40, 0x04, 0x08, 0x01, 0x88, 0xff, 0xfc, 0x06, 0x40, 0x02, 0x00, 0x00,
};
static const uint8_t each_third_lost[] = {
  0x8f, 0xcd, 0x00, 0x0d, 0xd4, 0x54, 0xb0, 0xe1, 0x11, 0x22, 0x33, 0x44,
  0x00, 0x65, 0x00, 0x26, 0x00, 0x00, 0x2e, 0x00, 0x20, 0x02, 0x9b, 0x6d,
  0xad, 0xb6, 0xb6, 0xc0, 0xe8, 0x08, 0x10, 0x08, 0x10, 0x08, 0x10, 0x08,
  0x10, 0x08, 0x10, 0x08, 0x10, 0x08, 0x10, 0x08, 0x10, 0x08, 0x10, 0x08,
  0x10, 0x08, 0x10, 0x08, 0x10, 0x08, 0x00, 0x00,
};
/* *INDENT-ON* */

#define US(us) ((us) * PSP_USECOND)

/* Arrivals in ns, rounded down to 250 us. */
static void
check_foreign (const uint8_t * data, size_t size, uint16_t begin_seq,
    const int64_t * arrivals, unsigned n)
{
  PspTwccIterator it;
  PspTwccPacket packet;
  PspTwcc twcc;

  fail_unless (psp_twcc_parse (data, size, &twcc));
  fail_unless_equals_int64 (twcc.media_ssrc, 0x11223344);
  fail_unless_equals_int (twcc.n_packets, n);
  psp_twcc_begin (&twcc, psp_twcc_reference_time (&twcc, PSP_TIME_UNKNOWN),
      &it);
  for (unsigned i = 0; i < n; i++) {
    fail_unless (psp_twcc_next (&it, &packet));
    fail_unless_equals_int (packet.seq, (uint16_t) (begin_seq + i));
    fail_unless (packet.received == (arrivals[i] != LOST));
    fail_unless_equals_int64 (packet.arrived_at, packet.received ? arrivals[i] :
        PSP_TIME_UNKNOWN);
  }
  fail_if (psp_twcc_next (&it, &packet));
}

GST_START_TEST (test_foreign)
{
  /* The last was at 1003.6 ms. */
  static const int64_t first[] = { US (1000000), US (1001000), US (1002250),
    US (1003000), US (1003500)
  };
  static const int64_t second[] = { US (2000000), US (2001000), LOST, LOST,
    US (2003000), US (2101000), US (2100000), US (2500000), US (2500500)
  };
  int64_t third[38];

  check_foreign (in_order, sizeof in_order, 65533, first, G_N_ELEMENTS (first));
  check_foreign (reordered, sizeof reordered, 10, second,
      G_N_ELEMENTS (second));
  for (unsigned i = 0; i < G_N_ELEMENTS (third); i++)
    third[i] = (101 + i - 100) % 3 == 0 ? LOST : US (3002000 + 2000 * i);
  check_foreign (each_third_lost, sizeof each_third_lost, 101, third,
      G_N_ELEMENTS (third));
}

GST_END_TEST;

#define WRAP INT64_C(0x1000000)

/* In units of 64 ms. */
static const struct
{
  uint32_t reference;
  int64_t previous, expected;
} references[] = {
  {5, 5, 5},
  {6, 5, 6},
  {4, 5, 4},
  {0, WRAP - 1, WRAP},          /* it wraps around */
  {WRAP - 1, WRAP, WRAP - 1},   /* an older report comes later */
  {WRAP - 1, 0, -1},
  {1, 3 * WRAP, 3 * WRAP + 1},
  {WRAP - 2, 3 * WRAP, 3 * WRAP - 2},
  {WRAP / 2 - 1, 0, WRAP / 2 - 1},
  {WRAP / 2, 0, -WRAP / 2},
  {5, -WRAP, 5 - WRAP},
  {7, (INT64_C (1) << 35) - 1, 7},      /* too far: it begins anew */
};

GST_START_TEST (test_reference_time)
{
  PspTwcc twcc = {.reference = references[__i__].reference };

  fail_unless_equals_int64 (psp_twcc_reference_time (&twcc,
          references[__i__].previous * UNIT),
      references[__i__].expected * UNIT);
  fail_unless_equals_int64 (psp_twcc_reference_time (&twcc,
          PSP_TIME_UNKNOWN), references[__i__].reference * UNIT);
}

GST_END_TEST;

/* However many reports lead the time line away, either way. */
GST_START_TEST (test_time_line_ends)
{
  int64_t step = __i__ ? WRAP / 2 - 1 : -WRAP / 2;
  int64_t time = PSP_TIME_UNKNOWN, furthest = 0;
  PspTwcc twcc = { 0 };

  for (unsigned i = 0; i < 100000; i++) {
    time = psp_twcc_reference_time (&twcc, time);
    furthest = MAX (furthest, ABS (time));
    twcc.reference = (uint32_t) (twcc.reference + step) & 0xffffff;
  }
  fail_unless (furthest > INT64_MAX / 8);
  fail_unless (furthest < INT64_MAX / 2);
}

GST_END_TEST;

static Suite *
twcc_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-twcc");
  TCase *tc = tcase_create ("twcc");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_padding, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_without_times, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tc, test_most_packets);
  tcase_add_loop_test (tc, test_bytes, 0, G_N_ELEMENTS (bytes));
  tcase_add_test (tc, test_truncated);
  tcase_add_test (tc, test_foreign);
  tcase_add_loop_test (tc, test_reference_time, 0, G_N_ELEMENTS (references));
  tcase_add_loop_test (tc, test_time_line_ends, 0, 2);
  return s;
}

GST_CHECK_MAIN (twcc);
