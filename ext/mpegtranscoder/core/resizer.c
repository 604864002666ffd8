/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "resizer.h"

#include <libavutil/mem.h>
#include <libswscale/swscale.h>

/* One plane of luminance and two of chrominance. */
#define N_PLANES 3

struct TranscoderResizer
{
  struct SwsContext *context;
};

TranscoderResizer *
transcoder_resizer_new (void)
{
  return av_mallocz (sizeof (TranscoderResizer));
}

void
transcoder_resizer_free (TranscoderResizer * r)
{
  sws_freeContext (r->context);
  av_free (r);
}

bool
transcoder_resizer_is_needed (const AVFrame * in, int width, int height,
    int pixel_format)
{
  return in->width != width || in->height != height
      || in->format != pixel_format;
}

/* Scales all lines, or those of one field: `field` of `n_fields`. */
static bool
scale (TranscoderResizer * r, const AVFrame * in, AVFrame * out, int field,
    int n_fields)
{
  const uint8_t *from[N_PLANES];
  uint8_t *to[N_PLANES];
  int from_stride[N_PLANES], to_stride[N_PLANES];

  r->context = sws_getCachedContext (r->context, in->width,
      in->height / n_fields, in->format, out->width, out->height / n_fields,
      out->format, SWS_BICUBIC, NULL, NULL, NULL);
  if (!r->context)
    return false;
  for (int i = 0; i < N_PLANES; i++) {
    from[i] = in->data[i] + field * in->linesize[i];
    to[i] = out->data[i] + field * out->linesize[i];
    from_stride[i] = in->linesize[i] * n_fields;
    to_stride[i] = out->linesize[i] * n_fields;
  }
  return sws_scale (r->context, from, from_stride, 0, in->height / n_fields,
      to, to_stride) > 0;
}

bool
transcoder_resizer_picture (TranscoderResizer * r, const AVFrame * in,
    bool interlaced, AVFrame * out, int width, int height, int pixel_format)
{
  /* Only then fields have whole lines of chrominance. */
  bool by_fields = interlaced && in->height != height
      && in->height % 4 == 0 && height % 4 == 0;

  out->width = width;
  out->height = height;
  out->format = pixel_format;
  if (av_frame_get_buffer (out, 0) < 0)
    return false;
  if (av_frame_copy_props (out, in) < 0)
    return false;
  if (!by_fields)
    return scale (r, in, out, 0, 1);
  return scale (r, in, out, 0, 2) && scale (r, in, out, 1, 2);
}
