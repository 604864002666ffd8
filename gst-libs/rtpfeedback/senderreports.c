/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/senderreports.h>

#include <math.h>
#include <string.h>

/* Bytes of an SR without blocks (RFC 3550 section 6.4.1). */
#define SR_SIZE 28
/* Bytes of the header of an SDES (RFC 3550 section 6.5). */
#define SDES_HEADER_SIZE 4
/* Bytes of a BYE of one stream (RFC 3550 section 6.6). */
#define BYE_SIZE 8
/* ns, 31 years; a longer time is not credible. */
#define MAX_ELAPSED 1e18
/* ns; reports that were due but not taken are offered again. */
#define OFFER_INTERVAL PSP_SECOND
/* ns of media over which a stream's clock is measured. */
#define LEAST_CLOCK_SPAN PSP_SECOND
#define MOST_CLOCK_SPAN (10 * PSP_SECOND)
/* Share of a usual clock rate; a rate that is as near is that one. */
#define CLOCK_TOLERANCE .005

/* Hz; of RFC 3551, and of usual sampling. */
static const uint32_t clock_rates[] = { 8000, 11025, 12000, 16000, 22050, 24000,
  32000, 44100, 48000, 88200, 90000, 96000, 176400, 192000
};

void
psp_sender_reports_init (PspSenderReports * r, const char *cname,
    uint32_t random_seed)
{
  size_t length = cname ? strlen (cname) : 0;

  memset (r, 0, sizeof *r);
  if (length > 0)
    memcpy (r->cname, cname, MIN (length, sizeof r->cname - 1));
  r->first = true;
  r->next_at = PSP_TIME_NEVER;
  r->since = r->round_at = PSP_TIME_UNKNOWN;
  r->random = random_seed ? random_seed : 1;
}

/* Returns the stream's place; a new stream replaces the one that was silent for
 * longest. */
static PspSenderReportsStream *
take_stream (PspSenderReports * r, uint32_t ssrc)
{
  PspSenderReportsStream *s = r->streams;
  unsigned i;

  for (i = 0; i < r->n_streams; i++) {
    if (r->streams[i].ssrc == ssrc)
      return &r->streams[i];
    if (r->streams[i].last_sent_at < s->last_sent_at)
      s = &r->streams[i];
  }
  if (r->n_streams < PSP_MAX_STREAMS)
    s = &r->streams[r->n_streams++];
  memset (s, 0, sizeof *s);
  s->ssrc = ssrc;
  s->anchor_time = PSP_TIME_UNKNOWN;
  return s;
}

/* Returns a random number by Marsaglia's xorshift. */
static uint32_t
next_random (PspSenderReports * r)
{
  r->random ^= r->random << 13;
  r->random ^= r->random >> 17;
  r->random ^= r->random << 5;
  return r->random;
}

void
psp_sender_reports_set_clock_rate (PspSenderReports * r, uint32_t clock_rate)
{
  r->clock_rate = clock_rate;
}

int64_t
psp_sender_reports_next (const PspSenderReports * r, int64_t asked_at)
{
  return r->next_at > asked_at ? r->next_at : asked_at + OFFER_INTERVAL;
}

/* Returns the usual clock rate near this one, or this one. */
static uint32_t
usual_clock_rate (double rate)
{
  for (unsigned i = 0; i < sizeof clock_rates / sizeof *clock_rates; i++)
    if (fabs (rate / clock_rates[i] - 1) < CLOCK_TOLERANCE)
      return clock_rates[i];
  return (uint32_t) (rate + .5);
}

/* Measures the stream's clock by its time stamps and their pipeline time. */
static void
measure_clock (PspSenderReportsStream * s)
{
  int32_t ticks = (int32_t) (s->rtp_timestamp - s->anchor_timestamp);
  int64_t span = s->anchor_time == PSP_TIME_UNKNOWN
      || s->media_time < s->anchor_time ? PSP_TIME_NEVER :
      s->media_time - s->anchor_time;

  if (span < LEAST_CLOCK_SPAN)
    return;
  if (span <= MOST_CLOCK_SPAN && ticks > 0)
    s->clock_rate = usual_clock_rate ((double) ticks * PSP_SECOND
        / (double) span);
  s->anchor_timestamp = s->rtp_timestamp;
  s->anchor_time = s->media_time;
}

void
psp_sender_reports_sent (PspSenderReports * r, const PspRtpHeader * header,
    int64_t media_time, int64_t now)
{
  PspSenderReportsStream *s = take_stream (r, header->ssrc);

  s->packets++;
  s->octets += header->payload_size;
  s->rtp_timestamp = header->timestamp;
  s->media_time = media_time;
  if (media_time != PSP_TIME_UNKNOWN)
    measure_clock (s);
  s->last_sent_at = now;
  r->bye = false;
  if (r->next_at == PSP_TIME_NEVER) {
    r->next_at = now + psp_rtcp_interval (r->first, next_random (r));
    r->since = r->round_at = now;
    r->first = false;
  }
}

