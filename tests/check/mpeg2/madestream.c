/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "madestream.h"

#include "headerwriter.h"

#define N_FRAMES 7
#define MAX_PICTURE_SIZE (4 * 1024 * 1024)

typedef struct
{
  const MadeStreamParams *params;
  MadeStream *stream;
  GRand *rand;
  M2vVlc vlc;
  HeaderWriter headers;         /* of the next picture */
  M2vPictureParams picture;
  M2vSliceWriter writer;
} Maker;

/* Inclusive. */
static gint
between (Maker * m, gint min, gint max)
{
  return g_rand_int_range (m->rand, min, max + 1);
}

static gboolean
one_in (Maker * m, gint n)
{
  return between (m, 1, n) == 1;
}

/* Where a block of that size at (x, y) may be taken from, in whole samples. */
static void
random_vector (Maker * m, M2vVector * v, guint s, const gint at[2],
    const gint size[2], const gint whole[2], gboolean half_range)
{
  gint unit = m->picture.full_pel[s] ? 1 : 2;

  for (guint t = 0; t < 2; t++) {
    gint limit = (16 << (m->picture.f_code[s][t] - 1)) >> (half_range && t);
    gint min = MAX (-limit, -at[t] * unit);
    gint max = MIN (limit - 1, (whole[t] - size[t] - at[t]) * unit);

    v->vector[t] = between (m, min, max);
    /* A wish that counts only where it leads there. */
    v->delta[t] = one_in (m, 2) ? limit : -limit;
  }
  v->bottom = one_in (m, 2);
}

static void
make_vectors (Maker * m, M2vMacroblock * mb, guint s)
{
  const M2vPictureParams *p = &m->picture;
  gint column = mb->address % p->columns, row = mb->address / p->columns;
  gint whole[2] = { p->columns * 16, p->rows * 16 };
  gint at[2] = { column * 16, row * 16 }, size[2] = { 16, 16 };
  gboolean of_field = !m2v_is_field (p) && mb->motion == M2V_MOTION_FIELD;

  if (of_field) {
    whole[1] /= 2;
    at[1] /= 2;
  }
  if (m2v_vector_count (p, mb->motion) == 2)
    size[1] = 8;
  for (guint r = 0; r < m2v_vector_count (p, mb->motion); r++) {
    if (!of_field)
      at[1] = row * 16 + r * 8;
    random_vector (m, &mb->vectors[r][s], s, at, size, whole, of_field);
  }
}

/* Away from the edges, so that what is derived stays inside too. */
static gboolean
make_dual_prime (Maker * m, M2vMacroblock * mb)
{
  const M2vPictureParams *p = &m->picture;
  guint column = mb->address % p->columns, row = mb->address / p->columns;
  M2vVector *v = &mb->vectors[0][0];

  if (!m->params->dual_prime || mb->type & M2V_BACKWARD || column == 0
      || column + 1 == p->columns || row == 0 || row + 1 == p->rows
      || (p->frame_pred_frame_dct && !m2v_is_field (p)) || one_in (m, 2))
    return FALSE;
  mb->motion = M2V_MOTION_DUAL_PRIME;
  for (guint t = 0; t < 2; t++) {
    v->vector[t] = between (m, -4, 4);
    v->dmvector[t] = between (m, -1, 1);
  }
  return TRUE;
}

static void
make_motion (Maker * m, M2vMacroblock * mb)
{
  const M2vPictureParams *p = &m->picture;

  mb->motion = m2v_implied_motion (p);
  if (mb->type & M2V_INTRA) {
    if (!p->concealment_motion_vectors)
      mb->motion = 0;
    else
      make_vectors (m, mb, 0);
    return;
  }
  if (!(mb->type & (M2V_FORWARD | M2V_BACKWARD))) {
    m2v_macroblock_set_zero (p, mb);
    return;
  }
  if (make_dual_prime (m, mb))
    return;
  if (m2v_is_field (p) || !p->frame_pred_frame_dct)
    mb->motion = one_in (m, 2) ? M2V_MOTION_FIELD : M2V_MOTION_FRAME;
  if (mb->type & M2V_FORWARD)
    make_vectors (m, mb, 0);
  if (mb->type & M2V_BACKWARD)
    make_vectors (m, mb, 1);
}

