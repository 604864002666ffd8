/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2/assembler.h>

static const char types[] = "?IPBD", structures[] = "?tbf";

/* Pictures: type, structure (top, bottom field, frame), temporal_reference;
 * g: a GOP header precedes, d: after a discontinuity; x: not valid. Frames:
 * `+` joins fields, `!` marks a field that had no second. */
/* *INDENT-OFF* */
static const struct
{
  const char *name;
  const char *pictures;
  const char *frames;
} rows[] = {
  {"frames", "If0g Pf3 Bf1 Bf2", "If0 Pf3 Bf1 Bf2"},
  {"fields", "It0g Pb0 Pt3 Pb3 Bb1 Bt1 Bt2 Bb2",
      "It0+Pb0 Pt3+Pb3 Bb1+Bt1 Bt2+Bb2"},
  {"two I fields", "It0g Ib0 Pt1 Pb1", "It0+Ib0 Pt1+Pb1"},
  {"mixed", "It0g Pb0 Pf1 Bt2 Bb2", "It0+Pb0 Pf1 Bt2+Bb2"},
  {"second field lost", "It0g Pb0 Pt3 Bt1 Bb1", "It0+Pb0 Pt3! Bt1+Bb1"},
  {"first field lost", "It0g Pb0 Pb3 Bt1 Bb1", "It0+Pb0 Pb3! Bt1+Bb1"},
  {"fields of two frames", "Pt3 Pb4 Pt4", "Pt3! Pb4+Pt4"},
  {"one parity", "Pt3 Pt3 Pb3", "Pt3! Pt3+Pb3"},
  {"reference and B", "Bt1 Pb1", "Bt1! Pb1!"},
  {"frame after field", "Pt3 Bf1", "Pt3! Bf1"},
  {"not valid in between", "Pt3 x Pb3", "Pt3! x Pb3!"},
  {"not valid", "If0g x Pf1", "If0 x Pf1"},
  {"GOP header in between", "Pt0 Ib0g Pt0", "Pt0! Ib0+Pt0"},
  {"discontinuity in between", "Pt3 Pb3d", "Pt3! Pb3!"},
  {"end in between", "Pt3", "Pt3!"},
};
/* *INDENT-ON* */

static M2vPicture
read_picture (const char **p, M2vStamp * stamp)
{
  M2vPicture picture = {.kind = M2V_SPAN_PICTURE,.size = 100 };

  stamp->pts = stamp->dts = M2V_TIME_NONE;
  stamp->discont = false;
  if (**p == 'x') {
    (*p)++;
  } else {
    picture.valid = picture.mpeg2 = true;
    picture.header.type = strchr (types, (*p)[0]) - types;
    picture.coding.structure = strchr (structures, (*p)[1]) - structures;
    picture.header.temporal_reference = strtoul (*p + 2, (char **) p, 10);
  }
  for (; **p && **p != ' '; (*p)++) {
    picture.has_group |= **p == 'g';
    stamp->discont |= **p == 'd';
  }
  *p += strspn (*p, " ");
  return picture;
}

static void
describe (GString * out, const M2vFrame * frame, bool unpaired)
{
  if (out->len > 0)
    g_string_append_c (out, ' ');
  if (!frame->valid)
    g_string_append_c (out, 'x');
  for (unsigned i = 0; frame->valid && i < frame->n_pictures; i++)
    g_string_append_printf (out, "%s%c%c%u", i ? "+" : "",
        types[frame->pictures[i].header.type],
        structures[frame->pictures[i].coding.structure],
        frame->pictures[i].header.temporal_reference);
  if (unpaired)
    g_string_append_c (out, '!');
  fail_unless_equals_int (frame->size, 100 * frame->n_pictures);
  fail_unless (frame->pts != M2V_TIME_NONE || !frame->valid);
}

