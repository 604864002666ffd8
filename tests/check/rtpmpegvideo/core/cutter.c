/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "cutter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 8192

/* Units of a picture, each a letter and its size: sequence header, eXtension,
 * Group, Picture, User data, slice (s), sequence End, Junk (a reserved start
 * code), Zeros. Expected payloads: bytes of headers + bytes of body and the
 * flags S, B, E. */
static const struct
{
  const char *what;
  size_t room;
  const char *picture;
  const char *payloads;
} rows[] = {
  /* *INDENT-OFF* */
  {"all in one", 1000, "S12 X10 G8 P9 X9 s100 s100", "48+200SBE"},
  {"slices join while they fit", 300, "P9 X9 s100 s100 s100 s100 s100",
      "18+200BE 0+300BE"},
  {"exactly full", 300, "P9 X9 s282 s300 s150 s150",
      "18+282BE 0+300BE 0+300BE"},
  {"one byte too long for the headers", 300, "P9 X9 s283", "18+0 0+283BE"},
  {"one byte too long to join", 300, "P9 s100 s192 s10",
      "9+100BE 0+202BE"},
  {"the longest that is whole", 300, "P9 s100 s300 s301",
      "9+100BE 0+300BE 0+300B 0+1E"},
  {"a cut slice follows headers", 300, "P9 X9 s700", "18+282B 0+300 0+118E"},
  {"nothing follows its end", 300, "P9 X9 s400 s50 s50",
      "18+282B 0+118E 0+100BE"},
  {"it follows no slice", 300, "P9 s100 s400 s50",
      "9+100BE 0+300B 0+100E 0+50BE"},
  {"it ends with a payload", 300, "P9 s591 s600 s20",
      "9+291B 0+300E 0+300B 0+300E 0+20BE"},
  {"two in a row", 300, "P9 s400 s400", "9+291B 0+109E 0+300B 0+100E"},
  {"a slice that fits without them leaves the headers", 300,
      "S140 X10 G8 P9 X9 s200 s100", "176+0S 0+300BE"},
  {"a sequence without group", 300, "S12 X10 P9 X9 s100", "22+0S 18+100BE"},
  {"a group without sequence", 300, "G8 U5 P9 s100", "22+100BE"},
  {"a sequence behind what is no header", 300, "U9 S12 G8 P9 s10",
      "9+0 29+10SBE"},
  {"a group behind a picture", 300, "P9 G8 P9 s10", "9+0 17+10BE"},
  {"a picture behind a picture", 300, "P9 P9 s10", "9+0 9+10BE"},
  {"user data between them", 300, "S12 U9 G8 U9 P9 U9 s100", "56+100SBE"},
  {"each header whole", 270, "P9 X9 X261 X9 s10", "18+0 270+0 0+10BE"},
  {"user data whole where it fits", 300, "P9 U292 s20", "9+0 292+0 0+20BE"},
  {"user data cut", 300, "P9 U700 s100", "9+0 300+0 300+0 100+0 0+100BE"},
  {"nothing follows their end", 300, "P9 U400 X9 s50",
      "9+0 300+0 100+0 9+50BE"},
  {"too little behind headers", 300, "P285 s400", "285+0 0+300B 0+100E"},
  {"just enough behind headers", 300, "P284 s400", "284+16B 0+300 0+84E"},
  {"the end of the sequence", 300, "P9 s100 E4", "9+104B"},
  {"it has no place", 109, "P9 s100 E4", "9+100BE 0+4"},
  {"it has no place behind a cut slice", 300, "P9 s591 E8",
      "9+291B 0+300E 0+8"},
  {"it goes with the end of one", 300, "P9 s400 E4", "9+291B 0+113"},
  {"more of it than a payload", 300, "P9 s10 E700",
      "9+10BE 0+300 0+300 0+100"},
  {"stuffing is the slice's", 300, "P9 s100 Z50 s142", "9+150BE 0+142BE"},
  {"a reserved code too", 300, "P9 s100 J50 s142", "9+150BE 0+142BE"},
  {"and of one that is cut", 300, "P9 s400 J50 s20",
      "9+291B 0+159E 0+20BE"},
  {"zeros go before a header", 300, "Z5 P9 s20", "14+20BE"},
  {"headers only", 300, "S12 X10 G8", "30+0S"},
  {"no headers", 300, "s100 s100 s200", "0+200BE 0+200BE"},
  {"no slices", 300, "P9 X9 E4", "18+4"},
  {"no start codes", 300, "Z700", "300+0 300+0 100+0"},
  {"nothing", 300, "", ""},
  /* *INDENT-ON* */
};

typedef struct
{
  uint8_t data[MAX_SIZE];
  size_t size, headers_size, slices_end;
} Picture;

static unsigned
code_of (char unit)
{
  switch (unit) {
    case 'S':
      return M2V_CODE_SEQUENCE;
    case 'X':
      return M2V_CODE_EXTENSION;
    case 'G':
      return M2V_CODE_GROUP;
    case 'P':
      return M2V_CODE_PICTURE;
    case 'U':
      return M2V_CODE_USER_DATA;
    case 'E':
      return M2V_CODE_SEQUENCE_END;
    case 'J':
      return 0xb0;
    default:
      return M2V_CODE_SLICE_MIN;
  }
}

