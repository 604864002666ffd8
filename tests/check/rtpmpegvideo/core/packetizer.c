/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "packetizer.h"

#include <stdio.h>
#include <string.h>

#include "../../rounds.h"
#include "../makestream.h"
#include "../rfc2250.h"

#define MAX_PAYLOADS 4096

/* Random streams to a test of them. */
#define SEEDS 20

#define SECOND M2V_SECOND
#define NEVER M2V_TIME_NONE

/* A sender, and all that it sent. */
typedef struct
{
  M2vSplitter splitter;
  M2vAssembler *assembler;
  RtpMpegPacketizer *packetizer;
  RtpMpegPacketizerSettings settings;
  Rfc2250Checker checker;

  int64_t pts;                  /* of the next frame; 40 ms a frame */
  GByteArray *out;              /* the elementary stream as sent */
  GString *flags;               /* a letter for each payload's markers and N */
  unsigned n_frames, n_payloads, n_sequences, n_unread;
} Sender;

static Sender *
sender_new (size_t max_payload, bool extension_header, int64_t interval)
{
  Sender *s = g_new0 (Sender, 1);

  m2v_splitter_init (&s->splitter);
  s->assembler = m2v_assembler_new ();
  s->packetizer = rtp_mpeg_packetizer_new ();
  s->settings.max_payload = max_payload;
  s->settings.extension_header = extension_header;
  s->settings.sequence_interval = interval;
  rtp_mpeg_packetizer_set (s->packetizer, &s->settings);
  rfc2250_init (&s->checker, max_payload, extension_header);
  s->out = g_byte_array_new ();
  s->flags = g_string_new (NULL);
  return s;
}

static void
sender_free (Sender * s)
{
  m2v_assembler_free (s->assembler);
  rtp_mpeg_packetizer_free (s->packetizer);
  g_byte_array_unref (s->out);
  g_string_free (s->flags, TRUE);
  g_free (s);
}

static uint8_t *
copy_payload (const RtpMpegPacket * packet, const uint8_t * const data[2],
    size_t *size)
{
  uint8_t *payload;

  *size = packet->header_size + packet->prefix_size + packet->range.size;
  payload = g_malloc (*size);
  memcpy (payload, packet->header, packet->header_size);
  if (packet->prefix_size > 0)
    memcpy (payload + packet->header_size, packet->prefix, packet->prefix_size);
  memcpy (payload + packet->header_size + packet->prefix_size,
      data[packet->picture] + packet->range.offset, packet->range.size);
  return payload;
}

static void
note_payload (Sender * s, const Rfc2250Payload * payload, bool marker)
{
  size_t header_size = rfc2250_header_size (payload);

  g_byte_array_append (s->out, payload->data + header_size,
      payload->size - header_size);
  s->n_payloads++;
  s->n_sequences += (payload->data[2] & 0x20) != 0;
  g_string_append_printf (s->flags, "%s%s",
      payload->data[2] & 0x40 ? "N" : "-", marker ? "M " : "");
}

static void
send_frame (Sender * s, const M2vFrame * frame, const uint8_t * const data[2])
{
  Rfc2250Payload payloads[MAX_PAYLOADS];
  RtpMpegPacket packet = {.marker = false };
  unsigned n = 0, which = 0;
  const char *wrong = NULL;

  rtp_mpeg_packetizer_begin (s->packetizer, frame, data);
  while (rtp_mpeg_packetizer_next (s->packetizer, &packet)) {
    g_assert (n < MAX_PAYLOADS);
    payloads[n].data = copy_payload (&packet, data, &payloads[n].size);
    note_payload (s, &payloads[n], packet.marker);
    n++;
    if (packet.marker)
      break;
  }
  fail_unless (packet.marker);
  fail_if (rtp_mpeg_packetizer_next (s->packetizer, &packet));
  s->n_frames++;
  if (frame->valid)
    wrong = rfc2250_check_frame (&s->checker, payloads, n, &which);
  else
    s->n_unread++;
  fail_unless (wrong == NULL, "frame %u, payload %u of %u (max. %zu): %s",
      s->n_frames, which, n, s->settings.max_payload, wrong);
  for (unsigned i = 0; i < n; i++)
    g_free ((uint8_t *) payloads[i].data);
}

