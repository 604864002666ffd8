/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of recoder.h: what takes the place of a picture's own bytes.
 */
#ifndef SCALER_RECODEROUTPUT_H
#define SCALER_RECODEROUTPUT_H

#include "dropper.h"

/* Of a picture_header, up to the end of vbv_delay (13818-2 clause 6.2.3). */
#define SCALER_VBV_HEADER_SIZE 8

typedef struct
{
  uint8_t header[SCALER_VBV_HEADER_SIZE];
  bool new_header, new_slices;
  uint8_t *slices;
  size_t size, capacity;
} ScalerRecoderOutput;

/* Nothing, yet. */
void scaler_recoder_output_begin (ScalerRecoderOutput * o);

/* Room for slices; false where memory is short. */
bool scaler_recoder_output_reserve (ScalerRecoderOutput * o, size_t capacity);

/* The vbv_delay of a constant rate says nothing true of a rate that may vary
 * (13818-2 clause 6.3.9). */
void scaler_recoder_output_vary (ScalerRecoderOutput * o,
    const MpegPicture * picture, const uint8_t * data);

/* Puts both pictures' into the pieces. */
void scaler_recoder_output_exchange (const ScalerRecoderOutput outputs[2],
    const MpegFrame * frame, ScalerDecision * decision);

#endif
