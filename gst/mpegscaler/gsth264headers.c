/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsth264headers.h"

#include <string.h>

#include <gst/codecparsers/gsth264parser.h>
#include <startcode/startcode.h>

#include "gsth26xcaps.h"

/* payloadType of a recovery point SEI message (D.1). */
#define RECOVERY_POINT 6

struct _GstH264Headers
{
  GstH264NalParser *parser;
  /* Bits of the ids whose last SPS could not be read. The parser may still
   * keep an older one. */
  guint32 bad_sps;
  /* TRUE for the ids whose last PPS could not be read, likewise. */
  gboolean bad_pps[GST_H264_MAX_PPS_COUNT];
  GstH264Sets sets;
  guint length_size;            /* bytes of a length; 0 = byte-stream */
  H264Model model;
  GArray *units;                /* GstH26xUnit */
  guint64 n_unreadable;

  /* All members below describe the current access unit. */
  gboolean unreadable;
  gboolean has_slice;
  gboolean delimited;
  /* It has a recovery point with no frames to wait for. */
  gboolean recovery;
  guint layer;
  GstH264SliceHdr parsed;
  H264Sps sps;
  H264Slice slice;
};

GstH264Headers *
gst_h264_headers_new (void)
{
  GstH264Headers *h = g_new0 (GstH264Headers, 1);

  h->parser = gst_h264_nal_parser_new ();
  h->units = g_array_new (FALSE, FALSE, sizeof (GstH26xUnit));
  gst_h264_sets_init (&h->sets, 0);
  h264_model_init (&h->model);
  return h;
}

void
gst_h264_headers_free (GstH264Headers * h)
{
  gst_h264_nal_parser_free (h->parser);
  gst_h264_sets_clear (&h->sets);
  g_array_unref (h->units);
  g_free (h);
}

void
gst_h264_headers_reset (GstH264Headers * h)
{
  h264_model_init (&h->model);
}

static void
copy_sps (H264Sps * to, const GstH264SPS * from)
{
  to->log2_max_frame_num = from->log2_max_frame_num_minus4 + 4;
  to->order_type = from->pic_order_cnt_type;
  to->log2_max_order_lsb = from->log2_max_pic_order_cnt_lsb_minus4 + 4;
  to->delta_order_always_zero = from->delta_pic_order_always_zero_flag;
  to->offset_for_non_reference = from->offset_for_non_ref_pic;
  to->offset_for_top_to_bottom = from->offset_for_top_to_bottom_field;
  to->n_offsets = 0;
  if (from->pic_order_cnt_type == 1) {
    to->n_offsets = from->num_ref_frames_in_pic_order_cnt_cycle;
    memcpy (to->offsets, from->offset_for_ref_frame,
        to->n_offsets * sizeof to->offsets[0]);
  }
  to->max_references = from->num_ref_frames;
  to->gaps_allowed = from->gaps_in_frame_num_value_allowed_flag;
}

/* Copies modifications without their end, which the parser counts as one
 * of them. */
static void
copy_modifications (H264Slice * to, guint x,
    const GstH264RefPicListModification * from, guint n)
{
  to->n_modifications[x] = 0;
  for (guint i = 0; i < n && from[i].modification_of_pic_nums_idc != 3; i++) {
    H264Modification *m = &to->modifications[x][to->n_modifications[x]++];

    m->operation = from[i].modification_of_pic_nums_idc;
    m->value = from[i].value.abs_diff_pic_num_minus1;
  }
}

static void
copy_markings (H264Slice * to, const GstH264DecRefPicMarking * from)
{
  to->long_term = from->long_term_reference_flag;
  to->adaptive_marking = from->adaptive_ref_pic_marking_mode_flag;
  to->n_markings = to->adaptive_marking ? from->n_ref_pic_marking : 0;
  for (guint i = 0; i < to->n_markings; i++) {
    const GstH264RefPicMarking *m = &from->ref_pic_marking[i];

    to->markings[i].operation = m->memory_management_control_operation;
    to->markings[i].difference = m->difference_of_pic_nums_minus1;
    to->markings[i].long_term_number = m->long_term_pic_num;
    to->markings[i].long_term_index = m->long_term_frame_idx;
    to->markings[i].max_long_term = m->max_long_term_frame_idx_plus1;
  }
}

