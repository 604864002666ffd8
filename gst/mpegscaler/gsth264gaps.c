/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsth264gaps.h"

#include <string.h>

#include <h26x/h264gaps.h>

/* nal_unit_type of a sequence parameter set. */
#define NAL_SPS 7
/* nal_unit_type of a picture parameter set. */
#define NAL_PPS 8

static guint
prefix_size (guint length_size)
{
  return length_size > 0 ? length_size : 3;
}

static guint
type_of (const guint8 * nal)
{
  return nal[0] & 0x1f;
}

void
gst_h264_sets_init (GstH264Sets * s, guint length_size)
{
  gst_h264_sets_clear (s);
  s->sets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  s->length_size = length_size;
  s->incomplete = FALSE;
}

void
gst_h264_sets_clear (GstH264Sets * s)
{
  g_clear_pointer (&s->sets, g_ptr_array_unref);
}

/* Returns the first ue(v) after `skipped` octets, at most 17 bits of it,
 * which is enough to distinguish ids. */
static guint32
read_id (const guint8 * nal, gsize size, guint skipped)
{
  guint32 bits = 0;
  guint zeros;

  for (gsize i = skipped; i < skipped + 4u; i++)
    bits = bits << 8 | (i < size ? nal[i] : 0);
  zeros = 32 - g_bit_storage (bits);
  return zeros > 8 ? G_MAXUINT32 : bits >> (31 - 2 * zeros);
}

static gboolean
is_same_set (const guint8 * a, gsize a_size, const guint8 * b, gsize b_size)
{
  guint skipped = type_of (a) == NAL_SPS ? 4 : 1;

  return type_of (a) == type_of (b)
      && read_id (a, a_size, skipped) == read_id (b, b_size, skipped);
}

static gsize
total_size (const GstH264Sets * s)
{
  gsize size = 0;

  for (guint i = 0; i < s->sets->len; i++)
    size += g_bytes_get_size (g_ptr_array_index (s->sets, i));
  return size;
}

/* Returns the NAL unit in a set. */
static const guint8 *
get_nal (GBytes * set, guint length_size, gsize * size)
{
  const guint8 *data = g_bytes_get_data (set, size);

  *size -= prefix_size (length_size);
  return data + prefix_size (length_size);
}

static GBytes *
make_set (const guint8 * nal, gsize size, guint length_size)
{
  guint prefix = prefix_size (length_size);
  guint8 *data = g_malloc (prefix + size);

  for (guint i = 0; i < prefix; i++)
    data[i] = length_size > 0 ? (guint8) (size >> 8 * (prefix - 1 - i)) :
        i == 2;
  memcpy (data + prefix, nal, size);
  return g_bytes_new_take (data, prefix + size);
}

void
gst_h264_sets_note (GstH264Sets * s, const guint8 * nal, gsize size)
{
  if (size < 2 || (type_of (nal) != NAL_SPS && type_of (nal) != NAL_PPS))
    return;
  for (guint i = 0; i < s->sets->len; i++) {
    gsize other_size;
    const guint8 *other = get_nal (g_ptr_array_index (s->sets, i),
        s->length_size, &other_size);

    if (!is_same_set (nal, size, other, other_size))
      continue;
    if (size == other_size && memcmp (nal, other, size) == 0)
      return;
    g_ptr_array_remove_index (s->sets, i);
    break;
  }
  if ((s->length_size > 0 && s->length_size < 3
          && size >= (gsize) 1 << 8 * s->length_size)
      || total_size (s) + size > GST_H264_SETS_MAX_SIZE)
    s->incomplete = TRUE;
  else
    g_ptr_array_add (s->sets, make_set (nal, size, s->length_size));
}

/* Sets the flag if the NAL unit is an SPS. Returns FALSE if it is one in
 * which the flag cannot be set. */
static gboolean
allow_gaps (guint8 * nal, gsize size)
{
  return size < 1 || type_of (nal) != NAL_SPS
      || h264_sps_allow_gaps (nal, size);
}

static guint8 *
copy_set (GBytes * set, guint length_size, gsize * size, gboolean * ok)
{
  guint prefix = prefix_size (length_size);
  const guint8 *data = g_bytes_get_data (set, size);
  guint8 *copy = g_memdup2 (data, *size);

  *ok = allow_gaps (copy + prefix, *size - prefix);
  return copy;
}

