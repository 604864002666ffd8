/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2/clock.h>

static const M2vSequence pal = {
  .frame_rate_num = 25,
  .frame_rate_den = 1
};

static const M2vSequence film_at_60 = {
  .frame_rate_num = 25,
  .frame_rate_den = 1,
  .progressive = true
};

static const M2vSequence low_delay = {
  .frame_rate_num = 25,
  .frame_rate_den = 1,
  .low_delay = true
};

static const M2vSequence ntsc = {
  .frame_rate_num = 30000,
  .frame_rate_den = 1001
};

/* Frames in coded order: type, temporal_reference, g: a GOP header precedes,
 * d: discontinuity, b: the bottom field first, :fields it is displayed, @PTS,
 * #DTS, =its time; in ms at 25 frames/s, a field is 20 ms. */
/* *INDENT-OFF* */
static const struct
{
  const char *name;
  const M2vSequence *sequence;
  const char *frames;
} rows[] = {
  {"closed groups", &pal,
      "I0g=0 P3=120 B1=40 B2=80 P6=240 B4=160 B5=200 "
      "I0g=280 P3=400 B1=320 B2=360"},
  {"open groups", &pal,
      "I2g=80 B0=0 B1=40 P5=200 B3=120 B4=160 I2g=320 B0=240 B1=280"},
  {"closed, then open", &pal,
      "I0g=0 P3=120 B1=40 B2=80 I2g=240 B0=160 B1=200 P5=360"},
  {"no B", &pal, "I0g=0 P1=40 P2=80 P3=120 I0g=160 P1=200"},
  {"one B", &pal, "I0g=0 P2=80 B1=40 P4=160 B3=120 I1g=240 B0=200"},
  {"D pictures", &film_at_60, "D0g=0 D1=40 D2=80 D0g=120"},
  {"sequence unknown", NULL, "I0g=0 P3=120 B1=40 B2=80"},

  /* 3:2 pulldown in its four phases; each P is right before its B are seen. */
  {"pulldown from top, 3 fields", &pal,
      "I0g:3=0 P3=160 B1b=60 B2b:3=100 P6b:3=300 B4:3=200 B5b=260 "
      "P9b=460 B7=360 B8:3=400"},
  {"pulldown from bottom, 2 fields", &pal,
      "I0gb=0 P3:3=140 B1b:3=40 B2=100 P6=300 B4b=200 B5b:3=240"},
  {"pulldown from bottom, 3 fields", &pal,
      "I0gb:3=0 P3b=160 B1=60 B2:3=100 P6:3=300 B4b:3=200 B5=260"},
  {"pulldown from top, 2 fields", &pal,
      "I0g=0 P3b:3=140 B1:3=40 B2b=100 P6b=300 B4=200 B5:3=240"},
  {"pulldown, open groups", &pal,
      "I0g:3=0 P3=160 B1b=60 B2b:3=100 I2gb:3=300 B0:3=200 B1b=260 "
      "P5b=460 B3=360 B4:3=400"},
  {"pulldown, one B", &pal,
      "I0g:3=0 P2b:3=100 B1b=60 P4:3=200 B3=160 P6b:3=300 B5b=260"},
  {"pulldown, three B", &pal,
      "I0g:3=0 P4:3=200 B1b=60 B2b:3=100 B3=160 P8:3=400 B5b=260 B6b:3=300 "
      "B7=360"},
  {"film turns to video", &pal,
      "I0g:3=0 P3=160 B1b=60 B2b:3=100 P6=280 B4=200 B5=240 P9=400 B7=320"},
  {"video turns to film", &pal,
      "I0g=0 P3=120 B1=40 B2=80 P6b:3=260 B4:3=160 B5b=220 P9b=420"},
  /* 3 + 3 look like 2 + 2 from behind: the next ones are right again. */
  {"irregular", &pal,
      "I0g=0 P3=120 B1:3=40 B2b:3=100 P6=280 B4=200 B5=240"},
  {"progressive sequence", &film_at_60,
      "I0g:4=0 P1:6=80 P2:4=200 P3:6=280 P5:6=480 B4:4=400 P8:4=800 B6:4=600 "
      "B7:6=680"},
  {"progressive sequence, all doubled", &film_at_60,
      "I0g:4=0 P3:4=240 B1:4=80 B2:4=160"},

  {"one PTS", &pal,
      "I0g@1000=1000 P3=1120 B1=1040 B2=1080 I2g=1240 B0=1160 B1=1200"},
  {"PTS of some", &pal,
      "I0g@1000=1000 P3=1120 B1@1040=1040 B2=1080 P6@1240=1240 B4=1160"},
  {"repeated PTS", &pal,
      "I0g@1000=1000 P3@1120=1120 B1@1040=1040 B2@1040=1080 P6@1240=1240 "
      "B4@1240=1160 B5=1200"},
  {"PTS of B only", &pal,
      "I0g=0 P3=120 B1@566=566 B2@606=606 P6=766 B4@686=686 B5@726=726"},
  {"wrong PTS of an open group's I", &pal,
      "I2g@5000=5000 B0@500=500 B1=540"},
  {"first PTS on B of an open group", &pal,
      "I2g=80 B0@500=500 B1=540 P5=700 B3=620"},
  {"PTS of an open group's I only, pulldown", &pal,
      "I2gb:3@1000=1000 B0:3=900 B1b=960 P5b=1160 B3=1060 B4:3=1100"},
  {"a reference's PTS given to its B", &pal,
      "I0g@1000=1000 P3=1120 B1@1120=1040 B2=1080 P6=1240 B4@1160=1160"},
  {"a B picture's PTS given to the next one", &pal,
      "I0g@1000=1000 P3@1120=1120 B1=1040 B2@1040=1080 P6@1240=1240"},
  /* mplex 2.1 on field pictures: references a frame early. */
  {"B late, references right", &pal,
      "I0g@320=320 P3@440=440 B1@400=360 B2@400=400 P6@560=560 B4@520=480 "
      "B5@520=520 I2g@680=680 B0@640=600 B1@640=640"},
  /* filesrc ! mpegvideoparse ! mpegtsmux. */
  {"DTS as PTS", &pal,
      "I0g@125#125=125 P3@165#165=245 B1@205#205=165 B2@245#245=205 "
      "P6@285#285=365 B4@325#325=285 B5@365#365=325"},
  {"DTS as PTS, pulldown", &pal,
      "I0g:3@100#100=100 P3@140#140=260 B1b@190#190=160 B2b:3@220#220=200 "
      "P6b:3@270#270=400 B4:3@310#310=300 B5b@360#360=360"},
  /* filesrc ! avidemux ! mpegvideoparse. */
  {"DTS as PTS of I only", &pal,
      "I0g@0#0=0 P3#40=120 B1#80=40 B2#120=80 "
      "I2g@160#160=240 B0#200=160 B1#240=200 P3#280=280 "
      "I2g@320#320=400 B0#360=320 B1#400=360 P3#440=440"},
  {"DTS that are PTS", &pal,
      "I0g@1000#1000=1000 P3@1139#1139=1139 B1@1028#1028=1028"},
  {"a field early", &pal, "I0g:3@0=0 P3@140=160 B1b=60"},
  {"a wrong PTS that is no DTS", &pal,
      "I0g@1000=1000 P3@1050#960=1120 B1@1045=1045"},
  {"film with uniform PTS", &pal,
      "I0g:3@0=0 P1b@50=50 P2b:3@100=100 P3@150=150 P4:3=190"},
  {"unforeseen durations", &film_at_60,
      "I0g@1000=1000 P3@1240=1240 B1:6=1040 B2:4=1160 P4=1280"},
  {"the first PTS is wrong", &pal,
      "I0g@900=900 P3@400=1020 B1@320=320 B2@360=360 P6@520=520 B4=440"},
  {"jitter", &pal,
      "I0g@1000=1000 P1@1039=1039 P2@1081=1081 P3=1121 P4@1158=1158"},
  {"frames dropped before the coder", &pal,
      "I0g@0=0 P1@40=40 P2@280=280 P3=320 P6@480=480 B4@400=400 B5=440"},
  {"PTS jump on", &pal, "I0g@0=0 P1@40=40 I2g@5000=5000 B0=4920 B1=4960"},
  {"PTS jump back", &pal, "I0g@5000=5000 P1@5040=5040 I0g@40=40 P1=80"},
  /* Two have to say so. */
  {"PTS jump back a little", &pal,
      "I0g@5000=5000 P1@5040=5040 I0g@4640=5080 P1@4680=4680 P2=4720"},
  {"discontinuity", &pal,
      "I0g@5000=5000 P1@5040=5040 I0gd@4640=4640 P1=4680"},
  {"discontinuity, the same PTS", &pal, "I0g@0=0 P1=40 I0gd@0=0 P1=40"},
  {"discontinuity, DTS", &pal, "I0g#0=40 P1#40=80 I2gd#500=620 B0=540"},
  {"discontinuity within a group, DTS", &pal,
      "I0g#0=40 P1#40=80 P2d#500=120"},
  {"discontinuity, no stamps", &pal, "I0g#0=40 P1#40=80 I0gd=120 P1=160"},

  {"DTS only", &pal, "I0g#100=140 P3#140=260 B1#999=180 B2=220"},
  {"DTS only, open group", &pal, "I2g#100=220 B0#140=140 B1#180=180 P5=340"},
  {"DTS only, DTS jump", &pal, "I0g#100=140 P1#140=180 I0g#999=220"},
  {"DTS only, low delay", &low_delay, "I0g#100=100 P1#140=140"},

  {"no GOP headers, counting wraps", &pal,
      "I1021=0 P1023=80 B1022=40 P1=160 B0=120 P3=240 B2=200"},
  {"no GOP headers, leading B", &pal,
      "I57@1000=1000 B55=920 B56=960 P60=1120 B58=1040 B59=1080"},
  {"no GOP headers, leading B, pulldown", &pal,
      "I57b:3@1000=1000 B55:3=900 B56b=960 P60b=1160 B58=1060"},
  {"leading B before time 0", &pal, "I57@50=50 B55=0 B56=10"},
  {"begins with B", &pal, "B4=0 B5=40 P9=200 B7=120 B8=160"},
  {"leading B go back", &pal,
      "I57@1000=1000 B55@920=920 B56=960 B54=1040 P60=1280"},
  {"B far before the first reference", &pal, "I500=0 B300=40"},
  {"begins with B, then goes back", &pal, "B4=0 B5=40 P9=200 B2=320"},
  {"begins within, then goes back", &pal,
      "I57=0 P60=120 B58=40 B59=80 B55=160"},

  {"B lost", &pal, "I0g=0 P3=120 B2=80 P6=240 B4=160 B5=200"},
  {"all B lost", &pal, "I0g=0 P3=120 P6=240 I2g=360 P5=480"},
  {"B lost, pulldown", &pal,
      "I0g:3=0 P3=160 B2b:3=100 P6b:3=300 B4:3=200 B5b=260 P9b=460 B8:3=400 "
      "P12:3=600 P15b:3=740"},
  {"P lost", &pal,
      "I0g=0 P3=120 B1=40 B2=80 B4=160 B5=200 P9=360 B7=280 B8=320"},
  {"I and GOP header lost", &pal,
      "I0g=0 P3=120 B1=40 B2=80 B0=160 B1=200 P5=360 B3=280 B4=320"},
  {"I, B and GOP header lost", &pal,
      "I0g=0 P3=120 B1=40 B2=80 P6=240 B4=160 B5=200 P5=480 B3=400 B4=440"},
  {"broken reference, back", &pal, "I0g=0 P20=800 P18=840 P19=880"},
  {"the same reference again", &pal, "I0g=0 P3=120 P3=160 P6=280 B4=200"},
  {"broken reference", &pal,
      "I0g=0 P300=40 B1=40 B2=80 P6=240 B4=160 B5=200 P9=360"},
  {"broken B reference", &pal,
      "I0g=0 P3=120 B200=40 B2=80 P6=240 B4=160 B5=200 P9=360"},
  {"frames far ahead", &pal,
      "I0g=0 P1=40 P500=80 P501=120 P502=160 P504=240 B503=200"},
  {"frames far ahead, B", &pal, "I0g=0 P300=40 B301=80 P303=160 B302=120"},
  {"always 0", &pal, "I0g=0 P0=40 P0=80 I0g=120 P0=160"},
};

