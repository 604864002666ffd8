/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/rtcp.h>

/* Bytes of a packet's header (RFC 3550 sections 6.4.1 and 6.4.2). */
#define HEADER_SIZE 4
#define MAX_COUNT 31            /* of RC and SC, which have five bits */
#define SDES_CNAME 1            /* type of an SDES item */
/* FMT of a generic NACK (RFC 4585 section 6.2.1). */
#define NACK 1
/* FMT of a PLI (RFC 4585 section 6.3.1). */
#define PLI 1
/* FMT of a FIR (RFC 5104 section 4.3.1). */
#define FIR 4
#define EPOCH UINT64_C (2208988800)     /* 1970 in NTP time, s */

static size_t
packet_size (const uint8_t * header)
{
  return 4 * ((size_t) (header[2] << 8 | header[3]) + 1);
}

/* Returns the size without padding. RFC 3550 section 6.4.1: the last octet
 * counts the padding including itself. Returns 0 if it is wrong, because the
 * header is never padding. */
static size_t
size_without_padding (const uint8_t * data, size_t size)
{
  size_t padding;

  if (!(data[0] & 0x20))
    return size;
  padding = data[size - 1];
  if (padding == 0 || padding > size - HEADER_SIZE)
    return 0;
  return size - padding;
}

bool
psp_rtcp_validate (const uint8_t * data, size_t size)
{
  PspReader r = psp_reader (data, size);

  if (size == 0)
    return false;
  while (r.left > 0) {
    const uint8_t *packet = r.at;

    if (r.left < HEADER_SIZE || packet[0] >> 6 != 2 ||
        packet[1] < 192 || packet[1] > 223)
      return false;
    if (!psp_read_bytes (&r, packet_size (packet)))
      return false;
    if (packet[0] & 0x20 && r.left > 0)
      return false;
    if (!size_without_padding (packet, packet_size (packet)))
      return false;
  }
  return true;
}

bool
psp_rtcp_next (const uint8_t * data, size_t size, size_t *position,
    PspRtcpPacket * packet)
{
  const uint8_t *at;

  if (*position > size || size - *position < HEADER_SIZE)
    return false;
  at = data + *position;
  packet->type = at[1];
  packet->count = at[0] & 0x1f;
  packet->data = at;
  packet->size = packet_size (at);
  if (packet->size > size - *position)
    return false;
  *position += packet->size;
  return true;
}

/* Returns a reader of the packet after its header. */
static PspReader
body_reader (const PspRtcpPacket * packet)
{
  PspReader r = psp_reader (packet->data,
      size_without_padding (packet->data, packet->size));

  psp_read_bytes (&r, HEADER_SIZE);
  return r;
}

bool
psp_rtcp_parse_sr (const PspRtcpPacket * packet, PspRtcpSenderInfo * info)
{
  PspReader r = body_reader (packet);

  if (packet->type != PSP_RTCP_SR)
    return false;
  info->ssrc = psp_read_u32 (&r);
  info->ntp = (uint64_t) psp_read_u32 (&r) << 32;
  info->ntp |= psp_read_u32 (&r);
  info->rtp_timestamp = psp_read_u32 (&r);
  info->packet_count = psp_read_u32 (&r);
  info->octet_count = psp_read_u32 (&r);
  return !r.error;
}

bool
psp_rtcp_parse_report_block (const PspRtcpPacket * packet, unsigned i,
    PspRtcpReportBlock * block)
{
  PspReader r = body_reader (packet);
  uint32_t lost;

  if (packet->type == PSP_RTCP_SR)
    psp_read_bytes (&r, 24);
  else if (packet->type == PSP_RTCP_RR)
    psp_read_bytes (&r, 4);
  else
    return false;
  if (i >= packet->count)
    return false;
  psp_read_bytes (&r, (size_t) i * PSP_RTCP_BLOCK_SIZE);

  block->ssrc = psp_read_u32 (&r);
  lost = psp_read_u32 (&r);
  block->fraction_lost = (uint8_t) (lost >> 24);
  lost &= 0xffffff;             /* 24 bits signed */
  block->cumulative_lost = (int32_t) lost - (lost & 0x800000 ? 0x1000000 : 0);
  block->highest_seq = psp_read_u32 (&r);
  block->jitter = psp_read_u32 (&r);
  block->last_sr = psp_read_u32 (&r);
  block->delay_since_last_sr = psp_read_u32 (&r);
  return !r.error;
}

