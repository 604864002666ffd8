/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Variable length codes (13818-2 annex B): the tables as lists, and the lookup
 * tables that are made of them once for reading and writing.
 */
#ifndef MPEG2_VLC_H
#define MPEG2_VLC_H

#include <mpeg2/addressincrement.h>

/* For functions that read or write codes through a copy of their caller's bit
 * reader or writer. Inlined, the copy has no address, and the compiler keeps it
 * in registers from code to code. */
#define M2V_INLINE static inline __attribute__ ((always_inline))

/* A code and its value. */
typedef struct
{
  uint16_t code;                /* the lowest `length` bits */
  uint8_t length;
  int8_t value;
} M2vCode;

/* A coefficient's code without its sign. */
typedef struct
{
  uint8_t code;
  uint8_t length;
  uint8_t run;
  uint8_t level;
} M2vRunLevel;

/* A list of codes with its length. */
typedef struct
{
  const M2vCode *codes;
  unsigned n;
} M2vCodeList;

typedef enum
{
  M2V_CODES_TYPE_I,          /* table B.2: M2V_INTRA... */
  M2V_CODES_TYPE_P,          /* table B.3: M2V_INTRA... */
  M2V_CODES_TYPE_B,          /* table B.4: M2V_INTRA... */
  M2V_CODES_PATTERN,         /* table B.9: cbp */
  M2V_CODES_MOTION,          /* table B.10: motion_code, sign included */
  M2V_CODES_DMVECTOR,        /* table B.11: dmvector */
  M2V_CODES_DC_LUMINANCE,    /* table B.12: dct_dc_size */
  M2V_CODES_DC_CHROMINANCE,  /* table B.13: dct_dc_size */
  M2V_N_CODES
} M2vCodes;

extern const M2vCodeList m2v_codes[M2V_N_CODES];

/* Number of codes of a table without end of block and escape. */
#define M2V_N_RUN_LEVELS 111
/* Tables zero (B.14) and one (B.15), without end of block and escape. */
extern const M2vRunLevel m2v_run_levels[2][M2V_N_RUN_LEVELS];
extern const M2vVlcCode m2v_end_of_block[2];
extern const M2vVlcCode m2v_escape;

/* MPEG-1's macroblock_stuffing (11172-2 table 2-B.1). */
extern const M2vVlcCode m2v_stuffing;

#define M2V_ADDRESS_BITS 11     /* longest code of an address increment */
#define M2V_TYPE_BITS 6         /* longest code of macroblock_type */
#define M2V_PATTERN_BITS 9      /* longest code of coded_block_pattern */
#define M2V_MOTION_BITS 11      /* longest code of motion_code */
#define M2V_DMVECTOR_BITS 2     /* longest code of dmvector */
#define M2V_DC_BITS 10          /* longest code of dct_dc_size */
#define M2V_MAX_DC_SIZE 11      /* largest dct_dc_size */
#define M2V_MAX_MOTION_CODE 16  /* largest motion_code */

#define M2V_MAX_LEVEL 40        /* largest level that has a code */
#define M2V_MAX_RUN 31          /* longest run that has a code */

/* Number of entries of level_codes. */
#define M2V_LEVEL_CODES (32 * 64)
/* Index into level_codes of a run of up to M2V_MAX_RUN with a level's magnitude
 * below 64. */
#define M2V_LEVEL_INDEX(run, magnitude) ((run) * 64 + (magnitude))

/* Value of `increments` for an escape. */
#define M2V_INCREMENT_ESCAPE 34
/* Value of `increments` for stuffing. */
#define M2V_INCREMENT_STUFFING 35

typedef struct
{
  int8_t value;
  uint8_t length;               /* bits; 0 = there is no such code */
} M2vLookup;

/* A coefficient with its sign, or end of block, or escape. */
typedef struct
{
  int16_t level;                /* 0 = not a coefficient */
  uint8_t run;                  /* or M2V_RUN_... */
  uint8_t length;               /* bits; may have M2V_LENGTH_LAST */
} M2vRunLevelLookup;

/* Flag in a length that includes the end of block behind the coefficient. */
#define M2V_LENGTH_LAST 0x80

#define M2V_RUN_END 64          /* in place of a run: end of block */
#define M2V_RUN_ESCAPE 65       /* in place of a run: an escape */
#define M2V_RUN_INVALID 66      /* in place of a run: no code */

/* Number of bits that index the first table. */
#define M2V_SHORT_BITS 11
/* Number of zeros that longer codes begin with. Their other bits index the
 * second table. */
#define M2V_LONG_ZEROS 6
/* Number of bits of the longest code. */
#define M2V_LONG_BITS 17

/* All lookup tables, about 75 KiB. They are made once, then only read. */
typedef struct
{
  /* For reading. The next bits are the index. */
  M2vLookup increments[1 << M2V_ADDRESS_BITS];
  M2vLookup types[3][1 << M2V_TYPE_BITS]; /* I, P, B */
  M2vLookup patterns[1 << M2V_PATTERN_BITS];  /* bit i: block i */
  M2vLookup motions[1 << M2V_MOTION_BITS];
  M2vLookup dmvectors[1 << M2V_DMVECTOR_BITS];
  M2vLookup dc_sizes[2][1 << M2V_DC_BITS];
  M2vRunLevelLookup short_levels[2][1 << M2V_SHORT_BITS];
  /* Table B.14 for a block's first coefficient: there is no end of block, and
   * +-1 has another code. */
  M2vRunLevelLookup first_levels[1 << M2V_SHORT_BITS];
  M2vRunLevelLookup
      long_levels[2][1 << (M2V_LONG_BITS - M2V_LONG_ZEROS)];

  /* For writing. Length 0 = there is no code. */
  M2vVlcCode type_codes[3][32];    /* by M2V_INTRA... */
  M2vVlcCode pattern_codes[64];    /* by pattern; bit i: block i */
  /* by motion_code + M2V_MAX_MOTION_CODE */
  M2vVlcCode motion_codes[2 * M2V_MAX_MOTION_CODE + 1];
  M2vVlcCode dmvector_codes[3];    /* by dmvector + 1 */
  M2vCode dc_size_codes[2][M2V_MAX_DC_SIZE + 1];
  M2vVlcCode level_codes[2][M2V_LEVEL_CODES];
} M2vVlc;

void m2v_vlc_init (M2vVlc * vlc);

#endif
