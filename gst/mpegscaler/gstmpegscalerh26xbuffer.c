/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalerh26xbuffer.h"

#include <string.h>

gsize
gst_mpeg_scaler_h26x_filler_size (const GstMpegScalerH26xAccessUnit * au)
{
  gsize size = 0;

  for (guint i = 0; i < au->n_units; i++)
    if (au->units[i].kind == GST_H26X_UNIT_FILLER)
      size += au->units[i].size;
  return size;
}

static gboolean
is_same (GBytes * bytes, const guint8 * data, gsize size)
{
  return g_bytes_get_size (bytes) == size
      && memcmp (g_bytes_get_data (bytes, NULL), data, size) == 0;
}

static void
forget (GPtrArray * carried, const guint8 * data, gsize size)
{
  for (guint i = carried->len; i > 0; i--)
    if (is_same (g_ptr_array_index (carried, i - 1), data, size))
      g_ptr_array_remove_index (carried, i - 1);
}

static gsize
carried_size (const GPtrArray * carried)
{
  gsize size = 0;

  for (guint i = 0; i < carried->len; i++)
    size += g_bytes_get_size (g_ptr_array_index (carried, i));
  return size;
}

void
gst_mpeg_scaler_h26x_carry (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au)
{
  for (guint i = 0; i < au->n_units; i++) {
    const GstH26xUnit *unit = &au->units[i];
    const guint8 *data = au->data + unit->offset;

    if (unit->kind != GST_H26X_UNIT_PARAMETERS
        || unit->size > GST_MPEG_SCALER_H26X_MAX_CARRIED)
      continue;
    forget (carried, data, unit->size);
    g_ptr_array_add (carried, g_bytes_new (data, unit->size));
    while (carried_size (carried) > GST_MPEG_SCALER_H26X_MAX_CARRIED)
      g_ptr_array_remove_index (carried, 0);
  }
}

static void
append (GstBuffer * out, const GstMpegScalerH26xAccessUnit * au, gsize begin,
    gsize end)
{
  if (end > begin)
    gst_buffer_copy_into (out, au->buffer, GST_BUFFER_COPY_MEMORY, begin,
        end - begin);
}

/* Appends the delimiter, before which nothing may come, and what is
 * carried. Returns where the rest of the access unit begins. */
static gsize
append_carried (GstBuffer * out, GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au)
{
  gsize begin = 0;

  if (au->n_units > 0 && au->units[0].kind == GST_H26X_UNIT_DELIMITER)
    begin = au->units[0].offset + au->units[0].size;
  append (out, au, 0, begin);
  for (guint i = 0; i < carried->len; i++) {
    GBytes *bytes = g_ptr_array_index (carried, i);
    gsize size;
    gconstpointer data = g_bytes_get_data (bytes, &size);

    gst_buffer_append_memory (out, gst_memory_new_wrapped
        (GST_MEMORY_FLAG_READONLY, (gpointer) data, size, 0, size,
            g_bytes_ref (bytes), (GDestroyNotify) g_bytes_unref));
  }
  return begin;
}

void
gst_mpeg_scaler_h26x_uncarry (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au)
{
  for (guint i = 0; i < au->n_units; i++)
    if (au->units[i].kind == GST_H26X_UNIT_PARAMETERS)
      forget (carried, au->data + au->units[i].offset, au->units[i].size);
}

GstBuffer *
gst_mpeg_scaler_h26x_assemble (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au, gboolean without_filler)
{
  gboolean removes = without_filler
      && gst_mpeg_scaler_h26x_filler_size (au) > 0;
  GstBuffer *out;
  gsize begin;

  if (carried->len == 0 && !removes)
    return NULL;

  out = gst_buffer_new ();
  begin = append_carried (out, carried, au);
  for (guint i = 0; removes && i < au->n_units; i++) {
    if (au->units[i].kind != GST_H26X_UNIT_FILLER)
      continue;
    append (out, au, begin, au->units[i].offset);
    begin = au->units[i].offset + au->units[i].size;
  }
  append (out, au, begin, au->size);
  gst_buffer_copy_into (out, au->buffer, GST_BUFFER_COPY_FLAGS |
      GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
  g_ptr_array_set_size (carried, 0);
  return out;
}
