/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Real streams, read and written again: unchanged, coded otherwise with the
 * same meaning, without their residual. The committed ones, and those of
 * MPEG_MEDIA_DIR.
 */
#include "rewriting.h"

static void
check_unchanged (const gchar * name, const guint8 * data, gsize size)
{
  GST_INFO ("%s", name);
  for (guint copy = 0; copy < 2; copy++) {
    const Rewrite how = {.copy = copy };
    GByteArray *out = rewrite (data, size, &how);

    assert_same_bytes (out, data, size);
    g_byte_array_unref (out);
  }
}

GST_START_TEST (test_unchanged)
{
  for_each_stream (__i__, check_unchanged);
}

GST_END_TEST;

/* Some changed, so that others are coded against something else: whether those
 * are copied where they can be must not show. */

typedef struct
{
  GRand *rand;
  RewriteWay unchanged;
} Changing;

static RewriteWay
change (gpointer data, const M2vSliceWriter * w, M2vMacroblock * mb)
{
  Changing *c = data;
  gint choice = g_rand_int_range (c->rand, 0, 8);

  if (choice > 2)
    return c->unchanged;
  if (choice == 0)
    mb->quantiser = g_rand_int_range (c->rand, 1, 32);
  else if (choice == 1)
    m2v_macroblock_empty (w->picture, mb);
  else if (mb->type & M2V_INTRA)
    mb->dc[g_rand_int_range (c->rand, 0, w->picture->n_blocks)] = 100;
  if (m2v_slice_writer_may_skip (w, mb))
    return REWRITE_LEAVE_OUT;
  return REWRITE_PUT;
}

static void
check_copied (const gchar * name, const guint8 * data, gsize size)
{
  GByteArray *out[2];

  GST_INFO ("%s", name);
  for (guint i = 0; i < 2; i++) {
    Changing changing = { g_rand_new_with_seed (5), REWRITE_PUT + i };
    const Rewrite how = {.macroblock = change,.data = &changing };

    out[i] = rewrite (data, size, &how);
    g_rand_free (changing.rand);
  }
  assert_same_bytes (out[1], out[0]->data, out[0]->len);
  g_byte_array_unref (out[0]);
  g_byte_array_unref (out[1]);
}

GST_START_TEST (test_copied)
{
  for_each_stream (__i__, check_copied);
}

GST_END_TEST;

/* From any macroblock on, with those before it as bits. */

static guint
any_macroblock (gpointer data)
{
  return g_rand_int_range (data, 1, 40);
}

static void
check_resumed (const gchar * name, const guint8 * data, gsize size)
{
  GST_INFO ("%s", name);
  for (guint i = 0; i < 4; i++) {
    const Rewrite how = {
      .copy = i % 2,
      .resume = any_macroblock,
      .data = g_rand_new_with_seed (i)
    };
    GByteArray *out = rewrite (data, size, &how);

    assert_same_bytes (out, data, size);
    g_byte_array_unref (out);
    g_rand_free (how.data);
  }
}

GST_START_TEST (test_resumed)
{
  for_each_stream (__i__, check_resumed);
}

GST_END_TEST;

/* Another way to code the same. */

static const guint8 extras[] = { 0xa5, 0x5a, 0xff, 0x80 };

static void
decorate_slice (gpointer data, M2vSlice * slice)
{
  GRand *rand = data;

  /* Bits "1", 8 of any: intra_slice and reserved_bits, or information. */
  slice->data = extras;
  slice->extra = 0;
  slice->n_extra = g_rand_boolean (rand) ? 9 : 0;
  /* The first macroblock that cares says what it wants. */
  slice->quantiser = g_rand_int_range (rand, 1, 32);
}

static RewriteWay
decorate (gpointer data, const M2vSliceWriter * w, M2vMacroblock * mb)
{
  GRand *rand = data;

  if (!w->picture->mpeg2)
    mb->n_stuffing = g_rand_int_range (rand, 0, 3);
  if ((mb->type & (M2V_INTRA | M2V_PATTERN)) && g_rand_boolean (rand))
    mb->type |= M2V_QUANT;
  for (guint i = 0; i < w->picture->n_blocks; i++) {
    for (guint k = 0; k < mb->n_coefficients[i]; k++) {
      gint level = ABS (mb->coefficients[i][k].level);
      guint form = g_rand_int_range (rand, 0, 20);

      /* Not what is no choice: read again it would not be called one. */
      if (form == M2V_FORM_ESCAPE && level <= 5)
        mb->coefficients[i][k].form = form;
      if (form == M2V_FORM_LONG_ESCAPE && level <= 127 && !w->picture->mpeg2)
        mb->coefficients[i][k].form = form;
    }
  }
  return REWRITE_PUT;
}

static void
strip_slice (gpointer data G_GNUC_UNUSED, M2vSlice * slice)
{
  slice->n_extra = 0;
  slice->quantiser = 1;
}

