/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What vectors are said to cost, against what the slice writer writes for them.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "../rounds.h"
#include <mpeg2/motionbits.h>
#include <mpeg2/slicewriter.h>

#define N_ROUNDS 20000

/* Pictures, by what their macroblocks may have. */
typedef struct
{
  const gchar *name;
  M2vPictureType type;
  gboolean mpeg2;
  M2vStructure structure;
  gboolean frame_pred_frame_dct;
  guint8 motions[2];
  guint max_f_code;
} Kind;

static const Kind kinds[] = {
  {"MPEG-1", M2V_PICTURE_B, FALSE, M2V_FRAME_PICTURE, TRUE,
      {M2V_MOTION_FRAME, M2V_MOTION_FRAME}, 7},
  {"progressive", M2V_PICTURE_B, TRUE, M2V_FRAME_PICTURE, TRUE,
      {M2V_MOTION_FRAME, M2V_MOTION_FRAME}, M2V_MAX_F_CODE},
  {"frames", M2V_PICTURE_B, TRUE, M2V_FRAME_PICTURE, FALSE,
      {M2V_MOTION_FRAME, M2V_MOTION_FIELD}, M2V_MAX_F_CODE},
  {"top fields", M2V_PICTURE_B, TRUE, M2V_TOP_FIELD, FALSE,
      {M2V_MOTION_FIELD, M2V_MOTION_16X8}, M2V_MAX_F_CODE},
  {"bottom fields", M2V_PICTURE_B, TRUE, M2V_BOTTOM_FIELD, FALSE,
      {M2V_MOTION_FIELD, M2V_MOTION_16X8}, M2V_MAX_F_CODE},
  {"frames, dual prime", M2V_PICTURE_P, TRUE, M2V_FRAME_PICTURE, FALSE,
      {M2V_MOTION_FIELD, M2V_MOTION_DUAL_PRIME}, M2V_MAX_F_CODE},
  {"fields, dual prime", M2V_PICTURE_P, TRUE, M2V_TOP_FIELD, FALSE,
      {M2V_MOTION_16X8, M2V_MOTION_DUAL_PRIME}, M2V_MAX_F_CODE},
};

typedef struct
{
  M2vPictureParams picture;
  M2vPrediction before;
  M2vMacroblock mb;
} Case;

static M2vVlc vlc;

static void
init_picture (M2vPictureParams * p, const Kind * kind, GRand * rand)
{
  memset (p, 0, sizeof *p);
  p->mpeg2 = kind->mpeg2;
  p->type = kind->type;
  p->structure = kind->structure;
  p->columns = p->rows = 4;
  p->n_blocks = 6;
  p->frame_pred_frame_dct = kind->frame_pred_frame_dct;
  for (guint s = 0; s < 2; s++) {
    for (guint t = 0; t < 2; t++)
      p->f_code[s][t] = g_rand_int_range (rand, 1, kind->max_f_code + 1);
    /* MPEG-1 has one f_code a direction. */
    if (!kind->mpeg2)
      p->f_code[s][1] = p->f_code[s][0];
    p->full_pel[s] = !kind->mpeg2 && g_rand_boolean (rand);
  }
}

/* Any within the range of f_code, its ends, and what is near to the predictor,
 * as vectors mostly are. */
static gint16
random_component (GRand * rand, guint f_code, gint predictor)
{
  gint limit = 16 << (f_code - 1);
  gint near = predictor + g_rand_int_range (rand, -3, 4);

  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      return g_rand_boolean (rand) ? limit - 1 : -limit;
    case 1:
      return CLAMP (near, -limit, limit - 1);
    case 2:
      /* Half of the range away both ways are as long. */
      return m2v_vector_wrap (f_code, predictor + limit);
    default:
      return g_rand_int_range (rand, -limit, limit);
  }
}

static void
init_case (Case * c, const Kind * kind, GRand * rand)
{
  static const guint8 types[] = { M2V_FORWARD, M2V_BACKWARD,
    M2V_FORWARD | M2V_BACKWARD
  };

  memset (c, 0, sizeof *c);
  init_picture (&c->picture, kind, rand);
  c->mb.type = kind->type == M2V_PICTURE_P ? M2V_FORWARD
      : types[g_rand_int_range (rand, 0, G_N_ELEMENTS (types))];
  c->mb.motion = kind->motions[g_rand_int_range (rand, 0, 2)];
  c->mb.quantiser = 1;
  for (guint i = 0; i < 8; i++) {
    guint r = i / 4, s = i / 2 % 2, t = i % 2;
    gint limit = 16 << (c->picture.f_code[s][t] - 1);

    /* A predictor from fields is twice as high as their vectors. */
    if (t == 1 && kind->structure == M2V_FRAME_PICTURE)
      limit *= 2;
    c->before.pmv[r][s][t] = g_rand_int_range (rand, -limit, limit);
    c->mb.vectors[r][s].vector[t] = random_component (rand,
        c->picture.f_code[s][t], m2v_vector_predictor (&c->picture,
            &c->before, c->mb.motion, r, s, t));
    c->mb.vectors[r][s].dmvector[t] = g_rand_int_range (rand, -1, 2);
    c->mb.vectors[r][s].delta[t] = g_rand_boolean (rand) ? limit : -limit;
    c->mb.vectors[r][s].bottom = g_rand_boolean (rand);
  }
}

