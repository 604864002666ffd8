/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * H.264 through mpegscaler of which tests write the headers: fields in buffers of
 * their own, parameter sets that change or cannot be read, and what is hostile.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>
#include <string.h>

#include <h26x/h264gaps.h>

#include "gsth264headers.h"
#include "h264writer.h"

#define FRAME (40 * GST_MSECOND)
#define CAPS "video/x-h264,stream-format=byte-stream,alignment=au,width=64," \
    "height=64,framerate=25/1"

static const TestH264Sps interlaced = {
  .sps = {.log2_max_frame_num = 4,.log2_max_order_lsb = 8,.max_references = 2},
  .level = 30,.interlaced = TRUE
};

static H264Slice
make_slice (H264SliceType type, guint structure, guint frame_num, guint order)
{
  H264Slice slice = {
    .type = type,.reference = true,.structure = structure,
    .frame_num = frame_num,.order_lsb = order,.n_active = {1, 1}
  };

  return slice;
}

static GstBuffer *
to_buffer (GByteArray * bytes, GstClockTime pts, GstClockTime duration)
{
  gsize size = bytes->len;
  GstBuffer *buffer =
      gst_buffer_new_wrapped (g_byte_array_free (bytes, FALSE), size);

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  return buffer;
}

static guint64
count (GstHarness * h, const gchar * field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value), "%s", field);
  gst_structure_free (stats);
  return value;
}

/* Fields */

#define N_PAIRS 10              /* of a group */
#define N_GROUPS 8
#define FIELD_BYTES 200
#define FILLER 50
#define FILLER_BYTES (FILLER + 5)       /* with start code, header, end */

/* Of a pair a field: the first pair is an IDR picture and a P field of it,
 * every other of the rest is not referred to. The second fields are the larger
 * ones, and have filler data. */
static GByteArray *
write_field (guint group, guint pair, gboolean is_second)
{
  GByteArray *out = g_byte_array_new ();
  H264Slice slice = make_slice (pair == 0 && !is_second ? H264_I : H264_P,
      is_second ? H264_BOTTOM : H264_TOP, (pair + 1) / 2, 2 * pair + is_second);

  slice.idr = slice.type == H264_I;
  slice.idr_id = (guint16) (group % 2);
  slice.reference = pair % 2 == 0;
  test_h264_write_unit (out, 9, 1);
  if (slice.idr) {
    test_h264_write_sps (out, &interlaced);
    test_h264_write_pps (out, 0, 0, FALSE);
  }
  test_h264_write_slice (out, &interlaced, 0, FALSE, &slice, 0,
      FIELD_BYTES * (is_second ? 3 : 1));
  if (is_second)
    test_h264_write_unit (out, 12, FILLER);
  return out;
}

typedef struct
{
  guint64 bytes_in, bytes_out;
  guint64 filler;               /* of what leaves */
  guint n_out;
} Fields;

/* timed: buffers say how long they last. */
static void
push_fields (GstHarness * h, gboolean timed, Fields * f)
{
  memset (f, 0, sizeof *f);
  for (guint i = 0; i < N_GROUPS * N_PAIRS; i++) {
    guint passed[2];

    for (guint k = 0; k < 2; k++) {
      GByteArray *bytes = write_field (i / N_PAIRS, i % N_PAIRS, k);
      GstBuffer *out;

      f->bytes_in += bytes->len;
      fail_unless_equals_int (gst_harness_push (h, to_buffer (bytes,
                  i * FRAME + k * FRAME / 2, timed ? FRAME / 2 :
                  GST_CLOCK_TIME_NONE)), GST_FLOW_OK);
      out = gst_harness_try_pull (h);
      passed[k] = out != NULL;
      f->n_out += out != NULL;
      f->bytes_out += out ? gst_buffer_get_size (out) : 0;
      gst_clear_buffer (&out);
    }
    fail_unless_equals_int (passed[0], passed[1]);
    f->filler += passed[1] ? FILLER_BYTES : 0;
  }
}

