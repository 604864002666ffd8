/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Keeps H.264's parameter sets in force, and sets
 * gaps_in_frame_num_value_allowed_flag (7.4.2.1.1) in SPS that leave.
 */
#ifndef __GST_H264_GAPS_H__
#define __GST_H264_GAPS_H__

#include "gsth26xunit.h"

G_BEGIN_DECLS

/* The most bytes of parameter sets that are kept; streams need far fewer. */
#define GST_H264_SETS_MAX_SIZE (64 * 1024)

/* The last parameter set of each kind and id, as GBytes: a start code or a
 * length, and the NAL unit. */
typedef struct
{
  GPtrArray *sets;
  guint length_size;            /* bytes of a length; 0 = start codes */
  gboolean incomplete;          /* some sets were too large to keep */
} GstH264Sets;

/* Begins without sets. Before the first call `s` must be all zeros. */
void gst_h264_sets_init (GstH264Sets * s, guint length_size);
void gst_h264_sets_clear (GstH264Sets * s);

/* Keeps a NAL unit, which begins with its header, if it is an SPS or PPS. */
void gst_h264_sets_note (GstH264Sets * s, const guint8 * nal, gsize size);

/* True if there is an SPS, and the flag can be set in each SPS. */
gboolean gst_h264_sets_can_allow_gaps (const GstH264Sets * s);

/* Appends the sets, SPS first, to a list of carried sets
 * (gstmpegscalerh26xbuffer.h). */
void gst_h264_sets_append (const GstH264Sets * s, GPtrArray * carried);

/* Returns a copy of a parameter set as GstH264Sets keeps it. In an SPS the
 * flag is set if it can be. */
GBytes *gst_h264_allow_gaps_in_set (GBytes * set, guint length_size);
/* Returns a copy of the caps. In each SPS of codec_data the flag is set if it
 * can be. */
GstCaps *gst_h264_allow_gaps_in_caps (const GstCaps * caps);

/* Sets the flag likewise in an access unit. Takes the buffer, and returns
 * it, or one that shares all other bytes with it. */
GstBuffer *gst_h264_allow_gaps_in_buffer (GstBuffer * buffer,
    const GstH26xUnit * units, guint n_units, guint length_size);

G_END_DECLS

#endif