static void
make_coefficients (Maker * m, M2vMacroblock * mb, guint i)
{
  gboolean intra = mb->type & M2V_INTRA;
  gint position = intra ? 1 : 0;
  guint n = 0;

  while (position < 64 && (!intra || m->params->rough)) {
    M2vCoefficient *c = &mb->coefficients[i][n];
    gint limit = m->params->flat ? 1 : one_in (m, 20) ? 150
        : one_in (m, 4) ? 12 : 2;

    if (m->params->rough && one_in (m, 2))
      position += between (m, 0, one_in (m, 8) ? 40 : 4);
    position = MIN (position, 63);
    do
      c->level = between (m, -limit, limit);
    while (c->level == 0);
    if (!m->params->rough)
      c->level = CLAMP (c->level, -3, 3);
    c->position = position++;
    c->form = m->params->mpeg2 ? 0 : between (m, 0, 20) == 0 ? 2 : 0;
    if (ABS (c->level) > 127)
      c->form = M2V_FORM_SHORTEST;
    n++;
    if (!m->params->rough || one_in (m, 6))
      break;
  }
  mb->n_coefficients[i] = n;
}

static void
make_blocks (Maker * m, M2vMacroblock * mb)
{
  const M2vPictureParams *p = &m->picture;
  guint all = (1u << p->n_blocks) - 1;

  mb->pattern = 0;
  if (mb->type & M2V_INTRA)
    mb->pattern = all;
  else if (mb->type & M2V_PATTERN)
    mb->pattern = between (m, 1, all);
  for (guint i = 0; i < p->n_blocks; i++) {
    mb->dc[i] = (m->params->flat ? between (m, 124, 132)
        : between (m, 16, 235)) << p->intra_dc_precision;
    if (mb->pattern >> i & 1)
      make_coefficients (m, mb, i);
  }
}

static void
make_macroblock (Maker * m, M2vMacroblock * mb, guint address)
{
  /* Scales that are multiples of 16, so that coefficients are of 8. */
  static const guint8 codes[2][4] = { {8, 16, 24, 8}, {12, 18, 22, 25} };
  const M2vPictureParams *p = &m->picture;
  const M2vCodeList *types =
      &m2v_codes[M2V_CODES_TYPE_I + p->type - M2V_PICTURE_I];

  memset (mb, 0, sizeof *mb);
  mb->address = address;
  mb->type = types->codes[between (m, 0, types->n - 1)].value;
  mb->quantiser = m->params->rough ? between (m, 1, 2)
      : codes[p->q_scale_type][between (m, 0, 3)];
  if ((mb->type & (M2V_INTRA | M2V_PATTERN)) && !p->frame_pred_frame_dct
      && !m2v_is_field (p))
    mb->field_dct = one_in (m, 2);
  if (!m->params->mpeg2)
    mb->n_stuffing = one_in (m, 5) ? between (m, 1, 3) : 0;
  make_motion (m, mb);
  make_blocks (m, mb);
}

/* The vectors that a skipped one would inherit stay within, and ffmpeg uses
 * them right: whole samples it takes for half ones. */
static gboolean
stays_within (Maker * m, guint address, guint s)
{
  const M2vPictureParams *p = &m->picture;
  const gint16 *vector = m->writer.prediction.pmv[0][s];
  gint at[2] = { address % p->columns, address / p->columns };
  gint whole[2] = { p->columns, p->rows };

  if (p->full_pel[s])
    return vector[0] == 0 && vector[1] == 0;
  for (guint t = 0; t < 2; t++) {
    gint first = at[t] * 32 + vector[t];

    if (first < 0 || first > (whole[t] - 1) * 32)
      return FALSE;
  }
  return TRUE;
}

static gboolean
may_skip (Maker * m, guint address)
{
  gint direction = m->writer.direction;

  if (m->picture.type == M2V_PICTURE_P)
    return TRUE;
  return direction != 0
      && (!(direction & M2V_FORWARD) || stays_within (m, address, 0))
      && (!(direction & M2V_BACKWARD) || stays_within (m, address, 1));
}

