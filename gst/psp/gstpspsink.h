/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_PSP_SINK_H__
#define __GST_PSP_SINK_H__

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

#define GST_TYPE_PSP_SINK (gst_psp_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstPspSink, gst_psp_sink, GST, PSP_SINK, GstBaseSink)

GST_ELEMENT_REGISTER_DECLARE (pspsink);

G_END_DECLS

#endif
