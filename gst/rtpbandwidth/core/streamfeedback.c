/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "streamfeedback.h"

#include <rtpfeedback/rtcp.h>

bool
psp_stream_feedback_is (unsigned type, unsigned format)
{
  return type == PSP_RTCP_RTPFB && format == PSP_CCFB_FMT;
}

bool
psp_stream_feedback_read (PspRtcpFeedback * f, const PspStreamMessage * message,
    int64_t now, PspFeedback * feedback)
{
  uint8_t packet[PSP_STREAM_FEEDBACK_SIZE];
  PspWriter w = psp_writer (packet, sizeof packet);
  size_t start = psp_rtcp_begin (&w, PSP_CCFB_FMT, PSP_RTCP_RTPFB);
  uint8_t *fci;

  psp_write_u32 (&w, message->sender_ssrc);
  psp_write_u32 (&w, message->media_ssrc);
  fci = psp_write_room (&w, message->size);
  if (!fci) {
    f->malformed++;
    return false;
  }
  if (message->size > 0)
    memcpy (fci, message->fci, message->size);
  psp_rtcp_end (&w, start);
  return psp_rtcp_feedback_read (f, packet, w.size, now, feedback);
}

bool
psp_stream_feedback_concerns (const PspStreamNumbers * s,
    const PspFeedback * feedback)
{
  for (size_t i = 0; i < feedback->n; i++)
    if (psp_stream_numbers_has (s, feedback->acknowledgements[i].key.series))
      return true;
  return false;
}

void
psp_stream_feedback_translate (PspStreamNumbers * s, const PspSender * sender,
    PspRtcpFeedback * f, PspFeedback * feedback)
{
  feedback->n = psp_stream_numbers_translate (s, f->acknowledgements,
      feedback->n);
  for (size_t i = 0; i < feedback->n; i++) {
    PspAcknowledgement *a = &f->acknowledgements[i];

    a->sent_at = psp_sender_sent_at (sender, &a->key);
  }
}
