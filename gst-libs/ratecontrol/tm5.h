/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Rate control after MPEG-2 Test Model 5, for recoding what is coded already.
 * It knows sizes, quantisers, types and durations, no bitstream. docs/tm5.md
 * has the formulas and where they depart from the model.
 *
 * For each picture in coded order: tm5_picture_begin; where it says so,
 * tm5_macroblock for each macroblock or as often as the quantiser may change;
 * tm5_picture_end with what came of it. Instead, tm5_picture_left_out where it is
 * dropped. A field picture is a picture, with half its frame's duration.
 *
 * Quantisers are values of quantiser_scale (13818-2 table 7-6: 2 to 62, or 1 to
 * 112 with q_scale_type), codes are quantiser_scale_code, 1 to 31. Means are
 * over all macroblocks, each with the quantiser in force, skipped ones too.
 *
 * Any value may come from the network: out of range it is clamped.
 */
#ifndef RATECONTROL_TM5_H
#define RATECONTROL_TM5_H

#include <stdbool.h>
#include <stdint.h>

#include <ratecontrol/vbv.h>

typedef enum
{
  TM5_I,                        /* begins a group, but as a second field */
  TM5_P,
  TM5_B,
  TM5_N_TYPES
} Tm5Type;

typedef struct
{
  double kp, kb;                /* quantiser of P and B over that of I */
  double front_load;            /* 0: none. 1: a group's first P and B get half as
                                 * much again as an even share */
  double reaction;              /* r, in mean pictures: the fewer, the harder a
                                 * picture is held to its target. 0: as hard as
                                 * what is left of the group asks for */
  double bucket;                /* seconds that what is sent may be ahead of the
                                 * target */
  double carry;                 /* of a group's error that the next one makes good;
                                 * at most max_carry of that one's budget */
  double max_carry;
  double hold;                  /* of a group's budget, what it may leave unused at
                                 * the beginning of a stream, so that the next I
                                 * is not far ahead of the time since then */
  double first_group;           /* seconds that a stream's first group is taken
                                 * to have */
  double follow;                /* how far X follows the source's picture at hand:
                                 * 0 the last one of its type alone, 1 wholly */
} Tm5Params;

extern const Tm5Params tm5_params_default;
/* As the model has it. */
extern const Tm5Params tm5_params_model;

/* The next picture, as the source has it. */
typedef struct
{
  Tm5Type type;
  bool second_field;            /* of a frame whose first field came before */
  int64_t duration;             /* ns, to the next picture's decoding */
  int64_t bits;
  double quantiser;             /* mean; 0: not known (yet) */
  bool q_scale_type;
  unsigned max_code;            /* coarsest allowed; 0: 31 */
  bool planned;                 /* some of the group's pictures are left out: of
                                 * those after this one so many pass */
  double later[TM5_N_TYPES];
} Tm5Picture;

typedef enum
{
  TM5_PASS,                     /* leave the picture as it is */
  TM5_REDUCE
} Tm5Decision;

/* What became of it. */
typedef struct
{
  int64_t bits;
  double quantiser;             /* mean; 0: passed unchanged, whatever was said */
  double source_quantiser;      /* mean; 0: as it was given at the beginning */
} Tm5Coded;

typedef struct
{
  int64_t target;               /* bits/s */
  bool passing;                 /* the last picture passed by TM5_PASS */
  bool floor;                   /* the coarsest quantiser is too fine: the target
                                 * is exceeded. From picture to picture */
  int64_t picture_target;       /* T of the last picture, bits */
  int64_t budget;               /* R before it, bits */
  double wait;                  /* seconds: the level of the bucket */
  double debt;                  /* seconds: what was sent too much, as far as no
                                 * group has been asked for it yet; 0 where no
                                 * type of picture is at its floor */
  double complexity[TM5_N_TYPES];       /* X, with quantiser_scale / 2 */
  double fullness[TM5_N_TYPES]; /* d0, bits */
  unsigned n_predicted[TM5_N_TYPES];    /* of the group, by type */
  int64_t source_rate;          /* bits/s; 0: not known */
} Tm5Stats;

/* A group as it was or is expected to be in the source. */
typedef struct
{
  unsigned n[TM5_N_TYPES];
  unsigned n_leading;           /* of the B, those before the first P */
  int64_t duration;
  double bits;                  /* of the source */
  bool thinned;                 /* some of its pictures were left out */
} Tm5Group;

