/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/rtp.h>

typedef struct
{
  const char *what;
  uint8_t data[32];
  size_t data_size, size;
  bool ok;
  uint32_t payload_size;
} ParseRow;

#define FIXED(b0, b1) b0, b1, 0x12, 0x34, 0, 0, 1, 2, 0xca, 0xfe, 0xba, 0xbe
/* *INDENT-OFF* */
static const ParseRow parse_rows[] = {
  {"plain", {FIXED (0x80, 96), 1, 2, 3}, 15, 15, true, 3},
  {"marker", {FIXED (0x80, 0x80 | 32), 1}, 13, 13, true, 1},
  {"empty payload", {FIXED (0x80, 96)}, 12, 12, true, 0},
  {"one CSRC", {FIXED (0x81, 96), 9, 9, 9, 9, 1}, 17, 17, true, 1},
  {"CSRC cut off", {FIXED (0x81, 96), 9, 9, 9}, 15, 15, false, 0},
  {"extension", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 1, 2, 3, 4, 5}, 21, 21,
      true, 1},
  {"empty extension", {FIXED (0x90, 96), 0xbe, 0xde, 0, 0, 5}, 17, 17, true,
      1},
  {"extension cut off", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2, 1, 2, 3, 4}, 20,
      20, false, 0},
  {"extension without length", {FIXED (0x90, 96), 0xbe, 0xde}, 14, 14, false,
      0},
  {"padding", {FIXED (0xa0, 96), 7, 0, 0, 3}, 16, 16, true, 1},
  {"all padding", {FIXED (0xa0, 96), 0, 2}, 14, 14, true, 0},
  {"padding of 0", {FIXED (0xa0, 96), 7, 0}, 14, 14, false, 0},
  {"padding into header", {FIXED (0xa0, 96), 7, 3}, 14, 14, false, 0},
  {"padding bit, no octet", {FIXED (0xa0, 96)}, 12, 12, false, 0},
  {"version 1", {FIXED (0x40, 96), 1}, 13, 13, false, 0},
  {"short", {FIXED (0x80, 96)}, 11, 11, false, 0},
  {"nothing", {0}, 0, 0, false, 0},
  {"type 63", {FIXED (0x80, 63), 1}, 13, 13, true, 1},
  {"type 64", {FIXED (0x80, 64), 1}, 13, 13, false, 1},
  {"type 95", {FIXED (0x80, 0x80 | 95), 1}, 13, 13, false, 1},
  {"header only at hand", {FIXED (0x80, 96)}, 12, 1400, true, 1388},
  {"padding not at hand", {FIXED (0xa0, 96)}, 12, 1400, true, 1388},
  {"data beyond the packet", {FIXED (0x80, 96), 1, 2}, 14, 13, true, 1},
};
/* *INDENT-ON* */

GST_START_TEST (test_parse)
{
  const ParseRow *row = &parse_rows[__i__];
  PspRtpHeader h;
  /* A copy of its exact size lets the sanitizer see a read past its end. */
  uint8_t *data = g_memdup2 (row->data, row->data_size);

  fail_unless (psp_rtp_parse (data, row->data_size, row->size, &h) == row->ok,
      "%s", row->what);
  if (row->data_size >= 12) {
    fail_unless_equals_int (h.seq, 0x1234);
    fail_unless_equals_int (h.timestamp, 0x102);
    fail_unless_equals_int64 (h.ssrc, 0xcafebabe);
    fail_unless_equals_int (h.payload_type, row->data[1] & 0x7f);
    fail_unless (h.marker == row->data[1] >> 7);
    fail_unless_equals_int (h.size, row->size);
    fail_unless (h.payload_size == row->payload_size, "%s: %u", row->what,
        h.payload_size);
  }
  g_free (data);
}

GST_END_TEST;

