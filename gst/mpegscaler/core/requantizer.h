/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Requantizer: the slices of a picture with coarser quantisers, which a
 * controller asks for macroblock by macroblock. Quantisers are never refined.
 * What is not touched is copied as bits; headers stay as they are.
 *
 * Open loop, levels are scaled one by one, and what that takes away from a
 * picture is missing from those predicted from it, too, adding up: drift. In
 * the closed loop the requantizer keeps the reference frames' errors, and what
 * a macroblock inherits is coded along with it, as far as it is worth a level.
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

/* What is done about the errors that pictures inherit from their references. */
typedef enum
{
  SCALER_DRIFT_OFF,             /* open loop */
  SCALER_DRIFT_P,               /* taken out of P pictures */
  SCALER_DRIFT_ALL              /* of B pictures too */
} ScalerDrift;

/* A picture and what it stands in. */
typedef struct
{
  const MpegSequence *sequence;
  const MpegPicture *picture;
  const uint8_t *data;          /* the picture's span */
  /* In force for it. NULL, not known: then it is open loop, and of it no errors
   * are known. */
  const MpegMatrices *matrices;
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
  /* Frames above SCALER_DRIFT_MAX_MACROBLOCKS, and all where memory is short,
   * are requantized open loop. */
  ScalerDrift drift;
  bool rate_distortion;         /* choose levels by what they cost */
} ScalerRequantizerSettings;

extern const ScalerRequantizerSettings scaler_requantizer_defaults;

/* A macroblock and where it stands. It has coefficients in the source, or may
 * get some in the closed loop. */
typedef struct
{
  unsigned address;             /* of columns * rows */
  size_t bits_in, bits_out;     /* before it */
  unsigned code, scale;         /* the source's, in force */
  bool coded;                   /* it has coefficients in the source */
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
  /* Mean scale, over all macroblocks: of those that have no use for one,
   * skipped ones too, the one in force. */
  double mean_in, mean_out;
  /* Coefficients, intra DC not counted: what the output has, what it has less
   * in macroblocks that lost some, and more in those that gained. */
  uint64_t kept, dropped, gained;
  unsigned n_slices;
  unsigned n_copied;            /* slices that stayed as they were */
  unsigned n_damaged;           /* of these, since they could not be read;
                                 * they are not in the means */
  /* The controller asked for the maximum throughout: there is no less. */
  bool floor;
} ScalerRequantized;

typedef struct ScalerRequantizer ScalerRequantizer;

/* NULL where memory is short. */
ScalerRequantizer *scaler_requantizer_new (void);
void scaler_requantizer_free (ScalerRequantizer * r);

/* Start, flush, new caps: forgets what scaler_requantizer_analyse has learned,
 * and references, not the settings. */
void scaler_requantizer_reset (ScalerRequantizer * r);

/* Rules from the next picture on; settings out of their range become the
 * nearest in it. */
void scaler_requantizer_set (ScalerRequantizer * r,
    const ScalerRequantizerSettings * settings);

/* The picture's mean scale, before it is rewritten; 0 where it cannot be told,
 * since no slice can be read. The first picture of each type is parsed for it.
 * After that it is the mean over the slice headers, which costs a scan for
 * start codes, times what the two differed by in the last picture of the type
 * that was rewritten. */
double scaler_requantizer_analyse (ScalerRequantizer * r,
    const ScalerSource * source);

/* Writes the picture's slices. They never come to more than the source's: a
 * slice that is no use, or with which the picture so far would be larger than
 * the source's, stays as it is. So a capacity of slices.size +
 * SCALER_REQUANTIZER_RESERVE is enough. Slices that cannot be read stay as
 * they are.
 *
 * False where none can be read (D pictures, 4:4:4, damage) or what is written
 * exceeds the capacity: the picture is to be passed unchanged (do not tell
 * scaler_requantizer_pass); `out` and result are worthless. */
bool scaler_requantizer_picture (ScalerRequantizer * r,
    const ScalerSource * source, const ScalerController * controller,
    uint8_t * out, size_t capacity, ScalerRequantized * result);

/* The picture is passed unchanged: it has the errors that it inherits. False
 * where its headers cannot be read; then none are known. */
bool scaler_requantizer_pass (ScalerRequantizer * r,
    const ScalerSource * source);

/* A picture that others may refer to is missing, or is another than the
 * source's: errors are no longer known, and taken for zero. */
void scaler_requantizer_lost (ScalerRequantizer * r);

#endif
