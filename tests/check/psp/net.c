/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>

#include "bothfamilies.h"
#include "route.h"
#include "udp.h"

#define WAIT_NS (INT64_C (10) * 1000000000)     /* a test that hangs fails */

static gboolean
have_ipv6 (void)
{
  PspUdpConfig config = {.family = AF_INET6,.bind_address = "::1" };
  int fd;

  if (psp_udp_open (&config, &fd) < 0) {
    g_print ("skipped: no IPv6 here\n");
    return FALSE;
  }
  psp_udp_close (fd);
  return TRUE;
}

/* The pending error (ICMP unreachable and the like), cleared; negative. */
static int
take_error (int fd)
{
  int error = 0;
  socklen_t size = sizeof error;

  if (getsockopt (fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
    return -errno;
  return -error;
}

static int
open_socket (int family, const char *address, PspAddress * local)
{
  PspUdpConfig config = {.family = family,.bind_address = address };
  int fd;

  config.receive_buffer = 1 << 20;
  fail_unless_equals_int (psp_udp_open (&config, &fd), 0);
  fail_unless_equals_int (psp_udp_local_address (fd, local), 0);
  return fd;
}

/* Waits for a datagram and receives just one. */
static void
receive_one (int fd, PspUdpDatagram * d)
{
  fail_unless_equals_int (psp_wait (fd, FALSE, NULL,
          wait_monotonic_now () + WAIT_NS), PSP_WAIT_READABLE);
  fail_unless_equals_int (psp_udp_receive (fd, d, 1), 1);
}

static void
send_one (int fd, const PspAddress * to, const void *data, size_t size)
{
  PspUdpPacket packet = {.n_iov = 1 };
  PspUdpSender sender;
  int error;

  packet.iov[0].iov_base = (void *) data;
  packet.iov[0].iov_len = packet.size = size;
  psp_udp_sender_init (&sender, fd);
  fail_unless_equals_int (psp_udp_send (&sender, to, &packet, 1, &error), 1);
}

static const struct
{
  const char *host;
  uint16_t port;
  const char *text;             /* NULL: does not resolve */
  gboolean multicast;
} addresses[] = {
  {"127.0.0.1", 5004, "127.0.0.1:5004", FALSE},
  {"0.0.0.0", 0, "0.0.0.0:0", FALSE},
  {"239.1.2.3", 65535, "239.1.2.3:65535", TRUE},
  {"223.255.255.255", 1, "223.255.255.255:1", FALSE},
  {"::1", 5004, "[::1]:5004", FALSE},
  {"[::1]", 5004, "[::1]:5004", FALSE},
  {"ff02::1%lo", 9, "[ff02::1%lo]:9", TRUE},
  {"::ffff:10.1.2.3", 7, "10.1.2.3:7", FALSE},
  {"1.2.3.4.5", 7, NULL, FALSE},
  {"[::1", 7, NULL, FALSE},
  {"", 7, NULL, FALSE},
};

GST_START_TEST (test_address)
{
  char text[PSP_ADDRESS_TEXT];
  PspAddress a;

  if (!addresses[__i__].text) {
    fail_if (psp_address_resolve (addresses[__i__].host,
            addresses[__i__].port, AF_UNSPEC, &a) == 0);
    return;
  }
  fail_unless_equals_int (psp_address_resolve (addresses[__i__].host,
          addresses[__i__].port, AF_UNSPEC, &a), 0);
  psp_address_text (&a, text);
  fail_unless_equals_string (text, addresses[__i__].text);
  fail_unless_equals_int (psp_address_is_multicast (&a),
      addresses[__i__].multicast);
  fail_unless_equals_int (psp_address_port (&a), addresses[__i__].port);
}

GST_END_TEST;

GST_START_TEST (test_address_compare)
{
  PspAddress v4, other_port, other_host, v6, mapped, none = {.size = 0 };
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *) &mapped.storage;
  char text[PSP_ADDRESS_TEXT];

  psp_address_resolve ("10.0.0.1", 5, AF_UNSPEC, &v4);
  psp_address_resolve ("10.0.0.1", 6, AF_UNSPEC, &other_port);
  psp_address_resolve ("10.0.0.2", 5, AF_UNSPEC, &other_host);
  psp_address_resolve ("2001:db8::1", 5, AF_UNSPEC, &v6);
  memset (&mapped, 0, sizeof mapped);
  mapped.size = sizeof *in6;
  in6->sin6_family = AF_INET6;
  in6->sin6_port = htons (5);
  in6->sin6_addr.s6_addr[10] = in6->sin6_addr.s6_addr[11] = 0xff;
  memcpy (in6->sin6_addr.s6_addr + 12, "\x0a\0\0\1", 4);

  fail_unless (psp_address_equal (&v4, &v4));
  fail_if (psp_address_equal (&v4, &other_port));
  fail_unless (psp_address_same_host (&v4, &other_port));
  fail_if (psp_address_same_host (&v4, &other_host));
  fail_if (psp_address_same_host (&v4, &v6));
  fail_unless (psp_address_equal (&v6, &v6));
  fail_unless (psp_address_equal (&v4, &mapped));
  fail_unless (psp_address_same_host (&mapped, &other_port));
  fail_if (psp_address_same_host (&none, &none));
  psp_address_text (&none, text);
  fail_unless_equals_string (text, "");
}

GST_END_TEST;

GST_START_TEST (test_prefer)
{
  PspAddress a;

  fail_unless_equals_int (psp_address_resolve (BOTH_FAMILIES, 1, AF_INET, &a),
      0);
  fail_unless_equals_int (a.storage.ss_family, AF_INET);
  fail_unless_equals_int (psp_address_resolve (BOTH_FAMILIES, 1, AF_INET6, &a),
      0);
  fail_unless_equals_int (a.storage.ss_family, AF_INET6);
  /* No preference: the resolver's. */
  fail_unless_equals_int (psp_address_resolve (BOTH_FAMILIES, 1, AF_UNSPEC,
          &a), 0);
  fail_unless_equals_int (a.storage.ss_family, AF_INET6);
}

GST_END_TEST;

GST_START_TEST (test_open_errors)
{
  PspUdpConfig config = {.family = AF_INET,.bind_address = "127.0.0.1" };
  PspAddress local;
  int a, b, c;

  config.reuse = TRUE;
  fail_unless_equals_int (psp_udp_open (&config, &a), 0);
  fail_unless_equals_int (psp_udp_local_address (a, &local), 0);
  config.bind_port = psp_address_port (&local);
  fail_unless_equals_int (psp_udp_open (&config, &b), 0);
  config.reuse = FALSE;
  fail_unless_equals_int (psp_udp_open (&config, &c), -EADDRINUSE);
  fail_unless_equals_int (c, -1);
  psp_udp_close (a);
  psp_udp_close (b);
  fail_unless_equals_int (psp_udp_open (&config, &c), 0);
  psp_udp_close (c);

  config.bind_address = "192.0.2.1";    /* TEST-NET: not ours */
  fail_unless_equals_int (psp_udp_open (&config, &c), -EADDRNOTAVAIL);
  config.bind_address = "1.2.3.4.5";
  fail_unless_equals_int (psp_udp_open (&config, &c), -EADDRNOTAVAIL);
  config.bind_address = "::1";
  fail_unless_equals_int (psp_udp_open (&config, &c), -EAFNOSUPPORT);
}

GST_END_TEST;

GST_START_TEST (test_options)
{
  PspAddress local, group;
  socklen_t size = sizeof (int);
  int fd = open_socket (AF_INET, "127.0.0.1", &local);
  int value;

  fail_unless (fcntl (fd, F_GETFL) & O_NONBLOCK);
  fail_unless (fcntl (fd, F_GETFD) & FD_CLOEXEC);

  fail_unless_equals_int (psp_udp_set_ttl (fd, AF_INET, 17), 0);
  getsockopt (fd, IPPROTO_IP, IP_TTL, &value, &size);
  fail_unless_equals_int (value, 17);
  fail_unless_equals_int (psp_udp_set_ttl (fd, AF_INET, 1000), -EINVAL);

  fail_unless_equals_int (psp_udp_set_dscp (fd, AF_INET, 46), 0);
  getsockopt (fd, IPPROTO_IP, IP_TOS, &value, &size);
  fail_unless_equals_int (value, 46 << 2);
  fail_unless_equals_int (psp_udp_set_dscp (fd, AF_INET, 64), -EINVAL);
  fail_unless_equals_int (psp_udp_set_dscp (fd, AF_INET, -1), -EINVAL);

  psp_address_resolve ("239.255.77.1", 0, AF_UNSPEC, &group);
  fail_unless_equals_int (psp_udp_join (fd, &group, "nosuch0"), -ENODEV);
  fail_unless_equals_int (psp_udp_set_multicast (fd, AF_INET, 1, TRUE,
          "nosuch0"), -ENODEV);
  fail_unless_equals_int (psp_udp_set_multicast (fd, AF_INET, 3, FALSE,
          "lo"), 0);
  getsockopt (fd, IPPROTO_IP, IP_MULTICAST_TTL, &value, &size);
  fail_unless_equals_int (value, 3);
  fail_unless_equals_int (take_error (fd), 0);
  fail_unless_equals_int (psp_udp_set_receive_buffer (fd, 50000), 50000);
  psp_udp_close (fd);
  fail_unless_equals_int (psp_udp_set_receive_buffer (fd, 50000), -EBADF);
  fail_unless_equals_int (psp_udp_prepare (-1), -EBADF);

  fail_unless (psp_udp_path_mtu (&local) >= 576);
}

GST_END_TEST;

/* A socket that is handed in may be for both. */
GST_START_TEST (test_options_of_both)
{
  static const struct
  {
    int level, option, value;
  } wanted[] = {
    {IPPROTO_IP, IP_TTL, 17}, {IPPROTO_IPV6, IPV6_UNICAST_HOPS, 17},
    {IPPROTO_IP, IP_MULTICAST_TTL, 3}, {IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 3},
    {IPPROTO_IP, IP_MULTICAST_LOOP, 0}, {IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0},
    {IPPROTO_IP, IP_TOS, 46 << 2}, {IPPROTO_IPV6, IPV6_TCLASS, 46 << 2}
  };
  int fd = socket (AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), value;
  socklen_t size = sizeof value;

  if (fd < 0) {
    g_print ("skipped: no IPv6 here\n");
    return;
  }
  fail_unless_equals_int (psp_udp_set_ttl (fd, AF_INET6, 17), 0);
  fail_unless_equals_int (psp_udp_set_multicast (fd, AF_INET6, 3, FALSE,
          "lo"), 0);
  fail_unless_equals_int (psp_udp_set_dscp (fd, AF_INET6, 46), 0);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    fail_unless (getsockopt (fd, wanted[i].level, wanted[i].option, &value,
            &size) == 0);
    if (value != wanted[i].value)
      fail ("option %u is %d", i, value);
  }
  psp_udp_close (fd);
}

