/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What leaves decodes to the source's own pictures: each frame that mpegscaler
 * passes is decoded out of what left, and must be bit for bit what the source
 * decodes to there. Streams: those of tests/files, and of MPEG_MEDIA_DIR.
 *
 * Which frames passed is seen from outside: one goes in at a time, and what
 * comes out carries its number (`offset`). Decoders give frames in display
 * order, which follows from the types of the coded ones.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>

#include <string.h>

#include "../mpeg2/decoding.h"
#include "stream.h"

#define N_SCALES 5
/* One step a so many frames. */
#define WALK_STEP 9

/* What became of a frame. */
enum
{
  FATE_DROPPED,
  FATE_PASSED,
  FATE_REPLACED
};

/* Does not show B frames that begin the stream, of an open group. */
static const gboolean skips_leading[N_DECODERS] = { TRUE, FALSE };

typedef struct
{
  gint scale;                   /* or -1: a walk */
  guint32 seed;
  gboolean repeat;
} Plan;

static GPtrArray *paths;        /* of the streams */
static gboolean have[N_DECODERS];

static const Plan plans[] = {
  {0, 0, FALSE}, {1, 0, FALSE}, {2, 0, FALSE}, {3, 0, FALSE}, {4, 0, FALSE},
  {-1, 1, FALSE}, {-1, 2, FALSE}, {-1, 4, FALSE},
  {0, 0, TRUE}, {2, 0, TRUE}, {3, 0, TRUE}, {-1, 3, TRUE},
};

/* Decoding */

/* The hashes of the frames of a stream, in display order. */
static GPtrArray *
decode_ended (Decoder decoder, const guint8 * data, gsize size)
{
  GByteArray *bytes = g_byte_array_new ();
  GPtrArray *hashes;

  g_byte_array_append (bytes, data, size);
  /* without it the last frames stay in mpeg2dec */
  if (size < 4 || memcmp (data + size - 4, stream_end, 4) != 0)
    g_byte_array_append (bytes, stream_end, sizeof stream_end);
  hashes = decode (decoder, bytes);
  g_byte_array_unref (bytes);
  return hashes;
}

static gboolean
is_anchor (const TestFrame * f)
{
  return f->type != M2V_PICTURE_B;
}

/* The B frames before which the stream has but one anchor. */
static gboolean
leads_stream (const TestStream * s, guint i)
{
  guint k, anchors = 0;

  if (is_anchor (test_stream_frame (s, i)))
    return FALSE;
  for (k = 0; k < i; k++)
    anchors += is_anchor (test_stream_frame (s, k));
  return anchors < 2;
}

/* By number of coded frame; NULL where the decoder does not show it. */
static gchar **
hashes_by_frame (const TestStream * s, Decoder decoder,
    const gint * fates, const guint8 * data, gsize size)
{
  gchar **by_frame = g_new0 (gchar *, s->frames->len + 1);
  GPtrArray *hashes = decode_ended (decoder, data, size);
  GArray *order = test_stream_display_order (s, fates);
  gboolean closed = test_stream_frame (s, 0)->closed_group;
  guint i, n = 0, frame;

  for (i = 0; i < order->len; i++) {
    frame = g_array_index (order, guint, i);
    if (skips_leading[decoder] && !closed && leads_stream (s, frame))
      continue;
    fail_unless (n < hashes->len, "%s shows %u frames only, %u left",
        decoder_names[decoder], hashes->len, order->len);
    by_frame[frame] = g_strdup (g_ptr_array_index (hashes, n++));
  }
  fail_unless (n == hashes->len, "%s shows %u frames, of %u",
      decoder_names[decoder], hashes->len, n);
  g_array_unref (order);
  g_ptr_array_unref (hashes);
  return by_frame;
}

static void
free_hashes (gchar ** by_frame, guint n)
{
  while (n-- > 0)
    g_free (by_frame[n]);
  g_free (by_frame);
}

/* Scaling */

static guint64
count (GstHarness * h, const gchar * field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value));
  gst_structure_free (stats);
  return value;
}

