/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The Unix socket to a viewer. Nothing here waits: a report that the viewer
 * does not take stays until it does, and meanwhile no other is made.
 *
 * One thread uses it.
 */
#ifndef GST_PSP_VIEW_LINK_H
#define GST_PSP_VIEW_LINK_H

#include <glib.h>

G_BEGIN_DECLS

/* Bytes of the largest report. */
#define GST_PSP_VIEW_REPORT_SIZE (64 * 1024)

typedef struct
{
  int fd;                       /* of the socket, -1 = no viewer */
  gchar *text;                  /* the report, GST_PSP_VIEW_REPORT_SIZE bytes */
  gsize used, sent;             /* bytes of it: all, and those that left */
} GstPspViewLink;

void gst_psp_view_link_init (GstPspViewLink * link);
void gst_psp_view_link_clear (GstPspViewLink * link);
/* Looks for a viewer of this user's or root's. TRUE = there is one now. */
gboolean gst_psp_view_link_connect (GstPspViewLink * link);
/* Sends what the socket takes. TRUE = all has left, and `text` is free. FALSE
 * also where the viewer is gone: `fd` is -1 then. */
gboolean gst_psp_view_link_flush (GstPspViewLink * link);

G_END_DECLS

#endif
