/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * B pictures are coded in display order, and a reference is displayed once the
 * next reference comes. So one position, the frontier, is enough: every frame
 * displayed before it is known (or lost), and at most one reference waits
 * behind it for the B pictures in between.
 */
#include <mpeg2/clock.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2/timebase.h>

/* temporal_reference counts modulo 1024. */
#define N_REFERENCES 1024

/* Largest number of a group's frames that are lost together with its GOP
 * header. */
#define GROUP_SIZE 16

/* Number of last durations that estimates use: two rounds of 3:2 pulldown. */
#define N_LAST 4
/* Field periods that N_LAST frames of 3:2 pulldown last. */
#define MAX_SUM (N_LAST * 5 / 2)

typedef struct
{
  bool waits;
  bool counted;                 /* its temporal_reference is plausible */
  unsigned temporal_reference;
  bool top_field_first;
  unsigned n_fields;
  int64_t pts;                  /* its own, or M2V_TIME_NONE */
  int64_t time;                 /* ns; the time that it was given */
} Reference;

struct M2vClock
{
  bool started;
  bool stamped;                 /* a time stamp has set the base */
  int64_t start;                /* ns; derived times are not before it */
  /* the frontier, in field periods since the start */
  int64_t position;
  unsigned next;                /* temporal_reference of the frontier's frame */
  bool parity_known;            /* `top` is valid */
  bool top;                     /* parity of the field at the frontier */
  bool adrift;                  /* began with a reference, no GOP header */
  bool astray;                  /* the last frame was too far ahead */
  Reference reference;

  /* field periods; durations before the frontier, oldest first */
  unsigned last[N_LAST];
  bool has_last;                /* `last` is valid */

  M2vTimebase base;
  bool base_waits;              /* the base is set to the reference */
};

M2vClock *
m2v_clock_new (void)
{
  M2vClock *c = malloc (sizeof *c);

  if (c)
    m2v_clock_reset (c, 0);
  return c;
}

void
m2v_clock_free (M2vClock * c)
{
  free (c);
}

void
m2v_clock_reset (M2vClock * c, int64_t start)
{
  memset (c, 0, sizeof *c);
  c->start = m2v_is_time (start) && start > 0 ? start : 0;
  m2v_timebase_init (&c->base);
  m2v_timebase_set (&c->base, c->start, 0);
}

static unsigned
distance (unsigned from, unsigned to)
{
  return (to - from) % N_REFERENCES;
}

/* Returns how long the next n frames are displayed at least, if a frame with
 * this top_field_first follows them. In interlaced sequences every field period
 * flips the parity. */
static int64_t
least_fields (const M2vClock * c, unsigned n, bool top_field_first)
{
  return n == 0 ? 0 : 2 * (int64_t) n + (!c->base.sequence.progressive &&
      c->parity_known && c->top != top_field_first);
}

/* Estimates how long they are displayed: the sum that ends with the right
 * parity and is nearest to n times the mean. This is exact for a single frame,
 * and for two except for 2 + 2 and 3 + 3. Progressive frames repeat the last
 * durations. */
static int64_t
estimate (const M2vClock * c, unsigned n, bool top_field_first)
{
  int64_t fields = least_fields (c, n, top_field_first), sum = 0, excess;

  if (n == 0 || !c->has_last)
    return fields;
  for (unsigned i = 0; i < N_LAST; i++)
    sum += c->last[i];

  if (c->base.sequence.progressive || !c->parity_known) {
    fields = n / N_LAST * sum;
    for (unsigned i = 0; i < n % N_LAST; i++)
      fields += c->last[i];
    return fields;
  }
  /* Adds 2 as long as the result is nearer to the mean. */
  if (sum > MAX_SUM)
    sum = MAX_SUM;
  excess = n * sum - N_LAST * fields;
  return fields + 2 * ((excess + N_LAST - 1) / (2 * N_LAST));
}

