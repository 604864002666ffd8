/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "quality.h"

#include <gst/check/gstcheck.h>

#include <math.h>

#include "../avdecode.h"

static GByteArray *
decode_luma (const guint8 * data, gsize size)
{
  const AvdecodeOptions options = {.output_corrupt = TRUE };
  GByteArray *frames = g_byte_array_new ();

  avdecode (data, size, &options, avdecode_add_luminance, frames);
  return frames;
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