static GstHarness *
start_harness (const gchar * caps, gint scale, guint64 target)
{
  GstHarness *h = gst_harness_new ("mpegscaler");

  g_object_set (h->element, "follow-events", FALSE, "scale", scale,
      "target-bitrate", target, NULL);
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* Both fields of a frame are counted, and both lose their filler data. */
GST_START_TEST (test_fields)
{
  static const gint scales[] = { 4, 3, 2, 0 };
  static const guint pairs[] = { 10, 7, 5, 1 };
  Fields f;

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    for (guint timed = 0; timed < 2; timed++) {
      GstHarness *h = start_harness (CAPS, scales[i], 0);
      guint64 rate;

      push_fields (h, timed, &f);
      fail_unless (f.n_out >= 2 * N_GROUPS * pairs[i]
          && f.n_out <= 2 * N_GROUPS * (pairs[i] + 1), "%u", f.n_out);
      fail_unless_equals_uint64 (count (h, "frames-passed"), f.n_out / 2);
      fail_unless_equals_uint64 (count (h, "bytes-in"), f.bytes_in);
      fail_unless_equals_uint64 (count (h, "bytes-out"), f.bytes_out);
      fail_unless_equals_uint64 (count (h, "stuffing-removed"),
          scales[i] < 4 ? f.filler : 0);
      rate = (f.bytes_in - N_GROUPS * N_PAIRS * FILLER_BYTES) * 8 * GST_SECOND
          / (N_GROUPS * N_PAIRS * FRAME);
      fail_unless (count (h, "bitrate-4") >= rate * 99 / 100
          && count (h, "bitrate-4") <= rate * 101 / 100);
      gst_harness_teardown (h);
    }
}

GST_END_TEST;

/* A target is for both. */
GST_START_TEST (test_fields_target)
{
  const guint64 whole = N_PAIRS * (4 * FIELD_BYTES + 60);
  const GstClockTime duration = N_PAIRS * FRAME;

  for (guint percent = 20; percent <= 90; percent += 10) {
    guint64 target = whole * 8 * percent * GST_SECOND / duration / 100;
    GstHarness *h = start_harness (CAPS, -1, target);
    guint64 bytes = 0;

    for (guint i = 0; i < N_GROUPS; i++) {
      bytes = 0;
      for (guint k = 0; k < 2 * N_PAIRS; k++) {
        GstBuffer *out;

        gst_harness_push (h, to_buffer (write_field (i, k / 2, k % 2),
                i * duration + k * FRAME / 2, FRAME / 2));
        out = gst_harness_try_pull (h);
        bytes += out ? gst_buffer_get_size (out) : 0;
        gst_clear_buffer (&out);
      }
      fail_unless (i < 2 || bytes * 100 <= whole * percent,
          "%u %%: %u of %u bytes", percent, (guint) bytes,
          (guint) (whole * percent / 100));
    }
    fail_unless (bytes > 0);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* Parameter sets */

typedef enum
{
  SETS_NONE,
  SETS_GOOD,
  SETS_BAD_SPS,                 /* of an impossible MaxFrameNum */
  SETS_BAD_PPS,                 /* of an SPS that is not there */
  SETS_BAD_OTHERS               /* both, which no slice names */
} Sets;

static const TestH264Sps progressive = {
  .sps = {.log2_max_frame_num = 4,.log2_max_order_lsb = 8,.max_references = 2},
  .level = 30
};

/* An IDR picture. */
static GByteArray *
write_idr (Sets sets)
{
  GByteArray *out = g_byte_array_new ();
  H264Slice slice = make_slice (H264_I, H264_FRAME, 0, 0);
  TestH264Sps sps = progressive;

  slice.idr = true;
  if (sets == SETS_BAD_SPS || sets == SETS_BAD_OTHERS)
    sps.sps.log2_max_frame_num = 20;
  if (sets == SETS_BAD_OTHERS)
    sps.id = 3;
  if (sets != SETS_NONE)
    test_h264_write_sps (out, &sps);
  if (sets != SETS_NONE)
    test_h264_write_pps (out, sps.id, sets == SETS_BAD_PPS ? 5 : sps.id, FALSE);
  test_h264_write_slice (out, &progressive, 0, FALSE, &slice, 0, 50);
  return out;
}

/* Slices are not read by an older set of the same id than the one that could not
 * be read: a decoder has lost that too. */
GST_START_TEST (test_bad_sets)
{
  static const struct
  {
    Sets sets;
    gboolean readable;
  } rows[] = {
    {SETS_NONE, FALSE}, {SETS_GOOD, TRUE}, {SETS_NONE, TRUE},
    {SETS_BAD_OTHERS, TRUE}, {SETS_NONE, TRUE}, {SETS_BAD_SPS, FALSE},
    {SETS_NONE, FALSE}, {SETS_GOOD, TRUE}, {SETS_NONE, TRUE},
    {SETS_BAD_PPS, FALSE}, {SETS_NONE, FALSE}, {SETS_GOOD, TRUE},
    {SETS_NONE, TRUE}
  };
  GstH264Headers *headers = gst_h264_headers_new ();
  GstCaps *caps = gst_caps_from_string (CAPS);

  fail_unless (gst_h264_headers_set_caps (headers, caps));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GByteArray *bytes = write_idr (rows[i].sets);
    const H26xPicture *picture =
        gst_h264_headers_read (headers, bytes->data, bytes->len);

    fail_unless (picture != NULL);
    fail_unless (picture->readable == rows[i].readable, "access unit %u", i);
    g_byte_array_unref (bytes);
  }
  gst_caps_unref (caps);
  gst_h264_headers_free (headers);
}

GST_END_TEST;

/* Gaps in frame_num */

/* An SPS in which the flag cannot be set, for it stands in an octet that emulation
 * prevention protects. */
static TestH264Sps
make_unsettable (void)
{
  TestH264Sps sps = {.sps = {.order_type = 1},.level = 30 };
  gboolean settable = TRUE;

  for (guint i = 0; settable && i < 13 * 8; i++) {
    GByteArray *bytes = g_byte_array_new ();

    sps.sps.log2_max_frame_num = 4 + i % 13;
    sps.sps.n_offsets = 1 + i / 13;
    sps.sps.offsets[sps.sps.n_offsets - 1] = 1 << 24;
    test_h264_write_sps (bytes, &sps);
    settable = h264_sps_allow_gaps (bytes->data + 4, bytes->len - 4);
    g_byte_array_unref (bytes);
  }
  fail_if (settable);
  return sps;
}

static const struct
{
  const gchar *name;
  gboolean unsettable;
  /* D an IDR picture with parameter sets, d without, P another picture, S one
   * with parameter sets; + and - set and unset allow-gaps, X stops the stream,
   * G lets it go on. */
  const gchar *input;
  /* Of each picture in its sequence: 1 frame_num may have gaps, 0 it may not, .
   * did not pass. */
  const gchar *expected;
} gaps[] = {
  {"never", FALSE, "DPSPdPDP", "00000000"},
  {"from the first on", FALSE, "+DPSPdPDP", "11111111"},
  {"with the next IDR picture", FALSE, "DP+PSPdPSP-PSPdPDP", "0000011111110000"},
  {"with its own sets", FALSE, "DP+PDPSP-PSDPS", "000111111000"},
  {"with the next that passes", FALSE, "DP+XdPDPGPdPS-XDPGdP", "00.....111..00"},
  {"cannot be set", TRUE, "+DDdD", "0000"},
};

/* R is an I picture with a recovery point. */
static GByteArray *
write_picture (gchar kind, const TestH264Sps * sps, guint * n, guint * idr)
{
  GByteArray *out = g_byte_array_new ();
  gboolean is_idr = g_ascii_toupper (kind) == 'D';
  H264Slice slice;

  *n = is_idr ? 0 : *n + 1;
  slice = make_slice (is_idr || kind == 'R' ? H264_I : H264_P, H264_FRAME, *n % 16, 2 * *n);
  slice.idr = is_idr;
  *idr += is_idr;
  slice.idr_id = (guint16) (*idr % 2);
  test_h264_write_unit (out, 9, 1);
  if (kind == 'D' || kind == 'S') {
    test_h264_write_sps (out, sps);
    test_h264_write_pps (out, 0, 0, FALSE);
  }
  if (kind == 'R')
    test_h264_write_recovery (out);
  test_h264_write_slice (out, sps, 0, FALSE, &slice, 0, 50);
  return out;
}

typedef struct
{
  GstHarness *scaler;
  GstH264Headers *decoder;      /* of what leaves */
  GstCaps *caps;                /* of that */
} Gaps;

/* What a decoder behind makes of it; '.': nothing left. */
static gchar
push_picture (Gaps * g, GByteArray * bytes)
{
  const H26xPicture *picture;
  GstCaps *caps;
  GstBuffer *out;
  GstMapInfo map;

  fail_unless_equals_int (gst_harness_push (g->scaler, to_buffer (bytes,
              GST_CLOCK_TIME_NONE, FRAME)), GST_FLOW_OK);
  out = gst_harness_try_pull (g->scaler);
  if (!out)
    return '.';
  caps = gst_pad_get_current_caps (g->scaler->sinkpad);
  if (!g->caps || !gst_caps_is_equal (caps, g->caps))
    fail_unless (gst_h264_headers_set_caps (g->decoder, caps));
  gst_caps_take (&g->caps, caps);
  gst_buffer_map (out, &map, GST_MAP_READ);
  picture = gst_h264_headers_read (g->decoder, map.data, map.size);
  gst_buffer_unmap (out, &map);
  gst_buffer_unref (out);
  fail_unless (picture && picture->readable);
  fail_unless_equals_int (gst_h264_headers_get_verdict (g->decoder),
      H264_DECODES);
  gst_h264_headers_passed (g->decoder);
  return gst_h264_headers_has_gaps (g->decoder) ? '1' : '0';
}

static gboolean
stats_gaps (GstHarness * h)
{
  GstStructure *stats;
  gboolean value = TRUE;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_boolean (stats, "gaps-allowed", &value));
  gst_structure_free (stats);
  return value;
}

static void
start_gaps (Gaps * g, const gchar * format, const TestH264Sps * sps)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GByteArray *sets = g_byte_array_new ();

  test_h264_write_sps (sets, sps);
  test_h264_write_pps (sets, 0, 0, FALSE);
  gst_caps_set_simple (caps, "stream-format", G_TYPE_STRING, format, NULL);
  if (strcmp (format, "byte-stream") != 0) {
    GstBuffer *codec_data = to_buffer (test_h264_codec_data (sets),
        GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);

    gst_caps_set_simple (caps, "codec_data", GST_TYPE_BUFFER, codec_data, NULL);
    gst_buffer_unref (codec_data);
  }
  g_byte_array_unref (sets);
  g->caps = NULL;
  g->decoder = gst_h264_headers_new ();
  gst_harness_set_src_caps (g->scaler, caps);
}

