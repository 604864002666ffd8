/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#include <string.h>

#include "makestream.h"

#define CAPS "application/x-rtp, media=video, clock-rate=90000, " \
    "encoding-name=MPV, payload=32"
#define SSRC 0x12345678
#define SLICE 100

/* A sender of one slice a packet. */
typedef struct
{
  GstHarness *h;
  gboolean mpeg2;
  guint16 seq;
  guint32 ssrc;
  guint n_in_frame;             /* packets of the frame at hand */
  GRand *rand;
  GByteArray *sent;             /* elementary stream */
} Sender;

static void
sender_init (Sender * s, gboolean mpeg2)
{
  s->h = gst_harness_new ("rtpmpegvideodepay");
  gst_harness_set_src_caps_str (s->h, CAPS);
  s->mpeg2 = mpeg2;
  s->seq = 65534;
  s->ssrc = SSRC;
  s->rand = g_rand_new_with_seed (1);
  s->sent = g_byte_array_new ();
}

static void
sender_clear (Sender * s)
{
  gst_harness_teardown (s->h);
  g_rand_free (s->rand);
  g_byte_array_unref (s->sent);
}

static GstClockTime
frame_time (guint frame)
{
  return frame * 40 * GST_MSECOND;
}

static GstBuffer *
new_packet (Sender * s, guint frame, guint type, gboolean marker,
    const guint8 * data, gsize size)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (4 + size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 *payload;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 32);
  gst_rtp_buffer_set_seq (&rtp, s->seq);
  gst_rtp_buffer_set_ssrc (&rtp, s->ssrc);
  gst_rtp_buffer_set_timestamp (&rtp, 0xfffffff0u + 3600 * frame);
  gst_rtp_buffer_set_marker (&rtp, marker);
  payload = gst_rtp_buffer_get_payload (&rtp);
  /* TR, AN and N in MPEG-2, P; nothing of vectors. */
  GST_WRITE_UINT32_BE (payload, frame << 16 | (s->mpeg2 ? 0xc000 : 0)
      | type << 8);
  if (size > 0)
    memcpy (payload + 4, data, size);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (buffer) = frame_time (frame);
  /* When it arrived. */
  GST_BUFFER_DTS (buffer) = frame_time (frame) + ++s->n_in_frame;
  s->seq++;
  return buffer;
}

/* A frame of n slices in as many packets, but those in `lost` (bits), the last
 * one with the marker. A sequence header with each I. */
static void
send_frame (Sender * s, guint frame, guint type, guint n, guint64 lost)
{
  GByteArray *bytes = g_byte_array_new ();
  MakePicture p = {.mpeg2 = s->mpeg2 };
  gsize begin = 0;

  s->n_in_frame = 0;
  p.type = type;
  p.temporal_reference = frame;
  p.sequence = p.group = type == M2V_PICTURE_I;
  for (guint i = 0; i < n; i++)
    p.slices[i] = SLICE;
  make_picture (bytes, &p, s->rand);
  for (guint i = 0; i < n; i++) {
    gsize end = bytes->len - (n - 1 - i) * SLICE;

    if (lost >> i & 1) {
      s->seq++;
    } else {
      g_byte_array_append (s->sent, bytes->data + begin, end - begin);
      fail_unless_equals_int (gst_harness_push (s->h, new_packet (s, frame,
                  type, i + 1 == n, bytes->data + begin, end - begin)),
          GST_FLOW_OK);
    }
    begin = end;
  }
  g_byte_array_unref (bytes);
}

/* The next frame has these flags (of those that concern us) and this time. */
static gsize
pull_frame (Sender * s, guint frame, GstBufferFlags flags)
{
  const GstBufferFlags all = GST_BUFFER_FLAG_CORRUPTED |
      GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_DELTA_UNIT |
      GST_BUFFER_FLAG_MARKER;
  GstBuffer *buffer = gst_harness_try_pull (s->h);
  gsize size;

  fail_unless (buffer != NULL, "frame %u did not come", frame);
  fail_unless_equals_int (GST_BUFFER_FLAGS (buffer) & all, flags);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), frame_time (frame));
  fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), frame_time (frame) + 1);
  size = gst_buffer_get_size (buffer);
  fail_unless (s->sent->len >= size);
  fail_unless (gst_buffer_memcmp (buffer, 0, s->sent->data, size) == 0);
  g_byte_array_remove_range (s->sent, 0, size);
  gst_buffer_unref (buffer);
  return size;
}

