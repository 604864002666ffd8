/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "decoder.h"

#include "libav.h"

#include <libavcodec/avcodec.h>
#include <libavutil/mem.h>
#include <libavutil/video_enc_params.h>


struct TranscoderDecoder
{
  AVCodecContext *context;
  AVPacket *packet;
};

static bool
open_context (TranscoderDecoder * d, unsigned threads)
{
  const AVCodec *codec = avcodec_find_decoder (AV_CODEC_ID_MPEG2VIDEO);

  d->packet = av_packet_alloc ();
  d->context = codec ? avcodec_alloc_context3 (codec) : NULL;
  if (!d->packet || !d->context)
    return false;
  d->context->log_level_offset = TRANSCODER_QUIET;
  d->context->max_pixels = TRANSCODER_MAX_PIXELS;
  d->context->thread_count = threads < TRANSCODER_MAX_THREADS ? (int) threads :
      TRANSCODER_MAX_THREADS;
  d->context->thread_type = FF_THREAD_SLICE;
  /* This exports the quantisers. */
  d->context->export_side_data = AV_CODEC_EXPORT_DATA_VIDEO_ENC_PARAMS;
  return avcodec_open2 (d->context, codec, NULL) >= 0;
}

TranscoderDecoder *
transcoder_decoder_new (unsigned threads)
{
  TranscoderDecoder *d = av_mallocz (sizeof *d);

  if (d && !open_context (d, threads)) {
    transcoder_decoder_free (d);
    return NULL;
  }
  return d;
}

void
transcoder_decoder_free (TranscoderDecoder * d)
{
  av_packet_free (&d->packet);
  avcodec_free_context (&d->context);
  av_free (d);
}

bool
transcoder_decoder_send (TranscoderDecoder * d, const uint8_t * data,
    size_t size, int64_t number)
{
  bool ok;

  if (size > INT32_MAX / 2 || av_new_packet (d->packet, (int) size) < 0)
    return false;
  memcpy (d->packet->data, data, size);
  d->packet->pts = number;
  ok = avcodec_send_packet (d->context, d->packet) >= 0;
  av_packet_unref (d->packet);
  return ok;
}

void
transcoder_decoder_drain (TranscoderDecoder * d)
{
  avcodec_send_packet (d->context, NULL);
}

bool
transcoder_decoder_receive (TranscoderDecoder * d, AVFrame * frame)
{
  int ret;

  /* A damaged picture is an error; the next call continues after it. */
  do {
    ret = avcodec_receive_frame (d->context, frame);
  } while (ret < 0 && ret != AVERROR (EAGAIN) && ret != AVERROR_EOF
      && ret != AVERROR (ENOMEM));
  return ret >= 0;
}

void
transcoder_decoder_flush (TranscoderDecoder * d)
{
  avcodec_flush_buffers (d->context);
}

double
transcoder_decoder_quantiser (const AVFrame * frame)
{
  const AVFrameSideData *side =
      av_frame_get_side_data (frame, AV_FRAME_DATA_VIDEO_ENC_PARAMS);
  AVVideoEncParams *params;
  double sum = 0;

  if (!side)
    return 0;
  params = (AVVideoEncParams *) side->data;
  if (params->type != AV_VIDEO_ENC_PARAMS_MPEG2 || params->nb_blocks == 0)
    return params->qp;
  for (unsigned i = 0; i < params->nb_blocks; i++)
    sum += params->qp + av_video_enc_params_block (params, i)->delta_qp;
  return sum / params->nb_blocks;
}