/* RFC 3550 section 6.3.8: a stream that sent nothing for two intervals is no
 * longer a sender. */
static void
begin_round (PspSenderReports * r, int64_t now)
{
  bool any = false;
  unsigned i;

  for (i = 0; i < r->n_streams; i++) {
    r->streams[i].pending = r->streams[i].last_sent_at >= r->since;
    any |= r->streams[i].pending;
  }
  r->since = r->round_at;
  r->round_at = now;
  r->next_at = any ?
      now + psp_rtcp_interval (false, next_random (r)) : PSP_TIME_NEVER;
}

static void
begin_bye (PspSenderReports * r)
{
  unsigned i;

  for (i = 0; i < r->n_streams; i++)
    r->streams[i].pending = true;
  r->bye = true;
  r->next_at = PSP_TIME_NEVER;
}

/* Takes a stream that is pending, if its packets fit; it no longer is. Each
 * has a compound of its own, as receivers look for the SSRC in its first
 * packet (rtpbin, which would align one stream only). */
static const PspSenderReportsStream *
take_pending (PspSenderReports * r, bool bye, size_t capacity)
{
  /* A chunk ends with one to four nulls (RFC 3550 section 6.5). */
  size_t chunk = (4 + 2 + strlen (r->cname) + 4) / 4 * 4;

  if (SR_SIZE + SDES_HEADER_SIZE + chunk + (bye ? BYE_SIZE : 0) > capacity)
    return NULL;
  for (unsigned i = 0; i < r->n_streams; i++) {
    if (r->streams[i].pending) {
      r->streams[i].pending = false;
      return &r->streams[i];
    }
  }
  return NULL;
}

/* Returns the seconds from the media time of the last packet until now. If that
 * time is unknown, it counts from when the packet left, which leaves out how
 * long the packet waited. */
static double
elapsed_since (const PspSenderReportsStream * s, int64_t now, int64_t media_now)
{
  double elapsed = (double) (now - s->last_sent_at);

  if (s->media_time != PSP_TIME_UNKNOWN && media_now != PSP_TIME_UNKNOWN)
    elapsed = (double) media_now - (double) s->media_time;
  return MAX (MIN (elapsed, MAX_ELAPSED), -MAX_ELAPSED) / PSP_SECOND;
}

/* Returns the stream's clock in Hz; 0 = unknown. The caps of several streams do
 * not tell which of them they are of. */
static uint32_t
clock_rate_of (const PspSenderReports * r, const PspSenderReportsStream * s)
{
  bool of_caps = r->clock_rate > 0 && (r->n_streams == 1 || s->clock_rate == 0);

  return of_caps ? r->clock_rate : s->clock_rate;
}

static void
write_sr (const PspSenderReports * r, PspWriter * w,
    const PspSenderReportsStream * s, double elapsed, uint64_t ntp)
{
  PspRtcpSenderInfo info = { s->ssrc, ntp, s->rtp_timestamp, s->packets,
    s->octets
  };

  info.rtp_timestamp +=
      (uint32_t) (int64_t) (elapsed * clock_rate_of (r, s));
  psp_rtcp_write_sr (w, &info);
}

size_t
psp_sender_reports_pack (PspSenderReports * r, int64_t now, uint64_t ntp,
    int64_t media_now, bool bye, uint8_t * data, size_t capacity)
{
  const PspSenderReportsStream *s;
  PspWriter w = psp_writer (data, capacity);

  if (bye && !r->bye)
    begin_bye (r);
  else if (!bye && now >= r->next_at)
    begin_round (r, now);
  s = take_pending (r, bye, capacity);
  if (!s)
    return 0;
  write_sr (r, &w, s, elapsed_since (s, now, media_now), ntp);
  psp_rtcp_write_sdes (&w, &s->ssrc, 1, r->cname);
  if (bye)
    psp_rtcp_write_bye (&w, &s->ssrc, 1);
  return w.error ? 0 : w.size;
}

/* Returns true if the request is new and for a stream that is sent. */
static bool
obey (PspSenderReports * r, const PspKeyRequest * request)
{
  for (unsigned i = 0; i < r->n_streams; i++) {
    PspKeyRequest *last = &r->streams[i].last_fir;

    if (r->streams[i].ssrc != request->ssrc)
      continue;
    if (request->kind == PSP_KEY_REQUEST_PLI)
      return true;
    if (last->kind == request->kind && last->source == request->source &&
        last->number == request->number)
      return false;
    *last = *request;
    return true;
  }
  return false;
}

bool
psp_sender_reports_take_key_requests (PspSenderReports * r,
    const uint8_t * data, size_t size)
{
  PspRtcpPacket packet;
  PspKeyRequest request;
  size_t position = 0;
  bool any = false;

  if (!psp_rtcp_validate (data, size))
    return false;
  while (psp_rtcp_next (data, size, &position, &packet))
    for (unsigned i = 0; psp_rtcp_parse_key_request (&packet, i, &request); i++)
      any |= obey (r, &request);
  return any;
}
