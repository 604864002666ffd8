/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Measures the bitrate that repairs and redundancy take from the target.
 */
#ifndef __GST_PSP_RESERVED_H__
#define __GST_PSP_RESERVED_H__

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 bytes;                 /* payload without media that left in the
                                   current interval */
  gint64 since;                 /* ns; start of the interval */
  gint64 bitrate;               /* bits/s, smoothed */
} GstPspReserved;

void gst_psp_reserved_init (GstPspReserved * r, gint64 now);
/* Measures at the end of an interval. Returns TRUE if the bitrate changed. */
gboolean gst_psp_reserved_measure (GstPspReserved * r, gint64 now);

G_END_DECLS

#endif
