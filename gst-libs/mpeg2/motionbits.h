/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What vectors cost.
 */
#ifndef MPEG2_MOTIONBITS_H
#define MPEG2_MOTIONBITS_H

#include <mpeg2/macroblock.h>
#include <mpeg2/vlc.h>

/* Returns the bits of vectors in one direction (clause 6.2.5.2; s: 0 forward, 1
 * backward) with those predictors, in the shortest codes. The motion type says
 * how many there are. */
unsigned m2v_motion_bits (const M2vPictureParams * p, const M2vVlc * vlc,
    const M2vPrediction * at, unsigned motion, unsigned s,
    const M2vVector * vectors);

#endif
