/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Units and names shared by the itcp core, which is plain C on libc: no clock,
 * socket, thread or log. `now` is a parameter, decisions are returned, nothing
 * is allocated. The owner serializes its calls.
 */
#ifndef ITCP_CORE_TYPES_H
#define ITCP_CORE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#define ITCP_MSECOND INT64_C(1000000)
#define ITCP_SECOND  INT64_C(1000000000)

#define ITCP_TIME_UNKNOWN INT64_MIN
#define ITCP_TIME_NEVER   INT64_MAX

/* What TCP tells. */
typedef enum
{
  ITCP_EVENT_REXMT,             /* its retransmission timer expired */
  ITCP_EVENT_DUPACK,            /* it entered fast recovery, which since SACK
                                   is not literally the third duplicate ACK */
  ITCP_EVENT_BACKLOG            /* it sends less than it is given */
} ItcpEventKind;

#define ITCP_N_EVENT_KINDS 3

#endif
