/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What goes wrong around itcpsink: receivers, firewalls, kernels and handlers.
 * System calls of this process fail where a test says so.
 */
#include "sending.h"

#include "gstitcpenums.h"

#include <dlfcn.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

/* The C library's; ours comes first for the plugin too. Atomic, all zero
 * between tests. */
static struct
{
  gint connect_error;           /* errno */
  gint to_itself;               /* connections go to their own socket */
  gint no_bpf;                  /* the kernel lacks eBPF, */
  gint no_stamps, no_info;      /* SO_TIMESTAMPING, TCP_INFO */
  gint short_info;              /* TCP_INFO is that of before Linux 4.19 */
  GstElement *fills;            /* above BOTTLENECK its stream fills a queue */
  gint recovers;                /* TCP is in recovery */
  gint asked;                   /* how often, for a socket's pending error */
  gint partial;                 /* writes take a few bytes, or none */
  gint refused;                 /* errno of each write */
} broken;

/* libbpf's way. Most calls have fewer arguments than are handed on: what is read
 * then is nobody's, and is not used. */
__attribute__ ((no_sanitize_address))
long
syscall (long number, ...)
{
  static long (*next) (long, ...);
  long a[6];
  va_list list;

  va_start (list, number);
  for (guint i = 0; i < G_N_ELEMENTS (a); i++)
    a[i] = va_arg (list, long);
  va_end (list);
  if (number == SYS_bpf && g_atomic_int_get (&broken.no_bpf)) {
    errno = ENOSYS;
    return -1;
  }
  if (!g_atomic_pointer_get (&next))
    g_atomic_pointer_set (&next, dlsym (RTLD_NEXT, "syscall"));
  return next (number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int
connect (int fd, const struct sockaddr *to, socklen_t size)
{
  gint error = g_atomic_int_get (&broken.connect_error);

  if (error) {
    errno = error;
    return -1;
  }
  if (g_atomic_int_get (&broken.to_itself))
    fail_unless (syscall (SYS_bind, fd, to, size) == 0);
  return (int) syscall (SYS_connect, fd, to, size);
}

int
setsockopt (int fd, int level, int option, const void *value, socklen_t size)
{
  if (level == SOL_SOCKET && option == SO_TIMESTAMPING
      && g_atomic_int_get (&broken.no_stamps)) {
    errno = ENOPROTOOPT;
    return -1;
  }
  return (int) syscall (SYS_setsockopt, fd, level, option, value, size);
}

#define BASE G_GUINT64_CONSTANT (1000000)       /* bits/s */
#define BOTTLENECK 700000

/* Of a path that carries less than the base. */
static void
make_worse (struct tcp_info *info)
{
  GstElement *sink = g_atomic_pointer_get (&broken.fills);
  guint estimate;

  if (!sink)
    return;
  g_object_get (sink, "estimated-bitrate", &estimate, NULL);
  info->tcpi_rtt = estimate > BOTTLENECK ? 400000 : 10000;
  info->tcpi_ca_state = g_atomic_int_get (&broken.recovers) ? TCP_CA_Recovery :
      TCP_CA_Open;
}

int
getsockopt (int fd, int level, int option, void *value, socklen_t * size)
{
  int result;

  if (level == IPPROTO_TCP && option == TCP_INFO
      && g_atomic_int_get (&broken.no_info)) {
    errno = ENOPROTOOPT;
    return -1;
  }
  if (level == IPPROTO_TCP && option == TCP_INFO
      && g_atomic_int_get (&broken.short_info))
    *size = MIN (*size, offsetof (struct tcp_info, tcpi_bytes_sent));
  if (level == SOL_SOCKET && option == SO_ERROR)
    g_atomic_int_inc (&broken.asked);
  result = (int) syscall (SYS_getsockopt, fd, level, option, value, size);
  if (result == 0 && level == IPPROTO_TCP && option == TCP_INFO)
    make_worse (value);
  return result;
}

ssize_t
send (int fd, const void *data, size_t size, int flags)
{
  gint n = g_atomic_int_get (&broken.partial);

  if (g_atomic_int_get (&broken.refused)) {
    errno = g_atomic_int_get (&broken.refused);
    return -1;
  }
  if (n > 0) {
    g_atomic_int_inc (&broken.partial);
    if (n % 5 == 0 || n % 7 == 0) {
      errno = n % 5 ? EAGAIN : EINTR;
      return -1;
    }
    size = MIN (size, (size_t) (1 + n % 97));
  }
  return syscall (SYS_sendto, fd, data, size, flags, NULL, 0);
}

/* A firewall is not a matter of the algorithm, and not for ever. */
GST_START_TEST (test_forbidden)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  g_atomic_int_set (&broken.connect_error, EPERM);
  sender_init (&s, "port", r.port, "congestion-algorithm", "reno",
      "reconnect-interval", 10 * GST_MSECOND, NULL);
  expect_message (s.bus, GST_MESSAGE_WARNING, "firewall");
  g_atomic_int_set (&broken.connect_error, 0);
  c = receiver_accept (&r);
  sender_push (&s, 0);
  expect_buffer (c, 0, SIZE);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* The system may choose for the caller the port that it calls, where nobody
 * listens. */
GST_START_TEST (test_own_peer)
{
  Receiver r;
  Sender s;

  receiver_init (&r);
  receiver_clear (&r);
  g_atomic_int_set (&broken.to_itself, TRUE);
  sender_init (&s, "port", r.port, "auto-reconnect", FALSE, NULL);
  expect_message (s.bus, GST_MESSAGE_ERROR, "Connection refused");
  g_atomic_int_set (&broken.to_itself, FALSE);
  fail_unless_equals_uint64 (stat_of (s.sink, "connections"), 0);
  sender_clear (&s);
}

GST_END_TEST;

GST_START_TEST (test_port_zero)
{
  GstElement *sink = gst_check_setup_element ("itcpsink");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (sink, bus);
  g_object_set (sink, "port", 0, NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  expect_message (bus, GST_MESSAGE_ERROR, "port 0");
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (bus);
  gst_check_teardown_element (sink);
}

GST_END_TEST;

/* Where SYNs find no answer; and then a receiver that is there. */
GST_START_TEST (test_never_answers)
{
  GSocketAddress *a;
  GSocket *full[3], *c = NULL;
  Receiver r;
  Sender s;

  /* A queue of connections that is full drops them. */
  receiver_init (&r);
  fail_unless (listen (g_socket_get_fd (r.listener), 0) == 0);
  a = g_inet_socket_address_new_from_string ("127.0.0.1", r.port);
  for (guint i = 0; i < G_N_ELEMENTS (full); i++) {
    full[i] = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
        G_SOCKET_PROTOCOL_TCP, NULL);
    g_socket_set_blocking (full[i], FALSE);
    g_socket_connect (full[i], a, NULL, NULL);
  }
  sender_init (&s, "port", r.port, "timeout", 200 * GST_MSECOND,
      "reconnect-interval", 10 * GST_MSECOND, NULL);
  expect_message (s.bus, GST_MESSAGE_WARNING, "Connection timed out");
  /* States do not wait for it. */
  gst_element_set_state (s.sink, GST_STATE_PAUSED);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  for (guint i = 0; i < G_N_ELEMENTS (full); i++)
    g_object_unref (full[i]);
  fail_unless (listen (g_socket_get_fd (r.listener), 10) == 0);
  while (!state_is (s.sink, "connected"))
    if (g_socket_condition_check (r.listener, G_IO_IN)) {
      g_clear_object (&c);
      c = receiver_accept (&r);
    }
  sender_push (&s, 0);
  sender_clear (&s);
  g_clear_object (&c);
  g_object_unref (a);
  receiver_clear (&r);
}

GST_END_TEST;

static gboolean
source_is (GstElement * sink, const gchar * name)
{
  GstStructure *stats;
  const gchar *used;
  gboolean is;

  g_object_get (sink, "stats", &stats, NULL);
  used = gst_structure_get_string (stats, "event-source");
  is = g_str_equal (used, name);
  gst_structure_free (stats);
  return is;
}

/* Writes of a few bytes, of none, and interrupted ones. */
GST_START_TEST (test_partial_writes)
{
  static const gint wanted[] = { GST_ITCP_EVENT_SOURCE_ERROR_QUEUE,
    GST_ITCP_EVENT_SOURCE_TCP_INFO
  };
  static const gchar *const names[] = { "error-queue", "tcp-info" };
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "event-source", wanted[__i__], NULL);
  c = receiver_accept (&r);
  WAIT_UNTIL (source_is (s.sink, names[__i__]), "another source");
  g_atomic_int_set (&broken.partial, 1);
  for (guint i = 0; i < 40; i++) {
    sender_push (&s, i);
    expect_buffer (c, i, SIZE);
  }
  fail_unless (g_atomic_int_get (&broken.partial) > 400);
  g_atomic_int_set (&broken.partial, 0);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Something on this machine forbids to write: the connection ends, rather than
 * that it is tried over and over. */
GST_START_TEST (test_refused_write)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "reconnect-interval", 10 * GST_MSECOND,
      NULL);
  c = receiver_accept (&r);
  WAIT_UNTIL (state_is (s.sink, "connected"), "not connected");
  g_atomic_int_set (&broken.refused, EPERM);
  sender_start (&s);
  expect_message (s.bus, GST_MESSAGE_WARNING, "not permitted");
  g_atomic_int_set (&broken.refused, 0);
  /* Some may have been made meanwhile, and have ended. */
  do {
    g_object_unref (c);
    c = receiver_accept (&r);
    fail_unless (g_socket_condition_timed_wait (c, G_IO_IN,
            MAX_WAIT * G_TIME_SPAN_SECOND, NULL, NULL));
  } while (g_socket_get_available_bytes (c) == 0);
  expect_buffer (c, 0, s.size);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

static const struct
{
  const gchar *wanted;
  gboolean no_stamps, no_info, short_info;
  const gchar *used, *warning;
} kernels[] = {
  {"auto", TRUE, FALSE, FALSE, "tcp-info", NULL},
  {"error-queue", TRUE, FALSE, FALSE, "tcp-info", "event-source"},
  {"error-queue", TRUE, TRUE, FALSE, "none", "without rexmt"},
  {"tcp-info", TRUE, TRUE, FALSE, "none", "without rexmt"},
  {"auto", FALSE, TRUE, FALSE, "none", "without rexmt"},
  {"error-queue", FALSE, TRUE, FALSE, "none", "without rexmt"},
  {"bpf", FALSE, FALSE, FALSE, "error-queue", "There is no eBPF for us"},
  {"error-queue", FALSE, FALSE, TRUE, "error-queue", NULL},
};

/* The watcher announces a change of settings before it looks: once it has
 * announced two, it has looked since the first. */
static void
wait_for_look (Sender * s)
{
  for (guint64 base = 1000000; base <= 2000000; base += 1000000) {
    guint64 announced = 0;

    g_object_set (s->sink, "max-target-bitrate", base, NULL);
    while (announced != base) {
      GstCongestionInfo *info = pull_event (s->h);

      gst_congestion_info_get_target_bitrate (info, &announced);
      gst_congestion_info_free (info);
    }
  }
}

/* Time stamps that nobody reads would be an error pending for good, and wake the
 * thread that watches without end. */
static void
expect_quiet (Sender * s)
{
  g_atomic_int_set (&broken.asked, 0);
  wait_for_look (s);
  fail_unless_equals_int (g_atomic_int_get (&broken.asked), 0);
}

/* A kernel that lacks some of the interfaces: what it has is used, with one
 * warning where that is not what was asked for; and all is sent. */
GST_START_TEST (test_old_kernel)
{
  GstMessage *m;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  g_atomic_int_set (&broken.no_bpf, TRUE);
  g_atomic_int_set (&broken.no_stamps, kernels[__i__].no_stamps);
  g_atomic_int_set (&broken.no_info, kernels[__i__].no_info);
  g_atomic_int_set (&broken.short_info, kernels[__i__].short_info);
  sender_init (&s, "port", r.port, "reconnect-interval", 10 * GST_MSECOND,
      NULL);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (s.sink), "event-source",
      kernels[__i__].wanted);
  c = receiver_accept (&r);     /* the one that was given up */
  g_object_unref (c);
  gst_bus_set_flushing (s.bus, TRUE);
  gst_bus_set_flushing (s.bus, FALSE);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);

  for (guint i = 0; i < 2; i++) {
    c = receiver_accept (&r);
    if (i == 0 && kernels[__i__].warning)
      expect_message (s.bus, GST_MESSAGE_WARNING, kernels[__i__].warning);
    WAIT_UNTIL (state_is (s.sink, "connected"), "not connected");
    WAIT_UNTIL (source_is (s.sink, kernels[__i__].used), "another source");
    s.size = 200000;
    sender_push (&s, i);
    expect_buffer (c, i, s.size);
    expect_quiet (&s);
    g_object_unref (c);
    /* Its end is noticed all the same. */
    expect_message (s.bus, GST_MESSAGE_WARNING, "has ended");
  }
  WAIT_UNTIL (stat_of (s.sink, "connections") == 3, "no third connection");
  m = gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (m == NULL, "a second warning");
  sender_clear (&s);
  receiver_clear (&r);
  memset (&broken, 0, sizeof broken);
}

