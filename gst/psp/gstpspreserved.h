/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What repairs and redundancy take of the target, and media does not get.
 */
#ifndef __GST_PSP_RESERVED_H__
#define __GST_PSP_RESERVED_H__

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 bytes;                 /* payload other than media that left since: */
  gint64 since;
  gint64 bitrate;               /* bits/s, smoothed */
} GstPspReserved;

/* Nothing has left. */
void gst_psp_reserved_init (GstPspReserved * r, gint64 now);
/* Measures, where it is time; TRUE: the bitrate is another. */
gboolean gst_psp_reserved_measure (GstPspReserved * r, gint64 now);

G_END_DECLS

#endif
