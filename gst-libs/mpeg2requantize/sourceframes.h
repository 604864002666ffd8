/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The source's reference frames, decoded, so that pictures can be predicted
 * otherwise than the source does.
 *
 *   if (m2v_source_frames_begin (&f, &picture, top_field_first))
 *     (for each macroblock of an I or P picture)
 *       m2v_source_frames_macroblock (&f, &levels, &macroblock);
 *   m2v_source_frames_end (&f);
 */
#ifndef MPEG2REQUANTIZE_SOURCEFRAMES_H
#define MPEG2REQUANTIZE_SOURCEFRAMES_H

#include <mpeg2requantize/drift.h>
#include <mpeg2requantize/levels.h>

typedef struct
{
  M2vDriftLoop loop;            /* its frames have samples; it `decodes` */
  /* How many of the last two frames, from the newest on, are decoded whole. */
  unsigned n_known;

  /* The current picture. */
  bool decoding;                /* it is decoded: it is no B */
  bool foreign;                 /* it refers to what is not known */
} M2vSourceFrames;

/* Zeroed memory has no frames. */
void m2v_source_frames_init (M2vSourceFrames * f, const M2vKernels * kernels);
void m2v_source_frames_free (M2vSourceFrames * f);

/* Forgets the frames: none is known until the next I picture. */
void m2v_source_frames_lost (M2vSourceFrames * f);

/* Begins a picture. Returns true if its references are known: then its
 * macroblocks can be decoded, or those of a B predicted. Otherwise, or if
 * memory runs out, the frames are lost, unless the picture is a B of their
 * size. */
bool m2v_source_frames_begin (M2vSourceFrames * f,
    const M2vPictureParams * picture, bool top_field_first);

/* True if the picture that has begun can refer to no frame that is not known: a
 * second field of P may be in the first frame. */
bool m2v_source_frames_know_all (const M2vSourceFrames * f);

/* Decodes a macroblock as it was read. Nothing happens unless the picture is
 * being decoded. The levels are those of the picture. */
void m2v_source_frames_macroblock (M2vSourceFrames * f,
    const M2vLevels * levels, const M2vMacroblock * mb);

/* Adds a macroblock's coefficients to its prediction. It is not intra. */
void m2v_source_frames_add (M2vSourceFrames * f, const M2vLevels * levels,
    const M2vMacroblock * mb, M2vSamples * to);

/* Ends the picture. The frames are lost if macroblocks were missing, or if its
 * second field referred to a frame that was not known. */
void m2v_source_frames_end (M2vSourceFrames * f);

#endif
