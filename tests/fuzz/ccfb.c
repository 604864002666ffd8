/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as one congestion control feedback packet: what parses can be
 * read to its end, and packed again it parses to the same.
 */
#include <rtpfeedback/ccfb.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

/* The metrics of `a` once more; unchanged but for what the time stamp's unit
 * cannot tell apart. */
static void
pack_again (const PspCcfb * a, PspWriter * w)
{
  PspCcfbPacker packer;
  PspCcfbStream stream;
  PspCcfbMetric metric;
  size_t position = 0;

  psp_ccfb_begin (&packer, w, a->sender_ssrc);
  while (psp_ccfb_next_stream (a, &position, &stream)) {
    psp_ccfb_stream (&packer, stream.ssrc, stream.begin_seq);
    for (unsigned i = 0; i < stream.n_reports; i++) {
      psp_ccfb_metric (&stream, i, &metric);
      check (metric.ecn <= 3);
      check (metric.received || metric.ecn == 0);
      check (metric.offset == PSP_TIME_UNKNOWN ||
          (metric.offset >= 0 && metric.offset < 8 * PSP_SECOND));
      psp_ccfb_add_metric (&packer, &metric);
    }
  }
  check (position == a->blocks_size);
  psp_ccfb_end (&packer, a->timestamp);
}

static void
compare (const PspCcfb * a, const PspCcfb * b)
{
  PspCcfbStream s, t;
  PspCcfbMetric m, n;
  size_t i = 0, k = 0;

  check (a->sender_ssrc == b->sender_ssrc && a->timestamp == b->timestamp);
  while (psp_ccfb_next_stream (a, &i, &s)) {
    check (psp_ccfb_next_stream (b, &k, &t));
    check (s.ssrc == t.ssrc && s.begin_seq == t.begin_seq &&
        s.n_reports == t.n_reports);
    for (unsigned j = 0; j < s.n_reports; j++) {
      psp_ccfb_metric (&s, j, &m);
      psp_ccfb_metric (&t, j, &n);
      check (m.received == n.received && m.ecn == n.ecn);
      check (m.offset == n.offset);
    }
  }
  check (!psp_ccfb_next_stream (b, &k, &t));
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  PspCcfb ccfb, again;
  PspWriter w;
  uint8_t *packed;

  if (!psp_ccfb_parse (data, size, &ccfb))
    return 0;
  packed = malloc (size);
  if (!packed)
    return 0;
  w = psp_writer (packed, size);
  pack_again (&ccfb, &w);
  check (!w.error && w.size <= size);
  check (psp_ccfb_parse (packed, w.size, &again));
  compare (&ccfb, &again);
  free (packed);
  return 0;
}