/* *INDENT-OFF* */
static const struct
{
  const char *what;
  uint8_t data[40];
  size_t size;
  uint8_t id;
  int at;                       /* of the element's data; -1 = not found */
  size_t n;
  int grows;                    /* octets, where it is added; 0 = it cannot be */
} extension_rows[] = {
  {"one-byte form", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0x51, 7, 8, 0}, 20, 5,
      17, 2, 0},
  {"behind another and padding", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2, 0x10, 9,
      0, 0, 0x51, 7, 8, 0}, 24, 5, 21, 2, 0},
  {"behind CSRCs", {FIXED (0x91, 96), 1, 2, 3, 4, 0xbe, 0xde, 0, 1, 0x51, 7, 8,
      0}, 24, 5, 21, 2, 0},
  {"another one", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0x51, 7, 8, 0}, 20, 4,
      -1, 0, 4},
  {"another one, two-byte form", {FIXED (0x90, 96), 0x10, 0x0f, 0, 1, 200, 2, 7,
      8}, 20, 5, -1, 0, 4},
  {"a high ID and no extension", {FIXED (0x81, 96), 1, 2, 3, 4}, 16, 200, -1, 0,
      8},
  {"behind the end", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2, 0xf0, 1, 0, 0, 0x51,
      7, 8, 0}, 24, 5, -1, 0, 0},
  {"behind padding that has a length", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2,
      0x01, 1, 2, 0, 0x51, 7, 8, 0}, 24, 5, -1, 0, 0},
  {"the end's ID", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0xf1, 1, 2, 0}, 20, 15,
      -1, 0, 0},
  {"longer than the extension", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0x53, 7, 8,
      0, 9}, 21, 5, -1, 0, 0},
  {"two-byte form", {FIXED (0x90, 96), 0x10, 0x0f, 0, 1, 200, 2, 7, 8}, 20, 200,
      18, 2, 0},
  {"empty, two-byte form", {FIXED (0x90, 96), 0x10, 0, 0, 1, 0, 0, 5, 0}, 20, 5,
      20, 0, 0},
  {"another profile's", {FIXED (0x90, 96), 0x20, 0, 0, 1, 0x51, 7, 8, 0}, 20, 5,
      -1, 0, 0},
  {"ID 0", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0, 0, 0, 0}, 20, 0, -1, 0, 0},
  {"no extension", {FIXED (0x80, 96), 0xbe, 0xde, 0, 1, 0x51, 7, 8, 0}, 20, 5,
      -1, 0, 8},
  {"extension cut off", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2, 0x51, 7, 8, 0}, 20,
      5, -1, 0, 0},
  {"nothing", {0}, 0, 5, -1, 0, 0},
};
/* *INDENT-ON* */

GST_START_TEST (test_extension)
{
  uint8_t *data = g_memdup2 (extension_rows[__i__].data,
      extension_rows[__i__].size);
  size_t n = 0;
  uint16_t value;
  const uint8_t *found = psp_rtp_find_extension (data,
      extension_rows[__i__].size, extension_rows[__i__].id, &n);

  fail_unless ((found ? (int) (found - data) : -1) ==
      extension_rows[__i__].at, "%s", extension_rows[__i__].what);
  fail_unless_equals_int (n, extension_rows[__i__].n);
  fail_unless (psp_rtp_read_extension (data, extension_rows[__i__].size,
          extension_rows[__i__].id, &value) == (n >= 2));
  fail_unless_equals_int (value, n >= 2 ? 0x0708 : 0);
  g_free (data);
}

GST_END_TEST;

/* What was not there is found behind what was, and the rest is as it was. */
GST_START_TEST (test_add_extension)
{
  static const uint8_t value[] = { 0xab, 0xcd };
  const size_t size = extension_rows[__i__].size;
  uint8_t *data;
  uint8_t added[64];
  PspRtpHeader before, after;

  if (extension_rows[__i__].at >= 0)
    return;
  data = g_memdup2 (extension_rows[__i__].data, size);
  for (size_t room = 0; room <= sizeof added; room++) {
    PspWriter w = psp_writer (added, room);
    size_t used = psp_rtp_add_extension (&w, data, size,
        extension_rows[__i__].id, value, sizeof value);
    uint16_t found;

    if (extension_rows[__i__].grows == 0 || used == 0) {
      fail_unless_equals_int (used, 0);
      fail_unless (extension_rows[__i__].grows == 0 || room < size + 8);
      continue;
    }
    fail_unless_equals_int (w.size, used + (size_t) extension_rows[__i__].grows);
    fail_unless (psp_rtp_read_extension (added, w.size,
            extension_rows[__i__].id, &found));
    fail_unless_equals_int (found, 0xabcd);
    psp_write_bytes (&w, data + used, size - used);
    if (w.error)
      continue;
    fail_unless (psp_rtp_parse (data, size, size, &before));
    fail_unless (psp_rtp_parse (added, w.size, w.size, &after));
    fail_unless_equals_int (after.payload_size, before.payload_size);
    fail_unless_equals_int (after.ssrc, before.ssrc);
  }
  g_free (data);
}

