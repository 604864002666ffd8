/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Rebuilds lost picture headers from RFC 2250's payload header and earlier
 * headers (sections 3.4 and 3.4.1, appendix 1).
 */
#ifndef RTP_MPEG_REBUILD_H
#define RTP_MPEG_REBUILD_H

#include "header.h"

/* bytes of picture_header and picture_coding_extension */
#define RTP_MPEG_REBUILT_MAX_SIZE 24

/* The coding of the last header of each picture type; all 0 = none yet. */
typedef struct
{
  struct
  {
    bool known;                 /* false if a later header may be lost */
    M2vPictureCoding coding;
  } types[M2V_PICTURE_B + 1];
} RtpMpegRebuilder;

/* Notes the coding of an MPEG-2 picture that arrived with its headers. */
void rtp_mpeg_rebuilder_note (RtpMpegRebuilder * r, M2vPictureType type,
    const M2vPictureCoding * coding);

/* Forgets all codings, because whole pictures may have been lost. */
void rtp_mpeg_rebuilder_doubt (RtpMpegRebuilder * r);

/* Writes the headers of the picture to which a payload with header h belongs;
 * n_lost packets were lost before it. Returns their size; 0 = they cannot be
 * known. */
size_t rtp_mpeg_rebuild (const RtpMpegRebuilder * r, const RtpMpegHeader * h,
    bool mpeg2, unsigned n_lost, uint8_t out[RTP_MPEG_REBUILT_MAX_SIZE]);

#endif