static void
copy_slice (H264Slice * to, const GstH264SliceHdr * from,
    const GstH264NalUnit * nalu)
{
  to->type = from->type % 5;
  to->idr = nalu->idr_pic_flag;
  to->reference = nalu->ref_idc != 0;
  to->idr_id = from->idr_pic_id;
  to->frame_num = from->frame_num;
  to->structure = !from->field_pic_flag ? H264_FRAME
      : from->bottom_field_flag ? H264_BOTTOM : H264_TOP;
  to->order_lsb = from->pic_order_cnt_lsb;
  to->delta_order_bottom = from->delta_pic_order_cnt_bottom;
  to->delta_order[0] = from->delta_pic_order_cnt[0];
  to->delta_order[1] = from->delta_pic_order_cnt[1];
  to->n_active[0] = from->num_ref_idx_l0_active_minus1 + 1;
  to->n_active[1] = from->num_ref_idx_l1_active_minus1 + 1;
  copy_modifications (to, 0, from->ref_pic_list_modification_l0,
      from->n_ref_pic_list_modification_l0);
  copy_modifications (to, 1, from->ref_pic_list_modification_l1,
      from->n_ref_pic_list_modification_l1);
  copy_markings (to, &from->dec_ref_pic_marking);
}

static gboolean
read_slice (GstH264Headers * h, GstH264NalUnit * nalu)
{
  if (gst_h264_parser_parse_slice_hdr (h->parser, nalu, &h->parsed, TRUE,
          TRUE) != GST_H264_PARSER_OK)
    return FALSE;
  if (h->bad_pps[h->parsed.pps->id]
      || h->bad_sps >> h->parsed.pps->sequence->id & 1)
    return FALSE;
  if (h->parsed.redundant_pic_cnt > 0)
    return TRUE;
  copy_sps (&h->sps, h->parsed.pps->sequence);
  copy_slice (&h->slice, &h->parsed, nalu);
  if (!h->has_slice)
    h264_model_begin (&h->model, h->delimited);
  h->has_slice = TRUE;
  h264_model_slice (&h->model, &h->sps, &h->slice);
  return TRUE;
}

/* Reads a byte of an RBSP, and skips emulation prevention bytes (7.3.1).
 * Returns FALSE at its end. */
static gboolean
read_byte (const guint8 ** data, const guint8 * end, guint * zeros,
    guint8 * byte)
{
  if (*zeros >= 2 && *data < end && **data == 3) {
    (*data)++;
    *zeros = 0;
  }
  if (*data >= end)
    return FALSE;
  *byte = *(*data)++;
  *zeros = *byte == 0 ? *zeros + 1 : 0;
  return TRUE;
}

/* Reads a payloadType or payloadSize (7.3.2.3.1). */
static gboolean
read_number (const guint8 ** data, const guint8 * end, guint * zeros,
    guint * number)
{
  guint8 byte;

  *number = 0;
  do {
    if (!read_byte (data, end, zeros, &byte))
      return FALSE;
    *number += byte;
  } while (byte == 255);
  return TRUE;
}

/* True if an SEI NAL unit says that pictures are correct from this one on:
 * a first bit of 1 is a recovery_frame_cnt of 0 (D.1.8). It does not use
 * the parser, which allocates memory for each message. */
static gboolean
is_recovery_point (const guint8 * data, const guint8 * end)
{
  guint zeros = 0, type, size;
  guint8 byte = 0;

  while (read_number (&data, end, &zeros, &type)
      && read_number (&data, end, &zeros, &size)) {
    for (guint i = 0; i < size; i++) {
      if (!read_byte (&data, end, &zeros, &byte))
        return FALSE;
      if (i == 0 && type == RECOVERY_POINT && (byte & 0x80))
        return TRUE;
    }
  }
  return FALSE;
}

static void
forget_parameter_sets (GstH264Headers * h)
{
  gst_h264_nal_parser_free (h->parser);
  h->parser = gst_h264_nal_parser_new ();
  h->bad_sps = 0;
  memset (h->bad_pps, 0, sizeof h->bad_pps);
}