/* The segment starts at 566 ms. */
static const struct
{
  const char *name;
  const char *frames;
} late_rows[] = {
  {"no stamps", "I2g=646 B0=566 B1=606 P5=766 B3=686 B4=726"},
  /* What ffmpeg writes of an elementary stream, and mpegpsdemux makes of it. */
  {"PTS of B",
      "I0g=566 P3=686 B1@566#566=566 B2@606#606=606 P6#640=766 B4@686#686=686"},
  {"first PTS on P", "I0g=566 P3@686=686 B1=606 B2=646"},
  {"no GOP headers, leading B", "I57=566 B55=566 B56=566 P60=686 B58=606"},
  /* What is decoded to begin in the midst of a group. */
  {"DTS before", "I0g#486=526 P3#526=646 B1#566=566 B2#606=606"},
  {"PTS before", "I0g@526=526 P3=646 B1=566 B2=606"},
};
/* *INDENT-ON* */

typedef struct
{
  M2vClockFrame frame;
  int64_t time;
} Step;

static int64_t
read_time (const char **p)
{
  return g_ascii_strtoll (*p + 1, (char **) p, 10) * GST_MSECOND;
}

static Step
read_step (const char **p, const M2vSequence * sequence)
{
  Step s = { {.sequence = sequence,.top_field_first = true,.n_fields = 2,
      .pts = M2V_TIME_NONE,.dts = M2V_TIME_NONE}, M2V_TIME_NONE
  };

  s.frame.type = 1 + (strchr ("IPBD", **p) - "IPBD");
  s.frame.temporal_reference = strtoul (*p + 1, (char **) p, 10);
  while (**p && **p != ' ') {
    if (**p == '@')
      s.frame.pts = read_time (p);
    else if (**p == '#')
      s.frame.dts = read_time (p);
    else if (**p == '=')
      s.time = read_time (p);
    else if (**p == ':')
      s.frame.n_fields = strtoul (*p + 1, (char **) p, 10);
    else {
      s.frame.starts_group |= **p == 'g';
      s.frame.discont |= **p == 'd';
      s.frame.top_field_first &= **p != 'b';
      (*p)++;
    }
  }
  *p += strspn (*p, " ");
  return s;
}

