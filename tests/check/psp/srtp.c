/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * SRTP at both ends of a session, in virtual time: known answers, what is forged,
 * replayed or cut, who joins late, keys that change, and the engine.
 */
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>
#include <gst/check/gstcheck.h>

#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtp.h>

#include "../rounds.h"
#include "gstpspengine.h"
#include "gstpspsrtp.h"

GST_DEBUG_CATEGORY (gst_psp_sink_debug);

#define SSRC 0x01020304
#define HEADER 12
#define PAYLOAD 100
#define SIZE (HEADER + PAYLOAD)
#define ROOM (SIZE + PSP_SRTP_ROOM)
#define N_FORGED 3000           /* of each kind, suite and MKI */
#define N_REPORTS 100000        /* forged or replayed, to one engine */

/* Known answers */

static gsize
read_hex (const gchar * hex, guint8 * data)
{
  gsize n = strlen (hex) / 2;

  for (gsize i = 0; i < n; i++)
    data[i] = (guint8) (g_ascii_xdigit_value (hex[2 * i]) << 4 |
        g_ascii_xdigit_value (hex[2 * i + 1]));
  return n;
}

static void
assert_hex (const guint8 * data, gsize size, const gchar * hex)
{
  guint8 expected[256];

  fail_unless_equals_int (size, read_hex (hex, expected));
  fail_unless (memcmp (data, expected, size) == 0);
}

/* RFC 5869, appendix A.1 and A.3. */
GST_START_TEST (test_derive)
{
  static const gchar label[] = "\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9";
  guint8 secret[22], salt[13], key[42];

  memset (secret, 0x0b, sizeof secret);
  for (guint8 i = 0; i < sizeof salt; i++)
    salt[i] = i;
  psp_srtp_derive (secret, sizeof secret, salt, sizeof salt, label, key,
      sizeof key);
  assert_hex (key, sizeof key,
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c"
      "5db02d56ecc4c5bf34007208d5b887185865");
  psp_srtp_derive (secret, sizeof secret, NULL, 0, "", key, sizeof key);
  assert_hex (key, sizeof key,
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879e"
      "c3454e5f3c738d2d9d201395faa4b61a96c8");
}

GST_END_TEST;

/* libsrtp's own, of its test driver. */
static const struct
{
  PspSrtpSuite suite;
  const gchar *key, *rtp, *rtcp;
} answers[] = {
  {PSP_SRTP_AES_128_GCM,
        "000102030405060708090a0b0c0d0e0fa0a1a2a3a4a5a6a7a8a9aaab",
        "800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b2"
        "01df3131a127e8a392",
      "81c8000bcafebabec98b8b5df0392a55852b6c21ac8e7025c52c6fbea2b3b446ea3112"
        "3ba88ce61e80000001"},
  {PSP_SRTP_AES_CM_128_HMAC_SHA1_80,
        "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6",
        "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea17"
        "9b8dbb",
      "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1"
        "230798"},
};

GST_START_TEST (test_known_answers)
{
  PspSrtpKey key = {.suite = answers[__i__].suite };
  PspSrtpSession *out, *in;

  fail_unless_equals_int (read_hex (answers[__i__].key, key.key),
      psp_srtp_key_size (key.suite));
  out = psp_srtp_session_new (&key, false);
  in = psp_srtp_session_new (&key, true);
  fail_unless (out && in);
  for (guint rtcp = 0; rtcp < 2; rtcp++) {
    const gchar *plain =
        rtcp ? "81c8000bcafebabeabababababababababababababababab" :
        "800f1234decafbadcafebabeabababababababababababababababab";
    guint32 words[64];
    guint8 *data = (guint8 *) words;
    gsize clear = read_hex (plain, data), size = clear;

    fail_unless_equals_int (psp_srtp_protect (out, data, &size, rtcp),
        PSP_SRTP_OK);
    assert_hex (data, size, rtcp ? answers[__i__].rtcp : answers[__i__].rtp);
    fail_unless_equals_int (size, clear + psp_srtp_overhead (&key, rtcp));
    fail_unless_equals_int (psp_srtp_unprotect (in, data, &size, rtcp),
        PSP_SRTP_OK);
    assert_hex (data, size, plain);
  }
  psp_srtp_session_free (out);
  psp_srtp_session_free (in);
}

GST_END_TEST;

/* Another part of the process used libsrtp before, as srtpenc's plugin does. */
GST_START_TEST (test_initialised_before)
{
  PspSrtpKey key = {.suite = PSP_SRTP_AES_128_GCM };
  void *library = dlopen ("libsrtp2.so.1", RTLD_NOW | RTLD_LOCAL);
  PspSrtpSession *session;
  int (*init) (void);

  fail_unless (library != NULL, "%s", dlerror ());
  *(void **) &init = dlsym (library, "srtp_init");
  fail_unless (init != NULL);
  init ();
  session = psp_srtp_session_new (&key, false);
  fail_unless (session != NULL);
  psp_srtp_session_free (session);
}

GST_END_TEST;

/* Both ends */

static const PspSrtpSuite suites[] = { PSP_SRTP_AES_128_GCM,
  PSP_SRTP_AES_256_GCM, PSP_SRTP_AES_CM_128_HMAC_SHA1_80
};

