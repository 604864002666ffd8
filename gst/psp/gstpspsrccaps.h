/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The caps of pspsrc: those of the property, or else the only format that the
 * elements downstream accept, or else the caps of the first packet's static
 * payload type.
 */
#ifndef __GST_PSP_SRC_CAPS_H__
#define __GST_PSP_SRC_CAPS_H__

#include <gst/base/gstbasesrc.h>

G_BEGIN_DECLS

typedef struct
{
  GstBaseSrc *src;              /* the element, which posts errors */
  GstCaps *set;                 /* the property, or NULL; the object lock guards
                                   it */

  /* Only the streaming thread uses these members. */
  gboolean undecided;           /* the first packet's payload type decides */
  gboolean warned;              /* a warning of missing caps was posted */
} GstPspSrcCaps;

/* Sets the property from any thread. Copies the caps; NULL = none. */
void gst_psp_src_caps_set (GstPspSrcCaps * c, const GstCaps * caps);

/* These are the virtual functions of GstBaseSrcClass. */
GstCaps *gst_psp_src_caps_get (GstPspSrcCaps * c, GstCaps * filter);
gboolean gst_psp_src_caps_negotiate (GstPspSrcCaps * c);

/* Sets undecided caps by the payload type of the first packet. Returns FALSE if
 * downstream does not accept them. */
gboolean gst_psp_src_caps_decide (GstPspSrcCaps * c, guint8 payload_type);

G_END_DECLS

#endif
