/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "gstpsppeer.h"

#define MS PSP_MSECOND

static PspAddress a, a_other_port, b, local, other_local, unknown;

static void
setup (void)
{
  psp_address_resolve ("192.0.2.1", 1000, AF_INET, &a);
  psp_address_resolve ("192.0.2.1", 2000, AF_INET, &a_other_port);
  psp_address_resolve ("192.0.2.2", 1000, AF_INET, &b);
  psp_address_resolve ("192.0.2.9", 0, AF_INET, &local);
  psp_address_resolve ("192.0.3.9", 0, AF_INET, &other_local);
}

/* Which stream is heard when and whence, and what is thought of it. */
static const struct
{
  gint64 ms;
  const PspAddress *from;
  guint32 ssrc;
  GstPspPeerVerdict verdict;
} hearings[] = {
  {0, &a, 1, GST_PSP_PEER_NEW},
  {10, &a, 1, GST_PSP_PEER_SAME},
  {11, &b, 1, GST_PSP_PEER_FOREIGN},
  {12, &a_other_port, 1, GST_PSP_PEER_FOREIGN},
  {12, &a_other_port, 2, GST_PSP_PEER_FOREIGN},
  {13, &a, 1, GST_PSP_PEER_SAME},
  {512, &b, 1, GST_PSP_PEER_FOREIGN},
  /* Not the foreign host's silence counts, but the peer's. */
  {513, &b, 1, GST_PSP_PEER_NEW},
  {514, &a, 1, GST_PSP_PEER_FOREIGN},
  {514, &b, 1, GST_PSP_PEER_SAME},
  {1014, &a, 1, GST_PSP_PEER_NEW},
  /* A stream moves after longer than another one of that host comes. */
  {1514, &a_other_port, 1, GST_PSP_PEER_FOREIGN},
  {3013, &a_other_port, 1, GST_PSP_PEER_FOREIGN},
  {3014, &a_other_port, 1, GST_PSP_PEER_NEW},
  {3015, &a, 1, GST_PSP_PEER_FOREIGN},
  {3513, &a, 2, GST_PSP_PEER_FOREIGN},
  {3514, &a, 2, GST_PSP_PEER_NEW},
};

GST_START_TEST (test_whose_media)
{
  GstPspPeer peer;

  gst_psp_peer_init (&peer, FALSE);
  fail_if (gst_psp_peer_is (&peer, &a));
  for (guint i = 0; i < G_N_ELEMENTS (hearings); i++) {
    gboolean foreign = gst_psp_peer_is_foreign (&peer, hearings[i].from,
        hearings[i].ssrc, hearings[i].ms * MS);
    GstPspPeerVerdict verdict = gst_psp_peer_media (&peer, hearings[i].from,
        &local, hearings[i].ssrc, hearings[i].ms * MS);

    fail_unless_equals_int (foreign, verdict == GST_PSP_PEER_FOREIGN);
    if (verdict != hearings[i].verdict)
      fail ("hearing %u: verdict %d", i, verdict);
    if (verdict == GST_PSP_PEER_FOREIGN)
      continue;
    fail_unless (psp_address_equal (&peer.address, hearings[i].from));
    fail_unless (gst_psp_peer_is (&peer, hearings[i].from));
    gst_psp_peer_stream (&peer, hearings[i].ssrc, hearings[i].ms * MS);
  }
  fail_if (gst_psp_peer_is (&peer, &b));
  fail_unless (psp_address_same_host (&peer.local, &local));
  /* The sender found the way to another address of ours. */
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a, &other_local, 1,
          3600 * MS), GST_PSP_PEER_NEW);
  fail_unless (psp_address_same_host (&peer.local, &other_local));
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a, &other_local, 1,
          3601 * MS), GST_PSP_PEER_SAME);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a, &unknown, 1,
          3602 * MS), GST_PSP_PEER_SAME);
}

GST_END_TEST;

/* What streams of one peer do, in order; at the end, is the peer gone? */
typedef struct
{
  enum
  { END, MEDIA, BYE, BYE_IGNORED } what;
  guint32 ssrc;
  gint64 ms;
} Step;

