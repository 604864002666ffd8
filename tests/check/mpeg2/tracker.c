/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2/tracker.h>

/* Streams as words, in coded order. A word is '+' (must be decodable) or '!'
 * (must not be), the type (I, P, B, D, or X: unreadable), temporal_reference,
 * then: o, c, b: opens an open group, a closed one, one with broken_link (and
 * closed_gop); '-': is dropped. The word "|" is a discontinuity. */
static const struct
{
  const gchar *what;
  const gchar *stream;
} rows[] = {
  {"nothing dropped", "+I0c +P3 +B1 +B2 +I6o +B4 +B5 +P9 +B7 +B8"},
  {"an open group at the start", "+I2o +B0 +B1 +P5 +B3 +B4"},
  {"a start in the middle", "+B3 +P6 +B4 +I2o +B0 +B1"},
  {"B dropped: nothing depends on it", "+I0c +P3 +B1- +B2- +P6 +B4- +B5"},
  {"P dropped: the group until the next I",
      "+I0c +P3- !B1 !B2 !P6 !B4 !B5 !P9 !B7 +I0c +P3 +B1"},
  {"the last P dropped takes the open group's leading B",
      "+I0c +P3- !B1 +I4o !B2 !B3 +P7 +B5 +B6"},
  {"but not a closed group's", "+I0c +P3- !B1 +I2c +B0 +B1 +P5 +B3 +B4"},
  {"broken_link undoes closed_gop", "+I0c +P3- !B1 +I2b !B0 !B1 +P5 +B3"},
  {"without a drop broken_link's B go through", "+I0c +P3 +I2b +B0 +B1"},
  {"a closed group's I dropped", "+I0c +P3 +I2c- !B0 !B1 !P5 !B3 +I2c +B0"},
  {"an open group's I dropped", "+I0c +P3 +I5o- !B4 !P8 +I11o !B9 !B10 +P14"},
  {"only those displayed before the I lead",
      "+I0c +P3- !B1 +I2c +B1 !B3 +P5 +B4"},
  {"only those before the next anchor lead",
      "+I5c- !B0 !P8 +I2c +P5- !B1 !B3 +I8o !B1 !B7"},
  {"an I without group header is an open group's",
      "+I0c +P3- +I2 !B0 !B1 +P5 +B3"},
  {"a group header before a P says nothing", "+I0c +P3- !P8c !B1 +I9o !B8"},
  {"leading closed ends with the next anchor, as does what it needs",
      "+I0c +P3- +I9c +B1 +P12 +B1 +P15- !B1"},
  {"discontinuity", "+I0c +P3 | !B1 !B2 !P6 !B4 +I9o !B7 !B8 +P12 +B10"},
  {"discontinuity, closed group", "+I0c +P3 | !B1 !P6 +I2c +B0 +B1 +P5 +B3"},
  {"discontinuity inside leading B", "+I0c +I3c +B1 | !B2 !P6 +I3c +B1"},
  {"no I: P always pass", "+P0 +P1- +P2 +P3- +P4 | +P5 +P6"},
  {"no I: B need both anchors",
      "+P0 +P3 +B1 +P6- !B4 !B5 +P9 !B7 +P12 +B10 | !B11 +P15 !B13 +P18 +B16"},
  {"no I: a group header makes no P one", "+P0- +P3c !B1 +P6 +B4"},
  {"a dropped I is an I seen", "+P0 +I1- !P2 !P3 +I4 +P5 | !P6"},
  {"unreadable, passed: changes nothing",
      "+I0c +P3 +X0 +B1 +P6 +X0 +I9o +B7"},
  {"unreadable, dropped: may be missing anywhere",
      "+I0c +P3 +X0- !B1 !P6 !B4 !X0 +I9o !B7 +P12 +B10 +X0"},
  {"unreadable, dropped within a closed group's leading B",
      "+I0c +P1 +I4c +B1 +X0- !B2 !P7"},
  {"unreadable needs all that any type needs",
      "+X0 +I0c +X0 +P3- !X0 +I6c +B4 +P9 +X0 +P12- +I2c !X0 !B0"},
  {"unreadable is no I", "+X0 +P1- +P2 | +P3"},
  {"D depends on nothing and is no reference",
      "+D0 +D1- +I0c +D1- +P3 +B1 | +D0 !P4 +D1 +I5o +D0 !B4"},
};

typedef struct
{
  M2vFrame frame;
  gboolean discont, decodable, dropped;
} Word;

