/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrtp.h"

#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/rtp.h>

/* Bytes of a salt; a shorter name. */
#define SALT GST_PSP_SRTP_SALT

/* ns of silence after which the sender may have been restarted, under another
 * salt and with other SSRCs. A recording of an old session is not accepted
 * sooner either. */
#define SENDER_SILENCE (500 * PSP_MSECOND)
/* ns; shortest time between two tries of an unknown salt while a session is
 * live: a try costs more than to find that a packet is forged. */
#define TRY_INTERVAL PSP_MSECOND
/* Packets; a sequence number that is further ahead counts as one behind (RFC
 * 3711 section 3.3.1). */
#define MAX_AHEAD 32768
/* ns; a session that began after a silence is a recording if the previous
 * session continues within this time. */
#define DOUBT (2 * PSP_SECOND)

/* Packet type of RTCP APP (RFC 3550 section 6.7). */
#define RTCP_APP 204
/* Name of the APP packet that carries a roll-over counter. */
#define ROC_NAME "ROC "
/* Bytes of that packet. */
#define ROC_SIZE 20

typedef struct
{
  guint32 ssrc;
  guint64 index;                /* highest authentic or announced index */
  guint64 seen;                 /* highest index under the newest session */
  gboolean told;                /* that session may not know the index */
  guint64 used;                 /* value of n_packets at the last use */
  gboolean doubted;             /* the stream began while in[0] was doubted */
} Stream;

struct _GstPspSrtp
{
  gboolean sender;
  GstPspSrtpKeys keys;
  guint8 salts[2][SALT];        /* sender: current and previous media salt */
  PspSrtpSession *media;        /* sender: protects RTP */
  PspSrtpSession *rtcp;         /* protects RTCP; NULL = no key yet */
  PspSrtpSession *in[2];        /* unprotect packets; the newest is first */
  gboolean doubted;             /* in[0] may not be the peer's session */
  gint64 doubted_at;            /* receiver: when in[0] began */
  PspSrtpSession *idle;         /* not used, see create_idle() */
  gboolean feedback_waits;      /* keys.feedback waits for the first media */
  GArray *used;                 /* tags of all keys that were in use */
  guint64 uses;                 /* RTP packets under the current key */
  Stream streams[PSP_MAX_STREAMS];
  guint n_streams;
  guint64 n_packets;            /* packets of all streams */
  gint64 heard_at;
  gint64 tried_at;              /* last failed try of an unknown salt */
  guint8 *copy;                 /* copy of a packet that may be under either
                                   of two keys */
  gsize copy_size;
};

/* Streams and their indices */

/* Returns the index with this sequence number that is nearest to `index`. */
static guint64
estimate (guint64 index, guint16 seq)
{
  gint16 ahead = (gint16) (guint16) (seq - (guint16) index);

  if (ahead < 0 && index < (guint64) - (gint64) ahead)
    return index + ahead + 65536;
  return index + ahead;
}

static Stream *
find_stream (GstPspSrtp * s, guint32 ssrc)
{
  for (guint i = 0; i < s->n_streams; i++)
    if (s->streams[i].ssrc == ssrc)
      return &s->streams[i];
  return NULL;
}

/* Adds a stream. If there is no room, replaces the one used longest ago. */
static Stream *
add_stream (GstPspSrtp * s, guint32 ssrc, guint64 index, gboolean told)
{
  Stream *t = s->streams;

  if (s->n_streams < PSP_MAX_STREAMS)
    t = &s->streams[s->n_streams++];
  else
    for (guint i = 1; i < PSP_MAX_STREAMS; i++)
      if (s->streams[i].used < t->used)
        t = &s->streams[i];
  *t = (Stream) {
  .ssrc = ssrc,.index = index,.told = told,.used = ++s->n_packets};
  return t;
}

/* Sets the roll-over counter of the next packet, which a session that begins in
 * the middle of a stream cannot know (RFC 3711 section 3.3.1). */
