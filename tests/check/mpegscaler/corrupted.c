/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Damaged streams, parsed and recoded, as an application does it. What real
 * decoders make of them: core/recodercorrupt.c.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <string.h>

#include "../mpeg2scaling/damage.h"
#include <mpeg2/splitter.h>

#define CHUNK 4096
#define MAX_SIZE 700000
#define SEED 7

static const gchar *const files[] = {
  "bbb-352x288p25-1100k.m1v",
  "bbb-352x576i25-fields-3M.m2v",
  "ocean-176x96p30-500k.m2v",
  "walk-720x480p30-4M.m2v",
};

static const gchar *const modes[] = { "drop", "requantize", "auto" };

/* All that leaves a launch line, MPEG video in. */
static GByteArray *
run (const gchar * launch, const gchar * target, const GByteArray * in)
{
  GstHarness *h = gst_harness_new_parse (launch);
  GstElement *scaler = gst_harness_find_element (h, "mpegscaler");
  GByteArray *out = g_byte_array_new ();
  GstBuffer *buffer;

  if (scaler) {
    gst_util_set_object_arg (G_OBJECT (scaler), "target-bitrate", target);
    gst_object_unref (scaler);
  }
  gst_harness_set_src_caps_str (h, "video/mpeg, systemstream=(boolean)false");
  for (gsize i = 0; i < in->len; i += CHUNK)
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_memdup
            (in->data + i, MIN (CHUNK, in->len - i))), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  while ((buffer = gst_harness_try_pull (h))) {
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_byte_array_append (out, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
  return out;
}

static guint
count_pictures (const GByteArray * bytes)
{
  M2vSplitter splitter;
  M2vPicture span;
  gsize position = 0;
  guint n = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, bytes->data, bytes->len, &position,
          &span))
    n += span.kind == M2V_SPAN_PICTURE;
  return n;
}

static guint
count_differences (const GByteArray * a, const GByteArray * b)
{
  guint n = 0;

  for (guint i = 0; i < a->len; i++)
    n += a->data[i] != b->data[i];
  return n;
}

/* Without a target all that was parsed leaves, but vbv_delay, which is in three
 * bytes of each picture. With one, less, and no more pictures. */
static void
check_damaged (const GByteArray * damaged, const gchar * mode,
    const gchar * what)
{
  gchar *launch = g_strdup_printf ("mpegvideoparse ! mpegscaler mode=%s "
      "follow-events=false", mode);
  GByteArray *parsed = run ("mpegvideoparse", "0", damaged);
  GByteArray *passed = run (launch, "0", damaged);
  GByteArray *reduced = run (launch, "200000", damaged);

  GST_INFO ("%s, %s: %u, %u, %u bytes", what, mode, parsed->len, passed->len,
      reduced->len);
  fail_unless_equals_int (passed->len, parsed->len);
  fail_unless (count_differences (passed, parsed)
      <= (g_str_equal (mode, "drop") ? 0 : 3 * count_pictures (parsed)));
  fail_unless (reduced->len < parsed->len, "%s, %s: %u of %u bytes", what,
      mode, reduced->len, parsed->len);
  fail_unless (count_pictures (reduced) <= count_pictures (parsed));
  g_byte_array_unref (reduced);
  g_byte_array_unref (passed);
  g_byte_array_unref (parsed);
  g_free (launch);
}

static void
check_file (const gchar * file, const gchar * mode)
{
  gchar *path = g_build_filename (TEST_FILES_DIR, file, NULL), *data;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  for (guint i = 0; i < n_damages; i++) {
    GByteArray *damaged = damage_apply (&damages[i], (guint8 *) data,
        MIN (size, MAX_SIZE), SEED);

    check_damaged (damaged, mode, damages[i].name);
    g_byte_array_unref (damaged);
  }
  g_free (data);
  g_free (path);
}

GST_START_TEST (test_corrupted)
{
  GstElementFactory *parser = gst_element_factory_find ("mpegvideoparse");

  if (!parser) {
    g_print ("SKIP: mpegvideoparse is not installed\n");
    return;
  }
  gst_object_unref (parser);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    check_file (files[i], modes[__i__]);
}

GST_END_TEST;

static Suite *
corrupted_suite (void)
{
  Suite *s = suite_create ("mpegscaler-corrupted");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, test_corrupted, 0, G_N_ELEMENTS (modes));
  return s;
}

GST_CHECK_MAIN (corrupted);
