/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/keyrequests.h>

/* ns; a stream that was silent for longer is not asked. */
#define ALIVE (5 * PSP_SECOND)

bool
psp_key_requests_add (PspStream * streams, unsigned n_streams,
    const uint32_t * ssrc, PspKeyRequestKind kind, int64_t now)
{
  bool any = false;

  for (unsigned i = 0; i < n_streams; i++) {
    PspStream *s = &streams[i];

    if (ssrc ? s->ssrc != *ssrc : s->bye_at != PSP_TIME_UNKNOWN ||
        now - s->last_arrival > ALIVE)
      continue;
    any = true;
    if (s->key_request < kind)
      s->key_request = kind;
    s->key_request_at = now;
    if (s->key_requested_at != PSP_TIME_UNKNOWN)
      s->key_request_at =
          MAX (now, s->key_requested_at + PSP_RECEIVER_KEY_INTERVAL);
  }
  return any;
}

int64_t
psp_key_requests_next (const PspStream * streams, unsigned n_streams)
{
  int64_t at = PSP_TIME_NEVER;

  for (unsigned i = 0; i < n_streams; i++)
    if (streams[i].key_request != PSP_KEY_REQUEST_NONE)
      at = MIN (at, streams[i].key_request_at);
  return at;
}

void
psp_key_requests_pack (PspStream * streams, unsigned n_streams, uint32_t ssrc,
    int64_t now, PspWriter * w)
{
  for (unsigned i = 0; i < n_streams; i++) {
    PspStream *s = &streams[i];
    PspKeyRequest request = { s->key_request, ssrc, s->ssrc, 0 };

    if (s->key_request == PSP_KEY_REQUEST_NONE || s->key_request_at > now ||
        w->capacity - w->size < PSP_RTCP_KEY_REQUEST_SIZE)
      continue;
    /* RFC 5104 section 4.3.1.1: each new command has a new number. */
    if (s->key_request == PSP_KEY_REQUEST_FIR)
      request.number = ++s->fir_number;
    psp_rtcp_write_key_request (w, &request);
    s->key_request = PSP_KEY_REQUEST_NONE;
    s->key_requested_at = now;
  }
}
