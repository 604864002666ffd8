/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/rtp.h>

/* First 16 bits of an extension in the one-byte form (RFC 8285 section
 * 4.2). */
#define ONE_BYTE_FORM 0xbede
/* First 16 bits of an extension in the two-byte form (RFC 8285 section
 * 4.3). The last four bits may have any value. */
#define TWO_BYTE_FORM 0x1000
/* ID that ends an extension in the one-byte form (RFC 8285 section 4.2). */
#define ONE_BYTE_END 15
#define ONE_BYTE_SIZE 16        /* bytes of data of one element */

PspPacketKind
psp_packet_kind (const uint8_t * data, size_t size)
{
  if (size < 2 || data[0] >> 6 != 2)
    return PSP_PACKET_UNKNOWN;
  return data[1] >= 192 && data[1] <= 223 ? PSP_PACKET_RTCP : PSP_PACKET_RTP;
}

bool
psp_rtp_parse (const uint8_t * data, size_t data_size, size_t size,
    PspRtpHeader * header)
{
  PspReader r = psp_reader (data, data_size < size ? data_size : size);
  uint8_t flags = psp_read_u8 (&r);
  uint8_t type = psp_read_u8 (&r);
  size_t header_size, padding = 0;

  header->marker = type >> 7;
  header->payload_type = type & 0x7f;
  header->seq = psp_read_u16 (&r);
  header->timestamp = psp_read_u32 (&r);
  header->ssrc = psp_read_u32 (&r);
  header->size = size <= UINT32_MAX ? (uint32_t) size : UINT32_MAX;
  header->payload_size = 0;

  psp_read_bytes (&r, 4 * (flags & 0x0f));      /* CSRCs */
  if (flags & 0x10) {           /* extension */
    psp_read_u16 (&r);
    psp_read_bytes (&r, 4 * (size_t) psp_read_u16 (&r));
  }
  if (r.error || flags >> 6 != 2 || size > UINT32_MAX)
    return false;
  header_size = (size_t) (r.at - data);

  if (flags & 0x20 && data_size >= size) {      /* padding */
    padding = data[size - 1];
    if (padding == 0 || padding > size - header_size)
      return false;
  }
  header->payload_size = (uint32_t) (size - header_size - padding);
  return !psp_rtp_payload_type_conflicts (header->payload_type);
}

/* Returns a reader of the extension's elements; it is empty without an
 * extension. */
static PspReader
read_extension (const uint8_t * data, size_t size, uint16_t * form)
{
  PspReader r = psp_reader (data, size), none = { 0 };
  uint8_t flags = psp_read_u8 (&r);
  size_t length;
  const uint8_t *elements;

  if (!(flags & 0x10))
    return none;
  psp_read_bytes (&r, 11 + 4 * (size_t) (flags & 0x0f));
  *form = psp_read_u16 (&r);
  length = 4 * (size_t) psp_read_u16 (&r);
  elements = psp_read_bytes (&r, length);
  return elements ? psp_reader (elements, length) : none;
}

const uint8_t *
psp_rtp_find_extension (const uint8_t * data, size_t size, uint8_t id,
    size_t * n)
{
  uint16_t form = 0;
  PspReader r = read_extension (data, size, &form);
  bool one_byte = form == ONE_BYTE_FORM;

  if (id == 0 || (!one_byte && (form & 0xfff0) != TWO_BYTE_FORM))
    return NULL;
  while (r.left > 0) {
    uint8_t head = psp_read_u8 (&r);
    uint8_t found = one_byte ? head >> 4 : head;
    size_t length;
    const uint8_t *element;

    if (head == 0)              /* padding */
      continue;
    if (one_byte && (found == 0 || found == ONE_BYTE_END))
      return NULL;
    length = one_byte ? (head & 0x0fu) + 1u : psp_read_u8 (&r);
    element = psp_read_bytes (&r, length);
    if (element && found == id) {
      *n = length;
      return element;
    }
  }
  return NULL;
}

bool
psp_rtp_read_extension (const uint8_t * data, size_t size, uint8_t id,
    uint16_t * value)
{
  size_t n;
  const uint8_t *element = psp_rtp_find_extension (data, size, id, &n);
  PspReader r = psp_reader (element, element ? n : 0);

  *value = psp_read_u16 (&r);
  return !r.error;
}

static bool
is_possible (uint16_t form, uint8_t id, uint8_t n)
{
  if (form == ONE_BYTE_FORM)
    return id > 0 && id < ONE_BYTE_END && n > 0 && n <= ONE_BYTE_SIZE;
  return id > 0 && (form & 0xfff0) == TWO_BYTE_FORM;
}

static void
write_element (PspWriter * w, uint16_t form, uint8_t id, const uint8_t * value,
    uint8_t n)
{
  if (form == ONE_BYTE_FORM) {
    psp_write_u8 (w, (uint8_t) (id << 4 | (n - 1)));
  } else {
    psp_write_u8 (w, id);
    psp_write_u8 (w, n);
  }
  psp_write_bytes (w, value, n);
}

size_t
psp_rtp_add_extension (PspWriter * w, const uint8_t * data, size_t size,
    uint8_t id, const uint8_t * value, uint8_t n)
{
  PspReader r = psp_reader (data, size);
  const size_t begin = w->size;
  uint16_t form = ONE_BYTE_FORM;
  size_t fixed, end, length = 0, found;
  PspReader elements = read_extension (data, size, &form);
  uint8_t flags = psp_read_u8 (&r);

  psp_read_bytes (&r, 11 + 4 * (size_t) (flags & 0x0f));
  fixed = (size_t) (r.at - data);
  if (!(flags & 0x10) && !is_possible (form, id, n))
    form = TWO_BYTE_FORM;
  if (flags & 0x10) {
    psp_read_u32 (&r);
    psp_read_bytes (&r, elements.left);
    length = elements.left;
  }
  if (r.error || (flags & 0x10 && !elements.at) || !is_possible (form, id, n))
    return 0;
  psp_write_bytes (w, data, fixed);
  psp_write_u32 (w, (uint32_t) form << 16);
  psp_write_bytes (w, elements.at, length);
  write_element (w, form, id, value, n);
  end = w->size;
  while (!w->error && (w->size - begin - fixed) % 4 != 0)
    psp_write_u8 (w, 0);
  length = (w->size - begin - fixed) / 4 - 1;
  if (w->error || length > UINT16_MAX)
    return 0;
  w->start[begin] |= 0x10;
  w->start[begin + fixed + 2] = (uint8_t) (length >> 8);
  w->start[begin + fixed + 3] = (uint8_t) length;
  return psp_rtp_find_extension (w->start + begin, w->size - begin, id,
      &found) == w->start + end - n ? (size_t) (r.at - data) : 0;
}
