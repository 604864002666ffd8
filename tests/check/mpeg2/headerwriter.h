/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes headers for tests, each field at its default unless told: the
 * standards' syntax tables as they stand, with nothing taken from the readers
 * under test.
 */
#ifndef HEADERWRITER_H
#define HEADERWRITER_H

#include <glib.h>

#include <mpeg2/bitwriter.h>

typedef struct
{
  uint8_t data[4096];
  M2vBitWriter bits;
} HeaderWriter;

typedef struct
{
  unsigned width, height, aspect_ratio, frame_rate_code, bit_rate, vbv;
  const uint8_t *intra, *non_intra;     /* NULL: not loaded */
} SequenceFields;

static const SequenceFields default_sequence = {
  .width = 352,
  .height = 288,
  .aspect_ratio = 2,
  .frame_rate_code = 3,
  .bit_rate = 2875,
  .vbv = 20,
};

typedef struct
{
  unsigned profile_and_level, progressive, chroma_format, width, height,
      bit_rate, vbv, low_delay, rate_n, rate_d;
} SequenceExtensionFields;

static const SequenceExtensionFields default_sequence_extension = {
  .profile_and_level = 0x48,
  .progressive = 1,
  .chroma_format = 1,
};

typedef struct
{
  unsigned f_code[4], dc_precision, structure, flags;   /* 10 flags */
  uint32_t composite;           /* with the last flag */
} CodingFields;

static const CodingFields default_coding = {
  .f_code = {2, 1, 3, 1},
  .dc_precision = 0,
  .structure = 3,
  .flags = 0x106,               /* frame_pred, chroma_420, progressive */
};

static inline void
header_writer_init (HeaderWriter * w)
{
  m2v_bit_writer_init (&w->bits, w->data, sizeof w->data);
}

static inline void
write_matrix (HeaderWriter * w, const uint8_t * matrix)
{
  m2v_write_bits (&w->bits, matrix != NULL, 1);
  for (unsigned i = 0; matrix && i < 64; i++)
    m2v_write_bits (&w->bits, matrix[i], 8);
}

static inline void
write_sequence (HeaderWriter * w, const SequenceFields * f)
{
  m2v_write_start_code (&w->bits, 0xb3);
  m2v_write_bits (&w->bits, f->width, 12);
  m2v_write_bits (&w->bits, f->height, 12);
  m2v_write_bits (&w->bits, f->aspect_ratio, 4);
  m2v_write_bits (&w->bits, f->frame_rate_code, 4);
  m2v_write_bits (&w->bits, f->bit_rate, 18);
  m2v_write_bits (&w->bits, 1, 1);
  m2v_write_bits (&w->bits, f->vbv, 10);
  m2v_write_bits (&w->bits, 0, 1);
  write_matrix (w, f->intra);
  write_matrix (w, f->non_intra);
  m2v_write_align (&w->bits);
}

static inline void
write_sequence_extension (HeaderWriter * w, const SequenceExtensionFields * f)
{
  m2v_write_start_code (&w->bits, 0xb5);
  m2v_write_bits (&w->bits, 1, 4);
  m2v_write_bits (&w->bits, f->profile_and_level, 8);
  m2v_write_bits (&w->bits, f->progressive, 1);
  m2v_write_bits (&w->bits, f->chroma_format, 2);
  m2v_write_bits (&w->bits, f->width, 2);
  m2v_write_bits (&w->bits, f->height, 2);
  m2v_write_bits (&w->bits, f->bit_rate, 12);
  m2v_write_bits (&w->bits, 1, 1);
  m2v_write_bits (&w->bits, f->vbv, 8);
  m2v_write_bits (&w->bits, f->low_delay, 1);
  m2v_write_bits (&w->bits, f->rate_n, 2);
  m2v_write_bits (&w->bits, f->rate_d, 5);
  m2v_write_align (&w->bits);
}

static inline void
write_group (HeaderWriter * w, unsigned time_code, unsigned closed,
    unsigned broken)
{
  m2v_write_start_code (&w->bits, 0xb8);
  m2v_write_bits (&w->bits, time_code, 25);
  m2v_write_bits (&w->bits, closed, 1);
  m2v_write_bits (&w->bits, broken, 1);
  m2v_write_align (&w->bits);
}

/* The vectors' fields are those that the type has: full_pel << 3 | f_code. */
static inline void
write_picture (HeaderWriter * w, unsigned reference, unsigned type,
    unsigned delay, unsigned forward, unsigned backward, unsigned n_extra)
{
  m2v_write_start_code (&w->bits, 0x00);
  m2v_write_bits (&w->bits, reference, 10);
  m2v_write_bits (&w->bits, type, 3);
  m2v_write_bits (&w->bits, delay, 16);
  if (type == 2 || type == 3)
    m2v_write_bits (&w->bits, forward, 4);
  if (type == 3)
    m2v_write_bits (&w->bits, backward, 4);
  while (n_extra--)
    m2v_write_bits (&w->bits, 0x1aa, 9);
  m2v_write_bits (&w->bits, 0, 1);
  m2v_write_align (&w->bits);
}

static inline void
write_coding (HeaderWriter * w, const CodingFields * f)
{
  m2v_write_start_code (&w->bits, 0xb5);
  m2v_write_bits (&w->bits, 8, 4);
  for (unsigned i = 0; i < 4; i++)
    m2v_write_bits (&w->bits, f->f_code[i], 4);
  m2v_write_bits (&w->bits, f->dc_precision, 2);
  m2v_write_bits (&w->bits, f->structure, 2);
  m2v_write_bits (&w->bits, f->flags, 10);
  if (f->flags & 1)
    m2v_write_bits (&w->bits, f->composite, 20);
  m2v_write_align (&w->bits);
}

#endif
