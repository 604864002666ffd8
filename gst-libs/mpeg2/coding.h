/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The fields of picture_coding_extension from f_code to composite_display_flag
 * (13818-2 clause 6.2.3.1). RFC 2250's header extension has them too, in the
 * same order.
 */
#ifndef MPEG2_CODING_H
#define MPEG2_CODING_H

#include <mpeg2/bitreader.h>
#include <mpeg2/bitwriter.h>
#include <mpeg2/headers.h>

/* Reads all fields except composite_display_info, whose place differs. */
void m2v_read_coding (M2vBitReader * r, M2vPictureCoding * coding);

void m2v_write_coding (M2vBitWriter * w, const M2vPictureCoding * coding);

#endif
