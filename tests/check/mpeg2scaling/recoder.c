/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the recoder does to frames, whatever it makes of their slices.
 */
#include "recoding.h"
#include "../mpeg2/rewriting.h"

#include <math.h>

#include <mpeg2/patch.h>
#include <ratecontrol/vbv.h>

static const gchar *const names[] = {
  "bbb-352x288p25-1100k.m1v",
  "bbb-352x576i25-fields-3M.m2v",
  "ocean-176x96p30-500k.m2v",
};

#define FIELDS 1
#define OCEAN 2

typedef struct
{
  guint8 *data;
  gsize size;
  gdouble seconds;
  gint64 rate;                  /* bits/s */
  GArray *frames;               /* M2vFrame */
} Source;

static void
keep_frame (gpointer user, const M2vFrame * frame,
    const guint8 * const data[2] G_GNUC_UNUSED,
    const M2vDecision * decision G_GNUC_UNUSED)
{
  Source *s = user;

  g_array_append_val (s->frames, *frame);
}

static Source *
source_new (const gchar * name)
{
  gchar *path = g_build_filename (TEST_FILES_DIR, name, NULL), *data;
  Source *s = g_new0 (Source, 1);
  Recode how = recode_all (-1);
  Recoded recoded;

  fail_unless (g_file_get_contents (path, &data, &s->size, NULL), "%s", path);
  s->data = (guint8 *) data;
  s->frames = g_array_new (FALSE, FALSE, sizeof (M2vFrame));
  how.after = keep_frame;
  how.user = s;
  recoded = recode (&how, s->data, s->size);
  s->seconds = (gdouble) recoded.duration / M2V_SECOND;
  s->rate = (gint64) (s->size * 8 / s->seconds);
  g_byte_array_unref (recoded.out);
  g_free (path);
  return s;
}

static void
source_free (Source * s)
{
  g_array_unref (s->frames);
  g_free (s->data);
  g_free (s);
}

static const M2vFrame *
source_frame (const Source * s, guint i)
{
  return &g_array_index (s->frames, M2vFrame, i);
}

/* Headers */

static const guint8 *
picture_header (const guint8 * data, const M2vPicture * span)
{
  return data + span->begin + span->headers.offset;
}

static void
assert_same_range (const guint8 * a, const M2vRange * in_a, const guint8 * b,
    const M2vRange * in_b)
{
  fail_unless_equals_uint64 (in_a->size, in_b->size);
  fail_unless (memcmp (a + in_a->offset, b + in_b->offset, in_a->size) == 0);
}

/* vbv_delay is 0xffff and nothing else differs before the slices. */
static void
assert_headers (const guint8 * in, const M2vPicture * from,
    const guint8 * out, const M2vPicture * to)
{
  gsize size = from->headers.size;
  guint8 *expected = g_memdup2 (picture_header (in, from), size);

  fail_unless_equals_int (to->header.vbv_delay, M2V_VBV_DELAY_VARIABLE);
  fail_unless (m2v_patch_vbv_delay (expected, size, M2V_VBV_DELAY_VARIABLE));
  fail_unless_equals_uint64 (to->headers.size, size);
  fail_unless (memcmp (expected, picture_header (out, to), size) == 0);
  assert_same_range (in + from->begin, &from->sequence, out + to->begin,
      &to->sequence);
  assert_same_range (in + from->begin, &from->group, out + to->begin,
      &to->group);
  assert_same_range (in + from->begin, &from->sequence_end, out + to->begin,
      &to->sequence_end);
  g_free (expected);
}

