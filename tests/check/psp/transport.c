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

/* Packets of 10 bytes of payload, by their extension. */
#define ONE_BYTE 0xbe, 0xde
#define TWO_BYTES 0x10, 0x00

static const struct
{
  const gchar *what;
  guint8 id;
  guint8 extension[12];
  gboolean stamped;
  guint grown;                  /* bytes */
} packets[] = {
  {"a payloader's number", 3, {ONE_BYTE, 0, 1, 0x31, 1, 2, 0}, TRUE, 0},
  {"behind another element", 3, {ONE_BYTE, 0, 2, 0x10, 7, 0x31, 1, 2, 0, 0, 0},
      TRUE, 0},
  {"a longer element", 3, {ONE_BYTE, 0, 2, 0x33, 1, 2, 9, 9, 0, 0, 0}, TRUE, 0},
  {"no extension", 3, {0}, TRUE, 8},
  {"another element", 3, {ONE_BYTE, 0, 1, 0x11, 7, 7, 0}, TRUE, 4},
  {"behind padding", 3, {ONE_BYTE, 0, 2, 0x11, 7, 7, 0, 0, 0, 0, 0}, TRUE, 4},
  {"two bytes", 3, {TWO_BYTES, 0, 1, 3, 2, 1, 2}, TRUE, 0},
  {"two bytes, another", 3, {TWO_BYTES, 0, 1, 9, 2, 1, 2}, TRUE, 4},
  {"a high ID", 200, {0}, TRUE, 8},
  {"a high ID, two bytes", 200, {TWO_BYTES, 0, 1, 200, 2, 1, 2}, TRUE, 0},
  {"a high ID has no place", 200, {ONE_BYTE, 0, 1, 0x11, 7, 7, 0}, FALSE, 0},
  {"too short for a number", 3, {ONE_BYTE, 0, 1, 0x30, 1, 0, 0}, FALSE, 0},
  {"another form", 3, {0xab, 0xcd, 0, 1, 0, 0, 0, 0}, FALSE, 0},
  {"no caps", 0, {ONE_BYTE, 0, 1, 0x31, 1, 2, 0}, FALSE, 0},
};

/* In as many memories. */
static GstBuffer *
make_packet (const guint8 extension[12], guint n_memories)
{
  guint8 header[24] = { 0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1 };
  const guint n = extension[0] == 0 ? 0 : 4 + 4u * extension[3];
  GstBuffer *packet = gst_buffer_new ();

  if (n > 0)
    header[0] |= 0x10;
  memcpy (header + 12, extension, n);
  gst_buffer_append (packet, gst_buffer_new_memdup (header, 12 + n));
  gst_buffer_append (packet, gst_buffer_new_memdup ("0123456789", 10));
  if (n_memories == 1)
    gst_buffer_replace_all_memory (packet, gst_buffer_get_all_memory (packet));
  return packet;
}

static gboolean
reads (GstBuffer * packet, guint8 id, guint16 number)
{
  guint16 found = 0;
  GstMapInfo map;
  gboolean has;

  fail_unless (gst_buffer_map (packet, &map, GST_MAP_READ));
  has = psp_rtp_read_extension (map.data, map.size, id, &found);
  gst_buffer_unmap (packet, &map);
  return has && found == number;
}

/* The payload stays, and whoever else has the packet keeps it as it was. */
static void
check_stamp (guint row, guint n_memories, gboolean shared)
{
  const guint8 id = packets[row].id;
  GstBuffer *packet = make_packet (packets[row].extension, n_memories);
  GstBuffer *kept = shared ? gst_buffer_ref (packet) : NULL;
  GstBuffer *before = gst_buffer_copy_deep (packet);
  const gsize size = gst_buffer_get_size (packet);
  PspRtpHeader header = {.size = (guint32) size };
  GstPspTransport transport;
  guint16 number;
  GstMapInfo map;

  gst_psp_transport_init (&transport);
  transport.id = id;
  transport.next = 0xffff;
  fail_unless (gst_psp_transport_stamp (&transport, &packet, &header,
          &number) == packets[row].stamped, "%s", packets[row].what);
  fail_unless_equals_int (gst_buffer_get_size (packet),
      size + packets[row].grown);
  fail_unless_equals_int (header.size, size + packets[row].grown);
  fail_unless_equals_int (gst_buffer_memcmp (packet,
          gst_buffer_get_size (packet) - 10, "0123456789", 10), 0);
  fail_unless_equals_int (transport.next, packets[row].stamped ? 0 : 0xffff);
  if (packets[row].stamped) {
    fail_unless_equals_int (number, 0xffff);
    fail_unless (reads (packet, id, number), "%s", packets[row].what);
  }
  fail_unless (gst_buffer_map (before, &map, GST_MAP_READ));
  if (!packets[row].stamped)
    fail_unless_equals_int (gst_buffer_memcmp (packet, 0, map.data, map.size),
        0);
  if (kept)
    fail_unless_equals_int (gst_buffer_memcmp (kept, 0, map.data, map.size), 0);
  gst_buffer_unmap (before, &map);
  gst_buffer_unref (before);
  gst_clear_buffer (&kept);
  gst_buffer_unref (packet);
}

GST_START_TEST (test_stamp)
{
  for (guint n_memories = 1; n_memories <= 2; n_memories++)
    for (guint shared = 0; shared <= 1; shared++)
      check_stamp ((guint) __i__, n_memories, shared);
}

GST_END_TEST;

static Suite *
transport_suite (void)
{
  Suite *s = suite_create ("psp-transport");
  TCase *tc = tcase_create ("transport");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_id, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_stamp, 0, G_N_ELEMENTS (packets));
  return s;
}

GST_CHECK_MAIN (transport);
