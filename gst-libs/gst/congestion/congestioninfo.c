/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A #GstCongestionInfo has what was decided. Its setters keep it within the
 * ranges of congestion.c's table.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "congestion-private.h"

struct _GstCongestionInfo
{
  GstCongestionReason reason;
  gboolean has_target;
  guint64 target_bitrate;
  gint scale;
  GstClockTime rtt;
  gdouble loss;
  GstClockTime spacing;
  GstClockTime queue_time;
  guint64 pace, max_frame_size; /* 0 = unknown */
  gchar *controller;
  guint count;
};

G_DEFINE_BOXED_TYPE (GstCongestionInfo, gst_congestion_info,
    gst_congestion_info_copy, gst_congestion_info_free);

static const GEnumValue reasons[] = {
  {GST_CONGESTION_REASON_START, "GST_CONGESTION_REASON_START", "start"},
  {GST_CONGESTION_REASON_INCREASE, "GST_CONGESTION_REASON_INCREASE",
      "increase"},
  {GST_CONGESTION_REASON_LOSS, "GST_CONGESTION_REASON_LOSS", "loss"},
  {GST_CONGESTION_REASON_TIMEOUT, "GST_CONGESTION_REASON_TIMEOUT", "timeout"},
  {GST_CONGESTION_REASON_DUPACK, "GST_CONGESTION_REASON_DUPACK", "dupack"},
  {GST_CONGESTION_REASON_REXMT, "GST_CONGESTION_REASON_REXMT", "rexmt"},
  {GST_CONGESTION_REASON_BACKLOG, "GST_CONGESTION_REASON_BACKLOG", "backlog"},
  {GST_CONGESTION_REASON_ECN, "GST_CONGESTION_REASON_ECN", "ecn"},
  {GST_CONGESTION_REASON_DELAY, "GST_CONGESTION_REASON_DELAY", "delay"},
  {GST_CONGESTION_REASON_LIMIT, "GST_CONGESTION_REASON_LIMIT", "limit"},
  {GST_CONGESTION_REASON_RESET, "GST_CONGESTION_REASON_RESET", "reset"},
  {0, NULL, NULL}
};

GType
gst_congestion_reason_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstCongestionReason", reasons);
    g_once_init_leave (&type, t);
  }
  return type;
}

static const GEnumValue *
find_reason (GstCongestionReason reason)
{
  const GEnumValue *v;

  for (v = reasons; v->value_nick != NULL; v++)
    if (v->value == (gint) reason)
      return v;
  return NULL;
}

const gchar *
gst_congestion_reason_to_nick (GstCongestionReason reason)
{
  return find_reason (reason)->value_nick;
}

gboolean
gst_congestion_reason_from_nick (const gchar * nick,
    GstCongestionReason * reason)
{
  const GEnumValue *v;

  for (v = reasons; v->value_nick != NULL; v++)
    if (strcmp (v->value_nick, nick) == 0) {
      *reason = v->value;
      return TRUE;
    }
  return FALSE;
}

/**
 * gst_congestion_info_new:
 * @reason: why the decision changed
 *
 * Makes an info in which everything but @reason is unknown.
 *
 * Returns: (transfer full): a new #GstCongestionInfo
 */
GstCongestionInfo *
gst_congestion_info_new (GstCongestionReason reason)
{
  GstCongestionInfo *info;

  g_return_val_if_fail (find_reason (reason) != NULL, NULL);

  info = g_new0 (GstCongestionInfo, 1);
  info->reason = reason;
  info->scale = -1;
  info->rtt = GST_CLOCK_TIME_NONE;
  info->loss = -1.0;
  info->spacing = GST_CLOCK_TIME_NONE;
  info->queue_time = GST_CLOCK_TIME_NONE;
  return info;
}

/**
 * gst_congestion_info_copy:
 * @info: a #GstCongestionInfo
 *
 * Returns: (transfer full): a copy of @info
 */
GstCongestionInfo *
gst_congestion_info_copy (const GstCongestionInfo * info)
{
  GstCongestionInfo *copy;

  g_return_val_if_fail (info != NULL, NULL);

  copy = g_new (GstCongestionInfo, 1);
  *copy = *info;
  copy->controller = g_strdup (info->controller);
  return copy;
}

