/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_PSP_SRC_H__
#define __GST_PSP_SRC_H__

#include <gst/base/gstpushsrc.h>

G_BEGIN_DECLS

#define GST_TYPE_PSP_SRC (gst_psp_src_get_type ())
G_DECLARE_FINAL_TYPE (GstPspSrc, gst_psp_src, GST, PSP_SRC, GstPushSrc)

GST_ELEMENT_REGISTER_DECLARE (pspsrc);

G_END_DECLS

#endif
