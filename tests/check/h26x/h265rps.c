/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <h26x/h265rps.h>

static const H265Sps sps = {.log2_max_order_lsb = 4,.highest_layer = 0 };

/* deltas: of what it may refer to; of what it only keeps, with a "k". */
static void
make_slice (H265Slice * slice, guint lsb_bits, guint type, guint layer,
    gint order, const gchar * deltas)
{
  memset (slice, 0, sizeof *slice);
  slice->nal_unit_type = type;
  slice->layer = layer;
  slice->order_lsb = (guint32) order & ((1u << lsb_bits) - 1);
  while (*deltas) {
    H265ShortTerm *s = &slice->short_term[slice->n_short_term++];
    gchar *end;

    s->delta = (gint32) strtol (deltas, &end, 10);
    s->used = *end != 'k';
    deltas = end + strspn (end, "k ");
  }
}

static void
next (H265Dpb * dpb, H26xPicture * picture, guint type, guint layer,
    gint order, const gchar * deltas)
{
  H265Slice slice;

  make_slice (&slice, sps.log2_max_order_lsb, type, layer, order, deltas);
  h265_dpb_next (dpb, &sps, &slice, picture);
}

static void
assert_references (const H26xPicture * picture, const gint * ids, guint n)
{
  fail_unless_equals_int (picture->n_references, n);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_uint64 (picture->references[i], ids[i]);
}

#define ASSERT_REFERENCES(picture, ...) G_STMT_START { \
  const gint ids_[] = { __VA_ARGS__ }; \
  assert_references (picture, ids_, G_N_ELEMENTS (ids_)); \
} G_STMT_END

/* Picture order count over many cycles, and references by their deltas. */
GST_START_TEST (test_order)
{
  H265Dpb dpb;
  H26xPicture p;

  h265_dpb_init (&dpb);
  next (&dpb, &p, H265_NAL_IDR_W_RADL, 0, 0, "");
  fail_unless (p.readable && p.random_access && p.idr && p.counts);
  fail_unless (!p.disposable && !p.leading);
  fail_unless_equals_int (p.order_cycle, 16);
  fail_unless_equals_uint64 (p.id, 1);
  for (gint i = 1; i < 100; i++) {
    next (&dpb, &p, 1, 0, 7 * i, "-7");
    fail_unless (p.readable && !p.random_access && p.counts);
    fail_unless_equals_int64 (p.order, 7 * i);
    ASSERT_REFERENCES (&p, i);
  }
  /* backwards too */
  next (&dpb, &p, 0, 0, 99 * 7 - 3, "3");
  fail_unless (p.disposable && !p.counts);
  fail_unless_equals_int64 (p.order, 99 * 7 - 3);
  ASSERT_REFERENCES (&p, 100);
}

GST_END_TEST;

/* Only what a set names stays; what is kept is no reference, and what is not
 * there is one without a picture (8.3.2). */
GST_START_TEST (test_set)
{
  static const struct
  {
    guint type;
    gint order;
    const gchar *deltas;
  } rows[] = {
    {H265_NAL_IDR_N_LP, 0, ""},
    {1, 4, "-4"},
    {1, 2, "2 -2k"},            /* keeps 0, uses 4 */
    {0, 1, "-1 1 3k"},
    {1, 8, "-4 -6"},            /* 0 goes */
    {1, 9, "-9 -1"},
  };
  static const gint expected[][3] = {
    {0}, {1}, {2}, {1, 3}, {2, 3}, {0, 5},
  };
  static const guint n[] = { 0, 1, 1, 2, 2, 2 };
  H265Dpb dpb;
  H26xPicture p;

  h265_dpb_init (&dpb);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    next (&dpb, &p, rows[i].type, 0, rows[i].order, rows[i].deltas);
    fail_unless (p.readable);
    assert_references (&p, expected[i], n[i]);
  }
}

GST_END_TEST;

/* RASL refer before their CRA; nothing does where the CRA begins a sequence, and
 * behind a BLA. */
GST_START_TEST (test_leading)
{
  static const struct
  {
    guint first, second;
    gboolean idr;
    gint reference;
  } cases[] = {
    {H265_NAL_IDR_N_LP, H265_NAL_CRA, FALSE, 1},
    {H265_NAL_IDR_N_LP, H265_NAL_BLA_W_LP, TRUE, 0},
    {H265_NAL_CRA, H265_NAL_CRA, FALSE, 1},
  };
  const gint base = cases[__i__].first == H265_NAL_CRA ? 5 : 0;
  H265Dpb dpb;
  H26xPicture p;

  h265_dpb_init (&dpb);
  next (&dpb, &p, cases[__i__].first, 0, base, "");
  fail_unless (p.idr && p.random_access);
  fail_unless_equals_int64 (p.order, base);
  next (&dpb, &p, cases[__i__].second, 0, base + 4, "-4k");
  fail_unless (p.random_access && p.counts && p.n_references == 0);
  fail_unless_equals_int (p.idr, cases[__i__].idr);
  next (&dpb, &p, H265_NAL_RASL_N, 0, base + 2, "-2 2");
  fail_unless (p.leading && p.disposable && !p.counts);
  ASSERT_REFERENCES (&p, cases[__i__].reference, 2);
  next (&dpb, &p, H265_NAL_RADL_R, 0, base + 3, "1");
  fail_unless (!p.leading && !p.counts && !p.disposable);
}

