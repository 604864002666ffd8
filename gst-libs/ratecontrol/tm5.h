/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Rate control after MPEG-2 Test Model 5, for recoding of coded pictures. It
 * sees sizes, quantisers, types and durations, but no bitstream. docs/tm5.md
 * has the formulas and where they depart from the model.
 *
 * For each picture in coded order call tm5_picture_begin. If it returns
 * TM5_REDUCE, call tm5_macroblock for each macroblock, or whenever the
 * quantiser may change. Then call tm5_picture_end with the result. For a
 * dropped picture call only tm5_picture_left_out. A field picture is a picture,
 * with half its frame's duration.
 *
 * Quantisers are values of quantiser_scale (13818-2 table 7-6: 2 to 62, or 1 to
 * 112 with q_scale_type), codes are quantiser_scale_code, 1 to 31. Means are
 * over all macroblocks, each with the quantiser in force, skipped ones too.
 *
 * Values may come from the network, so they are clamped to their range.
 */
#ifndef RATECONTROL_TM5_H
#define RATECONTROL_TM5_H

#include <stdbool.h>
#include <stdint.h>

#include <ratecontrol/vbv.h>

typedef enum
{
  TM5_I,                        /* begins a group if it is no second field */
  TM5_P,
  TM5_B,
  TM5_N_TYPES
} Tm5Type;

typedef struct
{
  double kp, kb;                /* quantiser of P and of B over that of I */
  /* 0 = none; 1 = a group's first P and B get 1.5 times an even share */
  double front_load;
  /* r, in mean pictures; a smaller one keeps a picture closer to its target. 0
   * = the rest of the group decides how close. */
  double reaction;
  /* seconds that the sent pictures may be ahead of the target */
  double bucket;
  double carry;                 /* share of a group's error for the next one */
  double max_carry;             /* bound on `carry`; share of the next budget */
  /* share of its budget that a group may leave unused at the beginning of a
   * stream, so that the next I is not far ahead of the time since then */
  double hold;
  double first_group;           /* seconds; assumed length of the first group */
  /* how far X follows the current picture of the source; 0 = it is that of the
   * last one of its type, 1 = it follows fully */
  double follow;
} Tm5Params;

extern const Tm5Params tm5_params_default;
/* The parameters of the model. */
extern const Tm5Params tm5_params_model;

/* The next picture in the source. */
typedef struct
{
  Tm5Type type;
  bool second_field;            /* the frame's first field came before */
  int64_t duration;             /* ns, to the next picture's decoding */
  int64_t bits;
  double quantiser;             /* mean; 0 = not known (yet) */
  bool q_scale_type;
  unsigned max_code;            /* coarsest allowed; 0 = 31 */
  bool planned;                 /* some of the group's pictures are left out */
  /* if planned: how many pictures of each type pass after this one */
  double later[TM5_N_TYPES];
} Tm5Picture;

typedef enum
{
  TM5_PASS,                     /* the picture stays unchanged */
  TM5_REDUCE
} Tm5Decision;

/* The picture after recoding. */
typedef struct
{
  int64_t bits;
  double quantiser;             /* mean; 0 = unchanged, even if TM5_REDUCE */
  double source_quantiser;      /* mean; 0 = that of tm5_picture_begin */
} Tm5Coded;

typedef struct
{
  int64_t target;               /* bits/s */
  bool passing;                 /* the last picture passed by TM5_PASS */
  /* The coarsest quantiser exceeds the target. This may change with each
   * picture. */
  bool floor;
  int64_t picture_target;       /* T of the last picture, bits */
  int64_t budget;               /* R before the last picture, bits */
  double wait;                  /* level of the bucket, seconds */
  /* seconds that were sent beyond the target and that no group has to make up
   * for yet; 0 if no type of picture is at its floor */
  double debt;
  double complexity[TM5_N_TYPES];       /* X, with quantiser_scale / 2 */
  double fullness[TM5_N_TYPES]; /* d0, bits */
  /* how many pictures the group is expected to have, by type */
  unsigned n_predicted[TM5_N_TYPES];
  int64_t source_rate;          /* bits/s; 0 = not known */
} Tm5Stats;

/* A group in the source, past or expected. */
typedef struct
{
  unsigned n[TM5_N_TYPES];      /* number of pictures by type */
  unsigned n_leading;           /* number of B before the first P */
  int64_t duration;             /* ns */
  double bits;                  /* size in the source */
  bool thinned;                 /* some of its pictures were left out */
} Tm5Group;

/* Number of past groups that are kept: WINDOW of tm5group.c in groups of a
 * third of a second. */
