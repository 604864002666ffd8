/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as buffers with any stamps: the first octet seeds how they are
 * cut and stamped. Each picture comes out once and in order, fields pair as
 * they may, and times stay where stamps and headers can put them.
 */
#include <mpeg2/assembler.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2/splitter.h>

/* The slowest rate headers can say (24000/1001 / 32), the longest frame. */
#define MAX_FRAME_TIME (M2V_SECOND * 5)

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  uint32_t random;
  M2vSplitter splitter;
  M2vAssembler *assembler;
  M2vPicture *pictures;         /* pushed, in order */
  unsigned n_pushed, n_out;
  int64_t latest;               /* of all stamps */
  bool far;                     /* there was one that is no sane time */
} State;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static uint32_t
next_random (State * s)
{
  s->random = s->random * 1664525 + 1013904223;
  return s->random >> 8;
}

static int64_t
random_time (State * s)
{
  switch (next_random (s) % 8) {
    case 0:
      return s->latest / 2;
    case 1:
      return (int64_t) (next_random (s) % 1000) * M2V_SECOND;
    case 2:
      return (int64_t) s->n_pushed * 40000000;
    case 3:
      s->far = s->far || next_random (s) % 16 == 0;
      return s->far ? (int64_t) ((uint64_t) next_random (s) << 40) :
          M2V_TIME_NONE;
    default:
      return M2V_TIME_NONE;
  }
}

static M2vStamp
random_stamp (State * s)
{
  M2vStamp stamp;

  stamp.pts = random_time (s);
  stamp.dts = random_time (s);
  stamp.discont = next_random (s) % 16 == 0;
  if (!s->far && stamp.pts > s->latest)
    s->latest = stamp.pts;
  if (!s->far && stamp.dts > s->latest)
    s->latest = stamp.dts;
  return stamp;
}

static void
check_pair (const M2vFrame * f)
{
  const M2vPicture *a = &f->pictures[0], *b = &f->pictures[1];

  check (f->n_pictures == 2 && a->valid && b->valid && !b->has_group);
  check (a->coding.structure + b->coding.structure == M2V_FRAME_PICTURE);
  check (a->coding.structure != M2V_FRAME_PICTURE &&
      b->coding.structure != M2V_FRAME_PICTURE);
  check (a->header.temporal_reference == b->header.temporal_reference);
  check (f->n_fields == 2);
}

static void
check_frame (State * s, const M2vFrame * f, bool unpaired)
{
  size_t total = 0;

  for (unsigned i = 0; i < f->n_pictures; i++, s->n_out++) {
    check (s->n_out < s->n_pushed);
    check (memcmp (&f->pictures[i], &s->pictures[s->n_out],
            sizeof f->pictures[i]) == 0);
    total += f->pictures[i].size;
  }
  check (total == f->size);
  check (f->valid == f->pictures[0].valid);
  if (!f->valid) {
    check (f->n_pictures == 1 && !unpaired);
    return;
  }
  if (f->n_pictures != 1)
    check_pair (f);
  else
    check (unpaired == (f->pictures[0].coding.structure != M2V_FRAME_PICTURE));
  check (f->type == f->pictures[0].header.type);
  check (f->n_fields >= 2 && f->n_fields <= 6);
  check (f->duration > 0 && f->duration <= MAX_FRAME_TIME);
  check (f->pts >= 0 || s->far);
  check (s->far || f->pts <= s->latest + MAX_FRAME_TIME *
      (M2V_CLOCK_MAX_GAP + 1) * (int64_t) s->n_pushed);
  check (f->pts >= -M2V_CLOCK_MAX_TIME && f->pts <= M2V_CLOCK_MAX_TIME);
}

static void
push_buffer (State * s, const uint8_t * data, size_t size)
{
  M2vStamp stamp = random_stamp (s);
  size_t position = 0;
  M2vPicture *picture = &s->pictures[s->n_pushed];

  while (m2v_splitter_next (&s->splitter, data, size, &position, picture)) {
    M2vFrame before, frame;
    unsigned result;

    if (picture->kind != M2V_SPAN_PICTURE)
      continue;
    s->n_pushed++;
    result = m2v_assembler_push (s->assembler, &s->splitter, picture, &stamp,
        &before, &frame);
    if (result & M2V_ASSEMBLED_UNPAIRED)
      check_frame (s, &before, true);
    if (result & M2V_ASSEMBLED_FRAME)
      check_frame (s, &frame, false);
    check (s->n_pushed - s->n_out == (result & M2V_ASSEMBLED_FRAME ? 0 : 1));
    stamp.pts = stamp.dts = M2V_TIME_NONE;
    stamp.discont = false;
    picture = &s->pictures[s->n_pushed];
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  State s;
  M2vFrame frame;

  if (size < 1)
    return 0;
  memset (&s, 0, sizeof s);
  s.random = data[0];
  m2v_splitter_init (&s.splitter);
  s.assembler = m2v_assembler_new ();
  /* A picture takes at least its start code. */
  s.pictures = calloc (size / 4 + 2, sizeof *s.pictures);
  check (s.assembler && s.pictures);

  data++;
  size--;
  while (size > 0) {
    size_t part = 1 + next_random (&s) % 400;

    part = part < size ? part : size;
    push_buffer (&s, data, part);
    data += part;
    size -= part;
  }
  if (m2v_assembler_finish (s.assembler, &frame))
    check_frame (&s, &frame, true);
  check (s.n_out == s.n_pushed);
  m2v_assembler_free (s.assembler);
  free (s.pictures);
  return 0;
}