/* Moves the frontier behind a frame. */
static void
advance (M2vClock * c, unsigned temporal_reference, bool top_field_first,
    unsigned n_fields)
{
  c->position += n_fields;
  c->next = (temporal_reference + 1) % N_REFERENCES;
  c->top = top_field_first != (n_fields % 2 == 1);
  c->parity_known = true;

  for (unsigned i = 0; i + 1 < N_LAST; i++)
    c->last[i] = c->has_last ? c->last[i + 1] : n_fields;
  c->last[N_LAST - 1] = n_fields;
  c->has_last = true;
}

/* Returns the number of frames between the frontier and the reference that
 * waits. */
static unsigned
n_missing (const M2vClock * c)
{
  unsigned n = distance (c->next, c->reference.temporal_reference);

  return c->reference.counted && n <= M2V_CLOCK_MAX_GAP ? n : 0;
}

/* Makes the place of the reference that waits final: no more B pictures come
 * before it, and missing ones are lost. */
static void
settle (M2vClock * c)
{
  const Reference *r = &c->reference;

  if (!r->waits)
    return;
  c->position += estimate (c, n_missing (c), r->top_field_first);
  c->base_waits = false;
  if (r->pts != M2V_TIME_NONE)
    m2v_timebase_hold (&c->base, r->pts, c->position);
  advance (c, r->counted ? r->temporal_reference : c->next,
      r->top_field_first, r->n_fields);
  c->reference.waits = false;
  c->adrift = false;
}

/* Applies a new frame rate from the frontier on. */
static void
follow_sequence (M2vClock * c, const M2vSequence * sequence)
{
  const M2vSequence unknown = {.progressive = true };
  const M2vSequence *s = sequence ? sequence : &unknown;

  if (s->frame_rate_num != c->base.sequence.frame_rate_num ||
      s->frame_rate_den != c->base.sequence.frame_rate_den ||
      s->progressive != c->base.sequence.progressive) {
    settle (c);
    m2v_timebase_set_sequence (&c->base, s, c->position);
  }
  c->base.sequence = *s;
}

/* Restarts the count of temporal_reference: at GOP headers, and when references
 * go back because a header got lost. */
static void
follow_groups (M2vClock * c, const M2vClockFrame * f)
{
  const Reference *r = &c->reference;
  bool b = f->type == M2V_PICTURE_B;
  unsigned back;

  if (!c->started) {
    c->next = f->temporal_reference % N_REFERENCES;
    c->adrift = !b;
  }
  /* A B picture displayed after the reference means that the next reference is
   * lost. */
  if (f->starts_group || !b || distance (r->temporal_reference,
          f->temporal_reference) <= M2V_CLOCK_MAX_GAP)
    settle (c);

  back = distance (f->temporal_reference, c->next);
  if (f->starts_group) {
    c->next = 0;
    c->adrift = false;
  } else if (b && c->adrift && r->waits && back > 0 &&
      back <= M2V_CLOCK_MAX_GAP) {
    /* It is displayed before the reference that the stream began with. */
    c->next = f->temporal_reference % N_REFERENCES;
    c->adrift = false;
    c->base_waits = true;
  } else if (back > 1 && back < N_REFERENCES / 2) {
    settle (c);
    c->next = f->temporal_reference < GROUP_SIZE ? 0 :
        f->temporal_reference % N_REFERENCES;
  }
}

/* Sets the base from the first DTS, before any PTS: the first frame displayed
 * leaves the decoder one frame after the first one coded enters it (13818-2
 * annex C). */
static void
start_base (M2vClock * c, const M2vClockFrame * f)
{
  int64_t delay = c->base.sequence.low_delay ? 0 :
      m2v_fields_time (&c->base.sequence, 2);
  bool begins = !c->started || (f->discont && f->starts_group);

  if (f->discont)
    m2v_timebase_discont (&c->base);
  if (begins && m2v_is_time (f->dts)) {
    m2v_timebase_set (&c->base, f->dts + delay, c->position);
    c->stamped = true;
  }
}

/* Returns the frame's PTS if it is plausible, otherwise the time of its
 * position. */
static int64_t
frame_time (const M2vClock * c, int64_t pts, int64_t position)
{
  int64_t derived = m2v_timebase_at (&c->base, position);
  int64_t least = c->stamped || c->base.given ? 0 : c->start;

  if (pts != M2V_TIME_NONE)
    return pts;
  return derived > least ? derived : least;
}