static void
check_row (M2vClock * clock, const char *name, const M2vSequence * sequence,
    const char *frames)
{
  while (*frames) {
    const char *at = frames;
    Step s = read_step (&frames, sequence);
    int64_t t = m2v_clock_next (clock, &s.frame);

    fail_unless (t == s.time, "%s: %.*s: %" G_GINT64_FORMAT " us", name,
        (int) strcspn (at, " "), at, t / 1000);
  }
}

GST_START_TEST (test_rows)
{
  M2vClock *clock = m2v_clock_new ();

  /* A reset clock is a new one. */
  for (int run = 0; run < 2; run++) {
    check_row (clock, rows[__i__].name, rows[__i__].sequence,
        rows[__i__].frames);
    m2v_clock_reset (clock, 0);
  }
  m2v_clock_free (clock);
}

GST_END_TEST;

GST_START_TEST (test_late_rows)
{
  M2vClock *clock = m2v_clock_new ();

  m2v_clock_reset (clock, 566 * GST_MSECOND);
  check_row (clock, late_rows[__i__].name, &pal, late_rows[__i__].frames);
  m2v_clock_free (clock);
}

GST_END_TEST;

/* Frames of random groups in display order, then in coded order. */
typedef struct
{
  M2vClockFrame frame;
  int64_t position;             /* true, in fields */
  bool exact;                   /* none displayed before is coded later */
} Shown;