static void
make_slice (Maker * m, guint first, guint last)
{
  M2vSlice slice = {.row = first / m->picture.columns };
  gboolean skip_all = one_in (m, 4);

  m2v_slice_writer_begin (&m->writer, &slice, between (m, 1, 31));
  for (guint i = first; i <= last; i++) {
    M2vMacroblock mb;

    if (i != first && i != last && (skip_all || one_in (m, 4))
        && may_skip (m, i))
      continue;
    make_macroblock (m, &mb, i);
    m2v_slice_writer_put (&m->writer, &mb);
    fail_if (m->writer.error);
    g_array_append_val (m->stream->macroblocks, mb);
  }
  m2v_slice_writer_end (&m->writer, one_in (m, 3) ? between (m, 1, 3) : 0);
}

/* MPEG-2: within a row; MPEG-1: of any length. */
static void
make_slices (Maker * m)
{
  const M2vPictureParams *p = &m->picture;
  guint all = p->columns * p->rows, last;

  for (guint first = 0; first < all; first = last + 1) {
    guint row_end = first - first % p->columns + p->columns - 1;

    if (p->mpeg2)
      last = one_in (m, 2) ? row_end : (guint) between (m, first, row_end);
    else
      last = between (m, first, first + 3 * p->columns);
    /* A slice of MPEG-1, too, should begin with its row: none has a start code
     * that another has. */
    if (!p->mpeg2 && last < row_end)
      last = row_end;
    last = MIN (last, all - 1);
    make_slice (m, first, last);
  }
}

static void
write_sequence_headers (Maker * m)
{
  const MadeStreamParams *params = m->params;
  SequenceFields sequence = default_sequence;
  SequenceExtensionFields extension = default_sequence_extension;
  static guint8 flat[64];

  memset (flat, 32, sizeof flat);
  sequence.width = params->width;
  sequence.height = params->height;
  sequence.bit_rate = 0x3fffe;
  if (params->matrices)
    sequence.non_intra = flat;
  write_sequence (&m->headers, &sequence);
  extension.progressive = !params->interlaced;
  extension.chroma_format = params->chroma_format;
  extension.profile_and_level = params->chroma_format == 2 ? 0x85 : 0x48;
  extension.low_delay = 0;
  if (params->mpeg2)
    write_sequence_extension (&m->headers, &extension);
  write_group (&m->headers, 1 << 12, 1, 0);
}

static void
write_picture_headers (Maker * m, M2vPictureType type, guint reference,
    M2vStructure structure)
{
  const MadeStreamParams *params = m->params;
  guint f_code[4], top_field_first = 0;
  CodingFields coding = default_coding;
  M2vMatrices matrices;
  guint8 extension[M2V_QUANT_MATRIX_MAX_SIZE];

  for (guint i = 0; i < 4; i++)
    f_code[i] = between (m, 1, MAX (params->f_code, 1));
  if (!params->mpeg2) {
    write_picture (&m->headers, reference, type, 0xffff,
        params->full_pel << 3 | f_code[0], params->full_pel << 3 | f_code[1],
        0);
    return;
  }
  write_picture (&m->headers, reference, type, 0xffff, 7, 7, 0);
  for (guint i = 0; i < 4; i++) {
    gboolean used = i < 2 ? type != M2V_PICTURE_I || params->concealment
        : type == M2V_PICTURE_B;

    coding.f_code[i] = used ? f_code[i] : 15;
  }
  /* Which field comes first decides between dual prime's distances. */
  if (params->interlaced && structure == M2V_FRAME_PICTURE)
    top_field_first = one_in (m, 2);
  coding.dc_precision = params->dc_precision;
  coding.structure = structure;
  coding.flags = top_field_first << 9
      | (params->frame_pred_frame_dct
      && structure == M2V_FRAME_PICTURE) << 8 | params->concealment << 7
      | params->q_scale_type << 6 | params->intra_vlc << 5
      | params->alternate_scan << 4 | !params->interlaced << 2
      | !params->interlaced << 1;
  write_coding (&m->headers, &coding);
  if (params->matrices && one_in (m, 2)) {
    gsize size;

    m2v_matrices_init (&matrices);
    memset (matrices.matrix[M2V_MATRIX_NON_INTRA], 16 << between (m, 0, 2), 64);
    size = m2v_write_quant_matrix (extension, &matrices,
        1 << M2V_MATRIX_INTRA | 1 << M2V_MATRIX_NON_INTRA);
    for (gsize i = 0; i < size; i++)
      m2v_write_bits (&m->headers.bits, extension[i], 8);
  }
}

