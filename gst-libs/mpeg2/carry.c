/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * docs/mpeg.md, "Carried state", has the rules and their reasons.
 */
#include <mpeg2/carry.h>

#include <stdlib.h>
#include <string.h>

#include <startcode/startcode.h>

/* Bytes of a sequence header with both matrices; no extension is longer
 * (13818-2 clause 6.2.2.1). Further bytes are zeros before the next start
 * code. */
#define MAX_HEADER_SIZE 140

/* A header, its extensions and user data. */
typedef struct
{
  size_t size;                  /* bytes; 0 = none */
  uint8_t data[M2V_CARRY_MAX_SEQUENCE];
} Kept;

struct M2vCarry
{
  Kept sequence;                /* sequence header in force in the source */
  M2vMatrices sequence_matrices;        /* matrices that `sequence` sets */
  /* `sequence` is not yet in force in the output. */
  bool sequence_pends;
  /* copy of `sequence` from when it was put before a frame */
  Kept inserted;
  bool repeat;                  /* the next I gets `sequence` again */

  /* Headers without a picture. They apply to the next picture only. */
  Kept headers;
  bool headers_have_sequence;

  bool end_pends;               /* a sequence_end_code of a dropped frame */
  bool open;                    /* the output is within a sequence */
  bool follows_drop;            /* the last frame was dropped */

  /* Matrices of a decoder of the output. All zeros, which no stream can set, =
   * not known. */
  M2vMatrices output;
  bool output_known;            /* `output` is valid */
  bool in_sync;                 /* that decoder has the source's matrices */

  uint8_t quant_matrix[2][M2V_QUANT_MATRIX_MAX_SIZE];
};

/* The pieces of a frame so far. */
typedef struct
{
  M2vPiece *pieces;
  unsigned n;
  unsigned picture;
} Pieces;

static const uint8_t sequence_end[] = { 0, 0, 1, M2V_CODE_SEQUENCE_END };

M2vCarry *
m2v_carry_new (void)
{
  M2vCarry *c = malloc (sizeof *c);

  if (c != NULL)
    m2v_carry_reset (c);
  return c;
}

void
m2v_carry_free (M2vCarry * c)
{
  free (c);
}

void
m2v_carry_reset (M2vCarry * c)
{
  memset (c, 0, sizeof *c);
  c->in_sync = true;
}

static bool
is_user_data (const uint8_t * unit)
{
  return unit[3] == M2V_CODE_USER_DATA;
}

/* Returns the size of a header without stuffing. */
static size_t
header_size (const uint8_t * unit, size_t size)
{
  while (size > MAX_HEADER_SIZE && unit[size - 1] == 0)
    size--;
  return size;
}

static void
append (Kept * k, const uint8_t * unit, size_t size)
{
  if (size > sizeof k->data - k->size)
    return;
  memcpy (k->data + k->size, unit, size);
  k->size += size;
}

/* Keeps headers and extensions, and the user data that there is room for. */
static void
keep (Kept * k, const uint8_t * data, size_t size)
{
  size_t needed = 0, end;

  k->size = 0;
  if (size <= sizeof k->data) {
    append (k, data, size);
    return;
  }

  for (size_t begin = start_code_find (data, size, 0); begin < size;
      begin = end) {
    end = start_code_find (data, size, begin + 4);
    if (!is_user_data (data + begin))
      needed += header_size (data + begin, end - begin);
  }

  for (size_t begin = start_code_find (data, size, 0); begin < size;
      begin = end) {
    const uint8_t *unit = data + begin;

    end = start_code_find (data, size, begin + 4);
    if (!is_user_data (unit)) {
      append (k, unit, header_size (unit, end - begin));
    } else if (needed + (end - begin) <= sizeof k->data) {
      needed += end - begin;
      append (k, unit, end - begin);
    }
  }
}

/* Keeps the span's sequence header. Returns false if there is none that can be
 * read. */
