/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The code tables: with what the standard reserves each is complete and free of
 * prefixes, which no slip of a digit survives; and the lookups made of them say
 * the same.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "../often.h"
#include <mpeg2/macroblock.h>
#include <mpeg2/vlc.h>

#define MAX_LENGTH 17

typedef struct
{
  gchar bits[MAX_LENGTH + 1];
  gint value;
} Code;

static M2vVlc vlc;

static void
setup (void)
{
  m2v_vlc_init (&vlc);
}

static void
add_string (GArray * codes, const gchar * bits, gint value)
{
  Code code = { "", value };

  fail_unless (strlen (bits) <= MAX_LENGTH);
  strcpy (code.bits, bits);
  g_array_append_val (codes, code);
}

static void
add_bits (GArray * codes, guint bits, guint length, gint value)
{
  gchar string[MAX_LENGTH + 1] = "";

  fail_unless (length > 0 && length <= MAX_LENGTH);
  fail_unless (bits >> length == 0, "%u has not %u bits", bits, length);
  for (guint i = 0; i < length; i++)
    string[i] = (bits >> (length - 1 - i) & 1) ? '1' : '0';
  add_string (codes, string, value);
}

static void
add_reserved (GArray * codes, const gchar * const *reserved)
{
  for (guint i = 0; reserved[i] != NULL; i++)
    add_string (codes, reserved[i], -1000);
}

/* Kraft's sum is 1, and none begins another. */
static void
assert_complete (const GArray * codes, const gchar * what)
{
  guint sum = 0;

  for (guint i = 0; i < codes->len; i++) {
    const Code *a = &g_array_index (codes, Code, i);

    sum += 1u << (MAX_LENGTH - strlen (a->bits));
    for (guint k = 0; k < codes->len; k++)
      fail_if (k != i && g_str_has_prefix (g_array_index (codes, Code,
                  k).bits, a->bits), "%s: %s", what, a->bits);
  }
  fail_unless (sum == 1u << MAX_LENGTH, "%s is not complete", what);
}

static void
assert_distinct (const GArray * codes, const gchar * what)
{
  for (guint i = 0; i < codes->len; i++) {
    for (guint k = 0; k < i; k++)
      fail_if (g_array_index (codes, Code, i).value
          == g_array_index (codes, Code, k).value, "%s: %d twice", what,
          g_array_index (codes, Code, i).value);
  }
}

static const struct
{
  M2vCodes codes;
  const gchar *what;
  guint n;
  gint min, max;                /* of what it stands for */
  const gchar *const reserved[3];
} lists[] = {
  {M2V_CODES_TYPE_I, "B.2", 2, 16, 17, {"00"}},
  {M2V_CODES_TYPE_P, "B.3", 7, 2, 17, {"000000"}},
  {M2V_CODES_TYPE_B, "B.4", 11, 2, 17, {"000000"}},
  {M2V_CODES_PATTERN, "B.9", 64, 0, 63, {"000000000"}},
  {M2V_CODES_MOTION, "B.10", 33, -16, 16, {"0000000", "00000010"}},
  {M2V_CODES_DMVECTOR, "B.11", 3, -1, 1, {NULL}},
  {M2V_CODES_DC_LUMINANCE, "B.12", 12, 0, 11, {NULL}},
  {M2V_CODES_DC_CHROMINANCE, "B.13", 12, 0, 11, {NULL}},
};

GST_START_TEST (test_lists)
{
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    const M2vCodeList *list = &m2v_codes[lists[i].codes];
    GArray *codes = g_array_new (FALSE, FALSE, sizeof (Code));

    fail_unless_equals_int (list->n, lists[i].n);
    for (guint k = 0; k < list->n; k++) {
      const M2vCode *c = &list->codes[k];

      fail_unless (c->value >= lists[i].min && c->value <= lists[i].max,
          "%s: %d", lists[i].what, c->value);
      add_bits (codes, c->code, c->length, c->value);
    }
    assert_distinct (codes, lists[i].what);
    add_reserved (codes, lists[i].reserved);
    assert_complete (codes, lists[i].what);
    g_array_unref (codes);
  }
}

