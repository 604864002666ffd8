/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Random streams over a random network: without loss every bit arrives; with
 * it, no slice that has arrived is missing, and nothing is delivered that was
 * not sent for that picture.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "../../rounds.h"
#include "../makestream.h"
#include <mpeg2/assembler.h>
#include "packetizer.h"
#include "receiver.h"

#define N_FRAMES 14
#define TICKS 3600
#define MAX_UNITS 400

typedef enum
{
  STYLE_PLAIN,
  STYLE_EXTENSION,              /* with section 3.4.1's header */
  STYLE_ZERO,                   /* payload header zero, cut anywhere */
  N_STYLES
} Style;

typedef struct
{
  gsize at, size;
  guint code;
  gint picture;                 /* -1: before the first one */
  gsize received;               /* bytes of it from its beginning on */
  gboolean found;
} Unit;

typedef struct
{
  GByteArray *bytes;
  guint8 *received;             /* a flag for each byte */
  Unit units[MAX_UNITS];
  guint n_units;
} SentFrame;

typedef struct
{
  GByteArray *payload;
  guint frame;
  gsize at, size;               /* bytes of the frame */
  gboolean marker;
} Sent;

typedef struct
{
  GRand *rand;
  Style style;
  gboolean mpeg2, fields;
  gsize max_payload;
  SentFrame frames[N_FRAMES];
  GArray *packets;              /* of Sent */
} Sender;

static guint
find_units (const GByteArray * bytes, Unit * units)
{
  guint n = 0;
  gint picture = -1;

  for (gsize i = 0; i + 3 < bytes->len; i++) {
    if (bytes->data[i] || bytes->data[i + 1] || bytes->data[i + 2] != 1)
      continue;
    fail_unless (n < MAX_UNITS);
    if (n > 0)
      units[n - 1].size = i - units[n - 1].at;
    memset (&units[n], 0, sizeof *units);
    picture += bytes->data[i + 3] == 0;
    units[n].at = i;
    units[n].code = bytes->data[i + 3];
    units[n].picture = picture;
    units[n++].size = bytes->len - i;
  }
  return n;
}

static guint
pick (GRand * rand, guint n)
{
  return g_rand_int_range (rand, 0, n);
}

static void
make_frame (Sender * s, guint number)
{
  SentFrame *f = &s->frames[number];
  guint type = number == 0 ? 1 : 1 + pick (s->rand, 3);
  gboolean fields = s->fields && pick (s->rand, 4) > 0;
  guint n = 1 + pick (s->rand, 12);

  f->bytes = g_byte_array_new ();
  for (guint i = 0; i < (fields ? 2 : 1); i++) {
    MakePicture p = {.mpeg2 = s->mpeg2 };

    p.sequence = i == 0 && type == 1 && (number == 0 || pick (s->rand, 2));
    p.group = i == 0 && (p.sequence || pick (s->rand, 4) == 0);
    p.type = type == 1 && i == 1 ? 2 : type;
    p.temporal_reference = number;
    p.structure = fields ? 1 + i : 0;
    p.f_code = 1 + (pick (s->rand, 4) == 0);
    p.matrix = s->mpeg2 && pick (s->rand, 8) == 0;
    p.composite = s->mpeg2 && pick (s->rand, 8) == 0;
    p.user_data = pick (s->rand, 6) == 0 ? 10 : 0;
    for (guint j = 0; j < n; j++)
      p.slices[j] = 6 + pick (s->rand, pick (s->rand, 4) ? 300 : 3000);
    make_picture (f->bytes, &p, s->rand);
  }
  f->received = g_new0 (guint8, f->bytes->len);
  f->n_units = find_units (f->bytes, f->units);
}

static void
add_packet (Sender * s, guint number, const guint8 * header, gsize header_size,
    gsize at, gsize size, gboolean marker)
{
  Sent packet = { g_byte_array_new (), number, at, size, marker };

  g_byte_array_append (packet.payload, header, header_size);
  g_byte_array_append (packet.payload, s->frames[number].bytes->data + at,
      size);
  g_array_append_val (s->packets, packet);
}