/* Of key `n`; mki_size < 0: of passphrase `n`. */
static GstPspSrtpKeys
make_keys (PspSrtpSuite suite, guint n, gint mki_size)
{
  guint8 bytes[PSP_SRTP_MAX_KEY] = { (guint8) n, 7 };
  GstPspSrtpConfig config = {.suite = suite };
  GstPspSrtpKeys keys;
  GError *error = NULL;

  /* Argon2id takes its time: its result is as good as any secret. */
  if (mki_size < 0) {
    memset (&keys, 0, sizeof keys);
    keys.derived = TRUE;
    memcpy (keys.secret, bytes, PSP_SRTP_SECRET);
    keys.media.suite = keys.feedback.suite = suite;
    keys.media.mki_size = keys.feedback.mki_size = GST_PSP_SRTP_SALT;
    return keys;
  }
  config.key = g_bytes_new (bytes, psp_srtp_key_size (suite));
  if (mki_size > 0)
    config.mki = g_bytes_new (&n, mki_size);
  fail_unless (gst_psp_srtp_keys_init (&keys, &config, &error));
  gst_psp_srtp_config_clear (&config);
  return keys;
}

static GstPspSrtp *
make_end (gboolean sender, PspSrtpSuite suite, guint n, gint mki_size)
{
  GstPspSrtpKeys keys = make_keys (suite, n, mki_size);
  GstPspSrtp *end = gst_psp_srtp_new (&keys, sender);

  fail_unless (end != NULL);
  return end;
}

typedef struct
{
  guint32 words[(ROOM + 3) / 4];
  gsize size;
} Packet;

#define DATA(packet) ((guint8 *) (packet)->words)

static void
make_rtp (Packet * p, guint32 ssrc, guint16 seq)
{
  memset (DATA (p), seq & 0xff, SIZE);
  DATA (p)[0] = 0x80;
  DATA (p)[1] = 96;
  GST_WRITE_UINT16_BE (DATA (p) + 2, seq);
  GST_WRITE_UINT32_BE (DATA (p) + 8, ssrc);
  p->size = SIZE;
}

static void
protect (GstPspSrtp * sender, Packet * p, guint32 ssrc, guint16 seq)
{
  make_rtp (p, ssrc, seq);
  fail_unless_equals_int (gst_psp_srtp_protect (sender, DATA (p), &p->size),
      PSP_SRTP_OK);
  fail_unless_equals_int (p->size, SIZE + gst_psp_srtp_overhead (sender,
          FALSE));
}

/* A copy of it comes. */
static PspSrtpResult
receive (GstPspSrtp * end, const Packet * p, gboolean rtcp, gint64 now)
{
  Packet came = *p, sent;
  PspSrtpResult result = gst_psp_srtp_unprotect (end, DATA (&came), &came.size,
      rtcp, now);

  if (result != PSP_SRTP_OK || rtcp)
    return result;
  make_rtp (&sent, GST_READ_UINT32_BE (DATA (p) + 8),
      GST_READ_UINT16_BE (DATA (p) + 2));
  fail_unless_equals_int (came.size, SIZE);
  fail_unless (memcmp (DATA (&came), DATA (&sent), SIZE) == 0);
  return result;
}

/* An empty receiver report. */
static PspSrtpResult
protect_rtcp (GstPspSrtp * end, Packet * p, guint32 ssrc)
{
  GST_WRITE_UINT32_BE (DATA (p), 0x80c90001);
  GST_WRITE_UINT32_BE (DATA (p) + 4, ssrc);
  p->size = 8;
  return gst_psp_srtp_protect_rtcp (end, DATA (p), &p->size);
}

