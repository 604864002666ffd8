/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The sender core as the element calls it: sender.h, and where the debug
 * category pspcalls is at TRACE, each call and its answer in the log
 * (core/call.h). What such a log says can be put to another sender, which has
 * to answer the same: tests/replay. Else a call costs one comparison more.
 *
 * Nothing here is thread-safe: who owns it serializes the calls.
 */
#ifndef __GST_PSP_CORE_H__
#define __GST_PSP_CORE_H__

#include <gst/gst.h>

#include "core/sender.h"

G_BEGIN_DECLS

typedef struct
{
  PspSender *sender;
  GstElement *element;          /* for the log */
  guint number;                 /* of the session, in this process */
} GstPspCore;

/* All as psp_sender_*; FALSE when out of memory. */
gboolean gst_psp_core_init (GstPspCore * c, GstElement * element,
    const PspSenderConfig * config, gint64 now);
void gst_psp_core_clear (GstPspCore * c);

gboolean gst_psp_core_set_controller (GstPspCore * c,
    const PspControllerClass * klass, gint64 now);
/* These two answer what is there, and change nothing: they are not logged. */
const PspControllerClass *gst_psp_core_controller (const GstPspCore * c);
gboolean gst_psp_core_is_stopped (const GstPspCore * c);
void gst_psp_core_set_limits (GstPspCore * c, const PspLimits * limits,
    gint64 now);
void gst_psp_core_set_pairs (GstPspCore * c, gboolean pairs);
void gst_psp_core_set_clock_rate (GstPspCore * c, guint32 clock_rate);
void gst_psp_core_reset (GstPspCore * c, gint64 now);
void gst_psp_core_resume (GstPspCore * c, gint64 now);

guint gst_psp_core_allowance (GstPspCore * c, gint64 now, guint max,
    gint64 * next_at);
void gst_psp_core_sent (GstPspCore * c, const PspRtpHeader * header,
    gint64 media_time, gint64 now, gboolean backlog);
gboolean gst_psp_core_media_allowed (GstPspCore * c, gint64 now);
void gst_psp_core_rtcp (GstPspCore * c, const guint8 * data, gsize size,
    gint64 now, bool *bye_seen);
gint64 gst_psp_core_next_tick (GstPspCore * c, gint64 now);
void gst_psp_core_tick (GstPspCore * c, gint64 now);
gboolean gst_psp_core_take_notice (GstPspCore * c, gint64 now,
    PspNotice * notice);
void gst_psp_core_notice (GstPspCore * c, PspNotice * notice);
gsize gst_psp_core_pack_rtcp (GstPspCore * c, gint64 now, guint64 ntp,
    gint64 media_now, gboolean bye, guint8 * data, gsize capacity);
void gst_psp_core_stats (GstPspCore * c, gint64 now, PspSenderStats * stats);

G_END_DECLS

#endif
