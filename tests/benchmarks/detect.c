/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Sends over TCP and prints what an event source finds, and what the kernel's
 * counters of this network namespace say about the same time, as JSON lines.
 * Run by itcp-detection.py.
 *
 *   itcp-detect ADDRESS PORT SOURCE ALGORITHM SECONDS BIT/S|0 [old]
 *
 * 0: as fast as it goes. old: as on kernels that do not count timeouts.
 */
#include <arpa/inet.h>
#include <grp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backlog.h"
#include "source.h"

#define NOBODY 65534
#define PERIOD (PSP_SECOND / 30)        /* of pictures */

typedef struct
{
  int fd;
  unsigned segment;
  int64_t until, bitrate;
  int64_t written;              /* bytes, atomic */
  WaitWaker waker;              /* of who watches */
  WaitAlarm alarm;
  pthread_mutex_t lock;
  pthread_cond_t cond;
  bool wants_room, done;
} Writer;

/* Until there is room, which the watcher sees: time stamps in the error queue
 * would wake whoever else polls the socket until that has read them. */
static void
wait_for_room (Writer * w)
{
  pthread_mutex_lock (&w->lock);
  w->wants_room = true;
  wait_waker_wake (&w->waker);
  while (w->wants_room && !w->done)
    pthread_cond_wait (&w->cond, &w->lock);
  pthread_mutex_unlock (&w->lock);
}

static bool
set_room (Writer * w, bool room, bool done)
{
  bool wanted;

  pthread_mutex_lock (&w->lock);
  if (room)
    w->wants_room = false;
  w->done |= done;
  wanted = w->wants_room;
  if (room || done)
    pthread_cond_broadcast (&w->cond);
  pthread_mutex_unlock (&w->lock);
  return wanted;
}

/* Pictures at their times, or all the time; in a thread of its own, as in an
 * element. */
static void *
write_pictures (void *data)
{
  static uint8_t bytes[1 << 20];
  Writer *w = data;
  size_t picture = w->bitrate ? (size_t) (w->bitrate / 8 / 30) : sizeof bytes;
  int64_t next = wait_monotonic_now ();

  while (wait_monotonic_now () < w->until) {
    for (size_t done = 0; done < picture && wait_monotonic_now () < w->until;) {
      ssize_t n = itcp_tcp_write (w->fd, bytes, picture - done, w->segment);

      if (n > 0) {
        done += (size_t) n;
        __atomic_add_fetch (&w->written, n, __ATOMIC_RELAXED);
      } else {
        wait_for_room (w);
      }
    }
    next += PERIOD;
    if (w->bitrate)
      itcp_wait (-1, 0, NULL, next);
  }
  return NULL;
}

static long
counter (const char *name)
{
  char names[16384], values[16384];
  FILE *f = fopen ("/proc/self/net/netstat", "r");
  long found = -1;

  if (!f)
    return -1;
  while (fgets (names, sizeof names, f) && fgets (values, sizeof values, f)) {
    char *at_name, *at_value;
    char *n = strtok_r (names, " \n", &at_name);
    char *v = strtok_r (values, " \n", &at_value);

    for (; n && v; n = strtok_r (NULL, " \n", &at_name),
        v = strtok_r (NULL, " \n", &at_value))
      if (strcmp (n, name) == 0)
        found = atol (v);
  }
  fclose (f);
  return found;
}

static double
cpu_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void
print_event (const char *kind, unsigned n, int64_t kernel_time, int64_t now)
{
  for (unsigned i = 0; i < n; i++) {
    printf ("{\"event\": \"%s\", \"seen\": %lld", kind, (long long) now);
    if (kernel_time != PSP_TIME_UNKNOWN && i == 0)
      printf (", \"kernel\": %lld", (long long) kernel_time);
    printf ("}\n");
  }
}