#define TM5_N_GROUPS 24

/* The state owns no memory: it may be copied, and need not be freed. */
typedef struct
{
  Tm5Params params;
  int64_t target;               /* bits/s in force */
  int64_t new_target;           /* bits/s from the next picture on */

  int64_t source_max_rate;      /* bit_rate of the source's headers */
  int64_t source_vbv_size;      /* vbv_buffer_size of the source's headers */
  Vbv source_vbv;               /* shows whether the source keeps these */
  Vbv vbv;                      /* the buffer of the output */

  Tm5Group past[TM5_N_GROUPS];  /* a ring of the last groups */
  unsigned n_past;
  Tm5Group group;               /* the current group so far */
  Tm5Group expected;            /* the current group as it is expected */
  /* number of the current group's pictures that were not left out */
  double coded[TM5_N_TYPES];
  bool extended;                /* the group is longer than was expected */
  unsigned n_run;               /* pictures since the last P, included */
  unsigned usual_run;           /* pictures from one P to the next */

  /* Bits. */
  double balance;               /* target * time - sent, without what expired */
  double grant;                 /* part of the balance from earlier groups */
  double aside;                 /* part of the balance for later groups */
  double held;                  /* total held back; no group gets it */
  /* how far the group was ahead of the target at most; at its beginning that of
   * the group before */
  double lead;
  /* seconds since the start, or since there is a target */
  double seconds;
  double deviation;             /* of the current group from its plan */
  double level;                 /* sent - target * time, never below 0 */
  double source_level;          /* level of the source while it passes */

  /* By type. Quantisers are those of the model, quantiser_scale / 2. */
  double complexity[TM5_N_TYPES];       /* X */
  bool known[TM5_N_TYPES];      /* X comes from a picture */
  double start[TM5_N_TYPES];    /* 31 d0 / r */
  double model[TM5_N_TYPES];    /* X / T of the last one; 0 = none recoded */
  bool at_floor[TM5_N_TYPES];
  double floor_bits[TM5_N_TYPES];       /* expected size at the floor, bits */
  double source_bits[TM5_N_TYPES];
  double source_complexity[TM5_N_TYPES];        /* 0 = not known */

  /* The current picture. */
  Tm5Picture picture;
  bool passing;
  double budget;                /* R */
  double picture_target;        /* T */
  double ceiling;               /* bits that the picture must not exceed */
  double rest_floor;            /* bits of R; minimum of later pictures */
  double r;                     /* the model's reaction parameter, bits */
} Tm5;

/* params: NULL = the defaults. Everything passes until a target is set. */
void tm5_init (Tm5 * tm5, const Tm5Params * params);

/* Sets the limits of the source's headers: it needs no more than
 * vbv_buffer_size bits at bit_rate, and the output must not either. 0 = not
 * given. */
void tm5_set_source (Tm5 * tm5, int64_t bit_rate, int64_t vbv_buffer_size);

/* Sets the target in bits/s from the next picture on; INT64_MAX = no limit. */
void tm5_set_target (Tm5 * tm5, int64_t target);

Tm5Decision tm5_picture_begin (Tm5 * tm5, const Tm5Picture * picture);

/* Returns the quantiser_scale_code for the next macroblocks. `done` is the
 * share of the picture before them: (j - 1) / MB_cnt in the model, or the
 * source's bits so far over its whole size. `bits` is the size of that share
 * after recoding. `activity` is N_act, or the source's quantiser here over its
 * mean, or 1. Macroblocks that are already coarser in the source should stay as
 * they are. */
unsigned tm5_macroblock (const Tm5 * tm5, double done, int64_t bits,
    double activity);

void tm5_picture_end (Tm5 * tm5, const Tm5Coded * coded);

/* Replaces both for a picture that does not pass, but whose duration counts.
 * `bits` leave in its place. */
void tm5_picture_left_out (Tm5 * tm5, const Tm5Picture * picture,
    int64_t bits);

/* Returns the seconds at the target that the sent pictures are behind it;
 * negative = ahead. Expired debts do not count. For a picture that begins a
 * group, returns the part that the group takes over. */
double tm5_credit (const Tm5 * tm5, bool begins);

/* Returns the seconds that the group is expected to go on. */
double tm5_rest (const Tm5 * tm5);

void tm5_get_stats (const Tm5 * tm5, Tm5Stats * stats);

/* Returns the quantiser_scale of a code, table 7-6. */
unsigned tm5_quantiser_scale (bool q_scale_type, unsigned code);

#endif
