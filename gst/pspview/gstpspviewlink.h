/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The Unix socket to a viewer. No function waits. A report that the viewer
 * does not take stays until it does, and meanwhile no other report is made.
 *
 * Only one thread uses the link.
 */
#ifndef GST_PSP_VIEW_LINK_H
#define GST_PSP_VIEW_LINK_H

#include <glib.h>

G_BEGIN_DECLS

/* Bytes of the largest report. A viewer may look only every 1.2 s, in which
 * three reports are made: the socket of Linux holds three of this size. */
#define GST_PSP_VIEW_REPORT_SIZE (64 * 1024)

typedef struct
{
  int fd;                       /* the socket; -1 = no viewer */
  gchar *text;                  /* the report, GST_PSP_VIEW_REPORT_SIZE bytes */
  gsize used, sent;             /* bytes of the report; those that left */
} GstPspViewLink;

void gst_psp_view_link_init (GstPspViewLink * link);
void gst_psp_view_link_clear (GstPspViewLink * link);
/* Connects to a viewer that belongs to this user or to root. Returns TRUE
 * if there is one. */
gboolean gst_psp_view_link_connect (GstPspViewLink * link);
/* Sends what the socket takes. Returns TRUE if all has left and `text` is
 * free. Returns FALSE also if the viewer is gone; `fd` is -1 then. */
gboolean gst_psp_view_link_flush (GstPspViewLink * link);

G_END_DECLS

#endif
