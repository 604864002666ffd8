/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * One slice for each row of macroblocks. Its first and its last macroblock
 * cannot be skipped (13818-2 clause 6.1.2): they are predicted with a zero
 * vector. Those between are skipped, which in P means the same, and in B as the
 * macroblock before (clause 7.6.6).
 *
 * Clauses and tables are those of 13818-2; MPEG-1 differs in what is left out.
 */
#include "skipped.h"

#include "addressincrement.h"

/* Any but 0, which is forbidden: no coefficient follows. */
#define QUANTISER_SCALE_CODE 1

/* MPEG-2 pictures higher than this have slice_vertical_position_extension
 * (clause 6.2.4). Without it, slice_start_code counts so many rows. */
#define MAX_HEIGHT_UNEXTENDED 2800
#define MAX_ROWS_UNEXTENDED MPEG_CODE_SLICE_MAX

/* macroblock_type: P "MC, not coded" (table B.3), B "Fwd, not coded" and "Bwd,
 * not coded" (table B.4). */
static const MpegVlc type_p = { 1, 3 };
static const MpegVlc type_b_forward = { 2, 4 };
static const MpegVlc type_b_backward = { 2, 3 };

/* frame_motion_type and field_motion_type (tables 6-17 and 6-18). */
#define MOTION_FRAME_BASED 2
#define MOTION_FIELD_BASED 1

/* motion_code 0 (table B.10); no motion_residual follows it. */
#define MOTION_CODE_ZERO 1

/* Bits of a slice without its macroblock_address_increments: start code,
 * vertical position extension, quantiser_scale_code, extra_bit_slice; two
 * macroblocks of type, motion type, field select, two motion codes. */
#define SLICE_BITS (32 + 3 + 5 + 1)
#define MACROBLOCK_BITS (4 + 2 + 1 + 2)

static unsigned
columns (const MpegSequence * sequence)
{
  return (sequence->width + 15) / 16;
}

/* Rows of a frame or, with `field`, of a field (clause 6.3.3). */
static unsigned
rows (const MpegSequence * sequence, bool field)
{
  if (sequence->mpeg2 && !sequence->progressive)
    return (sequence->height + 31) / 32 * (field ? 1 : 2);
  return (sequence->height + 15) / 16;
}

static bool
extended (const MpegSequence * sequence)
{
  return sequence->mpeg2 && sequence->height > MAX_HEIGHT_UNEXTENDED;
}

size_t
mpeg_skipped_size (const MpegSequence * sequence)
{
  unsigned escapes = columns (sequence) / MPEG_MAX_ADDRESS_INCREMENT;
  unsigned bits = SLICE_BITS + 2 * MACROBLOCK_BITS
      + mpeg_address_increments[1].length
      + (escapes + 1) * mpeg_address_escape.length;

  return (size_t) rows (sequence, false) * ((bits + 7) / 8);
}

static void
write_vlc (MpegBitWriter * w, MpegVlc vlc)
{
  mpeg_write_bits (w, vlc.code, vlc.length);
}

static void
write_increment (MpegBitWriter * w, unsigned increment)
{
  for (; increment > MPEG_MAX_ADDRESS_INCREMENT;
      increment -= MPEG_MAX_ADDRESS_INCREMENT)
    write_vlc (w, mpeg_address_escape);
  write_vlc (w, mpeg_address_increments[increment]);
}

/* Predicted from one reference with a zero vector, no coefficients (clauses
 * 6.2.5, 6.2.5.2). */
static void
write_macroblock (MpegBitWriter * w, const MpegPicture * picture, MpegVlc type)
{
  MpegStructure structure = picture->coding.structure;

  write_vlc (w, type);
  if (picture->mpeg2 && structure != MPEG_FRAME_PICTURE) {
    mpeg_write_bits (w, MOTION_FIELD_BASED, 2);
    /* motion_vertical_field_select: the same parity. */
    mpeg_write_bits (w, structure == MPEG_BOTTOM_FIELD, 1);
  } else if (picture->mpeg2 && !picture->coding.frame_pred_frame_dct) {
    mpeg_write_bits (w, MOTION_FRAME_BASED, 2);
  }
  mpeg_write_bits (w, MOTION_CODE_ZERO, 1);
  mpeg_write_bits (w, MOTION_CODE_ZERO, 1);
}

static void
write_slice (MpegBitWriter * w, const MpegSequence * sequence,
    const MpegPicture * picture, MpegVlc type, unsigned row)
{
  unsigned n = columns (sequence);

  if (extended (sequence)) {
    mpeg_write_start_code (w, MPEG_CODE_SLICE_MIN + row % 128);
    mpeg_write_bits (w, row / 128, 3);
  } else {
    mpeg_write_start_code (w, MPEG_CODE_SLICE_MIN + row);
  }
  mpeg_write_bits (w, QUANTISER_SCALE_CODE, 5);
  mpeg_write_bits (w, 0, 1);    /* extra_bit_slice */

  write_increment (w, 1);
  write_macroblock (w, picture, type);
  if (n > 1) {
    write_increment (w, n - 1);
    write_macroblock (w, picture, type);
  }
}

size_t
mpeg_write_skipped_slices (uint8_t * out, size_t capacity,
    const MpegSequence * sequence, const MpegPicture * picture, bool backward)
{
  MpegVlc type = backward ? type_b_backward : type_b_forward;
  bool field = picture->mpeg2
      && picture->coding.structure != MPEG_FRAME_PICTURE;
  unsigned n_rows = rows (sequence, field);
  MpegBitWriter w;

  if (picture->header.type == MPEG_PICTURE_P)
    type = type_p;
  else if (picture->header.type != MPEG_PICTURE_B)
    return 0;
  /* None of this is possible in a stream that follows the standards. */
  if (columns (sequence) == 0 || picture->mpeg2 != sequence->mpeg2
      || (field && sequence->progressive))
    return 0;
  if (n_rows > MAX_ROWS_UNEXTENDED && !extended (sequence))
    return 0;

  mpeg_bit_writer_init (&w, out, capacity);
  for (unsigned row = 0; row < n_rows; row++)
    write_slice (&w, sequence, picture, type, row);
  mpeg_write_align (&w);
  return w.error ? 0 : w.size;
}
