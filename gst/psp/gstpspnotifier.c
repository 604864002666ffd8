/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspnotifier.h"

#include <gst/notify/notifier.h>

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);
#define GST_CAT_DEFAULT gst_psp_sink_debug

/* The core's reasons are the library's, in the same order. */
G_STATIC_ASSERT ((gint) PSP_REASON_START == GST_CONGESTION_REASON_START);
G_STATIC_ASSERT ((gint) PSP_REASON_TIMEOUT == GST_CONGESTION_REASON_TIMEOUT);
G_STATIC_ASSERT ((gint) PSP_REASON_ECN == GST_CONGESTION_REASON_ECN);
G_STATIC_ASSERT ((gint) PSP_REASON_RESET == GST_CONGESTION_REASON_RESET);

struct _GstPspNotifier
{
  GstNotifier base;
  GParamSpec *estimate_pspec;

  /* With its lock. */
  gboolean has_low, has_newest;
  GstPspNews low, newest;       /* low: a decrease that newest takes back */
  GstPspNews last;              /* that was told, once count > 0 */
  gint64 told_target;
  guint estimate;
  guint count;
  gboolean begins, restarts;    /* a stream, the first or another */

  gboolean streams;             /* the streaming thread's: packets come */
};

static GstCongestionInfo *
make_info (const GstPspNews * news, guint count)
{
  const PspNotice *notice = &news->notice;
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
  gst_congestion_info_set_queue_time (info, news->queue_time);
  gst_congestion_info_set_controller (info, news->controller);
  gst_congestion_info_set_count (info, count);
  return info;
}

static guint
to_estimate (gint64 target)
{
  return target < 0 ? 0 : (guint) MIN (target, (gint64) G_MAXUINT);
}

static void
tell (GstPspNotifier * n, const GstPspNews * news, guint count,
    gboolean estimate_changed)
{
  GstCongestionInfo *info = make_info (news, count);

  gst_notifier_tell_now (&n->base, info, TRUE);
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
tell_next (GstNotifier * base)
{
  GstPspNotifier *n = (GstPspNotifier *) base;
  gboolean changed;
  guint estimate, count;
  GstPspNews news;

  if (!n->has_low && !n->has_newest && !recall (n))
    return FALSE;
  n->begins = n->restarts = FALSE;
  n->last = news = n->has_low ? n->low : n->newest;
  estimate = to_estimate (news.notice.target_bitrate);
  changed = estimate != n->estimate;
  count = ++n->count;
  if (n->has_low)
    n->has_low = FALSE;
  else
    n->has_newest = FALSE;
  n->told_target = news.notice.target_bitrate;
  n->estimate = estimate;

  g_mutex_unlock (&base->lock);
  tell (n, &news, count, changed);
  g_mutex_lock (&base->lock);
  return TRUE;
}

static const GstNotifierClass klass = { "pspsink:notify", tell_next };

GstPspNotifier *
gst_psp_notifier_new (GstElement * element, GstPad * pad, GParamSpec * estimate)
{
  GstPspNotifier *n = gst_notifier_new (sizeof *n, &klass, element, pad);

  n->estimate_pspec = estimate;
  n->told_target = PSP_BITRATE_UNKNOWN;
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
gst_psp_notifier_tell (GstPspNotifier * n, const GstPspNews * news)
{
  gint64 target = news->notice.target_bitrate;

  g_mutex_lock (&n->base.lock);
  if (n->has_newest) {
    gint64 before = n->newest.notice.target_bitrate;

    if (before >= 0 && (n->told_target < 0 || before < n->told_target) &&
        (!n->has_low || before < n->low.notice.target_bitrate)) {
      n->low = n->newest;
      n->has_low = TRUE;
    }
  }
  if (n->has_low && target <= n->low.notice.target_bitrate)
    n->has_low = FALSE;
  n->newest = *news;
  n->has_newest = TRUE;
  g_cond_broadcast (&n->base.cond);
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
  g_cond_broadcast (&n->base.cond);
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
gst_psp_notifier_push (GstPspNotifier * n, GstEvent * event)
{
  gst_notifier_push (&n->base, event);
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
