/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads the elementary stream that a reassembler keeps for the current frame,
 * while it grows, and knows which headers are in force and where the stream
 * ends.
 */
#ifndef RTP_MPEG_KEPT_H
#define RTP_MPEG_KEPT_H

#include "rebuild.h"

/* bytes of a header that are parsed: a sequence_header with matrices fits */
#define RTP_MPEG_KEPT_HEADER 140

/* The last picture in the kept data. */
typedef struct
{
  bool begun;
  size_t at;                    /* offset of its first byte */
  bool has_header;
  bool has_coding;
  bool known;                   /* the headers are complete, slices may come */
  unsigned n_slices;
  unsigned row;                 /* row of the last slice */
  M2vPictureHeader header;
  M2vPictureCoding coding;
} RtpMpegKeptPicture;

typedef struct
{
  bool has_sequence;
  M2vSequence sequence;
  RtpMpegRebuilder rebuilder;

  size_t size;
  unsigned n_pictures;
  unsigned type;                /* type of the first picture; 0 = unknown */
  RtpMpegKeptPicture picture;

  bool has_next_sequence;       /* next_sequence is valid, not yet in force */
  M2vSequence next_sequence;    /* in force once its extension has come too */
  uint32_t window;              /* the last 4 bytes */
  int code;                     /* value of the last start code; -1 = none */
  size_t code_at;
  size_t header_at;             /* offset of the header that code belongs to */
  uint8_t header[RTP_MPEG_KEPT_HEADER];
  size_t header_size;
} RtpMpegKept;

/* Forgets everything. */
void rtp_mpeg_kept_init (RtpMpegKept * k);

/* Forgets the kept data, but not the headers in force. */
void rtp_mpeg_kept_clear (RtpMpegKept * k);

void rtp_mpeg_kept_append (RtpMpegKept * k, const uint8_t * data, size_t size);

/* bytes; zeros appended to a slice that was cut. With the zeros of the next
 * start code they are at least 23 bits, by which decoders recognise the end of
 * a slice (13818-2 clause 6.2.4). If the cut lies between macroblocks, decoders
 * need not treat the last ones as damaged. */
#define RTP_MPEG_KEPT_PAD 3

/* Ends the kept data here; what is appended next begins with a start code. A
 * slice keeps its beginning, with zeros behind it unless it is whole. An
 * incomplete start code is dropped, and so is a header unless it is whole.
 * Returns the number of bytes to cut off. *pad is the number of zeros to append
 * then. */
size_t rtp_mpeg_kept_break (RtpMpegKept * k, bool whole_headers,
    bool whole_slice, size_t * pad);

/* Drops a picture without slices at the end. Returns the number of bytes to cut
 * off. */
size_t rtp_mpeg_kept_drop_bare_picture (RtpMpegKept * k);

/* Returns slice_vertical_position; 0 if it is split (13818-2 clause 6.3.16). */
unsigned rtp_mpeg_kept_row (const RtpMpegKept * k, unsigned code);

#endif
