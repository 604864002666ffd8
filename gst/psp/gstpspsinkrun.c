/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The running session of pspsink: its socket, driver and notifier, from start
 * to stop, and their changes in between.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsinkprivate.h"

#define GST_CAT_DEFAULT gst_psp_sink_debug

/* Takes the error. */
void
gst_psp_sink_post (GstPspSink * self, GstMessageType type, GError * error)
{
  GST_WARNING_OBJECT (self, "%s", error->message);
  gst_element_message_full (GST_ELEMENT (self), type, error->domain,
      error->code, g_strdup (error->message), NULL, __FILE__, GST_FUNCTION,
      __LINE__);
  g_error_free (error);
}

GstPspEngine *
gst_psp_sink_lock_engine (GstPspSink * self)
{
  g_mutex_lock (&self->run_lock);
  if (self->driver)
    return gst_psp_driver_lock (self->driver);
  g_mutex_unlock (&self->run_lock);
  return NULL;
}

void
gst_psp_sink_unlock_engine (GstPspSink * self)
{
  gst_psp_driver_unlock (self->driver);
  g_mutex_unlock (&self->run_lock);
}

gboolean
gst_psp_sink_is_running (GstPspSink * self)
{
  gboolean running;

  g_mutex_lock (&self->run_lock);
  running = self->driver != NULL;
  g_mutex_unlock (&self->run_lock);
  return running;
}

static void
gst_psp_sink_get_settings (GstPspSink * self, GstPspSinkSettings * settings)
{
  GST_OBJECT_LOCK (self);
  gst_psp_sink_settings_copy (settings, &self->settings);
  GST_OBJECT_UNLOCK (self);
}

/* Opening and closing */

static void
gst_psp_sink_set_used_socket (GstPspSink * self, GSocket * socket)
{
  GSocket *old;

  GST_OBJECT_LOCK (self);
  old = self->used_socket;
  self->used_socket = socket ? g_object_ref (socket) : NULL;
  GST_OBJECT_UNLOCK (self);
  g_clear_object (&old);
}

/* Starts to send to the destination. Needs both locks. */
static void
gst_psp_sink_begin (GstPspSink * self, GSocket * socket,
    const PspAddress * destination)
{
  gchar name[PSP_ADDRESS_TEXT];

  psp_address_text (destination, name);
  GST_INFO_OBJECT (self, "sending to %s", name);
  self->destination = *destination;
  gst_psp_sink_set_used_socket (self, socket);
  gst_psp_driver_start (self->driver, g_socket_get_fd (socket), destination);
}

static void
gst_psp_sink_get_parameters (GstPspSink * self,
    const PspControllerClass * klass, gdouble values[PSP_MAX_PARAMETERS])
{
  GST_OBJECT_LOCK (self);
  gst_psp_parameters_values (self->settings.parameters, klass, values);
  GST_OBJECT_UNLOCK (self);
}

/* Sets the keys. Returns FALSE if the settings do not allow a start. */
static gboolean
gst_psp_sink_protect (GstPspSink * self, const GstPspSinkSettings * settings,
    GstPspEngine * engine, GError ** error)
{
  GstPspProtection *protection = gst_psp_engine_protection (engine);
  GstPspSrtpKeys keys;
  GError *why = NULL;

  if (gst_psp_srtp_keys_init (&keys, &settings->srtp, &why)) {
    protection->keep_ssrc = settings->keep_ssrc;
    if (!gst_psp_protection_set_keys (protection, &keys))
      g_set_error (&why, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
          "This libsrtp lacks the suite; choose another srtp-suite.");
    else if (settings->keep_ssrc && !keys.derived)
      gst_psp_sink_post (self, GST_MESSAGE_WARNING,
          g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
              "With srtp-keep-ssrc, a sender that is started again under the "
              "same srtp-key gives away what it encrypts; set another key at "
              "each start, or a passphrase instead."));
  }
  psp_srtp_wipe (&keys, sizeof keys);
  self->overhead = (gint) gst_psp_protection_overhead (protection);
  if (why)
    g_propagate_error (error, why);
  return why == NULL;
}