static void
tell_roc (PspSrtpSession * session, const Stream * t, guint64 seen,
    guint64 index)
{
  if (index >> 16 > 0 && index > seen + MAX_AHEAD)
    psp_srtp_set_roc (session, t->ssrc, (guint32) (index >> 16));
}

static void
note_index (GstPspSrtp * s, Stream * t, guint64 index, gboolean newest)
{
  t->used = ++s->n_packets;
  t->index = MAX (t->index, index);
  if (!newest)
    return;
  t->seen = MAX (t->seen, index);
  t->told = FALSE;
}

/* Notes that another session begins, in the middle of all streams. */
static void
forget_seen (GstPspSrtp * s)
{
  for (guint i = 0; i < s->n_streams; i++) {
    s->streams[i].seen = 0;
    s->streams[i].told = TRUE;
  }
}

/* Keys in use */

static guint64
tag_of (const PspSrtpKey * key)
{
  guint64 tag;

  psp_srtp_derive (key->key, psp_srtp_key_size (key->suite), NULL, 0,
      "gst-psp tag", (guint8 *) & tag, sizeof tag);
  return tag;
}

static gboolean
was_used (const GstPspSrtp * s, const PspSrtpKey * key)
{
  guint64 tag = tag_of (key);

  for (guint i = 0; i < s->used->len; i++)
    if (g_array_index (s->used, guint64, i) == tag)
      return TRUE;
  return FALSE;
}

static void
note_used (GstPspSrtp * s, const PspSrtpKey * key)
{
  guint64 tag = tag_of (key);

  g_array_append_val (s->used, tag);
}

static void
forget_used (GstPspSrtp * s, const PspSrtpKey * key)
{
  guint64 tag = tag_of (key);

  for (guint i = s->used->len; i-- > 0;)
    if (g_array_index (s->used, guint64, i) == tag)
      g_array_remove_index_fast (s->used, i);
}

static void
take_session (PspSrtpSession ** to, PspSrtpSession * session)
{
  psp_srtp_session_free (*to);
  *to = session;
}

/* Accepts packets under this session from now on. A doubted session makes room,
 * instead of the one before it, which may be the peer's; the doubted one may be
 * accepted again later. */
static void
push_in (GstPspSrtp * s, PspSrtpSession * session, gboolean doubted)
{
  if (!session)
    return;
  note_used (s, psp_srtp_session_key (session));
  if (s->doubted) {
    forget_used (s, psp_srtp_session_key (s->in[0]));
    psp_srtp_session_free (s->in[0]);
  } else {
    take_session (&s->in[1], s->in[0]);
  }
  s->in[0] = session;
  s->doubted = doubted && s->in[1];
  if (!s->sender)
    forget_seen (s);
}

/* Protects media under this key from now on. If memory runs out, the previous
 * key stays. */
static void
begin_media (GstPspSrtp * s, const PspSrtpKey * key)
{
  PspSrtpSession *media = psp_srtp_session_new (key, FALSE);
  PspSrtpSession *rtcp = psp_srtp_session_new (key, FALSE);

  if (!media || !rtcp) {
    psp_srtp_session_free (media);
    psp_srtp_session_free (rtcp);
    return;
  }
  take_session (&s->media, media);
  take_session (&s->rtcp, rtcp);
  note_used (s, key);
  forget_seen (s);
  s->uses = 0;
}

static gboolean
answers_under (const GstPspSrtp * s, const PspSrtpKey * key)
{
  return !s->sender && s->rtcp
      && tag_of (psp_srtp_session_key (s->rtcp)) == tag_of (key);
}

/* Receiver: sends RTCP under the key in force; a derived key follows from the
 * sender's salt and a new one of the receiver. The session of a key that is
 * already in use is kept, because no index may occur twice under it. */
