/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_ITCP_SINK_H__
#define __GST_ITCP_SINK_H__

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

#define GST_TYPE_ITCP_SINK (gst_itcp_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstItcpSink, gst_itcp_sink, GST, ITCP_SINK, GstBaseSink)

GST_ELEMENT_REGISTER_DECLARE (itcpsink);

G_END_DECLS

#endif