/* From the headers as a reader of the stream finds them. */
static void
read_headers (Maker * m)
{
  static const guint8 slice[] = { 0, 0, 1, 1, 0 };
  GByteArray *bytes = g_byte_array_new ();
  M2vSplitter splitter;
  M2vPicture span, last;
  gsize position = 0;

  g_byte_array_append (bytes, m->stream->bytes->data, m->stream->bytes->len);
  g_byte_array_append (bytes, m->headers.data,
      m2v_bit_writer_size (&m->headers.bits));
  g_byte_array_append (bytes, slice, sizeof slice);
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, bytes->data, bytes->len, &position,
          &span))
    last = span;
  fail_unless (last.valid);
  fail_unless (m2v_picture_params_init (&m->picture, &splitter.sequence,
          &last));
  g_byte_array_unref (bytes);
}

static void
make_picture (Maker * m, M2vPictureType type, guint reference,
    M2vStructure structure)
{
  guint8 *out = g_malloc (MAX_PICTURE_SIZE);
  gsize size;

  write_picture_headers (m, type, reference, structure);
  read_headers (m);
  g_byte_array_append (m->stream->bytes, m->headers.data,
      m2v_bit_writer_size (&m->headers.bits));
  header_writer_init (&m->headers);
  m2v_slice_writer_init (&m->writer, &m->picture, &m->vlc, out,
      MAX_PICTURE_SIZE);
  make_slices (m);
  size = m2v_slice_writer_finish (&m->writer);
  fail_unless (size > 0);
  g_byte_array_append (m->stream->bytes, out, size);
  g_free (out);
}

static void
make_frame (Maker * m, M2vPictureType type, guint reference)
{
  if (m->params->field_pictures && one_in (m, 3)) {
    make_picture (m, type, reference, M2V_BOTTOM_FIELD);
    make_picture (m, type, reference, M2V_TOP_FIELD);
  } else if (m->params->field_pictures) {
    make_picture (m, type, reference, M2V_TOP_FIELD);
    make_picture (m, type, reference, M2V_BOTTOM_FIELD);
  } else {
    make_picture (m, type, reference, M2V_FRAME_PICTURE);
  }
  m->stream->n_frames++;
}

MadeStream *
made_stream_new (const MadeStreamParams * params, guint32 seed)
{
  static const guint8 end[] = { 0, 0, 1, M2V_CODE_SEQUENCE_END };
  Maker *m = g_new0 (Maker, 1);
  MadeStream *s = g_new0 (MadeStream, 1);

  m->params = params;
  m->stream = s;
  m->rand = g_rand_new_with_seed (seed);
  s->bytes = g_byte_array_new ();
  s->macroblocks = g_array_new (FALSE, FALSE, sizeof (M2vMacroblock));
  m2v_vlc_init (&m->vlc);
  header_writer_init (&m->headers);
  write_sequence_headers (m);
  make_frame (m, M2V_PICTURE_I, 0);
  /* I P P..., or I P B P B... */
  for (guint i = 1; i < N_FRAMES; i += params->dual_prime ? 1 : 2) {
    if (params->dual_prime) {
      make_frame (m, M2V_PICTURE_P, i);
    } else {
      make_frame (m, M2V_PICTURE_P, i + 1);
      make_frame (m, M2V_PICTURE_B, i);
    }
  }
  g_byte_array_append (s->bytes, end, sizeof end);
  g_rand_free (m->rand);
  g_free (m);
  return s;
}

void
made_stream_free (MadeStream * s)
{
  g_byte_array_unref (s->bytes);
  g_array_unref (s->macroblocks);
  g_free (s);
}

