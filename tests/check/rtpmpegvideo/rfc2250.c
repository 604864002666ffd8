/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "rfc2250.h"

#include <stdlib.h>
#include <string.h>

typedef enum
{
  UNIT_SEQUENCE,
  UNIT_GROUP,
  UNIT_PICTURE,
  UNIT_EXTENSION,
  UNIT_USER_DATA,
  UNIT_SLICE,
  UNIT_END
} Kind;

/* From a start code to the next one. */
typedef struct
{
  Kind kind;
  size_t begin, end;
  unsigned payload;             /* that it begins in */
  unsigned picture;             /* 1: the frame's first, its headers too */
} Unit;

/* The elementary stream of the frame. */
typedef struct
{
  uint8_t *bytes;
  size_t size;
  size_t *begins;               /* of payload i; one more for the end */
  Unit *units;
  unsigned n_units;
} Stream;

typedef struct
{
  unsigned temporal_reference, type;
  uint32_t vectors;             /* FBV, BFC, FFV, FFC as in the header */
  bool mpeg2, matrices;
  uint32_t extension, composite;
  bool new_header;
} Coded;

static uint32_t
bits (const uint8_t * data, size_t position, unsigned n)
{
  uint32_t value = 0;

  for (; n > 0; n--, position++)
    value = value << 1 | (data[position / 8] >> (7 - position % 8) & 1);
  return value;
}

void
rfc2250_init (Rfc2250Checker * c, size_t max_payload, bool extension_header)
{
  memset (c, 0, sizeof *c);
  c->max_payload = max_payload;
  c->extension_header = extension_header;
}

size_t
rfc2250_header_size (const Rfc2250Payload * payload)
{
  if (!bits (payload->data, 5, 1))
    return 4;
  return bits (payload->data, 63, 1) ? 12 : 8;
}

static int
kind_of (unsigned code)
{
  switch (code) {
    case 0xb3:
      return UNIT_SEQUENCE;
    case 0xb8:
      return UNIT_GROUP;
    case 0x00:
      return UNIT_PICTURE;
    case 0xb5:
      return UNIT_EXTENSION;
    case 0xb2:
      return UNIT_USER_DATA;
    case 0xb7:
      return UNIT_END;
    default:
      return code < 0xb0 ? UNIT_SLICE : -1;
  }
}

static void
find_units (Stream * s)
{
  unsigned payload = 0, pictures = 0;
  Unit *last = NULL;

  for (size_t i = 0; i + 4 <= s->size; i++) {
    const uint8_t *b = s->bytes + i;

    while (i >= s->begins[payload + 1])
      payload++;
    if (b[0] != 0 || b[1] != 0 || b[2] != 1 || kind_of (b[3]) < 0)
      continue;
    if (last)
      last->end = i;
    last = &s->units[s->n_units++];
    last->kind = (Kind) kind_of (b[3]);
    last->begin = i;
    last->end = s->size;
    last->payload = payload;
    /* Headers belong to the picture that follows. */
    if (last->kind == UNIT_PICTURE)
      pictures++;
    last->picture = pictures;
    if (last->kind == UNIT_PICTURE) {
      for (Unit * u = last; u > s->units && (u[-1].kind == UNIT_GROUP
              || u[-1].kind == UNIT_SEQUENCE || u[-1].kind == UNIT_EXTENSION
              || u[-1].kind == UNIT_USER_DATA); u--)
        u[-1].picture = pictures;
    }
  }
}

static void
join (Stream * s, const Rfc2250Payload * payloads, unsigned n)
{
  memset (s, 0, sizeof *s);
  s->begins = calloc (n + 1, sizeof *s->begins);
  for (unsigned i = 0; i < n; i++)
    s->begins[i + 1] = s->begins[i] + payloads[i].size
        - rfc2250_header_size (&payloads[i]);
  s->size = s->begins[n];
  s->bytes = malloc (s->size + 1);
  s->units = calloc (s->size / 4 + 1, sizeof *s->units);
  for (unsigned i = 0; i < n; i++)
    memcpy (s->bytes + s->begins[i],
        payloads[i].data + rfc2250_header_size (&payloads[i]),
        s->begins[i + 1] - s->begins[i]);
  find_units (s);
}

static void
release (Stream * s)
{
  free (s->bytes);
  free (s->begins);
  free (s->units);
}

