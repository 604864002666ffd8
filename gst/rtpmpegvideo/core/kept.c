/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "kept.h"

#include <string.h>

#define NO_CODE (-1)            /* no start code has been seen */
#define NO_BYTES 0xffffffff     /* a window in which no start code begins */

void
rtp_mpeg_kept_clear (RtpMpegKept * k)
{
  k->size = 0;
  k->n_pictures = 0;
  k->type = 0;
  memset (&k->picture, 0, sizeof k->picture);
  k->has_next_sequence = false;
  k->window = NO_BYTES;
  k->code = NO_CODE;
  k->header_size = 0;
}

void
rtp_mpeg_kept_init (RtpMpegKept * k)
{
  memset (k, 0, sizeof *k);
  rtp_mpeg_kept_clear (k);
}

unsigned
rtp_mpeg_kept_row (const RtpMpegKept * k, unsigned code)
{
  return k->sequence.height > M2V_MAX_HEIGHT_UNEXTENDED ? 0 : code;
}

static void
take_sequence (RtpMpegKept * k)
{
  if (k->has_next_sequence) {
    k->sequence = k->next_sequence;
    k->has_sequence = true;
    k->has_next_sequence = false;
  }
}

static void
end_extension (RtpMpegKept * k)
{
  RtpMpegKeptPicture *p = &k->picture;

  switch (m2v_extension_id (k->header, k->header_size)) {
    case M2V_EXTENSION_SEQUENCE:
      k->has_next_sequence = k->has_next_sequence &&
          m2v_parse_sequence_extension (k->header, k->header_size,
          &k->next_sequence);
      break;
    case M2V_EXTENSION_PICTURE_CODING:
      p->has_coding = p->has_header && m2v_parse_picture_coding (k->header,
          k->header_size, &p->coding);
      break;
  }
}

/* Parses the header that has been read completely. */
static void
end_header (RtpMpegKept * k)
{
  RtpMpegKeptPicture *p = &k->picture;
  M2vMatrices matrices;

  switch (k->code) {
    case M2V_CODE_SEQUENCE:
      k->has_next_sequence = m2v_parse_sequence_header (k->header,
          k->header_size, &k->next_sequence, &matrices);
      break;
    case M2V_CODE_PICTURE:
      p->has_header = m2v_parse_picture_header (k->header, k->header_size,
          &p->header);
      if (k->n_pictures == 1 && p->has_header)
        k->type = p->header.type;
      break;
    case M2V_CODE_EXTENSION:
      end_extension (k);
      break;
  }
  k->header_size = 0;
}

/* Brings the picture's headers, which are complete now, into force. */
static void
end_headers (RtpMpegKept * k)
{
  RtpMpegKeptPicture *p = &k->picture;

  take_sequence (k);
  p->known = p->has_header && p->has_coding == k->sequence.mpeg2;
  if (p->known && p->has_coding)
    rtp_mpeg_rebuilder_note (&k->rebuilder, p->header.type, &p->coding);
}

/* Begins a header or slice after its start code; the last byte of the code is
 * the last one kept. */
static void
begin_unit (RtpMpegKept * k, uint8_t code)
{
  const uint8_t start_code[4] = { 0, 0, 1, code };
  RtpMpegKeptPicture *p = &k->picture;
  size_t at = k->size - 4;

  end_header (k);
  if (m2v_code_is_slice (code)) {
    if (p->n_slices++ == 0)
      end_headers (k);
    p->row = rtp_mpeg_kept_row (k, code);
  } else if (code == M2V_CODE_PICTURE) {
    take_sequence (k);
    k->n_pictures++;
    memset (p, 0, sizeof *p);
    p->begun = true;
    p->at = at;
  }
  if (k->code == NO_CODE || (code != M2V_CODE_EXTENSION &&
          code != M2V_CODE_USER_DATA))
    k->header_at = at;
  k->code = code;
  k->code_at = at;
  if (code == M2V_CODE_SEQUENCE || code == M2V_CODE_PICTURE ||
      code == M2V_CODE_EXTENSION) {
    memcpy (k->header, start_code, sizeof start_code);
    k->header_size = sizeof start_code;
  }
}

void
rtp_mpeg_kept_append (RtpMpegKept * k, const uint8_t * data, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    k->window = k->window << 8 | data[i];
    k->size++;
    if (k->window >> 8 == 1)
      begin_unit (k, data[i]);
    else if (k->header_size > 0 && k->header_size < sizeof k->header)
      k->header[k->header_size++] = data[i];
  }
}

size_t
rtp_mpeg_kept_drop_bare_picture (RtpMpegKept * k)
{
  RtpMpegKeptPicture *p = &k->picture;
  size_t cut;

  if (!p->begun || p->n_slices > 0)
    return 0;
  cut = k->size - p->at;
  k->size = p->at;
  k->n_pictures--;
  memset (p, 0, sizeof *p);
  k->window = NO_BYTES;
  k->code = NO_CODE;
  k->header_size = 0;
  return cut;
}

/* Drops a header that breaks off. Returns where the complete data ends. */
static size_t
drop_torn_header (RtpMpegKept * k)
{
  if (k->picture.begun && k->picture.at == k->header_at)
    rtp_mpeg_kept_drop_bare_picture (k);
  else if (k->code != M2V_CODE_GROUP)
    k->has_next_sequence = false;
  return k->header_at;
}

size_t
rtp_mpeg_kept_break (RtpMpegKept * k, bool whole_headers,
    bool whole_slice, size_t *pad)
{
  RtpMpegKeptPicture *p = &k->picture;
  size_t size = k->size, end = k->size;

  *pad = 0;
  if ((k->window & 0xffffff) == 1 && size >= 3)
    end -= 3;
  if (k->code == NO_CODE || k->code == M2V_CODE_SEQUENCE_END) {
    /* Nothing was torn. */
  } else if (m2v_code_is_slice (k->code)) {
    if (end - k->code_at <= 4) {
      end = k->code_at;
      p->n_slices--;
    } else if (!whole_slice) {
      *pad = RTP_MPEG_KEPT_PAD;
    }
  } else if (whole_headers) {
    end_header (k);
    if (p->begun && p->n_slices == 0)
      end_headers (k);
  } else {
    end = drop_torn_header (k);
  }
  k->size = end + *pad;
  k->window = NO_BYTES;
  k->code = NO_CODE;
  k->header_size = 0;
  return size - end;
}
