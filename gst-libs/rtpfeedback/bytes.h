/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Bounded big-endian reader and writer with a sticky error. After the first
 * access out of bounds every read returns 0 and every write does nothing, so a
 * parser checks `error` once per structure.
 */
#ifndef RTPFEEDBACK_BYTES_H
#define RTPFEEDBACK_BYTES_H

#include <string.h>

#include <control/types.h>

typedef struct
{
  const uint8_t *at;
  size_t left;
  bool error;
} PspReader;

typedef struct
{
  uint8_t *start;
  size_t size;                  /* bytes written so far */
  size_t capacity;
  bool error;
} PspWriter;

static inline PspReader
psp_reader (const uint8_t * data, size_t size)
{
  PspReader r = { data, size, false };
  return r;
}

static inline const uint8_t *
psp_read_bytes (PspReader * r, size_t n)
{
  const uint8_t *at = r->at;

  if (r->error || r->left < n) {
    r->error = true;
    r->left = 0;
    return NULL;
  }
  r->at += n;
  r->left -= n;
  return at;
}

static inline uint8_t
psp_read_u8 (PspReader * r)
{
  const uint8_t *p = psp_read_bytes (r, 1);
  return p ? p[0] : 0;
}

static inline uint16_t
psp_read_u16 (PspReader * r)
{
  const uint8_t *p = psp_read_bytes (r, 2);
  return p ? (uint16_t) (p[0] << 8 | p[1]) : 0;
}

static inline uint32_t
psp_read_u32 (PspReader * r)
{
  const uint8_t *p = psp_read_bytes (r, 4);
  return p ? (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 |
      (uint32_t) p[2] << 8 | p[3] : 0;
}

static inline PspWriter
psp_writer (uint8_t * data, size_t capacity)
{
  PspWriter w = { data, 0, capacity, false };
  return w;
}

/* Returns room for n bytes, or NULL with the error set. */
static inline uint8_t *
psp_write_room (PspWriter * w, size_t n)
{
  uint8_t *at;

  if (w->error || w->capacity - w->size < n) {
    w->error = true;
    return NULL;
  }
  at = w->start + w->size;
  w->size += n;
  return at;
}

static inline void
psp_write_u8 (PspWriter * w, uint8_t value)
{
  uint8_t *p = psp_write_room (w, 1);

  if (p)
    p[0] = value;
}

static inline void
psp_write_u16 (PspWriter * w, uint16_t value)
{
  uint8_t *p = psp_write_room (w, 2);

  if (p) {
    p[0] = (uint8_t) (value >> 8);
    p[1] = (uint8_t) value;
  }
}

static inline void
psp_write_u32 (PspWriter * w, uint32_t value)
{
  uint8_t *p = psp_write_room (w, 4);

  if (p) {
    p[0] = (uint8_t) (value >> 24);
    p[1] = (uint8_t) (value >> 16);
    p[2] = (uint8_t) (value >> 8);
    p[3] = (uint8_t) value;
  }
}

static inline void
psp_write_bytes (PspWriter * w, const void *data, size_t n)
{
  uint8_t *p = psp_write_room (w, n);

  if (p && n)
    memcpy (p, data, n);
}

#endif
