/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The pad rtcp_src of pspsrc: what the sender reports, for rtpbin, which aligns
 * sound and video by it. GstBaseSrc begins a stream only while it has a single
 * pad, so this one is added with the sender's first report, and removed at the
 * end.
 */
#ifndef __GST_PSP_SRC_RTCP_H__
#define __GST_PSP_SRC_RTCP_H__

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GstPad *src;                  /* its pad for RTP */
  GstPad *pad;                  /* NULL = no report has come */
} GstPspSrcRtcp;

void gst_psp_src_rtcp_add_template (GstElementClass * klass);
/* The end of the stream of `src` will be that of the RTCP, too. */
void gst_psp_src_rtcp_init (GstPspSrcRtcp * r, GstElement * element,
    GstPad * src);
/* Takes the buffer and pushes it. Needs the streaming thread. */
void gst_psp_src_rtcp_push (GstPspSrcRtcp * r, GstBuffer * buffer);
/* Removes the pad, after the streaming thread has ended. */
void gst_psp_src_rtcp_end (GstPspSrcRtcp * r);

G_END_DECLS

#endif
