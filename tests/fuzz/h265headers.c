/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as access units of H.265: nothing is read beyond them, pictures
 * refer to what came before, and to begin anew changes no size.
 */
#include <gsth265headers.h>

#include "accessunits.h"

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
read_unit (GstH265Headers * headers, GBytes * bytes, uint64_t * last)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const H26xPicture *picture = gst_h265_headers_read (headers, data, size);
  const GstH26xUnit *units;
  GstBuffer *out;
  guint n;

  units = gst_h265_headers_get_units (headers, &n);
  check_units (units, n, size);
  if (!picture)
    return;
  check_picture (picture, *last);
  *last = picture->id;
  out = gst_h265_headers_splice (headers, gst_buffer_new_wrapped_bytes (bytes),
      picture->id % 2);
  check (gst_buffer_get_size (out) == size);
  gst_buffer_unref (out);
  if (picture->id % 3)
    gst_h265_headers_passed (headers);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  AccessUnits in = { data, size };
  GstH265Headers *headers;
  uint64_t last = 0;
  GBytes *bytes;
  GstCaps *caps;

  if (size == 0)
    return 0;
  access_units_init ();
  headers = gst_h265_headers_new ();
  caps = access_units_caps (&in, "video/x-h265", "hvc1");
  gst_h265_headers_set_caps (headers, caps);
  while (access_units_take (&in, &bytes)) {
    read_unit (headers, bytes, &last);
    g_bytes_unref (bytes);
  }
  gst_caps_unref (caps);
  gst_h265_headers_free (headers);
  return 0;
}
