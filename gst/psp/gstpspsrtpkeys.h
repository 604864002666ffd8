/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties about SRTP, which both elements have, and the keys that they
 * come to. What is set is never shown.
 */
#ifndef __GST_PSP_SRTP_KEYS_H__
#define __GST_PSP_SRTP_KEYS_H__

#include <gst/gst.h>

#include "srtp/derive.h"
#include "srtp/session.h"

G_BEGIN_DECLS

/* Properties, from the one that an element has for the first. */
enum
{
  GST_PSP_SRTP_SUITE,
  GST_PSP_SRTP_KEY,
  GST_PSP_SRTP_FEEDBACK_KEY,
  GST_PSP_SRTP_MKI,
  GST_PSP_SRTP_PASSPHRASE,
  GST_PSP_SRTP_N_PROPERTIES
};

/* Bytes of a session's salt, the MKI under a passphrase. */
#define GST_PSP_SRTP_SALT 8

/* As they are set. */
typedef struct
{
  PspSrtpSuite suite;
  GBytes *key, *feedback_key, *mki;
  gchar *passphrase;
} GstPspSrtpConfig;

/* What protects a session. */
typedef struct
{
  gboolean derived;             /* by the secret of a passphrase: the keys follow
                                   from salts; only their suite is set */
  guint8 secret[PSP_SRTP_SECRET];
  PspSrtpKey media, feedback;
} GstPspSrtpKeys;

void gst_psp_srtp_define (GParamSpec ** first);
/* FALSE where it is none of these. */
gboolean gst_psp_srtp_config_set (GstPspSrtpConfig * config, guint property,
    const GValue * value, GError ** error);
void gst_psp_srtp_config_copy (GstPspSrtpConfig * to,
    const GstPspSrtpConfig * from);
void gst_psp_srtp_config_clear (GstPspSrtpConfig * config);
/* There is neither a key nor a passphrase. */
gboolean gst_psp_srtp_config_lacks_key (const GstPspSrtpConfig * config);
/* Signal `request-key`: asks the application. Either may be NULL. */
GBytes *gst_psp_srtp_request_key (GstElement * element, GBytes * mki);
void gst_psp_srtp_add_signal (GType type);

/* Blocks for a tenth of a second where there is a passphrase. FALSE: the suite
 * is none (no error then), or what is set does not fit. */
gboolean gst_psp_srtp_keys_init (GstPspSrtpKeys * keys,
    const GstPspSrtpConfig * config, GError ** error);
/* Why keys were refused that were in use before. */
GError *gst_psp_srtp_used_error (void);
/* Of a session of these salts; feedback has both. */
void gst_psp_srtp_keys_derive (const GstPspSrtpKeys * keys,
    const guint8 media_salt[GST_PSP_SRTP_SALT],
    const guint8 * feedback_salt, PspSrtpKey * key);

G_END_DECLS

#endif
