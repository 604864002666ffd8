/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * GStreamer calls the hooks in the application's threads. They note an
 * element or an event under a lock that is never held for long, and return.
 * The thread of the tracer starts with the first element of this project,
 * and holds no lock while it reads statistics or sends.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspview.h"
#include "gstpspviewlink.h"
#include "gstpspviewreport.h"

GST_DEBUG_CATEGORY_STATIC (gst_psp_view_debug);
#define GST_CAT_DEFAULT gst_psp_view_debug

/* µs from one report to the next: often enough for a display that moves,
 * for little work. */
#define INTERVAL (G_USEC_PER_SEC / 2)
/* µs from one search for a viewer to the next. */
#define SEARCH_INTERVAL (2 * G_USEC_PER_SEC)
/* The most events that wait for a report; others are only counted. Of each of
 * the 256 elements that a viewer shows, a few can come at once. */
#define EVENTS_MOST 1024
/* Bytes of a report after which no further event begins, so that neither
 * events nor statistics take all of it. An event has about 250 bytes: this
 * lets 260 of them go in a second. */
#define EVENTS_SIZE (GST_PSP_VIEW_REPORT_SIZE / 2)

typedef struct
{
  GWeakRef element;
  guint id;                     /* counts from 1 in this process */
  const gchar *type;            /* name of the element's factory */
  gboolean told;                /* the viewer knows the element; thread only */
  gboolean gone;                /* can be removed; thread only */
} Watch;

typedef struct
{
  guint id;                     /* id of the element */
  gint64 time;                  /* monotonic, µs */
  GstStructure *structure;
} Event;

struct _GstPspView
{
  GstTracer parent;

  GMutex lock;                  /* protects all down to `missed_events` */
  GCond cond;
  GThread *thread;              /* NULL = no element yet */
  gboolean stop;
  GPtrArray *watches;           /* only the thread removes entries */
  guint last_id;
  /* True if a viewer listens, or none was searched for yet: events are kept. */
  gboolean has_viewer;
  GQueue events;
  guint missed_events;

  /* Only the thread uses these. */
  GstPspViewLink link;
  gint64 search_at;             /* µs; when to search for a viewer again */
  guint next_id;                /* the next report begins with this element */
  guint missed_reports;
};

G_DEFINE_TYPE (GstPspView, gst_psp_view, GST_TYPE_TRACER);

/* Maps type names to factory names, because a new element has a type name
 * but no factory yet. */
static const struct
{
  const gchar *gtype, *name;
} element_types[] = {
  {"GstPspSink", "pspsink"},
  {"GstPspSrc", "pspsrc"},
  {"GstItcpSink", "itcpsink"},
  {"GstRtpBandwidth", "rtpbandwidth"},
  {"GstMpegScaler", "mpegscaler"},
  {"GstMpegTranscoder", "mpegtranscoder"},
  {"GstEncoderBitrate", "encoderbitrate"},
};

static const gchar *
type_of (GstElement * element)
{
  const gchar *gtype = G_OBJECT_TYPE_NAME (element);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (element_types); i++)
    if (g_str_equal (gtype, element_types[i].gtype))
      return element_types[i].name;
  return NULL;
}

static GQuark
id_quark (void)
{
  return g_quark_from_static_string ("gst-psp-view-id");
}

static void
watch_free (gpointer data)
{
  Watch *watch = data;

  g_weak_ref_clear (&watch->element);
  g_free (watch);
}

static void
event_free (gpointer data)
{
  Event *event = data;

  gst_structure_free (event->structure);
  g_free (event);
}

/* Returns the first watch from this id on, or NULL. The ids ascend. */
static Watch *
watch_from (GstPspView * self, guint id)
{
  Watch *watch;
  guint low = 0, high, middle;

  g_mutex_lock (&self->lock);
  high = self->watches->len;
  while (low < high) {
    middle = low + (high - low) / 2;
    watch = g_ptr_array_index (self->watches, middle);
    if (watch->id < id)
      low = middle + 1;
    else
      high = middle;
  }
  watch = low < self->watches->len ?
      g_ptr_array_index (self->watches, low) : NULL;
  g_mutex_unlock (&self->lock);
  return watch;
}

static guint
count_watches (GstPspView * self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->watches->len;
  g_mutex_unlock (&self->lock);
  return n;
}

/* Moves the watches that are gone to the end, and removes them. The others
 * keep their order. */
static void
remove_gone (GstPspView * self)
{
  guint i, n = 0, n_before;

  g_mutex_lock (&self->lock);
  n_before = self->watches->len;
  for (i = 0; i < n_before; i++) {
    Watch *watch = g_ptr_array_index (self->watches, i);

    if (!watch->gone) {
      self->watches->pdata[i] = self->watches->pdata[n];
      self->watches->pdata[n++] = watch;
    }
  }
  g_ptr_array_set_size (self->watches, (gint) n);
  g_mutex_unlock (&self->lock);
  if (n < n_before)
    GST_DEBUG_OBJECT (self, "forgot %u elements, %u are left", n_before - n, n);
}

