/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/twccreports.h>

#include <rtpfeedback/twccwriter.h>

void
psp_twcc_reports_packet (PspTwccReports * t, const PspRtpHeader * header,
    uint16_t number, int64_t arrived_at)
{
  PspArrival arrival = { *header, arrived_at, 0 };

  arrival.header.seq = number;
  if (!t->begun)
    psp_stream_init (&t->stream, &arrival.header, arrived_at);
  t->begun = true;
  t->media_ssrc = header->ssrc;
  psp_stream_packet (&t->stream, &arrival, 0);
}

/* Returns how many packets a report of this size can have. */
static unsigned
count_fitting (size_t size)
{
  unsigned n = 0;

  while (n < PSP_TWCC_MAX_WRITTEN && PSP_TWCC_SIZE ((size_t) n + 1) <= size)
    n++;
  return n;
}

/* Returns the first number from this one on that arrived. The highest
 * number arrived. */
static int64_t
first_arrived (const PspStream * s, int64_t number)
{
  bool arrived = false;
  int64_t at;

  for (; number < s->highest; number++) {
    psp_stream_arrival (s, number, &arrived, &at);
    if (arrived)
      break;
  }
  return number;
}

/* Finds the range for a report of at most n packets. Returns false if
 * there is no room. */
static bool
find_range (const PspStream * s, unsigned n, unsigned n_paid, int64_t * first,
    int64_t * last)
{
  PspStreamRange range;
  int64_t required;

  psp_stream_range (s, &range);
  *first = range.fresh;
  /* Unreported packets may have left the window. A gap that alone fills a
   * report is not reported. */
  required = first_arrived (s, range.required);
  if (required - range.fresh >= n)
    *first = required;
  *last = MIN (s->highest, *first + n - 1);
  /* If that is not paid for, only the newest packets are reported. */
  if (*last - *first >= n_paid) {
    *last = s->highest;
    *first = *last - MIN (n, n_paid) + 1;
  }
  return *first <= *last;
}

/* Writes a report on these packets. Returns the last one that it covers. */
static int64_t
write (const PspTwccReports * t, uint32_t ssrc, int64_t first, int64_t last,
    PspWriter * w)
{
  PspTwccPacket packets[PSP_TWCC_MAX_WRITTEN];
  unsigned n = 0;

  for (int64_t number = first; number <= last; number++, n++) {
    packets[n].seq = (uint16_t) number;
    psp_stream_arrival (&t->stream, number, &packets[n].received,
        &packets[n].arrived_at);
  }
  n = psp_twcc_write (w, ssrc, t->media_ssrc, t->count, packets, n);
  return first + n - 1;
}

bool
psp_twcc_reports_pack (PspTwccReports * t, PspReporting * f, bool early,
    uint32_t ssrc, int64_t now, PspWriter * w)
{
  size_t room = psp_reporting_room (f, &t->stream, 1, early, now);
  size_t size = w->size;
  int64_t first, last, written;
  unsigned n_paid;

  if (room == 0 || t->stream.n_unreported == 0)
    return false;
  /* A report that is paid for in the size of a CCFB may take some bytes
   * more. The next report has to earn these. */
  n_paid = psp_reporting_is_paid (f, &t->stream, 1) ? PSP_TWCC_MAX_WRITTEN :
      count_fitting (room);
  if (!find_range (&t->stream, count_fitting (w->capacity - w->size), n_paid,
          &first, &last))
    return false;
  written = write (t, ssrc, first, last, w);
  if (written < first)
    return false;
  psp_stream_reported (&t->stream, written);
  psp_reporting_left (f, w->size - size, now);
  t->count++;
  return true;
}