GST_END_TEST;

/* As much data as each form takes, and an extension that is as long as can be. */
GST_START_TEST (test_add_extension_limits)
{
  static const uint8_t fixed[12] = { 0x80, 96 };
  static uint8_t value[255], data[12 + 4 + 4 * 0xffff], added[sizeof data + 8];
  const struct
  {
    uint8_t n;
    uint8_t form;
  } rows[] = { {0, 0x10}, {1, 0xbe}, {16, 0xbe}, {17, 0x10}, {255, 0x10} };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PspWriter w = psp_writer (added, sizeof added);

    fail_unless_equals_int (psp_rtp_add_extension (&w, fixed, sizeof fixed, 5,
            value, rows[i].n), sizeof fixed);
    fail_unless_equals_int (added[12], rows[i].form);
    fail_unless_equals_int (w.size, 16 + (1u + (rows[i].form == 0x10) +
            rows[i].n + 3) / 4 * 4);
  }
  memcpy (data, fixed, sizeof fixed);
  data[0] |= 0x10;
  data[12] = 0xbe, data[13] = 0xde;
  for (unsigned words = 0xfffe; words <= 0xffff; words++) {
    PspWriter w = psp_writer (added, sizeof added);

    data[14] = 0xff, data[15] = (uint8_t) words;
    fail_unless ((psp_rtp_add_extension (&w, data, 16 + 4 * words, 5, value,
                2) > 0) == (words < 0xffff));
  }
}

GST_END_TEST;

GST_START_TEST (test_kind)
{
  for (unsigned type = 0; type < 256; type++) {
    uint8_t data[12] = { 0x80, (uint8_t) type };
    PspPacketKind want = type >= 192 && type <= 223 ? PSP_PACKET_RTCP :
        PSP_PACKET_RTP;

    fail_unless_equals_int (psp_packet_kind (data, sizeof data), want);
    data[0] = 0x40;             /* version 1 */
    fail_unless_equals_int (psp_packet_kind (data, sizeof data),
        PSP_PACKET_UNKNOWN);
    data[0] = 0x00;             /* STUN */
    fail_unless_equals_int (psp_packet_kind (data, sizeof data),
        PSP_PACKET_UNKNOWN);
    fail_unless_equals_int (psp_packet_kind (data, 1), PSP_PACKET_UNKNOWN);
  }
  fail_unless_equals_int (psp_packet_kind (NULL, 0), PSP_PACKET_UNKNOWN);

  /* What psp_rtp_parse refuses is just what, with the marker bit set, the
   * second octet of RTCP can be. */
  for (unsigned type = 0; type < 128; type++) {
    uint8_t data[12] = { 0x80, (uint8_t) (0x80 | type) };

    fail_unless (psp_rtp_payload_type_conflicts (type) ==
        (psp_packet_kind (data, sizeof data) == PSP_PACKET_RTCP));
  }
}

GST_END_TEST;

static Suite *
rtp_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-rtp");
  TCase *tc = tcase_create ("rtp");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_parse, 0, G_N_ELEMENTS (parse_rows));
  tcase_add_loop_test (tc, test_extension, 0, G_N_ELEMENTS (extension_rows));
  tcase_add_loop_test (tc, test_add_extension, 0,
      G_N_ELEMENTS (extension_rows));
  tcase_add_test (tc, test_add_extension_limits);
  tcase_add_test (tc, test_kind);
  return s;
}

GST_CHECK_MAIN (rtp);
