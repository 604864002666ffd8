/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Converts pictures to another size and chroma format by libswscale;
 * interlaced ones field by field.
 */
#ifndef TRANSCODER_RESIZER_H
#define TRANSCODER_RESIZER_H

#include <stdbool.h>

#include <libavutil/frame.h>

typedef struct TranscoderResizer TranscoderResizer;

/* Returns NULL if memory runs out. */
TranscoderResizer *transcoder_resizer_new (void);
void transcoder_resizer_free (TranscoderResizer * r);

/* True if the picture has another size or format than wanted. */
bool transcoder_resizer_is_needed (const AVFrame * in, int width, int height,
    int pixel_format);

/* Converts the picture. `out` is a frame without buffers; it gets the
 * picture and the properties of `in`. `interlaced`: its fields are of two
 * times. */
bool transcoder_resizer_picture (TranscoderResizer * r, const AVFrame * in,
    bool interlaced, AVFrame * out, int width, int height, int pixel_format);

#endif
