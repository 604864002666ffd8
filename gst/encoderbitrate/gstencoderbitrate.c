/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-encoderbitrate
 * @title: encoderbitrate
 * @short_description: sets an encoder's bitrate from congestion events
 *
 * Passes everything through and sits anywhere between an encoder and a sender
 * that posts congestion events upstream, such as pspsink or itcpsink. From each
 * event's target it sets the bitrate of the nearest encoder upstream to
 *
 *   (target - reserved-bitrate) * share
 *
 * kept between min-bitrate and max-bitrate (the latter wins) and inside the
 * property's own range. The event always travels on.
 *
 * The target is RTP payload, audio and containers included, whereas encoders
 * count their own output: reserve what audio takes and, where the video goes
 * through mpegtsmux or the like, what the container adds, or leave it out of
 * the share. A session with two encoders has two encoderbitrates, whose shares
 * add up to 1. If the part and min-bitrate are 0, or if the target is 0, the
 * network gets no media: encoded buffers are dropped here, each replaced by a
 * gap event so that no element downstream waits for it. The next higher target
 * asks the encoder for a key frame, and the stream goes on with the first
 * buffer that depends on no other, marked discontinuous. Behind a payloader
 * dropped packets would look like losses: prefer a place before it.
 *
 * ## Which encoder
 *
 * The search goes upstream over queues, tees, parsers, capsfilters and ghost
 * pads, into bins and out of them, to the first element of class Encoder. It
 * ends at a decoder, and at an element with several inputs, such as a muxer or
 * rtpfunnel, which does not show which input feeds the output: place the
 * element before it or name the #GstEncoderBitrate:encoder, anywhere in the
 * pipeline. A table knows the properties and units of the encoders of GStreamer
 * and its hardware plugins; other encoders must have a `bitrate` or
 * `target-bitrate` flagged as changeable while playing, whose description says
 * whether bits or kilobits are meant. #GstEncoderBitrate:property and
 * #GstEncoderBitrate:unit override both; the property may be named without the
 * flag, and `extra-controls.video_bitrate` means a field of a structure.
 *
 * Some encoders read their bitrate only at start: mpeg2enc, those of libav
 * (avenc_*), rav1enc, svtav1enc. They cannot follow. A warning message reports
 * this, and anything else that keeps the element from its work, once for each
 * cause. It is counted as `failures`.
 *
 * Falls are passed on at once, rises only from 1 % on. Frames are kept as small
 * as the network takes them in time (#GstEncoderBitrate:limit-frames), where
 * the encoder has a property for it that may change: x264enc, vp8enc, vp9enc,
 * nv*, va*. The bitrate that the encoder produces is measured at its source
 * pad, and corrected (#GstEncoderBitrate:correct-bitrate).
 *
 * Encoders need a mode that follows the bitrate (x264enc: pass=cbr, its
 * default; vp8enc: end-usage=cbr).
 *
 * ## Statistics
 *
 * #GstEncoderBitrate:stats is a structure `encoderbitrate/stats`:
 *
 * | field | type | meaning |
 * |---|---|---|
 * | `target-bitrate` | guint64 | of the last event that had one, bits per second |
 * | `share-bitrate` | guint64 | this element's part of it, within its limits |
 * | `current-bitrate` | guint64 | what the encoder was set to, 0 = not yet |
 * | `correction` | gdouble | part of `share-bitrate` that this is, for what the encoder makes of it |
 * | `max-frame-size` | guint64 | bytes that its frames are kept below, 0 = they are not |
 * | `encoder` | string | the encoder's name, or empty |
 * | `property` | string | the property that was set, or empty |
 * | `events` | guint64 | congestion events seen |
 * | `changes` | guint64 | times the property was set |
 * | `failures` | guint64 | times there was nothing to set |
 * | `silent` | gboolean | whether buffers are being dropped |
 * | `silences` | guint64 | times that began |
 * | `dropped` | guint64 | buffers dropped |
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc tune=zerolatency ! encoderbitrate max-bitrate=4000000 ! rtph264pay ! pspsink host=127.0.0.1 port=5004
 * ]| The encoder follows the congestion controller.
 * |[
 * gst-launch-1.0 mpegtsmux name=mux ! rtpmp2tpay ! encoderbitrate encoder=video reserved-bitrate=160000 share=0.95 ! pspsink host=127.0.0.1 port=5004 videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc name=video tune=zerolatency ! mux. audiotestsrc is-live=true ! opusenc ! mux.
 * ]| Behind a muxer the encoder has to be named.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstencoderbitrate.h"
#include "gstencoderbitratesettings.h"

#include <gst/video/video.h>

#include "core/correction.h"

GST_DEBUG_CATEGORY_STATIC (gst_encoder_bitrate_debug);
#define GST_CAT_DEFAULT gst_encoder_bitrate_debug

/* part of the current bitrate; a smaller rise is not worth a reconfiguration of
 * the encoder */
#define RISE_PART 100
/* a smaller change of the factor is not worth a reconfiguration either */
#define WORTH_CORRECTING 0.02

typedef enum
{
  FLOW_PASS,
  FLOW_SILENT,
  FLOW_WAIT_KEY
} Flow;

static GParamSpec *properties[GST_ENCODER_BITRATE_N_PROPERTIES];

struct _GstEncoderBitrate
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  GstFollower follower;

  /* The follower's lock protects the members up to `dropped`. */
  GstEncoderBitrateSettings settings;
  /* an event or a setting has changed and is not applied yet */
  gboolean pending;
  gboolean applying;            /* a thread applies changes without the lock */
  gchar *warning;               /* the last warning that was posted */
  gchar *encoder_name, *property_name;
  guint64 share_bitrate, current_bitrate;
  guint64 max_frame_size;       /* bytes, in force; 0 = none */
  EncoderCorrection correction;
  gdouble factor;               /* of the correction, if nothing waits */
  gboolean correcting;          /* a thread will put a new factor into force */
  guint64 changes, failures, silences, dropped;

  /* The encoder that was set last. Only the thread that applies uses it; the
   * pspec distinguishes encoders that have the same name. */
  GWeakRef encoder;
  GParamSpec *encoder_pspec;
  FrameLimit limit;
  GWeakRef measured;            /* encoder pad whose output is measured */
  gulong probe;

  /* a Flow, atomic, used by streaming and event thread */
  gint flow;

  /* Only the streaming thread uses these. */
  gboolean discont;
  GstClockTime last_gap;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE_WITH_CODE (GstEncoderBitrate, gst_encoder_bitrate,
    GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_encoder_bitrate_debug, "encoderbitrate", 0,
        "encoder bitrate from congestion events"));
