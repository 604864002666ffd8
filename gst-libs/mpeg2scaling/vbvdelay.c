/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2scaling/vbvdelay.h>

#include <string.h>

#include <mpeg2/patch.h>

void
m2v_vbv_delay_remove (M2vVbvDelay * v, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision)
{
  if (!frame->valid)
    return;
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    const M2vPicture *picture = &frame->pictures[i];
    const M2vRange range = { picture->headers.offset, M2V_VBV_HEADER_SIZE };

    if (picture->header.vbv_delay == M2V_VBV_DELAY_VARIABLE
        || picture->headers.size < M2V_VBV_HEADER_SIZE)
      continue;
    memcpy (v->headers[i], data[i] + range.offset, range.size);
    if (m2v_patch_vbv_delay (v->headers[i], range.size, M2V_VBV_DELAY_VARIABLE))
      m2v_decision_exchange (decision, i, &range, v->headers[i], range.size);
  }
}
