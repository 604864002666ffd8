/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Random frames against a plain model of 8.2.4 and 8.2.5: lists of pictures that
 * are sorted, shifted and searched as the text says it, with nothing in common
 * with the library.
 */
#include "testslice.h"

#define RUNS 40
#define PICTURES 400
#define IDR_PERIOD 97
#define LOG2_MAX_FRAME_NUM 6
#define MAX_FRAME_NUM (1 << LOG2_MAX_FRAME_NUM)
#define NONE 0

typedef struct
{
  guint64 id;
  gboolean long_term;
  gint frame_num, index;        /* LongTermFrameIdx */
  gint order;
} Ref;

typedef struct
{
  GRand *rand;
  guint max;                    /* max_num_ref_frames */
  Ref refs[32];
  guint n;
  gint frame_num, order;        /* of the picture at hand */
  gint max_index;               /* MaxLongTermFrameIdx, -1: none */
} Plain;

static gint
below (Plain * p, gint n)
{
  return g_rand_int_range (p->rand, 0, n);
}

/* PicNum, or LongTermPicNum; of frames, (8-28) to (8-29). */
static gint
number (const Plain * p, const Ref * r)
{
  if (r->long_term)
    return r->index;
  return r->frame_num > p->frame_num ? r->frame_num - MAX_FRAME_NUM
      : r->frame_num;
}

/* Which of two comes first in an initial list: of P pictures; of B's, x. */
static gboolean
precedes (const Plain * p, const Ref * a, const Ref * b, gint x)
{
  gboolean first_a, first_b;

  if (a->long_term || b->long_term)
    return a->long_term && b->long_term ? a->index < b->index : b->long_term;
  if (x < 0)
    return number (p, a) > number (p, b);
  first_a = (a->order < p->order) == (x == 0);
  first_b = (b->order < p->order) == (x == 0);
  if (first_a != first_b)
    return first_a;
  return a->order < p->order ? a->order > b->order : a->order < b->order;
}

static void
initial_list (const Plain * p, gint x, guint64 * list)
{
  Ref sorted[32];

  memcpy (sorted, p->refs, sizeof sorted);
  for (guint i = 0; i < p->n; i++)
    for (guint k = i + 1; k < p->n; k++)
      if (precedes (p, &sorted[k], &sorted[i], x)) {
        Ref r = sorted[i];

        sorted[i] = sorted[k];
        sorted[k] = r;
      }
  for (guint i = 0; i < 33; i++)
    list[i] = i < p->n ? sorted[i].id : NONE;
}

static const Ref *
find (const Plain * p, gboolean long_term, gint value)
{
  for (guint i = 0; i < p->n; i++)
    if (p->refs[i].long_term == long_term && number (p, &p->refs[i]) == value)
      return &p->refs[i];
  return NULL;
}

/* 8.2.4.3: put at its place, and taken out behind it. */
static void
modify_list (const Plain * p, const H264Slice * slice, guint x, guint64 * list)
{
  gint predicted = p->frame_num;

  for (guint i = 0; i < slice->n_modifications[x]; i++) {
    const H264Modification *m = &slice->modifications[x][i];
    const Ref *r;
    guint to = i + 1;

    if (m->operation == 2) {
      r = find (p, TRUE, (gint) m->value);
    } else {
      predicted += m->operation == 0 ? -(gint) m->value - 1 :
          (gint) m->value + 1;
      predicted = (predicted + MAX_FRAME_NUM) % MAX_FRAME_NUM;
      r = find (p, FALSE, predicted > p->frame_num ? predicted - MAX_FRAME_NUM
          : predicted);
    }
    for (guint k = 32; k > i; k--)
      list[k] = list[k - 1];
    list[i] = r->id;
    for (guint k = i + 1; k < 33; k++)
      if (list[k] != r->id)
        list[to++] = list[k];
  }
}

/* Names pictures that are there. */
static void
choose_modifications (Plain * p, H264Slice * slice, guint x)
{
  gint predicted = p->frame_num;
  guint n = below (p, 3) ? 0 : (guint) below (p, (gint) slice->n_active[x] + 1);

  for (guint i = 0; i < n; i++) {
    const Ref *r = &p->refs[below (p, (gint) p->n)];
    gint difference = (r->frame_num - predicted + MAX_FRAME_NUM)
        % MAX_FRAME_NUM;

    if (r->long_term) {
      test_modify (slice, x, 2, (guint32) r->index);
      continue;
    }
    if (difference == 0)
      difference = MAX_FRAME_NUM;
    if (below (p, 2) && difference < MAX_FRAME_NUM)
      test_modify (slice, x, 0, (guint32) (MAX_FRAME_NUM - difference) - 1);
    else
      test_modify (slice, x, 1, (guint32) difference - 1);
    predicted = r->frame_num;
  }
}

static void
check_lists (Plain * p, const H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice)
{
  guint n_lists = slice->type == H264_I ? 0 : slice->type == H264_P ? 1 : 2;
  guint64 plain[2][33];
  H264List lists[2];

  for (guint x = 0; x < n_lists; x++)
    initial_list (p, slice->type == H264_P ? -1 : (gint) x, plain[x]);
  if (n_lists == 2 && p->n > 1
      && memcmp (plain[0], plain[1], sizeof plain[0]) == 0) {
    guint64 id = plain[1][0];

    plain[1][0] = plain[1][1];
    plain[1][1] = id;
  }
  h264_dpb_lists (dpb, sps, slice, lists);
  for (guint x = 0; x < n_lists; x++) {
    for (guint i = slice->n_active[x]; i < 33; i++)
      plain[x][i] = NONE;
    modify_list (p, slice, x, plain[x]);
    fail_unless_equals_int (lists[x].n, slice->n_active[x]);
    for (guint i = 0; i < lists[x].n; i++) {
      H264Reference r = lists[x].entries[i];

      fail_unless_equals_uint64 (r.fields ? dpb->frames[r.place].id : NONE,
          plain[x][i]);
    }
  }
}

