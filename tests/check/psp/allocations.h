/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: the C library's allocator with a counter before it, which GLib,
 * GStreamer and the plugins find before the library's own. One file of a
 * program includes this. G_SLICE=always-malloc has slices counted, too.
 */
#ifndef TEST_ALLOCATIONS_H
#define TEST_ALLOCATIONS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <glib.h>

/* Whose allocations: by how the name of the thread begins. */
typedef enum
{
  ALLOCATIONS_PUSH,             /* the one that called allocations_push_here() */
  ALLOCATIONS_PACE,
  ALLOCATIONS_NOTIFY,           /* threads that GLib's thread pools share */
  ALLOCATIONS_SOURCE,
  ALLOCATIONS_OTHER,
  ALLOCATIONS_KINDS
} AllocationsKind;

typedef struct
{
  guint n[ALLOCATIONS_KINDS];
} Allocations;

static const char *const allocations_threads[ALLOCATIONS_KINDS] = {
  "push", "pspsink:pace", "pool-", "source:src", "other"
};

static gint allocations_on;     /* atomic, as the counts */
static gint allocations_n[ALLOCATIONS_KINDS];
static __thread gboolean allocations_pushes;
static __thread guint allocations_pause;

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *memory, size_t size);
void *__libc_memalign (size_t alignment, size_t size);
void *memalign (size_t alignment, size_t size);

/* Allocates nothing itself. */
static void
allocations_note (void)
{
  AllocationsKind kind = ALLOCATIONS_PUSH;
  char name[16] = "";

  if (!g_atomic_int_get (&allocations_on) || allocations_pause > 0)
    return;
  if (!allocations_pushes) {
    prctl (PR_GET_NAME, name);
    for (kind = ALLOCATIONS_PACE; kind < ALLOCATIONS_OTHER; kind++)
      if (strncmp (name, allocations_threads[kind],
              strlen (allocations_threads[kind])) == 0)
        break;
  }
  g_atomic_int_inc (&allocations_n[kind]);
}

void *
malloc (size_t size)
{
  allocations_note ();
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  allocations_note ();
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  allocations_note ();
  return __libc_realloc (memory, size);
}

void *
memalign (size_t alignment, size_t size)
{
  allocations_note ();
  return __libc_memalign (alignment, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return memalign (alignment, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  void *block = memalign (alignment, size);

  if (!block)
    return ENOMEM;
  *memory = block;
  return 0;
}

static inline void
allocations_push_here (void)
{
  allocations_pushes = TRUE;
}

static inline void
allocations_start (void)
{
  for (guint i = 0; i < ALLOCATIONS_KINDS; i++)
    g_atomic_int_set (&allocations_n[i], 0);
  g_atomic_int_set (&allocations_on, TRUE);
}

static inline Allocations
allocations_stop (void)
{
  Allocations a;

  g_atomic_int_set (&allocations_on, FALSE);
  for (guint i = 0; i < ALLOCATIONS_KINDS; i++)
    a.n[i] = (guint) g_atomic_int_get (&allocations_n[i]);
  return a;
}

/* FALSE where another allocator stands before this one (valgrind's, say), or
 * slices are not malloc's. */
static inline gboolean
allocations_are_seen (void)
{
  Allocations a;

  allocations_push_here ();
  allocations_start ();
  g_free (g_malloc (40));
  g_free (g_malloc0 (40));
  g_free (g_realloc (NULL, 40));
  g_slice_free1 (40, g_slice_alloc (40));
  a = allocations_stop ();
  return a.n[ALLOCATIONS_PUSH] == 4;
}

#endif
