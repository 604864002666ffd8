/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Sections are of draft-holmer-rmcat-transport-wide-cc-extensions-01.
 */
#include <rtpfeedback/twccwriter.h>

#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/twcc-private.h>

/* units of deltas; most for a delta of one byte */
#define MAX_SMALL 255

/* Arrival times while packets are read in order. */
typedef struct
{
  int64_t before;               /* ticks; time of the packet before */
  int64_t delta;                /* ticks from that one to the current packet */
} Times;

static unsigned
next_symbol (Times * t, const PspTwccPacket * packet)
{
  int64_t at;

  if (!packet->received)
    return PSP_TWCC_NOT_RECEIVED;
  at = packet->arrived_at / PSP_TWCC_DELTA_UNIT;
  t->delta = at - t->before;
  t->before = at;
  return t->delta >= 0 && t->delta <= MAX_SMALL ? PSP_TWCC_SMALL_DELTA :
      PSP_TWCC_LARGE_DELTA;
}

/* Finds the reference time, in ticks, of the first packet that was
 * received. Returns false if none was. */
static bool
find_reference (const PspTwccPacket * packets, unsigned n, int64_t * reference)
{
  for (unsigned i = 0; i < n; i++)
    if (packets[i].received) {
      *reference = packets[i].arrived_at / PSP_TWCC_DELTA_UNIT
          / PSP_TWCC_REFERENCE_TICKS * PSP_TWCC_REFERENCE_TICKS;
      return true;
    }
  return false;
}

/* Finds the symbols of packets. Returns for how many packets the format
 * can express the time. */
static unsigned
find_symbols (const PspTwccPacket * packets, unsigned n, int64_t reference,
    uint8_t symbols[PSP_TWCC_MAX_WRITTEN])
{
  Times t = { reference, 0 };

  for (unsigned i = 0; i < n; i++) {
    symbols[i] = (uint8_t) next_symbol (&t, &packets[i]);
    if (symbols[i] == PSP_TWCC_LARGE_DELTA
        && (t.delta > INT16_MAX || t.delta < INT16_MIN))
      return i;
  }
  return n;
}

/* Writes the first symbols as one chunk. Returns how many. */
static unsigned
write_chunk (PspWriter * w, const uint8_t * symbols, unsigned n)
{
  unsigned run = 1, bits = 1, most, chunk = 0;

  while (run < n && symbols[run] == symbols[0])
    run++;
  for (unsigned i = 0; i < n && i < PSP_TWCC_VECTOR_BITS; i++)
    bits = symbols[i] == PSP_TWCC_LARGE_DELTA ? 2 : bits;
  most = PSP_TWCC_VECTOR_BITS / bits;
  if (run >= most || run == n) {
    psp_write_u16 (w, (uint16_t)
        (symbols[0] << PSP_TWCC_RUN_SYMBOL_SHIFT | run));
    return run;
  }
  for (unsigned i = 0; i < most; i++)
    chunk = chunk << bits | (i < n ? symbols[i] : PSP_TWCC_NOT_RECEIVED);
  psp_write_u16 (w, (uint16_t) (chunk
          | PSP_TWCC_IS_VECTOR | (bits == 2 ? PSP_TWCC_IS_TWO_BIT : 0)));
  return n < most ? n : most;
}

static void
write_deltas (PspWriter * w, const PspTwccPacket * packets, unsigned n,
    int64_t reference)
{
  Times t = { reference, 0 };

  for (unsigned i = 0; i < n; i++)
    switch (next_symbol (&t, &packets[i])) {
      case PSP_TWCC_SMALL_DELTA:
        psp_write_u8 (w, (uint8_t) t.delta);
        break;
      case PSP_TWCC_LARGE_DELTA:
        psp_write_u16 (w, (uint16_t) t.delta);
        break;
      case PSP_TWCC_NOT_RECEIVED:
        break;
    }
}

unsigned
psp_twcc_write (PspWriter * w, uint32_t sender_ssrc, uint32_t media_ssrc,
    uint8_t count, const PspTwccPacket * packets, unsigned n)
{
  uint8_t symbols[PSP_TWCC_MAX_WRITTEN];
  size_t start;
  int64_t reference;

  if (w->error || n > PSP_TWCC_MAX_WRITTEN
      || w->capacity - w->size < PSP_TWCC_SIZE (n)
      || !find_reference (packets, n, &reference))
    return 0;
  n = find_symbols (packets, n, reference, symbols);
  start = psp_rtcp_begin (w, PSP_TWCC_FMT, PSP_RTCP_RTPFB);
  psp_write_u32 (w, sender_ssrc);
  psp_write_u32 (w, media_ssrc);
  psp_write_u16 (w, packets[0].seq);
  psp_write_u16 (w, (uint16_t) n);
  psp_write_u32 (w, (uint32_t) (reference / PSP_TWCC_REFERENCE_TICKS) << 8
      | count);
  for (unsigned used = 0; used < n;)
    used += write_chunk (w, symbols + used, n - used);
  write_deltas (w, packets, n, reference);
  while ((w->size - start) % 4)
    psp_write_u8 (w, 0);
  psp_rtcp_end (w, start);
  return n;
}