static const struct
{
  const char *name;
  gboolean gone;
  Step steps[8];
} farewells[] = {
  {"silence is none", FALSE, {{MEDIA, 1, 0}}},
  {"one stream", TRUE, {{MEDIA, 1, 0}, {BYE, 1, 10}}},
  {"stragglers", TRUE, {{MEDIA, 1, 0}, {BYE, 1, 10}, {MEDIA, 1, 509},
          {BYE_IGNORED, 1, 510}}},
  {"resumed", FALSE, {{MEDIA, 1, 0}, {BYE, 1, 10}, {MEDIA, 1, 510}}},
  {"resumed and ended", TRUE, {{MEDIA, 1, 0}, {BYE, 1, 10},
          {MEDIA, 1, 510}, {BYE, 1, 511}}},
  {"unknown stream", FALSE, {{MEDIA, 1, 0}, {BYE_IGNORED, 2, 10}}},
  {"one of two", FALSE, {{MEDIA, 1, 0}, {MEDIA, 2, 1}, {BYE, 1, 10}}},
  {"two of two", TRUE, {{MEDIA, 1, 0}, {MEDIA, 2, 1}, {BYE, 1, 10},
          {BYE, 2, 11}}},
  {"the other died before", TRUE, {{MEDIA, 2, 0}, {MEDIA, 1, 6000},
          {BYE, 1, 6001}}},
  {"restarted under a new SSRC", FALSE, {{MEDIA, 1, 0}, {BYE, 1, 10},
          {MEDIA, 2, 20}}},
};

GST_START_TEST (test_farewell)
{
  GstPspPeer peer;

  gst_psp_peer_init (&peer, FALSE);
  fail_if (gst_psp_peer_gone (&peer));
  gst_psp_peer_media (&peer, &a, &local, 1, 0);
  for (const Step * step = farewells[__i__].steps; step->what; step++) {
    if (step->what == MEDIA)
      gst_psp_peer_stream (&peer, step->ssrc, step->ms * MS);
    else
      fail_unless_equals_int (gst_psp_peer_bye (&peer, &a, step->ssrc,
              step->ms * MS), step->what == BYE);
  }
  if (gst_psp_peer_gone (&peer) != farewells[__i__].gone)
    fail ("%s", farewells[__i__].name);
}

GST_END_TEST;

GST_START_TEST (test_many_streams)
{
  GstPspPeer peer;

  gst_psp_peer_init (&peer, FALSE);
  gst_psp_peer_media (&peer, &a, &local, 100, 0);
  for (guint i = 0; i < PSP_MAX_STREAMS + 3; i++)
    gst_psp_peer_stream (&peer, 100 + i, i * MS);
  fail_unless_equals_int (peer.n_streams, PSP_MAX_STREAMS);
  /* The three heard longest ago made room. */
  fail_if (gst_psp_peer_bye (&peer, &a, 102, PSP_SECOND));
  fail_unless (gst_psp_peer_bye (&peer, &a, 103, PSP_SECOND));
  fail_unless (gst_psp_peer_bye (&peer, &a, 100 + PSP_MAX_STREAMS + 2,
          PSP_SECOND));
}

GST_END_TEST;

/* Another host begins with a clean slate; another port goes on. */
GST_START_TEST (test_takeover)
{
  gint64 now = GST_PSP_PEER_REBINDING;
  GstPspPeer peer;

  gst_psp_peer_init (&peer, FALSE);
  gst_psp_peer_media (&peer, &a, &local, 1, 0);
  gst_psp_peer_stream (&peer, 1, 0);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a_other_port, &local, 1,
          now), GST_PSP_PEER_NEW);
  fail_unless_equals_int (peer.n_streams, 1);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &b, &local, 1,
          now + GST_PSP_PEER_TAKEOVER), GST_PSP_PEER_NEW);
  fail_unless_equals_int (peer.n_streams, 0);
}

GST_END_TEST;

/* Recordings under SRTP, played while the sender rests: it is heard again once it
 * goes on, whoever took over, unless they have been heard for two seconds. In the
 * clear who took over stays. */