#define assert_result(call, result) \
  fail_unless_equals_int (call, PSP_SRTP_##result)

/* Suites × key, key with MKI, passphrase. */
#define N_KINDS (3 * (gint) G_N_ELEMENTS (suites))
#define SUITE_OF(kind) (suites[(kind) / 3])
#define MKI_OF(kind) ((kind) % 3 - 1 < 0 ? -1 : ((kind) % 3 - 1) * 4)

GST_START_TEST (test_both_ways)
{
  GstPspSrtp *sender = make_end (TRUE, SUITE_OF (__i__), 1, MKI_OF (__i__));
  GstPspSrtp *receiver = make_end (FALSE, SUITE_OF (__i__), 1, MKI_OF (__i__));
  Packet p;

  for (guint i = 0; i < 300; i++) {
    guint16 seq = (guint16) (65400 + i);

    protect (sender, &p, SSRC, seq);
    assert_result (receive (receiver, &p, FALSE, 0), OK);
    assert_result (receive (receiver, &p, FALSE, 0), REPLAYED);
    /* No number is protected twice. */
    make_rtp (&p, SSRC, seq);
    fail_if (gst_psp_srtp_protect (sender, DATA (&p), &p.size) == PSP_SRTP_OK);
    assert_result (protect_rtcp (receiver, &p, 5), OK);
    fail_unless_equals_int (p.size, 8 + gst_psp_srtp_overhead (receiver, TRUE));
    assert_result (receive (sender, &p, TRUE, 0), OK);
    assert_result (receive (sender, &p, TRUE, 0), REPLAYED);
    /* Each way has its own key. */
    assert_result (protect_rtcp (receiver, &p, 6 + i), OK);
    fail_if (receive (receiver, &p, TRUE, 0) == PSP_SRTP_OK);
    assert_result (protect_rtcp (sender, &p, SSRC), OK);
    fail_if (receive (sender, &p, TRUE, 0) == PSP_SRTP_OK);
    assert_result (receive (receiver, &p, TRUE, 0), OK);
  }
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (receiver);
}

GST_END_TEST;

/* One byte is another, the end is missing, bytes follow, all is random. */
static void
forge (GRand * random, Packet * p, guint kind)
{
  gsize at = g_rand_int_range (random, 2, p->size);

  switch (kind) {
    case 0:
      DATA (p)[at] ^= g_rand_int_range (random, 1, 256);
      break;
    case 1:
      p->size = at;
      break;
    case 2:
      for (gint more = g_rand_int_range (random, 1, 20); more > 0; more--)
        DATA (p)[p->size++] = (guint8) g_rand_int (random);
      break;
    default:
      for (gsize i = 2; i < p->size; i++)
        DATA (p)[i] = (guint8) g_rand_int (random);
  }
}

GST_START_TEST (test_forged)
{
  GstPspSrtp *sender = make_end (TRUE, SUITE_OF (__i__), 1, MKI_OF (__i__));
  GstPspSrtp *receiver = make_end (FALSE, SUITE_OF (__i__), 1, MKI_OF (__i__));
  GstPspSrtp *stranger = make_end (TRUE, SUITE_OF (__i__), 2, MKI_OF (__i__));
  GRand *random = g_rand_new_with_seed (__i__);
  Packet p, report, forged;
  gint64 now = 0;

  protect (sender, &p, SSRC, 1);
  assert_result (receive (receiver, &p, FALSE, now), OK);
  assert_result (protect_rtcp (receiver, &report, 5), OK);
  assert_result (receive (sender, &report, TRUE, now), OK);
  protect (sender, &p, SSRC, 2);
  assert_result (protect_rtcp (receiver, &report, 5), OK);
  for (guint i = 0; i < test_rounds (N_FORGED); i++)
    for (guint kind = 0; kind < 4; kind++) {
      now += 2 * PSP_MSECOND;
      forged = p;
      forge (random, &forged, kind);
      fail_if (gst_psp_srtp_unprotect (receiver, DATA (&forged), &forged.size,
              FALSE, now) == PSP_SRTP_OK);
      forged = report;
      forge (random, &forged, kind);
      fail_if (gst_psp_srtp_unprotect (sender, DATA (&forged), &forged.size,
              TRUE, now) == PSP_SRTP_OK);
    }
  protect (stranger, &forged, SSRC, 2);
  fail_if (receive (receiver, &forged, FALSE, now) == PSP_SRTP_OK);
  /* What is genuine still counts. */
  assert_result (receive (receiver, &p, FALSE, now), OK);
  assert_result (receive (sender, &report, TRUE, now), OK);
  g_rand_free (random);
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (receiver);
  gst_psp_srtp_free (stranger);
}

GST_END_TEST;

/* The sender tells its roll-over counters. */
static void
tell_roc (GstPspSrtp * sender, Packet * p)
{
  p->size = gst_psp_srtp_pack_roc (sender, DATA (p), SIZE);
  fail_unless (p->size > 0);
  assert_result (gst_psp_srtp_protect_rtcp (sender, DATA (p), &p->size), OK);
}

/* Who joins after 70,000 packets, and who missed 70,000. */
/* `n` packets further: each, or where all takes longer some, for it is numbers
 * that turn over. */
static void
advance (GstPspSrtp * sender, Packet * p, guint16 * seq, guint n)
{
  const guint step = 100 / test_rounds (100);

  for (guint i = 0; i < n; i += step, *seq += step)
    protect (sender, p, SSRC, *seq);
}

GST_START_TEST (test_late)
{
  GstPspSrtp *sender = make_end (TRUE, SUITE_OF (__i__), 1, MKI_OF (__i__));
  GstPspSrtp *early = make_end (FALSE, SUITE_OF (__i__), 1, MKI_OF (__i__));
  GstPspSrtp *late = make_end (FALSE, SUITE_OF (__i__), 1, MKI_OF (__i__));
  Packet p, roc, old_roc;
  guint16 seq = 0;

  fail_unless_equals_int (gst_psp_srtp_pack_roc (sender, DATA (&p), SIZE), 0);
  protect (sender, &p, SSRC, seq++);
  assert_result (receive (early, &p, FALSE, 0), OK);
  advance (sender, &p, &seq, 65600);
  tell_roc (sender, &old_roc);
  advance (sender, &p, &seq, 70000);
  fail_if (receive (late, &p, FALSE, 0) == PSP_SRTP_OK);
  fail_if (receive (early, &p, FALSE, 0) == PSP_SRTP_OK);
  /* An old one, recorded and sent again, delays and does no more. */
  assert_result (receive (late, &old_roc, TRUE, 0), OK);
  protect (sender, &p, SSRC, seq++);
  fail_if (receive (late, &p, FALSE, 0) == PSP_SRTP_OK);
  tell_roc (sender, &roc);
  assert_result (receive (late, &roc, TRUE, 0), OK);
  assert_result (receive (late, &old_roc, TRUE, 0), REPLAYED);
  assert_result (receive (early, &roc, TRUE, 0), OK);
  /* Now it goes on, over the next turn too. */
  for (guint i = 0; i < 700; i++, seq += 100) {
    protect (sender, &p, SSRC, seq);
    assert_result (receive (late, &p, FALSE, 0), OK);
    assert_result (receive (early, &p, FALSE, 0), OK);
  }
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (early);
  gst_psp_srtp_free (late);
}

GST_END_TEST;

/* While the sender is silent somebody plays packets of earlier runs. Once it goes on
 * it is answered again. */
GST_START_TEST (test_recordings)
{
  const PspSrtpSuite suite = PSP_SRTP_AES_128_GCM;
  GstPspSrtp *sender = make_end (TRUE, suite, 1, -1);
  GstPspSrtp *receiver = make_end (FALSE, suite, 1, -1);
  gint64 now = PSP_SECOND;
  Packet recorded, changed, p;
  guint16 seq = 1;

  for (guint round = 1; round <= 3; round++) {
    protect (sender, &p, SSRC, seq++);
    assert_result (receive (receiver, &p, FALSE, now), OK);
    for (guint i = 0; i < round; i++) {
      GstPspSrtp *earlier = make_end (TRUE, suite, 1, -1);

      protect (earlier, &recorded, SSRC + 1, 1);
      gst_psp_srtp_renew (earlier);
      protect (earlier, &changed, SSRC + 1, 2);
      gst_psp_srtp_free (earlier);
      now += 600 * PSP_MSECOND;
      assert_result (receive (receiver, &recorded, FALSE, now), OK);
    }
    protect (sender, &p, SSRC, seq++);
    assert_result (receive (receiver, &p, FALSE, now), OK);
    assert_result (protect_rtcp (receiver, &p, 5), OK);
    assert_result (receive (sender, &p, TRUE, now), OK);
    fail_if (receive (receiver, &recorded, FALSE, now) == PSP_SRTP_OK);
    fail_if (receive (receiver, &changed, FALSE, now) == PSP_SRTP_OK);
  }
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (receiver);
}

GST_END_TEST;

/* Another sender that began while the first one stalled is no recording. When the
 * first one ends, it is heard. */
GST_START_TEST (test_second_sender)
{
  const PspSrtpSuite suite = PSP_SRTP_AES_128_GCM;
  GstPspSrtp *stalled = make_end (TRUE, suite, 1, -1);
  GstPspSrtp *other = make_end (TRUE, suite, 1, -1);
  GstPspSrtp *receiver = make_end (FALSE, suite, 1, -1);
  gint64 now = PSP_SECOND;
  Packet p;

  protect (stalled, &p, SSRC, 1);
  assert_result (receive (receiver, &p, FALSE, now), OK);
  now += 600 * PSP_MSECOND;
  protect (other, &p, SSRC + 1, 1);
  assert_result (receive (receiver, &p, FALSE, now), OK);
  protect (stalled, &p, SSRC, 2);
  assert_result (receive (receiver, &p, FALSE, now), OK);
  now += 600 * PSP_MSECOND;
  for (guint16 seq = 2; seq < 10; seq++, now += PSP_SECOND) {
    protect (other, &p, SSRC + 1, seq);
    assert_result (receive (receiver, &p, FALSE, now), OK);
    assert_result (protect_rtcp (receiver, &p, 5), OK);
    assert_result (receive (other, &p, TRUE, now), OK);
  }
  gst_psp_srtp_free (stalled);
  gst_psp_srtp_free (other);
  gst_psp_srtp_free (receiver);
}

GST_END_TEST;

/* Keys that nothing comes under, as of MKIs that a stranger wrote, take no room from
 * those in use, and may be told again. */
GST_START_TEST (test_unproved_keys)
{
  const PspSrtpSuite suite = PSP_SRTP_AES_128_GCM;
  GstPspSrtp *sender = make_end (TRUE, suite, 0, 1);
  GstPspSrtp *receiver = make_end (FALSE, suite, 0, 1);
  GstPspSrtpKeys keys;
  guint16 seq = 1;
  Packet p;

  for (guint i = 1; i <= 5; i++, seq++) {
    protect (sender, &p, SSRC, seq);
    assert_result (receive (receiver, &p, FALSE, 0), OK);
    keys = make_keys (suite, i, 1);
    fail_unless (gst_psp_srtp_set_keys (receiver, &keys));
  }
  keys = make_keys (suite, 2, 1);
  fail_unless (gst_psp_srtp_set_keys (receiver, &keys));
  fail_unless (gst_psp_srtp_set_keys (sender, &keys));
  protect (sender, &p, SSRC, seq);
  assert_result (receive (receiver, &p, FALSE, 0), OK);
  assert_result (protect_rtcp (receiver, &p, 5), OK);
  assert_result (receive (sender, &p, TRUE, 0), OK);
  fail_if (gst_psp_srtp_set_keys (receiver, &keys));
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (receiver);
}

GST_END_TEST;

/* Others come and go, one after the other: the counter of the one that stays is not
 * forgotten. */
GST_START_TEST (test_constant_stream)
{
  GstPspSrtp *sender = make_end (TRUE, PSP_SRTP_AES_128_GCM, 0, 0);
  guint16 seq = 0;
  Packet p;
  gsize told;

  for (guint i = 0; i < 700; i++, seq += 100)
    protect (sender, &p, SSRC, seq);
  told = gst_psp_srtp_pack_roc (sender, DATA (&p), sizeof p.words);
  fail_unless (told > 0);
  for (guint i = 0; i < 100; i++) {
    protect (sender, &p, SSRC + 1 + i, 1);
    protect (sender, &p, SSRC, seq++);
  }
  fail_unless_equals_int (gst_psp_srtp_pack_roc (sender, DATA (&p),
          sizeof p.words), told);
  gst_psp_srtp_free (sender);
}

GST_END_TEST;

/* The number of an SRTCP packet without MKI (RFC 7714 section 9.2). */
static guint32
rtcp_index (const Packet * p)
{
  return GST_READ_UINT32_BE (DATA (p) + p->size - 4) & 0x7fffffff;
}

/* A key under which answers leave stays in use with another key of the media: no
 * number comes twice under it. One that was given up does not come back. */
GST_START_TEST (test_feedback_key)
{
  const PspSrtpSuite suite = PSP_SRTP_AES_128_GCM;
  GstPspSrtpKeys keys[3];
  GstPspSrtp *receiver, *sender;
  guint32 index;
  Packet p;

  for (guint i = 0; i < 3; i++)
    keys[i] = make_keys (suite, i, 0);
  receiver = gst_psp_srtp_new (&keys[0], FALSE);
  assert_result (protect_rtcp (receiver, &p, 5), OK);
  index = rtcp_index (&p);
  keys[1].feedback = keys[0].feedback;
  fail_unless (gst_psp_srtp_set_keys (receiver, &keys[1]));
  sender = gst_psp_srtp_new (&keys[1], TRUE);
  protect (sender, &p, SSRC, 1);
  assert_result (receive (receiver, &p, FALSE, 0), OK);
  assert_result (protect_rtcp (receiver, &p, 5), OK);
  fail_unless_equals_int (rtcp_index (&p), index + 1);
  gst_psp_srtp_free (sender);

  fail_unless (gst_psp_srtp_set_keys (receiver, &keys[2]));
  sender = gst_psp_srtp_new (&keys[2], TRUE);
  protect (sender, &p, SSRC + 1, 1);
  assert_result (receive (receiver, &p, FALSE, 0), OK);
  keys[0] = make_keys (suite, 3, 0);
  keys[0].feedback = keys[1].feedback;
  fail_if (gst_psp_srtp_set_keys (receiver, &keys[0]));
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (receiver);
}

GST_END_TEST;

/* Keys change at each turn of the sequence number and in between, while packets
 * are reordered and lost. */
GST_START_TEST (test_change)
{
  const PspSrtpSuite suite = SUITE_OF (__i__);
  const gint mki_size = MKI_OF (__i__);
  static const guint16 lasts[] = { 44000, 65535, 22000 };
  GstPspSrtp *sender = make_end (TRUE, suite, 0, mki_size);
  GstPspSrtp *receiver = make_end (FALSE, suite, 0, mki_size);
  Packet late, p;

  for (guint i = 1; i <= 8; i++) {
    const guint16 last = lasts[i % 3];
    gint64 now = i * PSP_SECOND;
    guint16 seq = last - 200;

    for (; seq != last; seq++) {
      protect (sender, &p, SSRC, seq);
      if (seq % 7)
        assert_result (receive (receiver, &p, FALSE, now), OK);
    }
    protect (sender, &late, SSRC, seq++);
    if (mki_size >= 0) {
      GstPspSrtpKeys keys = make_keys (suite, i, mki_size);

      fail_unless (gst_psp_srtp_set_keys (receiver, &keys));
      fail_if (gst_psp_srtp_set_keys (receiver, &keys));
      fail_unless (gst_psp_srtp_set_keys (sender, &keys));
      fail_if (gst_psp_srtp_set_keys (sender, &keys));
      keys = make_keys (suite, i - 1, mki_size);
      fail_if (gst_psp_srtp_set_keys (sender, &keys));
    } else {
      fail_unless (gst_psp_srtp_renew (sender));
    }
    fail_unless_equals_int (gst_psp_srtp_uses (sender), 0);
    /* The receiver answers under the key that the sender still knows. */
    assert_result (protect_rtcp (receiver, &p, 5), OK);
    assert_result (receive (sender, &p, TRUE, now), OK);
    protect (sender, &p, SSRC, seq++);
    assert_result (receive (receiver, &p, FALSE, now), OK);
    assert_result (receive (receiver, &late, FALSE, now), OK);
    assert_result (protect_rtcp (receiver, &p, 5), OK);
    assert_result (receive (sender, &p, TRUE, now), OK);
  }
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (receiver);
}

GST_END_TEST;

/* Under a passphrase each run has keys of its own, at both ends. */
GST_START_TEST (test_restarts)
{
  const PspSrtpSuite suite = PSP_SRTP_AES_128_GCM;
  GstPspSrtp *sender = make_end (TRUE, suite, 1, -1);
  GstPspSrtp *receiver = make_end (FALSE, suite, 1, -1);
  Packet media, opening, report, p;
  gint64 now = PSP_SECOND;

  protect (sender, &opening, SSRC, 1);
  protect (sender, &media, SSRC, 2);
  fail_if (protect_rtcp (receiver, &report, 5) == PSP_SRTP_OK);
  assert_result (receive (receiver, &opening, FALSE, now), OK);
  assert_result (protect_rtcp (receiver, &report, 5), OK);
  assert_result (receive (sender, &report, TRUE, now), OK);

  /* The receiver starts again, with the same SSRC by chance. */
  gst_psp_srtp_free (receiver);
  receiver = make_end (FALSE, suite, 1, -1);
  now += 100 * PSP_MSECOND;
  assert_result (receive (receiver, &media, FALSE, now), OK);
  for (guint i = 0; i < 3; i++) {
    assert_result (protect_rtcp (receiver, &p, 5), OK);
    assert_result (receive (sender, &p, TRUE, now), OK);
    assert_result (receive (sender, &p, TRUE, now), REPLAYED);
    assert_result (receive (sender, &report, TRUE, now), REPLAYED);
  }

  /* So does the sender, and somebody plays what it sent before. */
  gst_psp_srtp_free (sender);
  sender = make_end (TRUE, suite, 1, -1);
  fail_if (receive (sender, &report, TRUE, now) == PSP_SRTP_OK);
  now += PSP_SECOND;
  protect (sender, &p, SSRC + 1, 1);
  assert_result (receive (receiver, &p, FALSE, now), OK);
  assert_result (receive (receiver, &media, FALSE, now), REPLAYED);
  assert_result (protect_rtcp (receiver, &p, 5), OK);
  assert_result (receive (sender, &p, TRUE, now), OK);
  gst_psp_srtp_free (receiver);

  /* While a session is live, another one cannot begin. */
  receiver = make_end (FALSE, suite, 1, -1);
  protect (sender, &p, SSRC + 1, 2);
  assert_result (receive (receiver, &p, FALSE, now), OK);
  now += 100 * PSP_MSECOND;
  fail_if (receive (receiver, &opening, FALSE, now) == PSP_SRTP_OK);
  protect (sender, &p, SSRC + 1, 3);
  assert_result (receive (receiver, &p, FALSE, now), OK);
  gst_psp_srtp_free (sender);
  gst_psp_srtp_free (receiver);
}

GST_END_TEST;

/* Settings */

/* What is set, and a part of what is said of it; NULL: it fits. */
GST_START_TEST (test_settings)
{
  static const struct
  {
    PspSrtpSuite suite;
    guint key, feedback_key, mki;       /* bytes */
    const gchar *passphrase, *wrong;
  } rows[] = {
    {PSP_SRTP_AES_128_GCM, 28, 0, 0, NULL, NULL},
    {PSP_SRTP_AES_128_GCM, 28, 28, 16, NULL, NULL},
    {PSP_SRTP_AES_128_GCM, 30, 0, 0, NULL, "wants 28"},
    {PSP_SRTP_AES_256_GCM, 44, 0, 0, NULL, NULL},
    {PSP_SRTP_AES_256_GCM, 28, 0, 0, NULL, "wants 44"},
    {PSP_SRTP_AES_CM_128_HMAC_SHA1_80, 30, 0, 4, NULL, NULL},
    {PSP_SRTP_AES_CM_128_HMAC_SHA1_80, 30, 28, 4, NULL, "srtp-feedback-key"},
    {PSP_SRTP_AES_128_GCM, 28, 0, 17, NULL, "1 to 16"},
    {PSP_SRTP_AES_128_GCM, 0, 0, 0, NULL, "there is no key"},
    {PSP_SRTP_AES_128_GCM, 0, 0, 0, "too short", "10 characters"},
    {PSP_SRTP_AES_128_GCM, 0, 0, 0, "long enough", NULL},
    {PSP_SRTP_AES_128_GCM, 28, 0, 0, "long enough", "both set"},
    {PSP_SRTP_NONE, 28, 0, 0, NULL, "srtp-suite is none"},
    {PSP_SRTP_NONE, 0, 0, 0, "long enough", "srtp-suite is none"},
  };
  static const guint8 zeros[64];

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstPspSrtpConfig config = {.suite = rows[i].suite };
    GstPspSrtpKeys keys;
    GError *error = NULL;

    if (rows[i].key)
      config.key = g_bytes_new_static (zeros, rows[i].key);
    if (rows[i].feedback_key)
      config.feedback_key = g_bytes_new_static (zeros, rows[i].feedback_key);
    if (rows[i].mki)
      config.mki = g_bytes_new_static (zeros, rows[i].mki);
    config.passphrase = g_strdup (rows[i].passphrase);
    fail_unless_equals_int (gst_psp_srtp_keys_init (&keys, &config, &error),
        rows[i].wrong == NULL);
    fail_unless_equals_int (error != NULL, rows[i].wrong != NULL);
    fail_if (error && !strstr (error->message, rows[i].wrong), "%s",
        error ? error->message : "");
    g_clear_error (&error);
    gst_psp_srtp_config_clear (&config);
  }
}

