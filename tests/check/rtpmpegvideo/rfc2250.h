/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Judges payloads by RFC 2250 sections 3.1 and 3.4 and by what we promise
 * beyond. Shares no code with what it judges: it looks for start codes byte by
 * byte and takes fields by their position in the standards' tables.
 */
#ifndef RFC2250_H
#define RFC2250_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  const uint8_t *data;          /* with the MPEG video-specific header */
  size_t size;
} Rfc2250Payload;

typedef struct
{
  size_t max_payload;
  bool extension_header;        /* expected in MPEG-2 */

  /* Of the last picture of each type. */
  struct
  {
    bool seen;
    uint32_t vectors, extension, composite;
  } previous[8];
  unsigned n_n_bits;            /* pictures that had N */
} Rfc2250Checker;

void rfc2250_init (Rfc2250Checker * c, size_t max_payload,
    bool extension_header);

/* All payloads of a frame of well-formed pictures; NULL where all is right,
 * else what is wrong in payload number *which. */
const char *rfc2250_check_frame (Rfc2250Checker * c,
    const Rfc2250Payload * payloads, unsigned n, unsigned *which);

/* Bytes before the elementary stream. */
size_t rfc2250_header_size (const Rfc2250Payload * payload);

#endif
