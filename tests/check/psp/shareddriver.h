/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drives many engines with one thread, each on a socket of its own. The thread
 * never spins, has ordinary scheduling, and leaves the CPUs their idle states.
 * In a round each engine that is due does one thing, so that none delays the
 * others by more than its system call.
 */
#ifndef SHAREDDRIVER_H
#define SHAREDDRIVER_H

#include "gstpspengine.h"

G_BEGIN_DECLS

typedef struct _SharedDriver SharedDriver;
typedef struct _Session Session;

/* NULL when out of file descriptors. */
SharedDriver *shared_driver_new (void);
/* Once all sessions are removed. */
void shared_driver_free (SharedDriver * d);

/* Takes the engine, which is playing or not; the prepared socket stays the
 * caller's. */
Session *shared_driver_add (SharedDriver * d,
    GstPspEngine * engine, int fd, const PspAddress * destination);
/* Frees the engine; when it returns, the socket is not used any more. */
void session_remove (Session * s);

/* The engine, for whoever queues packets or changes its settings; never to be
 * held across anything that blocks. Unlocked, what changed takes effect. */
GstPspEngine *session_lock (Session * s);
void session_unlock (Session * s);

G_END_DECLS

#endif
