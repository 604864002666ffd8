/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_CONGESTION_H__
#define __GST_CONGESTION_H__

#include <gst/congestion/codedpicturemeta.h>
#include <gst/congestion/congestion-prelude.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GST_CONGESTION_STRUCTURE_NAME:
 *
 * Name of the structure in a congestion event or message.
 */
#define GST_CONGESTION_STRUCTURE_NAME "GstCongestion"

/**
 * GST_CONGESTION_MAX_BITRATE:
 *
 * Ceiling of `target-bitrate` and `pace`: 1 Tbit/s, in bits per second.
 */
#define GST_CONGESTION_MAX_BITRATE G_GUINT64_CONSTANT (1000000000000)

/**
 * GST_CONGESTION_MAX_TIME:
 *
 * Ceiling of `rtt`, `spacing` and `queue-time`: one hour, in nanoseconds.
 */
#define GST_CONGESTION_MAX_TIME G_GUINT64_CONSTANT (3600000000000)

/**
 * GST_CONGESTION_MAX_FRAME_SIZE:
 *
 * Ceiling of `max-frame-size`: 1 GB, in bytes.
 *
 * Since: 0.2
 */
#define GST_CONGESTION_MAX_FRAME_SIZE G_GUINT64_CONSTANT (1000000000)

/**
 * GST_CONGESTION_MAX_SCALE:
 *
 * The highest media-scaling level.
 */
#define GST_CONGESTION_MAX_SCALE 4

/**
 * GST_CONGESTION_MAX_CONTROLLER_LENGTH:
 *
 * Length of the longest controller name, in bytes without the terminator.
 */
#define GST_CONGESTION_MAX_CONTROLLER_LENGTH 64

/**
 * GstCongestionReason:
 * @GST_CONGESTION_REASON_START: the session's first decision
 * @GST_CONGESTION_REASON_INCREASE: there is room for more
 * @GST_CONGESTION_REASON_LOSS: packets were lost
 * @GST_CONGESTION_REASON_TIMEOUT: no feedback came
 * @GST_CONGESTION_REASON_DUPACK: TCP entered fast recovery
 * @GST_CONGESTION_REASON_REXMT: TCP's retransmission timer expired
 * @GST_CONGESTION_REASON_BACKLOG: data accumulates in the sender
 * @GST_CONGESTION_REASON_ECN: packets were marked with congestion experienced
 * @GST_CONGESTION_REASON_DELAY: the round trip grows
 * @GST_CONGESTION_REASON_LIMIT: bounded by a property or by the application's
 *   own rate
 * @GST_CONGESTION_REASON_RESET: the controller started anew
 *
 * Why a congestion controller changed its decision.
 */
typedef enum
{
  GST_CONGESTION_REASON_START,
  GST_CONGESTION_REASON_INCREASE,
  GST_CONGESTION_REASON_LOSS,
  GST_CONGESTION_REASON_TIMEOUT,
  GST_CONGESTION_REASON_DUPACK,
  GST_CONGESTION_REASON_REXMT,
  GST_CONGESTION_REASON_BACKLOG,
  GST_CONGESTION_REASON_ECN,
  GST_CONGESTION_REASON_DELAY,
  GST_CONGESTION_REASON_LIMIT,
  GST_CONGESTION_REASON_RESET
} GstCongestionReason;

GST_CONGESTION_API
GType gst_congestion_reason_get_type (void);
#define GST_TYPE_CONGESTION_REASON (gst_congestion_reason_get_type ())

/**
 * GstCongestionInfo:
 *
 * What a congestion controller decided; opaque. Every quantity may be unknown.
 */
typedef struct _GstCongestionInfo GstCongestionInfo;

GST_CONGESTION_API
GType gst_congestion_info_get_type (void);
#define GST_TYPE_CONGESTION_INFO (gst_congestion_info_get_type ())

GST_CONGESTION_API
GstCongestionInfo * gst_congestion_info_new (GstCongestionReason reason);
GST_CONGESTION_API
GstCongestionInfo * gst_congestion_info_copy (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_free (GstCongestionInfo * info);

GST_CONGESTION_API
GstCongestionReason gst_congestion_info_get_reason (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_reason (GstCongestionInfo * info, GstCongestionReason reason);

GST_CONGESTION_API
gboolean gst_congestion_info_get_target_bitrate (const GstCongestionInfo * info, guint64 * bitrate);
GST_CONGESTION_API
void gst_congestion_info_set_target_bitrate (GstCongestionInfo * info, guint64 bitrate);

GST_CONGESTION_API
gint gst_congestion_info_get_scale (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_scale (GstCongestionInfo * info, gint scale);

GST_CONGESTION_API
GstClockTime gst_congestion_info_get_rtt (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_rtt (GstCongestionInfo * info, GstClockTime rtt);

GST_CONGESTION_API
gdouble gst_congestion_info_get_loss (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_loss (GstCongestionInfo * info, gdouble loss);

GST_CONGESTION_API
GstClockTime gst_congestion_info_get_spacing (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_spacing (GstCongestionInfo * info, GstClockTime spacing);

GST_CONGESTION_API
GstClockTime gst_congestion_info_get_queue_time (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_queue_time (GstCongestionInfo * info, GstClockTime queue_time);

GST_CONGESTION_API
guint64 gst_congestion_info_get_pace (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_pace (GstCongestionInfo * info, guint64 pace);

GST_CONGESTION_API
guint64 gst_congestion_info_get_max_frame_size (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_max_frame_size (GstCongestionInfo * info, guint64 size);

GST_CONGESTION_API
const gchar * gst_congestion_info_get_controller (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_controller (GstCongestionInfo * info, const gchar * controller);

GST_CONGESTION_API
guint gst_congestion_info_get_count (const GstCongestionInfo * info);
GST_CONGESTION_API
void gst_congestion_info_set_count (GstCongestionInfo * info, guint count);

GST_CONGESTION_API
gboolean gst_congestion_info_get_share (const GstCongestionInfo * info, gdouble share, guint64 reserved_bitrate, guint64 * bitrate);

GST_CONGESTION_API
GstEvent * gst_congestion_event_new (const GstCongestionInfo * info);
GST_CONGESTION_API
gboolean gst_is_congestion_event (GstEvent * event);
GST_CONGESTION_API
gboolean gst_congestion_event_parse (GstEvent * event, GstCongestionInfo ** info);

GST_CONGESTION_API
GstMessage * gst_congestion_message_new (GstObject * src, const GstCongestionInfo * info);
GST_CONGESTION_API
gboolean gst_is_congestion_message (GstMessage * message);
GST_CONGESTION_API
gboolean gst_congestion_message_parse (GstMessage * message, GstCongestionInfo ** info);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCongestionInfo, gst_congestion_info_free)

G_END_DECLS

#endif
