/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Connections over loopback, as any user. What a receiver must not get
 * is dropped by a filter on its socket, which TCP takes for loss.
 */
#include <gst/check/gstcheck.h>

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "dropinput.h"
#include "source.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define MSECOND G_GINT64_CONSTANT (1000000)

/* Long, for nothing is asserted about how long anything takes. */
#define MAX_WAIT (20 * SECOND)

typedef struct
{
  int listener, sender, receiver;
} Connection;

static const ItcpTcpConfig defaults;

static gint interrupted;        /* the reading of a clock before which we are;
                                   0 = none */

/* The C library's; ours comes first. */
int
clock_gettime (clockid_t clock, struct timespec *t)
{
  if (interrupted > 0 && --interrupted == 0)
    g_usleep (200000);
  return (int) syscall (SYS_clock_gettime, clock, t);
}

static gint sends;              /* until the peer resets the connection first;
                                   0 = it does not */
static int peer;

static void
reset (int fd)
{
  struct linger at_once = {.l_onoff = 1 };

  setsockopt (fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close (fd);
}

/* The C library's; ours comes first. */
ssize_t
send (int fd, const void *data, size_t size, int flags)
{
  if (sends > 0 && --sends == 0)
    reset (peer);
  return syscall (SYS_sendto, fd, data, size, flags, NULL, 0);
}

static socklen_t
loopback (struct sockaddr_storage *a, int family, guint16 port)
{
  memset (a, 0, sizeof *a);
  a->ss_family = (sa_family_t) family;
  if (family == AF_INET) {
    struct sockaddr_in *in = (struct sockaddr_in *) a;

    in->sin_addr.s_addr = htonl (INADDR_LOOPBACK);
    in->sin_port = htons (port);
    return sizeof *in;
  } else {
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *) a;

    in6->sin6_addr = in6addr_loopback;
    in6->sin6_port = htons (port);
    return sizeof *in6;
  }
}

static void
wait_for (int fd, int events)
{
  int got = itcp_wait (fd, events, NULL, wait_monotonic_now () + MAX_WAIT);

  fail_unless (got > 0, "nothing happens");
}

static int
listen_on (int family, guint16 * port)
{
  struct sockaddr_storage a;
  socklen_t size = loopback (&a, family, 0);
  int fd;

  fail_unless_equals_int (itcp_tcp_listen ((struct sockaddr *) &a, size, FALSE,
          &fd), 0);
  fail_unless (itcp_tcp_local_port (fd) > 0);
  *port = (guint16) itcp_tcp_local_port (fd);
  return fd;
}

static void
connection_init (Connection * c, int family, const ItcpTcpConfig * config)
{
  struct sockaddr_storage a;
  guint16 port;
  socklen_t size;

  c->listener = listen_on (family, &port);
  fail_unless_equals_int (itcp_tcp_accept (c->listener, &defaults,
          &c->receiver), -EAGAIN);
  size = loopback (&a, family, port);
  fail_unless_equals_int (itcp_tcp_connect ((struct sockaddr *) &a, size,
          config, &c->sender), 0);
  wait_for (c->sender, ITCP_WAIT_WRITABLE);
  fail_unless_equals_int (itcp_tcp_take_error (c->sender), 0);
  wait_for (c->listener, ITCP_WAIT_READABLE);
  fail_unless_equals_int (itcp_tcp_accept (c->listener, &defaults,
          &c->receiver), 0);
}

static void
connection_clear (Connection * c)
{
  itcp_tcp_close (c->sender);
  itcp_tcp_close (c->receiver);
  itcp_tcp_close (c->listener);
}

#define LOST 0x55               /* the first byte of what is lost */

/* From now on what begins with that does not reach the receiver, however often it
 * is sent; all else does. */