GST_END_TEST;

/* The engine */

typedef struct
{
  GstPspEngine *engine;
  GstPspSrtp *receiver;
  GstPspBatch batch;
  PspAddress to;
} Session;

static void
open_session (Session * s, const gchar * controller)
{
  GstPspEngineConfig config = {.controller = psp_controller_find (controller) };
  GstPspSrtpKeys keys = make_keys (PSP_SRTP_AES_128_GCM, 1, -1);

  memset (s, 0, sizeof *s);
  s->engine = gst_psp_engine_new (&config, 0);
  fail_unless (gst_psp_protection_set_keys (gst_psp_engine_protection
          (s->engine), &keys));
  s->receiver = gst_psp_srtp_new (&keys, FALSE);
  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", 5004, AF_INET,
          &s->to), 0);
  gst_psp_engine_open (s->engine, &s->to, 0);
  gst_psp_engine_set_playing (s->engine, TRUE, 0);
}

static void
close_session (Session * s)
{
  gst_psp_batch_clear (&s->batch);
  gst_psp_engine_free (s->engine);
  gst_psp_srtp_free (s->receiver);
}

static void
queue_rtp (Session * s, guint16 seq, gint64 now)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  GstPspPacket packet;
  Packet p;

  make_rtp (&p, SSRC, seq);
  gst_buffer_fill (buffer, 0, p.words, SIZE);
  fail_unless (gst_psp_packet_parse (&packet, buffer, NULL));
  gst_buffer_unref (buffer);
  fail_unless_equals_int (gst_psp_engine_queue (s->engine, &packet, now),
      GST_PSP_QUEUE_TAKEN);
}