static void
begin_feedback (GstPspSrtp * s)
{
  PspSrtpKey key = s->keys.feedback;
  guint8 salt[SALT];

  s->feedback_waits = FALSE;
  if (!s->keys.derived && answers_under (s, &key))
    return;
  if (s->keys.derived) {
    psp_srtp_random (salt, SALT);
    gst_psp_srtp_keys_derive (&s->keys, psp_srtp_session_key (s->in[0])->mki,
        salt, &key);
  }
  take_session (&s->rtcp, psp_srtp_session_new (&key, FALSE));
  note_used (s, &key);
  psp_srtp_wipe (&key, sizeof key);
}

gboolean
gst_psp_srtp_renew (GstPspSrtp * s)
{
  PspSrtpKey key = { 0 };

  if (!s->keys.derived)
    return FALSE;
  memcpy (s->salts[1], s->salts[0], SALT);
  psp_srtp_random (s->salts[0], SALT);
  gst_psp_srtp_keys_derive (&s->keys, s->salts[0], NULL, &key);
  begin_media (s, &key);
  psp_srtp_wipe (&key, sizeof key);
  return TRUE;
}

/* Begins with keys that are not derived: both ends already have them. */
static void
begin_set_keys (GstPspSrtp * s)
{
  if (s->sender) {
    begin_media (s, &s->keys.media);
    push_in (s, psp_srtp_session_new (&s->keys.feedback, TRUE), FALSE);
    return;
  }
  push_in (s, psp_srtp_session_new (&s->keys.media, TRUE), TRUE);
  if (s->rtcp)
    s->feedback_waits = TRUE;
  else
    begin_feedback (s);
}

gboolean
gst_psp_srtp_was_used (const GstPspSrtp * s, const GstPspSrtpKeys * keys)
{
  return !keys->derived && (was_used (s, &keys->media) ||
      (was_used (s, &keys->feedback) && !answers_under (s, &keys->feedback)));
}

gboolean
gst_psp_srtp_set_keys (GstPspSrtp * s, const GstPspSrtpKeys * keys)
{
  if (gst_psp_srtp_was_used (s, keys))
    return FALSE;
  s->keys = *keys;
  s->tried_at = G_MININT64 / 2;
  if (!keys->derived)
    begin_set_keys (s);
  else if (s->sender)
    gst_psp_srtp_renew (s);
  return TRUE;
}

/* Life */

/* Creates an unused session. libsrtp on NSS takes 1 ms to create a session if
 * there is no other one, and each of an attacker's packets would cost that. */
static PspSrtpSession *
create_idle (const GstPspSrtpKeys * keys)
{
  PspSrtpKey key = {.suite = keys->media.suite };
  PspSrtpSession *session;

  psp_srtp_random (key.key, psp_srtp_key_size (key.suite));
  session = psp_srtp_session_new (&key, TRUE);
  psp_srtp_wipe (&key, sizeof key);
  return session;
}

GstPspSrtp *
gst_psp_srtp_new (const GstPspSrtpKeys * keys, gboolean sender)
{
  GstPspSrtp *s = g_new0 (GstPspSrtp, 1);

  s->sender = sender;
  s->used = g_array_new (FALSE, FALSE, sizeof (guint64));
  s->heard_at = G_MININT64 / 2;
  gst_psp_srtp_set_keys (s, keys);
  if (keys->derived && !sender)
    s->idle = create_idle (keys);
  if ((sender && !(s->media && s->rtcp)) || (!keys->derived && !s->in[0])) {
    gst_psp_srtp_free (s);
    return NULL;
  }
  return s;
}

void
gst_psp_srtp_free (GstPspSrtp * s)
{
  if (!s)
    return;
  psp_srtp_session_free (s->media);
  psp_srtp_session_free (s->rtcp);
  psp_srtp_session_free (s->in[0]);
  psp_srtp_session_free (s->in[1]);
  psp_srtp_session_free (s->idle);
  g_array_unref (s->used);
  g_free (s->copy);
  psp_srtp_wipe (s, sizeof *s);
  g_free (s);
}

