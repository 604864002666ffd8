/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds the encoder behind a pad and the property that is its bitrate.
 */
#ifndef __ENCODERS_H__
#define __ENCODERS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* Counts bits per second in this many. */
typedef enum
{
  ENCODER_UNIT_AUTO,
  ENCODER_UNIT_BIT,
  ENCODER_UNIT_KBIT
} EncoderUnit;

/* The knob of an encoder. The pspec lives as long as the element. */
typedef struct
{
  GstElement *element;
  GParamSpec *pspec;
  gchar *field;                 /* in a GstStructure property, or NULL */
  EncoderUnit unit;             /* never auto */
} EncoderControl;

#define ENCODER_CONTROL_INIT { NULL, NULL, NULL, ENCODER_UNIT_AUTO }

/* All of these return a new reference or say why not, in a sentence with the
 * remedy (free with g_free()). They take no lock but those of the pads and
 * elements that they pass. */
GstElement *encoder_find_upstream (GstPad * sinkpad, gchar ** why);
GstElement *encoder_find_by_name (GstElement * neighbour, const gchar * name,
    gchar ** why);

/* Takes a reference to the element. property and unit override the table;
 * NULL or empty, and auto, leave it to the table. */
gboolean encoder_control_open (EncoderControl * control, GstElement * element,
    const gchar * property, EncoderUnit unit, gchar ** why);
void encoder_control_close (EncoderControl * control);

/* The value nearest to a bitrate that the property can take, never above it
 * where there is a choice; and back. */
guint64 encoder_control_value (const EncoderControl * control,
    guint64 bitrate);
guint64 encoder_control_bitrate (const EncoderControl * control,
    guint64 value);
void encoder_control_write (const EncoderControl * control, guint64 value);

G_END_DECLS

#endif