/* Until the engine waits; TRUE where it wants to send. */
static gboolean
wants_to_send (Session * s, gint64 now)
{
  guint32 words[GST_PSP_RTCP_SIZE / 4];
  GstPspReply reply;

  for (;;) {
    switch (gst_psp_engine_poll (s->engine, now, &s->batch, &reply)) {
      case GST_PSP_REPLY_SEND:
        return TRUE;
      case GST_PSP_REPLY_RTCP:
        while (gst_psp_engine_pack_rtcp (s->engine, now, 0, PSP_TIME_UNKNOWN,
                FALSE, (guint8 *) words) > 0);
        break;
      case GST_PSP_REPLY_NOTICE:
        gst_congestion_info_free (reply.info);
        break;
      case GST_PSP_REPLY_WARNING:
        g_free (reply.text);
        g_free (reply.debug);
        break;
      case GST_PSP_REPLY_KEY_FRAME:
      case GST_PSP_REPLY_RETRANSMISSION:
        break;
      case GST_PSP_REPLY_WAIT:
        return FALSE;
    }
  }
}

/* A packet of another receiver's session, or forged, or of this one and sent again,
 * acknowledges nothing. */
GST_START_TEST (test_engine_feedback)
{
  PspCcfbMetric metric = {.received = true };
  PspCcfbPacker packer;
  GstPspEngineStats stats;
  Packet p, report;
  PspWriter w = psp_writer (DATA (&report), 64);
  PspRtpHeader header;
  GstPspSrtp *stranger = make_end (FALSE, PSP_SRTP_AES_128_GCM, 2, 4);
  PspUdpSender udp;
  gint sockets[2];
  Session s;

  open_session (&s, "none");
  fail_unless_equals_int (socketpair (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0,
          sockets), 0);
  queue_rtp (&s, 1, 0);
  fail_unless (wants_to_send (&s, 0));
  psp_udp_sender_init (&udp, sockets[0]);
  s.to.size = 0;
  gst_psp_batch_send (&s.batch, &udp, &s.to);
  gst_psp_engine_sent (s.engine, &s.batch, 0);
  p.size = read (sockets[1], p.words, sizeof p.words);
  fail_unless_equals_int (p.size, SIZE +
      gst_psp_protection_overhead (gst_psp_engine_protection (s.engine)));
  assert_result (gst_psp_srtp_unprotect (s.receiver, DATA (&p), &p.size, FALSE,
          0), OK);
  fail_unless (psp_rtp_parse (DATA (&p), p.size, p.size, &header));
  fail_if (header.ssrc == SSRC);

  psp_ccfb_begin (&packer, &w, 5);
  psp_ccfb_stream (&packer, header.ssrc, 1);
  psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, 0);
  report.size = w.size;
  /* In the clear, and by somebody else. */
  gst_psp_engine_receive (s.engine, &s.to, DATA (&report), report.size, 1);
  p = report;
  assert_result (gst_psp_srtp_protect_rtcp (stranger, DATA (&p), &p.size), OK);
  gst_psp_engine_receive (s.engine, &s.to, DATA (&p), p.size, 1);
  gst_psp_engine_receive (s.engine, &s.to, DATA (&p), 0, 1);
  gst_psp_engine_stats (s.engine, 1, &stats);
  fail_unless_equals_uint64 (stats.sender.packets_acked, 0);
  fail_unless_equals_uint64 (stats.feedback_unauthenticated, 3);
  assert_result (gst_psp_srtp_protect_rtcp (s.receiver, DATA (&report),
          &report.size), OK);
  /* Twice, and where from does not matter. */
  for (guint i = 0; i < 2; i++)
    gst_psp_engine_receive (s.engine, &s.to, DATA (&report), report.size, 1);
  gst_psp_engine_stats (s.engine, 1, &stats);
  fail_unless_equals_uint64 (stats.sender.packets_acked, 1);
  fail_unless_equals_uint64 (stats.sender.feedback_received, 1);
  fail_unless_equals_uint64 (stats.feedback_replayed, 1);
  close (sockets[0]);
  close (sockets[1]);
  gst_psp_srtp_free (stranger);
  close_session (&s);
}

