/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/splitter.h>

#include <string.h>

#include <startcode/startcode.h>

/* The lowest start code of the system layer (table 6-1). */
#define SYSTEM_CODE_MIN 0xb9

/* Largest f_code of a vector in MPEG-2 (13818-2 table 7-8). */
#define F_CODE_MAX 9

/* The sections of a span, in their order. */
typedef enum
{
  SECTION_NONE,
  SECTION_SEQUENCE,
  SECTION_GROUP,
  SECTION_PICTURE,
  SECTION_SLICES,
  SECTION_END
} Section;

/* A span that is being cut. */
typedef struct
{
  M2vSplitter *splitter;
  M2vPicture *span;
  const uint8_t *data;          /* the span's first byte */
  Section section;
  size_t begin;                 /* offset of the current start code */
  size_t end;                   /* offset of the next one, or buffer's end */

  /* The current sequence header, until its extension may have come. */
  bool sequence_read;           /* it could be read */
  M2vSequence sequence;
  M2vMatrices matrices;
} Cut;

static bool
begins_headers (unsigned code)
{
  return code == M2V_CODE_PICTURE || code == M2V_CODE_SEQUENCE
      || code == M2V_CODE_GROUP;
}

static Section
section_of (Section section, unsigned code)
{
  if (code == M2V_CODE_SEQUENCE)
    return SECTION_SEQUENCE;
  if (code == M2V_CODE_GROUP)
    return SECTION_GROUP;
  if (code == M2V_CODE_PICTURE)
    return SECTION_PICTURE;
  if (code == M2V_CODE_SEQUENCE_END)
    return SECTION_END;
  if (m2v_code_is_slice (code))
    return SECTION_SLICES;
  return section;
}

/* True if the start code continues a span that is in this section. */
static bool
continues (Section section, unsigned code)
{
  if (section == SECTION_END || code >= SYSTEM_CODE_MIN)
    return false;
  if (begins_headers (code))
    return section_of (section, code) > section;
  if (m2v_code_is_slice (code) || code == M2V_CODE_SEQUENCE_END)
    return section >= SECTION_PICTURE;
  return true;
}

static M2vRange *
section_range (Cut * c)
{
  switch (c->section) {
    case SECTION_SEQUENCE:
      return &c->span->sequence;
    case SECTION_GROUP:
      return &c->span->group;
    case SECTION_PICTURE:
      return &c->span->headers;
    case SECTION_SLICES:
      return &c->span->slices;
    default:
      return &c->span->sequence_end;
  }
}

/* Puts the sequence header and its extensions in force together. */
static void
finish_sequence (Cut * c)
{
  M2vSplitter *s = c->splitter;

  if (!c->sequence_read)
    return;
  c->sequence_read = false;
  s->has_sequence = true;
  s->sequence = c->sequence;
  s->sequence_matrices = c->matrices;
  s->matrices = c->matrices;
}

static void
read_sequence_extension (Cut * c, const uint8_t * data, size_t size)
{
  if (!c->sequence_read
      || m2v_extension_id (data, size) != M2V_EXTENSION_SEQUENCE)
    return;
  if (c->sequence.mpeg2
      || !m2v_parse_sequence_extension (data, size, &c->sequence)) {
    c->splitter->damaged = true;
    c->sequence_read = false;
  }
}

static void
read_picture_coding (Cut * c, const uint8_t * data, size_t size)
{
  M2vPictureCoding coding;

  if (c->span->mpeg2 || !m2v_parse_picture_coding (data, size, &coding)) {
    c->splitter->damaged = true;
    return;
  }
  c->span->mpeg2 = true;
  c->span->coding = coding;
  c->span->after_coding = c->end;
}

static void
read_quant_matrix (Cut * c, const uint8_t * data, size_t size)
{
  M2vMatrices matrices = c->splitter->matrices;
  unsigned loaded;

  c->span->quant_matrix.offset = c->begin;
  c->span->quant_matrix.size = size;
  if (m2v_parse_quant_matrix (data, size, &matrices, &loaded))
    c->splitter->matrices = matrices;
  else
    c->splitter->damaged = true;
}

static void
read_extension (Cut * c, const uint8_t * data, size_t size)
{
  if (c->section != SECTION_PICTURE) {
    read_sequence_extension (c, data, size);
    return;
  }
  switch (m2v_extension_id (data, size)) {
    case M2V_EXTENSION_PICTURE_CODING:
      read_picture_coding (c, data, size);
      break;
    case M2V_EXTENSION_QUANT_MATRIX:
      read_quant_matrix (c, data, size);
      break;
    default:
      break;
  }
}