static void
lose (int fd)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_B | BPF_ABS, 12),    /* TCP's header, in words */
    BPF_STMT (BPF_ALU | BPF_RSH | BPF_K, 2),
    BPF_STMT (BPF_ALU | BPF_AND | BPF_K, 0x3c),
    BPF_STMT (BPF_MISC | BPF_TAX, 0),
    BPF_STMT (BPF_LD | BPF_W | BPF_LEN, 0),
    BPF_JUMP (BPF_JMP | BPF_JGT | BPF_X, 0, 0, 2),
    BPF_STMT (BPF_LD | BPF_B | BPF_IND, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, LOST, 1, 0),
    BPF_STMT (BPF_RET | BPF_K, 0x40000),
    BPF_STMT (BPF_RET | BPF_K, 0)
  };
  struct sock_fprog program = {.len = G_N_ELEMENTS (code),.filter = code };

  fail_unless (setsockopt (fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
          sizeof program) == 0);
}

static guint
segment_size (int fd)
{
  ItcpTcpInfo info;

  fail_unless_equals_int (itcp_tcp_info (fd, &info), 0);
  fail_unless (info.mss > 0);
  return MIN (info.mss, 1000);
}

/* Looks until something is found, or the socket has been quiet until then. */
static void
look (ItcpSource * s, ItcpFindings * sum, gint64 until)
{
  ItcpReading reading;

  do {
    itcp_source_wait (s, 0, NULL, NULL, MIN (until,
            wait_monotonic_now () + s->klass->interval));
    fail_unless_equals_int (itcp_source_read (s, &reading), 0);
    fail_unless ((reading.rexmt_at == PSP_TIME_UNKNOWN) || reading.found.rexmt);
    fail_unless (reading.rexmt_at <= wait_monotonic_now ());
    fail_unless (reading.dupack_at <= wait_monotonic_now ());
    if (reading.found.dupack)
      fail_unless_equals_int64 (s->rest_until, INT64_MIN);
    sum->rexmt += reading.found.rexmt;
    sum->dupack += reading.found.dupack;
  } while (!reading.found.rexmt && !reading.found.dupack
      && wait_monotonic_now () < until);
}

static const int families[] = { AF_INET, AF_INET6 };

GST_START_TEST (test_exchange)
{
  static const gchar text[] = "a picture in two segments or three";
  gchar got[sizeof text];
  gsize n = 0;
  Connection c;

  if (families[__i__] == AF_INET6) {
    struct sockaddr_storage a;
    socklen_t size = loopback (&a, AF_INET6, 0);
    int fd;

    if (itcp_tcp_listen ((struct sockaddr *) &a, size, FALSE, &fd) < 0) {
      g_print ("skipped: there is no IPv6 here\n");
      return;
    }
    itcp_tcp_close (fd);
  }
  connection_init (&c, families[__i__], &defaults);
  fail_unless_equals_int (itcp_tcp_write (c.sender, text, sizeof text, 12),
      sizeof text);
  while (n < sizeof text) {
    gssize k;

    wait_for (c.receiver, ITCP_WAIT_READABLE);
    k = recv (c.receiver, got + n, sizeof got - n, 0);
    fail_unless (k > 0);
    n += (gsize) k;
  }
  fail_unless_equals_string (got, text);

  fail_unless_equals_int (itcp_tcp_drain (c.sender), 1);
  fail_unless (send (c.receiver, text, sizeof text, 0) > 0);
  wait_for (c.sender, ITCP_WAIT_READABLE);
  fail_unless_equals_int (itcp_tcp_drain (c.sender), 1);
  itcp_tcp_shutdown (c.receiver);
  wait_for (c.sender, ITCP_WAIT_READABLE);
  fail_unless_equals_int (itcp_tcp_drain (c.sender), 0);
  connection_clear (&c);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  struct sockaddr_storage a;
  guint16 port;
  socklen_t size;
  int fd;

  itcp_tcp_close (listen_on (AF_INET, &port));
  size = loopback (&a, AF_INET, port);
  if (itcp_tcp_connect ((struct sockaddr *) &a, size, &defaults, &fd) < 0)
    return;                     /* refused at once */
  wait_for (fd, ITCP_WAIT_WRITABLE);
  fail_unless_equals_int (itcp_tcp_take_error (fd), -ECONNREFUSED);
  itcp_tcp_close (fd);
}