/* Returns how many pictures have other slices than the source's. */
static guint
assert_stream_headers (const Source * s, const GByteArray * out)
{
  M2vSplitter in_splitter, out_splitter;
  gsize in_position = 0, out_position = 0;
  M2vPicture from, to;
  guint n_changed = 0;

  m2v_splitter_init (&in_splitter);
  m2v_splitter_init (&out_splitter);
  while (m2v_splitter_next (&in_splitter, s->data, s->size, &in_position,
          &from)) {
    fail_unless (m2v_splitter_next (&out_splitter, out->data, out->len,
            &out_position, &to));
    fail_unless_equals_int (to.kind, from.kind);
    if (from.kind != M2V_SPAN_PICTURE)
      continue;
    assert_headers (s->data, &from, out->data, &to);
    n_changed += from.slices.size != to.slices.size
        || memcmp (s->data + from.begin + from.slices.offset,
        out->data + to.begin + to.slices.offset, to.slices.size) != 0;
  }
  fail_if (m2v_splitter_next (&out_splitter, out->data, out->len,
          &out_position, &to));
  return n_changed;
}

static const gdouble shares[] = { -1, 2, .6, .1 };

/* The header tells of no constant rate, from the first picture on, whether any
 * is reduced or not; and nothing else of it changes. */
GST_START_TEST (test_headers)
{
  Source *s = source_new (names[__i__]);

  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    Recode how = recode_all (shares[i] < 0 ? -1 : shares[i] * s->rate);
    Recoded recoded = recode (&how, s->data, s->size);
    guint n_changed = assert_stream_headers (s, recoded.out);

    fail_unless_equals_int (recoded.stats.recoded + recoded.stats.passed,
        recoded.n_pictures);
    fail_unless_equals_int (recoded.stats.unreadable, 0);
    if (shares[i] < 0 || shares[i] > 1) {
      fail_unless_equals_int (n_changed, 0);
      fail_unless_equals_int (recoded.stats.recoded, 0);
    } else {
      fail_unless (n_changed > recoded.n_pictures / 2, "%u of %u", n_changed,
          recoded.n_pictures);
      fail_unless (n_changed <= recoded.stats.recoded);
      fail_unless (recoded.out->len < s->size);
    }
    g_byte_array_unref (recoded.out);
  }
  source_free (s);
}

GST_END_TEST;

/* Settings */

static GByteArray *
recode_with (const Source * s, const M2vRecoderSettings * settings)
{
  Recode how = recode_all (-1);
  Recoded recoded;

  how.settings = *settings;
  recoded = recode (&how, s->data, s->size);
  return recoded.out;
}

typedef struct
{
  const gchar *name;
  gsize offset;
  gdouble value, as;
} Clamp;

#define ROW(field, value, as) \
  {#field, G_STRUCT_OFFSET (M2vRecoderSettings, field), value, as}

static const Clamp clamps[] = {
  ROW (kb, NAN, .25),
  ROW (kb, -1, .25),
  ROW (kb, 1e9, 8),
  ROW (kb, INFINITY, 8),
  ROW (front_load, NAN, 0),
  ROW (front_load, -INFINITY, 0),
  ROW (front_load, 17, 2),
};

GST_START_TEST (test_clamped)
{
  const Clamp *c = &clamps[__i__];
  Source *s = source_new (names[OCEAN]);
  M2vRecoderSettings settings = m2v_recoder_defaults;
  GByteArray *out, *expected;

  settings.target = s->rate / 2;
  G_STRUCT_MEMBER (gdouble, &settings, c->offset) = c->value;
  out = recode_with (s, &settings);
  G_STRUCT_MEMBER (gdouble, &settings, c->offset) = c->as;
  expected = recode_with (s, &settings);
  fail_unless (out->len == expected->len
      && memcmp (out->data, expected->data, out->len) == 0, "%s %g", c->name,
      c->value);
  g_byte_array_unref (out);
  g_byte_array_unref (expected);
  source_free (s);
}

GST_END_TEST;

GST_START_TEST (test_max_code)
{
  static const guint codes[] = { 1, 6, 12, 31 }, beyond[] =
      { 0, 32, G_MAXUINT };
  Source *s = source_new (names[OCEAN]);
  M2vRecoderSettings settings = m2v_recoder_defaults;
  GByteArray *outs[G_N_ELEMENTS (codes)];

  settings.target = 1;
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    settings.max_code = codes[i];
    outs[i] = recode_with (s, &settings);
    fail_unless (i == 0 || outs[i]->len < outs[i - 1]->len);
  }
  for (guint i = 0; i < G_N_ELEMENTS (beyond); i++) {
    GByteArray *as = outs[beyond[i] == 0 ? 0 : G_N_ELEMENTS (codes) - 1], *out;

    settings.max_code = beyond[i];
    out = recode_with (s, &settings);
    fail_unless (out->len == as->len
        && memcmp (out->data, as->data, out->len) == 0, "%u", beyond[i]);
    g_byte_array_unref (out);
  }
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    g_byte_array_unref (outs[i]);
  source_free (s);
}

