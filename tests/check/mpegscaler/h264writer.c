/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "h264writer.h"

#include <startcode/startcode.h>

#define PROFILE 77              /* Main */
#define WIDTH 4                 /* macroblocks */
#define HEIGHT 4

enum
{
  NAL_SLICE = 1,
  NAL_IDR = 5,
  NAL_SEI = 6,
  NAL_SPS = 7,
  NAL_PPS = 8,
  NAL_PREFIX = 14
};

/* Bits of an RBSP. */
typedef struct
{
  GByteArray *bytes;
  guint n;                      /* of the last byte */
} Bits;

static void
put (Bits * b, guint n, guint32 value)
{
  static const guint8 zero = 0;

  while (n-- > 0) {
    if (b->n % 8 == 0)
      g_byte_array_append (b->bytes, &zero, 1);
    if (value >> n & 1)
      b->bytes->data[b->bytes->len - 1] |= 0x80 >> b->n % 8;
    b->n++;
  }
}

/* ue(v) and se(v), 9.1. */
static void
put_ue (Bits * b, guint32 value)
{
  guint n = g_bit_storage (value + 1);

  put (b, n - 1, 0);
  put (b, n, value + 1);
}

static void
put_se (Bits * b, gint32 value)
{
  put_ue (b, value > 0 ? 2 * (guint32) value - 1 : (guint32) (-2 * value));
}

static void
begin (Bits * b)
{
  b->bytes = g_byte_array_new ();
  b->n = 0;
}

/* With trailing bits, start code, header and emulation prevention. */
static void
end (Bits * b, GByteArray * out, guint8 header)
{
  static const guint8 start[] = { 0, 0, 0, 1 }, escape = 3;
  guint zeros = 0;

  put (b, 1, 1);
  g_byte_array_append (out, start, sizeof start);
  g_byte_array_append (out, &header, 1);
  for (guint i = 0; i < b->bytes->len; i++) {
    guint8 byte = b->bytes->data[i];

    if (zeros == 2 && byte <= 3) {
      g_byte_array_append (out, &escape, 1);
      zeros = 0;
    }
    g_byte_array_append (out, &byte, 1);
    zeros = byte == 0 ? zeros + 1 : 0;
  }
  g_byte_array_unref (b->bytes);
}

static void
put_order_type (Bits * b, const H264Sps * sps)
{
  put_ue (b, sps->order_type);
  if (sps->order_type == 0)
    put_ue (b, sps->log2_max_order_lsb - 4);
  if (sps->order_type != 1)
    return;
  put (b, 1, sps->delta_order_always_zero);
  put_se (b, sps->offset_for_non_reference);
  put_se (b, sps->offset_for_top_to_bottom);
  put_ue (b, sps->n_offsets);
  for (guint i = 0; i < sps->n_offsets; i++)
    put_se (b, sps->offsets[i]);
}

void
test_h264_write_sps (GByteArray * out, const TestH264Sps * sps)
{
  Bits b;

  begin (&b);
  put (&b, 8, PROFILE);
  put (&b, 8, 0);
  put (&b, 8, sps->level);
  put_ue (&b, sps->id);
  put_ue (&b, sps->sps.log2_max_frame_num - 4);
  put_order_type (&b, &sps->sps);
  put_ue (&b, sps->sps.max_references);
  put (&b, 1, sps->sps.gaps_allowed);
  put_ue (&b, WIDTH - 1);
  put_ue (&b, (sps->interlaced ? HEIGHT / 2 : HEIGHT) - 1);
  put (&b, 1, !sps->interlaced);
  if (sps->interlaced)
    put (&b, 1, 0);
  /* direct_8x8_inference_flag; no cropping, no VUI. */
  put (&b, 3, 4);
  end (&b, out, 0x60 | NAL_SPS);
}

void
test_h264_write_pps (GByteArray * out, guint id, guint sps_id, gboolean bottom)
{
  Bits b;

  begin (&b);
  put_ue (&b, id);
  put_ue (&b, sps_id);
  put (&b, 1, 0);
  put (&b, 1, bottom);
  put_ue (&b, 0);               /* one slice group */
  put_ue (&b, 0);
  put_ue (&b, 0);
  put (&b, 3, 0);               /* no weighted prediction */
  for (guint i = 0; i < 3; i++)
    put_se (&b, 0);             /* quantisers */
  put (&b, 3, 0);
  end (&b, out, 0x60 | NAL_PPS);
}

static void
put_order (Bits * b, const H264Sps * sps, gboolean bottom,
    const H264Slice * slice)
{
  bottom = bottom && slice->structure == H264_FRAME;
  if (sps->order_type == 0) {
    put (b, sps->log2_max_order_lsb, slice->order_lsb);
    if (bottom)
      put_se (b, slice->delta_order_bottom);
  }
  if (sps->order_type != 1 || sps->delta_order_always_zero)
    return;
  put_se (b, slice->delta_order[0]);
  if (bottom)
    put_se (b, slice->delta_order[1]);
}

static void
put_lists (Bits * b, const H264Slice * slice)
{
  guint n = h264_is_intra (slice) ? 0 : slice->type == H264_B ? 2 : 1;

  if (slice->type == H264_B)
    put (b, 1, 0);              /* temporal direct prediction */
  if (n > 0)
    put (b, 1, 1);
  for (guint x = 0; x < n; x++)
    put_ue (b, slice->n_active[x] - 1);
  for (guint x = 0; x < n; x++) {
    put (b, 1, slice->n_modifications[x] > 0);
    if (slice->n_modifications[x] == 0)
      continue;
    for (guint i = 0; i < slice->n_modifications[x]; i++) {
      put_ue (b, slice->modifications[x][i].operation);
      put_ue (b, slice->modifications[x][i].value);
    }
    put_ue (b, 3);
  }
}

