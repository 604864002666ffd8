/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "jsonwriter.h"

#include <math.h>
#include <string.h>

/* From this value on a double does not have nine digits after the point. */
#define DOUBLE_END 1e15
/* One, in units of the ninth digit after the point. */
#define BILLION UINT64_C (1000000000)

void
psp_json_init (PspJson * json, char *text, size_t size)
{
  memset (json, 0, sizeof *json);
  json->text = text;
  json->size = size;
}

static void
put (PspJson * json, const char *bytes, size_t n)
{
  if (json->full || n > json->size - json->used) {
    json->full = true;
    return;
  }
  memcpy (json->text + json->used, bytes, n);
  json->used += n;
}

static void
begin_value (PspJson * json)
{
  if (json->comma)
    put (json, ",", 1);
  json->comma = true;
}

void
psp_json_open (PspJson * json, char bracket)
{
  begin_value (json);
  put (json, &bracket, 1);
  json->comma = false;
}

void
psp_json_close (PspJson * json, char bracket)
{
  put (json, &bracket, 1);
  json->comma = true;
}

/* Returns the bytes of the character that begins here; 0 = it is not valid
 * (RFC 3629, 4). */
static size_t
utf8_length (const unsigned char *s)
{
  size_t i, n;

  if (s[0] < 0x80)
    return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4)
    return 0;
  n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  /* These are overlong, surrogates, or beyond U+10FFFF. */
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  for (i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  return n;
}

static void
put_character (PspJson * json, const unsigned char *s, size_t n)
{
  static const char digits[] = "0123456789abcdef";
  char escape[6] = "\\u00";

  if (n == 0) {
    put (json, "\\ufffd", 6);
  } else if (s[0] < 0x20 || s[0] == 0x7f) {
    escape[4] = digits[s[0] >> 4];
    escape[5] = digits[s[0] & 15];
    put (json, escape, sizeof escape);
  } else {
    if (s[0] == '"' || s[0] == '\\')
      put (json, "\\", 1);
    put (json, (const char *) s, n);
  }
}

static void
put_string (PspJson * json, const char *string)
{
  const unsigned char *s = (const unsigned char *) string, *begin = s;
  size_t n;

  put (json, "\"", 1);
  while (*s) {
    n = utf8_length (s);
    if ((size_t) (s - begin) + (n ? n : 1) > PSP_JSON_STRING_MOST)
      break;
    put_character (json, s, n);
    s += n ? n : 1;
  }
  put (json, "\"", 1);
}

void
psp_json_name (PspJson * json, const char *name)
{
  begin_value (json);
  put_string (json, name);
  put (json, ":", 1);
  json->comma = false;
}

void
psp_json_string (PspJson * json, const char *string)
{
  if (string == NULL) {
    psp_json_null (json);
    return;
  }
  begin_value (json);
  put_string (json, string);
}

/* Writes at least `least` digits. */
static void
put_digits (PspJson * json, uint64_t value, size_t least)
{
  char digits[20];
  size_t at = sizeof digits;

  do {
    digits[--at] = (char) ('0' + value % 10);
    value /= 10;
  } while (value > 0 || sizeof digits - at < least);
  put (json, digits + at, sizeof digits - at);
}

void
psp_json_uint64 (PspJson * json, uint64_t value)
{
  begin_value (json);
  put_digits (json, value, 1);
}

void
psp_json_int64 (PspJson * json, int64_t value)
{
  begin_value (json);
  if (value < 0)
    put (json, "-", 1);
  put_digits (json, value < 0 ? -(uint64_t) value : (uint64_t) value, 1);
}

void
psp_json_double (PspJson * json, double value)
{
  double whole = floor (fabs (value));
  uint64_t parts;

  /* Any comparison with NaN is false. */
  if (!(whole < DOUBLE_END)) {
    psp_json_null (json);
    return;
  }
  parts = (uint64_t) ((fabs (value) - whole) * (double) BILLION + 0.5);
  if (parts == BILLION) {
    parts = 0;
    whole++;
  }
  begin_value (json);
  if (value < 0)
    put (json, "-", 1);
  put_digits (json, (uint64_t) whole, 1);
  put (json, ".", 1);
  put_digits (json, parts, 9);
}

void
psp_json_bool (PspJson * json, bool value)
{
  begin_value (json);
  put (json, value ? "true" : "false", value ? 4 : 5);
}

void
psp_json_null (PspJson * json)
{
  begin_value (json);
  put (json, "null", 4);
}

bool
psp_json_end_line (PspJson * json, size_t start)
{
  bool whole;

  put (json, "\n", 1);
  whole = !json->full;
  if (!whole)
    json->used = start;
  json->full = false;
  json->comma = false;
  return whole;
}
