/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsth265headers.h"

#include <gst/codecparsers/gsth265parser.h>
#include <startcode/startcode.h>

#include "gsth26xcaps.h"

/* Bytes of a slice's NAL unit that change: its header, and the byte with the
 * first two flags of the slice (7.3.6.1). */
#define SPLICED_SIZE 3
/* no_output_of_prior_pics_flag, the second of these flags. */
#define NO_OUTPUT_OF_PRIOR_PICS 0x40

struct _GstH265Headers
{
  GstH265Parser *parser;
  guint unsafe_sps;             /* bits of ids that must not be used */
  guint8 sps_of_pps[GST_H265_MAX_PPS_COUNT];
  guint length_size;            /* bytes of a length; 0 = byte-stream */
  H265Dpb dpb;
  GArray *units;                /* GstH26xUnit */
  guint64 n_unreadable;
  gboolean ended;               /* a sequence has ended before the next unit */
  gboolean end_passed;

  /* All members below describe the current access unit. */
  gboolean cut;                 /* the end before it did not pass */
  gboolean unreadable;
  gboolean ends;                /* the unit ends a sequence */
  gboolean has_slice;
  H265Sps sps;
  H265Slice slice;
  H26xPicture picture;
};

GstH265Headers *
gst_h265_headers_new (void)
{
  GstH265Headers *h = g_new0 (GstH265Headers, 1);

  h->parser = gst_h265_parser_new ();
  h->units = g_array_new (FALSE, FALSE, sizeof (GstH26xUnit));
  gst_h265_headers_reset (h);
  return h;
}

void
gst_h265_headers_free (GstH265Headers * h)
{
  gst_h265_parser_free (h->parser);
  g_array_unref (h->units);
  g_free (h);
}

void
gst_h265_headers_reset (GstH265Headers * h)
{
  h265_dpb_init (&h->dpb);
  h->ended = FALSE;
}

static void
forget_parameter_sets (GstH265Headers * h)
{
  gst_h265_parser_free (h->parser);
  h->parser = gst_h265_parser_new ();
  h->unsafe_sps = 0;
}

/* Slices */

static gboolean
copy_short_term (H265Slice * to, const GstH265ShortTermRefPicSet * from)
{
  guint negative = from->NumNegativePics, n = negative + from->NumPositivePics;

  if (n > H265_MAX_DPB)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    H265ShortTerm *s = &to->short_term[i];

    if (i < negative) {
      s->delta = from->DeltaPocS0[i];
      s->used = from->UsedByCurrPicS0[i];
    } else {
      s->delta = from->DeltaPocS1[i - negative];
      s->used = from->UsedByCurrPicS1[i - negative];
    }
  }
  to->n_short_term = n;
  return TRUE;
}

/* Copies long-term pictures. Cycles are counted from those of the picture
 * before (7-52). */
static gboolean
copy_long_term (H265Slice * to, const GstH265SliceHdr * from)
{
  guint64 cycle = 0;

  if (from->num_long_term_sps > 0 || from->num_long_term_pics > H265_MAX_DPB)
    return FALSE;
  to->n_long_term = from->num_long_term_pics;
  for (guint i = 0; i < to->n_long_term; i++) {
    H265LongTerm *l = &to->long_term[i];

    cycle += from->delta_poc_msb_cycle_lt[i];
    if (cycle > G_MAXUINT32)
      return FALSE;
    l->order_lsb = from->poc_lsb_lt[i];
    l->has_msb = from->delta_poc_msb_present_flag[i];
    l->msb_cycle = (guint32) cycle;
    l->used = from->used_by_curr_pic_lt_flag[i];
  }
  return TRUE;
}