#define MAX_GROUP 64

typedef struct
{
  GRand *rand;
  int64_t position;
  bool top;
  bool film;                    /* regular 3:2 pulldown, else any durations */
  bool three;                   /* the next of film is displayed 3 fields */
  unsigned max_b;
} Source;

static M2vClockFrame
show (Source * s, unsigned temporal_reference)
{
  M2vClockFrame f = {.sequence = &ntsc,.type = M2V_PICTURE_B,
    .temporal_reference = temporal_reference,.top_field_first = s->top,
    .pts = M2V_TIME_NONE,.dts = M2V_TIME_NONE
  };

  s->three = s->film ? !s->three : g_rand_boolean (s->rand);
  f.n_fields = s->three ? 3 : 2;
  s->top ^= s->three;
  return f;
}

/* A random group in coded order; returns how many frames. */
static unsigned
random_group (Source * s, bool first, Shown out[MAX_GROUP])
{
  Shown shown[MAX_GROUP];
  unsigned n_anchors = g_rand_int_range (s->rand, 1, 8), n = 0, n_out = 0;
  bool open = !first && g_rand_boolean (s->rand);

  for (unsigned i = 0; i < n_anchors; i++) {
    unsigned begin = n;

    if (i > 0 || open)
      n += g_rand_int_range (s->rand, 0, s->max_b + 1);
    for (unsigned k = begin; k <= n; k++) {
      shown[k].frame = show (s, k);
      shown[k].position = s->position;
      shown[k].exact = k < n || begin == n;
      s->position += shown[k].frame.n_fields;
    }
    shown[n].frame.type = i ? M2V_PICTURE_P : M2V_PICTURE_I;
    out[n_out++] = shown[n++];
    memcpy (out + n_out, shown + begin, (n - 1 - begin) * sizeof (*out));
    n_out += n - 1 - begin;
  }
  out[0].frame.starts_group = true;
  return n;
}