const MadeStreamParams made_structures[MADE_N_STRUCTURES] = {
  {.name = "MPEG-1",.width = 96,.height = 96,.f_code = 2,.rough = TRUE},
  {.name = "MPEG-1, whole samples",.width = 352,.height = 48,
      .full_pel = TRUE,.f_code = 3,.rough = TRUE},
  {.name = "progressive",.mpeg2 = TRUE,.width = 96,.height = 80,
        .chroma_format = 1,.frame_pred_frame_dct = TRUE,.dc_precision = 3,
      .f_code = 2,.rough = TRUE},
  {.name = "frames",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 1,.concealment = TRUE,
        .q_scale_type = TRUE,.alternate_scan = TRUE,.dc_precision = 2,
      .f_code = 4,.rough = TRUE},
  {.name = "frames, dual prime",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 1,.dual_prime = TRUE,
      .f_code = 2,.rough = TRUE},
  {.name = "fields",.mpeg2 = TRUE,.width = 96,.height = 128,
        .interlaced = TRUE,.chroma_format = 1,.field_pictures = TRUE,
        .q_scale_type = TRUE,.intra_vlc = TRUE,.dc_precision = 1,
      .f_code = 3,.rough = TRUE},
  {.name = "fields, dual prime",.mpeg2 = TRUE,.width = 112,.height = 128,
        .interlaced = TRUE,.chroma_format = 1,.field_pictures = TRUE,
      .dual_prime = TRUE,.concealment = TRUE,.f_code = 2,.rough = TRUE},
  {.name = "changing matrices",.mpeg2 = TRUE,.width = 320,.height = 64,
        .interlaced = TRUE,.chroma_format = 1,.matrices = TRUE,
      .f_code = 6,.rough = TRUE},
  {.name = "4:2:2",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 2,.matrices = TRUE,
      .dc_precision = 2,.f_code = 3,.rough = TRUE},
  {.name = "4:2:2, dual prime",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 2,.dual_prime = TRUE,
      .f_code = 2,.rough = TRUE},
  {.name = "4:2:2 fields",.mpeg2 = TRUE,.width = 112,.height = 128,
        .interlaced = TRUE,.chroma_format = 2,.field_pictures = TRUE,
      .matrices = TRUE,.f_code = 2,.rough = TRUE},
  {.name = "MPEG-1, far vectors",.width = 1408,.height = 48,.f_code = 7,
      .rough = TRUE},
  {.name = "high",.mpeg2 = TRUE,.width = 32,.height = 2848,
        .chroma_format = 1,.frame_pred_frame_dct = TRUE,.intra_vlc = TRUE,
      .f_code = 2,.rough = TRUE},
};

static void
append_matrices (GByteArray * out, guint n_matrices, gboolean all, GRand * rand)
{
  guint8 extension[M2V_QUANT_MATRIX_MAX_SIZE];
  guint every = (1 << n_matrices) - 1;
  M2vMatrices matrices;
  gsize size;

  for (guint i = 0; i < M2V_N_MATRICES; i++) {
    for (guint k = 0; k < 64; k++)
      matrices.matrix[i][k] = g_rand_int_range (rand, 8, 65);
  }
  size = m2v_write_quant_matrix (extension, &matrices,
      all ? every : (guint) g_rand_int_range (rand, 1, every + 1));
  g_byte_array_append (out, extension, size);
}

GByteArray *
made_stream_vary (const MadeStream * s, GRand * rand, gboolean all_matrices)
{
  GByteArray *out = g_byte_array_new ();
  M2vSplitter splitter;
  M2vPicture span;
  gsize position = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, s->bytes->data, s->bytes->len,
          &position, &span)) {
    const guint8 *bytes = s->bytes->data + span.begin;
    gsize head = span.kind == M2V_SPAN_PICTURE ? span.after_coding : 0;
    guint n = splitter.sequence.chroma_format == 1 ? 2 : M2V_N_MATRICES;

    g_byte_array_append (out, bytes, head);
    /* The extension's last 10 bits begin with top_field_first. */
    if (head > 0 && span.coding.structure == M2V_FRAME_PICTURE
        && !span.coding.progressive_frame && g_rand_boolean (rand))
      out->data[out->len - 2] ^= 0x80;
    if (head > 0 && span.quant_matrix.size == 0 && g_rand_boolean (rand))
      append_matrices (out, n, all_matrices, rand);
    g_byte_array_append (out, bytes + head, span.size - head);
  }
  return out;
}
