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

#define H26X_MAX_REFERENCES 32

typedef struct
{
  bool readable;                /* false: it may be anything; it passes, as does all up to the next IDR */
  bool random_access;           /* decoding can begin here: IDR, other IRAP, or an I picture with recovery point and count 0 */
  bool idr;                     /* and nothing after it refers to what is before it (IDR; BLA counts) */
  bool leading;                 /* precedes its random-access picture in output order and may refer before it (RASL; an open group's B) */
  bool disposable;              /* no later picture refers to it: nal_ref_idc 0, a sub-layer non-reference of the highest layer */
  unsigned layer;               /* temporal layer, 0 = base; 0 where not signalled */
  bool counts;                  /* its picture order count is what later ones are derived from (H.264: a reference; H.265: TemporalId 0, no RASL, RADL, sub-layer non-reference) */
  int64_t order;                /* picture order count, made to grow without wrap over the sequence; */
  unsigned order_cycle;         /* MaxPicOrderCntLsb; 0: order is not derived so */
  unsigned frame_num_gap_limit; /* H.264: MaxFrameNum; 0: none */
  uint64_t id;                  /* grows by one a picture, in coded order */
  unsigned n_references;        /* pictures that it may refer to, or whose marking it changes where that matters: ids */
  uint64_t references[H26X_MAX_REFERENCES];
} H26xPicture;

#endif
