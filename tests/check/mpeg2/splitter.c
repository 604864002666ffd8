/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Streams are written as strings, a letter a structure, so that what the
 * splitter makes of them can be written likewise.
 */
#include <gst/check/gstcheck.h>

#include "headerwriter.h"
#include <mpeg2/splitter.h>

static void
put (HeaderWriter * w, const uint8_t * bytes, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    m2v_write_bits (&w->bits, bytes[i], 8);
}

static void
put_section (HeaderWriter * w, unsigned code, unsigned n, uint8_t byte)
{
  m2v_write_start_code (&w->bits, code);
  while (n--)
    m2v_write_bits (&w->bits, byte, 8);
}

static void
put_sequence (HeaderWriter * w, char letter)
{
  SequenceFields f = default_sequence;
  SequenceExtensionFields e = default_sequence_extension;
  uint8_t matrix[64];

  memset (matrix, 40, sizeof matrix);
  switch (letter) {
    case 'Q':                  /* with a matrix of 40 */
      f.intra = matrix;
      f.width = 720;
      break;
    case 'y':                  /* frame_rate_code forbidden */
      f.frame_rate_code = 0;
      break;
    case 'X':                  /* chroma_format reserved */
      e.chroma_format = 0;
      break;
    default:
      break;
  }
  if (letter == 'x' || letter == 'X')
    write_sequence_extension (w, &e);
  else
    write_sequence (w, &f);
}

static void
put_coding (HeaderWriter * w, char letter)
{
  CodingFields f = default_coding;

  switch (letter) {
    case 't':
      f.structure = 1;
      break;
    case 'b':
      f.structure = 2;
      break;
    case 'C':                  /* reserved */
      f.structure = 0;
      break;
    case '0':                  /* forward horizontal f_code forbidden */
      f.f_code[0] = 0;
      break;
    case '1':                  /* backward vertical f_code not in use */
      f.f_code[3] = 15;
      break;
    case '9':
      f.f_code[1] = 9;
      break;
    default:
      break;
  }
  write_coding (w, &f);
}

static void
put_quant_matrix (HeaderWriter * w, uint8_t value)
{
  uint8_t matrix[64];

  memset (matrix, value, sizeof matrix);
  m2v_write_start_code (&w->bits, M2V_CODE_EXTENSION);
  m2v_write_bits (&w->bits, M2V_EXTENSION_QUANT_MATRIX, 4);
  write_matrix (w, NULL);
  write_matrix (w, matrix);
  write_matrix (w, NULL);
  write_matrix (w, NULL);
  m2v_write_align (&w->bits);
}

