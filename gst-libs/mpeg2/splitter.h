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
#ifndef MPEG2_SPLITTER_H
#define MPEG2_SPLITTER_H

#include <mpeg2/headers.h>

typedef enum
{
  M2V_SPAN_PICTURE,
  /* Headers with no picture after them in this buffer: they belong to the next
   * picture. */
  M2V_SPAN_HEADERS,
  /* A sequence_end_code (with zeros after it) that no picture of this buffer
   * precedes. */
  M2V_SPAN_SEQUENCE_END,
  /* Bytes that begin with no header: slices of the picture before, or
   * anything. */
  M2V_SPAN_STRAY
} M2vSpanKind;

/* Offsets count from the span's first byte. */
typedef struct
{
  M2vSpanKind kind;
  size_t begin;                 /* of the span, in the buffer */
  size_t size;                  /* of the span */

  M2vRange sequence;           /* sequence_header, its extensions, user data */
  M2vRange group;              /* group_of_pictures_header, user data */
  M2vRange headers;            /* picture_header to the first slice */
  M2vRange slices;             /* first slice start code to the last one's end */
  M2vRange sequence_end;       /* sequence_end_code after the picture */
  M2vRange quant_matrix;       /* the last quant_matrix_extension in headers */
  size_t after_coding;          /* where picture_coding_extension ends; 0: MPEG-1 */

  /* Picture spans: all headers since the picture before could be read and fit
   * each other and the sequence (MPEG-1 or 2; not known passes), and there is a
   * slice. Else what follows holds nothing. */
  bool valid;
  bool mpeg2;                   /* there is a picture_coding_extension */
  /* A group header precedes it: in `group`, or, where that is absent, in a span
   * of headers before this one. */
  bool has_group;
  M2vGroup group_header;
  M2vPictureHeader header;
  M2vPictureCoding coding;
} M2vPicture;

/* What is in force once a span has been returned, its own headers included. A
 * header that cannot be read changes nothing here. */
typedef struct
{
  bool has_sequence;
  M2vSequence sequence;
  M2vMatrices matrices;        /* in force for the picture */
  M2vMatrices sequence_matrices;       /* as the sequence_header set them */

  /* Of the headers that wait for their picture. */
  bool damaged;                 /* one could not be read */
  bool has_group;
  M2vGroup group;
} M2vSplitter;

void m2v_splitter_init (M2vSplitter * s);

/* Flush: keeps the sequence header and matrices in force, for many a stream has
 * its only header at the start. */
void m2v_splitter_flush (M2vSplitter * s);

/* The span at *position, which is moved behind it; false at the end. */
bool m2v_splitter_next (M2vSplitter * s, const uint8_t * data, size_t size,
    size_t *position, M2vPicture * span);

#endif
