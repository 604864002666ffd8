/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#include <string.h>

#include "../rounds.h"
#include "makestream.h"
#include "rfc2250.h"
#include <mpeg2/splitter.h>

#define CAPS "video/mpeg, mpegversion=(int)2, systemstream=(boolean)false, " \
    "parsed=(boolean)true"
#define CAPS_1 "video/mpeg, mpegversion=(int)1, systemstream=(boolean)false, " \
    "parsed=(boolean)true"
#define FRAME (GST_SECOND / 25)
#define MAX_PACKETS 4096

/* A payloader with fixed offsets, so that time stamps can be foretold, and
 * nothing added to what comes in. */
static GstHarness *
harness_new (const gchar * caps, const gchar * settings)
{
  gchar *launch = g_strdup_printf ("rtpmpegvideopay timestamp-offset=0 "
      "seqnum-offset=0 sequence-interval=-1 extension-header=false %s",
      settings);
  GstElement *element = gst_parse_launch (launch, NULL);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  gst_harness_set_src_caps_str (h, caps);
  gst_object_unref (element);
  g_free (launch);
  return h;
}

static GstBuffer *
picture_buffer (const MakePicture * p, GstClockTime pts)
{
  GRand *rand = g_rand_new_with_seed (p->temporal_reference);
  GByteArray *bytes = g_byte_array_new ();
  GstBuffer *buffer;

  make_picture (bytes, p, rand);
  buffer = gst_buffer_new_memdup (bytes->data, bytes->len);
  GST_BUFFER_PTS (buffer) = pts;
  g_byte_array_unref (bytes);
  g_rand_free (rand);
  return buffer;
}

/* An I frame with headers of 57 bytes and ten slices of 300. */
static MakePicture
make_intra (void)
{
  MakePicture p = {.mpeg2 = true };

  p.type = M2V_PICTURE_I;
  p.sequence = p.group = true;
  for (guint i = 0; i < 10; i++)
    p.slices[i] = 300;
  return p;
}

static MakePicture
make_field (guint type, guint structure)
{
  MakePicture p = {.mpeg2 = true };

  p.type = type;
  p.structure = structure;
  p.sequence = p.group = type == M2V_PICTURE_I;
  p.slices[0] = 200;
  p.slices[1] = 250;
  return p;
}

static guint
queued (GstHarness * h)
{
  return gst_harness_buffers_in_queue (h);
}

