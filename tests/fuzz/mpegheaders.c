/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as a buffer of MPEG video and as each of its headers: spans put
 * together are the buffer, ranges lie in order within, what is valid reads the
 * same again by itself, and patching changes nothing but its bits.
 */
#include <stdlib.h>
#include <string.h>

#include <mpeg2/patch.h>
#include <mpeg2/splitter.h>
#include <startcode/startcode.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static void
check_scan (const uint8_t * data, size_t size)
{
  size_t expected = 0, found;

  for (size_t from = 0; from < size; from = found + 1) {
    for (expected = from; expected + 3 < size; expected++) {
      if (memcmp (data + expected, "\0\0\1", 3) == 0)
        break;
    }
    if (expected + 3 >= size)
      expected = size;
    found = start_code_find (data, size, from);
    check (found == expected);
  }
}

/* As one header of each kind. */
static void
read_all (const uint8_t * data, size_t size)
{
  M2vSequence sequence;
  M2vMatrices matrices, again;
  M2vGroup group;
  M2vPictureHeader picture;
  M2vPictureCoding coding;
  uint8_t written[M2V_QUANT_MATRIX_MAX_SIZE];
  unsigned loaded, mask;

  if (m2v_parse_sequence_header (data, size, &sequence, &matrices))
    check (sequence.width > 0 && sequence.height > 0
        && sequence.frame_rate_num > 0 && sequence.frame_rate_den > 0);
  memset (&sequence, 0, sizeof sequence);
  m2v_parse_sequence_extension (data, size, &sequence);
  m2v_parse_group (data, size, &group);
  m2v_parse_picture_header (data, size, &picture);
  if (m2v_parse_picture_coding (data, size, &coding))
    check (m2v_extension_id (data, size) == M2V_EXTENSION_PICTURE_CODING);

  m2v_matrices_init (&matrices);
  if (m2v_parse_quant_matrix (data, size, &matrices, &loaded)) {
    m2v_matrices_init (&again);
    mask = m2v_matrices_difference (&again, &matrices);
    size = m2v_write_quant_matrix (written, &matrices, mask);
    check (m2v_parse_quant_matrix (written, size, &again, &loaded));
    check (loaded == mask && memcmp (&again, &matrices, sizeof again) == 0);
  }
}

/* n bits at `position` may differ from what they were. */
static void
check_patched (const uint8_t * before, uint8_t * after, size_t size,
    bool patched, size_t position, unsigned n)
{
  if (patched) {
    check (position + n <= size * 8);
    for (size_t i = position; i < position + n; i++) {
      m2v_patch_bits (after, i, 1, before[i / 8] >> (7 - i % 8) & 1u);
    }
  }
  check (size == 0 || memcmp (before, after, size) == 0);
}

static void
patch_all (const uint8_t * data, size_t size)
{
  uint8_t *copy = malloc (size ? size : 1);
  unsigned value = size ? data[size - 1] * 0x101u : 0;

  check (copy != NULL);
  if (size)
    memcpy (copy, data, size);
  check_patched (data, copy, size, m2v_patch_vbv_delay (copy, size, value),
      45, 16);
  free (copy);
}

/* A range that is there begins where the one before ended, with its code. */
static void
check_range (const uint8_t * data, const M2vPicture * span,
    const M2vRange * range, unsigned code, size_t *end)
{
  if (range->size == 0)
    return;
  for (size_t i = 0; *end == 0 && i < range->offset; i++)
    check (data[i] == 0);
  check (*end == 0 || range->offset == *end);
  check (range->size >= 4 && range->size <= span->size
      && range->offset <= span->size - range->size);
  data += range->offset;
  check (data[0] == 0 && data[1] == 0 && data[2] == 1);
  check (data[3] == code || (code == M2V_CODE_SLICE_MIN
          && m2v_code_is_slice (data[3])));
  *end = range->offset + range->size;
}

static void
check_ranges (const uint8_t * data, const M2vPicture * span)
{
  size_t end = 0;

  check_range (data, span, &span->sequence, M2V_CODE_SEQUENCE, &end);
  check_range (data, span, &span->group, M2V_CODE_GROUP, &end);
  check_range (data, span, &span->headers, M2V_CODE_PICTURE, &end);
  check_range (data, span, &span->slices, M2V_CODE_SLICE_MIN, &end);
  check_range (data, span, &span->sequence_end, M2V_CODE_SEQUENCE_END, &end);
  check (end == (span->kind == M2V_SPAN_STRAY ? 0 : span->size));
  check ((span->kind == M2V_SPAN_PICTURE) == (span->headers.size > 0));
}

/* The headers of a valid picture, read from where they are said to be. */
static void
check_headers (const uint8_t * data, const M2vPicture * span)
{
  size_t end = span->headers.offset + span->headers.size;
  const M2vRange *matrix = &span->quant_matrix;
  M2vPictureHeader header;
  M2vGroup group;

  check (span->slices.size > 0);
  check (m2v_parse_picture_header (data + span->headers.offset,
          span->headers.size, &header));
  check (header.temporal_reference == span->header.temporal_reference
      && header.type == span->header.type
      && header.vbv_delay == span->header.vbv_delay
      && header.f_code[0] == span->header.f_code[0]
      && header.f_code[1] == span->header.f_code[1]);
  check (span->mpeg2 == (span->after_coding > 0));
  if (span->mpeg2)
    check (span->after_coding > span->headers.offset
        && span->after_coding <= end);
  if (matrix->size > 0)
    check (matrix->offset > span->headers.offset && matrix->size <= end
        && matrix->offset <= end - matrix->size
        && m2v_extension_id (data + matrix->offset, matrix->size)
        == M2V_EXTENSION_QUANT_MATRIX);
  if (span->has_group && span->group.size > 0) {
    check (m2v_parse_group (data + span->group.offset, span->group.size,
            &group));
    check (group.time_code == span->group_header.time_code
        && group.closed == span->group_header.closed
        && group.broken_link == span->group_header.broken_link);
  }
}

/* From the same state, the span by itself is one span, and the same. */
static void
check_again (M2vSplitter before, const M2vSplitter * after,
    const uint8_t * data, const M2vPicture * span)
{
  uint8_t *copy = malloc (span->size);
  M2vPicture again;
  size_t position = 0;

  check (copy != NULL);
  memcpy (copy, data, span->size);
  check (m2v_splitter_next (&before, copy, span->size, &position, &again));
  check (position == span->size);
  check (again.begin == 0 && again.kind == span->kind
      && again.valid == span->valid && again.has_group == span->has_group);
  check (memcmp (&again.slices, &span->slices, sizeof again.slices) == 0);
  check (memcmp (&before.matrices, &after->matrices, sizeof before.matrices)
      == 0);
  check (before.has_sequence == after->has_sequence
      && before.sequence.width == after->sequence.width);
  free (copy);
}

static void
split (const uint8_t * data, size_t size)
{
  M2vSplitter s, before;
  M2vPicture span;
  size_t position = 0, end = 0;

  m2v_splitter_init (&s);
  for (before = s; m2v_splitter_next (&s, data, size, &position, &span);
      before = s) {
    check (span.begin == end && span.size > 0 && span.size <= size - end);
    end += span.size;
    check (position == end);
    check_ranges (data + span.begin, &span);
    if (span.kind == M2V_SPAN_PICTURE && span.valid)
      check_headers (data + span.begin, &span);
    check_again (before, &s, data + span.begin, &span);
    patch_all (data + span.begin, span.size);
  }
  check (end == size);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  check_scan (data, size);
  read_all (data, size);
  patch_all (data, size);
  split (data, size);
  return 0;
}
