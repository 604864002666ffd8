/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Real streams, recoded live: they decode as the source does, keep to their
 * target, and to what their headers promise. The committed ones, and those of
 * MPEG_MEDIA_DIR.
 */
#include "recoding.h"
#include "../mpeg2/rewriting.h"
#include "../rounds.h"

#include <math.h>

#include <ratecontrol/vbv.h>

/* Whole groups of this and longer are held to the target. */
#define WINDOW 5.

typedef struct
{
  gdouble seconds;
  gdouble source, sent;         /* bits */
  gboolean floor;
} Group;

typedef struct
{
  gint64 target;
  VbvBucket bucket, source_bucket;
  Vbv vbv, source_vbv;
  gint64 bit_rate, vbv_size;
  guint n_underflows, n_source_underflows;
  GArray *groups;
  guint n_floor;
  M2vRecoder *recoder;
} Watch;

static void
watch_begin (gpointer user, M2vRecoder * r, guint n G_GNUC_UNUSED)
{
  Watch *w = user;

  w->recoder = r;
}

static void
watch_vbv (Watch * w, const M2vSequence * s, gint64 bits, gint64 source_bits,
    gint64 duration)
{
  if (s->bit_rate != w->bit_rate || s->vbv_buffer_size != w->vbv_size) {
    w->bit_rate = s->bit_rate;
    w->vbv_size = s->vbv_buffer_size;
    vbv_init (&w->vbv, s->bit_rate, s->vbv_buffer_size, M2V_VBV_DELAY_VARIABLE);
    w->source_vbv = w->vbv;
  }
  if (s->bit_rate <= 0 || s->vbv_buffer_size <= 0)
    return;
  w->n_underflows += vbv_picture (&w->vbv, bits, duration) == VBV_UNDERFLOW;
  w->n_source_underflows += vbv_picture (&w->source_vbv, source_bits,
      duration) == VBV_UNDERFLOW;
}

static void
watch_group (Watch * w, const M2vFrame * frame, gsize size, gboolean floor)
{
  Group *group, none = { 0, };

  if (frame->type == M2V_PICTURE_I || w->groups->len == 0)
    g_array_append_val (w->groups, none);
  group = &g_array_index (w->groups, Group, w->groups->len - 1);
  group->seconds += (gdouble) frame->duration / M2V_SECOND;
  group->source += frame->size * 8;
  group->sent += size * 8;
  group->floor = group->floor || floor;
}

static void
watch_frame (gpointer user, const M2vFrame * frame,
    const guint8 * const data[2] G_GNUC_UNUSED, const M2vDecision * decision)
{
  gint64 duration = frame->duration / frame->n_pictures;
  Watch *w = user;
  M2vRecoderStats stats;
  gsize size = 0;

  for (guint i = 0; i < frame->n_pictures; i++) {
    gsize picture_size = 0;

    for (guint k = 0; k < decision->n_pieces; k++) {
      if (decision->pieces[k].picture == i)
        picture_size += decision->pieces[k].size;
    }
    size += picture_size;
    watch_vbv (w, &frame->sequence, picture_size * 8,
        frame->pictures[i].size * 8, duration);
    vbv_bucket_picture (&w->bucket, picture_size * 8, duration);
    vbv_bucket_picture (&w->source_bucket, frame->pictures[i].size * 8,
        duration);
  }
  m2v_recoder_stats (w->recoder, &stats);
  w->n_floor += stats.control.floor;
  watch_group (w, frame, size, stats.control.floor);
}

/* Whether a group but the first and the last, which may have been cut, is of
 * another length than the one before. */
static gboolean
lengths_vary (const Watch * w)
{
  for (guint i = 2; i + 1 < w->groups->len; i++) {
    gdouble before = g_array_index (w->groups, Group, i - 1).seconds;

    if (fabs (g_array_index (w->groups, Group, i).seconds - before) > .001)
      return TRUE;
  }
  return FALSE;
}

/* Where groups are at the floor, or the source itself is below, nobody can do
 * better; where they end sooner than expected they leave debts. */