GST_END_TEST;

GST_START_TEST (test_layers)
{
  const H265Sps two = { 8, 1 };
  H265Dpb dpb;
  H265Slice slice;
  H26xPicture p;

  h265_dpb_init (&dpb);
  make_slice (&slice, 8, H265_NAL_IDR_N_LP, 0, 0, "");
  h265_dpb_next (&dpb, &two, &slice, &p);
  /* TRAIL_N: layer 1 may refer to it */
  make_slice (&slice, 8, 0, 0, 1, "-1");
  h265_dpb_next (&dpb, &two, &slice, &p);
  fail_unless (!p.disposable && !p.counts && p.layer == 0);
  /* TSA_N */
  make_slice (&slice, 8, 2, 1, 2, "-1");
  h265_dpb_next (&dpb, &two, &slice, &p);
  fail_unless (p.disposable && !p.counts && p.layer == 1);
  /* TSA_R */
  make_slice (&slice, 8, 3, 1, 3, "-1");
  h265_dpb_next (&dpb, &two, &slice, &p);
  fail_unless (!p.disposable && !p.counts && p.layer == 1);
}

GST_END_TEST;

/* By low bits, and by cycles before the picture. */
GST_START_TEST (test_long_term)
{
  H265Dpb dpb;
  H265Slice slice;
  H26xPicture p;

  h265_dpb_init (&dpb);
  next (&dpb, &p, H265_NAL_IDR_N_LP, 0, 0, "");
  for (gint i = 1; i <= 6; i++) {
    make_slice (&slice, 4, 1, 0, 5 * i, "");
    slice.n_short_term = i > 1;
    slice.short_term[0].delta = -5;
    slice.n_long_term = 1;
    slice.long_term[0].used = i % 2;
    slice.long_term[0].has_msb = i > 3;
    slice.long_term[0].msb_cycle = (guint32) (5 * i / 16);
    h265_dpb_next (&dpb, &sps, &slice, &p);
    fail_unless (p.readable);
    fail_unless_equals_int64 (p.order, 5 * i);
    if (i % 2)
      ASSERT_REFERENCES (&p, 1);
    else
      fail_unless_equals_int (p.n_references, 0);
  }
}

GST_END_TEST;

/* Nothing is understood until an IRAP picture; a CRA picture is then no
 * beginning, for the decoder may have understood what we did not. */
GST_START_TEST (test_unreadable)
{
  H265Dpb dpb;
  H26xPicture p;

  h265_dpb_init (&dpb);
  next (&dpb, &p, 1, 0, 1, "-1");
  fail_unless (!p.readable && !p.idr && p.id == 1);
  next (&dpb, &p, H265_NAL_IDR_N_LP, 0, 0, "");
  fail_unless (p.readable && p.idr && p.id == 2);
  h265_dpb_next (&dpb, &sps, NULL, &p);
  fail_unless (!p.readable && p.n_references == 0 && p.id == 3);
  next (&dpb, &p, 1, 0, 1, "-1");
  fail_unless (!p.readable);
  next (&dpb, &p, H265_NAL_CRA, 0, 7, "-3k");
  fail_unless (p.readable && p.random_access && !p.idr && p.order == 7);
  next (&dpb, &p, 1, 0, 8, "-1");
  fail_unless (p.readable);
  ASSERT_REFERENCES (&p, 5);
}

GST_END_TEST;

/* What the standard forbids is not read. */
GST_START_TEST (test_hostile)
{
  H265Dpb dpb;
  H265Slice good, bad;
  H265Sps wrong = sps;
  H26xPicture p;

  make_slice (&good, 4, H265_NAL_CRA, 0, 0, "");
  for (guint i = 0; i < 7; i++) {
    bad = good;
    wrong = sps;
    switch (i) {
      case 0:
        bad.order_lsb = 16;
        break;
      case 1:
        bad.layer = 1;
        break;
      case 2:
        bad.n_short_term = H265_MAX_DPB + 1;
        break;
      case 3:
        bad.n_short_term = 9;
        bad.n_long_term = 8;
        break;
      case 4:
        bad.nal_unit_type = 22;
        break;
      case 5:
        wrong.log2_max_order_lsb = 32;
        break;
      default:
        wrong.highest_layer = 7;
    }
    h265_dpb_init (&dpb);
    h265_dpb_next (&dpb, &sps, &good, &p);
    fail_unless (p.readable);
    h265_dpb_next (&dpb, &wrong, &bad, &p);
    fail_if (p.readable, "case %u", i);
  }
}

GST_END_TEST;

static Suite *
h265rps_suite (void)
{
  Suite *s = suite_create ("h26x-h265rps");
  TCase *tc = tcase_create ("pictures");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_order);
  tcase_add_test (tc, test_set);
  tcase_add_loop_test (tc, test_leading, 0, 3);
  tcase_add_test (tc, test_layers);
  tcase_add_test (tc, test_long_term);
  tcase_add_test (tc, test_unreadable);
  tcase_add_test (tc, test_hostile);
  return s;
}

GST_CHECK_MAIN (h265rps);
