/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Many sessions in one process: a pipeline "appsrc ! SINK" each, fed with
 * pictures of RTP packets at a rate, evenly in turn, by one thread. Says in a
 * line of JSON what it has taken and offered so far, at each line that it
 * reads, and ends with its input.
 *
 *   psp-many --sink 'pspsink host=127.0.0.1 port=%d' --rate 2000000 5004 5006
 *
 * %d is replaced with each of the ports in turn.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#define HEADER 12
#define PAYLOAD 1188
#define PICTURES 30             /* a second */
#define MOST_WAITING 1000000    /* bytes */
#define LEAST_SLEEP_US 1000     /* of the feeding thread */
#define SETTLE_US 100000

static gchar *description;
static gint64 rate = 2000000;
static gchar **ports;

static const GOptionEntry entries[] = {
  {"sink", 0, 0, G_OPTION_ARG_STRING, &description,
      "launch description of each session's sink", "DESCRIPTION"},
  {"rate", 0, 0, G_OPTION_ARG_INT64, &rate,
      "bits/s of payload to offer in each session", "BPS"},
  {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &ports, NULL,
      "PORT…"},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

typedef struct
{
  GstElement *pipeline;
  GstAppSrc *source;
  guint32 picture;
  guint16 seq;
  gint64 credit;                /* bits yet to be offered, times PICTURES */
} Session;

typedef struct
{
  Session *sessions;
  guint n;
  gint stop;                    /* atomic */
  GMutex lock;                  /* of what follows */
  gint64 offered;               /* packets */
  gint64 cpu_ns;                /* of the feeding thread */
} Many;

static gint64
cpu_ns (clockid_t id)
{
  struct timespec now;

  clock_gettime (id, &now);
  return now.tv_sec * GST_SECOND + now.tv_nsec;
}

static GstBuffer *
make_packet (Session * s)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, HEADER + PAYLOAD, NULL);
  guint8 header[HEADER] = { 0x80, 96 };

  GST_WRITE_UINT16_BE (header + 2, s->seq);
  GST_WRITE_UINT32_BE (header + 4, s->picture * (90000 / PICTURES));
  GST_WRITE_UINT32_BE (header + 8, 0x1234);
  s->seq++;
  gst_buffer_fill (buffer, 0, header, sizeof header);
  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale (s->picture, GST_SECOND, PICTURES);
  return buffer;
}

/* Whole packets only: what is left over goes with the next picture. Returns
 * their number. What a sink has not taken for seconds is in the way of the next
 * pictures, which are dropped then. */
static guint
push_picture (Session * s)
{
  GstBufferList *list = gst_buffer_list_new ();
  guint n = 0;

  for (s->credit += rate; s->credit >= PAYLOAD * 8 * PICTURES;
      s->credit -= PAYLOAD * 8 * PICTURES) {
    gst_buffer_list_add (list, make_packet (s));
    n++;
  }
  s->picture++;
  /* The function, as with the signal of this name lists are freed too early
   * now and then (GStreamer 1.22.0). */
  if (n > 0 && gst_app_src_get_current_level_bytes (s->source) <= MOST_WAITING)
    gst_app_src_push_buffer_list (s->source, list);
  else
    gst_buffer_list_unref (list);
  return n;
}

static gpointer
feed (gpointer data)
{
  Many *m = data;
  gint64 begin = g_get_monotonic_time (), turn = 0;

  while (!g_atomic_int_get (&m->stop)) {
    gint64 due = begin + turn * G_USEC_PER_SEC / (PICTURES * (gint64) m->n);
    gint64 wait = due - g_get_monotonic_time ();
    guint n;

    if (wait > 0)
      g_usleep (MAX (wait, LEAST_SLEEP_US));
    n = push_picture (&m->sessions[turn % m->n]);
    turn++;
    g_mutex_lock (&m->lock);
    m->offered += n;
    m->cpu_ns = cpu_ns (CLOCK_THREAD_CPUTIME_ID);
    g_mutex_unlock (&m->lock);
  }
  return NULL;
}

/* Nobody reads what sinks tell the application; kept, it would look like memory
 * that they hold. */