/**
 * gst_congestion_info_free:
 * @info: (nullable) (transfer full): a #GstCongestionInfo
 *
 * Frees @info.
 */
void
gst_congestion_info_free (GstCongestionInfo * info)
{
  if (info == NULL)
    return;
  g_free (info->controller);
  g_free (info);
}

/**
 * gst_congestion_info_get_reason:
 * @info: a #GstCongestionInfo
 *
 * Returns: why the decision changed
 */
GstCongestionReason
gst_congestion_info_get_reason (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, GST_CONGESTION_REASON_START);

  return info->reason;
}

/**
 * gst_congestion_info_set_reason:
 * @info: a #GstCongestionInfo
 * @reason: why the decision changed
 *
 * A value outside of #GstCongestionReason is a programming error and changes
 * nothing.
 */
void
gst_congestion_info_set_reason (GstCongestionInfo * info,
    GstCongestionReason reason)
{
  g_return_if_fail (info != NULL);
  g_return_if_fail (find_reason (reason) != NULL);

  info->reason = reason;
}

/**
 * gst_congestion_info_get_target_bitrate:
 * @info: a #GstCongestionInfo
 * @bitrate: (out) (optional): the target in bits per second, 0 when unknown
 *
 * Gets the media rate (RTP payload) that fits the session now. A known target
 * of 0 means: send nothing until the next target above 0. Elements that serve
 * one of several streams use gst_congestion_info_get_share() instead.
 *
 * Returns: %TRUE when the target is known
 */
gboolean
gst_congestion_info_get_target_bitrate (const GstCongestionInfo * info,
    guint64 * bitrate)
{
  if (bitrate)
    *bitrate = 0;
  g_return_val_if_fail (info != NULL, FALSE);

  if (bitrate)
    *bitrate = info->target_bitrate;
  return info->has_target;
}

/**
 * gst_congestion_info_set_target_bitrate:
 * @info: a #GstCongestionInfo
 * @bitrate: the target in bits per second, clamped to
 *   %GST_CONGESTION_MAX_BITRATE; 0 asks to send nothing
 *
 * Sets the media rate (RTP payload) that fits the session now.
 */
void
gst_congestion_info_set_target_bitrate (GstCongestionInfo * info,
    guint64 bitrate)
{
  g_return_if_fail (info != NULL);

  info->has_target = TRUE;
  info->target_bitrate = MIN (bitrate, GST_CONGESTION_MAX_BITRATE);
}

/**
 * gst_congestion_info_get_scale:
 * @info: a #GstCongestionInfo
 *
 * Returns: the media-scaling level, 0 (fewest pictures) to
 *   %GST_CONGESTION_MAX_SCALE (all), or -1 when the controller has none
 */
gint
gst_congestion_info_get_scale (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, -1);

  return info->scale;
}

/**
 * gst_congestion_info_set_scale:
 * @info: a #GstCongestionInfo
 * @scale: the media-scaling level, clamped to -1 (none) to
 *   %GST_CONGESTION_MAX_SCALE
 */
void
gst_congestion_info_set_scale (GstCongestionInfo * info, gint scale)
{
  g_return_if_fail (info != NULL);

  info->scale = CLAMP (scale, -1, GST_CONGESTION_MAX_SCALE);
}

static GstClockTime
clamp_time (GstClockTime t)
{
  return GST_CLOCK_TIME_IS_VALID (t) ? MIN (t, GST_CONGESTION_MAX_TIME) : t;
}

/**
 * gst_congestion_info_get_rtt:
 * @info: a #GstCongestionInfo
 *
 * Returns: the smoothed round-trip time in nanoseconds, never 0, or
 *   %GST_CLOCK_TIME_NONE when unknown
 */
GstClockTime
gst_congestion_info_get_rtt (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, GST_CLOCK_TIME_NONE);

  return info->rtt;
}

/**
 * gst_congestion_info_set_rtt:
 * @info: a #GstCongestionInfo
 * @rtt: the smoothed round-trip time in nanoseconds, clamped to
 *   %GST_CONGESTION_MAX_TIME; %GST_CLOCK_TIME_NONE and 0 are unknown
 */
