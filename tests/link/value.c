/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_RATE 1e12           /* bits/s */
#define MAX_TIME 1e15           /* ns: eleven days */

typedef struct
{
  const char *name;
  double factor;
} Unit;

static const Unit time_units[] = {
  {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}
};

static const Unit rate_units[] = {
  {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9},
  {"Ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824}, {NULL, 0}
};

static const Unit ratio_units[] = { {"", 1}, {"%", 0.01}, {NULL, 0} };
static const Unit count_units[] = { {"", 1}, {NULL, 0} };

bool
link_parse_fail (LinkParser * p, const char *format, ...)
{
  va_list args;
  size_t n = 0;

  if (p->key)
    n = (size_t) snprintf (p->error, LINK_ERROR_SIZE, "%s: ", p->key);
  va_start (args, format);
  vsnprintf (p->error + n, LINK_ERROR_SIZE - n, format, args);
  va_end (args);
  return false;
}

const char *
link_quote (LinkSpan s, LinkQuote * q)
{
  size_t i, n = s.n < 32 ? s.n : 32;

  for (i = 0; i < n; i++)
    q->text[i] = s.at[i] >= 0x20 && s.at[i] < 0x7f ? s.at[i] : '?';
  strcpy (q->text + n, s.n > n ? "..." : "");
  return q->text;
}

bool
link_span_is (LinkSpan s, const char *text)
{
  return s.at && strlen (text) == s.n && memcmp (s.at, text, s.n) == 0;
}

bool
link_span_cut (LinkSpan * rest, char separator, LinkSpan * field)
{
  const char *end;

  *field = *rest;
  if (!rest->at)
    return false;
  end = memchr (rest->at, separator, rest->n);
  if (!end) {
    rest->at = NULL;
    rest->n = 0;
    return true;
  }
  field->n = (size_t) (end - rest->at);
  rest->n -= field->n + 1;
  rest->at = end + 1;
  return true;
}

/* Digits, a point, digits, then a unit; no sign, no exponent, no locale. */
static bool
number (LinkParser * p, LinkSpan s, const Unit * units, const char *expected,
    double *value)
{
  double mantissa = 0, scale = 1;
  bool point = false;
  size_t i, digits = 0;
  LinkSpan unit;
  LinkQuote q;

  for (i = 0; i < s.n; i++) {
    if (s.at[i] == '.' && !point && digits > 0) {
      point = true;
      continue;
    }
    if (s.at[i] < '0' || s.at[i] > '9')
      break;
    if (++digits > 15)
      return link_parse_fail (p, "\"%s\" has more than 15 digits",
          link_quote (s, &q));
    mantissa = mantissa * 10 + (s.at[i] - '0');
    scale *= point ? 10 : 1;
  }
  unit.at = s.at + i;
  unit.n = s.n - i;
  for (; digits > 0 && units->name; units++) {
    if (link_span_is (unit, units->name)) {
      *value = mantissa * units->factor / scale;
      return true;
    }
  }
  return link_parse_fail (p, "\"%s\" is not %s", link_quote (s, &q), expected);
}

bool
link_parse_time (LinkParser * p, LinkSpan s, int64_t * ns)
{
  double value;
  LinkQuote q;

  if (link_span_is (s, "0")) {
    *ns = 0;
    return true;
  }
  if (!number (p, s, time_units, "a time (like 20ms; ns, us, ms, s)", &value))
    return false;
  if (value > MAX_TIME)
    return link_parse_fail (p, "\"%s\" is more than 1000000s",
        link_quote (s, &q));
  *ns = llround (value);
  return true;
}

bool
link_parse_rate (LinkParser * p, LinkSpan s, int64_t * rate)
{
  double value;
  LinkQuote q;

  if (!number (p, s, rate_units, "a rate in bits/s (like 800k or 2M; "
          "k, M, G, Ki, Mi, Gi)", &value))
    return false;
  if (value > MAX_RATE)
    return link_parse_fail (p, "\"%s\" is more than 1000G", link_quote (s, &q));
  *rate = llround (value);
  if (*rate == 0 && value > 0)
    return link_parse_fail (p, "\"%s\" is less than 1 bit/s",
        link_quote (s, &q));
  return true;
}

bool
link_parse_probability (LinkParser * p, LinkSpan s, double *value)
{
  LinkQuote q;

  if (!number (p, s, ratio_units, "a probability (like 0.01 or 1%)", value))
    return false;
  if (*value > 1)
    return link_parse_fail (p, "\"%s\" is more than 1", link_quote (s, &q));
  return true;
}

bool
link_parse_number (LinkParser * p, LinkSpan s, double max, double *value)
{
  LinkQuote q;

  if (!number (p, s, count_units, "a number", value))
    return false;
  if (*value > max)
    return link_parse_fail (p, "\"%s\" is more than %.0f",
        link_quote (s, &q), max);
  return true;
}

bool
link_parse_whole (LinkParser * p, LinkSpan s, int64_t max, int64_t * value)
{
  double number;
  LinkQuote q;

  if (!link_parse_number (p, s, (double) max, &number))
    return false;
  if (number != floor (number))
    return link_parse_fail (p, "\"%s\" is not a whole number",
        link_quote (s, &q));
  *value = (int64_t) number;
  return true;
}

bool
link_parse_flag (LinkParser * p, LinkSpan s, bool *value)
{
  LinkQuote q;

  if (s.at && !link_span_is (s, "0") && !link_span_is (s, "1"))
    return link_parse_fail (p, "\"%s\" is neither 0 nor 1", link_quote (s, &q));
  *value = !s.at || link_span_is (s, "1");
  return true;
}
