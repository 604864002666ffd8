/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which interface leads to an address, and whether that may have changed
 * (rtnetlink).
 */
#ifndef PSP_NET_ROUTE_H
#define PSP_NET_ROUTE_H

#include "udp.h"

typedef struct
{
  int events;                   /* hears of routes, addresses and links */
  int queries;
  uint32_t sequence;
} PspRoute;

/* 0 or a negative errno. Neither needs a privilege. */
int psp_route_open (PspRoute * r);
void psp_route_close (PspRoute * r);
/* Without blocking: whether some route, address or link has changed since the
 * last call, or so many that the kernel lost count. */
bool psp_route_changed (PspRoute * r);
/* The index of the interface through which packets to an address leave, as the
 * kernel's tables are now; negative errno, as sending would fail with
 * (-ENETUNREACH and others). */
int psp_route_interface (PspRoute * r, const PspAddress * to);

#endif
