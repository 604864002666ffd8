/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * libavcodec's decoder: takes frames in coded order and returns pictures in
 * display order.
 */
#ifndef TRANSCODER_DECODER_H
#define TRANSCODER_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libavutil/frame.h>

/* Most pixels of a picture; the encoder takes no more either. */
#define TRANSCODER_MAX_PIXELS (4096 * 4096)

typedef struct TranscoderDecoder TranscoderDecoder;

/* Returns NULL if memory runs out or libavcodec lacks the decoder. */
TranscoderDecoder *transcoder_decoder_new (unsigned threads);
void transcoder_decoder_free (TranscoderDecoder * d);

/* Takes a frame with both its fields. Its pictures have the number as
 * `pts`. All pictures must be received after each frame. Returns false if
 * nothing in it could be decoded. */
bool transcoder_decoder_send (TranscoderDecoder * d, const uint8_t * data,
    size_t size, int64_t number);

/* Ends the stream until the next flush. */
void transcoder_decoder_drain (TranscoderDecoder * d);

/* Returns false if no picture is ready. */
bool transcoder_decoder_receive (TranscoderDecoder * d, AVFrame * frame);

/* Forgets the decoder's references. */
void transcoder_decoder_flush (TranscoderDecoder * d);

/* Returns the mean quantiser_scale that the picture was coded with; 0 =
 * not known. */
double transcoder_decoder_quantiser (const AVFrame * frame);

#endif