GST_END_TEST;

GST_START_TEST (test_reset)
{
  guint8 data[100] = { 0 };
  Connection c;
  int err;

  connection_init (&c, AF_INET, &defaults);
  reset (c.receiver);
  c.receiver = -1;
  wait_for (c.sender, ITCP_WAIT_READABLE);
  err = itcp_tcp_drain (c.sender);
  fail_unless_equals_int (err, -ECONNRESET);
  fail_unless_equals_int (itcp_tcp_write (c.sender, data, sizeof data, 100),
      -EPIPE);
  connection_clear (&c);
}

GST_END_TEST;

/* Amid a write: the error is not lost for the part that was written. */
GST_START_TEST (test_reset_amid_write)
{
  guint8 data[1000] = { 0 };
  Connection c;

  connection_init (&c, AF_INET, &defaults);
  peer = c.receiver;
  c.receiver = -1;
  sends = 5;
  fail_unless_equals_int (itcp_tcp_write (c.sender, data, sizeof data, 100),
      -ECONNRESET);
  fail_unless_equals_int (sends, 0);
  connection_clear (&c);
}

GST_END_TEST;

/* It reports what the kernel has, and what it has not. */
GST_START_TEST (test_congestion)
{
  ItcpTcpConfig config = {.congestion = "reno" };
  gchar name[16];
  Connection c;
  int err;

  connection_init (&c, AF_INET, &config);
  fail_unless_equals_int (itcp_tcp_congestion (c.sender, name), 0);
  fail_unless_equals_string (name, "reno");
  err = itcp_tcp_set_congestion (c.sender, "no-such");
  fail_unless (err == -ENOENT || err == -EPERM);
  fail_unless_equals_int (itcp_tcp_set_congestion (c.sender, ""), 0);
  connection_clear (&c);
}

GST_END_TEST;

/* A receiver that stops reading: the socket takes a part and then nothing,
 * what is unsent grows, and TCP finds no congestion in it. */
GST_START_TEST (test_stops_reading)
{
  guint8 *data = g_malloc0 (1000000);
  ItcpFindings sum = { 0, 0 };
  gssize written = 0, n;
  ItcpTcpInfo info;
  Connection c;
  ItcpSource s;

  connection_init (&c, AF_INET, &defaults);
  fail_unless_equals_int (itcp_source_open (&s, ITCP_SOURCE_AUTO, c.sender), 0);
  while ((n = itcp_tcp_write (c.sender, data, 1000000,
              segment_size (c.sender))) > 0)
    written += n;
  fail_unless_equals_int (n, -EAGAIN);
  fail_unless (written > 0);
  /* All is acknowledged that ever will be. */
  look (&s, &sum, wait_monotonic_now () + 300 * MSECOND);
  fail_unless (itcp_tcp_unsent (c.sender) > 0);
  fail_unless (itcp_tcp_unacked (c.sender) >= itcp_tcp_unsent (c.sender));
  fail_unless (itcp_tcp_unacked (c.sender) <= written);
  fail_unless_equals_int (sum.dupack, 0);
  /* A full receive buffer may have dropped segments. */
  fail_unless_equals_int (itcp_tcp_info (c.sender, &info), 0);
  if (info.has_total_rto)
    fail_unless_equals_int (sum.rexmt, info.total_rto);
  itcp_source_close (&s);
  connection_clear (&c);
  g_free (data);
}

GST_END_TEST;

/* Sources, and the same without what newer kernels count. */
static const struct
{
  ItcpSourceKind kind;
  gboolean old_kernel;
} sources[] = {
  {ITCP_SOURCE_ERROR_QUEUE, FALSE},
  {ITCP_SOURCE_ERROR_QUEUE, TRUE},
  {ITCP_SOURCE_TCP_INFO, FALSE},
  {ITCP_SOURCE_TCP_INFO, TRUE},
};