GST_ELEMENT_REGISTER_DEFINE (encoderbitrate, "encoderbitrate", GST_RANK_NONE,
    GST_TYPE_ENCODER_BITRATE);

static guint64
clamp_bitrate (const GstEncoderBitrateSettings * settings, guint64 bitrate)
{
  bitrate = MAX (bitrate, settings->min);
  return settings->max ? MIN (bitrate, settings->max) : bitrate;
}

/* What is asked of the encoder. */
typedef struct
{
  guint64 share;                /* bits/s; 0 = no media at all */
  guint64 bitrate;              /* bits/s; the share, corrected */
  gdouble aim;                  /* bits/s; the same, if nothing waited */
  guint64 max_frame_size;       /* bytes, 0 = unknown */
} Demand;

/* Returns the factor of the correction in force; the caller holds the lock. */
static gdouble
gst_encoder_bitrate_factor (const GstEncoderBitrate * self)
{
  const GstCongestionInfo *info = self->follower.info;
  GstClockTime waits;
  guint64 target;

  if (!info || !gst_congestion_info_get_target_bitrate (info, &target)
      || target == 0)
    return self->factor;
  waits = gst_congestion_info_get_queue_time (info);
  return encoder_correction_relieved (&self->correction, self->factor,
      GST_CLOCK_TIME_IS_VALID (waits) ? (gint64) waits : 0,
      (gint64) gst_util_uint64_scale
      (gst_congestion_info_get_max_frame_size (info), 8 * GST_SECOND, target));
}

