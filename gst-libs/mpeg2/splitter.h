/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Cuts a buffer into coded pictures, each with the headers before it, and finds
 * their parts. The bytes are not moved.
 *
 * A buffer has any number of pictures and does not begin or end inside a start
 * code. Each byte of a buffer is in exactly one span, so that all spans in a
 * row are the buffer.
 *
 * Zero bytes before a start code belong to the data before it; at the beginning
 * of the buffer they belong to the data after them. A picture ends before the
 * next picture, sequence or group header, behind a sequence_end_code, or before
 * a system start code (b9 and above). Anything else after a slice
 * (sequence_error_code, reserved codes, user data) is taken for part of it. So
 * except for those zeros the ranges of a span follow each other without gap, in
 * the order below. Headers in another order, or repeated before one picture,
 * are separate spans.
 */
#ifndef MPEG2_SPLITTER_H
#define MPEG2_SPLITTER_H

#include <mpeg2/headers.h>

typedef enum
{
  M2V_SPAN_PICTURE,
  /* Headers with no picture after them in this buffer: they belong to the next
   * picture. */
  M2V_SPAN_HEADERS,
  /* A sequence_end_code (with zeros after it) without a picture before it in
   * this buffer. */
  M2V_SPAN_SEQUENCE_END,
  /* Bytes that do not begin with a header: slices of the picture before, or
   * anything. */
  M2V_SPAN_STRAY
} M2vSpanKind;

/* Offsets count from the span's first byte. */
typedef struct
{
  M2vSpanKind kind;
  size_t begin;                 /* offset of the span in the buffer */
  size_t size;                  /* bytes of the span */

  M2vRange sequence;           /* sequence_header, its extensions, user data */
  M2vRange group;              /* group_of_pictures_header, user data */
  M2vRange headers;            /* picture_header to the first slice */
  M2vRange slices;             /* first slice to the end of the last one */
  M2vRange sequence_end;       /* sequence_end_code after the picture */
  M2vRange quant_matrix;       /* the last quant_matrix_extension in headers */
  /* end of picture_coding_extension; 0 = MPEG-1 */
  size_t after_coding;

  /* Picture spans: all headers since the picture before could be read and fit
   * each other and the sequence (MPEG-1 or 2; an unknown sequence passes), and
   * there is a slice. Otherwise the members below are undefined. */
  bool valid;
  bool mpeg2;                   /* there is a picture_coding_extension */
  /* A group header precedes the picture, in `group` or in a span of headers
   * before this one. */
  bool has_group;
  M2vGroup group_header;
  M2vPictureHeader header;
  M2vPictureCoding coding;
} M2vPicture;

/* The headers in force after a span has been returned, its own included. A
 * header that cannot be read changes nothing here. */
typedef struct
{
  bool has_sequence;            /* `sequence` is known */
  M2vSequence sequence;
  M2vMatrices matrices;        /* in force for the picture */
  M2vMatrices sequence_matrices;       /* set by the sequence_header */

  /* The headers that wait for their picture. */
  bool damaged;                 /* one of them could not be read */
  bool has_group;               /* `group` is one of them */
  M2vGroup group;
} M2vSplitter;

void m2v_splitter_init (M2vSplitter * s);

/* Flushes, but keeps the sequence header and matrices in force, because many
 * streams have their only header at the start. */
void m2v_splitter_flush (M2vSplitter * s);

/* Returns the span at *position and moves that behind it; false at the end. */
bool m2v_splitter_next (M2vSplitter * s, const uint8_t * data, size_t size,
    size_t *position, M2vPicture * span);

#endif
