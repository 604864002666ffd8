/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Units and constants of ISO/IEC 11172-2 (MPEG-1) and 13818-2 (MPEG-2) video.
 */
#ifndef MPEG2_TYPES_H
#define MPEG2_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No time. Times are int64_t nanoseconds. */
#define M2V_TIME_NONE INT64_MIN
/* A second in ns. */
#define M2V_SECOND INT64_C (1000000000)

/* Number of bytes of a start code: 00 00 01, and its value. */
#define M2V_START_CODE_SIZE 4

/* Lines; higher MPEG-2 pictures have slice_vertical_position_extension (13818-2
 * clause 6.2.4). */
#define M2V_MAX_HEIGHT_UNEXTENDED 2800

/* Start code values (13818-2 table 6-1). */
enum
{
  M2V_CODE_PICTURE = 0x00,
  M2V_CODE_SLICE_MIN = 0x01,
  M2V_CODE_SLICE_MAX = 0xaf,
  M2V_CODE_USER_DATA = 0xb2,
  M2V_CODE_SEQUENCE = 0xb3,
  M2V_CODE_SEQUENCE_ERROR = 0xb4,
  M2V_CODE_EXTENSION = 0xb5,
  M2V_CODE_SEQUENCE_END = 0xb7,
  M2V_CODE_GROUP = 0xb8
};

/* extension_start_code_identifier (13818-2 table 6-2). */
enum
{
  M2V_EXTENSION_SEQUENCE = 1,
  M2V_EXTENSION_SEQUENCE_DISPLAY = 2,
  M2V_EXTENSION_QUANT_MATRIX = 3,
  M2V_EXTENSION_COPYRIGHT = 4,
  M2V_EXTENSION_SEQUENCE_SCALABLE = 5,
  M2V_EXTENSION_PICTURE_DISPLAY = 7,
  M2V_EXTENSION_PICTURE_CODING = 8
};

/* picture_coding_type (13818-2 table 6-12; D in MPEG-1 only). */
typedef enum
{
  M2V_PICTURE_I = 1,
  M2V_PICTURE_P = 2,
  M2V_PICTURE_B = 3,
  M2V_PICTURE_D = 4
} M2vPictureType;

/* picture_structure (13818-2 table 6-14). MPEG-1 pictures are frames. */
typedef enum
{
  M2V_TOP_FIELD = 1,
  M2V_BOTTOM_FIELD = 2,
  M2V_FRAME_PICTURE = 3
} M2vStructure;

/* A range of bytes of a buffer; size 0 = absent. */
typedef struct
{
  size_t offset;
  size_t size;
} M2vRange;

/* A piece of output: bytes of picture number `picture` of the current frame, or
 * bytes of `literal` if that is set. The literal is valid until the next
 * frame. */
typedef struct
{
  const uint8_t *literal;
  unsigned picture;
  size_t offset;
  size_t size;
} M2vPiece;

static inline bool
m2v_code_is_slice (unsigned code)
{
  return code >= M2V_CODE_SLICE_MIN && code <= M2V_CODE_SLICE_MAX;
}

#endif