GST_END_TEST;

/* What batches are made of: sizes, 0 ends the list, −1 stands for an empty
 * packet. */
static const struct
{
  const char *name;
  int sizes[8];
  int repeat;
} batches[] = {
  {"one", {1200}, 1},
  {"run", {1200}, 64},
  {"two runs and their rest", {1200}, 130},
  {"shorter last", {1200, 1200, 1200, 77}, 1},
  {"shorter in the middle", {1200, 300, 1200, 1200}, 5},
  {"growing", {100, 200, 300, 400}, 3},
  {"empty", {1200, -1, -1, 1200, 1200}, 1},
  {"beyond 65,000 bytes", {9000}, 9},
  {"large", {40000, 40000, 65507}, 1},
  {"more messages than a call takes", {1, 2}, 60},
};

static void
check_batch (int family, const char *host, guint row, gboolean segment)
{
  static PspUdpPacket packets[160];
  static guint8 payload[65536], got[65536];
  PspUdpSender sender;
  PspAddress from, to;
  PspUdpDatagram d = {.data = got,.capacity = sizeof got };
  guint n = 0, sent = 0, received = 0;
  int error, in, out;

  in = open_socket (family, host, &to);
  out = open_socket (family, host, &from);
  for (guint i = 0; i < sizeof payload; i++)
    payload[i] = (guint8) (i * 7 + (i >> 8));
  for (int i = 0; i < batches[row].repeat; i++)
    for (int j = 0; batches[row].sizes[j]; j++) {
      guint size = MAX (batches[row].sizes[j], 0);

      /* Three pieces, each packet beginning elsewhere. */
      packets[n].size = size;
      packets[n].n_iov = 3;
      packets[n].iov[0].iov_base = payload + (size < 60000 ? n : 0);
      packets[n].iov[0].iov_len = size / 3;
      packets[n].iov[1].iov_base = payload + size / 3;
      packets[n].iov[1].iov_len = size / 2;
      packets[n].iov[2].iov_base = payload + 1;
      packets[n].iov[2].iov_len = size - size / 2 - size / 3;
      n++;
    }

  psp_udp_sender_init (&sender, out);
  sender.segment = segment;
  while (received < n) {
    const PspUdpPacket *p = &packets[received];

    /* No more in flight than the receive buffer holds. */
    if (sent == received) {
      guint m = MIN (n - sent, 70);

      fail_unless_equals_int (psp_udp_send (&sender, &to, packets + sent, m,
              &error), m);
      fail_unless_equals_int (error, 0);
      sent += m;
    }
    receive_one (in, &d);
    fail_unless_equals_int (d.size, p->size);
    fail_unless (psp_address_equal (&d.from, &from));
    fail_unless_equals_int (memcmp (got, p->iov[0].iov_base,
            p->iov[0].iov_len), 0);
    fail_unless_equals_int (memcmp (got + p->iov[0].iov_len,
            p->iov[1].iov_base, p->iov[1].iov_len), 0);
    fail_unless_equals_int (memcmp (got + p->iov[0].iov_len +
            p->iov[1].iov_len, p->iov[2].iov_base, p->iov[2].iov_len), 0);
    received++;
  }
  fail_unless_equals_int (psp_udp_receive (in, &d, 1), -EAGAIN);
  if (n <= 70)
    fail_unless (sender.system_calls <= 1 + n / 32 + 1);
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_START_TEST (test_send_batch)
{
  GST_INFO ("%s", batches[__i__].name);
  check_batch (AF_INET, "127.0.0.1", __i__, TRUE);
  check_batch (AF_INET, "127.0.0.1", __i__, FALSE);
  if (have_ipv6 ()) {
    check_batch (AF_INET6, "::1", __i__, TRUE);
    check_batch (AF_INET6, "::1", __i__, FALSE);
  }
}

GST_END_TEST;

static void
make_packets (PspUdpPacket * packets, guint n, void *data, guint size)
{
  memset (packets, 0, n * sizeof *packets);
  for (guint i = 0; i < n; i++) {
    packets[i].n_iov = 1;
    packets[i].iov[0].iov_base = data;
    packets[i].iov[0].iov_len = packets[i].size = size;
  }
}

GST_START_TEST (test_send_too_large)
{
  static guint8 payload[70000], got[2000];
  PspUdpPacket packets[4];
  PspUdpDatagram d = {.data = got,.capacity = sizeof got };
  PspUdpSender sender;
  PspAddress from, to;
  int error, in = open_socket (AF_INET, "127.0.0.1", &to);
  int out = open_socket (AF_INET, "127.0.0.1", &from);

  make_packets (packets, 4, payload, 1000);
  packets[2].iov[0].iov_len = packets[2].size = sizeof payload;
  psp_udp_sender_init (&sender, out);
  fail_unless_equals_int (psp_udp_send (&sender, &to, packets, 4, &error), 2);
  fail_unless_equals_int (error, EMSGSIZE);
  fail_unless (sender.segment);
  fail_unless_equals_int (psp_udp_send (&sender, &to, packets + 3, 1, &error),
      1);
  for (guint i = 0; i < 3; i++) {
    receive_one (in, &d);
    fail_unless_equals_int (d.size, 1000);
  }
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_END_TEST;

/* Without checksums the kernel refuses to segment: it is asked again later, and
 * ever more rarely. */
GST_START_TEST (test_send_segment_refused)
{
  static guint8 payload[1000], got[2000];
  PspUdpPacket packets[5];
  PspUdpDatagram d = {.data = got,.capacity = sizeof got };
  PspUdpSender sender;
  PspAddress from, to;
  guint64 calls;
  int error, one = 1, zero = 0, in = open_socket (AF_INET, "127.0.0.1", &to);
  int out = open_socket (AF_INET, "127.0.0.1", &from);

  make_packets (packets, 5, payload, sizeof payload);
  setsockopt (out, SOL_SOCKET, SO_NO_CHECK, &one, sizeof one);
  psp_udp_sender_init (&sender, out);
  fail_unless_equals_int (psp_udp_send (&sender, &to, packets, 5, &error), 5);
  fail_unless_equals_int (sender.system_calls, 2);
  for (guint i = 0; i < 5; i++) {
    receive_one (in, &d);
    fail_unless_equals_int (d.size, sizeof payload);
  }

  /* One packet too few have gone for another try; then there are two, twice
   * as far apart. */
  for (guint round = 1; round <= 2; round++) {
    for (guint i = 5; i < 1024 * round - 2; i++)
      psp_udp_send (&sender, &to, packets, 1, &error);
    calls = sender.system_calls;
    psp_udp_send (&sender, &to, packets, 2, &error);
    fail_unless_equals_int (sender.system_calls, calls + 1);
    psp_udp_send (&sender, &to, packets, 5, &error);
    fail_unless_equals_int (sender.system_calls, calls + 3);
  }

  setsockopt (out, SOL_SOCKET, SO_NO_CHECK, &zero, sizeof zero);
  for (guint i = 0; i < 4096; i++)
    psp_udp_send (&sender, &to, packets, 1, &error);
  while (psp_udp_receive (in, &d, 1) == 1);
  psp_udp_send (&sender, &to, packets, 5, &error);
  fail_unless_equals_int (sender.n_singly, 0);
  fail_unless_equals_int (sender.backoff, 0);
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_END_TEST;

/* The port unreachable that an earlier packet met is not the next one's. */
GST_START_TEST (test_send_refused)
{
  PspUdpPacket packet;
  PspUdpSender sender;
  PspUdpDatagram d;
  PspAddress from, gone;
  guint8 byte = 1;
  int error, fd = open_socket (AF_INET, "127.0.0.1", &gone);
  int out = open_socket (AF_INET, "127.0.0.1", &from);

  psp_udp_close (fd);
  fail_unless_equals_int (connect (out, (struct sockaddr *) &gone.storage,
          gone.size), 0);
  make_packets (&packet, 1, &byte, 1);
  psp_udp_sender_init (&sender, out);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (psp_udp_send (&sender, &gone, &packet, 1, &error),
        1);
    fail_unless_equals_int (error, 0);
  }
  d.data = &byte;
  d.capacity = 1;
  d.spill = NULL;
  d.spill_capacity = 0;
  fail_unless_equals_int (psp_udp_receive (out, &d, 1), -EAGAIN);
  fail_unless_equals_int (psp_udp_send (&sender, &gone, &packet, 1, &error), 1);
  fail_unless_equals_int (take_error (out), -ECONNREFUSED);
  fail_unless_equals_int (take_error (out), 0);
  psp_udp_close (out);
}

GST_END_TEST;

GST_START_TEST (test_receive)
{
  static guint8 payload[5000], data[1000], spill[3000];
  PspUdpDatagram d = {.data = data,.capacity = sizeof data };
  PspAddress from, to;
  int in = open_socket (AF_INET, "127.0.0.1", &to);
  int out = open_socket (AF_INET, "127.0.0.1", &from);

  for (guint i = 0; i < sizeof payload; i++)
    payload[i] = (guint8) (i % 251);
  fail_unless_equals_int (psp_udp_receive (in, &d, 1), -EAGAIN);

  /* Whole, truncated, spilled, truncated all the same, empty. */
  send_one (out, &to, payload, 1000);
  receive_one (in, &d);
  fail_unless_equals_int (d.size, 1000);
  fail_unless (d.arrived_at > 0);
  fail_unless_equals_int (d.ecn, 0);
  fail_unless (psp_address_equal (&d.from, &from));
  fail_unless (psp_address_same_host (&d.to, &to));
  send_one (out, &to, payload, 1001);
  receive_one (in, &d);
  fail_unless_equals_int (d.size, 1001);
  d.spill = spill;
  d.spill_capacity = sizeof spill;
  send_one (out, &to, payload, 4000);
  receive_one (in, &d);
  fail_unless_equals_int (d.size, 4000);
  fail_unless_equals_int (memcmp (data, payload, 1000), 0);
  fail_unless_equals_int (memcmp (spill, payload + 1000, 3000), 0);
  send_one (out, &to, payload, 4001);
  receive_one (in, &d);
  fail_unless_equals_int (d.size, 4001);
  send_one (out, &to, payload, 0);
  receive_one (in, &d);
  fail_unless_equals_int (d.size, 0);
  psp_udp_close (in);
  psp_udp_close (out);
  fail_unless_equals_int (psp_udp_receive (-1, &d, 1), -EBADF);
}

GST_END_TEST;

/* An application may have asked for reports that nobody here reads. */
GST_START_TEST (test_error_reports)
{
  PspUdpPacket packet;
  PspUdpSender sender;
  PspUdpDatagram d = {.capacity = 1 };
  PspAddress from, gone;
  guint8 byte = 1;
  int error, one = 1, fd = open_socket (AF_INET, "127.0.0.1", &gone);
  int out = open_socket (AF_INET, "127.0.0.1", &from);

  psp_udp_close (fd);
  d.data = &byte;
  setsockopt (out, IPPROTO_IP, IP_RECVERR, &one, sizeof one);
  make_packets (&packet, 1, &byte, 1);
  psp_udp_sender_init (&sender, out);
  fail_unless_equals_int (psp_udp_send (&sender, &gone, &packet, 1, &error), 1);
  fail_unless_equals_int (psp_wait (out, FALSE, NULL,
          wait_monotonic_now () + WAIT_NS), PSP_WAIT_READABLE);
  fail_unless_equals_int (psp_udp_receive (out, &d, 1), -EAGAIN);
  fail_unless_equals_int (psp_wait (out, FALSE, NULL, 0), PSP_WAIT_TIMEOUT);
  psp_udp_close (out);
}

GST_END_TEST;

GST_START_TEST (test_receive_batch)
{
  guint8 bytes[40], data[PSP_UDP_BATCH][4];
  PspUdpDatagram d[PSP_UDP_BATCH];
  PspAddress from, to;
  int in = open_socket (AF_INET, "127.0.0.1", &to);
  int out = open_socket (AF_INET, "127.0.0.1", &from);

  memset (d, 0, sizeof d);
  for (guint i = 0; i < PSP_UDP_BATCH; i++) {
    d[i].data = data[i];
    d[i].capacity = sizeof data[i];
  }
  for (guint i = 0; i < 40; i++) {
    bytes[i] = (guint8) i;
    send_one (out, &to, &bytes[i], 1);
  }
  fail_unless_equals_int (psp_udp_receive (in, d, 40), PSP_UDP_BATCH);
  for (guint i = 0; i < PSP_UDP_BATCH; i++)
    fail_unless_equals_int (data[i][0], i);
  fail_unless_equals_int (psp_udp_receive (in, d, PSP_UDP_BATCH),
      40 - PSP_UDP_BATCH);
  fail_unless_equals_int (data[0][0], PSP_UDP_BATCH);
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_END_TEST;

/* ECN bits arrive over IPv4, IPv6, and IPv4 on a socket for both. */
static const struct
{
  int in_family, out_family;
  const char *in_host, *out_host;
} paths[] = {
  {AF_INET, AF_INET, "127.0.0.1", "127.0.0.1"},
  {AF_INET6, AF_INET6, "::1", "::1"},
  {AF_INET6, AF_INET, "::", "127.0.0.1"},
};

GST_START_TEST (test_paths)
{
  guint8 byte = 9, got;
  PspUdpDatagram d = {.data = &got,.capacity = 1 };
  PspAddress from, to, local;
  uint16_t port;
  int in, out;

  if (paths[__i__].in_family == AF_INET6 && !have_ipv6 ())
    return;
  in = open_socket (paths[__i__].in_family, paths[__i__].in_host, &local);
  out = open_socket (paths[__i__].out_family, paths[__i__].out_host, &from);
  port = psp_address_port (&local);
  psp_address_resolve (paths[__i__].out_host, port, AF_UNSPEC, &to);
  for (int ecn = 0; ecn < 4; ecn++) {
    setsockopt (out, paths[__i__].out_family == AF_INET6 ? IPPROTO_IPV6 :
        IPPROTO_IP, paths[__i__].out_family == AF_INET6 ? IPV6_TCLASS : IP_TOS,
        &ecn, sizeof ecn);
    send_one (out, &to, &byte, 1);
    receive_one (in, &d);
    fail_unless_equals_int (d.ecn, ecn);
    fail_unless (d.arrived_at > 0);
    fail_unless (psp_address_equal (&d.from, &from));
    fail_unless (psp_address_same_host (&d.to, &to));
  }
  /* And back, to the address as it was received. */
  send_one (in, &d.from, &byte, 1);
  receive_one (out, &d);
  fail_unless_equals_int (psp_address_port (&d.from), port);
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_END_TEST;

/* The whole type of service, or traffic class, of the next datagram. */
static int
receive_tos (int fd)
{
  guint8 data[2000], control[256];
  struct iovec iov = {.iov_base = data,.iov_len = sizeof data };
  struct msghdr m = {.msg_iov = &iov,.msg_iovlen = 1,.msg_control = control,
    .msg_controllen = sizeof control
  };
  int tos = -1;

  fail_unless (psp_wait (fd, FALSE, NULL, wait_monotonic_now () + WAIT_NS) ==
      PSP_WAIT_READABLE);
  fail_unless (recvmsg (fd, &m, 0) > 0);
  for (struct cmsghdr * c = CMSG_FIRSTHDR (&m); c; c = CMSG_NXTHDR (&m, c))
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
      tos = *CMSG_DATA (c);
    else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)
      memcpy (&tos, CMSG_DATA (c), sizeof tos);
  return tos;
}

/* DSCP and ECN together, of runs that the kernel segments and of others; also
 * from a socket for both to IPv4. */
GST_START_TEST (test_send_ecn)
{
  static const struct
  {
    int family;
    const char *from, *to;
  } rows[] = {
    {AF_INET, "127.0.0.1", "127.0.0.1"}, {AF_INET6, "::1", "::1"},
    {AF_INET6, "::", "127.0.0.1"}
  };
  static guint8 payload[1000];
  PspUdpPacket packets[4];
  PspUdpSender sender;
  PspAddress from, to;
  int error, in, out;

  if (rows[__i__].family == AF_INET6 && !have_ipv6 ())
    return;
  in = open_socket (strchr (rows[__i__].to, ':') ? AF_INET6 : AF_INET,
      rows[__i__].to, &to);
  out = open_socket (rows[__i__].family, rows[__i__].from, &from);
  make_packets (packets, 4, payload, sizeof payload);
  fail_unless_equals_int (psp_udp_set_dscp (out, rows[__i__].family, 10), 0);
  psp_udp_sender_init (&sender, out);
  for (guint i = 0; i < 16; i++) {
    guint dscp = i < 8 ? 10 : 46;

    sender.segment = i & 1;
    sender.ecn = i >> 1 & 3;
    if (i == 8) {
      fail_unless_equals_int (psp_udp_set_dscp (out, rows[__i__].family, 46),
          0);
      psp_udp_sender_read_dscp (&sender);
    }
    fail_unless_equals_int (psp_udp_send (&sender, &to, packets, 4, &error), 4);
    for (guint k = 0; k < 4; k++)
      fail_unless_equals_int (receive_tos (in), (int) dscp << 2 | sender.ecn);
  }
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_END_TEST;

/* An ECN field that the application gave its socket is not the DSCP's, and
 * leaves where nothing else is asked for. */
GST_START_TEST (test_dscp_keeps_ecn)
{
  guint8 byte = 9;
  PspAddress local;
  PspUdpPacket packet;
  PspUdpSender sender;
  int value = 18 << 2 | 2, fd = open_socket (AF_INET, "127.0.0.1", &local);
  int error;
  socklen_t size = sizeof value;

  fail_unless (setsockopt (fd, IPPROTO_IP, IP_TOS, &value, size) == 0);
  fail_unless_equals_int (psp_udp_set_dscp (fd, AF_INET, 46), 0);
  fail_unless (getsockopt (fd, IPPROTO_IP, IP_TOS, &value, &size) == 0);
  fail_unless_equals_int (value, 46 << 2 | 2);
  make_packets (&packet, 1, &byte, 1);
  psp_udp_sender_init (&sender, fd);
  for (sender.ecn = -1; sender.ecn < 1; sender.ecn++) {
    psp_udp_send (&sender, &local, &packet, 1, &error);
    fail_unless_equals_int (receive_tos (fd), 46 << 2 | (sender.ecn ? 2 : 0));
  }
  psp_udp_close (fd);
}

GST_END_TEST;

/* The answer leaves from the address that was asked. */
GST_START_TEST (test_source)
{
  guint8 byte = 9, got;
  PspUdpDatagram d = {.data = &got,.capacity = 1 };
  PspUdpPacket packet;
  PspUdpSender sender;
  PspAddress from, local, to;
  int error, in = open_socket (AF_INET, NULL, &local);
  int out = open_socket (AF_INET, "127.0.0.1", &from);

  psp_address_resolve ("127.0.0.2", psp_address_port (&local), AF_UNSPEC, &to);
  send_one (out, &to, &byte, 1);
  receive_one (in, &d);
  fail_unless (psp_address_same_host (&d.to, &to));

  psp_udp_sender_init (&sender, in);
  make_packets (&packet, 1, &byte, 1);
  sender.source = d.to;
  fail_unless_equals_int (psp_udp_send (&sender, &d.from, &packet, 1, &error),
      1);
  receive_one (out, &d);
  fail_unless (psp_address_equal (&d.from, &to));
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_END_TEST;

static const char *const groups[] = { "239.255.77.1", "ff02::77" };

/* An interface that takes multicast to the group; TTL 0 keeps it in this
 * host. */
static gboolean
find_multicast_interface (const PspAddress * group, char name[IF_NAMESIZE])
{
  struct if_nameindex *list = if_nameindex ();
  int family = group->storage.ss_family;
  gboolean found = FALSE;
  PspAddress local;
  int fd = open_socket (family, NULL, &local);

  for (struct if_nameindex * at = list; at && at->if_index && !found; at++) {
    found = psp_udp_set_multicast (fd, family, 0, TRUE, at->if_name) == 0 &&
        sendto (fd, "", 0, 0, (struct sockaddr *) &group->storage,
        group->size) == 0;
    g_strlcpy (name, at->if_name, IF_NAMESIZE);
  }
  if_freenameindex (list);
  psp_udp_close (fd);
  return found;
}

GST_START_TEST (test_multicast)
{
  const char *host = groups[__i__];
  char interface[IF_NAMESIZE];
  guint8 byte = 9, got;
  PspUdpDatagram d = {.data = &got,.capacity = 1 };
  PspAddress group, from, to, marker;
  int in, bystander, out, family;

  fail_unless_equals_int (psp_address_resolve (host, 9, AF_UNSPEC, &group), 0);
  family = group.storage.ss_family;
  if ((family == AF_INET6 && !have_ipv6 ()) ||
      !find_multicast_interface (&group, interface)) {
    g_print ("skipped: no interface takes multicast to %s\n", host);
    return;
  }
  in = open_socket (family, NULL, &to);
  out = open_socket (family, NULL, &from);
  psp_address_resolve (host, psp_address_port (&to), AF_UNSPEC, &group);
  fail_unless_equals_int (psp_udp_set_multicast (out, family, 0, TRUE,
          interface), 0);
  fail_unless_equals_int (psp_udp_join (in, &group, interface), 0);
  fail_unless_equals_int (psp_udp_join (in, &group, interface), -EADDRINUSE);
  send_one (out, &group, &byte, 1);
  receive_one (in, &d);
  fail_unless (psp_address_is_multicast (&d.to));

  /* After leaving nothing comes, though another socket is still a member. */
  bystander = open_socket (family, NULL, &marker);
  fail_unless_equals_int (psp_udp_join (bystander, &group, interface), 0);
  fail_unless_equals_int (psp_udp_leave (in, &group, interface), 0);
  fail_unless_equals_int (psp_udp_leave (in, &group, interface),
      -EADDRNOTAVAIL);
  send_one (out, &group, &byte, 1);
  psp_address_resolve (family == AF_INET ? "127.0.0.1" : "::1",
      psp_address_port (&to), AF_UNSPEC, &marker);
  byte = 10;
  send_one (out, &marker, &byte, 1);
  receive_one (in, &d);
  fail_unless_equals_int (got, 10);
  psp_udp_close (bystander);
  psp_udp_close (in);
  psp_udp_close (out);
}

GST_END_TEST;

static gpointer
wake (gpointer waker)
{
  wait_waker_wake (waker);
  return NULL;
}

/* tests/check/psp/faults-netns.c has routes that change. */
GST_START_TEST (test_route)
{
  int lo = (int) if_nametoindex ("lo"), i;
  PspAddress to;
  PspRoute r;

  fail_unless (lo > 0);
  fail_unless_equals_int (psp_route_open (&r), 0);
  for (i = 0; i < 100 && psp_route_changed (&r); i++);
  fail_unless (i < 100);
  fail_unless_equals_int (psp_address_resolve ("127.0.0.1", 5004, AF_INET,
          &to), 0);
  for (i = 0; i < 10; i++)
    fail_unless_equals_int (psp_route_interface (&r, &to), lo);
  if (psp_address_resolve ("::1", 5004, AF_INET6, &to) == 0
      && psp_route_interface (&r, &to) > 0)
    fail_unless_equals_int (psp_route_interface (&r, &to), lo);
  to.storage.ss_family = AF_UNIX;
  fail_unless_equals_int (psp_route_interface (&r, &to), -EAFNOSUPPORT);
  psp_route_close (&r);
  fail_if (psp_route_changed (&r));
  fail_unless (psp_route_interface (&r, &to) < 0);
}

GST_END_TEST;

GST_START_TEST (test_wait)
{
  guint8 byte = 1;
  PspUdpDatagram d = {.data = &byte,.capacity = 1 };
  PspAddress local;
  WaitWaker waker;
  GThread *thread;
  int fd = open_socket (AF_INET, "127.0.0.1", &local);

  fail_unless_equals_int (wait_waker_open (&waker), 0);
  fail_unless_equals_int (psp_wait (fd, FALSE, &waker, 0), PSP_WAIT_TIMEOUT);
  fail_unless_equals_int (psp_wait (fd, FALSE, &waker,
          wait_monotonic_now () + 1000000), PSP_WAIT_TIMEOUT);
  fail_unless_equals_int (psp_wait (-1, FALSE, NULL, INT64_MIN),
      PSP_WAIT_TIMEOUT);
  fail_unless_equals_int (psp_wait (fd, TRUE, &waker, INT64_MAX),
      PSP_WAIT_WRITABLE);

  /* A wake before the wait counts, until it is cleared; many are one. */
  wait_waker_wake (&waker);
  wait_waker_wake (&waker);
  fail_unless_equals_int (psp_wait (fd, FALSE, &waker, INT64_MAX),
      PSP_WAIT_WOKEN);
  fail_unless_equals_int (psp_wait (-1, FALSE, &waker, INT64_MAX),
      PSP_WAIT_WOKEN);
  wait_waker_clear (&waker);
  wait_waker_clear (&waker);
  fail_unless_equals_int (psp_wait (fd, FALSE, &waker, 0), PSP_WAIT_TIMEOUT);

  thread = g_thread_new ("wake", wake, &waker);
  fail_unless_equals_int (psp_wait (fd, FALSE, &waker, INT64_MAX),
      PSP_WAIT_WOKEN);
  g_thread_join (thread);

  send_one (fd, &local, &byte, 1);
  fail_unless_equals_int (psp_wait (fd, TRUE, &waker, INT64_MAX),
      PSP_WAIT_READABLE | PSP_WAIT_WRITABLE | PSP_WAIT_WOKEN);
  fail_unless_equals_int (psp_udp_receive (fd, &d, 1), 1);
  psp_udp_close (fd);
  fail_unless_equals_int (psp_wait (fd, FALSE, &waker, 0), -EBADF);
  wait_waker_close (&waker);
  wait_waker_close (&waker);
}

GST_END_TEST;

GST_START_TEST (test_wait_alarm)
{
  int64_t start = wait_monotonic_now (), soon = start + 2000000;
  guint8 byte = 1;
  PspUdpDatagram d = {.data = &byte,.capacity = 1 };
  PspAddress local;
  WaitWaker waker;
  WaitAlarm alarm;
  GThread *thread;
  int fd = open_socket (AF_INET, "127.0.0.1", &local);

  fail_unless_equals_int (wait_waker_open (&waker), 0);
  fail_unless_equals_int (wait_alarm_open (&alarm), 0);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, INT64_MIN),
      PSP_WAIT_TIMEOUT);
  fail_unless (alarm.at == INT64_MAX);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, soon),
      PSP_WAIT_TIMEOUT);
  fail_unless (wait_monotonic_now () >= soon);
  fail_unless (alarm.at == INT64_MAX);

  /* An end that moves on leaves the timer alone; one that moves up sets it. */
  send_one (fd, &local, &byte, 1);
  start = wait_monotonic_now ();
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm,
          start + G_GINT64_CONSTANT (20000000000)), PSP_WAIT_READABLE);
  fail_unless (alarm.at == start + G_GINT64_CONSTANT (20000000000));
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, INT64_MAX),
      PSP_WAIT_READABLE);
  fail_unless (alarm.at == start + G_GINT64_CONSTANT (20000000000));
  soon = wait_monotonic_now () + G_GINT64_CONSTANT (10000000000);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, soon),
      PSP_WAIT_READABLE);
  fail_unless (alarm.at == soon);
  fail_unless_equals_int (psp_udp_receive (fd, &d, 1), 1);

  /* One that would come soon, for nothing, is put off. */
  alarm.at = wait_monotonic_now ();
  soon = alarm.at + G_GINT64_CONSTANT (30000000000);
  send_one (fd, &local, &byte, 1);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, INT64_MAX),
      PSP_WAIT_READABLE);
  fail_unless (alarm.at < soon);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, soon),
      PSP_WAIT_READABLE);
  fail_unless (alarm.at == soon);
  fail_unless_equals_int (psp_udp_receive (fd, &d, 1), 1);

  /* A timer set too early does not end the wait. */
  soon = wait_monotonic_now () + 1000000;
  send_one (fd, &local, &byte, 1);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, soon),
      PSP_WAIT_READABLE);
  fail_unless_equals_int (psp_udp_receive (fd, &d, 1), 1);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm,
          soon + 2000000), PSP_WAIT_TIMEOUT);
  fail_unless (wait_monotonic_now () >= soon + 2000000);

  thread = g_thread_new ("wake", wake, &waker);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, INT64_MAX),
      PSP_WAIT_WOKEN);
  g_thread_join (thread);
  psp_udp_close (fd);
  fail_unless_equals_int (psp_wait_alarm (fd, &waker, &alarm, INT64_MAX),
      -EBADF);
  wait_alarm_close (&alarm);
  wait_alarm_close (&alarm);
  wait_waker_close (&waker);
}

