/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspviewreport.h"

#include <unistd.h>

/* Version of the protocol; the viewer refuses other versions. */
#define PROTOCOL 1
/* Levels of nested structures that are written; our statistics have two. */
#define DEPTH 3

static void write_value (PspJson * json, const GValue * value, guint depth);

typedef struct
{
  PspJson *json;
  guint depth;
} Fields;

static gboolean
write_field (GQuark name, const GValue * value, gpointer data)
{
  Fields *fields = data;

  psp_json_name (fields->json, g_quark_to_string (name));
  write_value (fields->json, value, fields->depth);
  return TRUE;
}

static void
write_structure (PspJson * json, const GstStructure * structure, guint depth)
{
  Fields fields = { json, depth + 1 };

  psp_json_open (json, '{');
  if (structure != NULL && depth < DEPTH)
    gst_structure_foreach (structure, write_field, &fields);
  psp_json_close (json, '}');
}

static void
write_array (PspJson * json, const GValue * array, guint depth)
{
  guint i;

  psp_json_open (json, '[');
  for (i = 0; depth < DEPTH && i < gst_value_array_get_size (array); i++)
    write_value (json, gst_value_array_get_value (array, i), depth + 1);
  psp_json_close (json, ']');
}

static void
write_enum (PspJson * json, const GValue * value)
{
  GEnumClass *klass = g_type_class_ref (G_VALUE_TYPE (value));
  GEnumValue *found = g_enum_get_value (klass, g_value_get_enum (value));

  psp_json_string (json, found ? found->value_nick : NULL);
  g_type_class_unref (klass);
}

static void
write_uint64 (PspJson * json, guint64 value)
{
  /* This value means unknown in all of our statistics. */
  if (value == G_MAXUINT64)
    psp_json_null (json);
  else
    psp_json_uint64 (json, value);
}

static void
write_value (PspJson * json, const GValue * value, guint depth)
{
  if (G_VALUE_HOLDS_UINT64 (value))
    write_uint64 (json, g_value_get_uint64 (value));
  else if (G_VALUE_HOLDS_INT64 (value))
    psp_json_int64 (json, g_value_get_int64 (value));
  else if (G_VALUE_HOLDS_UINT (value))
    psp_json_uint64 (json, g_value_get_uint (value));
  else if (G_VALUE_HOLDS_INT (value))
    psp_json_int64 (json, g_value_get_int (value));
  else if (G_VALUE_HOLDS_DOUBLE (value))
    psp_json_double (json, g_value_get_double (value));
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    psp_json_bool (json, g_value_get_boolean (value));
  else if (G_VALUE_HOLDS_STRING (value))
    psp_json_string (json, g_value_get_string (value));
  else if (G_VALUE_HOLDS_ENUM (value))
    write_enum (json, value);
  else if (GST_VALUE_HOLDS_STRUCTURE (value))
    write_structure (json, gst_value_get_structure (value), depth);
  else if (GST_VALUE_HOLDS_ARRAY (value))
    write_array (json, value, depth);
  else
    psp_json_null (json);
}

static void
begin_line (PspJson * json, gint64 time)
{
  psp_json_open (json, '{');
  psp_json_name (json, "time");
  psp_json_int64 (json, time);
}

static void
write_uint (PspJson * json, const gchar * name, guint value)
{
  psp_json_name (json, name);
  psp_json_uint64 (json, value);
}

static void
write_text (PspJson * json, const gchar * name, const gchar * text)
{
  psp_json_name (json, name);
  psp_json_string (json, text);
}

static gboolean
end_line (PspJson * json, gsize start)
{
  psp_json_close (json, '}');
  return psp_json_end_line (json, start);
}

gboolean
gst_psp_view_report_hello (PspJson * json)
{
  gsize start = json->used;

  begin_line (json, g_get_monotonic_time ());
  write_uint (json, "protocol", PROTOCOL);
  write_uint (json, "pid", (guint) getpid ());
  write_text (json, "program", g_get_prgname ());
  return end_line (json, start);
}

/* Returns the name of the pipeline, which is the outermost bin. */
static gchar *
outermost_name (GstElement * element)
{
  GstObject *object = gst_object_ref (GST_OBJECT (element)), *parent;
  gchar *name;

  while ((parent = gst_object_get_parent (object)) != NULL) {
    gst_object_unref (object);
    object = parent;
  }
  name = gst_object_get_name (object);
  gst_object_unref (object);
  return name;
}

gboolean
gst_psp_view_report_stats (PspJson * json, guint id, GstElement * element,
    const gchar * type)
{
  gsize start = json->used;
  GstStructure *stats = NULL;
  gchar *name = gst_object_get_name (GST_OBJECT (element));
  gchar *pipeline = outermost_name (element);

  g_object_get (element, "stats", &stats, NULL);
  begin_line (json, g_get_monotonic_time ());
  write_uint (json, "id", id);
  write_text (json, "type", type);
  write_text (json, "element", name);
  write_text (json, "pipeline", pipeline);
  psp_json_name (json, "stats");
  write_structure (json, stats, 0);
  if (stats != NULL)
    gst_structure_free (stats);
  g_free (pipeline);
  g_free (name);
  return end_line (json, start);
}

gboolean
gst_psp_view_report_event (PspJson * json, guint id, gint64 time,
    const GstStructure * structure)
{
  gsize start = json->used;

  begin_line (json, time);
  write_uint (json, "id", id);
  write_text (json, "event", gst_structure_get_name (structure));
  psp_json_name (json, "fields");
  write_structure (json, structure, 0);
  return end_line (json, start);
}

gboolean
gst_psp_view_report_gone (PspJson * json, guint id)
{
  gsize start = json->used;

  begin_line (json, g_get_monotonic_time ());
  write_uint (json, "gone", id);
  return end_line (json, start);
}

gboolean
gst_psp_view_report_missed (PspJson * json, guint reports, guint events)
{
  gsize start = json->used;

  begin_line (json, g_get_monotonic_time ());
  write_uint (json, "missed-reports", reports);
  write_uint (json, "missed-events", events);
  return end_line (json, start);
}