static void
check_decorated (const gchar * name, const guint8 * data, gsize size)
{
  const Rewrite decorating = {
    .macroblock = decorate,
    .slice = decorate_slice,
    .data = g_rand_new_with_seed (3)
  };
  const Rewrite unchanged = { 0 };
  const Rewrite canonical = {.canonical = TRUE,.slice = strip_slice };
  GByteArray *decorated = rewrite (data, size, &decorating);
  GByteArray *again = rewrite (decorated->data, decorated->len, &unchanged);
  GByteArray *stripped = rewrite (decorated->data, decorated->len, &canonical);
  GByteArray *expected = rewrite (data, size, &canonical);

  GST_INFO ("%s", name);
  fail_unless (decorated->len > size + size / 50);
  assert_same_bytes (again, decorated->data, decorated->len);
  assert_same_bytes (stripped, expected->data, expected->len);
  fail_unless (stripped->len < size + size / 100);
  assert_same_frames (decorated, data, size);
  assert_same_frames (stripped, data, size);
  g_byte_array_unref (decorated);
  g_byte_array_unref (again);
  g_byte_array_unref (stripped);
  g_byte_array_unref (expected);
  g_rand_free (decorating.data);
}

GST_START_TEST (test_decorated)
{
  for_each_stream (__i__, check_decorated);
}

GST_END_TEST;

/* Without residual: as many macroblocks as possible skipped, or none. */

typedef struct
{
  GRand *rand;
  gdouble share;                /* of those emptied */
  gboolean skip;
  guint n_skipped;
} Emptying;

static RewriteWay
empty (gpointer data, const M2vSliceWriter * w, M2vMacroblock * mb)
{
  Emptying *e = data;

  if (g_rand_double (e->rand) >= e->share)
    return REWRITE_PUT;
  m2v_macroblock_empty (w->picture, mb);
  if (!e->skip || !m2v_slice_writer_may_skip (w, mb))
    return REWRITE_PUT;
  e->n_skipped++;
  return REWRITE_LEAVE_OUT;
}

static GByteArray *
rewrite_emptied (const guint8 * data, gsize size, Emptying * e)
{
  const Rewrite how = {.macroblock = empty,.data = e };
  GByteArray *out;

  e->rand = g_rand_new_with_seed (4);
  out = rewrite (data, size, &how);
  g_rand_free (e->rand);
  return out;
}

/* Whether FFmpeg, asked for it, finds fault. */
static gboolean
has_fault (const guint8 * data, gsize size)
{
  AvdecodeOptions options = {.explode = TRUE,.errors = g_string_new (NULL) };
  gboolean fault = !avdecode (data, size, &options, NULL, NULL)
      || options.errors->len > 0;

  g_string_free (options.errors, TRUE);
  return fault;
}

static guint
count_frames (const guint8 * data, gsize size)
{
  GByteArray *bytes = g_byte_array_new ();
  GPtrArray *frames;
  guint n;

  g_byte_array_append (bytes, data, size);
  frames = decode (DECODER_FFMPEG, bytes);
  n = frames->len;
  g_ptr_array_unref (frames);
  g_byte_array_unref (bytes);
  return n;
}

static guint n_skipped;

static void
check_emptied (const gchar * name, const guint8 * data, gsize size)
{
  static const gdouble shares[] = { 1, 0.5 };

  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    Emptying keeping = {.share = shares[i] };
    Emptying skipping = {.share = shares[i],.skip = TRUE };
    GByteArray *kept = rewrite_emptied (data, size, &keeping);
    GByteArray *skipped = rewrite_emptied (data, size, &skipping);

    GST_INFO ("%s: %u skipped", name, skipping.n_skipped);
    fail_unless (skipped->len <= kept->len && kept->len < size);
    fail_unless ((skipping.n_skipped > 0) == (skipped->len < kept->len));
    n_skipped += skipping.n_skipped;
    assert_same_frames (skipped, kept->data, kept->len);
    if (decoder_present (DECODER_FFMPEG)) {
      fail_unless_equals_int (count_frames (skipped->data, skipped->len),
          count_frames (data, size));
      /* It does so with some streams as they are. */
      fail_if (has_fault (skipped->data, skipped->len)
          && !has_fault (data, size));
    }
    g_byte_array_unref (kept);
    g_byte_array_unref (skipped);
  }
}

GST_START_TEST (test_emptied)
{
  for_each_stream (__i__, check_emptied);
  fail_unless (n_skipped > 0 || __i__ == 1);
}

GST_END_TEST;

static Suite *
macroblock_suite (void)
{
  Suite *s = suite_create ("mpeg2-macroblock");
  TCase *tc = tcase_create ("streams");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_unchanged, 0, 2);
  tcase_add_loop_test (tc, test_copied, 0, 2);
  tcase_add_loop_test (tc, test_resumed, 0, 2);
  tcase_add_loop_test (tc, test_decorated, 0, 2);
  tcase_add_loop_test (tc, test_emptied, 0, 2);
  return s;
}

GST_CHECK_MAIN (macroblock);