static GstBusSyncReply
drop_told (GstBus * bus G_GNUC_UNUSED, GstMessage * message,
    gpointer data G_GNUC_UNUSED)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_printerr ("a session failed\n");
    _exit (1);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static gboolean
begin_session (Session * s, const gchar * port)
{
  gchar **parts = g_strsplit (description, "%d", 2);
  gchar *sink = g_strjoinv (port, parts);
  gchar *text = g_strdup_printf ("appsrc name=in format=time is-live=true "
      "caps=\"application/x-rtp,"
      "media=video,clock-rate=90000,encoding-name=X,payload=96\" ! "
      "%s sync=false async=false", sink);
  GError *error = NULL;
  GstBus *bus;

  s->pipeline = gst_parse_launch (text, &error);
  g_free (text);
  g_free (sink);
  g_strfreev (parts);
  if (error) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    return FALSE;
  }
  s->source = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (s->pipeline), "in"));
  bus = gst_element_get_bus (s->pipeline);
  gst_bus_set_sync_handler (bus, drop_told, NULL, NULL);
  gst_object_unref (bus);
  return gst_element_set_state (s->pipeline, GST_STATE_PLAYING) !=
      GST_STATE_CHANGE_FAILURE;
}

static void
end_session (Session * s)
{
  if (!s->pipeline)
    return;
  gst_element_set_state (s->pipeline, GST_STATE_NULL);
  gst_object_unref (s->source);
  gst_object_unref (s->pipeline);
}

/* A number of /proc/self/status. */
static glong
status (const gchar * name)
{
  glong value = -1;
  gchar line[200];
  FILE *f = fopen ("/proc/self/status", "r");

  while (f && fgets (line, sizeof line, f))
    if (g_str_has_prefix (line, name) && line[strlen (name)] == ':')
      value = strtol (line + strlen (name) + 1, NULL, 10);
  if (f)
    fclose (f);
  return value;
}

static void
tell (Many * m)
{
  g_mutex_lock (&m->lock);
  g_print ("{\"cpu_s\": %.6f, \"feed_cpu_s\": %.6f, \"at_s\": %.6f, "
      "\"offered\": %" G_GINT64_FORMAT ", \"threads\": %ld, "
      "\"anonymous_kib\": %ld}\n", cpu_ns (CLOCK_PROCESS_CPUTIME_ID) * 1e-9,
      m->cpu_ns * 1e-9, g_get_monotonic_time () * 1e-6, m->offered,
      status ("Threads"), status ("RssAnon"));
  g_mutex_unlock (&m->lock);
}

static gboolean
run (Many * m)
{
  gboolean ok = TRUE;
  gchar line[100];
  GThread *thread;

  for (guint i = 0; i < m->n && ok; i++)
    ok = begin_session (&m->sessions[i], ports[i]);
  if (ok) {
    thread = g_thread_new ("feed", feed, m);
    while (fgets (line, sizeof line, stdin))
      tell (m);
    g_atomic_int_set (&m->stop, TRUE);
    g_thread_join (thread);
    /* What was pushed last is taken before the sources stop. */
    g_usleep (SETTLE_US);
  }
  for (guint i = 0; i < m->n; i++)
    end_session (&m->sessions[i]);
  return ok;
}

int
main (int argc, char *argv[])
{
  GOptionContext *context = g_option_context_new ("- feed many sessions");
  GError *error = NULL;
  struct rlimit files;
  Many m = { 0 };
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  m.n = ports ? g_strv_length (ports) : 0;
  if (m.n == 0 || !description || rate < 1) {
    g_printerr ("--sink and a port for each session are needed\n");
    return 2;
  }
  /* Each session has several descriptors. */
  getrlimit (RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit (RLIMIT_NOFILE, &files);
  m.sessions = g_new0 (Session, m.n);
  g_mutex_init (&m.lock);
  ok = run (&m);
  g_mutex_clear (&m.lock);
  g_free (m.sessions);
  g_strfreev (ports);
  g_option_context_free (context);
  return ok ? 0 : 1;
}
