/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as access units: the first one says how they come, then each has its
 * size in two octets. With lengths in place of start codes the first of them is
 * codec_data.
 */
#ifndef FUZZ_ACCESS_UNITS_H
#define FUZZ_ACCESS_UNITS_H

#include <stdlib.h>

#include <gst/gst.h>

typedef struct
{
  const uint8_t *data;
  size_t size;
} AccessUnits;

static inline void
check (gboolean ok)
{
  if (!ok)
    abort ();
}

/* Plugins are of no use here. */
static inline void
access_units_init (void)
{
  if (gst_is_initialized ())
    return;
  g_setenv ("GST_PLUGIN_SYSTEM_PATH", "", TRUE);
  g_setenv ("GST_REGISTRY_UPDATE", "no", TRUE);
  gst_init (NULL, NULL);
}

/* The next one, of at most what is left; FALSE: there is none. */
static inline gboolean
access_units_take (AccessUnits * in, GBytes ** unit)
{
  size_t size;

  if (in->size < 2)
    return FALSE;
  size = (size_t) in->data[0] << 8 | in->data[1];
  in->data += 2;
  in->size -= 2;
  if (size > in->size)
    size = in->size;
  /* a copy, so that a sanitizer sees what is read beyond it */
  *unit = g_bytes_new (in->data, size);
  in->data += size;
  in->size -= size;
  return TRUE;
}

/* Caps as the first octet asks, with codec_data out of the input. */
static inline GstCaps *
access_units_caps (AccessUnits * in, const gchar * media_type,
    const gchar * with_lengths)
{
  gboolean lengths = in->data[0] & 1;
  GstCaps *caps = gst_caps_new_simple (media_type, "alignment", G_TYPE_STRING,
      "au", "stream-format", G_TYPE_STRING, lengths ? with_lengths :
      "byte-stream", NULL);
  GBytes *bytes;

  in->data++;
  in->size--;
  if (lengths && access_units_take (in, &bytes)) {
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (bytes);

    gst_caps_set_simple (caps, "codec_data", GST_TYPE_BUFFER, buffer, NULL);
    gst_buffer_unref (buffer);
    g_bytes_unref (bytes);
  }
  return caps;
}

/* Units stand in their order, within the access unit. */
static inline void
check_units (const GstH26xUnit * units, guint n, gsize size)
{
  gsize end = 0;

  for (guint i = 0; i < n; i++) {
    check (units[i].offset >= end && units[i].offset <= size
        && units[i].size <= size - units[i].offset);
    end = units[i].offset + units[i].size;
  }
}

static inline void
check_picture (const H26xPicture * picture, uint64_t last)
{
  check (picture->id == last || picture->id == last + 1);
  check (picture->n_references <= H26X_MAX_REFERENCES);
  for (unsigned i = 0; i < picture->n_references; i++)
    check (picture->references[i] < picture->id);
}

#endif