/* Places a reference. Its place is not final before the B pictures in between
 * have come: the base stays if its PTS is within the error of their
 * durations. */
static int64_t
place_reference (M2vClock * c, const M2vClockFrame * f, unsigned n,
    bool counted)
{
  Reference *r = &c->reference;
  M2vTimeClaim claim = {.pts = f->pts,.dts = f->dts,.delayed = n > 0 };
  int64_t doubt = c->base.sequence.progressive ? 4 * (int64_t) n : n;
  int64_t error;

  claim.position = c->position + estimate (c, n, f->top_field_first);
  claim.earliest = m2v_timebase_at (&c->base,
      c->position + least_fields (c, n, f->top_field_first));
  claim.latest = M2V_CLOCK_MAX_TIME;
  r->waits = true;
  r->counted = counted;
  r->temporal_reference = f->temporal_reference % N_REFERENCES;
  r->top_field_first = f->top_field_first;
  r->n_fields = f->n_fields;
  r->pts = m2v_timebase_believe (&c->base, &claim) ? f->pts : M2V_TIME_NONE;
  if (r->pts != M2V_TIME_NONE) {
    error = llabs (r->pts - m2v_timebase_at (&c->base, claim.position));
    if (!c->base.given || error > m2v_fields_time (&c->base.sequence, doubt)) {
      m2v_timebase_hold (&c->base, r->pts, claim.position);
      c->base_waits = n > 0;
    }
  }
  r->time = frame_time (c, r->pts, claim.position);
  return r->time;
}

/* Places a B picture; frames that are missing before it are lost. */
static int64_t
place_b (M2vClock * c, const M2vClockFrame * f, unsigned n, bool counted)
{
  const Reference *r = &c->reference;
  M2vTimeClaim claim = {.pts = f->pts,.dts = f->dts,.b = true };
  int64_t least = c->position + least_fields (c, n, f->top_field_first);
  bool own;

  claim.position = c->position + estimate (c, n, f->top_field_first);
  c->position = claim.position;
  advance (c, counted ? f->temporal_reference : c->next, f->top_field_first,
      f->n_fields);
  if (c->base_waits)
    c->base.position = c->position +
        estimate (c, n_missing (c), r->top_field_first);
  claim.earliest = m2v_timebase_at (&c->base, least);
  claim.latest = !r->waits ? M2V_CLOCK_MAX_TIME :
      r->time - m2v_fields_time (&c->base.sequence, f->n_fields +
      least_fields (c, n_missing (c), r->top_field_first));
  own = m2v_timebase_believe (&c->base, &claim);
  if (own && m2v_timebase_hold (&c->base, f->pts, claim.position))
    c->base_waits = false;
  return frame_time (c, own ? f->pts : M2V_TIME_NONE, claim.position);
}

/* Returns how many frames are missing before this one. A temporal_reference too
 * far ahead is broken (not counted): the frame is the next one. Two of them in
 * a row count. If a temporal_reference comes twice in a row, the second frame
 * is the next one. */
static unsigned
count (M2vClock * c, unsigned temporal_reference, bool *counted)
{
  unsigned n = distance (c->next, temporal_reference);

  *counted = n <= M2V_CLOCK_MAX_GAP || n == N_REFERENCES - 1;
  c->astray = !*counted && !c->astray;
  if (!*counted && !c->astray)
    c->next = temporal_reference % N_REFERENCES;
  return n <= M2V_CLOCK_MAX_GAP ? n : 0;
}

int64_t
m2v_clock_next (M2vClock * c, const M2vClockFrame * f)
{
  unsigned n;
  bool counted;
  int64_t t;

  follow_sequence (c, f->sequence);
  follow_groups (c, f);
  start_base (c, f);
  n = count (c, f->temporal_reference, &counted);
  t = f->type == M2V_PICTURE_B ? place_b (c, f, n, counted) :
      place_reference (c, f, n, counted);
  c->started = true;
  return t;
}