static void
assert_rate (const Watch * w, const gchar * what)
{
  gdouble sum = 0, worst = 0;
  guint n = 0;

  /* The last one may have been cut short. */
  for (guint i = 0; i + 1 < w->groups->len; i++) {
    gdouble seconds = 0, sent = 0, allowed = 0, error;
    /* One before leaves debts. */
    gboolean floor = i > 0 && g_array_index (w->groups, Group, i - 1).floor;

    for (guint k = i; k + 1 < w->groups->len && seconds < WINDOW; k++) {
      const Group *g = &g_array_index (w->groups, Group, k);

      floor = floor || g->floor;
      seconds += g->seconds;
      sent += g->sent;
      allowed += MIN (w->target * g->seconds, g->source);
    }
    if (seconds < WINDOW || floor)
      continue;
    error = fabs (sent / allowed - 1);
    sum += error;
    worst = MAX (worst, error);
    n++;
  }
  GST_INFO ("%s: %u of 5 s, mean %.4f, worst %.4f; need %.3f s (source %.3f),"
      " floor %u times", what, n, n ? sum / n : 0, worst, w->bucket.need,
      w->source_bucket.need, w->n_floor);
  /* A single group at the floor, or just above, is in many of them. */
  fail_unless (n < 3 || w->n_floor > 0
      || sum / n < (lengths_vary (w) ? .02 : .011), "%s: mean %g", what,
      sum / n);
  fail_unless (worst < (w->n_floor > 0 ? .1 : lengths_vary (w) ? .04 : .03),
      "%s: worst %g", what, worst);
}

static void
assert_buffers (const Watch * w, const gchar * what)
{
  fail_unless (w->n_underflows == 0 || w->n_source_underflows > 0,
      "%s: %u underflows", what, w->n_underflows);
  if (w->n_floor == 0)
    fail_unless (w->bucket.need <= MAX (.5, w->source_bucket.need),
        "%s: %g s", what, w->bucket.need);
}

/* What mpeg2dec says, but for times and progress. */
static gchar *
complaints_of_mpeg2dec (const GByteArray * bytes, GPtrArray * frames)
{
  GRegex *changing = g_regex_new (" in [0-9.]+ seconds.*"
      "|[0-9]+ frames in .*|[\\r\\n]+", G_REGEX_MULTILINE, 0, NULL);
  gchar *errors = decode_mpeg2dec (bytes, frames);
  gchar *said = g_regex_replace_literal (changing, errors, -1, 0, "", 0, NULL);

  g_regex_unref (changing);
  g_free (errors);
  return said;
}

/* What a decoder says of a stream, always the same, and the number of its
 * frames. */
static gchar *
complaints (Decoder decoder, const GByteArray * bytes, guint * n_frames)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func (g_free);
  AvdecodeOptions options = {.warnings = TRUE };
  gchar *said;

  if (decoder == DECODER_FFMPEG) {
    options.errors = g_string_new (NULL);
    avdecode (bytes->data, bytes->len, &options, avdecode_add_checksum, frames);
    said = g_string_free (options.errors, FALSE);
  } else {
    said = complaints_of_mpeg2dec (bytes, frames);
  }
  *n_frames = frames->len;
  g_ptr_array_unref (frames);
  return said;
}

typedef struct
{
  GByteArray *bytes;            /* with a sequence_end */
  gchar *said[N_DECODERS];
  guint n_frames[N_DECODERS];
} Judged;

static void
judge (Judged * j, const guint8 * data, gsize size)
{
  j->bytes = g_byte_array_append (g_byte_array_new (), data, size);
  g_byte_array_append (j->bytes, stream_end, sizeof stream_end);
  for (Decoder d = 0; d < N_DECODERS; d++) {
    j->n_frames[d] = 0;
    j->said[d] = decoder_present (d) ?
        complaints (d, j->bytes, &j->n_frames[d]) : NULL;
  }
}

static void
judged_clear (Judged * j)
{
  g_byte_array_unref (j->bytes);
  for (Decoder d = 0; d < N_DECODERS; d++)
    g_free (j->said[d]);
}