static bool
is_header (Kind kind)
{
  return kind < UNIT_USER_DATA;
}

/* Section 3.1: what is whole, and what begins where. */
static const char *
check_unit (const Stream * s, const Unit * u, size_t max_payload)
{
  const Unit *before = u > s->units ? u - 1 : NULL;
  bool begins = u->begin == s->begins[u->payload];
  bool whole = u->end <= s->begins[u->payload + 1];
  size_t size = u->end - u->begin;

  if (u->begin + 4 > s->begins[u->payload + 1])
    return "a start code is torn";
  while (before && before->payload == u->payload
      && (before->kind == UNIT_EXTENSION || before->kind == UNIT_USER_DATA))
    before = before > s->units ? before - 1 : NULL;
  if (before && before->payload != u->payload)
    before = NULL;

  if (is_header (u->kind) && !whole)
    return "a header is cut";
  if (u->kind == UNIT_USER_DATA && !whole && !begins)
    return "user data that is cut does not begin a payload";
  if (u->kind == UNIT_USER_DATA && !whole && size <= max_payload)
    return "user data that fits is cut";
  if (u->kind == UNIT_SEQUENCE && !begins)
    return "a sequence header does not begin a payload";
  if (u->kind == UNIT_GROUP && !begins
      && !(before && before->kind == UNIT_SEQUENCE))
    return "a group header neither begins a payload nor follows a sequence";
  if (u->kind == UNIT_PICTURE && !begins
      && !(before && before->kind == UNIT_GROUP))
    return "a picture header neither begins a payload nor follows a group";
  return NULL;
}

/* The payload begins with a start code. */
static bool
begins_unit (const Stream * s, unsigned payload)
{
  for (unsigned i = 0; i < s->n_units; i++) {
    if (s->units[i].begin == s->begins[payload])
      return true;
  }
  return false;
}

static const char *
check_slice (const Stream * s, const Unit * u, size_t room)
{
  const Unit *before = u > s->units ? u - 1 : NULL;
  size_t begin = s->begins[u->payload], end = s->begins[u->payload + 1];
  size_t size = u->end - u->begin;
  bool first = !(before && before->kind == UNIT_SLICE
      && before->payload == u->payload);

  if (!begins_unit (s, u->payload))
    return "a slice follows part of a slice";
  if (u->end > end && size <= room)
    return "a slice that fits is cut";
  if (u->end > end && !first)
    return "a slice that is cut does not begin its payload";
  if (u->begin != begin)
    return NULL;
  /* It begins a payload: it had no place in the one before. */
  if (before && before->kind == UNIT_SLICE && u->payload > 0
      && before->begin >= s->begins[u->payload - 1]
      && u->end - s->begins[u->payload - 1] <= room)
    return "a slice had a place in the payload before";
  if (before && before->kind != UNIT_SLICE && u->payload > 0
      && begins_unit (s, u->payload - 1)
      && u->end - s->begins[u->payload - 1] <= room)
    return "the first slice had a place behind the headers";
  if (before && before->kind != UNIT_SLICE && u->payload > 0
      && begins_unit (s, u->payload - 1) && size > room
      && begin - s->begins[u->payload - 1] + 16 <= room)
    return "a cut slice does not follow the headers";
  return NULL;
}

/* The picture header and coding extension, by 13818-2 clauses 6.2.3, 6.2.3.1.
 */
static void
read_coded (const Stream * s, unsigned picture, Coded * coded)
{
  memset (coded, 0, sizeof *coded);
  for (unsigned i = 0; i < s->n_units; i++) {
    const Unit *u = &s->units[i];
    const uint8_t *data = s->bytes + u->begin;

    if (u->picture != picture)
      continue;
    if (u->kind == UNIT_PICTURE) {
      coded->temporal_reference = bits (data, 32, 10);
      coded->type = bits (data, 42, 3);
      if (coded->type == 2)
        coded->vectors = bits (data, 61, 4);
      else if (coded->type == 3)
        coded->vectors = bits (data, 65, 4) << 4 | bits (data, 61, 4);
    } else if (u->kind == UNIT_EXTENSION && bits (data, 32, 4) == 8) {
      coded->mpeg2 = true;
      coded->extension = bits (data, 36, 30);
      coded->composite = bits (data, 65, 1) ? bits (data, 66, 20) : 0;
    } else if (u->kind == UNIT_EXTENSION && bits (data, 32, 4) == 3) {
      coded->matrices = true;
    }
  }
}

