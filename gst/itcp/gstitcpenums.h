/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_ITCP_ENUMS_H__
#define __GST_ITCP_ENUMS_H__

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * GstItcpMode:
 * @GST_ITCP_MODE_CALLER: connects to the receiver
 * @GST_ITCP_MODE_LISTENER: waits for the receiver to connect
 *
 * Who makes the connection.
 */
typedef enum
{
  GST_ITCP_MODE_CALLER,
  GST_ITCP_MODE_LISTENER
} GstItcpMode;

#define GST_TYPE_ITCP_MODE (gst_itcp_mode_get_type ())
GType gst_itcp_mode_get_type (void);

/**
 * GstItcpEventSource:
 * @GST_ITCP_EVENT_SOURCE_AUTO: the best that the system has
 * @GST_ITCP_EVENT_SOURCE_BPF: a program in the kernel, the helper's or
 *     the element's own
 * @GST_ITCP_EVENT_SOURCE_ERROR_QUEUE: the time stamp of each segment
 * @GST_ITCP_EVENT_SOURCE_TCP_INFO: a look every 5 ms
 *
 * How TCP's events are found.
 */
typedef enum
{
  GST_ITCP_EVENT_SOURCE_AUTO,
  GST_ITCP_EVENT_SOURCE_BPF,
  GST_ITCP_EVENT_SOURCE_ERROR_QUEUE,
  GST_ITCP_EVENT_SOURCE_TCP_INFO
} GstItcpEventSource;

#define GST_TYPE_ITCP_EVENT_SOURCE (gst_itcp_event_source_get_type ())
GType gst_itcp_event_source_get_type (void);

/**
 * GstItcpEvents:
 * @GST_ITCP_EVENTS_REXMT: the retransmission timer expired
 * @GST_ITCP_EVENTS_DUPACK: TCP entered fast recovery
 * @GST_ITCP_EVENTS_BACKLOG: unsent data grows, or acknowledgements have
 *   ceased
 *
 * Events to act on.
 */
typedef enum
{
  GST_ITCP_EVENTS_REXMT = 1 << 0,
  GST_ITCP_EVENTS_DUPACK = 1 << 1,
  GST_ITCP_EVENTS_BACKLOG = 1 << 2
} GstItcpEvents;

#define GST_TYPE_ITCP_EVENTS (gst_itcp_events_get_type ())
GType gst_itcp_events_get_type (void);

G_END_DECLS

#endif