static bool
keep_sequence (M2vCarry * c, const M2vPicture * span, const uint8_t * data)
{
  const uint8_t *header = data + span->sequence.offset;
  M2vSequence sequence;
  M2vMatrices matrices;

  if (span->sequence.size == 0
      || !m2v_parse_sequence_header (header, span->sequence.size, &sequence,
          &matrices))
    return false;
  keep (&c->sequence, header, span->sequence.size);
  c->sequence_matrices = matrices;
  return true;
}

static void
forget_headers (M2vCarry * c)
{
  c->headers.size = 0;
  c->headers_have_sequence = false;
}

void
m2v_carry_flush (M2vCarry * c)
{
  forget_headers (c);
  c->repeat = false;
  c->end_pends = false;
  c->follows_drop = false;
}

void
m2v_carry_drop (M2vCarry * c, const M2vFrame * frame,
    const uint8_t * const data[2])
{
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    const M2vPicture *picture = &frame->pictures[i];

    if (keep_sequence (c, picture, data[i])) {
      c->sequence_pends = true;
      c->in_sync = false;
    }
    if (picture->quant_matrix.size > 0)
      c->in_sync = false;
    if (picture->sequence_end.size > 0)
      c->end_pends = c->open;
  }
  forget_headers (c);
  c->follows_drop = true;
}

void
m2v_carry_repeat_sequence (M2vCarry * c)
{
  c->repeat = true;
}

static void
put (Pieces * p, const uint8_t * literal, size_t offset, size_t size)
{
  M2vPiece *piece = &p->pieces[p->n];

  if (size == 0)
    return;
  piece->literal = literal;
  piece->picture = p->picture;
  piece->offset = offset;
  piece->size = size;
  p->n++;
}

/* Notes that a decoder of the output has the sequence header, but no later
 * matrices. */
static void
note_sequence (M2vCarry * c)
{
  c->sequence_pends = false;
  c->output = c->sequence_matrices;
  c->output_known = true;
  c->in_sync = false;
}

/* Puts headers in front of the frame. A sequence header never precedes a B
 * (13818-2 clause 6.1.1.6), so none is put before a frame that may be one. A
 * sequence header must follow a sequence_end_code. */
static void
put_front (M2vCarry * c, const M2vFrame * frame, Pieces * p)
{
  const M2vPicture *first = &frame->pictures[0];
  bool has_own = first->sequence.size > 0 || c->headers_have_sequence;
  bool intra = frame->valid && frame->type == M2V_PICTURE_I;
  bool insert = !has_own && c->sequence.size > 0 && frame->valid
      && frame->type != M2V_PICTURE_B
      && (c->sequence_pends || c->end_pends || (c->repeat && intra));

  if (c->end_pends && (has_own || insert)) {
    put (p, sequence_end, 0, sizeof sequence_end);
    c->end_pends = false;
  }
  if (insert) {
    c->inserted = c->sequence;
    put (p, c->inserted.data, 0, c->inserted.size);
  }
  put (p, c->headers.data, 0, c->headers.size);
  if (insert || c->headers_have_sequence)
    note_sequence (c);
  if (intra && (has_own || insert))
    c->repeat = false;
}

/* Puts a picture of MPEG-2 if the matrices of output and source may differ:
 * replaces its quant_matrix_extension, or adds one, so that they are equal. */
static void
put_repaired (M2vCarry * c, const M2vPicture * picture,
    const uint8_t * data, const M2vMatrices * source, Pieces * p)
{
  const M2vRange *own = &picture->quant_matrix;
  uint8_t *extension = c->quant_matrix[p->picture];
  M2vMatrices ignored = c->output;
  M2vRange replaced = { picture->after_coding, 0 };
  unsigned mask = m2v_matrices_difference (&c->output, source), loaded;

  if (mask == 0) {
    put (p, NULL, 0, picture->size);
    return;
  }
  if (own->size > 0) {
    replaced = *own;
    if (m2v_parse_quant_matrix (data + own->offset, own->size, &ignored,
            &loaded))
      mask |= loaded;
  }
  put (p, NULL, 0, replaced.offset);
  put (p, extension, 0, m2v_write_quant_matrix (extension, source, mask));
  replaced.offset += replaced.size;
  put (p, NULL, replaced.offset, picture->size - replaced.offset);
}