/* Writes the demand; the caller holds the lock. */
static void
gst_encoder_bitrate_demand (const GstEncoderBitrate * self, Demand * demand)
{
  const GstFollower *f = &self->follower;
  const GstEncoderBitrateSettings *settings = &self->settings;
  gint64 share = 0;

  demand->share = demand->bitrate = 0;
  demand->aim = 0;
  if (gst_follower_event_bitrate (f) > 0) {
    gst_follower_target (f, &share);
    demand->share = clamp_bitrate (settings, share);
    demand->bitrate = clamp_bitrate (settings,
        (guint64) (demand->share * gst_encoder_bitrate_factor (self)));
    demand->aim = demand->share * self->factor;
  }
  demand->max_frame_size = (guint64)
      (gst_congestion_info_get_max_frame_size (f->info) * f->share);
}

/* Silence and resumption */

static void
gst_encoder_bitrate_silence (GstEncoderBitrate * self)
{
  g_mutex_lock (&self->follower.lock);
  if (g_atomic_int_get (&self->flow) != FLOW_SILENT) {
    GST_INFO_OBJECT (self, "no bitrate left, dropping the stream");
    g_atomic_int_set (&self->flow, FLOW_SILENT);
    self->silences++;
  }
  g_mutex_unlock (&self->follower.lock);
}

static void
gst_encoder_bitrate_resume (GstEncoderBitrate * self)
{
  GstEvent *event;

  if (!g_atomic_int_compare_and_exchange (&self->flow, FLOW_SILENT,
          FLOW_WAIT_KEY))
    return;

  event = gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE,
      TRUE, 0);
  if (!gst_pad_push_event (self->sinkpad, event))
    GST_INFO_OBJECT (self, "nobody makes a key frame; awaiting the next one");
}

/* What the encoder makes of its bitrate */

static void gst_encoder_bitrate_apply (GstEncoderBitrate * self);

/* Sets the properties in another thread, because the encoder's streaming thread
 * must not set them from inside the encoder. */
static void
correct_bitrate (GstElement * element, gpointer data)
{
  (void) data;
  gst_encoder_bitrate_apply (GST_ENCODER_BITRATE (element));
}

static gboolean
count_buffer (GstBuffer ** buffer, guint i, gpointer data)
{
  GstClockTime at = GST_BUFFER_DTS_OR_PTS (*buffer);

  (void) i;
  if (GST_CLOCK_TIME_IS_VALID (at))
    encoder_correction_made (data, (gint64) at, gst_buffer_get_size (*buffer));
  return TRUE;
}

static GstPadProbeReturn
count_output (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEncoderBitrate *self = data;
  gdouble change;
  gboolean correct;

  (void) pad;
  g_mutex_lock (&self->follower.lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    count_buffer ((GstBuffer **) & info->data, 0, &self->correction);
  else
    gst_buffer_list_foreach (info->data, count_buffer, &self->correction);
  change = encoder_correction_factor (&self->correction) - self->factor;
  correct = !self->correcting && ABS (change) > WORTH_CORRECTING;
  if (correct)
    self->correcting = TRUE;
  g_mutex_unlock (&self->follower.lock);

  if (correct)
    gst_element_call_async (GST_ELEMENT (self), correct_bitrate, NULL, NULL);
  return GST_PAD_PROBE_OK;
}

/* Measures this encoder's output, wherever this element is; NULL = stops
 * measuring. */
static void
gst_encoder_bitrate_measure (GstEncoderBitrate * self, GstElement * encoder)
{
  GstPad *last = g_weak_ref_get (&self->measured);
  GstPad *pad = encoder ? gst_element_get_static_pad (encoder, "src") : NULL;

  if (pad != last) {
    if (last)
      gst_pad_remove_probe (last, self->probe);
    g_mutex_lock (&self->follower.lock);
    encoder_correction_init (&self->correction);
    self->factor = 1;
    g_mutex_unlock (&self->follower.lock);
    g_weak_ref_set (&self->measured, pad);
    if (pad)
      self->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
          | GST_PAD_PROBE_TYPE_BUFFER_LIST, count_output,
          gst_object_ref (self), gst_object_unref);
  }
  gst_clear_object (&last);
  gst_clear_object (&pad);
}

