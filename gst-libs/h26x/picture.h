/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Describes a coded picture of H.264 or H.265, a frame or its two fields, as
 * far as dropping needs it.
 */
#ifndef H26X_PICTURE_H
#define H26X_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

/* More than a decoder keeps (16), with those whose marking a picture
 * changes. */
#define H26X_MAX_REFERENCES 32

typedef struct
{
  /* If false, the picture may be anything. It passes, and so do all up to
   * the next IDR picture. */
  bool readable;
  /* Decoding can begin here: IDR, another IRAP, or an I picture with a recovery
   * point and recovery_frame_cnt 0. */
  bool random_access;
  /* Decoding can begin here, and nothing after it refers to what is before
   * it: an IDR picture; BLA counts as one. */
  bool idr;
  /* It precedes its random-access picture in output order and may refer to what
   * is before that: RASL; a B picture of an open group. */
  bool leading;
  /* No later picture refers to it: nal_ref_idc 0, or a sub-layer non-reference
   * picture of the highest layer. */
  bool disposable;
  /* The temporal layer; 0 = the base, or not signalled. */
  unsigned layer;
  /* Later pictures derive their picture order count from its own. H.264: a
   * reference; H.265: TemporalId 0 and not RASL, RADL or a sub-layer
   * non-reference picture. */
  bool counts;
  /* Picture order count, made to grow without wrap over the sequence. */
  int64_t order;
  /* MaxPicOrderCntLsb; 0 = the order is not derived from it. */
  unsigned order_cycle;
  /* H.264: MaxFrameNum; 0 = none. */
  unsigned frame_num_gap_limit;
  /* The number in coded order; it grows by one a picture. */
  uint64_t id;
  /* Pictures that it may refer to, or whose marking it changes if that
   * matters. */
  unsigned n_references;
  /* The ids of these pictures. */
  uint64_t references[H26X_MAX_REFERENCES];
} H26xPicture;

#endif
