/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: streams with all the syntax that encoders at hand do not use, of
 * random macroblocks. Their vectors stay within the pictures.
 */
#ifndef TEST_MADESTREAM_H
#define TEST_MADESTREAM_H

#include <gst/check/gstcheck.h>

#include <mpeg2/slicewriter.h>

typedef struct
{
  const gchar *name;
  gboolean mpeg2;
  guint width, height;
  /* MPEG-2. */
  gboolean interlaced;
  guint chroma_format;
  gboolean field_pictures;
  gboolean frame_pred_frame_dct;
  gboolean concealment, q_scale_type, intra_vlc, alternate_scan;
  guint dc_precision;
  gboolean dual_prime;          /* and no B pictures */
  /* MPEG-1. */
  gboolean full_pel;
  guint f_code;                 /* at most; 0: 1 */
  gboolean matrices;            /* loaded, and others now and then */
  /* Any coefficients. Without it only such as give each sample of a block the
   * same whole number, where all decoders agree. */
  gboolean rough;
  /* All places look much alike, so that most vectors are as good as others. */
  gboolean flat;
} MadeStreamParams;

typedef struct
{
  GByteArray *bytes;
  GArray *macroblocks;          /* M2vMacroblock, in order, as written */
  guint n_frames;
} MadeStream;

MadeStream *made_stream_new (const MadeStreamParams * params, guint32 seed);
void made_stream_free (MadeStream * s);

/* Rough ones of all structures, with all that real streams lack. Those up to
 * MADE_N_SMALL are pictures of few macroblocks; the others are as wide and as
 * high as vectors and slices go. */
#define MADE_N_SMALL 11
#define MADE_N_STRUCTURES 13
extern const MadeStreamParams made_structures[MADE_N_STRUCTURES];

/* A copy in which some frames begin with their bottom field, which dual prime
 * hangs on, and some pictures have matrices, chrominance others: all of them,
 * or any, so that the rest stay as they were. */
GByteArray *made_stream_vary (const MadeStream * s, GRand * rand,
    gboolean all_matrices);

#endif
