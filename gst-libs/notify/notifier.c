/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <notify/notifier.h>

/* The limit on queued notices. Handlers that block for long must not let
 * the queue grow without end. */
#define MAX_WAITING 256

/* Microseconds. gst_notifier_stop waits this long for a handler to return: far
 * longer than a handler takes, but short enough if the handler itself waits for
 * the thread that stops. */
#define MAX_HANDLER_TIME G_TIME_SPAN_SECOND

typedef struct
{
  GstCongestionInfo *info;      /* for the receivers, or NULL */
  guint receivers;
  GstEvent *event;              /* for upstream, or NULL */
  GParamSpec *pspec;            /* a property that changed, or NULL */
  GstMessageType type;          /* of a message, if the three above are NULL */
  GQuark domain;
  gint code;
  gchar *text, *debug;
} Item;

struct _GstNotifier
{
  GstElement *element;
  GstPad *pad;
  GParamSpec *estimate_pspec;   /* pspec of the estimate property, or NULL */

  GMutex lock;                  /* never held during a delivery */
  /* signalled to gst_notifier_stop when `scheduled` has changed */
  GCond cond;
  gboolean started, stop;
  gboolean scheduled;           /* a thread delivers or has been asked to */
  gboolean abandoned;           /* that thread frees the notifier */
  GThread *thread;              /* the thread that delivers, or NULL */
  GQueue items;

  /* The newest decision that has not been delivered, or NULL. */
  GstCongestionInfo *newest;
  /* A decrease before the newest decision, which takes it back, or NULL. */
  GstCongestionInfo *low;
  /* The decision delivered last, or NULL. The delivering thread frees it. */
  GstCongestionInfo *last;
  /* A stream begins, the first one or another. */
  gboolean begins, restarts;

  gboolean streams;             /* packets come; for the streaming thread */
  gint held;                    /* atomic; the estimate does not notify */
  /* estimate notified last; for the delivering thread */
  guint notified;
  /* Atomic; only the delivering thread changes them. */
  guint estimate, count;
  gint missed;                  /* see gst_notifier_missed */
};

static void
item_free (Item * item)
{
  g_clear_pointer (&item->info, gst_congestion_info_free);
  gst_clear_event (&item->event);
  g_free (item->text);
  g_free (item->debug);
  g_free (item);
}

static void
notifier_free (GstNotifier * n)
{
  g_queue_clear_full (&n->items, (GDestroyNotify) item_free);
  g_clear_pointer (&n->newest, gst_congestion_info_free);
  g_clear_pointer (&n->low, gst_congestion_info_free);
  g_clear_pointer (&n->last, gst_congestion_info_free);
  g_mutex_clear (&n->lock);
  g_cond_clear (&n->cond);
  gst_object_unref (n->pad);
  gst_object_unref (n->element);
  g_free (n);
}

static void
deliver_congestion (GstNotifier * n, const GstCongestionInfo * info,
    guint receivers)
{
  if (receivers & GST_NOTIFIER_UPSTREAM)
    g_atomic_int_set (&n->missed, !gst_pad_push_event (n->pad,
            gst_congestion_event_new (info)));
  if (receivers & GST_NOTIFIER_APPLICATION)
    gst_element_post_message (n->element,
        gst_congestion_message_new (GST_OBJECT (n->element), info));
}

static void
notify_estimate (GstNotifier * n)
{
  if (!n->estimate_pspec || n->estimate == n->notified
      || g_atomic_int_get (&n->held))
    return;
  n->notified = n->estimate;
  g_object_notify_by_pspec (G_OBJECT (n->element), n->estimate_pspec);
}

static void
deliver_item (GstNotifier * n, Item * item)
{
  if (item->info) {
    deliver_congestion (n, item->info, item->receivers);
  } else if (item->event) {
    gst_pad_push_event (n->pad, g_steal_pointer (&item->event));
  } else if (item->pspec && item->pspec == n->estimate_pspec) {
    notify_estimate (n);
  } else if (item->pspec) {
    g_object_notify_by_pspec (G_OBJECT (n->element), item->pspec);
  } else {
    gst_element_message_full (n->element, item->type, item->domain, item->code,
        g_steal_pointer (&item->text), g_steal_pointer (&item->debug),
        __FILE__, GST_FUNCTION, __LINE__);
  }
}

