/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspnotifier.h"

#include <gst/video/video.h>
#include <notify/notifier.h>

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);
#define GST_CAT_DEFAULT gst_psp_sink_debug

/* The controllers' reasons are the library's, in the same order. */
#define SAME_REASON(name) \
  G_STATIC_ASSERT ((gint) PSP_REASON_##name == GST_CONGESTION_REASON_##name)
SAME_REASON (START);
SAME_REASON (INCREASE);
SAME_REASON (LOSS);
SAME_REASON (TIMEOUT);
SAME_REASON (DUPACK);
SAME_REASON (REXMT);
SAME_REASON (BACKLOG);
SAME_REASON (ECN);
SAME_REASON (DELAY);
SAME_REASON (LIMIT);
SAME_REASON (RESET);

typedef struct
{
  PspNotice notice;
  GstClockTime queue_time;
  const gchar *controller;
} Decision;

struct _GstPspNotifier
{
  GstNotifier base;
  GParamSpec *estimate_pspec;

  /* With its lock. */
  gboolean has_newest;
  Decision newest;              /* not delivered yet */
  gboolean has_low;
  Decision low;                 /* before that, a decrease that newest takes
                                   back */
  Decision last;                /* delivered last, once count > 0 */
  gint64 last_target;           /* or PSP_BITRATE_UNKNOWN */
  guint estimate;
  guint count;
  gboolean begins, restarts;    /* a stream, the first or another */

  gboolean streams;             /* the streaming thread's: packets come */
};

static GstCongestionInfo *
make_info (const Decision * decision, guint count)
{
  const PspNotice *notice = &decision->notice;
  GstCongestionInfo *info =
      gst_congestion_info_new ((GstCongestionReason) notice->reason);

  if (notice->target_bitrate >= 0)
    gst_congestion_info_set_target_bitrate (info, notice->target_bitrate);
  gst_congestion_info_set_scale (info, notice->scale);
  if (notice->rtt >= 0)
    gst_congestion_info_set_rtt (info, notice->rtt);
  gst_congestion_info_set_loss (info, notice->loss);
  if (notice->spacing >= 0)
    gst_congestion_info_set_spacing (info, notice->spacing);
  gst_congestion_info_set_queue_time (info, decision->queue_time);
  gst_congestion_info_set_controller (info, decision->controller);
  gst_congestion_info_set_count (info, count);
  return info;
}

static guint
to_estimate (gint64 target)
{
  return target < 0 ? 0 : (guint) MIN (target, (gint64) G_MAXUINT);
}

static void
deliver (GstPspNotifier * n, const Decision * decision, guint count,
    gboolean estimate_changed)
{
  GstCongestionInfo *info = make_info (decision, count);

  gst_notifier_deliver_congestion (&n->base, info,
      GST_NOTIFIER_APPLICATION | GST_NOTIFIER_UPSTREAM);
  gst_congestion_info_free (info);
  if (estimate_changed)
    g_object_notify_by_pspec (G_OBJECT (n->base.element), n->estimate_pspec);
}

/* With the lock: what whoever is upstream missed, as it was not active yet (a
 * muxer begins by itself), or may have forgotten since. */
static gboolean
recall (GstPspNotifier * n)
{
  gboolean is_due = n->begins && n->count > 0
      && (n->restarts || gst_notifier_missed (&n->base));

  n->begins = FALSE;
  if (is_due)
    n->newest = n->last;
  return n->has_newest = is_due;
}

static gboolean
deliver_next (GstNotifier * base)
{
  GstPspNotifier *n = (GstPspNotifier *) base;
  gboolean changed;
  guint estimate, count;
  Decision next;

  if (!n->has_low && !n->has_newest && !recall (n))
    return FALSE;
  n->begins = n->restarts = FALSE;
  n->last = next = n->has_low ? n->low : n->newest;
  n->last_target = next.notice.target_bitrate;
  if (n->has_low)
    n->has_low = FALSE;
  else
    n->has_newest = FALSE;
  estimate = to_estimate (n->last_target);
  changed = estimate != n->estimate;
  n->estimate = estimate;
  count = ++n->count;

  g_mutex_unlock (&base->lock);
  deliver (n, &next, count, changed);
  g_mutex_lock (&base->lock);
  return TRUE;
}

GstPspNotifier *
gst_psp_notifier_new (GstElement * element, GstPad * pad, GParamSpec * estimate)
{
  GstPspNotifier *n = gst_notifier_new (sizeof *n, deliver_next, element, pad);

  n->estimate_pspec = estimate;
  n->last_target = PSP_BITRATE_UNKNOWN;
  return n;
}

void
gst_psp_notifier_start (GstPspNotifier * n)
{
  gst_notifier_start (&n->base);
}

void
gst_psp_notifier_stop (GstPspNotifier * n)
{
  gst_notifier_stop (&n->base);
}

void
gst_psp_notifier_notice (GstPspNotifier * n, const PspNotice * notice,
    GstClockTime queue_time, const gchar * controller)
{
  gint64 before;

  g_mutex_lock (&n->base.lock);
  before = n->newest.notice.target_bitrate;
  if (n->has_newest && before >= 0 &&
      (n->last_target < 0 || before < n->last_target) &&
      (!n->has_low || before < n->low.notice.target_bitrate)) {
    n->low = n->newest;
    n->has_low = TRUE;
  }
  if (n->has_low && notice->target_bitrate <= n->low.notice.target_bitrate)
    n->has_low = FALSE;
  n->newest.notice = *notice;
  n->newest.queue_time = queue_time;
  n->newest.controller = controller;
  n->has_newest = TRUE;
  gst_notifier_schedule (&n->base);
  g_mutex_unlock (&n->base.lock);
}

void
gst_psp_notifier_stream (GstPspNotifier * n, gboolean streams)
{
  gboolean before = n->streams;

  if (streams == before)
    return;
  n->streams = streams;
  g_mutex_lock (&n->base.lock);
  n->begins = streams;
  n->restarts |= before;
  gst_notifier_schedule (&n->base);
  g_mutex_unlock (&n->base.lock);
}

void
gst_psp_notifier_warn (GstPspNotifier * n, GQuark domain, gint code,
    gchar * text, gchar * debug)
{
  GST_WARNING_OBJECT (n->base.element, "%s", text);
  gst_notifier_post (&n->base, GST_MESSAGE_WARNING, domain, code, text, debug);
}

void
gst_psp_notifier_key_frame (GstPspNotifier * n)
{
  gst_notifier_push (&n->base,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
}

guint
gst_psp_notifier_estimate (GstPspNotifier * n)
{
  guint estimate;

  g_mutex_lock (&n->base.lock);
  estimate = n->estimate;
  g_mutex_unlock (&n->base.lock);
  return estimate;
}

guint
gst_psp_notifier_count (GstPspNotifier * n)
{
  guint count;

  g_mutex_lock (&n->base.lock);
  count = n->count;
  g_mutex_unlock (&n->base.lock);
  return count;
}