/* Groups that are remembered: WINDOW of tm5group.c, of a third of a second
 * each. */
#define TM5_N_GROUPS 24

/* Plain state: copy it, or forget it. */
typedef struct
{
  Tm5Params params;
  int64_t target;               /* in force */
  int64_t new_target;           /* from the next picture on */

  int64_t source_max_rate;      /* what the source's headers promise */
  int64_t source_vbv_size;
  Vbv source_vbv;           /* whether it keeps that */
  Vbv vbv;                  /* that of what comes out */

  /* Groups: the last ones, the one at hand and what it is expected to be. */
  Tm5Group past[TM5_N_GROUPS];  /* a ring */
  unsigned n_past;
  Tm5Group group;
  Tm5Group expected;
  double coded[TM5_N_TYPES];    /* of the group at hand, all but left out */
  bool extended;                /* it has turned out longer */
  unsigned n_run;               /* pictures since the last P, which counts */
  unsigned usual_run;           /* from one P to the next */

  /* Bits. */
  double balance;               /* target * time - sent, as far as it counts */
  double grant;                 /* of it, what the groups before have left */
  double aside;                 /* what later groups are to make good */
  double held;                  /* held back in all: of no group's any more */
  double lead;                  /* of the group, farthest ahead of its time; at its
                                 * beginning that of the one before */
  double seconds;               /* since the start, or since there is a target */
  double deviation;             /* of the group at hand from its plan */
  double level;                 /* sent - target * time, never below 0 */
  double source_level;          /* the source's, while it passes */

  /* By type; quantisers as the model has them, quantiser_scale / 2. */
  double complexity[TM5_N_TYPES];       /* X */
  bool known[TM5_N_TYPES];      /* X is that of a picture */
  double start[TM5_N_TYPES];    /* 31 d0 / r */
  double model[TM5_N_TYPES];    /* X / T of the last one; 0: none recoded */
  bool at_floor[TM5_N_TYPES];
  double floor_bits[TM5_N_TYPES];       /* what is known to come of it there */
  double source_bits[TM5_N_TYPES];
  double source_complexity[TM5_N_TYPES];        /* 0: not known */

  /* The picture at hand. */
  Tm5Picture picture;
  bool passing;
  double budget;                /* R */
  double picture_target;        /* T */
  double ceiling;               /* bits that it must not exceed */
  double rest_floor;            /* of R, what the pictures after it need at
                                 * least */
  double r;
} Tm5;

/* NULL: the defaults. Everything passes until a target is set. */
void tm5_init (Tm5 * tm5, const Tm5Params * params);

/* What the source's headers promise: it needs no more than vbv_buffer_size bits
 * at bit_rate, and what comes out must not either. 0: they do not say. */
void tm5_set_source (Tm5 * tm5, int64_t bit_rate, int64_t vbv_buffer_size);

/* bits/s from the next picture on, INT64_MAX for no limit. */
void tm5_set_target (Tm5 * tm5, int64_t target);

Tm5Decision tm5_picture_begin (Tm5 * tm5, const Tm5Picture * picture);

/* The quantiser_scale_code for what comes next. `done` is the share of the
 * picture before it: (j - 1) / MB_cnt in the model, or the source's bits so far
 * over its whole size. `bits` have come of it. `activity` is N_act, or the
 * source's quantiser here over its mean, or 1. A source that is coarser there
 * already should stay as it is. */
unsigned tm5_macroblock (const Tm5 * tm5, double done, int64_t bits,
    double activity);

void tm5_picture_end (Tm5 * tm5, const Tm5Coded * coded);

/* Instead of both: the picture does not pass, but takes its time. So many bits
 * leave in its place. */
void tm5_picture_left_out (Tm5 * tm5, const Tm5Picture * picture,
    int64_t bits);

/* Seconds at the target that what was sent is behind it, or ahead (negative), as
 * far as it counts; for what begins a group, what that one takes over. */
double tm5_credit (const Tm5 * tm5, bool begins);

/* Seconds that the group is expected to go on. */
double tm5_rest (const Tm5 * tm5);

void tm5_get_stats (const Tm5 * tm5, Tm5Stats * stats);

/* quantiser_scale of a code, table 7-6. */
unsigned tm5_quantiser_scale (bool q_scale_type, unsigned code);

#endif