/* Obeying congestion events */

/* Warns once for each cause, because events come with every round trip. */
static void
gst_encoder_bitrate_warn (GstEncoderBitrate * self, const gchar * why)
{
  gboolean is_new;

  g_mutex_lock (&self->follower.lock);
  self->failures++;
  is_new = g_strcmp0 (self->warning, why) != 0;
  if (is_new) {
    g_free (self->warning);
    self->warning = g_strdup (why);
  }
  g_mutex_unlock (&self->follower.lock);

  if (is_new)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s.", why),
        ("congestion events change no bitrate"));
}

static gboolean
gst_encoder_bitrate_find (GstEncoderBitrate * self,
    const GstEncoderBitrateSettings * settings, EncoderControl * control)
{
  GstElement *element;
  gchar *why = NULL;
  gboolean ok = FALSE;

  if (settings->encoder && *settings->encoder)
    element = encoder_find_by_name (GST_ELEMENT (self), settings->encoder,
        &why);
  else
    element = encoder_find_upstream (self->sinkpad, &why);

  if (element) {
    ok = encoder_control_open (control, element, settings->property,
        settings->unit, &why);
    gst_object_unref (element);
  }
  if (!ok)
    gst_encoder_bitrate_warn (self, why);
  g_free (why);
  return ok;
}

static gboolean
gst_encoder_bitrate_is_worth_setting (GstEncoderBitrate * self,
    const EncoderControl * control, guint64 bitrate)
{
  GstElement *last = g_weak_ref_get (&self->encoder);
  gboolean same = last == control->element
      && self->encoder_pspec == control->pspec;
  guint64 current;

  gst_clear_object (&last);
  g_mutex_lock (&self->follower.lock);
  current = self->current_bitrate;
  g_mutex_unlock (&self->follower.lock);
  return !same || bitrate < current || bitrate - current > current / RISE_PART;
}

static void
gst_encoder_bitrate_set (GstEncoderBitrate * self,
    const EncoderControl * control, guint64 wanted)
{
  guint64 value = encoder_control_value (control, wanted);
  guint64 bitrate = encoder_control_bitrate (control, value);
  gboolean is_change;

  if (!gst_encoder_bitrate_is_worth_setting (self, control, bitrate))
    return;

  GST_DEBUG_OBJECT (self, "%s of %" GST_PTR_FORMAT " to %" G_GUINT64_FORMAT
      " for %" G_GUINT64_FORMAT " bit/s", control->pspec->name,
      control->element, value, wanted);
  encoder_control_write (control, value);
  g_weak_ref_set (&self->encoder, control->element);
  self->encoder_pspec = control->pspec;

  g_mutex_lock (&self->follower.lock);
  is_change = self->current_bitrate != bitrate;
  self->current_bitrate = bitrate;
  self->changes++;
  g_clear_pointer (&self->warning, g_free);
  g_free (self->encoder_name);
  self->encoder_name = gst_object_get_name (GST_OBJECT (control->element));
  g_free (self->property_name);
  self->property_name = g_strdup (control->pspec->name);
  g_mutex_unlock (&self->follower.lock);

  if (is_change)
    g_object_notify_by_pspec (G_OBJECT (self),
        properties[GST_ENCODER_BITRATE_CURRENT_BITRATE]);
}