GST_END_TEST;

/* Nothing comes back, and nothing is there to be sent. */
GST_START_TEST (test_half_open_idle)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "timeout", GST_SECOND, NULL);
  c = receiver_accept (&r);
  WAIT_UNTIL (state_is (s.sink, "connected"), "not connected");
  drop_input (g_socket_get_fd (c));
  expect_message (s.bus, GST_MESSAGE_WARNING, "Connection timed out");
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Half-open for as long as ITCP_HALF_OPEN says, in seconds. Within the timeout
 * it is an outage, and no byte is lost; beyond, the next connection starts
 * with a whole buffer. */
GST_START_TEST (test_half_open)
{
  const gboolean survives = __i__ == 0;
  const gchar *text = g_getenv ("ITCP_HALF_OPEN");
  GstClockTime outage = text ? (GstClockTime) atoi (text) * GST_SECOND :
      500 * GST_MSECOND;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "reconnect-interval", 10 * GST_MSECOND,
      "timeout", survives ? 10 * outage : outage / 2, NULL);
  c = receiver_accept (&r);
  sender_push (&s, 0);
  expect_buffer (c, 0, SIZE);
  drop_input (g_socket_get_fd (c));
  sender_push (&s, 1);
  g_usleep (outage / GST_USECOND);
  if (survives) {
    fail_unless_equals_uint64 (stat_of (s.sink, "connections"), 1);
    accept_input (g_socket_get_fd (c));
    /* The timer has backed off to about as long as the outage was. */
    fail_unless (g_socket_condition_timed_wait (c, G_IO_IN,
            2 * (gint64) (outage / GST_USECOND) + 20 * G_TIME_SPAN_SECOND,
            NULL, NULL));
    expect_buffer (c, 1, SIZE);
  } else {
    expect_message (s.bus, GST_MESSAGE_WARNING, "Connection timed out");
    g_object_unref (c);
    c = receiver_accept (&r);
  }
  sender_push (&s, 2);
  expect_buffer (c, 2, SIZE);
  fail_unless_equals_uint64 (stat_of (s.sink, "connections"), survives ? 1 : 2);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* A receiver that is there, acknowledges, and reads no more. */
