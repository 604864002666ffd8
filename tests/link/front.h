/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The two fronts share this: real time, packet buffers, and a path, which is
 * the model in one direction with its log.
 */
#ifndef LINK_FRONT_H
#define LINK_FRONT_H

#include <poll.h>
#include <stdio.h>

#include "model.h"

#define LINK_BUFFER_SIZE 65536  /* bytes */

typedef struct _LinkBuffer LinkBuffer;

struct _LinkBuffer
{
  LinkBuffer *next;
  size_t size;
  uint8_t tos;                  /* DSCP and ECN */
  uint8_t data[LINK_BUFFER_SIZE];       /* untouched pages cost nothing */
};

/* Returns a buffer, or ends the program if memory runs out. */
LinkBuffer *link_buffer_new (void);
/* Keeps the buffer for the next link_buffer_new. */
void link_buffer_free (LinkBuffer * buffer);
void link_buffers_clear (void);
void link_buffer_flip (LinkBuffer * buffer, int64_t bit);

typedef struct _LinkPath LinkPath;

struct _LinkPath
{
  const char *name;
  Link *link;
  FILE *log;                    /* or NULL */
  /* sends the buffer, and does not keep it */
  void (*send) (LinkPath * path, LinkBuffer * buffer,
      const LinkPacket * packet);
  void *user;

  /* The members below measure how far reality lagged behind the model. */
  uint64_t sends;
  double late_sum;              /* ns from the model's delivery to the send */
  int64_t late_max;             /* ns */
  uint64_t clamped;             /* arrivals that reached the model too late */
  int64_t clamped_max;          /* ns */
};

/* Returns CLOCK_MONOTONIC; link time is this minus the epoch. */
int64_t link_now (void);
/* Sets SCHED_FIFO for this process, not for its children, else 1 ns of timer
 * slack. Returns true if FIFO was granted. */
bool link_realtime (void);

/* Makes the signals SIGINT, SIGTERM (and SIGCHLD) arrive only in
 * link_wait(). */
void link_signals_init (bool with_child);
/* Returns the signal received to end, or 0. */
int link_signals_end (void);
bool link_signals_child (void);
/* Waits until a descriptor is ready, a signal comes, or `until` (may be
 * LINK_NEVER). */
void link_wait (struct pollfd *fds, unsigned n, int64_t until);

/* Makes a path from the specification with its default overhead. On an error it
 * prints the error with the option's name and returns false. */
bool link_path_init (LinkPath * path, const char *name, const char *spec,
    int32_t overhead);
void link_path_clear (LinkPath * path);
/* Takes the buffer. */
void link_path_offer (LinkPath * path, int64_t arrived, LinkBuffer * buffer,
    unsigned flow, uint32_t flow_hash);
/* Sends what is due at link time `now`. */
void link_path_deliver (LinkPath * path, int64_t now, int64_t epoch);
/* Logs and forgets what is still inside. */
void link_path_finish (LinkPath * path);
/* Writes a JSON member: "name":{...} */
void link_path_stats (const LinkPath * path, FILE * file);

/* Opens a log for writing, with its header line. Returns NULL after printing
 * why not. */
FILE *link_log_open (const char *name);
/* Opens `name` for the stats, or gives stdout for NULL. */
FILE *link_stats_open (const char *name);

#endif
