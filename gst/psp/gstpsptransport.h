/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The transport-wide sequence number of a packet: an RTP header extension
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 2) whose ID is
 * in the caps. Every packet that leaves a socket has its own number, also
 * retransmissions and probes: receivers report only these numbers, and count a
 * missing one as a loss. So the sender sets the numbers, not the payloaders.
 */
#ifndef __GST_PSP_TRANSPORT_H__
#define __GST_PSP_TRANSPORT_H__

#include <gst/gst.h>

#include <rtpfeedback/rtp.h>

G_BEGIN_DECLS

/* The URI that names the extension in caps and SDP. */
#define GST_PSP_TRANSPORT_URI \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

typedef struct
{
  guint8 id;                    /* ID of the extension; 0 = there is none */
  guint16 next;                 /* number of the next packet */
} GstPspTransport;

/* Begins with a random number, which an attacker off the path cannot know. */
void gst_psp_transport_init (GstPspTransport * t);
/* Writes the next number into the packet, over one of a payloader. Adds the
 * extension if the packet lacks it; header->size grows, too. Other owners of
 * the buffer keep it unchanged: *packet may be another buffer afterwards.
 * Returns FALSE if the caps have no such extension, or if the packet's other
 * extensions leave no room. */
gboolean gst_psp_transport_stamp (GstPspTransport * t, GstBuffer ** packet,
    PspRtpHeader * header, guint16 * number);

/* Returns the ID of the extension in RTP caps, 1 to 255; 0 = there is none. */
guint8 gst_psp_transport_id (const GstCaps * caps);

G_END_DECLS

#endif
