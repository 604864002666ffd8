/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "private.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

static const struct sockaddr_in *
as_in (const PspAddress * a)
{
  return (const struct sockaddr_in *) &a->storage;
}

static const struct sockaddr_in6 *
as_in6 (const PspAddress * a)
{
  return (const struct sockaddr_in6 *) &a->storage;
}

void
psp_address_set (PspAddress * a, const struct sockaddr *sa, socklen_t size)
{
  memset (a, 0, sizeof *a);
  if (size > sizeof a->storage)
    return;
  memcpy (&a->storage, sa, size);
  a->size = size;
  if (a->storage.ss_family == AF_INET6 &&
      IN6_IS_ADDR_V4MAPPED (&as_in6 (a)->sin6_addr)) {
    struct sockaddr_in in = {
      .sin_family = AF_INET,
      .sin_port = as_in6 (a)->sin6_port
    };

    memcpy (&in.sin_addr, as_in6 (a)->sin6_addr.s6_addr + 12, 4);
    memset (a, 0, sizeof *a);
    memcpy (&a->storage, &in, sizeof in);
    a->size = sizeof in;
  }
}

int
psp_address_resolve (const char *host, uint16_t port, int prefer,
    PspAddress * address)
{
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM };
  struct addrinfo *list, *choice;
  char name[NI_MAXHOST], service[8];
  size_t length = strlen (host);
  int err;

  if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
    host++;
    length -= 2;
  }
  if (length >= sizeof name)
    return EAI_NONAME;
  memcpy (name, host, length);
  name[length] = '\0';
  snprintf (service, sizeof service, "%u", (unsigned) port);

  hints.ai_flags = AI_NUMERICSERV;
  if ((err = getaddrinfo (name, service, &hints, &list)))
    return err;
  choice = list;
  for (struct addrinfo * at = list; at; at = at->ai_next)
    if (at->ai_family == prefer) {
      choice = at;
      break;
    }
  psp_address_set (address, choice->ai_addr, choice->ai_addrlen);
  freeaddrinfo (list);
  return 0;
}

bool
psp_address_same_host (const PspAddress * a, const PspAddress * b)
{
  PspAddress x, y;

  /* Unmaps addresses that other code has filled in. */
  psp_address_set (&x, (const struct sockaddr *) &a->storage, a->size);
  psp_address_set (&y, (const struct sockaddr *) &b->storage, b->size);
  if (x.size == 0 || x.storage.ss_family != y.storage.ss_family)
    return false;
  if (x.storage.ss_family == AF_INET)
    return as_in (&x)->sin_addr.s_addr == as_in (&y)->sin_addr.s_addr;
  return x.storage.ss_family == AF_INET6 &&
      as_in6 (&x)->sin6_scope_id == as_in6 (&y)->sin6_scope_id &&
      IN6_ARE_ADDR_EQUAL (&as_in6 (&x)->sin6_addr, &as_in6 (&y)->sin6_addr);
}

bool
psp_address_equal (const PspAddress * a, const PspAddress * b)
{
  /* Equal addresses usually are equal in every byte, which is faster to see. */
  if (a->size == b->size && (a->size == sizeof (struct sockaddr_in) ||
          a->size == sizeof (struct sockaddr_in6)) &&
      memcmp (&a->storage, &b->storage, a->size) == 0)
    return true;
  return psp_address_same_host (a, b) &&
      psp_address_port (a) == psp_address_port (b);
}

bool
psp_address_is_multicast (const PspAddress * address)
{
  PspAddress a;

  psp_address_set (&a, (const struct sockaddr *) &address->storage,
      address->size);
  if (a.storage.ss_family == AF_INET)
    return IN_MULTICAST (ntohl (as_in (&a)->sin_addr.s_addr));
  return a.storage.ss_family == AF_INET6 &&
      IN6_IS_ADDR_MULTICAST (&as_in6 (&a)->sin6_addr);
}

uint16_t
psp_address_port (const PspAddress * address)
{
  switch (address->storage.ss_family) {
    case AF_INET:
      return ntohs (as_in (address)->sin_port);
    case AF_INET6:
      return ntohs (as_in6 (address)->sin6_port);
    default:
      return 0;
  }
}

void
psp_address_set_port (PspAddress * address, uint16_t port)
{
  if (address->storage.ss_family == AF_INET)
    ((struct sockaddr_in *) &address->storage)->sin_port = htons (port);
  else if (address->storage.ss_family == AF_INET6)
    ((struct sockaddr_in6 *) &address->storage)->sin6_port = htons (port);
}

static void
append (char text[PSP_ADDRESS_TEXT], const char *more)
{
  size_t length = strlen (text);

  snprintf (text + length, PSP_ADDRESS_TEXT - length, "%s", more);
}

void
psp_address_text (const PspAddress * address, char text[PSP_ADDRESS_TEXT])
{
  char host[INET6_ADDRSTRLEN], scope[IF_NAMESIZE], port[8];
  PspAddress a;

  psp_address_set (&a, (const struct sockaddr *) &address->storage,
      address->size);
  text[0] = '\0';
  if (a.storage.ss_family == AF_INET) {
    inet_ntop (AF_INET, &as_in (&a)->sin_addr, host, sizeof host);
    append (text, host);
  } else if (a.storage.ss_family == AF_INET6) {
    inet_ntop (AF_INET6, &as_in6 (&a)->sin6_addr, host, sizeof host);
    append (text, "[");
    append (text, host);
    if (as_in6 (&a)->sin6_scope_id &&
        if_indextoname (as_in6 (&a)->sin6_scope_id, scope)) {
      append (text, "%");
      append (text, scope);
    }
    append (text, "]");
  } else {
    return;
  }
  snprintf (port, sizeof port, ":%u", (unsigned) psp_address_port (&a));
  append (text, port);
}