static void
send_unread (Sender * s, const M2vPicture * span, const uint8_t * stream)
{
  const uint8_t *data[2] = { stream + span->begin, NULL };
  M2vFrame frame;

  memset (&frame, 0, sizeof frame);
  frame.n_pictures = 1;
  frame.pictures[0] = *span;
  send_frame (s, &frame, data);
}

static void
send_assembled (Sender * s, const M2vFrame * frame, const uint8_t * stream)
{
  const uint8_t *data[2] = {
    stream + frame->pictures[0].begin, stream + frame->pictures[1].begin
  };

  send_frame (s, frame, data);
}

/* The stream in one piece. */
static void
send_stream (Sender * s, const uint8_t * stream, size_t size)
{
  M2vFrame before, frame;
  M2vPicture span;
  size_t position = 0;

  while (m2v_splitter_next (&s->splitter, stream, size, &position, &span)) {
    M2vStamp stamp = { s->pts, M2V_TIME_NONE, false };
    unsigned result;

    if (span.kind != M2V_SPAN_PICTURE) {
      if (m2v_assembler_finish (s->assembler, &frame))
        send_assembled (s, &frame, stream);
      send_unread (s, &span, stream);
      continue;
    }
    result = m2v_assembler_push (s->assembler, &s->splitter, &span, &stamp,
        &before, &frame);
    if (result & M2V_ASSEMBLED_UNPAIRED)
      send_assembled (s, &before, stream);
    if (result & M2V_ASSEMBLED_FRAME) {
      send_assembled (s, &frame, stream);
      s->pts += SECOND / 25;
    }
  }
  if (m2v_assembler_finish (s->assembler, &frame))
    send_assembled (s, &frame, stream);
}

static void
assert_same_bytes (const GByteArray * out, const uint8_t * data, size_t size)
{
  fail_unless_equals_uint64 (out->len, size);
  fail_unless (memcmp (out->data, data, size) == 0);
}

/* Letters of pictures: I, P, B of MPEG-2, i, p, b, d of MPEG-1; before a letter
 * s: sequence header (S: with a matrix), g: group header, m: matrices, f:
 * f_code 3, c: composite display, t: top field first, T and U: top and bottom
 * field, u: user data, v: full_pel, e: sequence_end. One slice of 100 bytes
 * each, 400 with L, none and 290 bytes of user data with N. */
static void
make_letters (GByteArray * out, const char *letters, GRand * rand)
{
  unsigned temporal_reference = 0;
  MakePicture p = { 0 };

  p.slices[0] = 100;
  for (; *letters; letters++) {
    p.sequence |= *letters == 's' || *letters == 'S';
    p.sequence_matrix |= *letters == 'S';
    p.group |= *letters == 'g';
    p.matrix |= *letters == 'm';
    p.f_code |= *letters == 'f' ? 3 : 0;
    p.composite |= *letters == 'c' ? 1 : *letters == 'C' ? 2 : 0;
    p.top_field_first |= *letters == 't';
    p.full_pel |= *letters == 'v';
    p.structure |= *letters == 'T' ? 1 : *letters == 'U' ? 2 : 0;
    p.user_data |= *letters == 'u' ? 50 : 0;
    p.end |= *letters == 'e';
    if (*letters == 'L')
      p.slices[0] = 400;
    if (*letters == 'N') {
      p.slices[0] = 0;
      p.user_data = 290;
    }
    if (strchr ("IPBipbd", *letters)) {
      p.mpeg2 = *letters < 'a';
      p.type = strchr ("IPBd", *letters & 0x5f)
          ? strchr ("IPBD", *letters & 0x5f) - "IPBD" + 1 : 0;
      if (p.group)
        temporal_reference = 0;
      if (p.structure == 2)     /* as its first field */
        temporal_reference--;
      p.temporal_reference = temporal_reference++;
      make_picture (out, &p, rand);
      memset (&p, 0, sizeof p);
      p.slices[0] = 100;
    }
  }
}

