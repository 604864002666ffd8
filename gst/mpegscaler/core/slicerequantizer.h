/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of requantizer.h: slice by slice.
 */
#ifndef SCALER_SLICEREQUANTIZER_H
#define SCALER_SLICEREQUANTIZER_H

#include "drift.h"
#include "levels.h"
#include "macroblockchoice.h"
#include "requantizer.h"
#include "slicereader.h"
#include "slicewriter.h"

typedef struct
{
  unsigned n_macroblocks;       /* skipped ones too */
  unsigned n_quantised;         /* with coefficients in the source */
  unsigned n_at_maximum;        /* of them: the controller wants it */
  uint64_t sum_in, sum_out;     /* of scales */
  uint64_t kept, dropped, gained;       /* coefficients */
} ScalerTally;

typedef struct
{
  /* The picture's. */
  const ScalerRequantizerSettings *settings;
  const ScalerController *controller;
  const ScalerPicture *picture;
  uint8_t scales[32];           /* by code */
  const uint8_t *data;          /* the picture's slices */
  ScalerSliceWriter writer;
  /* Levels are chosen for what they ought to be, not scaled. */
  bool dense;
  ScalerLevels levels;
  ScalerDriftLoop *drift;       /* NULL: open loop */
  /* By what they cost, where settings want it: codes are then only wishes. */
  bool by_cost;
  ScalerChooser chooser;

  /* The slice's. */
  ScalerSliceReader reader;
  ScalerMacroblock macroblock;
  size_t begin_in, begin_out;   /* bits before it */
  bool started;                 /* the writer has it; else it is as it was */
  bool bound;                   /* what has passed depends on the quantiser */
  uint8_t direction;            /* of the source's macroblock before */
  unsigned code;                /* in force in the output */
  unsigned wish;                /* by_cost: the code last wanted */
  ScalerTally tally;

  unsigned from, to;            /* codes that `requantization` is for */
  ScalerRequantization requantization;
  ScalerMacroblockTarget target;        /* the macroblock's, where dense */
  /* Of its blocks' inherited errors; UINT32_MAX where there are coefficients,
   * for it does not matter there. */
  uint32_t energies[SCALER_MAX_BLOCKS];
} ScalerSliceRequantizer;

/* Starts a picture, its slices at data. What is given stays where it is. */
void scaler_slice_requantizer_init (ScalerSliceRequantizer * r,
    const ScalerRequantizerSettings * settings,
    const ScalerController * controller, const ScalerPicture * picture,
    const ScalerVlc * vlc, const uint8_t * data, uint8_t * out,
    size_t capacity);

/* After init, if levels are to be chosen; `drift` has begun the picture, and
 * may be NULL. */
void scaler_slice_requantizer_set_dense (ScalerSliceRequantizer * r,
    const ScalerKernels * kernels, const MpegMatrices * matrices,
    ScalerDriftLoop * drift);

/* Writes the slice, rewritten where that is of use (requantizer.h), and leaves
 * its tally. False where it cannot be read: it then stays as it is, and the
 * tally is worthless. */
bool scaler_slice_requantizer_slice (ScalerSliceRequantizer * r,
    const MpegRange * slice, bool *copied);

/* In the closed loop: the slice stays as it is. False where it cannot be read
 * to its end; decoders, too, take what is before. */
bool scaler_slice_requantizer_pass (ScalerSliceRequantizer * r,
    const MpegRange * slice);

/* A requantizer's loop: for tests. */
ScalerDriftLoop *scaler_requantizer_drift (ScalerRequantizer * r);

#endif
