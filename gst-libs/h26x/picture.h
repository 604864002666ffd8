/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What dropping needs to know of a coded picture of H.264 or H.265: a frame, or
 * the two fields of one.
 */
#ifndef H26X_PICTURE_H
#define H26X_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

/* More than a decoder keeps (16), with those whose marking a picture changes. */
#define H26X_MAX_REFERENCES 32

typedef struct
{
  /* False: it may be anything. It passes, and so does all up to the next IDR. */
  bool readable;
  /* Decoding can begin here: IDR, another IRAP, or an I picture with a recovery
   * point and recovery_frame_cnt 0. */
  bool random_access;
  /* And nothing after it refers to what is before it: IDR; BLA counts. */
  bool idr;
  /* It precedes its random-access picture in output order and may refer to what
   * is before that: RASL; a B picture of an open group. */
  bool leading;
  /* No later picture refers to it: nal_ref_idc 0, or a sub-layer non-reference
   * picture of the highest layer. */
  bool disposable;
  /* The temporal layer; 0 = the base, or not signalled. */
  unsigned layer;
  /* Later ones derive their picture order count from its own. H.264: a
   * reference; H.265: TemporalId 0 and not RASL, RADL or a sub-layer
   * non-reference picture. */
  bool counts;
  /* Picture order count, made to grow without wrap over the sequence. */
  int64_t order;
  /* MaxPicOrderCntLsb; 0 = order is not derived by it. */
  unsigned order_cycle;
  /* H.264: MaxFrameNum; 0 = none. */
  unsigned frame_num_gap_limit;
  /* Grows by one a picture, in coded order. */
  uint64_t id;
  /* The ids of pictures that it may refer to, or whose marking it changes where
   * that matters. */
  unsigned n_references;
  uint64_t references[H26X_MAX_REFERENCES];
} H26xPicture;

#endif
