/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Properties of an element as the members of a structure, by a table.
 */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Flags of a property, by when it may change. */
#define GST_SETTINGS_READY \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define GST_SETTINGS_PLAYING \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define GST_SETTINGS_READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

typedef struct
{
  guint id;                     /* of the property; 0 ends a table */
  GType type;                   /* fundamental */
  gsize offset, size;           /* of the member, bytes */
} GstSettingsField;

/* kind: BOOLEAN (a gboolean or bool), INT, UINT, UINT64 (also a gint64 that is
 * never negative), DOUBLE, ENUM, FLAGS, STRING or OBJECT. */
#define GST_SETTINGS_FIELD(id, kind, structure, member) \
  {id, G_TYPE_##kind, G_STRUCT_OFFSET (structure, member), \
      sizeof (((structure *) 0)->member)}

/* The defaults of the properties, to a structure that holds nothing. */
void gst_settings_init (const GstSettingsField * fields, gpointer settings,
    GParamSpec ** properties);
/* FALSE where no field is of that property. */
gboolean gst_settings_set (const GstSettingsField * fields, gpointer settings,
    guint id, const GValue * value);
gboolean gst_settings_get (const GstSettingsField * fields,
    gconstpointer settings, guint id, GValue * value);
/* After the structure was copied: strings and objects are its own. */
void gst_settings_dup (const GstSettingsField * fields, gpointer settings);
void gst_settings_clear (const GstSettingsField * fields, gpointer settings);

/* Posts a warning that says what was refused, and takes the error. NULL: nothing
 * was. */
void gst_settings_warn (GstElement * element, GError * error);

G_END_DECLS

#endif