GST_END_TEST;

/* What of the time left is spun at most, whatever was learnt. */
static const struct
{
  int64_t left, least, most;
} spins[] = {
  {0, 0, 0},
  {-1000, 0, 0},
  {INT64_MIN / 2, 0, 0},
  {50000, 10000, 25000},
  {100000, 10000, 30000},
  {240000, 10000, 30000},
  {1000000, 10000, 125000},
  {5000000, 10000, PSP_SPIN_MAX},
  {INT64_MAX, 10000, PSP_SPIN_MAX},
};

GST_START_TEST (test_spin_bounds)
{
  PspSpin least, most;

  psp_spin_init (&least);
  psp_spin_init (&most);
  for (int i = 0; i < 10000; i++) {
    psp_spin_learn (&least, i % 2 ? 0 : -5000);
    psp_spin_learn (&most, PSP_SPIN_MAX);
  }
  fail_unless_equals_int64 (psp_spin_margin (&least, spins[__i__].left),
      spins[__i__].least);
  fail_unless_equals_int64 (psp_spin_margin (&most, spins[__i__].left),
      spins[__i__].most);
}

GST_END_TEST;

/* A margin covers 98 % of what was learnt, and a stall teaches nothing. */
GST_START_TEST (test_spin_learns)
{
  const int64_t left = 100000000;
  GRand *rand = g_rand_new_with_seed (17);
  PspSpin spin;
  guint over = 0;

  psp_spin_init (&spin);
  fail_unless_equals_int64 (psp_spin_margin (&spin, left), 30000);
  for (int i = 0; i < 25000; i++) {
    int64_t late = 20000 + g_rand_int_range (rand, 0, 80000);

    over += i >= 5000 && late > psp_spin_margin (&spin, left);
    psp_spin_learn (&spin, late);
    psp_spin_learn (&spin, 5000000);
  }
  fail_unless (over > 200 && over < 600, "%u of 20000", over);

  /* It follows the machine down again. */
  for (int i = 0; i < 1000; i++)
    psp_spin_learn (&spin, 15000);
  fail_unless (psp_spin_margin (&spin, left) < 30000);
  g_rand_free (rand);
}