/* N and the marker of each payload, max. 300 bytes. */
static const struct
{
  const char *what, *pictures, *flags;
} n_rows[] = {
  /* *INDENT-OFF* */
  {"the first of each type", "sgI P B B P I", "NM NM NM -M -M -M "},
  {"MPEG-1 has none", "sgi p b b p fb vp d", "-M -M -M -M -M -M -M -M "},
  {"vectors", "sgI P fP fP B P", "NM NM NM -M NM NM "},
  {"of its own type", "sgI fP B fP B", "NM NM NM -M -M "},
  {"composite display", "sgI cP cP P CP cP",
      "NM NM -M NM NM NM "},
  {"repeated fields", "sgI tI tI I", "NM NM -M NM "},
  {"matrices", "sgI mP P mP P", "NM NNM -M NNM -M "},
  {"sequence headers do not matter", "sgI P sgI P", "NM NM -M -M "},
  {"all of a picture's payloads", "sgLI LI fLP", "NNM --M NNM "},
  {"fields", "sgTI UP TP UP TP UP", "NNM NNM NNM "},
  {"an unpaired field", "sgTI TP UP", "NM NNM "},
  /* *INDENT-ON* */
};

GST_START_TEST (test_new_header)
{
  Sender *s = sender_new (300, false, NEVER);
  GByteArray *in = g_byte_array_new ();
  GRand *rand = g_rand_new_with_seed (1);

  make_letters (in, n_rows[__i__].pictures, rand);
  send_stream (s, in->data, in->len);
  fail_unless (strcmp (s->flags->str, n_rows[__i__].flags) == 0, "%s: %s",
      n_rows[__i__].what, s->flags->str);
  assert_same_bytes (s->out, in->data, in->len);
  g_rand_free (rand);
  g_byte_array_unref (in);
  sender_free (s);
}

GST_END_TEST;

/* How often a sequence header is sent; all pictures are I, 40 ms apart. */
static const struct
{
  const char *what, *pictures;
  int64_t interval;
  unsigned sequences;
} sequence_rows[] = {
  /* *INDENT-OFF* */
  {"never", "sgI gI gI sgI", NEVER, 2},
  {"before each", "sgI gI I sgI I", 0, 5},
  {"before I only", "sgI P B P B I P P", 0, 2},
  {"after 80 ms", "sgI gI gI gI gI gI", 80 * M2V_SECOND / 1000, 3},
  {"not before", "sgI gI gI gI gI gI", 81 * M2V_SECOND / 1000, 2},
  {"counted from one of the stream", "sgI gI sgI gI gI gI",
      80 * M2V_SECOND / 1000, 3},
  {"no sequence header yet", "gI gI sgI gI", 0, 2},
  {"MPEG-1: before groups only", "sgi i gi p i", 0, 2},
  {"with its own matrix", "SgI gI I", 0, 3},
  {"with the matrices in force", "sgI mP I gI mI I I", 0, 6},
  {"fields", "sgTI UP TI UP gTI UI", 0, 3},
  {"with user data", "sguI guI uI", 0, 3},
  {"after the end of a sequence", "sgI egI sgI gI", 0, 4},
  /* *INDENT-ON* */
};

