/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as transport-wide congestion control feedback, one packet after the
 * other: what parses can be read to its end, and its times stay in their ranges.
 * The received packets are the same if the others are skipped.
 */
#include <rtpfeedback/twcc.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

/* The next of the received packets is this one. */
static void
check_same (PspTwccIterator * received, const PspTwccPacket * packet)
{
  PspTwccPacket same;

  check (psp_twcc_next_received (received, &same));
  check (same.received && same.seq == packet->seq
      && same.arrived_at == packet->arrived_at);
}

static void
check_report (const PspTwcc * twcc, int64_t reference_time)
{
  /* Deltas of 16 bits signed, of 250 us. */
  int64_t most = INT64_C (32768) * 250 * PSP_USECOND;
  int64_t last = reference_time;
  PspTwccIterator it, received;
  PspTwccPacket packet;
  unsigned n = 0, n_received = 0;

  psp_twcc_begin (twcc, reference_time, &it);
  psp_twcc_begin (twcc, reference_time, &received);
  for (; psp_twcc_next (&it, &packet); n++) {
    check (packet.seq == (uint16_t) (twcc->begin_seq + n));
    check ((packet.arrived_at != PSP_TIME_UNKNOWN)
        == (packet.received && twcc->has_times));
    if (packet.received) {
      check_same (&received, &packet);
      n_received++;
    }
    if (packet.arrived_at == PSP_TIME_UNKNOWN)
      continue;
    check (packet.arrived_at >= last - most
        && packet.arrived_at <= last + most);
    last = packet.arrived_at;
  }
  check (n == twcc->n_packets && n > 0 && n <= PSP_TWCC_MAX_PACKETS);
  check (!psp_twcc_next_received (&received, &packet));
  check (n_received == twcc->n_received);
  check (!it.chunks.error && it.chunks.left == 0);
  check (!it.deltas.error && it.deltas.left == 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  int64_t time = PSP_TIME_UNKNOWN;
  PspTwcc twcc;

  while (size >= 4) {
    size_t length = 4 * ((size_t) (data[2] << 8 | data[3]) + 1);

    if (length > size)
      length = size;
    if (psp_twcc_parse (data, length, &twcc)) {
      time = psp_twcc_reference_time (&twcc, time);
      check (time % (64 * PSP_MSECOND) == 0);
      check_report (&twcc, time);
    }
    data += length;
    size -= length;
  }
  return 0;
}