static void
push (GstHarness * h, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

typedef struct
{
  GstBuffer *buffer;
  guint8 *payload;
  guint size;                   /* of the payload */
  guint32 timestamp;
  guint16 seq;
  gboolean marker;
} Packet;

static gboolean
pull (GstHarness * h, Packet * p)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  p->buffer = gst_harness_try_pull (h);
  if (p->buffer == NULL)
    return FALSE;
  fail_unless (gst_rtp_buffer_map (p->buffer, GST_MAP_READ, &rtp));
  p->size = gst_rtp_buffer_get_payload_len (&rtp);
  p->payload = g_memdup2 (gst_rtp_buffer_get_payload (&rtp), p->size);
  p->timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  p->seq = gst_rtp_buffer_get_seq (&rtp);
  p->marker = gst_rtp_buffer_get_marker (&rtp);
  fail_unless_equals_int (p->marker,
      GST_BUFFER_FLAG_IS_SET (p->buffer, GST_BUFFER_FLAG_MARKER));
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

static void
packet_clear (Packet * p)
{
  gst_clear_buffer (&p->buffer);
  g_clear_pointer (&p->payload, g_free);
}

/* Pulls a frame: one time stamp, sequence numbers in a row, the marker on the
 * last packet. Appends what it carries to `out`, which may be NULL. */
static guint
pull_frame (GstHarness * h, guint32 * timestamp, GByteArray * out)
{
  gboolean marker = FALSE;
  guint n = 0, seq = 0;
  Packet p;

  while (!marker && pull (h, &p)) {
    Rfc2250Payload payload = { p.payload, p.size };
    gsize header_size = rfc2250_header_size (&payload);

    if (n++ == 0)
      *timestamp = p.timestamp;
    else
      fail_unless_equals_int (p.seq, (guint16) (seq + 1));
    seq = p.seq;
    fail_unless_equals_int (p.timestamp, *timestamp);
    marker = p.marker;
    if (out)
      g_byte_array_append (out, p.payload + header_size, p.size - header_size);
    packet_clear (&p);
  }
  fail_unless (n == 0 || marker);
  return n;
}

static void
assert_frame (GstHarness * h, guint n, guint32 timestamp)
{
  guint32 found = 0;

  fail_unless_equals_int (pull_frame (h, &found, NULL), n);
  fail_unless_equals_int (found, timestamp);
}

GST_START_TEST (test_caps)
{
  static const struct
  {
    const gchar *caps, *settings, *out;
  } rows[] = {
    {CAPS, "", "payload=(int)32"},
    {CAPS_1, "", "payload=(int)32"},
    {CAPS, "pt=96", "payload=(int)96"},
    {CAPS ", width=(int)720, framerate=(fraction)25/1", "pt=127",
        "payload=(int)127"},
    {"video/mpeg, mpegversion=(int)2, systemstream=(boolean)false", "", NULL},
    {"video/mpeg, mpegversion=(int)4, systemstream=(boolean)false, "
          "parsed=(boolean)true", "", NULL},
    {"video/mpeg, mpegversion=(int)2, systemstream=(boolean)true, "
          "parsed=(boolean)true", "", NULL},
  };
  GstHarness *h = harness_new (rows[__i__].caps, rows[__i__].settings);
  MakePicture intra = make_intra ();
  GstFlowReturn ret;

  ret = gst_harness_push (h, picture_buffer (&intra, 0));
  if (rows[__i__].out) {
    gchar *expected = g_strdup_printf ("application/x-rtp, "
        "media=(string)video, encoding-name=(string)MPV, "
        "clock-rate=(int)90000, %s", rows[__i__].out);
    GstCaps *superset = gst_caps_from_string (expected);
    GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);

    fail_unless_equals_int (ret, GST_FLOW_OK);
    fail_unless (gst_caps_is_subset (caps, superset));
    gst_caps_unref (caps);
    gst_caps_unref (superset);
    g_free (expected);
  } else {
    fail_unless_equals_int (ret, GST_FLOW_NOT_NEGOTIATED);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static GstPadProbeReturn
count_lists (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  guint *n = data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    n[0]++;
  else
    n[1]++;
  return GST_PAD_PROBE_OK;
}

/* A frame is one list, and its slices' bytes are the input's own. */
GST_START_TEST (test_one_list)
{
  GstHarness *h = harness_new (CAPS, "mtu=1000");
  GstPad *pad = gst_element_get_static_pad (h->element, "src");
  MakePicture intra = make_intra ();
  GstBuffer *input = picture_buffer (&intra, 0);
  GstMemory *memory = gst_buffer_get_memory (input, 0);
  guint n[2] = { 0, 0 };
  GstBuffer *packet;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_BUFFER_LIST, count_lists, n, NULL);
  push (h, input);
  fail_unless_equals_int (n[0], 1);
  fail_unless_equals_int (n[1], 0);
  fail_unless_equals_int (queued (h), 4);
  while ((packet = gst_harness_try_pull (h))) {
    GstMemory *last = gst_buffer_peek_memory (packet,
        gst_buffer_n_memory (packet) - 1);

    fail_unless (last->parent == memory);
    gst_buffer_unref (packet);
  }
  gst_memory_unref (memory);
  gst_object_unref (pad);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Of a buffer in several memories, too. */
GST_START_TEST (test_several_memories)
{
  GstHarness *h = harness_new (CAPS, "");
  MakePicture intra = make_intra ();
  GstBuffer *whole = picture_buffer (&intra, FRAME), *input;
  GByteArray *out = g_byte_array_new ();
  guint32 timestamp;

  input = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 0, 100);
  input = gst_buffer_append_region (input, gst_buffer_ref (whole), 100, 1000);
  input = gst_buffer_append_region (input, gst_buffer_ref (whole), 1100, -1);
  fail_unless_equals_int (gst_buffer_n_memory (input), 3);
  push (h, input);
  fail_unless_equals_int (pull_frame (h, &timestamp, out), 3);
  fail_unless_equals_int (timestamp, 3600);
  fail_unless (gst_buffer_get_size (whole) == out->len);
  fail_unless (gst_buffer_memcmp (whole, 0, out->data, out->len) == 0);
  gst_buffer_unref (whole);
  g_byte_array_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_flags)
{
  GstHarness *h = harness_new (CAPS, "mtu=1000");
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-test");
  MakePicture picture = make_intra ();
  GstBuffer *input = picture_buffer (&picture, 2 * FRAME);
  guint i, k;
  Packet p;

  GST_BUFFER_DTS (input) = FRAME;
  GST_BUFFER_FLAG_SET (input, GST_BUFFER_FLAG_DISCONT);
  gst_buffer_add_reference_timestamp_meta (input, reference, 5, 6);
  push (h, input);
  picture.type = M2V_PICTURE_P;
  picture.temporal_reference = 1;
  picture.sequence = picture.group = FALSE;
  push (h, picture_buffer (&picture, 3 * FRAME));
  fail_unless_equals_int (queued (h), 8);
  for (i = 0; i < 2; i++) {
    for (k = 0; k < 4; k++) {
      fail_unless (pull (h, &p));
      fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (p.buffer,
              GST_BUFFER_FLAG_DISCONT), i == 0 && k == 0);
      fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (p.buffer,
              GST_BUFFER_FLAG_DELTA_UNIT), i > 0 || k > 0);
      fail_unless_equals_int (p.marker, k == 3);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (p.buffer) / GST_USECOND / 10,
          (2 + i) * FRAME / GST_USECOND / 10);
      fail_unless_equals_uint64 (GST_BUFFER_DTS (p.buffer),
          i == 0 ? FRAME : GST_CLOCK_TIME_NONE);
      fail_unless_equals_int (i == 0, gst_buffer_get_reference_timestamp_meta
          (p.buffer, reference) != NULL);
      packet_clear (&p);
    }
  }
  gst_caps_unref (reference);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A field waits for its second; then both are one frame. */
