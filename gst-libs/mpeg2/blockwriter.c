/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes blocks (clauses 6.2.6, 7.2).
 */
#include <mpeg2/blockwriter.h>

/* The 8 bits before the lowest 8 of a negative level of MPEG-1 that is larger
 * than M2V_MPEG1_MAX_SHORT_LEVEL. A positive one has 8 zeros there. */
#define LONG_NEGATIVE 0x80

/* Writes a coefficient with an escape; returns false if that is impossible. */
static bool
put_escape (const M2vSliceWriter * w, M2vBitWriter * b, unsigned run,
    int level, unsigned form)
{
  unsigned magnitude = (unsigned) (level < 0 ? -level : level);

  if (run > 63 || magnitude == 0
      || magnitude >
      (w->picture->mpeg2 ? M2V_ESCAPE_MAX_LEVEL : M2V_MPEG1_ESCAPE_MAX_LEVEL))
    return false;
  m2v_put_reserved (b, (uint32_t) m2v_escape.code << M2V_RUN_BITS | run,
      m2v_escape.length + M2V_RUN_BITS);
  if (w->picture->mpeg2) {
    m2v_put_reserved (b, (uint32_t) level & ((1u << M2V_LEVEL_BITS) - 1),
        M2V_LEVEL_BITS);
    return true;
  }
  if (magnitude > M2V_MPEG1_MAX_SHORT_LEVEL || form == M2V_FORM_LONG_ESCAPE)
    m2v_put_reserved (b, level < 0 ? LONG_NEGATIVE : 0, M2V_MPEG1_LEVEL_BITS);
  m2v_put_reserved (b, (uint32_t) level & ((1u << M2V_MPEG1_LEVEL_BITS) - 1),
      M2V_MPEG1_LEVEL_BITS);
  return true;
}

/* Writes the coefficients from `first` on, then end of block. The coefficient
 * before `first` is at position `last`. */
M2V_INLINE bool
put_coefficients (const M2vSliceWriter * w, M2vBitWriter * b, unsigned table,
    const M2vCoefficient * coefficients, unsigned first, unsigned n, int last)
{
  const M2vVlcCode *const codes = w->vlc->level_codes[table];
  const M2vVlcCode end = m2v_end_of_block[table];
  const unsigned forms = w->canonical ? 0 : 0xff;

  for (unsigned i = first; i < n; i++) {
    const M2vCoefficient c = coefficients[i];
    /* Processors cannot predict signs, so there is no branch on them. */
    const int negative = c.level < 0;
    const unsigned magnitude = (unsigned) ((c.level ^ -negative) + negative);
    /* It is above 63 if positions do not ascend. */
    const unsigned run = (unsigned) (c.position - last - 1);
    M2vVlcCode code = { 0, 0 };

    if ((run | magnitude >> 1) < 32 && (c.form & forms) == 0)
      code = codes[M2V_LEVEL_INDEX (run, magnitude)];
    if (code.length > 0) {
      m2v_put_reserved (b, code.code * 2u + (unsigned) negative,
          code.length + 1u);
    } else {
      /* The address of a copy is passed (see M2V_INLINE). */
      M2vBitWriter copy = *b;
      bool possible = put_escape (w, &copy, run, c.level, c.form & forms);

      *b = copy;
      if (!possible)
        return false;
    }
    last = c.position;
  }
  m2v_put_reserved (b, end.code, end.length);
  return last <= 63;
}

/* Writes dct_dc_size and dct_dc_differential. */
M2V_INLINE bool
put_dc (const M2vSliceWriter * w, M2vBitWriter * b, unsigned component,
    int difference)
{
  unsigned magnitude = (unsigned) (difference < 0 ? -difference : difference);
  unsigned size = magnitude ? 32 - (unsigned) __builtin_clz (magnitude) : 0;
  M2vCode code;

  if (size > M2V_MAX_DC_SIZE)
    return false;
  code = w->vlc->dc_size_codes[component > 0][size];
  if (difference < 0)
    difference += (1 << size) - 1;
  m2v_put_reserved (b, (uint32_t) code.code << size
      | (uint32_t) difference, code.length + size);
  return true;
}

static bool
put_intra_blocks (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  unsigned table = w->picture->intra_vlc_format;
  M2vBitWriter b = w->bits;
  int16_t dc[3];

  memcpy (dc, w->prediction.dc, sizeof dc);
  for (unsigned i = 0; i < w->picture->n_blocks; i++) {
    unsigned component = m2v_block_component (i);

    if (mb->dc[i] < 0 || mb->dc[i] >= 256 << w->picture->intra_dc_precision
        || !put_dc (w, &b, component, mb->dc[i] - dc[component]))
      return false;
    dc[component] = mb->dc[i];
    if (mb->n_coefficients[i] > 63
        || !put_coefficients (w, &b, table, mb->coefficients[i], 0,
            mb->n_coefficients[i], 0))
      return false;
  }
  w->bits = b;
  return true;
}

/* A first coefficient of +-1 at position 0 is one bit and its sign. */
M2V_INLINE bool
put_other_block (const M2vSliceWriter * w, M2vBitWriter * b,
    const M2vCoefficient * coefficients, unsigned n)
{
  M2vCoefficient c = coefficients[0];
  bool one_bit = c.position == 0 && (c.level == 1 || c.level == -1)
      && (c.form == M2V_FORM_SHORTEST || w->canonical);

  if (n == 0 || n > 64)
    return false;
  if (one_bit)
    m2v_put_reserved (b, c.level < 0 ? 3 : 2, 2);
  return put_coefficients (w, b, 0, coefficients, one_bit, n, one_bit ? 0 : -1);
}

static bool
put_other_blocks (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  const unsigned blocks = (1u << w->picture->n_blocks) - 1;
  M2vBitWriter b = w->bits;

  for (unsigned coded = mb->pattern & blocks; coded != 0; coded &= coded - 1) {
    unsigned i = (unsigned) __builtin_ctz (coded);

    if (!put_other_block (w, &b, mb->coefficients[i], mb->n_coefficients[i]))
      return false;
  }
  w->bits = b;
  return true;
}

bool
m2v_write_blocks (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  if (mb->type & M2V_INTRA)
    return put_intra_blocks (w, mb);
  return !(mb->type & M2V_PATTERN) || put_other_blocks (w, mb);
}
