/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspcore.h"

#include "core/call.h"

GST_DEBUG_CATEGORY_STATIC (gst_psp_calls_debug);
#define GST_CAT_DEFAULT gst_psp_calls_debug

static gint n_sessions;

/* As GST_TRACE decides, before anything is put together. */
static inline gboolean
is_recording (void)
{
#ifndef GST_DISABLE_GST_DEBUG
  return G_UNLIKELY (_gst_debug_min >= GST_LEVEL_TRACE &&
      gst_debug_category_get_threshold (GST_CAT_DEFAULT) >= GST_LEVEL_TRACE);
#else
  return FALSE;
#endif
}

static void
record (const GstPspCore * c, const PspCall * call)
{
  gchar line[PSP_CALL_LINE + 1];
  gsize size = psp_call_format (call, line, sizeof line - 1);

  line[size] = '\0';
  GST_TRACE_OBJECT (c->element, "psp-call %u %s", c->number, line);
}

/* A call of which only what it left behind shows what it did. */
static void
record_state (const GstPspCore * c, PspCall * call, gint64 now)
{
  psp_call_out_state (call, c->sender, now);
  record (c, call);
}

/* A call with the time alone. */
static void
record_time (const GstPspCore * c, PspCallKind kind, gint64 now)
{
  PspCall call;

  psp_call_begin (&call, kind);
  psp_call_in (&call, now);
  record_state (c, &call, now);
}

/* A call with the time, and the one number that it answered. */
static void
record_answer (const GstPspCore * c, PspCallKind kind, gint64 now,
    gint64 answer)
{
  PspCall call;

  psp_call_begin (&call, kind);
  psp_call_in (&call, now);
  psp_call_out (&call, answer);
  record (c, &call);
}

/* A setting, which takes effect with other calls. */
static void
record_setting (const GstPspCore * c, PspCallKind kind, gint64 value)
{
  PspCall call;

  psp_call_begin (&call, kind);
  psp_call_in (&call, value);
  record (c, &call);
}

static void
record_new (const GstPspCore * c, const PspSenderConfig * config, gint64 now)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_NEW);
  call.controller = config->controller;
  psp_call_in_limits (&call, &config->limits);
  psp_call_in (&call, config->pairs);
  psp_call_in (&call, config->random_seed);
  psp_call_in (&call, now);
  psp_call_octets (&call, config->cname, strlen (config->cname));
  record_state (c, &call, now);
}

gboolean
gst_psp_core_init (GstPspCore * c, GstElement * element,
    const PspSenderConfig * config, gint64 now)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_psp_calls_debug, "pspcalls", 0,
        "calls of the sender core, to be replayed");
    g_once_init_leave (&once, 1);
  }
  c->element = element;
  c->number = (guint) g_atomic_int_add (&n_sessions, 1);
  c->sender = psp_sender_new (config, now);
  if (c->sender && is_recording ())
    record_new (c, config, now);
  return c->sender != NULL;
}

void
gst_psp_core_clear (GstPspCore * c)
{
  psp_sender_free (c->sender);
  c->sender = NULL;
}

gboolean
gst_psp_core_set_controller (GstPspCore * c, const PspControllerClass * klass,
    gint64 now)
{
  gboolean ok = psp_sender_set_controller (c->sender, klass, now);
  PspCall call;

  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_SET_CONTROLLER);
    call.controller = klass;
    psp_call_in (&call, now);
    psp_call_out (&call, ok);
    record_state (c, &call, now);
  }
  return ok;
}

const PspControllerClass *
gst_psp_core_controller (const GstPspCore * c)
{
  return psp_sender_controller (c->sender);
}

gboolean
gst_psp_core_is_stopped (const GstPspCore * c)
{
  return psp_sender_is_stopped (c->sender);
}

void
gst_psp_core_set_limits (GstPspCore * c, const PspLimits * limits, gint64 now)
{
  PspCall call;

  psp_sender_set_limits (c->sender, limits, now);
  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_SET_LIMITS);
    psp_call_in_limits (&call, limits);
    psp_call_in (&call, now);
    record_state (c, &call, now);
  }
}

void
gst_psp_core_set_pairs (GstPspCore * c, gboolean pairs)
{
  psp_sender_set_pairs (c->sender, pairs);
  if (is_recording ())
    record_setting (c, PSP_CALL_SET_PAIRS, pairs);
}

void
gst_psp_core_set_clock_rate (GstPspCore * c, guint32 clock_rate)
{
  psp_sender_set_clock_rate (c->sender, clock_rate);
  if (is_recording ())
    record_setting (c, PSP_CALL_SET_CLOCK_RATE, clock_rate);
}

