/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * H.265 streams thinned out by the dropper, held against FFmpeg: it shows each
 * picture that passes, and as it shows it of the whole stream. x265 makes the
 * streams. H265_MEDIA_DIR may name a folder with more (*.265, *.bit, ...).
 */
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <h26x/dropper.h>

#include "../avdecode.h"
#include "gsth265headers.h"
#include "sums.h"
#include "units.h"

#define RATE 25
#define PICTURE (GST_SECOND / RATE)

typedef struct
{
  GstBuffer *buffer;
  H26xPicture picture;
  gint64 place;                 /* in output order */
  gsize size, filler;
} Unit;

typedef struct
{
  GArray *units;
  GstCaps *caps;
  gint64 *places;               /* of all, sorted */
  GPtrArray *sums;              /* of all, as FFmpeg shows them */
  gsize bytes;
} Stream;

/* What rules: a scale; else a share of the stream's rate, percent. */
typedef struct
{
  gint scale;
  gint percent;                 /* 0: at random, with stops */
  gboolean walk;
  gboolean unspliced;           /* CRA pictures stay what they are */
} Rule;

static const Rule rules[] = {
  {.scale = 4},
  {.scale = 3},
  {.scale = 2},
  {.scale = 1},
  {.scale = 0},
  {.scale = 0,.unspliced = TRUE},
  {.scale = -1,.percent = 85},
  {.scale = -1,.percent = 70},
  {.scale = -1,.percent = 55},
  {.scale = -1,.percent = 40},
  {.scale = -1,.percent = 25},
  {.scale = -1,.percent = 25,.unspliced = TRUE},
  {.scale = -1,.percent = 8},
  {.scale = -1,.walk = TRUE},
  {.scale = -1,.walk = TRUE},
  {.scale = -1,.walk = TRUE,.unspliced = TRUE},
};

static gchar *folder;

static const H26xPicture *
read_unit (GstH265Headers * h, const Unit * unit)
{
  const H26xPicture *picture;
  GstMapInfo map;

  gst_buffer_map (unit->buffer, &map, GST_MAP_READ);
  picture = gst_h265_headers_read (h, map.data, map.size);
  gst_buffer_unmap (unit->buffer, &map);
  return picture;
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* FALSE: something cannot be read. Leading pictures that cannot be decoded are
 * not shown. */
static gboolean
read_stream (Stream * s, const gchar * name)
{
  GstH265Headers *h = gst_h265_headers_new ();
  guint disposable = 0, entries = 0, layered = 0;
  gint64 sequence = -1;
  gboolean ok = TRUE;

  fail_unless (gst_h265_headers_set_caps (h, s->caps));
  s->places = g_new0 (gint64, s->units->len);
  for (guint i = 0; ok && i < s->units->len; i++) {
    Unit *unit = &g_array_index (s->units, Unit, i);
    const H26xPicture *p = read_unit (h, unit);
    const GstH26xUnit *units;
    guint n;

    ok = p && p->readable;
    if (!ok)
      break;
    gst_h265_headers_passed (h);
    units = gst_h265_headers_get_units (h, &n);
    for (guint u = 0; u < n; u++)
      if (units[u].kind == GST_H26X_UNIT_FILLER)
        unit->filler += units[u].size;
    sequence += p->idr;
    unit->picture = *p;
    unit->place = (sequence << 33) + p->order;
    unit->size = gst_buffer_get_size (unit->buffer);
    s->places[i] = unit->place;
    s->bytes += unit->size;
    disposable += p->disposable;
    entries += p->random_access;
    layered += p->layer > 0;
  }
  qsort (s->places, s->units->len, sizeof (gint64), compare_places);
  g_print ("%s: %u pictures, %u random access, %u disposable, %u layered, %"
      G_GSIZE_FORMAT " bytes\n", name, s->units->len, entries, disposable,
      layered, s->bytes);
  fail_unless (gst_h265_headers_get_n_unreadable (h) == (ok ? 0 : 1));
  gst_h265_headers_free (h);
  return ok;
}

static void
write_buffer (FILE * file, GstBuffer * buffer)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  fail_unless_equals_int (fwrite (map.data, 1, map.size, file), map.size);
  gst_buffer_unmap (buffer, &map);
}

