/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Blocks (clauses 6.2.6, 7.2).
 */
#include "blockwriter.h"

#define RUN_BITS 6
#define LEVEL_BITS 12
#define MAX_LEVEL 2047

/* MPEG-1's level (11172-2 table 2-B.5g): 8 bits, or 8 zeros (negative: 128) and
 * its lowest 8. */
#define SHORT_LEVEL_BITS 8
#define MAX_SHORT_LEVEL 127
#define MAX_LONG_LEVEL 255
#define LONG_NEGATIVE 0x80

static bool
put_escape (const ScalerSliceWriter * w, ScalerBitWriter * b, unsigned run,
    int level, bool long_form)
{
  unsigned magnitude = (unsigned) (level < 0 ? -level : level);

  scaler_bits_put (b, (uint32_t) scaler_escape.code << RUN_BITS | run,
      scaler_escape.length + RUN_BITS);
  if (w->picture->mpeg2) {
    scaler_bits_put (b, (uint32_t) level & ((1u << LEVEL_BITS) - 1),
        LEVEL_BITS);
    return magnitude <= MAX_LEVEL;
  }
  if (magnitude > MAX_SHORT_LEVEL || long_form)
    scaler_bits_put (b, level < 0 ? LONG_NEGATIVE : 0, SHORT_LEVEL_BITS);
  scaler_bits_put (b, (uint32_t) level & ((1u << SHORT_LEVEL_BITS) - 1),
      SHORT_LEVEL_BITS);
  return magnitude <= MAX_LONG_LEVEL;
}

/* Those from `first` on, the one before which is at position `last`; then end
 * of block. */
static inline bool
put_coefficients (ScalerSliceWriter * w, unsigned table,
    const ScalerCoefficient * coefficients, unsigned first, unsigned n,
    int last)
{
  const MpegVlc (*const codes)[SCALER_MAX_LEVEL + 1] =
      w->vlc->level_codes[table];
  /* A copy: the compiler cannot know that no byte is stored there. */
  ScalerBitWriter b = w->bits;

  for (unsigned i = first; i < n; i++) {
    ScalerCoefficient c = coefficients[i];
    unsigned magnitude = (unsigned) (c.level < 0 ? -c.level : c.level);
    unsigned run = (unsigned) (c.position - last - 1);
    MpegVlc code = { 0, 0 };

    if (c.position <= last || c.position > 63 || magnitude == 0)
      return false;
    last = c.position;
    if (run <= SCALER_MAX_RUN && magnitude <= SCALER_MAX_LEVEL
        && (c.form == SCALER_FORM_SHORTEST || w->canonical))
      code = codes[run][magnitude];
    if (code.length > 0)
      scaler_bits_put (&b, code.code * 2u + (c.level < 0), code.length + 1u);
    else if (!put_escape (w, &b, run, c.level, !w->canonical
            && c.form == SCALER_FORM_LONG_ESCAPE))
      return false;
  }
  scaler_bits_put (&b, scaler_end_of_block[table].code,
      scaler_end_of_block[table].length);
  w->bits = b;
  return true;
}

/* dct_dc_size and dct_dc_differential. */
static bool
put_dc (ScalerSliceWriter * w, unsigned component, int difference)
{
  unsigned magnitude = (unsigned) (difference < 0 ? -difference : difference);
  unsigned size = magnitude ? 32 - (unsigned) __builtin_clz (magnitude) : 0;
  ScalerCode code;

  if (size > SCALER_MAX_DC_SIZE)
    return false;
  code = w->vlc->dc_size_codes[component > 0][size];
  scaler_bits_put (&w->bits, code.code, code.length);
  if (difference < 0)
    difference += (1 << size) - 1;
  scaler_bits_put (&w->bits, (uint32_t) difference, size);
  return true;
}

static bool
put_intra_blocks (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  unsigned table = w->picture->intra_vlc_format;
  int16_t dc[3];

  memcpy (dc, w->prediction.dc, sizeof dc);
  for (unsigned i = 0; i < w->picture->n_blocks; i++) {
    unsigned component = scaler_block_component (i);

    if (mb->dc[i] < 0 || mb->dc[i] >= 256 << w->picture->intra_dc_precision
        || !put_dc (w, component, mb->dc[i] - dc[component]))
      return false;
    dc[component] = mb->dc[i];
    if (mb->n_coefficients[i] > 63
        || !put_coefficients (w, table, mb->coefficients[i], 0,
            mb->n_coefficients[i], 0))
      return false;
  }
  return true;
}

/* The first coefficient, where it is +-1 at 0, is one bit and its sign. */
static bool
put_other_block (ScalerSliceWriter * w, const ScalerMacroblock * mb, unsigned i)
{
  ScalerCoefficient c = mb->coefficients[i][0];
  bool one_bit = c.position == 0 && (c.level == 1 || c.level == -1)
      && (c.form == SCALER_FORM_SHORTEST || w->canonical);

  if (mb->n_coefficients[i] == 0 || mb->n_coefficients[i] > 64)
    return false;
  if (one_bit)
    scaler_bits_put (&w->bits, c.level < 0 ? 3 : 2, 2);
  return put_coefficients (w, 0, mb->coefficients[i], one_bit,
      mb->n_coefficients[i], one_bit ? 0 : -1);
}

bool
scaler_write_blocks (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  if (mb->type & SCALER_INTRA)
    return put_intra_blocks (w, mb);
  if (!(mb->type & SCALER_PATTERN))
    return true;
  for (unsigned i = 0; i < w->picture->n_blocks; i++) {
    if ((mb->pattern >> i & 1) && !put_other_block (w, mb, i))
      return false;
  }
  return true;
}
