/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "front.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "log.h"
#include "spec.h"

#define LOG_BUFFER (1 << 20)    /* few writes: they may block */

static LinkBuffer *free_buffers;
static sigset_t wait_mask;
static volatile sig_atomic_t end_signal;
static volatile sig_atomic_t child_signal;

LinkBuffer *
link_buffer_new (void)
{
  LinkBuffer *b = free_buffers;

  if (b) {
    free_buffers = b->next;
    return b;
  }
  b = malloc (sizeof *b);
  if (!b) {
    fputs ("no memory for another packet: limit queue= or delay=\n", stderr);
    exit (1);
  }
  return b;
}

void
link_buffer_free (LinkBuffer * b)
{
  b->next = free_buffers;
  free_buffers = b;
}

void
link_buffers_clear (void)
{
  while (free_buffers) {
    LinkBuffer *next = free_buffers->next;

    free (free_buffers);
    free_buffers = next;
  }
}

void
link_buffer_flip (LinkBuffer * b, int64_t bit)
{
  if (bit >= 0 && (size_t) bit / 8 < b->size)
    b->data[bit / 8] ^= (uint8_t) (0x80 >> bit % 8);
}

int64_t
link_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

bool
link_realtime (void)
{
  struct sched_param param = {.sched_priority = 10 };

  prctl (PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  return sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;
}

static void
on_signal (int number)
{
  if (number == SIGCHLD)
    child_signal = 1;
  else
    end_signal = number;
}

void
link_signals_init (bool with_child)
{
  struct sigaction action = {.sa_handler = on_signal };
  sigset_t blocked;

  sigemptyset (&action.sa_mask);
  sigemptyset (&blocked);
  sigaddset (&blocked, SIGINT);
  sigaddset (&blocked, SIGTERM);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  if (with_child) {
    sigaddset (&blocked, SIGCHLD);
    sigaction (SIGCHLD, &action, NULL);
  }
  sigprocmask (SIG_BLOCK, &blocked, &wait_mask);
  sigdelset (&wait_mask, SIGINT);
  sigdelset (&wait_mask, SIGTERM);
  sigdelset (&wait_mask, SIGCHLD);
}

int
link_signals_end (void)
{
  return end_signal;
}

bool
link_signals_child (void)
{
  bool seen = child_signal;

  child_signal = 0;
  return seen;
}

void
link_wait (struct pollfd *fds, unsigned n, int64_t until)
{
  struct timespec timeout = { 0, 0 };
  unsigned i;

  if (until != LINK_NEVER) {
    int64_t left = until - link_now ();

    if (left > 0) {
      timeout.tv_sec = left / 1000000000;
      timeout.tv_nsec = left % 1000000000;
    }
  }
  if (ppoll (fds, n, until == LINK_NEVER ? NULL : &timeout, &wait_mask) >= 0)
    return;
  for (i = 0; i < n; i++)
    fds[i].revents = 0;
  if (errno != EINTR) {
    perror ("ppoll");
    exit (1);
  }
}

bool
link_path_init (LinkPath * path, const char *name, const char *spec,
    int32_t overhead)
{
  LinkConfig config;
  char error[LINK_ERROR_SIZE];

  memset (path, 0, sizeof *path);
  path->name = name;
  if (!link_spec_parse (spec, &config, error)) {
    fprintf (stderr, "--%s: %s\n", name, error);
    return false;
  }
  if (config.overhead < 0)
    config.overhead = overhead;
  path->link = link_new (&config);
  if (!path->link)
    fprintf (stderr, "--%s: no memory\n", name);
  return path->link != NULL;
}

void
link_path_clear (LinkPath * path)
{
  link_free (path->link);
  path->link = NULL;
}

static void
done (LinkPath * path, LinkPacket * packet)
{
  if (path->log)
    link_log_packet (path->log, path->name, packet);
  if (packet->last)
    link_buffer_free (packet->handle);
}

void
link_path_offer (LinkPath * path, int64_t arrived, LinkBuffer * buffer,
    unsigned flow, uint32_t flow_hash)
{
  LinkPacket packet = { 0 };
  int64_t late;

  packet.handle = buffer;
  packet.flow = flow;
  packet.flow_hash = flow_hash;
  packet.size = (uint32_t) buffer->size;
  packet.ecn = buffer->tos & 3;
  if (link_offer (path->link, arrived, &packet) != LINK_ACCEPTED)
    done (path, &packet);
  late = packet.arrived - arrived;
  if (late > 0)
    path->clamped++;
  if (late > path->clamped_max)
    path->clamped_max = late;
}

static void
send_packet (LinkPath * path, LinkPacket * packet, int64_t epoch)
{
  LinkBuffer *buffer = packet->handle;
  uint8_t tos = buffer->tos;
  int64_t late;

  if (packet->bleached)
    buffer->tos &= 0xfc;
  if (packet->marked)
    buffer->tos |= 3;
  link_buffer_flip (buffer, packet->corrupt_bit);
  path->send (path, buffer, packet);
  /* Its double, if any, is as it came: a copy has the same bit flipped. */
  link_buffer_flip (buffer, packet->corrupt_bit);
  buffer->tos = tos;

  late = link_now () - epoch - packet->delivered;
  path->sends++;
  path->late_sum += (double) late;
  if (late > path->late_max)
    path->late_max = late;
}

void
link_path_deliver (LinkPath * path, int64_t now, int64_t epoch)
{
  LinkPacket packet;

  while (link_take (path->link, now, &packet)) {
    if (packet.verdict == LINK_DELIVERED || packet.verdict == LINK_DUPLICATE)
      send_packet (path, &packet, epoch);
    done (path, &packet);
  }
}

void
link_path_finish (LinkPath * path)
{
  LinkPacket packet;

  while (link_flush (path->link, &packet))
    done (path, &packet);
}

void
link_path_stats (const LinkPath * path, FILE * file)
{
  LinkStats stats;

  link_get_stats (path->link, &stats);
  fprintf (file, "\"%s\":{", path->name);
  link_log_stats (file, &stats);
  fprintf (file, ",\"send-late-mean-us\":%.1f,\"send-late-max-us\":%.1f,"
      "\"late-arrivals\":%llu,\"late-arrival-max-us\":%.1f}",
      path->sends ? path->late_sum * 1e-3 / (double) path->sends : 0.0,
      (double) path->late_max * 1e-3, (unsigned long long) path->clamped,
      (double) path->clamped_max * 1e-3);
}

FILE *
link_log_open (const char *name)
{
  FILE *file = fopen (name, "w");

  if (!file) {
    fprintf (stderr, "--log %s: %s\n", name, strerror (errno));
    return NULL;
  }
  setvbuf (file, NULL, _IOFBF, LOG_BUFFER);
  fputs (LINK_LOG_HEADER, file);
  return file;
}

FILE *
link_stats_open (const char *name)
{
  FILE *file = name ? fopen (name, "w") : stdout;

  if (!file)
    fprintf (stderr, "--stats %s: %s\n", name, strerror (errno));
  return file;
}
