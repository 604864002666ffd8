/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "quality.h"

#include <gst/check/gstcheck.h>

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static GByteArray *
decode_luma (const guint8 * data, gsize size)
{
  gchar *directory = g_dir_make_tmp ("mpegscaler-XXXXXX", NULL);
  gchar *in = g_build_filename (directory, "in.m2v", NULL);
  gchar *out = g_build_filename (directory, "out.gray", NULL);
  const gchar *argv[] = { "ffmpeg", "-nostdin", "-v", "error", "-threads", "1",
    "-flags", "+output_corrupt", "-f", "mpegvideo", "-i", in, "-fps_mode",
    "passthrough", "-vf", "extractplanes=y", "-f", "rawvideo", out, NULL
  };
  gchar *frames;
  gsize n;
  gint status;

  fail_unless (g_file_set_contents (in, (const gchar *) data, size, NULL));
  fail_unless (g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_SEARCH_PATH,
          NULL, NULL, NULL, NULL, &status, NULL));
  fail_unless_equals_int (status, 0);
  fail_unless (g_file_get_contents (out, &frames, &n, NULL));
  g_unlink (in);
  g_unlink (out);
  g_rmdir (directory);
  g_free (in);
  g_free (out);
  g_free (directory);
  return g_byte_array_new_take ((guint8 *) frames, n);
}

static gdouble
psnr (const guint8 * a, const guint8 * b, gsize n)
{
  guint64 sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum == 0 ? 100 : 10 * log10 (255. * 255. * n / sum);
}

/* B frames before the second anchor have but one reference, and FFmpeg does not
 * show them. */
static GArray *
shown (const TestStream * s, const gint * present)
{
  GArray *order = test_stream_display_order (s, present);
  GArray *result = g_array_new (FALSE, FALSE, sizeof (guint));
  guint second = 0, n_anchors = 0;

  for (second = 0; second < s->frames->len && n_anchors < 2; second++)
    n_anchors += (!present || present[second])
        && test_stream_frame (s, second)->type != M2V_PICTURE_B;
  for (guint i = 0; i < order->len; i++) {
    guint number = g_array_index (order, guint, i);

    if (number >= second - 1 || test_stream_frame (s, number)->type
        != M2V_PICTURE_B)
      g_array_append_val (result, number);
  }
  g_array_unref (order);
  return result;
}

gdouble
test_quality (const TestStream * s, const gint * present, const guint8 * data,
    gsize size, gdouble * worst)
{
  const gsize n = s->sequence.width * s->sequence.height;
  GByteArray *source = decode_luma (s->data, s->size);
  GByteArray *output = decode_luma (data, size);
  GArray *all = shown (s, NULL), *some = shown (s, present);
  gdouble sum = 0, least = 100;

  fail_unless_equals_uint64 (source->len, n * all->len);
  fail_unless_equals_uint64 (output->len, n * some->len);
  for (guint i = 0, k = 0; i < some->len; i++) {
    gdouble db;

    while (g_array_index (all, guint, k) != g_array_index (some, guint, i))
      fail_unless (++k < all->len);
    db = psnr (source->data + k * n, output->data + i * n, n);
    sum += db;
    least = MIN (least, db);
  }
  sum /= MAX (some->len, 1);
  g_array_unref (all);
  g_array_unref (some);
  g_byte_array_unref (source);
  g_byte_array_unref (output);
  if (worst)
    *worst = least;
  return sum;
}