static void
source_init (ItcpSource * s, guint i, int fd)
{
  fail_unless_equals_int (itcp_source_open (s, sources[i].kind, fd), 0);
  if (sources[i].old_kernel)
    itcp_source_ignore_total_rto (s);
}

/* An outage: as many timeouts as the kernel counted. */
GST_START_TEST (test_timeouts)
{
  gint64 until = wait_monotonic_now () + MAX_WAIT;
  ItcpTcpConfig config = {.congestion = "reno" };
  ItcpFindings sum = { 0, 0 };
  guint8 data[1000] = { 0 };
  ItcpTcpInfo info;
  Connection c;
  ItcpSource s;

  connection_init (&c, AF_INET, &config);
  source_init (&s, __i__, c.sender);
  drop_input (c.receiver);
  fail_unless (itcp_tcp_write (c.sender, data, sizeof data, 1000) > 0);
  while (sum.rexmt < 2 && wait_monotonic_now () < until)
    look (&s, &sum, until);
  accept_input (c.receiver);
  while (itcp_tcp_unacked (c.sender) > 0 && wait_monotonic_now () < until)
    look (&s, &sum, wait_monotonic_now () + 5 * MSECOND);
  look (&s, &sum, wait_monotonic_now () + 5 * MSECOND);

  fail_unless_equals_int (itcp_tcp_info (c.sender, &info), 0);
  /* Without the count the last one may go unseen: its answer is back before
   * the next look. */
  if (info.has_total_rto) {
    fail_unless (sum.rexmt <= info.total_rto);
    fail_unless (sum.rexmt == info.total_rto || sources[__i__].old_kernel);
  }
  fail_unless (sum.rexmt >= 2);
  itcp_source_close (&s);
  connection_clear (&c);
}

GST_END_TEST;

/* A segment lost, and more behind it: recovery once. A probe of TCP's may mend it
 * before; then once more. Who polls every 5 ms comes too late for a round trip of
 * loopback's: what is sent again is lost too, until recovery is found, or the
 * timer was sooner. */
GST_START_TEST (test_recovery)
{
  gint64 until = wait_monotonic_now () + MAX_WAIT;
  const gboolean polls = sources[__i__].kind == ITCP_SOURCE_TCP_INFO;
  ItcpTcpConfig config = {.congestion = "reno" };
  guint8 lost[1000] = { LOST }, data[10000] = { 0 };
  ItcpFindings sum;
  Connection c;
  ItcpSource s;

  connection_init (&c, AF_INET, &config);
  source_init (&s, __i__, c.sender);
  do {
    sum = (ItcpFindings) {
    0, 0};
    if (polls)
      lose (c.receiver);
    else
      drop_input (c.receiver);
    fail_unless (itcp_tcp_write (c.sender, lost, 1000, 1000) == 1000);
    if (!polls)
      accept_input (c.receiver);
    fail_unless (itcp_tcp_write (c.sender, data, sizeof data, 1000) > 0);
    while (polls && !sum.dupack && !sum.rexmt && wait_monotonic_now () < until)
      look (&s, &sum, wait_monotonic_now () + 5 * MSECOND);
    if (polls)
      accept_input (c.receiver);
    while (itcp_tcp_unacked (c.sender) > 0 && wait_monotonic_now () < until)
      look (&s, &sum, wait_monotonic_now () + 5 * MSECOND);
    fail_unless_equals_int (itcp_tcp_drain (c.receiver), 1);
    fail_unless (sum.dupack <= 1);
  } while (sum.dupack == 0 && wait_monotonic_now () < until);
  fail_unless_equals_int (sum.dupack, 1);
  itcp_source_close (&s);
  connection_clear (&c);
}

