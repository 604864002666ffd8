/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What decoder and encoder ask of libavcodec alike.
 */
#ifndef TRANSCODER_LIBAV_H
#define TRANSCODER_LIBAV_H

/* As many as libavcodec takes at most where it chooses itself. */
#define TRANSCODER_MAX_THREADS 16

/* Added to the level of what libavcodec would write to stderr. */
#define TRANSCODER_QUIET 100

#endif
