/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Constants that decoder and encoder share for libavcodec.
 */
#ifndef TRANSCODER_LIBAV_H
#define TRANSCODER_LIBAV_H

/* Most threads; libavcodec takes no more when it chooses itself. */
#define TRANSCODER_MAX_THREADS 16

/* Offset of the log level of libavcodec's messages, which would go to
 * stderr. */
#define TRANSCODER_QUIET 100

#endif
