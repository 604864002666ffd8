/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The fields of picture_coding_extension from f_code to composite_display_flag
 * (13818-2 clause 6.2.3.1). RFC 2250's header extension has them too, in the
 * same order.
 */
#ifndef MPEG_CODING_H
#define MPEG_CODING_H

#include "bitreader.h"
#include "bitwriter.h"
#include "headers.h"

/* Leaves composite_display_info, which stands elsewhere in either. */
void mpeg_read_coding (MpegBitReader * r, MpegPictureCoding * coding);

void mpeg_write_coding (MpegBitWriter * w, const MpegPictureCoding * coding);

#endif
