/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspheld.h"

#include <string.h>

typedef struct
{
  guint8 mki[PSP_SRTP_MAX_MKI];
  gsize size;                   /* bytes of the MKI; 0 = not in use */
  guint count;                  /* datagrams that came with it */
  gint64 seen_at;
  gint64 asked_at;              /* last request for it, or PSP_TIME_UNKNOWN */
} Mki;

typedef struct
{
  GstPspHeldPacket packet;
  guint mki;                    /* index of its MKI */
} Waiting;

struct _GstPspHeld
{
  Mki mkis[GST_PSP_HELD_MAX_MKIS];
  Waiting waiting[GST_PSP_HELD_MAX];    /* in the order of arrival */
  guint n_waiting;
  gint64 asked_at;              /* last request, or PSP_TIME_UNKNOWN */
};

GstPspHeld *
gst_psp_held_new (void)
{
  GstPspHeld *h = g_new0 (GstPspHeld, 1);

  h->asked_at = PSP_TIME_UNKNOWN;
  return h;
}

void
gst_psp_held_free (GstPspHeld * h)
{
  if (!h)
    return;
  for (guint i = 0; i < h->n_waiting; i++)
    gst_buffer_unref (h->waiting[i].packet.buffer);
  g_free (h);
}

static void
remove_waiting (GstPspHeld * h, guint i)
{
  h->n_waiting--;
  memmove (&h->waiting[i], &h->waiting[i + 1],
      (h->n_waiting - i) * sizeof h->waiting[0]);
}

/* Drops at most `most` datagrams of this MKI, the oldest first. Returns how
 * many. */
static guint
give_up (GstPspHeld * h, guint mki, guint most)
{
  guint n = 0;

  for (guint i = 0; i < h->n_waiting && n < most;) {
    if (h->waiting[i].mki != mki) {
      i++;
      continue;
    }
    gst_buffer_unref (h->waiting[i].packet.buffer);
    remove_waiting (h, i);
    n++;
  }
  return n;
}

/* True if `a` is dropped before `b`: first an MKI that was asked for without
 * success, then the one of fewer datagrams, then the one seen less recently. */
static gboolean
goes_first (const Mki * a, const Mki * b)
{
  gboolean asked_a = a->asked_at != PSP_TIME_UNKNOWN;
  gboolean asked_b = b->asked_at != PSP_TIME_UNKNOWN;

  if (asked_a != asked_b)
    return asked_a;
  if (a->count != b->count)
    return a->count < b->count;
  return a->seen_at < b->seen_at;
}

static gboolean
is_mki (const Mki * m, const guint8 * mki, gsize size)
{
  return m->size == size && memcmp (m->mki, mki, size) == 0;
}

/* Returns the index of an MKI, or GST_PSP_HELD_MAX_MKIS if it is unknown. */
static guint
find_mki (const GstPspHeld * h, const guint8 * mki, gsize size)
{
  guint i = 0;

  while (i < GST_PSP_HELD_MAX_MKIS && !is_mki (&h->mkis[i], mki, size))
    i++;
  return i;
}

static guint
take_place (GstPspHeld * h, const guint8 * mki, gsize size, guint * given_up)
{
  guint place = 0;
  Mki *m;

  for (guint i = 0; i < GST_PSP_HELD_MAX_MKIS; i++) {
    if (h->mkis[i].size == 0) {
      place = i;
      break;
    }
    if (goes_first (&h->mkis[i], &h->mkis[place]))
      place = i;
  }
  *given_up += give_up (h, place, G_MAXUINT);
  m = &h->mkis[place];
  memset (m, 0, sizeof *m);
  memcpy (m->mki, mki, size);
  m->size = size;
  m->asked_at = PSP_TIME_UNKNOWN;
  return place;
}

/* Drops the oldest datagram of the MKI that is dropped first. */
static void
make_room (GstPspHeld * h)
{
  guint worst = h->waiting[0].mki;

  for (guint i = 1; i < h->n_waiting; i++)
    if (goes_first (&h->mkis[h->waiting[i].mki], &h->mkis[worst]))
      worst = h->waiting[i].mki;
  give_up (h, worst, 1);
}

guint
gst_psp_held_add (GstPspHeld * h, const guint8 * mki, gsize mki_size,
    const GstPspHeldPacket * packet)
{
  guint given_up = 0, place = find_mki (h, mki, mki_size);
  Waiting *w;

  if (place == GST_PSP_HELD_MAX_MKIS)
    place = take_place (h, mki, mki_size, &given_up);
  h->mkis[place].count++;
  h->mkis[place].seen_at = packet->arrived_at;
  if (h->n_waiting == GST_PSP_HELD_MAX) {
    make_room (h);
    given_up++;
  }
  w = &h->waiting[h->n_waiting++];
  w->packet = *packet;
  w->mki = place;
  return given_up;
}

guint
gst_psp_held_expire (GstPspHeld * h, gint64 now)
{
  guint n = 0;

  while (h->n_waiting > 0 &&
      now - h->waiting[0].packet.arrived_at >= GST_PSP_HELD_TIME) {
    gst_buffer_unref (h->waiting[0].packet.buffer);
    remove_waiting (h, 0);
    n++;
  }
  return n;
}

/* Returns the MKI to ask for next: one not asked for yet, then the one asked
 * for longest ago; among equals the one of the most datagrams. NULL = none. */
static Mki *
find_question (GstPspHeld * h)
{
  Mki *best = NULL;

  for (guint i = 0; i < h->n_waiting; i++) {
    Mki *m = &h->mkis[h->waiting[i].mki];

    if (!best || m->asked_at < best->asked_at ||
        (m->asked_at == best->asked_at && m->count > best->count))
      best = m;
  }
  return best;
}

GBytes *
gst_psp_held_ask (GstPspHeld * h, gint64 now)
{
  Mki *m;

  if (h->asked_at != PSP_TIME_UNKNOWN &&
      now - h->asked_at < GST_PSP_HELD_ASK_INTERVAL)
    return NULL;
  m = find_question (h);
  if (!m)
    return NULL;
  h->asked_at = m->asked_at = now;
  return g_bytes_new (m->mki, m->size);
}

gint64
gst_psp_held_next (const GstPspHeld * h)
{
  gint64 ask_at = h->asked_at == PSP_TIME_UNKNOWN ? G_MININT64 :
      h->asked_at + GST_PSP_HELD_ASK_INTERVAL;

  if (h->n_waiting == 0)
    return PSP_TIME_NEVER;
  return MIN (ask_at, h->waiting[0].packet.arrived_at + GST_PSP_HELD_TIME);
}

gboolean
gst_psp_held_take (GstPspHeld * h, const guint8 * mki, gsize mki_size,
    GstPspHeldPacket * packet)
{
  guint place = find_mki (h, mki, mki_size);

  for (guint i = 0; i < h->n_waiting; i++)
    if (h->waiting[i].mki == place) {
      *packet = h->waiting[i].packet;
      remove_waiting (h, i);
      return TRUE;
    }
  return FALSE;
}
