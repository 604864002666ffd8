/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What reaches an application whose handlers take their time.
 */
#include <gst/check/gstcheck.h>
#include <gst/notify/notifier.h>

static const GstNotifierClass klass = { "test:notify", NULL };

/* Told one after the other; the first waits until the gate opens. */
typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean open;
  guint entered;
  GPtrArray *texts;
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
} Fixture;

static void
fixture_init (Fixture * f)
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
  f->notifier = gst_notifier_new (sizeof *f->notifier, &klass, f->element,
      f->pad);
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
 * nothing more is told. */
GST_START_TEST (test_stop_while_telling)
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

/* With nothing to tell the thread has ended once stopping returns. */
GST_START_TEST (test_stop_idle)
{
  Fixture f;

  fixture_init (&f);
  gst_notifier_stop (f.notifier);
  fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (f.element), 1);
  fixture_clear (&f);
}

GST_END_TEST;

static Suite *
notifier_suite (void)
{
  Suite *s = suite_create ("notifier");
  TCase *tc = tcase_create ("notifier");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_errors_stay);
  tcase_add_test (tc, test_stop_while_telling);
  tcase_add_test (tc, test_stop_idle);
  return s;
}

GST_CHECK_MAIN (notifier);
