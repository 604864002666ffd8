/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcpenums.h"

GType
gst_itcp_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_ITCP_MODE_CALLER, "Connect to the receiver", "caller"},
    {GST_ITCP_MODE_LISTENER, "Wait for the receiver to connect", "listener"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstItcpMode", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

GType
gst_itcp_event_source_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_ITCP_EVENT_SOURCE_AUTO, "The best that the system has", "auto"},
    {GST_ITCP_EVENT_SOURCE_BPF, "A program in the kernel (eBPF)", "bpf"},
    {GST_ITCP_EVENT_SOURCE_ERROR_QUEUE, "Time stamps of segments and TCP_INFO",
        "error-queue"},
    {GST_ITCP_EVENT_SOURCE_TCP_INFO, "TCP_INFO every 5 ms", "tcp-info"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstItcpEventSource", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

GType
gst_itcp_events_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
    {GST_ITCP_EVENTS_REXMT, "The retransmission timer expired", "rexmt"},
    {GST_ITCP_EVENTS_DUPACK, "TCP entered fast recovery", "dupack"},
    {GST_ITCP_EVENTS_BACKLOG, "Unsent data grows, or acknowledgements have "
          "ceased", "backlog"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_flags_register_static ("GstItcpEvents", values);

    g_once_init_leave (&type, t);
  }
  return type;
}
