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
} extension_rows[] = {
  {"one-byte form", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0x51, 7, 8, 0}, 20, 5,
      17, 2},
  {"behind another and padding", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2, 0x10, 9,
      0, 0, 0x51, 7, 8, 0}, 24, 5, 21, 2},
  {"behind CSRCs", {FIXED (0x91, 96), 1, 2, 3, 4, 0xbe, 0xde, 0, 1, 0x51, 7, 8,
      0}, 24, 5, 21, 2},
  {"another one", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0x51, 7, 8, 0}, 20, 4,
      -1, 0},
  {"behind the end", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2, 0xf0, 1, 0, 0, 0x51,
      7, 8, 0}, 24, 5, -1, 0},
  {"behind padding that has a length", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2,
      0x01, 1, 2, 0, 0x51, 7, 8, 0}, 24, 5, -1, 0},
  {"the end's ID", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0xf1, 1, 2, 0}, 20, 15,
      -1, 0},
  {"longer than the extension", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0x53, 7, 8,
      0, 9}, 21, 5, -1, 0},
  {"two-byte form", {FIXED (0x90, 96), 0x10, 0x0f, 0, 1, 200, 2, 7, 8}, 20, 200,
      18, 2},
  {"empty, two-byte form", {FIXED (0x90, 96), 0x10, 0, 0, 1, 0, 0, 5, 0}, 20, 5,
      20, 0},
  {"another profile's", {FIXED (0x90, 96), 0x20, 0, 0, 1, 0x51, 7, 8, 0}, 20, 5,
      -1, 0},
  {"ID 0", {FIXED (0x90, 96), 0xbe, 0xde, 0, 1, 0, 0, 0, 0}, 20, 0, -1, 0},
  {"no extension", {FIXED (0x80, 96), 0xbe, 0xde, 0, 1, 0x51, 7, 8, 0}, 20, 5,
      -1, 0},
  {"extension cut off", {FIXED (0x90, 96), 0xbe, 0xde, 0, 2, 0x51, 7, 8, 0}, 20,
      5, -1, 0},
  {"nothing", {0}, 0, 5, -1, 0},
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
  tcase_add_test (tc, test_kind);
  return s;
}

GST_CHECK_MAIN (rtp);
