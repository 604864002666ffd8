/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthqueue.h"

#include <gst/base/base.h>
#include <gst/rtp/rtp.h>

/* The header extension with transport-wide sequence numbers. */
#define TWCC_URI \
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
/* One-byte header extensions have the identifiers 1 to 14 (RFC 8285 section
 * 4.2). */
#define MAX_EXTENSION 14
/* Items for which a new array has room. */
#define FIRST_LENGTH 64

struct _GstRtpBandwidthQueue
{
  GstQueueArray *items;
  /* Retransmissions, for which the receiver waits, and packets that are not
   * paced. They leave before the items, but keep their order with sticky
   * events, which may be the caps or the segment of later packets. */
  GstQueueArray *first;
  GstQueueArray *sticky;        /* places of the sticky events among the items */
  guint64 n_queued;             /* items so far */
  PspShedder shedder;
  /* Id of the header extension with the transport-wide number; 0 = unknown. */
  guint8 extension;
};

GstRtpBandwidthQueue *
gst_rtp_bandwidth_queue_new (void)
{
  GstRtpBandwidthQueue *q = g_new0 (GstRtpBandwidthQueue, 1);

  q->items = gst_queue_array_new_for_struct (sizeof (GstRtpBandwidthItem),
      FIRST_LENGTH);
  q->first = gst_queue_array_new_for_struct (sizeof (GstRtpBandwidthItem),
      FIRST_LENGTH);
  q->sticky = gst_queue_array_new_for_struct (sizeof (guint64), FIRST_LENGTH);
  psp_shedder_init (&q->shedder);
  return q;
}

void
gst_rtp_bandwidth_queue_free (GstRtpBandwidthQueue * q)
{
  while (gst_rtp_bandwidth_queue_head (q))
    gst_mini_object_unref (gst_rtp_bandwidth_queue_pop (q).object);
  gst_queue_array_free (q->items);
  gst_queue_array_free (q->first);
  gst_queue_array_free (q->sticky);
  g_free (q);
}

/* Looks for the extension as rtpsession does, because rtpsession numbers
 * packets only by an extension that it finds. */
gboolean
gst_rtp_bandwidth_queue_set_caps (GstRtpBandwidthQueue * q,
    const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gchar name[sizeof "extmap-14"];

  for (guint8 id = 1; id <= MAX_EXTENSION; id++) {
    g_snprintf (name, sizeof name, "extmap-%u", id);
    if (g_strcmp0 (gst_structure_get_string (s, name), TWCC_URI) == 0)
      q->extension = id;
  }
  return q->extension > 0;
}

typedef struct
{
  PspShedderPacket packet;
  gboolean numbered, marker;
  guint16 repeated;             /* the number that a retransmission repeats */
} Header;

/* Reads the header. The payload's size is counted as rtpsession counts it. */
static gboolean
read_header (GstRtpBandwidthQueue * q, GstBuffer * buffer, Header * h)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer data;
  guint size;

  memset (h, 0, sizeof *h);
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;
  h->packet.ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  h->packet.timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  h->packet.number = gst_rtp_buffer_get_seq (&rtp);
  h->packet.payload_size = gst_rtp_buffer_get_payload_len (&rtp);
  h->marker = gst_rtp_buffer_get_marker (&rtp);
  h->numbered = q->extension > 0
      && gst_rtp_buffer_get_extension_onebyte_header (&rtp, q->extension, 0,
      &data, &size);
  /* The original number goes before the payload (RFC 4588 section 4). A
   * packet that a receiver restored from a retransmission has the flag, too,
   * but counts as media. */
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION)
      && h->packet.payload_size >= 2
      && !psp_shedder_has_media (&q->shedder, h->packet.ssrc)) {
    h->packet.repeats = TRUE;
    h->repeated = GST_READ_UINT16_BE (gst_rtp_buffer_get_payload (&rtp));
  }
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

static GstBuffer *
write_number (GstBuffer * buffer, guint16 number)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  buffer = gst_buffer_make_writable (buffer);
  if (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp)) {
    gst_rtp_buffer_set_seq (&rtp, number);
    gst_rtp_buffer_unmap (&rtp);
  }
  return buffer;
}

static GstBuffer *
write_repeated (GstBuffer * buffer, guint16 number)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  buffer = gst_buffer_make_writable (buffer);
  if (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp)) {
    GST_WRITE_UINT16_BE (gst_rtp_buffer_get_payload (&rtp), number);
    gst_rtp_buffer_unmap (&rtp);
  }
  return buffer;
}

static PspShedderRoom
room (GstRtpBandwidthQueue * q, gboolean over)
{
  if (gst_rtp_bandwidth_queue_length (q) >= GST_RTP_BANDWIDTH_QUEUE_CAPACITY)
    return PSP_SHEDDER_OVERFLOWING;
  return over ? PSP_SHEDDER_FULL : PSP_SHEDDER_ROOM;
}

/* Offers the packet to the shedder and writes its numbers. Returns NULL if
 * the packet is dropped. */