/* Notes the bitrate that was set, and limits the encoder's frames. */
static void
gst_encoder_bitrate_follow_up (GstEncoderBitrate * self,
    const GstEncoderBitrateSettings * settings, const Demand * demand,
    GstElement * encoder)
{
  gdouble rate = encoder_frame_rate (encoder);
  guint64 bitrate, largest;

  gst_encoder_bitrate_measure (self,
      settings->correct_bitrate ? encoder : NULL);
  g_mutex_lock (&self->follower.lock);
  bitrate = self->current_bitrate;
  encoder_correction_set (&self->correction, (gdouble) bitrate, demand->aim,
      encoder_counts_frames (encoder) ? rate : 0);
  if (rate <= 0)
    rate = encoder_correction_frame_rate (&self->correction);
  g_mutex_unlock (&self->follower.lock);

  largest = frame_limit_set (&self->limit, encoder, settings->limit_frames,
      demand->max_frame_size, bitrate, rate);
  g_mutex_lock (&self->follower.lock);
  self->max_frame_size = largest;
  g_mutex_unlock (&self->follower.lock);
}

/* Restores the encoder's own limit on frames, and measures it no longer. */
static void
gst_encoder_bitrate_release (GstEncoderBitrate * self)
{
  frame_limit_end (&self->limit);
  gst_encoder_bitrate_measure (self, NULL);
  g_mutex_lock (&self->follower.lock);
  self->max_frame_size = 0;
  g_mutex_unlock (&self->follower.lock);
}

static void
gst_encoder_bitrate_obey (GstEncoderBitrate * self,
    const GstEncoderBitrateSettings * settings, const Demand * demand)
{
  EncoderControl control = ENCODER_CONTROL_INIT;

  if (demand->bitrate == 0) {
    gst_encoder_bitrate_silence (self);
    return;
  }
  if (gst_encoder_bitrate_find (self, settings, &control)) {
    gst_encoder_bitrate_set (self, &control, demand->bitrate);
    gst_encoder_bitrate_follow_up (self, settings, demand, control.element);
    encoder_control_close (&control);
  } else {
    gst_encoder_bitrate_release (self);
  }
  /* This comes after the encoder was set, so that the key frame has the new
   * size. */
  gst_encoder_bitrate_resume (self);
}

/* Sets the properties without the lock, but in the order of the events: a
 * thread that finds another one applying leaves its changes to that one. */
static void
gst_encoder_bitrate_apply (GstEncoderBitrate * self)
{
  g_mutex_lock (&self->follower.lock);
  self->pending = TRUE;
  if (self->applying) {
    g_mutex_unlock (&self->follower.lock);
    return;
  }
  self->applying = TRUE;
  while (self->pending) {
    GstEncoderBitrateSettings settings;
    Demand demand;
    gboolean follow;

    self->pending = FALSE;
    if (!self->settings.correct_bitrate)
      self->factor = 1;
    else if (self->correcting)
      self->factor = encoder_correction_factor (&self->correction);
    self->correcting = FALSE;
    follow = self->follower.follow_events && self->follower.info;
    if (follow) {
      gst_encoder_bitrate_demand (self, &demand);
      self->share_bitrate = demand.share;
    }
    settings = self->settings;
    gst_settings_dup (gst_encoder_bitrate_fields, &settings);
    g_mutex_unlock (&self->follower.lock);

    if (follow) {
      gst_encoder_bitrate_obey (self, &settings, &demand);
    } else {
      gst_encoder_bitrate_release (self);
      gst_encoder_bitrate_resume (self);
    }
    gst_settings_clear (gst_encoder_bitrate_fields, &settings);

    g_mutex_lock (&self->follower.lock);
  }
  self->applying = FALSE;
  g_mutex_unlock (&self->follower.lock);
}

/* Handles an event from downstream. One that is obeyed here counts as handled,
 * whether or not an element upstream handles it too. */
static gboolean
gst_encoder_bitrate_src_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstEncoderBitrate *self = GST_ENCODER_BITRATE (parent);
  gboolean obeyed = gst_follower_note (&self->follower, event);

  if (obeyed)
    gst_encoder_bitrate_apply (self);
  return gst_pad_event_default (pad, parent, event) || obeyed;
}

/* Data */

/* True if the buffer may pass. The first buffer that can be decoded alone ends
 * the wait, unless a new silence started meanwhile. */
