/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "oldcall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SCALES 5

/* The limits of old had two controllers' parameters at their end. */
PspLimits
old_call_limits (const OldCall * call, const PspControllerClass * c,
    double *parameters)
{
  PspLimits l = { call->in[0], call->in[1], call->in[2], 0 };
  /* The smallest round trip was not forgotten, and psp's decrease a constant. */
  static const char *const later[] = { "life", "relative-decrease" };

  psp_parameter_defaults (c->parameters, parameters);
  for (unsigned i = 0; i < sizeof later / sizeof *later; i++) {
    int place = psp_parameter_find (c->parameters, later[i]);

    if (place >= 0)
      parameters[place] = 0;
  }
  if (strcmp (c->name, "fixed") == 0)
    parameters[0] = (double) call->in[3];
  for (int i = 0; strcmp (c->name, "media-scaling") == 0 && i < N_SCALES; i++)
    parameters[i] = (double) call->in[4 + i];
  return l;
}

static void
take_octets (OldCall * call, const char *word)
{
  unsigned octet;

  for (call->n_octets = 0; call->n_octets < OLD_CALL_OCTETS
      && sscanf (word + 2 * call->n_octets, "%2x", &octet) == 1;)
    call->octets[call->n_octets++] = (uint8_t) octet;
}

/* psp-call SESSION NAME [controller] argument… [octets] = answer… [octets]. Octets
 * come last on their side, in three kinds of lines. */
const char *
old_call_read (OldCall * call, char *line)
{
  bool answered = false;
  char *name, *word;

  if (!strtok (line, " \n") || !strtok (NULL, " \n"))
    return NULL;
  name = strtok (NULL, " \n");
  call->n_in = call->n_out = 0;
  call->n_octets = 0;
  while (name && (word = strtok (NULL, " \n"))) {
    unsigned *n = answered ? &call->n_out : &call->n_in;
    bool has_octets = (strcmp (name, "new") == 0 && call->n_in == 12)
        || (strcmp (name, "rtcp") == 0 && call->n_in == 1)
        || (strcmp (name, "pack-rtcp") == 0 && answered);

    if (strcmp (word, "=") == 0)
      answered = true;
    else if (call->n_in == 0 && !answered && psp_controller_find (word))
      call->klass = psp_controller_find (word);
    else if (has_octets && !(answered && strcmp (name, "pack-rtcp") != 0))
      take_octets (call, word);
    else if (*n < 32)
      (answered ? call->out : call->in)[(*n)++] = strtoll (word, NULL, 10);
  }
  return name;
}