static void
cut_anywhere (Sender * s, guint number, gsize max)
{
  static const guint8 zero[4];
  gsize size = s->frames[number].bytes->len;

  for (gsize at = 0; at < size; at += max)
    add_packet (s, number, zero, sizeof zero, at, MIN (max, size - at),
        at + max >= size);
}

static void
packetize (Sender * s, guint number, M2vSplitter * splitter,
    M2vAssembler * assembler, RtpMpegPacketizer * packetizer)
{
  const GByteArray *bytes = s->frames[number].bytes;
  M2vStamp stamp = { number * 40 * M2V_SECOND / 1000, M2V_TIME_NONE, false };
  M2vFrame before, frame;
  M2vPicture span;
  RtpMpegPacket packet;
  const guint8 *data[2];
  gsize position = 0;
  guint result = 0;

  while (m2v_splitter_next (splitter, bytes->data, bytes->len, &position,
          &span)) {
    fail_unless (span.kind == M2V_SPAN_PICTURE && span.valid);
    result = m2v_assembler_push (assembler, splitter, &span, &stamp, &before,
        &frame);
  }
  fail_unless_equals_int (result, M2V_ASSEMBLED_FRAME);
  for (guint i = 0; i < 2; i++)
    data[i] =
        bytes->data + (i < frame.n_pictures ? frame.pictures[i].begin : 0);
  rtp_mpeg_packetizer_begin (packetizer, &frame, data);
  while (rtp_mpeg_packetizer_next (packetizer, &packet)) {
    fail_unless_equals_int (packet.prefix_size, 0);
    add_packet (s, number, packet.header, packet.header_size,
        frame.pictures[packet.picture].begin + packet.range.offset,
        packet.range.size, packet.marker);
  }
}

static Sender *
sender_new (guint32 seed)
{
  Sender *s = g_new0 (Sender, 1);
  RtpMpegPacketizerSettings settings = { 0 };
  M2vSplitter splitter;
  M2vAssembler *assembler = m2v_assembler_new ();
  RtpMpegPacketizer *packetizer = rtp_mpeg_packetizer_new ();

  s->rand = g_rand_new_with_seed (seed);
  s->style = pick (s->rand, N_STYLES);
  s->mpeg2 = pick (s->rand, 3) > 0;
  s->fields = s->mpeg2 && s->style != STYLE_ZERO && pick (s->rand, 2);
  s->packets = g_array_new (FALSE, FALSE, sizeof (Sent));
  s->max_payload = settings.max_payload = 300 + pick (s->rand, 1100);
  settings.extension_header = s->style == STYLE_EXTENSION;
  settings.sequence_interval = M2V_TIME_NONE;
  rtp_mpeg_packetizer_set (packetizer, &settings);
  m2v_splitter_init (&splitter);
  for (guint i = 0; i < N_FRAMES; i++) {
    make_frame (s, i);
    if (s->style == STYLE_ZERO)
      cut_anywhere (s, i, settings.max_payload);
    else
      packetize (s, i, &splitter, assembler, packetizer);
  }
  m2v_assembler_free (assembler);
  rtp_mpeg_packetizer_free (packetizer);
  return s;
}

static void
sender_free (Sender * s)
{
  for (guint i = 0; i < N_FRAMES; i++) {
    g_byte_array_unref (s->frames[i].bytes);
    g_free (s->frames[i].received);
  }
  for (guint i = 0; i < s->packets->len; i++)
    g_byte_array_unref (g_array_index (s->packets, Sent, i).payload);
  g_array_unref (s->packets);
  g_rand_free (s->rand);
  g_free (s);
}

