/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Maps an element's properties to the members of a structure, by a table.
 */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Flags of a property that may change in READY and below. */
#define GST_SETTINGS_READY \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
/* Flags of a property that may always change. */
#define GST_SETTINGS_PLAYING \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
/* Flags of a property that cannot be set. */
#define GST_SETTINGS_READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

typedef struct
{
  guint id;                     /* property's id; 0 ends a table */
  GType type;                   /* fundamental type of the value */
  gsize offset, size;           /* bytes; place and size of the member */
} GstSettingsField;

/* An entry of a table. kind: BOOLEAN (a gboolean or bool), INT, UINT,
 * UINT64 (also a gint64 that is never negative), DOUBLE, ENUM, FLAGS,
 * STRING or OBJECT. */
#define GST_SETTINGS_FIELD(id, kind, structure, member) \
  {id, G_TYPE_##kind, G_STRUCT_OFFSET (structure, member), \
      sizeof (((structure *) 0)->member)}

/* Writes the defaults of the properties to an empty structure. */
void gst_settings_init (const GstSettingsField * fields, gpointer settings,
    GParamSpec ** properties);
/* Sets the member. Returns FALSE if no field is of that property. */
gboolean gst_settings_set (const GstSettingsField * fields, gpointer settings,
    guint id, const GValue * value);
/* Gets the member. Returns FALSE if no field is of that property. */
gboolean gst_settings_get (const GstSettingsField * fields,
    gconstpointer settings, guint id, GValue * value);
/* Makes strings and objects the structure's own after it was copied. */
void gst_settings_dup (const GstSettingsField * fields, gpointer settings);
void gst_settings_clear (const GstSettingsField * fields, gpointer settings);

/* Posts a warning with the error's message, and takes the error. NULL =
 * nothing was refused, so nothing is posted. */
void gst_settings_warn (GstElement * element, GError * error);

G_END_DECLS

#endif
