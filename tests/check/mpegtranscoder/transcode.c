/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "transcode.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#include "core/decoder.h"

const gchar *const test_streams[N_STREAMS] = {
  "walk-720x480p30-4M.m2v",
  "bbb-352x576i25-fields-3M.m2v",
  "sintel-720x480-pulldown-4M.m2v",
  "ocean-176x96p30-500k.m2v",
  "bbb-352x288p25-1100k.m1v",
};

GstHarness *
transcode_start (const TestStream * s, guint64 target)
{
  GstHarness *h = gst_harness_new ("mpegtranscoder");

  g_object_set (h->element, "follow-events", FALSE, "target-bitrate", target,
      NULL);
  gst_harness_set_src_caps (h, test_stream_caps (s));
  return h;
}

void
transcode_push (GstHarness * h, const TestStream * s, guint begin, guint end)
{
  guint i;

  for (i = begin; i < end; i++)
    fail_unless_equals_int (gst_harness_push (h, test_stream_buffer (s, i, 1)),
        GST_FLOW_OK);
}

void
transcode_eos (GstHarness * h)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
}

Output *
output_new (void)
{
  Output *o = g_new (Output, 1);

  o->bytes = g_byte_array_new ();
  o->pictures = g_array_new (FALSE, FALSE, sizeof (Coded));
  return o;
}

void
output_free (Output * o)
{
  g_byte_array_unref (o->bytes);
  g_array_unref (o->pictures);
  g_free (o);
}

void
output_take (Output * o, GstHarness * h)
{
  GstBuffer *buffer;
  GstMapInfo map;

  while ((buffer = gst_harness_try_pull (h))) {
    Coded c = { GST_BUFFER_PTS (buffer), GST_BUFFER_DTS (buffer),
      GST_BUFFER_DURATION (buffer), gst_buffer_get_size (buffer),
      !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT),
      GST_BUFFER_IS_DISCONT (buffer)
    };

    g_array_append_val (o->pictures, c);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_byte_array_append (o->bytes, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
}

const Coded *
output_picture (const Output * o, guint i)
{
  fail_unless (i < o->pictures->len);
  return &g_array_index (o->pictures, Coded, i);
}

TestStream *
output_stream (const Output * o)
{
  return test_stream_cut (g_memdup2 (o->bytes->data, o->bytes->len),
      o->bytes->len);
}

/* Decoding */

typedef struct
{
  const TestStream *stream;
  guint next;
  gboolean draining;
  TranscoderDecoder *decoder;
  AVFrame *frame;
} Player;

static void
player_open (Player * p, const TestStream * s)
{
  p->stream = s;
  p->next = 0;
  p->draining = FALSE;
  p->decoder = transcoder_decoder_new (1);
  p->frame = av_frame_alloc ();
}

static gboolean
player_next (Player * p)
{
  while (!transcoder_decoder_receive (p->decoder, p->frame)) {
    if (p->draining)
      return FALSE;
    if (p->next < p->stream->frames->len) {
      const TestFrame *f = test_stream_frame (p->stream, p->next);

      transcoder_decoder_send (p->decoder, p->stream->data + f->begin,
          f->size, p->next++);
    } else {
      transcoder_decoder_drain (p->decoder);
      p->draining = TRUE;
    }
  }
  return TRUE;
}

static void
player_close (Player * p)
{
  av_frame_free (&p->frame);
  transcoder_decoder_free (p->decoder);
}

static gdouble
psnr (const AVFrame * a, const AVFrame * b)
{
  guint64 sum = 0;
  gint x, y;

  fail_unless (a->width == b->width && a->height == b->height);
  for (y = 0; y < a->height; y++) {
    const guint8 *p = a->data[0] + y * a->linesize[0];
    const guint8 *q = b->data[0] + y * b->linesize[0];

    for (x = 0; x < a->width; x++)
      sum += (p[x] - q[x]) * (p[x] - q[x]);
  }
  if (sum == 0)
    return 60;
  return MIN (60, 10 * log10 (255. * 255 * a->width * a->height / sum));
}

gdouble
output_psnr (const TestStream * source, const TestStream * out, guint * n)
{
  Player a, b;
  gdouble sum = 0;

  player_open (&a, source);
  player_open (&b, out);
  for (*n = 0; player_next (&a); (*n)++) {
    fail_unless (player_next (&b), "only %u pictures", *n);
    sum += psnr (a.frame, b.frame);
    av_frame_unref (a.frame);
    av_frame_unref (b.frame);
  }
  fail_if (player_next (&b), "more than %u pictures", *n);
  player_close (&a);
  player_close (&b);
  return sum / MAX (*n, 1);
}

guint
stream_count_decoded (const TestStream * s, gint width, gint height)
{
  Player p;
  guint n;

  player_open (&p, s);
  for (n = 0; player_next (&p); n++) {
    fail_unless_equals_int (p.frame->width, width);
    fail_unless_equals_int (p.frame->height, height);
    av_frame_unref (p.frame);
  }
  player_close (&p);
  return n;
}

gdouble
stream_rate (const TestStream * s)
{
  gint64 fields = 0;
  guint i;

  for (i = 0; i < s->frames->len; i++)
    fields += test_stream_frame (s, i)->n_fields;
  return 8. * s->size * GST_SECOND / m2v_fields_time (&s->sequence, fields);
}
