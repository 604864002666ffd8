/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the decoded picture buffer's parts need of each other.
 */
#ifndef H26X_H264DPB_PRIVATE_H
#define H26X_H264DPB_PRIVATE_H

#include <h26x/h264dpb.h>

/* 8.2.1: of the current coded picture; false: beyond what 8.2.1 allows. */
bool h264_dpb_derive_order (H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice);

/* The short-term or long-term reference of that PicNum or LongTermPicNum for a
 * coded picture of this structure, 8.2.4.1; fields 0: none. */
H264Reference h264_dpb_find (const H264Dpb * dpb, unsigned structure,
    bool long_term, int64_t number);

#endif