static void
obey_gaps (Gaps * g, gchar what)
{
  if (what == '+' || what == '-')
    g_object_set (g->scaler->element, "allow-gaps", what == '+', NULL);
  else
    gst_harness_push_upstream_event (g->scaler, gst_event_new_custom
        (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new ("GstCongestion",
                "reason", G_TYPE_STRING, "loss", "target-bitrate",
                G_TYPE_UINT64, (guint64) (what == 'X' ? 0 : 100000000), NULL)));
}

static void
run_gaps (guint row, const gchar * format)
{
  const TestH264Sps sps = gaps[row].unsettable ? make_unsettable ()
      : progressive;
  Gaps g = {.scaler = gst_harness_new ("mpegscaler") };
  GString *got = g_string_new (NULL);
  guint n = 0, idr = 0;

  if (gaps[row].input[0] == '+')
    obey_gaps (&g, '+');
  start_gaps (&g, format, &sps);
  for (const gchar * c = gaps[row].input; *c; c++) {
    GByteArray *bytes;

    if (!g_ascii_isalpha (*c) || *c == 'X' || *c == 'G') {
      obey_gaps (&g, *c);
      continue;
    }
    bytes = write_picture (*c, &sps, &n, &idr);
    if (strcmp (format, "byte-stream") != 0) {
      GByteArray *avc = test_h264_to_avc (bytes);

      g_byte_array_unref (bytes);
      bytes = avc;
    }
    g_string_append_c (got, push_picture (&g, bytes));
    fail_unless (got->str[got->len - 1] == '.' || stats_gaps (g.scaler)
        == (got->str[got->len - 1] == '1'));
  }
  fail_unless (strcmp (got->str, gaps[row].expected) == 0, "%s, %s: %s is not %s",
      gaps[row].name, format, got->str, gaps[row].expected);
  g_string_free (got, TRUE);
  gst_clear_caps (&g.caps);
  gst_h264_headers_free (g.decoder);
  gst_harness_teardown (g.scaler);
}

