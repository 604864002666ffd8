/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A small writer of H.264's headers, as byte-streams: streams of any reference
 * structure, which no encoder makes. Slices have no macroblocks that anyone could
 * decode.
 */
#ifndef TEST_H264_WRITER_H
#define TEST_H264_WRITER_H

#include <glib.h>
#include <h26x/h264.h>

/* What h264.h leaves out. */
typedef struct
{
  H264Sps sps;
  guint id;                     /* 0..31 */
  guint level;                  /* level_idc */
  gboolean interlaced;          /* pictures may be fields */
} TestH264Sps;

/* Each appends a NAL unit with its start code. */
void test_h264_write_sps (GByteArray * out, const TestH264Sps * sps);
/* bottom: the slices of frames have delta_pic_order_cnt_bottom, or
 * delta_pic_order_cnt[1]. */
void test_h264_write_pps (GByteArray * out, guint id, guint sps_id,
    gboolean bottom);
/* `payload` octets stand for the macroblocks. */
void test_h264_write_slice (GByteArray * out, const TestH264Sps * sps,
    guint pps_id, gboolean bottom, const H264Slice * slice, guint first_mb,
    gsize payload);
/* A prefix NAL unit: the temporal layer of the slice that comes next. */
void test_h264_write_prefix (GByteArray * out, guint layer, gboolean reference);
/* An SEI message: decoding can begin with the picture, and all is right from it on. */
void test_h264_write_recovery (GByteArray * out);
/* Of any type, with `size` octets of 0xff behind its header. */
void test_h264_write_unit (GByteArray * out, guint type, gsize size);

/* The same NAL units with lengths of 4 octets, as in avc and avc3. */
GByteArray *test_h264_to_avc (const GByteArray * bytes);
/* avcC with the parameter sets of a byte-stream. */
GByteArray *test_h264_codec_data (const GByteArray * bytes);

#endif