static void
expect_none (Sender * s)
{
  fail_unless_equals_int (gst_harness_buffers_in_queue (s->h), 0);
}

static guint64
read_stat (Sender * s, const gchar * name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (s->h->element, "reassembly-stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  gst_structure_free (stats);
  return value;
}

#define I M2V_PICTURE_I
#define P M2V_PICTURE_P
#define MARKER GST_BUFFER_FLAG_MARKER
#define DELTA GST_BUFFER_FLAG_DELTA_UNIT
#define DISCONT GST_BUFFER_FLAG_DISCONT
#define CORRUPTED GST_BUFFER_FLAG_CORRUPTED

static void
check_caps (gboolean mpeg2)
{
  GstCaps *expected = gst_caps_new_simple ("video/mpeg", "mpegversion",
      G_TYPE_INT, mpeg2 ? 2 : 1, "systemstream", G_TYPE_BOOLEAN, FALSE, NULL);
  GstCaps *caps;
  Sender s;

  sender_init (&s, mpeg2);
  send_frame (&s, 1, I, 3, 0);
  caps = gst_pad_get_current_caps (s.h->sinkpad);
  fail_unless (caps && gst_caps_is_equal (caps, expected));
  gst_caps_unref (caps);
  gst_caps_unref (expected);
  sender_clear (&s);
}

GST_START_TEST (test_caps)
{
  check_caps (FALSE);
  check_caps (TRUE);
}

GST_END_TEST;

/* Both ways on from here link. */
GST_START_TEST (test_links)
{
  const gchar *const next[] = { "mpegvideoparse", "avdec_mpeg2video",
    "mpeg2dec", "rtpmpvpay"
  };

  for (guint i = 0; i < G_N_ELEMENTS (next); i++) {
    gchar *launch = g_strdup_printf ("rtpmpegvideodepay ! %s", next[i]);
    GstElementFactory *factory = gst_element_factory_find (next[i]);
    GstElement *bin;

    if (factory) {
      bin = gst_parse_launch (launch, NULL);
      fail_unless (GST_IS_BIN (bin), "%s", launch);
      gst_object_unref (bin);
      gst_object_unref (factory);
    } else {
      g_printerr ("skipped: no element %s\n", next[i]);
    }
    g_free (launch);
  }
}

GST_END_TEST;

GST_START_TEST (test_intact)
{
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 4, 0);
  send_frame (&s, 2, P, 40, 0);
  send_frame (&s, 3, P, 1, 0);
  pull_frame (&s, 1, MARKER | DISCONT);
  pull_frame (&s, 2, MARKER | DELTA);
  pull_frame (&s, 3, MARKER | DELTA);
  expect_none (&s);
  fail_unless_equals_int (s.sent->len, 0);
  fail_unless_equals_uint64 (read_stat (&s, "packets"), 45);
  fail_unless_equals_uint64 (read_stat (&s, "frames"), 3);
  sender_clear (&s);
}

GST_END_TEST;

/* The memories of packets; of many packets one memory. */
GST_START_TEST (test_memories)
{
  GstBuffer *buffer;
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 16, 0);
  send_frame (&s, 2, P, 17, 0);
  buffer = gst_harness_pull (s.h);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 16);
  gst_buffer_unref (buffer);
  buffer = gst_harness_pull (s.h);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 1);
  gst_buffer_unref (buffer);
  sender_clear (&s);
}

GST_END_TEST;

