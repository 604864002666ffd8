/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/answerlimit.h>

#include <string.h>

/* Bytes of IPv4 and UDP headers, counted for what came. The bound holds
 * for IPv6 too, because its longer headers count only for what left. */
#define HEADERS_CAME 28
/* Bytes of IPv6 and UDP headers, counted for what left. */
#define HEADERS_LEFT 48

void
psp_answer_limit_init (PspAnswerLimit * l)
{
  memset (l, 0, sizeof *l);
}

/* Empties the slots of the seconds that passed, and returns the newest one. */
static unsigned
turn (PspAnswerLimit * l, int64_t now)
{
  int64_t second = now / PSP_SECOND;

  if (second - l->second >= PSP_ANSWER_LIMIT_SECONDS)
    psp_answer_limit_init (l);
  else
    while (l->second < second) {
      unsigned slot = (unsigned) (++l->second % PSP_ANSWER_LIMIT_SECONDS);

      l->came[slot] = l->left[slot] = 0;
    }
  if (l->second < second)
    l->second = second;
  return (unsigned) (l->second % PSP_ANSWER_LIMIT_SECONDS);
}

void
psp_answer_limit_came (PspAnswerLimit * l, size_t size, int64_t now)
{
  l->came[turn (l, now)] += size + HEADERS_CAME;
}

void
psp_answer_limit_left (PspAnswerLimit * l, size_t size, int64_t now)
{
  l->left[turn (l, now)] += size + HEADERS_LEFT;
}

size_t
psp_answer_limit_room (PspAnswerLimit * l, int64_t now)
{
  uint64_t came = 0, left = HEADERS_LEFT;

  turn (l, now);
  for (unsigned i = 0; i < PSP_ANSWER_LIMIT_SECONDS; i++) {
    came += l->came[i];
    left += l->left[i];
  }
  return came > left ? (size_t) (came - left) : 0;
}