GST_START_TEST (test_reads_no_more)
{
  GSocket *c[2];
  Receiver r;
  Sender s;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "timeout", GST_SECOND,
      "reconnect-interval", 10 * GST_MSECOND, NULL);
  s.size = 100000;
  c[0] = receiver_accept (&r);
  sender_start (&s);
  expect_message (s.bus, GST_MESSAGE_WARNING, "the receiver runs and reads");
  /* And the next one, which reads, gets whole buffers. */
  c[1] = receiver_accept (&r);
  expect_buffer (c[1], expect_any_buffer (c[1], s.size) + 1, s.size);
  fail_unless (stat_of (s.sink, "connections") >= 2);
  sender_clear (&s);
  for (guint i = 0; i < 2; i++)
    g_object_unref (c[i]);
  receiver_clear (&r);
}

GST_END_TEST;

/* Knows one name: two addresses, and nobody is at the first. */
typedef GResolver TwoResolver;
typedef GResolverClass TwoResolverClass;
static GType two_resolver_get_type (void);
G_DEFINE_TYPE (TwoResolver, two_resolver, G_TYPE_RESOLVER);
static const gchar *second_address;

#define TWO "two.example"

static GList *
two_resolver_lookup (GResolver * resolver, const gchar * name,
    GCancellable * cancellable, GError ** error)
{
  GList *list = NULL;

  (void) resolver;
  (void) cancellable;
  if (!g_str_equal (name, TWO)) {
    g_set_error (error, G_RESOLVER_ERROR, G_RESOLVER_ERROR_NOT_FOUND,
        "no %s", name);
    return NULL;
  }
  list = g_list_append (list, g_inet_address_new_from_string ("127.0.0.2"));
  return g_list_append (list, g_inet_address_new_from_string (second_address));
}