GST_END_TEST;

GST_START_TEST (test_increments)
{
  static const gchar *const reserved[] = {
    "00000000", "00000001001", "0000000101", "0000000110", "00000001110",
    "00000010", NULL
  };
  GArray *codes = g_array_new (FALSE, FALSE, sizeof (Code));

  for (gint i = 1; i <= M2V_MAX_ADDRESS_INCREMENT; i++)
    add_bits (codes, m2v_address_increments[i].code,
        m2v_address_increments[i].length, i);
  add_bits (codes, m2v_address_escape.code, m2v_address_escape.length, 34);
  add_bits (codes, m2v_stuffing.code, m2v_stuffing.length, 35);
  add_reserved (codes, reserved);
  assert_complete (codes, "B.1");
  for (guint i = 0; i < 1u << M2V_ADDRESS_BITS; i++) {
    guint n = 0;

    for (guint k = 0; k < codes->len; k++) {
      const Code *c = &g_array_index (codes, Code, k);
      guint length = strlen (c->bits);

      if (i >> (M2V_ADDRESS_BITS - length)
          != g_ascii_strtoull (c->bits, NULL, 2))
        continue;
      n++;
      fail_unless_equals_int (vlc.increments[i].length,
          c->value < 0 ? 0 : length);
      fail_unless (c->value < 0 || vlc.increments[i].value == c->value);
    }
    fail_unless_equals_int (n, 1);
  }
  g_array_unref (codes);
}

GST_END_TEST;

GST_START_TEST (test_run_levels)
{
  static const gchar *const reserved[2][11] = {
    {"000000000000"},
    {"000000000000", "0000000010111", "0000000011000", "0000000011001",
          "0000000011010", "000000010000", "000000010011", "000000010100",
        "000000011000", "000000011011", "000000011101"}
  };

  for (guint table = 0; table < 2; table++) {
    GArray *codes = g_array_new (FALSE, FALSE, sizeof (Code));

    for (guint i = 0; i < M2V_N_RUN_LEVELS; i++) {
      const M2vRunLevel *c = &m2v_run_levels[table][i];

      fail_unless (c->run <= M2V_MAX_RUN && c->level >= 1
          && c->level <= M2V_MAX_LEVEL);
      add_bits (codes, c->code, c->length, c->run * 64 + c->level);
    }
    add_bits (codes, m2v_end_of_block[table].code,
        m2v_end_of_block[table].length, -1);
    add_bits (codes, m2v_escape.code, m2v_escape.length, -2);
    assert_distinct (codes, "run and level");
    for (guint i = 0; i < (table == 0 ? 1 : 11); i++)
      add_string (codes, reserved[table][i], -1000);
    assert_complete (codes, table == 0 ? "B.14" : "B.15");
    g_array_unref (codes);
  }
}

GST_END_TEST;

/* The two tables have codes for the same. */
GST_START_TEST (test_same_coefficients)
{
  for (guint run = 0; run <= M2V_MAX_RUN; run++) {
    for (guint level = 0; level <= M2V_MAX_LEVEL; level++)
      fail_unless ((vlc.level_codes[0][M2V_LEVEL_INDEX (run, level)].length > 0)
          == (vlc.level_codes[1][M2V_LEVEL_INDEX (run, level)].length > 0));
  }
}

GST_END_TEST;

/* Without the end of block that may be taken along. */
static M2vRunLevelLookup
look_up (guint table, gboolean as_first, guint bits)
{
  const M2vVlcCode end = m2v_end_of_block[table];
  M2vRunLevelLookup found = (as_first ? vlc.first_levels
      : vlc.short_levels[table])[bits >> (M2V_LONG_BITS - M2V_SHORT_BITS)];

  if (found.run == M2V_RUN_INVALID
      && bits < 1u << (M2V_LONG_BITS - M2V_LONG_ZEROS))
    found = vlc.long_levels[table][bits];
  if (found.length & M2V_LENGTH_LAST) {
    guint length = found.length - M2V_LENGTH_LAST;

    often_fail_unless (found.level != 0 && length <= M2V_SHORT_BITS);
    found.length = length - end.length;
    often_fail_unless_equals (bits >> (M2V_LONG_BITS - length)
        & ((1u << end.length) - 1), end.code);
  }
  return found;
}

