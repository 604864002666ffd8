/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Sequence parameter sets that say that frame_num may have gaps, as it has where
 * references were left out.
 */
#ifndef H26X_H264GAPS_H
#define H26X_H264GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets gaps_in_frame_num_value_allowed_flag (7.3.2.1.1) in a NAL unit, which
 * begins with its header and is of type 7. It changes one bit. False, and nothing
 * is changed: it cannot be read, or the bit stands where it cannot be set. */
bool h264_sps_allow_gaps (uint8_t * nal, size_t size);

#endif