static void
put_letter (HeaderWriter * w, char letter)
{
  switch (letter) {
    case 'q':
    case 'Q':
    case 'y':                  /* sequence headers */
    case 'x':
    case 'X':                  /* sequence_extensions */
      put_sequence (w, letter);
      break;
    case 'd':                  /* sequence_display_extension */
      put_section (w, M2V_CODE_EXTENSION, 5, 0x22);
      break;
    case 'G':
      write_group (w, 77, 1, 0);
      break;
    case 'g':                  /* cut short */
      put_section (w, M2V_CODE_GROUP, 3, 0xff);
      break;
    case 'I':
    case 'P':
    case 'B':
    case 'D':
      write_picture (w, 5, (unsigned) (strchr ("IPBD", letter) - "IPBD") + 1,
          0xffff, 1, 1, 0);
      break;
    case 'p':
    case 'n':                  /* f_code 0, backward too */
      write_picture (w, 5, letter == 'p' ? 2 : 3, 0xffff, letter == 'n', 0, 0);
      break;
    case 'N':                  /* picture_coding_type 0 */
      write_picture (w, 5, 0, 0xffff, 1, 1, 0);
      break;
    case 'c':
    case 't':
    case 'b':
    case 'C':
    case '0':
    case '1':
    case '9':
      put_coding (w, letter);
      break;
    case 'm':
    case 'w':
    case 'M':                  /* quant_matrix_extensions */
      put_quant_matrix (w, letter == 'm' ? 50 : letter == 'w' ? 60 : 0);
      break;
    case 'u':
      put_section (w, M2V_CODE_USER_DATA, 3, 'u');
      break;
    case 's':
      put_section (w, M2V_CODE_SLICE_MIN, 6, 's');
      break;
    case 'S':
      put_section (w, M2V_CODE_SLICE_MAX, 2, 'S');
      break;
    case 'r':
      put_section (w, M2V_CODE_SEQUENCE_ERROR, 0, 0);
      break;
    case 'v':                  /* reserved */
      put_section (w, 0xb0, 2, 'v');
      break;
    case 'E':
      put_section (w, M2V_CODE_SEQUENCE_END, 0, 0);
      break;
    case 'Y':                  /* a pack header's code, a system code */
      put_section (w, 0xba, 4, 'Y');
      break;
    case 'e':                  /* the lowest system code */
      put_section (w, 0xb9, 0, 0);
      break;
    case 'z':
      put (w, (const uint8_t *) "\0\0", 2);
      break;
    case 'a':                  /* garbage */
      put (w, (const uint8_t *) "\377\0\377", 3);
      break;
    case '!':                  /* its value could begin another start code */
      put (w, (const uint8_t *) "\0\0\1\0\0\1", 6);
      break;
    case '.':                  /* a prefix, its value cut off */
      put (w, (const uint8_t *) "\0\0\1", 3);
      break;
    default:
      fail ("no such letter: %c", letter);
  }
}

#define MAX_LETTERS 40

typedef struct
{
  HeaderWriter writer;
  const char *letters;
  size_t begin[MAX_LETTERS + 1];        /* of each letter */
} Stream;

static void
write_stream (Stream * stream, const char *letters)
{
  unsigned i;

  header_writer_init (&stream->writer);
  stream->letters = letters;
  for (i = 0; letters[i]; i++) {
    fail_unless (i < MAX_LETTERS);
    stream->begin[i] = m2v_bit_writer_size (&stream->writer.bits);
    put_letter (&stream->writer, letters[i]);
  }
  stream->begin[i] = m2v_bit_writer_size (&stream->writer.bits);
  fail_if (stream->writer.bits.error);
}

/* The letters of a range, which begins and ends with one. */
static void
append_letters (GString * out, const Stream * stream, size_t begin, size_t size)
{
  unsigned i = 0;

  if (size == 0)
    return;
  while (stream->begin[i] < begin)
    i++;
  fail_unless (stream->begin[i] == begin);
  while (stream->begin[i] < begin + size)
    g_string_append_c (out, stream->letters[i++]);
  fail_unless (stream->begin[i] == begin + size);
}

static void
append_range (GString * out, const Stream * stream, const M2vPicture * span,
    const M2vRange * range, size_t *end)
{
  if (range->size == 0)
    return;
  if (*end > 0)
    g_string_append_c (out, ',');
  /* No gaps, but for zeros at the beginning. */
  fail_unless (range->offset == *end || *end == 0);
  append_letters (out, stream, span->begin + *end, range->offset - *end);
  if (range->offset > *end)
    g_string_append_c (out, ',');
  append_letters (out, stream, span->begin + range->offset, range->size);
  *end = range->offset + range->size;
}

/* Kind (+ picture, - one that is not valid, h headers, e end, ? stray), and the
 * ranges with commas between. */
static void
append_span (GString * out, const Stream * stream, const M2vPicture * span)
{
  size_t end = 0;

  g_string_append_c (out, "+he?"[span->kind]);
  if (span->kind == M2V_SPAN_PICTURE && !span->valid)
    out->str[out->len - 1] = '-';
  if (span->kind == M2V_SPAN_STRAY) {
    append_letters (out, stream, span->begin, span->size);
    return;
  }
  append_range (out, stream, span, &span->sequence, &end);
  append_range (out, stream, span, &span->group, &end);
  append_range (out, stream, span, &span->headers, &end);
  append_range (out, stream, span, &span->slices, &end);
  append_range (out, stream, span, &span->sequence_end, &end);
  fail_unless (end == span->size);
}