GST_END_TEST;

/* What the control is told */

/* The bucket of all that has left: what the control says waits is what is in
 * it. */
typedef struct
{
  const Source *source;
  M2vRecoder *recoder;
  gint64 target;
  gdouble level;                /* bits */
  guint n_dropped, n_replaced, n_compared;
} Account;

static void
take_recoder (gpointer user, M2vRecoder * r, guint n G_GNUC_UNUSED)
{
  Account *a = user;

  a->recoder = r;
}

static void
check_account (gpointer user, const M2vFrame * frame,
    const guint8 * const data[2] G_GNUC_UNUSED, const M2vDecision * decision)
{
  Account *a = user;
  gdouble share = (gdouble) frame->duration / frame->n_pictures / M2V_SECOND;
  M2vRecoderStats stats;

  a->n_dropped += decision->action == M2V_DROP;
  a->n_replaced += decision->action == M2V_REPLACE;
  for (guint i = 0; i < frame->n_pictures; i++) {
    gdouble bits = decision->action == M2V_DROP ? 0 :
        8. * m2v_decision_size (decision, i);

    a->level = MAX (a->level + bits - a->target * share, 0);
  }
  m2v_recoder_stats (a->recoder, &stats);
  fail_if (stats.control.floor);
  fail_unless (fabs (stats.control.wait - a->level / a->target) < 1e-4,
      "%g s is not %g s", stats.control.wait, a->level / a->target);
  a->n_compared += decision->action == M2V_PASS && a->level > 0;
}

typedef struct
{
  guint stream;
  gint scale;
  gboolean repeat;
  gdouble share;
} Counted;

static const Counted counted[] = {
  {0, 4, FALSE, .6}, {FIELDS, 4, FALSE, .6},
  {0, 3, FALSE, .5}, {FIELDS, 3, FALSE, .5}, {FIELDS, 2, FALSE, .5},
  {0, 3, TRUE, .5}, {FIELDS, 3, TRUE, .5}, {OCEAN, 2, TRUE, .5},
};

/* Every bit and every nanosecond of what is dropped, replaced, or passed
 * counts: fields, too, and literals that the dropper adds. */
GST_START_TEST (test_counted)
{
  const Counted *c = &counted[__i__];
  Source *s = source_new (names[c->stream]);
  Account a = {.source = s,.target = c->share * s->rate };
  Recode how = recode_all (a.target);
  Recoded recoded;

  how.dropping.scale = c->scale;
  how.dropping.repeat_dropped = c->repeat;
  how.before = take_recoder;
  how.after = check_account;
  how.user = &a;
  recoded = recode (&how, s->data, s->size);
  fail_unless ((c->scale < 4) == (a.n_dropped + a.n_replaced > 0));
  fail_unless (c->repeat == (a.n_replaced > 0));
  fail_unless (a.n_compared > 20, "%u", a.n_compared);
  fail_unless (recoded.stats.recoded > 0);
  g_byte_array_unref (recoded.out);
  source_free (s);
}

GST_END_TEST;

/* With pictures left out the rest may have their bits. */
GST_START_TEST (test_dropped_rate)
{
  Source *s = source_new (names[0]);
  Recode how = recode_all (s->rate / 3);
  Recoded recoded;
  gdouble share;

  how.dropping.scale = 3;
  recoded = recode (&how, s->data, s->size);
  share = recoded.out->len * 8 / s->seconds / how.settings.target;
  fail_unless (recoded.n_pictures_out < recoded.n_pictures);
  fail_unless (fabs (share - 1) < .04, "%g", share);
  g_byte_array_unref (recoded.out);
  source_free (s);
}