/* The rule, which walks at random. */
static void
set_rule (const Stream * s, const Rule * rule, GRand * random,
    H26xDropperSettings * settings)
{
  gdouble rate = 8. * (gdouble) s->bytes * RATE / s->units->len;
  gint percent = rule->percent;

  settings->rule.scale = rule->scale;
  settings->rule.target = -1;
  if (rule->walk) {
    settings->rule.scale = g_rand_int_range (random, 0, 4) == 0 ?
        g_rand_int_range (random, 0, 5) : -1;
    percent = g_rand_int_range (random, 0, 11) * 10;
  }
  if (settings->rule.scale < 0)
    settings->rule.target = (gint64) (rate * percent / 100);
}

typedef struct
{
  guint n_over, n_groups;
  gsize bytes;
  guint pictures;
  gsize key;
} Groups;

/* A group is over whose bytes are more than its target. */
static void
end_group (Groups * g, gint64 target)
{
  gdouble limit = (gdouble) target * g->pictures / RATE / 8;

  if (target > 0 && g->n_groups > 1 && g->key <= limit)
    g->n_over += g->bytes > limit;
  g->n_groups++;
  g->bytes = g->pictures = 0;
}

/* Writes what passes to a file, and their places, in output order. */
static GArray *
thin (const Stream * s, const Rule * rule, guint32 seed, const gchar * path,
    H26xDropperStats * stats, Groups * groups)
{
  GstH265Headers *h = gst_h265_headers_new ();
  H26xDropper *dropper = h26x_dropper_new ();
  GRand *random = g_rand_new_with_seed (seed);
  GArray *shown = g_array_new (FALSE, FALSE, sizeof (gint64));
  FILE *file = g_fopen (path, "wb");
  H26xDropperSettings settings = {.max_freeze = -1,.splices = !rule->unspliced
  };

  settings.rule.fill = true;
  fail_unless (gst_h265_headers_set_caps (h, s->caps));
  for (guint i = 0; i < s->units->len; i++) {
    const Unit *unit = &g_array_index (s->units, Unit, i);
    H26xCodedPicture coded = { NULL, unit->size, unit->filler, PICTURE, false };
    H26xDecision decision;

    coded.picture = read_unit (h, unit);
    if (i == 0 || (rule->walk && g_rand_int_range (random, 0, 12) == 0))
      set_rule (s, rule, random, &settings);
    if (i > 0 && coded.picture->random_access)
      end_group (groups, rule->walk ? 0 : settings.rule.target);
    if (coded.picture->random_access)
      groups->key = unit->size;
    groups->pictures++;
    h26x_dropper_set (dropper, &settings);
    h26x_dropper_picture (dropper, &coded, &decision);
    if (decision.verdict == SCALING_PASS || decision.verdict == SCALING_FILL) {
      GstBuffer *out =
          gst_h265_headers_splice (h, gst_buffer_ref (unit->buffer),
          decision.splice);

      gst_h265_headers_passed (h);
      write_buffer (file, out);
      fail_unless_equals_int (gst_buffer_get_size (out), unit->size);
      gst_buffer_unref (out);
      g_array_append_val (shown, unit->place);
      groups->bytes += unit->size;
    }
  }
  fclose (file);
  g_array_sort (shown, compare_places);
  h26x_dropper_stats (dropper, stats);
  h26x_dropper_free (dropper);
  g_rand_free (random);
  gst_h265_headers_free (h);
  return shown;
}

/* How many of the pictures shown are not those expected. */
static guint
count_wrong (const Stream * s, GArray * shown, GPtrArray * sums)
{
  guint wrong = (guint) ABS ((gint) shown->len - (gint) sums->len), k = 0;

  for (guint i = 0; i < MIN (shown->len, sums->len); i++) {
    while (s->places[k] != g_array_index (shown, gint64, i))
      k++;
    wrong += strcmp (s->sums->pdata[k], sums->pdata[i]) != 0;
  }
  return wrong;
}

