/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * mpeg-recode [OPTION...] FILE OUT RATE: a stream with RATE bits/s, as
 * mpegscaler would recode it if nothing had to be dropped. Options:
 * --drift=off|p|all, --rd=0|1, --vectors=never|auto|always, --max-code=1..31,
 * --modulate=0|1, --kb=NUMBER, --front-load=NUMBER, --change=SECONDS:RATE,
 * --auto=0|1 (drops what would not fit), --scale=0..4 (drops by scale),
 * --seconds=NUMBER (of the stream, no more). Prints what came of it as JSON.
 */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "bench.h"
#include <mpeg2/stuffing.h>
#include <mpeg2scaling/recoder.h>

#define MAX_GROUPS 4096

typedef struct
{
  unsigned n_frames, n_dropped;
  unsigned n_floor;             /* frames at which `floor` was true */
  double seconds;
  uint64_t bits_in, bits;
  int64_t target;               /* 0: it has changed meanwhile */
} Group;

/* Of frames, by type. */
typedef struct
{
  unsigned n;
  uint64_t bits_in, bits_out;
  double in, out;               /* sums of mean quantiser_scales */
} Sum;

typedef struct
{
  uint8_t *data;
  size_t size, stuffing;
  FILE *out;
  M2vDropper *dropper;
  M2vRecoder *recoder;
  M2vRecoderSettings settings;
  M2vDropperSettings dropping;
  bool both;                    /* as mode=auto */
  double longest;               /* seconds; 0: all */

  Sum sums[M2V_PICTURE_B + 1];
  Group groups[MAX_GROUPS];
  unsigned n_groups;
  unsigned n_floor;             /* frames that needed the coarsest quantiser */
  double wait;                  /* seconds, longest */
  double seconds;               /* of the stream, so far */
  double change;                /* there is a new target then; 0: none */
  int64_t new_target;
} Run;

static void
put (Run * r, const uint8_t * bytes, size_t size)
{
  if (fwrite (bytes, 1, size, r->out) != size) {
    perror ("write");
    exit (1);
  }
}

static size_t
put_pieces (Run * r, const M2vFrame * frame, const M2vDecision * decision)
{
  size_t size = 0;

  for (unsigned i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];
    const uint8_t *bytes = piece->literal ? piece->literal
        : r->data + frame->pictures[piece->picture].begin;

    put (r, bytes + piece->offset, piece->size);
    size += piece->size;
  }
  return size;
}

static void
count (Run * r, const M2vFrame * frame, bool dropped, size_t size)
{
  M2vRecoderStats stats;
  Group *group;
  Sum *sum = &r->sums[frame->type <= M2V_PICTURE_B ? frame->type : 0];

  m2v_recoder_stats (r->recoder, &stats);
  sum->n++;
  sum->bits_in += (uint64_t) frame->size * 8;
  sum->bits_out += (uint64_t) size *8;
  sum->in += stats.quantiser_in;
  sum->out += stats.quantiser_out;
  r->n_floor += stats.control.floor;
  if (stats.control.wait > r->wait)
    r->wait = stats.control.wait;

  if ((frame->starts_group || r->n_groups == 0) && r->n_groups < MAX_GROUPS)
    r->groups[r->n_groups++].target = r->settings.target;
  group = &r->groups[r->n_groups - 1];
  if (group->target != r->settings.target)
    group->target = 0;
  group->n_frames++;
  group->n_dropped += dropped;
  group->n_floor += stats.control.floor;
  group->seconds += 1e-9 * (double) frame->duration;
  group->bits_in += (uint64_t) frame->size * 8;
  group->bits += (uint64_t) size *8;
}

static void
change_target (Run * r, const M2vFrame * frame)
{
  if (r->change > 0 && r->seconds >= r->change) {
    r->settings.target = r->new_target;
    m2v_recoder_set (r->recoder, &r->settings);
    r->change = 0;
  }
  r->seconds += 1e-9 * (double) frame->duration;
}