/* Sending */

gsize
gst_psp_srtp_overhead (const GstPspSrtp * s, gboolean rtcp)
{
  return psp_srtp_overhead (&s->keys.media, rtcp);
}

PspSrtpResult
gst_psp_srtp_protect (GstPspSrtp * s, guint8 * data, gsize * size)
{
  guint16 seq = GST_READ_UINT16_BE (data + 2);
  guint32 ssrc = GST_READ_UINT32_BE (data + 8);
  Stream *t = find_stream (s, ssrc);
  PspSrtpResult result;
  guint64 index;

  if (!t)
    t = add_stream (s, ssrc, seq, FALSE);
  index = estimate (t->index, seq);
  if (t->told)
    tell_roc (s->media, t, t->seen, index);
  result = psp_srtp_protect (s->media, data, size, FALSE);
  if (result != PSP_SRTP_OK)
    return result;
  note_index (s, t, index, TRUE);
  s->uses++;
  return result;
}

PspSrtpResult
gst_psp_srtp_protect_rtcp (GstPspSrtp * s, guint8 * data, gsize * size)
{
  return s->rtcp ? psp_srtp_protect (s->rtcp, data, size, TRUE) :
      PSP_SRTP_FAILED;
}

guint64
gst_psp_srtp_uses (const GstPspSrtp * s)
{
  return s->uses;
}

gsize
gst_psp_srtp_pack_roc (const GstPspSrtp * s, guint8 * data, gsize size)
{
  gsize used = 0;

  for (guint i = 0; i < s->n_streams && used + ROC_SIZE <= size; i++) {
    const Stream *t = &s->streams[i];
    guint8 *app = data + used;

    if (t->index >> 16 == 0)
      continue;
    GST_WRITE_UINT16_BE (app, 0x8000 | RTCP_APP);
    GST_WRITE_UINT16_BE (app + 2, ROC_SIZE / 4 - 1);
    GST_WRITE_UINT32_BE (app + 4, t->ssrc);
    memcpy (app + 8, ROC_NAME, 4);
    GST_WRITE_UINT32_BE (app + 12, (guint32) (t->index >> 16));
    GST_WRITE_UINT32_BE (app + 16, (guint32) (t->index & 0xffff));
    used += ROC_SIZE;
  }
  return used;
}

/* Receiving */

/* Reads an authentic APP packet. The index only ever increases, because an
 * attacker may replay an old packet to a receiver that has just joined. */
static void
read_roc (GstPspSrtp * s, const guint8 * app)
{
  guint32 ssrc = GST_READ_UINT32_BE (app + 4);
  guint64 index = ((guint64) GST_READ_UINT32_BE (app + 12) << 16) |
      (GST_READ_UINT32_BE (app + 16) & 0xffff);
  Stream *t = find_stream (s, ssrc);

  if (!t) {
    add_stream (s, ssrc, index, TRUE);
  } else if (index > t->index + MAX_AHEAD) {
    t->index = index;
    t->told = TRUE;
  }
}

static void
read_rocs (GstPspSrtp * s, const guint8 * data, gsize size)
{
  gsize position = 0;
  PspRtcpPacket packet;

  if (!psp_rtcp_validate (data, size))
    return;
  while (psp_rtcp_next (data, size, &position, &packet))
    if (packet.type == RTCP_APP && packet.size == ROC_SIZE &&
        !memcmp (packet.data + 8, ROC_NAME, 4))
      read_roc (s, packet.data);
}

/* A received packet. */
typedef struct
{
  guint8 *data;
  gsize size;
  gboolean rtcp;
  guint32 ssrc;
  gboolean stranger;            /* came after a silence, maybe a recording */
} Incoming;

