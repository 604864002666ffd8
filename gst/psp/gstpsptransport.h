/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The transport-wide sequence number of a packet: an RTP header extension
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 2) whose ID the
 * caps name. Every packet that leaves a socket has one of its own, retransmissions
 * and probes, too: receivers report nothing else, and take a number that they have
 * not seen for a loss. So whoever sends gives the numbers, not the payloaders.
 */
#ifndef __GST_PSP_TRANSPORT_H__
#define __GST_PSP_TRANSPORT_H__

#include <gst/gst.h>

#include <rtpfeedback/rtp.h>

G_BEGIN_DECLS

#define GST_PSP_TRANSPORT_URI \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

typedef struct
{
  guint8 id;                    /* of the extension; 0 = there is none */
  guint16 next;                 /* number */
} GstPspTransport;

/* Begins with a number that nobody off the path knows. */
void gst_psp_transport_init (GstPspTransport * t);
/* Gives the packet the next number, in place of what a payloader wrote; a packet
 * without the extension grows by it, header->size too. Whoever else has the buffer
 * keeps it as it was: the packet may be another buffer afterwards. FALSE where
 * there is no extension, or what the packet has of others leaves no place. */
gboolean gst_psp_transport_stamp (GstPspTransport * t, GstBuffer ** packet,
    PspRtpHeader * header, guint16 * number);

/* The ID of the extension in caps of RTP, 1 to 255; 0 = they do not have it. */
guint8 gst_psp_transport_id (const GstCaps * caps);

G_END_DECLS

#endif
