/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Sections are of draft-holmer-rmcat-transport-wide-cc-extensions-01.
 */
#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/twcc-private.h>

#define FIXED_SIZE 20           /* bytes before the chunks */
/* ns; unit of the reference time (section 3.1) */
#define REFERENCE_UNIT (PSP_TWCC_REFERENCE_TICKS * PSP_TWCC_DELTA_UNIT)

/* Units of 64 ms, 70 years. If hostile reports lead a time line further,
 * it starts again, before arithmetic on times could overflow. */
#define MAX_REFERENCE (INT64_C (1) << 35)

#define RUN_LENGTH_MASK 0x1fff  /* bits of a run's length */

static unsigned
count_symbols (uint16_t chunk)
{
  if (!(chunk & PSP_TWCC_IS_VECTOR))
    return chunk & RUN_LENGTH_MASK;
  return chunk & PSP_TWCC_IS_TWO_BIT ? PSP_TWCC_VECTOR_BITS / 2 :
      PSP_TWCC_VECTOR_BITS;
}

/* Returns symbol i of the chunk. */
static unsigned
get_symbol (uint16_t chunk, unsigned i)
{
  if (!(chunk & PSP_TWCC_IS_VECTOR))
    return chunk >> PSP_TWCC_RUN_SYMBOL_SHIFT & 3;
  if (chunk & PSP_TWCC_IS_TWO_BIT)
    return chunk >> (PSP_TWCC_VECTOR_BITS - 2 * (i + 1)) & 3;
  return chunk >> (PSP_TWCC_VECTOR_BITS - (i + 1)) & 1;
}

/* Adds the received packets among the first n symbols of a chunk to n_received,
 * and the bytes of deltas that they need to `size`; false if one of the symbols
 * is reserved. */
static bool
add_received (uint16_t chunk, unsigned n, uint16_t *n_received, size_t *size)
{
  /* All symbols of a run are the same. */
  unsigned step = chunk & PSP_TWCC_IS_VECTOR ? 1 : n;

  for (unsigned i = 0; i < n; i += step) {
    unsigned symbol = get_symbol (chunk, i);

    if (symbol == PSP_TWCC_RESERVED)
      return false;
    if (symbol != PSP_TWCC_NOT_RECEIVED)
      *n_received = (uint16_t) (*n_received + step);
    *size += (size_t) symbol *step;
  }
  return true;
}

/* Reads the chunks that cover all packets; the last one may have unused
 * symbols. `size` is the bytes of deltas that they need. */
static bool
read_chunks (PspReader * r, PspTwcc * twcc, size_t *size)
{
  unsigned left = twcc->n_packets;

  *size = 0;
  twcc->n_received = 0;
  twcc->chunks = r->at;
  while (left > 0) {
    uint16_t chunk = psp_read_u16 (r);
    unsigned n = count_symbols (chunk);

    if (n > left)
      n = left;
    if (r->error || !add_received (chunk, n, &twcc->n_received, size))
      return false;
    left -= n;
  }
  twcc->chunks_size = (size_t) (r->at - twcc->chunks);
  return true;
}

/* Reads the rest of a report. The last byte of padding has its size (RFC
 * 3550 section 6.4.1), or zeros fill the last word. */
static bool
read_body (PspReader * r, PspTwcc * twcc)
{
  uint32_t word;
  size_t wanted;

  twcc->sender_ssrc = psp_read_u32 (r);
  twcc->media_ssrc = psp_read_u32 (r);
  twcc->begin_seq = psp_read_u16 (r);
  twcc->n_packets = psp_read_u16 (r);
  word = psp_read_u32 (r);
  twcc->reference = word >> 8;
  twcc->count = (uint8_t) word;
  if (r->error || twcc->n_packets == 0 ||
      twcc->n_packets > PSP_TWCC_MAX_PACKETS || !read_chunks (r, twcc, &wanted))
    return false;

  /* A sender may request reports without times (libwebrtc's
   * transport-wide-cc-02). */
  twcc->has_times = r->left >= wanted;
  twcc->deltas = r->at;
  twcc->deltas_size = twcc->has_times ? wanted : 0;
  return twcc->has_times || r->left < 4;
}

