/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes one slice for each row of macroblocks, as MPEG-2 requires; in MPEG-1
 * one for all rows, because the replaced picture may be as small as that. The
 * first and last macroblock of a slice cannot be skipped (13818-2 clause
 * 6.1.2): they are predicted with a zero vector. Those between are skipped,
 * which in P means the same, and in B the prediction of the macroblock before
 * (clause 7.6.6).
 *
 * Clauses and tables are those of 13818-2. MPEG-1 leaves out some fields, and
 * its slices may end in another row (11172-2 clause 2.4.1).
 */
#include <mpeg2/skipped.h>

#include <mpeg2/addressincrement.h>

/* Any code except 0, which is forbidden, because no coefficient follows. */
#define QUANTISER_SCALE_CODE 1

/* Number of rows that slice_start_code counts without
 * slice_vertical_position_extension. */
#define MAX_ROWS_UNEXTENDED M2V_CODE_SLICE_MAX

/* macroblock_type in P: "MC, not coded" (table B.3). */
static const M2vVlcCode type_p = { 1, 3 };
/* macroblock_type in B: "Fwd, not coded" (table B.4). */
static const M2vVlcCode type_b_forward = { 2, 4 };
/* macroblock_type in B: "Bwd, not coded" (table B.4). */
static const M2vVlcCode type_b_backward = { 2, 3 };

/* frame_motion_type (table 6-17). */
#define MOTION_FRAME_BASED 2
/* field_motion_type (table 6-18). */
#define MOTION_FIELD_BASED 1

/* motion_code 0 (table B.10); no motion_residual follows it. */
#define MOTION_CODE_ZERO 1

/* Bits of a slice's header: start code, vertical position extension,
 * quantiser_scale_code, extra_bit_slice. */
#define SLICE_BITS (32 + 3 + 5 + 1)
/* Bits of a macroblock without macroblock_address_increment: type, motion type,
 * field select, two motion codes. */
#define MACROBLOCK_BITS (4 + 2 + 1 + 2)

static unsigned
columns (const M2vSequence * sequence)
{
  return (sequence->width + 15) / 16;
}

/* Returns the rows of a frame or, with `field`, of a field (clause 6.3.3). */
static unsigned
rows (const M2vSequence * sequence, bool field)
{
  if (sequence->mpeg2 && !sequence->progressive)
    return (sequence->height + 31) / 32 * (field ? 1 : 2);
  return (sequence->height + 15) / 16;
}

static unsigned
slices (const M2vSequence * sequence, bool field)
{
  return sequence->mpeg2 ? rows (sequence, field) : 1;
}

/* Returns the number of macroblocks of a slice. */
static unsigned
length (const M2vSequence * sequence)
{
  return columns (sequence) * (sequence->mpeg2 ? 1 : rows (sequence, false));
}

static bool
extended (const M2vSequence * sequence)
{
  return sequence->mpeg2 && sequence->height > M2V_MAX_HEIGHT_UNEXTENDED;
}

size_t
m2v_skipped_size (const M2vSequence * sequence)
{
  unsigned escapes = length (sequence) / M2V_MAX_ADDRESS_INCREMENT;
  unsigned bits = SLICE_BITS + 2 * MACROBLOCK_BITS
      + m2v_address_increments[1].length
      + (escapes + 1) * m2v_address_escape.length;

  return (size_t) slices (sequence, false) * ((bits + 7) / 8);
}

static void
write_vlc (M2vBitWriter * w, M2vVlcCode vlc)
{
  m2v_write_bits (w, vlc.code, vlc.length);
}

static void
write_increment (M2vBitWriter * w, unsigned increment)
{
  for (; increment > M2V_MAX_ADDRESS_INCREMENT;
      increment -= M2V_MAX_ADDRESS_INCREMENT)
    write_vlc (w, m2v_address_escape);
  write_vlc (w, m2v_address_increments[increment]);
}

/* Writes a macroblock that is predicted from one reference with a zero vector
 * and has no coefficients (clauses 6.2.5, 6.2.5.2). */
static void
write_macroblock (M2vBitWriter * w, const M2vPicture * picture, M2vVlcCode type)
{
  M2vStructure structure = picture->coding.structure;

  write_vlc (w, type);
  if (picture->mpeg2 && structure != M2V_FRAME_PICTURE) {
    m2v_write_bits (w, MOTION_FIELD_BASED, 2);
    /* motion_vertical_field_select: the same parity. */
    m2v_write_bits (w, structure == M2V_BOTTOM_FIELD, 1);
  } else if (picture->mpeg2 && !picture->coding.frame_pred_frame_dct) {
    m2v_write_bits (w, MOTION_FRAME_BASED, 2);
  }
  m2v_write_bits (w, MOTION_CODE_ZERO, 1);
  m2v_write_bits (w, MOTION_CODE_ZERO, 1);
}

static void
write_slice (M2vBitWriter * w, const M2vSequence * sequence,
    const M2vPicture * picture, M2vVlcCode type, unsigned row)
{
  unsigned n = length (sequence);

  if (extended (sequence)) {
    m2v_write_start_code (w, M2V_CODE_SLICE_MIN + row % 128);
    m2v_write_bits (w, row / 128, 3);
  } else {
    m2v_write_start_code (w, M2V_CODE_SLICE_MIN + row);
  }
  m2v_write_bits (w, QUANTISER_SCALE_CODE, 5);
  m2v_write_bits (w, 0, 1);     /* extra_bit_slice */

  write_increment (w, 1);
  write_macroblock (w, picture, type);
  if (n > 1) {
    write_increment (w, n - 1);
    write_macroblock (w, picture, type);
  }
}

size_t
m2v_write_skipped_slices (uint8_t * out, size_t capacity,
    const M2vSequence * sequence, const M2vPicture * picture, bool backward)
{
  M2vVlcCode type = backward ? type_b_backward : type_b_forward;
  bool field = picture->mpeg2 && picture->coding.structure != M2V_FRAME_PICTURE;
  unsigned n = slices (sequence, field);
  M2vBitWriter w;
  size_t size;

  if (picture->header.type == M2V_PICTURE_P)
    type = type_p;
  else if (picture->header.type != M2V_PICTURE_B)
    return 0;
  /* A stream that follows the standards has none of these. */
  if (length (sequence) == 0 || picture->mpeg2 != sequence->mpeg2
      || (field && sequence->progressive))
    return 0;
  if (n > MAX_ROWS_UNEXTENDED && !extended (sequence))
    return 0;

  m2v_bit_writer_init (&w, out, capacity);
  for (unsigned row = 0; row < n; row++)
    write_slice (&w, sequence, picture, type, row);
  size = m2v_write_align (&w);
  return w.error ? 0 : size;
}
