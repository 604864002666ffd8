/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: feedback as it comes from the wire.
 */
#ifndef TEST_FEEDBACK_H
#define TEST_FEEDBACK_H

#include "../../often.h"
#include "ccfb.h"

/* Receiver's NTP time, 16.16 s, of a time in ns. */
static inline uint32_t
feedback_timestamp (int64_t time)
{
  return (uint32_t) (time / PSP_SECOND * 65536 +
      time % PSP_SECOND * 65536 / PSP_SECOND);
}

typedef struct
{
  uint8_t data[65536];
  PspWriter w;
  PspCcfbPacker packer;
  PspCcfb ccfb;
} Feedback;

static inline void
feedback_begin (Feedback * f)
{
  f->w = psp_writer (f->data, sizeof f->data);
  psp_ccfb_begin (&f->packer, &f->w, 0x5ec0de);
}

static inline void
feedback_stream (Feedback * f, uint32_t ssrc, uint16_t begin_seq)
{
  psp_ccfb_stream (&f->packer, ssrc, begin_seq);
}

static inline void
feedback_missing (Feedback * f)
{
  PspCcfbMetric m = { false, 0, PSP_TIME_UNKNOWN };

  psp_ccfb_add_metric (&f->packer, &m);
}

static inline void
feedback_received (Feedback * f, int64_t offset, uint8_t ecn)
{
  PspCcfbMetric m = { true, ecn, offset };

  psp_ccfb_add_metric (&f->packer, &m);
}

static inline void
feedback_end (Feedback * f, uint32_t timestamp)
{
  psp_ccfb_end (&f->packer, timestamp);
  often_fail_unless (!f->w.error);
  often_fail_unless (psp_ccfb_parse (f->data, f->w.size, &f->ccfb));
}

#endif