void
gst_congestion_info_set_rtt (GstCongestionInfo * info, GstClockTime rtt)
{
  g_return_if_fail (info != NULL);

  /* Nothing comes back in no time, and followers may divide by it. */
  info->rtt = rtt == 0 ? GST_CLOCK_TIME_NONE : clamp_time (rtt);
}

/**
 * gst_congestion_info_get_loss:
 * @info: a #GstCongestionInfo
 *
 * Returns: the fraction of packets lost over the last round trip, 0 to 1, or -1
 *   when unknown
 */
gdouble
gst_congestion_info_get_loss (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, -1.0);

  return info->loss;
}

/**
 * gst_congestion_info_set_loss:
 * @info: a #GstCongestionInfo
 * @loss: the fraction of packets lost over the last round trip; above 1 counts
 *   as 1, negative or not a number as unknown
 */
void
gst_congestion_info_set_loss (GstCongestionInfo * info, gdouble loss)
{
  g_return_if_fail (info != NULL);

  /* A comparison with NaN is false. */
  info->loss = loss >= 0.0 ? MIN (loss, 1.0) : -1.0;
}

/**
 * gst_congestion_info_get_spacing:
 * @info: a #GstCongestionInfo
 *
 * Returns: the packet period in force in nanoseconds, or %GST_CLOCK_TIME_NONE
 *   when unknown
 */
GstClockTime
gst_congestion_info_get_spacing (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, GST_CLOCK_TIME_NONE);

  return info->spacing;
}

/**
 * gst_congestion_info_set_spacing:
 * @info: a #GstCongestionInfo
 * @spacing: the packet period in force in nanoseconds, clamped to
 *   %GST_CONGESTION_MAX_TIME; %GST_CLOCK_TIME_NONE is unknown
 */
void
gst_congestion_info_set_spacing (GstCongestionInfo * info, GstClockTime spacing)
{
  g_return_if_fail (info != NULL);

  info->spacing = clamp_time (spacing);
}

/**
 * gst_congestion_info_get_queue_time:
 * @info: a #GstCongestionInfo
 *
 * Returns: how long the data that waits in the sender takes at the present
 *   rate, in nanoseconds, or %GST_CLOCK_TIME_NONE when unknown
 */
GstClockTime
gst_congestion_info_get_queue_time (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, GST_CLOCK_TIME_NONE);

  return info->queue_time;
}

/**
 * gst_congestion_info_set_queue_time:
 * @info: a #GstCongestionInfo
 * @queue_time: how long the data that waits in the sender takes at the present
 *   rate, in nanoseconds, clamped to %GST_CONGESTION_MAX_TIME;
 *   %GST_CLOCK_TIME_NONE is unknown
 */
void
gst_congestion_info_set_queue_time (GstCongestionInfo * info,
    GstClockTime queue_time)
{
  g_return_if_fail (info != NULL);

  info->queue_time = clamp_time (queue_time);
}

/**
 * gst_congestion_info_get_pace:
 * @info: a #GstCongestionInfo
 *
 * Gets how fast a frame leaves the sender. This is usually faster than the
 * target, which is the mean of all frames.
 *
 * Returns: bits of RTP payload per second, or 0 when unknown
 *
 * Since: 0.2
 */
guint64
gst_congestion_info_get_pace (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, 0);

  return info->pace;
}

/**
 * gst_congestion_info_set_pace:
 * @info: a #GstCongestionInfo
 * @pace: how fast a frame leaves the sender, in bits of RTP payload per second,
 *   clamped to %GST_CONGESTION_MAX_BITRATE; 0 is unknown
 *
 * Since: 0.2
 */
void
gst_congestion_info_set_pace (GstCongestionInfo * info, guint64 pace)
{
  g_return_if_fail (info != NULL);

  info->pace = MIN (pace, GST_CONGESTION_MAX_BITRATE);
}

/**
 * gst_congestion_info_get_max_frame_size:
 * @info: a #GstCongestionInfo
 *
 * Gets the largest frame that leaves the sender in the time that the
 * application allows a frame. A larger one is late, but nothing drops it.
 *
 * Returns: bytes of RTP payload, or 0 when unknown
 *
 * Since: 0.2
 */
