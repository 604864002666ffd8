/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: streams with all the syntax that encoders at hand do not use, of
 * random macroblocks. Their vectors stay within the pictures.
 */
#ifndef TEST_MADESTREAM_H
#define TEST_MADESTREAM_H

#include <gst/check/gstcheck.h>

#include "slicewriter.h"

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
} MadeStreamParams;

typedef struct
{
  GByteArray *bytes;
  GArray *macroblocks;          /* ScalerMacroblock, in order, as written */
  guint n_frames;
} MadeStream;

MadeStream *made_stream_new (const MadeStreamParams * params, guint32 seed);
void made_stream_free (MadeStream * s);

#endif
