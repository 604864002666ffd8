/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/ccfb.h>

#include <rtpfeedback/rtcp.h>

/* bit R: the packet was received */
#define RECEIVED 0x8000
/* the arrival time offset in a metric */
#define ATO_MASK 0x1fff
/* the two values above it have special meanings */
#define ATO_MAX 0x1ffd

/* Returns the bytes of n metrics: two octets each, padded to whole words. */
static size_t
metrics_size (unsigned n_reports)
{
  return ((size_t) n_reports + 1) / 2 * 4;
}

static bool
read_stream (PspReader * r, PspCcfbStream * stream)
{
  stream->ssrc = psp_read_u32 (r);
  stream->begin_seq = psp_read_u16 (r);
  stream->n_reports = psp_read_u16 (r);
  stream->metrics = psp_read_bytes (r, metrics_size (stream->n_reports));
  return !r->error && stream->n_reports <= PSP_CCFB_MAX_REPORTS;
}

bool
psp_ccfb_parse (const uint8_t * packet, size_t size, PspCcfb * ccfb)
{
  PspReader r = psp_reader (packet, size);
  PspCcfbStream stream;
  size_t padding = 0;
  uint8_t flags = psp_read_u8 (&r);
  uint8_t type = psp_read_u8 (&r);
  uint16_t words = psp_read_u16 (&r);

  if (size < PSP_CCFB_FIXED_SIZE || flags >> 6 != 2 ||
      (flags & 0x1f) != PSP_CCFB_FMT || type != PSP_RTCP_RTPFB ||
      4 * ((size_t) words + 1) != size)
    return false;
  if (flags & 0x20) {
    padding = packet[size - 1];
    if (padding == 0 || padding % 4 || padding > size - PSP_CCFB_FIXED_SIZE)
      return false;
  }
  ccfb->sender_ssrc = psp_read_u32 (&r);
  ccfb->blocks = r.at;
  ccfb->blocks_size = size - padding - PSP_CCFB_FIXED_SIZE;
  r = psp_reader (packet + size - padding - 4, 4);
  ccfb->timestamp = psp_read_u32 (&r);

  r = psp_reader (ccfb->blocks, ccfb->blocks_size);
  while (r.left > 0) {
    if (!read_stream (&r, &stream))
      return false;
  }
  return true;
}

bool
psp_ccfb_next_stream (const PspCcfb * ccfb, size_t *position,
    PspCcfbStream * stream)
{
  PspReader r;

  if (*position >= ccfb->blocks_size)
    return false;
  r = psp_reader (ccfb->blocks + *position, ccfb->blocks_size - *position);
  if (!read_stream (&r, stream))
    return false;
  *position = ccfb->blocks_size - r.left;
  return true;
}

void
psp_ccfb_metric (const PspCcfbStream * stream, unsigned i,
    PspCcfbMetric * metric)
{
  PspReader r = psp_reader (stream->metrics + 2 * (size_t) i, 2);
  uint16_t bits = psp_read_u16 (&r);
  unsigned ato = bits & ATO_MASK;

  metric->received = bits & RECEIVED;
  metric->ecn = PSP_ECN_NOT_ECT;
  metric->offset = PSP_TIME_UNKNOWN;
  if (!metric->received)
    return;
  metric->ecn = bits >> 13 & 3;
  if (ato <= ATO_MAX)
    metric->offset = ato * PSP_SECOND / 1024;
}

static uint16_t
ato_from_offset (int64_t offset)
{
  if (offset < 0)               /* unknown, or after the report's time stamp */
    return PSP_CCFB_ATO_UNAVAILABLE;
  if (offset > ATO_MAX * PSP_SECOND / 1024)
    return PSP_CCFB_ATO_OVERRANGE;
  return (uint16_t) ((offset * 1024 + PSP_SECOND / 2) / PSP_SECOND);
}

void
psp_ccfb_begin (PspCcfbPacker * packer, PspWriter * w, uint32_t sender_ssrc)
{
  packer->w = w;
  packer->start = psp_rtcp_begin (w, PSP_CCFB_FMT, PSP_RTCP_RTPFB);
  packer->count_at = 0;
  packer->n_reports = 0;
  psp_write_u32 (w, sender_ssrc);
}

static void
close_stream (PspCcfbPacker * packer)
{
  PspWriter *w = packer->w;

  if (packer->count_at == 0)
    return;
  if (packer->n_reports % 2)
    psp_write_u16 (w, 0);
  if (w->error)
    return;
  w->start[packer->count_at] = (uint8_t) (packer->n_reports >> 8);
  w->start[packer->count_at + 1] = (uint8_t) packer->n_reports;
}

void
psp_ccfb_stream (PspCcfbPacker * packer, uint32_t ssrc, uint16_t begin_seq)
{
  PspWriter *w = packer->w;

  close_stream (packer);
  psp_write_u32 (w, ssrc);
  psp_write_u16 (w, begin_seq);
  packer->count_at = w->size;
  packer->n_reports = 0;
  psp_write_u16 (w, 0);         /* num_reports, which close_stream sets */
}

void
psp_ccfb_add_metric (PspCcfbPacker * packer, const PspCcfbMetric * metric)
{
  if (packer->n_reports == PSP_CCFB_MAX_REPORTS) {
    packer->w->error = true;
    return;
  }
  packer->n_reports++;
  psp_write_u16 (packer->w, metric->received ? (uint16_t) (RECEIVED |
          (metric->ecn & 3) << 13 | ato_from_offset (metric->offset)) : 0);
}

void
psp_ccfb_end (PspCcfbPacker * packer, uint32_t timestamp)
{
  close_stream (packer);
  psp_write_u32 (packer->w, timestamp);
  psp_rtcp_end (packer->w, packer->start);
}