static void
two_resolver_class_init (TwoResolverClass * klass)
{
  klass->lookup_by_name = two_resolver_lookup;
}

static void
two_resolver_init (TwoResolver * self)
{
  (void) self;
}

static const struct
{
  const gchar *host, *address;
} called[] = {
  {"::1", "::1"},
  {"[::1]", "::1"},
  {TWO, "127.0.0.1"},
  {TWO, "::1"},
};

/* At an address of IPv6, and at whichever of a name somebody is. */
GST_START_TEST (test_calls_every_address)
{
  GResolver *before = g_resolver_get_default ();
  GResolver *two = g_object_new (two_resolver_get_type (), NULL);
  Receiver r;
  Sender s;
  GSocket *c;

  if (strchr (called[__i__].address, ':') && !have_ipv6 ()) {
    g_print ("skipped: there is no IPv6 here\n");
  } else {
    second_address = called[__i__].address;
    g_resolver_set_default (two);
    receiver_init_at (&r, second_address);
    sender_init (&s, "host", called[__i__].host, "port", r.port, NULL);
    c = receiver_accept (&r);
    sender_push (&s, 0);
    expect_buffer (c, 0, SIZE);
    fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING) == NULL,
        "a warning, though somebody was there");
    sender_clear (&s);
    g_object_unref (c);
    receiver_clear (&r);
    g_resolver_set_default (before);
  }
  g_object_unref (two);
  g_object_unref (before);
}

