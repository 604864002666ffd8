/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Open-loop requantizer: the slices of a picture with coarser quantisers, which
 * a controller asks for macroblock by macroblock. Quantisers are never
 * refined. What is not touched is copied as bits; headers stay as they are.
 *
 * A code is a quantiser_scale_code, 1..31, a scale the quantiser_scale that it
 * stands for (13818-2 table 7-6). Bits and sizes are of slices alone.
 */
#ifndef SCALER_REQUANTIZER_H
#define SCALER_REQUANTIZER_H

#include "requantize.h"
#include "slicewriter.h"

/* Of the output's capacity, what remains unused. */
#define SCALER_REQUANTIZER_RESERVE SCALER_SLICE_WRITER_RESERVE

/* A picture and what it stands in. */
typedef struct
{
  const MpegSequence *sequence;
  const MpegPicture *picture;
  const uint8_t *data;          /* the picture's span */
} ScalerSource;

typedef struct
{
  ScalerRounding rounding;
  unsigned max_code;
  /* A scale this near to the one in force gives way to it, for each change
   * costs bits; but only those from `hysteresis_from` on (TM5 step 3). 0: none
   * gives way. */
  unsigned hysteresis;
  unsigned hysteresis_from;
} ScalerRequantizerSettings;

extern const ScalerRequantizerSettings scaler_requantizer_defaults;

/* A macroblock with coefficients, and where it stands. */
typedef struct
{
  unsigned address;             /* of columns * rows */
  size_t bits_in, bits_out;     /* before it */
  unsigned code, scale;         /* the source's */
} ScalerRequest;

typedef struct
{
  /* The code wanted. What is below the source's, or above the maximum, becomes
   * that. */
  unsigned (*code) (void *user, const ScalerRequest * request);
  void *user;
} ScalerController;

typedef struct
{
  size_t size_in, size_out;     /* bytes */
  /* Mean scale, over all macroblocks: of those that have no use for one, skipped
   * ones too, the one in force. */
  double mean_in, mean_out;
  uint64_t kept, dropped;       /* coefficients, intra DC not counted */
  unsigned n_slices;
  unsigned n_copied;            /* slices that stayed as they were */
  /* The controller asked for the maximum throughout: there is no less. */
  bool floor;
} ScalerRequantized;

typedef struct ScalerRequantizer ScalerRequantizer;

/* NULL where memory is short. */
ScalerRequantizer *scaler_requantizer_new (void);
void scaler_requantizer_free (ScalerRequantizer * r);

/* Start, flush, new caps: forgets what scaler_requantizer_analyse has learned,
 * not the settings. */
void scaler_requantizer_reset (ScalerRequantizer * r);

/* Rules from the next picture on; settings out of their range become the
 * nearest in it. */
void scaler_requantizer_set (ScalerRequantizer * r,
    const ScalerRequantizerSettings * settings);

/* The picture's mean scale, before it is rewritten; 0 where it cannot be
 * told. The first picture of each type is parsed for it. After that it is the
 * mean over the slice headers, which costs a scan for start codes, times what
 * the two differed by in the last picture of the type that was rewritten. */
double scaler_requantizer_analyse (ScalerRequantizer * r,
    const ScalerSource * source);

/* Writes the picture's slices. None grows, so that a capacity of slices.size +
 * SCALER_REQUANTIZER_RESERVE is enough. False where the picture cannot be read (D pictures,
 * 4:4:4, damage) or what is written exceeds the capacity: it is to be passed
 * unchanged, `out` and result are worthless. */
bool scaler_requantizer_picture (ScalerRequantizer * r,
    const ScalerSource * source, const ScalerController * controller,
    uint8_t * out, size_t capacity, ScalerRequantized * result);

#endif