static void
assemble (M2vAssembler * a, const char *pictures, GString * out)
{
  M2vSplitter state;
  M2vFrame before, frame;

  m2v_splitter_init (&state);
  while (*pictures) {
    M2vStamp stamp;
    M2vPicture picture = read_picture (&pictures, &stamp);
    unsigned result = m2v_assembler_push (a, &state, &picture, &stamp,
        &before, &frame);

    if (result & M2V_ASSEMBLED_UNPAIRED)
      describe (out, &before, true);
    if (result & M2V_ASSEMBLED_FRAME)
      describe (out, &frame, false);
  }
}

GST_START_TEST (test_rows)
{
  M2vAssembler *a = m2v_assembler_new ();
  M2vFrame frame;
  GString *out = g_string_new (NULL);

  /* A field that waits is forgotten by a reset. */
  assemble (a, "Pt3", out);
  m2v_assembler_reset (a, 0);
  assemble (a, rows[__i__].pictures, out);
  if (m2v_assembler_finish (a, &frame))
    describe (out, &frame, true);
  fail_if (m2v_assembler_finish (a, &frame));
  fail_unless (strcmp (out->str, rows[__i__].frames) == 0, "%s: %s",
      rows[__i__].name, out->str);
  g_string_free (out, TRUE);
  m2v_assembler_free (a);
}

GST_END_TEST;

static unsigned
push (M2vAssembler * a, const M2vSplitter * state, const char *picture,
    int64_t pts, int64_t dts, M2vFrame * frame)
{
  M2vFrame before;
  M2vStamp stamp;
  M2vPicture p = read_picture (&picture, &stamp);

  stamp.pts = pts;
  stamp.dts = dts;
  p.group_header.closed = p.group_header.broken_link = true;
  p.coding.progressive_frame = p.coding.repeat_first_field = true;
  return m2v_assembler_push (a, state, &p, &stamp, &before, frame);
}

#define MS(x) ((x) * (int64_t) GST_MSECOND)

/* What a frame says of itself: its first field's, each picture its matrices. */
GST_START_TEST (test_content)
{
  M2vAssembler *a = m2v_assembler_new ();
  M2vSplitter state;
  M2vFrame f;

  m2v_splitter_init (&state);
  state.has_sequence = true;
  state.sequence.width = 352;
  state.sequence.frame_rate_num = 25;
  state.sequence.frame_rate_den = 1;
  fail_unless_equals_int (push (a, &state, "It2gd", MS (500), MS (380), &f),
      M2V_ASSEMBLED_NOTHING);
  state.matrices.matrix[M2V_MATRIX_INTRA][5] = 77;
  fail_unless_equals_int (push (a, &state, "Pb2", MS (500), MS (380), &f),
      M2V_ASSEMBLED_FRAME);
  fail_unless_equals_int (f.n_pictures, 2);
  fail_unless (f.has_sequence && f.sequence.width == 352);
  fail_unless (f.matrices[0].matrix[M2V_MATRIX_INTRA][5] != 77);
  fail_unless_equals_int (f.matrices[1].matrix[M2V_MATRIX_INTRA][5], 77);
  fail_unless (f.valid && f.type == M2V_PICTURE_I);
  fail_unless_equals_int (f.temporal_reference, 2);
  fail_unless (f.starts_group && f.closed_group && f.broken_link && f.discont);
  fail_unless_equals_int (f.n_fields, 2);
  fail_unless_equals_int64 (f.pts, MS (500));
  fail_unless_equals_int64 (f.dts, MS (380));
  fail_unless_equals_int64 (f.duration, MS (40));

  /* A frame picture: repeat_first_field counts; no GOP header, no flags. */
  push (a, &state, "Pf5", M2V_TIME_NONE, M2V_TIME_NONE, &f);
  fail_if (f.starts_group || f.closed_group || f.broken_link || f.discont);
  fail_unless_equals_int (f.n_fields, 3);
  fail_unless_equals_int64 (f.duration, MS (60));
  /* By progressive_sequence too. */
  state.sequence.progressive = true;
  push (a, &state, "Pf6", M2V_TIME_NONE, M2V_TIME_NONE, &f);
  fail_unless_equals_int (f.n_fields, 4);

  push (a, &state, "x", MS (9), MS (8), &f);
  fail_if (f.valid);
  fail_unless_equals_int64 (f.pts, MS (9));
  fail_unless_equals_int64 (f.dts, MS (8));
  m2v_assembler_free (a);
}

