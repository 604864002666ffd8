/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Puts the link between UDP sockets. Packets that clients send to a flow's
 * listening address go through the forward path to its target; the target's
 * answers go through the back path. All flows share both paths.
 */
#ifndef LINK_RELAY_H
#define LINK_RELAY_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "front.h"

#define RELAY_MAX_FLOWS 64
#define RELAY_BATCH 32
#define RELAY_MAX_ARRIVALS 1024

typedef struct
{
  struct sockaddr_storage storage;
  socklen_t size;
} RelayAddress;

typedef struct
{
  RelayAddress listen, to;
  RelayAddress client;          /* size 0: not learnt yet */
  int client_fd, server_fd;
  uint32_t overflow[2];         /* SO_RXQ_OVFL of the two sockets */
} RelayFlow;

typedef struct
{
  int64_t at;                   /* CLOCK_MONOTONIC */
  unsigned order;
  unsigned flow;
  bool forward;
  LinkBuffer *buffer;
} RelayArrival;

typedef struct
{
  RelayFlow flow[RELAY_MAX_FLOWS];
  unsigned n_flows;
  LinkPath forward, back;
  int64_t epoch;                /* link time 0: the first arrival */
  uint64_t strangers;           /* packets of other hosts, ignored */
  uint64_t send_errors;
  RelayArrival arrival[RELAY_MAX_ARRIVALS];
  unsigned n_arrivals;
} Relay;

/* Parses "host:port" or "[v6]:port". Returns false after printing why not. */
bool relay_parse_address (const char *text, RelayAddress * address);
void relay_print_address (const RelayAddress * address, FILE * file);

/* Binds and connects what the flows name. Returns false after printing why
 * not. */
bool relay_open (Relay * r);
void relay_close (Relay * r);
/* Runs until a signal to end, or until CLOCK_MONOTONIC is `end`. */
void relay_run (Relay * r, int64_t end);
/* Returns the number of packets that the kernel dropped in front of the
 * model. */
uint64_t relay_kernel_drops (const Relay * r);

#endif
