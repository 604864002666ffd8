/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "gstpsptransport.h"

#define URI "http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"

static const struct
{
  const gchar *caps;
  guint id;
} rows[] = {
  {"application/x-rtp", 0},
  {"application/x-rtp,extmap-3=(string)" URI, 3},
  {"application/x-rtp,extmap-1=(string)urn:ietf:params:rtp-hdrext:sdes:mid,"
        "extmap-255=(string)" URI, 255},
  {"application/x-rtp,extmap-4=(string)<\"\"," URI ",\"\">", 4},
  {"application/x-rtp,extmap-4=(string)<" URI ",\"\">", 0},
  {"application/x-rtp,extmap-4=(int)4", 0},
  {"application/x-rtp,extmap-0=(string)" URI, 0},
  {"application/x-rtp,extmap-256=(string)" URI, 0},
  {"application/x-rtp,extmap-3x=(string)" URI, 0},
  {"application/x-rtp,extmap-=(string)" URI, 0},
};

GST_START_TEST (test_id)
{
  GstCaps *caps = gst_caps_from_string (rows[__i__].caps);

  fail_unless (caps != NULL);
  fail_unless (gst_psp_transport_id (caps) == rows[__i__].id, "%s",
      rows[__i__].caps);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* The header may be in several memories. */
GST_START_TEST (test_number)
{
  static const guint8 header[] = { 0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,
    0xbe, 0xde, 0, 1, 0x31, 0xab, 0xcd, 0
  };
  GstBuffer *buffer = gst_buffer_new_memdup (header, sizeof header);
  guint16 number = 0;

  gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, 10, NULL));
  fail_unless (gst_psp_transport_read (buffer, 3, &number));
  fail_unless_equals_int (number, 0xabcd);
  buffer = gst_buffer_append_region (gst_buffer_copy_region (buffer,
          GST_BUFFER_COPY_MEMORY, 0, 12), buffer, 12, -1);
  fail_unless (gst_buffer_n_memory (buffer) >= 2);
  number = 0;
  fail_unless (gst_psp_transport_read (buffer, 3, &number));
  fail_unless_equals_int (number, 0xabcd);
  fail_if (gst_psp_transport_read (buffer, 4, &number));
  gst_buffer_unref (buffer);
  /* Too short to be a number. */
  buffer = gst_buffer_new_memdup (header, sizeof header);
  gst_buffer_memset (buffer, 16, 0x30, 1);
  fail_if (gst_psp_transport_read (buffer, 3, &number));
  gst_buffer_unref (buffer);
}

GST_END_TEST;

static Suite *
transport_suite (void)
{
  Suite *s = suite_create ("psp-transport");
  TCase *tc = tcase_create ("transport");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_id, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_number);
  return s;
}

GST_CHECK_MAIN (transport);
