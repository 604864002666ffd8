/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The `stats` property of pspsrc; its fields are documented with the element.
 */
#ifndef __GST_PSP_SRC_STATS_H__
#define __GST_PSP_SRC_STATS_H__

#include <gst/gst.h>

#include <rtpfeedback/receiver.h>
#include "net/udp.h"

G_BEGIN_DECLS

/* The counters that the receiver core does not have. */
typedef struct
{
  guint64 malformed;
  guint64 foreign_packets;
  guint64 feedback_errors;
  guint64 unauthenticated, replayed;
  guint64 requests_refused;     /* refused requests for lost packets */
  gboolean by_numbers;          /* the last packet is reported by its
                                   transport-wide number */
} GstPspSrcCounters;

GstStructure *gst_psp_src_stats_new (const PspReceiverStats * receiver,
    const GstPspSrcCounters * counters, const PspAddress * peer,
    guint32 clock_rate);

G_END_DECLS

#endif