GST_END_TEST;

/* PTS that come with second fields and broken pictures are not the next
 * frame's, where a parser repeats them there. */
GST_START_TEST (test_stamps)
{
  M2vAssembler *a = m2v_assembler_new ();
  M2vSplitter state;
  M2vFrame f;

  m2v_splitter_init (&state);
  push (a, &state, "It0g", MS (500), M2V_TIME_NONE, &f);
  push (a, &state, "Pb0", MS (520), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (500));
  push (a, &state, "Pf1", MS (520), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (540));
  push (a, &state, "x", MS (640), M2V_TIME_NONE, &f);
  push (a, &state, "Pf2", MS (640), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (600));
  push (a, &state, "Pf3", MS (660), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (660));

  m2v_assembler_reset (a, 0);
  push (a, &state, "It0g", M2V_TIME_NONE, M2V_TIME_NONE, &f);
  push (a, &state, "Pb0", MS (520), M2V_TIME_NONE, &f);
  push (a, &state, "Pf1", MS (520), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (40));

  /* After a discontinuity they are. */
  push (a, &state, "x", MS (300), M2V_TIME_NONE, &f);
  push (a, &state, "If0gd", MS (300), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (300));
  /* The discontinuity of a broken picture is the next frame's clock's. */
  push (a, &state, "xd", M2V_TIME_NONE, M2V_TIME_NONE, &f);
  fail_unless (f.discont);
  push (a, &state, "Pf1", MS (50), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (50));
  push (a, &state, "Pf2", MS (60), M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (110));
  m2v_assembler_free (a);
}

GST_END_TEST;

/* Parity of a pair is its first field's: 3 fields lie between, not 2. */
GST_START_TEST (test_parity)
{
  M2vAssembler *a = m2v_assembler_new ();
  M2vSplitter state;
  M2vFrame f;

  m2v_splitter_init (&state);
  state.has_sequence = true;
  push (a, &state, "It0g", 0, M2V_TIME_NONE, &f);
  push (a, &state, "Pb0", M2V_TIME_NONE, M2V_TIME_NONE, &f);
  push (a, &state, "Pb2", M2V_TIME_NONE, M2V_TIME_NONE, &f);
  push (a, &state, "Pt2", M2V_TIME_NONE, M2V_TIME_NONE, &f);
  fail_unless_equals_int64 (f.pts, MS (100));
  m2v_assembler_free (a);
}

GST_END_TEST;

typedef struct
{
  unsigned group, temporal_reference, n_fields;
  int64_t pts;
} Shown;

typedef struct
{
  GArray *shown;
  unsigned group, n_pictures;
  size_t size;
  M2vSequence sequence;
} Stream;

static void
note_frame (Stream * s, const M2vFrame * f)
{
  Shown shown;

  fail_unless (f->valid);
  s->group += f->starts_group;
  s->n_pictures += f->n_pictures;
  s->size += f->size;
  s->sequence = f->sequence;
  shown.group = s->group;
  shown.temporal_reference = f->temporal_reference;
  shown.n_fields = f->n_fields;
  shown.pts = f->pts;
  fail_unless_equals_int64 (f->duration,
      m2v_fields_time (&f->sequence, f->n_fields));
  g_array_append_val (s->shown, shown);
}

static int
compare_shown (const void *a, const void *b)
{
  const Shown *x = a, *y = b;

  return x->group != y->group ? (x->group > y->group) - (x->group < y->group) :
      (x->temporal_reference > y->temporal_reference) -
      (x->temporal_reference < y->temporal_reference);
}

