/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
/* The public header alone, as an application includes it. */
#include <gst/congestion/congestion.h>

int
main (void)
{
  g_autoptr (GstCongestionInfo) info =
      gst_congestion_info_new (GST_CONGESTION_REASON_START);
  guint64 bitrate;

  return gst_congestion_info_get_share (info, 1.0, 0, &bitrate) ||
      G_TYPE_IS_ENUM (GST_TYPE_CONGESTION_INFO) ||
      !G_TYPE_IS_ENUM (GST_TYPE_CONGESTION_REASON);
}
