/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalerm2vbuffer.h"

#include <string.h>

#include <mpeg2/stuffing.h>

/* Flags that describe only the first picture of a buffer. */
#define LEADING_FLAGS (GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC \
    | GST_BUFFER_FLAG_HEADER | GST_BUFFER_FLAG_DELTA_UNIT)
/* Flags that describe only the last picture of a buffer. */
#define TRAILING_FLAGS (GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_CORRUPTED)

/* Gathers adjacent pieces, so that a buffer cut in many places and put
 * together again is one memory. */
typedef struct
{
  GstBuffer *out;
  GstBuffer *from;
  gsize begin, end;
} Assembly;

static void
assembly_flush (Assembly * a)
{
  if (a->from)
    gst_buffer_copy_into (a->out, a->from, GST_BUFFER_COPY_MEMORY, a->begin,
        a->end - a->begin);
  a->from = NULL;
}

static void
assembly_add (Assembly * a, GstBuffer * from, gsize begin, gsize size)
{
  if (size == 0)
    return;
  if (from != a->from || begin != a->end) {
    assembly_flush (a);
    a->from = from;
    a->begin = a->end = begin;
  }
  a->end += size;
}

static void
assembly_add_literal (Assembly * a, const guint8 * data, gsize size)
{
  GstMemory *memory;

  if (size == 0)
    return;
  assembly_flush (a);
  memory = gst_allocator_alloc (NULL, size, NULL);
  gst_buffer_append_memory (a->out, memory);
  gst_buffer_fill (a->out, gst_buffer_get_size (a->out) - size, data, size);
}

/* Removes GstMpegVideoMeta, which says at which byte each slice is. Finds
 * it by name, because its library is not needed otherwise. */
static void
drop_offset_meta (GstBuffer * buffer)
{
  GType api = g_type_from_name ("GstMpegVideoMetaAPI");
  GstMeta *meta = api ? gst_buffer_get_meta (buffer, api) : NULL;

  if (meta)
    gst_buffer_remove_meta (buffer, meta);
}

static void
copy_description (GstBuffer * out, const M2vFrame * frame,
    const GstMpegScalerM2vPlace * places)
{
  gst_buffer_copy_into (out, places[0].buffer, GST_BUFFER_COPY_FLAGS, 0, -1);
  if (places[0].leads) {
    gst_buffer_copy_into (out, places[0].buffer,
        GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
    drop_offset_meta (out);
  } else {
    GST_BUFFER_FLAG_UNSET (out, LEADING_FLAGS);
    if (!frame->valid)
      GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DELTA_UNIT);
  }
  if (frame->n_pictures > 1)
    GST_BUFFER_FLAG_SET (out,
        GST_BUFFER_FLAGS (places[1].buffer) & TRAILING_FLAGS);
}

gboolean
gst_mpeg_scaler_m2v_is_whole (const M2vDecision * decision,
    const GstMpegScalerM2vPlace places[2])
{
  GstBuffer *buffer = places[0].buffer;
  gsize end = 0;
  guint i;

  for (i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];
    const GstMpegScalerM2vPlace *place = &places[piece->picture];

    if (piece->literal || place->buffer != buffer
        || place->begin + piece->offset != end)
      return FALSE;
    end += piece->size;
  }
  return end == gst_buffer_get_size (buffer);
}

/* Makes a buffer that shares the source's pieces. */
static GstBuffer *
share_pieces (const M2vDecision * decision,
    const GstMpegScalerM2vPlace places[2], GstBuffer * between)
{
  Assembly a = { gst_buffer_new (), NULL, 0, 0 };
  guint i;

  for (i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];
    const GstMpegScalerM2vPlace *place = &places[piece->picture];

    if (i == decision->n_first && between)
      assembly_add (&a, between, 0, gst_buffer_get_size (between));
    if (piece->literal)
      assembly_add_literal (&a, piece->literal, piece->size);
    else
      assembly_add (&a, place->buffer, place->begin + piece->offset,
          piece->size);
  }
  if (between && decision->n_first == decision->n_pieces)
    assembly_add (&a, between, 0, gst_buffer_get_size (between));
  assembly_flush (&a);
  return a.out;
}