static int64_t
time_of (int64_t base, int64_t position)
{
  return base + gst_util_uint64_scale (position, 1001 * GST_SECOND, 60000);
}

/* A frame is exact where all those displayed before it are known, in regular
 * pulldown any (once it has been seen); the others keep the order. */
static void
check_random (guint32 seed, bool film, unsigned max_b)
{
  Source s = {.rand = g_rand_new_with_seed (seed),.film = film,.max_b = max_b };
  M2vClock *clock = m2v_clock_new ();
  const int64_t base = 7 * GST_SECOND;
  int64_t last_p = -1, last_b = -1;

  for (int group = 0; group < 60; group++) {
    Shown coded[MAX_GROUP];
    unsigned n = random_group (&s, group == 0, coded);

    if (group == 0)
      coded[0].frame.pts = base;
    for (unsigned i = 0; i < n; i++) {
      int64_t t = m2v_clock_next (clock, &coded[i].frame);
      int64_t wanted = time_of (base, coded[i].position);

      /* So often: only where it fails there is something to note. */
      if (t != wanted && (coded[i].exact || (film && group > 1)))
        fail ("seed %u, group %d, %u: %" G_GINT64_FORMAT " not %"
            G_GINT64_FORMAT, seed, group, i, t, wanted);
      if (film && group <= 1)
        continue;
      if (t <= last_b || t == last_p
          || (coded[i].frame.type == M2V_PICTURE_B) != (t < last_p))
        fail ("seed %u, group %d, %u: out of order", seed, group, i);
      if (coded[i].frame.type == M2V_PICTURE_B) {
        last_b = t;
      } else {
        last_b = MAX (last_b, last_p);
        last_p = t;
      }
    }
  }
  m2v_clock_free (clock);
  g_rand_free (s.rand);
}

GST_START_TEST (test_random_durations)
{
  for (guint32 seed = 0; seed < 300; seed++)
    check_random (seed, false, 2);
}

GST_END_TEST;

GST_START_TEST (test_random_film)
{
  for (guint32 seed = 0; seed < 300; seed++)
    check_random (seed, true, 7);
}

GST_END_TEST;

/* Groups IBBPBB of 3:2 film; every group's I has a PTS in ticks of 90 kHz, as
 * long as `stamps` says. Returns the greatest deviation of a B picture from
 * the ideal times that `clock_error` (1e-6) makes of frame periods. */
