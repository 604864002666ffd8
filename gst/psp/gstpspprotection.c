/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspprotection.h"

/* ns between roll-over counters; a receiver that joins late waits for this
 * time. */
#define ROC_INTERVAL PSP_SECOND
/* ns until the next try if a driver protects packets, which changes the
 * counters. */
#define ROC_RETRY PSP_MSECOND
/* Bytes of a probe: it is an RTP header only. */
#define PROBE_SIZE 12

static void
clear_next_keys (GstPspProtection * p)
{
  if (p->next_keys)
    psp_srtp_wipe (p->next_keys, sizeof *p->next_keys);
  g_clear_pointer (&p->next_keys, g_free);
}

void
gst_psp_protection_init (GstPspProtection * p)
{
  memset (p, 0, sizeof *p);
  p->soft_limit = G_MAXUINT64;
}

void
gst_psp_protection_clear (GstPspProtection * p)
{
  gst_psp_srtp_free (p->srtp);
  clear_next_keys (p);
}

gboolean
gst_psp_protection_set_keys (GstPspProtection * p, const GstPspSrtpKeys * keys)
{
  if (p->srtp) {
    if (gst_psp_srtp_was_used (p->srtp, keys))
      return FALSE;
    clear_next_keys (p);
    p->next_keys = g_memdup2 (keys, sizeof *keys);
    return TRUE;
  }
  p->srtp = gst_psp_srtp_new (keys, TRUE);
  /* Other SSRCs keep a restarted sender from reusing packet numbers under the
   * same key. */
  if (!p->keep_ssrc)
    psp_srtp_random (&p->ssrc_mask, sizeof p->ssrc_mask);
  psp_srtp_random (&p->probe.ssrc, sizeof p->probe.ssrc);
  p->probe.size = PROBE_SIZE + gst_psp_protection_overhead (p);
  return p->srtp != NULL;
}

void
gst_psp_protection_update (GstPspProtection * p)
{
  if (!p->srtp)
    return;
  if (p->next_keys) {
    gst_psp_srtp_set_keys (p->srtp, p->next_keys);
    clear_next_keys (p);
    p->at_soft_limit = FALSE;
  }
  if (p->at_soft_limit || gst_psp_srtp_uses (p->srtp) < p->soft_limit)
    return;
  p->report_soft_limit = TRUE;
  p->at_soft_limit = !gst_psp_srtp_renew (p->srtp);
}

gboolean
gst_psp_protection_take_soft_limit (GstPspProtection * p)
{
  gboolean reported = p->report_soft_limit;

  p->report_soft_limit = FALSE;
  return reported;
}

gsize
gst_psp_protection_overhead (const GstPspProtection * p)
{
  return p->srtp ? gst_psp_srtp_overhead (p->srtp, FALSE) : 0;
}

gint64
gst_psp_protection_next (const GstPspProtection * p)
{
  return p->srtp ? p->roc_at : PSP_TIME_NEVER;
}

gsize
gst_psp_protection_pack_roc (GstPspProtection * p, gboolean busy, gint64 now,
    guint8 * data, gsize room)
{
  if (!p->srtp || now < p->roc_at)
    return 0;
  p->roc_at = now + (busy ? ROC_RETRY : ROC_INTERVAL);
  return busy ? 0 : gst_psp_srtp_pack_roc (p->srtp, data, room);
}

gsize
gst_psp_protection_unprotect (GstPspProtection * p, const guint8 * data,
    gsize size, guint8 * plain, gsize room, gint64 now)
{
  PspSrtpResult result = PSP_SRTP_FAILED;

  if (size <= room && psp_packet_kind (data, size) == PSP_PACKET_RTCP) {
    memcpy (plain, data, size);
    result = gst_psp_srtp_unprotect (p->srtp, plain, &size, TRUE, now);
  }
  if (result == PSP_SRTP_OK)
    return size;
  if (result == PSP_SRTP_REPLAYED)
    p->replayed++;
  else
    p->unauthenticated++;
  return 0;
}

GstBuffer *
gst_psp_protection_make_probe (GstPspProtection * p, const PspRtpHeader * last,
    PspRtpHeader * header)
{
  guint8 *data = g_malloc0 (PROBE_SIZE);

  p->probe.seq++;
  p->probe.payload_type = last->payload_type;
  p->probe.timestamp = last->timestamp;
  *header = p->probe;
  data[0] = 0x80;
  data[1] = p->probe.payload_type;
  GST_WRITE_UINT16_BE (data + 2, p->probe.seq);
  GST_WRITE_UINT32_BE (data + 4, p->probe.timestamp);
  GST_WRITE_UINT32_BE (data + 8, p->probe.ssrc ^ p->ssrc_mask);
  return gst_buffer_new_wrapped (data, PROBE_SIZE);
}