static char *
split (M2vSplitter * s, Stream * stream, const char *letters)
{
  M2vPicture span;
  GString *out = g_string_new (NULL);
  size_t position = 0, end = 0, size;
  uint8_t *data;

  write_stream (stream, letters);
  size = m2v_bit_writer_size (&stream->writer.bits);
  data = g_memdup2 (stream->writer.data, size);
  while (m2v_splitter_next (s, data, size, &position, &span)) {
    fail_unless (span.begin == end && span.size > 0);
    end += span.size;
    fail_unless (position == end);
    if (out->len > 0)
      g_string_append_c (out, ' ');
    append_span (out, stream, &span);
  }
  fail_unless (end == size);
  g_free (data);
  return g_string_free (out, FALSE);
}

static const struct
{
  const char *stream, *spans;
} rows[] = {
  {"", ""},
  /* What streams look like. */
  {"qGIssPssBss", "+q,G,I,ss +P,ss +B,ss"},
  {"QxdGIcssPcss", "+Qxd,G,Ic,ss +Pc,ss"},
  {"QxGItssPbssBtsBbs", "+Qx,G,It,ss +Pb,ss +Bt,s +Bb,s"},
  {"quGuIus", "+qu,Gu,Iu,s"},
  {"QxuduGuuIcumus", "+Qxudu,Guu,Icumu,s"},
  {"qIsqPs", "+q,I,s +q,P,s"},
  {"IsGPsqBs", "+I,s +G,P,s +q,B,s"},
  {"Ds", "+D,s"},
  {"IsS", "+I,sS"},
  /* sequence_end_code, zeros. */
  {"BsEz", "+B,s,Ez"},
  {"IsEqIs", "+I,s,E +q,I,s"},
  {"IszPszz", "+I,sz +P,szz"},
  {"IzszEzz", "+Iz,sz,Ezz"},
  {"zIs", "+z,I,s"},
  {"zzqzGzIzs", "+zz,qz,Gz,Iz,s"},
  {"zE", "ez,E"},
  {"Ez", "eEz"},
  {"EE", "eE eE"},
  {"BsEE", "+B,s,E eE"},
  {"BsEsPs", "+B,s,E ?s +P,s"},
  {"BsEuPs", "+B,s,E ?u +P,s"},
  {"IsEa", "+I,s,Ea"},
  {"qE", "hq eE"},
  {"qGEIs", "hq,G eE +I,s"},
  {"IE", "-I,E"},
  /* No picture follows, headers out of order or repeated. */
  {"q", "hq"},
  {"Qxdu", "hQxdu"},
  {"IsqG", "+I,s hq,G"},
  {"qqIs", "hq +q,I,s"},
  {"GqIs", "hG +q,I,s"},
  {"qGGIs", "hq,G +G,I,s"},
  {"qGsPs", "hq,G ?s +P,s"},
  {"GIPs", "-G,I +P,s"},
  {"I", "-I"},
  {"IqPs", "-I +q,P,s"},
  {"QxIc", "-Qx,Ic"},
  /* What begins with no header. */
  {"ss", "?ss"},
  {"ssPs", "?ss +P,s"},
  {"ssEPs", "?ss eE +P,s"},
  {"zsPs", "?zs +P,s"},
  {"z", "?z"},
  {"a", "?a"},
  {"aqIs", "?a +q,I,s"},
  {"zaIs", "?za +I,s"},
  {"azIs", "?az +I,s"},
  {"uIs", "?u +I,s"},
  {"xdcmuPs", "?xdcmu +P,s"},
  {"rIs", "?r +I,s"},
  {"vrsEz", "?vrs eEz"},
  {".", "?."},
  {"Is.", "+I,s."},
  /* System start codes. */
  {"YIs", "?Y +I,s"},
  {"eIs", "?e +I,s"},
  {"IsYssPs", "+I,s ?Yss +P,s"},
  {"IsePs", "+I,s ?e +P,s"},
  {"qYIs", "hq ?Y +I,s"},
  {"GYIs", "hG ?Y +I,s"},
  {"IYsPs", "-I ?Ys +P,s"},
  {"IsEYEGPs", "+I,s,E ?Y eE +G,P,s"},
  /* Codes without a place of their own. */
  {"qrGrIrsrsr", "+qr,Gr,Ir,srsr"},
  {"qvGvIvsvs", "+qv,Gv,Iv,svs"},
  {"IsusEs", "+I,sus,E ?s"},
  {"IscsmPs", "+I,scsm +P,s"},
  {"GxIs", "+Gx,I,s"},
  /* Headers that cannot be read. */
  {"NsPs", "-N,s +P,s"},
  {"!sPs", "-!,s +P,s"},
  {"yIsPs", "-y,I,s +P,s"},
  {"yqIsPs", "hy -q,I,s +P,s"},
  {"yGIs", "-y,G,I,s"},
  {"yEIsPs", "hy eE -I,s +P,s"},
  {"QXIcsIs", "-QX,Ic,s +I,s"},
  {"QxXIcsPcs", "-QxX,Ic,s +Pc,s"},
  {"QxxIcsPcs", "-Qxx,Ic,s +Pc,s"},
  {"gIsPs", "-g,I,s +P,s"},
  {"ICsIs", "-IC,s +I,s"},
  {"IccsPcs", "-Icc,s +Pc,s"},
  {"IcMsPcs", "-IcM,s +Pc,s"},
  {"ps", "-p,s"},
  {"ns", "-n,s"},
  {"pcsncs", "+pc,s +nc,s"},
  {"P0sB0sI0s", "-P0,s -B0,s +I0,s"},
  {"P1sB1sI1s", "+P1,s -B1,s +I1,s"},
  {"P9sB9s", "+P9,s +B9,s"},
  {"DcsIcs", "-Dc,s +Ic,s"},
  /* Pictures of the other standard than the sequence. */
  {"QxIcsPsPcs", "+Qx,Ic,s -P,s +Pc,s"},
  {"qIsPcsPs", "+q,I,s -Pc,s +P,s"},
  {"IcsPsqPsQxPcs", "+Ic,s +P,s +q,P,s +Qx,Pc,s"},
  {"QuxIcs", "+Qux,Ic,s"},
};

