/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Changes sequence parameter sets to signal that frame_num may have gaps, as
 * it has if references are left out.
 */
#ifndef H26X_H264GAPS_H
#define H26X_H264GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets gaps_in_frame_num_value_allowed_flag (7.3.2.1.1) in a NAL unit of
 * type 7, which begins with its header. It changes one bit. It returns
 * false and changes nothing if the NAL unit cannot be read or the bit
 * cannot be set. */
bool h264_sps_allow_gaps (uint8_t * nal, size_t size);

#endif
