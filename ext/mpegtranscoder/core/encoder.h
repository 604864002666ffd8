/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * libavcodec's MPEG-1 and MPEG-2 encoder, with types and quantisers given. It
 * takes pictures in display order; structure.h knows what it codes when.
 */
#ifndef TRANSCODER_ENCODER_H
#define TRANSCODER_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libavutil/frame.h>

#include "structure.h"

/* How a macroblock's coding is chosen. */
typedef enum
{
  TRANSCODER_DECISION_SIMPLE,   /* by the least difference to code */
  TRANSCODER_DECISION_BITS,     /* by the fewest bits */
  TRANSCODER_DECISION_RD        /* by bits and distortion */
} TranscoderDecision;

typedef struct
{
  bool mpeg2;
  int width, height;
  int pixel_format;             /* an enum AVPixelFormat */
  unsigned rate_num, rate_den;  /* one of MPEG's frame rates */
  AVRational sample_aspect;
  bool interlaced;
  enum AVColorPrimaries primaries;
  enum AVColorTransferCharacteristic transfer;
  enum AVColorSpace matrix;
  unsigned max_b;
  bool closed;
  unsigned threads;
  TranscoderDecision decision;
  bool trellis;
} TranscoderEncoderSettings;

typedef struct TranscoderEncoder TranscoderEncoder;

/* Returns NULL if libavcodec refuses; `reason` (of `size` bytes) then has
 * why. */
TranscoderEncoder *transcoder_encoder_new (const TranscoderEncoderSettings * s,
    char *reason, size_t size);
void transcoder_encoder_free (TranscoderEncoder * e);

/* Returns by how many pictures the encoder is late. */
unsigned transcoder_encoder_delay (const TranscoderEncoderSettings * s);

/* Sends a picture (NULL = no more come) of that type, with that number as
 * `pts`. `coded` is the picture that is coded now, with the
 * quantiser_scale_code `code` (NULL = nothing is coded yet). */
bool transcoder_encoder_send (TranscoderEncoder * e, AVFrame * frame,
    Tm5Type type, int64_t number, const TranscoderCoded * coded, unsigned code);

/* Returns what was coded, with its number, or false if there is nothing.
 * Valid until the next call. */
bool transcoder_encoder_receive (TranscoderEncoder * e, uint8_t ** data,
    size_t * size, int64_t * number, bool * intra);

#endif
