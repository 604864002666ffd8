/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Congestion control feedback (RFC 8888) as rtpsession hands it over, in the
 * pieces of any RTP feedback message (RFC 4585 section 6.1). But RFC 8888's has
 * no SSRC of a media source: what stands in its place is the SSRC of the first
 * block.
 */
#ifndef RTPBANDWIDTH_STREAMFEEDBACK_H
#define RTPBANDWIDTH_STREAMFEEDBACK_H

#include <rtpfeedback/rtcpfeedback.h>

#include "streamnumbers.h"

/* Bytes of the largest message that is read. */
#define PSP_STREAM_FEEDBACK_SIZE 1500

typedef struct
{
  uint32_t sender_ssrc;         /* of the reporter */
  uint32_t media_ssrc;          /* that of the first block */
  const uint8_t *fci;           /* the rest */
  size_t size;                  /* bytes of it */
} PspStreamMessage;

/* True if the message of this packet type and format is one of these. */
bool psp_stream_feedback_is (unsigned type, unsigned format);
/* Reads it; see psp_rtcp_feedback_read. The series are SSRCs. */
bool psp_stream_feedback_read (PspRtcpFeedback * f,
    const PspStreamMessage * message, int64_t now, PspFeedback * feedback);
/* True if it names a stream of this session. */
bool psp_stream_feedback_concerns (const PspStreamNumbers * s,
    const PspFeedback * feedback);
/* Translates them into series of the sender, and adds when packets left, so
 * that psp_transport_align can compare receivers. */
void psp_stream_feedback_translate (PspStreamNumbers * s,
    const PspSender * sender, PspRtcpFeedback * f, PspFeedback * feedback);

#endif
