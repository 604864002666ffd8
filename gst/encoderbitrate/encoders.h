/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds the encoder behind a pad and the property that is its bitrate.
 */
#ifndef __ENCODERS_H__
#define __ENCODERS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* The unit of the encoder's property. */
typedef enum
{
  ENCODER_UNIT_AUTO,
  ENCODER_UNIT_BIT,
  ENCODER_UNIT_KBIT
} EncoderUnit;

/* The unit of a property that limits frames. */
typedef enum
{
  ENCODER_LIMIT_MILLISECONDS,   /* ms of data at the bitrate */
  ENCODER_LIMIT_KBIT,
  ENCODER_LIMIT_PERCENT         /* % of a mean frame */
} EncoderLimitUnit;

/* The bitrate property of an encoder. The pspec lives as long as the
 * element. */
typedef struct
{
  GstElement *element;
  GParamSpec *pspec;
  /* name of the field, for a property of type GstStructure, else NULL */
  gchar *field;
  EncoderUnit unit;             /* never ENCODER_UNIT_AUTO */
} EncoderControl;

/* A control of no encoder. */
#define ENCODER_CONTROL_INIT { NULL, NULL, NULL, ENCODER_UNIT_AUTO }

/* These functions return a new reference, or NULL (or FALSE) and the reason: a
 * sentence with the remedy, to be freed with g_free(). They take only the locks
 * of the pads and elements that they pass. */
GstElement *encoder_find_upstream (GstPad * sinkpad, gchar ** why);
GstElement *encoder_find_by_name (GstElement * neighbour, const gchar * name,
    gchar ** why);

/* Takes a reference to the element. `property` and `unit` override the table;
 * NULL or "", and ENCODER_UNIT_AUTO, leave the choice to the table. */
gboolean encoder_control_open (EncoderControl * control, GstElement * element,
    const gchar * property, EncoderUnit unit, gchar ** why);
/* Opens the property that limits the encoder's frames instead, if there is one
 * that may change while playing. Its value is taken for bits/s, whatever `unit`
 * says. */
gboolean encoder_control_open_limit (EncoderControl * control,
    GstElement * element, EncoderLimitUnit * unit);
void encoder_control_close (EncoderControl * control);

/* Returns the frames/s of the encoder's caps; 0 = unknown. */
gdouble encoder_frame_rate (GstElement * element);
/* TRUE if the encoder makes its bitrate for the frames/s of its caps, whatever
 * the times of the pictures. */
gboolean encoder_counts_frames (GstElement * element);

/* Returns the property's value that is nearest to a bitrate, not above it if
 * there is a choice. */
guint64 encoder_control_value (const EncoderControl * control,
    guint64 bitrate);
/* Returns the bitrate of a value. */
guint64 encoder_control_bitrate (const EncoderControl * control,
    guint64 value);
void encoder_control_write (const EncoderControl * control, guint64 value);
/* Returns the value of a property that is no field of a structure. */
guint64 encoder_control_read (const EncoderControl * control);
/* True if a property that is no field of a structure has its default value. */
gboolean encoder_control_is_default (const EncoderControl * control);

G_END_DECLS

#endif