/* Makes a buffer with one memory of its own. */
static GstBuffer *
copy_pieces (const M2vDecision * decision,
    const GstMpegScalerM2vPlace places[2], GstBuffer * between, gsize size)
{
  gsize more = between ? gst_buffer_get_size (between) : 0;
  GstBuffer *out = gst_buffer_new_allocate (NULL, size + more, NULL);
  GstMapInfo map;
  gsize n = 0;
  guint i;

  if (!out || !gst_buffer_map (out, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&out);
    return share_pieces (decision, places, between);
  }
  for (i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];
    const GstMpegScalerM2vPlace *place = &places[piece->picture];

    if (i == decision->n_first && between)
      n += gst_buffer_extract (between, 0, map.data + n, more);
    if (piece->literal)
      memcpy (map.data + n, piece->literal, piece->size);
    else
      gst_buffer_extract (place->buffer, place->begin + piece->offset,
          map.data + n, piece->size);
    n += piece->size;
  }
  if (between && decision->n_first == decision->n_pieces)
    gst_buffer_extract (between, 0, map.data + n, more);
  gst_buffer_unmap (out, &map);
  return out;
}

/* Copies the other bytes, too, if most are new: that takes one allocation
 * instead of one for each piece. */
GstBuffer *
gst_mpeg_scaler_m2v_assemble (const M2vDecision * decision,
    const M2vFrame * frame, const GstMpegScalerM2vPlace places[2],
    GstBuffer * between)
{
  gsize size = 0, written = 0;
  GstBuffer *out;
  guint i;

  for (i = 0; i < decision->n_pieces; i++) {
    size += decision->pieces[i].size;
    if (decision->pieces[i].literal)
      written += decision->pieces[i].size;
  }
  if (written > size / 2)
    out = copy_pieces (decision, places, between, size);
  else
    out = share_pieces (decision, places, between);
  copy_description (out, frame, places);
  return out;
}

GstBuffer *
gst_mpeg_scaler_m2v_region (GstBuffer * buffer, gsize begin, gsize size)
{
  GstBuffer *region;

  if (size == gst_buffer_get_size (buffer))
    return gst_buffer_ref (buffer);

  region = gst_buffer_copy_region (buffer,
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_MEMORY, begin, size);
  GST_BUFFER_FLAG_UNSET (region, LEADING_FLAGS);
  GST_BUFFER_FLAG_SET (region, GST_BUFFER_FLAG_DELTA_UNIT);
  return region;
}

GstBuffer *
gst_mpeg_scaler_m2v_remove_stuffing (GstBuffer * buffer)
{
  GstBuffer *out = buffer;
  GstMapInfo from, to;
  gsize size;

  if (!gst_buffer_map (buffer, &from, GST_MAP_READ))
    return buffer;
  size = m2v_remove_stuffing (from.data, from.size, NULL);
  if (size < from.size) {
    out = gst_buffer_new_allocate (NULL, size, NULL);
    gst_buffer_map (out, &to, GST_MAP_WRITE);
    m2v_remove_stuffing (from.data, from.size, to.data);
    gst_buffer_unmap (out, &to);
    gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_FLAGS |
        GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
    drop_offset_meta (out);
  }
  gst_buffer_unmap (buffer, &from);
  if (out != buffer)
    gst_buffer_unref (buffer);
  return out;
}

GstBuffer *
gst_mpeg_scaler_m2v_join (GstBuffer * first, GstBuffer * second)
{
  GstBuffer *out = gst_buffer_copy_region (second,
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META,
      0, -1);

  drop_offset_meta (out);
  gst_buffer_copy_into (out, first, GST_BUFFER_COPY_MEMORY, 0, -1);
  gst_buffer_copy_into (out, second, GST_BUFFER_COPY_MEMORY, 0, -1);
  if (!GST_BUFFER_PTS_IS_VALID (out))
    GST_BUFFER_PTS (out) = GST_BUFFER_PTS (first);
  if (!GST_BUFFER_DTS_IS_VALID (out))
    GST_BUFFER_DTS (out) = GST_BUFFER_DTS (first);
  GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAGS (first)
      & (GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC
          | GST_BUFFER_FLAG_HEADER));
  gst_buffer_unref (first);
  gst_buffer_unref (second);
  return out;
}