/* Fillers look like parts of start codes, but are none. */
static void
make_picture (Picture * p, const char *units)
{
  static const uint8_t filler[] = { 0xff, 0x01, 0x00, 0x02, 0x00, 0x01 };
  bool slices = false;

  memset (p, 0, sizeof *p);
  while (*units) {
    char unit = *units;
    size_t size = strtoul (units + 1, (char **) &units, 10), i = 0;
    uint8_t *out = p->data + p->size;

    while (*units == ' ')
      units++;
    p->size += size;
    g_assert (p->size <= MAX_SIZE);
    slices |= unit == 's';
    if (unit != 'Z') {
      memcpy (out, "\0\0\1", 3);
      out[3] = (uint8_t) code_of (unit);
      for (i = 4; i < size; i++)
        out[i] = filler[i % sizeof filler];
      out[size - 1] |= size > 4 ? 0x80 : 0;
    }
    if (!slices && unit != 'E')
      p->headers_size = p->slices_end = p->size;
    else if (unit != 'E')
      p->slices_end = p->size;
  }
}

static void
describe (char *out, size_t size, const RtpMpegCut * cut)
{
  size_t used = strlen (out);

  snprintf (out + used, size - used, "%s%zu+%zu%s%s%s", used ? " " : "",
      cut->headers.size, cut->body.size, cut->sequence ? "S" : "",
      cut->begin_slice ? "B" : "", cut->end_slice ? "E" : "");
}

GST_START_TEST (test_rows)
{
  RtpMpegCutter c;
  RtpMpegCut cut;
  Picture p;
  size_t headers = 0, position;
  char payloads[256] = "";

  make_picture (&p, rows[__i__].picture);
  position = p.headers_size;
  rtp_mpeg_cutter_init (&c, p.data, p.headers_size, p.data, p.headers_size,
      p.slices_end, p.size);
  while (rtp_mpeg_cutter_next (&c, rows[__i__].room, &cut)) {
    fail_unless (cut.headers.size + cut.body.size > 0);
    fail_unless (cut.headers.size + cut.body.size <= rows[__i__].room);
    fail_unless_equals_uint64 (cut.headers.offset, headers);
    fail_unless_equals_uint64 (cut.body.offset, position);
    headers += cut.headers.size;
    position += cut.body.size;
    describe (payloads, sizeof payloads, &cut);
  }
  fail_unless (rtp_mpeg_cutter_is_done (&c));
  fail_unless_equals_uint64 (headers, p.headers_size);
  fail_unless_equals_uint64 (position, p.size);
  fail_unless (strcmp (payloads, rows[__i__].payloads) == 0,
      "%s: %s, expected %s", rows[__i__].what, payloads, rows[__i__].payloads);
}

GST_END_TEST;

/* Headers that lie elsewhere than the slices. */
GST_START_TEST (test_headers_apart)
{
  RtpMpegCutter c;
  RtpMpegCut cut;
  Picture headers, p;
  char payloads[256] = "";

  make_picture (&headers, "S12 X10 G8 P9 X9");
  make_picture (&p, "P9 X9 s100 s300");
  rtp_mpeg_cutter_init (&c, headers.data, headers.headers_size, p.data,
      p.headers_size, p.slices_end, p.size);
  while (rtp_mpeg_cutter_next (&c, 300, &cut))
    describe (payloads, sizeof payloads, &cut);
  fail_unless_equals_string (payloads, "48+100SBE 0+300BE");
}

GST_END_TEST;

/* Behind a slice, any start code value, at any distance from the payload's end:
 * it ends the slice where it begins another one, else it is part of it. */
static void
check_code (unsigned code)
{
  bool is_slice = code >= 0x01 && code <= 0xaf;
  size_t slice = is_slice ? 200 : 280;
  RtpMpegCutter c;
  RtpMpegCut cut;
  Picture p;

  make_picture (&p, "P9 s200 s80 s20");
  p.data[9 + 200 + 3] = (uint8_t) code;
  for (size_t room = 200; room < 320; room++) {
    size_t expected;

    if (room >= 9 + 300)
      expected = 300;
    else if (room >= 9 + 280)
      expected = 280;
    else if (room >= 9 + slice)
      expected = slice;
    else
      expected = room >= slice ? 0 : room - 9;
    rtp_mpeg_cutter_init (&c, p.data, 9, p.data, 9, p.size, p.size);
    fail_unless (rtp_mpeg_cutter_next (&c, room, &cut));
    fail_unless (cut.body.size == expected, "code %02x, room %zu: %zu", code,
        room, cut.body.size);
  }
}

GST_START_TEST (test_all_codes)
{
  for (unsigned code = 0; code < 256; code++)
    check_code (code);
}

GST_END_TEST;

static Suite *
cutter_suite (void)
{
  Suite *s = suite_create ("cutter");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_headers_apart);
  tcase_add_test (tc, test_all_codes);
  return s;
}

GST_CHECK_MAIN (cutter);
