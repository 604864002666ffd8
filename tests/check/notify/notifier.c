/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What reaches an application whose handlers take their time.
 */
#include <gst/check/gstcheck.h>
#include <notify/notifier.h>

/* Gets one message after the other; the first waits until the gate opens. */
typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean open;
  guint entered;
  GPtrArray *texts;
  GThread *thread;              /* of the last message */
} App;

static GstBusSyncReply
on_message (GstBus * bus, GstMessage * m, gpointer data)
{
  App *app = data;
  GError *error = NULL;

  (void) bus;
  if (GST_MESSAGE_TYPE (m) == GST_MESSAGE_ERROR)
    gst_message_parse_error (m, &error, NULL);
  else
    gst_message_parse_warning (m, &error, NULL);
  g_mutex_lock (&app->lock);
  app->entered++;
  app->thread = g_thread_self ();
  g_cond_broadcast (&app->cond);
  while (!app->open)
    g_cond_wait (&app->cond, &app->lock);
  g_ptr_array_add (app->texts, g_strdup (error->message));
  g_cond_broadcast (&app->cond);
  g_mutex_unlock (&app->lock);
  g_error_free (error);
  gst_message_unref (m);
  return GST_BUS_DROP;
}

static void
app_wait_entered (App * app)
{
  g_mutex_lock (&app->lock);
  while (!app->entered)
    g_cond_wait (&app->cond, &app->lock);
  g_mutex_unlock (&app->lock);
}

static gboolean
has_last (App * app, const gchar * text)
{
  return app->texts->len > 0 && g_str_equal (g_ptr_array_index (app->texts,
          app->texts->len - 1), text);
}

static void
app_wait_text (App * app, const gchar * text)
{
  g_mutex_lock (&app->lock);
  while (!has_last (app, text))
    g_cond_wait (&app->cond, &app->lock);
  g_mutex_unlock (&app->lock);
}

static void
app_open (App * app)
{
  g_mutex_lock (&app->lock);
  app->open = TRUE;
  g_cond_broadcast (&app->cond);
  g_mutex_unlock (&app->lock);
}

typedef struct
{
  GstElement *element;
  GstPad *pad;
  GstBus *bus;
  GstNotifier *notifier;
  App app;
  gint64 stop_took;             /* µs */
} Fixture;

/* Not started. */
static void
fixture_make (Fixture * f)
{
  memset (f, 0, sizeof *f);
  g_mutex_init (&f->app.lock);
  g_cond_init (&f->app.cond);
  f->app.texts = g_ptr_array_new_with_free_func (g_free);
  f->element = gst_bin_new (NULL);
  f->pad = gst_pad_new ("sink", GST_PAD_SINK);
  f->bus = gst_bus_new ();
  gst_bus_set_sync_handler (f->bus, on_message, &f->app, NULL);
  gst_element_set_bus (f->element, f->bus);
  f->notifier = gst_notifier_new (f->element, f->pad, NULL);
}

static void
fixture_init (Fixture * f)
{
  fixture_make (f);
  gst_notifier_start (f->notifier);
}

static void
fixture_clear (Fixture * f)
{
  gst_element_set_bus (f->element, NULL);
  gst_object_unref (f->bus);
  gst_object_unref (f->pad);
  gst_object_unref (f->element);
  g_ptr_array_unref (f->app.texts);
  g_mutex_clear (&f->app.lock);
  g_cond_clear (&f->app.cond);
}

static void
post (Fixture * f, GstMessageType type, guint number)
{
  gst_notifier_post (f->notifier, type, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_WRITE, g_strdup_printf ("%u", number), NULL);
}