static gboolean
copy_slice (H265Slice * to, const GstH265SliceHdr * from,
    const GstH265NalUnit * nalu)
{
  const GstH265SPS *sps = from->pps->sps;

  to->nal_unit_type = nalu->type;
  to->layer = nalu->temporal_id_plus1 - 1u;
  to->order_lsb = from->pic_order_cnt_lsb;
  to->n_short_term = to->n_long_term = 0;
  if (GST_H265_IS_NAL_TYPE_IDR (nalu->type))
    return TRUE;
  return copy_short_term (to, from->short_term_ref_pic_set_sps_flag ?
      &sps->short_term_ref_pic_set[from->short_term_ref_pic_set_idx] :
      &from->short_term_ref_pic_sets) && copy_long_term (to, from);
}

/* Returns slice_pic_parameter_set_id, a ue(v) after one or two flags. A
 * value above all ids means that it cannot be read. */
static guint
read_pps_id (const GstH265NalUnit * nalu)
{
  const guint8 *data = nalu->data + nalu->offset;
  guint32 bits;
  guint zeros = 0;

  if (nalu->size < 6)
    return GST_H265_MAX_PPS_COUNT;
  bits = GST_READ_UINT24_BE (data + 2) << 9 | (guint32) data[5] << 1;
  if (GST_H265_IS_NAL_TYPE_IRAP (nalu->type))
    bits <<= 1;
  while (zeros < 7 && !(bits & 0x80000000u)) {
    bits <<= 1;
    zeros++;
  }
  return (bits >> (31 - zeros)) - 1;
}

/* True if the parser can read the slice safely. It writes beyond its
 * arrays if a slice takes more than 16 long-term pictures from its SPS and
 * its header. */
static gboolean
is_safe (const GstH265Headers * h, const GstH265NalUnit * nalu)
{
  guint id = read_pps_id (nalu);

  return id < GST_H265_MAX_PPS_COUNT
      && !(h->unsafe_sps >> h->sps_of_pps[id] & 1);
}

/* Reads only the first slice of a picture, because the others have the
 * same reference picture set (7.4.7.1). */
static gboolean
read_slice (GstH265Headers * h, GstH265NalUnit * nalu)
{
  gboolean first = nalu->size > 2 && (nalu->data[nalu->offset + 2] & 0x80);
  GstH265SliceHdr parsed;
  gboolean ok;

  if (h->has_slice)
    return !first;
  h->has_slice = TRUE;
  if (!first || !is_safe (h, nalu)
      || gst_h265_parser_parse_slice_hdr (h->parser, nalu,
          &parsed) != GST_H265_PARSER_OK)
    return FALSE;
  h->sps.log2_max_order_lsb =
      parsed.pps->sps->log2_max_pic_order_cnt_lsb_minus4 + 4u;
  h->sps.highest_layer = parsed.pps->sps->max_sub_layers_minus1;
  ok = copy_slice (&h->slice, &parsed, nalu);
  gst_h265_slice_hdr_free (&parsed);
  return ok;
}

/* Other NAL units */

/* Reads a parameter set. If that fails, forgets all sets, because slices
 * would be read with an older set of the same id. */
static gboolean
read_parameter_set (GstH265Headers * h, GstH265NalUnit * nalu)
{
  GstH265ParserResult result;
  GstH265VPS vps;
  GstH265SPS sps;
  GstH265PPS pps;

  if (nalu->type == GST_H265_NAL_VPS) {
    result = gst_h265_parser_parse_vps (h->parser, nalu, &vps);
  } else if (nalu->type == GST_H265_NAL_PPS) {
    result = gst_h265_parser_parse_pps (h->parser, nalu, &pps);
    if (result == GST_H265_PARSER_OK)
      h->sps_of_pps[pps.id] = (guint8) pps.sps_id;
  } else {
    result = gst_h265_parser_parse_sps (h->parser, nalu, &sps, TRUE);
    if (result == GST_H265_PARSER_OK) {
      h->unsafe_sps &= ~(1u << sps.id);
      if (sps.num_long_term_ref_pics_sps > 0)
        h->unsafe_sps |= 1u << sps.id;
    }
  }
  if (result == GST_H265_PARSER_OK)
    return TRUE;
  forget_parameter_sets (h);
  return FALSE;
}