GST_END_TEST;

/* However many threads want to spin, together they take a quarter of a CPU; one
 * that spins an eighth of its time is never refused. */
GST_START_TEST (test_spin_budget)
{
  static const gint64 interval = 4000000, spin = 100000;
  guint n_threads = __i__ ? 200 : 5;
  PspSpinBudget budget = { 0 };
  gint64 spun = 0, now = 0;
  guint refused = 0, i;

  for (i = 0; i < 1000 * n_threads; i++) {
    now += interval / n_threads;
    if (!psp_spin_budget_allows (&budget, now)) {
      refused++;
      continue;
    }
    psp_spin_budget_take (&budget, now, spin);
    spun += spin;
  }
  fail_unless (spun <= now / 4 + 2 * spin + 20000000 / 4);
  fail_unless (spun >= MIN (now / 4, (gint64) i * spin));
  fail_unless (__i__ ? refused > i / 2 : refused == 0, "%u", refused);
}

GST_END_TEST;

GST_START_TEST (test_idle)
{
  int fd = psp_idle_forbid ();

  if (fd < 0)
    g_print ("skipped: /dev/cpu_dma_latency: %s\n", g_strerror (-fd));
  else
    fail_unless_equals_int (fcntl (fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  psp_idle_allow (fd);
  if (fd >= 0)
    fail_unless (fcntl (fd, F_GETFD) < 0);
  psp_idle_allow (-1);
}

GST_END_TEST;

static gpointer
ask_for_precision (gpointer unused)
{
  int64_t now = wait_monotonic_now ();

  (void) unused;
  fail_unless_equals_int (psp_precision_request (FALSE), PSP_PRECISION_SLEEP);
  psp_spin_until (INT64_MAX);   /* returns: not granted */

  if (psp_precision_request (TRUE) == PSP_PRECISION_REALTIME) {
    fail_unless_equals_int (sched_getscheduler (0) & ~SCHED_RESET_ON_FORK,
        SCHED_FIFO);
    psp_spin_until (INT64_MAX); /* returns: bounded */
    psp_spin_until (now);
  } else {
    g_print ("skipped: the system grants no SCHED_FIFO here\n");
    psp_spin_until (INT64_MAX);
  }
  /* What was granted is given back. */
  fail_unless_equals_int (psp_precision_request (FALSE), PSP_PRECISION_SLEEP);
  fail_unless_equals_int (sched_getscheduler (0) & ~SCHED_RESET_ON_FORK,
      SCHED_OTHER);
  return NULL;
}

GST_START_TEST (test_precision)
{
  g_thread_join (g_thread_new ("precision", ask_for_precision, NULL));
  fail_unless (wait_wall_now () > 0);
}

GST_END_TEST;

static Suite *
psp_net_suite (void)
{
  Suite *s = suite_create ("pspnet");
  TCase *tc = tcase_create ("net");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_address, 0, G_N_ELEMENTS (addresses));
  tcase_add_test (tc, test_address_compare);
  tcase_add_test (tc, test_prefer);
  tcase_add_test (tc, test_open_errors);
  tcase_add_test (tc, test_options);
  tcase_add_test (tc, test_options_of_both);
  tcase_add_loop_test (tc, test_send_batch, 0, G_N_ELEMENTS (batches));
  tcase_add_test (tc, test_send_too_large);
  tcase_add_test (tc, test_send_segment_refused);
  tcase_add_test (tc, test_send_refused);
  tcase_add_test (tc, test_receive);
  tcase_add_test (tc, test_error_reports);
  tcase_add_test (tc, test_receive_batch);
  tcase_add_loop_test (tc, test_paths, 0, G_N_ELEMENTS (paths));
  tcase_add_loop_test (tc, test_send_ecn, 0, 3);
  tcase_add_test (tc, test_dscp_keeps_ecn);
  tcase_add_test (tc, test_source);
  tcase_add_loop_test (tc, test_multicast, 0, G_N_ELEMENTS (groups));
  tcase_add_test (tc, test_route);
  tcase_add_test (tc, test_wait);
  tcase_add_test (tc, test_wait_alarm);
  tcase_add_loop_test (tc, test_spin_bounds, 0, G_N_ELEMENTS (spins));
  tcase_add_test (tc, test_spin_learns);
  tcase_add_loop_test (tc, test_spin_budget, 0, 2);
  tcase_add_test (tc, test_idle);
  tcase_add_test (tc, test_precision);
  return s;
}

GST_CHECK_MAIN (psp_net);