/* Of too many the oldest are dropped, but never an error. */
GST_START_TEST (test_errors_stay)
{
  Fixture f;

  fixture_init (&f);
  post (&f, GST_MESSAGE_WARNING, 0);
  app_wait_entered (&f.app);
  post (&f, GST_MESSAGE_ERROR, 1);
  for (guint i = 2; i < 1000; i++)
    post (&f, GST_MESSAGE_WARNING, i);
  app_open (&f.app);
  app_wait_text (&f.app, "999");
  gst_notifier_stop (f.notifier);
  fail_unless (f.app.texts->len < 999);
  fail_unless_equals_string (g_ptr_array_index (f.app.texts, 0), "0");
  fail_unless_equals_string (g_ptr_array_index (f.app.texts, 1), "1");
  for (guint i = 2; i < f.app.texts->len; i++)
    fail_unless_equals_int (atoi (g_ptr_array_index (f.app.texts, i)),
        (gint) (1000 - f.app.texts->len + i));
  fixture_clear (&f);
}

GST_END_TEST;

/* Stopping does not wait for a handler that waits for whoever stops; after it
 * nothing more is delivered. */
GST_START_TEST (test_stop_while_delivering)
{
  GstElement *element;
  Fixture f;

  fixture_init (&f);
  element = gst_object_ref (f.element);
  post (&f, GST_MESSAGE_WARNING, 0);
  post (&f, GST_MESSAGE_WARNING, 1);
  app_wait_entered (&f.app);
  gst_notifier_stop (f.notifier);
  app_open (&f.app);
  app_wait_text (&f.app, "0");
  /* Until the thread has let go of it. */
  while (GST_OBJECT_REFCOUNT_VALUE (f.element) > 2)
    g_thread_yield ();
  fail_unless_equals_int (f.app.texts->len, 1);
  gst_object_unref (element);
  fixture_clear (&f);
}

GST_END_TEST;

/* The element is free once stopping returns, whether or not there has been
 * anything to deliver. */
GST_START_TEST (test_stop_idle)
{
  Fixture f;

  fixture_init (&f);
  if (__i__ > 0) {
    app_open (&f.app);
    post (&f, GST_MESSAGE_WARNING, 0);
    app_wait_text (&f.app, "0");
  }
  gst_notifier_stop (f.notifier);
  fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (f.element), 1);
  fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (f.pad), 1);
  fixture_clear (&f);
}

GST_END_TEST;

/* What comes before the start is delivered with it; what is left at the end is
 * not. */
GST_START_TEST (test_start)
{
  Fixture f;

  fixture_make (&f);
  app_open (&f.app);
  for (guint i = 0; i < 3; i++)
    post (&f, GST_MESSAGE_WARNING, i);
  fail_unless_equals_int (f.app.entered, 0);
  if (__i__ > 0) {
    gst_notifier_start (f.notifier);
    app_wait_text (&f.app, "2");
  }
  gst_notifier_stop (f.notifier);
  fail_unless_equals_int (f.app.texts->len, __i__ > 0 ? 3 : 0);
  fixture_clear (&f);
}

GST_END_TEST;

/* More than GLib keeps unused threads for. */
#define N_BLOCKED 20

/* However many handlers block, others get theirs, and in order; who stops waits
 * for nobody else's. A wait for one of those would never end. */
GST_START_TEST (test_others_block)
{
  Fixture blocked[N_BLOCKED], f;

  for (guint i = 0; i < N_BLOCKED; i++) {
    fixture_init (&blocked[i]);
    post (&blocked[i], GST_MESSAGE_WARNING, 0);
    app_wait_entered (&blocked[i].app);
  }

  fixture_init (&f);
  app_open (&f.app);
  for (guint i = 0; i < 100; i++) {
    gchar *text = g_strdup_printf ("%u", i);

    post (&f, GST_MESSAGE_WARNING, i);
    if (i % 10 == 0)            /* the others find it busy, or not */
      app_wait_text (&f.app, text);
    g_free (text);
  }
  app_wait_text (&f.app, "99");
  gst_notifier_stop (f.notifier);
  fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (f.element), 1);
  fail_unless_equals_int (f.app.texts->len, 100);
  for (guint i = 0; i < 100; i++)
    fail_unless_equals_int (atoi (g_ptr_array_index (f.app.texts, i)),
        (gint) i);
  fixture_clear (&f);

  for (guint i = 0; i < N_BLOCKED; i++) {
    fail_unless_equals_int (blocked[i].app.texts->len, 0);
    app_open (&blocked[i].app);
    gst_notifier_stop (blocked[i].notifier);
    fail_unless_equals_int (blocked[i].app.texts->len, 1);
    fixture_clear (&blocked[i]);
  }
}

