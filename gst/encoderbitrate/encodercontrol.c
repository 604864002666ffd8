/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoders.h"
#include "encodertable.h"

#include <string.h>

static const gchar *
factory_name (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory ? GST_OBJECT_NAME (factory) : NULL;
}

static GParamSpec *
find_property (GObjectClass * klass, const EncoderEntry * entry,
    const gchar * property)
{
  GParamSpec *pspec;

  if (property)
    return g_object_class_find_property (klass, property);
  if (entry)
    return g_object_class_find_property (klass, entry->property);
  pspec = g_object_class_find_property (klass, "bitrate");
  if (!pspec)
    pspec = g_object_class_find_property (klass, "target-bitrate");
  return pspec;
}

/* Returns the unit from the description of the property, such as "Bitrate in
 * kbit/sec" or "Bitrate (in bits per second)", for encoders that are not in the
 * table. */
static EncoderUnit
unit_from_description (GParamSpec * pspec)
{
  static const gchar *const kbit[] = { "kbit", "kbps", "kb/s", "kilobit" };
  static const gchar *const bit[] = { "bit/s", "bits/s", "bps", "bits per s",
    "bit per s"
  };
  const gchar *blurb = g_param_spec_get_blurb (pspec);
  gchar *text = g_ascii_strdown (blurb ? blurb : "", -1);
  EncoderUnit unit = ENCODER_UNIT_AUTO;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (bit); i++) {
    if (strstr (text, bit[i]))
      unit = ENCODER_UNIT_BIT;
  }
  for (i = 0; i < G_N_ELEMENTS (kbit); i++) {
    if (strstr (text, kbit[i]))
      unit = ENCODER_UNIT_KBIT;
  }
  if (strstr (text, "mbit") || strstr (text, "mbps"))
    unit = ENCODER_UNIT_AUTO;
  g_free (text);
  return unit;
}

/* True if the property may change while playing. If the application names a
 * property, it takes responsibility for it, unless the table knows better. */
static gboolean
can_change (GParamSpec * pspec, EncoderChanges changes, gboolean named)
{
  if (pspec->flags & GST_PARAM_MUTABLE_PLAYING)
    return TRUE;
  if (changes != ENCODER_CHANGES_BY_FLAG)
    return changes == ENCODER_CHANGES;
  return named;
}

static gboolean
is_settable (GParamSpec * pspec, const gchar * field)
{
  static const GType numbers[] = { G_TYPE_INT, G_TYPE_UINT, G_TYPE_LONG,
    G_TYPE_ULONG, G_TYPE_INT64, G_TYPE_UINT64, G_TYPE_FLOAT, G_TYPE_DOUBLE,
    G_TYPE_STRING
  };
  guint i;

  if (!(pspec->flags & G_PARAM_WRITABLE)
      || (pspec->flags & G_PARAM_CONSTRUCT_ONLY))
    return FALSE;
  if (field)
    return pspec->value_type == GST_TYPE_STRUCTURE
        && (pspec->flags & G_PARAM_READABLE);
  for (i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (pspec->value_type == numbers[i])
      return TRUE;
  }
  return FALSE;
}

static gchar *
explain_control (GstElement * element, GParamSpec * pspec,
    const gchar * property, gboolean settable)
{
  const gchar *name = GST_OBJECT_NAME (element);
  const gchar *factory = factory_name (element);

  if (!factory)
    factory = G_OBJECT_TYPE_NAME (element);
  if (!pspec && property)
    return g_strdup_printf ("%s (%s) has no property '%s': correct the"
        " 'property' property", name, factory, property);
  if (!pspec)
    return g_strdup_printf ("%s (%s) has no bitrate property: if it has one"
        " under another name, set 'property'", name, factory);
  if (!settable)
    return g_strdup_printf ("The property '%s' of %s (%s) is no number that"
        " can be set: name its bitrate with 'property'", pspec->name, name,
        factory);
  return g_strdup_printf ("%s (%s) keeps the bitrate it started with, its '%s'"
      " cannot change while playing: use an encoder that can, such as x264enc,"
      " or for MPEG-1 and 2 put mpegscaler behind it", name, factory,
      pspec->name);
}

gboolean
encoder_control_open (EncoderControl * control, GstElement * element,
    const gchar * property, EncoderUnit unit, gchar ** why)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  gboolean named = property && *property;
  gchar **words = named ? g_strsplit (property, ".", 2) : NULL;
  const gchar *wanted = named ? words[0] : NULL;
  const EncoderEntry *entry = encoder_table_find (factory_name (element),
      klass, wanted);
  GParamSpec *pspec = find_property (klass, entry, wanted);
  const gchar *field = named ? words[1] : NULL;
  gboolean settable, ok = FALSE;

  if (!field && entry)
    field = entry->field;
  settable = pspec && is_settable (pspec, field);
  if (unit == ENCODER_UNIT_AUTO && entry)
    unit = entry->unit;
  if (unit == ENCODER_UNIT_AUTO && pspec)
    unit = unit_from_description (pspec);

  if (!settable || !can_change (pspec,
          entry ? entry->changes : ENCODER_CHANGES_BY_FLAG, named)) {
    *why = explain_control (element, pspec, wanted, settable);
  } else if (unit == ENCODER_UNIT_AUTO) {
    *why = g_strdup_printf ("%s does not say whether its '%s' counts bits or"
        " kilobits per second: set 'unit'", GST_OBJECT_NAME (element),
        pspec->name);
  } else {
    control->element = gst_object_ref (element);
    control->pspec = pspec;
    control->field = g_strdup (field);
    control->unit = unit;
    ok = TRUE;
  }
  g_strfreev (words);
  return ok;
}

