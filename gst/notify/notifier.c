/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "notifier.h"

/* Handlers that block for long must not let news pile up without end. */
#define MAX_WAITING 256
#define MAX_HANDLER_TIME G_TIME_SPAN_SECOND

typedef struct
{
  GstCongestionInfo *info;      /* news, or */
  gboolean upstream;
  GstEvent *event;              /* for upstream, or */
  GParamSpec *pspec;            /* a property that changed, or */
  GstMessageType type;          /* a message */
  GQuark domain;
  gint code;
  gchar *text, *debug;
} Item;

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
notifier_clear (gpointer data)
{
  GstNotifier *n = data;

  g_queue_clear_full (&n->items, (GDestroyNotify) item_free);
  g_mutex_clear (&n->lock);
  g_cond_clear (&n->cond);
  gst_object_unref (n->pad);
  gst_object_unref (n->element);
}

void
gst_notifier_tell_now (GstNotifier * n, const GstCongestionInfo * info,
    gboolean upstream)
{
  if (upstream)
    g_atomic_int_set (&n->missed, !gst_pad_push_event (n->pad,
            gst_congestion_event_new (info)));
  gst_element_post_message (n->element,
      gst_congestion_message_new (GST_OBJECT (n->element), info));
}

static void
tell_item (GstNotifier * n, Item * item)
{
  if (item->info) {
    gst_notifier_tell_now (n, item->info, item->upstream);
  } else if (item->event) {
    gst_pad_push_event (n->pad, g_steal_pointer (&item->event));
  } else if (item->pspec) {
    g_object_notify_by_pspec (G_OBJECT (n->element), item->pspec);
  } else {
    gst_element_message_full (n->element, item->type, item->domain, item->code,
        g_steal_pointer (&item->text), g_steal_pointer (&item->debug),
        __FILE__, GST_FUNCTION, __LINE__);
  }
}

/* With the lock, which it drops meanwhile. */
static gboolean
tell_next (GstNotifier * n)
{
  Item *item = g_queue_pop_head (&n->items);

  if (!item)
    return n->klass->tell_next && n->klass->tell_next (n);
  g_mutex_unlock (&n->lock);
  tell_item (n, item);
  item_free (item);
  g_mutex_lock (&n->lock);
  return TRUE;
}

static gpointer
notifier_run (gpointer data)
{
  GstNotifier *n = data;

  g_mutex_lock (&n->lock);
  while (!n->stop)
    if (!tell_next (n))
      g_cond_wait (&n->cond, &n->lock);
  n->ended = TRUE;
  g_cond_broadcast (&n->cond);
  g_mutex_unlock (&n->lock);
  g_atomic_rc_box_release_full (n, notifier_clear);
  return NULL;
}

gpointer
gst_notifier_new (gsize size, const GstNotifierClass * klass,
    GstElement * element, GstPad * pad)
{
  GstNotifier *n = g_atomic_rc_box_alloc0 (size);

  n->klass = klass;
  n->element = gst_object_ref (element);
  n->pad = gst_object_ref (pad);
  g_mutex_init (&n->lock);
  g_cond_init (&n->cond);
  g_queue_init (&n->items);
  return n;
}

void
gst_notifier_start (GstNotifier * n)
{
  n->thread = g_thread_new (n->klass->thread, notifier_run,
      g_atomic_rc_box_acquire (n));
}

void
gst_notifier_stop (GstNotifier * n)
{
  gint64 until = g_get_monotonic_time () + MAX_HANDLER_TIME;
  gboolean ended;

  g_mutex_lock (&n->lock);
  n->stop = TRUE;
  g_cond_broadcast (&n->cond);
  if (n->thread && n->thread != g_thread_self ())
    while (!n->ended && g_cond_wait_until (&n->cond, &n->lock, until));
  ended = n->ended;
  g_mutex_unlock (&n->lock);

  if (ended)
    g_thread_join (n->thread);
  else if (n->thread)
    g_thread_unref (n->thread);
  g_atomic_rc_box_release_full (n, notifier_clear);
}

gboolean
gst_notifier_missed (GstNotifier * n)
{
  return g_atomic_int_get (&n->missed);
}

/* With the lock. */
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
  g_cond_broadcast (&n->cond);
  g_mutex_unlock (&n->lock);
  if (dropped)
    item_free (dropped);
}

void
gst_notifier_tell (GstNotifier * n, GstCongestionInfo * info, gboolean upstream)
{
  Item *item = g_new0 (Item, 1);

  item->info = info;
  item->upstream = upstream;
  add (n, item);
}

void
gst_notifier_push (GstNotifier * n, GstEvent * event)
{
  Item *item = g_new0 (Item, 1);

  item->event = event;
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
