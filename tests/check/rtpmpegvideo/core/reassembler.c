/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What is sent and what comes of it, in a language of one letter a unit:
 *
 *   S s      sequence header of MPEG-2 (with extension), of MPEG-1
 *   Z        sequence header that holds a forbidden value
 *   G E      group header, sequence_end_code
 *   I P B    picture header of MPEG-2 (with extension), frame pictures
 *   V        P with another extension than P
 *   t u      P, top and bottom field
 *   i p b    picture header of MPEG-1
 *   1..9     slice of that row
 *   ( - )    slice of row 5: its beginning, middle and end
 *   [ ]      slice of row 6, cut after 00 00 01
 *   { }      picture header P, cut
 *   X        picture_coding_extension without its picture header
 *   _        the zeros behind a slice that was cut
 *
 * A packet is "12P:units!": time stamp digit, temporal_reference digit, type
 * (0: the payload header is zero), '!': marker. Before the ':' may stand '+'
 * (N), 'n' (not AN), 'e' (E), 'T', 'U' or 'W' (extension: of frame pictures, of
 * the bottom field, of zeros), 'f' (MPEG-1's vectors). It follows 'x' where it
 * is lost, 'd' where it comes twice, 'r' where sequence numbers begin anew after
 * it, 'm' where it is cut to 3 bytes. A frame is "2:units", 2 its
 * temporal_reference, with '*' where it is damaged, '~' where frames before it
 * are missing, '.' an I frame.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "../../mpeg2/headerwriter.h"
#include "receiver.h"

#define PART 20

static void
write_bytes (HeaderWriter * w, guint seed, gsize n)
{
  for (gsize i = 0; i < n; i++)
    m2v_write_bits (&w->bits, 1 + (seed * 37 + i * 11) % 255, 8);
}

static void
write_slice (HeaderWriter * w, guint row)
{
  m2v_write_start_code (&w->bits, row);
  write_bytes (w, row, PART + 5 * row);
}

static void
write_mpeg2_picture (HeaderWriter * w, guint reference, gchar letter)
{
  CodingFields coding = default_coding;
  guint type = letter == 'I' ? 1 : letter == 'B' ? 3 : 2;

  for (guint i = 0; i < 4; i++)
    coding.f_code[i] = 2 * (type - 1) > i ? 2 : 15;
  if (letter == 'V')
    coding.dc_precision = 1;
  if (letter == 't' || letter == 'u')
    coding.structure = letter == 't' ? M2V_TOP_FIELD : M2V_BOTTOM_FIELD;
  write_picture (w, reference, type, 0xffff, 7, 7, 0);
  write_coding (w, &coding);
}

static void
write_unit (HeaderWriter * w, guint reference, gchar letter)
{
  static const SequenceFields bad_sequence = {.frame_rate_code = 3 };
  static const uint8_t header_part[] = { 0, 0, 1, 0, 0 };

  switch (letter) {
    case 'S':
    case 's':
      write_sequence (w, &default_sequence);
      if (letter == 'S')
        write_sequence_extension (w, &default_sequence_extension);
      break;
    case 'Z':
      write_sequence (w, &bad_sequence);
      break;
    case 'G':
      write_group (w, 1 << 12, 1, 0);
      break;
    case 'E':
      m2v_write_start_code (&w->bits, M2V_CODE_SEQUENCE_END);
      break;
    case 'I':
    case 'P':
    case 'V':
    case 'B':
    case 't':
    case 'u':
      write_mpeg2_picture (w, reference, letter);
      break;
    case 'i':
    case 'p':
    case 'b':
      write_picture (w, reference, letter == 'i' ? 1 : letter == 'p' ? 2 : 3,
          0xffff, 1, 2, 0);
      break;
    case '(':
      m2v_write_start_code (&w->bits, 5);
      write_bytes (w, 40, PART);
      break;
    case '-':
    case ')':
      write_bytes (w, letter == '-' ? 41 : 42, PART);
      break;
    case '[':
      m2v_write_bits (&w->bits, 1, 24);
      break;
    case ']':
      m2v_write_bits (&w->bits, 6, 8);
      write_bytes (w, 6, PART);
      break;
    case '{':
      for (guint i = 0; i < sizeof header_part; i++)
        m2v_write_bits (&w->bits, header_part[i], 8);
      break;
    case '}':
      write_bytes (w, 43, PART);
      break;
    case 'X':
      write_coding (w, &default_coding);
      break;
    case '_':
      m2v_write_bits (&w->bits, 0, 24);
      break;
    default:
      fail_unless (letter >= '1' && letter <= '9', "no unit '%c'", letter);
      write_slice (w, letter - '0');
  }
}

typedef struct
{
  gchar what;                   /* the letter before it, or 0 */
  RtpMpegArrival arrival;
  HeaderWriter bytes;
} Packet;

static void
set_extension (RtpMpegHeader * h, gboolean bottom)
{
  h->has_extension = true;
  for (guint i = 0; i < 4; i++)
    h->coding.f_code[i / 2][i % 2] = 2 * (h->type - 1) > i ? 2 : 15;
  h->coding.structure = bottom ? M2V_BOTTOM_FIELD : M2V_FRAME_PICTURE;
  h->coding.frame_pred_frame_dct = true;
  h->coding.progressive_frame = true;
  h->coding.chroma_420_type = true;
}

static void
parse_packet (const gchar * text, Packet * p)
{
  static const gchar types[] = "0IPBD";
  RtpMpegHeader h = { 0 };
  guint reference;
  uint8_t header[RTP_MPEG_HEADER_MAX_SIZE];
  gsize size;

  memset (p, 0, sizeof *p);
  header_writer_init (&p->bytes);
  if (strchr ("xdrm", *text))
    p->what = *text++;
  p->arrival.timestamp = 3003 * (*text++ - '0');
  reference = *text++ - '0';
  h.type = strchr (types, *text++) - types;
  h.active_n = h.type != 0;
  for (; *text != ':'; text++) {
    h.new_header |= *text == '+';
    h.end_slice |= *text == 'e';
    if (*text == 'n' || *text == 'f')
      h.active_n = false;
    h.has_extension |= *text == 'W';
    if (*text == 'T' || *text == 'U')
      set_extension (&h, *text == 'U');
    if (*text == 'f') {
      h.f_code[0] = h.type > 1 ? 1 : 0;
      h.f_code[1] = h.type > 2 ? 2 : 0;
    }
  }
  h.temporal_reference = h.type ? reference : 0;
  size = rtp_mpeg_header_write (&h, header);
  for (guint i = 0; i < size; i++)
    m2v_write_bits (&p->bytes.bits, header[i], 8);
  for (text++; *text && *text != '!'; text++)
    write_unit (&p->bytes, reference, *text);
  p->arrival.marker = *text == '!';
  p->arrival.payload = p->bytes.data;
  p->arrival.size = p->what == 'm' ? 3 : m2v_write_align (&p->bytes.bits);
}

static void
send_packets (Receiver * v, const gchar * texts)
{
  gchar **packets = g_strsplit (texts, " ", -1);
  guint16 seq = 65530;

  for (guint i = 0; packets[i]; i++) {
    Packet p;

    parse_packet (packets[i], &p);
    p.arrival.seq = seq++;
    if (p.what != 'x')
      receiver_push (v, &p.arrival);
    if (p.what == 'd')
      receiver_push (v, &p.arrival);
    if (p.what == 'r')
      seq += 20000;
  }
  g_strfreev (packets);
}

static void
check_frame (const gchar * what, guint n, const Frame * frame,
    const gchar * text)
{
  HeaderWriter w;
  gsize size, flags;

  header_writer_init (&w);
  fail_unless (text[1] == ':');
  flags = strcspn (text, "*~.");
  for (gsize i = 2; i < flags; i++)
    write_unit (&w, text[0] - '0', text[i]);
  size = m2v_write_align (&w.bits);
  fail_unless (frame->bytes->len == size
      && memcmp (frame->bytes->data, w.data, size) == 0,
      "%s: frame %u has %u bytes, not %s", what, n, frame->bytes->len, text);
  fail_unless (frame->damaged == (strchr (text, '*') != NULL),
      "%s: frame %u, %s: damaged %d", what, n, text, frame->damaged);
  fail_unless (frame->discont == (strchr (text, '~') != NULL),
      "%s: frame %u, %s: discont %d", what, n, text, frame->discont);
  fail_unless (frame->intra == (strchr (text + flags, '.') != NULL),
      "%s: frame %u, %s: intra %d", what, n, text, frame->intra);
}

/* *INDENT-OFF* */
static const struct
{
  const gchar *what, *sent, *frames;
} rows[] = {
  {"nothing lost", "11I:SGI12 11I:34! 22P:P12 22P:34!", "1:SGI1234~. 2:P1234"},
  {"several pictures' headers", "11I:SGI1! 22P:P1! 33B:B1! 44I:GI1!",
      "1:SGI1~. 2:P1 3:B1 4:GI1."},
  {"no markers", "11I:SGI12 11I:34 22P:P12 22P:34 33B:B1",
      "1:SGI1234~. 2:P1234 3:B1"},
  {"two fields", "11I:SI1! 22P+:t12 22P+:u12!", "1:SI1~. 2:t12u12"},
  {"sequence_end", "11I:SI1! 22P:P1E!", "1:SI1~. 2:P1E"},
  {"MPEG-1", "11I:sGi1! 22Pf:p1! 33Bf:b1!", "1:sGi1~. 2:p1 3:b1"},
  {"time stamps alike", "11I:SI1! 12P:P1! 13P:P1!", "1:SI1~. 2:P1 3:P1"},
  {"a packet in the middle", "11I:SI12 x11I:34 11I:56!", "1:SI12_56*~."},
  {"behind a whole slice", "11I:SI1! 22Pe:P12 x22P:34 22Pe:5!",
      "1:SI1~. 2:P125*"},
  {"the end", "11I:SI1! 22P:P12 x22P:34! 33P:P1!", "1:SI1~. 2:P12_* 3:P1"},
  {"the end, and more", "11I:SI1! 22P:P12 x22P:34! x33B:B1! 44P:P1!",
      "1:SI1~. 2:P12_* 4:P1~"},
  {"the end of the stream", "11I:SI1! 22P:P12 x22P:3!", "1:SI1~. 2:P12_*"},
  {"a whole frame", "11I:SI1! x22P:P1! 33P:P1!", "1:SI1~. 3:P1~"},
  {"header, none before", "11I:SI1! x22P:P12 22P:34! 33P:P1!",
      "1:SI1~. 3:P1~"},
  {"header, N=0", "11I:SI1! 22P+:P1! x33P:P12 33P:34! 44P:P1!",
      "1:SI1~. 2:P1 3:P34*~ 4:P1"},
  {"header, N=1", "11I:SI1! 22P+:P1! x33P+:P12 33P+:34! 44P:P1!",
      "1:SI1~. 2:P1 4:P1~"},
  {"header, not AN", "11I:SI1! 22Pn:P1! x33Pn:P12 33Pn:34! 44Pn:P1!",
      "1:SI1~. 2:P1 4:P1~"},
  {"header, extension", "11I:SI1! x22P+T:P12 22P+T:34! 33P:P1!",
      "1:SI1~. 2:P34*~ 3:P1"},
  {"header, empty extension", "11I:SI1! x22P+W:P12 22P+W:34! 33P:P1!",
      "1:SI1~. 3:P1~"},
  {"header, of an I", "11I:SI1! 22P:P1! x33I:I12 33I:34!",
      "1:SI1~. 2:P1 3:I34*~."},
  {"header, from another type", "11I:SI1! 22P:P1! x33B:B12 33B:34! 44P:P1!",
      "1:SI1~. 2:P1 4:P1~"},
  {"headers vary, one lost", "11I:SI1! 22P:P1! 33P+:V1! x44P:V12 44P:34!",
      "1:SI1~. 2:P1 3:V1 4:V34*~"},
  {"headers vary, more lost",
      "11I:SI1! 22P:P1! 33P+:V1! x44P+:P1! x55P:P12 55P:34! 66P+:V1!",
      "1:SI1~. 2:P1 3:V1 6:V1~"},
  {"headers vary, one lost before",
      "11I:SI1! 22P:P1! x33P+:V1! 44B+:B1! x55P:V12 55P:34!",
      "1:SI1~. 2:P1 4:B1~"},
  {"a header again after it",
      "11I:SI1! 22P:P1! x33P+:V1! 44P:V1! x55P:V12 55P:34!",
      "1:SI1~. 2:P1 4:V1~ 5:V34*~"},
  {"slices lost before, no picture",
      "11I:SI1! 22P:P12 x22P:34 22P:56! x33P:P12 33P:34!",
      "1:SI1~. 2:P12_56* 3:P34*~"},
  {"MPEG-1 header", "11I:si1! x22Pf:p1 22Pf:23! x33Bf:b1 33Bf:23!",
      "1:si1~. 2:p23*~ 3:b23*~"},
  {"MPEG-1 header, I", "11I:si1! x22I:i1 22I:23!", "1:si1~. 2:i23*~."},
  {"MPEG-1 header, no vectors", "11I:si1! x22Pn:p1 22Pn:23! 33Pf:p1!",
      "1:si1~. 3:p1~"},
  {"header and sequence", "11I:SI1! 22P:P1! x33I:SGI1 33I:23!",
      "1:SI1~. 2:P1 3:I23*~."},
  {"a slice's middle", "11I:SI14( x11I:- 11I:) 11I:67!", "1:SI14(_67*~."},
  {"a slice's end", "11I:SI14( 11I:- x11I:) 11I:67!", "1:SI14(-_67*~."},
  {"a slice's beginning", "11I:SI14 x11I:( 11I:- 11I:) 11I:67!",
      "1:SI14_67*~."},
  {"a slice's end and the next", "11I:SI14( x11I:-)6 11I:78!",
      "1:SI14(_78*~."},
  {"end of a slice before others", "11I:SI14( x11I:- 11I:)67!",
      "1:SI14(_67*~."},
  {"all but headers", "11I:S x11I:I1! 22I:I1!", "2:SI1~."},
  {"slices behind a header", "11I:SI1! 22P:P x22P:12 22P:34!",
      "1:SI1~. 2:P34*"},
  {"all slices", "11I:SI1! 22P:P x22P:12! 33P:P1!", "1:SI1~. 3:P1~"},
  {"only headers in a frame", "11I:SG! 22I:I1!", "2:SGI1~."},
  {"all slices of the first", "11I:SI x11I:12! 22I:I1!", "2:SI1~."},
  {"lost twice", "11I:SI1 x11I:2 11I:3 x11I:4 11I:5!", "1:SI1_3_5*~."},
  {"rows never go back", "11I:SI67 x11I:8 11I:12 11I:9!", "1:SI67_*~."},
  {"marker on what is left out", "11I:SI4( x11I:- 11I:)! 22P:P1!",
      "1:SI4(_*~. 2:P1"},
  {"twice", "d11I:SI1 d11I:2! d22P:P1!", "1:SI12~. 2:P1"},
  {"begins anew", "11I:SI1! r22P:P12 22P:34 33P:P1!",
      "1:SI1~. 2:P12_34* 3:P1"},
  {"begins anew between", "11I:SI1! r22P:P1! 33P:P1!", "1:SI1~. 2:P1 3:P1~"},
  {"malformed", "11I:SI1! 22P:P12 m22P:3 22P:45!", "1:SI1~. 2:P12_45*"},
  {"malformed between", "11I:SI1! m22P:P12! 33P:P1!", "1:SI1~. 3:P1~"},
  {"a bad sequence", "11I:ZI1! 22I:SI1!", "2:SI1~."},
  {"a bad sequence, and a loss", "11I:ZI1 x11I:2! 22I:SI1!", "2:SI1~."},
  {"no extension in MPEG-2", "11I:SI1! 22P:p12 x22P:3 22P:4! 33P:P1!",
      "1:SI1~. 2:p12_* 3:P1"},
  {"time stamps alike, marker and header",
      "11I:SI1! 12P:P12 x12P:3! x13P:P12 13P:34! 24P:P1!",
      "1:SI1~. 2:P12_* 4:P1"},
  {"time stamps alike, rebuilt", "11I:SI1! 12P:P12 x13PT:P1 13PT:34!",
      "1:SI1~. 2:P12_* 3:P34*"},
  {"time stamps alike, fields",
      "11I:SI1! 12P+:t1 12P+:u1 x12P+:2! 13P+:t1 13P+:u1!",
      "1:SI1~. 2:t1u1_* 3:t1u1"},
  {"before the sequence", "11P:12! 22P:P1! 33I:GI1! 44I:SI1!", "4:SI1~."},
  {"in the middle of the first", "11I:12 11I:(! 22I:SI1!", "2:SI1~."},
  {"second field's header, one lost", "11I:SI1! 22P+:t78 x22P+:u12 22P+:34!"
      " 33P:P1!", "1:SI1~. 2:t78_* 3:P1"},
  {"first field's end, one lost", "11I:SI1! 22P+:t12 x22P+:34 22P+:56"
      " 22P+:u12!", "1:SI1~. 2:t12_56u12*"},
  {"of both fields, can be neither", "11I:SI1! 22P+:t12 x22P+:34 x22P+:u12"
      " 22P+:34! 33P:P1!", "1:SI1~. 2:t12_* 3:P1"},
  {"can be neither, then the second", "11I:SI1! 22P+:t12 x22P+:34 x22P+:56"
      " 22P+:78 22P+:u12!", "1:SI1~. 2:t12_u12*"},
  {"second field, extension", "11I:SI1! 22P+:t12 x22P+:34 x22P+U:u12"
      " 22P+U:34! 33P:P1!", "1:SI1~. 2:t12_u34* 3:P1"},
  {"the first field", "11I:SI1! x22P+:t12 22P+:u12!", "1:SI1~. 2:u12~"},
  /* Payload headers that say nothing. */
  {"zero: cut anywhere", "110:SI4( 110:- 110:)[ 110:]78! 220:P1!",
      "1:SI4(-)[]78~. 2:P1"},
  {"zero: several pictures", "110:SI1P1 110:2B1! 220:P1!",
      "1:SI1P12B1~. 2:P1"},
  {"zero: torn start code", "110:SI4[ x110:]7 110:89!", "1:SI4_89*~."},
  {"zero: torn, and lost again", "110:SI4[ x110:]5 110:6 x110:7 110:8!",
      "1:SI4_6_8*~."},
  {"zero: the other end", "110:SI4 x110:5[ 110:]78!", "1:SI4_78*~."},
  {"zero: torn header", "110:SI1! 220:P1{ x220:}2 220:34! 330:P1!",
      "1:SI1~. 2:P1* 3:P1"},
  {"zero: torn sequence", "110:S x110:I1 220:2! 330:SI1!", "3:SI1~."},
  {"zero: header", "110:SI1! x220:P1 220:23! 330:P1!", "1:SI1~. 3:P1~"},
  {"zero: row tells", "110:SI7 x110:8P1 110:23! 220:P1!", "1:SI7_*~. 2:P1"},
  {"zero: time stamps alike", "110:SI1! 120:P1 x120:2! 130:P1!",
      "1:SI1~. 2:P1_* 3:P1"},
  {"zero: torn extension", "110:SI1! 220:X x220:2 330:P1!",
      "1:SI1~. 3:P1~"},
  {"zero: a header follows", "110:SI1! 220:P12 x220:3 220:)B1! 330:P1!",
      "1:SI1~. 2:P12_* 2:B1* 3:P1"},
};
/* *INDENT-ON* */

static void
check_row (const gchar * what, const gchar * sent, const gchar * expected)
{
  gchar **frames = g_strsplit (expected, " ", -1);
  RtpMpegReassemblerStats stats;
  Receiver v;
  guint n_damaged = 0;

  receiver_init (&v);
  send_packets (&v, sent);
  receiver_finish (&v);
  fail_unless (v.frames->len == g_strv_length (frames), "%s: %u frames", what,
      v.frames->len);
  for (guint i = 0; i < v.frames->len; i++) {
    const Frame *frame = g_ptr_array_index (v.frames, i);

    check_frame (what, i, frame, frames[i]);
    n_damaged += frame->damaged;
  }
  rtp_mpeg_reassembler_stats (v.r, &stats);
  fail_unless_equals_int (stats.frames, v.frames->len);
  fail_unless_equals_int (stats.damaged_frames, n_damaged);
  receiver_clear (&v);
  g_strfreev (frames);
}

GST_START_TEST (test_rows)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check_row (rows[i].what, rows[i].sent, rows[i].frames);
}