GST_END_TEST;

/* The engine sends packet `seq`; what a receiver reports of it. */
static void
send_and_report (Session * s, gint sockets[2], guint16 seq, guint32 receiver,
    Packet * report)
{
  const gint64 now = seq * 100 * PSP_MSECOND;
  PspCcfbMetric metric = {.received = true };
  PspCcfbPacker packer;
  PspWriter w = psp_writer (DATA (report), 64);
  PspUdpSender udp;
  Packet p;

  queue_rtp (s, seq, now);
  fail_unless (wants_to_send (s, now));
  psp_udp_sender_init (&udp, sockets[0]);
  s->to.size = 0;
  gst_psp_batch_send (&s->batch, &udp, &s->to);
  gst_psp_engine_sent (s->engine, &s->batch, now);
  p.size = read (sockets[1], p.words, sizeof p.words);
  assert_result (gst_psp_srtp_unprotect (s->receiver, DATA (&p), &p.size, FALSE,
          0), OK);
  psp_ccfb_begin (&packer, &w, receiver);
  psp_ccfb_stream (&packer, GST_READ_UINT32_BE (DATA (&p) + 8), seq);
  psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, 0);
  report->size = w.size;
  assert_result (gst_psp_srtp_protect_rtcp (s->receiver, DATA (report),
          &report->size), OK);
}

