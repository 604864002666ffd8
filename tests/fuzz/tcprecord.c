/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as the control messages of an error queue: nothing is read beyond
 * them, at whatever alignment, and what comes of it is in its ranges.
 */
#include "record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  ItcpRecord first = { 0 };

  for (size_t shift = 0; shift < 8; shift += 3) {
    uint8_t *copy = malloc (size + shift);
    ItcpRecord r;

    check (copy != NULL || size + shift == 0);
    if (size > 0)
      memcpy (copy + shift, data, size);
    memset (&r, 0xff, sizeof r);
    itcp_record_parse (copy + shift, size, &r);
    free (copy);
    check (r.stamp == PSP_TIME_UNKNOWN || r.stamp >= PSP_SECOND);
    /* The kernel does not tell these in a record. */
    check (!r.sample.has_total_rto && r.sample.total_rto == 0);
    check (r.has_state || r.sample.ca_state == 0);
    if (shift == 0)
      first = r;
    check (r.stamp == first.stamp && r.has_state == first.has_state
        && r.sample.ca_state == first.sample.ca_state
        && r.sample.retransmits == first.sample.retransmits
        && r.sample.ssthresh == first.sample.ssthresh);
  }
  return 0;
}
