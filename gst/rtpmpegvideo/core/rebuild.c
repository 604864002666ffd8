/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "rebuild.h"

#include <mpeg2/coding.h>

/* Writes a picture_coding_extension (13818-2 clause 6.2.3.1). */
static void
write_coding (M2vBitWriter * w, const M2vPictureCoding * c)
{
  m2v_write_start_code (w, M2V_CODE_EXTENSION);
  m2v_write_bits (w, M2V_EXTENSION_PICTURE_CODING, 4);
  m2v_write_coding (w, c);
  if (c->composite_display)
    m2v_write_bits (w, c->composite_display_info & 0xfffff, 20);
  m2v_write_align (w);
}

void
rtp_mpeg_rebuilder_note (RtpMpegRebuilder * r, M2vPictureType type,
    const M2vPictureCoding * coding)
{
  if (type < M2V_PICTURE_I || type > M2V_PICTURE_B)
    return;
  r->types[type].known = true;
  r->types[type].coding = *coding;
}

void
rtp_mpeg_rebuilder_doubt (RtpMpegRebuilder * r)
{
  for (unsigned i = 0; i <= M2V_PICTURE_B; i++)
    r->types[i].known = false;
}

/* True if vectors can be read with this coding: each f_code in use is 1..9, 15
 * = none (13818-2 clause 6.3.10). A payload header that is left zero does not
 * pass. */
static bool
usable_coding (const M2vPictureCoding * c, unsigned type)
{
  if (c->structure < M2V_TOP_FIELD || c->structure > M2V_FRAME_PICTURE)
    return false;
  for (unsigned i = 0; i < 2; i++) {
    bool used = type == M2V_PICTURE_B || (type == M2V_PICTURE_P && i == 0);

    for (unsigned j = 0; used && j < 2; j++) {
      if (c->f_code[i][j] < 1 || c->f_code[i][j] > 9)
        return false;
    }
  }
  return true;
}

/* Returns the coding from the payload header or, if the header says that it has
 * not changed (AN without N), the last coding of this type. A header with N may
 * have been lost in between, so at most the packet with this header may be
 * missing. NULL = unknown. */
static const M2vPictureCoding *
find_coding (const RtpMpegRebuilder * r, const RtpMpegHeader * h,
    unsigned n_lost)
{
  const M2vPictureCoding *coding;

  if (h->has_extension)
    coding = &h->coding;
  else if (h->active_n && !h->new_header && r->types[h->type].known &&
      n_lost <= 1)
    coding = &r->types[h->type].coding;
  else
    return NULL;
  return usable_coding (coding, h->type) ? coding : NULL;
}

size_t
rtp_mpeg_rebuild (const RtpMpegRebuilder * r, const RtpMpegHeader * h,
    bool mpeg2, unsigned n_lost, uint8_t out[RTP_MPEG_REBUILT_MAX_SIZE])
{
  const M2vPictureCoding *coding = NULL;
  unsigned n_vectors;
  M2vBitWriter w;
  size_t size;

  if (h->type < M2V_PICTURE_I || h->type > M2V_PICTURE_B)
    return 0;
  n_vectors = h->type - M2V_PICTURE_I;
  if (mpeg2 && !(coding = find_coding (r, h, n_lost)))
    return 0;

  /* This is a picture_header (13818-2 clause 6.2.3); vbv_delay is unknown. */
  m2v_bit_writer_init (&w, out, RTP_MPEG_REBUILT_MAX_SIZE);
  m2v_write_start_code (&w, M2V_CODE_PICTURE);
  m2v_write_bits (&w, h->temporal_reference & 0x3ff, 10);
  m2v_write_bits (&w, h->type, 3);
  m2v_write_bits (&w, 0xffff, 16);
  for (unsigned i = 0; i < n_vectors; i++) {
    if (!mpeg2 && h->f_code[i] == 0)
      return 0;                 /* 0 is forbidden: the sender left it out */
    m2v_write_bits (&w, mpeg2 ? 0 : h->full_pel[i], 1);
    m2v_write_bits (&w, mpeg2 ? 7 : h->f_code[i], 3);
  }
  m2v_write_bits (&w, 0, 1);    /* extra_bit_picture */
  m2v_write_align (&w);
  if (coding)
    write_coding (&w, coding);
  size = m2v_write_align (&w);
  return w.error ? 0 : size;
}
