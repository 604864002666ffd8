/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrtp.h"

#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/rtp.h>

#define SALT GST_PSP_SRTP_SALT
/* Bytes that name a key without showing it. */
#define TAG 8

/* A sender that was silent for so long may have been started again, under another
 * salt and with other SSRCs. A recording of an old session has to wait as long. */
#define SENDER_SILENCE (500 * PSP_MSECOND)
/* While a session is live, an unknown salt is tried so often at most: that costs
 * more than to find that a packet is forged. */
#define TRY_INTERVAL PSP_MSECOND
/* Packets: further ahead, a sequence number alone is taken for one behind (RFC
 * 3711 section 3.3.1). */
#define MAX_AHEAD 32768
/* A session that began after a silence is a recording if the one before goes on
 * within so long. */
#define DOUBT (2 * PSP_SECOND)

/* RTCP APP (RFC 3550 section 6.7) with this name carries a roll-over counter. */
#define RTCP_APP 204
#define ROC_NAME "ROC "
#define ROC_SIZE 20

typedef struct
{
  guint32 ssrc;
  guint64 index;                /* the highest that was authentic, or was told */
  guint64 seen;                 /* the highest under the newest session */
  gboolean told;                /* that session may not know the index */
  guint64 used;                 /* when, in packets of all streams */
  gboolean doubted;             /* heard first while in[0] was in doubt */
} Stream;

struct _GstPspSrtp
{
  gboolean sender;
  GstPspSrtpKeys keys;
  guint8 salts[2][SALT];        /* sender: of the media now, and before */
  PspSrtpSession *media;        /* sender: protects RTP */
  PspSrtpSession *rtcp;         /* protects RTCP; NULL: no key yet */
  PspSrtpSession *in[2];        /* unprotect; the newest first */
  gboolean doubted;             /* whether in[0] may not be the peer's */
  gint64 doubted_at;            /* receiver: since when in[0] has come */
  PspSrtpSession *idle;         /* of no use but that there is one */
  gboolean feedback_waits;      /* keys.feedback is for when media has come */
  GArray *used;                 /* tags of all keys that were in use */
  guint64 uses;
  Stream streams[PSP_MAX_STREAMS];
  guint n_streams;
  guint64 n_packets;            /* of all streams */
  gint64 heard_at;
  gint64 tried_at;              /* an unknown salt, in vain so far */
  guint8 *copy;                 /* of a packet for which two keys come into
                                   question */
  gsize copy_size;
};

/* Streams and their indices */

/* The index next to this one with the sequence number. */
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

/* In the place of the one that was used longest ago. */
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

/* The next packet's index, which a session that begins in the middle of a stream
 * cannot know (RFC 3711 section 3.3.1). */
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

/* Another session begins in the middle of all of them. */
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

/* From here on packets may come under it. One that is in doubt makes room, not the
 * one before it, which may be the peer's; it may come again. */
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

/* Where memory is short, the key before stays. */
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

/* Receiver: answers to the salt that it heard, under one of its own. A key that it
 * answers under already goes on counting: no index of it may come twice. */
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

/* Both ends have the keys already. */
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

/* libsrtp on NSS takes a millisecond for a session where there is no other one, and
 * a stranger's packets would each cost that. */
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

/* Out */

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

/* In */

/* An authentic APP: only ever ahead, for an old one may be replayed to who has
 * just come. */
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

/* A packet that came. */
typedef struct
{
  guint8 *data;
  gsize size;
  gboolean rtcp;
  guint32 ssrc;
  gboolean stranger;            /* it came after a silence: a recording may */
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

/* Under a key that follows from the salts, but if it has been in use before: then
 * the packet is a recording of that time. */
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

  /* What belongs to no stream of the live session belongs to another one. */
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

/* Receiver: what came after a silence was a recording, for the session before goes
 * on; or another sender, which may come again. Its streams are no sign of a change
 * of key. */
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

/* Something was authentic under in[0]. */
static void
trust (GstPspSrtp * s, gint64 now)
{
  if (!s->doubted || (s->keys.derived && now - s->doubted_at < DOUBT))
    return;
  s->doubted = FALSE;
  for (guint i = 0; i < s->n_streams; i++)
    s->streams[i].doubted = FALSE;
}

/* Bit i: the packet may be under session i. */
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
