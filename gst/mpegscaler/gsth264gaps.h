/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * H.264's parameter sets: those that are in force, and SPS that leave with
 * gaps_in_frame_num_value_allowed_flag (7.4.2.1.1) set.
 */
#ifndef __GST_H264_GAPS_H__
#define __GST_H264_GAPS_H__

#include "gsth26xunit.h"

G_BEGIN_DECLS

/* Parameter sets are kept up to so many bytes; streams need far less. */
#define GST_H264_SETS_MAX_SIZE (64 * 1024)

/* The last one of each kind and id, as GBytes: a start code, or a length, and the
 * NAL unit. */
typedef struct
{
  GPtrArray *sets;
  guint length_size;            /* 0: start codes */
  gboolean incomplete;          /* some were too large */
} GstH264Sets;

/* All zeros before. */
void gst_h264_sets_init (GstH264Sets * s, guint length_size);
void gst_h264_sets_clear (GstH264Sets * s);

/* A NAL unit, which begins with its header: no SPS or PPS is ignored. */
void gst_h264_sets_note (GstH264Sets * s, const guint8 * nal, gsize size);

/* Whether there is an SPS, and the flag can be set in each. */
gboolean gst_h264_sets_can_allow_gaps (const GstH264Sets * s);

/* Those with SPS first, as a list to be carried (gstmpegscalerh26xbuffer.h). */
void gst_h264_sets_append (const GstH264Sets * s, GPtrArray * carried);

/* A copy with the flag in each SPS where it can be set: of a parameter set as
 * they are kept here, and of the codec_data in caps. */
GBytes *gst_h264_allow_gaps_in_set (GBytes * set, guint length_size);
GstCaps *gst_h264_allow_gaps_in_caps (const GstCaps * caps);

/* The same of an access unit; takes the buffer, and shares all else with it. */
GstBuffer *gst_h264_allow_gaps_in_buffer (GstBuffer * buffer,
    const GstH26xUnit * units, guint n_units, guint length_size);

G_END_DECLS

#endif