static PspSrtpResult
unprotect_with (GstPspSrtp * s, PspSrtpSession * session, Incoming * p,
    gboolean newest)
{
  gboolean candidate = session != s->in[0] && session != s->in[1];
  Stream *t = p->rtcp ? NULL : find_stream (s, p->ssrc);
  guint16 seq = GST_READ_UINT16_BE (p->data + 2);
  guint64 index = t ? estimate (t->index, seq) : seq;
  gsize size = p->size;
  PspSrtpResult result;

  if (t && newest && (t->told || candidate))
    tell_roc (session, t, candidate ? 0 : t->seen, index);
  result = psp_srtp_unprotect (session, p->data, &size, p->rtcp);
  if (result != PSP_SRTP_OK)
    return result;
  p->size = size;
  if (candidate)
    push_in (s, session, p->stranger);
  if (p->rtcp && !s->sender)
    read_rocs (s, p->data, size);
  if (p->rtcp)
    return result;
  if (!t) {
    t = add_stream (s, p->ssrc, index, FALSE);
    t->doubted = s->doubted;
  }
  note_index (s, t, index, newest);
  return result;
}

static void
keep_copy (GstPspSrtp * s, const Incoming * p)
{
  if (s->copy_size < p->size) {
    s->copy_size = p->size;
    s->copy = g_realloc (s->copy, s->copy_size);
  }
  memcpy (s->copy, p->data, p->size);
}

/* Unprotects a packet under the key derived from the salts. If that key was in
 * use before, the packet is a recording. */
static PspSrtpResult
try_salts (GstPspSrtp * s, Incoming * p, const guint8 * media_salt,
    const guint8 * feedback_salt)
{
  PspSrtpKey key = { 0 };
  PspSrtpSession *session = NULL;
  PspSrtpResult result = PSP_SRTP_FAILED;

  gst_psp_srtp_keys_derive (&s->keys, media_salt, feedback_salt, &key);
  if (was_used (s, &key))
    result = PSP_SRTP_REPLAYED;
  else if ((session = psp_srtp_session_new (&key, TRUE)))
    result = unprotect_with (s, session, p, TRUE);
  if (result != PSP_SRTP_OK)
    psp_srtp_session_free (session);
  else if (!s->sender)
    begin_feedback (s);
  psp_srtp_wipe (&key, sizeof key);
  return result;
}

static PspSrtpResult
try_unknown (GstPspSrtp * s, Incoming * p, const guint8 * mki, gint64 now)
{
  gboolean live = s->in[0] && now - s->heard_at < SENDER_SILENCE;
  guint8 salt[SALT];
  PspSrtpResult result;

  /* A packet of no stream of the live session belongs to another session. */
  if (live && (now - s->tried_at < TRY_INTERVAL ||
          (!s->sender && !find_stream (s, p->ssrc))))
    return PSP_SRTP_FAILED;
  memcpy (salt, mki, SALT);
  p->stranger = !s->sender && !live;
  if (s->sender) {
    keep_copy (s, p);
    result = try_salts (s, p, s->salts[0], salt);
    if (result == PSP_SRTP_FAILED) {
      memcpy (p->data, s->copy, p->size);
      result = try_salts (s, p, s->salts[1], salt);
    }
  } else {
    result = try_salts (s, p, salt, NULL);
  }
  if (result != PSP_SRTP_OK)
    s->tried_at = now;
  else
    s->doubted_at = now;
  return result;
}

/* Receiver: returns to the previous session, because it continues. The doubted
 * session was a recording, or another sender, which may be accepted again
 * later. Its streams are forgotten, so that they do not indicate a change of
 * key. */
static void
go_back (GstPspSrtp * s)
{
  guint n = 0;

  for (guint i = 0; i < s->n_streams; i++)
    if (!s->streams[i].doubted)
      s->streams[n++] = s->streams[i];
  s->n_streams = n;
  forget_used (s, psp_srtp_session_key (s->in[0]));
  take_session (&s->in[0], s->in[1]);
  s->in[1] = NULL;
  s->doubted = FALSE;
  begin_feedback (s);
}

