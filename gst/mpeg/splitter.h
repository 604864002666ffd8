/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Cuts a buffer into coded pictures, each with the headers before it, and says
 * where everything is. The bytes stay where they are.
 *
 * A buffer holds any number of pictures and does not begin or end inside a
 * start code. All that a buffer holds is in exactly one span, so that spans
 * put together again give the buffer.
 *
 * Zero bytes before a start code stay with what is before it; where the buffer
 * begins with them, with what follows. A picture ends before the next picture,
 * sequence or group header, behind a sequence_end_code, or before a system
 * start code (b9 and above): whatever else stands after a slice
 * (sequence_error_code, reserved codes, user data) is taken for part of it. So
 * but for those zeros the ranges of a span follow each other without gap, in
 * the order below. Headers in another order, or repeated before one picture,
 * are spans of their own.
 */
#ifndef MPEG_SPLITTER_H
#define MPEG_SPLITTER_H

#include "headers.h"

typedef enum
{
  MPEG_SPAN_PICTURE,
  /* Headers with no picture after them in this buffer: they belong to the next
   * picture. */
  MPEG_SPAN_HEADERS,
  /* A sequence_end_code (with zeros after it) that no picture of this buffer
   * precedes. */
  MPEG_SPAN_SEQUENCE_END,
  /* Bytes that begin with no header: slices of the picture before, or
   * anything. */
  MPEG_SPAN_STRAY
} MpegSpanKind;

/* Offsets count from the span's first byte. */
typedef struct
{
  MpegSpanKind kind;
  size_t begin;                 /* of the span, in the buffer */
  size_t size;                  /* of the span */

  MpegRange sequence;           /* sequence_header, its extensions, user data */
  MpegRange group;              /* group_of_pictures_header, user data */
  MpegRange headers;            /* picture_header to the first slice */
  MpegRange slices;             /* first slice start code to the last one's end */
  MpegRange sequence_end;       /* sequence_end_code after the picture */
  MpegRange quant_matrix;       /* the last quant_matrix_extension in headers */
  size_t after_coding;          /* where picture_coding_extension ends; 0: MPEG-1 */

  /* Picture spans: all headers since the picture before could be read and fit
   * each other and the sequence (MPEG-1 or 2; not known passes), and there is a
   * slice. Else what follows holds nothing. */
  bool valid;
  bool mpeg2;                   /* there is a picture_coding_extension */
  /* A group header precedes it: in `group`, or, where that is absent, in a span
   * of headers before this one. */
  bool has_group;
  MpegGroup group_header;
  MpegPictureHeader header;
  MpegPictureCoding coding;
} MpegPicture;

/* What is in force once a span has been returned, its own headers included. A
 * header that cannot be read changes nothing here. */
typedef struct
{
  bool has_sequence;
  MpegSequence sequence;
  MpegMatrices matrices;        /* in force for the picture */
  MpegMatrices sequence_matrices;       /* as the sequence_header set them */

  /* Of the headers that wait for their picture. */
  bool damaged;                 /* one could not be read */
  bool has_group;
  MpegGroup group;
} MpegSplitter;

void mpeg_splitter_init (MpegSplitter * s);

/* The span at *position, which is moved behind it; false at the end. */
bool mpeg_splitter_next (MpegSplitter * s, const uint8_t * data, size_t size,
    size_t *position, MpegPicture * span);

#endif