GST_START_TEST (test_split)
{
  Stream stream;
  M2vSplitter s;
  char *spans;

  m2v_splitter_init (&s);
  spans = split (&s, &stream, rows[__i__].stream);
  fail_unless_equals_string (spans, rows[__i__].spans);
  g_free (spans);
}

GST_END_TEST;

/* What is in force behind a stream: of each matrix the first entry but the
 * fixed one. */
static const struct
{
  const char *stream;
  unsigned width;               /* 0: no sequence */
  bool mpeg2;
  uint8_t intra, non_intra;     /* in force */
  uint8_t sequence_intra;
} states[] = {
  {"", 0, false, 16, 16, 16},
  {"Is", 0, false, 16, 16, 16},
  {"q", 352, false, 16, 16, 16},
  {"Q", 720, false, 40, 16, 40},
  {"Qx", 720, true, 40, 16, 40},
  {"QxIcs", 720, true, 40, 16, 40},
  {"QxIcms", 720, true, 40, 50, 40},
  {"QxIcmPcws", 720, true, 40, 60, 40},
  {"QxIcmws", 720, true, 40, 60, 40},
  {"QxIcmsqxPcs", 352, true, 16, 16, 16},
  {"QxIcmsqxPcms", 352, true, 16, 50, 16},
  /* The good of several. */
  {"QxIcmMs", 720, true, 40, 50, 40},
  {"QxIcmsyPcs", 720, true, 40, 50, 40},
  {"QxIcmsqXPcs", 720, true, 40, 50, 40},
  {"Qy", 720, false, 40, 16, 40},
  {"Qyx", 720, false, 40, 16, 40},
  {"yQ", 720, false, 40, 16, 40},
  /* Outside their place. */
  {"xQGx", 720, false, 40, 16, 40},
  {"QmxGmIcsm", 720, true, 40, 16, 40},
};