/* What became of a stream by a rule. */
typedef struct
{
  gchar *path;
  GArray *shown;
  H26xDropperStats stats;
  Groups groups;
} Thinned;

static guint
check_rule (const Stream * s, const Rule * rule, const Thinned * t,
    GPtrArray * sums)
{
  guint wrong = count_wrong (s, t->shown, sums);

  g_print ("  scale %2d target %3d %%%s%s: %3u of %3u passed, %2u held, %2u "
      "spliced, %3.0f %% of bytes, %u of %u groups over, %u wrong\n",
      rule->scale, rule->percent, rule->walk ? " (walk)" : "",
      rule->unspliced ? " (unspliced)" : "", t->shown->len, s->units->len,
      (guint) t->stats.held, (guint) t->stats.spliced,
      100. * t->stats.bytes_out / t->stats.bytes_in, t->groups.n_over,
      t->groups.n_groups, wrong);
  return wrong;
}

static guint
check_rules (const Stream * s)
{
  Thinned thinned[G_N_ELEMENTS (rules)] = { 0 };
  const gchar *paths[G_N_ELEMENTS (rules)];
  GPtrArray *sums;
  guint wrong = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++) {
    Thinned *t = &thinned[i];

    paths[i] = t->path = g_strdup_printf ("%s/thinned%u.265", folder, i);
    t->shown = thin (s, &rules[i], i, t->path, &t->stats, &t->groups);
  }
  sums = test_sums_of_files ("hevc", paths, G_N_ELEMENTS (rules));
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++) {
    wrong += check_rule (s, &rules[i], &thinned[i], sums->pdata[i]);
    g_array_unref (thinned[i].shown);
    g_remove (thinned[i].path);
    g_free (thinned[i].path);
  }
  g_ptr_array_unref (sums);
  return wrong;
}

/* -1: skipped. */
static gint
check_file (const gchar * name, const gchar * path)
{
  Stream s = { 0 };
  gint wrong = -1;

  s.units =
      test_load_units ("h265", path, "byte-stream", sizeof (Unit), &s.caps);
  s.sums = test_sums_of_file ("hevc", path);
  if (!read_stream (&s, name))
    g_print ("%s: skipped: the headers cannot be read\n", name);
  else if (s.sums->len != s.units->len)
    g_print ("%s: skipped: FFmpeg shows %u pictures\n", name, s.sums->len);
  else
    wrong = (gint) check_rules (&s);
  g_ptr_array_unref (s.sums);
  g_array_unref (s.units);
  gst_caps_unref (s.caps);
  g_free (s.places);
  return wrong;
}

static const struct
{
  const gchar *name, *options;
} streams[] = {
  {"default", "keyint=40"},
  {"closed", "keyint=40:open-gop=0"},
  {"layers", "keyint=40:temporal-layers=1"},
  {"layers-closed",
      "keyint=40:temporal-layers=1:open-gop=0:bframes=7:b-adapt=0"},
  {"long", "keyint=150"},
  {"no-pyramid", "keyint=40:b-pyramid=0:bframes=3:b-adapt=0"},
  {"zerolatency", "keyint=30:bframes=0:rc-lookahead=0"},
  {"refs", "keyint=40:ref=6:bframes=8:b-adapt=0"},
  {"intra", "keyint=1"},
  {"slices", "keyint=40:slices=4:ref=3"},
};

/* As x265 writes it; 10 s, so that a long group's order counts wrap. */
static gboolean
encode (const gchar * options, const gchar * path)
{
  gchar *command = g_strdup_printf ("ffmpeg -v error -y -f lavfi -i "
      "testsrc2=s=160x128:r=%d:d=10,noise=alls=8:allf=t -pix_fmt yuv420p "
      "-c:v libx265 -preset veryfast -x265-params log-level=none:%s "
      "-f hevc %s", RATE, options, path);
  gboolean ok = test_run (command);

  g_free (command);
  return ok;
}

