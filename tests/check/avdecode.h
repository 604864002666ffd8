/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: what FFmpeg makes of an MPEG video stream, or of a file. It runs in
 * the test's own process: the program takes longer to load its libraries than
 * to decode most of the streams.
 */
#ifndef TEST_AVDECODE_H
#define TEST_AVDECODE_H

#include <glib.h>

typedef struct
{
  gboolean output_corrupt;      /* frames without their references, too */
  gboolean exact;               /* the most exact transform and motion */
  gboolean explode;             /* finds fault with more */
  GString *errors;              /* collects what the decoder says; or NULL */
  gboolean warnings;            /* among the errors */
} AvdecodeOptions;

/* A frame as it is shown: its planes one behind the other, luminance first. */
typedef void (*AvdecodeShown) (gpointer user, const guint8 * samples,
    gsize luminance, gsize size);

/* Whether tests were built with libavcodec and libavformat; if not, the reason for
 * a skip is printed. */
gboolean avdecode_present (void);

/* Calls `shown` for each frame, in display order; it and `options` may be NULL.
 * Returns FALSE where a picture cannot be decoded, or a frame is known to be
 * corrupt. */
gboolean avdecode (const guint8 * data, gsize size,
    const AvdecodeOptions * options, AvdecodeShown shown, gpointer user);

/* The same of a file's video. `format` is FFmpeg's name, as in h264, hevc,
 * mpegvideo; NULL: it finds out. FALSE, too, where there is no video in the file. */
gboolean avdecode_file (const gchar * path, const gchar * format,
    AvdecodeShown shown, gpointer user);

/* For `shown`: append to a GByteArray what a frame consists of. */
void avdecode_add_samples (gpointer array, const guint8 * samples,
    gsize luminance, gsize size);
void avdecode_add_luminance (gpointer array, const guint8 * samples,
    gsize luminance, gsize size);

/* For `shown`: appends to a GPtrArray the frame's checksum. */
void avdecode_add_checksum (gpointer array, const guint8 * samples,
    gsize luminance, gsize size);

#endif