GST_START_TEST (test_fields)
{
  GstHarness *h = harness_new (CAPS, "");
  MakePicture top = make_field (M2V_PICTURE_I, M2V_TOP_FIELD);
  MakePicture bottom = make_field (M2V_PICTURE_P, M2V_BOTTOM_FIELD);

  push (h, picture_buffer (&top, FRAME));
  fail_unless_equals_int (queued (h), 0);
  push (h, picture_buffer (&bottom, FRAME + FRAME / 2));
  assert_frame (h, 2, 3600);
  fail_unless_equals_int (queued (h), 0);

  /* Both in one buffer. */
  push (h, gst_buffer_append (picture_buffer (&top, 2 * FRAME),
          picture_buffer (&bottom, GST_CLOCK_TIME_NONE)));
  assert_frame (h, 2, 7200);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* What a first field waits for is latency, as soon as one has, and to READY. */
GST_START_TEST (test_latency)
{
  GstHarness *h = harness_new (CAPS, "");
  MakePicture top = make_field (M2V_PICTURE_I, M2V_TOP_FIELD);
  MakePicture bottom = make_field (M2V_PICTURE_P, M2V_BOTTOM_FIELD);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_upstream_latency (h, GST_SECOND);
  push (h, gst_buffer_append (picture_buffer (&top, FRAME),
          picture_buffer (&bottom, GST_CLOCK_TIME_NONE)));
  fail_unless_equals_uint64 (gst_harness_query_latency (h), GST_SECOND);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_LATENCY) == NULL);

  for (guint i = 2; i < 4; i++) {
    push (h, picture_buffer (&top, i * FRAME));
    push (h, picture_buffer (&bottom, i * FRAME + FRAME / 2));
    fail_unless_equals_uint64 (gst_harness_query_latency (h),
        GST_SECOND + FRAME / 2 + 1);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_LATENCY);
    fail_unless_equals_int (message != NULL, i == 2);
    g_clear_pointer (&message, gst_message_unref);
  }
  gst_element_set_state (h->element, GST_STATE_READY);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), GST_SECOND);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

typedef enum
{
  END_EOS,
  END_CAPS,
  END_SAME_CAPS,
  END_LESSER_CAPS,
  END_SEGMENT,
  END_SEGMENT_DONE,
  END_SAME_SEGMENT,
  END_STREAM,
  END_FIELD,
  END_FRAME,
  END_STRAY,
  END_HEADERS,
  END_FLUSH,
  END_STATE,
  N_ENDS
} End;

static void
push_end (GstHarness * h, End end)
{
  MakePicture top = make_field (M2V_PICTURE_I, M2V_TOP_FIELD);
  MakePicture frame = make_intra ();
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  switch (end) {
    case END_EOS:
      gst_harness_push_event (h, gst_event_new_eos ());
      break;
    case END_CAPS:
      gst_harness_set_src_caps_str (h, CAPS ", width=(int)16");
      break;
    case END_SAME_CAPS:
      gst_harness_set_src_caps_str (h, CAPS);
      break;
    case END_LESSER_CAPS:
      gst_harness_set_src_caps_str (h, CAPS
          ", pixel-aspect-ratio=(fraction)16/11");
      break;
    case END_SEGMENT_DONE:
      gst_harness_push_event (h, gst_event_new_segment_done (GST_FORMAT_TIME,
              FRAME));
      break;
    case END_SEGMENT:
      segment.base = GST_SECOND;
      /* Fall through. */
    case END_SAME_SEGMENT:
      gst_harness_push_event (h, gst_event_new_segment (&segment));
      break;
    case END_STREAM:
      gst_harness_push_event (h, gst_event_new_stream_start ("other"));
      break;
    case END_FIELD:
      push (h, picture_buffer (&top, 2 * FRAME));
      break;
    case END_FRAME:
      push (h, picture_buffer (&frame, 2 * FRAME));
      break;
    case END_STRAY:
      push (h, gst_buffer_new_memdup ("stray", 5));
      break;
    case END_HEADERS:
      push (h, gst_buffer_new_memdup ("\0\0\1\xb8\0\x8\0", 8));
      break;
    case END_FLUSH:
      gst_harness_push_event (h, gst_event_new_flush_start ());
      gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
      break;
    case END_STATE:
      gst_element_set_state (h->element, GST_STATE_READY);
      gst_element_set_state (h->element, GST_STATE_PLAYING);
      break;
    default:
      break;
  }
}

/* A field that has no second one goes out as a frame before what ends its wait,
 * or it is forgotten; either way it is no part of what comes. */
GST_START_TEST (test_unpaired)
{
  GstHarness *h = harness_new (CAPS, "");
  MakePicture top = make_field (M2V_PICTURE_I, M2V_TOP_FIELD);
  MakePicture intra = make_intra ();
  gboolean lost = __i__ == END_FLUSH || __i__ == END_STATE;
  gboolean waits = __i__ == END_SAME_CAPS || __i__ == END_LESSER_CAPS
      || __i__ == END_SAME_SEGMENT;
  GstBuffer *frame = picture_buffer (&intra, 3 * FRAME);
  GByteArray *out = g_byte_array_new ();
  GstSegment segment;
  guint32 timestamp;

  push (h, picture_buffer (&top, FRAME));
  push_end (h, __i__);
  if (!waits && !lost)
    assert_frame (h, 1, 3600);
  if (__i__ == END_FRAME)
    assert_frame (h, 3, 7200);
  if (__i__ == END_STRAY)
    assert_frame (h, 1, 3600);
  fail_unless_equals_int (queued (h), 0);

  if (lost) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    if (__i__ == END_STATE) {
      gst_harness_push_event (h, gst_event_new_stream_start ("again"));
      gst_harness_set_src_caps_str (h, CAPS);
    }
    gst_harness_push_event (h, gst_event_new_segment (&segment));
    push (h, gst_buffer_ref (frame));
    fail_unless_equals_int (pull_frame (h, &timestamp, out), 3);
    fail_unless_equals_int (timestamp, 3 * 3600);
    fail_unless (gst_buffer_get_size (frame) == out->len);
    fail_unless (gst_buffer_memcmp (frame, 0, out->data, out->len) == 0);
    fail_unless_equals_int (queued (h), 0);
  }
  gst_buffer_unref (frame);
  g_byte_array_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Two pictures in a buffer: time stamp and flags are the first one's. */
