/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "gsth26xcaps.h"

static gboolean
note_size (gpointer headers, const guint8 * data, gsize size)
{
  gsize *noted = headers;

  *noted = size;
  return data[0] == 1;
}

static const struct
{
  const gchar *caps;
  gboolean ok;
  gsize size;                   /* of the codec_data that is read */
} cases[] = {
  {"video/x-h264, stream-format=byte-stream, alignment=au", TRUE, 0},
  {"video/x-h264, stream-format=avc, alignment=au, codec_data=(buffer)0142",
      TRUE, 2},
  {"video/x-h264, stream-format=avc, alignment=au, codec_data=(buffer)00",
      FALSE, 1},
  {"video/x-h264, stream-format=avc, alignment=au", FALSE, 0},
  {"video/x-h264, stream-format=avc, alignment=au, codec_data=1", FALSE, 0},
  {"video/x-h264, stream-format=byte-stream, alignment=nal", FALSE, 0},
  {"video/x-h264, stream-format=byte-stream", FALSE, 0},
  {"video/x-h264, alignment=au", FALSE, 0},
  {"video/x-h265, stream-format=byte-stream, alignment=au", FALSE, 0},
};

GST_START_TEST (test_caps)
{
  GstCaps *caps = gst_caps_from_string (cases[__i__].caps);
  gsize size = 0;

  fail_unless (caps != NULL);
  fail_unless (gst_h26x_caps_read (caps, "video/x-h264", note_size,
          &size) == cases[__i__].ok);
  fail_unless_equals_uint64 (size, cases[__i__].size);
  gst_caps_unref (caps);
}

GST_END_TEST;

static Suite *
h26x_caps_suite (void)
{
  Suite *s = suite_create ("mpegscaler-h26xcaps");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_caps, 0, G_N_ELEMENTS (cases));
  return s;
}

GST_CHECK_MAIN (h26x_caps);