gboolean
gst_h264_sets_can_allow_gaps (const GstH264Sets * s)
{
  gboolean has_sps = FALSE, can = !s->incomplete;

  for (guint i = 0; can && i < s->sets->len; i++) {
    GBytes *set = g_ptr_array_index (s->sets, i);
    gsize size;

    has_sps |= type_of (get_nal (set, s->length_size, &size)) == NAL_SPS;
    g_free (copy_set (set, s->length_size, &size, &can));
  }
  return has_sps && can;
}

void
gst_h264_sets_append (const GstH264Sets * s, GPtrArray * carried)
{
  for (guint type = NAL_SPS; type <= NAL_PPS; type++)
    for (guint i = 0; i < s->sets->len; i++) {
      GBytes *set = g_ptr_array_index (s->sets, i);
      gsize size;

      if (type_of (get_nal (set, s->length_size, &size)) == type)
        g_ptr_array_add (carried, g_bytes_ref (set));
    }
}

GBytes *
gst_h264_allow_gaps_in_set (GBytes * set, guint length_size)
{
  gboolean ok;
  gsize size;
  guint8 *copy = copy_set (set, length_size, &size, &ok);

  return g_bytes_new_take (copy, size);
}

/* Sets the flag in the SPS of avcC (14496-15, 5.3.3.1). */
static void
allow_gaps_in_codec_data (guint8 * data, gsize size)
{
  gsize offset = 6;

  if (size < offset)
    return;
  for (guint n = data[5] & 0x1f; n > 0 && size - offset >= 2; n--) {
    gsize length = GST_READ_UINT16_BE (data + offset);

    offset += 2;
    if (length > size - offset)
      return;
    allow_gaps (data + offset, length);
    offset += length;
  }
}

GstCaps *
gst_h264_allow_gaps_in_caps (const GstCaps * caps)
{
  GstCaps *copy = gst_caps_copy (caps);
  const GValue *value = gst_structure_get_value (gst_caps_get_structure (copy,
          0), "codec_data");
  GstBuffer *codec_data;
  gpointer data;
  gsize size;

  if (!value || !GST_VALUE_HOLDS_BUFFER (value))
    return copy;
  gst_buffer_extract_dup (gst_value_get_buffer (value), 0, -1, &data, &size);
  allow_gaps_in_codec_data (data, size);
  codec_data = gst_buffer_new_wrapped (data, size);
  gst_caps_set_simple (copy, "codec_data", GST_TYPE_BUFFER, codec_data, NULL);
  gst_buffer_unref (codec_data);
  return copy;
}

/* Returns a changed copy of the unit if it is an SPS that has to change,
 * or NULL if it leaves as it is. */
static guint8 *
change_unit (const guint8 * data, const GstH26xUnit * unit, guint prefix)
{
  guint8 *copy;

  if (unit->kind != GST_H26X_UNIT_PARAMETERS || unit->size <= prefix
      || type_of (data + unit->offset + prefix) != NAL_SPS)
    return NULL;
  copy = g_memdup2 (data + unit->offset, unit->size);
  if (allow_gaps (copy + prefix, unit->size - prefix)
      && memcmp (copy, data + unit->offset, unit->size) != 0)
    return copy;
  g_free (copy);
  return NULL;
}

GstBuffer *
gst_h264_allow_gaps_in_buffer (GstBuffer * buffer, const GstH26xUnit * units,
    guint n_units, guint length_size)
{
  GstBuffer *out = NULL;
  gsize from = 0;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return buffer;
  for (guint i = 0; i < n_units; i++) {
    const GstH26xUnit *unit = &units[i];
    guint8 *changed = change_unit (map.data, unit, prefix_size (length_size));

    if (!changed)
      continue;
    if (!out) {
      out = gst_buffer_new ();
      gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
    }
    if (unit->offset > from)
      gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_MEMORY, from,
          unit->offset - from);
    gst_buffer_append_memory (out, gst_memory_new_wrapped (0, changed,
            unit->size, 0, unit->size, changed, g_free));
    from = unit->offset + unit->size;
  }
  if (out && from < map.size)
    gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_MEMORY, from, -1);
  gst_buffer_unmap (buffer, &map);
  if (!out)
    return buffer;
  gst_buffer_unref (buffer);
  return out;
}