GST_START_TEST (test_comes_back)
{
  const gboolean authentic = __i__ > 0, late = __i__ == 2;
  gint64 now = GST_PSP_PEER_TAKEOVER;
  GstPspPeer peer;

  gst_psp_peer_init (&peer, authentic);
  gst_psp_peer_media (&peer, &a, &local, 1, 0);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &b, &local, 2, now),
      GST_PSP_PEER_NEW);
  now += GST_PSP_PEER_TAKEOVER;
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a_other_port, &local, 3,
          now), GST_PSP_PEER_NEW);
  for (guint i = 0; i < 8; i++) {
    now += GST_PSP_PEER_DOUBT / 8 - (late ? 0 : 1);
    gst_psp_peer_media (&peer, &a_other_port, &local, 3, now);
  }
  fail_unless_equals_int (gst_psp_peer_media (&peer, &b, &local, 2, now),
      GST_PSP_PEER_FOREIGN);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a, &local, 1, now),
      authentic && !late ? GST_PSP_PEER_NEW : GST_PSP_PEER_FOREIGN);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a_other_port, &local, 3,
          now), authentic && !late ? GST_PSP_PEER_FOREIGN : GST_PSP_PEER_SAME);
}

GST_END_TEST;

/* A sender that said BYE from its port and starts again need not wait. Another
 * port of its host cannot say so. */
GST_START_TEST (test_bye_frees)
{
  const gboolean forged = __i__ == 1;
  GstPspPeer peer;

  gst_psp_peer_init (&peer, forged);
  gst_psp_peer_media (&peer, &a, &local, 1, 0);
  gst_psp_peer_stream (&peer, 1, 0);
  gst_psp_peer_stream (&peer, 2, 0);
  fail_unless (gst_psp_peer_bye (&peer, forged ? &a_other_port : &a, 1, MS));
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a_other_port, &local, 1,
          2 * MS), GST_PSP_PEER_FOREIGN);
  fail_unless (gst_psp_peer_bye (&peer, forged ? &a_other_port : &a, 2, MS));
  fail_unless_equals_int (gst_psp_peer_media (&peer, &a_other_port, &local, 1,
          2 * MS), forged ? GST_PSP_PEER_FOREIGN : GST_PSP_PEER_NEW);
}

GST_END_TEST;

/* From another port, as of a sender with RTCP on a port of its own, or of anybody
 * on its host: what goes on has not ended, and what falls silent has. */
GST_START_TEST (test_bye_from_other_port)
{
  GstPspPeer peer;
  guint32 ssrc = 0;

  gst_psp_peer_init (&peer, FALSE);
  gst_psp_peer_media (&peer, &a, &local, 1, 0);
  gst_psp_peer_stream (&peer, 1, 0);
  gst_psp_peer_stream (&peer, 2, 0);
  fail_unless_equals_int64 (gst_psp_peer_next (&peer), PSP_TIME_NEVER);
  fail_if (gst_psp_peer_bye (&peer, &a_other_port, 1, 10 * MS));
  fail_unless_equals_int64 (gst_psp_peer_next (&peer), 510 * MS);
  gst_psp_peer_stream (&peer, 1, 100 * MS);
  fail_unless_equals_int64 (gst_psp_peer_next (&peer), 600 * MS);
  fail_if (gst_psp_peer_believe (&peer, &ssrc, 599 * MS));
  gst_psp_peer_stream (&peer, 1, 599 * MS);
  fail_unless_equals_int64 (gst_psp_peer_next (&peer), PSP_TIME_NEVER);
  fail_if (gst_psp_peer_believe (&peer, &ssrc, 9000 * MS));
  fail_if (gst_psp_peer_gone (&peer));

  fail_if (gst_psp_peer_bye (&peer, &a_other_port, 1, 9000 * MS));
  fail_unless (gst_psp_peer_believe (&peer, &ssrc, 9500 * MS));
  fail_unless_equals_int (ssrc, 1);
  fail_if (gst_psp_peer_believe (&peer, &ssrc, 9500 * MS));
  fail_unless (gst_psp_peer_gone (&peer));
  fail_if (gst_psp_peer_bye (&peer, &a, 1, 9600 * MS));
}

GST_END_TEST;

static Suite *
psp_peer_suite (void)
{
  Suite *s = suite_create ("psppeer");
  TCase *tc = tcase_create ("peer");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_whose_media);
  tcase_add_loop_test (tc, test_farewell, 0, G_N_ELEMENTS (farewells));
  tcase_add_test (tc, test_many_streams);
  tcase_add_test (tc, test_takeover);
  tcase_add_loop_test (tc, test_comes_back, 0, 3);
  tcase_add_loop_test (tc, test_bye_frees, 0, 2);
  tcase_add_test (tc, test_bye_from_other_port);
  return s;
}

GST_CHECK_MAIN (psp_peer);