/* Forgets elements that no longer exist and whose end no viewer waits for.
 * It holds no lock, because it may release the last reference to an
 * element. */
static void
forget_gone (GstPspView * self)
{
  Watch *watch;
  GstElement *element;
  guint id;

  for (id = 0; (watch = watch_from (self, id)) != NULL; id = watch->id + 1) {
    element = g_weak_ref_get (&watch->element);
    watch->gone = element == NULL && !watch->told;
    gst_clear_object (&element);
  }
  remove_gone (self);
}

/* Notes whether a viewer listens. Without a viewer it drops the events. */
static void
set_has_viewer (GstPspView * self, gboolean has_viewer)
{
  g_mutex_lock (&self->lock);
  self->has_viewer = has_viewer;
  if (!has_viewer) {
    g_queue_clear_full (&self->events, event_free);
    self->missed_events = 0;
  }
  g_mutex_unlock (&self->lock);
}

/* Reports an element that plays, or that an element that the viewer knows
 * no longer plays. Returns FALSE if that did not fit. */
static gboolean
report_watch (PspJson * json, Watch * watch)
{
  GstElement *element = g_weak_ref_get (&watch->element);
  gboolean fits = TRUE;

  if (element != NULL && GST_STATE (element) >= GST_STATE_PAUSED) {
    fits = gst_psp_view_report_stats (json, watch->id, element, watch->type);
    watch->told |= fits;
  } else if (watch->told) {
    fits = gst_psp_view_report_gone (json, watch->id);
    watch->told = !fits;
  }
  gst_clear_object (&element);
  return fits;
}

static Event *
take_event (GstPspView * self)
{
  Event *event;

  g_mutex_lock (&self->lock);
  event = g_queue_pop_head (&self->events);
  g_mutex_unlock (&self->lock);
  return event;
}

static void
add_missed_event (GstPspView * self)
{
  g_mutex_lock (&self->lock);
  self->missed_events++;
  g_mutex_unlock (&self->lock);
}

/* Reports the event's element before the event, because the viewer leaves out
 * events of elements that it does not know. */
static void
report_event (GstPspView * self, PspJson * json, const Event * event)
{
  Watch *watch = watch_from (self, event->id);

  if (watch != NULL && watch->id == event->id && !watch->told)
    report_watch (json, watch);
  if (!gst_psp_view_report_event (json, event->id, event->time,
          event->structure))
    add_missed_event (self);
}

/* Events that find no room wait for the next report. */
static void
report_events (GstPspView * self, PspJson * json)
{
  Event *event;

  while (json->used < EVENTS_SIZE && (event = take_event (self)) != NULL) {
    report_event (self, json, event);
    event_free (event);
  }
}

static void
report_missed (GstPspView * self, PspJson * json)
{
  guint n_events;

  g_mutex_lock (&self->lock);
  n_events = self->missed_events;
  self->missed_events = 0;
  g_mutex_unlock (&self->lock);
  if (n_events > 0 || self->missed_reports > 0)
    gst_psp_view_report_missed (json, self->missed_reports, n_events);
  self->missed_reports = 0;
}

/* Begins where the last report ended, so that all elements have their turn
 * where one report has no room for all of them. */
static void
report_watches (GstPspView * self, PspJson * json)
{
  guint i, n = count_watches (self);
  Watch *watch;

  for (i = 0; i < n; i++) {
    watch = watch_from (self, self->next_id);
    if (watch == NULL)
      watch = watch_from (self, 0);
    self->next_id = watch->id;
    if (!report_watch (json, watch)) {
      if (i > 0)
        return;
      /* It would not fit into the next report either. */
      self->missed_reports++;
    }
    self->next_id++;
  }
}

static void
forget_told (GstPspView * self)
{
  Watch *watch;
  guint id;

  for (id = 0; (watch = watch_from (self, id)) != NULL; id = watch->id + 1)
    watch->told = FALSE;
}

static gboolean
find_viewer (GstPspView * self, gint64 now)
{
  if (self->link.fd >= 0)
    return TRUE;
  if (now < self->search_at)
    return FALSE;
  self->search_at = now + SEARCH_INTERVAL;
  if (!gst_psp_view_link_connect (&self->link))
    return FALSE;
  GST_INFO_OBJECT (self, "a viewer listens");
  self->missed_reports = 0;
  set_has_viewer (self, TRUE);
  return TRUE;
}

static void
report (GstPspView * self, gboolean is_first)
{
  PspJson json;

  psp_json_init (&json, self->link.text, GST_PSP_VIEW_REPORT_SIZE);
  if (is_first)
    gst_psp_view_report_hello (&json);
  /* An element's last events go before its end. */
  report_events (self, &json);
  report_missed (self, &json);
  report_watches (self, &json);
  self->link.used = json.used;
}

