/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpsptransport.h"

#include <string.h>

#define FIELD "extmap-"         /* start of the field's name, before the ID */
#define VALUE_SIZE 2            /* bytes of the number */
#define ELEMENT_SIZE 8          /* most bytes, with an extension's header */
/* Bytes of a packet that are read. A header is longer only if an application
 * sends whole pictures in its extension. */
#define START_SIZE 512

/* True if the value is the URI, alone or between direction and attributes. */
static gboolean
is_transport (const GValue * value)
{
  if (GST_VALUE_HOLDS_ARRAY (value))
    return gst_value_array_get_size (value) == 3 &&
        is_transport (gst_value_array_get_value (value, 1));
  return G_VALUE_HOLDS_STRING (value) &&
      g_strcmp0 (g_value_get_string (value), GST_PSP_TRANSPORT_URI) == 0;
}

guint8
gst_psp_transport_id (const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  for (gint i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, (guint) i);
    guint64 id;

    if (g_str_has_prefix (name, FIELD)
        && g_ascii_string_to_unsigned (name + strlen (FIELD), 10, 1,
            G_MAXUINT8, &id, NULL)
        && is_transport (gst_structure_get_value (s, name)))
      return (guint8) id;
  }
  return 0;
}

/* Replaces the packet by one with a longer header. Returns FALSE if there is no
 * room for the number. */
static gboolean
add_number (GstBuffer ** packet, guint8 id, const guint8 * start, gsize n,
    const guint8 value[VALUE_SIZE])
{
  guint8 header[START_SIZE + ELEMENT_SIZE];
  PspWriter w = psp_writer (header, sizeof header);
  gsize replaced = psp_rtp_add_extension (&w, start, n, id, value, VALUE_SIZE);
  GstBuffer *longer;

  if (replaced == 0)
    return FALSE;
  longer = gst_buffer_new_memdup (header, w.size);
  gst_buffer_copy_into (longer, *packet, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_copy_into (longer, *packet, GST_BUFFER_COPY_MEMORY, replaced, -1);
  gst_buffer_unref (*packet);
  *packet = longer;
  return TRUE;
}

void
gst_psp_transport_init (GstPspTransport * t)
{
  t->id = 0;
  t->next = (guint16) g_random_int ();
}

/* Reads a copy of the packet's start: payloaders put header and payload into
 * separate memories, and mapping them all would copy the payload, too. */
gboolean
gst_psp_transport_stamp (GstPspTransport * t, GstBuffer ** packet,
    PspRtpHeader * header, guint16 * number)
{
  guint8 start[START_SIZE], value[VALUE_SIZE];
  gsize size, n, found;
  const guint8 *place;

  if (t->id == 0)
    return FALSE;
  size = gst_buffer_get_size (*packet);
  n = gst_buffer_extract (*packet, 0, start, sizeof start);
  place = psp_rtp_find_extension (start, n, t->id, &found);
  GST_WRITE_UINT16_BE (value, t->next);
  if (place && found >= VALUE_SIZE) {
    *packet = gst_buffer_make_writable (*packet);
    gst_buffer_fill (*packet, (gsize) (place - start), value, VALUE_SIZE);
  } else if (place || !add_number (packet, t->id, start, n, value)) {
    return FALSE;
  }
  header->size += (guint32) (gst_buffer_get_size (*packet) - size);
  *number = t->next++;
  return TRUE;
}
