/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Errors that are a plane over the frame: motion compensation (13818-2 clause
 * 7.6) moves it along, whatever is interpolated. In a field, vertical vectors
 * count half of its lines, each of them two of the frame's.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2requantize/driftmotion.h>

#define COLUMNS 4
#define ROWS 6
/* One that reaches nowhere beyond the edges. */
#define COLUMN 1
#define ROW 1
#define SLOPE_X 8
#define SLOPE_Y 16

typedef struct
{
  M2vPictureParams picture;
  M2vDriftLoop drift;
} Fixture;

static M2vPictureParams
params (M2vPictureType type, M2vStructure structure)
{
  M2vPictureParams p = {
    .mpeg2 = true,
    .type = type,
    .structure = structure,
    .columns = COLUMNS,
    .rows = structure == M2V_FRAME_PICTURE ? ROWS : ROWS / 2,
    .n_blocks = 6
  };

  return p;
}

/* A reference whose errors are SLOPE_X * x + SLOPE_Y * y + base. */
static void
add_reference (Fixture * f, gint base)
{
  M2vPictureParams intra = params (M2V_PICTURE_I, M2V_FRAME_PICTURE);
  M2vErrorFrame *frame;

  fail_unless (m2v_drift_begin (&f->drift, &intra, true));
  m2v_drift_touch (&f->drift);
  frame = &f->drift.frames[f->drift.newest];
  for (guint i = 0; i < 3; i++) {
    gint width = COLUMNS * (i > 0 ? 8 : 16), height = ROWS * (i > 0 ? 8 : 16);

    for (gint y = 0; y < height; y++) {
      for (gint x = 0; x < width; x++)
        frame->planes[i][y * width + x] = SLOPE_X * x + SLOPE_Y * y + base;
    }
  }
}

static void
set_up (Fixture * f, M2vPictureType type, M2vStructure structure,
    gboolean top_first)
{
  memset (f, 0, sizeof *f);
  f->drift.kernels = m2v_kernels_best ();
  add_reference (f, 0);
  if (type == M2V_PICTURE_B)
    add_reference (f, 160);
  f->picture = params (type, structure);
  fail_unless (m2v_drift_begin (&f->drift, &f->picture, top_first));
}

/* The macroblock's errors, as it has lines. */
static gint
error_at (const Fixture * f, guint component, guint x, guint y)
{
  const M2vErrorBlock *mb = &f->drift.macroblock[component];

  return mb->samples[(gint) y * mb->stride + (gint) x];
}

static void
compensate (Fixture * f, M2vMacroblock * mb)
{
  mb->address = ROW * COLUMNS + COLUMN;
  /* Finds where its errors go. */
  m2v_drift_macroblock (&f->drift, mb);
  m2v_drift_compensate (&f->drift, mb);
}

/* The plane at a sample of the macroblock; dx and dy are half samples of the
 * frame. */
static gdouble
plane_at (guint component, guint x, guint frame_line, gdouble dx, gdouble dy)
{
  guint size = component > 0 ? 8 : 16;

  return SLOPE_X * (COLUMN * size + x + dx / 2)
      + SLOPE_Y * (frame_line + dy / 2);
}

GST_START_TEST (test_frame)
{
  for (gint dx = -9; dx <= 9; dx++) {
    for (gint dy = -9; dy <= 9; dy++) {
      M2vMacroblock mb = {.type = M2V_FORWARD,.motion = M2V_MOTION_FRAME };
      Fixture f;

      set_up (&f, M2V_PICTURE_P, M2V_FRAME_PICTURE, TRUE);
      mb.vectors[0][0].vector[0] = dx;
      mb.vectors[0][0].vector[1] = dy;
      compensate (&f, &mb);
      for (guint i = 0; i < 3; i++) {
        guint size = i > 0 ? 8 : 16;
        /* Halved towards zero (clause 7.6.3.7). */
        gint cx = i > 0 ? dx / 2 : dx, cy = i > 0 ? dy / 2 : dy;

        for (guint k = 0; k < size * size; k++)
          fail_unless (error_at (&f, i, k % size, k / size)
              == plane_at (i, k % size, ROW * size + k / size, cx, cy));
      }
      m2v_drift_free (&f.drift);
    }
  }
}