static void
tick (GstPspView * self, gint64 now)
{
  gboolean had_viewer = self->link.fd >= 0;

  forget_gone (self);
  if (!find_viewer (self, now)) {
    set_has_viewer (self, FALSE);
    return;
  }
  if (gst_psp_view_link_flush (&self->link)) {
    report (self, !had_viewer);
    gst_psp_view_link_flush (&self->link);
  } else {
    self->missed_reports++;
  }
  if (self->link.fd < 0) {
    GST_INFO_OBJECT (self, "the viewer is gone");
    forget_told (self);
    set_has_viewer (self, FALSE);
  }
}

static gpointer
run (gpointer data)
{
  GstPspView *self = data;
  gint64 next = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  while (!self->stop) {
    g_mutex_unlock (&self->lock);
    tick (self, g_get_monotonic_time ());
    /* Reports that are overdue, for example after a suspension, are skipped. */
    next = MAX (next + INTERVAL, g_get_monotonic_time ());
    g_mutex_lock (&self->lock);
    while (!self->stop && g_cond_wait_until (&self->cond, &self->lock, next));
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

static void
on_element_new (GstPspView * self, G_GNUC_UNUSED GstClockTime time,
    GstElement * element)
{
  const gchar *type = type_of (element);
  Watch *watch;

  if (type == NULL)
    return;
  watch = g_new0 (Watch, 1);
  watch->type = type;
  g_weak_ref_init (&watch->element, element);
  g_mutex_lock (&self->lock);
  watch->id = ++self->last_id;
  g_object_set_qdata (G_OBJECT (element), id_quark (),
      GUINT_TO_POINTER (watch->id));
  g_ptr_array_add (self->watches, watch);
  if (self->thread == NULL && !self->stop)
    self->thread = g_thread_try_new ("pspview", run, self, NULL);
  g_mutex_unlock (&self->lock);
}

/* Returns the content of a message that the viewer marks, or NULL. */
static GstStructure *
event_of (GstMessage * message)
{
  GstStructure *structure;
  GError *error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      return gst_structure_copy (gst_message_get_structure (message));
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      break;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      break;
    default:
      return NULL;
  }
  structure = gst_structure_new (GST_MESSAGE_TYPE_NAME (message),
      "text", G_TYPE_STRING, error->message, NULL);
  g_error_free (error);
  return structure;
}

static void
add_event (GstPspView * self, guint id, GstStructure * structure)
{
  Event *event = g_new (Event, 1);

  event->id = id;
  event->time = g_get_monotonic_time ();
  event->structure = structure;
  g_mutex_lock (&self->lock);
  if (self->has_viewer && g_queue_get_length (&self->events) < EVENTS_MOST) {
    g_queue_push_tail (&self->events, event);
    event = NULL;
  } else if (self->has_viewer) {
    self->missed_events++;
  }
  g_mutex_unlock (&self->lock);
  if (event != NULL)
    event_free (event);
}

/* Takes only messages of the element itself, because bins post them again. */
static void
on_message (GstPspView * self, G_GNUC_UNUSED GstClockTime time,
    GstElement * element, GstMessage * message)
{
  GstStructure *structure;
  guint id;

  if (GST_MESSAGE_SRC (message) != GST_OBJECT_CAST (element))
    return;
  id = GPOINTER_TO_UINT (g_object_get_qdata (G_OBJECT (element), id_quark ()));
  if (id == 0)
    return;
  structure = event_of (message);
  if (structure != NULL)
    add_event (self, id, structure);
}

static void
gst_psp_view_init (GstPspView * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  g_queue_init (&self->events);
  self->has_viewer = TRUE;
  self->watches = g_ptr_array_new_with_free_func (watch_free);
  gst_psp_view_link_init (&self->link);
}

static void
gst_psp_view_constructed (GObject * object)
{
  GstTracer *tracer = GST_TRACER (object);

  G_OBJECT_CLASS (gst_psp_view_parent_class)->constructed (object);
  gst_tracing_register_hook (tracer, "element-new",
      G_CALLBACK (on_element_new));
  gst_tracing_register_hook (tracer, "element-post-message-pre",
      G_CALLBACK (on_message));
}

/* gst_deinit() calls this, if the application calls that. */
static void
gst_psp_view_finalize (GObject * object)
{
  GstPspView *self = GST_PSP_VIEW (object);

  g_mutex_lock (&self->lock);
  self->stop = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  gst_psp_view_link_clear (&self->link);
  g_queue_clear_full (&self->events, event_free);
  g_ptr_array_unref (self->watches);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_psp_view_parent_class)->finalize (object);
}

static void
gst_psp_view_class_init (GstPspViewClass * klass)
{
  GObjectClass *gobject_class = G_OBJECT_CLASS (klass);

  gobject_class->constructed = gst_psp_view_constructed;
  gobject_class->finalize = gst_psp_view_finalize;
  GST_DEBUG_CATEGORY_INIT (gst_psp_view_debug, "pspview", 0,
      "reports to gst-psp-view");
}
