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

/* Who is heard when, and what is thought of it. */
static const struct
{
  gint64 ms;
  const PspAddress *from;
  GstPspPeerVerdict verdict;
} hearings[] = {
  {0, &a, GST_PSP_PEER_NEW},
  {10, &a, GST_PSP_PEER_SAME},
  {11, &b, GST_PSP_PEER_FOREIGN},
  {12, &a_other_port, GST_PSP_PEER_NEW},
  {13, &a, GST_PSP_PEER_NEW},
  {512, &b, GST_PSP_PEER_FOREIGN},
  /* Not the foreign host's silence counts, but the peer's. */
  {513, &b, GST_PSP_PEER_NEW},
  {514, &a, GST_PSP_PEER_FOREIGN},
  {514, &b, GST_PSP_PEER_SAME},
};

GST_START_TEST (test_whose_media)
{
  GstPspPeer peer;

  gst_psp_peer_init (&peer);
  fail_if (gst_psp_peer_is (&peer, &a));
  for (guint i = 0; i < G_N_ELEMENTS (hearings); i++) {
    GstPspPeerVerdict verdict = gst_psp_peer_media (&peer, hearings[i].from,
        &local, hearings[i].ms * MS);

    if (verdict != hearings[i].verdict)
      fail ("hearing %u: verdict %d", i, verdict);
    fail_unless_equals_int (gst_psp_peer_is (&peer, hearings[i].from),
        verdict != GST_PSP_PEER_FOREIGN);
  }
  fail_unless (psp_address_same_host (&peer.local, &local));
  /* The sender found the way to another address of ours. */
  fail_unless_equals_int (gst_psp_peer_media (&peer, &b, &other_local,
          600 * MS), GST_PSP_PEER_NEW);
  fail_unless (psp_address_same_host (&peer.local, &other_local));
  fail_unless_equals_int (gst_psp_peer_media (&peer, &b, &other_local,
          601 * MS), GST_PSP_PEER_SAME);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &b, &unknown,
          602 * MS), GST_PSP_PEER_SAME);
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

  gst_psp_peer_init (&peer);
  fail_if (gst_psp_peer_gone (&peer));
  gst_psp_peer_media (&peer, &a, &local, 0);
  for (const Step * step = farewells[__i__].steps; step->what; step++) {
    if (step->what == MEDIA)
      gst_psp_peer_stream (&peer, step->ssrc, step->ms * MS);
    else
      fail_unless_equals_int (gst_psp_peer_bye (&peer, step->ssrc,
              step->ms * MS), step->what == BYE);
  }
  if (gst_psp_peer_gone (&peer) != farewells[__i__].gone)
    fail ("%s", farewells[__i__].name);
}

GST_END_TEST;

GST_START_TEST (test_many_streams)
{
  GstPspPeer peer;

  gst_psp_peer_init (&peer);
  for (guint i = 0; i < PSP_MAX_STREAMS + 3; i++)
    gst_psp_peer_stream (&peer, 100 + i, i * MS);
  fail_unless_equals_int (peer.n_streams, PSP_MAX_STREAMS);
  /* The three heard longest ago made room. */
  fail_if (gst_psp_peer_bye (&peer, 102, PSP_SECOND));
  fail_unless (gst_psp_peer_bye (&peer, 103, PSP_SECOND));
  fail_unless (gst_psp_peer_bye (&peer, 100 + PSP_MAX_STREAMS + 2, PSP_SECOND));
}

GST_END_TEST;

/* Another host begins with a clean slate; another port goes on. */
GST_START_TEST (test_takeover)
{
  GstPspPeer peer;

  gst_psp_peer_init (&peer);
  gst_psp_peer_media (&peer, &a, &local, 0);
  gst_psp_peer_stream (&peer, 1, 0);
  gst_psp_peer_media (&peer, &a_other_port, &local, 1);
  fail_unless_equals_int (peer.n_streams, 1);
  fail_unless_equals_int (gst_psp_peer_media (&peer, &b, &local,
          1 + GST_PSP_PEER_TAKEOVER), GST_PSP_PEER_NEW);
  fail_unless_equals_int (peer.n_streams, 0);
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
  return s;
}

GST_CHECK_MAIN (psp_peer);
