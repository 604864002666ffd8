/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * No amplification: an address is never sent more bytes than came from it in
 * the last ten seconds, headers counted. Whoever forges a source address gains
 * nothing by the answers. The same idea bounds a QUIC server before it knows an
 * address (RFC 9000 section 8.1, there with a factor of 3).
 */
#ifndef RTPFEEDBACK_ANSWERLIMIT_H
#define RTPFEEDBACK_ANSWERLIMIT_H

#include <control/types.h>

#include <stddef.h>

/* The last seconds, over which answers are counted. */
#define PSP_ANSWER_LIMIT_SECONDS 10

typedef struct
{
  int64_t second;               /* the one that the newest slot counts */
  uint64_t came[PSP_ANSWER_LIMIT_SECONDS];      /* bytes, a slot a second */
  uint64_t left[PSP_ANSWER_LIMIT_SECONDS];
} PspAnswerLimit;

/* Begins with an address from which nothing has come. */
void psp_answer_limit_init (PspAnswerLimit * l);
/* A datagram of `size` bytes of UDP payload came from the address, or left for
 * it. */
void psp_answer_limit_came (PspAnswerLimit * l, size_t size, int64_t now);
void psp_answer_limit_left (PspAnswerLimit * l, size_t size, int64_t now);
/* Returns how many bytes of UDP payload one datagram may have now. */
size_t psp_answer_limit_room (PspAnswerLimit * l, int64_t now);

#endif