static void
deliver_packet (Sender * s, Receiver * v, guint i, gboolean in_order)
{
  const Sent *packet = &g_array_index (s->packets, Sent, i);
  RtpMpegArrival arrival = { 0 };

  arrival.payload = packet->payload->data;
  arrival.size = packet->payload->len;
  arrival.timestamp = 0xffff0000u + TICKS * packet->frame;
  arrival.seq = 65500 + i;
  arrival.marker = packet->marker;
  receiver_push (v, &arrival);
  if (in_order)
    memset (s->frames[packet->frame].received + packet->at, 1, packet->size);
}

/* Loses, repeats and swaps packets; those of the first frame arrive. */
static void
transmit (Sender * s, Receiver * v, guint loss_percent)
{
  gboolean burst = FALSE;
  guint next = 0;

  for (guint i = 0; i < s->packets->len; i++) {
    gboolean spared = g_array_index (s->packets, Sent, i).frame == 0;
    guint swap = loss_percent > 0 && !spared && i + 1 < s->packets->len &&
        pick (s->rand, 50) == 0;

    burst = pick (s->rand, 100) < (burst ? 50 : loss_percent);
    if (burst && !spared)
      continue;
    deliver_packet (s, v, i + swap, i + swap >= next);
    next = MAX (next, i + swap + 1);
    if (swap)
      deliver_packet (s, v, i, i >= next);
    else if (pick (s->rand, 50) == 0)
      deliver_packet (s, v, i, FALSE);
    i += swap;
  }
  receiver_finish (v);
}

/* Without the zeros behind a slice that was cut. */
static gsize
cut_size (const GByteArray * bytes, const Unit * unit)
{
  gsize size = unit->size;

  if (size <= 4 + 3 || memcmp (bytes->data + unit->at + size - 3, "\0\0", 3))
    return 0;
  while (bytes->data[unit->at + size - 1] == 0)
    size--;
  return size;
}

/* The sent unit that one delivered is, or is the beginning of. */
static Unit *
find_sent (SentFrame * f, guint * from, const GByteArray * bytes,
    const Unit * unit, gboolean cut)
{
  gsize size = cut ? cut_size (bytes, unit) : unit->size;

  for (guint i = *from; i < f->n_units && size > 0; i++) {
    Unit *sent = &f->units[i];

    if ((size == sent->size || (cut && size < sent->size
                && m2v_code_is_slice (sent->code)))
        && memcmp (bytes->data + unit->at, f->bytes->data + sent->at,
            size) == 0) {
      sent->found = size == sent->size;
      *from = i + 1;
      return sent;
    }
  }
  return NULL;
}

static void
check_frame (Sender * s, guint32 seed, const Frame * frame)
{
  guint number = (frame->timestamp - 0xffff0000u) / TICKS;
  SentFrame *f = &s->frames[number];
  Unit units[MAX_UNITS];
  guint n = find_units (frame->bytes, units), from = 0;
  gint picture = -1;

  for (guint i = 0; i < n; i++) {
    Unit *sent = find_sent (f, &from, frame->bytes, &units[i], FALSE);

    if (!sent && frame->damaged)
      sent = find_sent (f, &from, frame->bytes, &units[i], TRUE);
    /* Headers of a frame that was lost. */
    if (!sent && units[i].picture < 0 && !m2v_code_is_slice (units[i].code))
      continue;
    fail_unless (sent != NULL, "seed %u, frame %u: unit %u, %02x, not sent",
        seed, number, i, units[i].code);
    /* Two fields differ in the extension. */
    if (!m2v_code_is_slice (sent->code))
      picture = sent->picture;
    else
      fail_unless (sent->picture == picture, "seed %u, frame %u: slice of "
          "another picture", seed, number);
    /* All that has arrived of it. */
    if (!sent->found && s->style != STYLE_ZERO) {
      gsize received = 0;

      while (received < sent->size && f->received[sent->at + received])
        received++;
      fail_unless_equals_int (units[i].size - 3, received);
    }
  }
  if (!frame->damaged)
    fail_unless (from == f->n_units, "seed %u, frame %u lacks something",
        seed, number);
}