GST_START_TEST (test_state)
{
  Stream stream;
  M2vSplitter s;

  m2v_splitter_init (&s);
  g_free (split (&s, &stream, states[__i__].stream));
  fail_unless (s.has_sequence == (states[__i__].width > 0));
  if (s.has_sequence) {
    fail_unless_equals_int (s.sequence.width, states[__i__].width);
    fail_unless (s.sequence.mpeg2 == states[__i__].mpeg2);
  }
  for (unsigned i = 0; i < 4; i += 2) {
    fail_unless_equals_int (s.matrices.matrix[i][1], states[__i__].intra);
    fail_unless_equals_int (s.matrices.matrix[i + 1][1],
        states[__i__].non_intra);
    fail_unless_equals_int (s.sequence_matrices.matrix[i][1],
        states[__i__].sequence_intra);
    fail_unless_equals_int (s.sequence_matrices.matrix[i + 1][1], 16);
  }
}

GST_END_TEST;

/* What is in force outlives a flush; headers of an unfinished picture, damaged or
 * not, do not. */
GST_START_TEST (test_flush)
{
  static const char *const begun[] = { "QxmG", "QxmGy", "QxmGI" };
  Stream stream;
  M2vSplitter s, before;
  M2vPicture span = { 0 };
  size_t position = 0;

  m2v_splitter_init (&s);
  g_free (split (&s, &stream, begun[__i__]));
  before = s;
  m2v_splitter_flush (&s);
  fail_unless (s.has_sequence && s.sequence.width == before.sequence.width);
  fail_unless (memcmp (&s.matrices, &before.matrices, sizeof s.matrices) == 0);
  write_stream (&stream, "Pcs");
  fail_unless (m2v_splitter_next (&s, stream.writer.data,
          m2v_bit_writer_size (&stream.writer.bits), &position, &span));
  fail_unless (span.valid && !span.has_group);
}

GST_END_TEST;

/* The last span of a stream; its bytes are stream's. */
static M2vPicture
last_span (Stream * stream, const char *letters)
{
  M2vSplitter s;
  M2vPicture span;
  size_t position = 0;

  m2v_splitter_init (&s);
  write_stream (stream, letters);
  while (m2v_splitter_next (&s, stream->writer.data,
          m2v_bit_writer_size (&stream->writer.bits), &position, &span));
  return span;
}

GST_START_TEST (test_picture)
{
  Stream stream;
  M2vPicture span = last_span (&stream, "qGIsQxuGuPcumuwusE");

  fail_unless (span.valid && span.mpeg2 && span.has_group);
  fail_unless (span.group_header.closed && !span.group_header.broken_link);
  fail_unless_equals_int (span.group_header.time_code, 77);
  fail_unless_equals_int (span.header.type, M2V_PICTURE_P);
  fail_unless_equals_int (span.header.temporal_reference, 5);
  fail_unless_equals_int (span.coding.f_code[0][0], 2);
  fail_unless_equals_int (span.coding.structure, M2V_FRAME_PICTURE);
  fail_unless_equals_uint64 (span.begin, stream.begin[4]);
  fail_unless_equals_uint64 (span.begin + span.after_coding, stream.begin[11]);
  fail_unless_equals_uint64 (span.begin + span.quant_matrix.offset,
      stream.begin[14]);
  fail_unless_equals_uint64 (span.begin + span.quant_matrix.offset +
      span.quant_matrix.size, stream.begin[15]);
}

GST_END_TEST;

