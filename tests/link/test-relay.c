/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-link-relay between real sockets: every packet is accounted for, and the
 * log says what the model says. Nothing here asserts how long things take.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "replay.h"

#define OVERHEAD4 28
#define WORDS 250
#define END G_MAXUINT32         /* index of the packets that tell the end */
#define WATCHDOG 20000          /* ms, for what must come */

typedef struct
{
  GSubprocess *process;
  GDataInputStream *out;
  char *log;
  guint n_ports;
  guint16 port[4];              /* where the flows listen */
} Relay;

/* A socket on a free port of `host`. */
static int
open_socket (const char *host, struct sockaddr_in *address)
{
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int size = 8 << 20, on = 1;
  socklen_t length = sizeof *address;

  fail_unless (fd >= 0);
  setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  setsockopt (fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof on);
  memset (address, 0, sizeof *address);
  address->sin_family = AF_INET;
  inet_pton (AF_INET, host, &address->sin_addr);
  fail_unless (bind (fd, (struct sockaddr *) address, length) == 0);
  fail_unless (getsockname (fd, (struct sockaddr *) address, &length) == 0);
  return fd;
}

static struct sockaddr_in
relay_address (const Relay * relay, guint flow)
{
  struct sockaddr_in address = { 0 };

  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  address.sin_port = htons (relay->port[flow]);
  return address;
}

