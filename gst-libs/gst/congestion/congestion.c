/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
/**
 * SECTION:gstcongestion
 * @title: GstCongestion
 * @short_description: the congestion event and message
 *
 * A sender with congestion control announces which bitrate the network carries
 * now: to the elements upstream of it by a custom event named `GstCongestion`,
 * and to the application by an element message of the same name and content.
 * Encoders, scalers and payloaders that follow it keep the stream playing.
 *
 * This library is the only maker and reader of the structure. A field that is
 * absent is unknown, and fields that are not in the table are ignored. The
 * event may come from another process, so parsing trusts nothing: it refuses a
 * structure whose reason is missing or not in #GstCongestionReason, or in which
 * a field of the table has another type, and clamps every value, as the setters
 * do.
 *
 * | field | type | unit, range |
 * |---|---|---|
 * | `reason` | string | nick of a #GstCongestionReason; required |
 * | `target-bitrate` | guint64 | bits/s, up to %GST_CONGESTION_MAX_BITRATE |
 * | `scale` | gint | 0 to %GST_CONGESTION_MAX_SCALE; -1 is none |
 * | `rtt` | guint64 | nanoseconds, 1 to %GST_CONGESTION_MAX_TIME |
 * | `loss` | gdouble | 0 to 1; -1 is unknown |
 * | `spacing` | guint64 | nanoseconds, up to %GST_CONGESTION_MAX_TIME |
 * | `queue-time` | guint64 | nanoseconds, up to %GST_CONGESTION_MAX_TIME |
 * | `pace` | guint64 | bits/s, 1 to %GST_CONGESTION_MAX_BITRATE; since 0.2 |
 * | `max-frame-size` | guint64 | bytes, 1 to %GST_CONGESTION_MAX_FRAME_SIZE; since 0.2 |
 * | `controller` | string | UTF-8, at most 64 bytes |
 * | `count` | guint | grows by one an event; 0 is unknown |
 *
 * No field may have the name `ssrc`: rtpfunnel would take it for an address and
 * drop the event.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "congestion-private.h"

/* Field names of the structure; they are part of the interface. */
#define FIELD_REASON "reason"
#define FIELD_TARGET_BITRATE "target-bitrate"
#define FIELD_SCALE "scale"
#define FIELD_RTT "rtt"
#define FIELD_LOSS "loss"
#define FIELD_SPACING "spacing"
#define FIELD_QUEUE_TIME "queue-time"
#define FIELD_PACE "pace"
#define FIELD_MAX_FRAME_SIZE "max-frame-size"
#define FIELD_CONTROLLER "controller"
#define FIELD_COUNT "count"

#ifndef GST_DISABLE_GST_DEBUG
#define GST_CAT_DEFAULT (congestion_category ())
static GstDebugCategory *
congestion_category (void)
{
  static gsize category = 0;

  if (g_once_init_enter (&category)) {
    gsize cat = (gsize) _gst_debug_category_new ("congestion", 0,
        "congestion event and message");
    g_once_init_leave (&category, cat);
  }
  return (GstDebugCategory *) category;
}
#endif

static void
write_number (GstStructure * s, const gchar * name, guint64 value,
    guint64 unknown)
{
  if (value != unknown)
    gst_structure_set (s, name, G_TYPE_UINT64, value, NULL);
}

