/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Engines in virtual time, for their tests: packets that are queued, what leaves,
 * and reports of it.
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "gstpspengine.h"

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);

#define N_PACKETS 25            /* of an engine */
#define SPACING (20 * PSP_MSECOND)
#define SIZE 100                /* bytes of a packet */
#define RTT (40 * PSP_MSECOND)
#define MAX_POLLS (20 * N_PACKETS)      /* some timers a slot; no thread is
                                           kept busy */
#define TRANSPORT_ID 5          /* of the extension */

typedef struct
{
  GstPspEngine *engine;
  int fault;                    /* errno of each packet, or 0 */
  gint64 until;                 /* the fault ends */
  gint64 due_at;
  gboolean blocked;
  guint n_polls, n_warnings, n_notices, n_key_frames, n_requests, n_repairs;
  gchar warning[500];           /* the last */
  guint n_sent;
  gint64 sent_at[N_PACKETS];
  guint16 seqs[N_PACKETS];
  guint n_numbered;             /* packets with a transport-wide number */
  guint16 number;               /* of the last of them */
} Member;

extern guint8 media_type;       /* payload type of queue_packet() */
extern guint n_freed;           /* buffers */
extern gboolean stamped;        /* a payloader gave transport-wide numbers */
extern guint16 last_seq;        /* sent by run_media() */
extern guint32 reporter_ssrc;   /* RTCP SSRC of report() */

/* It plays; "fixed" sends a packet each SPACING. */
GstPspEngine *make_engine (const gchar * controller, gint64 now);
/* It sends to 192.0.2.1, port 5004. */
void open_engine (GstPspEngine * engine);
/* Such a one of "poise", which no packet is too late for. */
GstPspEngine *make_open_engine (void);

void queue_packet (GstPspEngine * engine, guint32 ssrc, guint16 seq,
    gint64 now);
void queue_packets (GstPspEngine * engine, guint32 ssrc, gint64 now);
/* Its transport-wide number; FALSE: the packet has none. */
gboolean read_number (GstBuffer * packet, guint16 * number);

/* What is to be done at this time; the rest is due at m->due_at. */
void run_member (Member * m, gint64 now);
/* A packet is queued each 20 ms, if few wait. */
void run_media (Member * m, guint from_ms, guint to_ms);

/* A datagram from 192.0.2.1. */
void receive_from (GstPspEngine * engine, guint16 port, const guint8 * data,
    gsize size, gint64 now);
gsize write_ccfb (guint8 * data, gsize room, guint16 seq, gint64 now);
/* The receiver's host reports packet `seq` from this port. */
void report (GstPspEngine * engine, guint16 port, guint16 seq, gint64 now);
void request_packets (GstPspEngine * engine, guint16 port, guint16 number,
    guint16 following, gint64 now);
/* A target below 0 is any. */
void check_feedback (GstPspEngine * engine, guint ms, PspReportKind kind,
    gint64 target);

#endif
