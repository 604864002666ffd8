/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <pads/pads.h>

/* Most pads of bins on the way; no pipeline nests them so deep. A circle of
 * them has no end. */
#define MAX_STEPS 1000

/* Returns the pad behind a pad of a bin, or behind its inner half; NULL =
 * nothing is there. */
static GstPad *
cross (GstPad * pad)
{
  GstProxyPad *ghost;
  GstPad *next;

  if (GST_IS_GHOST_PAD (pad))   /* it leads into the bin */
    return gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  /* It leads out of the bin. */
  ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (pad));
  next = ghost ? gst_pad_get_peer (GST_PAD (ghost)) : NULL;
  gst_clear_object (&ghost);
  return next;
}

GstPad *
gst_pads_get_peer (GstPad * pad)
{
  GstPad *peer = gst_pad_get_peer (pad);

  for (guint i = 0; peer && i < MAX_STEPS; i++) {
    GstPad *next;

    if (!GST_IS_PROXY_PAD (peer))
      return peer;
    next = cross (peer);
    gst_object_unref (peer);
    peer = next;
  }
  gst_clear_object (&peer);
  return NULL;
}