static void
recode_frame (Run * r, const M2vFrame * frame)
{
  const uint8_t *data[2] = { r->data + frame->pictures[0].begin,
    r->data + frame->pictures[1].begin
  };
  M2vDecision decision;
  ScalingCost cost;

  if (r->longest > 0 && r->seconds >= r->longest)
    return;
  change_target (r, frame);
  if (r->both) {
    r->dropping.target = r->settings.target;
    m2v_dropper_set (r->dropper, &r->dropping);
    m2v_recoder_cost (r->recoder, frame, data, &cost);
    m2v_dropper_set_cost (r->dropper, &cost);
  }
  m2v_dropper_frame (r->dropper, frame, data, &decision);
  m2v_recoder_frame (r->recoder, frame, data, &decision);
  count (r, frame, decision.action == M2V_DROP,
      decision.action == M2V_DROP ? 0 : put_pieces (r, frame, &decision));
}

static void
drop_unpaired (Run * r, const M2vFrame * frame)
{
  const uint8_t *data[2] = { r->data + frame->pictures[0].begin, NULL };

  m2v_dropper_unpaired (r->dropper, frame, data);
}

static void
recode (Run * r, M2vAssembler * assembler)
{
  const M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, false };
  M2vFrame before, frame;
  M2vSplitter splitter;
  M2vPicture span;
  M2vPiece piece;
  size_t position = 0;
  unsigned done;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, r->data, r->size, &position, &span)) {
    if (span.kind != M2V_SPAN_PICTURE) {
      if (m2v_dropper_span (r->dropper, &span, r->data + span.begin))
        put (r, r->data + span.begin, span.size);
      continue;
    }
    done = m2v_assembler_push (assembler, &splitter, &span, &stamp, &before,
        &frame);
    if (done & M2V_ASSEMBLED_UNPAIRED)
      drop_unpaired (r, &before);
    if (done & M2V_ASSEMBLED_FRAME)
      recode_frame (r, &frame);
  }
  if (m2v_assembler_finish (assembler, &frame))
    drop_unpaired (r, &frame);
  if (m2v_dropper_finish (r->dropper, &piece))
    put (r, piece.literal + piece.offset, piece.size);
}

static void
print_types (const Run * r)
{
  static const char *const names[] = {
    [M2V_PICTURE_I] = "I",[M2V_PICTURE_P] = "P",[M2V_PICTURE_B] = "B"
  };
  const char *comma = "";

  printf ("  \"types\": {");
  for (unsigned i = M2V_PICTURE_I; i <= M2V_PICTURE_B; i++) {
    const Sum *s = &r->sums[i];

    if (s->n == 0)
      continue;
    printf ("%s\n    \"%s\": {\"frames\": %u, \"bits_in\": %.0f, "
        "\"bits_out\": %.0f, \"quantiser_in\": %.2f, \"quantiser_out\": %.2f}",
        comma, names[i], s->n, (double) s->bits_in / s->n,
        (double) s->bits_out / s->n, s->in / s->n, s->out / s->n);
    comma = ",";
  }
  printf ("},\n");
}

static void
print_groups (const Run * r)
{
  printf ("  \"groups\": [");
  for (unsigned i = 0; i < r->n_groups; i++) {
    const Group *g = &r->groups[i];

    printf ("%s\n    {\"frames\": %u, \"seconds\": %.3f, \"rate\": %.0f, "
        "\"rate_in\": %.0f, \"dropped\": %u, \"floor\": %u, \"target\": %lld}",
        i > 0 ? "," : "", g->n_frames, g->seconds,
        g->seconds > 0 ? (double) g->bits / g->seconds : 0,
        g->seconds > 0 ? (double) g->bits_in / g->seconds : 0, g->n_dropped,
        g->n_floor, (long long) g->target);
  }
  printf ("]\n");
}

static void
print (const Run * r, double seconds)
{
  M2vRecoderStats stats;
  unsigned n_frames = 0;
  uint64_t bits = 0;

  m2v_recoder_stats (r->recoder, &stats);
  for (unsigned i = 0; i < r->n_groups; i++) {
    n_frames += r->groups[i].n_frames;
    bits += r->groups[i].bits;
  }
  printf ("{\"frames\": %u, \"bits\": %llu, \"user_seconds\": %.6f,\n"
      "  \"recoded\": %llu, \"passed\": %llu, \"unreadable\": %llu,\n"
      "  \"floor\": %u, \"wait\": %.4f, \"stuffing\": %zu,\n", n_frames,
      (unsigned long long) bits, seconds, (unsigned long long) stats.recoded,
      (unsigned long long) stats.passed, (unsigned long long) stats.unreadable,
      r->n_floor, r->wait, r->stuffing);
  print_types (r);
  print_groups (r);
  printf ("}\n");
}

