/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Encoders as a model: frames whose sizes are log-normal around the target.
 */
#include "labsource.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "recorded.h"

#define FRAME INT64_C (33333333)        /* ns; 30 frames/s */
#define MS INT64_C (1000000)
#define MAX_PAYLOAD 1200

typedef struct
{
  double noise;                 /* sigma of the log of a frame's size */
  double drift;                 /* sigma of the log of the scene, over 1 s */
  unsigned key_interval;        /* frames; 0 = no key frames */
  double key_size;              /* size of a key frame over the others */
  int64_t key_limit;            /* ns of the target in one frame; 0 = none */
  int64_t dead_time;            /* ns until a target takes effect */
  double settle;                /* s; time constant of the rate after that */
  double made;                  /* share of the target that is produced */
  unsigned slices;              /* each ends in a packet of its own; 0 = full
                                   packets and a rest */
} Model;

typedef struct
{
  LabSource source;
  const Model *model;
  LinkRandom random;
  int64_t next, heard_at;
  double rate, heard, pending;  /* bits/s */
  double scene;
  double debt;                  /* bits made beyond the target */
  uint64_t n;
} Encoder;

static const Model models[] = {
  /* keys: the usual encoder of the laboratory and of tests/sim */
  {.noise = .15,.key_interval = 60,.key_size = 4,.dead_time = 50 * MS,
      .made = 1},
  /* vbv: the same, a key frame lasts 80 ms at most */
  {.noise = .15,.key_interval = 60,.key_size = 4,.key_limit = 80 * MS,
      .dead_time = 50 * MS,.made = 1},
  /* plain */
  {.noise = .15,.dead_time = 50 * MS,.made = 1},
  /* even */
  {.noise = .05,.dead_time = 50 * MS,.made = 1},
  /* noisy */
  {.noise = .3,.dead_time = 50 * MS,.made = 1},
  /* slices: as x264 with tune=zerolatency */
  {.noise = .12,.drift = .1,.key_interval = 60,.key_size = 5,
        .key_limit = 200 * MS,.dead_time = 100 * MS,.settle = .3,.made = .93,
      .slices = 4},
  /* part: uses .6 of its target */
  {.noise = .15,.key_interval = 60,.key_size = 4,.dead_time = 50 * MS,
      .made = .6},
};

/* *INDENT-OFF* */
static LabSource *encoder_new (const LabSourceClass * klass, int64_t bitrate,
    uint64_t seed);
static void encoder_free (LabSource * s);
static void encoder_target (LabSource * s, int64_t now, int64_t bitrate);
static int64_t encoder_next (const LabSource * s);
static size_t encoder_take (LabSource * s, int64_t now,
    uint32_t payloads[LAB_FRAME_PACKETS]);
/* *INDENT-ON* */

#define MODEL(name, blurb) {name, blurb, encoder_new, encoder_free, \
      encoder_target, encoder_next, encoder_take}
#define RECORDED(name, blurb) {name, blurb " (recorded)", lab_recorded_new, \
      lab_recorded_free, lab_recorded_set_target, lab_recorded_next, \
      lab_recorded_take}
/* The models first, in their order. */
const LabSourceClass lab_sources[] = {
  MODEL ("keys", "sigma .15, a key frame of 4 frames each 2 s, 50 ms late"),
  MODEL ("vbv", "the same, key frames of 80 ms at most"),
  MODEL ("plain", "sigma .15, no key frames, 50 ms late"),
  MODEL ("even", "sigma .05, no key frames, 50 ms late"),
  MODEL ("noisy", "sigma .30, no key frames, 50 ms late"),
  MODEL ("slices", "4 slices a frame, key frames, .1 to .7 s late, makes .93"),
  MODEL ("part", "as keys, makes .6 of the target"),
  RECORDED ("x264-zerolatency", "x264 tune=zerolatency, 4 slices a frame"),
  RECORDED ("x264-zerolatency-busy", "the same, of pictures that need it all"),
  RECORDED ("x264-default", "x264 with B pictures and look-ahead"),
  RECORDED ("openh264", "OpenH264"),
  RECORDED ("vp8", "VP8, live"),
  RECORDED ("vp9", "VP9, live"),
  RECORDED ("screen", "x264 tune=zerolatency of a desktop"),
  RECORDED ("mpegscaler-drop", "MPEG-2, pictures dropped"),
  RECORDED ("mpegscaler-requantize", "MPEG-2, requantized"),
  RECORDED ("mpegscaler-auto", "MPEG-2, both"),
  {.name = NULL}
};

