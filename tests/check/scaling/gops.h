/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Streams written as strings in display order, as papers write GOPs, put into
 * coded order with their temporal references.
 *
 * I, P, B: frames; i, p, b: pairs of fields; X: unreadable, where it stands.
 * B frames before an I belong to its group, which they make an open one; with
 * '|' before them the group is closed.
 */
#ifndef GOPS_H
#define GOPS_H

#include <ctype.h>
#include <string.h>

#include <mpeg2scaling/picture.h>
#include <scaling/policy.h>

#define GOPS_MAX 4096

typedef struct
{
  unsigned n;
  M2vFrame frames[GOPS_MAX];   /* in coded order */
  unsigned display[GOPS_MAX];   /* each one's place in display order */
} Gops;

typedef struct
{
  bool no_group_headers;        /* temporal_reference runs through */
  unsigned first_reference;     /* with it */
  size_t sizes[5];              /* by type; 0: 1000 */
} GopsStyle;

/* The policy as MPEG video has it. */
typedef struct
{
  ScalingPolicy policy;
  M2vLastReference last;
  ScalingPicture picture;       /* the last one */
} GopsPolicy;

static inline void
gops_policy_init (GopsPolicy * p)
{
  memset (p, 0, sizeof *p);
  scaling_policy_init (&p->policy);
}

static inline unsigned
gops_policy_next (GopsPolicy * p, const M2vFrame * frame)
{
  m2v_scaling_picture (&p->last, frame, &p->picture);
  return scaling_policy_next (&p->policy, &p->picture);
}

static inline M2vPictureType
gops_type (char c)
{
  switch (toupper (c)) {
    case 'I':
      return M2V_PICTURE_I;
    case 'P':
      return M2V_PICTURE_P;
    case 'B':
      return M2V_PICTURE_B;
    default:
      return M2V_PICTURE_D;
  }
}

static inline void
gops_frame (M2vFrame * frame, char c, const GopsStyle * style)
{
  memset (frame, 0, sizeof *frame);
  frame->valid = c != 'X';
  frame->type = frame->valid ? gops_type (c) : 0;
  frame->n_pictures = islower (c) ? 2 : 1;
  frame->n_fields = 2;
  frame->size = style->sizes[frame->type];
  if (frame->size == 0)
    frame->size = 1000;
  frame->duration = 33333333;
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    M2vPicture *picture = &frame->pictures[i];

    picture->kind = M2V_SPAN_PICTURE;
    picture->valid = frame->valid;
    picture->size = frame->size / 2;
    picture->header.type = frame->type;
    picture->header.temporal_reference = frame->temporal_reference;
    picture->coding.structure =
        frame->n_pictures == 2 ? 1 + i : M2V_FRAME_PICTURE;
  }
  frame->pictures[0].size = frame->size
      - (frame->n_pictures == 2 ? frame->pictures[1].size : 0);
}

static inline void
gops_add (Gops * g, char c, const GopsStyle * style, unsigned place,
    unsigned group_place, bool closed)
{
  M2vFrame *frame = &g->frames[g->n];

  gops_frame (frame, c, style);
  frame->temporal_reference = (style->no_group_headers
      ? style->first_reference + place : place - group_place) & 1023;
  if (frame->type == M2V_PICTURE_I && !style->no_group_headers) {
    frame->starts_group = true;
    frame->closed_group = closed;
  }
  g->display[g->n] = place;
  g->n++;
}

/* Trailing B frames without an anchor after them are left out. */
static inline void
gops_code (Gops * g, const char *display, const GopsStyle * style)
{
  static const GopsStyle plain;
  char waiting[GOPS_MAX];
  unsigned n_waiting = 0, place = 0, group_place = 0;
  bool closed = false;

  g->n = 0;
  if (!style)
    style = &plain;
  for (const char *c = display; *c; c++) {
    if (*c == '|') {
      closed = true;
    } else if (toupper (*c) == 'B') {
      waiting[n_waiting++] = *c;
    } else if (*c != ' ') {
      if (toupper (*c) == 'I') {
        closed = closed || n_waiting == 0;
        group_place = place;
      }
      gops_add (g, *c, style, place + n_waiting, group_place, closed);
      for (unsigned i = 0; i < n_waiting; i++)
        gops_add (g, waiting[i], style, place + i, group_place, closed);
      place += n_waiting + 1;
      n_waiting = 0;
      closed = false;
    }
  }
}

#endif