GST_END_TEST;

GST_START_TEST (test_stats)
{
  RtpMpegReassemblerStats stats;
  Receiver v;

  receiver_init (&v);
  fail_unless (rtp_mpeg_reassembler_sequence (v.r) == NULL);
  send_packets (&v, "11I:12! 11I:SI1! d22P+:P1! x33P:P12 33P:34! m44P:P1!"
      " x55P:P12 x55P:34! 66P:P1(! r77P:P1! 88P:P1!");
  receiver_finish (&v);
  rtp_mpeg_reassembler_stats (v.r, &stats);
  fail_unless_equals_int (stats.packets, 9);
  fail_unless_equals_int (stats.lost, 3);
  fail_unless_equals_int (stats.malformed, 1);
  fail_unless_equals_int (stats.left_out, 2);
  fail_unless_equals_int (stats.frames, 6);
  fail_unless_equals_int (stats.damaged_frames, 1);
  fail_unless_equals_int (stats.rebuilt_headers, 1);
  fail_unless (rtp_mpeg_reassembler_sequence (v.r)->mpeg2);
  fail_unless_equals_int (rtp_mpeg_reassembler_sequence (v.r)->width, 352);
  receiver_clear (&v);
}

GST_END_TEST;

/* A flush forgets the frame, not the sequence; a reset forgets both. */
GST_START_TEST (test_flush)
{
  Receiver v;

  receiver_init (&v);
  send_packets (&v, "11I:SI1! 22P:P12");
  rtp_mpeg_reassembler_flush (v.r);
  g_byte_array_set_size (v.kept, 0);
  send_packets (&v, "33B:23 44I:I1! 55P:P1!");
  fail_unless_equals_int (v.frames->len, 3);
  check_frame ("flush", 1, g_ptr_array_index (v.frames, 1), "4:I1~.");
  rtp_mpeg_reassembler_reset (v.r);
  send_packets (&v, "66I:I1! 77I:SI1!");
  fail_unless_equals_int (v.frames->len, 4);
  check_frame ("reset", 3, g_ptr_array_index (v.frames, 3), "7:SI1~.");
  receiver_clear (&v);
}