static GstStructure *
info_to_structure (const GstCongestionInfo * info)
{
  GstCongestionReason reason = gst_congestion_info_get_reason (info);
  const gchar *controller = gst_congestion_info_get_controller (info);
  gdouble loss = gst_congestion_info_get_loss (info);
  gint scale = gst_congestion_info_get_scale (info);
  guint count = gst_congestion_info_get_count (info);
  guint64 target;
  GstStructure *s = gst_structure_new (GST_CONGESTION_STRUCTURE_NAME,
      FIELD_REASON, G_TYPE_STRING, gst_congestion_reason_to_nick (reason),
      NULL);

  if (gst_congestion_info_get_target_bitrate (info, &target))
    gst_structure_set (s, FIELD_TARGET_BITRATE, G_TYPE_UINT64, target, NULL);
  if (scale >= 0)
    gst_structure_set (s, FIELD_SCALE, G_TYPE_INT, scale, NULL);
  write_number (s, FIELD_RTT, gst_congestion_info_get_rtt (info),
      GST_CLOCK_TIME_NONE);
  if (loss >= 0.0)
    gst_structure_set (s, FIELD_LOSS, G_TYPE_DOUBLE, loss, NULL);
  write_number (s, FIELD_SPACING, gst_congestion_info_get_spacing (info),
      GST_CLOCK_TIME_NONE);
  write_number (s, FIELD_QUEUE_TIME, gst_congestion_info_get_queue_time (info),
      GST_CLOCK_TIME_NONE);
  write_number (s, FIELD_PACE, gst_congestion_info_get_pace (info), 0);
  write_number (s, FIELD_MAX_FRAME_SIZE,
      gst_congestion_info_get_max_frame_size (info), 0);
  if (controller)
    gst_structure_set (s, FIELD_CONTROLLER, G_TYPE_STRING, controller, NULL);
  if (count > 0)
    gst_structure_set (s, FIELD_COUNT, G_TYPE_UINT, count, NULL);
  return s;
}

/* Reads a field. Returns FALSE if the field has another type. An absent
 * field leaves @value NULL. */
static gboolean
read_field (const GstStructure * s, const gchar * name, GType type,
    const GValue ** value)
{
  *value = gst_structure_get_value (s, name);
  if (*value == NULL || G_VALUE_HOLDS (*value, type))
    return TRUE;
  GST_DEBUG ("refused: field %s has type %s instead of %s", name,
      G_VALUE_TYPE_NAME (*value), g_type_name (type));
  return FALSE;
}

static gboolean
read_reason (const GstStructure * s, GstCongestionReason * reason)
{
  const GValue *v;
  const gchar *nick;

  if (!read_field (s, FIELD_REASON, G_TYPE_STRING, &v))
    return FALSE;
  nick = v ? g_value_get_string (v) : NULL;
  if (nick && gst_congestion_reason_from_nick (nick, reason))
    return TRUE;
  GST_DEBUG ("refused: no reason, or an unknown one");
  return FALSE;
}

/* Reads bitrates, times and sizes. */
static gboolean
read_numbers (const GstStructure * s, GstCongestionInfo * info)
{
  static const struct
  {
    const gchar *name;
    void (*set) (GstCongestionInfo *, guint64);
  } numbers[] = {
    {FIELD_TARGET_BITRATE, gst_congestion_info_set_target_bitrate},
    {FIELD_RTT, gst_congestion_info_set_rtt},
    {FIELD_SPACING, gst_congestion_info_set_spacing},
    {FIELD_QUEUE_TIME, gst_congestion_info_set_queue_time},
    {FIELD_PACE, gst_congestion_info_set_pace},
    {FIELD_MAX_FRAME_SIZE, gst_congestion_info_set_max_frame_size},
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    const GValue *value;

    if (!read_field (s, numbers[i].name, G_TYPE_UINT64, &value))
      return FALSE;
    if (value)
      numbers[i].set (info, g_value_get_uint64 (value));
  }
  return TRUE;
}

static gboolean
read_rest (const GstStructure * s, GstCongestionInfo * info)
{
  const GValue *scale, *loss, *controller, *count;

  if (!read_field (s, FIELD_SCALE, G_TYPE_INT, &scale) ||
      !read_field (s, FIELD_LOSS, G_TYPE_DOUBLE, &loss) ||
      !read_field (s, FIELD_CONTROLLER, G_TYPE_STRING, &controller) ||
      !read_field (s, FIELD_COUNT, G_TYPE_UINT, &count))
    return FALSE;

  if (scale)
    gst_congestion_info_set_scale (info, g_value_get_int (scale));
  if (loss)
    gst_congestion_info_set_loss (info, g_value_get_double (loss));
  if (controller)
    gst_congestion_info_set_controller (info, g_value_get_string (controller));
  if (count)
    gst_congestion_info_set_count (info, g_value_get_uint (count));
  return TRUE;
}