GST_END_TEST;

/* Where nothing is lost nothing is found. */
GST_START_TEST (test_clean)
{
  guint8 *data = g_malloc0 (100000);
  ItcpFindings sum = { 0, 0 };
  ItcpTcpInfo info;
  Connection c;
  ItcpSource s;
  guint n = 0;

  connection_init (&c, AF_INET, &defaults);
  source_init (&s, __i__, c.sender);
  while (n < 2000000) {
    gssize k = itcp_tcp_write (c.sender, data, 100000,
        segment_size (c.sender));

    fail_unless (k > 0 || k == -EAGAIN);
    n += (guint) MAX (k, 0);
    fail_unless_equals_int (itcp_tcp_drain (c.receiver), 1);
    look (&s, &sum, 0);
  }
  fail_unless_equals_int (itcp_tcp_info (c.sender, &info), 0);
  if (info.total_retransmits == 0) {
    fail_unless_equals_int (sum.rexmt, 0);
    fail_unless_equals_int (sum.dupack, 0);
  }
  if (sources[__i__].kind == ITCP_SOURCE_ERROR_QUEUE)
    fail_unless (s.stamps > 0);
  itcp_source_close (&s);
  connection_clear (&c);
  g_free (data);
}

GST_END_TEST;

/* A connection, and its error queue. */
static void
watched_init (Connection * c, ItcpSource * s)
{
  connection_init (c, AF_INET, &defaults);
  fail_unless_equals_int (itcp_source_open (s, ITCP_SOURCE_ERROR_QUEUE,
          c->sender), 0);
}

static void
watched_clear (Connection * c, ItcpSource * s)
{
  itcp_source_close (s);
  connection_clear (c);
}

/* Segments that leave one by one: after some it rests. */
GST_START_TEST (test_rest)
{
  gint64 until = wait_monotonic_now () + MAX_WAIT;
  guint8 data[100] = { 0 };
  ItcpReading reading;
  Connection c;
  ItcpSource s;

  watched_init (&c, &s);
  while (s.rest_until <= wait_monotonic_now ()) {
    fail_unless (wait_monotonic_now () < until);
    fail_unless (itcp_tcp_write (c.sender, data, sizeof data, 100) > 0);
    fail_unless_equals_int (itcp_tcp_drain (c.receiver), 1);
    itcp_source_wait (&s, 0, NULL, NULL, until);
    fail_unless_equals_int (itcp_source_read (&s, &reading), 0);
  }
  fail_unless (s.stamps > s.rest.params.at_once);
  watched_clear (&c, &s);
}

GST_END_TEST;

/* While it rests only others wake it, and who wants to write. */
GST_START_TEST (test_rest_ends)
{
  gint64 until = wait_monotonic_now () + MAX_WAIT, rest;
  guint8 data[100] = { 0 };
  WaitWaker waker;
  Connection c;
  ItcpSource s;

  watched_init (&c, &s);
  fail_unless_equals_int (wait_waker_open (&waker), 0);
  fail_unless (itcp_tcp_write (c.sender, data, sizeof data, 100) > 0);
  fail_unless_equals_int (itcp_source_wait (&s, 0, &waker, NULL, until),
      ITCP_WAIT_ERROR);

  s.rest_until = until;
  rest = wait_monotonic_now () + 10 * MSECOND;
  fail_unless_equals_int (itcp_source_wait (&s, 0, &waker, NULL, rest),
      ITCP_WAIT_ERROR);
  fail_unless (wait_monotonic_now () >= rest);
  fail_unless_equals_int (itcp_source_wait (&s, ITCP_WAIT_WRITABLE, &waker,
          NULL, until), ITCP_WAIT_WRITABLE | ITCP_WAIT_ERROR);
  wait_waker_wake (&waker);
  fail_unless_equals_int (itcp_source_wait (&s, 0, &waker, NULL, until),
      ITCP_WAIT_WOKEN);
  wait_waker_clear (&waker);

  s.rest_until = rest = wait_monotonic_now () + 10 * MSECOND;
  fail_unless_equals_int (itcp_source_wait (&s, 0, &waker, NULL, until),
      ITCP_WAIT_ERROR);
  fail_unless (wait_monotonic_now () >= rest);

  /* However soon the next one comes, the peer's end is seen. */
  fail_unless (shutdown (c.receiver, SHUT_WR) == 0);
  do {
    s.rest_until = wait_monotonic_now () + MSECOND;
    fail_unless (wait_monotonic_now () < until);
  } while (!(itcp_source_wait (&s, ITCP_WAIT_READABLE, &waker, NULL,
              until) & ITCP_WAIT_READABLE));
  wait_waker_close (&waker);
  watched_clear (&c, &s);
}

