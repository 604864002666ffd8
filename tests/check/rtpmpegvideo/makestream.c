/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "makestream.h"

#define MAX_HEADER 300

typedef struct
{
  M2vBitWriter w;
  uint8_t data[MAX_HEADER];
} Header;

static void
begin_header (Header * h, unsigned code)
{
  m2v_bit_writer_init (&h->w, h->data, sizeof h->data);
  m2v_write_start_code (&h->w, code);
}

static void
end_header (Header * h, GByteArray * out)
{
  size_t size = m2v_write_align (&h->w);

  g_assert (!h->w.error);
  g_byte_array_append (out, h->data, size);
}

static void
write_matrix (Header * h, bool load, unsigned value)
{
  m2v_write_bits (&h->w, load, 1);
  for (unsigned i = 0; load && i < 64; i++)
    m2v_write_bits (&h->w, i == 0 ? 8 : value + i % 5, 8);
}

static void
make_sequence (GByteArray * out, const MakePicture * p)
{
  Header h;

  begin_header (&h, M2V_CODE_SEQUENCE);
  m2v_write_bits (&h.w, 64 << 12 | 48, 24);
  m2v_write_bits (&h.w, 1 << 4 | 3, 8); /* square, 25 frames/s */
  m2v_write_bits (&h.w, 1000, 18);
  m2v_write_bits (&h.w, 1, 1);
  m2v_write_bits (&h.w, 20, 10);
  m2v_write_bits (&h.w, 0, 1);
  write_matrix (&h, p->sequence_matrix, 20);
  write_matrix (&h, false, 0);
  end_header (&h, out);
  if (!p->mpeg2)
    return;
  begin_header (&h, M2V_CODE_EXTENSION);
  m2v_write_bits (&h.w, M2V_EXTENSION_SEQUENCE, 4);
  m2v_write_bits (&h.w, 0x48, 8);       /* main profile at main level */
  m2v_write_bits (&h.w, 0, 1);
  m2v_write_bits (&h.w, 1, 2);  /* 4:2:0 */
  m2v_write_bits (&h.w, 0, 16);
  m2v_write_bits (&h.w, 1, 1);
  m2v_write_bits (&h.w, 0, 16);
  end_header (&h, out);
}

static void
make_group (GByteArray * out)
{
  Header h;

  begin_header (&h, M2V_CODE_GROUP);
  m2v_write_bits (&h.w, 1 << 12, 25);   /* the marker in the time code */
  m2v_write_bits (&h.w, 0, 2);
  end_header (&h, out);
}

static void
make_picture_header (GByteArray * out, const MakePicture * p)
{
  unsigned f_code = p->mpeg2 ? 7 : p->f_code ? p->f_code : 1;
  unsigned full_pel = p->mpeg2 ? 0 : p->full_pel;
  Header h;

  begin_header (&h, M2V_CODE_PICTURE);
  m2v_write_bits (&h.w, p->temporal_reference, 10);
  m2v_write_bits (&h.w, p->type, 3);
  m2v_write_bits (&h.w, 0xffff, 16);
  if (p->type == M2V_PICTURE_P || p->type == M2V_PICTURE_B)
    m2v_write_bits (&h.w, full_pel << 3 | f_code, 4);
  if (p->type == M2V_PICTURE_B)
    m2v_write_bits (&h.w, f_code, 4);
  m2v_write_bits (&h.w, 0, 1);
  end_header (&h, out);
}

static void
make_picture_coding (GByteArray * out, const MakePicture * p)
{
  unsigned f_code = p->f_code ? p->f_code : 1;
  unsigned forward = p->type == M2V_PICTURE_I ? 15 : f_code;
  unsigned backward = p->type == M2V_PICTURE_B ? f_code : 15;
  Header h;

  begin_header (&h, M2V_CODE_EXTENSION);
  m2v_write_bits (&h.w, M2V_EXTENSION_PICTURE_CODING, 4);
  m2v_write_bits (&h.w, forward << 4 | forward, 8);
  m2v_write_bits (&h.w, backward << 4 | backward, 8);
  m2v_write_bits (&h.w, 0, 2);
  m2v_write_bits (&h.w, p->structure ? p->structure : M2V_FRAME_PICTURE, 2);
  m2v_write_bits (&h.w, p->top_field_first, 1);
  m2v_write_bits (&h.w, 0, 8);
  m2v_write_bits (&h.w, p->composite > 0, 1);
  if (p->composite)
    m2v_write_bits (&h.w, 0x54320 + p->composite, 20);
  end_header (&h, out);
}

/* The largest header there is. */
static void
make_quant_matrix (GByteArray * out)
{
  Header h;

  begin_header (&h, M2V_CODE_EXTENSION);
  m2v_write_bits (&h.w, M2V_EXTENSION_QUANT_MATRIX, 4);
  for (unsigned i = 0; i < 4; i++)
    write_matrix (&h, true, 30 + 10 * i);
  end_header (&h, out);
}

/* Bytes that come close to start codes, but hold none. */
static void
make_unit (GByteArray * out, unsigned code, unsigned size, GRand * rand)
{
  guint8 head[4] = { 0, 0, 1, (guint8) code };
  unsigned zeros = 0;

  g_byte_array_append (out, head, sizeof head);
  for (unsigned i = sizeof head; i < size; i++) {
    unsigned r = g_rand_int (rand);
    guint8 byte = r % 4 == 0 ? (r >> 8) % 3 : r >> 8;

    if ((zeros >= 2 && byte <= 1) || (i + 1 == size && byte == 0))
      byte = 0x80;
    zeros = byte == 0 ? zeros + 1 : 0;
    g_byte_array_append (out, &byte, 1);
  }
}

void
make_picture (GByteArray * out, const MakePicture * p, GRand * rand)
{
  static const guint8 end[] = { 0, 0, 1, M2V_CODE_SEQUENCE_END };

  if (p->sequence)
    make_sequence (out, p);
  if (p->group)
    make_group (out);
  make_picture_header (out, p);
  if (p->mpeg2)
    make_picture_coding (out, p);
  if (p->mpeg2 && p->matrix)
    make_quant_matrix (out);
  if (p->user_data)
    make_unit (out, M2V_CODE_USER_DATA, MAX (p->user_data, 4), rand);
  for (unsigned i = 0; i < MAKE_MAX_SLICES && p->slices[i]; i++)
    make_unit (out, i % M2V_CODE_SLICE_MAX + 1, p->slices[i], rand);
  if (p->end)
    g_byte_array_append (out, end, sizeof end);
}
