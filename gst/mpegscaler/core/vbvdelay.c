/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "vbvdelay.h"

#include <string.h>

#include "patch.h"
#include "vbv.h"

void
scaler_vbv_delay_remove (ScalerVbvDelay * v, const MpegFrame * frame,
    const uint8_t * const data[2], ScalerDecision * decision)
{
  if (!frame->valid)
    return;
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    const MpegPicture *picture = &frame->pictures[i];
    const MpegRange range = { picture->headers.offset, SCALER_VBV_HEADER_SIZE };

    if (picture->header.vbv_delay == MPEG_VBV_DELAY_VARIABLE
        || picture->headers.size < SCALER_VBV_HEADER_SIZE)
      continue;
    memcpy (v->headers[i], data[i] + range.offset, range.size);
    if (mpeg_patch_vbv_delay (v->headers[i], range.size,
            MPEG_VBV_DELAY_VARIABLE))
      scaler_decision_exchange (decision, i, &range, v->headers[i], range.size);
  }
}
