/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "device.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUEUE_LENGTH 10000      /* the model's queue shall be the only one */

/* <linux/ipv6.h> has it, but fights <netinet/in.h>. */
struct device_in6_ifreq
{
  struct in6_addr address;
  uint32_t prefix_length;
  int index;
};

static void
set_name (struct ifreq *request, const char *name)
{
  memset (request, 0, sizeof *request);
  strncpy (request->ifr_name, name, IFNAMSIZ - 1);
}

int
device_open (void)
{
  struct ifreq request;
  int fd = open ("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

  if (fd < 0)
    return -1;
  set_name (&request, DEVICE_NAME);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl (fd, TUNSETIFF, &request) < 0) {
    close (fd);
    return -1;
  }
  return fd;
}

static bool
set_address (int fd, unsigned long what, const char *text)
{
  struct ifreq request;
  struct sockaddr_in *address = (struct sockaddr_in *) &request.ifr_addr;

  set_name (&request, DEVICE_NAME);
  address->sin_family = AF_INET;
  return inet_pton (AF_INET, text, &address->sin_addr) == 1 &&
      ioctl (fd, what, &request) == 0;
}

static bool
set_up (int fd, const char *name)
{
  struct ifreq request;

  set_name (&request, name);
  if (ioctl (fd, SIOCGIFFLAGS, &request) < 0)
    return false;
  request.ifr_flags |= IFF_UP;
  return ioctl (fd, SIOCSIFFLAGS, &request) == 0;
}

/* No link-local address: the kernel would solicit routers through the link. */
static void
hush_ipv6 (void)
{
  int fd = open ("/proc/sys/net/ipv6/conf/" DEVICE_NAME "/addr_gen_mode",
      O_WRONLY | O_CLOEXEC);

  if (fd < 0)
    return;
  if (write (fd, "1", 1) != 1)
    perror ("addr_gen_mode");
  close (fd);
}

/* A kernel without IPv6 goes without. */
static bool
add_address6 (const char *text)
{
  struct device_in6_ifreq request = { 0 };
  int fd = socket (AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool ok;

  if (fd < 0)
    return true;
  request.prefix_length = 64;
  request.index = (int) if_nametoindex (DEVICE_NAME);
  ok = inet_pton (AF_INET6, text, &request.address) == 1 &&
      ioctl (fd, SIOCSIFADDR, &request) == 0;
  close (fd);
  return ok;
}

static bool
configure (int fd, const char *address, int mtu)
{
  struct ifreq request;

  set_name (&request, DEVICE_NAME);
  request.ifr_mtu = mtu;
  if (ioctl (fd, SIOCSIFMTU, &request) < 0)
    return false;
  set_name (&request, DEVICE_NAME);
  request.ifr_qlen = QUEUE_LENGTH;
  if (ioctl (fd, SIOCSIFTXQLEN, &request) < 0)
    return false;
  return set_address (fd, SIOCSIFADDR, address) &&
      set_address (fd, SIOCSIFNETMASK, "255.255.255.0") &&
      set_up (fd, "lo") && set_up (fd, DEVICE_NAME);
}

bool
device_configure (const char *address, const char *address6, int mtu)
{
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool ok;

  if (fd < 0)
    return false;
  hush_ipv6 ();
  ok = configure (fd, address, mtu);
  close (fd);
  return ok && add_address6 (address6);
}

/* Name: eight columns of reception, then bytes, packets, errors, drops. */
uint64_t
device_drops (void)
{
  FILE *file = fopen ("/proc/thread-self/net/dev", "re");
  unsigned long long drops = 0;
  char line[512];

  while (file && fgets (line, sizeof line, file)) {
    char *colon = strchr (line, ':');

    if (!colon || !strstr (line, DEVICE_NAME ":"))
      continue;
    if (sscanf (colon + 1, "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu",
            &drops) != 1)
      drops = 0;
  }
  if (file)
    fclose (file);
  return drops;
}