GST_END_TEST;

/* So many of 60 segments have a record that a look finds. What TCP_INFO shows is
 * new then, however new it was. */
static void
expect_records (Connection * c, ItcpSource * s, guint least, guint most)
{
  guint8 data[100] = { 0 };
  guint64 before = s->stamps;
  gint64 at = s->info.at;
  ItcpReading reading;
  guint found;

  for (guint i = 0; i < 60; i++) {
    fail_unless (itcp_tcp_write (c->sender, data, sizeof data, 100) > 0);
    fail_unless_equals_int (itcp_tcp_drain (c->receiver), 1);
  }
  s->look_due = PSP_TIME_NEVER;
  fail_unless_equals_int (itcp_source_read (s, &reading), 0);
  found = (guint) (s->stamps - before);
  fail_unless (found >= least && found <= most, "%u", found);
  fail_unless (s->info.at > at, "TCP_INFO is old");
}

/* Of many segments not all have a record that is read; while nothing can happen
 * hardly any. */
GST_START_TEST (test_few)
{
  Connection c;
  ItcpSource s;

  watched_init (&c, &s);
  expect_records (&c, &s, 8, 30);
  s.rest_until = PSP_TIME_NEVER;
  itcp_source_wait (&s, 0, NULL, NULL, wait_monotonic_now ());
  expect_records (&c, &s, 8, 30);
  s.rest_until = PSP_TIME_NEVER;
  s.quiet = true;
  itcp_source_wait (&s, 0, NULL, NULL, wait_monotonic_now ());
  expect_records (&c, &s, 0, 3);
  s.rest_until = PSP_TIME_NEVER;
  itcp_source_wait (&s, 0, NULL, NULL, wait_monotonic_now ());
  expect_records (&c, &s, 8, 30);
  watched_clear (&c, &s);
}

GST_END_TEST;

/* Disorder ends a rest, before anything is to be reported. */
GST_START_TEST (test_disorder)
{
  guint8 lost[1000] = { LOST }, data[1000] = { 0 };
  gint64 until = wait_monotonic_now () + MAX_WAIT;
  ItcpTcpInfo info;
  ItcpReading reading;
  Connection c;
  ItcpSource s;

  watched_init (&c, &s);
  lose (c.receiver);
  fail_unless (itcp_tcp_write (c.sender, lost, 1000, 1000) == 1000);
  do {
    fail_unless (wait_monotonic_now () < until);
    fail_unless (itcp_tcp_write (c.sender, data, 1000, 1000) == 1000);
    fail_unless_equals_int (itcp_tcp_info (c.sender, &info), 0);
  } while (info.ca_state == ITCP_CA_OPEN);
  /* What the records show is all that there is. */
  s.look_due = PSP_TIME_NEVER;
  s.rest_until = until;
  fail_unless (itcp_tcp_write (c.sender, data, 1000, 1000) == 1000);
  fail_unless_equals_int (itcp_source_read (&s, &reading), 0);
  fail_unless_equals_int64 (s.rest_until, INT64_MIN);
  watched_clear (&c, &s);
}

GST_END_TEST;

