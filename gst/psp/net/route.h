/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds the interface that leads to an address, and whether it may have changed
 * (rtnetlink).
 */
#ifndef PSP_NET_ROUTE_H
#define PSP_NET_ROUTE_H

#include "udp.h"

typedef struct
{
  int events;                   /* socket: changes of routes and interfaces */
  int queries;                  /* socket: queries of a route */
  uint32_t sequence;            /* number of the last query */
} PspRoute;

/* Returns 0 or a negative errno. It needs no privilege. */
int psp_route_open (PspRoute * r);
void psp_route_close (PspRoute * r);
/* True if some route, address or link has changed since the last call, or so
 * many that the kernel lost events. Does not block. */
bool psp_route_changed (PspRoute * r);
/* Returns the index of the interface through which packets to an address leave
 * by the kernel's current tables; or the negative errno with which sending
 * would fail (-ENETUNREACH and others). */
int psp_route_interface (PspRoute * r, const PspAddress * to);

#endif
