/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "cutter.h"

#include <string.h>

#include <startcode/startcode.h>

/* bytes; a slice that must be cut anyway begins behind headers only if this
 * much of it fits there */
#define MIN_SLICE_START 16


/* A payload being filled. */
typedef struct
{
  RtpMpegCut cut;
  size_t room;                  /* bytes that may still be added */
  bool full;                    /* nothing more may be added */
} Filling;

void
rtp_mpeg_cutter_init (RtpMpegCutter * c, const uint8_t * headers,
    size_t headers_size, const uint8_t * data, size_t slices,
    size_t slices_end, size_t size)
{
  memset (c, 0, sizeof *c);
  c->headers = headers;
  c->headers_size = headers_size;
  c->data = data;
  c->slices = slices;
  c->slices_end = slices_end;
  c->size = size;
  c->position = slices;
}

bool
rtp_mpeg_cutter_is_done (const RtpMpegCutter * c)
{
  return c->header_position >= c->headers_size && c->position >= c->size;
}

static bool
begins_headers (unsigned code)
{
  return code == M2V_CODE_SEQUENCE || code == M2V_CODE_GROUP
      || code == M2V_CODE_PICTURE;
}

/* True if the header `code` may follow the header `before` in one payload. */
static bool
may_follow (unsigned before, unsigned code)
{
  switch (code) {
    case M2V_CODE_SEQUENCE:
      return false;
    case M2V_CODE_GROUP:
      return before == M2V_CODE_SEQUENCE;
    case M2V_CODE_PICTURE:
      return before == M2V_CODE_GROUP;
    default:
      return true;
  }
}

/* Returns where the header at the position ends, and writes its start code
 * value. The header may have begun in an earlier payload. Zeros before it are
 * part of it. */
static size_t
header_end (const RtpMpegCutter * c, unsigned *code)
{
  size_t begin = c->header_position;

  *code = M2V_CODE_USER_DATA;
  if (c->inside_header)
    return start_code_find (c->headers, c->headers_size, begin);
  begin = start_code_find (c->headers, c->headers_size, begin);
  if (begin == c->headers_size)
    return begin;
  *code = c->headers[begin + 3];
  return start_code_find (c->headers, c->headers_size,
      begin + M2V_START_CODE_SIZE);
}

static void
fill_headers (RtpMpegCutter * c, Filling * f)
{
  unsigned before = M2V_CODE_USER_DATA, code;

  f->cut.headers.offset = c->header_position;
  while (!f->full && c->header_position < c->headers_size) {
    size_t size = header_end (c, &code) - c->header_position;
    bool too_long = size > f->room;

    if (f->cut.headers.size > 0 && (too_long || !may_follow (before, code))) {
      f->full = true;
      return;
    }
    if (too_long)
      size = f->room;
    f->full = too_long || c->inside_header;
    c->inside_header = too_long;
    c->header_position += size;
    f->cut.headers.size += size;
    f->room -= size;
    f->cut.sequence |= code == M2V_CODE_SEQUENCE;
    if (begins_headers (code))
      before = code;
  }
}

/* Returns where the slice that continues at `from` ends; 0 = beyond `limit`. */
static size_t
first_end (const RtpMpegCutter * c, size_t from, size_t limit)
{
  const uint8_t *data = c->data;
  size_t bound = c->slices_end, at;

  if (limit + M2V_START_CODE_SIZE < bound)
    bound = limit + M2V_START_CODE_SIZE;
  at = start_code_find (data, bound, from);
  while (at < bound && !m2v_code_is_slice (data[at + 3]))
    at = start_code_find (data, bound, at + M2V_START_CODE_SIZE);
  if (at < bound)
    return at;
  return c->slices_end <= limit ? c->slices_end : 0;
}

/* Returns where the last slice ends that begins at or after `from` and does not
 * reach beyond `limit`; 0 = not even the first one fits. It searches backwards,
 * so that it reads no byte of most slices. */
static size_t
last_end (const RtpMpegCutter * c, size_t from, size_t limit)
{
  const uint8_t *data = c->data;
  size_t at = c->slices_end - M2V_START_CODE_SIZE;

  if (c->slices_end <= limit)
    return c->slices_end;
  if (limit < at)
    at = limit;
  while (at >= from + M2V_START_CODE_SIZE) {
    if (data[at] > 1)
      at -= 3;
    else if (data[at] == 1)
      at -= 2;
    else if (data[at + 1] == 0 && data[at + 2] == 1
        && m2v_code_is_slice (data[at + 3]))
      return at;
    else
      at--;
  }
  return 0;
}

/* True if the slice at the position, which is too long for the room behind the
 * headers, begins the next payload: too little of it fits here, or all of it
 * fits there. */
static bool
leave_slice (const RtpMpegCutter * c, const Filling * f)
{
  size_t whole = f->room + f->cut.headers.size;

  return f->cut.headers.size > 0 && (f->room < MIN_SLICE_START
      || last_end (c, c->position, c->position + whole) > 0);
}

static void
fill_slices (RtpMpegCutter * c, Filling * f)
{
  size_t at = c->position, end;

  f->cut.body.offset = at;
  if (f->full || at >= c->slices_end)
    return;
  if (c->inside_slice) {
    end = first_end (c, at, at + f->room);
  } else {
    end = last_end (c, at, at + f->room);
    if (end == 0 && leave_slice (c, f)) {
      f->full = true;
      return;
    }
    f->cut.begin_slice = true;
  }
  f->cut.end_slice = end > 0;
  f->full = end < c->slices_end;
  c->inside_slice = end == 0;
  if (end == 0)
    end = at + f->room;
  f->cut.body.size = end - at;
  f->room -= end - at;
  c->position = end;
}

/* Adds the bytes that follow the slices if all of them fit. An empty payload
 * takes a part of them. */
static void
fill_rest (RtpMpegCutter * c, Filling * f)
{
  size_t left = c->size - c->position;

  if (f->full || left == 0)
    return;
  if (left > f->room) {
    if (f->cut.headers.size + f->cut.body.size > 0)
      return;
    left = f->room;
  }
  f->cut.body.size += left;
  f->cut.end_slice = false;
  c->position += left;
}

bool
rtp_mpeg_cutter_next (RtpMpegCutter * c, size_t room, RtpMpegCut * cut)
{
  Filling f = { 0 };

  if (rtp_mpeg_cutter_is_done (c))
    return false;
  f.room = room;
  fill_headers (c, &f);
  fill_slices (c, &f);
  fill_rest (c, &f);
  *cut = f.cut;
  return true;
}