GST_START_TEST (test_picture_mpeg1)
{
  Stream stream;
  M2vPicture span = last_span (&stream, "qGIsBus");

  fail_unless (span.valid && !span.mpeg2 && !span.has_group);
  fail_unless_equals_int (span.header.type, M2V_PICTURE_B);
  fail_unless_equals_int (span.header.f_code[1], 1);
  fail_unless_equals_int (span.coding.structure, M2V_FRAME_PICTURE);
  fail_unless (span.coding.progressive_frame);
  fail_unless_equals_uint64 (span.after_coding, 0);
  fail_unless_equals_uint64 (span.quant_matrix.size, 0);
}

GST_END_TEST;

/* Where a group header is the picture's although it is not in its span. */
static const struct
{
  const char *stream;
  bool has_group, in_span;
} groups[] = {
  {"GIs", true, true},
  {"GqIs", true, false},
  {"GsIs", true, false},
  {"GGIs", true, true},
  {"gGIs", true, true},
  {"GgIs", false, true},
  {"GIsPs", false, false},
  {"GIPs", false, false},
  {"qIs", false, false},
};

GST_START_TEST (test_group)
{
  Stream stream;
  M2vPicture span = last_span (&stream, groups[__i__].stream);

  fail_unless (span.has_group == groups[__i__].has_group);
  fail_unless ((span.group.size > 0) == groups[__i__].in_span);
  if (span.has_group)
    fail_unless_equals_int (span.group_header.time_code, 77);
}

GST_END_TEST;

static void
append_pictures (GString * out, M2vSplitter * s, const uint8_t * data,
    size_t size)
{
  M2vPicture span;
  size_t position = 0;

  while (m2v_splitter_next (s, data, size, &position, &span)) {
    if (span.kind == M2V_SPAN_PICTURE)
      g_string_append_printf (out, "%d%d%d%d%d ", span.valid, span.mpeg2,
          span.has_group, s->matrices.matrix[1][1] == 50, span.header.type);
  }
}

/* Where buffers end between headers and pictures changes nothing: cut once at
 * each such place, then at all of them. */
GST_START_TEST (test_buffers)
{
  Stream stream;
  M2vSplitter s;
  GString *whole = g_string_new (NULL);
  const uint8_t *data = stream.writer.data;
  unsigned n;

  write_stream (&stream, "QxIcmsPcsyPcsQxGBcsqGIsgPsEBszGqGIs");
  n = (unsigned) strlen (stream.letters);
  m2v_splitter_init (&s);
  append_pictures (whole, &s, data, stream.begin[n]);
  fail_unless_equals_string (whole->str, "11011 11012 01012 11103 10101 "
      "00002 10003 10101 ");
  for (unsigned cut = 1; cut <= n; cut++) {
    GString *parts = g_string_new (NULL);
    size_t begin = 0;

    m2v_splitter_init (&s);
    for (unsigned i = 1; i <= n; i++) {
      if (!strchr ("QqyGgIPBE", stream.letters[i]) || (cut < n && i != cut
              && i < n))
        continue;
      append_pictures (parts, &s, data + begin, stream.begin[i] - begin);
      begin = stream.begin[i];
    }
    fail_unless_equals_string (parts->str, whole->str);
    g_string_free (parts, TRUE);
  }
  g_string_free (whole, TRUE);
}

GST_END_TEST;

static Suite *
splitter_suite (void)
{
  Suite *s = suite_create ("mpeg2-splitter");
  TCase *tc = tcase_create ("splitter");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_split, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_state, 0, G_N_ELEMENTS (states));
  tcase_add_loop_test (tc, test_flush, 0, 3);
  tcase_add_test (tc, test_picture);
  tcase_add_test (tc, test_picture_mpeg1);
  tcase_add_loop_test (tc, test_group, 0, G_N_ELEMENTS (groups));
  tcase_add_test (tc, test_buffers);
  return s;
}

GST_CHECK_MAIN (splitter);
