/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The SRTP properties, which both elements have, and the keys made from them.
 * Secrets can be set but not read.
 */
#ifndef __GST_PSP_SRTP_KEYS_H__
#define __GST_PSP_SRTP_KEYS_H__

#include <gst/gst.h>

#include "srtp/derive.h"
#include "srtp/session.h"

G_BEGIN_DECLS

/* Property ids, relative to the element's id of the first one. */
enum
{
  GST_PSP_SRTP_SUITE,
  GST_PSP_SRTP_KEY,
  GST_PSP_SRTP_FEEDBACK_KEY,
  GST_PSP_SRTP_MKI,
  GST_PSP_SRTP_PASSPHRASE,
  GST_PSP_SRTP_N_PROPERTIES
};

/* Bytes of a session's salt, which is the MKI if there is a passphrase. */
#define GST_PSP_SRTP_SALT 8

/* The values of the properties. */
typedef struct
{
  PspSrtpSuite suite;
  GBytes *key, *feedback_key, *mki;
  gchar *passphrase;
} GstPspSrtpConfig;

/* The keys of a session. */
typedef struct
{
  gboolean derived;             /* keys are derived from the secret of a
                                   passphrase and from salts */
  guint8 secret[PSP_SRTP_SECRET];
  PspSrtpKey media, feedback;   /* only the suite is set if derived */
} GstPspSrtpKeys;

void gst_psp_srtp_define (GParamSpec ** first);
/* Returns FALSE if `property` is not one of these properties. */
gboolean gst_psp_srtp_config_set (GstPspSrtpConfig * config, guint property,
    const GValue * value, GError ** error);
void gst_psp_srtp_config_copy (GstPspSrtpConfig * to,
    const GstPspSrtpConfig * from);
void gst_psp_srtp_config_clear (GstPspSrtpConfig * config);
/* True if there is neither a key nor a passphrase. */
gboolean gst_psp_srtp_config_lacks_key (const GstPspSrtpConfig * config);
/* Asks the application for a key by the signal `request-key`. The MKI and the
 * result may be NULL. */
GBytes *gst_psp_srtp_request_key (GstElement * element, GBytes * mki);
void gst_psp_srtp_add_signal (GType type);

/* Makes the keys. Blocks for a tenth of a second if there is a passphrase.
 * Returns FALSE without an error if the suite is none, or FALSE with an error
 * if the properties do not fit together. */
gboolean gst_psp_srtp_keys_init (GstPspSrtpKeys * keys,
    const GstPspSrtpConfig * config, GError ** error);
/* Returns the error for keys that were in use before. */
GError *gst_psp_srtp_used_error (void);
/* Derives the media key of a session from its salt, or the feedback key from
 * both salts. */
void gst_psp_srtp_keys_derive (const GstPspSrtpKeys * keys,
    const guint8 media_salt[GST_PSP_SRTP_SALT],
    const guint8 * feedback_salt, PspSrtpKey * key);

G_END_DECLS

#endif