/* Returns the target in bits/s, or −1 if there is none. */
static gint64
target_of (const GstCongestionInfo * info)
{
  guint64 target;

  if (!info || !gst_congestion_info_get_target_bitrate (info, &target))
    return -1;
  return (gint64) MIN (target, (guint64) G_MAXINT64);
}

/* Makes the last decision the newest again if upstream missed it because
 * it was not active yet (a muxer starts by itself), or may have forgotten
 * it since. The caller holds the lock. */
static gboolean
recall (GstNotifier * n)
{
  if (n->begins && n->last && (n->restarts || gst_notifier_missed (n)))
    n->newest = gst_congestion_info_copy (n->last);
  n->begins = FALSE;
  return n->newest != NULL;
}

/* Delivers a decision, as deliver_one does. */
static gboolean
deliver_decision (GstNotifier * n)
{
  gint64 target;

  if (!n->low && !n->newest && !recall (n))
    return FALSE;
  n->begins = n->restarts = FALSE;
  g_clear_pointer (&n->last, gst_congestion_info_free);
  n->last = n->low ? g_steal_pointer (&n->low) : g_steal_pointer (&n->newest);
  gst_congestion_info_set_count (n->last, 1 + g_atomic_int_add (&n->count, 1));
  target = target_of (n->last);
  g_atomic_int_set (&n->estimate, (guint) CLAMP (target, 0,
          (gint64) G_MAXUINT));

  g_mutex_unlock (&n->lock);
  deliver_congestion (n, n->last,
      GST_NOTIFIER_APPLICATION | GST_NOTIFIER_UPSTREAM);
  notify_estimate (n);
  g_mutex_lock (&n->lock);
  return TRUE;
}

/* Delivers one notice. The caller holds the lock, which is released during
 * the delivery. Returns FALSE if nothing waits. */
static gboolean
deliver_one (GstNotifier * n)
{
  Item *item = g_queue_pop_head (&n->items);

  if (!item)
    return deliver_decision (n);
  g_mutex_unlock (&n->lock);
  deliver_item (n, item);
  item_free (item);
  g_mutex_lock (&n->lock);
  return TRUE;
}

/* Runs in a thread of GLib until nothing more waits. */
static void
deliver (gpointer data, gpointer unused)
{
  GstNotifier *n = data;
  gboolean abandoned;

  (void) unused;
  g_mutex_lock (&n->lock);
  n->thread = g_thread_self ();
  while (!n->stop && deliver_one (n));
  n->thread = NULL;
  n->scheduled = FALSE;
  abandoned = n->abandoned;
  g_cond_broadcast (&n->cond);
  g_mutex_unlock (&n->lock);
  if (abandoned)
    notifier_free (n);
}

/* The pool exists only while something waits. When the pool is freed, its
 * thread returns at once to those that all pools share; a permanent pool would
 * keep the thread for another half a second. The caller holds the lock. */
static void
schedule (GstNotifier * n)
{
  GThreadPool *pool;

  if (!n->started || n->stop || n->scheduled)
    return;
  pool = g_thread_pool_new (deliver, NULL, 1, FALSE, NULL);
  n->scheduled = g_thread_pool_push (pool, n, NULL);
  /* If no thread is available, the items wait for the next call. */
  g_thread_pool_free (pool, !n->scheduled, FALSE);
}

GstNotifier *
gst_notifier_new (GstElement * element, GstPad * pad, GParamSpec * estimate)
{
  GstNotifier *n = g_new0 (GstNotifier, 1);

  n->element = gst_object_ref (element);
  n->pad = gst_object_ref (pad);
  n->estimate_pspec = estimate;
  g_mutex_init (&n->lock);
  g_cond_init (&n->cond);
  g_queue_init (&n->items);
  return n;
}

void
gst_notifier_start (GstNotifier * n)
{
  g_mutex_lock (&n->lock);
  n->started = TRUE;
  schedule (n);
  g_mutex_unlock (&n->lock);
}

void
gst_notifier_stop (GstNotifier * n)
{
  gint64 until = g_get_monotonic_time () + MAX_HANDLER_TIME;
  gboolean abandoned;

  g_mutex_lock (&n->lock);
  n->stop = TRUE;
  while (n->scheduled && n->thread != g_thread_self ()
      && g_cond_wait_until (&n->cond, &n->lock, until));
  abandoned = n->abandoned = n->scheduled;
  g_mutex_unlock (&n->lock);
  if (!abandoned)
    notifier_free (n);
}

