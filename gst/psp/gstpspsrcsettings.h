/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of pspsrc, and the fields of those of its socket.
 */
#ifndef __GST_PSP_SRC_SETTINGS_H__
#define __GST_PSP_SRC_SETTINGS_H__

#include <settings/settings.h>

#include "gstpspenums.h"
#include "gstpsplistener.h"
#include "gstpspsrtpkeys.h"

G_BEGIN_DECLS

/* The defaults of the properties of the same names. */
#define GST_PSP_SRC_DEFAULT_URI "psp://0.0.0.0:5004"
#define GST_PSP_SRC_DEFAULT_TIMEOUT 0
#define GST_PSP_SRC_DEFAULT_FEEDBACK_INTERVAL (25 * GST_MSECOND)
#define GST_PSP_SRC_DEFAULT_EOS_ON_BYE FALSE
#define GST_PSP_SRC_DEFAULT_FEEDBACK GST_PSP_SRC_FEEDBACK_CCFB

enum
{
  GST_PSP_SRC_PROP_0,
  GST_PSP_SRC_URI,
  GST_PSP_SRC_ADDRESS,
  GST_PSP_SRC_PORT,
  GST_PSP_SRC_MULTICAST_GROUP,
  GST_PSP_SRC_MULTICAST_IFACE,
  GST_PSP_SRC_AUTO_MULTICAST,
  GST_PSP_SRC_REUSE,
  GST_PSP_SRC_BUFFER_SIZE,
  GST_PSP_SRC_CAPS,
  GST_PSP_SRC_TIMEOUT,
  GST_PSP_SRC_FEEDBACK_INTERVAL,
  GST_PSP_SRC_FEEDBACK,
  GST_PSP_SRC_EOS_ON_BYE,
  GST_PSP_SRC_SOCKET,
  GST_PSP_SRC_USED_SOCKET,
  GST_PSP_SRC_CLOSE_SOCKET,
  GST_PSP_SRC_SRTP,             /* the first of GST_PSP_SRTP_N_PROPERTIES */
  GST_PSP_SRC_STATS = GST_PSP_SRC_SRTP + GST_PSP_SRTP_N_PROPERTIES,
  GST_PSP_SRC_N_PROPERTIES
};

/* Fills `properties`, which has room for GST_PSP_SRC_N_PROPERTIES, by id. */
void gst_psp_src_settings_install (GObjectClass * klass,
    GParamSpec ** properties);

/* The properties in a GstPspListenerConfig; they take effect at the next
 * start. */
extern const GstSettingsField gst_psp_src_fields[];

G_END_DECLS

#endif