gboolean
encoder_control_open_limit (EncoderControl * control, GstElement * element,
    EncoderLimitUnit * unit)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  const EncoderLimitEntry *entry =
      encoder_table_find_limit (factory_name (element), klass);
  GParamSpec *pspec;

  if (!entry)
    return FALSE;
  pspec = g_object_class_find_property (klass, entry->property);
  if (!is_settable (pspec, NULL) || !can_change (pspec, entry->changes, FALSE))
    return FALSE;
  control->element = gst_object_ref (element);
  control->pspec = pspec;
  control->unit = ENCODER_UNIT_BIT;
  *unit = entry->unit;
  return TRUE;
}

void
encoder_control_close (EncoderControl * control)
{
  gst_clear_object (&control->element);
  g_clear_pointer (&control->field, g_free);
}

static guint64
scale_of (const EncoderControl * control)
{
  return control->unit == ENCODER_UNIT_KBIT ? 1000 : 1;
}

/* Returns the largest value that the type can hold; GObject would wrap a larger
 * one. */
static guint64
type_maximum (const EncoderControl * control)
{
  if (control->field)
    return G_MAXINT;
  switch (control->pspec->value_type) {
    case G_TYPE_INT:
      return G_MAXINT;
    case G_TYPE_UINT:
      return G_MAXUINT;
    case G_TYPE_LONG:
      return G_MAXLONG;
    case G_TYPE_ULONG:
      return G_MAXULONG;
    default:
      return G_MAXINT64;
  }
}

/* GObject transforms a uint64 into every type that is_settable() takes. */
static void
init_value (const EncoderControl * control, GValue * value, guint64 number)
{
  GValue source = G_VALUE_INIT;

  g_value_init (&source, G_TYPE_UINT64);
  g_value_set_uint64 (&source, number);
  g_value_init (value, control->pspec->value_type);
  g_value_transform (&source, value);
  g_value_unset (&source);
}

guint64
encoder_control_value (const EncoderControl * control, guint64 bitrate)
{
  GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
  guint64 wanted;

  /* Most encoders take 0 as a request to choose for themselves. */
  wanted = CLAMP (bitrate / scale_of (control), 1, type_maximum (control));
  if (control->field || control->pspec->value_type == G_TYPE_STRING)
    return wanted;

  init_value (control, &value, wanted);
  g_param_value_validate (control->pspec, &value);
  g_value_init (&number, G_TYPE_UINT64);
  g_value_transform (&value, &number);
  wanted = g_value_get_uint64 (&number);
  g_value_unset (&number);
  g_value_unset (&value);
  return wanted;
}

guint64
encoder_control_bitrate (const EncoderControl * control, guint64 value)
{
  return value * scale_of (control);
}

/* Writes one control and keeps the others that the application has set. */
static void
write_field (const EncoderControl * control, guint64 value)
{
  GObject *object = G_OBJECT (control->element);
  GstStructure *controls = NULL;

  g_object_get (object, control->pspec->name, &controls, NULL);
  if (!controls)
    controls = gst_structure_new_empty ("controls");
  gst_structure_set (controls, control->field, G_TYPE_INT, (gint) value, NULL);
  g_object_set (object, control->pspec->name, controls, NULL);
  gst_structure_free (controls);
}

void
encoder_control_write (const EncoderControl * control, guint64 value)
{
  GValue converted = G_VALUE_INIT;

  if (control->field) {
    write_field (control, value);
    return;
  }
  init_value (control, &converted, value);
  g_object_set_property (G_OBJECT (control->element), control->pspec->name,
      &converted);
  g_value_unset (&converted);
}

guint64
encoder_control_read (const EncoderControl * control)
{
  GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
  guint64 result;

  g_object_get_property (G_OBJECT (control->element), control->pspec->name,
      &value);
  g_value_init (&number, G_TYPE_UINT64);
  g_value_transform (&value, &number);
  result = g_value_get_uint64 (&number);
  g_value_unset (&number);
  g_value_unset (&value);
  return result;
}

gboolean
encoder_control_is_default (const EncoderControl * control)
{
  GValue value = G_VALUE_INIT;
  gboolean is_default;

  g_object_get_property (G_OBJECT (control->element), control->pspec->name,
      &value);
  is_default = g_param_value_defaults (control->pspec, &value);
  g_value_unset (&value);
  return is_default;
}

gdouble
encoder_frame_rate (GstElement * element)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstCaps *caps = pad ? gst_pad_get_current_caps (pad) : NULL;
  gint num = 0, den = 1;

  if (caps)
    gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate",
        &num, &den);
  gst_clear_caps (&caps);
  gst_clear_object (&pad);
  return num > 0 && den > 0 ? (gdouble) num / den : 0;
}

gboolean
encoder_counts_frames (GstElement * element)
{
  return encoder_table_counts_frames (factory_name (element));
}
