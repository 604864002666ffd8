/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Picture types of the output, and the order in which the encoder codes them.
 *
 * libavcodec reorders by itself. The picture that it codes next must be known
 * before it does, because its quantiser is set then; so its rule is modelled
 * here. It codes one picture for each that it is given, `delay` pictures late,
 * and then the rest.
 */
#ifndef TRANSCODER_STRUCTURE_H
#define TRANSCODER_STRUCTURE_H

#include <ratecontrol/tm5.h>

/* B pictures in a row. Each adds a frame of latency and of memory. */
#define TRANSCODER_MAX_B 7

typedef struct
{
  unsigned gop_size;            /* pictures; 0 = I where the source has them */
  /* B pictures between anchors; −1 = B where the source has them. */
  int b_frames;
  bool closed;                  /* every group is closed */
} TranscoderGop;

typedef struct
{
  int64_t number;               /* number in display order */
  Tm5Type type;
} TranscoderCoded;

typedef struct
{
  TranscoderGop gop;
  unsigned max_b, delay;
  /* pictures since the last I, in display order */
  unsigned since_intra;
  unsigned run;                 /* B pictures in a row, in display order */
  bool started, intra_due;
  int64_t next_number;
  unsigned n_given;             /* pictures given before the first is coded */

  /* Pictures that were given and are not in coded order yet. */
  TranscoderCoded input[TRANSCODER_MAX_B + 2];
  unsigned n_input;
  /* Pictures in coded order that are not coded yet. */
  TranscoderCoded coded[TRANSCODER_MAX_B + 1];
  unsigned n_coded;
} TranscoderStructure;

/* Begins a new encoder: the first picture is an I. Numbers begin with 0.
 * The delay is max_b, or 1 more if `delay` is larger. */
void transcoder_structure_init (TranscoderStructure * s,
    const TranscoderGop * gop, unsigned max_b, unsigned delay);

/* Makes the next picture an I, as soon as one comes. */
void transcoder_structure_force (TranscoderStructure * s);

/* Returns the type of the next picture in display order, which the source
 * has as `source`. */
Tm5Type transcoder_structure_type (TranscoderStructure * s, Tm5Type source);

/* Notes that the encoder is given the picture. True if it codes a picture
 * now. */
bool transcoder_structure_give (TranscoderStructure * s, Tm5Type type,
    TranscoderCoded * coded);

/* Returns the next picture that is coded when no more come, or false. */
bool transcoder_structure_drain (TranscoderStructure * s,
    TranscoderCoded * coded);

#endif