static void
gst_psp_sink_apply_queue (const GstPspSinkSettings * settings,
    GstPspEngine * engine)
{
  gst_psp_engine_set_queue_limits (engine, settings->leaky,
      settings->max_queue_time);
  gst_psp_engine_set_max_frame_time (engine, settings->max_frame_time);
  gst_psp_engine_protection (engine)->soft_limit = settings->soft_limit;
}

static void
gst_psp_sink_apply_repair (const GstPspSink * self,
    const GstPspSinkSettings * settings, GstPspEngine * engine)
{
  const GstPspRepairConfig config = {
    .payload_type = (guint) self->rtx_payload_type,
    .share = settings->repair_share,
    .deadline = settings->repair_deadline
  };

  gst_psp_engine_set_repair (engine, &config,
      (guint) settings->fec_payload_type);
}

static GstPspDriver *
gst_psp_sink_new_driver (GstPspSink * self,
    const GstPspSinkSettings * settings, const PspControllerClass * klass,
    GstNotifier * notifier, GError ** error)
{
  GstPspDriver *d;
  GstPspEngine *engine;
  PspLimits limits;
  gdouble parameters[PSP_MAX_PARAMETERS];
  gboolean ok;

  gst_psp_sink_settings_limits (settings, &limits);
  gst_psp_parameters_values (settings->parameters, klass, parameters);
  d = gst_psp_driver_new (GST_ELEMENT (self), notifier, klass, parameters,
      &limits, settings->pacing);
  if (!d) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is no memory or no file descriptor left; raise the limits of "
        "the process.");
    return NULL;
  }
  engine = gst_psp_driver_lock (d);
  gst_psp_sink_apply_queue (settings, engine);
  gst_psp_sink_apply_repair (self, settings, engine);
  gst_psp_engine_set_ecn (engine, (PspEcn) settings->ecn,
      wait_monotonic_now ());
  gst_psp_engine_set_no_feedback_bitrate (engine,
      settings->no_feedback_bitrate, wait_monotonic_now ());
  ok = gst_psp_sink_protect (self, settings, engine, error);
  gst_psp_driver_unlock (d);
  gst_psp_driver_set_rtcp_port (d, (guint16) settings->rtcp_port);
  if (ok)
    return d;
  gst_psp_driver_free (d);
  return NULL;
}

static gboolean
gst_psp_sink_open (GstPspSink * self, const GstPspSinkSettings * settings,
    GError ** error)
{
  const PspControllerClass *klass;
  GstPspDriver *d;
  GstNotifier *notifier;
  PspAddress destination;
  GSocket *socket;

  if (!gst_psp_sink_settings_check_ports (settings, error) ||
      !gst_psp_socket_resolve (&settings->socket, &destination, error))
    return FALSE;
  klass = gst_psp_sink_settings_controller (settings, &destination, error);
  if (!klass || !gst_psp_sink_settings_check_rtx (settings, error))
    return FALSE;
  self->rtx_payload_type = settings->rtx_payload_type;
  socket = gst_psp_socket_open (&settings->socket, &destination, error);
  if (!socket)
    return FALSE;

  notifier = gst_notifier_new (GST_ELEMENT (self),
      GST_BASE_SINK_PAD (self),
      g_object_class_find_property (G_OBJECT_GET_CLASS (self),
          "estimated-bitrate"));
  d = gst_psp_sink_new_driver (self, settings, klass, notifier, error);
  if (!d) {
    gst_notifier_stop (notifier);
    g_object_unref (socket);
    return FALSE;
  }

  g_mutex_lock (&self->run_lock);
  self->driver = d;
  self->notifier = notifier;
  gst_psp_sink_begin (self, socket, &destination);
  g_mutex_unlock (&self->run_lock);
  g_object_unref (socket);
  return TRUE;
}

/* Asks the application for a key if none is set. Called without a lock, because
 * the application may call the element. */
static GBytes *
gst_psp_sink_request_key (GstPspSink * self)
{
  gboolean lacks;

  GST_OBJECT_LOCK (self);
  lacks = gst_psp_srtp_config_lacks_key (&self->settings.srtp);
  GST_OBJECT_UNLOCK (self);
  return lacks ? gst_psp_srtp_request_key (GST_ELEMENT (self), NULL) : NULL;
}

/* Warns of a setting that was refused before there was a bus, and of limits
 * that contradict each other at the start. */