static void
judge_new_header (Rfc2250Checker * c, Coded * coded)
{
  bool same = c->previous[coded->type].seen
      && c->previous[coded->type].vectors == coded->vectors
      && c->previous[coded->type].extension == coded->extension
      && c->previous[coded->type].composite == coded->composite;

  c->previous[coded->type].seen = true;
  c->previous[coded->type].vectors = coded->vectors;
  c->previous[coded->type].extension = coded->extension;
  c->previous[coded->type].composite = coded->composite;
  coded->new_header = coded->mpeg2 && (coded->matrices || !same);
  c->n_n_bits += coded->new_header;
}

/* Section 3.4's header, but S, B and E. */
static const char *
check_header (const Rfc2250Checker * c, const Rfc2250Payload * payload,
    const Coded * coded)
{
  const uint8_t *h = payload->data;

  if (payload->size > c->max_payload)
    return "longer than allowed";
  if (bits (h, 0, 5) != 0)
    return "MBZ";
  if (bits (h, 5, 1) != (coded->mpeg2 && c->extension_header))
    return "T";
  if (bits (h, 6, 10) != coded->temporal_reference)
    return "TR";
  if (bits (h, 16, 1) != coded->mpeg2)
    return "AN";
  if (bits (h, 17, 1) != coded->new_header)
    return "N";
  if (bits (h, 21, 3) != coded->type)
    return "P";
  if (bits (h, 24, 8) != coded->vectors)
    return "FBV, BFC, FFV or FFC";
  if (bits (h, 5, 1) && bits (h, 32, 32) != coded->extension)
    return "the extension header";
  if (bits (h, 5, 1) && bits (h, 63, 1)
      && bits (h, 64, 32) != coded->composite)
    return "the composite display word";
  return NULL;
}

static const char *
check_flags (const Stream * s, const Rfc2250Payload * payload, unsigned i)
{
  bool sequence = false, slice = false, ends = false;

  for (unsigned k = 0; k < s->n_units; k++) {
    const Unit *u = &s->units[k];

    sequence |= u->payload == i && u->kind == UNIT_SEQUENCE;
    slice |= u->payload == i && u->kind == UNIT_SLICE;
    ends |= u->kind == UNIT_SLICE && u->end == s->begins[i + 1];
  }
  if (bits (payload->data, 18, 1) != sequence)
    return "S";
  if (bits (payload->data, 19, 1) != slice)
    return "B";
  if (bits (payload->data, 20, 1) != ends)
    return "E";
  return NULL;
}

/* Of the payload's first byte. */
static unsigned
picture_of (const Stream * s, unsigned payload)
{
  unsigned picture = 1;

  for (unsigned i = 0; i < s->n_units; i++) {
    if (s->units[i].begin <= s->begins[payload])
      picture = s->units[i].picture;
  }
  return picture;
}

static const char *
check_payloads (Rfc2250Checker * c, const Stream * s,
    const Rfc2250Payload * payloads, unsigned n, unsigned *which)
{
  unsigned last = 0;
  const char *wrong;
  Coded coded;

  for (unsigned i = 0; i < n; i++) {
    unsigned picture = picture_of (s, i);

    *which = i;
    if (s->begins[i] == s->begins[i + 1])
      return "empty";
    if (picture != last) {
      read_coded (s, picture, &coded);
      judge_new_header (c, &coded);
      last = picture;
    }
    wrong = check_header (c, &payloads[i], &coded);
    if (wrong == NULL)
      wrong = check_flags (s, &payloads[i], i);
    if (wrong)
      return wrong;
  }
  return NULL;
}

const char *
rfc2250_check_frame (Rfc2250Checker * c, const Rfc2250Payload * payloads,
    unsigned n, unsigned *which)
{
  const char *wrong;
  Stream s;

  join (&s, payloads, n);
  wrong = check_payloads (c, &s, payloads, n, which);
  for (unsigned i = 0; wrong == NULL && i < s.n_units; i++) {
    const Unit *u = &s.units[i];
    size_t room = c->max_payload - rfc2250_header_size (&payloads[u->payload]);

    *which = u->payload;
    wrong = check_unit (&s, u, room);
    if (wrong == NULL && u->kind == UNIT_SLICE)
      wrong = check_slice (&s, u, room);
  }
  release (&s);
  return wrong;
}
