/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "call.h"

#define STATE "1 -2 3 4 5 6 7 9223372036854775807"
#define NOTICE "1 2 -1 -9223372036854775808 -4616189618054758400 6"

/* One of each kind, as it is written. */
static const gchar *const lines[] = {
  "new scp 1 0 0 1500000 0 0 0 0 9223372036854775807 1 4294967295 "
      "1152921504606846976 6162 = " STATE,
  "new media-scaling 0 0 0 0 0 0 0 0 0 0 0 0 - = " STATE,
  "set-controller rap-psp 77 = 1 " STATE,
  "set-limits 1 2 3 4 5 6 7 8 9 10 = " STATE,
  "set-pairs 1 =",
  "set-clock-rate 90000 =",
  "reset 5 = " STATE,
  "resume 5 = " STATE,
  "allowance 5 64 = 2 5",
  "sent 4294967295 4294967295 65535 127 1 1212 1200 -1 99 0 = " STATE,
  "media-allowed 5 = 1",
  "rtcp 5 80c90001deadbeef = 0 " STATE,
  "rtcp 5 - = 0 " STATE,
  "next-tick 5 = 9223372036854775807",
  "tick 5 = " STATE,
  "take-notice 5 = 1 " NOTICE,
  "notice = " NOTICE,
  "pack-rtcp 5 -1 7 0 1200 = 80c80001",
  "pack-rtcp 5 1 -9223372036854775808 1 1200 = -",
  "stats 5 = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25"
};

/* What is read is what was written, of memory of just its size. */
GST_START_TEST (test_round_trip)
{
  gboolean seen[PSP_N_CALLS] = { FALSE };
  gchar text[PSP_CALL_LINE];
  PspCall call;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    gsize size = strlen (lines[i]);
    gchar *copy = g_memdup2 (lines[i], size);

    fail_unless (psp_call_parse (copy, size, &call), "%s", lines[i]);
    fail_unless_equals_int (psp_call_format (&call, text, sizeof text), size);
    fail_unless (memcmp (text, lines[i], size) == 0, "%.*s for %s",
        (gint) size, text, lines[i]);
    for (gsize room = 0; room < size; room++)
      fail_unless_equals_int (psp_call_format (&call, text, room), 0);
    seen[call.kind] = TRUE;
    g_free (copy);
  }
  for (guint kind = 0; kind < PSP_N_CALLS; kind++)
    fail_unless (seen[kind], "no row for kind %u", kind);
}

GST_END_TEST;

/* Every beginning of a line, unless it is one by itself (a number or octets
 * cut short), and every line with one more word. */
GST_START_TEST (test_cut)
{
  PspCall call;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    gsize size = strlen (lines[i]);
    gsize last = strrchr (lines[i], ' ') - lines[i];
    gchar *more = g_strconcat (lines[i], " 1", NULL);

    for (gsize n = 0; n < last; n++) {
      gchar *copy = g_memdup2 (lines[i], n);

      fail_if (psp_call_parse (copy, n, &call), "%.*s", (gint) n, lines[i]);
      g_free (copy);
    }
    fail_if (psp_call_parse (more, size + 2, &call), "%s", more);
    g_free (more);
  }
}

GST_END_TEST;

static const gchar *const broken[] = {
  "", " ", "=", "sent", "nonsense 5 = 1", "Tick 5 = " STATE,
  "new nonsense 0 0 0 0 0 0 0 0 0 0 0 0 - = " STATE,
  "new  0 0 0 0 0 0 0 0 0 0 0 0 - = " STATE,
  "set-controller media-scaling-and-then-something-more 77 = 1 " STATE,
  /* Numbers */
  "media-allowed  = 1", "media-allowed - = 1", "media-allowed 0x5 = 1",
  "media-allowed +5 = 1", "media-allowed 5- = 1", "media-allowed 5  = 1",
  "next-tick 5 = 9223372036854775808", "next-tick 5 = -9223372036854775809",
  "next-tick 5 = 99999999999999999999", "next-tick 5 = 000000000000000000001",
  /* Ranges */
  "media-allowed -1 = 1", "media-allowed 1152921504606846977 = 1",
  "set-pairs 2 =", "set-pairs -1 =", "set-clock-rate 4294967296 =",
  "allowance 5 4294967296 = 2 5",
  "sent 1 2 65536 96 1 1212 1200 7 99 0 = " STATE,
  "sent 1 2 3 256 1 1212 1200 7 99 0 = " STATE,
  "pack-rtcp 5 1 7 1 9217 = -", "pack-rtcp 5 1 7 1 -1 = -",
  /* Octets */
  "rtcp 5 80c = 0 " STATE, "rtcp 5 80C9 = 0 " STATE, "rtcp 5 8g = 0 " STATE,
  "rtcp 5  = 0 " STATE, "rtcp 5 = 0 " STATE,
  /* Of another kind */
  "media-allowed 5 1", "media-allowed = 1", "tick 5 - = " STATE
};

GST_START_TEST (test_broken)
{
  PspCall call;

  for (guint i = 0; i < G_N_ELEMENTS (broken); i++)
    fail_if (psp_call_parse (broken[i], strlen (broken[i]), &call), "%s",
        broken[i]);
}

GST_END_TEST;

/* As many octets as a call may have, and then two more. */
GST_START_TEST (test_longest)
{
  gchar *octets = g_strnfill (2 * PSP_CALL_OCTETS, 'f');
  gchar *line = g_strdup_printf ("pack-rtcp 5 1 7 1 1200 = %s", octets);
  gchar *more = g_strconcat (line, "ff", NULL);
  PspCall call;

  fail_unless (psp_call_parse (line, strlen (line), &call));
  fail_unless_equals_int (call.n_octets, PSP_CALL_OCTETS);
  fail_if (psp_call_parse (more, strlen (more), &call));
  g_free (more);
  g_free (line);
  g_free (octets);
}

GST_END_TEST;

static Suite *
call_suite (void)
{
  Suite *s = suite_create ("call");
  TCase *tc = tcase_create ("call");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_round_trip);
  tcase_add_test (tc, test_cut);
  tcase_add_test (tc, test_broken);
  tcase_add_test (tc, test_longest);
  return s;
}

GST_CHECK_MAIN (call);
