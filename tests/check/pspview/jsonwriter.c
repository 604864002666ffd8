/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <jsonwriter.h>
#include <math.h>

static char text[2048];
static PspJson json;

static void
start (void)
{
  psp_json_init (&json, text, sizeof text);
}

static void
expect (const char *wanted)
{
  fail_unless (json.used == strlen (wanted) &&
      memcmp (text, wanted, json.used) == 0, "%.*s instead of %s",
      (int) json.used, text, wanted);
}

GST_START_TEST (test_values)
{
  start ();
  psp_json_open (&json, '{');
  psp_json_name (&json, "a");
  psp_json_uint64 (&json, G_MAXUINT64);
  psp_json_name (&json, "b");
  psp_json_int64 (&json, G_MININT64);
  psp_json_name (&json, "c");
  psp_json_open (&json, '[');
  psp_json_bool (&json, true);
  psp_json_bool (&json, false);
  psp_json_null (&json);
  psp_json_open (&json, '{');
  psp_json_close (&json, '}');
  psp_json_string (&json, NULL);
  psp_json_close (&json, ']');
  psp_json_name (&json, "d");
  psp_json_int64 (&json, 0);
  psp_json_close (&json, '}');
  fail_unless (psp_json_end_line (&json, 0));
  expect ("{\"a\":18446744073709551615,\"b\":-9223372036854775808,"
      "\"c\":[true,false,null,{},null],\"d\":0}\n");
}

GST_END_TEST;

GST_START_TEST (test_doubles)
{
  static const struct
  {
    double value;
    const char *text;
  } rows[] = {
    {0, "0.000000000"}, {-1, "-1.000000000"}, {0.25, "0.250000000"},
    {-0.125, "-0.125000000"}, {1.9999999999, "2.000000000"},
    {123456789.5, "123456789.500000000"},
    {999999999999999., "999999999999999.000000000"},
    {1e15, "null"}, {-1e300, "null"},
    {INFINITY, "null"}, {-INFINITY, "null"}, {NAN, "null"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    start ();
    psp_json_double (&json, rows[i].value);
    expect (rows[i].text);
  }
}

GST_END_TEST;

GST_START_TEST (test_strings)
{
  static const struct
  {
    const char *string, *text;
  } rows[] = {
    {"", "\"\""},
    {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
    {"\n\t\x01\x1f\x7f", "\"\\u000a\\u0009\\u0001\\u001f\\u007f\""},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xa5",
        "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xa5\""},
    /* Cut off, a lone continuation, overlong, a surrogate, beyond Unicode. */
    {"\xc3", "\"\\ufffd\""},
    {"\xe2\x82", "\"\\ufffd\\ufffd\""},
    {"\x80", "\"\\ufffd\""},
    {"\xc0\xaf", "\"\\ufffd\\ufffd\""},
    {"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},
    {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
    {"\xf0\x80\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    {"\xffz", "\"\\ufffdz\""},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    start ();
    psp_json_string (&json, rows[i].string);
    expect (rows[i].text);
  }
}

GST_END_TEST;

/* A long one ends with a whole character. */
GST_START_TEST (test_long_string)
{
  gchar *string = g_strnfill (PSP_JSON_STRING_MOST + 100, 'x');

  start ();
  psp_json_string (&json, string);
  fail_unless_equals_int (json.used, PSP_JSON_STRING_MOST + 2);
  memcpy (string + PSP_JSON_STRING_MOST - 1, "\xc3\xa9", 2);
  start ();
  psp_json_string (&json, string);
  fail_unless_equals_int (json.used, PSP_JSON_STRING_MOST + 1);
  g_free (string);
}

GST_END_TEST;

static bool
write_line (void)
{
  size_t begin = json.used;

  psp_json_open (&json, '{');
  psp_json_name (&json, "a");
  psp_json_string (&json, "\n");
  psp_json_close (&json, '}');
  return psp_json_end_line (&json, begin);
}

/* What does not fit leaves no trace, whatever the room. */
GST_START_TEST (test_full)
{
  static const char line[] = "{\"a\":\"\\u000a\"}\n";
  size_t size, n = strlen (line);

  for (size = 0; size < 3 * n; size++) {
    memset (text, '#', sizeof text);
    psp_json_init (&json, text, size);
    while (write_line ());
    fail_unless_equals_int (json.used, size / n * n);
    fail_unless (json.used == 0 || text[json.used - 1] == '\n');
    fail_unless (text[size] == '#');
  }
}

GST_END_TEST;

static Suite *
jsonwriter_suite (void)
{
  Suite *s = suite_create ("jsonwriter");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_values);
  tcase_add_test (tc, test_doubles);
  tcase_add_test (tc, test_strings);
  tcase_add_test (tc, test_long_string);
  tcase_add_test (tc, test_full);
  return s;
}

GST_CHECK_MAIN (jsonwriter);
