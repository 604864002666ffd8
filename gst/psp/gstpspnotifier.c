/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/congestion/congestion.h>

#include "gstpspnotifier.h"

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);
#define GST_CAT_DEFAULT gst_psp_sink_debug

/* The core's reasons are the library's, in the same order. */
G_STATIC_ASSERT ((gint) PSP_REASON_START == GST_CONGESTION_REASON_START);
G_STATIC_ASSERT ((gint) PSP_REASON_TIMEOUT == GST_CONGESTION_REASON_TIMEOUT);
G_STATIC_ASSERT ((gint) PSP_REASON_ECN == GST_CONGESTION_REASON_ECN);
G_STATIC_ASSERT ((gint) PSP_REASON_RESET == GST_CONGESTION_REASON_RESET);

typedef struct
{
  GQuark domain;
  gint code;
  gchar *text, *debug;
} Warning;

struct _GstPspNotifier
{
  GstElement *element;          /* owns us */
  GstPad *pad;
  GParamSpec *estimate_pspec;
  GThread *thread;

  GMutex lock;                  /* never held while telling */
  GCond cond;
  gboolean stop;
  gboolean has_low, has_newest;
  GstPspNews low, newest;       /* low: a decrease that newest takes back */
  gint64 told_target;
  GQueue warnings;
  guint estimate;
  guint count;
};

static void
warning_free (Warning * w)
{
  g_free (w->text);
  g_free (w->debug);
  g_free (w);
}

static void
notifier_clear (gpointer data)
{
  GstPspNotifier *n = data;

  g_queue_clear_full (&n->warnings, (GDestroyNotify) warning_free);
  g_mutex_clear (&n->lock);
  g_cond_clear (&n->cond);
  gst_object_unref (n->pad);
  gst_object_unref (n->element);
}

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

  gst_pad_push_event (n->pad, gst_congestion_event_new (info));
  gst_element_post_message (n->element,
      gst_congestion_message_new (GST_OBJECT (n->element), info));
  gst_congestion_info_free (info);
  if (estimate_changed)
    g_object_notify_by_pspec (G_OBJECT (n->element), n->estimate_pspec);
}

/* With the lock, which it drops meanwhile. */
static void
tell_next (GstPspNotifier * n)
{
  GstPspNews news = n->has_low ? n->low : n->newest;
  guint estimate = to_estimate (news.notice.target_bitrate);
  gboolean changed = estimate != n->estimate;
  guint count = ++n->count;

  if (n->has_low)
    n->has_low = FALSE;
  else
    n->has_newest = FALSE;
  n->told_target = news.notice.target_bitrate;
  n->estimate = estimate;

  g_mutex_unlock (&n->lock);
  tell (n, &news, count, changed);
  g_mutex_lock (&n->lock);
}

/* Likewise. */
static void
warn_next (GstPspNotifier * n)
{
  Warning *w = g_queue_pop_head (&n->warnings);

  g_mutex_unlock (&n->lock);
  GST_WARNING_OBJECT (n->element, "%s", w->text);
  gst_element_message_full (n->element, GST_MESSAGE_WARNING, w->domain,
      w->code, w->text, w->debug, __FILE__, GST_FUNCTION, __LINE__);
  g_free (w);
  g_mutex_lock (&n->lock);
}

static gpointer
notifier_run (gpointer data)
{
  GstPspNotifier *n = data;

  g_mutex_lock (&n->lock);
  while (!n->stop) {
    if (!g_queue_is_empty (&n->warnings))
      warn_next (n);
    else if (n->has_low || n->has_newest)
      tell_next (n);
    else
      g_cond_wait (&n->cond, &n->lock);
  }
  g_mutex_unlock (&n->lock);
  g_atomic_rc_box_release_full (n, notifier_clear);
  return NULL;
}

GstPspNotifier *
gst_psp_notifier_new (GstElement * element, GstPad * pad, GParamSpec * estimate)
{
  GstPspNotifier *n = g_atomic_rc_box_new0 (GstPspNotifier);

  n->element = gst_object_ref (element);
  n->pad = gst_object_ref (pad);
  n->estimate_pspec = estimate;
  n->told_target = PSP_BITRATE_UNKNOWN;
  g_mutex_init (&n->lock);
  g_cond_init (&n->cond);
  g_queue_init (&n->warnings);
  return n;
}

void
gst_psp_notifier_start (GstPspNotifier * n)
{
  n->thread = g_thread_new ("pspsink:notify", notifier_run,
      g_atomic_rc_box_acquire (n));
}

void
gst_psp_notifier_stop (GstPspNotifier * n)
{
  g_mutex_lock (&n->lock);
  n->stop = TRUE;
  g_cond_signal (&n->cond);
  g_mutex_unlock (&n->lock);

  if (n->thread == g_thread_self ())
    g_thread_unref (n->thread);
  else if (n->thread)
    g_thread_join (n->thread);
  g_atomic_rc_box_release_full (n, notifier_clear);
}

void
gst_psp_notifier_tell (GstPspNotifier * n, const GstPspNews * news)
{
  gint64 target = news->notice.target_bitrate;

  g_mutex_lock (&n->lock);
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
  g_cond_signal (&n->cond);
  g_mutex_unlock (&n->lock);
}

void
gst_psp_notifier_warn (GstPspNotifier * n, GQuark domain, gint code,
    gchar * text, gchar * debug)
{
  Warning *w = g_new (Warning, 1);

  w->domain = domain;
  w->code = code;
  w->text = text;
  w->debug = debug;
  g_mutex_lock (&n->lock);
  g_queue_push_tail (&n->warnings, w);
  g_cond_signal (&n->cond);
  g_mutex_unlock (&n->lock);
}

guint
gst_psp_notifier_estimate (GstPspNotifier * n)
{
  guint estimate;

  g_mutex_lock (&n->lock);
  estimate = n->estimate;
  g_mutex_unlock (&n->lock);
  return estimate;
}

guint
gst_psp_notifier_count (GstPspNotifier * n)
{
  guint count;

  g_mutex_lock (&n->lock);
  count = n->count;
  g_mutex_unlock (&n->lock);
  return count;
}