static gdouble
bitrate (const TestStream * s)
{
  return s->size * 8.0 * GST_SECOND
      / (s->frames->len * test_stream_frame_duration (s));
}

/* Scales, targets and now and then a stop: by events, as a sender would. */
static void
step_walk (GstHarness * h, const TestStream * s, GRand * rand)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  gint kind = g_rand_int_range (rand, 0, 9);

  if (kind < 4)
    gst_congestion_info_set_scale (info, g_rand_int_range (rand, 0, N_SCALES));
  else if (kind < 8)
    gst_congestion_info_set_target_bitrate (info,
        bitrate (s) * g_rand_double_range (rand, 0.05, 1.2));
  else
    gst_congestion_info_set_target_bitrate (info, 0);
  fail_unless (gst_harness_push_upstream_event (h,
          gst_congestion_event_new (info)));
  gst_congestion_info_free (info);
}

static void
pull_all (GstHarness * h, GByteArray * out, guint expected, guint64 offset)
{
  GstBuffer *buffer;
  GstMapInfo map;
  guint n = 0;

  while ((buffer = gst_harness_try_pull (h))) {
    if (expected > 0)
      fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), offset);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_byte_array_append (out, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    n++;
  }
  fail_unless (n == expected);
}

/* What leaves, and the fate of each frame. */
static GByteArray *
scale_stream (const TestStream * s, const Plan * plan, gint * fates)
{
  GstHarness *h = gst_harness_new ("mpegscaler");
  GRand *rand = g_rand_new_with_seed (plan->seed);
  GByteArray *out = g_byte_array_new ();
  guint i;

  gst_harness_set_src_caps (h, test_stream_caps (s));
  g_object_set (h->element, "follow-events", plan->scale < 0,
      "scale", plan->scale, "repeat-dropped", plan->repeat, NULL);
  for (i = 0; i < s->frames->len; i++) {
    guint64 passed = count (h, "frames-passed");
    guint64 replaced = count (h, "frames-replaced");

    if (plan->scale < 0 && g_rand_int_range (rand, 0, WALK_STEP) == 0)
      step_walk (h, s, rand);
    fail_unless_equals_int (gst_harness_push (h, test_stream_buffer (s, i, 1)),
        GST_FLOW_OK);
    passed = count (h, "frames-passed") - passed;
    replaced = count (h, "frames-replaced") - replaced;
    fates[i] = passed ? FATE_PASSED : replaced ? FATE_REPLACED : FATE_DROPPED;
    pull_all (h, out, passed + replaced, i);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  while (gst_harness_buffers_in_queue (h) > 0)
    pull_all (h, out, 1, GST_BUFFER_OFFSET_NONE);
  g_rand_free (rand);
  gst_harness_teardown (h);
  return out;
}

/* Comparing */

/* It precedes the I that opens its closed group. */
static gboolean
leads_closed_group (const TestFrame * b, const TestFrame * anchor)
{
  return anchor->starts_group && anchor->closed_group
      && b->temporal_reference < anchor->temporal_reference;
}

/* The frame whose picture each one shows: its own, or what it repeats. That is
 * the reference before it, unless its group is closed to that side. */
static void
find_shown (const TestStream * s, const gint * fates, guint * shown)
{
  guint past = 0, last = 0, i;

  for (i = 0; i < s->frames->len; i++) {
    const TestFrame *f = test_stream_frame (s, i);

    shown[i] = i;
    if (fates[i] == FATE_DROPPED)
      continue;
    if (fates[i] == FATE_REPLACED && is_anchor (f))
      shown[i] = shown[last];
    else if (fates[i] == FATE_REPLACED)
      shown[i] = shown[leads_closed_group (f, test_stream_frame (s, last)) ?
          last : past];
    if (is_anchor (f)) {
      past = last;
      last = i;
    }
  }
}

static void
compare (const TestStream * s, Decoder decoder, const gint * fates,
    gchar ** source, const GByteArray * out, const gchar * what)
{
  gchar **result = hashes_by_frame (s, decoder, fates, out->data, out->len);
  guint *shown = g_new (guint, s->frames->len);
  guint i;

  find_shown (s, fates, shown);
  for (i = 0; i < s->frames->len; i++) {
    if (fates[i] == FATE_DROPPED || !result[i] || !source[shown[i]])
      continue;
    fail_unless (strcmp (result[i], source[shown[i]]) == 0,
        "%s, %s: frame %u, a %c with temporal_reference %u, differs from %u",
        what, decoder_names[decoder], i,
        "?IPBD"[test_stream_frame (s, i)->type],
        test_stream_frame (s, i)->temporal_reference, shown[i]);
  }
  g_free (shown);
  free_hashes (result, s->frames->len);
}

/* How the scales differ for these streams, so that a scaler that passes all,
 * or nothing, fails. */
static void
check_fates (const TestStream * s, const Plan * plan, const gint * fates,
    const gchar * what)
{
  guint n[3] = { 0, }, i;

  for (i = 0; i < s->frames->len; i++) {
    const TestFrame *f = test_stream_frame (s, i);

    n[fates[i]]++;
    if (plan->scale < 0)
      continue;
    if (plan->scale == 4 || f->type == M2V_PICTURE_I)
      fail_unless (fates[i] == FATE_PASSED, "%s: frame %u is gone", what, i);
    else if (plan->scale == 2)
      fail_unless ((fates[i] == FATE_PASSED) == is_anchor (f),
          "%s: frame %u", what, i);
    else if (plan->scale == 0)
      fail_unless (fates[i] != FATE_PASSED, "%s: frame %u is here", what, i);
  }
  fail_unless (n[FATE_PASSED] > 0);
  if (plan->scale < 4 && s->frames->len > 50)
    fail_unless (n[FATE_DROPPED] + n[FATE_REPLACED] > 0);
  if (!plan->repeat)
    fail_unless (n[FATE_REPLACED] == 0);
  else if (plan->scale >= 0)
    fail_unless (n[FATE_DROPPED] == 0, "%s: %u frames are gone", what,
        n[FATE_DROPPED]);
}

static void
check_plan (const TestStream * s, const gchar * name, const Plan * plan,
    gchar ** sources[])
{
  gint *fates = g_new0 (gint, s->frames->len);
  GByteArray *out = scale_stream (s, plan, fates);
  gchar *what;
  guint d;

  if (plan->scale < 0)
    what = g_strdup_printf ("%s, walk %u%s", name, plan->seed,
        plan->repeat ? ", repeated" : "");
  else
    what = g_strdup_printf ("%s, scale %d%s", name, plan->scale,
        plan->repeat ? ", repeated" : "");
  check_fates (s, plan, fates, what);
  for (d = 0; d < N_DECODERS; d++)
    if (have[d])
      compare (s, d, fates, sources[d], out, what);
  g_byte_array_unref (out);
  g_free (fates);
  g_free (what);
}

GST_START_TEST (test_identity)
{
  const gchar *path = g_ptr_array_index (paths, __i__);
  TestStream *s = test_stream_load (path);
  gchar *name = g_path_get_basename (path);
  gchar **sources[N_DECODERS];
  guint d, i;

  for (d = 0; d < N_DECODERS; d++)
    if (have[d])
      sources[d] = hashes_by_frame (s, d, NULL, s->data, s->size);
  for (i = 0; i < G_N_ELEMENTS (plans); i++)
    check_plan (s, name, &plans[i], sources);
  for (d = 0; d < N_DECODERS; d++)
    if (have[d])
      free_hashes (sources[d], s->frames->len);
  g_free (name);
  test_stream_free (s);
}

GST_END_TEST;

/* The whole of a decoder's output by presentation time, in ns / 1000. */
static GHashTable *
decode_in_pipeline (const TestStream * s, gboolean stops)
{
  GHashTable *by_time = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GstHarness *scaler = gst_harness_new ("mpegscaler");
  GstHarness *decoder = gst_harness_new ("avdec_mpeg2video");
  GstEvent *event;
  GstBuffer *buffer;
  GstMapInfo map;
  guint i, gaps = 0;

  gst_harness_set_src_caps (scaler, test_stream_caps (s));
  gst_harness_set_src_caps (decoder, test_stream_caps (s));
  while ((event = gst_harness_try_pull_event (scaler)))
    gst_event_unref (event);
  for (i = 0; i < s->frames->len; i++) {
    GstCongestionInfo *info =
        gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);

    /* stops for 40 frames of 80, somewhere in a group */
    gst_congestion_info_set_target_bitrate (info,
        stops && i % 80 >= 35 && i % 80 < 75 ? 0 : 100000000);
    gst_harness_push_upstream_event (scaler, gst_congestion_event_new (info));
    gst_congestion_info_free (info);
    gst_harness_push (scaler, test_stream_buffer (s, i, 1));
    while ((buffer = gst_harness_try_pull (scaler)))
      fail_unless_equals_int (gst_harness_push (decoder, buffer), GST_FLOW_OK);
    while ((event = gst_harness_try_pull_event (scaler))) {
      gaps += GST_EVENT_TYPE (event) == GST_EVENT_GAP;
      gst_harness_push_event (decoder, event);
    }
  }
  gst_harness_push_event (decoder, gst_event_new_eos ());
  fail_unless (stops == (gaps > 0));
  while ((buffer = gst_harness_try_pull (decoder))) {
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_hash_table_insert (by_time,
        GSIZE_TO_POINTER (GST_BUFFER_PTS (buffer) / 1000 + 1),
        g_compute_checksum_for_data (G_CHECKSUM_MD5, map.data, map.size));
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (scaler);
  gst_harness_teardown (decoder);
  return by_time;
}

/* Decoders drain at the gap events of a stop: what follows must decode
 * nevertheless. */
GST_START_TEST (test_stops)
{
  GstElementFactory *factory = gst_element_factory_find ("avdec_mpeg2video");
  TestStream *s;
  GHashTable *source, *result;
  GHashTableIter iter;
  gpointer time, hash;

  if (factory == NULL) {
    g_print ("skipped: no element avdec_mpeg2video\n");
    return;
  }
  gst_object_unref (factory);
  s = test_stream_load ("walk-720x480p30-4M.m2v");
  source = decode_in_pipeline (s, FALSE);
  result = decode_in_pipeline (s, TRUE);
  fail_unless_equals_int (g_hash_table_size (source), s->frames->len);
  fail_unless (g_hash_table_size (result) >= 90);
  g_hash_table_iter_init (&iter, result);
  while (g_hash_table_iter_next (&iter, &time, &hash))
    fail_unless_equals_string (hash, g_hash_table_lookup (source, time));
  g_hash_table_unref (source);
  g_hash_table_unref (result);
  test_stream_free (s);
}

GST_END_TEST;

static void
add_paths (const gchar * directory)
{
  GDir *dir = g_dir_open (directory, 0, NULL);
  const gchar *name;

  if (dir == NULL)
    g_error ("%s cannot be read", directory);
  while ((name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".m1v") || g_str_has_suffix (name, ".m2v"))
      g_ptr_array_add (paths, g_build_filename (directory, name, NULL));
  g_dir_close (dir);
}

static gboolean
find_decoders (void)
{
  gboolean any = FALSE;
  guint d;

  for (d = 0; d < N_DECODERS; d++) {
    have[d] = decoder_present (d);
    any |= have[d];
  }
  return any;
}

int
main (int argc, char **argv)
{
  const gchar *media = g_getenv ("MPEG_MEDIA_DIR");
  Suite *suite;
  TCase *tc;
  int failed;

  gst_check_init (&argc, &argv);
  if (!find_decoders ())
    return 77;
  paths = g_ptr_array_new_with_free_func (g_free);
  add_paths (TEST_FILES_DIR);
  if (media)
    add_paths (media);
  else
    g_print ("skipped: more streams (MPEG_MEDIA_DIR is not set)\n");

  suite = suite_create ("identity");
  tc = tcase_create ("general");
  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_stops);
  tcase_add_loop_test (tc, test_identity, 0, paths->len);
  failed = gst_check_run_suite (suite, "identity", __FILE__);
  g_ptr_array_unref (paths);
  return failed;
}