/* Slices, and what a decoder has in force for them, are as they were. */
static void
assert_same_decoding (const GByteArray * out, const GByteArray * in)
{
  M2vSplitter a, b;
  M2vPicture x, y;
  size_t at_x = 0, at_y = 0;

  m2v_splitter_init (&a);
  m2v_splitter_init (&b);
  while (m2v_splitter_next (&a, in->data, in->len, &at_x, &x)) {
    fail_unless (m2v_splitter_next (&b, out->data, out->len, &at_y, &y));
    fail_unless_equals_int (x.kind, y.kind);
    fail_unless_equals_int (x.valid, y.valid);
    fail_unless_equals_int (x.has_group, y.has_group);
    fail_unless (x.slices.size == y.slices.size
        && memcmp (in->data + x.begin + x.slices.offset,
            out->data + y.begin + y.slices.offset, x.slices.size) == 0);
    fail_unless (memcmp (&a.matrices, &b.matrices, sizeof a.matrices) == 0);
    fail_unless_equals_int (a.has_sequence, b.has_sequence);
    fail_unless_equals_int (a.sequence.width, b.sequence.width);
    fail_unless_equals_int (a.sequence.mpeg2, b.sequence.mpeg2);
    fail_unless_equals_int (a.sequence.bit_rate, b.sequence.bit_rate);
    fail_unless_equals_int (x.mpeg2, y.mpeg2);
    fail_unless (memcmp (&x.header, &y.header, sizeof x.header) == 0);
  }
  fail_if (m2v_splitter_next (&b, out->data, out->len, &at_y, &y));
}

GST_START_TEST (test_sequence)
{
  Sender *s = sender_new (300, __i__ % 2, sequence_rows[__i__].interval);
  GByteArray *in = g_byte_array_new ();
  GRand *rand = g_rand_new_with_seed (1);

  make_letters (in, sequence_rows[__i__].pictures, rand);
  send_stream (s, in->data, in->len);
  fail_unless (s->n_sequences == sequence_rows[__i__].sequences, "%s: %u",
      sequence_rows[__i__].what, s->n_sequences);
  assert_same_decoding (s->out, in);
  g_rand_free (rand);
  g_byte_array_unref (in);
  sender_free (s);
}

GST_END_TEST;

/* A jump back in time repeats it; settings may change between frames; a reset
 * forgets the sequence and which headers are known. */
GST_START_TEST (test_changes)
{
  Sender *s = sender_new (1000, false, SECOND);
  GByteArray *in = g_byte_array_new ();
  GRand *rand = g_rand_new_with_seed (1);

  s->pts = 1000 * SECOND;
  make_letters (in, "sgI", rand);
  send_stream (s, in->data, in->len);
  g_byte_array_set_size (in, 0);
  make_letters (in, "gI", rand);
  send_stream (s, in->data, in->len);
  fail_unless_equals_int (s->n_sequences, 1);
  s->pts = 0;
  m2v_assembler_reset (s->assembler, 0);
  send_stream (s, in->data, in->len);
  fail_unless_equals_int (s->n_sequences, 2);

  s->settings.sequence_interval = 0;
  s->settings.extension_header = s->checker.extension_header = true;
  s->settings.max_payload = s->checker.max_payload = 300;
  rtp_mpeg_packetizer_set (s->packetizer, &s->settings);
  send_stream (s, in->data, in->len);
  fail_unless_equals_int (s->n_sequences, 3);
  fail_unless_equals_string (s->flags->str, "NM -M -M -M ");

  rtp_mpeg_packetizer_reset (s->packetizer);
  rfc2250_init (&s->checker, 300, true);
  send_stream (s, in->data, in->len);
  fail_unless_equals_int (s->n_sequences, 3);
  fail_unless_equals_string (s->flags->str, "NM -M -M -M NM ");
  g_rand_free (rand);
  g_byte_array_unref (in);
  sender_free (s);
}

GST_END_TEST;

static void
send_letters (Sender * s, const char *letters)
{
  GByteArray *in = g_byte_array_new ();
  GRand *rand = g_rand_new_with_seed (1);

  make_letters (in, letters, rand);
  send_stream (s, in->data, in->len);
  g_rand_free (rand);
  g_byte_array_unref (in);
}

/* Sends only the sequence header and its extension. */
static void
send_sequence (Sender * s)
{
  GByteArray *in = g_byte_array_new ();
  GRand *rand = g_rand_new_with_seed (1);

  make_letters (in, "sgI", rand);
  send_stream (s, in->data, 22);
  g_rand_free (rand);
  g_byte_array_unref (in);
}

