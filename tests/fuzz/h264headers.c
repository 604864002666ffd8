/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as access units of H.264: nothing is read beyond them, pictures
 * refer to what came before, what is kept of parameter sets is bounded, and to
 * allow gaps changes no size.
 */
#include <gsth264headers.h>

#include "accessunits.h"

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check_sets (const GstH264Headers * headers)
{
  const GstH264Sets *sets = gst_h264_headers_get_sets (headers);
  gsize size = 0;

  for (guint i = 0; i < sets->sets->len; i++) {
    GBytes *set = g_ptr_array_index (sets->sets, i);
    GBytes *changed = gst_h264_allow_gaps_in_set (set, sets->length_size);

    size += g_bytes_get_size (set);
    check (g_bytes_get_size (changed) == g_bytes_get_size (set));
    g_bytes_unref (changed);
  }
  check (size <= GST_H264_SETS_MAX_SIZE + 4 * sets->sets->len);
  gst_h264_sets_can_allow_gaps (sets);
}

static void
read_unit (GstH264Headers * headers, GBytes * bytes, uint64_t * last)
{
  const GstH264Sets *sets = gst_h264_headers_get_sets (headers);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const H26xPicture *picture = gst_h264_headers_read (headers, data, size);
  const GstH26xUnit *units;
  GstBuffer *out;
  guint n;

  units = gst_h264_headers_get_units (headers, &n);
  check_units (units, n, size);
  out = gst_h264_allow_gaps_in_buffer (gst_buffer_new_wrapped_bytes (bytes),
      units, n, sets->length_size);
  check (gst_buffer_get_size (out) == size);
  gst_buffer_unref (out);
  check_sets (headers);
  if (!picture)
    return;
  check_picture (picture, *last);
  *last = picture->id;
  if (gst_h264_headers_decodes (headers, picture->id % 2))
    gst_h264_headers_passed (headers);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  AccessUnits in = { data, size };
  GstH264Headers *headers;
  uint64_t last = 0;
  GBytes *bytes;
  GstCaps *caps;

  if (size == 0)
    return 0;
  access_units_init ();
  headers = gst_h264_headers_new ();
  caps = access_units_caps (&in, "video/x-h264", "avc");
  if (gst_h264_headers_set_caps (headers, caps))
    gst_caps_unref (gst_h264_allow_gaps_in_caps (caps));
  while (access_units_take (&in, &bytes)) {
    read_unit (headers, bytes, &last);
    g_bytes_unref (bytes);
  }
  gst_caps_unref (caps);
  gst_h264_headers_free (headers);
  return 0;
}
