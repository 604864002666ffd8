/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The transport-wide sequence number of a packet: an RTP header extension
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 2) whose ID the
 * caps name.
 */
#ifndef __GST_PSP_TRANSPORT_H__
#define __GST_PSP_TRANSPORT_H__

#include <gst/gst.h>

#include <rtpfeedback/twccfeedback.h>

G_BEGIN_DECLS

#define GST_PSP_TRANSPORT_URI \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

/* The ID of the extension in caps of RTP, 1 to 255; 0 = they do not have it. */
guint8 gst_psp_transport_id (const GstCaps * caps);
/* Of an RTP packet. FALSE where it has no such extension. */
gboolean gst_psp_transport_read (GstBuffer * packet, guint8 id,
    guint16 * number);
/* The packet with this key leaves: if it has a number, the receiver may answer by
 * that. id: 0 = there is no extension. */
void gst_psp_transport_note_sent (PspTwccFeedback * feedback, guint8 id,
    GstBuffer * packet, const PspKey * key);

G_END_DECLS

#endif
