/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <h26x/dropper.h>

#define PICTURE (40 * GST_MSECOND)
#define CYCLE 256

/* Pictures in coded order, 40 ms and 100 bytes each:
 *   I  IDR; C  random access, not IDR
 *   P  refers to the last I, C or P; R  refers to that, and is referred to by
 *      what follows up to the next P
 *   b  disposable, refers to the last two of I, C, P, R
 *   1, 2  temporal layers, refer to the last of a lower layer or theirs
 *   r  leading picture of a C, refers to it and to the one before
 *   ?  cannot be read
 * and between them: S0..S4 a scale, T a target (of the row), 0 stops, U nothing
 * rules. What passes is marked `y`, `h` where it is held, `s` where it is spliced,
 * else it has the letter of its verdict. */
typedef struct
{
  H26xDropper *dropper;
  H26xDropperSettings settings;
  guint64 id;
  guint64 lower[3];             /* last of each layer */
  guint64 anchors[3];           /* last ones of layer 0, newest first */
  gint64 order, cycle, step;
  guint frame_num_limit;
  gsize key_bytes, bytes;
  H26xDecision decision;
} Stream;

static void
stream_init (Stream * s)
{
  memset (s, 0, sizeof *s);
  s->dropper = h26x_dropper_new ();
  s->settings.rule.scale = -1;
  s->settings.rule.target = -1;
  s->settings.rule.fill = true;
  s->settings.max_freeze = -1;
  s->cycle = CYCLE;
  s->step = 2;
  s->key_bytes = s->bytes = 100;
}

static void
refer (H26xPicture * p, guint64 id)
{
  p->references[p->n_references++] = id;
}

static void
make_picture (Stream * s, gchar kind, H26xPicture * p)
{
  memset (p, 0, sizeof *p);
  p->id = ++s->id;
  p->readable = kind != '?';
  p->random_access = kind == 'I' || kind == 'C';
  p->idr = kind == 'I';
  p->disposable = kind == 'b' || kind == 'r';
  p->leading = kind == 'r';
  p->layer = kind == '1' || kind == '2' ? (guint) (kind - '0') : 0;
  p->counts = strchr ("ICPR", kind) != NULL;
  p->order_cycle = (guint) s->cycle;
  p->frame_num_gap_limit = s->frame_num_limit;
  if (kind == 'I')
    s->order = 0;
  else if (p->counts || p->layer > 0)
    s->order += s->step;
  p->order = p->disposable ? s->order - 1 : s->order;
  if (kind == 'P' || kind == 'R')
    refer (p, s->anchors[0]);
  if (p->disposable)
    refer (p, s->anchors[1]);
  if (p->disposable)
    refer (p, s->anchors[0]);
  if (p->layer > 0) {
    refer (p, s->lower[p->layer - 1]);
    s->lower[p->layer] = p->id;
  } else if (p->counts) {
    s->lower[0] = s->lower[1] = s->lower[2] = p->id;
    s->anchors[1] = s->anchors[0];
    s->anchors[0] = p->id;
  }
}

static gchar
mark (const H26xDecision * d)
{
  switch (d->verdict) {
    case SCALING_BEYOND_SCALE:
      return 'n';
    case SCALING_UNDECODABLE:
      return 'u';
    case SCALING_GROUP:
      return 'g';
    default:
      return d->splice ? 's' : d->held ? 'h' : 'y';
  }
}

static gchar
push (Stream * s, gchar kind)
{
  H26xPicture p;
  H26xCodedPicture coded = { &p, s->bytes, 0, PICTURE, false };

  make_picture (s, kind, &p);
  if (p.random_access)
    coded.bytes = s->key_bytes;
  h26x_dropper_set (s->dropper, &s->settings);
  h26x_dropper_picture (s->dropper, &coded, &s->decision);
  return mark (&s->decision);
}

static void
assert_passes (Stream * s, const gchar * input, const gchar * expected)
{
  GString *got = g_string_new (NULL);

  for (const gchar * c = input; *c; c++) {
    if (*c == 'S')
      s->settings.rule.scale = *++c - '0';
    else if (*c == '0')
      s->settings.rule.target = 0;
    else if (*c == 'U')
      s->settings.rule.target = s->settings.rule.scale = -1;
    else if (*c == ' ')
      g_string_append_c (got, ' ');
    else
      g_string_append_c (got, push (s, *c));
  }
  fail_unless_equals_string (got->str, expected);
  g_string_free (got, TRUE);
  h26x_dropper_free (s->dropper);
}

