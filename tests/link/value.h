/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Parses the values of a link's specification: bounded text in, checked numbers
 * out. A function that fails writes a sentence to the parser's error and
 * returns false.
 */
#ifndef LINK_VALUE_H
#define LINK_VALUE_H

#include "spec.h"

typedef struct
{
  const char *at;               /* NULL = there is no span */
  size_t n;
} LinkSpan;

typedef struct
{
  const char *key;              /* the key being parsed, or NULL */
  char *error;
  LinkConfig *config;
} LinkParser;

/* The part of a span that an error may quote: 32 printable characters. */
typedef struct
{
  char text[36];
} LinkQuote;

const char *link_quote (LinkSpan s, LinkQuote * q);
bool link_parse_fail (LinkParser * p, const char *format, ...)
    __attribute__((format (printf, 2, 3)));

bool link_span_is (LinkSpan s, const char *text);
/* Cuts what precedes the separator off *rest. Returns false if none was
 * left. */
bool link_span_cut (LinkSpan * rest, char separator, LinkSpan * field);

bool link_parse_time (LinkParser * p, LinkSpan s, int64_t * ns);
bool link_parse_rate (LinkParser * p, LinkSpan s, int64_t * rate);
bool link_parse_probability (LinkParser * p, LinkSpan s, double *value);
bool link_parse_number (LinkParser * p, LinkSpan s, double max, double *value);
bool link_parse_whole (LinkParser * p, LinkSpan s, int64_t max,
    int64_t * value);
/* Parses "1", "0", or no value for 1. */
bool link_parse_flag (LinkParser * p, LinkSpan s, bool *value);

#endif