GST_END_TEST;

#define STOP_FROM 30
#define STOP_TO 70

typedef struct
{
  M2vRecoderSettings settings;
  VbvBucket bucket;
  guint n;
} Stop;

static void
stop_and_go (gpointer user, M2vRecoder * r, guint n)
{
  Stop *stop = user;
  M2vRecoderSettings settings = stop->settings;

  stop->n = n;
  if (n >= STOP_FROM && n < STOP_TO)
    settings.target = 0;
  m2v_recoder_set (r, &settings);
}

static void
stop_frame (gpointer user, const M2vFrame * frame,
    const guint8 * const data[2] G_GNUC_UNUSED, const M2vDecision * decision)
{
  Stop *stop = user;
  M2vDecision *d = (M2vDecision *) decision;
  gsize size = 0;

  if (stop->n >= STOP_FROM && stop->n < STOP_TO) {
    fail_unless_equals_int (d->action, M2V_DROP);
    return;
  }
  for (guint i = 0; i < d->n_pieces; i++)
    size += d->pieces[i].size;
  vbv_bucket_picture (&stop->bucket, size * 8, frame->duration);
}

/* While nothing is sent there is nothing to be saved up for afterwards. */
GST_START_TEST (test_stopped)
{
  Source *s = source_new (names[0]);
  M2vDropperSettings dropping = {.scale = -1,.target = -1 };
  M2vDropper *dropper = m2v_dropper_new ();
  M2vRecoder *r = m2v_recoder_new ();
  Stop stop = {.settings = m2v_recoder_defaults };

  stop.settings.target = s->rate / 2;
  vbv_bucket_init (&stop.bucket, stop.settings.target);
  for (guint i = 0; i < s->frames->len; i++) {
    const M2vFrame *frame = source_frame (s, i);
    const guint8 *data[2] = { s->data + frame->pictures[0].begin,
      s->data + frame->pictures[1].begin
    };
    M2vDecision decision;

    dropping.target = i >= STOP_FROM && i < STOP_TO ? 0 : -1;
    m2v_dropper_set (dropper, &dropping);
    stop_and_go (&stop, r, i);
    m2v_dropper_frame (dropper, frame, data, &decision);
    if (i >= STOP_TO && decision.action == M2V_DROP)
      continue;                 /* it waits for an I */
    m2v_recoder_frame (r, frame, data, &decision);
    stop_frame (&stop, frame, data, &decision);
  }
  fail_unless (stop.bucket.need < .5, "%g s", stop.bucket.need);
  m2v_recoder_free (r);
  m2v_dropper_free (dropper);
  source_free (s);
}

GST_END_TEST;

/* What cannot be recoded */

typedef struct
{
  guint8 *bytes;                /* of the stream */
  const M2vPicture *pictures[2];
  guint n_found;
} Unreadable;

static void
assert_passed (gpointer user, const M2vFrame * frame,
    const guint8 * const data[2] G_GNUC_UNUSED, const M2vDecision * decision)
{
  Unreadable *u = user;

  for (guint i = 0; i < G_N_ELEMENTS (u->pictures); i++) {
    if (!u->pictures[i] || frame->pictures[0].begin != u->pictures[i]->begin)
      continue;
    u->n_found++;
    fail_unless_equals_int (decision->action, M2V_PASS);
    /* Only vbv_delay may be a literal. */
    for (guint k = 0; k < decision->n_pieces; k++)
      fail_unless (decision->pieces[k].literal == NULL
          || decision->pieces[k].size <= 8);
  }
}

/* A picture whose slices are damaged, all of them, and a D picture leave as they
 * came; so the others do not. */
