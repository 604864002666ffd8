/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspenums.h"

#include "srtp/session.h"

GType
gst_psp_leaky_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_PSP_LEAKY_NO, "Wait for room", "no"},
    {GST_PSP_LEAKY_UPSTREAM, "Drop new pictures", "upstream"},
    {GST_PSP_LEAKY_DOWNSTREAM, "Drop old pictures", "downstream"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstPspLeaky", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

GType
gst_psp_pacing_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_PSP_PACING_AUTO, "Real-time scheduling where granted", "auto"},
    {GST_PSP_PACING_SLEEP, "Ordinary scheduling", "sleep"},
    {GST_PSP_PACING_REALTIME, "Real-time scheduling, or a warning",
        "realtime"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstPspPacing", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

GType
gst_psp_ecn_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_PSP_ECN_OFF, "Packets are not ECN-capable", "off"},
    {GST_PSP_ECN_ECT0, "ECT(0): a mark is answered as a loss", "ect0"},
    {GST_PSP_ECN_ECT1, "ECT(1): L4S, marks are answered by their share",
        "ect1"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstPspEcn", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

GType
gst_psp_src_feedback_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_PSP_SRC_FEEDBACK_CCFB, "RFC 8888, as pspsink obeys", "ccfb"},
    {GST_PSP_SRC_FEEDBACK_TWCC, "Transport-wide, as WebRTC's senders obey",
        "twcc"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstPspSrcFeedback", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

GType
gst_psp_srtp_suite_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {PSP_SRTP_NONE, "In the clear", "none"},
    {PSP_SRTP_AES_128_GCM, "AEAD_AES_128_GCM (RFC 7714)", "aes-128-gcm"},
    {PSP_SRTP_AES_256_GCM, "AEAD_AES_256_GCM (RFC 7714)", "aes-256-gcm"},
    {PSP_SRTP_AES_CM_128_HMAC_SHA1_80, "AES_CM_128_HMAC_SHA1_80 (RFC 3711)",
        "aes-cm-128-hmac-sha1-80"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstPspSrtpSuite", values);

    g_once_init_leave (&type, t);
  }
  return type;
}
