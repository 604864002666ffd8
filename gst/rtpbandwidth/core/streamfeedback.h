/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads congestion control feedback (RFC 8888) from rtpsession, which
 * passes the fields of any RTP feedback message (RFC 4585 section 6.1).
 * Feedback of RFC 8888 has no SSRC of a media source: that field contains
 * the SSRC of the first block.
 */
#ifndef RTPBANDWIDTH_STREAMFEEDBACK_H
#define RTPBANDWIDTH_STREAMFEEDBACK_H

#include <rtpfeedback/rtcpfeedback.h>

#include "streamnumbers.h"

/* Bytes of the largest message that is read. */
#define PSP_STREAM_FEEDBACK_SIZE 1500

typedef struct
{
  uint32_t sender_ssrc;         /* SSRC of the reporter */
  uint32_t media_ssrc;          /* SSRC of the first block */
  const uint8_t *fci;           /* rest of the message */
  size_t size;                  /* bytes of `fci` */
} PspStreamMessage;

/* True if messages of this packet type and format are feedback of RFC 8888. */
bool psp_stream_feedback_is (unsigned type, unsigned format);
/* Reads a message; see psp_rtcp_feedback_read. The series are SSRCs. */
bool psp_stream_feedback_read (PspRtcpFeedback * f,
    const PspStreamMessage * message, int64_t now, PspFeedback * feedback);
/* True if the feedback names a stream of this session. */
bool psp_stream_feedback_concerns (const PspStreamNumbers * s,
    const PspFeedback * feedback);
/* Translates SSRCs to series of the sender, and adds when packets left, so
 * that psp_transport_align can compare receivers. */
void psp_stream_feedback_translate (PspStreamNumbers * s,
    const PspSender * sender, PspRtcpFeedback * f, PspFeedback * feedback);

#endif