/* In band and in codec_data the flag is set from the first SPS on or from an IDR
 * picture on, which has the sets then, and never in between. */
GST_START_TEST (test_gaps)
{
  run_gaps (__i__, "byte-stream");
  run_gaps (__i__, "avc");
  run_gaps (__i__, "avc3");
}

GST_END_TEST;

/* What is not to be had */

#define GROUP 25

/* IDR groups of a second in which each picture refers to the one before, as of a
 * camera: how long the longest freeze is, from the third group on. */
static GstClockTime
push_groups (GstHarness * h, gboolean open, guint n_groups)
{
  GstClockTime last = 0, longest = 0;

  for (guint i = 0, n = 0, idr = 0; i < n_groups * GROUP; i++) {
    gchar kind = i % GROUP ? 'P' : open && i > 0 ? 'R' : 'D';
    GstBuffer *out;

    gst_harness_push (h, to_buffer (write_picture (kind, &progressive, &n, &idr),
            i * FRAME, FRAME));
    out = gst_harness_try_pull (h);
    if (!out)
      continue;
    if (i >= 2 * GROUP)
      longest = MAX (longest, GST_BUFFER_PTS (out) - last);
    last = GST_BUFFER_PTS (out);
    gst_buffer_unref (out);
  }
  return longest;
}

