/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <settings/settings.h>

#include <stdbool.h>

/* The member that a field maps, of its C type. */
#define MEMBER(settings, field, type) \
  (*(type *) ((guint8 *) (settings) + (field)->offset))

static const GstSettingsField *
find (const GstSettingsField * fields, guint id)
{
  while (fields->id != 0 && fields->id != id)
    fields++;
  return fields->id != 0 ? fields : NULL;
}

static void
set (const GstSettingsField * f, gpointer s, const GValue * value)
{
  switch (f->type) {
    case G_TYPE_BOOLEAN:
      if (f->size == sizeof (bool))
        MEMBER (s, f, bool) = g_value_get_boolean (value);
      else
        MEMBER (s, f, gboolean) = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      MEMBER (s, f, gint) = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      MEMBER (s, f, guint) = g_value_get_uint (value);
      break;
    case G_TYPE_UINT64:
      MEMBER (s, f, guint64) = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      MEMBER (s, f, gdouble) = g_value_get_double (value);
      break;
    case G_TYPE_ENUM:
      MEMBER (s, f, gint) = g_value_get_enum (value);
      break;
    case G_TYPE_FLAGS:
      MEMBER (s, f, guint) = g_value_get_flags (value);
      break;
    case G_TYPE_STRING:
      g_free (MEMBER (s, f, gchar *));
      MEMBER (s, f, gchar *) = g_value_dup_string (value);
      break;
    case G_TYPE_OBJECT:
      g_clear_object (&MEMBER (s, f, GObject *));
      MEMBER (s, f, GObject *) = g_value_dup_object (value);
      break;
    default:
      g_assert_not_reached ();
  }
}

void
gst_settings_init (const GstSettingsField * fields, gpointer settings,
    GParamSpec ** properties)
{
  for (const GstSettingsField * f = fields; f->id != 0; f++)
    set (f, settings, g_param_spec_get_default_value (properties[f->id]));
}

gboolean
gst_settings_set (const GstSettingsField * fields, gpointer settings, guint id,
    const GValue * value)
{
  const GstSettingsField *f = find (fields, id);

  if (f)
    set (f, settings, value);
  return f != NULL;
}

gboolean
gst_settings_get (const GstSettingsField * fields, gconstpointer settings,
    guint id, GValue * value)
{
  const GstSettingsField *f = find (fields, id);

  if (!f)
    return FALSE;
  switch (f->type) {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, f->size == sizeof (bool) ?
          MEMBER (settings, f, bool) : MEMBER (settings, f, gboolean));
      break;
    case G_TYPE_INT:
      g_value_set_int (value, MEMBER (settings, f, gint));
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, MEMBER (settings, f, guint));
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, MEMBER (settings, f, guint64));
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, MEMBER (settings, f, gdouble));
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, MEMBER (settings, f, gint));
      break;
    case G_TYPE_FLAGS:
      g_value_set_flags (value, MEMBER (settings, f, guint));
      break;
    case G_TYPE_STRING:
      g_value_set_string (value, MEMBER (settings, f, gchar *));
      break;
    case G_TYPE_OBJECT:
      g_value_set_object (value, MEMBER (settings, f, GObject *));
      break;
    default:
      g_assert_not_reached ();
  }
  return TRUE;
}

void
gst_settings_dup (const GstSettingsField * fields, gpointer settings)
{
  for (const GstSettingsField * f = fields; f->id != 0; f++) {
    if (f->type == G_TYPE_STRING)
      MEMBER (settings, f, gchar *) = g_strdup (MEMBER (settings, f, gchar *));
    else if (f->type == G_TYPE_OBJECT && MEMBER (settings, f, GObject *))
      g_object_ref (MEMBER (settings, f, GObject *));
  }
}

void
gst_settings_clear (const GstSettingsField * fields, gpointer settings)
{
  for (const GstSettingsField * f = fields; f->id != 0; f++) {
    if (f->type == G_TYPE_STRING)
      g_clear_pointer (&MEMBER (settings, f, gchar *), g_free);
    else if (f->type == G_TYPE_OBJECT)
      g_clear_object (&MEMBER (settings, f, GObject *));
  }
}

void
gst_settings_warn (GstElement * element, GError * error)
{
  if (!error)
    return;
  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS, ("%s", error->message),
      (NULL));
  g_error_free (error);
}