GST_END_TEST;

/* Whichever address of its name a receiver tries, it is served. */
GST_START_TEST (test_every_address)
{
  static const gchar *const addresses[] = { "127.0.0.1", "::1" };
  GSocketClient *client = g_socket_client_new ();
  Sender s;
  gint port;

  g_socket_client_set_enable_proxy (client, FALSE);
  sender_init (&s, "mode", 1, "host", "localhost", "port", 0, NULL);
  for (guint i = 0; i < (have_ipv6 ()? 2 : 1); i++) {
    GSocketConnection *c;

    WAIT_UNTIL (state_is (s.sink, "listening"), "does not listen");
    g_object_get (s.sink, "current-port", &port, NULL);
    c = g_socket_client_connect_to_host (client, addresses[i], (guint16) port,
        NULL, NULL);
    fail_unless (c != NULL, "nobody at %s", addresses[i]);
    WAIT_UNTIL (state_is (s.sink, "connected"), "does not accept");
    sender_push (&s, i);
    expect_buffer (g_socket_connection_get_socket (c), i, SIZE);
    g_object_unref (c);
    expect_message (s.bus, GST_MESSAGE_WARNING, "has ended");
  }
  sender_clear (&s);
  g_object_unref (client);
}

GST_END_TEST;

typedef struct
{
  GstElement *sink;
  guint64 value;
} Setter;

static gpointer
set_base (gpointer data)
{
  Setter *s = data;

  g_object_set (s->sink, "max-target-bitrate", s->value, NULL);
  return NULL;
}

/* Whatever the order in which two set a property, what it says is what is
 * kept to. */
GST_START_TEST (test_setters)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, NULL);
  c = receiver_accept (&r);
  WAIT_UNTIL (state_is (s.sink, "connected"), "not connected");
  for (guint i = 0; i < 300; i++) {
    Setter setters[2] = { {s.sink, 1000000 + i}, {s.sink, 2000000 + i}
    };
    GThread *threads[2];
    guint64 set;

    for (guint k = 0; k < 2; k++)
      threads[k] = g_thread_new ("set", set_base, &setters[k]);
    for (guint k = 0; k < 2; k++)
      g_thread_join (threads[k]);
    g_object_get (s.sink, "max-target-bitrate", &set, NULL);
    WAIT_UNTIL (stat_of (s.sink, "base-bitrate") == set, "another is kept to");
  }
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

