/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "vlc.h"

#include <string.h>

#define N(array) (sizeof array / sizeof array[0])

static void
add_lookup (ScalerLookup * table, unsigned bits, unsigned code,
    unsigned length, int value)
{
  unsigned spare = bits - length;

  for (unsigned i = 0; i < 1u << spare; i++) {
    table[(code << spare) + i].value = (int8_t) value;
    table[(code << spare) + i].length = (uint8_t) length;
  }
}

static void
fill_lookup (ScalerLookup * table, unsigned bits, ScalerCodes which)
{
  const ScalerCodeList *list = &scaler_codes[which];

  for (unsigned i = 0; i < list->n; i++)
    add_lookup (table, bits, list->codes[i].code, list->codes[i].length,
        list->codes[i].value);
}

static void
fill_increments (ScalerVlc * vlc)
{
  for (int i = 1; i <= MPEG_MAX_ADDRESS_INCREMENT; i++)
    add_lookup (vlc->increments, SCALER_ADDRESS_BITS,
        mpeg_address_increments[i].code, mpeg_address_increments[i].length, i);
  add_lookup (vlc->increments, SCALER_ADDRESS_BITS, mpeg_address_escape.code,
      mpeg_address_escape.length, SCALER_INCREMENT_ESCAPE);
  add_lookup (vlc->increments, SCALER_ADDRESS_BITS, scaler_stuffing.code,
      scaler_stuffing.length, SCALER_INCREMENT_STUFFING);
}

/* `code` with all its bits, the sign among them. */
static void
add_level (ScalerVlc * vlc, unsigned table, unsigned code,
    ScalerRunLevelLookup entry)
{
  ScalerRunLevelLookup *lookup = vlc->short_levels[table];
  unsigned spare = SCALER_SHORT_BITS - entry.length;

  if (entry.length > SCALER_SHORT_BITS) {
    lookup = vlc->long_levels[table];
    spare = SCALER_LONG_BITS - entry.length;
  }
  for (unsigned i = 0; i < 1u << spare; i++)
    lookup[(code << spare) + i] = entry;
}

static void
fill_levels (ScalerVlc * vlc, unsigned table)
{
  ScalerRunLevelLookup entry = { 0, SCALER_RUN_INVALID, 0 };

  for (unsigned i = 0; i < N (vlc->short_levels[table]); i++)
    vlc->short_levels[table][i] = entry;
  for (unsigned i = 0; i < N (vlc->long_levels[table]); i++)
    vlc->long_levels[table][i] = entry;
  for (unsigned i = 0; i < SCALER_N_RUN_LEVELS; i++) {
    const ScalerRunLevel *c = &scaler_run_levels[table][i];
    MpegVlc *code =
        &vlc->level_codes[table][SCALER_LEVEL_INDEX (c->run, c->level)];

    code->code = c->code;
    code->length = c->length;
    entry.run = c->run;
    entry.length = c->length + 1;
    entry.level = c->level;
    add_level (vlc, table, c->code * 2u, entry);
    entry.level = (int16_t) - c->level;
    add_level (vlc, table, c->code * 2u + 1, entry);
  }
  entry.level = 0;
  entry.run = SCALER_RUN_END;
  entry.length = scaler_end_of_block[table].length;
  add_level (vlc, table, scaler_end_of_block[table].code, entry);
  entry.run = SCALER_RUN_ESCAPE;
  entry.length = scaler_escape.length;
  add_level (vlc, table, scaler_escape.code, entry);
}

/* Where end of block follows within the index, it is taken along. */
static void
add_ends (ScalerRunLevelLookup * levels, MpegVlc end)
{
  for (unsigned i = 0; i < 1u << SCALER_SHORT_BITS; i++) {
    ScalerRunLevelLookup *entry = &levels[i];
    unsigned length = entry->length + end.length;

    if (entry->level != 0 && length <= SCALER_SHORT_BITS
        && (i >> (SCALER_SHORT_BITS - length) & ((1u << end.length) - 1))
        == end.code)
      entry->length = (uint8_t) (SCALER_LENGTH_LAST | length);
  }
}

/* Where 1 would be end of block or +-1 elsewhere, it is +-1. */
static void
fill_first_levels (ScalerVlc * vlc)
{
  const unsigned half = 1u << (SCALER_SHORT_BITS - 1);
  ScalerRunLevelLookup one = { 1, 0, 2 }, minus_one = { -1, 0, 2 };

  memcpy (vlc->first_levels, vlc->short_levels[0], sizeof vlc->first_levels);
  for (unsigned i = 0; i < half / 2; i++) {
    vlc->first_levels[half + i] = one;
    vlc->first_levels[half + half / 2 + i] = minus_one;
  }
}

/* By value + offset. */
static void
fill_codes (MpegVlc * table, ScalerCodes which, int offset)
{
  const ScalerCodeList *list = &scaler_codes[which];

  for (unsigned i = 0; i < list->n; i++) {
    table[list->codes[i].value + offset].code = (uint8_t) list->codes[i].code;
    table[list->codes[i].value + offset].length = list->codes[i].length;
  }
}

void
scaler_vlc_init (ScalerVlc * vlc)
{
  memset (vlc, 0, sizeof *vlc);
  fill_increments (vlc);
  for (unsigned i = 0; i < 3; i++) {
    fill_lookup (vlc->types[i], SCALER_TYPE_BITS, SCALER_CODES_TYPE_I + i);
    fill_codes (vlc->type_codes[i], SCALER_CODES_TYPE_I + i, 0);
  }
  fill_lookup (vlc->patterns, SCALER_PATTERN_BITS, SCALER_CODES_PATTERN);
  fill_codes (vlc->pattern_codes, SCALER_CODES_PATTERN, 0);
  fill_lookup (vlc->motions, SCALER_MOTION_BITS, SCALER_CODES_MOTION);
  fill_codes (vlc->motion_codes, SCALER_CODES_MOTION, SCALER_MAX_MOTION_CODE);
  fill_lookup (vlc->dmvectors, SCALER_DMVECTOR_BITS, SCALER_CODES_DMVECTOR);
  fill_codes (vlc->dmvector_codes, SCALER_CODES_DMVECTOR, 1);
  for (unsigned i = 0; i < 2; i++) {
    const ScalerCodeList *list = &scaler_codes[SCALER_CODES_DC_LUMINANCE + i];

    fill_lookup (vlc->dc_sizes[i], SCALER_DC_BITS,
        SCALER_CODES_DC_LUMINANCE + i);
    for (unsigned k = 0; k < list->n; k++)
      vlc->dc_size_codes[i][list->codes[k].value] = list->codes[k];
    fill_levels (vlc, i);
  }
  fill_first_levels (vlc);
  add_ends (vlc->first_levels, scaler_end_of_block[0]);
  for (unsigned i = 0; i < 2; i++)
    add_ends (vlc->short_levels[i], scaler_end_of_block[i]);
}