static void
note_unit (GstH265Headers * h, GstH26xUnitKind kind, gsize offset, gsize size)
{
  const GstH26xUnit unit = { kind, offset, size };

  g_array_append_val (h->units, unit);
}

/* Reads a NAL unit of the base layer. Other layers (annex F) pass or are
 * dropped with the base layer. */
static gboolean
read_nal (GstH265Headers * h, GstH265NalUnit * nalu, gsize offset, gsize size)
{
  if (nalu->layer_id > 0)
    return TRUE;
  if (nalu->type <= GST_H265_NAL_SLICE_CRA_NUT)
    return read_slice (h, nalu);
  switch (nalu->type) {
    case GST_H265_NAL_VPS:
    case GST_H265_NAL_SPS:
    case GST_H265_NAL_PPS:
      note_unit (h, GST_H26X_UNIT_PARAMETERS, offset, size);
      return read_parameter_set (h, nalu);
    case GST_H265_NAL_AUD:
      note_unit (h, GST_H26X_UNIT_DELIMITER, offset, size);
      return TRUE;
    case GST_H265_NAL_FD:
      note_unit (h, GST_H26X_UNIT_FILLER, offset, size);
      return TRUE;
    case GST_H265_NAL_EOS:
    case GST_H265_NAL_EOB:
      h->ends = TRUE;
      return TRUE;
    default:
      return TRUE;
  }
}

/* Returns where the NAL unit at `offset` ends, or 0 if it cannot be read. */
static gsize
identify (const GstH265Headers * h, const guint8 * data, gsize size,
    gsize offset, GstH265NalUnit * nalu)
{
  gsize next;

  if (h->length_size > 0) {
    if (gst_h265_parser_identify_nalu_hevc (h->parser, data, offset, size,
            h->length_size, nalu) != GST_H265_PARSER_OK)
      return 0;
    return nalu->offset + nalu->size;
  }
  /* Scan only once here, because the parser's own scan is slow. */
  next = start_code_find (data, size, offset + 3);
  if (gst_h265_parser_identify_nalu_unchecked (h->parser, data, offset, next,
          nalu) != GST_H265_PARSER_OK)
    return 0;
  nalu->size = next - nalu->offset;
  while (nalu->size > 2 && data[nalu->offset + nalu->size - 1] == 0)
    nalu->size--;
  return next;
}

static void
read_nals (GstH265Headers * h, const guint8 * data, gsize size)
{
  gsize offset = 0, next;
  GstH265NalUnit nalu;

  if (h->length_size == 0)
    offset = start_code_find (data, size, 0);
  for (; offset < size; offset = next) {
    next = identify (h, data, size, offset, &nalu);
    if (next <= offset) {
      h->unreadable = TRUE;
      return;
    }
    if (!read_nal (h, &nalu, offset, next - offset))
      h->unreadable = TRUE;
  }
}

const H26xPicture *
gst_h265_headers_read (GstH265Headers * h, const guint8 * data, gsize size)
{
  h->slice.begins_sequence = h->ended;
  h->cut = h->ended && !h->end_passed;
  h->unreadable = h->has_slice = h->ends = FALSE;
  g_array_set_size (h->units, 0);
  if (size <= G_MAXUINT32)
    read_nals (h, data, size);
  else
    h->unreadable = TRUE;
  if (h->ends || h->has_slice) {
    h->ended = h->ends;
    h->end_passed = FALSE;
  }
  if (h->unreadable)
    h->n_unreadable++;
  if (!h->has_slice && !h->unreadable)
    return NULL;
  h265_dpb_next (&h->dpb, &h->sps, h->unreadable ? NULL : &h->slice,
      &h->picture);
  return &h->picture;
}