static void
gst_psp_sink_warn (GstPspSink * self)
{
  GError *refused, *limits = NULL;

  GST_OBJECT_LOCK (self);
  refused = g_steal_pointer (&self->refused);
  self->limits_changed = FALSE;
  gst_psp_sink_settings_check_limits (&self->settings, TRUE, &limits);
  GST_OBJECT_UNLOCK (self);
  if (refused)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, refused);
  if (limits)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, limits);
}

gboolean
gst_psp_sink_start (GstBaseSink * sink)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  GstPspSinkSettings settings;
  GBytes *key = gst_psp_sink_request_key (self);
  GError *error = NULL;
  gboolean ok = FALSE;

  self->warned_of_size = G_MAXINT;
  g_mutex_lock (&self->open_lock);
  GST_OBJECT_LOCK (self);
  if (self->uri_error)
    error = g_error_new_literal (GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS, self->uri_error);
  GST_OBJECT_UNLOCK (self);
  if (!error) {
    gst_psp_sink_get_settings (self, &settings);
    if (!settings.srtp.key)
      settings.srtp.key = g_steal_pointer (&key);
    ok = gst_psp_sink_open (self, &settings, &error);
    gst_psp_sink_settings_clear (&settings);
  }
  g_mutex_unlock (&self->open_lock);

  g_clear_pointer (&key, g_bytes_unref);
  if (!ok)
    gst_psp_sink_post (self, GST_MESSAGE_ERROR, error);
  gst_psp_sink_warn (self);
  return ok;
}

/* Closes the socket in use, unless the application wants to keep it open. */
static void
gst_psp_sink_close_socket (GstPspSink * self)
{
  GSocket *socket;
  gboolean close;

  GST_OBJECT_LOCK (self);
  socket = g_steal_pointer (&self->used_socket);
  close = socket != self->settings.socket.socket || self->settings.close_socket;
  GST_OBJECT_UNLOCK (self);
  if (!socket)
    return;
  if (close)
    g_socket_close (socket, NULL);
  g_object_unref (socket);
}

void
gst_psp_sink_stop (GstBaseSink * sink)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  GstPspDriver *d;
  GstNotifier *notifier;

  g_mutex_lock (&self->run_lock);
  while (self->redirecting)
    g_cond_wait (&self->redirected, &self->run_lock);
  d = g_steal_pointer (&self->driver);
  notifier = g_steal_pointer (&self->notifier);
  g_mutex_unlock (&self->run_lock);
  if (!d)
    return;

  gst_psp_driver_bye (d);
  gst_psp_driver_end (d);
  gst_psp_driver_join (d);
  gst_notifier_stop (notifier);
  gst_psp_driver_free (d);
  gst_psp_sink_close_socket (self);
}

/* Returns the controller that the property names now: it may have changed while
 * a host name was resolved. Needs run_lock. */
static const PspControllerClass *
gst_psp_sink_find_controller (GstPspSink * self, const PspAddress * destination,
    GError ** error)
{
  const PspControllerClass *klass;

  GST_OBJECT_LOCK (self);
  klass = gst_psp_sink_settings_controller (&self->settings, destination,
      error);
  GST_OBJECT_UNLOCK (self);
  return klass;
}

/* Needs run_lock. */
static const PspControllerClass *
gst_psp_sink_get_controller (GstPspSink * self)
{
  const PspControllerClass *klass =
      gst_psp_engine_controller (gst_psp_driver_lock (self->driver));

  gst_psp_driver_unlock (self->driver);
  return klass;
}

/* Needs run_lock. */
static gboolean
gst_psp_sink_set_controller (GstPspSink * self,
    const PspControllerClass * klass, GError ** error)
{
  gdouble parameters[PSP_MAX_PARAMETERS];
  gboolean ok;

  gst_psp_sink_get_parameters (self, klass, parameters);
  ok = gst_psp_engine_set_controller (gst_psp_driver_lock (self->driver), klass,
      parameters, wait_monotonic_now ());
  gst_psp_driver_unlock (self->driver);
  if (ok)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "There is no memory for the controller; the one before stays.");
  return FALSE;
}

/* Changes to another destination. Keeps the socket if it can reach it. Needs
 * both locks and a stopped driver. */