typedef struct
{
  GMutex lock;
  gint entered;                 /* atomic */
  gboolean left;                /* with the lock */
} App;

static GstBusSyncReply
take_lock (GstBus * bus, GstMessage * m, gpointer data)
{
  App *app = data;

  (void) bus;
  if (gst_is_congestion_message (m)) {
    g_atomic_int_set (&app->entered, TRUE);
    g_mutex_lock (&app->lock);
    app->left = TRUE;
    g_mutex_unlock (&app->lock);
  }
  gst_message_unref (m);
  return GST_BUS_DROP;
}

static gboolean
has_left (App * app)
{
  gboolean left;

  g_mutex_lock (&app->lock);
  left = app->left;
  g_mutex_unlock (&app->lock);
  return left;
}

/* Whoever stops the element may hold what a handler waits for. */
GST_START_TEST (test_stop_with_lock)
{
  App app = { 0 };
  Receiver r;
  Sender s;
  gint held;

  receiver_init (&r);
  g_mutex_init (&app.lock);
  sender_init (&s, "port", r.port, NULL);
  WAIT_UNTIL (state_is (s.sink, "connected"), "not connected");
  gst_bus_set_flushing (s.bus, TRUE);
  gst_bus_set_flushing (s.bus, FALSE);
  held = GST_OBJECT_REFCOUNT_VALUE (s.sink);
  gst_bus_set_sync_handler (s.bus, take_lock, &app, NULL);
  g_mutex_lock (&app.lock);
  g_object_set (s.sink, "max-target-bitrate", (guint64) 1000000, NULL);
  WAIT_UNTIL (g_atomic_int_get (&app.entered), "no message");
  gst_element_set_state (s.sink, GST_STATE_NULL);
  g_mutex_unlock (&app.lock);
  /* The handler ends on its own then. */
  WAIT_UNTIL (has_left (&app), "it stays");
  WAIT_UNTIL (GST_OBJECT_REFCOUNT_VALUE (s.sink) < held, "it does not end");
  gst_bus_set_sync_handler (s.bus, NULL, NULL, NULL);
  sender_clear (&s);
  g_mutex_clear (&app.lock);
  receiver_clear (&r);
}

GST_END_TEST;

static gboolean
pull_key_unit (GstHarness * h)
{
  GstEvent *event = gst_harness_try_pull_upstream_event (h);
  gboolean is = event && gst_event_has_name (event, "GstForceKeyUnit");

  if (event)
    gst_event_unref (event);
  return is;
}

/* A receiver that comes amid the stream gets a key frame, the first of a
 * caller does not need one. */
GST_START_TEST (test_key_frame)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "reconnect-interval", 10 * GST_MSECOND,
      NULL);
  c = receiver_accept (&r);
  sender_push (&s, 0);
  expect_buffer (c, 0, SIZE);
  for (GstEvent * e; (e = gst_harness_try_pull_upstream_event (s.h));) {
    fail_if (gst_event_has_name (e, "GstForceKeyUnit"));
    gst_event_unref (e);
  }
  g_object_unref (c);
  c = receiver_accept (&r);
  WAIT_UNTIL (pull_key_unit (s.h), "no key frame is asked for");
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* What waits in the kernel once no more goes in, or once it is that much. */
static guint64
wait_unsent (guint64 base, gsize size, GstClockTime max_queue_time,
    guint64 least)
{
  guint64 unsent;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", base, "max-queue-time",
      max_queue_time, NULL);
  s.size = size;
  c = receiver_accept (&r);
  WAIT_UNTIL (state_is (s.sink, "connected"), "not connected");
  /* The limit holds once the base is announced. */
  gst_congestion_info_free (pull_event (s.h));
  sender_start (&s);
  if (least == 0)
    sender_wait_blocked (&s);
  WAIT_UNTIL ((unsent = stat_of (s.sink, "unsent-bytes")) >= MAX (least, 1),
      "less waits");
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
  return unsent;
}

/* It is no more than was asked for, and a segment, or 4 KiB where little was;
 * without a limit it would be. */
