/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/controller.h>

#include <stdlib.h>
#include <string.h>

/* Bytes. The payload of a video packet until the sender has measured it: an
 * Ethernet frame less all headers and room for a tunnel. */
#define DEFAULT_PAYLOAD 1200.0
/* Bytes that such a packet has besides, as far as its size counts. */
#define DEFAULT_OVERHEAD 12

static const PspControllerClass *const controllers[] = {
#define CLASS(name) &psp_cc_##name,
  PSP_CONTROLLERS (CLASS)
  NULL
};

const PspControllerClass *
psp_controller_find (const char *name)
{
  unsigned i;

  for (i = 0; name && controllers[i]; i++)
    if (strcmp (controllers[i]->name, name) == 0)
      return controllers[i];
  return NULL;
}

const PspControllerClass *const *
psp_controller_list (void)
{
  return controllers;
}

static int64_t
clamp (int64_t value, int64_t max)
{
  return value < 0 ? 0 : value > max ? max : value;
}

static void
take_limits (PspController * c, const PspLimits * limits)
{
  c->limits.min_bitrate = clamp (limits->min_bitrate, PSP_MAX_BITRATE);
  c->limits.max_bitrate = clamp (limits->max_bitrate, PSP_MAX_BITRATE);
  c->limits.start_bitrate = clamp (limits->start_bitrate, PSP_MAX_BITRATE);
  c->limits.unproved_bitrate =
      clamp (limits->unproved_bitrate, PSP_MAX_BITRATE);
}

/* A value that is out of its range, or not a number, leaves the parameter as it
 * was. */
static void
take_parameters (PspController * c, const double *parameters)
{
  const PspParameter *table = c->klass->parameters;
  unsigned n = psp_parameter_count (table), i;

  for (i = 0; parameters && i < n; i++)
    if (psp_parameter_allows (&table[i], parameters[i]))
      c->parameters[i] = parameters[i];
}

static void
start (PspController * c, int64_t now, PspDecision * d)
{
  d->period = 0;
  d->longest_slot = 0;
  d->window = PSP_WINDOW_NONE;
  d->target_bitrate = PSP_BITRATE_UNKNOWN;
  d->scale = -1;
  d->reason = PSP_REASON_START;
  d->loss_timeout = 0;
  d->next_tick = PSP_TIME_NEVER;
  c->klass->init (c, now, d);
}

PspController *
psp_controller_new (const PspControllerClass * klass,
    const PspLimits * limits, const double *parameters, int64_t now,
    PspDecision * d)
{
  PspController *c = calloc (1, klass->size);

  if (!c)
    return NULL;
  c->klass = klass;
  c->mean_payload = DEFAULT_PAYLOAD;
  c->mean_size = DEFAULT_PAYLOAD + DEFAULT_OVERHEAD;
  take_limits (c, limits);
  psp_parameter_defaults (klass->parameters, c->parameters);
  take_parameters (c, parameters);
  start (c, now, d);
  return c;
}

void
psp_controller_free (PspController * c)
{
  free (c);
}

void
psp_controller_reset (PspController * c, int64_t now, PspDecision * d)
{
  const PspController kept = *c;

  memset (c, 0, c->klass->size);
  *c = kept;
  start (c, now, d);
  d->reason = PSP_REASON_RESET;
}

void
psp_controller_set_limits (PspController * c, const PspLimits * limits,
    int64_t now, PspDecision * d)
{
  take_limits (c, limits);
  if (c->klass->on_limits)
    c->klass->on_limits (c, now, d);
}

void
psp_controller_set_parameters (PspController * c, const double *parameters,
    int64_t now, PspDecision * d)
{
  take_parameters (c, parameters);
  if (c->klass->on_limits)
    c->klass->on_limits (c, now, d);
}

int64_t
psp_controller_bitrate (const PspController * c, double period)
{
  double bitrate;

  if (!(period > 0))
    return PSP_BITRATE_UNKNOWN;
  bitrate = psp_controller_mean_bits (c) * PSP_SECOND / period;
  /* A target of 0 would mean that nothing may be sent. */
  if (bitrate < 1)
    return 1;
  return (int64_t) MIN (bitrate, (double) PSP_MAX_BITRATE);
}

int64_t
psp_controller_period (const PspController * c, int64_t bitrate)
{
  return bitrate > 0 ?
      (int64_t) (psp_controller_mean_bits (c) * PSP_SECOND / bitrate) : 0;
}
