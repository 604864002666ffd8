/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Types and coded order, by hand. That libavcodec does the same: rate.c, where
 * an element posts an error otherwise.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "../../rounds.h"
#include "core/structure.h"

/* In display order the source's types, and those of the output; in coded order
 * the output's types with their places in display order. `!`: an I is forced
 * before. */
typedef struct
{
  const gchar *source;
  TranscoderGop gop;
  guint max_b;
  const gchar *types, *coded;
  guint delay;
} Row;

static const Row rows[] = {
  {"IBBPBBPBBI", {0, -1, false}, 2, "IBBPBBPBBI",
      "I0 P3 B1 B2 P6 B4 B5 I9 B7 B8", 2},
  {"IPPPIPP", {0, -1, false}, 0, "IPPPIPP", "I0 P1 P2 P3 I4 P5 P6", 0},
  {"IPPPIPP", {0, -1, false}, 0, "IPPPIPP", "I0 P1 P2 P3 I4 P5 P6", 1},
  /* it may hold more B than there are */
  {"IBPBPI", {0, -1, false}, 2, "IBPBPI", "I0 P2 B1 P4 B3 I5", 2},
  /* a stream's end, a beginning with B */
  {"BBIBBPBB", {0, -1, false}, 2, "IBIBBPBB", "I0 I2 B1 P5 B3 B4 P7 B6", 2},
  {"I", {0, -1, false}, 2, "I", "I0", 2},
  /* more B than it may hold */
  {"IBBBBBP", {0, -1, false}, 2, "IBBPBBP", "I0 P3 B1 B2 P6 B4 B5", 2},
  {"IBBPBBIBBP", {0, -1, true}, 2, "IBBPBBIBBP",
      "I0 P3 B1 B2 P5 B4 I6 P9 B7 B8", 2},
  /* structures of its own */
  {"IPPPPPPIPP", {6, 2, false}, 2, "IBBPBBIBBP",
      "I0 P3 B1 B2 I6 B4 B5 P9 B7 B8", 2},
  {"IBBPBBP", {0, 0, false}, 0, "IPPPPPP", "I0 P1 P2 P3 P4 P5 P6", 0},
  {"IBBPBBP", {1, -1, false}, 0, "IIIIIII", "I0 I1 I2 I3 I4 I5 I6", 0},
  {"IBB!PBBP", {0, -1, false}, 2, "IBBIBBP", "I0 I3 B1 B2 P6 B4 B5", 2},
  {"IB!BPBBP", {0, -1, false}, 2, "IBIPBBP", "I0 I2 B1 P3 P6 B4 B5", 2},
};

static Tm5Type
type_of (gchar c)
{
  return c == 'I' ? TM5_I : c == 'P' ? TM5_P : TM5_B;
}

static void
note (GString * list, const TranscoderCoded * coded)
{
  if (list->len)
    g_string_append_c (list, ' ');
  g_string_append_printf (list, "%c%u", "IPB"[coded->type],
      (guint) coded->number);
}

GST_START_TEST (test_rows)
{
  const Row *row = &rows[__i__];
  GString *types = g_string_new (NULL), *coded = g_string_new (NULL);
  TranscoderStructure s;
  TranscoderCoded c;
  const gchar *p;
  guint n = 0;

  transcoder_structure_init (&s, &row->gop, row->max_b, row->delay);
  for (p = row->source; *p; p++) {
    Tm5Type type;

    if (*p == '!') {
      transcoder_structure_force (&s);
      continue;
    }
    type = transcoder_structure_type (&s, type_of (*p));
    g_string_append_c (types, "IPB"[type]);
    if (transcoder_structure_give (&s, type, &c)) {
      fail_unless (n >= row->delay);
      note (coded, &c);
    } else {
      fail_unless (n < row->delay);
    }
    n++;
  }
  while (transcoder_structure_drain (&s, &c))
    note (coded, &c);
  fail_unless_equals_string (types->str, row->types);
  fail_unless_equals_string (coded->str, row->coded);
  g_string_free (types, TRUE);
  g_string_free (coded, TRUE);
}

GST_END_TEST;

/* Whatever is asked for: each picture is coded once, none too late. */
GST_START_TEST (test_random)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  const TranscoderGop gop = { g_rand_int_range (rand, 0, 20),
    g_rand_int_range (rand, -1, 8), g_rand_boolean (rand)
  };
  guint max_b = g_rand_int_range (rand, 0, TRANSCODER_MAX_B + 1), run = 0;
  guint delay = max_b > 0 ? max_b : __i__ & 1;
  guint8 seen[1000] = { 0, };
  TranscoderStructure s;
  TranscoderCoded c;
  gint i, n_coded = 0;

  transcoder_structure_init (&s, &gop, max_b, delay);
  for (i = 0; i < (gint) sizeof seen; i++) {
    Tm5Type type;

    if (g_rand_int_range (rand, 0, 50) == 0)
      transcoder_structure_force (&s);
    type = transcoder_structure_type (&s, g_rand_int_range (rand, 0, 3));
    run = type == TM5_B ? run + 1 : 0;
    fail_unless (run <= max_b);
    fail_unless (i > 0 || type == TM5_I);
    if (transcoder_structure_give (&s, type, &c)) {
      fail_if (seen[c.number]++);
      n_coded++;
    }
    fail_unless_equals_int (n_coded, MAX (0, i + 1 - (gint) delay));
  }
  while (transcoder_structure_drain (&s, &c)) {
    fail_if (seen[c.number]++);
    n_coded++;
  }
  fail_unless_equals_int (n_coded, sizeof seen);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
structure_suite (void)
{
  Suite *s = suite_create ("structure");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_random, 0, (int) test_rounds (100));
  return s;
}

GST_CHECK_MAIN (structure);