bool
psp_rtcp_parse_bye (const PspRtcpPacket * packet, unsigned i, uint32_t * ssrc)
{
  PspReader r = body_reader (packet);

  if (packet->type != PSP_RTCP_BYE || i >= packet->count)
    return false;
  psp_read_bytes (&r, (size_t) i * 4);
  *ssrc = psp_read_u32 (&r);
  return !r.error;
}

bool
psp_rtcp_parse_key_request (const PspRtcpPacket * packet, unsigned i,
    PspKeyRequest * request)
{
  PspReader r = body_reader (packet);

  if (packet->type != PSP_RTCP_PSFB)
    return false;
  request->source = psp_read_u32 (&r);
  request->ssrc = psp_read_u32 (&r);
  request->number = 0;
  if (packet->count == PLI) {
    request->kind = PSP_KEY_REQUEST_PLI;
    return i == 0 && !r.error;
  }
  if (packet->count != FIR)
    return false;
  /* The FCI names the stream; the field above is 0 (section 4.3.1.2). */
  psp_read_bytes (&r, (size_t) i * 8);
  request->kind = PSP_KEY_REQUEST_FIR;
  request->ssrc = psp_read_u32 (&r);
  request->number = (uint8_t) (psp_read_u32 (&r) >> 24);
  return !r.error;
}

bool
psp_rtcp_parse_nack (const PspRtcpPacket * packet, unsigned i, PspNack * nack)
{
  PspReader r = body_reader (packet);
  uint32_t item;

  if (packet->type != PSP_RTCP_RTPFB || packet->count != NACK)
    return false;
  nack->source = psp_read_u32 (&r);
  nack->ssrc = psp_read_u32 (&r);
  psp_read_bytes (&r, (size_t) i * 4);
  item = psp_read_u32 (&r);
  nack->first = (uint16_t) (item >> 16);
  nack->following = (uint16_t) item;
  return !r.error;
}

size_t
psp_rtcp_begin (PspWriter * w, unsigned count, uint8_t type)
{
  size_t start = w->size;

  psp_write_u8 (w, (uint8_t) (0x80 | count));
  psp_write_u8 (w, type);
  psp_write_u16 (w, 0);
  return start;
}

void
psp_rtcp_end (PspWriter * w, size_t start)
{
  size_t words = (w->size - start) / 4 - 1;

  if (words > UINT16_MAX)
    w->error = true;
  if (w->error)
    return;
  w->start[start + 2] = (uint8_t) (words >> 8);
  w->start[start + 3] = (uint8_t) words;
}

void
psp_rtcp_write_sr (PspWriter * w, const PspRtcpSenderInfo * info)
{
  size_t start = psp_rtcp_begin (w, 0, PSP_RTCP_SR);

  psp_write_u32 (w, info->ssrc);
  psp_write_u32 (w, (uint32_t) (info->ntp >> 32));
  psp_write_u32 (w, (uint32_t) info->ntp);
  psp_write_u32 (w, info->rtp_timestamp);
  psp_write_u32 (w, info->packet_count);
  psp_write_u32 (w, info->octet_count);
  psp_rtcp_end (w, start);
}

static void
write_block (PspWriter * w, const PspRtcpReportBlock * block)
{
  int32_t lost = block->cumulative_lost;

  /* RFC 3550 appendix A.3: the value is clamped and never wraps. */
  if (lost > 0x7fffff)
    lost = 0x7fffff;
  if (lost < -0x800000)
    lost = -0x800000;
  psp_write_u32 (w, block->ssrc);
  psp_write_u32 (w, (uint32_t) block->fraction_lost << 24 |
      ((uint32_t) lost & 0xffffff));
  psp_write_u32 (w, block->highest_seq);
  psp_write_u32 (w, block->jitter);
  psp_write_u32 (w, block->last_sr);
  psp_write_u32 (w, block->delay_since_last_sr);
}

