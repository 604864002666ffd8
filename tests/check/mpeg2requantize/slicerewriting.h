/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a P picture of one row, a slice of it, and the rewriter for it.
 */
#ifndef TEST_SLICEREWRITING_H
#define TEST_SLICEREWRITING_H

#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2requantize/slicerewriter.h>

#define COLUMNS 4
#define SLICE_SIZE 8192

typedef struct
{
  M2vVlc vlc;
  M2vPictureParams picture;
  M2vMatrices matrices;
  M2vRequantizerSettings settings;
  guint8 source[SLICE_SIZE], out[SLICE_SIZE];
  M2vRange slice;
  M2vDriftLoop drift;
  M2vSliceRewriter r;
} Fixture;

/* Matrices are flat, and nothing is left out but what the quantiser takes. */
static inline void
set_up (Fixture * f)
{
  memset (f, 0, sizeof *f);
  m2v_vlc_init (&f->vlc);
  f->picture.mpeg2 = true;
  f->picture.type = M2V_PICTURE_P;
  f->picture.structure = M2V_FRAME_PICTURE;
  f->picture.columns = COLUMNS;
  f->picture.rows = 1;
  f->picture.n_blocks = 6;
  f->picture.frame_pred_frame_dct = true;
  f->picture.f_code[0][0] = f->picture.f_code[0][1] = 1;
  memset (f->matrices.matrix, 16, sizeof f->matrices.matrix);
  f->settings.max_code = 31;
  f->settings.rounding.intra = 3;
  f->settings.rounding.non_intra = 1;
}

static inline void
start_picture (Fixture * f)
{
  m2v_slice_rewriter_init (&f->r, &f->settings, &f->picture, &f->vlc,
      f->source, f->out, sizeof f->out);
  m2v_slice_rewriter_set_levels (&f->r, m2v_kernels_best (), &f->matrices,
      NULL);
}

/* One that stands still, without coefficients, or an intra one. */
static inline void
init_macroblock (M2vMacroblock * mb, guint address, guint code, gboolean intra)
{
  memset (mb, 0, sizeof *mb);
  mb->address = address;
  mb->first = address == 0;
  mb->last = address == COLUMNS - 1;
  mb->quantiser = code;
  mb->type = intra ? M2V_INTRA : M2V_FORWARD;
  mb->motion = intra ? 0 : M2V_MOTION_FRAME;
  mb->pattern = intra ? 0x3f : 0;
  for (guint i = 0; i < 6; i++)
    mb->dc[i] = 100;
}

static inline void
add_level (M2vMacroblock * mb, guint block, guint position, gint level)
{
  M2vCoefficient *c = &mb->coefficients[block][mb->n_coefficients[block]++];

  c->position = position;
  c->level = level;
  if (!(mb->type & M2V_INTRA))
    mb->type |= M2V_PATTERN;
  mb->pattern |= 1 << block;
}

/* Writes the source's slice. */
static inline void
write_slice (Fixture * f, const M2vMacroblock * mbs, guint n, guint code)
{
  static const M2vSlice header;
  M2vSliceWriter w;

  m2v_slice_writer_init (&w, &f->picture, &f->vlc, f->source, SLICE_SIZE);
  m2v_slice_writer_begin (&w, &header, code);
  for (guint i = 0; i < n; i++)
    m2v_slice_writer_put (&w, &mbs[i]);
  m2v_slice_writer_end (&w, 0);
  fail_if (w.error);
  f->slice.offset = 0;
  f->slice.size = m2v_slice_writer_finish (&w);
}

/* A reference all of whose samples are `error` 32nds off, and then the
 * picture. */
static inline void
begin_drift (Fixture * f, gint16 error)
{
  M2vDriftLoop *d = &f->drift;
  M2vPictureParams intra = f->picture;
  M2vMacroblock mb;

  intra.type = M2V_PICTURE_I;
  d->kernels = m2v_kernels_best ();
  fail_unless (m2v_drift_begin (d, &intra, true));
  m2v_drift_touch (d);
  for (guint address = 0; address < COLUMNS; address++) {
    init_macroblock (&mb, address, 1, TRUE);
    fail_if (m2v_drift_macroblock (d, &mb));
    for (guint i = 0; i < 6; i++) {
      M2vErrorBlock block = m2v_drift_block (d, false, i);

      for (guint k = 0; k < 64; k++)
        block.samples[(gint) (k / 8) * block.stride + k % 8] = error;
    }
  }
  m2v_drift_end (d);
  fail_unless (m2v_drift_begin (d, &f->picture, true));
}

#endif
