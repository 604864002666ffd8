/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes JSON (RFC 8259) into the caller's memory. Nothing is written
 * beyond its end, and psp_json_end_line reports what did not fit. The
 * caller opens, names and closes in a valid order; the writer inserts the
 * commas.
 */
#ifndef PSP_JSON_WRITER_H
#define PSP_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes of a string that are written; the rest is left out. */
#define PSP_JSON_STRING_MOST 512

typedef struct
{
  char *text;                   /* the caller's, not terminated */
  size_t size;                  /* bytes of `text` */
  size_t used;                  /* bytes written */
  bool full;                    /* something did not fit */
  bool comma;                   /* the next value needs a comma before it */
} PspJson;

/* Begins with nothing written. `text` must outlive `json`. */
void psp_json_init (PspJson * json, char *text, size_t size);
/* Opens an object or an array. */
void psp_json_open (PspJson * json, char bracket);
/* Closes an object with '}', or an array with ']'. */
void psp_json_close (PspJson * json, char bracket);
/* Writes the name of an object's next value. */
void psp_json_name (PspJson * json, const char *name);
/* Writes a string. NULL becomes null. Each byte that is not UTF-8 becomes
 * U+FFFD. */
void psp_json_string (PspJson * json, const char *string);
void psp_json_uint64 (PspJson * json, uint64_t value);
void psp_json_int64 (PspJson * json, int64_t value);
/* Writes a number with nine digits after the point. A value that is not
 * finite, or of 10^15 or more, becomes null. */
void psp_json_double (PspJson * json, double value);
void psp_json_bool (PspJson * json, bool value);
void psp_json_null (PspJson * json);
/* Ends the line that began at `start`. Returns true if all of it was
 * written. Otherwise it is removed, and the next line may be tried. */
bool psp_json_end_line (PspJson * json, size_t start);

#endif
