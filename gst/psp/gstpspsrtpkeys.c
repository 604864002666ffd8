/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrtpkeys.h"

#include <string.h>

#include "gstpspenums.h"

/* Fewest characters of a passphrase; a shorter one can be found by trying. */
#define MIN_PASSPHRASE 10

/* Flags of properties that can be set but not read. */
#define SECRET \
  (G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

void
gst_psp_srtp_define (GParamSpec ** first)
{
  first[GST_PSP_SRTP_SUITE] = g_param_spec_enum ("srtp-suite", "SRTP suite",
      "How RTP and RTCP are encrypted and authenticated; both ends have the "
      "same", GST_TYPE_PSP_SRTP_SUITE, PSP_SRTP_NONE,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
  first[GST_PSP_SRTP_KEY] = g_param_spec_boxed ("srtp-key", "SRTP key",
      "Master key and master salt of the media, of the length that the suite "
      "has: 28, 44 or 30 bytes", GST_TYPE_BUFFER, SECRET);
  first[GST_PSP_SRTP_FEEDBACK_KEY] =
      g_param_spec_boxed ("srtp-feedback-key", "SRTP feedback key",
      "Master key and master salt of the RTCP that comes back (NULL = one "
      "that follows from srtp-key)", GST_TYPE_BUFFER, SECRET);
  first[GST_PSP_SRTP_MKI] = g_param_spec_boxed ("srtp-mki", "SRTP MKI",
      "Identifier of the srtp-key that is set next, which each packet carries; "
      "1 to 16 bytes (NULL = none)", GST_TYPE_BUFFER, SECRET);
  first[GST_PSP_SRTP_PASSPHRASE] =
      g_param_spec_string ("passphrase", "Passphrase",
      "Gives the keys of each session instead of srtp-key; at least 10 "
      "characters, the same at both ends", NULL, SECRET);
}

/* The data of a GBytes, which is wiped when the GBytes is freed. */
typedef struct
{
  gsize size;
  guint8 data[];
} Secret;

static void
free_secret (gpointer data)
{
  Secret *secret = data;

  psp_srtp_wipe (secret->data, secret->size);
  g_free (secret);
}

static GBytes *
bytes_of (GstBuffer * buffer)
{
  gsize size = buffer ? gst_buffer_get_size (buffer) : 0;
  Secret *secret;

  if (!buffer)
    return NULL;
  secret = g_malloc (sizeof *secret + size);
  secret->size = gst_buffer_extract (buffer, 0, secret->data, size);
  return g_bytes_new_with_free_func (secret->data, secret->size, free_secret,
      secret);
}

static void
set_bytes (GBytes ** to, GBytes * bytes)
{
  g_clear_pointer (to, g_bytes_unref);
  *to = bytes;
}

static void
set_passphrase (GstPspSrtpConfig * config, const gchar * passphrase)
{
  if (config->passphrase)
    psp_srtp_wipe (config->passphrase, strlen (config->passphrase));
  g_free (config->passphrase);
  config->passphrase = g_strdup (passphrase);
}

gboolean
gst_psp_srtp_config_set (GstPspSrtpConfig * config, guint property,
    const GValue * value, GError ** error)
{
  const char *missing;

  if (property >= GST_PSP_SRTP_N_PROPERTIES)
    return FALSE;
  if (property == GST_PSP_SRTP_SUITE
      && g_value_get_enum (value) == PSP_SRTP_NONE) {
    config->suite = PSP_SRTP_NONE;
    return TRUE;
  }
  if ((missing = psp_srtp_missing ())) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Nothing can be encrypted: %s.", missing);
    /* The suite makes the start fail, so that nothing leaves unencrypted. */
    if (property == GST_PSP_SRTP_SUITE)
      config->suite = g_value_get_enum (value);
    return TRUE;
  }
  switch (property) {
    case GST_PSP_SRTP_SUITE:
      config->suite = g_value_get_enum (value);
      break;
    case GST_PSP_SRTP_KEY:
      set_bytes (&config->key, bytes_of (gst_value_get_buffer (value)));
      break;
    case GST_PSP_SRTP_FEEDBACK_KEY:
      set_bytes (&config->feedback_key,
          bytes_of (gst_value_get_buffer (value)));
      break;
    case GST_PSP_SRTP_MKI:
      set_bytes (&config->mki, bytes_of (gst_value_get_buffer (value)));
      break;
    default:
      set_passphrase (config, g_value_get_string (value));
  }
  return TRUE;
}

static GBytes *
bytes_ref (GBytes * bytes)
{
  return bytes ? g_bytes_ref (bytes) : NULL;
}

void
gst_psp_srtp_config_copy (GstPspSrtpConfig * to, const GstPspSrtpConfig * from)
{
  to->suite = from->suite;
  to->key = bytes_ref (from->key);
  to->feedback_key = bytes_ref (from->feedback_key);
  to->mki = bytes_ref (from->mki);
  to->passphrase = g_strdup (from->passphrase);
}

void
gst_psp_srtp_config_clear (GstPspSrtpConfig * config)
{
  set_bytes (&config->key, NULL);
  set_bytes (&config->feedback_key, NULL);
  set_bytes (&config->mki, NULL);
  set_passphrase (config, NULL);
}

gboolean
gst_psp_srtp_config_lacks_key (const GstPspSrtpConfig * config)
{
  return config->suite != PSP_SRTP_NONE && !config->key && !config->passphrase;
}

/* request-key */

void
gst_psp_srtp_add_signal (GType type)
{
  g_signal_new ("request-key", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
      NULL, GST_TYPE_BUFFER, 1, GST_TYPE_BUFFER);
}

GBytes *
gst_psp_srtp_request_key (GstElement * element, GBytes * mki)
{
  GstBuffer *question = mki ? gst_buffer_new_wrapped_bytes (mki) : NULL;
  GstBuffer *answer = NULL;
  GBytes *key;

  g_signal_emit_by_name (element, "request-key", question, &answer);
  key = bytes_of (answer);
  gst_clear_buffer (&question);
  gst_clear_buffer (&answer);
  return key;
}

/* Keys */

/* Labels from which keys are derived (`info` of RFC 5869). They are part of the
 * protocol. */
static const gchar *const labels[][2] = {
  [PSP_SRTP_AES_128_GCM] = {"gst-psp media aes-128-gcm",
      "gst-psp feedback aes-128-gcm"},
  [PSP_SRTP_AES_256_GCM] = {"gst-psp media aes-256-gcm",
      "gst-psp feedback aes-256-gcm"},
  [PSP_SRTP_AES_CM_128_HMAC_SHA1_80] = {"gst-psp media aes-cm-128-hmac-sha1-80",
      "gst-psp feedback aes-cm-128-hmac-sha1-80"}
};

void
gst_psp_srtp_keys_derive (const GstPspSrtpKeys * keys,
    const guint8 media_salt[GST_PSP_SRTP_SALT], const guint8 * feedback_salt,
    PspSrtpKey * key)
{
  PspSrtpSuite suite = keys->media.suite;
  guint8 salts[2 * GST_PSP_SRTP_SALT];
  gsize size = GST_PSP_SRTP_SALT;

  memcpy (salts, media_salt, GST_PSP_SRTP_SALT);
  if (feedback_salt) {
    memcpy (salts + size, feedback_salt, GST_PSP_SRTP_SALT);
    size += GST_PSP_SRTP_SALT;
  }
  key->suite = suite;
  psp_srtp_derive (keys->secret, PSP_SRTP_SECRET, salts, size,
      labels[suite][feedback_salt != NULL], key->key,
      psp_srtp_key_size (suite));
  memcpy (key->mki, feedback_salt ? feedback_salt : media_salt,
      GST_PSP_SRTP_SALT);
  key->mki_size = GST_PSP_SRTP_SALT;
}

static gboolean
read_key (PspSrtpKey * key, const gchar * name, GBytes * bytes, GError ** error)
{
  gsize size, wanted = psp_srtp_key_size (key->suite);
  gconstpointer data = g_bytes_get_data (bytes, &size);

  if (size == wanted) {
    memcpy (key->key, data, size);
    return TRUE;
  }
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "%s has %" G_GSIZE_FORMAT " bytes, and the suite wants %" G_GSIZE_FORMAT
      ": master key and master salt, one behind the other.", name, size,
      wanted);
  return FALSE;
}

