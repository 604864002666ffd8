/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsth26xcaps.h"

gboolean
gst_h26x_caps_read (const GstCaps * caps, const gchar * media_type,
    GstH26xReadCodecData read, gpointer headers)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *format = gst_structure_get_string (s, "stream-format");
  const gchar *alignment = gst_structure_get_string (s, "alignment");
  const GValue *value = gst_structure_get_value (s, "codec_data");
  GstBuffer *codec_data;
  GstMapInfo map;
  gboolean ok;

  if (!gst_structure_has_name (s, media_type)
      || g_strcmp0 (alignment, "au") != 0)
    return FALSE;
  if (g_strcmp0 (format, "byte-stream") == 0)
    return TRUE;
  if (!value || !GST_VALUE_HOLDS_BUFFER (value))
    return FALSE;
  codec_data = gst_value_get_buffer (value);
  if (!codec_data || !gst_buffer_map (codec_data, &map, GST_MAP_READ))
    return FALSE;
  ok = read (headers, map.data, map.size);
  gst_buffer_unmap (codec_data, &map);
  return ok;
}