/* Appends a NAL unit of a CRA picture as one of a BLA picture with any
 * leading pictures. The two differ only in nal_unit_type. It clears
 * no_output_of_prior_pics_flag, so that all decoded pictures are shown
 * before the BLA picture (C.5.2.2). Bytes between the changed units are
 * shared. */
static void
append_spliced (GstBuffer * out, GstBuffer * buffer,
    const GstH265NalUnit * nalu, gsize * from)
{
  guint8 *head = g_memdup2 (nalu->data + nalu->offset, SPLICED_SIZE);

  head[0] = (guint8) ((head[0] & 0x81) | GST_H265_NAL_SLICE_BLA_W_LP << 1);
  head[2] &= (guint8) ~ NO_OUTPUT_OF_PRIOR_PICS;
  gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_MEMORY, *from,
      nalu->offset - *from);
  gst_buffer_append_memory (out, gst_memory_new_wrapped (0, head, SPLICED_SIZE,
          0, SPLICED_SIZE, head, g_free));
  *from = nalu->offset + SPLICED_SIZE;
}

GstBuffer *
gst_h265_headers_splice (const GstH265Headers * h, GstBuffer * buffer,
    gboolean anew)
{
  gsize offset = 0, next, from = 0;
  GstH265NalUnit nalu;
  GstBuffer *out;
  GstMapInfo map;

  if ((!anew && !h->cut) || h->slice.nal_unit_type != H265_NAL_CRA
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return buffer;
  out = gst_buffer_new ();
  gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  if (h->length_size == 0)
    offset = start_code_find (map.data, map.size, 0);
  for (; offset < map.size; offset = next) {
    next = identify (h, map.data, map.size, offset, &nalu);
    if (next <= offset)
      break;
    if (nalu.type == GST_H265_NAL_SLICE_CRA_NUT && nalu.size >= SPLICED_SIZE)
      append_spliced (out, buffer, &nalu, &from);
  }
  gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_MEMORY, from, -1);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return out;
}

void
gst_h265_headers_passed (GstH265Headers * h)
{
  h->end_passed = h->ends;
}

gboolean
gst_h265_headers_decodes (const GstH265Headers * h, gboolean allow_gaps)
{
  (void) h;
  (void) allow_gaps;
  return TRUE;
}

const GstH26xUnit *
gst_h265_headers_get_units (const GstH265Headers * h, guint * n_units)
{
  *n_units = h->units->len;
  return (const GstH26xUnit *) h->units->data;
}

guint64
gst_h265_headers_get_n_unreadable (const GstH265Headers * h)
{
  return h->n_unreadable;
}

/* Reads hvcC (14496-15, 8.3.3.1). */
static gboolean
read_codec_data (gpointer headers, const guint8 * data, gsize size)
{
  GstH265Headers *h = headers;
  gsize offset = 23;
  GstH265NalUnit nalu;

  if (size < offset || data[0] != 1)
    return FALSE;
  h->length_size = (data[21] & 3) + 1u;
  for (guint arrays = data[22]; arrays > 0; arrays--) {
    guint n;

    if (size - offset < 3)
      return FALSE;
    n = data[offset + 1] << 8 | data[offset + 2];
    offset += 3;
    for (; n > 0; n--) {
      if (gst_h265_parser_identify_nalu_hevc (h->parser, data, offset, size, 2,
              &nalu) != GST_H265_PARSER_OK)
        return FALSE;
      offset = nalu.offset + nalu.size;
      if (!read_nal (h, &nalu, 0, 0))
        h->n_unreadable++;
    }
  }
  return TRUE;
}

gboolean
gst_h265_headers_set_caps (GstH265Headers * h, const GstCaps * caps)
{
  gst_h265_headers_reset (h);
  forget_parameter_sets (h);
  h->length_size = 0;
  return gst_h26x_caps_read (caps, "video/x-h265", read_codec_data, h);
}
