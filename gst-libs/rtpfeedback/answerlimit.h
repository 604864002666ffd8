/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * No amplification: an address is never sent more bytes than came from it in
 * the last ten seconds, headers counted. Forging a source address therefore
 * gains nothing. The same idea bounds a QUIC server before it knows an address
 * (RFC 9000 section 8.1, there with a factor of 3).
 */
#ifndef RTPFEEDBACK_ANSWERLIMIT_H
#define RTPFEEDBACK_ANSWERLIMIT_H

#include <control/types.h>

#include <stddef.h>

/* Seconds over which answers are counted. */
#define PSP_ANSWER_LIMIT_SECONDS 10

typedef struct
{
  int64_t second;               /* the second that the newest slot counts */
  /* bytes that came, a slot a second */
  uint64_t came[PSP_ANSWER_LIMIT_SECONDS];
  /* bytes that left, a slot a second */
  uint64_t left[PSP_ANSWER_LIMIT_SECONDS];
} PspAnswerLimit;

/* Begins with an address from which nothing has come. */
void psp_answer_limit_init (PspAnswerLimit * l);
/* Counts a datagram of `size` bytes of UDP payload that came from the
 * address. */
void psp_answer_limit_came (PspAnswerLimit * l, size_t size, int64_t now);
/* Counts a datagram of `size` bytes of UDP payload that left for the
 * address. */
void psp_answer_limit_left (PspAnswerLimit * l, size_t size, int64_t now);
/* Returns how many bytes of UDP payload one datagram may have now. */
size_t psp_answer_limit_room (PspAnswerLimit * l, int64_t now);

#endif