static bool
set_option (Run * r, int option, const char *value)
{
  static const char *const drifts[] = {
    [M2V_DRIFT_OFF] = "off",[M2V_DRIFT_P] = "p",[M2V_DRIFT_ALL] = "all"
  };

  M2vRecoderSettings *s = &r->settings;
  char *rest;

  switch (option) {
    case 'd':
      for (unsigned i = 0; i < 3; i++) {
        if (strcmp (value, drifts[i]) == 0) {
          s->drift = (M2vDrift) i;
          return true;
        }
      }
      return false;
    case 'v':
      s->vector_share = strcmp (value, "never") == 0 ? 1
          : strcmp (value, "auto") == 0 ? M2V_WORTHWHILE_VECTOR_SHARE : 0;
      return s->vector_share > 0 || strcmp (value, "always") == 0;
    case 'r':
      s->rate_distortion = atoi (value) != 0;
      return true;
    case 'c':
      s->max_code = (unsigned) atoi (value);
      return true;
    case 'm':
      s->modulate = atoi (value) != 0;
      return true;
    case 'k':
      s->kb = atof (value);
      return true;
    case 'f':
      s->front_load = atof (value);
      return true;
    case 'a':
      r->both = atoi (value) != 0;
      return true;
    case 's':
      r->dropping.scale = atoi (value);
      return true;
    case 'l':
      r->longest = atof (value);
      return true;
    case 't':
      r->change = strtod (value, &rest);
      r->new_target = *rest == ':' ? atoll (rest + 1) : 0;
      return r->new_target > 0;
    default:
      return false;
  }
}

static bool
parse (Run * r, int argc, char **argv)
{
  static const struct option options[] = {
    {"drift", required_argument, NULL, 'd'},
    {"vectors", required_argument, NULL, 'v'},
    {"rd", required_argument, NULL, 'r'},
    {"max-code", required_argument, NULL, 'c'},
    {"modulate", required_argument, NULL, 'm'},
    {"kb", required_argument, NULL, 'k'},
    {"front-load", required_argument, NULL, 'f'},
    {"change", required_argument, NULL, 't'},
    {"auto", required_argument, NULL, 'a'},
    {"scale", required_argument, NULL, 's'},
    {"seconds", required_argument, NULL, 'l'},
    {NULL, 0, NULL, 0}
  };
  int option;

  while ((option = getopt_long (argc, argv, "", options, NULL)) != -1) {
    if (!set_option (r, option, optarg))
      return false;
  }
  return argc - optind == 3;
}

int
main (int argc, char **argv)
{
  static Run r;
  M2vAssembler *assembler = m2v_assembler_new ();
  double begin;

  r.settings = m2v_recoder_defaults;
  r.dropping = (M2vDropperSettings) {
  .scale = -1,.target = -1,.fill = true};
  if (!parse (&r, argc, argv)) {
    fprintf (stderr, "usage: %s [OPTION...] FILE OUT RATE\n", argv[0]);
    return 2;
  }
  r.settings.target = atoll (argv[optind + 2]);
  r.data = load (argv[optind], &r.size);
  r.dropper = m2v_dropper_new ();
  r.recoder = m2v_recoder_new ();
  if (!r.data || !r.dropper || !r.recoder || !assembler)
    return 1;
  r.out = fopen (argv[optind + 1], "wb");
  if (!r.out) {
    perror (argv[optind + 1]);
    return 1;
  }
  r.stuffing = r.size;
  r.size = m2v_remove_stuffing (r.data, r.size, r.data);
  r.stuffing -= r.size;
  m2v_dropper_set (r.dropper, &r.dropping);
  m2v_recoder_set (r.recoder, &r.settings);
  begin = user_time ();
  recode (&r, assembler);
  if (fclose (r.out) != 0) {
    perror (argv[optind + 1]);
    return 1;
  }
  print (&r, user_time () - begin);
  m2v_assembler_free (assembler);
  m2v_recoder_free (r.recoder);
  m2v_dropper_free (r.dropper);
  free (r.data);
  return 0;
}
