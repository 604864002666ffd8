/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Joins coded pictures into frames: a frame picture is one, two fields of
 * opposite parity in a row are one. A first field waits for its second. Each
 * frame gets its display time.
 */
#ifndef MPEG_ASSEMBLER_H
#define MPEG_ASSEMBLER_H

#include "clock.h"
#include "splitter.h"

typedef struct
{
  unsigned n_pictures;          /* 1, or 2 fields */
  MpegPicture pictures[2];      /* in coded order */
  MpegSequence sequence;        /* in force; has_sequence false: unknown */
  bool has_sequence;
  MpegMatrices matrices[2];     /* in force for each picture */

  bool valid;                   /* the headers could be read */
  MpegPictureType type;         /* of the first field */
  unsigned temporal_reference;
  bool starts_group;            /* a GOP header precedes it */
  bool closed_group;
  bool broken_link;
  bool discont;                 /* follows a discontinuity */
  unsigned n_fields;            /* display duration in field periods */
  size_t size;                  /* bytes of both spans */

  int64_t pts;                  /* ns, never MPEG_TIME_NONE when valid */
  int64_t dts;                  /* as given with its first picture */
  int64_t duration;             /* ns */
} MpegFrame;

/* Whether others may refer to it. */
static inline bool
mpeg_frame_is_anchor (const MpegFrame * frame)
{
  return frame->valid && (frame->type == MPEG_PICTURE_I
      || frame->type == MPEG_PICTURE_P);
}

/* What a buffer came with. It is its first picture's: the caller pushes the
 * others with MPEG_TIME_NONE and without discont. */
typedef struct
{
  int64_t pts;                  /* or MPEG_TIME_NONE */
  int64_t dts;
  bool discont;
} MpegStamp;

/* What has come of a push: a set of flags. */
enum
{
  MPEG_ASSEMBLED_NOTHING = 0,   /* a first field waits */
  /* The field that waited has no second: it is `frame_before`. */
  MPEG_ASSEMBLED_UNPAIRED = 1,
  MPEG_ASSEMBLED_FRAME = 2      /* `frame` is complete */
};

typedef struct MpegAssembler MpegAssembler;

MpegAssembler *mpeg_assembler_new (void);
void mpeg_assembler_free (MpegAssembler * a);

/* Start, flush: forgets the field that waits and the clock. */
void mpeg_assembler_reset (MpegAssembler * a);

/* Of spans only MPEG_SPAN_PICTURE is pushed; one that is not valid is a frame
 * of its own (valid false, its PTS as given), and an unpaired field before it
 * stays unpaired. Fields pair that follow each other without discontinuity or
 * GOP header, of opposite parity and one temporal_reference, both B or neither.
 * A second field alone is a first field again. The frame has the first field's
 * stamp. Caller keeps the bytes of the waiting field. */
unsigned mpeg_assembler_push (MpegAssembler * a, const MpegSplitter * state,
    const MpegPicture * picture, const MpegStamp * stamp,
    MpegFrame * frame_before, MpegFrame * frame);

/* End of stream: true where a first field still waited; it is `frame`. */
bool mpeg_assembler_finish (MpegAssembler * a, MpegFrame * frame);

#endif