static GstBuffer *
offer (GstRtpBandwidthQueue * q, GstBuffer * buffer, Header * h, gboolean over)
{
  guint16 repeated = h->repeated, sent;

  if ((h->packet.repeats
          && !psp_shedder_repeat (&q->shedder, &h->packet, &repeated))
      || !psp_shedder_offer (&q->shedder, &h->packet, room (q, over), &sent)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (sent != h->packet.number)
    buffer = write_number (buffer, sent);
  if (repeated != h->repeated)
    buffer = write_repeated (buffer, repeated);
  h->packet.number = sent;
  return buffer;
}

const GstRtpBandwidthPacket *
gst_rtp_bandwidth_queue_packet (GstRtpBandwidthQueue * q, GstBuffer * buffer,
    gboolean over, gboolean paces_all, gboolean * shed)
{
  GstQueueArray *queue;
  GstRtpBandwidthItem item, *tail;
  Header h;

  /* A buffer that is not RTP passes, because rtpsession refuses it. */
  if (read_header (q, buffer, &h))
    buffer = offer (q, buffer, &h, over);
  *shed = !buffer && !h.packet.repeats;
  if (!buffer)
    return NULL;
  memset (&item, 0, sizeof item);
  item.object = GST_MINI_OBJECT (buffer);
  item.place = q->n_queued++;
  item.packet.ssrc = h.packet.ssrc;
  item.packet.number = h.packet.number;
  item.packet.payload_size = h.packet.payload_size;
  item.packet.marker = h.marker;
  item.packet.numbered = h.numbered;
  item.packet.counted = h.numbered || paces_all;
  queue = h.packet.repeats || !item.packet.counted ? q->first : q->items;
  gst_queue_array_push_tail_struct (queue, &item);
  tail = gst_queue_array_peek_tail_struct (queue);
  return &tail->packet;
}

void
gst_rtp_bandwidth_queue_event (GstRtpBandwidthQueue * q, GstEvent * event)
{
  GstRtpBandwidthItem item = {.object = GST_MINI_OBJECT (event),
    .place = q->n_queued++
  };

  gst_queue_array_push_tail_struct (q->items, &item);
  if (GST_EVENT_IS_STICKY (event))
    gst_queue_array_push_tail_struct (q->sticky, &item.place);
}

static GstQueueArray *
next_to_leave (GstRtpBandwidthQueue * q)
{
  const GstRtpBandwidthItem *first = gst_queue_array_peek_head_struct (q->first);
  const guint64 *sticky = gst_queue_array_peek_head_struct (q->sticky);

  return first && (!sticky || first->place < *sticky) ? q->first : q->items;
}

const GstRtpBandwidthItem *
gst_rtp_bandwidth_queue_head (GstRtpBandwidthQueue * q)
{
  return gst_queue_array_peek_head_struct (next_to_leave (q));
}

GstRtpBandwidthItem
gst_rtp_bandwidth_queue_pop (GstRtpBandwidthQueue * q)
{
  GstRtpBandwidthItem *item =
      gst_queue_array_pop_head_struct (next_to_leave (q));

  if (GST_IS_EVENT (item->object)
      && GST_EVENT_IS_STICKY (GST_EVENT_CAST (item->object)))
    gst_queue_array_pop_head_struct (q->sticky);
  else if (GST_IS_BUFFER (item->object))
    psp_shedder_left (&q->shedder, item->packet.ssrc,
        item->packet.payload_size);
  return *item;
}

GstRtpBandwidthItem
gst_rtp_bandwidth_queue_discard (GstRtpBandwidthQueue * q)
{
  GstRtpBandwidthItem item = gst_rtp_bandwidth_queue_pop (q);

  if (GST_IS_BUFFER (item.object))
    psp_shedder_take_back (&q->shedder, item.packet.ssrc);
  return item;
}

guint
gst_rtp_bandwidth_queue_length (GstRtpBandwidthQueue * q)
{
  return gst_queue_array_get_length (q->items) +
      gst_queue_array_get_length (q->first);
}

GstEvent *
gst_rtp_bandwidth_queue_request (GstRtpBandwidthQueue * q, GstEvent * event)
{
  const GstStructure *s = gst_event_get_structure (event);
  guint seqnum, ssrc;
  guint16 number;

  /* No element answers a request without an SSRC. */
  if (!gst_structure_get_uint (s, "seqnum", &seqnum)
      || !gst_structure_get_uint (s, "ssrc", &ssrc))
    return event;
  number = (guint16) seqnum;
  if (!psp_shedder_request (&q->shedder, ssrc, &number)) {
    gst_event_unref (event);
    return NULL;
  }
  if (number != seqnum) {
    event = gst_event_make_writable (event);
    gst_structure_set (gst_event_writable_structure (event), "seqnum",
        G_TYPE_UINT, (guint) number, NULL);
  }
  return event;
}

guint64
gst_rtp_bandwidth_queue_dropped_packets (GstRtpBandwidthQueue * q)
{
  return q->shedder.dropped_packets;
}

guint64
gst_rtp_bandwidth_queue_dropped_pictures (GstRtpBandwidthQueue * q)
{
  return q->shedder.dropped_pictures;
}