GST_START_TEST (test_unreadable)
{
  Source *s = source_new (names[0]);
  const M2vPicture *damaged = &source_frame (s, 50)->pictures[0];
  const M2vPicture *d_picture = &source_frame (s, 90)->pictures[0];
  Unreadable u = {.pictures = {damaged, d_picture} };
  Recode how = recode_all (s->rate / 2);
  Recoded recoded;

  /* MPEG-1 of one slice a picture. */
  memset (s->data + damaged->begin + damaged->slices.offset + 5, 0xff,
      damaged->slices.size - 5);
  m2v_patch_bits (s->data + d_picture->begin + d_picture->headers.offset, 42,
      3, M2V_PICTURE_D);
  how.after = assert_passed;
  how.user = &u;
  recoded = recode (&how, s->data, s->size);
  fail_unless_equals_int (u.n_found, 2);
  fail_unless_equals_int (recoded.stats.unreadable, 1);
  fail_unless_equals_int (recoded.stats.passed, 2);
  fail_unless_equals_int (recoded.stats.recoded, recoded.n_pictures_out - 2);
  g_byte_array_unref (recoded.out);
  source_free (s);
}

GST_END_TEST;

/* Memory and time */

static void
recode_frames (const Source * s, M2vRecoder * r, GHashTable * literals)
{
  M2vDropper *dropper = m2v_dropper_new ();

  for (guint i = 0; i < s->frames->len; i++) {
    const M2vFrame *frame = source_frame (s, i);
    const guint8 *data[2] = { s->data + frame->pictures[0].begin,
      s->data + frame->pictures[1].begin
    };
    M2vDecision decision;

    m2v_dropper_frame (dropper, frame, data, &decision);
    m2v_recoder_frame (r, frame, data, &decision);
    for (guint k = 0; k < decision.n_pieces; k++) {
      if (decision.pieces[k].literal)
        g_hash_table_add (literals, (gpointer) decision.pieces[k].literal);
    }
  }
  m2v_dropper_free (dropper);
}

/* The memory is that of the first pass, reset or not. */
GST_START_TEST (test_steady)
{
  Source *s = source_new (names[__i__]);
  GHashTable *first = g_hash_table_new (NULL, NULL);
  GHashTable *later = g_hash_table_new (NULL, NULL);
  M2vRecoderSettings settings = m2v_recoder_defaults;
  M2vRecoder *r = m2v_recoder_new ();
  GHashTableIter iter;
  gpointer literal;

  settings.target = s->rate / 2;
  m2v_recoder_set (r, &settings);
  recode_frames (s, r, first);
  m2v_recoder_discont (r);
  recode_frames (s, r, later);
  m2v_recoder_reset (r);
  recode_frames (s, r, later);
  g_hash_table_iter_init (&iter, later);
  while (g_hash_table_iter_next (&iter, &literal, NULL))
    fail_unless (g_hash_table_contains (first, literal));
  m2v_recoder_free (r);
  g_hash_table_unref (first);
  g_hash_table_unref (later);
  source_free (s);
}

GST_END_TEST;

/* After a reset all is as it was at first. */
GST_START_TEST (test_reset)
{
  Source *s = source_new (names[__i__]);
  Recode how = recode_all (s->rate / 2);
  M2vRecoder *r = m2v_recoder_new ();
  M2vDropper *dropper;
  Recoded outs[2];

  m2v_recoder_set (r, &how.settings);
  for (guint i = 0; i < 2; i++) {
    memset (&outs[i], 0, sizeof outs[i]);
    outs[i].out = g_byte_array_new ();
    dropper = m2v_dropper_new ();
    recode_spans (&how, dropper, r, s->data, s->size, &outs[i]);
    m2v_dropper_free (dropper);
    m2v_recoder_reset (r);
  }
  fail_unless (outs[0].out->len == outs[1].out->len
      && memcmp (outs[0].out->data, outs[1].out->data, outs[0].out->len) == 0);
  g_byte_array_unref (outs[0].out);
  g_byte_array_unref (outs[1].out);
  m2v_recoder_free (r);
  source_free (s);
}

GST_END_TEST;

/* Floor */

typedef struct
{
  const Source *source;
  guint max_code;
  M2vRecoderSettings settings;
  GArray *estimates;            /* gsize, by frame */
} Estimates;