/* A sequence header sent before its picture counts. */
GST_START_TEST (test_sequence_ahead)
{
  Sender *s = sender_new (300, false, 0);

  send_sequence (s);
  fail_unless_equals_int (s->n_sequences, 1);
  send_letters (s, "gI");
  fail_unless_equals_int (s->n_sequences, 1);
  send_letters (s, "gI");
  fail_unless_equals_int (s->n_sequences, 2);

  s->settings.sequence_interval = 80 * SECOND / 1000;
  rtp_mpeg_packetizer_set (s->packetizer, &s->settings);
  send_sequence (s);            /* 80 ms */
  send_letters (s, "gI gI");    /* to 160 ms */
  fail_unless_equals_int (s->n_sequences, 3);
  send_letters (s, "gI");
  fail_unless_equals_int (s->n_sequences, 4);
  sender_free (s);
}

GST_END_TEST;

/* One that is not known is not owed later. */
GST_START_TEST (test_sequence_unknown)
{
  Sender *s = sender_new (300, false, 0);
  GByteArray *in = g_byte_array_new ();
  GRand *rand = g_rand_new_with_seed (1);

  send_letters (s, "gi gi");
  make_letters (in, "sgi", rand);
  send_stream (s, in->data, 12);
  send_letters (s, "i");        /* nor may it stand there */
  fail_unless_equals_int (s->n_sequences, 1);
  send_letters (s, "gi");
  fail_unless_equals_int (s->n_sequences, 2);
  g_rand_free (rand);
  g_byte_array_unref (in);
  sender_free (s);
}

GST_END_TEST;

GST_START_TEST (test_long)
{
  Sender *s = sender_new (300, false, 0);

  send_letters (s, "sgI");
  for (unsigned i = 1; i < 500; i++)
    send_letters (s, "gI");
  fail_unless_equals_int (s->n_sequences, 500);
  sender_free (s);
}

GST_END_TEST;

/* What is not read has the last picture's type, and its headers whole. */
GST_START_TEST (test_unread)
{
  static const uint8_t stray[700] = { 0, 0, 1, 5, 0xff };
  Sender *s = sender_new (300, true, 0);
  const uint8_t *data[2] = { stray, NULL };
  RtpMpegPacket packet = {.marker = false };
  M2vFrame frame = { 0 };
  static const uint8_t header[] = { 0, 0, 0x03, 0 };

  send_letters (s, "sgI P B");
  frame.n_pictures = 1;
  frame.pictures[0].kind = M2V_SPAN_STRAY;
  frame.pictures[0].size = sizeof stray;
  rtp_mpeg_packetizer_begin (s->packetizer, &frame, data);
  for (unsigned i = 0; i < 3; i++) {
    fail_unless (rtp_mpeg_packetizer_next (s->packetizer, &packet));
    fail_unless_equals_int (packet.header_size, sizeof header);
    fail_unless (memcmp (packet.header, header, sizeof header) == 0);
    fail_unless_equals_uint64 (packet.range.offset, i * 296);
    fail_unless_equals_int (packet.marker, i == 2);
  }
  sender_free (s);

  s = sender_new (300, true, NEVER);
  send_letters (s, "sgNI");
  fail_unless_equals_int (s->n_unread, 1);
  fail_unless_equals_int (s->n_payloads, 2);
  sender_free (s);
}

GST_END_TEST;

/* The largest header stays whole, however small the payload is to be. */
GST_START_TEST (test_smallest)
{
  static const size_t sizes[] = { 0, 4, 12, 260, 261, 262, 264, 265, 268, 272,
    273, 274
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Sender *s = sender_new (sizes[i], true, NEVER);

    s->checker.max_payload = MAX (sizes[i], RTP_MPEG_MIN_PAYLOAD + 12);
    send_letters (s, "SgcLI mcLcP LcB");
    send_letters (s, "SgcLI mcLcP LcB");
    fail_unless_equals_int (s->n_frames, 6);
    sender_free (s);
  }
}

