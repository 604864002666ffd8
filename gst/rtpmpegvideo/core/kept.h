/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The elementary stream that a reassembler keeps for the frame at hand, read
 * as it grows: which headers are in force and where it ends.
 */
#ifndef RTP_MPEG_KEPT_H
#define RTP_MPEG_KEPT_H

#include "rebuild.h"

/* Bytes of a header that are looked at: a sequence_header with matrices. */
#define RTP_MPEG_KEPT_HEADER 140

/* The picture at the end of what is kept. */
typedef struct
{
  bool begun;
  size_t at;                    /* where it begins */
  bool has_header;
  bool has_coding;
  bool known;                   /* headers complete: slices may follow */
  unsigned n_slices;
  unsigned row;                 /* of the last slice */
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
  unsigned type;                /* of the first one, 0: not known */
  RtpMpegKeptPicture picture;

  bool has_next_sequence;       /* in force once its extension has come too */
  M2vSequence next_sequence;
  uint32_t window;              /* the last 4 bytes */
  int code;                     /* of the last start code; -1: none */
  size_t code_at;
  size_t header_at;             /* where the header that it extends begins */
  uint8_t header[RTP_MPEG_KEPT_HEADER];
  size_t header_size;
} RtpMpegKept;

/* Forgets all. */
void rtp_mpeg_kept_init (RtpMpegKept * k);

/* Nothing is kept; what was in force stays so. */
void rtp_mpeg_kept_clear (RtpMpegKept * k);

void rtp_mpeg_kept_append (RtpMpegKept * k, const uint8_t * data, size_t size);

/* Zeros behind a slice that was cut. With those of the next start code they are
 * 23 bits at least, of which decoders know the end of a slice (13818-2 clause
 * 6.2.4): where the cut lies between macroblocks they need not take the last
 * ones for damaged. */
#define RTP_MPEG_KEPT_PAD 3

/* The stream breaks off here, and what is appended next begins with a start
 * code. A slice keeps its beginning, with zeros behind it unless it is whole; a
 * start code that was torn goes, and a header too unless it is whole. Returns
 * the bytes to cut off; *pad: the zeros to append then. */
size_t rtp_mpeg_kept_break (RtpMpegKept * k, bool whole_headers,
    bool whole_slice, size_t * pad);

/* Cuts off a picture at the end that has no slices; returns the bytes. */
size_t rtp_mpeg_kept_drop_bare_picture (RtpMpegKept * k);

/* slice_vertical_position; 0 where it is split (13818-2 clause 6.3.16). */
unsigned rtp_mpeg_kept_row (const RtpMpegKept * k, unsigned code);

#endif