/* Of 100,000 reports that were changed, cut or made longer, are random, or were
 * sent before, none is acted upon; the one they were made of is. */
GST_START_TEST (test_engine_forged)
{
  const guint n = test_rounds (N_REPORTS);
  GRand *random = g_rand_new_with_seed (1);
  Packet old, new, forged;
  GstPspEngineStats before, stats;
  gint sockets[2];
  Session s;

  open_session (&s, "poise");
  fail_unless_equals_int (socketpair (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0,
          sockets), 0);
  send_and_report (&s, sockets, 1, 5, &old);
  send_and_report (&s, sockets, 2, 5, &new);
  forged = old;
  gst_psp_engine_receive (s.engine, &s.to, DATA (&forged), forged.size,
      203 * PSP_MSECOND);
  gst_psp_engine_stats (s.engine, 203 * PSP_MSECOND, &before);
  fail_unless_equals_uint64 (before.sender.packets_acked, 1);
  for (guint i = 0; i < n; i++) {
    forged = i % 5 < 4 ? new : old;
    if (i % 5 < 4)
      forge (random, &forged, i % 5);
    gst_psp_engine_receive (s.engine, &s.to, DATA (&forged), forged.size,
        203 * PSP_MSECOND + i * PSP_USECOND);
  }
  gst_psp_engine_stats (s.engine, 303 * PSP_MSECOND, &stats);
  fail_unless_equals_uint64 (stats.sender.packets_acked, 1);
  fail_unless_equals_uint64 (stats.sender.feedback_received, 1);
  fail_unless_equals_int64 (stats.sender.target_bitrate,
      before.sender.target_bitrate);
  fail_unless_equals_uint64 (stats.feedback_unauthenticated +
      stats.feedback_replayed, n);
  fail_unless (stats.feedback_replayed >= n / 5);
  gst_psp_engine_receive (s.engine, &s.to, DATA (&new), new.size,
      304 * PSP_MSECOND);
  gst_psp_engine_stats (s.engine, 304 * PSP_MSECOND, &stats);
  fail_unless_equals_uint64 (stats.sender.packets_acked, 2);
  g_rand_free (random);
  close (sockets[0]);
  close (sockets[1]);
  close_session (&s);
}