/* Nor does what TCP_INFO last showed wait. */
GST_START_TEST (test_look)
{
  gint64 at;
  ItcpReading reading;
  Connection c;
  ItcpSource s;

  watched_init (&c, &s);
  s.look_due = PSP_TIME_NEVER;
  at = s.info.at;
  fail_unless_equals_int (itcp_source_read (&s, &reading), 0);
  fail_unless_equals_int64 (s.info.at, at);
  itcp_source_look_by (&s, wait_monotonic_now ());
  itcp_source_look_by (&s, PSP_TIME_NEVER);
  fail_unless_equals_int (itcp_source_read (&s, &reading), 0);
  fail_unless (s.info.at > at);

  s.look_due = s.rest_until = PSP_TIME_NEVER;
  s.detector.last.ca_state = ITCP_CA_RECOVERY;
  at = s.info.at;
  fail_unless_equals_int (itcp_source_read (&s, &reading), 0);
  fail_unless (s.info.at > at);
  fail_unless_equals_int64 (s.rest_until, INT64_MIN);
  watched_clear (&c, &s);
}

GST_END_TEST;

/* On a socket that is no connection no source works; none is mistaken. */
GST_START_TEST (test_no_connection)
{
  int fd = socket (AF_INET, SOCK_DGRAM, 0);
  ItcpSource s;

  fail_unless (itcp_source_open (&s, ITCP_SOURCE_AUTO, fd) < 0);
  fail_unless (itcp_source_open (&s, ITCP_SOURCE_ERROR_QUEUE, fd) < 0);
  fail_unless (itcp_source_open (&s, ITCP_SOURCE_TCP_INFO, fd) < 0);
  close (fd);
}

GST_END_TEST;

/* Whenever we are interrupted, one clock is what the other and the offset say. */
GST_START_TEST (test_wall_offset)
{
  gint64 offset = itcp_wall_offset (), again;

  for (gint i = 1; i <= 4; i++) {
    interrupted = i;
    again = itcp_wall_offset ();
    interrupted = 0;
    fail_unless (ABS (again - offset) < 100 * MSECOND);
  }
}

GST_END_TEST;

GST_START_TEST (test_waker)
{
  WaitWaker w;

  fail_unless_equals_int (wait_waker_open (&w), 0);
  fail_unless_equals_int (itcp_wait (-1, 0, &w, 0), 0);
  wait_waker_wake (&w);
  wait_waker_wake (&w);
  fail_unless_equals_int (itcp_wait (-1, 0, &w, INT64_MAX), ITCP_WAIT_WOKEN);
  wait_waker_clear (&w);
  wait_waker_clear (&w);
  fail_unless_equals_int (itcp_wait (-1, 0, &w, 0), 0);
  wait_waker_close (&w);
}

GST_END_TEST;

static Suite *
net_suite (void)
{
  Suite *s = suite_create ("itcp-net");
  TCase *tc = tcase_create ("net");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_exchange, 0, G_N_ELEMENTS (families));
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_reset);
  tcase_add_test (tc, test_reset_amid_write);
  tcase_add_test (tc, test_congestion);
  tcase_add_test (tc, test_stops_reading);
  if (can_drop_input ()) {
    tcase_add_loop_test (tc, test_timeouts, 0, G_N_ELEMENTS (sources));
    tcase_add_loop_test (tc, test_recovery, 0, G_N_ELEMENTS (sources));
    tcase_add_test (tc, test_disorder);
  }
  tcase_add_loop_test (tc, test_clean, 0, G_N_ELEMENTS (sources));
  tcase_add_test (tc, test_rest);
  tcase_add_test (tc, test_rest_ends);
  tcase_add_test (tc, test_few);
  tcase_add_test (tc, test_look);
  tcase_add_test (tc, test_no_connection);
  tcase_add_test (tc, test_wall_offset);
  tcase_add_test (tc, test_waker);
  return s;
}

GST_CHECK_MAIN (net);
