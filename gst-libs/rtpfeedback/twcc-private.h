/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What reading (twcc.c) and writing (twccwriter.c) of transport-wide feedback
 * share. Sections are of draft-holmer-rmcat-transport-wide-cc-extensions-01.
 */
#ifndef RTPFEEDBACK_TWCC_PRIVATE_H
#define RTPFEEDBACK_TWCC_PRIVATE_H

#include <rtpfeedback/twcc.h>

/* ns; unit of deltas (section 3.1.5). */
#define PSP_TWCC_DELTA_UNIT (250 * PSP_USECOND)
/* Deltas' units in a unit of the reference time, which is 64 ms (section
 * 3.1). */
#define PSP_TWCC_REFERENCE_TICKS 256

/* A packet's symbol (section 3.1.1). The value is also the size of the
 * packet's delta in bytes. */
enum
{
  PSP_TWCC_NOT_RECEIVED,
  PSP_TWCC_SMALL_DELTA,
  PSP_TWCC_LARGE_DELTA,
  PSP_TWCC_RESERVED
};

/* Bit of a chunk that is a vector (section 3.1.4); else it is a run (section
 * 3.1.3). */
#define PSP_TWCC_IS_VECTOR 0x8000
/* Bit of a vector whose symbols have two bits; else they have one. */
#define PSP_TWCC_IS_TWO_BIT 0x4000
/* Bits of symbols in a vector (section 3.1.4). */
#define PSP_TWCC_VECTOR_BITS 14
/* Place of the symbol in a run (section 3.1.3). */
#define PSP_TWCC_RUN_SYMBOL_SHIFT 13

#endif