GST_END_TEST;

/* A thread is the next one's as soon as there is nothing to deliver: notifiers
 * that deliver one after the other need fewer threads than there are of them,
 * mostly one. GLib counts a thread as unused shortly before it can be used, so
 * that now and then another one starts. */
GST_START_TEST (test_threads_are_shared)
{
  GHashTable *threads = g_hash_table_new (NULL, NULL);
  Fixture f[10];

  for (guint i = 0; i < G_N_ELEMENTS (f); i++) {
    fixture_init (&f[i]);
    app_open (&f[i].app);
  }
  for (guint i = 0; i < G_N_ELEMENTS (f); i++) {
    post (&f[i], GST_MESSAGE_WARNING, 0);
    app_wait_text (&f[i].app, "0");
    g_hash_table_add (threads, f[i].app.thread);
    while (g_thread_pool_get_num_unused_threads () == 0)
      g_thread_yield ();
  }
  fail_unless (g_hash_table_size (threads) < G_N_ELEMENTS (f));
  g_hash_table_unref (threads);
  for (guint i = 0; i < G_N_ELEMENTS (f); i++) {
    gst_notifier_stop (f[i].notifier);
    fixture_clear (&f[i]);
  }
}

GST_END_TEST;

static GstBusSyncReply
stop_on_message (GstBus * bus, GstMessage * m, gpointer data)
{
  Fixture *f = data;
  gint64 begun;

  (void) bus;
  g_mutex_lock (&f->app.lock);
  while (!f->app.open)
    g_cond_wait (&f->app.cond, &f->app.lock);
  g_mutex_unlock (&f->app.lock);
  begun = g_get_monotonic_time ();
  gst_notifier_stop (f->notifier);
  f->stop_took = g_get_monotonic_time () - begun;
  g_mutex_lock (&f->app.lock);
  f->app.entered++;
  g_cond_broadcast (&f->app.cond);
  g_mutex_unlock (&f->app.lock);
  gst_message_unref (m);
  return GST_BUS_DROP;
}

static gint64
time_stop_from_handler (void)
{
  Fixture f;

  fixture_init (&f);
  gst_bus_set_sync_handler (f.bus, NULL, NULL, NULL);
  gst_bus_set_sync_handler (f.bus, stop_on_message, &f, NULL);
  post (&f, GST_MESSAGE_WARNING, 0);
  post (&f, GST_MESSAGE_WARNING, 1);
  app_open (&f.app);
  app_wait_entered (&f.app);
  while (GST_OBJECT_REFCOUNT_VALUE (f.element) > 1)
    g_thread_yield ();
  fail_unless_equals_int (f.app.entered, 1);
  fixture_clear (&f);
  return f.stop_took;
}

#define MAX_TRIES 20

/* A handler may stop the notifier that called it, and does not wait for itself:
 * that would take a second every time. A busy machine does so now and then. */
GST_START_TEST (test_stop_from_handler)
{
  guint tries = 0;

  while (time_stop_from_handler () >= G_TIME_SPAN_SECOND)
    fail_unless (++tries < MAX_TRIES, "it waits for itself");
}

GST_END_TEST;

static Suite *
notifier_suite (void)
{
  Suite *s = suite_create ("notifier");
  TCase *tc = tcase_create ("notifier");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_errors_stay);
  tcase_add_test (tc, test_stop_while_delivering);
  tcase_add_loop_test (tc, test_stop_idle, 0, 2);
  tcase_add_loop_test (tc, test_start, 0, 2);
  tcase_add_test (tc, test_others_block);
  tcase_add_test (tc, test_threads_are_shared);
  tcase_add_test (tc, test_stop_from_handler);
  return s;
}

GST_CHECK_MAIN (notifier);
