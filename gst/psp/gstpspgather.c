/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspgather.h"

#include <string.h>

/* ns; shortest time for which the shortest span is remembered. It is longer
 * than most streams' time between key frames. */
#define MEMORY (4 * G_GINT64_CONSTANT (1000000000))
/* Most packets that may come while one waits. This number of full packets fills
 * a third of the default receive buffer of Linux. */
#define MOST_PACKETS 32
/* Packets may fill one part in this number of the socket's room. */
#define ROOM_PARTS 3
/* Bytes that Linux counts for a packet beside its own (skb->truesize). */
#define OVERHEAD 700
/* Bytes of a packet from which on Linux may count its size twice. */
#define PAGES_FROM 2048
/* Packets to wait for: the cost of a wake-up is then small for each. */
#define WANTED 4
/* Half packets: a wait in which fewer come is not worth a timer. */
#define LEAST_HALVES 3
/* Packets that come without a wait after the first useless wait, for example
 * at the end of a picture. */
#define SHORTEST_PAUSE 8
/* Most packets without a wait. Each useless wait in a row doubles their number:
 * if packets always come together, every wait is useless. */
#define LONGEST_PAUSE 128

static void
clear (GstPspGather * g)
{
  g->next = g->count = 0;
  g->span = G_MAXINT64;
}

void
gst_psp_gather_init (GstPspGather * g, gsize room)
{
  memset (g, 0, sizeof *g);
  g->room = room;
  clear (g);
  g->shortest = g->shortest_before = G_MAXINT64;
  g->since = -1;
  g->pause = SHORTEST_PAUSE;
}

void
gst_psp_gather_arrived (GstPspGather * g, gint64 at, gsize size)
{
  gint64 newest = g->arrived[(g->next + GST_PSP_GATHER_PACKETS - 1) %
      GST_PSP_GATHER_PACKETS];

  if (at < 0 || (g->count && at < newest))
    clear (g);                  /* the clock was set back */
  if (at < 0)
    return;
  if (g->count == GST_PSP_GATHER_PACKETS)
    g->span = at - g->arrived[g->next];
  else
    g->count++;
  g->rest -= g->rest > 0;
  g->arrived[g->next] = at;
  g->next = (g->next + 1) % GST_PSP_GATHER_PACKETS;

  if (g->since < 0 || at < g->since)
    g->since = at;
  if (at - g->since >= MEMORY) {
    g->shortest_before = g->shortest;
    g->shortest = G_MAXINT64;
    g->largest_before = g->largest;
    g->largest = 0;
    g->since = at;
  }
  g->shortest = MIN (g->shortest, g->span);
  g->largest = MAX (g->largest, size);
}

static guint
most_packets (const GstPspGather * g)
{
  gsize size = MAX (g->largest, g->largest_before);
  gsize counted = (size > PAGES_FROM ? 2 * size : size) + OVERHEAD;

  return (guint) MIN (MOST_PACKETS, g->room / ROOM_PARTS / counted);
}

gint64
gst_psp_gather_time (const GstPspGather * g)
{
  gint64 shortest = MIN (g->shortest, g->shortest_before);
  gint64 time;

  if (g->span == G_MAXINT64 || g->rest)
    return 0;
  time = MIN (GST_PSP_GATHER_TIME,
      most_packets (g) * shortest / GST_PSP_GATHER_PACKETS);
  time = MIN (time, WANTED * g->span / GST_PSP_GATHER_PACKETS);
  return 2 * GST_PSP_GATHER_PACKETS * time < LEAST_HALVES * g->span ? 0 : time;
}

void
gst_psp_gather_waited (GstPspGather * g, guint found)
{
  if (2 * found >= LEAST_HALVES) {
    g->pause = SHORTEST_PAUSE;
    return;
  }
  g->rest = g->pause;
  g->pause = MIN (2 * g->pause, LONGEST_PAUSE);
}
