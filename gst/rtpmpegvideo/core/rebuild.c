/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "rebuild.h"

#include "coding.h"

/* 13818-2 clause 6.2.3.1. */
static void
write_coding (MpegBitWriter * w, const MpegPictureCoding * c)
{
  mpeg_write_start_code (w, MPEG_CODE_EXTENSION);
  mpeg_write_bits (w, MPEG_EXTENSION_PICTURE_CODING, 4);
  mpeg_write_coding (w, c);
  if (c->composite_display)
    mpeg_write_bits (w, c->composite_display_info & 0xfffff, 20);
  mpeg_write_align (w);
}

void
rtp_mpeg_rebuilder_note (RtpMpegRebuilder * r, MpegPictureType type,
    const MpegPictureCoding * coding)
{
  if (type < MPEG_PICTURE_I || type > MPEG_PICTURE_B)
    return;
  r->types[type].known = true;
  r->types[type].coding = *coding;
}

void
rtp_mpeg_rebuilder_doubt (RtpMpegRebuilder * r)
{
  for (unsigned i = 0; i <= MPEG_PICTURE_B; i++)
    r->types[i].known = false;
}

/* Whether vectors can be read with it: 13818-2 clause 6.3.10 (1..9; 15: none),
 * which a payload header that says nothing does not pass. */
static bool
usable_coding (const MpegPictureCoding * c, unsigned type)
{
  if (c->structure < MPEG_TOP_FIELD || c->structure > MPEG_FRAME_PICTURE)
    return false;
  for (unsigned i = 0; i < 2; i++) {
    bool used = type == MPEG_PICTURE_B || (type == MPEG_PICTURE_P && i == 0);

    for (unsigned j = 0; used && j < 2; j++) {
      if (c->f_code[i][j] < 1 || c->f_code[i][j] > 9)
        return false;
    }
  }
  return true;
}

/* What the payload does not say, it must say to be as before: AN without N. But
 * the one before, with N, may have been lost: nothing else may have been than
 * the packet with this one. */
static const MpegPictureCoding *
find_coding (const RtpMpegRebuilder * r, const RtpMpegHeader * h,
    unsigned n_lost)
{
  const MpegPictureCoding *coding;

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
  const MpegPictureCoding *coding = NULL;
  unsigned n_vectors;
  MpegBitWriter w;

  if (h->type < MPEG_PICTURE_I || h->type > MPEG_PICTURE_B)
    return 0;
  n_vectors = h->type - MPEG_PICTURE_I;
  if (mpeg2 && !(coding = find_coding (r, h, n_lost)))
    return 0;

  /* 13818-2 clause 6.2.3; vbv_delay unknown. */
  mpeg_bit_writer_init (&w, out, RTP_MPEG_REBUILT_MAX_SIZE);
  mpeg_write_start_code (&w, MPEG_CODE_PICTURE);
  mpeg_write_bits (&w, h->temporal_reference & 0x3ff, 10);
  mpeg_write_bits (&w, h->type, 3);
  mpeg_write_bits (&w, 0xffff, 16);
  for (unsigned i = 0; i < n_vectors; i++) {
    if (!mpeg2 && h->f_code[i] == 0)
      return 0;                 /* forbidden: the sender left it out */
    mpeg_write_bits (&w, mpeg2 ? 0 : h->full_pel[i], 1);
    mpeg_write_bits (&w, mpeg2 ? 7 : h->f_code[i], 3);
  }
  mpeg_write_bits (&w, 0, 1);   /* extra_bit_picture */
  mpeg_write_align (&w);
  if (coding)
    write_coding (&w, coding);
  return w.error ? 0 : w.size;
}