GST_START_TEST (test_two_pictures)
{
  GstHarness *h = harness_new (CAPS, "mtu=9000");
  MakePicture picture = make_intra ();
  GstBuffer *buffer = picture_buffer (&picture, FRAME);
  guint i;
  Packet p;

  picture.type = M2V_PICTURE_P;
  picture.temporal_reference = 1;
  picture.sequence = picture.group = FALSE;
  buffer = gst_buffer_append (buffer,
      picture_buffer (&picture, GST_CLOCK_TIME_NONE));
  GST_BUFFER_DTS (buffer) = FRAME;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  push (h, buffer);
  fail_unless_equals_int (queued (h), 2);
  for (i = 0; i < 2; i++) {
    fail_unless (pull (h, &p));
    fail_unless_equals_int (p.timestamp, (1 + i) * 3600);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (p.buffer),
        i == 0 ? FRAME : GST_CLOCK_TIME_NONE);
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (p.buffer,
            GST_BUFFER_FLAG_DISCONT), i == 0);
    packet_clear (&p);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Derived times begin anew with a segment. */
GST_START_TEST (test_segment)
{
  GstHarness *h = harness_new (CAPS, "mtu=9000");
  MakePicture picture = make_intra ();
  GstSegment segment;

  push (h, picture_buffer (&picture, GST_CLOCK_TIME_NONE));
  assert_frame (h, 1, 0);
  picture.sequence = picture.group = FALSE;
  picture.temporal_reference = 1;
  push (h, picture_buffer (&picture, GST_CLOCK_TIME_NONE));
  assert_frame (h, 1, 3600);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  picture.group = TRUE;
  picture.temporal_reference = 0;
  push (h, picture_buffer (&picture, GST_CLOCK_TIME_NONE));
  assert_frame (h, 1, 90000);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The sequence headers among the packets that have left, and the
 * temporal_reference of the first. */
static guint
count_sequences (GstHarness * h, guint * temporal_reference)
{
  guint n = 0, sequences = 0;
  Packet p;

  for (; pull (h, &p); n++) {
    if (n == 0)
      *temporal_reference = (p.payload[0] & 3) << 8 | p.payload[1];
    sequences += (p.payload[2] & 0x20) != 0;
    packet_clear (&p);
  }
  fail_unless (n > 0);
  return sequences;
}

/* Many a stream has its only sequence header at the start: it outlives a flush,
 * for receivers that come later. It does not outlive the stream: MPEG-1 without
 * one after MPEG-2 is read. */
GST_START_TEST (test_flush_sequence)
{
  GstHarness *h = harness_new (CAPS, "mtu=9000 sequence-interval=1000000000");
  MakePicture picture = make_intra ();
  GstSegment segment;
  guint reference = 0;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  push (h, picture_buffer (&picture, FRAME));
  fail_unless_equals_int (count_sequences (h, &reference), 1);
  picture.sequence = FALSE;
  picture.temporal_reference = 9;
  for (guint i = 0; i < 3; i++) {
    push_end (h, END_FLUSH);
    gst_harness_push_event (h, gst_event_new_segment (&segment));
    push (h, picture_buffer (&picture, 2 * FRAME));
    fail_unless_equals_int (count_sequences (h, &reference), 1);
    fail_unless_equals_int (reference, 9);
  }

  gst_harness_set_src_caps_str (h, CAPS_1);
  picture.mpeg2 = FALSE;
  push (h, picture_buffer (&picture, 2 * FRAME));
  fail_unless_equals_int (count_sequences (h, &reference), 0);
  fail_unless_equals_int (reference, 9);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A sequence header that only the caps have goes with the first picture; one
 * that is in the stream too goes once. */
GST_START_TEST (test_codec_data)
{
  GstHarness *h = harness_new (CAPS, "mtu=9000");
  MakePicture top = make_field (M2V_PICTURE_I, M2V_TOP_FIELD);
  MakePicture bottom = make_field (M2V_PICTURE_P, M2V_BOTTOM_FIELD);
  GstBuffer *whole = picture_buffer (&top, 0);
  GstBuffer *header = gst_buffer_copy_region (whole, GST_BUFFER_COPY_MEMORY, 0,
      22);
  GstCaps *caps = gst_caps_from_string (CAPS);
  guint reference = 0, i;

  gst_caps_set_simple (caps, "width", G_TYPE_INT, 16, "codec_data",
      GST_TYPE_BUFFER, header, NULL);
  top.sequence = __i__;
  for (i = 0; i < 2; i++) {
    gst_harness_push_event (h, gst_event_new_stream_start ("another"));
    gst_harness_set_src_caps (h, gst_caps_ref (caps));
    push (h, picture_buffer (&top, FRAME));
    fail_unless_equals_uint64 (gst_harness_query_latency (h), FRAME / 2 + 1);
    push (h, picture_buffer (&bottom, FRAME));
    fail_unless_equals_int (count_sequences (h, &reference), 1);
    top.sequence = FALSE;
    push (h, picture_buffer (&top, 2 * FRAME));
    push (h, picture_buffer (&bottom, 2 * FRAME));
    fail_unless_equals_int (count_sequences (h, &reference), 0);
  }
  gst_caps_unref (caps);
  gst_buffer_unref (header);
  gst_buffer_unref (whole);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* What is damaged there damages no picture. */
GST_START_TEST (test_damaged_codec_data)
{
  GstHarness *h = harness_new (CAPS, "mtu=9000");
  MakePicture picture = make_intra ();
  GstBuffer *whole = picture_buffer (&picture, 0);
  GstBuffer *header = gst_buffer_copy_region (whole, GST_BUFFER_COPY_MEMORY, 0,
      6);
  GstCaps *caps = gst_caps_from_string (CAPS);
  guint reference = 0;

  gst_caps_set_simple (caps, "width", G_TYPE_INT, 16, "codec_data",
      GST_TYPE_BUFFER, header, NULL);
  gst_harness_set_src_caps (h, caps);
  picture.temporal_reference = 9;
  push (h, picture_buffer (&picture, FRAME));
  fail_unless_equals_int (count_sequences (h, &reference), 1);
  fail_unless_equals_int (reference, 9);
  gst_buffer_unref (header);
  gst_buffer_unref (whole);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* After a flush all begins anew. */
GST_START_TEST (test_flush)
{
  GstHarness *h = harness_new (CAPS, "mtu=1000");
  MakePicture picture = make_intra ();
  GstSegment segment;
  Packet p;

  push (h, picture_buffer (&picture, FRAME));
  assert_frame (h, 4, 3600);
  push_end (h, END_FLUSH);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 100 * GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  push (h, picture_buffer (&picture, 100 * GST_SECOND + FRAME));
  fail_unless (pull (h, &p));
  fail_unless_equals_int (p.timestamp, 3600);
  fail_unless_equals_int (p.payload[2] & 0x40, 0x40);   /* N */
  packet_clear (&p);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The sequence header in a buffer of its own has its picture's time stamp and
 * payload header. */
GST_START_TEST (test_headers_ahead)
{
  GstHarness *h = harness_new (CAPS, "");
  MakePicture picture = make_intra ();
  GstBuffer *whole, *rest;
  GByteArray *out = g_byte_array_new ();
  guint32 timestamp;
  GstMapInfo map;
  GstBuffer *packet;

  picture.type = M2V_PICTURE_P;
  picture.temporal_reference = 7;
  whole = picture_buffer (&picture, FRAME);
  push (h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_MEMORY, 0, 22));
  fail_unless_equals_int (queued (h), 0);
  rest = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 22, -1);
  GST_BUFFER_PTS (rest) = FRAME;
  push (h, rest);
  fail_unless_equals_int (pull_frame (h, &timestamp, out), 4);
  fail_unless_equals_int (timestamp, 3600);
  fail_unless (gst_buffer_get_size (whole) == out->len);
  fail_unless (gst_buffer_memcmp (whole, 0, out->data, out->len) == 0);

  picture.type = M2V_PICTURE_B;
  gst_buffer_unref (whole);
  whole = picture_buffer (&picture, GST_CLOCK_TIME_NONE);
  push (h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_MEMORY, 0, 22));
  rest = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 22, -1);
  GST_BUFFER_PTS (rest) = 2 * FRAME;
  push (h, rest);
  packet = gst_harness_pull (h);
  gst_buffer_map (packet, &map, GST_MAP_READ);
  fail_unless_equals_int (map.size, 12 + 4 + 22);
  fail_unless (memcmp (map.data + 12, "\0\x7\x23\0", 4) == 0);
  gst_buffer_unmap (packet, &map);
  gst_buffer_unref (packet);
  gst_buffer_unref (whole);
  g_byte_array_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* What is no picture is sent too, with the last time stamp. */
GST_START_TEST (test_unread)
{
  static const guint8 end[] = { 0, 0, 1, 0xb7 };
  GstHarness *h = harness_new (CAPS, "");
  MakePicture picture = make_intra ();
  GByteArray *out = g_byte_array_new ();
  GstBuffer *whole = picture_buffer (&picture, FRAME), *stray;
  guint32 timestamp;
  guint i;
  Packet p;

  push (h, gst_buffer_ref (whole));
  assert_frame (h, 3, 3600);
  push (h, gst_buffer_new_memdup (end, sizeof end));
  assert_frame (h, 1, 3600);
  for (i = 0; i < 2; i++) {
    stray = gst_buffer_new_memdup ("anything", 8);
    if (i == 1)
      GST_BUFFER_FLAG_SET (stray, GST_BUFFER_FLAG_DELTA_UNIT);
    push (h, stray);
    fail_unless (pull (h, &p));
    fail_unless_equals_int (p.timestamp, 3600);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (p.buffer) / GST_USECOND / 10,
        FRAME / GST_USECOND / 10);
    fail_unless_equals_int (i, GST_BUFFER_FLAG_IS_SET (p.buffer,
            GST_BUFFER_FLAG_DELTA_UNIT));
    packet_clear (&p);
  }
  push (h, gst_buffer_new ());
  fail_unless_equals_int (queued (h), 0);

  /* Headers only, more than are kept, to the end. */
  for (i = 0; i < 6; i++)
    push (h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_MEMORY, 0, 22));
  gst_harness_push_event (h, gst_event_new_eos ());
  while (pull_frame (h, &timestamp, out));
  fail_unless_equals_int (out->len, 6 * 22);
  gst_buffer_unref (whole);
  g_byte_array_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The mtu may change at any time, and holds up to what one header needs. */
GST_START_TEST (test_mtu)
{
  static const struct
  {
    guint mtu, longest, n;
    gboolean warned;
  } rows[] = {
    {1400, 1400, 3, FALSE},
    {9000, 9000, 1, FALSE},
    {616, 616, 6, FALSE},
    {615, 615, 10, FALSE},
    {285, 285, 12, FALSE},
    {284, 284, 12, TRUE},
    {28, 277, 12, TRUE},
  };
  GstHarness *h = harness_new (CAPS, "");
  GstBus *bus = gst_bus_new ();
  MakePicture picture = make_intra ();
  guint i;

  gst_element_set_bus (h->element, bus);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstMessage *message;
    guint n = 0, longest = 0;
    Packet p;

    g_object_set (h->element, "mtu", rows[i].mtu, NULL);
    push (h, picture_buffer (&picture, i * FRAME));
    while (pull (h, &p)) {
      n++;
      longest = MAX (longest, gst_buffer_get_size (p.buffer));
      packet_clear (&p);
    }
    fail_unless (longest <= rows[i].longest, "mtu %u: %u", rows[i].mtu,
        longest);
    fail_unless (rows[i].n > 11 ? n > 11 : n == rows[i].n, "mtu %u: %u",
        rows[i].mtu, n);
    push (h, picture_buffer (&picture, i * FRAME));     /* tells it once */
    while (pull (h, &p))
      packet_clear (&p);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
    fail_unless_equals_int (message != NULL, rows[i].warned);
    gst_clear_message (&message);
    fail_if (gst_bus_have_pending (bus)
        && gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_properties)
{
  GstHarness *h = gst_harness_new ("rtpmpegvideopay");
  gboolean extension_header;
  guint64 interval;

  g_object_get (h->element, "sequence-interval", &interval,
      "extension-header", &extension_header, NULL);
  fail_unless_equals_uint64 (interval, GST_SECOND);
  fail_unless (extension_header);
  g_object_set (h->element, "sequence-interval", (guint64) 5,
      "extension-header", FALSE, NULL);
  g_object_get (h->element, "sequence-interval", &interval,
      "extension-header", &extension_header, NULL);
  fail_unless_equals_uint64 (interval, 5);
  fail_if (extension_header);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Repeated where the stream has had none for a second; the properties act
 * while playing. */
GST_START_TEST (test_sequence_interval)
{
  static const struct
  {
    const gchar *settings;
    guint64 then;
    guint n;                    /* sequence headers in 101 I frames, 4 s */
  } rows[] = {
    {"sequence-interval=-1", G_MAXUINT64, 1},
    {"sequence-interval=0", 0, 101},
    {"sequence-interval=1000000000", GST_SECOND, 5},
    {"sequence-interval=18446744073709551614", G_MAXUINT64 - 1, 1},
    {"sequence-interval=-1", 0, 1 + 50},
  };
  GstHarness *h = harness_new (CAPS, rows[__i__].settings);
  MakePicture picture = make_intra ();
  guint i, n = 0;
  Packet p;

  for (i = 0; i <= 100; i++) {
    if (i == 51)
      g_object_set (h->element, "sequence-interval", rows[__i__].then, NULL);
    push (h, picture_buffer (&picture, i * FRAME));
    picture.sequence = FALSE;
    while (pull (h, &p)) {
      n += (p.payload[2] & 0x20) != 0;
      packet_clear (&p);
    }
  }
  fail_unless_equals_int (n, rows[__i__].n);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_extension_header)
{
  GstHarness *h = harness_new (CAPS, "");
  MakePicture picture = make_intra ();
  guint i;
  Packet p;

  for (i = 0; i < 2; i++) {
    g_object_set (h->element, "extension-header", i == 1, NULL);
    push (h, picture_buffer (&picture, i * FRAME));
    while (pull (h, &p)) {
      fail_unless_equals_int (p.payload[0] & 4, i == 1 ? 4 : 0);
      packet_clear (&p);
    }
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* CSRCs count among the mtu. */
GST_START_TEST (test_source_info)
{
  GstHarness *h = harness_new (CAPS, "source-info=true mtu=616");
  static const guint32 csrc[] = { 1, 2, 3 };
  MakePicture picture = make_intra ();
  GstBuffer *input = picture_buffer (&picture, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  Packet p;

  gst_buffer_add_rtp_source_meta (input, NULL, csrc, G_N_ELEMENTS (csrc));
  push (h, input);
  fail_unless_equals_int (queued (h), 10);
  while (pull (h, &p)) {
    fail_unless (gst_buffer_get_size (p.buffer) <= 616);
    fail_unless (gst_rtp_buffer_map (p.buffer, GST_MAP_READ, &rtp));
    fail_unless_equals_int (gst_rtp_buffer_get_csrc_count (&rtp), 3);
    fail_unless_equals_int (gst_rtp_buffer_get_csrc (&rtp, 2), 3);
    gst_rtp_buffer_unmap (&rtp);
    packet_clear (&p);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* An RTP header extension of one byte, 0x5a. */
#define TEST_EXTENSION_URI "urn:example:gst-psp:test"

typedef GstRTPHeaderExtension TestExtension;
typedef GstRTPHeaderExtensionClass TestExtensionClass;

GType test_extension_get_type (void);
G_DEFINE_TYPE (TestExtension, test_extension, GST_TYPE_RTP_HEADER_EXTENSION);

static GstRTPHeaderExtensionFlags
test_extension_flags (G_GNUC_UNUSED GstRTPHeaderExtension * ext)
{
  return GST_RTP_HEADER_EXTENSION_ONE_BYTE;
}

static gsize
test_extension_max_size (G_GNUC_UNUSED GstRTPHeaderExtension * ext,
    G_GNUC_UNUSED const GstBuffer * input)
{
  return 1;
}

static gssize
test_extension_write (G_GNUC_UNUSED GstRTPHeaderExtension * ext,
    G_GNUC_UNUSED const GstBuffer * input,
    G_GNUC_UNUSED GstRTPHeaderExtensionFlags flags,
    G_GNUC_UNUSED GstBuffer * output, guint8 * data, G_GNUC_UNUSED gsize size)
{
  data[0] = 0x5a;
  return 1;
}

static gboolean
test_extension_read (G_GNUC_UNUSED GstRTPHeaderExtension * ext,
    G_GNUC_UNUSED GstRTPHeaderExtensionFlags flags,
    G_GNUC_UNUSED const guint8 * data, G_GNUC_UNUSED gsize size,
    G_GNUC_UNUSED GstBuffer * buffer)
{
  return TRUE;
}

static void
test_extension_init (G_GNUC_UNUSED TestExtension * self)
{
}

static void
test_extension_class_init (TestExtensionClass * klass)
{
  klass->get_supported_flags = test_extension_flags;
  klass->get_max_size = test_extension_max_size;
  klass->write = test_extension_write;
  klass->read = test_extension_read;
  gst_rtp_header_extension_class_set_uri (klass, TEST_EXTENSION_URI);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Test",
      GST_RTP_HDREXT_ELEMENT_CLASS, "Test", "The gst-psp authors");
}

GST_START_TEST (test_rtp_header_extension)
{
  GstHarness *h = harness_new (CAPS, "");
  GstRTPHeaderExtension *ext = g_object_new (test_extension_get_type (), NULL);
  MakePicture picture = make_intra ();
  GstBuffer *input = picture_buffer (&picture, 0);
  GByteArray *out = g_byte_array_new ();
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *packet;
  gpointer data;
  guint size;

  gst_object_ref_sink (ext);
  gst_rtp_header_extension_set_id (ext, 5);
  g_signal_emit_by_name (h->element, "add-extension", ext);
  push (h, gst_buffer_ref (input));
  fail_unless_equals_int (queued (h), 3);
  while ((packet = gst_harness_try_pull (h))) {
    fail_unless (gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp));
    fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp, 5, 0,
            &data, &size));
    fail_unless_equals_int (size, 1);
    fail_unless_equals_int (*(guint8 *) data, 0x5a);
    g_byte_array_append (out,
        (guint8 *) gst_rtp_buffer_get_payload (&rtp) + 4,
        gst_rtp_buffer_get_payload_len (&rtp) - 4);
    gst_rtp_buffer_unmap (&rtp);
    gst_buffer_unref (packet);
  }
  fail_unless (gst_buffer_get_size (input) == out->len);
  fail_unless (gst_buffer_memcmp (input, 0, out->data, out->len) == 0);
  gst_buffer_unref (input);
  gst_object_unref (ext);
  g_byte_array_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* What is in a file: a picture a buffer, as a parser gives them. */
static const struct
{
  const gchar *name;
  const gchar *caps;
  guint n_frames;
  guint32 duration[2];          /* of a frame, 90 kHz, a tick more or less */
} files[] = {
  /* *INDENT-OFF* */
  {"bbb-352x288p25-1100k.m1v", CAPS_1, 132, {3600, 3600}},
  {"bbb-352x576i25-fields-3M.m2v", CAPS, 73, {3600, 3600}},
  {"ocean-176x96p30-500k.m2v", CAPS, 101, {3000, 3000}},
  {"sintel-720x480-pulldown-4M.m2v", CAPS, 144, {3003, 4504}},
  {"walk-720x480p30-4M.m2v", CAPS, 240, {3003, 3003}},
  /* *INDENT-ON* */
};

static GPtrArray *
read_file (guint i, GBytes ** bytes)
{
  GPtrArray *pictures = g_ptr_array_new ();
  gchar *path = g_build_filename (TEST_FILES_DIR, files[i].name, NULL);
  M2vSplitter splitter;
  M2vPicture span;
  gchar *data;
  gsize size;
  size_t position = 0;

  fail_unless (g_file_get_contents (path, &data, &size, NULL), "%s", path);
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, (guint8 *) data, size, &position, &span))
    g_ptr_array_add (pictures, gst_buffer_new_memdup (data + span.begin,
            span.size));
  *bytes = g_bytes_new_take (data, size);
  g_free (path);
  return pictures;
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 difference = (gint64) * (const guint32 *) a - *(const guint32 *) b;

  return difference < 0 ? -1 : difference > 0;
}

/* Pulls a frame and judges its payloads. */
static gboolean
pull_checked (GstHarness * h, Rfc2250Checker * checker, guint32 * timestamp,
    GByteArray * out)
{
  Packet packets[MAX_PACKETS];
  Rfc2250Payload payloads[MAX_PACKETS];
  const gchar *wrong;
  guint n = 0, i, which = 0;

  while (pull (h, &packets[n])) {
    gsize header_size;

    payloads[n].data = packets[n].payload;
    payloads[n].size = packets[n].size;
    header_size = rfc2250_header_size (&payloads[n]);
    g_byte_array_append (out, packets[n].payload + header_size,
        packets[n].size - header_size);
    if (packets[n++].marker)
      break;
  }
  if (n == 0)
    return FALSE;
  *timestamp = packets[0].timestamp;
  fail_unless (packets[n - 1].marker);
  wrong = rfc2250_check_frame (checker, payloads, n, &which);
  fail_unless (wrong == NULL, "payload %u: %s", which, wrong);
  for (i = 0; i < n; i++)
    packet_clear (&packets[i]);
  return TRUE;
}

/* Without any time stamps: in the order of display, frames follow each other by
 * their durations, and decoding them gives the file. */
GST_START_TEST (test_file)
{
  GstHarness *h = harness_new (files[__i__].caps, "mtu=1400");
  GArray *times = g_array_new (FALSE, FALSE, sizeof (guint32));
  GByteArray *out = g_byte_array_new ();
  Rfc2250Checker checker;
  GPtrArray *pictures;
  GBytes *bytes;
  guint32 time;
  guint i;

  rfc2250_init (&checker, 1400 - 12, FALSE);
  pictures = read_file (__i__, &bytes);
  for (i = 0; i < pictures->len; i++) {
    push (h, pictures->pdata[i]);
    while (pull_checked (h, &checker, &time, out))
      g_array_append_val (times, time);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  while (pull_checked (h, &checker, &time, out))
    g_array_append_val (times, time);

  fail_unless_equals_int (times->len, files[__i__].n_frames);
  g_array_sort (times, compare_times);
  for (i = 1; i < times->len; i++) {
    guint32 duration = g_array_index (times, guint32, i)
        - g_array_index (times, guint32, i - 1);

    fail_unless ((duration + 1 >= files[__i__].duration[0]
            && duration <= files[__i__].duration[0] + 1)
        || (duration + 1 >= files[__i__].duration[1]
            && duration <= files[__i__].duration[1] + 1), "%u", duration);
  }
  fail_unless (g_bytes_get_size (bytes) == out->len);
  fail_unless (memcmp (g_bytes_get_data (bytes, NULL), out->data,
          out->len) == 0);
  g_bytes_unref (bytes);
  g_ptr_array_unref (pictures);
  g_array_unref (times);
  g_byte_array_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
damage (GstBuffer * buffer, GRand * rand)
{
  GstMapInfo map;
  guint i, n = g_rand_int_range (rand, 0, 4);

  gst_buffer_map (buffer, &map, GST_MAP_READWRITE);
  for (i = 0; i < n && map.size > 0; i++) {
    gsize at = g_rand_int (rand) % (g_rand_int (rand) % 2 ? map.size :
        MIN (map.size, 60));

    map.data[at] ^= 1 << g_rand_int (rand) % 8;
  }
  gst_buffer_unmap (buffer, &map);
  if (g_rand_int (rand) % 8 == 0)
    gst_buffer_resize (buffer, 0,
        g_rand_int (rand) % (gst_buffer_get_size (buffer) + 1));
  if (g_rand_int (rand) % 8 == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (g_rand_int (rand) % 4 == 0)
    GST_BUFFER_PTS (buffer) = g_rand_int (rand) * GST_MSECOND;
  if (g_rand_int (rand) % 64 == 0)
    GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE - 1 - g_rand_int (rand) % 2;
}

/* Whatever comes in leaves again, all of it and in its order. */
GST_START_TEST (test_damaged)
{
  GstHarness *h = harness_new (CAPS, __i__ % 2 ? "mtu=500" : "");
  GRand *rand = g_rand_new_with_seed (__i__);
  GByteArray *in = g_byte_array_new (), *out = g_byte_array_new ();
  GPtrArray *pictures;
  GBytes *bytes;
  guint32 time;
  guint i, n = 0;

  pictures = read_file (__i__ % G_N_ELEMENTS (files), &bytes);
  for (i = 0; i < pictures->len; i++) {
    GstBuffer *buffer = pictures->pdata[i];
    GstMapInfo map;

    damage (buffer, rand);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_byte_array_append (in, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    push (h, buffer);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  while ((i = pull_frame (h, &time, out)))
    n += i;
  fail_unless (in->len == out->len);
  fail_unless (memcmp (in->data, out->data, in->len) == 0);
  fail_unless (n < in->len / 100 + 8 * pictures->len);
  g_rand_free (rand);
  g_byte_array_unref (in);
  g_byte_array_unref (out);
  g_bytes_unref (bytes);
  g_ptr_array_unref (pictures);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
pay_suite (void)
{
  Suite *s = suite_create ("rtpmpegvideopay");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_caps, 0, 7);
  tcase_add_test (tc, test_one_list);
  tcase_add_test (tc, test_several_memories);
  tcase_add_test (tc, test_flags);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_latency);
  tcase_add_loop_test (tc, test_unpaired, 0, N_ENDS);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_two_pictures);
  tcase_add_test (tc, test_segment);
  tcase_add_test (tc, test_flush_sequence);
  tcase_add_loop_test (tc, test_codec_data, 0, 2);
  tcase_add_test (tc, test_damaged_codec_data);
  tcase_add_test (tc, test_headers_ahead);
  tcase_add_test (tc, test_unread);
  tcase_add_test (tc, test_mtu);
  tcase_add_test (tc, test_properties);
  tcase_add_loop_test (tc, test_sequence_interval, 0, 5);
  tcase_add_test (tc, test_extension_header);
  tcase_add_test (tc, test_source_info);
  tcase_add_test (tc, test_rtp_header_extension);
  tcase_add_loop_test (tc, test_file, 0, G_N_ELEMENTS (files));
  tcase_add_loop_test (tc, test_damaged, 0, MAX (4, test_rounds (20)));
  return s;
}

GST_CHECK_MAIN (pay);
