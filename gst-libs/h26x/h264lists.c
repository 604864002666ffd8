/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Derives reference picture lists (8.2.4).
 */
#include <h26x/h264dpb-private.h>

/* Frames sorted by a key, lowest first. */
typedef struct
{
  unsigned n;
  uint8_t places[H264_MAX_FRAMES];
  int64_t keys[H264_MAX_FRAMES];
} Sorted;

static void
insert_sorted (Sorted * sorted, unsigned place, int64_t key)
{
  unsigned i = sorted->n++;

  for (; i > 0 && sorted->keys[i - 1] > key; i--) {
    sorted->keys[i] = sorted->keys[i - 1];
    sorted->places[i] = sorted->places[i - 1];
  }
  sorted->keys[i] = key;
  sorted->places[i] = (uint8_t) place;
}

/* Returns the sort key for B slices. Frames before the current picture
 * come first, by falling order count, then those after it, by rising order
 * count. In list 1 it is the other way round (8.2.4.2.3, 8.2.4.2.4). A
 * first field of the current frame counts as before. */
static int64_t
order_key (int64_t distance, unsigned x)
{
  const int64_t later = INT64_C (1) << 33;

  if (x == 0)
    return distance <= 0 ? -distance : later + distance;
  return distance > 0 ? distance : later - distance;
}

static unsigned
marked (const H264Frame * frame, bool long_term)
{
  return long_term ? frame->long_term : frame->short_term;
}

/* Sorts the frames of one list (8.2.4.2.1 to 8.2.4.2.4). */
static void
sort_frames (const H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice, unsigned x, bool long_term, Sorted * sorted)
{
  int64_t now = h264_dpb_order (dpb);

  sorted->n = 0;
  for (unsigned i = 0; i < dpb->n_frames; i++) {
    const H264Frame *frame = &dpb->frames[i];
    unsigned fields = marked (frame, long_term);

    if (fields == 0 || (slice->structure == H264_FRAME && fields != H264_FRAME))
      continue;
    if (long_term)
      insert_sorted (sorted, i, frame->long_term_index);
    else if (slice->type != H264_B)
      insert_sorted (sorted, i, -(int64_t) frame->frame_num_wrap);
    else if (frame->id != H264_NO_PICTURE || sps->order_type != 0)
      insert_sorted (sorted, i, order_key (h264_frame_order (frame) - now, x));
  }
}

static void
append (H264List * list, unsigned place, unsigned fields)
{
  list->entries[list->n].place = (uint8_t) place;
  list->entries[list->n].fields = (uint8_t) fields;
  list->n++;
}

/* Appends fields of alternating parity, the current parity first. If one
 * parity ends, the other fields follow (8.2.4.2.5). */
static void
append_fields (const H264Dpb * dpb, const Sorted * sorted, bool long_term,
    unsigned parity, H264List * list)
{
  unsigned next[H264_FRAME] = { 0, 0, 0 };
  bool other_ended = false;

  for (;;) {
    unsigned i = next[parity];

    while (i < sorted->n
        && !(marked (&dpb->frames[sorted->places[i]], long_term) & parity))
      i++;
    next[parity] = i + 1;
    if (i < sorted->n)
      append (list, sorted->places[i], parity);
    else if (other_ended)
      return;
    else
      other_ended = true;
    if (!other_ended || i >= sorted->n)
      parity ^= H264_FRAME;
  }
}

/* Derives the initial list before it is cut to its size (8.2.4.2). */
static void
initial_list (const H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice, unsigned x, H264List * list)
{
  Sorted sorted;

  list->n = 0;
  for (unsigned long_term = 0; long_term < 2; long_term++) {
    sort_frames (dpb, sps, slice, x, long_term, &sorted);
    if (slice->structure != H264_FRAME)
      append_fields (dpb, &sorted, long_term, slice->structure, list);
    else
      for (unsigned i = 0; i < sorted.n; i++)
        append (list, sorted.places[i], H264_FRAME);
  }
}

static bool
same (H264Reference a, H264Reference b)
{
  return a.fields == b.fields && (a.fields == 0 || a.place == b.place);
}

/* Swaps the first two entries of list 1 if it equals list 0 (8.2.4.2.3). */
static void
distinguish (const H264List * list_0, H264List * list_1)
{
  H264Reference first = list_1->entries[0];

  if (list_1->n < 2 || list_1->n != list_0->n)
    return;
  for (unsigned i = 0; i < list_1->n; i++)
    if (!same (list_0->entries[i], list_1->entries[i]))
      return;
  list_1->entries[0] = list_1->entries[1];
  list_1->entries[1] = first;
}

static void
resize (H264List * list, unsigned n)
{
  while (list->n < n)
    append (list, 0, 0);
  list->n = n;
}

/* Inserts an entry and removes its duplicate, (8-37) and (8-38). */
static void
insert (H264List * list, unsigned at, H264Reference reference)
{
  unsigned to = at + 1;

  for (unsigned i = list->n; i > at; i--)
    list->entries[i] = list->entries[i - 1];
  list->entries[at] = reference;
  for (unsigned i = to; i <= list->n; i++)
    if (reference.fields == 0 || !same (list->entries[i], reference))
      list->entries[to++] = list->entries[i];
}

/* Modifies a list (8.2.4.3). */
static void
modify (const H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice,
    unsigned x, H264List * list)
{
  bool frame = slice->structure == H264_FRAME;
  int64_t max = INT64_C (1) << (sps->log2_max_frame_num + (frame ? 0 : 1));
  int64_t now = frame ? slice->frame_num : 2 * (int64_t) slice->frame_num + 1;
  int64_t predicted = now;

  for (unsigned i = 0; i < slice->n_modifications[x]; i++) {
    const H264Modification *m = &slice->modifications[x][i];
    int64_t number = m->value;

    if (m->operation != 2) {
      /* (8-34) to (8-36) give the number. Hostile values are taken modulo
       * MaxPicNum. */
      number = (number + 1) % max;
      predicted += m->operation == 0 ? max - number : number;
      predicted %= max;
      number = predicted > now ? predicted - max : predicted;
    }
    insert (list, i, h264_dpb_find (dpb, slice->structure, m->operation == 2,
            number));
  }
}

void
h264_dpb_lists (const H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice, H264List lists[2])
{
  unsigned n_lists = h264_is_intra (slice) ? 0 : slice->type == H264_B ? 2 : 1;

  lists[0].n = lists[1].n = 0;
  for (unsigned x = 0; x < n_lists; x++)
    initial_list (dpb, sps, slice, x, &lists[x]);
  if (n_lists == 2)
    distinguish (&lists[0], &lists[1]);
  for (unsigned x = 0; x < n_lists; x++) {
    resize (&lists[x], slice->n_active[x]);
    modify (dpb, sps, slice, x, &lists[x]);
  }
}