static const struct
{
  const gchar *name;
  gboolean open, allow_gaps;
  guint64 max_freeze;
  gint lowest_scale;
  gboolean floor;
} floors[] = {
  {"no limit", FALSE, FALSE, GST_CLOCK_TIME_NONE, -1, FALSE},
  {"no freeze", FALSE, FALSE, 0, 4, TRUE},
  {"a short freeze", FALSE, FALSE, 5 * FRAME, 4, TRUE},
  {"a long freeze", FALSE, FALSE, 24 * FRAME, 0, FALSE},
  {"open groups", TRUE, FALSE, GST_CLOCK_TIME_NONE, 4, TRUE},
  {"open groups, with gaps", TRUE, TRUE, GST_CLOCK_TIME_NONE, -1, FALSE},
};

/* A target that max-freeze or the stream does not let be reached: stats say so, and
 * what a scale would really pass. */
GST_START_TEST (test_floor)
{
  const guint64 target = 25 * 70 * 8 / 2;
  GstHarness *h = start_harness (CAPS, -1, target);
  GstStructure *stats;
  GstClockTime freeze;
  gboolean floor;
  guint64 lowest_rate;
  gint lowest;

  g_object_set (h->element, "max-freeze", floors[__i__].max_freeze, "allow-gaps",
      floors[__i__].allow_gaps, NULL);
  freeze = push_groups (h, floors[__i__].open, 12);
  fail_unless (floors[__i__].max_freeze == GST_CLOCK_TIME_NONE
      || freeze <= floors[__i__].max_freeze + FRAME);
  fail_unless (floors[__i__].floor || freeze > 5 * FRAME);
  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_boolean (stats, "floor", &floor)
      && gst_structure_get_int (stats, "lowest-scale", &lowest)
      && gst_structure_get_uint64 (stats, "bitrate-0", &lowest_rate));
  fail_unless_equals_int (floor, floors[__i__].floor);
  fail_unless_equals_int (lowest, floors[__i__].lowest_scale);
  fail_unless_equals_int (lowest_rate > target, floor);
  fail_unless_equals_int (count (h, "frames-held") > GROUP, floor);
  gst_structure_free (stats);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Layers and places */

/* Groups of an IDR picture and 8 more: every other one is a reference of temporal
 * layer 1 that refers to the last of layer 0, as those of layer 0 do, past that of
 * layer 1. */
