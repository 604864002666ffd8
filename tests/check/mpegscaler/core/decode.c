/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Real streams, decoded from what the slice reader reads: the same pictures as
 * real decoders show. The committed streams, and those of MPEG_MEDIA_DIR.
 */
#include "rewriting.h"

#include "comparing.h"

static void
check_stream (const gchar * name, const guint8 * data, gsize size)
{
  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
    Difference alone, running;

    if (decoder_present (decoder))
      compare_decoded (name, data, size, COMPARE_SOME, decoder, &alone,
          &running);
  }
}

GST_START_TEST (test_streams)
{
  for_each_stream (__i__, check_stream);
}

GST_END_TEST;

static Suite *
decode_suite (void)
{
  Suite *s = suite_create ("scaler-core-decode");
  TCase *tc = tcase_create ("streams");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_streams, 0, 2);
  return s;
}

GST_CHECK_MAIN (decode);