GST_END_TEST;

static void
random_slices (MakePicture * p, GRand * rand)
{
  unsigned n = g_rand_int_range (rand, 1, MAKE_MAX_SLICES);
  unsigned largest = 5 << g_rand_int_range (rand, 0, 10);

  for (unsigned i = 0; i < n; i++)
    p->slices[i] = g_rand_int_range (rand, 5, largest + 1);
}

static void
random_frame (GByteArray * out, bool mpeg2, unsigned k, GRand * rand)
{
  static const unsigned sizes[] = { 0, 0, 0, 0, 4, 60, 300, 1400, 4000 };
  bool fields = mpeg2 && g_rand_int (rand) % 3 == 0;
  MakePicture p = { 0 };

  p.mpeg2 = mpeg2;
  p.type = k == 0 ? 1 : 1 + g_rand_int (rand) % 3;
  p.sequence = k == 0 || (p.type == 1 && g_rand_int (rand) % 3 == 0);
  p.sequence_matrix = g_rand_int (rand) % 2;
  p.group = p.sequence || (p.type == 1 && g_rand_int (rand) % 2);
  if (mpeg2 && g_rand_int (rand) % 4 == 0)
    p.group = false;
  p.temporal_reference = k;
  for (unsigned i = 0; i <= fields; i++) {
    p.structure = fields ? 1 + i : 0;
    p.f_code = 1 + g_rand_int (rand) % 3;
    p.full_pel = g_rand_int (rand) % 2;
    p.composite = g_rand_int (rand) % 4 == 0;
    p.matrix = g_rand_int (rand) % 4 == 0;
    p.user_data = sizes[g_rand_int (rand) % G_N_ELEMENTS (sizes)];
    memset (p.slices, 0, sizeof p.slices);
    random_slices (&p, rand);
    make_picture (out, &p, rand);
    p.sequence = p.group = false;
    if (p.type == 1 && g_rand_int (rand) % 2)
      p.type = 2;
  }
}

/* Any pictures, any payload size. */
static void
check_random (unsigned seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  bool mpeg2 = g_rand_int (rand) % 4 > 0, extension = g_rand_int (rand) % 2;
  size_t max_payload = g_rand_int_range (rand, 273, 1500);
  GByteArray *in = g_byte_array_new ();
  Sender *s = sender_new (max_payload, extension, NEVER);
  Sender *repeating = sender_new (max_payload, extension, 0);

  for (unsigned k = 0; k < 8; k++)
    random_frame (in, mpeg2, k, rand);
  send_stream (s, in->data, in->len);
  assert_same_bytes (s->out, in->data, in->len);
  fail_unless_equals_int (s->n_unread, 0);
  fail_unless_equals_int (s->n_frames, 8);
  send_stream (repeating, in->data, in->len);
  assert_same_decoding (repeating->out, in);
  sender_free (s);
  sender_free (repeating);
  g_byte_array_unref (in);
  g_rand_free (rand);
}

GST_START_TEST (test_random)
{
  for (unsigned i = 0; i < test_rounds (SEEDS); i++)
    check_random (__i__ * SEEDS + i);
}

GST_END_TEST;