/* The bits of the macroblock, as the first one of a slice. */
static gsize
written_bits (const Case * c)
{
  const M2vSlice slice = { 0 };
  guint8 out[2 * M2V_SLICE_WRITER_RESERVE];
  M2vSliceWriter w;
  gsize from;

  m2v_slice_writer_init (&w, &c->picture, &vlc, out, sizeof out);
  w.canonical = TRUE;
  m2v_slice_writer_begin (&w, &slice, 1);
  memcpy (w.prediction.pmv, c->before.pmv, sizeof c->before.pmv);
  from = m2v_bit_writer_position (&w.bits);
  m2v_slice_writer_put (&w, &c->mb);
  fail_if (w.error);
  return m2v_bit_writer_position (&w.bits) - from;
}

/* The bits of all but the vectors: address increment, type, motion type. */
static guint
other_bits (const Case * c)
{
  const M2vPictureParams *p = &c->picture;

  return 1 + vlc.type_codes[p->type - M2V_PICTURE_I][c->mb.type].length
      + (m2v_is_field (p) || !p->frame_pred_frame_dct ? 2 : 0);
}

static guint
said_bits (const Case * c)
{
  guint bits = 0;

  for (guint s = 0; s < 2; s++) {
    M2vVector vectors[2] = { c->mb.vectors[0][s], c->mb.vectors[1][s] };

    if (c->mb.type & (s == 0 ? M2V_FORWARD : M2V_BACKWARD))
      bits += m2v_motion_bits (&c->picture, &vlc, &c->before, c->mb.motion, s,
          vectors);
  }
  return bits;
}

GST_START_TEST (test_written)
{
  const Kind *kind = &kinds[__i__];
  GRand *rand = g_rand_new_with_seed (__i__);

  m2v_vlc_init (&vlc);
  for (guint round = 0; round < test_rounds (N_ROUNDS); round++) {
    gsize written;
    Case c;

    init_case (&c, kind, rand);
    written = written_bits (&c) - other_bits (&c);
    if (said_bits (&c) != written)
      fail ("%s, round %u: type %u, motion %u: %u bits instead of %"
          G_GSIZE_FORMAT, kind->name, round, c.mb.type, c.mb.motion,
          said_bits (&c), written);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* By the tables' words, so that writer and count are not wrong alike: the code
 * of 0 has one bit and no residual, that of 1 has two and a sign, that of 16
 * ten and a sign (table B.10); each other f_code adds a bit of residual. */
static const struct
{
  guint f_code;
  gint predictor, vector;
  guint bits;
} deltas[] = {
  {1, 5, 5, 1}, {1, 5, 6, 3}, {1, 5, 4, 3}, {1, 0, 15, 11}, {1, 0, -16, 11},
  {1, 15, -16, 3}, {9, -77, -77, 1}, {9, 0, 256, 3 + 8}, {9, 0, 257, 4 + 8},
  {9, 0, -4096, 11 + 8}, {9, 4095, -4096, 3 + 8}, {2, 0, 2, 3 + 1},
  {2, 0, 3, 4 + 1}, {2, 0, 31, 11 + 1},
};

GST_START_TEST (test_tables)
{
  m2v_vlc_init (&vlc);
  for (guint i = 0; i < G_N_ELEMENTS (deltas); i++) {
    for (guint s = 0; s < 2; s++) {
      M2vPictureParams p = {.mpeg2 = true,.type = M2V_PICTURE_B,
        .structure = M2V_FRAME_PICTURE,.frame_pred_frame_dct = true
      };
      M2vPrediction at = { 0 };
      M2vVector v = { 0 };

      p.f_code[s][0] = p.f_code[s][1] = deltas[i].f_code;
      at.pmv[0][s][0] = deltas[i].predictor;
      v.vector[0] = deltas[i].vector;
      fail_unless (m2v_motion_bits (&p, &vlc, &at, M2V_MOTION_FRAME, s, &v)
          == deltas[i].bits + 1, "row %u", i);
    }
  }
}

GST_END_TEST;

static Suite *
motionbits_suite (void)
{
  Suite *s = suite_create ("mpeg2-motionbits");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_written, 0, G_N_ELEMENTS (kinds));
  tcase_add_test (tc, test_tables);
  return s;
}

GST_CHECK_MAIN (motionbits);
