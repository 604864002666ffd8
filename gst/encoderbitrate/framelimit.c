/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encodertable.h"
#include "framelimit.h"

#include "core/correction.h"

/* part of the value in force; a smaller fall is not worth a reconfiguration of
 * the encoder, because the sender's pace goes up and down */
#define FALL_PART 16
/* part of the value in force; a smaller rise is not worth a reconfiguration */
#define RISE_PART 4

void
frame_limit_init (FrameLimit * limit)
{
  g_weak_ref_init (&limit->encoder, NULL);
}

void
frame_limit_clear (FrameLimit * limit)
{
  g_weak_ref_clear (&limit->encoder);
}

/* Returns the bytes of the largest frame. If the application asks for the limit,
 * a frame of the mean size has to fit. */
static gdouble
largest_frame (LimitFrames mode, guint64 bytes, guint64 bitrate, gdouble rate)
{
  guint frames = mode == LIMIT_FRAMES_AUTO ? ENCODER_LARGEST_FRAME : 1;

  return rate > 0 ? MAX ((gdouble) bytes, frames * bitrate / 8 / rate) : bytes;
}

/* Returns the value of the property that allows this number of bytes; 0 =
 * unknown. */
static guint64
value_of (EncoderLimitUnit unit, gdouble bytes, gdouble bitrate, gdouble rate)
{
  gdouble value;

  switch (unit) {
    case ENCODER_LIMIT_MILLISECONDS:
      value = bytes * 8 * 1000 / bitrate;
      break;
    case ENCODER_LIMIT_PERCENT:
      if (rate <= 0)
        return 0;
      value = bytes * 8 * 100 * rate / bitrate;
      break;
    default:
      value = bytes * 8 / 1000;
      break;
  }
  return MAX ((guint64) value, 1);
}

static void
begin (FrameLimit * limit, const EncoderControl * control)
{
  limit->control = *control;
  limit->control.element = NULL;
  limit->found = limit->written = encoder_control_read (control);
  limit->is_own = !encoder_control_is_default (control);
  g_weak_ref_set (&limit->encoder, control->element);
}

/* TRUE if this encoder's limit is in force and the application has left it
 * alone. */
static gboolean
holds (FrameLimit * limit, const EncoderControl * control)
{
  GstElement *encoder = g_weak_ref_get (&limit->encoder);
  gboolean same = encoder == control->element;

  gst_clear_object (&encoder);
  return same && encoder_control_read (control) == limit->written;
}

static void
write_value (FrameLimit * limit, const EncoderControl * control, guint64 value)
{
  if (value < limit->written - limit->written / FALL_PART
      || limit->written == 0
      || value > limit->written + limit->written / RISE_PART) {
    encoder_control_write (control, value);
    limit->written = encoder_control_read (control);
  }
}

guint64
frame_limit_set (FrameLimit * limit, GstElement * encoder, LimitFrames mode,
    guint64 bytes, guint64 bitrate, gdouble rate)
{
  EncoderControl control = ENCODER_CONTROL_INIT;
  EncoderLimitUnit unit;
  gdouble largest = 0;
  guint64 value = 0;
  gboolean limited = FALSE;

  if (mode != LIMIT_FRAMES_FALSE && bytes > 0 && bitrate > 0
      && encoder_control_open_limit (&control, encoder, &unit)) {
    largest = largest_frame (mode, bytes, bitrate, rate);
    value = value_of (unit, largest, (gdouble) bitrate, rate);
  }
  if (value > 0) {
    value = encoder_control_value (&control, value);
    if (!holds (limit, &control)) {
      frame_limit_end (limit);
      begin (limit, &control);
    }
    /* If the value found is 0, the encoder itself had no limit. */
    limited = (mode == LIMIT_FRAMES_TRUE || !limit->is_own)
        && (limit->found == 0 || value < limit->found);
  }
  if (limited)
    write_value (limit, &control, value);
  else
    frame_limit_end (limit);
  encoder_control_close (&control);
  return limited ? (guint64) largest : 0;
}

void
frame_limit_end (FrameLimit * limit)
{
  GstElement *encoder = g_weak_ref_get (&limit->encoder);

  if (!encoder)
    return;
  limit->control.element = encoder;
  if (limit->written != limit->found
      && encoder_control_read (&limit->control) == limit->written)
    encoder_control_write (&limit->control, limit->found);
  limit->control.element = NULL;
  g_weak_ref_set (&limit->encoder, NULL);
  gst_object_unref (encoder);
}