static void
put_picture (M2vCarry * c, const M2vFrame * frame, const uint8_t * data,
    Pieces * p)
{
  const M2vPicture *picture = &frame->pictures[p->picture];
  const M2vMatrices *source = &frame->matrices[p->picture];

  if (keep_sequence (c, picture, data)) {
    c->sequence_pends = false;
    c->in_sync = true;
    c->output_known = false;
  }
  if (c->in_sync) {
    put (p, NULL, 0, picture->size);
    if (c->output_known && picture->quant_matrix.size == 0)
      return;
  } else if (picture->valid && picture->after_coding > 0) {
    put_repaired (c, picture, data, source, p);
  } else {
    /* MPEG-1 has matrices in sequence headers only. An unreadable picture
     * passes unchanged. */
    put (p, NULL, 0, picture->size);
    c->in_sync = memcmp (&c->output, source, sizeof *source) == 0;
    return;
  }
  c->output = *source;
  c->output_known = true;
  c->in_sync = true;
}

unsigned
m2v_carry_emit (M2vCarry * c, const M2vFrame * frame,
    const uint8_t * const data[2], M2vPiece pieces[M2V_CARRY_MAX_PIECES])
{
  Pieces p = { pieces, 0, 0 };

  put_front (c, frame, &p);
  for (p.picture = 0; p.picture < frame->n_pictures; p.picture++) {
    put_picture (c, frame, data[p.picture], &p);
    c->open = frame->pictures[p.picture].sequence_end.size == 0;
    if (!c->open)
      c->end_pends = false;
  }
  forget_headers (c);
  c->follows_drop = false;
  return p.n;
}

/* Keeps the headers of several spans in a row if there is room, otherwise those
 * of the last one. */
static void
keep_headers (M2vCarry * c, const M2vPicture * span, const uint8_t * data)
{
  if (span->size > sizeof c->headers.data - c->headers.size) {
    forget_headers (c);
    keep (&c->headers, data, span->size);
  } else {
    append (&c->headers, data, span->size);
  }
  if (keep_sequence (c, span, data)) {
    c->headers_have_sequence = true;
    c->sequence_pends = true;
    c->in_sync = false;
  }
}

/* Keeps a sequence_end_code; returns false if it may pass, because the frame
 * before it was passed on. */
static bool
keep_sequence_end (M2vCarry * c)
{
  forget_headers (c);
  if (c->follows_drop) {
    c->end_pends = c->open;
    return true;
  }
  c->open = false;
  c->end_pends = false;
  return false;
}

bool
m2v_carry_span (M2vCarry * c, const M2vPicture * span, const uint8_t * data)
{
  switch (span->kind) {
    case M2V_SPAN_HEADERS:
      keep_headers (c, span, data);
      return false;
    case M2V_SPAN_SEQUENCE_END:
      return !keep_sequence_end (c);
    default:
      return true;
  }
}

unsigned
m2v_carry_headers (M2vCarry * c, M2vPiece * piece)
{
  Pieces p = { piece, 0, 0 };

  put (&p, c->headers.data, 0, c->headers.size);
  if (c->headers_have_sequence)
    note_sequence (c);
  forget_headers (c);
  return p.n;
}

unsigned
m2v_carry_finish (M2vCarry * c, M2vPiece * piece)
{
  Pieces p = { piece, 0, 0 };

  if (c->end_pends)
    put (&p, sequence_end, 0, sizeof sequence_end);
  c->end_pends = false;
  c->open = false;
  return p.n;
}