static void
assert_clean (const Judged * source, const Recoded * recoded,
    const gchar * what)
{
  Judged out;

  fail_unless_equals_int (recoded->n_pictures, recoded->n_pictures_out);
  judge (&out, recoded->out->data, recoded->out->len);
  for (Decoder d = 0; d < N_DECODERS; d++) {
    fail_unless (out.n_frames[d] == source->n_frames[d], "%s, %s: %u frames,"
        " not %u", what, decoder_names[d], out.n_frames[d],
        source->n_frames[d]);
    fail_unless (g_strcmp0 (out.said[d], source->said[d]) == 0,
        "%s, %s says:\n%s\nand of the source:\n%s", what, decoder_names[d],
        out.said[d], source->said[d]);
  }
  judged_clear (&out);
}

static Recoded
recode_watched (Watch * w, const guint8 * data, gsize size,
    const M2vRecoderSettings * settings, gint64 rate)
{
  Recode how = recode_all (settings->target);
  Recoded recoded;

  memset (w, 0, sizeof *w);
  w->target = settings->target;
  w->groups = g_array_new (FALSE, FALSE, sizeof (Group));
  vbv_bucket_init (&w->bucket, settings->target);
  vbv_bucket_init (&w->source_bucket, rate);
  how.settings = *settings;
  how.before = watch_begin;
  how.after = watch_frame;
  how.user = w;
  recoded = recode (&how, data, size);
  return recoded;
}

static gint64
rate_of (const guint8 * data, gsize size)
{
  Recode how = recode_all (-1);
  Recoded recoded = recode (&how, data, size);

  g_byte_array_unref (recoded.out);
  return (gint64) (size * 8. * M2V_SECOND / recoded.duration);
}

static void
assert_recoded (const Judged * source, const guint8 * data, gsize size,
    const M2vRecoderSettings * settings, gint64 rate, const gchar * name)
{
  gchar *what = g_strdup_printf ("%s at %.0f %%, drift %u%s", name,
      100. * settings->target / rate, settings->drift,
      settings->rate_distortion ? ", rd" : "");
  Recoded recoded;
  Watch w;

  recoded = recode_watched (&w, data, size, settings, rate);
  fail_unless_equals_int (recoded.stats.unreadable, 0);
  assert_clean (source, &recoded, what);
  assert_rate (&w, what);
  assert_buffers (&w, what);
  g_array_unref (w.groups);
  g_byte_array_unref (recoded.out);
  g_free (what);
}

/* So that of another stream another share or way is taken. */
static guint n_judged;

static const gdouble shares[] = { .75, .5, .35 };

static void
assert_shares (const gchar * name, const guint8 * data, gsize size)
{
  M2vRecoderSettings settings = m2v_recoder_defaults;
  gint64 rate = rate_of (data, size);
  Judged source;

  judge (&source, data, size);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    if (!test_taken (i + n_judged))
      continue;
    settings.target = (gint64) (shares[i] * rate);
    assert_recoded (&source, data, size, &settings, rate, name);
  }
  judged_clear (&source);
  n_judged++;
}

GST_START_TEST (test_streams)
{
  for_each_stream (__i__, assert_shares);
}

GST_END_TEST;

/* The other ways, at half the rate. */
static void
assert_ways (const gchar * name, const guint8 * data, gsize size)
{
  gint64 rate = rate_of (data, size);
  Judged source;

  judge (&source, data, size);
  for (guint way = 0; way < 4; way++) {
    M2vRecoderSettings settings = m2v_recoder_defaults;

    if (!test_taken (way + n_judged))
      continue;
    settings.target = rate / 2;
    settings.drift = way < 3 ? (M2vDrift) way : M2V_DRIFT_P;
    settings.rate_distortion = way == 3;
    settings.modulate = way == 2;
    assert_recoded (&source, data, size, &settings, rate, name);
  }
  judged_clear (&source);
  n_judged++;
}

GST_START_TEST (test_ways)
{
  for_each_stream (FALSE, assert_ways);
}

GST_END_TEST;

static Suite *
recoderstreams_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-recoderstreams");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 280);
  tcase_add_loop_test (tc, test_streams, 0, 2);
  tcase_add_test (tc, test_ways);
  return s;
}

GST_CHECK_MAIN (recoderstreams);
