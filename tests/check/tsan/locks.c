/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * GLib's locks are futexes inside a library that ThreadSanitizer does not
 * instrument, so it would take everything they guard for a race. Linked into
 * a test, these take their place, for GStreamer too, on top of pthread locks,
 * which it understands. Only for -Db_sanitize=thread.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <gst/gst.h>

const char *__tsan_default_options (void);
void __tsan_acquire (void *address);
void __tsan_release (void *address);
void AnnotateIgnoreWritesBegin (const char *file, int line);
void AnnotateIgnoreWritesEnd (const char *file, int line);

/* What libraries that it does not instrument do to memory is no news. */
const char *
__tsan_default_options (void)
{
  return "ignore_noninstrumented_modules=1";
}

/* Some of the system's plugins start threads when they are loaded, after which
 * tests could not fork: the registry is filled by another process. */
static void __attribute__((constructor))
    fill_registry (void)
{
  const char *registry = getenv ("GST_REGISTRY");
  pid_t child;

  if (!registry || access (registry, F_OK) == 0)
    return;
  child = fork ();
  if (child == 0) {
    gst_init (NULL, NULL);
    _exit (0);
  }
  waitpid (child, NULL, 0);
}

static void *
published (gpointer * at, void *made, void (*destroy) (void *))
{
  void *there = NULL;

  if (__atomic_compare_exchange_n ((void **) at, &there, made, 0,
          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return made;
  destroy (made);
  return there;
}

static void
free_mutex (void *mutex)
{
  pthread_mutex_destroy (mutex);
  free (mutex);
}

static void
free_cond (void *cond)
{
  pthread_cond_destroy (cond);
  free (cond);
}

static void
free_rwlock (void *lock)
{
  pthread_rwlock_destroy (lock);
  free (lock);
}

static pthread_mutex_t *
get_mutex (gpointer * at, int type)
{
  void *there = __atomic_load_n ((void **) at, __ATOMIC_SEQ_CST);
  pthread_mutexattr_t attributes;
  pthread_mutex_t *made;

  if (there)
    return there;
  made = malloc (sizeof *made);
  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, type);
  pthread_mutex_init (made, &attributes);
  pthread_mutexattr_destroy (&attributes);
  return published (at, made, free_mutex);
}

#define MUTEX(m) get_mutex (&(m)->p, PTHREAD_MUTEX_NORMAL)
#define REC_MUTEX(m) get_mutex (&(m)->p, PTHREAD_MUTEX_RECURSIVE)

static pthread_cond_t *
get_cond (GCond * cond)
{
  void *there = __atomic_load_n ((void **) &cond->p, __ATOMIC_SEQ_CST);
  pthread_condattr_t attributes;
  pthread_cond_t *made;

  if (there)
    return there;
  made = malloc (sizeof *made);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (made, &attributes);
  pthread_condattr_destroy (&attributes);
  return published (&cond->p, made, free_cond);
}

static pthread_rwlock_t *
get_rwlock (GRWLock * lock)
{
  void *there = __atomic_load_n ((void **) &lock->p, __ATOMIC_SEQ_CST);
  pthread_rwlock_t *made;

  if (there)
    return there;
  made = malloc (sizeof *made);
  pthread_rwlock_init (made, NULL);
  return published (&lock->p, made, free_rwlock);
}

/* Whoever drops the last reference to what a lock is part of clears the lock,
 * behind all that others did with it. References are counted inside GLib, as of
 * a GTask that is waited for. So each function below that may be a thread's last
 * use of a lock releases the lock's address, and this acquires it. The unlocking
 * itself comes after that release, so the destruction is not judged. */
static void
clear (gpointer * at, void (*destroy) (void *))
{
  __tsan_acquire (at);
  AnnotateIgnoreWritesBegin (__FILE__, __LINE__);
  if (*at)
    destroy (*at);
  *at = NULL;
  AnnotateIgnoreWritesEnd (__FILE__, __LINE__);
}

void
g_mutex_init (GMutex * mutex)
{
  mutex->p = NULL;
}

void
g_mutex_clear (GMutex * mutex)
{
  clear (&mutex->p, free_mutex);
}

void
g_mutex_lock (GMutex * mutex)
{
  pthread_mutex_lock (MUTEX (mutex));
}

gboolean
g_mutex_trylock (GMutex * mutex)
{
  return pthread_mutex_trylock (MUTEX (mutex)) == 0;
}

void
g_mutex_unlock (GMutex * mutex)
{
  pthread_mutex_t *m = MUTEX (mutex);

  __tsan_release (mutex);
  pthread_mutex_unlock (m);
}

void
g_rec_mutex_init (GRecMutex * mutex)
{
  mutex->p = NULL;
}

void
g_rec_mutex_clear (GRecMutex * mutex)
{
  clear (&mutex->p, free_mutex);
}

void
g_rec_mutex_lock (GRecMutex * mutex)
{
  pthread_mutex_lock (REC_MUTEX (mutex));
}

gboolean
g_rec_mutex_trylock (GRecMutex * mutex)
{
  return pthread_mutex_trylock (REC_MUTEX (mutex)) == 0;
}

void
g_rec_mutex_unlock (GRecMutex * mutex)
{
  pthread_mutex_t *m = REC_MUTEX (mutex);

  __tsan_release (mutex);
  pthread_mutex_unlock (m);
}

void
g_rw_lock_init (GRWLock * lock)
{
  lock->p = NULL;
}

void
g_rw_lock_clear (GRWLock * lock)
{
  clear (&lock->p, free_rwlock);
}

void
g_rw_lock_writer_lock (GRWLock * lock)
{
  pthread_rwlock_wrlock (get_rwlock (lock));
}

gboolean
g_rw_lock_writer_trylock (GRWLock * lock)
{
  return pthread_rwlock_trywrlock (get_rwlock (lock)) == 0;
}

void
g_rw_lock_writer_unlock (GRWLock * lock)
{
  pthread_rwlock_t *l = get_rwlock (lock);

  __tsan_release (lock);
  pthread_rwlock_unlock (l);
}

void
g_rw_lock_reader_lock (GRWLock * lock)
{
  pthread_rwlock_rdlock (get_rwlock (lock));
}

gboolean
g_rw_lock_reader_trylock (GRWLock * lock)
{
  return pthread_rwlock_tryrdlock (get_rwlock (lock)) == 0;
}

void
g_rw_lock_reader_unlock (GRWLock * lock)
{
  pthread_rwlock_t *l = get_rwlock (lock);

  __tsan_release (lock);
  pthread_rwlock_unlock (l);
}

void
g_cond_init (GCond * cond)
{
  cond->p = NULL;
}

void
g_cond_clear (GCond * cond)
{
  clear (&cond->p, free_cond);
}

void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  pthread_cond_t *c = get_cond (cond);

  __tsan_release (cond);
  pthread_cond_wait (c, MUTEX (mutex));
}

gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end_time)
{
  pthread_cond_t *c = get_cond (cond);
  struct timespec until;

  __tsan_release (cond);
  until.tv_sec = end_time / G_USEC_PER_SEC;
  until.tv_nsec = end_time % G_USEC_PER_SEC * 1000;
  return pthread_cond_timedwait (c, MUTEX (mutex), &until) == 0;
}

void
g_cond_signal (GCond * cond)
{
  pthread_cond_t *c = get_cond (cond);

  __tsan_release (cond);
  pthread_cond_signal (c);
}

void
g_cond_broadcast (GCond * cond)
{
  pthread_cond_t *c = get_cond (cond);

  __tsan_release (cond);
  pthread_cond_broadcast (c);
}

/* A harness hands buffers over through GAsyncQueue, which calls its lock
 * inside GLib: what came before the push is said to come before the pop. */
#define NEXT(function) ((__typeof__ (&function)) dlsym (RTLD_NEXT, #function))

static gpointer
taken_over (gpointer data)
{
  if (data)
    __tsan_acquire (data);
  return data;
}

void
g_async_queue_push (GAsyncQueue * queue, gpointer data)
{
  __tsan_release (data);
  NEXT (g_async_queue_push) (queue, data);
}

gpointer
g_async_queue_pop (GAsyncQueue * queue)
{
  return taken_over (NEXT (g_async_queue_pop) (queue));
}

gpointer
g_async_queue_try_pop (GAsyncQueue * queue)
{
  return taken_over (NEXT (g_async_queue_try_pop) (queue));
}

gpointer
g_async_queue_timeout_pop (GAsyncQueue * queue, guint64 timeout)
{
  return taken_over (NEXT (g_async_queue_timeout_pop) (queue, timeout));
}

/* A buffer goes back to its pool with its last reference, whose atomic count
 * is inside GStreamer. */
void
gst_mini_object_unref (GstMiniObject * object)
{
  __tsan_release (object);
  NEXT (gst_mini_object_unref) (object);
}

GstFlowReturn
gst_buffer_pool_acquire_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  GstFlowReturn ret =
      NEXT (gst_buffer_pool_acquire_buffer) (pool, buffer, params);

  if (ret == GST_FLOW_OK)
    taken_over (*buffer);
  return ret;
}