/* A flow from a free port to each of the `to`. */
static void
start (Relay * relay, const char *forward, const char *back, guint n,
    const struct sockaddr_in *to)
{
  GPtrArray *args = g_ptr_array_new_with_free_func (g_free);
  GError *error = NULL;
  char **words;
  char *line;
  guint i;

  relay->log = g_strdup_printf ("%s/link-relay-%d-XXXXXX.csv",
      g_get_tmp_dir (), (int) getpid ());
  close (g_mkstemp (relay->log));
  g_ptr_array_add (args, g_strdup (g_getenv ("PSP_LINK_RELAY")));
  fail_unless (args->pdata[0] != NULL, "PSP_LINK_RELAY is not set");
  for (i = 0; i < n; i++)
    g_ptr_array_add (args, g_strdup_printf ("--flow=127.0.0.1:0>127.0.0.1:%u",
            ntohs (to[i].sin_port)));
  g_ptr_array_add (args, g_strdup_printf ("--forward=%s", forward));
  g_ptr_array_add (args, g_strdup_printf ("--back=%s", back));
  g_ptr_array_add (args, g_strdup_printf ("--log=%s", relay->log));
  g_ptr_array_add (args, NULL);
  relay->process = g_subprocess_newv ((const char *const *) args->pdata,
      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  fail_unless (relay->process != NULL, "%s", error ? error->message : "");
  g_ptr_array_unref (args);

  relay->out = g_data_input_stream_new
      (g_subprocess_get_stdout_pipe (relay->process));
  line = g_data_input_stream_read_line (relay->out, NULL, NULL, NULL);
  fail_unless (line && g_str_has_prefix (line, "ready "), "%s", line);
  words = g_strsplit (line, " ", -1);
  fail_unless_equals_int (g_strv_length (words), n + 1);
  for (i = 0; i < n; i++)
    relay->port[i] = (guint16) atoi (strrchr (words[i + 1], ':') + 1);
  relay->n_ports = n;
  g_strfreev (words);
  g_free (line);
}

/* Ends the relay; its sums, to be freed. */
static char *
stop (Relay * relay)
{
  char *json;

  g_subprocess_send_signal (relay->process, SIGTERM);
  json = g_data_input_stream_read_line (relay->out, NULL, NULL, NULL);
  fail_unless (g_subprocess_wait (relay->process, NULL, NULL));
  fail_unless (g_subprocess_get_if_exited (relay->process));
  fail_unless_equals_int (g_subprocess_get_exit_status (relay->process), 0);
  fail_unless (json != NULL);
  fail_unless_equals_uint64 (replay_sum (json, NULL, "kernel-drops"), 0);
  return json;
}

static void
clear (Relay * relay)
{
  g_unlink (relay->log);
  g_free (relay->log);
  g_object_unref (relay->out);
  g_object_unref (relay->process);
}

/* A packet says its number in each word, so that a flipped bit shows. */
static void
send_index (int fd, const struct sockaddr_in *to, guint32 index)
{
  guint32 words[WORDS];
  int i;

  for (i = 0; i < WORDS; i++)
    words[i] = index;
  fail_unless (sendto (fd, words, sizeof words, 0,
          (const struct sockaddr *) to, sizeof *to) == sizeof words);
}

typedef struct
{
  guint32 index;
  int flipped;                  /* bits */
  guint8 tos;
  struct sockaddr_in from;
} Received;

/* False: nothing came within `wait` ms. */
static gboolean
receive (int fd, int wait, Received * r)
{
  struct pollfd poll_fd = { fd, POLLIN, 0 };
  guint32 words[WORDS + 1];
  struct iovec iov = { words, sizeof words };
  guint64 control[16];
  struct msghdr msg = { 0 };
  struct cmsghdr *c;
  int i;

  if (poll (&poll_fd, 1, wait) <= 0)
    return FALSE;
  msg.msg_name = &r->from;
  msg.msg_namelen = sizeof r->from;
  msg.msg_iov = &iov;
  msg.msg_iovlen = 1;
  msg.msg_control = control;
  msg.msg_controllen = sizeof control;
  if (recvmsg (fd, &msg, 0) != WORDS * sizeof words[0])
    fail ("a packet of another size");
  r->index = words[0] == words[1] || words[0] == words[2] ? words[0] : words[1];
  r->flipped = 0;
  for (i = 0; i < WORDS; i++)
    r->flipped += __builtin_popcount (words[i] ^ r->index);
  r->tos = 0;
  for (c = CMSG_FIRSTHDR (&msg); c; c = CMSG_NXTHDR (&msg, c))
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
      r->tos = *CMSG_DATA (c);
  return TRUE;
}

/* Sends end marks until one gets through an ordered link: all that was sent
 * before has then come out or never will. Counts what comes. */
static guint
drain (int from, const struct sockaddr_in *to, int at, GArray * received)
{
  Received r;
  guint n = 0;
  int tries;

  for (tries = 0; tries < WATCHDOG / 20; tries++) {
    send_index (from, to, END);
    while (receive (at, 20, &r)) {
      n++;
      g_array_append_val (received, r);
      if (r.index == END)
        return n;
    }
  }
  fail ("no end mark came through");
  return n;
}

/* After the relay has gone: what else had been delivered. */
static guint
rest (int fd)
{
  Received r;
  guint n = 0;

  while (receive (fd, 0, &r))
    n++;
  return n;
}

GST_START_TEST (test_accounting)
{
  const char *forward = "rate=4M,delay=5ms,queue=20p,loss=0.2,seed=3";
  const char *back = "rate=5M,delay=1ms";
  GArray *received = g_array_new (FALSE, FALSE, sizeof (Received));
  struct sockaddr_in client, server, relay_at;
  int client_fd = open_socket ("127.0.0.1", &client);
  int server_fd = open_socket ("127.0.0.1", &server);
  Relay relay;
  Received r;
  char *json;
  guint i, n;

  start (&relay, forward, back, 1, &server);
  relay_at = relay_address (&relay, 0);
  for (i = 0; i < 300; i++)
    send_index (client_fd, &relay_at, i);
  n = drain (client_fd, &relay_at, server_fd, received);
  for (i = 1; i < received->len; i++)
    fail_unless (g_array_index (received, Received, i).index >
        g_array_index (received, Received, i - 1).index);

  /* The receiver answers to where packets came from. */
  r = g_array_index (received, Received, 0);
  for (i = 0; i < 50; i++)
    send_index (server_fd, &r.from, i);
  for (i = 0; i < 50; i++) {
    fail_unless (receive (client_fd, WATCHDOG, &r));
    fail_unless_equals_int (r.index, i);
    fail_unless_equals_int (ntohs (r.from.sin_port), relay.port[0]);
  }

  json = stop (&relay);
  n += rest (server_fd);
  fail_unless_equals_uint64 (replay_sum (json, "forward", "delivered"), n);
  fail_unless (replay_sum (json, "forward", "dropped-full") > 0);
  fail_unless (replay_sum (json, "forward", "lost") > 0);
  fail_unless_equals_uint64 (replay_sum (json, "back", "offered"), 50);
  fail_unless_equals_uint64 (replay_sum (json, "back", "delivered"), 50);
  fail_unless_equals_uint64 (replay_sum (json, "forward", "offered"),
      replay_check (relay.log, "forward", forward, OVERHEAD4));
  fail_unless_equals_int (replay_check (relay.log, "back", back, OVERHEAD4),
      50);
  g_free (json);
  clear (&relay);
  g_array_unref (received);
  close (client_fd);
  close (server_fd);
}

GST_END_TEST;

/* Copies and flipped bits reach the receiver as the log has them. */
GST_START_TEST (test_payload)
{
  const char *forward = "rate=20M,dup=0.2,corrupt=0.2,queue=1000p";
  GArray *received = g_array_new (FALSE, FALSE, sizeof (Received));
  struct sockaddr_in client, server, relay_at;
  int client_fd = open_socket ("127.0.0.1", &client);
  int server_fd = open_socket ("127.0.0.1", &server);
  guint seen[200] = { 0 }, flipped[200] = { 0 };
  guint i, copies = 0, corrupted = 0;
  Relay relay;
  GArray *rows;
  char *json;

  start (&relay, forward, "", 1, &server);
  relay_at = relay_address (&relay, 0);
  for (i = 0; i < 200; i++)
    send_index (client_fd, &relay_at, i);
  drain (client_fd, &relay_at, server_fd, received);
  json = stop (&relay);
  for (i = 0; i < received->len; i++) {
    const Received *r = &g_array_index (received, Received, i);

    fail_unless (r->flipped <= 1);
    if (r->index >= 200)
      continue;
    copies += seen[r->index] > 0;
    seen[r->index]++;
    flipped[r->index] = (guint) r->flipped;
  }
  replay_check (relay.log, "forward", forward, OVERHEAD4);
  rows = replay_rows (relay.log, "forward");
  for (i = 0; i < 200; i++) {
    const LinkPacket *p = &g_array_index (rows, LinkPacket, i);

    fail_unless (seen[i] > 0);
    fail_unless_equals_int (flipped[i], p->corrupt_bit >= 0);
    corrupted += flipped[i];
  }
  fail_unless (corrupted > 0 && copies > 0);
  fail_unless (copies <= replay_sum (json, "forward", "duplicates"));
  g_array_unref (rows);
  g_array_unref (received);
  g_free (json);
  clear (&relay);
  close (client_fd);
  close (server_fd);
}

GST_END_TEST;

#define MARKING "rate=4M,queue=1000p,red=0:400:1:0.5,ecn"

/* DSCP and ECN pass; where the queue marks, CE arrives, and where the path
 * bleaches, only the DSCP. */
GST_START_TEST (test_ecn)
{
  const char *forward = __i__ ? MARKING ",bleach" : MARKING;
  GArray *received = g_array_new (FALSE, FALSE, sizeof (Received));
  struct sockaddr_in client, server, relay_at;
  int client_fd = open_socket ("127.0.0.1", &client);
  int server_fd = open_socket ("127.0.0.1", &server);
  int tos = 0x2a;               /* a DSCP and ECT(0) */
  guint i, marked = 0;
  Relay relay;
  char *json;

  setsockopt (client_fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
  start (&relay, forward, "", 1, &server);
  relay_at = relay_address (&relay, 0);
  for (i = 0; i < 200; i++)
    send_index (client_fd, &relay_at, i);
  drain (client_fd, &relay_at, server_fd, received);
  json = stop (&relay);
  for (i = 0; i < received->len; i++) {
    const Received *r = &g_array_index (received, Received, i);

    fail_unless (__i__ ? r->tos == 0x28 : r->tos == 0x2a || r->tos == 0x2b,
        "%x", r->tos);
    marked += r->tos == 0x2b;
  }
  fail_unless (received->len > 0 && (__i__ || marked > 0));
  fail_unless (marked <= replay_sum (json, "forward", "marked"));
  replay_check (relay.log, "forward", forward, OVERHEAD4);
  g_array_unref (received);
  g_free (json);
  clear (&relay);
  close (client_fd);
  close (server_fd);
}

GST_END_TEST;

/* A sender that comes back on another port is followed; one on another host is
 * not let in. */
GST_START_TEST (test_sender_moves)
{
  struct sockaddr_in old_at, new_at, stranger, server, relay_at;
  int old_fd = open_socket ("127.0.0.1", &old_at);
  int new_fd = open_socket ("127.0.0.1", &new_at);
  int stranger_fd = open_socket ("127.0.0.2", &stranger);
  int server_fd = open_socket ("127.0.0.1", &server);
  Relay relay;
  Received r;
  char *json;

  start (&relay, "", "", 1, &server);
  relay_at = relay_address (&relay, 0);
  send_index (old_fd, &relay_at, 1);
  fail_unless (receive (server_fd, WATCHDOG, &r));
  send_index (server_fd, &r.from, 10);
  fail_unless (receive (old_fd, WATCHDOG, &r));
  fail_unless_equals_int (r.index, 10);

  send_index (stranger_fd, &relay_at, 2);
  send_index (new_fd, &relay_at, 3);
  fail_unless (receive (server_fd, WATCHDOG, &r));
  fail_unless_equals_int (r.index, 3);
  send_index (server_fd, &r.from, 11);
  fail_unless (receive (new_fd, WATCHDOG, &r));
  fail_unless_equals_int (r.index, 11);

  json = stop (&relay);
  fail_unless_equals_uint64 (replay_sum (json, NULL, "strangers"), 1);
  fail_unless_equals_uint64 (replay_sum (json, "forward", "offered"), 2);
  g_free (json);
  clear (&relay);
  close (old_fd);
  close (new_fd);
  close (stranger_fd);
  close (server_fd);
}

GST_END_TEST;

/* A receiver that is not there yet costs its own packets only. */
GST_START_TEST (test_absent_receiver)
{
  struct sockaddr_in client, server, relay_at;
  int client_fd = open_socket ("127.0.0.1", &client);
  int server_fd = open_socket ("127.0.0.1", &server);
  guint16 port = server.sin_port;
  gboolean came = FALSE;
  Relay relay;
  Received r;
  char *json;
  int i;

  close (server_fd);
  start (&relay, "delay=1ms", "", 1, &server);
  relay_at = relay_address (&relay, 0);
  for (i = 0; i < 10; i++)
    send_index (client_fd, &relay_at, 1);
  server_fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  server.sin_port = port;
  fail_unless (bind (server_fd, (struct sockaddr *) &server,
          sizeof server) == 0);
  for (i = 0; i < WATCHDOG / 20 && !came; i++) {
    send_index (client_fd, &relay_at, 2);
    while (receive (server_fd, 20, &r))
      came |= r.index == 2;
  }
  fail_unless (came);
  json = stop (&relay);
  g_free (json);
  clear (&relay);
  close (client_fd);
  close (server_fd);
}

GST_END_TEST;

/* Two flows go each its way through one bottleneck. */
GST_START_TEST (test_flows)
{
  const char *forward = "rate=2M,delay=2ms,queue=10p";
  struct sockaddr_in client[2], server[2], relay_at[2];
  GArray *received[2];
  int client_fd[2], server_fd[2];
  guint came[2] = { 0, 0 };
  guint i, f, per_flow[2] = { 0, 0 };
  Relay relay;
  GArray *rows;
  char *json;

  for (f = 0; f < 2; f++) {
    client_fd[f] = open_socket ("127.0.0.1", &client[f]);
    server_fd[f] = open_socket ("127.0.0.1", &server[f]);
    received[f] = g_array_new (FALSE, FALSE, sizeof (Received));
  }
  start (&relay, forward, "", 2, server);
  for (f = 0; f < 2; f++)
    relay_at[f] = relay_address (&relay, f);
  for (i = 0; i < 100; i++)
    for (f = 0; f < 2; f++)
      send_index (client_fd[f], &relay_at[f], 1000 * f + i);
  for (f = 0; f < 2; f++)
    came[f] = drain (client_fd[f], &relay_at[f], server_fd[f], received[f]);
  json = stop (&relay);
  for (f = 0; f < 2; f++) {
    came[f] += rest (server_fd[f]);
    for (i = 0; i < received[f]->len; i++) {
      guint32 index = g_array_index (received[f], Received, i).index;

      fail_unless (index == END || index / 1000 == f);
    }
  }
  fail_unless_equals_uint64 (replay_sum (json, "forward", "delivered"),
      came[0] + came[1]);
  fail_unless (replay_sum (json, "forward", "dropped-full") > 0);
  replay_check (relay.log, "forward", forward, OVERHEAD4);
  rows = replay_rows (relay.log, "forward");
  for (i = 0; i < rows->len; i++) {
    const LinkPacket *p = &g_array_index (rows, LinkPacket, i);

    fail_unless (p->flow < 2);
    per_flow[p->flow] += p->verdict == LINK_DELIVERED;
  }
  for (f = 0; f < 2; f++) {
    fail_unless_equals_int (per_flow[f], came[f]);
    g_array_unref (received[f]);
    close (client_fd[f]);
    close (server_fd[f]);
  }
  g_array_unref (rows);
  g_free (json);
  clear (&relay);
}

GST_END_TEST;

GST_START_TEST (test_ipv6)
{
  struct sockaddr_in6 server = { 0 }, to = { 0 };
  socklen_t size = sizeof server;
  int fd = socket (AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  char *target, *line, *json, byte = 'x';
  GDataInputStream *out;
  struct pollfd poll_fd = { fd, POLLIN, 0 };
  GSubprocess *process;

  server.sin6_family = AF_INET6;
  server.sin6_addr = in6addr_loopback;
  if (fd < 0 || bind (fd, (struct sockaddr *) &server, size) < 0) {
    g_printerr ("skipped: no IPv6 here (%s)\n", g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return;
  }
  getsockname (fd, (struct sockaddr *) &server, &size);
  target = g_strdup_printf ("[::1]:%u", ntohs (server.sin6_port));
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL,
      g_getenv ("PSP_LINK_RELAY"), "--listen", "[::1]:0", "--to", target, NULL);
  out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  line = g_data_input_stream_read_line (out, NULL, NULL, NULL);
  fail_unless (g_str_has_prefix (line, "ready [::1]:"), "%s", line);
  to = server;
  to.sin6_port = htons ((guint16) atoi (strrchr (line, ':') + 1));
  /* To itself, by way of the relay and back. */
  fail_unless (sendto (fd, &byte, 1, 0, (struct sockaddr *) &to,
          sizeof to) == 1);
  fail_unless (poll (&poll_fd, 1, WATCHDOG) == 1);
  fail_unless (recv (fd, &byte, 1, 0) == 1);
  g_subprocess_send_signal (process, SIGINT);
  json = g_data_input_stream_read_line (out, NULL, NULL, NULL);
  fail_unless_equals_uint64 (replay_sum (json, "forward", "delivered"), 1);
  fail_unless (g_subprocess_wait_check (process, NULL, NULL));
  g_object_unref (out);
  g_object_unref (process);
  g_free (json);
  g_free (line);
  g_free (target);
  close (fd);
}

GST_END_TEST;

/* Wrong use ends with status 2 (1 for what the system refuses) and says why;
 * --duration ends by itself. */
GST_START_TEST (test_usage)
{
  static const struct
  {
    const char *args, *text;
    int status;
  } rows[] = {
    {"", "Usage", 2},
    {"--listen 127.0.0.1:0", "go together", 2},
    {"--listen 127.0.0.1:0 --to nonsense", "not host:port", 2},
    {"--flow 127.0.0.1:0", "is not 'HOST:PORT>HOST:PORT'", 2},
    {"--listen 127.0.0.1:0 --to 127.0.0.1:9 --forward rate=2x",
        "--forward: rate: \"2x\" is not a rate", 2},
    {"--listen 127.0.0.1:0 --to 127.0.0.1:9 --back loss=2",
        "--back: loss: \"2\" is more than 1", 2},
    {"--listen 127.0.0.1:0 --to 127.0.0.1:9 --duration soon",
        "not a number of seconds", 2},
    {"--listen 127.0.0.1:0 --to 127.0.0.1:9 --log /nonexistent/log",
        "/nonexistent/log", 1},
    {"--listen 192.0.2.1:0 --to 127.0.0.1:9", "cannot listen on 192.0.2.1", 1},
    {"--listen 127.0.0.1:0 --to 127.0.0.1:9 --duration 0.01", "", 0},
    {"--help", "", 0},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    char *command = g_strconcat (g_getenv ("PSP_LINK_RELAY"), " ",
        rows[i].args, NULL);
    char *out, *err;
    int status;

    fail_unless (g_spawn_command_line_sync (command, &out, &err, &status,
            NULL));
    fail_unless (WIFEXITED (status));
    fail_unless (WEXITSTATUS (status) == rows[i].status, "%s: %d", command,
        WEXITSTATUS (status));
    fail_unless (strstr (err, rows[i].text) != NULL, "%s: %s", command, err);
    g_free (command);
    g_free (out);
    g_free (err);
  }
}

GST_END_TEST;

static Suite *
link_relay_suite (void)
{
  Suite *s = suite_create ("link-relay");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_accounting);
  tcase_add_test (tc, test_payload);
  tcase_add_loop_test (tc, test_ecn, 0, 2);
  tcase_add_test (tc, test_sender_moves);
  tcase_add_test (tc, test_absent_receiver);
  tcase_add_test (tc, test_flows);
  tcase_add_test (tc, test_ipv6);
  tcase_add_test (tc, test_usage);
  return s;
}

GST_CHECK_MAIN (link_relay);
