/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes streams whose headers are real and whose slices are any bytes.
 */
#ifndef MAKESTREAM_H
#define MAKESTREAM_H

#include <mpeg2/bitwriter.h>

#include <glib.h>

#define MAKE_MAX_SLICES 64

typedef struct
{
  bool mpeg2;
  bool sequence, sequence_matrix, group, end;
  unsigned type, temporal_reference;
  unsigned structure;           /* 0: a frame */
  unsigned f_code;              /* 0: 1 */
  bool full_pel, top_field_first;
  unsigned composite;           /* 0: none; else a value of it */
  bool matrix;                  /* a quant_matrix_extension */
  unsigned user_data;           /* bytes of it, start code included; 0: none */
  unsigned slices[MAKE_MAX_SLICES];     /* sizes, 0 ends them */
} MakePicture;

void make_picture (GByteArray * out, const MakePicture * p, GRand * rand);

#endif
