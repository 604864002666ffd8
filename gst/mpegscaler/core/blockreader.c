/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Blocks (clauses 6.2.6, 7.2): nearly all bits of a stream pass here.
 */
#include "blockreader.h"

#define RUN_BITS 6
#define LEVEL_BITS 12
#define LEVEL_FORBIDDEN (-2048)

/* MPEG-1's level: 8 bits, two values of which announce 8 more (11172-2 table
 * 2-B.5g). */
#define SHORT_LEVEL_BITS 8
#define MIN_LONG_LEVEL 128
#define MAX_LONG_LEVEL 255

/* The most that one coefficient takes: run, level, and the escape before. */
#define MAX_COEFFICIENT_BITS (6 + RUN_BITS + 2 * SHORT_LEVEL_BITS)

static bool
has_code (const ScalerVlc * vlc, unsigned table, unsigned run, int level)
{
  unsigned magnitude = (unsigned) (level < 0 ? -level : level);

  return run <= SCALER_MAX_RUN && magnitude <= SCALER_MAX_LEVEL
      && vlc->level_codes[table][SCALER_LEVEL_INDEX (run,
          magnitude)].length > 0;
}

/* The level after an escape; 0: forbidden. */
static int
read_long_level (ScalerBitReader * b, bool mpeg2, ScalerForm * form)
{
  int level;

  if (mpeg2) {
    level = (int) scaler_bits_get (b, LEVEL_BITS);
    if (level >= 1 << (LEVEL_BITS - 1))
      level -= 1 << LEVEL_BITS;
    return level == LEVEL_FORBIDDEN ? 0 : level;
  }
  level = (int8_t) scaler_bits_get (b, SHORT_LEVEL_BITS);
  if (level != 0 && level != -MIN_LONG_LEVEL)
    return level;
  level = 2 * level + (int) scaler_bits_get (b, SHORT_LEVEL_BITS);
  if (level > -MIN_LONG_LEVEL && level < MIN_LONG_LEVEL)
    *form = SCALER_FORM_LONG_ESCAPE;
  return level < -MAX_LONG_LEVEL ? 0 : level;
}

/* Behind an escape. Returns the run, SCALER_RUN_INVALID where it is damaged. */
static unsigned
read_escape (const ScalerSliceReader * r, ScalerBitReader * b, unsigned table,
    ScalerCoefficient * c)
{
  unsigned run = scaler_bits_get (b, RUN_BITS);
  ScalerForm form = SCALER_FORM_SHORTEST;
  int level = read_long_level (b, r->picture->mpeg2, &form);

  if (form == SCALER_FORM_SHORTEST && has_code (r->vlc, table, run, level))
    form = SCALER_FORM_ESCAPE;
  c->level = (int16_t) level;
  c->form = (uint8_t) form;
  return level == 0 ? SCALER_RUN_INVALID : run;
}

/* All coefficients from `position` on, with end of block; the first one's code
 * is in `first`. Returns how many there are, -1 where they are damaged. */
static inline int
read_coefficients (ScalerSliceReader * r, unsigned table,
    const ScalerRunLevelLookup * first, unsigned position,
    ScalerCoefficient * coefficients)
{
  const ScalerRunLevelLookup *const long_levels = r->vlc->long_levels[table];
  const ScalerRunLevelLookup *short_levels = first;
  /* A copy: the compiler cannot know that no coefficient is stored there. */
  ScalerBitReader b = r->bits;
  int n = 0;

  for (;;) {
    ScalerCoefficient c = { 0, 0, SCALER_FORM_SHORTEST };
    ScalerRunLevelLookup found;

    if (b.n_cached < MAX_COEFFICIENT_BITS)
      scaler_bits_fill (&b);
    found = short_levels[scaler_bits_peek (&b, SCALER_SHORT_BITS)];
    short_levels = r->vlc->short_levels[table];
    if (found.run == SCALER_RUN_INVALID) {
      uint32_t code = scaler_bits_peek (&b, SCALER_LONG_BITS);

      if (code >= 1u << (SCALER_LONG_BITS - SCALER_LONG_ZEROS))
        return -1;
      found = long_levels[code];
    }
    scaler_bits_skip (&b, found.length & ~SCALER_LENGTH_LAST);
    c.level = found.level;
    position += found.run;
    if (position > 63) {
      if (found.run == SCALER_RUN_END)
        break;
      if (found.run != SCALER_RUN_ESCAPE)
        return -1;
      position -= SCALER_RUN_ESCAPE;
      position += read_escape (r, &b, table, &c);
      if (position > 63)
        return -1;
    }
    c.position = (uint8_t) position++;
    coefficients[n++] = c;
    if (found.length & SCALER_LENGTH_LAST)
      break;
  }
  r->bits = b;
  return n;
}

/* dct_dc_size and dct_dc_differential (clause 7.2.1). */
static bool
read_dc (ScalerSliceReader * r, unsigned component, int16_t * dc)
{
  const ScalerLookup *size;
  int difference = 0;

  scaler_bits_fill (&r->bits);
  size = &r->vlc->dc_sizes[component > 0][scaler_bits_peek (&r->bits,
          SCALER_DC_BITS)];
  if (size->length == 0)
    return false;
  scaler_bits_skip (&r->bits, size->length);
  if (size->value > 0) {
    difference = (int) scaler_bits_get (&r->bits, (unsigned) size->value);
    if (difference < 1 << (size->value - 1))
      difference -= (1 << size->value) - 1;
  }
  *dc = (int16_t) (*dc + difference);
  return *dc >= 0 && *dc < 256 << r->picture->intra_dc_precision;
}

static bool
read_intra_blocks (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  unsigned table = r->picture->intra_vlc_format;
  int16_t dc[3];

  memcpy (dc, r->prediction.dc, sizeof dc);
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    unsigned component = scaler_block_component (i);
    int n;

    if (!read_dc (r, component, &dc[component]))
      return false;
    mb->dc[i] = dc[component];
    n = read_coefficients (r, table, r->vlc->short_levels[table], 1,
        mb->coefficients[i]);
    if (n < 0)
      return false;
    mb->n_coefficients[i] = (uint8_t) n;
  }
  return true;
}

bool
scaler_read_blocks (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  memset (mb->n_coefficients, 0, sizeof mb->n_coefficients);
  if (mb->type & SCALER_INTRA)
    return read_intra_blocks (r, mb);
  for (unsigned coded = mb->pattern; coded != 0; coded &= coded - 1) {
    unsigned i = (unsigned) __builtin_ctz (coded);
    int n = read_coefficients (r, 0, r->vlc->first_levels, 0,
        mb->coefficients[i]);

    if (n < 0)
      return false;
    mb->n_coefficients[i] = (uint8_t) n;
  }
  return true;
}