static void
read_stream (Stream * s, const char *data, size_t size)
{
  M2vAssembler *a = m2v_assembler_new ();
  M2vStamp stamp = { M2V_TIME_NONE, 0, true };
  M2vSplitter state;
  M2vPicture picture;
  M2vFrame before, frame;
  size_t position = 0;

  m2v_splitter_init (&state);
  while (m2v_splitter_next (&state, (const uint8_t *) data, size, &position,
          &picture)) {
    unsigned result;

    if (picture.kind != M2V_SPAN_PICTURE) {
      s->size += picture.size;
      continue;
    }
    result = m2v_assembler_push (a, &state, &picture, &stamp, &before, &frame);
    fail_if (result & M2V_ASSEMBLED_UNPAIRED);
    if (result & M2V_ASSEMBLED_FRAME)
      note_frame (s, &frame);
    stamp.dts = M2V_TIME_NONE;
    stamp.discont = false;
  }
  fail_if (m2v_assembler_finish (a, &frame));
  m2v_assembler_free (a);
}

static const struct
{
  const char *file;
  unsigned n_frames, n_pictures, n_fields;
} files[] = {
  {"walk-720x480p30-4M.m2v", 240, 240, 480},
  {"sintel-720x480-pulldown-4M.m2v", 144, 144, 360},
  {"bbb-352x576i25-fields-3M.m2v", 73, 146, 146},
  {"bbb-352x288p25-1100k.m1v", 132, 132, 264},
  {"ocean-176x96p30-500k.m2v", 101, 101, 202},
};

/* Every frame's time is what its place in display order says, to the ns. */
GST_START_TEST (test_files)
{
  char *path = g_build_filename (TEST_FILES_DIR, files[__i__].file, NULL);
  Stream s = {.shown = g_array_new (FALSE, FALSE, sizeof (Shown)) };
  int64_t base, n_fields = 0;
  char *data;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  read_stream (&s, data, size);
  fail_unless_equals_int (s.shown->len, files[__i__].n_frames);
  fail_unless_equals_int (s.n_pictures, files[__i__].n_pictures);
  fail_unless_equals_int (s.size, size);

  g_array_sort (s.shown, compare_shown);
  base = m2v_fields_time (&s.sequence, 2);
  for (unsigned i = 0; i < s.shown->len; i++) {
    const Shown *shown = &g_array_index (s.shown, Shown, i);

    fail_unless_equals_int64 (shown->pts,
        base + gst_util_uint64_scale (n_fields,
            s.sequence.frame_rate_den * GST_SECOND,
            2 * s.sequence.frame_rate_num));
    n_fields += shown->n_fields;
  }
  fail_unless_equals_int64 (n_fields, files[__i__].n_fields);
  g_array_free (s.shown, TRUE);
  g_free (data);
  g_free (path);
}

GST_END_TEST;

/* Others refer to I and P; of what could not be read nobody knows. */
GST_START_TEST (test_anchors)
{
  for (guint type = M2V_PICTURE_I; type <= M2V_PICTURE_D; type++) {
    M2vFrame frame = {.valid = TRUE,.type = type };

    fail_unless (m2v_frame_is_anchor (&frame)
        == (type == M2V_PICTURE_I || type == M2V_PICTURE_P));
    frame.valid = FALSE;
    fail_if (m2v_frame_is_anchor (&frame));
  }
}

GST_END_TEST;

static Suite *
assembler_suite (void)
{
  Suite *s = suite_create ("mpeg2-assembler");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_content);
  tcase_add_test (tc, test_anchors);
  tcase_add_test (tc, test_stamps);
  tcase_add_test (tc, test_parity);
  tcase_add_loop_test (tc, test_files, 0, G_N_ELEMENTS (files));
  return s;
}

GST_CHECK_MAIN (assembler);