/* All that can follow, at every place of the lookups. */
GST_START_TEST (test_lookups)
{
  for (guint table = 0; table < 2; table++) {
    guint n_valid = 0, n_codes = 0;

    for (guint bits = 0; bits < 1u << M2V_LONG_BITS; bits++) {
      const M2vRunLevelLookup entry = look_up (table, FALSE, bits);
      const M2vRunLevelLookup *found = &entry;
      guint magnitude = ABS (entry.level), code;
      const M2vVlcCode *written;

      if (found->run == M2V_RUN_INVALID)
        continue;
      n_valid++;
      code = bits >> (M2V_LONG_BITS - found->length);
      if (found->run == M2V_RUN_END) {
        fail_unless (code == m2v_end_of_block[table].code);
      } else if (found->run == M2V_RUN_ESCAPE) {
        often_fail_unless (code == m2v_escape.code);
      } else {
        written = &vlc.level_codes[table][M2V_LEVEL_INDEX (found->run,
                magnitude)];
        often_fail_unless (found->length == written->length + 1);
        often_fail_unless (code == written->code * 2u + (found->level < 0));
      }
      n_codes += (bits & ((1u << (M2V_LONG_BITS - found->length)) - 1)) == 0;
    }
    /* All but the reserved ones: 1 and 9 of 4096. */
    fail_unless_equals_int (n_valid, (4096 - (table == 0 ? 1 : 9)) * 32);
    fail_unless_equals_int (n_codes, 2 * M2V_N_RUN_LEVELS + 2);
  }
}

GST_END_TEST;

/* What is end of block elsewhere, and the code that run 0, level 1 has, are +-1
 * with one bit less (table B.14, note 2). */
GST_START_TEST (test_first)
{
  for (guint bits = 0; bits < 1u << M2V_LONG_BITS; bits++) {
    const M2vRunLevelLookup found = look_up (0, TRUE, bits);
    M2vRunLevelLookup expected = look_up (0, FALSE, bits);

    if (bits >> (M2V_LONG_BITS - 1)) {
      expected.length = 2;
      expected.run = 0;
      expected.level = bits >> (M2V_LONG_BITS - 2) & 1 ? -1 : 1;
    }
    often_fail_unless (found.length == expected.length
        && found.run == expected.run && found.level == expected.level);
  }
}

GST_END_TEST;

/* cbp has the first block on top (clause 6.3.17.4). */
static gint
reverse (gint cbp)
{
  gint pattern = 0;

  for (guint i = 0; i < 6; i++)
    pattern |= cbp & 1 << i ? 1 << (5 - i) : 0;
  return pattern;
}