void
psp_rtcp_write_rr (PspWriter * w, uint32_t ssrc,
    const PspRtcpReportBlock * blocks, unsigned n_blocks)
{
  unsigned n = n_blocks < MAX_COUNT ? n_blocks : MAX_COUNT;
  size_t start = psp_rtcp_begin (w, n, PSP_RTCP_RR);

  psp_write_u32 (w, ssrc);
  for (unsigned i = 0; i < n; i++)
    write_block (w, &blocks[i]);
  psp_rtcp_end (w, start);
}

void
psp_rtcp_write_sdes (PspWriter * w, const uint32_t * ssrcs, unsigned n_ssrcs,
    const char *cname)
{
  static const uint8_t zeros[4];
  unsigned n = n_ssrcs < MAX_COUNT ? n_ssrcs : MAX_COUNT;
  size_t start = psp_rtcp_begin (w, n, PSP_RTCP_SDES);
  size_t length = strlen (cname);

  if (length > PSP_RTCP_MAX_CNAME)
    length = PSP_RTCP_MAX_CNAME;
  for (unsigned i = 0; i < n; i++) {
    psp_write_u32 (w, ssrcs[i]);
    psp_write_u8 (w, SDES_CNAME);
    psp_write_u8 (w, (uint8_t) length);
    psp_write_bytes (w, cname, length);
    /* At least one null ends the items; more nulls fill the word. */
    psp_write_bytes (w, zeros, 4 - (length + 2) % 4);
  }
  psp_rtcp_end (w, start);
}

void
psp_rtcp_write_bye (PspWriter * w, const uint32_t * ssrcs, unsigned n_ssrcs)
{
  unsigned n = n_ssrcs < MAX_COUNT ? n_ssrcs : MAX_COUNT;
  size_t start = psp_rtcp_begin (w, n, PSP_RTCP_BYE);

  for (unsigned i = 0; i < n; i++)
    psp_write_u32 (w, ssrcs[i]);
  psp_rtcp_end (w, start);
}

void
psp_rtcp_write_key_request (PspWriter * w, const PspKeyRequest * request)
{
  bool fir = request->kind == PSP_KEY_REQUEST_FIR;
  size_t start = psp_rtcp_begin (w, fir ? FIR : PLI, PSP_RTCP_PSFB);

  psp_write_u32 (w, request->source);
  psp_write_u32 (w, fir ? 0 : request->ssrc);
  if (fir) {
    psp_write_u32 (w, request->ssrc);
    psp_write_u32 (w, (uint32_t) request->number << 24);
  }
  psp_rtcp_end (w, start);
}

void
psp_rtcp_write_nack (PspWriter * w, const PspNack * nacks, unsigned n)
{
  size_t start = psp_rtcp_begin (w, NACK, PSP_RTCP_RTPFB);

  psp_write_u32 (w, nacks[0].source);
  psp_write_u32 (w, nacks[0].ssrc);
  for (unsigned i = 0; i < n; i++) {
    psp_write_u16 (w, nacks[i].first);
    psp_write_u16 (w, nacks[i].following);
  }
  psp_rtcp_end (w, start);
}

uint64_t
psp_rtcp_ntp (int64_t wall)
{
  uint64_t seconds = (uint64_t) (wall / PSP_SECOND) + EPOCH;
  uint64_t rest = (uint64_t) (wall % PSP_SECOND);

  return seconds << 32 | (rest << 32) / (uint64_t) PSP_SECOND;
}

int64_t
psp_rtcp_interval (bool first, uint32_t random)
{
  double minimum = (double) (first ? 5 * PSP_SECOND / 2 : 5 * PSP_SECOND);
  double factor = 0.5 + (double) random / 4294967296.0;

  return (int64_t) (minimum * factor / (2.718281828459045 - 1.5));
}
