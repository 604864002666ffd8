/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "calltext.h"

static PspAcknowledgement acknowledgements[PSP_CALL_ACKNOWLEDGEMENTS];
static gchar text[PSP_CALL_LINE];
static PspCall call;

#define STATE "1 -2 3 4 5 6 7 9223372036854775807"
#define NOTICE "1 2 -1 -9223372036854775808 -4616189618054758400 6"

/* One of each kind, as it is written. */
static const gchar *const lines[] = {
  "new rap-psp 1 0 9223372036854775807 600000 1 1152921504606846976 = " STATE,
  "new fixed 0 0 0 0 0 0 4653529012341276672 = " STATE,
  "set-controller media-scaling 500000 77 1 2 3 4 5 = " STATE,
  "set-limits 1 2 3 4 10 = " STATE,
  "set-parameters fixed 77 -4616189618054758400 = " STATE,
  "set-pairs 1 =",
  "set-ecn 2 5 = " STATE,
  "set-reserved 300000 5 = " STATE,
  "set-timing 400000000 1500000000 4 10000000000 1000000000 5 = " STATE,
  "reset 5 = " STATE,
  "resume 5 = " STATE,
  "allowance 5 64 = 2 5",
  "wait =",
  "sent 1212 1200 1 4294967295 65535 99 0 = " STATE,
  "bind 77 0 65535 =",
  "acknowledge 5 6 = " STATE,
  "acknowledge -9223372036854775808 6 4294967295:65535:1:3:-7 "
      "1:2:2:0:-9223372036854775808 0:3:1:0:4:5:1212 = " STATE,
  "tick 5 = " STATE,
  "take-notice 5 = 1 " NOTICE
};

/* What is read is what was written, of memory of just its size. */
GST_START_TEST (test_round_trip)
{
  gboolean seen[PSP_N_CALLS] = { FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    gsize size = strlen (lines[i]);
    gchar *copy = g_memdup2 (lines[i], size);

    fail_unless (psp_call_parse (copy, size, &call, acknowledgements), "%s",
        lines[i]);
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
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    gsize size = strlen (lines[i]);
    gsize last = strrchr (lines[i], ' ') - lines[i];
    gchar *more = g_strconcat (lines[i], " 1", NULL);

    for (gsize n = 0; n < last; n++) {
      gchar *copy = g_memdup2 (lines[i], n);

      fail_if (psp_call_parse (copy, n, &call, acknowledgements), "%.*s",
          (gint) n, lines[i]);
      g_free (copy);
    }
    fail_if (psp_call_parse (more, size + 2, &call, acknowledgements), "%s",
        more);
    g_free (more);
  }
}

GST_END_TEST;

static const gchar *const broken[] = {
  "", " ", "=", "sent", "nonsense 5 = 1", "Tick 5 = " STATE,
  "new nonsense 0 0 0 0 0 0 = " STATE,
  "new  0 0 0 0 0 0 = " STATE,
  "new fixed 0 0 0 0 0 0 = " STATE,
  "new rap-psp 0 0 0 0 0 0 0 = " STATE,
  "set-controller media-scaling-and-then-something-more 0 77 = " STATE,
  /* Numbers */
  "tick  = " STATE, "tick - = " STATE, "tick 0x5 = " STATE,
  "tick +5 = " STATE, "tick 5- = " STATE, "tick 5  = " STATE,
  "allowance 5 64 = 2 9223372036854775808",
  "allowance 5 64 = 2 -9223372036854775809",
  "allowance 5 64 = 2 99999999999999999999",
  "allowance 5 64 = 2 000000000000000000001",
  /* Ranges */
  "tick -1 = " STATE, "tick 1152921504606846977 = " STATE,
  "set-pairs 2 =", "set-pairs -1 =", "bind 5 4294967296 1 =",
  "allowance 5 4294967296 = 2 5",
  "sent 1212 1200 1 1 65536 99 0 = " STATE,
  "sent 1212 1200 2 1 65535 99 0 = " STATE,
  "acknowledge 1152921504606846977 6 = " STATE,
  /* Acknowledgements */
  "acknowledge 5 6 1 = " STATE, "acknowledge 5 6 1:2:1:0 = " STATE,
  "acknowledge 5 6 1:2:1:0: = " STATE, "acknowledge 5 6 1:2:1:4:7 = " STATE,
  "acknowledge 5 6 1:65536:1:0:7 = " STATE,
  "acknowledge 5 6 1:2:3:0:7 = " STATE, "acknowledge 5 6 1:2:1:0:7:8 = " STATE,
  "acknowledge 5 6 1:2:1:0:7:8:9:10 = " STATE, "acknowledge 5 6 :::: = " STATE,
  "acknowledge 5 6  = " STATE,
  /* Of another kind */
  "tick 5 1", "tick = " STATE, "tick 5 - = " STATE, "wait 5 ="
};

GST_START_TEST (test_broken)
{
  for (guint i = 0; i < G_N_ELEMENTS (broken); i++)
    fail_if (psp_call_parse (broken[i], strlen (broken[i]), &call,
            acknowledgements), "%s", broken[i]);
}

GST_END_TEST;

/* As many acknowledgements as a call may have, and then one more. */
GST_START_TEST (test_longest)
{
  GString *line = g_string_new ("acknowledge 5 6");
  gsize before;

  for (guint i = 0; i < PSP_CALL_ACKNOWLEDGEMENTS; i++)
    g_string_append (line, " 4294967295:65535:1:3:-1152921504606846976:"
        "-1152921504606846976:4294967295");
  before = line->len;
  g_string_append (line, " = " STATE);
  fail_unless (psp_call_parse (line->str, line->len, &call, acknowledgements));
  fail_unless_equals_int (call.n_acknowledgements, PSP_CALL_ACKNOWLEDGEMENTS);
  fail_unless_equals_int (psp_call_format (&call, text, sizeof text),
      line->len);
  g_string_insert (line, (gssize) before, " 1:2:0:0:0");
  fail_if (psp_call_parse (line->str, line->len, &call, acknowledgements));
  g_string_free (line, TRUE);
}

GST_END_TEST;

static Suite *
calltext_suite (void)
{
  Suite *s = suite_create ("control-calltext");
  TCase *tc = tcase_create ("calltext");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_round_trip);
  tcase_add_test (tc, test_cut);
  tcase_add_test (tc, test_broken);
  tcase_add_test (tc, test_longest);
  return s;
}

GST_CHECK_MAIN (calltext);
