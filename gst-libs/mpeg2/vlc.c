/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/vlc.h>

#include <string.h>

/* Number of elements. */
#define N(array) (sizeof array / sizeof array[0])

static void
add_lookup (M2vLookup * table, unsigned bits, unsigned code,
    unsigned length, int value)
{
  unsigned spare = bits - length;

  for (unsigned i = 0; i < 1u << spare; i++) {
    table[(code << spare) + i].value = (int8_t) value;
    table[(code << spare) + i].length = (uint8_t) length;
  }
}

static void
fill_lookup (M2vLookup * table, unsigned bits, M2vCodes which)
{
  const M2vCodeList *list = &m2v_codes[which];

  for (unsigned i = 0; i < list->n; i++)
    add_lookup (table, bits, list->codes[i].code, list->codes[i].length,
        list->codes[i].value);
}

static void
fill_increments (M2vVlc * vlc)
{
  for (int i = 1; i <= M2V_MAX_ADDRESS_INCREMENT; i++)
    add_lookup (vlc->increments, M2V_ADDRESS_BITS,
        m2v_address_increments[i].code, m2v_address_increments[i].length, i);
  add_lookup (vlc->increments, M2V_ADDRESS_BITS, m2v_address_escape.code,
      m2v_address_escape.length, M2V_INCREMENT_ESCAPE);
  add_lookup (vlc->increments, M2V_ADDRESS_BITS, m2v_stuffing.code,
      m2v_stuffing.length, M2V_INCREMENT_STUFFING);
}

/* Adds a code; `code` has all its bits, also the sign. */
static void
add_level (M2vVlc * vlc, unsigned table, unsigned code, M2vRunLevelLookup entry)
{
  M2vRunLevelLookup *lookup = vlc->short_levels[table];
  unsigned spare = M2V_SHORT_BITS - entry.length;

  if (entry.length > M2V_SHORT_BITS) {
    lookup = vlc->long_levels[table];
    spare = M2V_LONG_BITS - entry.length;
  }
  for (unsigned i = 0; i < 1u << spare; i++)
    lookup[(code << spare) + i] = entry;
}

static void
fill_levels (M2vVlc * vlc, unsigned table)
{
  M2vRunLevelLookup entry = { 0, M2V_RUN_INVALID, 0 };

  for (unsigned i = 0; i < N (vlc->short_levels[table]); i++)
    vlc->short_levels[table][i] = entry;
  for (unsigned i = 0; i < N (vlc->long_levels[table]); i++)
    vlc->long_levels[table][i] = entry;
  for (unsigned i = 0; i < M2V_N_RUN_LEVELS; i++) {
    const M2vRunLevel *c = &m2v_run_levels[table][i];
    M2vVlcCode *code =
        &vlc->level_codes[table][M2V_LEVEL_INDEX (c->run, c->level)];

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
  entry.run = M2V_RUN_END;
  entry.length = m2v_end_of_block[table].length;
  add_level (vlc, table, m2v_end_of_block[table].code, entry);
  entry.run = M2V_RUN_ESCAPE;
  entry.length = m2v_escape.length;
  add_level (vlc, table, m2v_escape.code, entry);
}

/* Adds end of block to the entries whose index has it behind the code. */
static void
add_ends (M2vRunLevelLookup * levels, M2vVlcCode end)
{
  for (unsigned i = 0; i < 1u << M2V_SHORT_BITS; i++) {
    M2vRunLevelLookup *entry = &levels[i];
    unsigned length = entry->length + end.length;

    if (entry->level != 0 && length <= M2V_SHORT_BITS
        && (i >> (M2V_SHORT_BITS - length) & ((1u << end.length) - 1))
        == end.code)
      entry->length = (uint8_t) (M2V_LENGTH_LAST | length);
  }
}

/* Fills the table of a block's first coefficient, where a leading 1 is +-1. In
 * the other table it begins end of block or +-1. */
static void
fill_first_levels (M2vVlc * vlc)
{
  const unsigned half = 1u << (M2V_SHORT_BITS - 1);
  M2vRunLevelLookup one = { 1, 0, 2 }, minus_one = { -1, 0, 2 };

  memcpy (vlc->first_levels, vlc->short_levels[0], sizeof vlc->first_levels);
  for (unsigned i = 0; i < half / 2; i++) {
    vlc->first_levels[half + i] = one;
    vlc->first_levels[half + half / 2 + i] = minus_one;
  }
}

/* Fills a table of codes by value + offset. */
static void
fill_codes (M2vVlcCode * table, M2vCodes which, int offset)
{
  const M2vCodeList *list = &m2v_codes[which];

  for (unsigned i = 0; i < list->n; i++) {
    table[list->codes[i].value + offset].code = (uint8_t) list->codes[i].code;
    table[list->codes[i].value + offset].length = list->codes[i].length;
  }
}

/* Fills the tables of patterns. cbp has the first block's bit on top (clause
 * 6.3.17.4). */
static void
fill_patterns (M2vVlc * vlc)
{
  const M2vCodeList *list = &m2v_codes[M2V_CODES_PATTERN];

  for (unsigned i = 0; i < list->n; i++) {
    const M2vCode *c = &list->codes[i];
    unsigned pattern = 0;

    for (unsigned k = 0; k < 6; k++)
      pattern |= ((unsigned) c->value >> (5 - k) & 1) << k;
    add_lookup (vlc->patterns, M2V_PATTERN_BITS, c->code, c->length,
        (int) pattern);
    vlc->pattern_codes[pattern].code = (uint8_t) c->code;
    vlc->pattern_codes[pattern].length = c->length;
  }
}

void
m2v_vlc_init (M2vVlc * vlc)
{
  memset (vlc, 0, sizeof *vlc);
  fill_increments (vlc);
  for (unsigned i = 0; i < 3; i++) {
    fill_lookup (vlc->types[i], M2V_TYPE_BITS, M2V_CODES_TYPE_I + i);
    fill_codes (vlc->type_codes[i], M2V_CODES_TYPE_I + i, 0);
  }
  fill_patterns (vlc);
  fill_lookup (vlc->motions, M2V_MOTION_BITS, M2V_CODES_MOTION);
  fill_codes (vlc->motion_codes, M2V_CODES_MOTION, M2V_MAX_MOTION_CODE);
  fill_lookup (vlc->dmvectors, M2V_DMVECTOR_BITS, M2V_CODES_DMVECTOR);
  fill_codes (vlc->dmvector_codes, M2V_CODES_DMVECTOR, 1);
  for (unsigned i = 0; i < 2; i++) {
    const M2vCodeList *list = &m2v_codes[M2V_CODES_DC_LUMINANCE + i];

    fill_lookup (vlc->dc_sizes[i], M2V_DC_BITS, M2V_CODES_DC_LUMINANCE + i);
    for (unsigned k = 0; k < list->n; k++)
      vlc->dc_size_codes[i][list->codes[k].value] = list->codes[k];
    fill_levels (vlc, i);
  }
  fill_first_levels (vlc);
  add_ends (vlc->first_levels, m2v_end_of_block[0]);
  for (unsigned i = 0; i < 2; i++)
    add_ends (vlc->short_levels[i], m2v_end_of_block[i]);
}
