/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A call of the sender (sender.h) and its answer as data, for the sender's
 * observer. A session can be recorded and replayed with another sender.
 */
#ifndef CONTROL_CALL_H
#define CONTROL_CALL_H

#include <control/sender.h>

/* The limit on arguments and on answers of one call; the longest call fits. */
#define PSP_CALL_NUMBERS 32

typedef enum
{
  PSP_CALL_NEW,
  PSP_CALL_SET_CONTROLLER,
  PSP_CALL_SET_LIMITS,
  PSP_CALL_SET_PARAMETERS,
  PSP_CALL_SET_PAIRS,
  PSP_CALL_RESET,
  PSP_CALL_RESUME,
  PSP_CALL_ALLOWANCE,
  PSP_CALL_WAIT,
  PSP_CALL_SENT,
  PSP_CALL_BIND,
  PSP_CALL_ACKNOWLEDGE,
  PSP_CALL_TICK,
  PSP_CALL_TAKE_NOTICE,
  PSP_N_CALLS
} PspCallKind;

struct PspCall
{
  PspCallKind kind;
  /* NULL if this kind of call has no controller */
  const PspControllerClass *controller;
  unsigned n_in, n_out;
  int64_t in[PSP_CALL_NUMBERS];
  int64_t out[PSP_CALL_NUMBERS];
  const PspAcknowledgement *acknowledgements;   /* only for ACKNOWLEDGE */
  size_t n_acknowledgements;
};

void psp_call_begin (PspCall * call, PspCallKind kind);

/* These add the arguments in the order of sender.h: numbers first, then the
 * parameters of a controller. Acknowledgements are kept apart because there may
 * be many. */
void psp_call_in (PspCall * call, int64_t argument);
void psp_call_in_limits (PspCall * call, const PspLimits * limits);
/* Keeps all bits of the doubles, so that equal values compare as equal. */
void psp_call_in_parameters (PspCall * call, const PspControllerClass * klass,
    const double *parameters);
void psp_call_in_packet (PspCall * call, const PspPacket * packet);

/* These add the answer. */
void psp_call_out (PspCall * call, int64_t answer);
void psp_call_out_notice (PspCall * call, const PspNotice * notice);
/* Adds what is in force now and the next tick, for calls that return
 * nothing. */
void psp_call_out_state (PspCall * call, const PspSender * s, int64_t now);

#endif
