/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/bytes.h>

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

GST_START_TEST (test_read)
{
  PspReader r = psp_reader (bytes, sizeof bytes);

  fail_unless_equals_int (psp_read_u8 (&r), 1);
  fail_unless_equals_int (psp_read_u16 (&r), 0x0203);
  fail_unless_equals_int (psp_read_u32 (&r), 0x04050607);
  fail_unless (psp_read_bytes (&r, 0) == bytes + 7);
  fail_unless (psp_read_bytes (&r, 3) == bytes + 7);
  fail_unless_equals_int (r.left, 0);
  fail_if (r.error);
}

GST_END_TEST;

typedef enum
{
  U8,
  U16,
  U32,
  BYTES,
  N_KINDS
} Kind;

static const size_t sizes[N_KINDS] = { 1, 2, 4, 3 };

static uint32_t
read_one (PspReader * r, Kind kind)
{
  switch (kind) {
    case U8:
      return psp_read_u8 (r);
    case U16:
      return psp_read_u16 (r);
    case U32:
      return psp_read_u32 (r);
    default:
      return psp_read_bytes (r, sizes[BYTES]) != NULL;
  }
}

/* What is cut short is 0, and so is all behind it, though it would fit. */
GST_START_TEST (test_read_past_end)
{
  for (size_t size = 0; size < sizes[__i__]; size++) {
    uint8_t *data = g_memdup2 (bytes, size);
    PspReader r = psp_reader (data, size);

    fail_unless_equals_int (read_one (&r, __i__), 0);
    fail_unless (r.error);
    for (Kind kind = 0; kind < N_KINDS; kind++)
      fail_unless_equals_int (read_one (&r, kind), 0);
    fail_unless (r.error);
    g_free (data);
  }
}

GST_END_TEST;

static void
write_one (PspWriter * w, Kind kind)
{
  switch (kind) {
    case U8:
      psp_write_u8 (w, 1);
      break;
    case U16:
      psp_write_u16 (w, 0x0102);
      break;
    case U32:
      psp_write_u32 (w, 0x01020304);
      break;
    default:
      psp_write_bytes (w, bytes, sizes[BYTES]);
  }
}

/* Into an allocation of exactly that size. What does not fit writes nothing, and
 * nothing is written behind it. */
GST_START_TEST (test_write)
{
  for (size_t capacity = 0; capacity <= sizes[__i__] + 1; capacity++) {
    uint8_t *data = g_malloc0 (capacity);
    PspWriter w = psp_writer (data, capacity);
    bool fits = capacity >= sizes[__i__];

    write_one (&w, __i__);
    fail_unless (w.error == !fits);
    fail_unless_equals_int (w.size, fits ? sizes[__i__] : 0);
    fail_unless (w.size == 0 || memcmp (data, bytes, w.size) == 0);
    if (!fits) {
      for (Kind kind = 0; kind < N_KINDS; kind++)
        write_one (&w, kind);
      fail_unless (w.error && w.size == 0);
    }
    g_free (data);
  }
}

GST_END_TEST;

GST_START_TEST (test_room)
{
  uint8_t data[4];
  PspWriter w = psp_writer (data, sizeof data);

  fail_unless (psp_write_room (&w, 3) == data);
  fail_unless (psp_write_room (&w, 0) == data + 3);
  fail_unless (psp_write_room (&w, 1) == data + 3);
  fail_unless (psp_write_room (&w, SIZE_MAX) == NULL);
  fail_unless (w.error && w.size == 4);
  fail_unless (psp_write_room (&w, 0) == NULL);
  psp_write_bytes (&w, NULL, 0);
}

GST_END_TEST;

static Suite *
bytes_suite (void)
{
  Suite *s = suite_create ("bytes");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_read);
  tcase_add_loop_test (tc, test_read_past_end, 0, N_KINDS);
  tcase_add_loop_test (tc, test_write, 0, N_KINDS);
  tcase_add_test (tc, test_room);
  return s;
}

GST_CHECK_MAIN (bytes);