/* A start code in two payloads is only found in a row of them. */
static gboolean
begins_in_one (const Sender * s, const Unit * unit)
{
  return s->style != STYLE_ZERO ||
      unit->at / s->max_payload == (unit->at + 3) / s->max_payload;
}

static gboolean
all_received (const SentFrame * f, const Unit * unit)
{
  return memchr (f->received + unit->at, 0, unit->size) == NULL;
}

/* Slices that have arrived whole, with all headers of their picture. */
static void
check_complete (const Sender * s, guint32 seed)
{
  for (guint i = 0; i < N_FRAMES; i++) {
    const SentFrame *f = &s->frames[i];
    gboolean headers = TRUE;

    for (guint j = 0; j < f->n_units; j++) {
      const Unit *unit = &f->units[j];

      if (unit->code == M2V_CODE_PICTURE)
        headers = TRUE;
      if (!m2v_code_is_slice (unit->code))
        headers = headers && all_received (f, unit);
      else if (headers && all_received (f, unit) && begins_in_one (s, unit))
        fail_unless (unit->found, "seed %u, frame %u: unit %u, %02x, is "
            "missing", seed, i, j, unit->code);
    }
  }
}

static void
run (guint32 seed, guint loss_percent)
{
  Sender *s = sender_new (seed);
  Receiver v;

  receiver_init (&v);
  transmit (s, &v, loss_percent);
  for (guint i = 0; i < v.frames->len; i++)
    check_frame (s, seed, g_ptr_array_index (v.frames, i));
  /* Which field a slice is of cannot always be told without extension. */
  if (!s->fields || s->style == STYLE_EXTENSION)
    check_complete (s, seed);
  if (loss_percent == 0) {
    fail_unless_equals_int (v.frames->len, N_FRAMES);
    for (guint i = 0; i < N_FRAMES; i++) {
      const Frame *frame = g_ptr_array_index (v.frames, i);

      fail_unless (frame->bytes->len == s->frames[i].bytes->len &&
          memcmp (frame->bytes->data, s->frames[i].bytes->data,
              frame->bytes->len) == 0, "seed %u, frame %u", seed, i);
      fail_if (frame->damaged);
      fail_unless (frame->discont == (i == 0));
    }
  }
  receiver_clear (&v);
  sender_free (s);
}

GST_START_TEST (test_lossless)
{
  for (guint32 seed = 0; seed < test_rounds (60); seed++)
    run (seed, 0);
}

GST_END_TEST;

GST_START_TEST (test_losses)
{
  for (guint32 seed = 0; seed < test_rounds (300); seed++)
    run (seed, 1 + seed % 30);
}

GST_END_TEST;

/* Damaged packets: nothing more is promised than to stay within bounds. */
GST_START_TEST (test_corruption)
{
  for (guint32 seed = 1000; seed < 1000 + test_rounds (100); seed++) {
    Sender *s = sender_new (seed);
    gsize size = 0;
    Receiver v;

    for (guint i = 0; i < s->packets->len; i++) {
      GByteArray *payload = g_array_index (s->packets, Sent, i).payload;

      if (pick (s->rand, 4) == 0)
        payload->data[pick (s->rand, MIN (payload->len, 24))] ^=
            1 << pick (s->rand, 8);
      if (pick (s->rand, 20) == 0)
        g_byte_array_set_size (payload, pick (s->rand, payload->len));
      size += payload->len;
    }
    receiver_init (&v);
    transmit (s, &v, 5);
    for (guint i = 0; i < v.frames->len; i++)
      size -= ((Frame *) g_ptr_array_index (v.frames, i))->bytes->len;
    fail_unless (size < G_MAXSIZE / 2, "seed %u: more came than went", seed);
    receiver_clear (&v);
    sender_free (s);
  }
}

GST_END_TEST;

static Suite *
losses_suite (void)
{
  Suite *s = suite_create ("losses");
  TCase *tc = tcase_create ("losses");

  tcase_add_test (tc, test_lossless);
  tcase_add_test (tc, test_losses);
  tcase_add_test (tc, test_corruption);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (losses);
