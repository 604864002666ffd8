/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Preloaded into a program built with -finstrument-functions: writes each
 * function's entry and exit to the folder that JOURNEYS_TRACE names, one file a
 * thread, and at the end what is mapped where. journeys.py reads them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define N_RECORDS 65536         /* 1 MiB a thread: seldom written */
#define EXIT (UINT64_C (1) << 63)       /* no address of a program has it */

typedef struct
{
  uint64_t time;                /* ns, monotonic, of all threads */
  uint64_t function;            /* its address, and EXIT */
} Record;

typedef struct Thread
{
  struct Thread *next;
  int fd;
  unsigned n;
  Record records[N_RECORDS];
} Thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Thread *threads;         /* they stay until the end */
static unsigned n_threads;
static __thread Thread *mine;

void __cyg_profile_func_enter (void *function, void *caller);
void __cyg_profile_func_exit (void *function, void *caller);

static int
create (const char *name, unsigned number)
{
  const char *folder = getenv ("JOURNEYS_TRACE");
  char path[4096];

  if (!folder)
    return -1;
  snprintf (path, sizeof path, "%s/%ld-%s-%u", folder, (long) getpid (), name,
      number);
  return open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static void
write_all (int fd, const void *data, size_t size)
{
  const char *from = data;

  while (size > 0) {
    ssize_t n = write (fd, from, size);

    if (n <= 0)
      abort ();                 /* half a trace counts wrongly */
    from += n;
    size -= n;
  }
}

static void
flush (Thread * t)
{
  if (t->fd >= 0)
    write_all (t->fd, t->records, t->n * sizeof *t->records);
  t->n = 0;
}

static Thread *
begin (void)
{
  Thread *t = calloc (1, sizeof *t);

  if (!t)
    abort ();
  pthread_mutex_lock (&lock);
  t->fd = create ("thread", n_threads++);
  t->next = threads;
  threads = t;
  pthread_mutex_unlock (&lock);
  return t;
}

static void
record (uint64_t function)
{
  struct timespec now;

  if (!mine)
    mine = begin ();
  clock_gettime (CLOCK_MONOTONIC, &now);
  mine->records[mine->n].time = now.tv_sec * UINT64_C (1000000000) +
      now.tv_nsec;
  mine->records[mine->n].function = function;
  if (++mine->n == N_RECORDS)
    flush (mine);
}

void
__cyg_profile_func_enter (void *function, void *caller)
{
  (void) caller;
  record ((uint64_t) (uintptr_t) function);
}

void
__cyg_profile_func_exit (void *function, void *caller)
{
  (void) caller;
  record ((uint64_t) (uintptr_t) function | EXIT);
}

/* Other threads have ended, or wait. */
static void __attribute__((destructor))
    end (void)
{
  FILE *maps = fopen ("/proc/self/maps", "r");
  int fd = create ("maps", 0);
  char text[4096];
  size_t n;

  pthread_mutex_lock (&lock);
  for (Thread * t = threads; t; t = t->next)
    flush (t);
  pthread_mutex_unlock (&lock);
  while (maps && fd >= 0 && (n = fread (text, 1, sizeof text, maps)) > 0)
    write_all (fd, text, n);
  if (maps)
    fclose (maps);
}
