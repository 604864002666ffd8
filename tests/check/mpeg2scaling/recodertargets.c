/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Targets that change while real streams are recoded.
 */
#include "recoding.h"
#include "../mpeg2/rewriting.h"

#include <math.h>

#include <ratecontrol/vbv.h>

/* Streams are short: they are played again and again. */
#define SECONDS 20

/* A mean of fewer says nothing. */
#define ENOUGH_GROUPS 8

/* quantiser_scale; linear up to 62. */
#define COARSEST 59

/* What is sent since the target changed. */
typedef struct
{
  gint64 target;
  gdouble allowed, sent;        /* bits */
  gboolean floor;               /* meanwhile, or shortly before */
} Since;

/* The group at hand, if all of it is the target's. */
typedef struct
{
  gboolean whole, floor;
  guint n;                      /* frames */
  gdouble allowed, source, sent;
} Group;

typedef struct
{
  const gchar *name;
  const guint8 *data;
  gsize size;
  gint64 rate;
  GRand *rand;
  gdouble from, to;             /* targets, of the rate */
  gdouble next;                 /* seconds; of the next change */

  M2vRecoder *recoder;
  M2vRecoderSettings settings;
  gdouble time;
  Since since;
  Group group;
  gdouble last_source;          /* bits of the group before */
  guint last_n;                 /* its frames */
  gboolean last_floor;
  gdouble sum, worst;
  guint n_groups, n_changes;
} Run;

static void
change (Run * run)
{
  gdouble share = g_rand_double_range (run->rand, run->from, run->to);
  gboolean floor = run->group.floor || run->last_floor;

  memset (&run->since, 0, sizeof run->since);
  run->since.floor = floor;
  run->since.target = run->settings.target = (gint64) (share * run->rate);
  run->group.whole = FALSE;
  run->next = run->time + g_rand_double_range (run->rand, .04, 5);
  run->n_changes++;
  m2v_recoder_set (run->recoder, &run->settings);
}

static void
before_frame (gpointer user, M2vRecoder * r, guint n G_GNUC_UNUSED)
{
  Run *run = user;

  run->recoder = r;
  if (run->time >= run->next)
    change (run);
}

/* Groups count that can be met and foreseen: neither at the floor nor below the
 * target, nor of another kind than the one before. */
static void
end_group (Run * run)
{
  const Group *g = &run->group;

  if (g->whole && !g->floor && !run->last_floor && g->n == run->last_n
      && g->source * .9 > g->allowed
      && g->source < 1.5 * run->last_source
      && g->source > .67 * run->last_source) {
    gdouble error = fabs (g->sent / g->allowed - 1);

    run->sum += error;
    run->worst = MAX (run->worst, error);
    run->n_groups++;
  }
  run->last_source = g->source;
  run->last_n = g->n;
  run->last_floor = g->floor;
  memset (&run->group, 0, sizeof run->group);
  run->group.whole = TRUE;
}

static void
after_frame (gpointer user, const M2vFrame * frame,
    const guint8 * const data[2] G_GNUC_UNUSED, const M2vDecision * decision)
{
  gdouble seconds = (gdouble) frame->duration / M2V_SECOND;
  Run *run = user;
  M2vRecoderStats stats;
  gsize size = 0;

  for (guint i = 0; i < decision->n_pieces; i++)
    size += decision->pieces[i].size;
  if (frame->type == M2V_PICTURE_I)
    end_group (run);
  m2v_recoder_stats (run->recoder, &stats);
  /* Single pictures may be at their floor before the stream is told to be. */
  run->since.floor = run->since.floor || stats.control.floor
      || stats.quantiser_out > COARSEST;
  run->group.floor = run->group.floor || stats.control.floor;
  run->since.sent += size * 8;
  /* A stream that is not at its floor is never more than so far ahead. */
  fail_unless (run->since.floor || run->since.sent <= run->since.allowed +
      .5 * run->since.target, "%s: %g s ahead at %g s", run->name,
      (run->since.sent - run->since.allowed) / run->since.target, run->time);
  run->since.allowed += run->since.target * seconds;
  run->group.n++;
  run->group.allowed += run->since.target * seconds;
  run->group.source += frame->size * 8;
  run->group.sent += size * 8;
  run->time += seconds;
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
run_stream (Run * run)
{
  M2vDropperSettings dropping = {.scale = -1,.target = -1 };
  Recode how = recode_all (-1);

  how.before = before_frame;
  how.after = after_frame;
  how.user = run;
  run->recoder = m2v_recoder_new ();
  run->settings = m2v_recoder_defaults;
  while (run->time < SECONDS) {
    Recoded recoded = {.out = g_byte_array_new () };
    M2vDropper *dropper = m2v_dropper_new ();
    gdouble time = run->time;

    m2v_dropper_set (dropper, &dropping);
    recode_spans (&how, dropper, run->recoder, run->data, run->size, &recoded);
    m2v_dropper_free (dropper);
    g_byte_array_unref (recoded.out);
    /* Where it begins again, nothing is whole. */
    run->group.whole = FALSE;
    fail_unless (run->time > time);
  }
  m2v_recoder_free (run->recoder);
}

typedef struct
{
  gdouble from, to;
  gdouble mean;                 /* error of groups */
} Range;

/* The second goes down to the floor and beyond the source: groups just above the
 * one or below the other count, too. */
static const Range ranges[] = { {.4, .9, .04}, {.05, 1.2, .08} };

static void
assert_targets (const gchar * name, const guint8 * data, gsize size)
{
  gint64 rate = rate_of (data, size);

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++) {
    for (guint32 seed = 0; seed < 2; seed++) {
      Run run = {.name = name,.data = data,.size = size,.rate = rate,
        .from = ranges[i].from,.to = ranges[i].to
      };

      run.rand = g_rand_new_with_seed (seed);
      run_stream (&run);
      GST_INFO ("%s, %g to %g: %u changes, %u whole groups, mean %.4f, "
          "worst %.4f", name, run.from, run.to, run.n_changes, run.n_groups,
          run.n_groups ? run.sum / run.n_groups : 0, run.worst);
      fail_unless (run.n_groups < ENOUGH_GROUPS
          || run.sum / run.n_groups < ranges[i].mean,
          "%s, seed %u: mean %g", name, seed, run.sum / run.n_groups);
      /* Down to the floor and up again some debts are made good. */
      fail_unless (i > 0 || run.worst < .2, "%s, seed %u: worst %g", name,
          seed, run.worst);
      g_rand_free (run.rand);
    }
  }
}

GST_START_TEST (test_targets)
{
  for_each_stream (__i__, assert_targets);
}

GST_END_TEST;

static Suite *
recodertargets_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-recodertargets");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 280);
  tcase_add_loop_test (tc, test_targets, 0, 2);
  return s;
}

GST_CHECK_MAIN (recodertargets);
