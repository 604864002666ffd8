/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A call of the sender (sender.h) and its answer as data, for the sender's
 * observer, and as a line of text. A session can be recorded and replayed with
 * another sender.
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
  PSP_CALL_SET_ECN,
  PSP_CALL_SET_RESERVED,
  PSP_CALL_SET_TIMING,
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
/* Keeps all bits of the doubles, so that equal values compare as equal. */
void psp_call_in_parameters (PspCall * call, const PspControllerClass * klass,
    const double *parameters);

/* These add the answer. */
void psp_call_out (PspCall * call, int64_t answer);
void psp_call_out_notice (PspCall * call, const PspNotice * notice);
#define PSP_CALL_NOTICE 6       /* answers that psp_call_out_notice adds */
/* Adds what is in force now and the next tick, for calls that return
 * nothing. */
#define PSP_CALL_STATE 8        /* answers that psp_call_out_state adds */
void psp_call_out_state (PspCall * call, const PspSender * s, int64_t now);

/* The limit on acknowledgements in a line: all transport-wide numbers that a
 * sender remembers. A datagram that fills a jumbo frame has fewer by RFC 8888,
 * at two octets each (section 3.1). */
#define PSP_CALL_ACKNOWLEDGEMENTS 8192
/* Octets: the longest line of a call with n acknowledgements, without its end,
 * and the longest line of any call. */
#define PSP_CALL_LINE_SIZE(n) (64 + 2 * PSP_CALL_NUMBERS * 21 + (n) * 77)
#define PSP_CALL_LINE PSP_CALL_LINE_SIZE (PSP_CALL_ACKNOWLEDGEMENTS)

/* Returns the first word of the line. */
const char *psp_call_name (PspCallKind kind);
/* Writes the call without a line end:
 *
 *   NAME [controller] argument… [acknowledgement…] = answer…
 *
 * Arguments and answers are decimal int64_t; a double is written as its bits.
 * An acknowledgement is its members joined by colons, in the order of packet.h,
 * without the last two if sent_at is unknown. Returns the octets written; 0 =
 * there is no room. */
size_t psp_call_format (const PspCall * call, char *line, size_t capacity);

#endif