static int64_t
run_long (double hours, bool stamps, int clock_error)
{
  Source s = {.film = true };
  M2vClock *clock = m2v_clock_new ();
  int64_t worst = 0, end = hours * 3600 * 60000 / 1001;
  static const unsigned order[6] = { 2, 0, 1, 5, 3, 4 };

  while (s.position < end) {
    M2vClockFrame f[6];
    int64_t position[6], ideal;

    for (unsigned i = 0; i < 6; i++) {
      f[i] = show (&s, i);
      position[i] = s.position;
      s.position += f[i].n_fields;
    }
    f[2].type = M2V_PICTURE_I;
    f[2].starts_group = true;
    f[5].type = M2V_PICTURE_P;
    for (unsigned i = 0; i < 6; i++) {
      unsigned k = order[i];
      int64_t t;

      ideal = time_of (0, position[k]);
      ideal += ideal / 1000000 * clock_error;
      if (k == 2 && stamps)
        f[k].pts = ideal * 9 / 100000 * 100000 / 9;
      t = m2v_clock_next (clock, &f[k]);
      if (k < 2 || k > 2)
        worst = MAX (worst, ABS (t - ideal));
    }
  }
  m2v_clock_free (clock);
  return worst;
}

GST_START_TEST (test_long)
{
  fail_unless_equals_int64 (run_long (20, false, 0), 0);
  /* Its own stamps round down by up to a tick, and the base is one of them. */
  fail_unless (run_long (4, true, 0) <= 11112);
  /* A source that runs fast or slow is followed. */
  fail_unless (run_long (2, true, 100) < 100000);
  fail_unless (run_long (2, true, -100) < 100000);
}

GST_END_TEST;

/* A parser that repeats the one PTS of the stream with every frame. */
GST_START_TEST (test_repeated_for_long)
{
  M2vClock *clock = m2v_clock_new ();
  M2vClockFrame f = {.sequence = &pal,.type = M2V_PICTURE_P,
    .top_field_first = true,.n_fields = 2,.pts = 0,.dts = M2V_TIME_NONE
  };

  for (int i = 0; i < 200; i++) {
    f.temporal_reference = i;
    fail_unless_equals_int64 (m2v_clock_next (clock, &f),
        i * 40 * (int64_t) GST_MSECOND);
  }
  m2v_clock_free (clock);
}

GST_END_TEST;

/* Each rate counts from where the last one ended. */
GST_START_TEST (test_rate_change)
{
  M2vClock *clock = m2v_clock_new ();
  M2vClockFrame f = {.type = M2V_PICTURE_P,.top_field_first = true,
    .n_fields = 2,.pts = M2V_TIME_NONE,.dts = M2V_TIME_NONE
  };
  int64_t begin = 0;

  for (int group = 0; group < 6; group++) {
    f.sequence = group % 2 ? &ntsc : &pal;
    for (int i = 0; i < 30; i++) {
      f.starts_group = i == 0;
      f.temporal_reference = i;
      fail_unless_equals_int64 (m2v_clock_next (clock, &f), group % 2 ?
          time_of (begin, 2 * i) : begin + i * 40 * (int64_t) GST_MSECOND);
    }
    begin = group % 2 ? time_of (begin, 60) : begin + 1200 * GST_MSECOND;
  }
  m2v_clock_free (clock);
}

GST_END_TEST;

/* A given time is kept to the ns, and rounding does not reach derived ones. */
GST_START_TEST (test_rounding)
{
  M2vClock *clock = m2v_clock_new ();
  M2vClockFrame f = {.sequence = &ntsc,.type = M2V_PICTURE_P,
    .top_field_first = true,.n_fields = 2,.dts = M2V_TIME_NONE
  };

  for (int i = 0; i < 1000; i++) {
    int64_t exact = time_of (GST_SECOND, 2 * i);

    f.temporal_reference = i;
    f.pts = i % 3 == 0 ? exact + (i % 7 - 3) * 8000 * (i > 0) : M2V_TIME_NONE;
    fail_unless_equals_int64 (m2v_clock_next (clock, &f),
        i % 3 == 0 ? f.pts : exact);
  }
  m2v_clock_free (clock);
}

GST_END_TEST;

/* Whatever the headers and stamps say: without stamps times grow by no more
 * than the frames allow; stamps that are none are ignored. */