static gboolean
gst_encoder_bitrate_admits (GstEncoderBitrate * self, GstBuffer * buffer)
{
  switch (g_atomic_int_get (&self->flow)) {
    case FLOW_PASS:
      return TRUE;
    case FLOW_SILENT:
      return FALSE;
    default:
      if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)
          || !g_atomic_int_compare_and_exchange (&self->flow, FLOW_WAIT_KEY,
              FLOW_PASS))
        return FALSE;
      self->discont = TRUE;
      return TRUE;
  }
}

static void
gst_encoder_bitrate_drop (GstEncoderBitrate * self, GstBuffer * buffer)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  GST_LOG_OBJECT (self, "dropping %" GST_PTR_FORMAT, buffer);
  g_mutex_lock (&self->follower.lock);
  self->dropped++;
  g_mutex_unlock (&self->follower.lock);

  /* The packets of a picture share one time. */
  if (GST_CLOCK_TIME_IS_VALID (pts) && pts != self->last_gap) {
    self->last_gap = pts;
    gst_pad_push_event (self->srcpad,
        gst_event_new_gap (pts, GST_BUFFER_DURATION (buffer)));
  }
}

static GstFlowReturn
gst_encoder_bitrate_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstEncoderBitrate *self = GST_ENCODER_BITRATE (parent);

  (void) pad;
  if (!gst_encoder_bitrate_admits (self, buffer)) {
    gst_encoder_bitrate_drop (self, buffer);
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (self->discont) {
    self->discont = FALSE;
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  }
  return gst_pad_push (self->srcpad, buffer);
}

static GstFlowReturn
gst_encoder_bitrate_chain_list (GstPad * pad, GstObject * parent,
    GstBufferList * list)
{
  GstEncoderBitrate *self = GST_ENCODER_BITRATE (parent);
  guint i, n = gst_buffer_list_length (list);

  (void) pad;
  for (i = 0; i < n; i++) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);

    if (gst_encoder_bitrate_admits (self, buffer))
      break;
    gst_encoder_bitrate_drop (self, buffer);
  }
  if (i == n && n > 0) {
    gst_buffer_list_unref (list);
    return GST_FLOW_OK;
  }
  if (self->discont && n > 0) {
    self->discont = FALSE;
    list = gst_buffer_list_make_writable (list);
    gst_buffer_list_remove (list, 0, i);
    GST_BUFFER_FLAG_SET (gst_buffer_list_get_writable (list, 0),
        GST_BUFFER_FLAG_DISCONT);
  }
  return gst_pad_push_list (self->srcpad, list);
}

/* Object */

static GstStructure *
gst_encoder_bitrate_stats (GstEncoderBitrate * self)
{
  GstStructure *stats;
  guint64 target;

  g_mutex_lock (&self->follower.lock);
  target = gst_follower_event_bitrate (&self->follower);
  if (target == GST_FOLLOWER_NO_BITRATE)
    target = 0;
  stats = gst_structure_new ("encoderbitrate/stats",
      "target-bitrate", G_TYPE_UINT64, target,
      "share-bitrate", G_TYPE_UINT64, self->share_bitrate,
      "current-bitrate", G_TYPE_UINT64, self->current_bitrate,
      "correction", G_TYPE_DOUBLE, gst_encoder_bitrate_factor (self),
      "max-frame-size", G_TYPE_UINT64, self->max_frame_size,
      "encoder", G_TYPE_STRING, self->encoder_name ? self->encoder_name : "",
      "property", G_TYPE_STRING, self->property_name ? self->property_name : "",
      "events", G_TYPE_UINT64, self->follower.events,
      "changes", G_TYPE_UINT64, self->changes,
      "failures", G_TYPE_UINT64, self->failures,
      "silent", G_TYPE_BOOLEAN, g_atomic_int_get (&self->flow) != FLOW_PASS,
      "silences", G_TYPE_UINT64, self->silences,
      "dropped", G_TYPE_UINT64, self->dropped, NULL);
  g_mutex_unlock (&self->follower.lock);
  return stats;
}