static void
take_out (Plain * p, const Ref * r)
{
  guint i = (guint) (r - p->refs);

  memmove (&p->refs[i], &p->refs[i + 1], (p->n - i - 1) * sizeof *r);
  p->n--;
}

static void
take_out_index (Plain * p, gint index)
{
  const Ref *r = find (p, TRUE, index);

  if (r)
    take_out (p, r);
}

/* One operation of each kind, by chance; the picture itself may become a long-term
 * reference. */
static void
mark_adaptively (Plain * p, H264Slice * slice, Ref * current)
{
  while (p->n >= p->max || (p->n > 0 && below (p, 3) == 0)) {
    const Ref *r = &p->refs[below (p, (gint) p->n)];

    if (r->long_term)
      test_mark (slice, 2, (guint32) r->index, 0);
    else
      test_mark (slice, 1, (guint32) (p->frame_num - number (p, r) - 1), 0);
    take_out (p, r);
  }
  if (p->max_index < 0) {
    p->max_index = below (p, (gint) p->max);
    test_mark (slice, 4, (guint32) p->max_index + 1, 0);
  }
  if (p->n > 0 && below (p, 2)) {
    Ref *r = &p->refs[below (p, (gint) p->n)];
    gint index = below (p, p->max_index + 1);

    if (!r->long_term && !find (p, TRUE, index)) {
      test_mark (slice, 3, (guint32) (p->frame_num - number (p, r) - 1),
          (guint32) index);
      r->long_term = TRUE;
      r->index = index;
    }
  }
  if (below (p, 2)) {
    current->long_term = TRUE;
    current->index = below (p, p->max_index + 1);
    test_mark (slice, 6, 0, (guint32) current->index);
    take_out_index (p, current->index);
  }
}

static void
slide (Plain * p)
{
  const Ref *oldest = NULL;

  if (p->n < p->max)
    return;
  for (guint i = 0; i < p->n; i++)
    if (!p->refs[i].long_term && (!oldest
            || number (p, &p->refs[i]) < number (p, oldest)))
      oldest = &p->refs[i];
  take_out (p, oldest);
}

static gboolean
has_short_term (const Plain * p)
{
  for (guint i = 0; i < p->n; i++)
    if (!p->refs[i].long_term)
      return TRUE;
  return FALSE;
}

static gboolean
has_order (const Plain * p)
{
  for (guint i = 0; i < p->n; i++)
    if (p->refs[i].order == p->order)
      return TRUE;
  return FALSE;
}

/* Near to `about`, before and after others, and like none of them. */
static void
choose_order (Plain * p, gboolean idr, gint about)
{
  p->order = idr ? 0 : about - 2 * below (p, 12);
  while (has_order (p))
    p->order++;
}

static void
choose_slice (Plain * p, guint i, gboolean idr, H264Slice * slice)
{
  static const gchar kinds[] = "IPPPBBBpbb";
  gchar kind = idr ? 'D' : kinds[p->n ? below (p, 10) : 0];

  *slice = test_slice (kind, H264_FRAME, (guint) p->frame_num, 0);
  slice->idr_id = (guint16) (i & 1);
  for (guint x = 0; x < 2; x++) {
    slice->n_active[x] = 1 + (guint) below (p, (gint) p->max);
    if (p->n > 0 && (slice->type == H264_B || (x == 0
                && slice->type == H264_P)))
      choose_modifications (p, slice, x);
  }
}

GST_START_TEST (test_plain)
{
  Plain p = {.rand = g_rand_new_with_seed ((guint32) __i__),.max_index = -1 };
  H264Sps sps = test_sps (1 + (guint) __i__ % 8);
  H264Dpb dpb;

  p.max = sps.max_references;
  sps.log2_max_frame_num = LOG2_MAX_FRAME_NUM;
  sps.log2_max_order_lsb = 10;
  h264_dpb_init (&dpb);
  for (guint i = 0; i < PICTURES; i++) {
    gboolean idr = i % IDR_PERIOD == 0;
    H264Slice slice;
    Ref current;

    if (idr) {
      p.n = 0;
      p.frame_num = 0;
      p.max_index = -1;
    }
    choose_slice (&p, i, idr, &slice);
    choose_order (&p, idr, 8 * (gint) (i % IDR_PERIOD));
    slice.order_lsb = (guint) p.order & 1023;
    current = (Ref) {.id = i + 1,.frame_num = p.frame_num,.order = p.order };
    fail_unless (h264_dpb_begin (&dpb, &sps, &slice, i + 1));
    fail_unless_equals_int (h264_dpb_order (&dpb), p.order);
    check_lists (&p, &dpb, &sps, &slice);
    if (slice.reference && !idr) {
      if (below (&p, 4) == 0 || (p.n >= p.max && !has_short_term (&p)))
        mark_adaptively (&p, &slice, &current);
      else
        slide (&p);
    }
    if (slice.reference)
      p.refs[p.n++] = current;
    fail_unless (h264_slice_valid (&slice, &sps));
    fail_unless (h264_dpb_end (&dpb, &sps, &slice));
    fail_unless_equals_int (dpb.n_frames, p.n);
    if (slice.reference)
      p.frame_num = (p.frame_num + 1) % MAX_FRAME_NUM;
  }
  g_rand_free (p.rand);
}

GST_END_TEST;

static Suite *
h264plain_suite (void)
{
  Suite *s = suite_create ("h264plain");
  TCase *tc = tcase_create ("random");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_plain, 0, RUNS);
  return s;
}

GST_CHECK_MAIN (h264plain);