GST_START_TEST (test_hostile)
{
  static const int64_t stamps[] = { INT64_MAX, INT64_MIN + 1, 0,
    M2V_CLOCK_MAX_TIME, -M2V_CLOCK_MAX_TIME, M2V_CLOCK_MAX_TIME + 1
  };
  GRand *r = g_rand_new_with_seed (5);
  M2vClock *clock = m2v_clock_new ();

  for (int with_stamps = 0; with_stamps < 2; with_stamps++) {
    m2v_clock_reset (clock, 0);
    for (int i = 0; i < 100000; i++) {
      M2vClockFrame f = {.sequence = g_rand_boolean (r) ? &ntsc : &pal,
        .type = g_rand_int_range (r, 1, 5),
        .temporal_reference = g_rand_int_range (r, 0, 1024),
        .starts_group = g_rand_int_range (r, 0, 20) == 0,
        .top_field_first = g_rand_boolean (r),
        .n_fields = g_rand_int_range (r, 2, 7),
        .pts = M2V_TIME_NONE,.dts = M2V_TIME_NONE
      };
      int64_t t, least = 0, most = m2v_fields_time (&pal,
          (i + 1) * (M2V_CLOCK_MAX_GAP + 1) * INT64_C (6));

      if (with_stamps) {
        f.pts = stamps[g_rand_int_range (r, 0, G_N_ELEMENTS (stamps))];
        least = -M2V_CLOCK_MAX_TIME;
        most = M2V_CLOCK_MAX_TIME;
      }
      t = m2v_clock_next (clock, &f);
      if (t < least || t > most)
        fail ("%d: %" G_GINT64_FORMAT, i, t);
    }
  }
  m2v_clock_free (clock);
  g_rand_free (r);
}

GST_END_TEST;

GST_START_TEST (test_display_fields)
{
  /* progressive_sequence, frame picture, repeat_first_field, top_field_first,
   * progressive_frame */
  static const unsigned fields[][6] = {
    {false, true, false, true, true, 2},
    {false, true, true, true, true, 3},
    {false, true, true, false, true, 3},
    {false, true, true, true, false, 2},
    {false, false, true, true, true, 2},
    {true, true, false, true, true, 2},
    {true, true, true, false, true, 4},
    {true, true, true, true, true, 6},
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (fields); i++) {
    M2vPictureCoding coding = {
      .structure = fields[i][1] ? M2V_FRAME_PICTURE : M2V_BOTTOM_FIELD,
      .repeat_first_field = fields[i][2],
      .top_field_first = fields[i][3],
      .progressive_frame = fields[i][4]
    };

    fail_unless_equals_int (m2v_display_fields (fields[i][0], &coding),
        fields[i][5]);
  }
}

GST_END_TEST;

GST_START_TEST (test_fields_time)
{
  M2vSequence s = ntsc;

  fail_unless_equals_int64 (m2v_fields_time (NULL, 3), 60 * GST_MSECOND);
  fail_unless_equals_int64 (m2v_fields_time (&s, 1), 16683333);
  fail_unless_equals_int64 (m2v_fields_time (&s, 2), 33366666);
  fail_unless_equals_int64 (m2v_fields_time (&s, 3), 50050000);
  fail_unless_equals_int64 (m2v_fields_time (&s, -1), -16683334);
  fail_unless_equals_int64 (m2v_fields_time (&s, 60000), 1001 * GST_SECOND);
  fail_unless_equals_int64 (m2v_fields_time (&s, INT64_MAX),
      M2V_CLOCK_MAX_TIME);
  fail_unless_equals_int64 (m2v_fields_time (&s, INT64_MIN),
      -M2V_CLOCK_MAX_TIME);
  s.frame_rate_num = s.frame_rate_den = 0;
  fail_unless_equals_int64 (m2v_fields_time (&s, 50), GST_SECOND);
  s.frame_rate_num = s.frame_rate_den = UINT_MAX;
  fail_unless_equals_int64 (m2v_fields_time (&s, 3), 3 * GST_SECOND / 2);
}

GST_END_TEST;

static Suite *
clock_suite (void)
{
  Suite *s = suite_create ("mpeg2-clock");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_late_rows, 0, G_N_ELEMENTS (late_rows));
  tcase_add_test (tc, test_random_durations);
  tcase_add_test (tc, test_random_film);
  tcase_add_test (tc, test_long);
  tcase_add_test (tc, test_repeated_for_long);
  tcase_add_test (tc, test_rate_change);
  tcase_add_test (tc, test_rounding);
  tcase_add_test (tc, test_hostile);
  tcase_add_test (tc, test_display_fields);
  tcase_add_test (tc, test_fields_time);
  return s;
}

GST_CHECK_MAIN (clock);