static void
estimate (gpointer user, M2vRecoder * r, guint n)
{
  Estimates *e = user;
  const M2vFrame *frame = source_frame (e->source, n);
  const guint8 *data[2] = { e->source->data + frame->pictures[0].begin,
    e->source->data + frame->pictures[1].begin
  };
  gsize size = m2v_recoder_floor (r, frame, data);

  fail_unless (size <= frame->size);
  g_array_append_val (e->estimates, size);
}

static void
add_size (gpointer user, const M2vFrame * frame G_GNUC_UNUSED,
    const guint8 * const data[2] G_GNUC_UNUSED, const M2vDecision * decision)
{
  gsize size = 0;

  for (guint i = 0; i < decision->n_pieces; i++)
    size += decision->pieces[i].size;
  g_array_append_val ((GArray *) user, size);
}

static gdouble
sum_from (const GArray * sizes, guint from)
{
  gdouble sum = 0;

  for (guint i = from; i < sizes->len; i++)
    sum += g_array_index (sizes, gsize, i);
  return sum;
}

typedef struct
{
  gdouble share;                /* of the rate, where the estimate is made */
  guint max_code;
  gdouble error;                /* of the mean, behind the first second */
} FloorRow;

static const FloorRow floor_rows[] = {
  {.75, 31, .8}, {.5, 31, .5}, {.35, 31, .35}, {.01, 31, .1},
  {.75, 14, .5}, {.01, 14, .15},
};

/* Of what comes of the source where nothing but the coarsest is allowed, at
 * quantisers that are not. There pictures choose their vectors, which makes them
 * smaller; at higher rates they do not, and the estimates are of that.
 * Asking changes nothing. */
static void
assert_floor (const Source * s, const FloorRow * row)
{
  Recode how = recode_all (1), plain;
  GArray *floor = g_array_new (FALSE, FALSE, sizeof (gsize));
  GArray *estimates = g_array_new (FALSE, FALSE, sizeof (gsize));
  Estimates e = { s, row->max_code, m2v_recoder_defaults, estimates };
  Recoded at_floor, asked, recoded;
  gdouble error;

  how.settings.max_code = row->max_code;
  how.after = add_size;
  how.user = floor;
  at_floor = recode (&how, s->data, s->size);
  plain = recode_all (row->share * s->rate);
  plain.settings.max_code = row->max_code;
  recoded = recode (&plain, s->data, s->size);
  plain.before = estimate;
  plain.user = &e;
  asked = recode (&plain, s->data, s->size);
  fail_unless (asked.out->len == recoded.out->len
      && memcmp (asked.out->data, recoded.out->data, asked.out->len) == 0);
  error = sum_from (estimates, 25) / sum_from (floor, 25) - 1;
  GST_INFO ("%g, %u: floor %.3f, estimate %+.3f", row->share, row->max_code,
      sum_from (floor, 0) / s->size, error);
  fail_unless (fabs (error) < row->error, "%g, %u: %+.3f", row->share,
      row->max_code, error);
  g_byte_array_unref (at_floor.out);
  g_byte_array_unref (asked.out);
  g_byte_array_unref (recoded.out);
  g_array_unref (floor);
  g_array_unref (estimates);
}

GST_START_TEST (test_floor)
{
  Source *s = source_new (names[__i__]);

  for (guint i = 0; i < G_N_ELEMENTS (floor_rows); i++)
    assert_floor (s, &floor_rows[i]);
  source_free (s);
}

GST_END_TEST;

typedef struct
{
  M2vRecoder *recoder;
  guint n, n_told;
} Told;

static void
told_begin (gpointer user, M2vRecoder * r, guint n G_GNUC_UNUSED)
{
  ((Told *) user)->recoder = r;
}

static void
told_count (gpointer user, const M2vFrame * frame G_GNUC_UNUSED,
    const guint8 * const data[2] G_GNUC_UNUSED,
    const M2vDecision * decision G_GNUC_UNUSED)
{
  M2vRecoderStats stats;
  Told *told = user;

  m2v_recoder_stats (told->recoder, &stats);
  told->n++;
  told->n_told += stats.control.floor;
}