void
gst_psp_core_reset (GstPspCore * c, gint64 now)
{
  psp_sender_reset (c->sender, now);
  if (is_recording ())
    record_time (c, PSP_CALL_RESET, now);
}

void
gst_psp_core_resume (GstPspCore * c, gint64 now)
{
  psp_sender_resume (c->sender, now);
  if (is_recording ())
    record_time (c, PSP_CALL_RESUME, now);
}

guint
gst_psp_core_allowance (GstPspCore * c, gint64 now, guint max, gint64 * next_at)
{
  guint n = psp_sender_allowance (c->sender, now, max, next_at);
  PspCall call;

  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_ALLOWANCE);
    psp_call_in (&call, now);
    psp_call_in (&call, max);
    psp_call_out (&call, n);
    psp_call_out (&call, *next_at);
    record (c, &call);
  }
  return n;
}

void
gst_psp_core_sent (GstPspCore * c, const PspRtpHeader * header,
    gint64 media_time, gint64 now, gboolean backlog)
{
  PspCall call;

  psp_sender_sent (c->sender, header, media_time, now, backlog);
  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_SENT);
    psp_call_in_header (&call, header);
    psp_call_in (&call, media_time);
    psp_call_in (&call, now);
    psp_call_in (&call, backlog);
    record_state (c, &call, now);
  }
}

gboolean
gst_psp_core_media_allowed (GstPspCore * c, gint64 now)
{
  gboolean allowed = psp_sender_media_allowed (c->sender, now);

  if (is_recording ())
    record_answer (c, PSP_CALL_MEDIA_ALLOWED, now, allowed);
  return allowed;
}

void
gst_psp_core_rtcp (GstPspCore * c, const guint8 * data, gsize size,
    gint64 now, bool *bye_seen)
{
  PspCall call;

  psp_sender_rtcp (c->sender, data, size, now, bye_seen);
  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_RTCP);
    psp_call_octets (&call, data, size);
    psp_call_in (&call, now);
    psp_call_out (&call, *bye_seen);
    record_state (c, &call, now);
  }
}

gint64
gst_psp_core_next_tick (GstPspCore * c, gint64 now)
{
  gint64 next = psp_sender_next_tick (c->sender, now);

  if (is_recording ())
    record_answer (c, PSP_CALL_NEXT_TICK, now, next);
  return next;
}

void
gst_psp_core_tick (GstPspCore * c, gint64 now)
{
  psp_sender_tick (c->sender, now);
  if (is_recording ())
    record_time (c, PSP_CALL_TICK, now);
}

gboolean
gst_psp_core_take_notice (GstPspCore * c, gint64 now, PspNotice * notice)
{
  gboolean due = psp_sender_take_notice (c->sender, now, notice);
  PspNotice content;
  PspCall call;

  if (is_recording ()) {
    psp_sender_notice (c->sender, &content);
    psp_call_begin (&call, PSP_CALL_TAKE_NOTICE);
    psp_call_in (&call, now);
    psp_call_out (&call, due);
    psp_call_out_notice (&call, due ? notice : &content);
    record (c, &call);
  }
  return due;
}

void
gst_psp_core_notice (GstPspCore * c, PspNotice * notice)
{
  PspCall call;

  psp_sender_notice (c->sender, notice);
  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_NOTICE);
    psp_call_out_notice (&call, notice);
    record (c, &call);
  }
}

gsize
gst_psp_core_pack_rtcp (GstPspCore * c, gint64 now, guint64 ntp,
    gint64 media_now, gboolean bye, guint8 * data, gsize capacity)
{
  gsize size = psp_sender_pack_rtcp (c->sender, now, ntp, media_now, bye, data,
      capacity);
  PspCall call;

  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_PACK_RTCP);
    psp_call_in (&call, now);
    psp_call_in (&call, (gint64) ntp);
    psp_call_in (&call, media_now);
    psp_call_in (&call, bye);
    psp_call_in (&call, (gint64) capacity);
    psp_call_octets (&call, data, size);
    record (c, &call);
  }
  return size;
}

void
gst_psp_core_stats (GstPspCore * c, gint64 now, PspSenderStats * stats)
{
  PspCall call;

  psp_sender_stats (c->sender, now, stats);
  if (is_recording ()) {
    psp_call_begin (&call, PSP_CALL_STATS);
    psp_call_in (&call, now);
    psp_call_out_stats (&call, stats);
    record (c, &call);
  }
}
