/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Functions that the parts of the decoded picture buffer share.
 */
#ifndef H26X_H264DPB_PRIVATE_H
#define H26X_H264DPB_PRIVATE_H

#include <h26x/h264dpb.h>

/* Derives the picture order count of the current coded picture (8.2.1).
 * False if it is beyond what 8.2.1 allows. */
bool h264_dpb_derive_order (H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice);

/* Returns the short-term or long-term reference with that PicNum or
 * LongTermPicNum for a coded picture of this structure (8.2.4.1); fields 0
 * = there is none. */
H264Reference h264_dpb_find (const H264Dpb * dpb, unsigned structure,
    bool long_term, int64_t number);

#endif
