/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Limits the frames of an encoder by the property that it has for that: a VBV
 * buffer, or a share of the mean frame. The value that was found there is
 * restored when the limit ends.
 */
#ifndef __FRAME_LIMIT_H__
#define __FRAME_LIMIT_H__

#include "encoders.h"

G_BEGIN_DECLS

/* The values and their order let a boolean be written to the property. */
typedef enum
{
  LIMIT_FRAMES_FALSE,
  LIMIT_FRAMES_TRUE,
  /* only if the property has its default; no tighter than pays */
  LIMIT_FRAMES_AUTO
} LimitFrames;

typedef struct
{
  GWeakRef encoder;             /* empty = no limit is in force */
  EncoderControl control;       /* without a reference to the encoder */
  /* the property's value before the limit, and the one written last */
  guint64 found, written;
  gboolean is_own;              /* the application had set the property */
} FrameLimit;

void frame_limit_init (FrameLimit * limit);
void frame_limit_clear (FrameLimit * limit);

/* Keeps frames of this encoder below a number of bytes, 0 = no limit, while it
 * is set to a bitrate for so many frames/s, 0 = unknown. Returns the bytes of
 * the largest frame: more where mean frames are large. Returns 0 if frames are
 * not limited now: there is no such property that may change while playing, the
 * application has set it, or it is tighter than the limit. */
guint64 frame_limit_set (FrameLimit * limit, GstElement * encoder,
    LimitFrames mode, guint64 bytes, guint64 bitrate, gdouble rate);
/* Restores the encoder's own value, unless the application has written another
 * one since. */
void frame_limit_end (FrameLimit * limit);

G_END_DECLS

#endif