GST_START_TEST (test_lost_packets)
{
  GstBuffer *buffer;
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 4, 0);
  pull_frame (&s, 1, MARKER | DISCONT);
  /* In the middle: zeros stand for what is missing. */
  send_frame (&s, 2, P, 4, 1 << 2);
  buffer = gst_harness_pull (s.h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), s.sent->len + 3);
  fail_unless (gst_buffer_memcmp (buffer, 0, s.sent->data,
          s.sent->len - SLICE) == 0);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, CORRUPTED | DISCONT));
  gst_buffer_unref (buffer);
  g_byte_array_set_size (s.sent, 0);
  /* The header: nothing of it can be used. */
  send_frame (&s, 3, P, 4, 1);
  expect_none (&s);
  g_byte_array_set_size (s.sent, 0);
  send_frame (&s, 4, P, 4, 0);
  pull_frame (&s, 4, MARKER | DELTA | DISCONT);
  /* A whole frame. */
  send_frame (&s, 5, P, 4, 0xf);
  send_frame (&s, 6, P, 4, 0);
  pull_frame (&s, 6, MARKER | DELTA | DISCONT);
  /* The marker: the next frame ends it, and has nothing to do with its loss. */
  send_frame (&s, 7, P, 4, 1 << 3);
  expect_none (&s);
  send_frame (&s, 8, P, 4, 0);
  buffer = gst_harness_pull (s.h);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, CORRUPTED));
  fail_if (GST_BUFFER_FLAG_IS_SET (buffer, MARKER));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), frame_time (7));
  g_byte_array_remove_range (s.sent, 0, gst_buffer_get_size (buffer) - 3);
  gst_buffer_unref (buffer);
  pull_frame (&s, 8, MARKER | DELTA);

  fail_unless_equals_uint64 (read_stat (&s, "lost"), 7);
  fail_unless_equals_uint64 (read_stat (&s, "left-out"), 3);
  fail_unless_equals_uint64 (read_stat (&s, "frames"), 6);
  fail_unless_equals_uint64 (read_stat (&s, "damaged-frames"), 2);
  fail_unless_equals_uint64 (read_stat (&s, "rebuilt-headers"), 0);
  fail_unless_equals_uint64 (read_stat (&s, "malformed"), 0);
  sender_clear (&s);
}

GST_END_TEST;

/* A start code that was torn goes, be it in two packets. */
GST_START_TEST (test_torn)
{
  static const guint8 beginning[] = { 0, 0 }, end[] = { 1 };
  GByteArray *bytes = g_byte_array_new ();
  MakePicture p = {.mpeg2 = true,.type = I,.sequence = true,.slices = {50} };
  GstBuffer *buffer;
  Sender s;

  sender_init (&s, TRUE);
  make_picture (bytes, &p, s.rand);
  gst_harness_push (s.h, new_packet (&s, 1, 0, FALSE, bytes->data, bytes->len));
  gst_harness_push (s.h, new_packet (&s, 1, 0, FALSE, beginning,
          sizeof beginning));
  gst_harness_push (s.h, new_packet (&s, 1, 0, FALSE, end, sizeof end));
  s.seq++;
  send_frame (&s, 2, P, 1, 0);
  buffer = gst_harness_pull (s.h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), bytes->len + 3);
  gst_buffer_unref (buffer);
  /* And where one packet has both. */
  g_byte_array_append (bytes, beginning, sizeof beginning);
  g_byte_array_append (bytes, end, sizeof end);
  gst_harness_push (s.h, new_packet (&s, 3, 0, FALSE, bytes->data, bytes->len));
  s.seq++;
  send_frame (&s, 4, P, 1, 0);
  gst_buffer_unref (gst_harness_pull (s.h));
  buffer = gst_harness_pull (s.h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), bytes->len);
  gst_buffer_unref (buffer);
  g_byte_array_unref (bytes);
  sender_clear (&s);
}

GST_END_TEST;

/* A payload that is none is as good as lost. */
GST_START_TEST (test_malformed)
{
  Sender s;
  GstBuffer *buffer;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 1, 0);
  pull_frame (&s, 1, MARKER | DISCONT);
  buffer = new_packet (&s, 2, P, TRUE, NULL, 0);
  gst_buffer_set_size (buffer, 12 + 3);
  fail_unless_equals_int (gst_harness_push (s.h, buffer), GST_FLOW_OK);
  expect_none (&s);
  fail_unless_equals_uint64 (read_stat (&s, "malformed"), 1);
  sender_clear (&s);
}

GST_END_TEST;

/* A lost packet is no gap: decoders would drain. */
GST_START_TEST (test_packet_lost_event)
{
  GstEvent *event;
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 1, 0);
  pull_frame (&s, 1, MARKER | DISCONT);
  while ((event = gst_harness_try_pull_event (s.h)))
    gst_event_unref (event);
  fail_unless (gst_harness_push_event (s.h,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new ("GstRTPPacketLost", "timestamp",
                  G_TYPE_UINT64, frame_time (2), "duration", G_TYPE_UINT64,
                  frame_time (1), NULL))));
  fail_unless_equals_int (gst_harness_events_in_queue (s.h), 0);
  /* A gap that upstream says itself goes on. */
  fail_unless (gst_harness_push_event (s.h,
          gst_event_new_gap (frame_time (2), frame_time (1))));
  event = gst_harness_pull_event (s.h);
  fail_unless_equals_int (GST_EVENT_TYPE (event), GST_EVENT_GAP);
  gst_event_unref (event);
  sender_clear (&s);
}