static void
watch (ItcpSource * s, Writer * w)
{
  int64_t next_tick = wait_monotonic_now () + ITCP_BACKLOG_TICK;
  int64_t before = 0;
  ItcpBacklog backlog;
  ItcpReading reading;

  itcp_backlog_init (&backlog);
  for (;;) {
    int64_t now = wait_monotonic_now (), until = now + s->klass->interval;
    int got;

    if (now >= w->until)
      break;
    got = itcp_source_wait (s,
        set_room (w, false, false) ? ITCP_WAIT_WRITABLE : 0, &w->waker,
        &w->alarm, until < next_tick ? until : next_tick);
    if (got & ITCP_WAIT_WOKEN)
      wait_waker_clear (&w->waker);
    if (got & ITCP_WAIT_WRITABLE)
      set_room (w, true, false);
    if (wait_monotonic_now () >= next_tick)
      itcp_source_look_by (s, next_tick);
    if (itcp_source_read (s, &reading) < 0)
      break;
    now = wait_monotonic_now ();
    print_event ("rexmt", reading.found.rexmt, reading.rexmt_at, now);
    print_event ("dupack", reading.found.dupack, reading.dupack_at, now);
    if (now >= next_tick) {
      int64_t written = __atomic_load_n (&w->written, __ATOMIC_RELAXED);

      if (w->bitrate && itcp_backlog_tick (&backlog, itcp_tcp_unsent (s->fd),
              written - before, w->bitrate))
        print_event ("backlog", 1, PSP_TIME_UNKNOWN, now);
      before = written;
      next_tick += ITCP_BACKLOG_TICK;
    }
  }
  set_room (w, true, true);
}

int
main (int argc, char **argv)
{
  struct sockaddr_in to = {.sin_family = AF_INET };
  ItcpTcpConfig config = { 0 };
  ItcpSourceKind kind;
  ItcpTcpInfo info;
  ItcpSource s;
  Writer w = {.lock = PTHREAD_MUTEX_INITIALIZER,.cond = PTHREAD_COND_INITIALIZER
  };
  pthread_t thread;
  double cpu;

  if (argc < 7 || inet_pton (AF_INET, argv[1], &to.sin_addr) != 1)
    return 2;
  to.sin_port = htons ((uint16_t) atoi (argv[2]));
  kind = strcmp (argv[3], "tcp-info") == 0 ? ITCP_SOURCE_TCP_INFO :
      strncmp (argv[3], "bpf", 3) == 0 ? ITCP_SOURCE_BPF :
      ITCP_SOURCE_ERROR_QUEUE;
  config.congestion = argv[4];
  if (itcp_tcp_connect ((struct sockaddr *) &to, sizeof to, &config, &w.fd) < 0
      || itcp_wait (w.fd, ITCP_WAIT_WRITABLE, NULL,
          wait_monotonic_now () + 5 * PSP_SECOND) <= 0
      || itcp_tcp_take_error (w.fd) < 0) {
    fprintf (stderr, "cannot connect with %s\n", argv[4]);
    return 1;
  }
  /* To choose any algorithm takes privilege, and so does an own program in the
   * kernel; what follows takes none. */
  if (strcmp (argv[3], "bpf") == 0
      && (itcp_source_open (&s, kind, w.fd) < 0
          || strcmp (s.klass->name, argv[3]) != 0)) {
    fprintf (stderr, "no program of our own\n");
    return 1;
  }
  if (getuid () == 0 && (setgroups (0, NULL) < 0 || setgid (NOBODY) < 0 ||
          setuid (NOBODY) < 0))
    return 1;
  if (strcmp (argv[3], "bpf") != 0 && itcp_source_open (&s, kind, w.fd) < 0) {
    fprintf (stderr, "no %s\n", argv[3]);
    return 1;
  }
  if (itcp_tcp_info (w.fd, &info) < 0)
    return 1;
  if (argc > 7)
    itcp_source_ignore_total_rto (&s);
  setvbuf (stdout, NULL, _IOFBF, 1 << 20);

  if (wait_waker_open (&w.waker) < 0 || wait_alarm_open (&w.alarm) < 0)
    return 1;
  w.segment = s.klass->by_segment ? info.mss : 0;
  w.until = wait_monotonic_now () + atoi (argv[5]) * PSP_SECOND;
  w.bitrate = atoll (argv[6]);
  printf ("{\"event\": \"begin\", \"port\": %d, \"uid\": %d}\n",
      itcp_tcp_local_port (w.fd), (int) getuid ());
  if (pthread_create (&thread, NULL, write_pictures, &w))
    return 1;
  cpu = cpu_seconds ();
  watch (&s, &w);
  cpu = cpu_seconds () - cpu;
  printf
      ("{\"event\": \"end\", \"at\": %lld, \"timeouts\": %ld, \"recoveries\": %ld, "
      "\"cpu\": %f, \"acked\": %llu, \"stamps\": %llu}\n",
      (long long) wait_monotonic_now (), counter ("TCPTimeouts"),
      counter ("TCPSackRecovery") + counter ("TCPRenoRecovery"), cpu,
      itcp_tcp_info (w.fd,
          &info) == 0 ? (unsigned long long) info.bytes_acked : 0,
      (unsigned long long) s.stamps);
  pthread_join (thread, NULL);
  itcp_source_close (&s);
  itcp_tcp_close (w.fd);
  return 0;
}