/* Ends the doubt about in[0], because a packet under it was authentic. A
 * session of derived keys stays doubted for DOUBT. */
static void
trust (GstPspSrtp * s, gint64 now)
{
  if (!s->doubted || (s->keys.derived && now - s->doubted_at < DOUBT))
    return;
  s->doubted = FALSE;
  for (guint i = 0; i < s->n_streams; i++)
    s->streams[i].doubted = FALSE;
}

/* Returns a bit set; bit i = the packet may be under in[i]. */
static guint
find_sessions (const GstPspSrtp * s, const Incoming * p)
{
  guint found = 0;

  for (guint i = 0; i < G_N_ELEMENTS (s->in); i++) {
    const PspSrtpKey *key = s->in[i] ? psp_srtp_session_key (s->in[i]) : NULL;
    const guint8 *mki = key ? psp_srtp_mki (key->suite, key->mki_size, p->data,
        p->size) : NULL;

    if (mki && !memcmp (mki, key->mki, key->mki_size))
      found |= 1u << i;
  }
  return found;
}

static PspSrtpResult
unprotect_known (GstPspSrtp * s, Incoming * p, guint found, gint64 now)
{
  const Stream *t = p->rtcp ? NULL : find_stream (s, p->ssrc);
  guint64 newest = t ? t->index : 0;
  PspSrtpResult result = PSP_SRTP_FAILED;

  if (found == 3)
    keep_copy (s, p);
  if (found & 1)
    result = unprotect_with (s, s->in[0], p, TRUE);
  if (result == PSP_SRTP_OK)
    trust (s, now);
  if (result == PSP_SRTP_OK && s->feedback_waits)
    begin_feedback (s);
  if (result != PSP_SRTP_FAILED || !(found & 2))
    return result;
  if (found == 3)
    memcpy (p->data, s->copy, p->size);
  result = unprotect_with (s, s->in[1], p, FALSE);
  if (result == PSP_SRTP_OK && s->doubted && s->keys.derived
      && t && t->index > newest)
    go_back (s);
  return result;
}

PspSrtpResult
gst_psp_srtp_unprotect (GstPspSrtp * s, guint8 * data, gsize * size,
    gboolean rtcp, gint64 now)
{
  Incoming p = {.data = data,.size = *size,.rtcp = rtcp };
  gsize mki_size = s->keys.media.mki_size;
  const guint8 *mki = psp_srtp_mki (s->keys.media.suite, mki_size, data, *size);
  PspSrtpResult result = PSP_SRTP_FAILED;
  guint found;

  if (!mki)
    return PSP_SRTP_FAILED;
  p.ssrc = GST_READ_UINT32_BE (data + (rtcp ? 4 : 8));
  if ((found = find_sessions (s, &p))) {
    result = unprotect_known (s, &p, found, now);
  } else if (s->keys.derived) {
    result = try_unknown (s, &p, mki, now);
  }
  if (result == PSP_SRTP_OK) {
    s->heard_at = now;
    *size = p.size;
  }
  return result;
}

const guint8 *
gst_psp_srtp_unknown_mki (const GstPspSrtp * s, const guint8 * data, gsize size)
{
  Incoming p = {.data = (guint8 *) data,.size = size };
  gsize mki_size = s->keys.media.mki_size;

  if (s->sender || s->keys.derived || mki_size == 0 || find_sessions (s, &p))
    return NULL;
  return psp_srtp_mki (s->keys.media.suite, mki_size, data, size);
}

const guint8 *
gst_psp_srtp_newest_mki (const GstPspSrtp * s)
{
  return s->keys.media.mki;
}

gsize
gst_psp_srtp_mki_size (const GstPspSrtp * s)
{
  return s->keys.media.mki_size;
}
