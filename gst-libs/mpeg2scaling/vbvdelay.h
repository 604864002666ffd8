/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Removes the claim of a constant rate from picture headers: vbv_delay becomes
 * 0xFFFF (13818-2 clause 6.3.9, 11172-2 clause 2.4.3.4). Either all pictures
 * of a sequence have that or none, so pictures that pass untouched get it,
 * too.
 */
#ifndef MPEG2SCALING_VBVDELAY_H
#define MPEG2SCALING_VBVDELAY_H

#include <mpeg2scaling/decision.h>

/* Bytes of a picture_header up to the end of vbv_delay (13818-2 clause
 * 6.2.3). */
#define M2V_VBV_HEADER_SIZE 8

typedef struct
{
  uint8_t headers[2][M2V_VBV_HEADER_SIZE];
} M2vVbvDelay;

/* Exchanges headers with another vbv_delay for copies in v, which are
 * valid until the next call. Call it once a frame; data[i] is the span of
 * picture i. */
void m2v_vbv_delay_remove (M2vVbvDelay * v, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

#endif