GST_END_TEST;

static GstEvent *
new_segment (GstClockTime base)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = base;
  return gst_event_new_segment (&segment);
}

/* What waits for its end comes before the end; the same segment again is
 * none. */
GST_START_TEST (test_ends)
{
  GstEvent *ends[] = { gst_event_new_eos (), gst_event_new_stream_start ("b"),
    new_segment (GST_SECOND),
    gst_event_new_segment_done (GST_FORMAT_TIME, GST_SECOND)
  };
  GstBuffer *buffer;
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 3, 0);
  pull_frame (&s, 1, MARKER | DISCONT);
  send_frame (&s, 2, P, 3, 1 << 2);
  fail_unless (gst_harness_push_event (s.h, new_segment (0)));
  expect_none (&s);
  fail_unless (gst_harness_push_event (s.h, gst_event_ref (ends[__i__])));
  buffer = gst_harness_try_pull (s.h);
  fail_unless (buffer != NULL);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, CORRUPTED));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), frame_time (2));
  gst_buffer_unref (buffer);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    gst_event_unref (ends[i]);
  sender_clear (&s);
}

GST_END_TEST;

/* A flush forgets what is kept, not the sequence header: a decoder still has
 * it. */
GST_START_TEST (test_flush)
{
  GstSegment segment;
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 3, 0);
  pull_frame (&s, 1, MARKER | DISCONT);
  send_frame (&s, 2, P, 3, 1 << 2);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_segment (&segment)));
  g_byte_array_set_size (s.sent, 0);
  s.seq += 1000;
  send_frame (&s, 3, P, 3, 0);
  pull_frame (&s, 3, MARKER | DELTA | DISCONT);
  expect_none (&s);
  sender_clear (&s);
}

GST_END_TEST;

