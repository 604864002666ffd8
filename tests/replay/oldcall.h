/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A call of a sender that read and wrote RTCP itself, of a line of sessions/.
 * sessions/README.md says why they stay as they are.
 */
#ifndef OLDCALL_H
#define OLDCALL_H

#include <control/sender.h>

#define OLD_CALL_OCTETS 9216

typedef struct
{
  const PspControllerClass *klass;      /* the last one named */
  int64_t in[32], out[32];
  unsigned n_in, n_out;
  uint8_t octets[OLD_CALL_OCTETS + 1];  /* of either side */
  size_t n_octets;
} OldCall;

/* Returns the call's name, within the line; NULL = it is no such line. */
const char *old_call_read (OldCall * call, char *line);
/* The limits, and the parameters that a controller had among them. */
PspLimits old_call_limits (const OldCall * call, const PspControllerClass * c,
    double *parameters);

#endif