static LabSource *
encoder_new (const LabSourceClass * klass, int64_t bitrate, uint64_t seed)
{
  Encoder *e = calloc (1, sizeof *e);

  e->source.klass = klass;
  e->model = &models[klass - lab_sources];
  link_random_init (&e->random, seed, 40);
  e->rate = e->heard = e->pending = (double) bitrate;
  e->heard_at = INT64_MAX;
  e->n = link_random_bits (&e->random) % 60;
  e->next = (int64_t) (link_random_uniform (&e->random) * FRAME);
  return &e->source;
}

static void
encoder_free (LabSource * s)
{
  free (s);
}

static void
encoder_target (LabSource * s, int64_t now, int64_t bitrate)
{
  Encoder *e = (Encoder *) s;

  /* A newer target waits behind one that is on its way, then replaces it. */
  e->pending = (double) bitrate;
  if (e->heard_at == INT64_MAX)
    e->heard_at = now + e->model->dead_time;
}

static int64_t
encoder_next (const LabSource * s)
{
  return ((const Encoder *) s)->next;
}

static void
follow (Encoder * e, int64_t now)
{
  const Model *m = e->model;
  double step = (double) FRAME / 1e9;

  if (e->heard_at <= now) {
    e->heard = e->pending;
    e->heard_at = INT64_MAX;
  }
  if (m->settle > 0)
    e->rate += (1 - exp (-step / m->settle)) * (e->heard - e->rate);
  else
    e->rate = e->heard;
  e->scene += -step * e->scene
      + sqrt (2 * step) * m->drift * link_random_normal (&e->random);
}

/* Bits of the next frame. */
static double
frame_bits (Encoder * e)
{
  const Model *m = e->model;
  double mean = m->made * e->rate * FRAME / 1e9, bits;

  bits = mean * exp (e->scene + m->noise * link_random_normal (&e->random)
      - m->noise * m->noise / 2);
  if (m->key_interval > 0)
    bits *= (e->n % m->key_interval ? 1 : m->key_size)
        / (1 + (m->key_size - 1) / m->key_interval);
  e->n++;
  if (m->key_limit > 0 && bits > e->rate * (double) m->key_limit / 1e9) {
    e->debt += bits - e->rate * (double) m->key_limit / 1e9;
    bits = e->rate * (double) m->key_limit / 1e9;
  } else if (m->key_limit > 0) {
    /* What a key frame could not have goes to the frames after it. */
    bits += fmin (e->debt, .2 * mean);
    e->debt -= fmin (e->debt, .2 * mean);
  }
  return fmax (bits, 400);
}

static size_t
pack (double bytes, size_t n, uint32_t payloads[LAB_FRAME_PACKETS])
{
  while (bytes >= 1 && n < LAB_FRAME_PACKETS) {
    payloads[n] = bytes > MAX_PAYLOAD ? MAX_PAYLOAD : (uint32_t) bytes;
    bytes -= payloads[n++];
  }
  return n;
}

static size_t
encoder_take (LabSource * s, int64_t now, uint32_t payloads[LAB_FRAME_PACKETS])
{
  Encoder *e = (Encoder *) s;
  double bytes, part, left;
  size_t n = 0;
  unsigned i;

  follow (e, now);
  e->next += FRAME;
  bytes = frame_bits (e) / 8;
  if (e->model->slices == 0)
    return pack (bytes, 0, payloads);
  for (i = 0, left = bytes; i < e->model->slices; i++, left -= part) {
    part = i + 1 < e->model->slices ? bytes / e->model->slices
        * (.6 + .8 * link_random_uniform (&e->random)) : left;
    part = fmin (fmax (part, 30), fmax (left, 30));
    n = pack (part, n, payloads);
  }
  return n;
}

LabSource *
lab_source_new (const char *name, int64_t bitrate, uint64_t seed)
{
  unsigned i;

  for (i = 0; lab_sources[i].name; i++)
    if (strcmp (lab_sources[i].name, name) == 0)
      return lab_sources[i].create (&lab_sources[i], bitrate, seed);
  return NULL;
}