static gboolean
read_keys (GstPspSrtpKeys * keys, const GstPspSrtpConfig * config,
    GError ** error)
{
  gsize size = config->mki ? g_bytes_get_size (config->mki) : 0;

  if (size > PSP_SRTP_MAX_MKI) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "srtp-mki has %" G_GSIZE_FORMAT " bytes; set 1 to %d.", size,
        PSP_SRTP_MAX_MKI);
    return FALSE;
  }
  if (!read_key (&keys->media, "srtp-key", config->key, error))
    return FALSE;
  if (config->feedback_key) {
    if (!read_key (&keys->feedback, "srtp-feedback-key", config->feedback_key,
            error))
      return FALSE;
  } else {
    psp_srtp_derive (keys->media.key, psp_srtp_key_size (config->suite), NULL,
        0, labels[config->suite][1], keys->feedback.key,
        psp_srtp_key_size (config->suite));
  }
  if (size > 0)
    memcpy (keys->media.mki, g_bytes_get_data (config->mki, NULL), size);
  memcpy (keys->feedback.mki, keys->media.mki, sizeof keys->media.mki);
  keys->media.mki_size = keys->feedback.mki_size = size;
  return TRUE;
}

static gboolean
read_passphrase (GstPspSrtpKeys * keys, const gchar * passphrase,
    GError ** error)
{
  keys->derived = TRUE;
  keys->media.mki_size = keys->feedback.mki_size = GST_PSP_SRTP_SALT;
  if (g_utf8_strlen (passphrase, -1) < MIN_PASSPHRASE) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "passphrase is too short to keep anybody out; set %d characters or "
        "more, better five random words.", MIN_PASSPHRASE);
    return FALSE;
  }
  if (psp_srtp_secret (passphrase, keys->secret))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "There is no memory to derive keys from the passphrase, which takes 64 "
      "MiB for a moment; free some, or set srtp-key instead.");
  return FALSE;
}