GST_END_TEST;

/* Of MPEG-1, where vectors may count whole samples. */
GST_START_TEST (test_full_pel)
{
  M2vMacroblock mb = {.type = M2V_FORWARD,.motion = M2V_MOTION_FRAME };
  Fixture f;

  set_up (&f, M2V_PICTURE_P, M2V_FRAME_PICTURE, TRUE);
  f.picture.mpeg2 = false;
  f.picture.full_pel[0] = true;
  mb.vectors[0][0].vector[0] = 3;
  mb.vectors[0][0].vector[1] = -5;
  compensate (&f, &mb);
  for (guint k = 0; k < 256; k++)
    fail_unless (error_at (&f, 0, k % 16, k / 16)
        == plane_at (0, k % 16, ROW * 16 + k / 16, 6, -10));
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

/* One vector a field of a frame, from either of the reference's. */
GST_START_TEST (test_fields_of_frame)
{
  for (guint select = 0; select < 4; select++) {
    M2vMacroblock mb = {.type = M2V_FORWARD,.motion = M2V_MOTION_FIELD };
    Fixture f;

    set_up (&f, M2V_PICTURE_P, M2V_FRAME_PICTURE, TRUE);
    for (guint r = 0; r < 2; r++) {
      mb.vectors[r][0].vector[0] = 4 + (gint) r;
      mb.vectors[r][0].vector[1] = r == 0 ? 3 : -4;
      mb.vectors[r][0].bottom = select >> r & 1;
    }
    compensate (&f, &mb);
    for (guint k = 0; k < 256; k++) {
      guint r = k / 16 % 2;
      gint other = (gint) (select >> r & 1) - (gint) r;
      gdouble dy = 2 * (r == 0 ? 3 : -4) + 2 * other;

      fail_unless (error_at (&f, 0, k % 16, k / 16)
          == plane_at (0, k % 16, ROW * 16 + k / 16, 4 + r, dy));
    }
    m2v_drift_free (&f.drift);
  }
}

GST_END_TEST;

/* A field picture, by one vector or one for each half. */
GST_START_TEST (test_field_picture)
{
  for (guint n = 1; n <= 2; n++) {
    M2vMacroblock mb = {
      .type = M2V_FORWARD,
      .motion = n == 1 ? M2V_MOTION_FIELD : M2V_MOTION_16X8
    };
    Fixture f;

    set_up (&f, M2V_PICTURE_P, M2V_BOTTOM_FIELD, TRUE);
    for (guint r = 0; r < n; r++) {
      mb.vectors[r][0].vector[0] = r == 0 ? 5 : -6;
      mb.vectors[r][0].vector[1] = r == 0 ? 2 : -3;
      mb.vectors[r][0].bottom = r == 0;
    }
    compensate (&f, &mb);
    for (guint k = 0; k < 256; k++) {
      guint r = n == 2 && k / 16 >= 8;
      guint line = 2 * (ROW * 16 + k / 16) + 1;
      gdouble dy = r == 0 ? 2 * 2 : 2 * -3 - 2;

      fail_unless (error_at (&f, 0, k % 16, k / 16)
          == plane_at (0, k % 16, line, r == 0 ? 5 : -6, dy));
    }
    m2v_drift_free (&f.drift);
  }
}

GST_END_TEST;

/* The mean of what the vector says of the same parity, and of the other one by
 * as much as the time to it, half or one and a half, and dmvector: the half
 * line between fields is made up for (clause 7.6.3.6). */
GST_START_TEST (test_dual_prime)
{
  for (guint top_first = 0; top_first < 2; top_first++) {
    M2vMacroblock mb = {
      .type = M2V_FORWARD,
      .motion = M2V_MOTION_DUAL_PRIME
    };
    Fixture f;

    set_up (&f, M2V_PICTURE_P, M2V_FRAME_PICTURE, top_first);
    mb.vectors[0][0].vector[0] = 4;
    mb.vectors[0][0].vector[1] = -4;
    mb.vectors[0][0].dmvector[0] = 1;
    mb.vectors[0][0].dmvector[1] = -1;
    compensate (&f, &mb);
    for (guint k = 0; k < 256; k++) {
      gboolean bottom = k / 16 % 2;
      gint times = bottom == (top_first != 0) ? 3 : 1;
      gdouble dx = (4 + (4 * times / 2 + 1)) / 2.;
      gdouble dy = (-4 + (-4 * times / 2 - 1)) / 2.;

      /* Of fields: half of their lines is one of the frame. */
      fail_unless (error_at (&f, 0, k % 16, k / 16)
          == plane_at (0, k % 16, ROW * 16 + k / 16, dx, 2 * dy));
    }
    m2v_drift_free (&f.drift);
  }
}

GST_END_TEST;

/* The second reference has 160 more: the mean of both has 80. */
GST_START_TEST (test_both_directions)
{
  static const struct
  {
    guint8 type;
    gint base;
  } rows[] = {
    {M2V_FORWARD, 0}, {M2V_BACKWARD, 160}, {M2V_FORWARD | M2V_BACKWARD, 80}
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    M2vMacroblock mb = {.type = rows[i].type,.motion = M2V_MOTION_FRAME };
    Fixture f;

    set_up (&f, M2V_PICTURE_B, M2V_FRAME_PICTURE, TRUE);
    mb.vectors[0][0].vector[0] = mb.vectors[0][1].vector[0] = 6;
    compensate (&f, &mb);
    for (guint k = 0; k < 256; k++)
      fail_unless (error_at (&f, 0, k % 16, k / 16) == rows[i].base
          + plane_at (0, k % 16, ROW * 16 + k / 16, 6, 0));
    m2v_drift_free (&f.drift);
  }
}

GST_END_TEST;

/* The second field of a P frame may refer to the first one (clause 7.6.2.1),
 * which is on lines of its own frame: zero there, since it is an I field. */
GST_START_TEST (test_second_field)
{
  for (guint bottom = 0; bottom < 2; bottom++) {
    M2vPictureParams first = params (M2V_PICTURE_I, M2V_TOP_FIELD);
    M2vMacroblock mb = {.type = M2V_FORWARD,.motion = M2V_MOTION_FIELD };
    Fixture f;

    memset (&f, 0, sizeof f);
    f.drift.kernels = m2v_kernels_best ();
    add_reference (&f, 0);
    fail_unless (m2v_drift_begin (&f.drift, &first, true));
    m2v_drift_end (&f.drift);
    f.picture = params (M2V_PICTURE_P, M2V_BOTTOM_FIELD);
    fail_unless (m2v_drift_begin (&f.drift, &f.picture, true));
    mb.vectors[0][0].bottom = bottom;
    compensate (&f, &mb);
    for (guint k = 0; k < 256; k++)
      fail_unless (error_at (&f, 0, k % 16, k / 16) == (bottom
              ? plane_at (0, k % 16, 2 * (ROW * 16 + k / 16) + 1, 0, 0) : 0));
    m2v_drift_free (&f.drift);
  }
}

GST_END_TEST;

static Suite *
driftmotion_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-driftmotion");
  TCase *tc = tcase_create ("motion");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_frame);
  tcase_add_test (tc, test_full_pel);
  tcase_add_test (tc, test_fields_of_frame);
  tcase_add_test (tc, test_field_picture);
  tcase_add_test (tc, test_dual_prime);
  tcase_add_test (tc, test_both_directions);
  tcase_add_test (tc, test_second_field);
  return s;
}

GST_CHECK_MAIN (driftmotion);
