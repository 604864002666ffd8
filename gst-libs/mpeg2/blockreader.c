/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads blocks (clauses 6.2.6, 7.2), which are nearly all bits of a stream.
 */
#include <mpeg2/blockreader.h>

/* The only level of M2V_LEVEL_BITS that is forbidden. */
#define LEVEL_FORBIDDEN (-2048)

/* Smallest magnitude of a level of MPEG-1 that needs 8 more bits. */
#define MIN_LONG_LEVEL (M2V_MPEG1_MAX_SHORT_LEVEL + 1)

/* Largest number of bits of one coefficient: escape, run and level. */
#define MAX_COEFFICIENT_BITS (6 + M2V_RUN_BITS + 2 * M2V_MPEG1_LEVEL_BITS)

static bool
has_code (const M2vVlc * vlc, unsigned table, unsigned run, int level)
{
  unsigned magnitude = (unsigned) (level < 0 ? -level : level);

  return run <= M2V_MAX_RUN && magnitude <= M2V_MAX_LEVEL
      && vlc->level_codes[table][M2V_LEVEL_INDEX (run, magnitude)].length > 0;
}

/* Returns the level after an escape; 0 = forbidden. */
M2V_INLINE int
read_long_level (M2vBitReader * b, bool mpeg2, M2vForm * form)
{
  int level;

  if (mpeg2) {
    level = (int) m2v_read_filled (b, M2V_LEVEL_BITS);
    if (level >= 1 << (M2V_LEVEL_BITS - 1))
      level -= 1 << M2V_LEVEL_BITS;
    return level == LEVEL_FORBIDDEN ? 0 : level;
  }
  level = (int8_t) m2v_read_filled (b, M2V_MPEG1_LEVEL_BITS);
  if (level != 0 && level != -MIN_LONG_LEVEL)
    return level;
  level = 2 * level + (int) m2v_read_filled (b, M2V_MPEG1_LEVEL_BITS);
  if (level > -MIN_LONG_LEVEL && level < MIN_LONG_LEVEL)
    *form = M2V_FORM_LONG_ESCAPE;
  return level < -M2V_MPEG1_ESCAPE_MAX_LEVEL ? 0 : level;
}

/* Reads run and level after an escape. Returns the run; M2V_RUN_INVALID = it is
 * damaged. */
M2V_INLINE unsigned
read_escape (const M2vSliceReader * r, M2vBitReader * b, unsigned table,
    M2vCoefficient * c)
{
  unsigned run = m2v_read_filled (b, M2V_RUN_BITS);
  M2vForm form = M2V_FORM_SHORTEST;
  int level = read_long_level (b, r->picture->mpeg2, &form);

  if (form == M2V_FORM_SHORTEST && has_code (r->vlc, table, run, level))
    form = M2V_FORM_ESCAPE;
  c->level = (int16_t) level;
  c->form = (uint8_t) form;
  return level == 0 ? M2V_RUN_INVALID : run;
}

/* Reads all coefficients from `position` on, with end of block; the first one's
 * code is in `first`. Returns how many there are; -1 = they are damaged. */
M2V_INLINE int
read_coefficients (const M2vSliceReader * r, M2vBitReader * b, unsigned table,
    const M2vRunLevelLookup * first, unsigned position,
    M2vCoefficient * coefficients)
{
  const M2vRunLevelLookup *const long_levels = r->vlc->long_levels[table];
  const M2vRunLevelLookup *short_levels = first;
  int n = 0;

  for (;;) {
    M2vCoefficient c = { 0, 0, M2V_FORM_SHORTEST };
    M2vRunLevelLookup found;

    if (b->n_cached < MAX_COEFFICIENT_BITS)
      m2v_fill_bits (b);
    found = short_levels[m2v_peek_filled (b, M2V_SHORT_BITS)];
    short_levels = r->vlc->short_levels[table];
    if (found.run == M2V_RUN_INVALID) {
      uint32_t code = m2v_peek_filled (b, M2V_LONG_BITS);

      if (code >= 1u << (M2V_LONG_BITS - M2V_LONG_ZEROS))
        return -1;
      found = long_levels[code];
    }
    m2v_skip_filled (b, found.length & ~M2V_LENGTH_LAST);
    c.level = found.level;
    position += found.run;
    if (position > 63) {
      if (found.run == M2V_RUN_END)
        break;
      if (found.run != M2V_RUN_ESCAPE)
        return -1;
      position -= M2V_RUN_ESCAPE;
      position += read_escape (r, b, table, &c);
      if (position > 63)
        return -1;
    }
    c.position = (uint8_t) position++;
    coefficients[n++] = c;
    if (found.length & M2V_LENGTH_LAST)
      break;
  }
  return n;
}

/* Reads dct_dc_size and dct_dc_differential (clause 7.2.1). */
M2V_INLINE bool
read_dc (const M2vSliceReader * r, M2vBitReader * b, unsigned component,
    int16_t * dc)
{
  const M2vLookup *size;
  int difference = 0;

  m2v_fill_bits (b);
  size = &r->vlc->dc_sizes[component > 0][m2v_peek_filled (b,
          M2V_DC_BITS)];
  if (size->length == 0)
    return false;
  m2v_skip_filled (b, size->length);
  if (size->value > 0) {
    difference = (int) m2v_read_filled (b, (unsigned) size->value);
    if (difference < 1 << (size->value - 1))
      difference -= (1 << size->value) - 1;
  }
  *dc = (int16_t) (*dc + difference);
  return *dc >= 0 && *dc < 256 << r->picture->intra_dc_precision;
}

static bool
read_intra_blocks (M2vSliceReader * r, M2vMacroblock * mb)
{
  unsigned table = r->picture->intra_vlc_format;
  M2vBitReader b = r->bits;
  int16_t dc[3];

  memcpy (dc, r->prediction.dc, sizeof dc);
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    unsigned component = m2v_block_component (i);
    int n;

    if (!read_dc (r, &b, component, &dc[component]))
      return false;
    mb->dc[i] = dc[component];
    n = read_coefficients (r, &b, table, r->vlc->short_levels[table], 1,
        mb->coefficients[i]);
    if (n < 0)
      return false;
    mb->n_coefficients[i] = (uint8_t) n;
  }
  r->bits = b;
  return true;
}

static bool
read_other_blocks (M2vSliceReader * r, M2vMacroblock * mb)
{
  M2vBitReader b = r->bits;

  for (unsigned coded = mb->pattern; coded != 0; coded &= coded - 1) {
    unsigned i = (unsigned) __builtin_ctz (coded);
    int n = read_coefficients (r, &b, 0, r->vlc->first_levels, 0,
        mb->coefficients[i]);

    if (n < 0)
      return false;
    mb->n_coefficients[i] = (uint8_t) n;
  }
  r->bits = b;
  return true;
}

bool
m2v_read_blocks (M2vSliceReader * r, M2vMacroblock * mb)
{
  memset (mb->n_coefficients, 0, sizeof mb->n_coefficients);
  return mb->type & M2V_INTRA ? read_intra_blocks (r, mb)
      : read_other_blocks (r, mb);
}