GST_END_TEST;

/* Pushes n packets of size bytes, the same slice on and on, into one frame;
 * returns how much of it was kept. */
static gsize
push_endless (Receiver * v, guint n, gsize size)
{
  guint8 *payload = g_malloc (size);
  RtpMpegArrival arrival = { 0 };
  gsize kept;
  Packet p;

  memset (payload, 0x55, size);
  memset (payload, 0, 4);
  parse_packet ("11I:SI1", &p);
  receiver_push (v, &p.arrival);
  arrival.payload = payload;
  arrival.size = size;
  arrival.timestamp = p.arrival.timestamp;
  for (guint i = 1; i < n; i++) {
    arrival.seq = i;
    receiver_push (v, &arrival);
  }
  kept = v->kept->len;
  parse_packet ("22P:P1!", &p);
  p.arrival.seq = n;
  receiver_push (v, &p.arrival);
  g_free (payload);
  return kept;
}

/* A frame without end does not grow without end, in bytes and in packets; what
 * comes after it is as ever. */
GST_START_TEST (test_bounds)
{
  static const gsize sizes[] = { 5, 1200, 60000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gsize cost = sizes[i] - 4 + RTP_MPEG_PAYLOAD_COST;
    gsize n = RTP_MPEG_MAX_HELD / cost, kept;
    Receiver v;

    receiver_init (&v);
    kept = push_endless (&v, n + 100, sizes[i]);
    fail_unless (kept <= n * (sizes[i] - 4) + 100, "%zu", kept);
    fail_unless (kept >= (n - 2) * (sizes[i] - 4), "%zu", kept);
    fail_unless_equals_int (v.frames->len, 2);
    fail_unless (((Frame *) g_ptr_array_index (v.frames, 0))->damaged);
    check_frame ("after it", 1, g_ptr_array_index (v.frames, 1), "2:P1");
    receiver_clear (&v);
  }
}

