/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drives many engines with one thread, each on a socket of its own. The thread
 * never spins, has ordinary scheduling, and leaves the CPUs their idle states.
 * In a round each engine that is due does one thing, so that none delays the
 * others by more than its system call. Changes of routes and of their MTU are
 * for the owner to see.
 */
#ifndef __GST_PSP_SHARED_DRIVER_H__
#define __GST_PSP_SHARED_DRIVER_H__

#include "gstpspengine.h"
#include "gstpspnotifier.h"

G_BEGIN_DECLS

typedef struct _GstPspSharedDriver GstPspSharedDriver;
typedef struct _GstPspSession GstPspSession;

/* NULL when out of file descriptors. */
GstPspSharedDriver *gst_psp_shared_driver_new (void);
/* Once all sessions are removed. */
void gst_psp_shared_driver_free (GstPspSharedDriver * d);

/* Takes the engine, which is playing or not; the prepared socket stays the
 * caller's. The notifier, if there is one, must outlive the session. */
GstPspSession *gst_psp_shared_driver_add (GstPspSharedDriver * d,
    GstPspEngine * engine, int fd, const PspAddress * destination,
    GstPspNotifier * notifier);
/* Frees the engine; when it returns, the socket is not used any more. */
void gst_psp_session_remove (GstPspSession * s);

/* The engine, for whoever queues packets or changes its settings; never to be
 * held across anything that blocks. Unlocked, what changed takes effect. */
GstPspEngine *gst_psp_session_lock (GstPspSession * s);
void gst_psp_session_unlock (GstPspSession * s);

G_END_DECLS

#endif