gboolean
gst_psp_srtp_keys_init (GstPspSrtpKeys * keys, const GstPspSrtpConfig * config,
    GError ** error)
{
  const gchar *wrong = NULL, *missing;

  memset (keys, 0, sizeof *keys);
  keys->media.suite = keys->feedback.suite = config->suite;
  if (config->suite == PSP_SRTP_NONE) {
    /* If a key is set, nothing may leave unencrypted. */
    if (config->key || config->passphrase)
      wrong = "A key is set and srtp-suite is none, so nothing would be "
          "encrypted; set srtp-suite=aes-128-gcm at both ends.";
  } else if ((missing = psp_srtp_missing ())) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "srtp-suite is set, and %s, or set srtp-suite=none to send in the "
        "clear.", missing);
  } else if (config->key && config->passphrase) {
    wrong = "srtp-key and passphrase are both set; set one of them to NULL.";
  } else if (gst_psp_srtp_config_lacks_key (config)) {
    wrong =
        "srtp-suite is set and there is no key; set passphrase or srtp-key, "
        "or answer request-key.";
  } else {
    return config->key ? read_keys (keys, config, error) :
        read_passphrase (keys, config->passphrase, error);
  }
  if (wrong)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS, wrong);
  return FALSE;
}

GError *
gst_psp_srtp_used_error (void)
{
  return g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "This key was in use before: under it packets would repeat numbers. The "
      "key in use stays; set a srtp-key (and srtp-feedback-key) of fresh random "
      "bytes.");
}
