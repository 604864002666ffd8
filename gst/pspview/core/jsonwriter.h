/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes JSON (RFC 8259) into memory of the caller's. What does not fit is told
 * at the end, and nothing is written beyond. The caller opens, names and closes
 * in an order that makes sense; commas come by themselves.
 */
#ifndef PSP_JSON_WRITER_H
#define PSP_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a string that are written; the rest is left out. */
#define PSP_JSON_STRING_MOST 512

typedef struct
{
  char *text;                   /* the caller's, not terminated */
  size_t size;                  /* bytes of it */
  size_t used;                  /* bytes written */
  bool full;                    /* something did not fit */
  bool comma;                   /* what comes next has something before it */
} PspJson;

/* Begins with nothing written. `text` must outlive `json`. */
void psp_json_init (PspJson * json, char *text, size_t size);
/* Opens an object or an array. */
void psp_json_open (PspJson * json, char bracket);
/* Closes it: '}' or ']'. */
void psp_json_close (PspJson * json, char bracket);
/* Names the next value, of an object. */
void psp_json_name (PspJson * json, const char *name);
/* NULL is null. What is not UTF-8 becomes U+FFFD, byte by byte. */
void psp_json_string (PspJson * json, const char *string);
void psp_json_uint64 (PspJson * json, uint64_t value);
void psp_json_int64 (PspJson * json, int64_t value);
/* With nine digits behind the point. What is not finite, or 10^15 and more, is
 * null. */
void psp_json_double (PspJson * json, double value);
void psp_json_bool (PspJson * json, bool value);
void psp_json_null (PspJson * json);
/* Ends a line. Returns whether all of it, from `start` on, was written; if not,
 * it is taken back, and the next one may be tried. */
bool psp_json_end_line (PspJson * json, size_t start);

#endif
