/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Names that the itcp core shares. The core is plain C on libc, with the units
 * and times of control/types.h, and has no clock, socket, thread or log. It
 * takes `now` as a parameter, returns decisions and allocates nothing. Its
 * owner serializes the calls.
 */
#ifndef ITCP_CORE_TYPES_H
#define ITCP_CORE_TYPES_H

#include <control/types.h>

/* The events that TCP reports. */
typedef enum
{
  ITCP_EVENT_REXMT,             /* TCP's retransmission timer expired */
  /* TCP entered fast recovery. Since SACK that is not literally the third
   * duplicate ACK. */
  ITCP_EVENT_DUPACK,
  ITCP_EVENT_BACKLOG            /* TCP sends less than it is given */
} ItcpEventKind;

/* number of kinds in ItcpEventKind */
#define ITCP_N_EVENT_KINDS 3

#endif