GST_START_TEST (test_x265)
{
  gchar *path = g_strdup_printf ("%s/%s.265", folder, streams[__i__].name);

  if (!avdecode_present ()) {
    g_free (path);
    return;
  }
  if (encode (streams[__i__].options, path)) {
    fail_unless_equals_int (check_file (streams[__i__].name, path), 0);
  } else {
    g_print ("%s: skipped: no FFmpeg with libx265\n", streams[__i__].name);
  }
  g_remove (path);
  g_free (path);
}

GST_END_TEST;

/* Pictures are the same, whichever way they come. */
GST_START_TEST (test_formats)
{
  static const gchar *const formats[] = { "byte-stream", "hvc1", "hev1" };
  gchar *path = g_strdup_printf ("%s/formats.265", folder);
  Stream s[G_N_ELEMENTS (formats)] = { 0 };

  if (!encode ("keyint=40", path)) {
    g_print ("formats: skipped: no FFmpeg with libx265\n");
    g_free (path);
    return;
  }
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    s[f].units =
        test_load_units ("h265", path, formats[f], sizeof (Unit), &s[f].caps);
    fail_unless (read_stream (&s[f], formats[f]));
    fail_unless_equals_int (s[f].units->len, s[0].units->len);
    for (guint i = 0; i < s[f].units->len; i++)
      fail_unless (memcmp (&g_array_index (s[f].units, Unit, i).picture,
              &g_array_index (s[0].units, Unit, i).picture,
              sizeof (H26xPicture)) == 0);
  }
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_array_unref (s[f].units);
    gst_caps_unref (s[f].caps);
    g_free (s[f].places);
  }
  g_remove (path);
  g_free (path);
}

GST_END_TEST;

/* With another NAL unit at its end. */
static GstBuffer *
append_nal (GstBuffer * buffer, guint type, gsize size)
{
  guint8 *nal = g_malloc (size);

  memset (nal, 0xff, size);
  memcpy (nal, "\0\0\1", 3);
  nal[3] = (guint8) (type << 1);
  nal[4] = 1;
  return gst_buffer_append (gst_buffer_copy (buffer),
      gst_buffer_new_wrapped (nal, size));
}

static const H26xPicture *
read_buffer (GstH265Headers * h, GstBuffer * buffer)
{
  Unit unit = {.buffer = buffer };

  return read_unit (h, &unit);
}

static gboolean
load_made (Stream * s, const gchar * options)
{
  gchar *path = g_strdup_printf ("%s/made.265", folder);
  gboolean ok = encode (options, path);

  if (ok)
    s->units =
        test_load_units ("h265", path, "byte-stream", sizeof (Unit), &s->caps);
  else
    g_print ("skipped: no FFmpeg with libx265\n");
  g_remove (path);
  g_free (path);
  return ok;
}

static void
free_made (Stream * s)
{
  g_array_unref (s->units);
  gst_caps_unref (s->caps);
  g_free (s->places);
}

/* Filler data is found, and the end of a sequence: a CRA picture behind it
 * begins anew, which it does not say by itself where the end has gone. */
GST_START_TEST (test_units)
{
  Stream s = { 0 };
  GstH265Headers *h = gst_h265_headers_new ();
  gboolean ended = TRUE;
  guint n_spliced = 0, n_entries = 0;

  if (!load_made (&s, "keyint=20"))
    return;
  fail_unless (read_stream (&s, "units"));
  fail_unless (gst_h265_headers_set_caps (h, s.caps));
  for (guint i = 0; i < s.units->len; i++) {
    const Unit *unit = &g_array_index (s.units, Unit, i);
    GstBuffer *longer = append_nal (unit->buffer, 38, 100), *out;
    const GstH26xUnit *units;
    const H26xPicture *p;
    guint n;

    if (i + 1 < s.units->len && (unit + 1)->picture.random_access) {
      out = append_nal (longer, 36, 5);
      gst_buffer_unref (longer);
      longer = out;
    }
    p = read_buffer (h, longer);
    fail_unless (p && p->readable);
    fail_unless (p->idr == p->random_access);
    units = gst_h265_headers_get_units (h, &n);
    fail_unless (n > 0 && units[n - 1].kind == GST_H26X_UNIT_FILLER);
    fail_unless_equals_int (units[n - 1].offset, unit->size);
    fail_unless_equals_int (units[n - 1].size, 100);
    out = gst_h265_headers_splice (h, gst_buffer_ref (longer), FALSE);
    fail_unless ((out != longer) == (p->random_access && !ended));
    n_spliced += out != longer;
    n_entries += p->random_access;
    gst_buffer_unref (out);
    gst_buffer_unref (longer);
    ended = n_entries % 2;
    if (ended)
      gst_h265_headers_passed (h);
  }
  fail_unless (n_spliced > 3 && n_entries - n_spliced > 3);
  gst_h265_headers_free (h);
  free_made (&s);
}