static void
gst_encoder_bitrate_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstEncoderBitrate *self = GST_ENCODER_BITRATE (object);

  if (gst_follower_set_property (&self->follower, gst_encoder_bitrate_fields,
          &self->settings, id, value))
    gst_encoder_bitrate_apply (self);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_encoder_bitrate_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstEncoderBitrate *self = GST_ENCODER_BITRATE (object);

  switch (id) {
    case GST_ENCODER_BITRATE_STATS:
      g_value_take_boxed (value, gst_encoder_bitrate_stats (self));
      break;
    case GST_ENCODER_BITRATE_CURRENT_BITRATE:
      g_mutex_lock (&self->follower.lock);
      g_value_set_uint64 (value, self->current_bitrate);
      g_mutex_unlock (&self->follower.lock);
      break;
    default:
      if (!gst_follower_get_property (&self->follower,
              gst_encoder_bitrate_fields, &self->settings, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

/* Forgets what a new session must not inherit. The encoder keeps its bitrate;
 * its own limit on frames is restored when the absence of events is applied. */
static void
gst_encoder_bitrate_forget (GstEncoderBitrate * self)
{
  g_mutex_lock (&self->follower.lock);
  gst_follower_forget (&self->follower);
  g_clear_pointer (&self->warning, g_free);
  g_clear_pointer (&self->encoder_name, g_free);
  g_clear_pointer (&self->property_name, g_free);
  self->share_bitrate = self->current_bitrate = self->max_frame_size = 0;
  encoder_correction_init (&self->correction);
  self->factor = 1;
  self->correcting = FALSE;
  self->changes = self->failures = self->silences = self->dropped = 0;
  g_atomic_int_set (&self->flow, FLOW_PASS);
  g_mutex_unlock (&self->follower.lock);

  g_weak_ref_set (&self->encoder, NULL);
  self->discont = FALSE;
  self->last_gap = GST_CLOCK_TIME_NONE;
}

static GstStateChangeReturn
gst_encoder_bitrate_change_state (GstElement * element,
    GstStateChange transition)
{
  GstEncoderBitrate *self = GST_ENCODER_BITRATE (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_encoder_bitrate_forget (self);
  ret = GST_ELEMENT_CLASS (gst_encoder_bitrate_parent_class)->change_state
      (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_encoder_bitrate_forget (self);
    gst_encoder_bitrate_apply (self);
  }
  return ret;
}

static void
gst_encoder_bitrate_finalize (GObject * object)
{
  GstEncoderBitrate *self = GST_ENCODER_BITRATE (object);

  gst_encoder_bitrate_forget (self);
  gst_settings_clear (gst_encoder_bitrate_fields, &self->settings);
  g_weak_ref_clear (&self->encoder);
  g_weak_ref_clear (&self->measured);
  frame_limit_clear (&self->limit);
  gst_follower_clear (&self->follower);
  G_OBJECT_CLASS (gst_encoder_bitrate_parent_class)->finalize (object);
}

static void
gst_encoder_bitrate_class_init (GstEncoderBitrateClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_encoder_bitrate_set_property;
  object_class->get_property = gst_encoder_bitrate_get_property;
  object_class->finalize = gst_encoder_bitrate_finalize;
  gst_encoder_bitrate_settings_install (object_class, properties);

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_encoder_bitrate_change_state);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Encoder bitrate",
      "Filter/Video", "Sets an encoder's bitrate from congestion events",
      "The gst-psp authors");
}

static void
gst_encoder_bitrate_init (GstEncoderBitrate * self)
{
  gst_follower_init (&self->follower, GST_FOLLOWER_ONLY_FOLLOWING);
  gst_settings_init (gst_encoder_bitrate_fields, &self->settings, properties);
  self->last_gap = GST_CLOCK_TIME_NONE;
  self->factor = 1;
  g_weak_ref_init (&self->encoder, NULL);
  g_weak_ref_init (&self->measured, NULL);
  frame_limit_init (&self->limit);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_encoder_bitrate_chain));
  gst_pad_set_chain_list_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_encoder_bitrate_chain_list));
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad,
      GST_DEBUG_FUNCPTR (gst_encoder_bitrate_src_event));
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