/* A list's reading and writing tables. */
GST_START_TEST (test_codes)
{
  const struct
  {
    M2vCodes codes;
    const M2vLookup *lookup;
    guint bits;
    const M2vVlcCode *written;
    gint offset;
    gboolean reversed;          /* six bits */
  } tables[] = {
    {M2V_CODES_TYPE_I, vlc.types[0], M2V_TYPE_BITS, vlc.type_codes[0], 0,
        FALSE},
    {M2V_CODES_TYPE_P, vlc.types[1], M2V_TYPE_BITS, vlc.type_codes[1], 0,
        FALSE},
    {M2V_CODES_TYPE_B, vlc.types[2], M2V_TYPE_BITS, vlc.type_codes[2], 0,
        FALSE},
    {M2V_CODES_PATTERN, vlc.patterns, M2V_PATTERN_BITS,
        vlc.pattern_codes, 0, TRUE},
    {M2V_CODES_MOTION, vlc.motions, M2V_MOTION_BITS, vlc.motion_codes,
        16, FALSE},
    {M2V_CODES_DMVECTOR, vlc.dmvectors, M2V_DMVECTOR_BITS,
        vlc.dmvector_codes, 1, FALSE},
    {M2V_CODES_DC_LUMINANCE, vlc.dc_sizes[0], M2V_DC_BITS, NULL, 0, FALSE},
    {M2V_CODES_DC_CHROMINANCE, vlc.dc_sizes[1], M2V_DC_BITS, NULL, 0,
        FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    const M2vCodeList *list = &m2v_codes[tables[i].codes];
    guint n = 0;

    for (guint bits = 0; bits < 1u << tables[i].bits; bits++)
      n += tables[i].lookup[bits].length > 0;
    for (guint k = 0; k < list->n; k++) {
      const M2vCode *c = &list->codes[k];
      guint spare = tables[i].bits - c->length;
      gint value = tables[i].reversed ? reverse (c->value) : c->value;

      for (guint rest = 0; rest < 1u << spare; rest++, n--) {
        const M2vLookup *found =
            &tables[i].lookup[((guint) c->code << spare) + rest];

        fail_unless (found->value == value && found->length == c->length);
      }
      if (tables[i].written) {
        fail_unless (tables[i].written[value + tables[i].offset].code
            == c->code && tables[i].written[value + tables[i].offset].length
            == c->length);
      } else {
        fail_unless (memcmp (&vlc.dc_size_codes[tables[i].codes
                    - M2V_CODES_DC_LUMINANCE][c->value], c, sizeof *c) == 0);
      }
    }
    fail_unless_equals_int (n, 0);
  }
}

GST_END_TEST;

/* Rows of the standard's tables as they stand there. */
static const struct
{
  guint table;
  const gchar *bits;
  gint run, level;
} printed[] = {
  {0, "110", 0, 1},
  {0, "0111", 1, -1},
  {0, "00101" "0", 0, 3},
  {0, "0000110" "1", 0, -4},
  {0, "00100110" "0", 0, 5},
  {0, "0000001010" "0", 0, 7},
  {0, "000000011111" "1", 17, -1},
  {0, "0000000011010" "0", 0, 12},
  {0, "00000000010000" "1", 0, -31},
  {0, "000000000010000" "0", 0, 40},
  {0, "000000000011001" "0", 1, 14},
  {0, "0000000000011011" "1", 31, -1},
  {0, "0000000000010000" "0", 1, 18},
  {1, "100", 0, 1},
  {1, "0111" "1", 0, -3},
  {1, "11111111" "0", 0, 15},
  {1, "00000011" "01" "0", 16, 1},
  {1, "000000100" "1", 5, -2},
  {1, "0000000000011011" "0", 31, 1},
};

GST_START_TEST (test_printed)
{
  for (guint i = 0; i < G_N_ELEMENTS (printed); i++) {
    guint length = strlen (printed[i].bits);
    guint bits = g_ascii_strtoull (printed[i].bits, NULL, 2);
    const M2vRunLevelLookup found = look_up (printed[i].table, FALSE,
        bits << (M2V_LONG_BITS - length));

    fail_unless (found.length == length && found.run == printed[i].run
        && found.level == printed[i].level, "%s", printed[i].bits);
  }
}

GST_END_TEST;

static Suite *
vlc_suite (void)
{
  Suite *s = suite_create ("mpeg2-vlc");
  TCase *tc = tcase_create ("vlc");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_lists);
  tcase_add_test (tc, test_increments);
  tcase_add_test (tc, test_run_levels);
  tcase_add_test (tc, test_same_coefficients);
  tcase_add_test (tc, test_lookups);
  tcase_add_test (tc, test_first);
  tcase_add_test (tc, test_codes);
  tcase_add_test (tc, test_printed);
  return s;
}

GST_CHECK_MAIN (vlc);