/* From READY on everything is as new. */
GST_START_TEST (test_restart)
{
  GstPad *pad;
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 3, 1 << 2);
  fail_unless_equals_uint64 (read_stat (&s, "packets"), 2);
  fail_unless (gst_element_set_state (s.h->element, GST_STATE_READY) ==
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_uint64 (read_stat (&s, "packets"), 2);
  fail_unless (gst_element_set_state (s.h->element, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_uint64 (read_stat (&s, "packets"), 0);
  gst_harness_set_src_caps_str (s.h, CAPS);
  send_frame (&s, 2, P, 3, 0);
  expect_none (&s);
  g_byte_array_set_size (s.sent, 0);
  send_frame (&s, 3, I, 3, 0);
  pull_frame (&s, 3, MARKER | DISCONT);
  pad = gst_element_get_static_pad (s.h->element, "src");
  fail_unless (gst_pad_has_current_caps (pad));
  gst_object_unref (pad);
  sender_clear (&s);
}

GST_END_TEST;

/* Another sender: its sequence numbers say nothing of ours. */
GST_START_TEST (test_ssrc_change)
{
  Sender s;

  sender_init (&s, TRUE);
  send_frame (&s, 1, I, 3, 0);
  pull_frame (&s, 1, MARKER | DISCONT);
  s.ssrc++;
  s.seq += 500;
  send_frame (&s, 2, I, 3, 0);
  pull_frame (&s, 2, MARKER | DISCONT);
  fail_unless_equals_uint64 (read_stat (&s, "lost"), 0);
  sender_clear (&s);
}

GST_END_TEST;

/* Of a frame, though each packet has one. */
GST_START_TEST (test_reference_time)
{
  GstCaps *reference = gst_caps_from_string ("timestamp/x-ntp");
  GstReferenceTimestampMeta *meta;
  GByteArray *bytes = g_byte_array_new ();
  MakePicture p = {.mpeg2 = true,.type = I,.sequence = true,.slices = {50}
  };
  GstBuffer *buffer;
  Sender s;

  sender_init (&s, TRUE);
  make_picture (bytes, &p, s.rand);
  for (guint i = 0; i < 2; i++) {
    gsize half = bytes->len / 2;

    buffer = new_packet (&s, 1, I, i == 1, bytes->data + i * half,
        i == 1 ? bytes->len - half : half);
    gst_buffer_add_reference_timestamp_meta (buffer, reference, 77 + i,
        GST_CLOCK_TIME_NONE);
    gst_harness_push (s.h, buffer);
  }
  buffer = gst_harness_pull (s.h);
  fail_unless_equals_int (gst_buffer_get_n_meta (buffer,
          GST_REFERENCE_TIMESTAMP_META_API_TYPE), 1);
  meta = gst_buffer_get_reference_timestamp_meta (buffer, reference);
  fail_unless (meta != NULL);
  fail_unless_equals_uint64 (meta->timestamp, 77);
  gst_buffer_unref (buffer);
  gst_caps_unref (reference);
  g_byte_array_unref (bytes);
  sender_clear (&s);
}

GST_END_TEST;

typedef struct
{
  const gchar *file;
  guint n_frames;
} File;

static const File files[] = {
  {"walk-720x480p30-4M.m2v", 240},
  {"sintel-720x480-pulldown-4M.m2v", 144},
  {"bbb-352x576i25-fields-3M.m2v", 73},
  {"bbb-352x288p25-1100k.m1v", 132},
  {"ocean-176x96p30-500k.m2v", 101},
};

typedef struct
{
  guint n_frames;
  GByteArray *bytes;
} Received;

static void
take_frame (G_GNUC_UNUSED GstElement * sink, GstBuffer * buffer,
    G_GNUC_UNUSED GstPad * pad, Received * received)
{
  GstMapInfo map;

  fail_if (GST_BUFFER_FLAG_IS_SET (buffer, CORRUPTED));
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (received->bytes, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  received->n_frames++;
}

/* Payloader and depayloader give every bit back, a frame a buffer. */
GST_START_TEST (test_round_trip)
{
  const File *file = &files[__i__];
  gchar *path = g_build_filename (TEST_FILES_DIR, file->file, NULL);
  gchar *launch = g_strdup_printf ("filesrc location=\"%s\" ! mpegvideoparse !"
      " rtpmpegvideopay sequence-interval=%" G_GUINT64_FORMAT " mtu=1000 ! "
      "rtpmpegvideodepay ! fakesink name=out sync=false signal-handoffs=true",
      path, GST_CLOCK_TIME_NONE);
  Received received = { 0, g_byte_array_new () };
  GstElement *pipeline, *sink;
  GstMessage *message;
  gchar *contents;
  gsize size;

  if (!gst_registry_check_feature_version (gst_registry_get (),
          "mpegvideoparse", 1, 0, 0)) {
    g_printerr ("skipped: no element mpegvideoparse\n");
    goto out;
  }
  pipeline = gst_parse_launch (launch, NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_signal_connect (sink, "handoff", G_CALLBACK (take_frame), &received);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline),
      GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);

  fail_unless (g_file_get_contents (path, &contents, &size, NULL));
  fail_unless_equals_int (received.n_frames, file->n_frames);
  fail_unless_equals_int (received.bytes->len, size);
  fail_unless (memcmp (received.bytes->data, contents, size) == 0);
  g_free (contents);
out:
  g_byte_array_unref (received.bytes);
  g_free (launch);
  g_free (path);
}

GST_END_TEST;

static Suite *
depay_suite (void)
{
  Suite *s = suite_create ("rtpmpegvideodepay");
  TCase *tc = tcase_create ("rtpmpegvideodepay");

  tcase_add_test (tc, test_caps);
  tcase_add_test (tc, test_links);
  tcase_add_test (tc, test_intact);
  tcase_add_test (tc, test_memories);
  tcase_add_test (tc, test_lost_packets);
  tcase_add_test (tc, test_torn);
  tcase_add_test (tc, test_malformed);
  tcase_add_test (tc, test_packet_lost_event);
  tcase_add_loop_test (tc, test_ends, 0, 4);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_restart);
  tcase_add_test (tc, test_ssrc_change);
  tcase_add_test (tc, test_reference_time);
  tcase_add_loop_test (tc, test_round_trip, 0, G_N_ELEMENTS (files));
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (depay);
