/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Requantizer: the slices of a picture with coarser quantisers, which its owner
 * chooses macroblock by macroblock. Quantisers are never refined. What is not
 * touched is copied as bits; headers stay as they are.
 *
 *   m2v_slice_index_build (&index, data + slices->offset, slices->size);
 *   if (m2v_requantizer_begin (r, &source, out, capacity)) {
 *     while (m2v_requantizer_next (r, &request))
 *       m2v_requantizer_quantise (r, code for the request);
 *     done = m2v_requantizer_end (r, &result);
 *   }
 *
 * Open loop, levels are scaled one by one, and what that takes away from a
 * picture is missing from those predicted from it, too, adding up: drift. In
 * the closed loop the requantizer keeps the reference frames' errors, and what
 * a macroblock inherits is coded along with it, as far as it is worth a level.
 *
 * A code is a quantiser_scale_code, 1..31, a scale the quantiser_scale that it
 * stands for (13818-2 table 7-6). Bits and sizes are of slices alone.
 */
#ifndef MPEG2REQUANTIZE_REQUANTIZER_H
#define MPEG2REQUANTIZE_REQUANTIZER_H

#include <mpeg2/sliceindex.h>
#include <mpeg2/slicewriter.h>
#include <mpeg2requantize/levelscale.h>

/* Of the output's capacity, what remains unused. */
#define M2V_REQUANTIZER_RESERVE M2V_SLICE_WRITER_RESERVE

/* What is done about the errors that pictures inherit from their references. */
typedef enum
{
  M2V_DRIFT_OFF,             /* open loop */
  M2V_DRIFT_P,               /* taken out of P pictures */
  M2V_DRIFT_ALL              /* of B pictures too */
} M2vDrift;

/* A picture and what it stands in. */
typedef struct
{
  const M2vSequence *sequence;
  const M2vPicture *picture;
  const uint8_t *data;          /* the picture's span */
  const M2vSliceIndex *index;   /* of its slices */
  /* In force for it. NULL, not known: then it is open loop, and of it no errors
   * are known. */
  const M2vMatrices *matrices;
} M2vSource;

typedef struct
{
  M2vRounding rounding;
  unsigned max_code;
  /* A scale this near to the one in force gives way to it, for each change
   * costs bits; but only those from `hysteresis_from` on (TM5 step 3). 0: none
   * gives way. */
  unsigned hysteresis;
  unsigned hysteresis_from;
  /* Frames above M2V_DRIFT_MAX_MACROBLOCKS, and all where memory is short,
   * are requantized open loop. */
  M2vDrift drift;
  /* Leave out levels that are not worth their bits, whatever the code, and keep
   * the source's code where a coarser one saves little: docs/recoding.md. Means
   * are of the scales that were wanted then. */
  bool selective;
  bool rate_distortion;         /* choose levels by what they cost */
} M2vRequantizerSettings;

extern const M2vRequantizerSettings m2v_requantizer_defaults;

/* A macroblock that takes a quantiser, and where it stands. It has coefficients
 * in the source, or may get some in the closed loop. */
typedef struct
{
  unsigned address;             /* of columns * rows */
  size_t bits_in, bits_out;     /* before it */
  unsigned code, scale;         /* the source's, in force */
  bool coded;                   /* it has coefficients in the source */
} M2vRequest;

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
  /* The maximum was wanted throughout: there is no less. */
  bool floor;
} M2vRequantized;

typedef struct M2vRequantizer M2vRequantizer;

/* NULL where memory is short. */
M2vRequantizer *m2v_requantizer_new (void);
void m2v_requantizer_free (M2vRequantizer * r);

/* Start, flush, new caps: forgets what m2v_requantizer_analyse has learned,
 * and references, not the settings. */
void m2v_requantizer_reset (M2vRequantizer * r);

/* Rules from the next picture on; settings out of their range become the
 * nearest in it. */
void m2v_requantizer_set (M2vRequantizer * r,
    const M2vRequantizerSettings * settings);

/* The picture's mean scale, before it is rewritten; 0 where it cannot be told,
 * since no slice can be read. The first picture of each type is parsed for it.
 * After that it is the mean over the slice headers, times what the two differed
 * by in the last picture of the type that was rewritten. */
double m2v_requantizer_analyse (M2vRequantizer * r,
    const M2vSource * source);

/* Begins to write the picture's slices. What is given stays where it is until
 * the end. False where they cannot be read (D pictures, 4:4:4). */
bool m2v_requantizer_begin (M2vRequantizer * r, const M2vSource * source,
    uint8_t * out, size_t capacity);

/* The next macroblock that takes a quantiser; false where there is none. */
bool m2v_requantizer_next (M2vRequantizer * r, M2vRequest * request);

/* Writes it with the code that is wanted. What is below the source's, or above
 * the maximum, becomes that. */
void m2v_requantizer_quantise (M2vRequantizer * r, unsigned code);

/* The picture's slices are written. They never come to more than the source's:
 * a slice that is no use, or with which the picture so far would be larger than
 * the source's, stays as it is. So a capacity of slices.size +
 * M2V_REQUANTIZER_RESERVE is enough. Slices that cannot be read stay as they
 * are.
 *
 * False, here and at the beginning, where none can be read or what is written
 * exceeds the capacity: the picture is to be passed unchanged (do not call
 * m2v_requantizer_pass); `out` and result are worthless. */
bool m2v_requantizer_end (M2vRequantizer * r, M2vRequantized * result);

/* The picture is passed unchanged: it has the errors that it inherits. False
 * where its headers cannot be read; then none are known. */
bool m2v_requantizer_pass (M2vRequantizer * r,
    const M2vSource * source);

/* A picture that others may refer to is missing, or is another than the
 * source's: errors are no longer known, and taken for zero. */
void m2v_requantizer_lost (M2vRequantizer * r);

#endif
