/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A stream through a container, demuxer and parser, an element, and a file,
 * muxer or payloader: which of its pictures FFmpeg finds behind.
 */
#ifndef __TEST_MUXING_H__
#define __TEST_MUXING_H__

#include <gst/gst.h>

#define TEST_FFMPEG "ffmpeg -v error -y "
#define TEST_MADE TEST_FFMPEG "-f lavfi -i testsrc2=s=176x144:r=25:d=2 "
/* Without times: what is a copy of it has those that FFmpeg makes. */
#define TEST_CODED \
    TEST_MADE "-c:v mpeg2video -g 12 -bf 2 -f mpeg2video $out.es && "
#define TEST_COPIED TEST_FFMPEG "-f mpegvideo -i $out.es -c copy "

/* How a source is made, by a shell that has `out` and `files` (tests/files);
 * and with what it is demuxed. */
typedef struct
{
  const gchar *name;
  const gchar *command;
  const gchar *demuxer;
} TestSource;

typedef struct
{
  const gchar *name;
  const gchar *elements;
  const gchar *format;          /* for FFmpeg; NULL: it finds out */
} TestSink;

#define TEST_N_SINKS 5
extern const TestSink test_sinks[TEST_N_SINKS];

/* What is done in PAUSED. */
typedef void (*TestPrepare) (GstElement * pipeline, gpointer data);

/* A fixture: a directory for files, and what is in it. */
void test_muxing_begin (void);
void test_muxing_end (void);
gchar *test_muxing_path (const gchar * name);

/* Why these cannot be tested, or NULL. */
gchar *test_muxing_missing (const TestSource * source, const TestSink * sink);
void test_muxing_make (const TestSource * source, const gchar * path);

/* The sums of the pictures behind the element and the sink, in display order.
 * Fails where times or flags are wrong that are not the source's, but for identity. */
GPtrArray *test_muxing_run (const gchar * before, const gchar * element,
    const TestSink * sink, TestPrepare prepare, gpointer data);

/* Fails where there are less of the source's pictures with the element than
 * without, or one more than once; says where there are less of them without. */
void test_muxing_compare (const gchar * what, const TestSink * sink,
    const GPtrArray * source, const GPtrArray * without,
    const GPtrArray * with);

/* Fails where there are less pictures of mpegtranscoder, which are its own,
 * than without it, but for those that it says are lost. Returns how many these
 * are. */
guint64 test_muxing_transcode (const gchar * what, const gchar * before,
    const TestSink * sink, TestPrepare prepare, gpointer data,
    const GPtrArray * without);

#endif
