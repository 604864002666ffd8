/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Rewrites the slices of a picture with coarser quantisers, which the caller
 * chooses macroblock by macroblock, and with cheaper vectors. Quantisers are
 * never refined. What does not change keeps its bits; headers do not change.
 *
 *   m2v_slice_index_build (&index, data + slices->offset, slices->size);
 *   if (m2v_requantizer_begin (r, &source, out, capacity)) {
 *     while (m2v_requantizer_next (r, &request))
 *       m2v_requantizer_quantise (r, code for the request);
 *     done = m2v_requantizer_end (r, &result);
 *   }
 *
 * In the open loop, levels are scaled one by one. The errors of a picture are
 * also in those predicted from it, and accumulate: drift. In the closed loop
 * the requantizer keeps the reference frames' errors, and codes the errors that
 * a macroblock inherits along with it if they are worth a level.
 *
 * A code is a quantiser_scale_code, 1..31; a scale is its quantiser_scale
 * (13818-2 table 7-6). Bits and sizes are those of slices only.
 */
#ifndef MPEG2REQUANTIZE_REQUANTIZER_H
#define MPEG2REQUANTIZE_REQUANTIZER_H

#include <mpeg2/sliceindex.h>
#include <mpeg2/slicewriter.h>
#include <mpeg2requantize/levelscale.h>

/* Number of bytes of the output's capacity that stay unused. */
#define M2V_REQUANTIZER_RESERVE M2V_SLICE_WRITER_RESERVE

/* Which pictures are corrected for the errors that they inherit from their
 * references. */
typedef enum
{
  M2V_DRIFT_OFF,             /* none: open loop */
  M2V_DRIFT_P,               /* P pictures */
  M2V_DRIFT_ALL              /* P and B pictures */
} M2vDrift;

/* A picture and its context. */
typedef struct
{
  const M2vSequence *sequence;
  const M2vPicture *picture;
  const uint8_t *data;          /* first byte of the picture's span */
  const M2vSliceIndex *index;   /* index of its slices */
  /* Matrices in force. NULL = not known: the picture is open loop, and its
   * errors are not known. */
  const M2vMatrices *matrices;
} M2vSource;

typedef struct
{
  M2vRounding rounding;
  unsigned max_code;            /* coarsest code */
  /* Largest difference between a scale and the one in force at which the one in
   * force is kept, because each change costs bits (TM5 step 3). 0 = no
   * hysteresis. */
  unsigned hysteresis;
  unsigned hysteresis_from;     /* lowest scale with hysteresis */
  /* Frames above M2V_DRIFT_MAX_MACROBLOCKS are requantized open loop, as are
   * all if memory runs out. */
  M2vDrift drift;
  /* Leaves out levels that are not worth their bits with any code, and keeps
   * the source's code if a coarser one saves little: docs/recoding.md. Means
   * are then those of the scales that were wanted. */
  bool selective;
  bool rate_distortion;         /* chooses levels by their cost */
  /* P and B pictures choose their vectors anew in the first group, and if in the
   * group before the source's vectors in B are more than this share of the
   * output's bits, or little but vectors is left (groupvectors.h). 0 = always;
   * 1 = never, as in the open loop. */
  double vector_share;
} M2vRequantizerSettings;

/* A vector_share from which on it is worth the time: docs/evidence/recoding.md
 * has what it gains. */
#define M2V_WORTHWHILE_VECTOR_SHARE .15

extern const M2vRequantizerSettings m2v_requantizer_defaults;

/* A macroblock that takes a quantiser: it has coefficients in the source, or may
 * get some in the closed loop, or may change its vectors. */
typedef struct
{
  unsigned address;             /* row * columns + column */
  size_t bits_in, bits_out;     /* bits of source and output before it */
  unsigned code, scale;         /* in force in the source */
  bool coded;                   /* it has coefficients in the source */
} M2vRequest;

typedef struct
{
  size_t size_in, size_out;     /* bytes */
  /* Mean scales over all macroblocks, skipped ones too. Those that need no
   * quantiser count with the one in force. */
  double mean_in, mean_out;
  /* Coefficients except intra DC: those of the output, those lost in the
   * macroblocks that have fewer than before, and those gained in the
   * macroblocks that have more. */
  uint64_t kept, dropped, gained;
  unsigned n_slices;
  unsigned n_copied;            /* slices that are unchanged */
  /* unchanged slices that could not be read; the means do not include them */
  unsigned n_damaged;
  /* The maximum was wanted for all macroblocks: the picture cannot be
   * smaller. */
  bool floor;
} M2vRequantized;

typedef struct M2vRequantizer M2vRequantizer;

/* Returns NULL if memory runs out. */
M2vRequantizer *m2v_requantizer_new (void);
void m2v_requantizer_free (M2vRequantizer * r);

/* Forgets the references and the knowledge of m2v_requantizer_analyse, but not
 * the settings. Call it at the start, at a flush and for new caps. */
void m2v_requantizer_reset (M2vRequantizer * r);

/* Applies settings from the next picture on; values out of their range are
 * clamped. */
void m2v_requantizer_set (M2vRequantizer * r,
    const M2vRequantizerSettings * settings);

/* Returns the picture's mean scale, before it is rewritten; 0 = no slice can be
 * read. The first picture of each type is parsed for it. Later it is the mean
 * over the slice headers, times the ratio of the two in the last picture of the
 * type that was rewritten. */
double m2v_requantizer_analyse (M2vRequantizer * r,
    const M2vSource * source);

/* Begins to write the picture's slices. The arguments must stay in place until
 * the end. Returns false if the slices cannot be read (D pictures, 4:4:4). */
bool m2v_requantizer_begin (M2vRequantizer * r, const M2vSource * source,
    uint8_t * out, size_t capacity);

/* Finds the next macroblock that takes a quantiser; returns false if there is
 * none. */
bool m2v_requantizer_next (M2vRequantizer * r, M2vRequest * request);

/* Writes it with the wanted code. A code finer than the source's, or above the
 * maximum, is clamped. */
void m2v_requantizer_quantise (M2vRequantizer * r, unsigned code);

/* Ends the picture's slices. They are never larger than the source's: a slice
 * is unchanged if rewriting saves nothing, or if the picture so far would be
 * larger than the source's. So a capacity of slices.size +
 * M2V_REQUANTIZER_RESERVE is enough. Slices that cannot be read are unchanged.
 *
 * Returns false, like m2v_requantizer_begin, if no slice can be read or the
 * output exceeds the capacity. Then pass the picture unchanged (do not call
 * m2v_requantizer_pass); `out` and result are invalid. */
bool m2v_requantizer_end (M2vRequantizer * r, M2vRequantized * result);

/* Notes that the picture is passed unchanged: it has the errors that it
 * inherits. Returns false if its headers cannot be read; then its errors are
 * not known. */
bool m2v_requantizer_pass (M2vRequantizer * r,
    const M2vSource * source);

/* Notes that a B picture is left out, for want of room. */
void m2v_requantizer_omit (M2vRequantizer * r);

/* Notes that a picture that others may refer to is missing, or differs from the
 * source's: errors are no longer known, and are assumed to be zero. */
void m2v_requantizer_lost (M2vRequantizer * r);

#endif
