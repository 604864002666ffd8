/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For elements that look for another one along the pipeline, upstream or
 * downstream.
 */
#ifndef PADS_PADS_H
#define PADS_PADS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns the pad of an element that the pad is linked with, also into or
 * out of bins; NULL = the link, or a link on the way through bins, is
 * missing. The caller owns the reference. */
GstPad *gst_pads_get_peer (GstPad * pad);

G_END_DECLS

#endif