guint64
gst_congestion_info_get_max_frame_size (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, 0);

  return info->max_frame_size;
}

/**
 * gst_congestion_info_set_max_frame_size:
 * @info: a #GstCongestionInfo
 * @size: the largest frame that leaves in time, in bytes of RTP payload,
 *   clamped to %GST_CONGESTION_MAX_FRAME_SIZE; 0 is unknown
 *
 * Since: 0.2
 */
void
gst_congestion_info_set_max_frame_size (GstCongestionInfo * info, guint64 size)
{
  g_return_if_fail (info != NULL);

  info->max_frame_size = MIN (size, GST_CONGESTION_MAX_FRAME_SIZE);
}

/**
 * gst_congestion_info_get_controller:
 * @info: a #GstCongestionInfo
 *
 * Returns: (transfer none) (nullable): the name of the controller that decided,
 *   or %NULL when unknown; valid until @info changes or is freed
 */
const gchar *
gst_congestion_info_get_controller (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, NULL);

  return info->controller;
}

/* True if the name is valid. The length is found within the bound first,
 * so a name is never read past it. A longer name is not cut, because the
 * rest could name another controller. */
static gboolean
controller_is_valid (const gchar * controller)
{
  gsize len;

  if (controller == NULL)
    return FALSE;
  for (len = 0; controller[len] != '\0'; len++)
    if (len == GST_CONGESTION_MAX_CONTROLLER_LENGTH)
      return FALSE;
  return len > 0 && g_utf8_validate (controller, len, NULL);
}

/**
 * gst_congestion_info_set_controller:
 * @info: a #GstCongestionInfo
 * @controller: (nullable): the name of the controller that decided; %NULL, an
 *   empty name, one that is not UTF-8 and one of more than
 *   %GST_CONGESTION_MAX_CONTROLLER_LENGTH bytes are unknown
 */
void
gst_congestion_info_set_controller (GstCongestionInfo * info,
    const gchar * controller)
{
  gchar *name;

  g_return_if_fail (info != NULL);

  name = controller_is_valid (controller) ? g_strdup (controller) : NULL;
  g_free (info->controller);
  info->controller = name;
}

/**
 * gst_congestion_info_get_count:
 * @info: a #GstCongestionInfo
 *
 * Returns: the number of the event, from 1 on, or 0 when unknown; it wraps
 */
guint
gst_congestion_info_get_count (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, 0);

  return info->count;
}

/**
 * gst_congestion_info_set_count:
 * @info: a #GstCongestionInfo
 * @count: the number of the event, from 1 on; 0 is unknown
 */
void
gst_congestion_info_set_count (GstCongestionInfo * info, guint count)
{
  g_return_if_fail (info != NULL);

  info->count = count;
}

/**
 * gst_congestion_info_get_share:
 * @info: a #GstCongestionInfo
 * @share: part of the session that one stream may take, 0 to 1; values outside
 *   are clamped, and not a number counts as 0
 * @reserved_bitrate: bits per second that go to others, such as audio, before
 *   the rest is shared
 * @bitrate: (out) (optional): the stream's part in bits per second, rounded
 *   down; 0 when the target is unknown
 *
 * Computes (target - @reserved_bitrate) * @share, never below 0. As for the
 * target, a part of 0 means: send nothing until the next one above 0.
 *
 * Returns: %TRUE when the target is known
 */
gboolean
gst_congestion_info_get_share (const GstCongestionInfo * info, gdouble share,
    guint64 reserved_bitrate, guint64 * bitrate)
{
  guint64 rest;

  if (bitrate)
    *bitrate = 0;
  g_return_val_if_fail (info != NULL, FALSE);

  if (!info->has_target)
    return FALSE;
  if (bitrate == NULL || info->target_bitrate <= reserved_bitrate)
    return TRUE;

  /* This is below 2^53, so it is exact as a double. */
  rest = info->target_bitrate - reserved_bitrate;
  if (share >= 1.0)
    *bitrate = rest;
  else if (share > 0.0)
    *bitrate = (guint64) ((gdouble) rest * share);
  return TRUE;
}
