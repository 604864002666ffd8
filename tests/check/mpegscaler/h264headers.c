/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the model says of H.264 streams, held against FFmpeg: whatever passes of
 * a stream, where each picture is said to decode, decodes to the same pictures.
 * x264 makes the streams. H264_MEDIA_DIR may name a folder with more (*.264,
 * *.h264, *.jsv, *.26l, *.avc, *.jvt).
 */
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/codecparsers/gsth264parser.h>
#include <h26x/h264gaps.h>
#include <startcode/startcode.h>

#include "../avdecode.h"
#include "gsth264headers.h"
#include "sums.h"
#include "units.h"

typedef struct
{
  GstBuffer *buffer;
  gboolean read;                /* it holds a picture, in */
  H26xPicture picture;
  guint unit;                   /* pictures with one id are one */
} Unit;

/* What stays of a stream. */
typedef enum
{
  THIN_DISPOSABLE,              /* all references, disposables by chance */
  THIN_TAIL,                    /* of each group a beginning */
  THIN_ENTRIES,                 /* random-access pictures, and some more */
  THIN_RANDOM
} Thinning;

static const gchar *const thinning_names[] = { "disposable", "tail", "entries",
  "random"
};

static gchar *folder;

/* Of a byte-stream; gaps: its parameter sets allow gaps in frame_num. */
static void
write_unit (FILE * file, GstBuffer * buffer, gboolean gaps)
{
  GstMapInfo map;
  guint8 *data;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  data = g_memdup2 (map.data, map.size);
  for (gsize i = 0; gaps && i < map.size;
      i = start_code_find (data, map.size, i + 1))
    if (map.size - i > 4 && (data[i + 3] & 0x1f) == GST_H264_NAL_SPS)
      fail_unless (h264_sps_allow_gaps (data + i + 3, map.size - i - 3));
  fail_unless_equals_int (fwrite (data, 1, map.size, file), map.size);
  g_free (data);
  gst_buffer_unmap (buffer, &map);
}

static GPtrArray *
decode_units (GArray * units)
{
  gchar *path = g_strdup_printf ("%s/source.264", folder);
  FILE *file = g_fopen (path, "wb");
  GPtrArray *sums;

  for (guint i = 0; i < units->len; i++)
    write_unit (file, g_array_index (units, Unit, i).buffer, FALSE);
  fclose (file);
  sums = test_sums_of_file ("h264", path);
  g_remove (path);
  g_free (path);
  return sums;
}

static gboolean
is_wanted (const H26xPicture * picture, Thinning thinning, GRand * random,
    gboolean * tail)
{
  if (picture->random_access)
    *tail = FALSE;
  switch (thinning) {
    case THIN_DISPOSABLE:
      return !picture->disposable || g_rand_boolean (random);
    case THIN_TAIL:
      *tail |= !picture->random_access && g_rand_int_range (random, 0, 8) == 0;
      return !*tail;
    case THIN_ENTRIES:
      return picture->random_access || g_rand_int_range (random, 0, 8) == 0;
    default:
      return g_rand_int_range (random, 0, 4) != 0;
  }
}