static gboolean
gst_psp_sink_switch (GstPspSink * self, const GstPspSinkSettings * settings,
    const PspAddress * destination, GError ** error)
{
  const PspControllerClass *klass =
      gst_psp_sink_find_controller (self, destination, error);
  GSocket *socket;

  if (!klass)
    return FALSE;
  /* A URI has set both, or the old destination did not allow the controller. */
  if (klass != gst_psp_sink_get_controller (self) &&
      !gst_psp_sink_set_controller (self, klass, error))
    return FALSE;
  if (self->used_socket && self->used_socket == settings->socket.socket) {
    /* The application's socket is only checked for the address family. */
    socket = gst_psp_socket_open (&settings->socket, destination, error);
  } else if (self->used_socket && destination->storage.ss_family ==
      self->destination.storage.ss_family) {
    socket = g_object_ref (self->used_socket);
  } else {
    gst_psp_sink_close_socket (self);
    socket = gst_psp_socket_open (&settings->socket, destination, error);
  }
  if (!socket)
    return FALSE;
  gst_psp_sink_begin (self, socket, destination);
  g_object_unref (socket);
  return TRUE;
}

/* Ends what leaves to the present destination. Needs both locks, and releases
 * run_lock while it waits: the pacing thread may be asking the pipeline's clock
 * for the time, and that is the application's. */
static void
gst_psp_sink_leave (GstPspSink * self)
{
  gst_psp_driver_end (self->driver);
  self->redirecting = TRUE;
  g_mutex_unlock (&self->run_lock);
  gst_psp_driver_join (self->driver);
  g_mutex_lock (&self->run_lock);
  self->redirecting = FALSE;
  g_cond_broadcast (&self->redirected);
}

/* Needs open_lock. */
static void
gst_psp_sink_redirect_to (GstPspSink * self,
    const GstPspSinkSettings * settings, GError ** error)
{
  PspAddress destination;
  gboolean resolved = gst_psp_sink_settings_check_ports (settings, error) &&
      gst_psp_socket_resolve (&settings->socket, &destination, error);

  g_mutex_lock (&self->run_lock);
  if (self->driver && !(resolved &&
          gst_psp_driver_is_running (self->driver) &&
          psp_address_equal (&destination, &self->destination))) {
    /* Even after an error nothing may leave to the old destination. */
    gst_psp_sink_leave (self);
    if (resolved)
      gst_psp_sink_switch (self, settings, &destination, error);
  }
  g_mutex_unlock (&self->run_lock);
}

/* Sends to another host or port. */
void
gst_psp_sink_redirect (GstPspSink * self)
{
  GstPspSinkSettings settings;
  GError *error = NULL;
  gboolean later;

  g_mutex_lock (&self->open_lock);
  GST_OBJECT_LOCK (self);
  later = self->applying_uri;
  GST_OBJECT_UNLOCK (self);
  if (!later && gst_psp_sink_is_running (self)) {
    gst_psp_sink_get_settings (self, &settings);
    gst_psp_sink_redirect_to (self, &settings, &error);
    gst_psp_sink_settings_clear (&settings);
  }
  g_mutex_unlock (&self->open_lock);

  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_ERROR, error);
}

/* Sets the socket options that may change while the socket is in use. */
void
gst_psp_sink_update_socket (GstPspSink * self)
{
  GstPspSinkSettings settings;
  GError *error = NULL;

  gst_psp_sink_get_settings (self, &settings);
  g_mutex_lock (&self->run_lock);
  if (self->driver && self->used_socket) {
    gst_psp_socket_apply (&settings.socket, self->used_socket, &error);
    gst_psp_driver_socket_changed (self->driver);
  }
  g_mutex_unlock (&self->run_lock);
  gst_psp_sink_settings_clear (&settings);
  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);
}

/* Restarts the controller if the property itself was set, but not if a URI
 * names the same one. If there is no destination, the previous controller may
 * have been the reason, so it tries the destination again. */
void
gst_psp_sink_update_controller (GstPspSink * self, gboolean anew)
{
  const PspControllerClass *klass;
  GError *error = NULL;
  gboolean later, refused = FALSE;

  GST_OBJECT_LOCK (self);
  later = self->applying_uri;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->run_lock);
  if (!later && self->driver && !gst_psp_driver_is_running (self->driver)) {
    refused = anew;
  } else if (!later && self->driver) {
    klass = gst_psp_sink_find_controller (self, &self->destination, &error);
    if (klass && (anew || klass != gst_psp_sink_get_controller (self)))
      gst_psp_sink_set_controller (self, klass, &error);
  }
  g_mutex_unlock (&self->run_lock);
  if (refused)
    gst_psp_sink_redirect (self);
  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);
}

