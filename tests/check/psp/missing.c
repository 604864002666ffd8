/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which pictures cannot be decoded, against a plain list of those missing.
 */
#include <gst/check/gstcheck.h>

#include "gstpspmissing.h"

#define N_PICTURES 2000
#define OLDER GST_CODED_PICTURE_OLDER_REFERENCES

static gboolean
next (GstPspMissing * m, guint64 id, gboolean key, guint64 references)
{
  GstPspPlace place = { TRUE, key, FALSE, id, references };

  return gst_psp_missing_next (m, &place);
}

/* As the list has it; `key`: the last key picture. */
static gboolean
list_concerns (const gboolean * is_missing, guint id, guint key,
    guint64 references)
{
  for (guint i = 0; i < 63 && i < id; i++)
    if ((references >> i & 1) && is_missing[id - 1 - i])
      return TRUE;
  if (references & OLDER)
    for (guint i = key; i + 64 <= id; i++)
      if (is_missing[i])
        return TRUE;
  return FALSE;
}

/* Random groups, references, losses before and in the queue. */
GST_START_TEST (test_random)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  gboolean is_missing[N_PICTURES] = { FALSE };
  GstPspMissing m = { 0 };
  guint key = 0, n_concerned = 0;

  for (guint id = 0; id < N_PICTURES; id++) {
    gboolean is_key = id == 0 || g_rand_int_range (rand, 0, 100) == 0
        || id - key >= GST_PSP_MISSING_MAX_GROUP;
    guint64 references = 0;
    gboolean concerned;

    if (id > 0 && g_rand_int_range (rand, 0, 300) == 0) {
      is_missing[id] = TRUE;    /* before it came here */
      continue;
    }
    for (guint n = is_key ? 0 : g_rand_int_range (rand, 1, 4); n > 0; n--)
      references |= G_GUINT64_CONSTANT (1) <<
          (g_rand_int_range (rand, 0, 4) ? g_rand_int_range (rand, 0, 4)
          : g_rand_int_range (rand, 0, 64));
    if (is_key)
      key = id;
    concerned = list_concerns (is_missing, id, key, references);
    fail_unless_equals_int (next (&m, id, is_key, references), concerned);
    fail_unless_equals_int (next (&m, id, is_key, references), concerned);
    is_missing[id] = concerned;
    n_concerned += concerned;
    if (g_rand_int_range (rand, 0, 200) == 0) {
      guint lost = g_rand_int_range (rand, key, id + 1);

      is_missing[lost] = TRUE;
      gst_psp_missing_add (&m, lost);
    }
  }
  fail_unless (n_concerned > 0 && n_concerned < N_PICTURES);
  g_rand_free (rand);
}

GST_END_TEST;

/* A stream that shows no key picture any more recovers by itself, or never. */
GST_START_TEST (test_without_keys)
{
  GstPspMissing m = { 0 };
  guint id;

  fail_if (next (&m, 0, TRUE, 0));
  gst_psp_missing_add (&m, 0);
  for (id = 1; id <= GST_PSP_MISSING_MAX_GROUP; id++)
    fail_unless (next (&m, id, FALSE, 1));
  fail_if (next (&m, id, FALSE, 1));
}

GST_END_TEST;

/* Longer groups that the stream has shown are waited for. */
GST_START_TEST (test_long_groups)
{
  const guint longest = GST_PSP_MISSING_MAX_GROUP;
  GstPspMissing m = { 0 };
  guint id;

  fail_if (next (&m, 0, TRUE, 0));
  for (id = 1; id < longest; id++)
    fail_if (next (&m, id, FALSE, 1));
  fail_if (next (&m, longest, TRUE, 0));
  gst_psp_missing_add (&m, longest);
  for (id = longest + 1; id <= 3 * longest; id++)
    fail_unless (next (&m, id, FALSE, 1));
  fail_if (next (&m, id, FALSE, 1));
}

GST_END_TEST;

/* Ids that begin anew are another stream's. */
GST_START_TEST (test_another_stream)
{
  GstPspMissing m = { 0 };

  fail_if (next (&m, 100, FALSE, 1));
  gst_psp_missing_add (&m, 100);
  fail_unless (next (&m, 101, FALSE, 1));
  fail_if (next (&m, 7, FALSE, 1));
  fail_if (next (&m, 8, FALSE, 3));
  fail_if (next (&m, G_MAXUINT64, FALSE, OLDER));
}

GST_END_TEST;

/* A flag that is missing is stronger than what was copied. */
GST_START_TEST (test_read)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstPspPlace place;

  gst_psp_place_read (&place, buffer);
  fail_if (place.known);
  gst_buffer_add_coded_picture_meta (buffer, 7, 3, 1,
      GST_CODED_PICTURE_FLAG_DISPOSABLE);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  gst_psp_place_read (&place, buffer);
  fail_unless (place.known && place.disposable && !place.key);
  fail_unless (place.id == 7 && place.references == 3);
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  gst_psp_place_read (&place, buffer);
  fail_unless (place.known && place.key && place.references == 0);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

static Suite *
missing_suite (void)
{
  Suite *s = suite_create ("psp/missing");
  TCase *tc = tcase_create ("general");

  tcase_add_loop_test (tc, test_random, 0, 50);
  tcase_add_test (tc, test_without_keys);
  tcase_add_test (tc, test_long_groups);
  tcase_add_test (tc, test_another_stream);
  tcase_add_test (tc, test_read);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (missing);
