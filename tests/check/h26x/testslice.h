/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Slice headers of H.264 as tests want them.
 */
#ifndef TEST_SLICE_H
#define TEST_SLICE_H

#include <string.h>

#include <gst/check/gstcheck.h>
#include <h26x/h264dpb.h>

/* MaxFrameNum 16, MaxPicOrderCntLsb 64. */
static inline H264Sps
test_sps (guint max_references)
{
  H264Sps sps;

  memset (&sps, 0, sizeof sps);
  sps.log2_max_frame_num = 4;
  sps.log2_max_order_lsb = 6;
  sps.max_references = max_references;
  return sps;
}

/* Kinds: I, P, B are references, i, p, b are not, D is an IDR picture. Every list
 * has 4 entries. */
static inline H264Slice
test_slice (gchar kind, guint structure, guint frame_num, guint order)
{
  H264Slice slice;

  memset (&slice, 0, sizeof slice);
  slice.type = strchr ("pP", kind) ? H264_P : strchr ("bB", kind) ? H264_B
      : H264_I;
  slice.idr = kind == 'D';
  slice.reference = g_ascii_isupper (kind);
  slice.structure = structure;
  slice.frame_num = frame_num;
  slice.order_lsb = order;
  slice.n_active[0] = slice.n_active[1] = 4;
  return slice;
}

static inline void
test_mark (H264Slice * slice, guint operation, guint32 number, guint32 index)
{
  H264Marking *m = &slice->markings[slice->n_markings++];

  slice->adaptive_marking = TRUE;
  memset (m, 0, sizeof *m);
  m->operation = operation;
  m->difference = m->long_term_number = m->max_long_term = number;
  m->long_term_index = index;
}

static inline void
test_modify (H264Slice * slice, guint list, guint operation, guint32 value)
{
  H264Modification *m =
      &slice->modifications[list][slice->n_modifications[list]++];

  m->operation = operation;
  m->value = value;
}

static inline gboolean
test_decode (H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice,
    guint64 id)
{
  fail_unless (h264_sps_valid (sps));
  fail_unless (h264_slice_valid (slice, sps));
  return h264_dpb_begin (dpb, sps, slice, id)
      && h264_dpb_end (dpb, sps, slice);
}

/* Ids in their order: t and b for fields, x "non-existing", - none. */
static inline void
test_list_text (const H264Dpb * dpb, const H264List * list, GString * text)
{
  g_string_truncate (text, 0);
  for (guint i = 0; i < list->n; i++) {
    H264Reference r = list->entries[i];

    if (i > 0)
      g_string_append_c (text, ' ');
    if (r.fields == 0)
      g_string_append_c (text, '-');
    else if (dpb->frames[r.place].id == H264_NO_PICTURE)
      g_string_append_c (text, 'x');
    else
      g_string_append_printf (text, "%" G_GUINT64_FORMAT,
          dpb->frames[r.place].id);
    if (r.fields == H264_TOP || r.fields == H264_BOTTOM)
      g_string_append_c (text, r.fields == H264_TOP ? 't' : 'b');
  }
}

/* The lists of the slice, were it the next; NULL: there is none. */
static inline void
test_lists (const H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice,
    const gchar * list_0, const gchar * list_1)
{
  H264Dpb next = *dpb;
  H264List lists[2];
  GString *text = g_string_new (NULL);

  fail_unless (h264_dpb_begin (&next, sps, slice, 99));
  h264_dpb_lists (&next, sps, slice, lists);
  test_list_text (&next, &lists[0], text);
  fail_unless_equals_string (text->str, list_0 ? list_0 : "");
  test_list_text (&next, &lists[1], text);
  fail_unless_equals_string (text->str, list_1 ? list_1 : "");
  g_string_free (text, TRUE);
}

#endif
