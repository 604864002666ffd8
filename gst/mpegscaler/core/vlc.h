/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Variable length codes (13818-2 annex B): the tables as lists, and what is
 * made of them once for reading and writing.
 */
#ifndef SCALER_VLC_H
#define SCALER_VLC_H

#include "addressincrement.h"

/* A code and what it stands for. */
typedef struct
{
  uint16_t code;                /* the lowest `length` bits */
  uint8_t length;
  int8_t value;
} ScalerCode;

/* A coefficient's code without its sign. */
typedef struct
{
  uint8_t code;
  uint8_t length;
  uint8_t run;
  uint8_t level;
} ScalerRunLevel;

/* The lists; each with its length. */
typedef struct
{
  const ScalerCode *codes;
  unsigned n;
} ScalerCodeList;

typedef enum
{
  SCALER_CODES_TYPE_I,          /* table B.2: SCALER_INTRA... */
  SCALER_CODES_TYPE_P,          /* B.3 */
  SCALER_CODES_TYPE_B,          /* B.4 */
  SCALER_CODES_PATTERN,         /* B.9: cbp */
  SCALER_CODES_MOTION,          /* B.10: motion_code, sign included */
  SCALER_CODES_DMVECTOR,        /* B.11 */
  SCALER_CODES_DC_LUMINANCE,    /* B.12: dct_dc_size */
  SCALER_CODES_DC_CHROMINANCE,  /* B.13 */
  SCALER_N_CODES
} ScalerCodes;

extern const ScalerCodeList scaler_codes[SCALER_N_CODES];

/* Tables zero (B.14) and one (B.15), without end of block and escape. */
#define SCALER_N_RUN_LEVELS 111
extern const ScalerRunLevel scaler_run_levels[2][SCALER_N_RUN_LEVELS];
extern const MpegVlc scaler_end_of_block[2];
extern const MpegVlc scaler_escape;

/* MPEG-1's macroblock_stuffing (11172-2 table 2-B.1). */
extern const MpegVlc scaler_stuffing;

/* Of the lists' codes. */
#define SCALER_ADDRESS_BITS 11
#define SCALER_TYPE_BITS 6
#define SCALER_PATTERN_BITS 9
#define SCALER_MOTION_BITS 11
#define SCALER_DMVECTOR_BITS 2
#define SCALER_DC_BITS 10
#define SCALER_MAX_DC_SIZE 11
#define SCALER_MAX_MOTION_CODE 16

/* Of the coefficients that have codes. */
#define SCALER_MAX_LEVEL 40
#define SCALER_MAX_RUN 31

/* Where level_codes has a run of up to SCALER_MAX_RUN with a level's magnitude
 * below 64. */
#define SCALER_LEVEL_CODES (32 * 64)
#define SCALER_LEVEL_INDEX(run, magnitude) ((run) * 64 + (magnitude))

/* Values of `increments` that are none. */
#define SCALER_INCREMENT_ESCAPE 34
#define SCALER_INCREMENT_STUFFING 35

typedef struct
{
  int8_t value;
  uint8_t length;               /* 0: there is no such code */
} ScalerLookup;

/* A coefficient with its sign, or end of block, or escape. */
typedef struct
{
  int16_t level;                /* 0: not a coefficient */
  uint8_t run;                  /* or SCALER_RUN_... */
  uint8_t length;
} ScalerRunLevelLookup;

/* Set in a length that has the end of block behind the coefficient in it. */
#define SCALER_LENGTH_LAST 0x80

#define SCALER_RUN_END 64
#define SCALER_RUN_ESCAPE 65
#define SCALER_RUN_INVALID 66

/* Codes longer than the first table's index begin with so many zeros; the rest
 * of them indexes the second. */
#define SCALER_SHORT_BITS 11
#define SCALER_LONG_ZEROS 6
#define SCALER_LONG_BITS 17

/* All lookup tables, about 75 KiB: made once, then read only. */
typedef struct
{
  /* For reading: the entry at the next so many bits. */
  ScalerLookup increments[1 << SCALER_ADDRESS_BITS];
  ScalerLookup types[3][1 << SCALER_TYPE_BITS]; /* I, P, B */
  ScalerLookup patterns[1 << SCALER_PATTERN_BITS];
  ScalerLookup motions[1 << SCALER_MOTION_BITS];
  ScalerLookup dmvectors[1 << SCALER_DMVECTOR_BITS];
  ScalerLookup dc_sizes[2][1 << SCALER_DC_BITS];
  ScalerRunLevelLookup short_levels[2][1 << SCALER_SHORT_BITS];
  /* Table B.14 for a block's first coefficient: no end, another code for +-1. */
  ScalerRunLevelLookup first_levels[1 << SCALER_SHORT_BITS];
  ScalerRunLevelLookup
      long_levels[2][1 << (SCALER_LONG_BITS - SCALER_LONG_ZEROS)];

  /* For writing: length 0 where there is no code. */
  MpegVlc type_codes[3][32];    /* by SCALER_INTRA... */
  MpegVlc pattern_codes[64];    /* by cbp */
  /* By motion_code + SCALER_MAX_MOTION_CODE. */
  MpegVlc motion_codes[2 * SCALER_MAX_MOTION_CODE + 1];
  MpegVlc dmvector_codes[3];    /* by dmvector + 1 */
  ScalerCode dc_size_codes[2][SCALER_MAX_DC_SIZE + 1];
  MpegVlc level_codes[2][SCALER_LEVEL_CODES];
} ScalerVlc;

void scaler_vlc_init (ScalerVlc * vlc);

#endif
