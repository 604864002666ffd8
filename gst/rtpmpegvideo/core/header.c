/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "header.h"

#include <string.h>

#include <mpeg2/coding.h>

/* bytes of the header (RFC 2250 section 3.4) */
#define BASE_SIZE 4
/* bytes of the extension header (RFC 2250 section 3.4.1) */
#define EXTENSION_SIZE 4
/* bytes of the composite display word (RFC 2250 section 3.4.1) */
#define COMPOSITE_SIZE 4

void
rtp_mpeg_header_from_picture (RtpMpegHeader * h, const M2vPicture * picture)
{
  memset (h, 0, sizeof *h);
  h->temporal_reference = picture->header.temporal_reference;
  h->active_n = picture->mpeg2;
  h->type = picture->header.type;
  for (unsigned i = 0; i < 2; i++) {
    h->full_pel[i] = picture->header.full_pel[i];
    h->f_code[i] = picture->header.f_code[i];
  }
  h->coding = picture->coding;
}

/* Writes the extension header (section 3.4.1) without extensions behind it. */
static void
write_extension (M2vBitWriter * w, const M2vPictureCoding * c)
{
  m2v_write_bits (w, 0, 2);     /* X, E */
  m2v_write_coding (w, c);
  if (c->composite_display)
    m2v_write_bits (w, c->composite_display_info & 0xfffff, 32);
}

size_t
rtp_mpeg_header_write (const RtpMpegHeader * h,
    uint8_t out[RTP_MPEG_HEADER_MAX_SIZE])
{
  M2vBitWriter w;

  m2v_bit_writer_init (&w, out, RTP_MPEG_HEADER_MAX_SIZE);
  m2v_write_bits (&w, 0, 5);    /* MBZ */
  m2v_write_bits (&w, h->has_extension, 1);
  m2v_write_bits (&w, h->temporal_reference & 0x3ff, 10);
  m2v_write_bits (&w, h->active_n, 1);
  m2v_write_bits (&w, h->new_header, 1);
  m2v_write_bits (&w, h->sequence, 1);
  m2v_write_bits (&w, h->begin_slice, 1);
  m2v_write_bits (&w, h->end_slice, 1);
  m2v_write_bits (&w, h->type & 7, 3);
  for (int i = 1; i >= 0; i--) {        /* backward, then forward */
    m2v_write_bits (&w, h->full_pel[i], 1);
    m2v_write_bits (&w, h->f_code[i] & 7, 3);
  }
  if (h->has_extension)
    write_extension (&w, &h->coding);
  return m2v_write_align (&w);
}

/* Reads the extension header. Returns true if extensions follow it (E). */
static bool
read_extension (M2vBitReader * r, M2vPictureCoding * c)
{
  bool extensions;

  m2v_skip_bits (r, 1);         /* X */
  extensions = m2v_read_bits (r, 1);
  m2v_read_coding (r, c);
  if (c->composite_display) {
    m2v_skip_bits (r, 12);
    c->composite_display_info = m2v_read_bits (r, 20);
  }
  return extensions;
}

size_t
rtp_mpeg_header_parse (const uint8_t * data, size_t size, RtpMpegHeader * h)
{
  M2vBitReader r;
  size_t total = BASE_SIZE;

  memset (h, 0, sizeof *h);
  m2v_bit_reader_init (&r, data, size);
  m2v_skip_bits (&r, 5);        /* MBZ */
  h->has_extension = m2v_read_bits (&r, 1);
  h->temporal_reference = m2v_read_bits (&r, 10);
  h->active_n = m2v_read_bits (&r, 1);
  h->new_header = m2v_read_bits (&r, 1);
  h->sequence = m2v_read_bits (&r, 1);
  h->begin_slice = m2v_read_bits (&r, 1);
  h->end_slice = m2v_read_bits (&r, 1);
  h->type = m2v_read_bits (&r, 3);
  for (int i = 1; i >= 0; i--) {
    h->full_pel[i] = m2v_read_bits (&r, 1);
    h->f_code[i] = m2v_read_bits (&r, 3);
  }
  if (h->has_extension) {
    bool extensions = read_extension (&r, &h->coding);

    total += EXTENSION_SIZE;
    if (h->coding.composite_display)
      total += COMPOSITE_SIZE;
    if (extensions) {
      /* Their first byte counts 32-bit words, itself included. */
      h->extensions_size = m2v_read_bits (&r, 8) * 4;
      if (h->extensions_size == 0)
        return 0;
      total += h->extensions_size;
    }
  }
  return m2v_bit_reader_error (&r) || total > size ? 0 : total;
}