static void
put_markings (Bits * b, const H264Slice * slice)
{
  if (slice->idr) {
    put (b, 1, 0);
    put (b, 1, slice->long_term);
    return;
  }
  put (b, 1, slice->adaptive_marking);
  if (!slice->adaptive_marking)
    return;
  for (guint i = 0; i < slice->n_markings; i++) {
    const H264Marking *m = &slice->markings[i];

    put_ue (b, m->operation);
    if (m->operation == 1 || m->operation == 3)
      put_ue (b, m->difference);
    if (m->operation == 2)
      put_ue (b, m->long_term_number);
    if (m->operation == 3 || m->operation == 6)
      put_ue (b, m->long_term_index);
    if (m->operation == 4)
      put_ue (b, m->max_long_term);
  }
  put_ue (b, 0);
}

void
test_h264_write_slice (GByteArray * out, const TestH264Sps * sps, guint pps_id,
    gboolean bottom, const H264Slice * slice, guint first_mb, gsize payload)
{
  Bits b;

  begin (&b);
  put_ue (&b, first_mb);
  put_ue (&b, slice->type);
  put_ue (&b, pps_id);
  put (&b, sps->sps.log2_max_frame_num, slice->frame_num);
  if (sps->interlaced) {
    put (&b, 1, slice->structure != H264_FRAME);
    if (slice->structure != H264_FRAME)
      put (&b, 1, slice->structure == H264_BOTTOM);
  }
  if (slice->idr)
    put_ue (&b, slice->idr_id);
  put_order (&b, &sps->sps, bottom, slice);
  put_lists (&b, slice);
  if (slice->reference)
    put_markings (&b, slice);
  put_se (&b, 0);
  if (slice->type == H264_SP || slice->type == H264_SI) {
    if (slice->type == H264_SP)
      put (&b, 1, 0);
    put_se (&b, 0);
  }
  while (payload-- > 0)
    put (&b, 8, 0x55);
  end (&b, out, (slice->reference ? 0x60 : 0) | (slice->idr ? NAL_IDR :
          NAL_SLICE));
}

/* nal_unit_header_svc_extension, G.7.3.1.1, and nothing behind it. */
void
test_h264_write_prefix (GByteArray * out, guint layer, gboolean reference)
{
  Bits b;

  begin (&b);
  put (&b, 8, 0x80);
  put (&b, 8, 0x80);
  put (&b, 8, layer << 5 | 7);
  end (&b, out, (reference ? 0x60 : 0) | NAL_PREFIX);
}

void
test_h264_write_recovery (GByteArray * out)
{
  Bits b;

  begin (&b);
  put (&b, 8, 6);               /* recovery point, of one octet */
  put (&b, 8, 1);
  put_ue (&b, 0);               /* recovery_frame_cnt */
  put (&b, 7, 0x48);            /* exact match; the payload's last bits */
  end (&b, out, NAL_SEI);
}

void
test_h264_write_unit (GByteArray * out, guint type, gsize size)
{
  Bits b;

  begin (&b);
  while (size-- > 0)
    put (&b, 8, 0xff);
  end (&b, out, (guint8) type);
}

/* Of the NAL unit behind the start code at `offset`; where the next begins. */
static gsize
find_unit (const GByteArray * bytes, gsize offset, const guint8 ** nal,
    gsize * size)
{
  gsize next = start_code_find (bytes->data, bytes->len, offset + 3);

  *nal = bytes->data + offset + 3;
  *size = next - offset - 3;
  while (*size > 1 && (*nal)[*size - 1] == 0)
    (*size)--;
  return next;
}

static void
append_length (GByteArray * out, guint n, gsize length)
{
  while (n-- > 0) {
    guint8 byte = (guint8) (length >> 8 * n);

    g_byte_array_append (out, &byte, 1);
  }
}

GByteArray *
test_h264_to_avc (const GByteArray * bytes)
{
  GByteArray *out = g_byte_array_new ();
  gsize at = start_code_find (bytes->data, bytes->len, 0), size;
  const guint8 *nal;

  while (at < bytes->len) {
    at = find_unit (bytes, at, &nal, &size);
    append_length (out, 4, size);
    g_byte_array_append (out, nal, (guint) size);
  }
  return out;
}

GByteArray *
test_h264_codec_data (const GByteArray * bytes)
{
  static const guint8 head[] = { 1, PROFILE, 0, 10, 0xff };
  GByteArray *out = g_byte_array_new ();

  g_byte_array_append (out, head, sizeof head);
  for (guint type = NAL_SPS; type <= NAL_PPS; type++) {
    gsize at = start_code_find (bytes->data, bytes->len, 0), size;
    guint8 n = type == NAL_SPS ? 0xe0 : 0;
    guint place = out->len;
    const guint8 *nal;

    append_length (out, 1, 0);
    while (at < bytes->len) {
      at = find_unit (bytes, at, &nal, &size);
      if ((nal[0] & 0x1f) != type)
        continue;
      n++;
      append_length (out, 2, size);
      g_byte_array_append (out, nal, (guint) size);
    }
    out->data[place] = n;
  }
  return out;
}
