/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcpnotifier.h"

GST_DEBUG_CATEGORY_EXTERN (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

/* Handlers that block for long must not let news pile up without end. */
#define MAX_WAITING 256

typedef struct
{
  GstCongestionInfo *info;      /* news, or */
  gboolean upstream;
  GParamSpec *pspec;            /* a property that changed, or */
  GstMessageType type;          /* a message */
  gint code;
  gchar *text;
} Item;

struct _GstItcpNotifier
{
  GstElement *element;
  GstPad *pad;
  GThread *thread;

  GMutex lock;                  /* never held while telling */
  GCond cond;
  gboolean stop;
  GQueue items;

  gint missed;                  /* atomic */
};

static void
item_free (Item * item)
{
  g_clear_pointer (&item->info, gst_congestion_info_free);
  g_free (item->text);
  g_free (item);
}

static void
notifier_clear (gpointer data)
{
  GstItcpNotifier *n = data;

  g_queue_clear_full (&n->items, (GDestroyNotify) item_free);
  g_mutex_clear (&n->lock);
  g_cond_clear (&n->cond);
  gst_object_unref (n->pad);
  gst_object_unref (n->element);
}

static void
tell (GstItcpNotifier * n, Item * item)
{
  if (item->info) {
    if (item->upstream)
      g_atomic_int_set (&n->missed, !gst_pad_push_event (n->pad,
              gst_congestion_event_new (item->info)));
    gst_element_post_message (n->element,
        gst_congestion_message_new (GST_OBJECT (n->element), item->info));
  } else if (item->pspec) {
    g_object_notify_by_pspec (G_OBJECT (n->element), item->pspec);
  } else {
    GST_WARNING_OBJECT (n->element, "%s", item->text);
    gst_element_message_full (n->element, item->type, GST_RESOURCE_ERROR,
        item->code, g_steal_pointer (&item->text), NULL, __FILE__,
        GST_FUNCTION, __LINE__);
  }
}

static gpointer
notifier_run (gpointer data)
{
  GstItcpNotifier *n = data;

  g_mutex_lock (&n->lock);
  while (!n->stop) {
    Item *item = g_queue_pop_head (&n->items);

    if (!item) {
      g_cond_wait (&n->cond, &n->lock);
      continue;
    }
    g_mutex_unlock (&n->lock);
    tell (n, item);
    item_free (item);
    g_mutex_lock (&n->lock);
  }
  g_mutex_unlock (&n->lock);
  g_atomic_rc_box_release_full (n, notifier_clear);
  return NULL;
}

GstItcpNotifier *
gst_itcp_notifier_new (GstElement * element, GstPad * pad)
{
  GstItcpNotifier *n = g_atomic_rc_box_new0 (GstItcpNotifier);

  n->element = gst_object_ref (element);
  n->pad = gst_object_ref (pad);
  g_mutex_init (&n->lock);
  g_cond_init (&n->cond);
  g_queue_init (&n->items);
  return n;
}

void
gst_itcp_notifier_start (GstItcpNotifier * n)
{
  n->thread = g_thread_new ("itcpsink:notify", notifier_run,
      g_atomic_rc_box_acquire (n));
}

void
gst_itcp_notifier_stop (GstItcpNotifier * n)
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

gboolean
gst_itcp_notifier_missed (GstItcpNotifier * n)
{
  return g_atomic_int_get (&n->missed);
}

static void
push (GstItcpNotifier * n, Item * item)
{
  Item *dropped = NULL;

  g_mutex_lock (&n->lock);
  if (g_queue_get_length (&n->items) >= MAX_WAITING)
    dropped = g_queue_pop_head (&n->items);
  g_queue_push_tail (&n->items, item);
  g_cond_signal (&n->cond);
  g_mutex_unlock (&n->lock);
  if (dropped)
    item_free (dropped);
}

void
gst_itcp_notifier_tell (GstItcpNotifier * n, GstCongestionInfo * info,
    gboolean upstream)
{
  Item *item = g_new0 (Item, 1);

  item->info = info;
  item->upstream = upstream;
  push (n, item);
}

void
gst_itcp_notifier_notify (GstItcpNotifier * n, GParamSpec * pspec)
{
  Item *item = g_new0 (Item, 1);

  item->pspec = pspec;
  push (n, item);
}

void
gst_itcp_notifier_post (GstItcpNotifier * n, GstMessageType type, gint code,
    gchar * text)
{
  Item *item = g_new0 (Item, 1);

  item->type = type;
  item->code = code;
  item->text = text;
  push (n, item);
}