static gint
compare_order (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* Whether all that a picture refers to is there. */
static gboolean
has_references (const H26xPicture * picture, GHashTable * passed)
{
  for (guint i = 0; i < picture->n_references; i++)
    if (!g_hash_table_contains (passed, &picture->references[i]))
      return FALSE;
  return TRUE;
}

typedef struct
{
  guint n_passed, n_pictures, n_refused;
} Count;

/* Writes what passes to a file; the order counts of these pictures, shown first
 * first, into `shown`. */
static void
thin (GArray * units, GstCaps * caps, Thinning thinning, gboolean gaps,
    guint32 seed, const gchar * path, GArray * shown, Count * count)
{
  GstH264Headers *h = gst_h264_headers_new ();
  GRand *random = g_rand_new_with_seed (seed);
  GHashTable *passed = g_hash_table_new_full (g_int64_hash, g_int64_equal,
      g_free, NULL);
  FILE *file = g_fopen (path, "wb");
  gboolean tail = FALSE, pass = TRUE;
  guint64 last = 0;

  fail_unless (gst_h264_headers_set_caps (h, caps));
  for (guint i = 0; i < units->len; i++) {
    Unit *unit = &g_array_index (units, Unit, i);
    const H26xPicture *picture;
    GstMapInfo map;
    H264Verdict verdict;

    gst_buffer_map (unit->buffer, &map, GST_MAP_READ);
    picture = gst_h264_headers_read (h, map.data, map.size);
    gst_buffer_unmap (unit->buffer, &map);
    fail_unless (picture && picture->readable);
    verdict = gst_h264_headers_get_verdict (h);
    if (picture->id != last) {
      pass = is_wanted (picture, thinning, random, &tail);
      count->n_pictures++;
      count->n_refused += pass && verdict != H264_DECODES;
    }
    if (verdict == H264_DIFFERS || (verdict != H264_DECODES && !gaps))
      pass = FALSE;
    if (pass) {
      fail_unless (has_references (picture, passed));
      gst_h264_headers_passed (h);
      write_unit (file, unit->buffer, gaps);
      if (picture->id != last) {
        g_hash_table_add (passed, g_memdup2 (&picture->id, sizeof (guint64)));
        g_array_append_val (shown, picture->order);
        count->n_passed++;
      }
    }
    last = picture->id;
  }
  fclose (file);
  g_array_sort (shown, compare_order);
  g_hash_table_unref (passed);
  g_rand_free (random);
  gst_h264_headers_free (h);
}

/* All of it, to know when each picture is shown; empty: it cannot be read. */
static GArray *
read_orders (GArray * units, GstCaps * caps, const gchar * name)
{
  GstH264Headers *h = gst_h264_headers_new ();
  GArray *orders = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint64 last = 0;
  guint disposable = 0, entries = 0;

  if (!caps || !gst_h264_headers_set_caps (h, caps))
    goto out;
  for (guint i = 0; i < units->len; i++) {
    Unit *unit = &g_array_index (units, Unit, i);
    const H26xPicture *picture;
    GstMapInfo map;

    gst_buffer_map (unit->buffer, &map, GST_MAP_READ);
    picture = gst_h264_headers_read (h, map.data, map.size);
    gst_buffer_unmap (unit->buffer, &map);
    if (!picture || !picture->readable) {
      g_array_set_size (orders, 0);
      goto out;
    }
    fail_unless_equals_int (gst_h264_headers_get_verdict (h), H264_DECODES);
    gst_h264_headers_passed (h);
    GST_LOG ("%s: id %" G_GUINT64_FORMAT " order %" G_GINT64_FORMAT
        "%s%s%s refers to %u", name, picture->id, picture->order,
        picture->idr ? " IDR" : picture->random_access ? " entry" : "",
        picture->disposable ? " disposable" : "",
        picture->leading ? " leading" : "", picture->n_references);
    if (picture->id == last)
      continue;
    last = picture->id;
    g_array_append_val (orders, picture->order);
    disposable += picture->disposable;
    entries += picture->random_access;
  }
  g_print ("%s: %u pictures, %u random access, %u disposable\n", name,
      orders->len, entries, disposable);
  g_array_sort (orders, compare_order);

out:
  gst_h264_headers_free (h);
  return orders;
}

/* How many of the pictures shown are not those expected. */
static guint
count_wrong (GArray * shown, GArray * orders, GPtrArray * source,
    GPtrArray * sums)
{
  guint wrong = ABS ((gint) shown->len - (gint) sums->len), k = 0;

  for (guint i = 0; i < MIN (shown->len, sums->len); i++) {
    gint64 order = g_array_index (shown, gint64, i);

    while (g_array_index (orders, gint64, k) != order)
      k++;
    if (strcmp (source->pdata[k], sums->pdata[i]) != 0)
      wrong++;
  }
  return wrong;
}

#define N_WAYS (2 * G_N_ELEMENTS (thinning_names))

static guint
check_thinned (GArray * units, GstCaps * caps,
    GArray * orders, GPtrArray * source)
{
  gchar *paths[N_WAYS];
  GArray *shown[N_WAYS];
  Count counts[N_WAYS] = { 0 };
  GPtrArray *sums;
  guint all_wrong = 0;

  for (guint way = 0; way < N_WAYS; way++) {
    paths[way] = g_strdup_printf ("%s/thinned%u.264", folder, way);
    shown[way] = g_array_new (FALSE, FALSE, sizeof (gint64));
    thin (units, caps, way / 2, way % 2, 1 + way, paths[way], shown[way],
        &counts[way]);
  }
  sums = test_sums_of_files ("h264", (const gchar * const *) paths, N_WAYS);
  for (guint way = 0; way < N_WAYS; way++) {
    GPtrArray *of_way = sums->pdata[way];
    guint wrong = count_wrong (shown[way], orders, source, of_way);

    g_print ("  %-10s gaps %d: %3u of %3u passed, %3u wanted but refused, "
        "%u shown, %u wrong\n", thinning_names[way / 2], way % 2,
        counts[way].n_passed, counts[way].n_pictures, counts[way].n_refused,
        of_way->len, wrong);
    all_wrong += wrong;
    g_array_unref (shown[way]);
    g_remove (paths[way]);
    g_free (paths[way]);
  }
  g_ptr_array_unref (sums);
  return all_wrong;
}

/* How many pictures are wrong; -1: skipped. */
static gint
check_file (const gchar * name, const gchar * path)
{
  GstCaps *caps;
  GArray *units = test_load_units ("h264", path, "byte-stream", sizeof (Unit),
      &caps);
  GArray *orders = read_orders (units, caps, name);
  GPtrArray *source = decode_units (units);
  gint wrong = -1;

  if (orders->len == 0 || orders->len != source->len)
    g_print ("%s: skipped: %s (%u)\n", name, orders->len > 0 ?
        "FFmpeg shows another number of pictures" :
        "the headers cannot be read", source->len);
  else
    wrong = (gint) check_thinned (units, caps, orders, source);
  g_ptr_array_unref (source);
  g_array_unref (orders);
  g_array_unref (units);
  gst_clear_caps (&caps);
  return wrong;
}

static const struct
{
  const gchar *name, *options;
} streams[] = {
  {"default", "-g 40"},
  {"one-group", "-g 250"},
  {"no-pyramid", "-g 40 -x264-params b-pyramid=none:bframes=3"},
  {"strict", "-g 40 -x264-params b-pyramid=strict:bframes=5:b-adapt=0"},
  {"normal", "-g 40 -x264-params b-pyramid=normal:bframes=5:b-adapt=0:ref=5"},
  {"obs", "-preset veryfast -g 50"},
  {"zerolatency", "-tune zerolatency -g 30"},
  {"zerolatency-ref", "-tune zerolatency -g 30 -x264-params ref=4"},
  {"intra-refresh", "-tune zerolatency -x264-params intra-refresh=1:keyint=25"},
  {"open-24", "-g 24 -x264-params open-gop=1:bframes=3"},
  {"open-8", "-g 8 -x264-params open-gop=1:bframes=2:b-adapt=0"},
  {"open-60", "-g 60 -x264-params open-gop=1"},
  {"bluray", "-g 24 -x264-params open-gop=1:bluray-compat=1:slices=4"},
  {"ref-1", "-g 40 -x264-params ref=1:bframes=3:b-adapt=0"},
  {"ref-16", "-g 60 -x264-params ref=16:bframes=8:b-adapt=0:b-pyramid=normal"},
  {"mbaff", "-g 40 -flags +ildct+ilme -x264-params interlaced=1:ref=4"},
  {"slices", "-g 40 -x264-params slices=8:ref=4"},
  {"temporal-direct", "-g 40 -x264-params direct=temporal:ref=4:bframes=4"},
};

GST_START_TEST (test_x264)
{
  gint wrong = 0;

  if (!avdecode_present ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    gchar *path = g_strdup_printf ("%s/%s.264", folder, streams[i].name);
    gchar *command = g_strdup_printf ("ffmpeg -v error -y -f lavfi -i "
        "testsrc2=s=160x128:r=25:d=5,noise=alls=12:allf=t -pix_fmt yuv420p "
        "-threads 1 -c:v libx264 %s -f h264 %s", streams[i].options, path);

    if (test_run (command))
      wrong += ABS (check_file (streams[i].name, path));
    else
      g_print ("%s: skipped: no FFmpeg with libx264\n", streams[i].name);
    g_remove (path);
    g_free (command);
    g_free (path);
  }
  fail_unless_equals_int (wrong, 0);
}

GST_END_TEST;

GST_START_TEST (test_more_streams)
{
  const gchar *media = g_getenv ("H264_MEDIA_DIR");
  GDir *directory = media && avdecode_present () ? g_dir_open (media, 0, NULL)
      : NULL;
  guint n = 0, skipped = 0;
  gint wrong = 0;
  const gchar *name;

  if (!directory) {
    g_print ("skipped: more streams (H264_MEDIA_DIR is not set)\n");
    return;
  }
  while ((name = g_dir_read_name (directory))) {
    gchar *path = g_build_filename (media, name, NULL);

    gint result = check_file (name, path);

    n++;
    skipped += result < 0;
    wrong += MAX (result, 0);
    g_free (path);
  }
  g_dir_close (directory);
  g_print ("%u streams, %u skipped, %d pictures wrong\n", n, skipped, wrong);
  fail_unless_equals_int (wrong, 0);
}

GST_END_TEST;

static void
remove_folder (void)
{
  g_rmdir (folder);
  g_free (folder);
}

static Suite *
h264headers_suite (void)
{
  Suite *s = suite_create ("h264headers");
  TCase *tc = tcase_create ("general");

  folder = g_dir_make_tmp ("h264-XXXXXX", NULL);
  atexit (remove_folder);
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_test (tc, test_x264);
  tcase_add_test (tc, test_more_streams);
  return s;
}

GST_CHECK_MAIN (h264headers);
