/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drives mpegscaler with a stream, frame by frame, and keeps what leaves.
 */
#ifndef __TEST_DRIVER_H__
#define __TEST_DRIVER_H__

#include <gst/check/gstharness.h>

#include "stream.h"

/* A frame that went in, in coded order. */
typedef struct
{
  guint number;                 /* in the stream */
  GstClockTime begin, duration; /* in coded order, as if shown at once */
  gsize size_in;
  gsize size_out;               /* 0: it was dropped */
  gint scale;                   /* in force for it */
} TestFate;

typedef struct
{
  const TestStream *stream;
  GstHarness *h;
  GArray *fates;                /* of TestFate */
  GByteArray *bytes;            /* all that left */
  guint loop_begin, loop_end;   /* the stream's whole groups but the first */
  gboolean discont;             /* the next frame is to be marked */
  GstClockTime now;             /* end of the last frame that went in */
} TestDriver;

/* follow-events is FALSE. `properties`: "name=value" by spaces, or NULL. */
TestDriver *test_driver_new (const TestStream * s, const gchar * mode,
    const gchar * properties);
void test_driver_free (TestDriver * d);

/* "name=value" by spaces. */
void test_driver_set (TestDriver * d, const gchar * properties);

/* The frames begin to end; what leaves is kept. */
void test_driver_feed (TestDriver * d, guint begin, guint end);
/* Goes on where it was, in a loop, so long; ends with a group. */
void test_driver_run (TestDriver * d, GstClockTime duration);

/* A congestion event; -1: without. */
void test_driver_event (TestDriver * d, gint scale, gint64 target);

TestFate *test_driver_fate (const TestDriver * d, guint i);

typedef struct
{
  guint begin, end;             /* fates */
  GstClockTime duration;
  gint64 rate_in, rate_out;     /* bits per second */
} TestGroup;
/* The group that begins with fate i, or with the first I behind; FALSE: there is no
 * whole one. */
gboolean test_driver_group (const TestDriver * d, guint i, TestGroup * group);

/* Bytes of all fates from i on. */
gsize test_driver_sent (const TestDriver * d, guint i);
/* Of the statistics. */
guint64 test_driver_count (const TestDriver * d, const gchar * field);
gdouble test_driver_number (const TestDriver * d, const gchar * field);

/* Bits per second of the whole stream. */
gint64 test_stream_rate (const TestStream * s);

#endif