void
gst_psp_sink_update_limits (GstPspSink * self)
{
  GstPspEngine *engine = gst_psp_sink_lock_engine (self);
  gint64 now = wait_monotonic_now ();
  guint64 no_feedback_bitrate;
  PspLimits limits;

  if (!engine)
    return;
  GST_OBJECT_LOCK (self);
  gst_psp_sink_settings_limits (&self->settings, &limits);
  no_feedback_bitrate = self->settings.no_feedback_bitrate;
  self->limits_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
  gst_psp_engine_set_limits (engine, &limits, now);
  gst_psp_engine_set_no_feedback_bitrate (engine, no_feedback_bitrate, now);
  gst_psp_sink_unlock_engine (self);
}

void
gst_psp_sink_check_limits (GstPspSink * self)
{
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  if (self->limits_changed)
    gst_psp_sink_settings_check_limits (&self->settings, FALSE, &error);
  self->limits_changed = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);
}

void
gst_psp_sink_update_parameters (GstPspSink * self)
{
  GstPspEngine *engine = gst_psp_sink_lock_engine (self);
  gdouble parameters[PSP_MAX_PARAMETERS];

  if (!engine)
    return;
  gst_psp_sink_get_parameters (self, gst_psp_engine_controller (engine),
      parameters);
  gst_psp_engine_set_parameters (engine, parameters, wait_monotonic_now ());
  gst_psp_sink_unlock_engine (self);
}

void
gst_psp_sink_update_ecn (GstPspSink * self)
{
  GstPspEngine *engine = gst_psp_sink_lock_engine (self);
  GstPspEcn ecn;

  if (!engine)
    return;
  GST_OBJECT_LOCK (self);
  ecn = self->settings.ecn;
  GST_OBJECT_UNLOCK (self);
  gst_psp_engine_set_ecn (engine, (PspEcn) ecn, wait_monotonic_now ());
  gst_psp_sink_unlock_engine (self);
}

void
gst_psp_sink_update_queue (GstPspSink * self)
{
  GstPspEngine *engine = gst_psp_sink_lock_engine (self);

  if (!engine)
    return;
  GST_OBJECT_LOCK (self);
  gst_psp_sink_apply_queue (&self->settings, engine);
  GST_OBJECT_UNLOCK (self);
  gst_psp_sink_unlock_engine (self);
}

void
gst_psp_sink_update_repair (GstPspSink * self)
{
  GstPspEngine *engine = gst_psp_sink_lock_engine (self);

  if (!engine)
    return;
  GST_OBJECT_LOCK (self);
  gst_psp_sink_apply_repair (self, &self->settings, engine);
  GST_OBJECT_UNLOCK (self);
  gst_psp_sink_unlock_engine (self);
}

/* Changes the keys while playing. */
void
gst_psp_sink_update_srtp (GstPspSink * self)
{
  GstPspSrtpConfig config;
  GstPspSrtpKeys keys;
  GstPspEngine *engine;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  gst_psp_srtp_config_copy (&config, &self->settings.srtp);
  GST_OBJECT_UNLOCK (self);
  if ((engine = gst_psp_sink_lock_engine (self))) {
    gst_psp_sink_unlock_engine (self);
    if (gst_psp_srtp_keys_init (&keys, &config, &error) &&
        (engine = gst_psp_sink_lock_engine (self))) {
      if (!gst_psp_protection_set_keys (gst_psp_engine_protection (engine),
              &keys))
        error = gst_psp_srtp_used_error ();
      gst_psp_sink_unlock_engine (self);
    }
    psp_srtp_wipe (&keys, sizeof keys);
  }
  gst_psp_srtp_config_clear (&config);
  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);
}

void
gst_psp_sink_reset_controller (GstPspSink * self)
{
  GstPspEngine *engine = gst_psp_sink_lock_engine (self);

  if (!engine)
    return;
  gst_psp_engine_reset (engine, wait_monotonic_now ());
  gst_psp_sink_unlock_engine (self);
}
