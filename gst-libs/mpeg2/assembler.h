/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Joins coded pictures into frames: a frame picture is one, two fields of
 * opposite parity in a row are one. A first field waits for its second. Each
 * frame gets its display time.
 */
#ifndef MPEG2_ASSEMBLER_H
#define MPEG2_ASSEMBLER_H

#include <mpeg2/clock.h>
#include <mpeg2/splitter.h>

typedef struct
{
  unsigned n_pictures;          /* 1, or 2 fields */
  M2vPicture pictures[2];      /* in coded order */
  M2vSequence sequence;        /* in force; has_sequence false: unknown */
  bool has_sequence;
  M2vMatrices matrices[2];     /* in force for each picture */

  bool valid;                   /* the headers could be read */
  M2vPictureType type;         /* of the first field */
  unsigned temporal_reference;
  bool starts_group;            /* a GOP header precedes it */
  bool closed_group;
  bool broken_link;
  bool discont;                 /* follows a discontinuity */
  unsigned n_fields;            /* display duration in field periods */
  size_t size;                  /* bytes of both spans */

  int64_t pts;                  /* ns, never M2V_TIME_NONE when valid */
  int64_t dts;                  /* as given with its first picture */
  int64_t duration;             /* ns */
} M2vFrame;

/* Whether others may refer to it. */
static inline bool
m2v_frame_is_anchor (const M2vFrame * frame)
{
  return frame->valid && (frame->type == M2V_PICTURE_I
      || frame->type == M2V_PICTURE_P);
}

/* What a buffer came with. It is its first picture's: the caller pushes the
 * others with M2V_TIME_NONE and without discont. */
typedef struct
{
  int64_t pts;                  /* or M2V_TIME_NONE */
  int64_t dts;
  bool discont;
} M2vStamp;

/* What has come of a push: a set of flags. */
enum
{
  M2V_ASSEMBLED_NOTHING = 0,   /* a first field waits */
  /* The field that waited has no second: it is `frame_before`. */
  M2V_ASSEMBLED_UNPAIRED = 1,
  M2V_ASSEMBLED_FRAME = 2      /* `frame` is complete */
};

typedef struct M2vAssembler M2vAssembler;

M2vAssembler *m2v_assembler_new (void);
void m2v_assembler_free (M2vAssembler * a);

/* Start, flush, new segment: forgets the field that waits; the clock begins
 * anew, at `start`. */
void m2v_assembler_reset (M2vAssembler * a, int64_t start);

/* Of spans only M2V_SPAN_PICTURE is pushed; one that is not valid is a frame
 * of its own (valid false, its PTS as given), and an unpaired field before it
 * stays unpaired. Fields pair that follow each other without discontinuity or
 * GOP header, of opposite parity and one temporal_reference, both B or neither.
 * A second field alone is a first field again. The frame has the first field's
 * stamp. Caller keeps the bytes of the waiting field. */
unsigned m2v_assembler_push (M2vAssembler * a, const M2vSplitter * state,
    const M2vPicture * picture, const M2vStamp * stamp,
    M2vFrame * frame_before, M2vFrame * frame);

/* End of stream: true where a first field still waited; it is `frame`. */
bool m2v_assembler_finish (M2vAssembler * a, M2vFrame * frame);

#endif
