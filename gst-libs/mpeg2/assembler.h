/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Joins coded pictures into frames: a frame is a frame picture, or two fields
 * of opposite parity in a row. A first field waits for its second. Each frame
 * gets its display time.
 */
#ifndef MPEG2_ASSEMBLER_H
#define MPEG2_ASSEMBLER_H

#include <mpeg2/clock.h>
#include <mpeg2/splitter.h>

typedef struct
{
  unsigned n_pictures;          /* 1, or 2 fields */
  M2vPicture pictures[2];      /* in coded order */
  M2vSequence sequence;        /* the sequence header in force */
  bool has_sequence;            /* `sequence` is known */
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

  int64_t pts;                  /* ns; never M2V_TIME_NONE if valid */
  int64_t given_pts;            /* ns; PTS that came with its first picture */
  int64_t dts;                  /* ns; DTS of its first picture */
  int64_t duration;             /* ns */
} M2vFrame;

/* True if other frames may refer to the frame. */
static inline bool
m2v_frame_is_anchor (const M2vFrame * frame)
{
  return frame->valid && (frame->type == M2V_PICTURE_I
      || frame->type == M2V_PICTURE_P);
}

/* The stamps of a buffer. They apply to its first picture: the caller pushes
 * the others with M2V_TIME_NONE and without discont. */
typedef struct
{
  int64_t pts;                  /* ns, or M2V_TIME_NONE */
  int64_t dts;                  /* ns, or M2V_TIME_NONE */
  bool discont;
} M2vStamp;

/* The result of a push: a set of flags. */
enum
{
  M2V_ASSEMBLED_NOTHING = 0,   /* a first field waits */
  /* The field that waited is `frame_before`: it has no second field. */
  M2V_ASSEMBLED_UNPAIRED = 1,
  M2V_ASSEMBLED_FRAME = 2      /* `frame` is complete */
};

typedef struct M2vAssembler M2vAssembler;

M2vAssembler *m2v_assembler_new (void);
void m2v_assembler_free (M2vAssembler * a);

/* Forgets the field that waits; the clock starts again at `start`. Call it at
 * the start, at a flush and for a new segment. */
void m2v_assembler_reset (M2vAssembler * a, int64_t start);

/* Pushes a picture, which must be an M2V_SPAN_PICTURE. One that is not valid is
 * a frame of its own (valid false, its PTS as given), and an unpaired field
 * before it stays unpaired. Two fields are a pair if no discontinuity or GOP
 * header is between them, and they have opposite parity and the same
 * temporal_reference, and both are B or neither is. A second field alone counts
 * as a first field. The frame has the first field's stamp. The caller keeps the
 * bytes of the waiting field. */
unsigned m2v_assembler_push (M2vAssembler * a, const M2vSplitter * state,
    const M2vPicture * picture, const M2vStamp * stamp,
    M2vFrame * frame_before, M2vFrame * frame);

/* Ends the stream. Returns true if a first field still waited; it is
 * `frame`. */
bool m2v_assembler_finish (M2vAssembler * a, M2vFrame * frame);

#endif
