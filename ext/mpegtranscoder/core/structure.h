/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Picture types of the output, and the order that the encoder codes them in.
 *
 * libavcodec reorders by itself. What it codes next has to be known before it
 * does, since then its quantiser is set; so its rule is modelled here. It codes
 * one picture for each that it is given, `delay` pictures late; then the rest.
 */
#ifndef TRANSCODER_STRUCTURE_H
#define TRANSCODER_STRUCTURE_H

#include <ratecontrol/tm5.h>

/* B pictures in a row: each adds a frame of latency and of memory. */
#define TRANSCODER_MAX_B 7

typedef struct
{
  unsigned gop_size;            /* 0: I where the source has them */
  int b_frames;                 /* between anchors; -1: where the source has them */
  bool closed;                  /* every group is */
} TranscoderGop;

typedef struct
{
  int64_t number;               /* in display order */
  Tm5Type type;
} TranscoderCoded;

typedef struct
{
  TranscoderGop gop;
  unsigned max_b, delay;
  unsigned since_intra;         /* pictures, display order */
  unsigned run;                 /* of B, display order */
  bool started, intra_due;
  int64_t next_number;
  unsigned n_given;             /* before the first is coded */

  /* Given, not in coded order yet; then in it. */
  TranscoderCoded input[TRANSCODER_MAX_B + 2];
  unsigned n_input;
  TranscoderCoded coded[TRANSCODER_MAX_B + 1];
  unsigned n_coded;
} TranscoderStructure;

/* A new encoder: the first picture is an I. Numbers begin with 0. The delay is at
 * least max_b, and 1 where it is more. */
void transcoder_structure_init (TranscoderStructure * s,
    const TranscoderGop * gop, unsigned max_b, unsigned delay);

/* The next picture is an I, or as soon as one comes. */
void transcoder_structure_force (TranscoderStructure * s);

/* The type of the next picture in display order, which the source has as
 * `source`. */
Tm5Type transcoder_structure_type (TranscoderStructure * s, Tm5Type source);

/* It is given to the encoder: true where that codes a picture now. */
bool transcoder_structure_give (TranscoderStructure * s, Tm5Type type,
    TranscoderCoded * coded);

/* No more come: the next that is coded, or false. */
bool transcoder_structure_drain (TranscoderStructure * s,
    TranscoderCoded * coded);

#endif