GST_END_TEST;

/* Headers that no picture follows do not add up for ever: what is sent after
 * them arrives. */
GST_START_TEST (test_headers_alone)
{
  const guint n = 2 * (RTP_MPEG_MAX_HELD / RTP_MPEG_PAYLOAD_COST);
  Receiver v;
  Packet p;

  receiver_init (&v);
  parse_packet ("11I:SI1!", &p);
  receiver_push (&v, &p.arrival);
  parse_packet ("22I:G!", &p);
  for (guint i = 1; i < n; i++) {
    p.arrival.seq = i;
    p.arrival.timestamp++;
    receiver_push (&v, &p.arrival);
    fail_unless (v.kept->len <= RTP_MPEG_MAX_HEADERS);
  }
  parse_packet ("33P:P1!", &p);
  p.arrival.seq = (guint16) n;
  receiver_push (&v, &p.arrival);
  fail_unless_equals_int (v.frames->len, 2);
  receiver_clear (&v);
}

GST_END_TEST;

static Suite *
reassembler_suite (void)
{
  Suite *s = suite_create ("reassembler");
  TCase *tc = tcase_create ("reassembler");

  tcase_add_test (tc, test_rows);
  tcase_add_test (tc, test_stats);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_bounds);
  tcase_add_test (tc, test_headers_alone);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (reassembler);