static const struct
{
  const gchar *name, *input, *expected;
} rows[] = {
  {"untouched", "IPbPbPb?Pb CrPb", "yyyyyyyyyy yyyy"},
  {"scale 4", "S4IPbPbPb CrPb", "yyyyyyy yyyy"},
  {"scale 3: half of the disposable", "S3IPbPbPbPb IPbPbPbPb",
      "yyyynyyyn yyyynyyyn"},
  {"scale 2: none", "S2IPbPbPbPb IPbPb", "yynynynyn yynyn"},
  {"scale 1: the beginning", "S1IPPPPPPP IPPPPPPP IPbPbPbPb",
      "yynnnnnn yynnnnnn yynnnnnnn"},
  {"scale 0: random access", "S0IPPPPbPP IPPPPPPP CPP",
      "ynnnnnnn ynnnnnnn ynn"},
  {"parts of a group", "S2IPPPPPPP S3IPPPPPPP S2IPPPPPPP S1IPPPPPPP",
      "yyyyyyyy yyyyyynn yyyynnnn yynnnnnn"},
  {"a change of scale", "S0IPPPPS4PPP IPPP", "ynnnnuuu yyyy"},
  {"an open group's tail", "IPPPPPPP CrPPPPPPP S1CrPPPPPPP S4CrPPP",
      "yyyyyyyy yyyyyyyyy ynynnnnnn yuyyy"},
  {"stopped", "IPP0PPIPUPPPIPPCP", "yyygggggggyyyyy"},
  {"unreadable", "S0IPP?PPbPIPP", "ynnyyyyyynn"},
  {"unreadable, then random access", "S1IPP?PPbCPPP", "yynyyyyyynn"},
};

GST_START_TEST (test_rows)
{
  Stream s;

  stream_init (&s);
  GST_INFO ("%s", rows[__i__].name);
  assert_passes (&s, rows[__i__].input, rows[__i__].expected);
}

GST_END_TEST;

/* How long a tail may be, and what a decoder could not follow. */
static const struct
{
  const gchar *name;
  gint64 max_freeze;            /* pictures */
  gint64 cycle;
  guint frame_num_limit;
  gboolean allow_gaps, splices;
  const gchar *input, *expected;
} holds[] = {
  {"no tail", 0, CYCLE, 0, TRUE, FALSE,
      "S0IPbPPPPP IPbPPPPP", "yhnhhhhh yhnhhhhh"},
  {"a tail of 3", 3, CYCLE, 0, TRUE, FALSE,
      "IPPPPPPP S0IPPPPPPP IPPPPPPP", "yyyyyyyy yhhhhnnn yhhhhnnn"},
  {"frame_num: none, if the next one is no IDR", -1, CYCLE, 16, FALSE, FALSE,
      "IPPPPPPP CPPPbPPP S0CPPPbPPP CP", "yyyyyyyy yyyyyyyy yhhhnhhh yh"},
  {"frame_num: gaps allowed", -1, CYCLE, 16, TRUE, FALSE,
      "IPPPPPPP CPPPPPPP S0CPPPPPPP CP", "yyyyyyyy yyyyyyyy ynnnnnnn yn"},
  {"frame_num: closed groups", -1, CYCLE, 16, FALSE, FALSE,
      "S0IPPPPbPPS4PPP IPPPP", "ynnnnnnnuuu yyyyy"},
  {"layers are no layers where gaps are not allowed", -1, CYCLE, 16, FALSE,
      FALSE, "IP1P1P1 IP1P1P1 S2IP1P1P1", "yyyyyyy yyyyyyy yyyynnn"},
  {"layers", -1, CYCLE, 16, TRUE, FALSE,
      "IP12P12 IP12P12 S2IP12P12 S3IP12P12", "yyyyyyy yyyyyyy yynnynn yyynyyn"},
  {"order: an anchor stays", -1, 16, 0, TRUE, FALSE,
        "IPPPPPPP CPPPPPPP S0CPPPPPPP CPPPPPPP CP",
      "yyyyyyyy yyyyyyyy yhhhhhnn yhhhhhnn yh"},
  {"order: spliced instead", -1, 16, 0, TRUE, TRUE,
        "IPPPPPPP CPPPPPPP S0CPPPPPPP CPPPPPPP CP",
      "yyyyyyyy yyyyyyyy ynnnnnnn snnnnnnn sn"},
  {"order: nothing foretold it", -1, 16, 0, TRUE, FALSE,
        "IPPPPPPP S0IPPPPPPP CPPP CPPP CPPP IPPP",
      "yyyyyyyy ynnnnnnn uuuu uuuu uuuu yhnn"},
};

