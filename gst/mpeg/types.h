/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Units and constants of ISO/IEC 11172-2 (MPEG-1) and 13818-2 (MPEG-2) video.
 */
#ifndef MPEG_TYPES_H
#define MPEG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times are int64_t nanoseconds. */
#define MPEG_TIME_NONE INT64_MIN
#define MPEG_SECOND INT64_C (1000000000)

/* Start code values (13818-2 table 6-1). */
enum
{
  MPEG_CODE_PICTURE = 0x00,
  MPEG_CODE_SLICE_MIN = 0x01,
  MPEG_CODE_SLICE_MAX = 0xaf,
  MPEG_CODE_USER_DATA = 0xb2,
  MPEG_CODE_SEQUENCE = 0xb3,
  MPEG_CODE_SEQUENCE_ERROR = 0xb4,
  MPEG_CODE_EXTENSION = 0xb5,
  MPEG_CODE_SEQUENCE_END = 0xb7,
  MPEG_CODE_GROUP = 0xb8
};

/* extension_start_code_identifier (13818-2 table 6-2). */
enum
{
  MPEG_EXTENSION_SEQUENCE = 1,
  MPEG_EXTENSION_SEQUENCE_DISPLAY = 2,
  MPEG_EXTENSION_QUANT_MATRIX = 3,
  MPEG_EXTENSION_COPYRIGHT = 4,
  MPEG_EXTENSION_SEQUENCE_SCALABLE = 5,
  MPEG_EXTENSION_PICTURE_DISPLAY = 7,
  MPEG_EXTENSION_PICTURE_CODING = 8
};

/* picture_coding_type (13818-2 table 6-12; D in MPEG-1 only). */
typedef enum
{
  MPEG_PICTURE_I = 1,
  MPEG_PICTURE_P = 2,
  MPEG_PICTURE_B = 3,
  MPEG_PICTURE_D = 4
} MpegPictureType;

/* picture_structure (13818-2 table 6-14). MPEG-1 pictures are frames. */
typedef enum
{
  MPEG_TOP_FIELD = 1,
  MPEG_BOTTOM_FIELD = 2,
  MPEG_FRAME_PICTURE = 3
} MpegStructure;

/* Bytes of a buffer; size 0: absent. */
typedef struct
{
  size_t offset;
  size_t size;
} MpegRange;

/* A piece of output: bytes of picture number `picture` of the frame at hand, or,
 * where `literal` is set, bytes that its owner keeps until it is asked for
 * the next frame. */
typedef struct
{
  const uint8_t *literal;
  unsigned picture;
  size_t offset;
  size_t size;
} MpegPiece;

static inline bool
mpeg_code_is_slice (unsigned code)
{
  return code >= MPEG_CODE_SLICE_MIN && code <= MPEG_CODE_SLICE_MAX;
}

#endif