/* Reads the header that the current start code begins. */
static void
read_header (Cut * c)
{
  M2vSplitter *s = c->splitter;
  const uint8_t *data = c->data + c->begin;
  size_t size = c->end - c->begin;

  switch (data[3]) {
    case M2V_CODE_SEQUENCE:
      c->sequence_read = m2v_parse_sequence_header (data, size, &c->sequence,
          &c->matrices);
      s->damaged |= !c->sequence_read;
      break;
    case M2V_CODE_GROUP:
      s->has_group = m2v_parse_group (data, size, &s->group);
      s->damaged |= !s->has_group;
      break;
    case M2V_CODE_PICTURE:
      s->damaged |= !m2v_parse_picture_header (data, size, &c->span->header);
      m2v_picture_coding_init (&c->span->coding);
      break;
    case M2V_CODE_EXTENSION:
      read_extension (c, data, size);
      break;
    default:
      break;
  }
}

/* Adds the data that the current start code begins to the span. */
static void
take (Cut * c)
{
  unsigned code = c->data[c->begin + 3];
  Section section = section_of (c->section, code);
  M2vRange *range;

  if (section != c->section)
    finish_sequence (c);
  c->section = section;
  range = section_range (c);
  if (range->size == 0)
    range->offset = c->begin;
  range->size = c->end - range->offset;
  read_header (c);
}

static bool
f_codes_allowed (const M2vPicture * span)
{
  unsigned n = span->header.type == M2V_PICTURE_B ? 2
      : span->header.type == M2V_PICTURE_P ? 1 : 0;

  for (unsigned i = 0; i < n; i++) {
    if (!span->mpeg2 && span->header.f_code[i] == 0)
      return false;
    for (unsigned k = 0; span->mpeg2 && k < 2; k++) {
      if (span->coding.f_code[i][k] == 0
          || span->coding.f_code[i][k] > F_CODE_MAX)
        return false;
    }
  }
  return true;
}

/* True if the headers fit each other and the sequence. */
static bool
headers_fit (const M2vSplitter * s, const M2vPicture * span)
{
  if (s->has_sequence && s->sequence.mpeg2 != span->mpeg2)
    return false;
  if (span->mpeg2 && span->header.type == M2V_PICTURE_D)
    return false;
  return f_codes_allowed (span);
}

static void
finish_span (Cut * c)
{
  M2vSplitter *s = c->splitter;
  M2vPicture *span = c->span;

  finish_sequence (c);
  if (span->headers.size == 0) {
    span->kind = span->sequence_end.size > 0 ? M2V_SPAN_SEQUENCE_END
        : M2V_SPAN_HEADERS;
    return;
  }
  span->kind = M2V_SPAN_PICTURE;
  span->has_group = s->has_group;
  span->group_header = s->group;
  span->valid = !s->damaged && span->slices.size > 0 && headers_fit (s, span);
  s->has_group = false;
  s->damaged = false;
}

/* Cuts a span from the start code at `begin` on, which begins headers or ends a
 * sequence; returns where the span ends. */
static size_t
cut_span (M2vSplitter * s, const uint8_t * data, size_t size, size_t begin,
    M2vPicture * span)
{
  Cut c;

  memset (&c, 0, sizeof c);
  c.splitter = s;
  c.span = span;
  c.data = data;
  c.begin = begin;
  do {
    c.end = start_code_find (data, size, c.begin + M2V_START_CODE_SIZE);
    take (&c);
    c.begin = c.end;
  } while (c.end < size && continues (c.section, data[c.end + 3]));
  finish_span (&c);
  return c.end;
}

/* True if a span other than a stray one begins with this code. */
static bool
begins_span (unsigned code)
{
  return begins_headers (code) || code == M2V_CODE_SEQUENCE_END;
}

static bool
only_zeros (const uint8_t * data, size_t size)
{
  while (size > 0 && data[size - 1] == 0)
    size--;
  return size == 0;
}

void
m2v_splitter_init (M2vSplitter * s)
{
  memset (s, 0, sizeof *s);
  m2v_matrices_init (&s->matrices);
  s->sequence_matrices = s->matrices;
}

void
m2v_splitter_flush (M2vSplitter * s)
{
  s->damaged = false;
  s->has_group = false;
}

bool
m2v_splitter_next (M2vSplitter * s, const uint8_t * data, size_t size,
    size_t *position, M2vPicture * span)
{
  size_t begin = *position, code;

  if (begin >= size)
    return false;
  memset (span, 0, sizeof *span);
  span->begin = begin;
  data += begin;
  size -= begin;

  code = start_code_find (data, size, 0);
  if (code < size && begins_span (data[code + 3]) && only_zeros (data, code)) {
    span->size = cut_span (s, data, size, code, span);
  } else {
    span->kind = M2V_SPAN_STRAY;
    while (code < size && !begins_span (data[code + 3]))
      code = start_code_find (data, size, code + M2V_START_CODE_SIZE);
    span->size = code;
  }
  *position = begin + span->size;
  return true;
}