gboolean
gst_notifier_missed (GstNotifier * n)
{
  return g_atomic_int_get (&n->missed);
}

/* Removes the oldest item that is no error, or returns NULL. The caller
 * holds the lock. */
static Item *
pop_oldest_but_errors (GQueue * items)
{
  for (GList * l = items->head; l; l = l->next) {
    Item *item = l->data;

    if (item->type != GST_MESSAGE_ERROR) {
      g_queue_delete_link (items, l);
      return item;
    }
  }
  return NULL;
}

static void
add (GstNotifier * n, Item * item)
{
  Item *dropped = NULL;

  g_mutex_lock (&n->lock);
  if (g_queue_get_length (&n->items) >= MAX_WAITING)
    dropped = pop_oldest_but_errors (&n->items);
  g_queue_push_tail (&n->items, item);
  schedule (n);
  g_mutex_unlock (&n->lock);
  if (dropped)
    item_free (dropped);
}

void
gst_notifier_congestion (GstNotifier * n, GstCongestionInfo * info,
    guint receivers)
{
  Item *item = g_new0 (Item, 1);

  item->info = info;
  item->receivers = receivers;
  add (n, item);
}

/* Makes the event of gst_video_event_new_upstream_force_key_unit(), as
 * rtpsession makes its own. The video library, which a sender needs for
 * nothing else, takes 100 kB of each process. */
void
gst_notifier_key_frame (GstNotifier * n)
{
  Item *item = g_new0 (Item, 1);

  item->event = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new ("GstForceKeyUnit",
          "running-time", GST_TYPE_CLOCK_TIME, GST_CLOCK_TIME_NONE,
          "all-headers", G_TYPE_BOOLEAN, TRUE, "count", G_TYPE_UINT, 0, NULL));
  add (n, item);
}

/* Makes the event that rtpsession makes of a NACK. */
void
gst_notifier_retransmission (GstNotifier * n, guint32 ssrc, guint16 seq)
{
  Item *item = g_new0 (Item, 1);

  item->event = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new ("GstRTPRetransmissionRequest",
          "seqnum", G_TYPE_UINT, (guint) seq, "ssrc", G_TYPE_UINT, ssrc, NULL));
  add (n, item);
}

void
gst_notifier_notify (GstNotifier * n, GParamSpec * pspec)
{
  Item *item = g_new0 (Item, 1);

  item->pspec = pspec;
  add (n, item);
}

void
gst_notifier_post (GstNotifier * n, GstMessageType type, GQuark domain,
    gint code, gchar * text, gchar * debug)
{
  Item *item = g_new0 (Item, 1);

  item->type = type;
  item->domain = domain;
  item->code = code;
  item->text = text;
  item->debug = debug;
  add (n, item);
}

/* Decisions */

void
gst_notifier_hold_estimate (GstNotifier * n, gboolean hold)
{
  g_atomic_int_set (&n->held, hold);
  if (!hold && n->estimate_pspec)
    gst_notifier_notify (n, n->estimate_pspec);
}

void
gst_notifier_replace (GstNotifier * n, GstCongestionInfo * info)
{
  GstCongestionInfo *replaced;
  gint64 before, last;

  g_mutex_lock (&n->lock);
  before = target_of (n->newest);
  last = target_of (n->last);
  replaced = n->newest;
  n->newest = info;
  if (before >= 0 && (last < 0 || before < last)
      && (!n->low || before < target_of (n->low))) {
    GstCongestionInfo *higher = n->low;

    n->low = replaced;
    replaced = higher;
  }
  /* An unknown target is no lower one. */
  if (n->low && target_of (info) >= 0 && target_of (info) <= target_of (n->low))
    g_clear_pointer (&n->low, gst_congestion_info_free);
  schedule (n);
  g_mutex_unlock (&n->lock);
  g_clear_pointer (&replaced, gst_congestion_info_free);
}

void
gst_notifier_stream (GstNotifier * n, gboolean streams)
{
  gboolean before = n->streams;

  if (streams == before)
    return;
  n->streams = streams;
  g_mutex_lock (&n->lock);
  n->begins = streams;
  n->restarts |= before;
  schedule (n);
  g_mutex_unlock (&n->lock);
}

guint
gst_notifier_estimate (GstNotifier * n)
{
  return (guint) g_atomic_int_get (&n->estimate);
}

guint
gst_notifier_count (GstNotifier * n)
{
  return (guint) g_atomic_int_get (&n->count);
}
