/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "encoder.h"

#include "libav.h"

#include <stdio.h>

#include <libavcodec/avcodec.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>

/* Pictures. Our groups end sooner, because picture types are given. */
#define GOP_SIZE 600
/* Threshold with which libavcodec never makes a P an I. */
#define NO_SCENE_CHANGE 1000000000
/* quantiser_scale_code before any is known */
#define FIRST_CODE 4

struct TranscoderEncoder
{
  AVCodecContext *context;
  AVPacket *packet;
  unsigned codes[TM5_N_TYPES];  /* last quantiser_scale_code of each type */
  bool draining;
};

static void
set_format (AVCodecContext * c, const TranscoderEncoderSettings * s)
{
  c->width = s->width;
  c->height = s->height;
  c->pix_fmt = s->pixel_format;
  c->framerate = (AVRational) {
  (int) s->rate_num, (int) s->rate_den};
  c->time_base = (AVRational) {
  (int) s->rate_den, (int) s->rate_num};
  c->sample_aspect_ratio = s->sample_aspect;
  c->color_primaries = s->primaries;
  c->color_trc = s->transfer;
  c->colorspace = s->matrix;
}

static void
set_coding (AVCodecContext * c, const TranscoderEncoderSettings * s)
{
  static const int decisions[] = {
    [TRANSCODER_DECISION_SIMPLE] = FF_MB_DECISION_SIMPLE,
    [TRANSCODER_DECISION_BITS] = FF_MB_DECISION_BITS,
    [TRANSCODER_DECISION_RD] = FF_MB_DECISION_RD
  };

  c->log_level_offset = TRANSCODER_QUIET;
  c->flags |= AV_CODEC_FLAG_QSCALE;
  if (s->interlaced && s->mpeg2)
    c->flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
  if (s->closed)
    c->flags |= AV_CODEC_FLAG_CLOSED_GOP;
  if (s->mpeg2 && s->max_b == 0)
    c->flags |= AV_CODEC_FLAG_LOW_DELAY;
  c->gop_size = GOP_SIZE;
  c->max_b_frames = (int) s->max_b;
  c->mb_decision = decisions[s->decision];
  c->trellis = s->trellis;
  c->qmin = 1;
  c->qmax = 31;
  c->thread_count =
      s->threads <
      TRANSCODER_MAX_THREADS ? (int) s->threads : TRANSCODER_MAX_THREADS;
  c->thread_type = FF_THREAD_SLICE;
  av_opt_set_int (c->priv_data, "sc_threshold", NO_SCENE_CHANGE, 0);
  if (s->mpeg2) {
    av_opt_set_int (c->priv_data, "intra_vlc", 1, 0);
    av_opt_set_int (c->priv_data, "alternate_scan", s->interlaced, 0);
  }
}

static int
open_context (TranscoderEncoder * e, const TranscoderEncoderSettings * s)
{
  const AVCodec *codec = avcodec_find_encoder (s->mpeg2 ?
      AV_CODEC_ID_MPEG2VIDEO : AV_CODEC_ID_MPEG1VIDEO);

  if (!codec)
    return AVERROR_ENCODER_NOT_FOUND;
  e->packet = av_packet_alloc ();
  e->context = avcodec_alloc_context3 (codec);
  if (!e->packet || !e->context)
    return AVERROR (ENOMEM);
  set_format (e->context, s);
  set_coding (e->context, s);
  return avcodec_open2 (e->context, codec, NULL);
}

TranscoderEncoder *
transcoder_encoder_new (const TranscoderEncoderSettings * s, char *reason,
    size_t size)
{
  TranscoderEncoder *e = av_mallocz (sizeof *e);
  int ret = e ? open_context (e, s) : AVERROR (ENOMEM);

  if (ret < 0) {
    av_strerror (ret, reason, size);
    if (e)
      transcoder_encoder_free (e);
    return NULL;
  }
  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    e->codes[i] = FIRST_CODE;
  return e;
}

/* Returns the delay. Libavcodec has its low delay only for MPEG-2. */
unsigned
transcoder_encoder_delay (const TranscoderEncoderSettings * s)
{
  return s->max_b > 0 ? s->max_b : s->mpeg2 ? 0 : 1;
}

void
transcoder_encoder_free (TranscoderEncoder * e)
{
  av_packet_free (&e->packet);
  avcodec_free_context (&e->context);
  av_free (e);
}

/* Sends a frame. Its quality only weighs its motion search, because a B is
 * given before the anchor that precedes it is coded. Its quantiser is the
 * only value that qmin and qmax allow when it is coded. */
bool
transcoder_encoder_send (TranscoderEncoder * e, AVFrame * frame, Tm5Type type,
    int64_t number, const TranscoderCoded * coded, unsigned code)
{
  static const enum AVPictureType types[] = {
    [TM5_I] = AV_PICTURE_TYPE_I,
    [TM5_P] = AV_PICTURE_TYPE_P,
    [TM5_B] = AV_PICTURE_TYPE_B
  };

  if (coded) {
    e->codes[coded->type] = code;
    e->context->qmin = e->context->qmax = (int) code;
  }
  if (!frame) {
    if (e->draining)
      return true;
    e->draining = true;
    return avcodec_send_frame (e->context, NULL) >= 0;
  }
  frame->pts = number;
  frame->pict_type = types[type];
  frame->quality = FF_QP2LAMBDA * (int) e->codes[type];
  return avcodec_send_frame (e->context, frame) >= 0;
}

bool
transcoder_encoder_receive (TranscoderEncoder * e, uint8_t ** data,
    size_t *size, int64_t * number, bool *intra)
{
  av_packet_unref (e->packet);
  if (avcodec_receive_packet (e->context, e->packet) < 0)
    return false;
  *data = e->packet->data;
  *size = (size_t) e->packet->size;
  *number = e->packet->pts;
  *intra = (e->packet->flags & AV_PKT_FLAG_KEY) != 0;
  return true;
}
