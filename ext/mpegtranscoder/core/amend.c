/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Positions are in bits, from the start code (13818-2 clauses 6.2.2.1,
 * 6.2.2.3, 6.2.3.1).
 */
#include "amend.h"

#include <mpeg2/patch.h>
#include <mpeg2/splitter.h>

/* bits/s; unit of bit_rate (13818-2 clause 6.3.3) */
#define RATE_UNIT 400
/* The bit_rate of a variable rate in MPEG-1 (13818-2 clause 6.3.3). */
#define RATE_VARIABLE 0x3ffff
/* bits; unit of vbv_buffer_size (13818-2 clause 6.3.3) */
#define SIZE_UNIT (16 * 1024)

enum
{
  SEQUENCE_BIT_RATE = 64,       /* 18 bits */
  SEQUENCE_VBV_SIZE = 83,       /* 10 bits */
  SEQUENCE_SIZE = 12,           /* bytes; without matrices */
  EXTENSION_BIT_RATE = 51,      /* 12 bits */
  EXTENSION_VBV_SIZE = 64,      /* 8 bits */
  EXTENSION_LOW_DELAY = 72,     /* 1 bit */
  EXTENSION_SIZE = 10,          /* bytes */
  CODING_TOP_FIELD_FIRST = 56,  /* 1 bit */
  CODING_REPEAT_FIRST_FIELD = 62,       /* 1 bit */
  CODING_CHROMA_420_TYPE = 63,  /* 1 bit */
  CODING_PROGRESSIVE_FRAME = 64,        /* 1 bit */
  CODING_SIZE = 9               /* bytes; without composite_display */
};

static int64_t
divide_up (int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

/* Amends the sequence headers. Without matrices, the extension follows at
 * once. */
static void
amend_sequence (uint8_t * data, size_t size, const TranscoderAmendment * a)
{
  uint8_t *extension = data + SEQUENCE_SIZE;
  bool mpeg2 = size >= SEQUENCE_SIZE + EXTENSION_SIZE
      && m2v_extension_id (extension,
      EXTENSION_SIZE) == M2V_EXTENSION_SEQUENCE;
  int64_t rate = divide_up (a->bit_rate, RATE_UNIT);
  int64_t units = divide_up (a->vbv_buffer_size, SIZE_UNIT);

  if (size < SEQUENCE_SIZE)
    return;
  if (mpeg2)
    m2v_patch_bits (extension, EXTENSION_LOW_DELAY, 1, a->low_delay);
  if (rate > 0 && (mpeg2 ? rate >> 30 == 0 : rate < RATE_VARIABLE)) {
    m2v_patch_bits (data, SEQUENCE_BIT_RATE, 18, rate & 0x3ffff);
    if (mpeg2)
      m2v_patch_bits (extension, EXTENSION_BIT_RATE, 12, (rate >> 18) & 0xfff);
  }
  if (units > 0 && units >> (mpeg2 ? 18 : 10) == 0) {
    m2v_patch_bits (data, SEQUENCE_VBV_SIZE, 10, units & 0x3ff);
    if (mpeg2)
      m2v_patch_bits (extension, EXTENSION_VBV_SIZE, 8, (units >> 10) & 0xff);
  }
}

/* Amends the picture coding extension of a frame picture; the encoder
 * makes no other pictures. A frame whose fields are of two times must not
 * repeat a field (6.3.10). */
static void
amend_coding (uint8_t * data, const M2vPicture * span, bool progressive,
    const TranscoderAmendment * a)
{
  uint8_t *coding = data + span->after_coding - CODING_SIZE;
  bool repeat = a->n_fields > 2;

  if (progressive) {
    m2v_patch_bits (coding, CODING_REPEAT_FIRST_FIELD, 1, repeat);
    m2v_patch_bits (coding, CODING_TOP_FIELD_FIRST, 1, a->n_fields > 4);
    return;
  }
  m2v_patch_bits (coding, CODING_TOP_FIELD_FIRST, 1, a->top_field_first);
  if (!a->progressive_frame)
    return;
  m2v_patch_bits (coding, CODING_REPEAT_FIRST_FIELD, 1, repeat);
  /* In 4:2:0 this equals progressive_frame. */
  m2v_patch_bits (coding, CODING_CHROMA_420_TYPE, 1, a->is_420);
  m2v_patch_bits (coding, CODING_PROGRESSIVE_FRAME, 1, 1);
}

void
transcoder_amend (uint8_t * data, size_t size,
    const TranscoderAmendment * amendment, size_t *sequence)
{
  M2vSplitter splitter;
  M2vPicture span;
  size_t position = 0;

  *sequence = 0;
  m2v_splitter_init (&splitter);
  if (!m2v_splitter_next (&splitter, data, size, &position, &span)
      || span.kind != M2V_SPAN_PICTURE)
    return;
  if (span.sequence.size > 0 && span.sequence.offset == 0) {
    amend_sequence (data, span.sequence.size, amendment);
    *sequence = span.sequence.size;
  }
  m2v_patch_vbv_delay (data + span.headers.offset, span.headers.size, 0xffff);
  if (span.valid && span.mpeg2 && amendment->n_fields > 0)
    amend_coding (data, &span, amendment->progressive_sequence, amendment);
}