static GByteArray *
write_layered (guint i, gboolean prefix)
{
  GByteArray *out = g_byte_array_new ();
  guint n = i % 9;
  H264Slice slice = make_slice (n ? H264_P : H264_I, H264_FRAME, n, 2 * n);

  slice.idr = n == 0;
  slice.idr_id = (guint16) (i / 9 % 2);
  if (n > 0 && n % 2 == 0) {
    slice.n_modifications[0] = 1;
    slice.modifications[0][0].value = 1;
  }
  test_h264_write_unit (out, 9, 1);
  if (n == 0) {
    test_h264_write_sps (out, &progressive);
    test_h264_write_pps (out, 0, 0, FALSE);
  }
  if (prefix)
    test_h264_write_prefix (out, n % 2, TRUE);
  test_h264_write_slice (out, &progressive, 0, FALSE, &slice, 0, 50);
  return out;
}

/* Layers that prefix NAL units signal can go by themselves where frame_num may have
 * gaps; and the place of what leaves says what it refers to. */
GST_START_TEST (test_layers)
{
  const gboolean prefix = __i__ % 2, allowed = __i__ / 2;
  GstHarness *h = start_harness (CAPS, 2, 0);
  guint64 left = 0;

  g_object_set (h->element, "allow-gaps", allowed, NULL);
  for (guint i = 0; i < 9 * 4; i++) {
    GstCodedPictureMeta *meta;
    guint n = i % 9, back;
    GstBuffer *out;

    gst_harness_push (h, to_buffer (write_layered (i, prefix), i * FRAME, FRAME));
    out = gst_harness_try_pull (h);
    if (prefix && allowed) {
      fail_unless_equals_int (out != NULL, n % 2 == 0);
    } else if (i > 9) {
      fail_unless_equals_int (out != NULL, n < 5);
    }
    if (!out)
      continue;
    meta = gst_buffer_get_coded_picture_meta (out);
    back = n == 0 ? 0 : (prefix && allowed) || n % 2 ? 1 : 2;
    fail_unless_equals_uint64 (meta->id, left++);
    fail_unless_equals_uint64 (meta->references, back ? 1 << (back - 1) : 0);
    fail_unless_equals_int (meta->layer, prefix ? n % 2 : 0);
    fail_unless_equals_int (meta->flags, n ? 0 : GST_CODED_PICTURE_FLAG_KEY);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Hostile input */

/* Lists, markings and references at the bounds: level 6.2, 16 references, pictures
 * of 256 slices, each with lists of its own. */
GST_START_TEST (test_bounds)
{
  const TestH264Sps sps = {
    .sps = {.log2_max_frame_num = 8,.log2_max_order_lsb = 10,.max_references =
          16},
    .level = 62
  };
  GstH264Headers *headers = gst_h264_headers_new ();
  GstCaps *caps = gst_caps_from_string (CAPS);

  fail_unless (gst_h264_headers_set_caps (headers, caps));
  for (guint i = 0; i < 40; i++) {
    GByteArray *out = g_byte_array_new ();
    H264Slice slice = make_slice (i ? H264_P : H264_I, H264_FRAME, i, 2 * i);
    const H26xPicture *picture;

    slice.idr = i == 0;
    slice.n_active[0] = MAX (MIN (i, 16), 1);
    if (i == 0) {
      test_h264_write_sps (out, &sps);
      test_h264_write_pps (out, 0, 0, FALSE);
    }
    for (guint k = 0; k < 256; k++) {
      if (i > 0) {
        slice.n_modifications[0] = k % slice.n_active[0];
        for (guint m = 0; m < slice.n_modifications[0]; m++)
          slice.modifications[0][m].value = m ? 0 : k % slice.n_active[0];
      }
      test_h264_write_slice (out, &sps, 0, FALSE, &slice, k, 4);
    }
    picture = gst_h264_headers_read (headers, out->data, out->len);
    fail_unless (picture && picture->readable, "picture %u", i);
    fail_unless_equals_int (picture->n_references, MIN (i, 16));
    fail_unless_equals_int (gst_h264_headers_get_verdict (headers),
        H264_DECODES);
    gst_h264_headers_passed (headers);
    g_byte_array_unref (out);
  }
  gst_caps_unref (caps);
  gst_h264_headers_free (headers);
}

GST_END_TEST;

/* Parameter sets that never repeat take no more memory than their bound, and one
 * that no list can hold keeps the flag from being set. */
GST_START_TEST (test_many_sets)
{
  GstH264Headers *headers = gst_h264_headers_new ();
  GstCaps *caps = gst_caps_from_string (CAPS);
  const GstH264Sets *sets = gst_h264_headers_get_sets (headers);
  guint8 large[5000] = { 0x68 };
  GByteArray *out;
  gsize size = 0;

  fail_unless (gst_h264_headers_set_caps (headers, caps));
  out = write_idr (SETS_GOOD);
  gst_h264_headers_read (headers, out->data, out->len);
  fail_unless (gst_h264_sets_can_allow_gaps (sets));
  g_byte_array_set_size (out, 0);
  for (guint id = 0; id < 250; id++) {
    static const guint8 start[] = { 0, 0, 1 };

    memset (large + 1, 0xff, sizeof large - 1);
    large[1] = 0;               /* ue(v) of 127 to 254 */
    large[2] = (guint8) (id | 1);
    large[3] = (guint8) id;
    g_byte_array_append (out, start, sizeof start);
    g_byte_array_append (out, large, sizeof large);
  }
  gst_h264_headers_read (headers, out->data, out->len);
  for (guint i = 0; i < sets->sets->len; i++)
    size += g_bytes_get_size (g_ptr_array_index (sets->sets, i));
  fail_unless (sets->sets->len > 2
      && size <= GST_H264_SETS_MAX_SIZE + 3 * sets->sets->len);
  fail_if (gst_h264_sets_can_allow_gaps (sets));
  g_byte_array_unref (out);
  gst_caps_unref (caps);
  gst_h264_headers_free (headers);
}

GST_END_TEST;

/* Octets changed, cut off, with lengths that lie: nothing is read beyond, what
 * cannot be read passes unchanged, and an IDR picture with its sets ends it. */
static void
run_damage (const gchar * format, guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed);
  Gaps g = {.scaler = gst_harness_new ("mpegscaler") };
  guint n = 0, idr = 0, n_damaged = 0, n_passed = 0;

  g_object_set (g.scaler->element, "follow-events", FALSE, "scale", 4, NULL);
  start_gaps (&g, format, &progressive);
  for (guint i = 0; i < 600; i++) {
    GByteArray *bytes = write_picture (i % 12 ? 'P' : 'D', &progressive, &n,
        &idr);
    gboolean damage = i % 60 < 30 && g_rand_int_range (random, 0, 3) == 0;
    GstBuffer *out;

    if (strcmp (format, "byte-stream") != 0) {
      GByteArray *avc = test_h264_to_avc (bytes);

      g_byte_array_unref (bytes);
      bytes = avc;
    }
    for (guint k = 0; damage && k < 3; k++)
      bytes->data[g_rand_int_range (random, 0, MIN (bytes->len, 24))] =
          (guint8) g_rand_int (random);
    if (damage)
      g_byte_array_set_size (bytes, g_rand_int_range (random, 1, bytes->len));
    n_damaged += damage;
    fail_unless_equals_int (gst_harness_push (g.scaler, to_buffer (bytes,
                i * FRAME, FRAME)), GST_FLOW_OK);
    out = gst_harness_try_pull (g.scaler);
    n_passed += out != NULL;
    fail_unless (out || i % 60 < 48, "picture %u", i);
    gst_clear_buffer (&out);
  }
  fail_unless (n_damaged > 50 && n_passed > 500);
  fail_unless (count (g.scaler, "frames-unreadable") > 0);
  g_rand_free (random);
  gst_h264_headers_free (g.decoder);
  gst_harness_teardown (g.scaler);
}

GST_START_TEST (test_damage)
{
  static const gchar *const formats[] = { "byte-stream", "avc", "avc3" };

  run_damage (formats[__i__ % 3], (guint32) __i__);
}

GST_END_TEST;

static Suite *
h264written_suite (void)
{
  Suite *s = suite_create ("mpegscaler-h264written");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_fields_target);
  tcase_add_test (tc, test_bad_sets);
  tcase_add_loop_test (tc, test_gaps, 0, G_N_ELEMENTS (gaps));
  tcase_add_loop_test (tc, test_floor, 0, G_N_ELEMENTS (floors));
  tcase_add_loop_test (tc, test_layers, 0, 4);
  tcase_add_test (tc, test_bounds);
  tcase_add_test (tc, test_many_sets);
  tcase_add_loop_test (tc, test_damage, 0, 12);
  return s;
}

GST_CHECK_MAIN (h264written);