/* Returns a ue(v) of at most 17 bits, or G_MAXUINT if it cannot be read. */
static guint
read_id (const guint8 * data, const guint8 * end)
{
  guint32 bits = 0;
  guint zeros;

  for (guint i = 0; i < 4; i++)
    bits = bits << 8 | (data + i < end ? data[i] : 0);
  zeros = 32 - g_bit_storage (bits);
  return zeros > 8 ? G_MAXUINT : (bits >> (31 - 2 * zeros)) - 1;
}

/* Reads an SPS. If that fails, notes its id, so that no slice is read with
 * an older SPS of the same id. An unreadable SPS that no slice uses does
 * no harm. */
static void
read_sps (GstH264Headers * h, GstH264NalUnit * nalu)
{
  const guint8 *nal = nalu->data + nalu->offset;
  guint id = read_id (nal + 4, nal + nalu->size);
  GstH264SPS sps;

  if (gst_h264_parser_parse_sps (h->parser, nalu, &sps) == GST_H264_PARSER_OK) {
    h->bad_sps &= ~(1u << sps.id);
    gst_h264_sps_clear (&sps);
  } else if (id < GST_H264_MAX_SPS_COUNT) {
    h->bad_sps |= 1u << id;
  } else {
    forget_parameter_sets (h);
  }
}

static void
read_pps (GstH264Headers * h, GstH264NalUnit * nalu)
{
  const guint8 *nal = nalu->data + nalu->offset;
  guint id = read_id (nal + 1, nal + nalu->size);
  GstH264PPS pps;

  if (gst_h264_parser_parse_pps (h->parser, nalu, &pps) == GST_H264_PARSER_OK) {
    h->bad_pps[pps.id] = FALSE;
    gst_h264_pps_clear (&pps);
  } else if (id < GST_H264_MAX_PPS_COUNT) {
    h->bad_pps[id] = TRUE;
  } else {
    forget_parameter_sets (h);
  }
}

/* Reads a NAL unit. Returns FALSE if it is a slice that cannot be read. */
static gboolean
read_nal (GstH264Headers * h, GstH264NalUnit * nalu)
{
  const guint8 *nal = nalu->data + nalu->offset;

  switch (nalu->type) {
    case GST_H264_NAL_SLICE:
    case GST_H264_NAL_SLICE_DPA:
    case GST_H264_NAL_SLICE_IDR:
      return read_slice (h, nalu);
    case GST_H264_NAL_SPS:
      read_sps (h, nalu);
      gst_h264_sets_note (&h->sets, nal, nalu->size);
      break;
    case GST_H264_NAL_PPS:
      read_pps (h, nalu);
      gst_h264_sets_note (&h->sets, nal, nalu->size);
      break;
    case GST_H264_NAL_SEI:
      h->recovery |= is_recovery_point (nal + 1, nal + nalu->size);
      break;
    case GST_H264_NAL_PREFIX_UNIT:
      /* This is nal_unit_header_svc_extension (G.7.3.1.1). */
      if (nalu->size >= 4 && (nal[1] & 0x80))
        h->layer = nal[3] >> 5;
      break;
    default:
      break;
  }
  if (nalu->type >= GST_H264_NAL_SEI && nalu->type <= GST_H264_NAL_AU_DELIMITER)
    h->delimited = TRUE;
  return TRUE;
}

static void
note_unit (GstH264Headers * h, const GstH264NalUnit * nalu, gsize offset,
    gsize size)
{
  GstH26xUnit unit = {.offset = offset,.size = size };

  switch (nalu->type) {
    case GST_H264_NAL_AU_DELIMITER:
      unit.kind = GST_H26X_UNIT_DELIMITER;
      break;
    case GST_H264_NAL_FILLER_DATA:
      unit.kind = GST_H26X_UNIT_FILLER;
      break;
    case GST_H264_NAL_SPS:
    case GST_H264_NAL_PPS:
    case GST_H264_NAL_SPS_EXT:
    case GST_H264_NAL_SUBSET_SPS:
      unit.kind = GST_H26X_UNIT_PARAMETERS;
      break;
    default:
      return;
  }
  g_array_append_val (h->units, unit);
}

