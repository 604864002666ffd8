/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: streams through mpegtranscoder, and what they decode to.
 */
#ifndef TEST_TRANSCODE_H
#define TEST_TRANSCODE_H

#include <gst/check/gstharness.h>

#include "stream.h"

#define N_STREAMS 5
extern const gchar *const test_streams[N_STREAMS];

typedef struct
{
  GstClockTime pts, dts, duration;
  gsize size;
  gboolean intra, discont;
} Coded;

typedef struct
{
  GByteArray *bytes;
  GArray *pictures;             /* of Coded */
} Output;

/* follow-events=FALSE, and that target. */
GstHarness *transcode_start (const TestStream * s, guint64 target);
void transcode_push (GstHarness * h, const TestStream * s, guint begin,
    guint end);
void transcode_eos (GstHarness * h);

Output *output_new (void);
void output_free (Output * o);
/* All that has left until now. */
void output_take (Output * o, GstHarness * h);
const Coded *output_picture (const Output * o, guint i);
/* What the bytes are. */
TestStream *output_stream (const Output * o);

/* Mean PSNR of luminance against the source, picture by picture in display
 * order; there must be as many, and *n gets how many. */
gdouble output_psnr (const TestStream * source, const TestStream * out,
    guint * n);

/* How many pictures it decodes to, all of that size. */
guint stream_count_decoded (const TestStream * s, gint width, gint height);

/* Bits per second of the source, by its display times. */
gdouble stream_rate (const TestStream * s);

#endif
