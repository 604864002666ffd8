/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What pspsrc receives, as caps: those that are set, or else what follows names
 * one format, or else the first packet has a static payload type.
 */
#ifndef __GST_PSP_SRC_CAPS_H__
#define __GST_PSP_SRC_CAPS_H__

#include <gst/base/gstbasesrc.h>

G_BEGIN_DECLS

typedef struct
{
  GstBaseSrc *src;              /* the element, which posts what is wrong */
  GstCaps *set;                 /* by a property, or NULL; the element's lock */

  /* The streaming thread's. */
  gboolean undecided;           /* the first packet's payload type decides */
  gboolean warned;              /* of missing caps */
} GstPspSrcCaps;

/* Any thread. They are copied; NULL = none. */
void gst_psp_src_caps_set (GstPspSrcCaps * c, const GstCaps * caps);

/* As of GstBaseSrcClass. */
GstCaps *gst_psp_src_caps_get (GstPspSrcCaps * c, GstCaps * filter);
gboolean gst_psp_src_caps_negotiate (GstPspSrcCaps * c);

/* Where it is undecided: by the payload type of the first packet. FALSE: what
 * follows does not take it. */
gboolean gst_psp_src_caps_decide (GstPspSrcCaps * c, guint8 payload_type);

G_END_DECLS

#endif