/* Bits flipped anywhere: every byte is sent, in its order. */
static void
check_damaged (unsigned seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  GByteArray *in = g_byte_array_new ();
  Sender *s = sender_new (g_rand_int_range (rand, 0, 1500), false, NEVER);
  M2vSplitter splitter;
  M2vFrame before, frame;
  M2vPicture span;
  size_t position = 0, sent = 0;

  for (unsigned k = 0; k < 8; k++)
    random_frame (in, true, k, rand);
  for (unsigned k = 0; k < 1 + in->len / 200; k++)
    in->data[g_rand_int (rand) % in->len] ^= 1 << g_rand_int (rand) % 8;
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, in->data, in->len, &position, &span)) {
    M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, false };
    const uint8_t *data[2] = { in->data + span.begin, NULL };
    RtpMpegPacket packet = {.marker = false };

    if (span.kind == M2V_SPAN_PICTURE)
      m2v_assembler_push (s->assembler, &splitter, &span, &stamp, &before,
          &frame);
    memset (&frame, 0, sizeof frame);
    frame.n_pictures = 1;
    frame.pictures[0] = span;
    frame.valid = span.valid;
    frame.type = span.header.type;
    rtp_mpeg_packetizer_begin (s->packetizer, &frame, data);
    while (rtp_mpeg_packetizer_next (s->packetizer, &packet)) {
      fail_unless (packet.prefix_size == 0 && packet.range.size > 0);
      fail_unless (packet.range.size <= MAX (RTP_MPEG_MIN_PAYLOAD,
              s->settings.max_payload - packet.header_size));
      fail_unless_equals_uint64 (span.begin + packet.range.offset, sent);
      fail_unless ((packet.header[2] & 7) != 0);
      sent += packet.range.size;
    }
    fail_unless (packet.marker);
  }
  fail_unless_equals_uint64 (sent, in->len);
  g_byte_array_unref (in);
  g_rand_free (rand);
  sender_free (s);
}

GST_START_TEST (test_damaged)
{
  for (unsigned i = 0; i < test_rounds (SEEDS); i++)
    check_damaged (__i__ * SEEDS + i);
}

GST_END_TEST;

static void
check_file (const char *path)
{
  static const size_t sizes[] = { 273, 500, 1388, 1460, 8960 };
  guint8 *stream;
  gsize size;

  fail_unless (g_file_get_contents (path, (gchar **) & stream, &size, NULL),
      "%s", path);
  for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Sender *s = sender_new (sizes[i], i % 2, NEVER);

    send_stream (s, stream, size);
    assert_same_bytes (s->out, stream, size);
    if (i == 2)
      g_print ("%s: %u frames (%u unread), %u payloads, %u with a new header\n",
          path, s->n_frames, s->n_unread, s->n_payloads, s->checker.n_n_bits);
    sender_free (s);
  }
  g_free (stream);
}

static const char *const files[] = {
  "bbb-352x288p25-1100k.m1v",
  "bbb-352x576i25-fields-3M.m2v",
  "ocean-176x96p30-500k.m2v",
  "sintel-720x480-pulldown-4M.m2v",
  "walk-720x480p30-4M.m2v",
};

GST_START_TEST (test_files)
{
  gchar *path = g_build_filename (TEST_FILES_DIR, files[__i__], NULL);

  check_file (path);
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (test_media)
{
  const gchar *directory = g_getenv ("MPEG_MEDIA_DIR"), *name;
  GDir *dir;

  if (directory == NULL) {
    g_print ("skipped: MPEG_MEDIA_DIR is not set\n");
    return;
  }
  dir = g_dir_open (directory, 0, NULL);
  fail_unless (dir != NULL, "%s", directory);
  while ((name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (directory, name, NULL);

    if (g_str_has_suffix (name, ".m2v") || g_str_has_suffix (name, ".m1v"))
      check_file (path);
    g_free (path);
  }
  g_dir_close (dir);
}

GST_END_TEST;

static Suite *
packetizer_suite (void)
{
  Suite *s = suite_create ("packetizer");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_new_header, 0, G_N_ELEMENTS (n_rows));
  tcase_add_loop_test (tc, test_sequence, 0, G_N_ELEMENTS (sequence_rows));
  tcase_add_test (tc, test_changes);
  tcase_add_test (tc, test_sequence_ahead);
  tcase_add_test (tc, test_sequence_unknown);
  tcase_add_test (tc, test_long);
  tcase_add_test (tc, test_unread);
  tcase_add_test (tc, test_smallest);
  tcase_add_loop_test (tc, test_random, 0, 10);
  tcase_add_loop_test (tc, test_damaged, 0, 10);
  tcase_add_loop_test (tc, test_files, 0, G_N_ELEMENTS (files));
  tcase_add_test (tc, test_media);
  return s;
}

GST_CHECK_MAIN (packetizer);
