/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * libavcodec's decoder: frames in coded order in, pictures in display order out.
 */
#ifndef TRANSCODER_DECODER_H
#define TRANSCODER_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libavutil/frame.h>

/* The encoder has no more either. */
#define TRANSCODER_MAX_PIXELS (4096 * 4096)

typedef struct TranscoderDecoder TranscoderDecoder;

/* NULL where memory is short or libavcodec lacks the decoder. */
TranscoderDecoder *transcoder_decoder_new (unsigned threads);
void transcoder_decoder_free (TranscoderDecoder * d);

/* A frame, both fields of it; its pictures carry the number as `pts`. After each,
 * all pictures are to be received. False: nothing in it could be decoded. */
bool transcoder_decoder_send (TranscoderDecoder * d, const uint8_t * data,
    size_t size, int64_t number);

/* No more come, until the next flush. */
void transcoder_decoder_drain (TranscoderDecoder * d);

/* False: none is ready. */
bool transcoder_decoder_receive (TranscoderDecoder * d, AVFrame * frame);

/* Forgets its references. */
void transcoder_decoder_flush (TranscoderDecoder * d);

/* The mean quantiser_scale that the picture was coded with; 0: not known. */
double transcoder_decoder_quantiser (const AVFrame * frame);

#endif
