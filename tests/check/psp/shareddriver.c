/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "shareddriver.h"

#include <errno.h>
#include <rtpfeedback/rtcp.h>

/* The sockets are looked at so often while packets leave one after another. */
#define POLL_INTERVAL PSP_MSECOND

struct _Session
{
  SharedDriver *driver;
  GstPspEngine *engine;
  PspAddress destination;
  PspUdpSender udp;
  gint64 due_at;
  gboolean blocked;             /* it waits for the socket to be writable */
  gboolean dead;                /* the socket cannot be read */
};

struct _SharedDriver
{
  GThread *thread;
  WaitWaker waker;

  GMutex lock;                  /* of the engines and all below */
  GCond cond;                   /* busy changed */
  GPtrArray *sessions;
  guint changes;                /* of that array */
  Session *busy;                /* in a system call, without the lock */
  gboolean running;
  gboolean waiting;

  /* Of the thread alone. */
  GstPspBatch batch;
  guint8 datagram[GST_PSP_FEEDBACK_SIZE];
  GArray *fds;                  /* struct pollfd: the waker, the sessions */
  gint64 polled_at;
};

/* All below down to the thread: with the lock. */

static void
wake (SharedDriver * d)
{
  if (d->waiting)
    wait_waker_wake (&d->waker);
  d->waiting = FALSE;
}

/* What is between these two is without the lock, and the session stays. */
static void
leave (Session * s)
{
  s->driver->busy = s;
  g_mutex_unlock (&s->driver->lock);
}

static void
enter (Session * s)
{
  g_mutex_lock (&s->driver->lock);
  s->driver->busy = NULL;
  g_cond_broadcast (&s->driver->cond);
}

/* What time a packet's time stamp stands for is not known here. */
static void
send_rtcp (Session * s, gint64 now)
{
  guint8 data[GST_PSP_RTCP_SIZE];
  PspUdpPacket packet = {.n_iov = 1 };
  int error;

  packet.iov[0].iov_base = data;
  while ((packet.size = gst_psp_engine_pack_rtcp (s->engine, now,
              psp_rtcp_ntp (wait_wall_now ()), PSP_TIME_UNKNOWN, FALSE,
              data)) > 0) {
    packet.iov[0].iov_len = packet.size;
    leave (s);
    psp_udp_send (&s->udp, &s->destination, &packet, 1, &error);
    enter (s);
  }
}

/* Does the next thing that is due; nobody hears of notices and warnings. */
static void
step (Session * s)
{
  SharedDriver *d = s->driver;
  gint64 now = wait_monotonic_now ();
  GstPspReply reply;

  switch (gst_psp_engine_poll (s->engine, now, &d->batch, &reply)) {
    case GST_PSP_REPLY_SEND:
      leave (s);
      gst_psp_batch_send (&d->batch, &s->udp, &s->destination);
      enter (s);
      gst_psp_engine_sent (s->engine, &d->batch, now);
      break;
    case GST_PSP_REPLY_RTCP:
      send_rtcp (s, now);
      break;
    case GST_PSP_REPLY_NOTICE:
      gst_congestion_info_free (reply.info);
      break;
    case GST_PSP_REPLY_KEY_FRAME:
    case GST_PSP_REPLY_RETRANSMISSION:
      break;
    case GST_PSP_REPLY_WARNING:
      g_free (reply.text);
      g_free (reply.debug);
      break;
    case GST_PSP_REPLY_WAIT:
      s->due_at = MIN (reply.slot, reply.timer);
      s->blocked = reply.blocked;
      break;
  }
}

/* One thing for each session that is due; when the next is. */
static gint64
run_round (SharedDriver * d)
{
  gint64 now = wait_monotonic_now (), next = PSP_TIME_NEVER;

  for (guint i = 0; i < d->sessions->len; i++) {
    Session *s = g_ptr_array_index (d->sessions, i);

    if (s->due_at <= now)
      step (s);
    next = MIN (next, s->due_at);
  }
  return next;
}

static void
list_fds (SharedDriver * d)
{
  struct pollfd fd = {.fd = d->waker.fd,.events = POLLIN };

  g_array_set_size (d->fds, 0);
  g_array_append_val (d->fds, fd);
  for (guint i = 0; i < d->sessions->len; i++) {
    const Session *s = g_ptr_array_index (d->sessions, i);

    fd.fd = s->dead ? -1 : s->udp.fd;
    fd.events = POLLIN | (s->blocked ? POLLOUT : 0);
    g_array_append_val (d->fds, fd);
  }
}