static GstCongestionInfo *
info_from_structure (const GstStructure * s)
{
  GstCongestionInfo *info;
  GstCongestionReason reason;

  if (!read_reason (s, &reason))
    return NULL;
  info = gst_congestion_info_new (reason);
  if (read_numbers (s, info) && read_rest (s, info))
    return info;
  gst_congestion_info_free (info);
  return NULL;
}

static gboolean
parse_structure (const GstStructure * structure, GstCongestionInfo ** info)
{
  GstCongestionInfo *parsed = info_from_structure (structure);

  if (parsed == NULL)
    return FALSE;
  if (info)
    *info = parsed;
  else
    gst_congestion_info_free (parsed);
  return TRUE;
}

/**
 * gst_congestion_event_new:
 * @info: what was decided
 *
 * Makes a custom upstream event of @info, to be sent by gst_pad_push_event() or
 * gst_element_send_event(). It is normal that no element handles it.
 *
 * Returns: (transfer full): a new #GstEvent
 */
GstEvent *
gst_congestion_event_new (const GstCongestionInfo * info)
{
  g_return_val_if_fail (info != NULL, NULL);

  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      info_to_structure (info));
}

/**
 * gst_is_congestion_event:
 * @event: a #GstEvent
 *
 * Recognises a congestion event by type and name. Its content may still be
 * refused by gst_congestion_event_parse().
 *
 * Returns: %TRUE when @event is a congestion event
 */
gboolean
gst_is_congestion_event (GstEvent * event)
{
  g_return_val_if_fail (GST_IS_EVENT (event), FALSE);

  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM &&
      gst_event_has_name (event, GST_CONGESTION_STRUCTURE_NAME);
}

/**
 * gst_congestion_event_parse:
 * @event: (transfer none): any #GstEvent
 * @info: (out) (optional) (nullable) (transfer full): a new #GstCongestionInfo,
 *   or %NULL when the return is %FALSE; free with gst_congestion_info_free()
 *
 * Reads a congestion event. The event remains the caller's, which forwards it
 * upstream whatever the return value is.
 *
 * Returns: %TRUE when @event is a valid congestion event
 */
gboolean
gst_congestion_event_parse (GstEvent * event, GstCongestionInfo ** info)
{
  if (info)
    *info = NULL;
  g_return_val_if_fail (GST_IS_EVENT (event), FALSE);

  if (!gst_is_congestion_event (event))
    return FALSE;
  return parse_structure (gst_event_get_structure (event), info);
}

/**
 * gst_congestion_message_new:
 * @src: (transfer none) (nullable): the object that decided
 * @info: what was decided
 *
 * Makes an element message of @info, to be sent by gst_element_post_message().
 *
 * Returns: (transfer full): a new #GstMessage
 */
GstMessage *
gst_congestion_message_new (GstObject * src, const GstCongestionInfo * info)
{
  g_return_val_if_fail (src == NULL || GST_IS_OBJECT (src), NULL);
  g_return_val_if_fail (info != NULL, NULL);

  return gst_message_new_element (src, info_to_structure (info));
}

/**
 * gst_is_congestion_message:
 * @message: a #GstMessage
 *
 * Recognises a congestion message by type and name. Its content may still be
 * refused by gst_congestion_message_parse().
 *
 * Returns: %TRUE when @message is a congestion message
 */
gboolean
gst_is_congestion_message (GstMessage * message)
{
  g_return_val_if_fail (GST_IS_MESSAGE (message), FALSE);

  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT &&
      gst_message_has_name (message, GST_CONGESTION_STRUCTURE_NAME);
}

/**
 * gst_congestion_message_parse:
 * @message: (transfer none): any #GstMessage
 * @info: (out) (optional) (nullable) (transfer full): a new #GstCongestionInfo,
 *   or %NULL when the return is %FALSE; free with gst_congestion_info_free()
 *
 * Reads a congestion message.
 *
 * Returns: %TRUE when @message is a valid congestion message
 */
gboolean
gst_congestion_message_parse (GstMessage * message, GstCongestionInfo ** info)
{
  if (info)
    *info = NULL;
  g_return_val_if_fail (GST_IS_MESSAGE (message), FALSE);

  if (!gst_is_congestion_message (message))
    return FALSE;
  return parse_structure (gst_message_get_structure (message), info);
}