/* Returns where the NAL unit at `offset` ends, or 0 if it cannot be read. */
static gsize
identify (GstH264Headers * h, const guint8 * data, gsize size, gsize offset,
    GstH264NalUnit * nalu)
{
  gsize next;

  if (h->length_size > 0) {
    if (gst_h264_parser_identify_nalu_avc (h->parser, data, offset, size,
            h->length_size, nalu) != GST_H264_PARSER_OK)
      return 0;
    return nalu->offset + nalu->size;
  }
  /* Scan only once here, because the parser's own scan is slow. */
  next = start_code_find (data, size, offset + 3);
  if (gst_h264_parser_identify_nalu_unchecked (h->parser, data, offset, next,
          nalu) != GST_H264_PARSER_OK)
    return 0;
  nalu->size = next - nalu->offset;
  while (nalu->size > 1 && data[nalu->offset + nalu->size - 1] == 0)
    nalu->size--;
  return next;
}

static void
read_nals (GstH264Headers * h, const guint8 * data, gsize size)
{
  gsize offset = 0, next;
  GstH264NalUnit nalu;

  if (h->length_size == 0)
    offset = start_code_find (data, size, 0);
  for (; offset < size; offset = next) {
    next = identify (h, data, size, offset, &nalu);
    if (next <= offset) {
      h->unreadable = TRUE;
      return;
    }
    note_unit (h, &nalu, offset, next - offset);
    if (!read_nal (h, &nalu))
      h->unreadable = TRUE;
  }
}

const H26xPicture *
gst_h264_headers_read (GstH264Headers * h, const guint8 * data, gsize size)
{
  h->unreadable = h->has_slice = h->recovery = FALSE;
  h->delimited = h->length_size > 0;
  h->layer = 0;
  g_array_set_size (h->units, 0);
  if (size <= G_MAXUINT32)
    read_nals (h, data, size);
  else
    h->unreadable = TRUE;
  if (!h->has_slice)
    h264_model_begin (&h->model, h->delimited);
  if (h->unreadable) {
    h->n_unreadable++;
    h264_model_unreadable (&h->model);
  }
  return h264_model_end (&h->model, h->recovery, h->layer);
}

H264Verdict
gst_h264_headers_get_verdict (const GstH264Headers * h)
{
  return h264_model_verdict (&h->model);
}

gboolean
gst_h264_headers_decodes (const GstH264Headers * h, gboolean allow_gaps)
{
  H264Verdict verdict = gst_h264_headers_get_verdict (h);

  return verdict == H264_DECODES
      || (allow_gaps && verdict == H264_DECODES_WITH_GAPS);
}

void
gst_h264_headers_passed (GstH264Headers * h)
{
  h264_model_passed (&h->model);
}

gboolean
gst_h264_headers_has_gaps (const GstH264Headers * h)
{
  return h->model.sps.gaps_allowed;
}

const GstH264Sets *
gst_h264_headers_get_sets (const GstH264Headers * h)
{
  return &h->sets;
}

const GstH26xUnit *
gst_h264_headers_get_units (const GstH264Headers * h, guint * n_units)
{
  *n_units = h->units->len;
  return (const GstH26xUnit *) h->units->data;
}

guint64
gst_h264_headers_get_n_unreadable (const GstH264Headers * h)
{
  return h->n_unreadable;
}

/* Reads avcC (14496-15, 5.3.3.1). */
static gboolean
read_codec_data (gpointer headers, const guint8 * data, gsize size)
{
  GstH264Headers *h = headers;
  gsize offset = 5;
  GstH264NalUnit nalu;

  if (size < 7 || data[0] != 1)
    return FALSE;
  h->length_size = (data[4] & 3) + 1;
  gst_h264_sets_init (&h->sets, h->length_size);
  for (guint set = 0; set < 2; set++) {
    guint n;

    if (offset >= size)
      return FALSE;
    n = set == 0 ? data[offset] & 0x1f : data[offset];
    offset++;
    for (; n > 0; n--) {
      if (gst_h264_parser_identify_nalu_avc (h->parser, data, offset, size, 2,
              &nalu) != GST_H264_PARSER_OK)
        return FALSE;
      offset = nalu.offset + nalu.size;
      read_nal (h, &nalu);
    }
  }
  return TRUE;
}

gboolean
gst_h264_headers_set_caps (GstH264Headers * h, const GstCaps * caps)
{
  gst_h264_headers_reset (h);
  forget_parameter_sets (h);
  gst_h264_sets_init (&h->sets, 0);
  h->length_size = 0;
  return gst_h26x_caps_read (caps, "video/x-h264", read_codec_data, h);
}