GST_END_TEST;

/* Packet i leaves at i × 100 ms. A receiver that was restarted has another SSRC
 * at the same address, and gets a key frame once the one before is silent. */
GST_START_TEST (test_engine_restarted_receiver)
{
  static const struct
  {
    guint16 seq;
    guint32 ssrc;
    gboolean key_frame;
  } steps[] = {
    {1, 5, FALSE},
    {6, 5, FALSE},
    {14, 6, FALSE},
    {20, 6, TRUE},
    {21, 5, FALSE},
    {22, 6, FALSE},
  };
  PspAddress from;
  Packet report;
  gint sockets[2];
  Session s;

  open_session (&s, "none");
  from = s.to;
  fail_unless_equals_int (socketpair (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0,
          sockets), 0);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gint64 now = (100 * steps[i].seq + 10) * PSP_MSECOND;

    send_and_report (&s, sockets, steps[i].seq, steps[i].ssrc, &report);
    gst_psp_engine_receive (s.engine, &from, DATA (&report), report.size, now);
    fail_unless_equals_int (gst_psp_engine_take_key_frame (s.engine, now),
        steps[i].key_frame);
  }
  close (sockets[0]);
  close (sockets[1]);
  close_session (&s);
}

GST_END_TEST;

/* Nobody answers: each probe is a packet that was not there before, and of no
 * media. What the socket had no room for leaves later, protected once. Where
 * packets have transport-wide numbers, probes do, too. */
GST_START_TEST (test_engine_probes)
{
  const guint8 id = __i__ == 1 ? 5 : 0;
  guint16 number = 0, before = 0;
  PspUdpSender udp;
  gint sockets[2];
  guint probes = 0, packets = 0;
  gssize n;
  guint16 seq = 1;
  Session s;
  Packet p;

  open_session (&s, "poise");
  gst_psp_engine_set_transport_id (s.engine, id);
  fail_unless_equals_int (socketpair (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0,
          sockets), 0);
  psp_udp_sender_init (&udp, sockets[0]);
  s.to.size = 0;
  for (gint64 now = 0; now < 30 * PSP_SECOND; now += 10 * PSP_MSECOND) {
    GstPspEngineStats stats;

    gst_psp_engine_stats (s.engine, now, &stats);
    if (stats.sender.link != PSP_LINK_STOPPED)
      queue_rtp (&s, seq++, now);
    if (!wants_to_send (&s, now))
      continue;
    if (now == 0) {
      while (write (sockets[0], "", 1) == 1);
      gst_psp_batch_send (&s.batch, &udp, &s.to);
      fail_unless_equals_int (s.batch.sent, 0);
      gst_psp_engine_sent (s.engine, &s.batch, now);
      gst_psp_engine_writable (s.engine);
      fail_unless (wants_to_send (&s, now));
      while (read (sockets[1], p.words, sizeof p.words) == 1);
    }
    gst_psp_batch_send (&s.batch, &udp, &s.to);
    gst_psp_engine_sent (s.engine, &s.batch, now);
    while ((n = read (sockets[1], p.words, sizeof p.words)) > 0) {
      p.size = n;
      assert_result (gst_psp_srtp_unprotect (s.receiver, DATA (&p), &p.size,
              FALSE, now), OK);
      probes += p.size == HEADER + (id > 0 ? 8 : 0);
      fail_unless (psp_rtp_read_extension (DATA (&p), p.size, 5,
              &number) == (id > 0));
      if (packets++ > 0 && id > 0)
        fail_unless_equals_int (number, (guint16) (before + 1));
      before = number;
    }
  }
  fail_unless (probes >= 5, "%u", probes);
  close (sockets[0]);
  close (sockets[1]);
  close_session (&s);
}

GST_END_TEST;

/* With fewer rounds each suite once, and each key once. A macro, as that for one
 * loop has the name from it. */
#define ADD_KINDS(t, test) \
  for (gint kind = 0; kind < N_KINDS; kind += test_percent () < 100 ? 4 : 1) \
    tcase_add_loop_test (t, test, kind, kind + 1)

static Suite *
srtp_suite (void)
{
  Suite *s = suite_create ("srtp");
  TCase *t = tcase_create ("srtp");

  GST_DEBUG_CATEGORY_INIT (gst_psp_sink_debug, "pspsink", 0, "engine");
  suite_add_tcase (s, t);
  /* First, before another test has initialised it where tests do not fork. */
  tcase_add_test (t, test_initialised_before);
  tcase_add_test (t, test_derive);
  tcase_add_loop_test (t, test_known_answers, 0, G_N_ELEMENTS (answers));
  ADD_KINDS (t, test_both_ways);
  ADD_KINDS (t, test_forged);
  tcase_add_loop_test (t, test_late, 0, 3);
  tcase_add_test (t, test_feedback_key);
  tcase_add_test (t, test_recordings);
  tcase_add_test (t, test_second_sender);
  tcase_add_test (t, test_unproved_keys);
  tcase_add_test (t, test_constant_stream);
  ADD_KINDS (t, test_change);
  tcase_add_test (t, test_restarts);
  tcase_add_test (t, test_settings);
  tcase_add_test (t, test_engine_feedback);
  tcase_add_test (t, test_engine_forged);
  tcase_add_test (t, test_engine_restarted_receiver);
  tcase_add_loop_test (t, test_engine_probes, 0, 2);
  return s;
}

GST_CHECK_MAIN (srtp);