GST_END_TEST;

/* Octets changed, cut off and added: nothing is read beyond, and what is lost is
 * found again with an IRAP picture and its parameter sets. */
GST_START_TEST (test_damage)
{
  Stream s = { 0 };
  GstH265Headers *h = gst_h265_headers_new ();
  GRand *random = g_rand_new_with_seed (1);
  guint n_lost = 0;

  if (!load_made (&s, "keyint=10:repeat-headers=1"))
    return;
  for (guint round = 0; round < 40; round++) {
    fail_unless (gst_h265_headers_set_caps (h, s.caps));
    for (guint i = 0; i < s.units->len; i++) {
      GstBuffer *buffer = g_array_index (s.units, Unit, i).buffer;
      gsize size = gst_buffer_get_size (buffer);
      guint8 *data = g_malloc (size);
      const H26xPicture *p;

      gst_buffer_extract (buffer, 0, data, size);
      if (i % 50 < 30 && g_rand_int_range (random, 0, 3) == 0) {
        for (guint k = 0; k < 4; k++)
          data[g_rand_int_range (random, 0, (gint) MIN (size, 90))] =
              (guint8) g_rand_int (random);
        size -= (gsize) g_rand_int_range (random, 0, (gint) size);
      }
      data = g_realloc (data, size);
      p = gst_h265_headers_read (h, data, size);
      n_lost += p && !p->readable;
      if (i % 50 > 45)
        fail_unless (p && p->readable);
      g_free (data);
    }
  }
  fail_unless (n_lost > 0);
  g_rand_free (random);
  gst_h265_headers_free (h);
  free_made (&s);
}

GST_END_TEST;

GST_START_TEST (test_more_streams)
{
  const gchar *media = g_getenv ("H265_MEDIA_DIR");
  GDir *directory = media && avdecode_present () ? g_dir_open (media, 0, NULL)
      : NULL;
  gint wrong = 0;
  const gchar *name;

  if (!directory) {
    g_print ("skipped: more streams (H265_MEDIA_DIR is not set)\n");
    return;
  }
  while ((name = g_dir_read_name (directory))) {
    gchar *path = g_build_filename (media, name, NULL);

    wrong += MAX (check_file (name, path), 0);
    g_free (path);
  }
  g_dir_close (directory);
  fail_unless_equals_int (wrong, 0);
}

GST_END_TEST;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("h265-XXXXXX", NULL);
}

static void
remove_folder (void)
{
  g_rmdir (folder);
  g_free (folder);
}

static Suite *
h265headers_suite (void)
{
  Suite *s = suite_create ("h265headers");
  TCase *tc = tcase_create ("streams");
  TCase *units = tcase_create ("units");

  suite_add_tcase (s, tc);
  suite_add_tcase (s, units);
  tcase_set_timeout (tc, 600);
  tcase_add_checked_fixture (tc, make_folder, remove_folder);
  tcase_set_timeout (units, 600);
  tcase_add_checked_fixture (units, make_folder, remove_folder);
  tcase_add_loop_test (tc, test_x265, 0, G_N_ELEMENTS (streams));
  tcase_add_test (tc, test_formats);
  tcase_add_test (units, test_units);
  tcase_add_test (units, test_damage);
  tcase_add_test (tc, test_more_streams);
  return s;
}

GST_CHECK_MAIN (h265headers);
