/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The tracer pspview finds this project's elements in any pipeline of the
 * process. Twice a second it sends their statistics and events to a viewer,
 * from a thread of its own. See docs/view.md.
 */
#ifndef GST_PSP_VIEW_H
#define GST_PSP_VIEW_H

#include <gst/gst.h>
#include <gst/gsttracer.h>

G_BEGIN_DECLS

#define GST_TYPE_PSP_VIEW (gst_psp_view_get_type ())
G_DECLARE_FINAL_TYPE (GstPspView, gst_psp_view, GST, PSP_VIEW, GstTracer)

G_END_DECLS

#endif