static void
parse_word (const gchar * word, Word * w)
{
  static const gchar types[] = " IPBD";
  gchar *end;

  memset (w, 0, sizeof *w);
  w->discont = word[0] == '|';
  if (w->discont)
    return;
  fail_unless (word[0] == '+' || word[0] == '!');
  w->decodable = word[0] == '+';
  w->frame.n_pictures = 1;
  w->frame.valid = word[1] != 'X';
  if (w->frame.valid) {
    fail_unless (strchr (types, word[1]) != NULL);
    w->frame.type = strchr (types, word[1]) - types;
  }
  w->frame.temporal_reference = strtoul (word + 2, &end, 10);
  for (; *end != '\0'; end++) {
    if (*end == '-') {
      w->dropped = TRUE;
      continue;
    }
    fail_unless (strchr ("ocb", *end) != NULL);
    w->frame.starts_group = TRUE;
    w->frame.closed_group = *end != 'o';
    w->frame.broken_link = *end == 'b';
  }
}

GST_START_TEST (streams)
{
  gchar **words = g_strsplit (rows[__i__].stream, " ", -1);
  M2vTracker t;

  m2v_tracker_init (&t);
  for (guint i = 0; words[i] != NULL; i++) {
    Word w;

    parse_word (words[i], &w);
    if (w.discont) {
      m2v_tracker_discont (&t);
      continue;
    }
    fail_unless (m2v_tracker_decodable (&t, &w.frame) == w.decodable,
        "%s: word %u, %s", rows[__i__].what, i, words[i]);
    m2v_tracker_note (&t, &w.frame, w.decodable && !w.dropped);
  }
  g_strfreev (words);
}

GST_END_TEST;

/* The same from the references themselves: a random stream of groups, random
 * drops; what is passed on must have all its references passed on, and what is
 * held back must lack one. */

#define N_FRAMES 400

typedef struct
{
  M2vFrame frame;
  gint references[2];           /* indices; -1: none */
  guint n_references;           /* and none that the stream begins without */
  gboolean passed;
} Coded;

static void
code (Coded * frame, M2vPictureType type, guint temporal_reference, gint past,
    gint last)
{
  memset (frame, 0, sizeof *frame);
  frame->frame.valid = TRUE;
  frame->frame.n_pictures = 1;
  frame->frame.type = type;
  frame->frame.temporal_reference = temporal_reference;
  frame->references[0] = past;
  frame->references[1] = last;
}

/* Groups of random length, closed or open, each I and P followed by the B
 * displayed before it. */
static guint
code_stream (GRand * rand, Coded * frames)
{
  gint past = -1, last = -1;
  guint n = 0;

  while (n + 4 < N_FRAMES) {
    gboolean closed = g_rand_boolean (rand);
    guint n_anchors = g_rand_int_range (rand, 1, 6), reference = 0;

    for (guint a = 0; a < n_anchors && n + 4 < N_FRAMES; a++) {
      guint n_b = g_rand_int_range (rand, 0, 4);

      past = last;
      last = n;
      code (&frames[n], a == 0 ? M2V_PICTURE_I : M2V_PICTURE_P,
          reference + n_b, -1, a == 0 ? -1 : past);
      if (a == 0) {
        frames[n].frame.starts_group = TRUE;
        frames[n].frame.closed_group = closed;
      }
      frames[n++].n_references = a == 0 ? 0 : 1;
      for (guint b = 0; b < n_b; b++) {
        code (&frames[n], M2V_PICTURE_B, reference + b,
            a == 0 && closed ? -1 : past, last);
        frames[n++].n_references = a == 0 && closed ? 1 : 2;
      }
      reference += n_b + 1;
    }
  }
  return n;
}

static gboolean
has_references (const Coded * frames, const Coded * frame)
{
  for (guint i = 0; i < 2; i++) {
    if (frame->references[i] >= 0 && !frames[frame->references[i]].passed)
      return FALSE;
  }
  return TRUE;
}

GST_START_TEST (random_drops)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  Coded *frames = g_new (Coded, N_FRAMES);
  guint n = code_stream (rand, frames), n_held = 0, n_passed = 0;
  gdouble share = g_rand_double_range (rand, 0.02, 0.4);
  M2vTracker t;

  m2v_tracker_init (&t);
  for (guint i = 0; i < n; i++) {
    gboolean decodable = m2v_tracker_decodable (&t, &frames[i].frame);

    fail_unless_equals_int (decodable, has_references (frames, &frames[i]));
    fail_unless_equals_int (m2v_tracker_references (&t, &frames[i].frame),
        frames[i].n_references);
    frames[i].passed = decodable && g_rand_double (rand) > share;
    m2v_tracker_note (&t, &frames[i].frame, frames[i].passed);
    n_held += !decodable;
    n_passed += frames[i].passed;
  }
  fail_unless (n_held > 0 && n_passed > 0);
  g_free (frames);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
tracker_suite (void)
{
  Suite *s = suite_create ("mpeg2-tracker");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, streams, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, random_drops, 0, 50);
  return s;
}

GST_CHECK_MAIN (tracker);