static void
handle_events (Session * s, int events)
{
  PspUdpDatagram datagram = {.data = s->driver->datagram,.capacity =
        sizeof s->driver->datagram
  };
  int n;

  if (events & POLLNVAL) {
    s->dead = TRUE;
    gst_psp_engine_failed (s->engine, EBADF, wait_monotonic_now ());
  } else if (events & ~POLLOUT) {
    leave (s);
    n = psp_udp_receive (s->udp.fd, &datagram, 1);
    enter (s);
    if (n > 0)
      gst_psp_engine_receive (s->engine, &datagram.from, datagram.data,
          MIN (datagram.size, datagram.capacity), wait_monotonic_now ());
  }
  if (events & POLLOUT)
    gst_psp_engine_writable (s->engine);
  s->due_at = PSP_TIME_UNKNOWN; /* at once */
}

/* Until then, until a socket has something, or until a wake. */
static void
wait_for (SharedDriver * d, gint64 until)
{
  struct pollfd *fds;
  guint changes = d->changes;

  list_fds (d);
  fds = (struct pollfd *) d->fds->data;
  d->waiting = TRUE;
  g_mutex_unlock (&d->lock);
  wait_poll (fds, d->fds->len, until);
  if (fds[0].revents)
    wait_waker_clear (&d->waker);
  g_mutex_lock (&d->lock);
  d->waiting = FALSE;
  d->polled_at = wait_monotonic_now ();
  /* Where sessions came or went, the next look finds the same. */
  for (guint i = 1; i < d->fds->len && changes == d->changes; i++)
    if (fds[i].revents)
      handle_events (g_ptr_array_index (d->sessions, i - 1), fds[i].revents);
}

static gpointer
run (gpointer data)
{
  SharedDriver *d = data;

  psp_precision_request (FALSE);
  g_mutex_lock (&d->lock);
  while (d->running) {
    gint64 next = run_round (d), now = wait_monotonic_now ();

    if (d->running && (next > now || now - d->polled_at >= POLL_INTERVAL))
      wait_for (d, next);
  }
  g_mutex_unlock (&d->lock);
  return NULL;
}

/* Any thread, without the lock. */

SharedDriver *
shared_driver_new (void)
{
  SharedDriver *d = g_new0 (SharedDriver, 1);

  if (wait_waker_open (&d->waker) < 0) {
    g_free (d);
    return NULL;
  }
  g_mutex_init (&d->lock);
  g_cond_init (&d->cond);
  d->sessions = g_ptr_array_new ();
  d->fds = g_array_new (FALSE, FALSE, sizeof (struct pollfd));
  d->running = TRUE;
  d->thread = g_thread_new ("psp:pace", run, d);
  return d;
}

void
shared_driver_free (SharedDriver * d)
{
  g_mutex_lock (&d->lock);
  d->running = FALSE;
  wake (d);
  g_mutex_unlock (&d->lock);
  g_thread_join (d->thread);
  gst_psp_batch_clear (&d->batch);
  g_array_unref (d->fds);
  g_ptr_array_unref (d->sessions);
  wait_waker_close (&d->waker);
  g_mutex_clear (&d->lock);
  g_cond_clear (&d->cond);
  g_free (d);
}

Session *
shared_driver_add (SharedDriver * d, GstPspEngine * engine,
    int fd, const PspAddress * destination)
{
  Session *s = g_new0 (Session, 1);

  s->driver = d;
  s->engine = engine;
  s->destination = *destination;
  psp_udp_sender_init (&s->udp, fd);
  gst_psp_engine_open (engine, destination, wait_monotonic_now ());
  gst_psp_engine_set_pairs (engine, TRUE);
  g_mutex_lock (&d->lock);
  g_ptr_array_add (d->sessions, s);
  d->changes++;
  wake (d);
  g_mutex_unlock (&d->lock);
  return s;
}

void
session_remove (Session * s)
{
  SharedDriver *d = s->driver;

  g_mutex_lock (&d->lock);
  while (d->busy == s)
    g_cond_wait (&d->cond, &d->lock);
  g_ptr_array_remove (d->sessions, s);
  d->changes++;
  wake (d);
  g_mutex_unlock (&d->lock);
  gst_psp_engine_free (s->engine);
  g_free (s);
}

GstPspEngine *
session_lock (Session * s)
{
  g_mutex_lock (&s->driver->lock);
  return s->engine;
}

void
session_unlock (Session * s)
{
  s->due_at = PSP_TIME_UNKNOWN; /* at once */
  wake (s->driver);
  g_mutex_unlock (&s->driver->lock);
}