GST_START_TEST (test_unsent)
{
  const guint64 most = 100000 + 65536;
  guint64 limited = wait_unsent (800000, SIZE, GST_SECOND, 0);

  fail_unless (limited <= most, "%" G_GUINT64_FORMAT, limited);
  limited = wait_unsent (24000, 100, GST_SECOND, 0);
  fail_unless (limited <= 2 * 4096, "%" G_GUINT64_FORMAT, limited);
  wait_unsent (800000, SIZE, 0, most + 1);
}

GST_END_TEST;

/* The next that the application hears of; where it comes from the pipeline too. */
static GstCongestionReason
next_congestion (Sender * s, guint64 * target)
{
  GstCongestionInfo *info = pop_congestion (s->bus), *event = pull_event (s->h);
  GstCongestionReason reason = gst_congestion_info_get_reason (info);
  guint64 upstream = 0;

  fail_unless (gst_congestion_info_get_target_bitrate (info, target));
  fail_unless (gst_congestion_info_get_target_bitrate (event, &upstream));
  fail_unless_equals_int (gst_congestion_info_get_reason (event), reason);
  fail_unless_equals_uint64 (upstream, *target);
  gst_congestion_info_free (info);
  gst_congestion_info_free (event);
  return reason;
}

/* A rise that fills a queue in the network is taken back, long before TCP is
 * behind; without step-back it goes on. */
GST_START_TEST (test_queue)
{
  const gboolean steps_back = __i__ == 0;
  GstCongestionReason reason;
  guint64 target = 0, before;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  /* Time stamps would show another path. */
  sender_init (&s, "port", r.port, "max-target-bitrate", BASE, "step-back",
      steps_back, "increase-interval", 100 * GST_MSECOND, "hold-time",
      (guint64) 0, "event-source", GST_ITCP_EVENT_SOURCE_TCP_INFO, NULL);
  c = receiver_accept (&r);
  fail_unless_equals_int (next_congestion (&s, &target),
      GST_CONGESTION_REASON_START);
  g_atomic_pointer_set (&broken.fills, s.sink);
  g_atomic_int_set (&broken.recovers, TRUE);
  fail_unless_equals_int (next_congestion (&s, &target),
      GST_CONGESTION_REASON_DUPACK);
  g_atomic_int_set (&broken.recovers, FALSE);
  do {
    before = target;
    reason = next_congestion (&s, &target);
  } while (reason == GST_CONGESTION_REASON_INCREASE && (steps_back
          || target < BASE));
  fail_unless_equals_int (reason, steps_back ? GST_CONGESTION_REASON_DELAY :
      GST_CONGESTION_REASON_INCREASE);
  fail_unless ((target < before) == steps_back);
  fail_unless (MAX (target, before) > BOTTLENECK);
  memset (&broken, 0, sizeof broken);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

static Suite *
faults_suite (void)
{
  Suite *s = suite_create ("itcp-faults");
  TCase *tc = tcase_create ("faults");

  tcase_set_timeout (tc, g_getenv ("ITCP_HALF_OPEN") ? 600 : 200);
  suite_add_tcase (s, tc);
  if (can_drop_input ()) {
    tcase_add_loop_test (tc, test_half_open, 0, 2);
    tcase_add_test (tc, test_half_open_idle);
  }
  if (g_getenv ("ITCP_HALF_OPEN"))
    return s;
  tcase_add_test (tc, test_forbidden);
  tcase_add_test (tc, test_own_peer);
  tcase_add_test (tc, test_port_zero);
  tcase_add_test (tc, test_never_answers);
  tcase_add_loop_test (tc, test_partial_writes, 0, 2);
  tcase_add_test (tc, test_refused_write);
  tcase_add_loop_test (tc, test_old_kernel, 0, G_N_ELEMENTS (kernels));
  tcase_add_test (tc, test_reads_no_more);
  tcase_add_loop_test (tc, test_calls_every_address, 0, G_N_ELEMENTS (called));
  tcase_add_test (tc, test_every_address);
  tcase_add_test (tc, test_setters);
  tcase_add_test (tc, test_stop_with_lock);
  tcase_add_test (tc, test_key_frame);
  tcase_add_test (tc, test_unsent);
  tcase_add_loop_test (tc, test_queue, 0, 2);
  return s;
}

GST_CHECK_MAIN (faults);
