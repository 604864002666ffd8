/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A file of MPEG video, cut into buffers of one frame each.
 */
#ifndef __TEST_STREAM_H__
#define __TEST_STREAM_H__

#include <gst/gst.h>

#include <mpeg2/assembler.h>

typedef struct
{
  M2vPictureType type;         /* 0: could not be read */
  guint temporal_reference;
  gboolean starts_group, closed_group;
  guint n_fields;               /* how long it is displayed */
  gsize begin, size;
  gsize second;                 /* where the second field begins; 0: none */
} TestFrame;

typedef struct
{
  guint8 *data;
  gsize size;
  GArray *frames;               /* of TestFrame */
  M2vSequence sequence;
} TestStream;

/* A name without directory is one of tests/files. */
TestStream *test_stream_load (const gchar * path);
/* Takes the data. */
TestStream *test_stream_cut (guint8 * data, gsize size);
void test_stream_free (TestStream * s);

const TestFrame *test_stream_frame (const TestStream * s, guint i);
GstClockTime test_stream_frame_duration (const TestStream * s);

/* The numbers of those frames whose `present` is not 0 (NULL: all), in the
 * order that decoders show them in: an anchor when the next one comes. */
GArray *test_stream_display_order (const TestStream * s, const gint * present);

/* A copy of the bytes of n frames; `offset` is the number of the first, DTS
 * counts frames, no PTS. The very first is DISCONT, and all that do not begin
 * with an I are DELTA_UNIT. */
GstBuffer *test_stream_buffer (const TestStream * s, guint i, guint n);
GstCaps *test_stream_caps (const TestStream * s);

#endif