GST_START_TEST (test_holds)
{
  Stream s;

  stream_init (&s);
  s.settings.max_freeze = holds[__i__].max_freeze * (gint64) PICTURE;
  s.settings.allow_gaps = holds[__i__].allow_gaps;
  s.settings.splices = holds[__i__].splices;
  s.cycle = holds[__i__].cycle;
  s.frame_num_limit = holds[__i__].frame_num_limit;
  GST_INFO ("%s", holds[__i__].name);
  assert_passes (&s, holds[__i__].input, holds[__i__].expected);
}

GST_END_TEST;

/* Groups of a second, with and without disposable pictures, at a share of their
 * rate: bytes of each group, and pictures. */
static const struct
{
  const gchar *group;
  gsize key_bytes;
  guint percent;
  guint least;                  /* pictures of a group */
} targets[] = {
  /* as of a camera, of which an I picture is less than a tenth */
  {"IPPPPPPPPPPPPPPPPPPPPPPPP", 200, 55, 13},
  {"IPPPPPPPPPPPPPPPPPPPPPPPP", 500, 100, 25},
  {"IPPPPPPPPPPPPPPPPPPPPPPPP", 500, 85, 20},
  {"IPPPPPPPPPPPPPPPPPPPPPPPP", 500, 55, 11},
  {"IPRbbPRbbPRbbPRbbPRbbPRbb", 500, 55, 11},
  {"IPbbbPbbbPbbbPbbbPbbbPbbb", 500, 55, 11},
  {"IPbbbPbbbPbbbPbbbPbbbPbbb", 500, 20, 1},
};

GST_START_TEST (test_target)
{
  Stream s;
  const gsize group = 25;
  gsize all;

  stream_init (&s);
  s.key_bytes = targets[__i__].key_bytes;
  all = s.key_bytes + s.bytes * (group - 1);
  for (guint i = 0; i < 10; i++) {
    guint passed = 0;
    gsize bytes = 0;

    s.settings.rule.target = (gint64) (8 * all * targets[__i__].percent / 100);
    for (gsize n = 0; n < group; n++) {
      gchar c = push (&s, targets[__i__].group[n]);

      passed += c == 'y';
      bytes += c == 'y' ? n == 0 ? s.key_bytes : s.bytes : 0;
    }
    if (i < 1)
      continue;
    fail_unless (passed >= targets[__i__].least, "%u", passed);
    fail_unless (bytes * 100 <= all * targets[__i__].percent);
  }
  h26x_dropper_free (s.dropper);
}

GST_END_TEST;

/* Groups go where their key pictures are too much, and evenly. */
GST_START_TEST (test_groups_go)
{
  Stream s;
  GString *got = g_string_new (NULL);

  stream_init (&s);
  s.settings.rule.target = 8 * 25 * 25;
  for (guint i = 0; i < 12; i++) {
    g_string_append_c (got, push (&s, 'I'));
    fail_unless_equals_int (push (&s, 'P'), got->str[i] == 'g' ? 'g' :
        i == 0 ? 'y' : 'n');
  }
  fail_unless_equals_string (got->str, "ygygygygygyg");
  h26x_dropper_free (s.dropper);
  g_string_free (got, TRUE);
}

GST_END_TEST;

/* Before its turn where a receiver asks for it, and its turn is then left out. */
GST_START_TEST (test_key_request)
{
  static const gchar *const passes[] = { "ygggygggyggg", "yggyggggyggg" };
  Stream s;
  GString *got = g_string_new (NULL);

  stream_init (&s);
  s.settings.rule.target = 8 * 25 * 25 / 2;
  for (guint i = 0; i < 12; i++) {
    if (i == 3 && __i__)
      h26x_dropper_want_key (s.dropper);
    g_string_append_c (got, push (&s, 'I'));
    push (&s, 'P');
  }
  fail_unless_equals_string (got->str, passes[__i__]);
  h26x_dropper_free (s.dropper);
  g_string_free (got, TRUE);
}

GST_END_TEST;

/* Filler data goes first. */
GST_START_TEST (test_filler)
{
  Stream s;
  H26xDropperStats stats;
  H26xDecision decision;

  stream_init (&s);
  s.settings.rule.target = 8 * 60 * 25;
  for (guint i = 0; i < 100; i++) {
    H26xPicture p;
    H26xCodedPicture coded = { &p, 100, 40, PICTURE, false };

    make_picture (&s, i % 25 ? 'P' : 'I', &p);
    if (i == 75)
      s.settings.rule.target = -1;
    h26x_dropper_set (s.dropper, &s.settings);
    h26x_dropper_picture (s.dropper, &coded, &decision);
    fail_unless (decision.verdict == SCALING_PASS
        || decision.verdict == SCALING_FILL);
    fail_unless_equals_int (decision.without_filler, i < 75);
  }
  h26x_dropper_stats (s.dropper, &stats);
  fail_unless_equals_uint64 (stats.filler_bytes, 75 * 40);
  fail_unless_equals_uint64 (stats.bytes_in, 100 * 100);
  fail_unless_equals_uint64 (stats.bytes_out, 100 * 100 - 75 * 40);
  fail_unless_equals_int64 (h26x_dropper_rate (s.dropper, 4), 8 * 60 * 25);
  h26x_dropper_free (s.dropper);
}