bool
psp_twcc_parse (const uint8_t * packet, size_t size, PspTwcc * twcc)
{
  PspReader r = psp_reader (packet, size);
  uint8_t flags = psp_read_u8 (&r);
  uint8_t type = psp_read_u8 (&r);
  uint16_t words = psp_read_u16 (&r);
  size_t padding = 0;

  if (size < FIXED_SIZE || flags >> 6 != 2 || (flags & 0x1f) != PSP_TWCC_FMT ||
      type != PSP_RTCP_RTPFB || 4 * ((size_t) words + 1) != size)
    return false;
  if (flags & 0x20) {
    padding = packet[size - 1];
    if (padding == 0 || padding > r.left)
      return false;
  }
  r.left -= padding;
  return read_body (&r, twcc);
}

int64_t
psp_twcc_reference_time (const PspTwcc * twcc, int64_t previous)
{
  int64_t units = twcc->reference;

  if (previous != PSP_TIME_UNKNOWN) {
    int64_t before = previous / REFERENCE_UNIT;
    int64_t change = (twcc->reference - (uint32_t) before) & 0xffffff;

    if (change >= 0x800000)     /* 24 bits signed */
      change -= 0x1000000;
    if (before + change > -MAX_REFERENCE && before + change < MAX_REFERENCE)
      units = before + change;
  }
  return units * REFERENCE_UNIT;
}

void
psp_twcc_begin (const PspTwcc * twcc, int64_t reference_time,
    PspTwccIterator * it)
{
  memset (it, 0, sizeof *it);
  it->chunks = psp_reader (twcc->chunks, twcc->chunks_size);
  it->deltas = psp_reader (twcc->deltas, twcc->deltas_size);
  it->has_times = twcc->has_times;
  it->seq = twcc->begin_seq;
  it->left = twcc->n_packets;
  it->at = reference_time;
}

/* Reads a delta. Large deltas are signed. */
static int64_t
read_delta (PspReader * r, unsigned symbol)
{
  int64_t delta = symbol == PSP_TWCC_SMALL_DELTA ? psp_read_u8 (r) :
      (int16_t) psp_read_u16 (r);

  return delta * PSP_TWCC_DELTA_UNIT;
}

/* Makes `chunk` the one with the next packet's symbol. Returns false at the
 * end. */
static bool
find_chunk (PspTwccIterator * it)
{
  if (it->left == 0)
    return false;
  while (it->symbol == it->n_symbols) { /* a run may be empty */
    it->chunk = psp_read_u16 (&it->chunks);
    if (it->chunks.error)
      return false;
    it->symbol = 0;
    it->n_symbols = count_symbols (it->chunk);
  }
  return true;
}

bool
psp_twcc_next (PspTwccIterator * it, PspTwccPacket * packet)
{
  unsigned symbol;

  if (!find_chunk (it))
    return false;
  symbol = get_symbol (it->chunk, it->symbol++);
  packet->seq = it->seq++;
  it->left--;
  packet->received = symbol != PSP_TWCC_NOT_RECEIVED;
  packet->arrived_at = PSP_TIME_UNKNOWN;
  if (packet->received && it->has_times) {
    it->at += read_delta (&it->deltas, symbol);
    packet->arrived_at = it->at;
  }
  return true;
}

/* Returns the bits up to the highest that is set; x is not 0. */
static unsigned
length_of (unsigned x)
{
  return 32 - (unsigned) __builtin_clz (x);
}

/* Returns how many packets from the next one on were not received, to the end
 * of the chunk at most. */
static unsigned
count_none (const PspTwccIterator * it)
{
  unsigned n = it->n_symbols - it->symbol, bits, rest;

  if (!(it->chunk & PSP_TWCC_IS_VECTOR))
    return get_symbol (it->chunk, 0) == PSP_TWCC_NOT_RECEIVED ? n : 0;
  bits = PSP_TWCC_VECTOR_BITS / it->n_symbols;
  rest = it->chunk & ((1U << n * bits) - 1);
  /* The next symbol has the highest of the n × bits bits. */
  return rest == 0 ? n : n - (length_of (rest) + bits - 1) / bits;
}

bool
psp_twcc_next_received (PspTwccIterator * it, PspTwccPacket * packet)
{
  while (find_chunk (it)) {
    unsigned n = MIN (count_none (it), it->left);

    if (n == 0)
      return psp_twcc_next (it, packet);
    it->symbol += n;
    it->seq = (uint16_t) (it->seq + n);
    it->left -= n;
  }
  return false;
}
