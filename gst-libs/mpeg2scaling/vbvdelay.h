/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Takes back what picture headers say of a constant rate: vbv_delay becomes
 * 0xFFFF (13818-2 clause 6.3.9, 11172-2 clause 2.4.3.4). All pictures of a
 * sequence have that or none, so that it is for those that pass untouched, too.
 */
#ifndef MPEG2SCALING_VBVDELAY_H
#define MPEG2SCALING_VBVDELAY_H

#include <mpeg2scaling/decision.h>

/* Of a picture_header, up to the end of vbv_delay (13818-2 clause 6.2.3). */
#define M2V_VBV_HEADER_SIZE 8

typedef struct
{
  uint8_t headers[2][M2V_VBV_HEADER_SIZE];
} M2vVbvDelay;

/* Once a frame, data[i] the span of picture i: exchanges headers that say
 * otherwise for some of v's, valid until the next call. */
void m2v_vbv_delay_remove (M2vVbvDelay * v, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

#endif