GST_END_TEST;

/* Pictures in two parts, of which the second is the larger one: both count, and a
 * group with its second parts keeps to the target. */
GST_START_TEST (test_more)
{
  const guint group = 25;
  Stream s;
  H26xDropperStats stats;
  gsize bytes = 0, all = 0;

  stream_init (&s);
  s.settings.rule.target = 8 * 25 * 300;
  for (guint i = 0; i < 8 * group; i++) {
    H26xPicture p;
    H26xCodedPicture first = { &p, 100, 0, PICTURE / 2, false };
    H26xCodedPicture second = { &p, 500, 100, PICTURE / 2, false };
    H26xDecision decision;
    guint n = i % group;

    make_picture (&s, n == 0 ? 'I' : n % 2 ? 'b' : 'P', &p);
    if (n == 0)
      bytes = 0;
    h26x_dropper_set (s.dropper, &s.settings);
    h26x_dropper_picture (s.dropper, &first, &s.decision);
    h26x_dropper_more (s.dropper, &second, &decision);
    fail_unless (memcmp (&decision, &s.decision, sizeof decision) == 0);
    if (decision.verdict == SCALING_PASS || decision.verdict == SCALING_FILL)
      bytes += 500;
    all += s.decision.verdict <= SCALING_FILL ? 500 : 0;
    fail_unless (i < 2 * group || bytes <= 300 * group);
    fail_unless (n < group - 1 || bytes > 250 * group);
  }
  h26x_dropper_stats (s.dropper, &stats);
  fail_unless_equals_uint64 (stats.pictures, 8 * group);
  fail_unless_equals_uint64 (stats.bytes_in, 8 * group * 600);
  fail_unless_equals_uint64 (stats.bytes_out, all);
  fail_unless_equals_uint64 (stats.filler_bytes, 100 * stats.passed);
  fail_unless_equals_int64 (h26x_dropper_rate (s.dropper, 4), 8 * 25 * 500);
  h26x_dropper_free (s.dropper);
}

GST_END_TEST;

/* After a flush nothing is known of before, and a stream that is stopped waits
 * for a random-access picture. */
GST_START_TEST (test_reset)
{
  Stream s;

  stream_init (&s);
  fail_unless_equals_int (push (&s, 'I'), 'y');
  fail_unless_equals_int (push (&s, 'P'), 'y');
  s.settings.rule.scale = 4;
  h26x_dropper_reset (s.dropper, true);
  fail_unless_equals_int (push (&s, 'P'), 'u');
  fail_unless_equals_int (push (&s, 'I'), 'y');
  s.settings.rule.scale = -1;
  s.settings.rule.target = 0;
  fail_unless_equals_int (push (&s, 'P'), 'g');
  h26x_dropper_reset (s.dropper, true);
  s.settings.rule.target = -1;
  fail_unless_equals_int (push (&s, '?'), 'g');
  fail_unless_equals_int (push (&s, 'C'), 'y');
  h26x_dropper_free (s.dropper);
  h26x_dropper_free (NULL);
}

GST_END_TEST;

/* Who knows the codec has the last word. */
static bool
decodes (void *data, const H26xPicture * picture)
{
  return picture->id % 2 == *(guint *) data;
}

GST_START_TEST (test_decodes)
{
  Stream s;
  guint odd = 1;

  stream_init (&s);
  s.settings.decodes = decodes;
  s.settings.decodes_data = &odd;
  assert_passes (&s, "IPPII", "yuuuy");
}

GST_END_TEST;

static Suite *
dropper_suite (void)
{
  Suite *s = suite_create ("h26x-dropper");
  TCase *tc = tcase_create ("rules");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_holds, 0, G_N_ELEMENTS (holds));
  tcase_add_loop_test (tc, test_target, 0, G_N_ELEMENTS (targets));
  tcase_add_test (tc, test_groups_go);
  tcase_add_loop_test (tc, test_key_request, 0, 2);
  tcase_add_test (tc, test_filler);
  tcase_add_test (tc, test_more);
  tcase_add_test (tc, test_reset);
  tcase_add_test (tc, test_decodes);
  return s;
}

GST_CHECK_MAIN (dropper);