/* Share of the frames at which the statistics say that the target is below the
 * floor. */
static gdouble
told_floor (const GByteArray * bytes, gint64 target)
{
  Recode how = recode_all (target);
  Told told = { NULL, 0, 0 };
  Recoded recoded;

  how.before = told_begin;
  how.after = told_count;
  how.user = &told;
  recoded = recode (&how, bytes->data, bytes->len);
  g_byte_array_unref (recoded.out);
  return (gdouble) told.n_told / told.n;
}

/* Without coefficients in every other row, where nothing then has a use for a
 * quantiser. */
static RewriteWay
empty_rows (gpointer data G_GNUC_UNUSED, const M2vSliceWriter * w,
    M2vMacroblock * mb)
{
  if (w->row % 2 == 0)
    return REWRITE_COPY;
  for (guint i = 0; i < w->picture->n_blocks; i++)
    mb->n_coefficients[i] = 0;
  mb->type &= (guint8) ~ M2V_QUANT;
  mb->quantiser = w->prediction.quantiser;
  if (!m2v_macroblock_set_pattern (w->picture, mb))
    m2v_macroblock_empty (w->picture, mb);
  return REWRITE_PUT;
}

GST_START_TEST (test_floor_told)
{
  const Rewrite how = {.macroblock = __i__ % 2 ? empty_rows : NULL };
  Source *s = source_new (names[__i__ / 2]);
  GByteArray *bytes;
  gdouble told;

  m2v_vlc_init (&rewrite_vlc);
  bytes = rewrite (s->data, s->size, &how);
  told = told_floor (bytes, 1000);
  fail_unless (told > .95, "%g", told);
  told = told_floor (bytes, (gint64) (.6 * s->rate * bytes->len / s->size));
  fail_unless (told == 0, "%g", told);
  g_byte_array_unref (bytes);
  source_free (s);
}

GST_END_TEST;

GST_START_TEST (test_floor_unreadable)
{
  Source *s = source_new (names[FIELDS]);
  M2vFrame frame = *source_frame (s, 4);
  const guint8 *data[2] = { s->data + frame.pictures[0].begin,
    s->data + frame.pictures[1].begin
  };
  M2vRecoder *r = m2v_recoder_new ();

  fail_unless (m2v_recoder_floor (r, &frame, data) < frame.size);
  frame.valid = FALSE;
  fail_unless_equals_uint64 (m2v_recoder_floor (r, &frame, data), frame.size);
  frame.valid = TRUE;
  frame.has_sequence = FALSE;
  fail_unless_equals_uint64 (m2v_recoder_floor (r, &frame, data), frame.size);
  frame.has_sequence = TRUE;
  frame.pictures[1].header.type = M2V_PICTURE_D;
  fail_unless_equals_uint64 (m2v_recoder_floor (r, &frame, data), frame.size);
  m2v_recoder_free (r);
  source_free (s);
}

GST_END_TEST;

static Suite *
recoder_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-recoder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_headers, 0, G_N_ELEMENTS (names));
  tcase_add_loop_test (tc, test_clamped, 0, G_N_ELEMENTS (clamps));
  tcase_add_test (tc, test_max_code);
  tcase_add_loop_test (tc, test_counted, 0, G_N_ELEMENTS (counted));
  tcase_add_test (tc, test_dropped_rate);
  tcase_add_test (tc, test_stopped);
  tcase_add_test (tc, test_unreadable);
  tcase_add_loop_test (tc, test_steady, 0, G_N_ELEMENTS (names));
  tcase_add_loop_test (tc, test_reset, 0, G_N_ELEMENTS (names));
  tcase_add_loop_test (tc, test_floor, 0, G_N_ELEMENTS (names));
  tcase_add_loop_test (tc, test_floor_told, 0, 2 * G_N_ELEMENTS (names));
  tcase_add_test (tc, test_floor_unreadable);
  return s;
}

GST_CHECK_MAIN (recoder);
