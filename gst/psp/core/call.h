/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A call of the sender (sender.h) and its answer as data, and as a line of
 * text: what a session told its sender can be recorded, and told to another
 * one later.
 *
 *   NAME [controller] argument… [octets] = answer… [octets]
 *
 * Arguments and answers are decimal int64_t; of a double, its bits. Octets are
 * hexadecimal, none "-".
 */
#ifndef PSP_CORE_CALL_H
#define PSP_CORE_CALL_H

#include "sender.h"

#define PSP_CALL_NUMBERS 32
#define PSP_CALL_OCTETS 9216    /* of a datagram: fills a jumbo frame */
/* Longer no line is, without an end. */
#define PSP_CALL_LINE (64 + 2 * PSP_CALL_NUMBERS * 21 + 2 * PSP_CALL_OCTETS)

typedef enum
{
  PSP_CALL_NEW,
  PSP_CALL_SET_CONTROLLER,
  PSP_CALL_SET_LIMITS,
  PSP_CALL_SET_PAIRS,
  PSP_CALL_SET_CLOCK_RATE,
  PSP_CALL_RESET,
  PSP_CALL_RESUME,
  PSP_CALL_ALLOWANCE,
  PSP_CALL_SENT,
  PSP_CALL_MEDIA_ALLOWED,
  PSP_CALL_RTCP,
  PSP_CALL_NEXT_TICK,
  PSP_CALL_TICK,
  PSP_CALL_TAKE_NOTICE,
  PSP_CALL_NOTICE,
  PSP_CALL_PACK_RTCP,
  PSP_CALL_STATS,
  PSP_N_CALLS
} PspCallKind;

typedef struct
{
  PspCallKind kind;
  const PspControllerClass *controller; /* where the kind has one, else NULL */
  unsigned n_in, n_out;
  int64_t in[PSP_CALL_NUMBERS], out[PSP_CALL_NUMBERS];
  size_t n_octets;              /* arguments of NEW (the name) and RTCP, the
                                   answer of PACK_RTCP */
  uint8_t octets[PSP_CALL_OCTETS];
} PspCall;

/* The arguments, in the order of sender.h; a structure's members in theirs. */
void psp_call_begin (PspCall * call, PspCallKind kind);
void psp_call_in (PspCall * call, int64_t argument);
void psp_call_in_limits (PspCall * call, const PspLimits * limits);
void psp_call_in_header (PspCall * call, const PspRtpHeader * header);
void psp_call_octets (PspCall * call, const void *data, size_t size);

/* `now`, or PSP_TIME_UNKNOWN for calls without. */
int64_t psp_call_time (const PspCall * call);

/* The answer. */
void psp_call_out (PspCall * call, int64_t answer);
void psp_call_out_notice (PspCall * call, const PspNotice * notice);
void psp_call_out_stats (PspCall * call, const PspSenderStats * stats);
/* What is in force now, and when time has to go on: for calls that answer
 * nothing. */
void psp_call_out_state (PspCall * call, const PspSender * s, int64_t now);

/* What of it does not come back by psp_call_parse() is no call. Octets
 * written, without an end; 0 = no room. */
size_t psp_call_format (const PspCall * call, char *line, size_t capacity);
/* False where the line, without its end, is not such a line. Whatever it
 * holds, the call may be made: times, sizes and flags are within what an
 * element gives. */
bool psp_call_parse (const char *line, size_t size, PspCall * call);

#endif
