/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/receiver.h>

#include <stdlib.h>

#include <rtpfeedback/keyrequests.h>
#include <rtpfeedback/nacks.h>
#include <rtpfeedback/twccreports.h>

/* Bytes. A smaller packet cannot hold one report. */
#define MIN_RTCP_SIZE 64
#define RR_SIZE 8               /* bytes without report blocks */
/* bytes of at most one chunk without the name */
#define SDES_SIZE 14
#define BYE_SIZE 8              /* bytes of a BYE with one SSRC */
/* RFC 3550 section 6.3.5: a member that is silent for five intervals is
 * gone. */
#define GONE_AFTER (25 * PSP_SECOND)
/* A stream that was silent for as long may be replaced. */
#define STREAM_IN_USE PSP_SECOND

struct PspReceiver
{
  uint32_t ssrc;
  char cname[PSP_RTCP_MAX_CNAME + 1];
  uint32_t clock_rate;
  uint64_t random;
  bool feedback_alone;

  PspReporting reporting;
  PspNacks nacks;
  /* when the next regular report is due, or PSP_TIME_NEVER */
  int64_t rr_at;
  bool rr_sent;

  PspCounts counts;
  uint64_t feedback_bytes;
  uint64_t rtcp_received, rtcp_malformed;

  unsigned n_streams;
  PspStream streams[PSP_MAX_STREAMS];
  PspTwccReports *wide;         /* NULL = reports are by SSRC */
};

PspReceiver *
psp_receiver_new (const PspReceiverConfig * config)
{
  PspReceiver *r = calloc (1, sizeof *r);
  size_t length = config->cname ? strlen (config->cname) : 0;

  if (!r)
    return NULL;
  r->ssrc = config->ssrc;
  if (length > 0)
    memcpy (r->cname, config->cname, MIN (length, PSP_RTCP_MAX_CNAME));
  r->clock_rate = config->clock_rate;
  r->random = config->random_seed;
  r->feedback_alone = config->feedback_alone;
  r->rr_at = PSP_TIME_NEVER;
  psp_nacks_init (&r->nacks);
  psp_reporting_init (&r->reporting, config->feedback_interval,
      config->floor_interval > 0 ? config->floor_interval :
      PSP_RECEIVER_FLOOR_INTERVAL,
      config->max_rtcp_size <
      MIN_RTCP_SIZE ? MIN_RTCP_SIZE : config->max_rtcp_size);
  return r;
}

void
psp_receiver_free (PspReceiver * r)
{
  if (r)
    free (r->wide);
  free (r);
}

void
psp_receiver_set_feedback_interval (PspReceiver * r, int64_t interval)
{
  r->reporting.interval = interval;
}

void
psp_receiver_set_clock_rate (PspReceiver * r, uint32_t clock_rate)
{
  if (r->clock_rate == clock_rate)
    return;
  r->clock_rate = clock_rate;
  for (unsigned i = 0; i < r->n_streams; i++)
    psp_stream_reset_jitter (&r->streams[i]);
}

/* SplitMix64. Random values need only differ between receivers. */
static uint32_t
next_random (PspReceiver * r)
{
  uint64_t z = r->random += UINT64_C (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C (0x94d049bb133111eb);
  return (uint32_t) (z >> 32);
}

static PspStream *
find_stream (PspReceiver * r, uint32_t ssrc)
{
  for (unsigned i = 0; i < r->n_streams; i++) {
    if (r->streams[i].ssrc == ssrc)
      return &r->streams[i];
  }
  return NULL;
}

/* Returns a free place, or that of the stream that was silent for longest; NULL
 * = all are in use. If streams took turns in one place, none would be
 * reported. */
static PspStream *
add_stream (PspReceiver * r, const PspRtpHeader * header, int64_t now)
{
  PspStream *s = &r->streams[0];

  if (r->n_streams < PSP_MAX_STREAMS) {
    s = &r->streams[r->n_streams++];
  } else {
    for (unsigned i = 1; i < r->n_streams; i++) {
      if (r->streams[i].last_arrival < s->last_arrival)
        s = &r->streams[i];
    }
    if (now - s->last_arrival < STREAM_IN_USE)
      return NULL;
  }
  psp_stream_init (s, header, now);
  return s;
}

/* Counts a packet and its payload, which earns feedback. */
static void
count (PspReceiver * r, uint64_t packets, uint64_t bytes, uint64_t payload)
{
  r->counts.packets += packets;
  r->counts.bytes += bytes;
  r->counts.payload_bytes += payload;
  psp_reporting_earn (&r->reporting, payload);
  psp_nacks_earn (&r->nacks, payload);
}

static const PspStream *
reported_streams (const PspReceiver * r, unsigned *n)
{
  *n = r->wide ? 1 : r->n_streams;
  return r->wide ? &r->wide->stream : r->streams;
}

static void
note_throttled (PspReceiver * r, int64_t now)
{
  unsigned n;
  const PspStream *streams = reported_streams (r, &n);

  psp_reporting_note_throttled (&r->reporting, streams, n, now);
}

PspReceiverResult
psp_receiver_packet (PspReceiver * r, const PspRtpHeader * header, uint8_t ecn,
    int64_t arrived_at)
{
  PspArrival arrival = { *header, arrived_at, ecn };
  PspStream *s = find_stream (r, header->ssrc);
  PspReceiverResult result;
  PspCounts before;

  /* RFC 3550 section 8.2: the other participant used the SSRC first. */
  if (header->ssrc == r->ssrc)
    r->ssrc = next_random (r);
  if (!s)
    s = add_stream (r, header, arrived_at);
  if (r->rr_at == PSP_TIME_NEVER && !r->feedback_alone)
    r->rr_at = arrived_at + psp_rtcp_interval (!r->rr_sent, next_random (r));

  if (!s) {
    count (r, 1, header->size, header->payload_size);
    return PSP_RECEIVER_OK;
  }
  before = s->counts;
  result = psp_stream_packet (s, &arrival, r->clock_rate);
  count (r, s->counts.packets - before.packets, s->counts.bytes - before.bytes,
      s->counts.payload_bytes - before.payload_bytes);
  note_throttled (r, arrived_at);
  return result;
}

bool
psp_receiver_open_transport_numbers (PspReceiver * r)
{
  if (!r->wide)
    r->wide = calloc (1, sizeof *r->wide);
  return r->wide != NULL;
}

void
psp_receiver_transport_number (PspReceiver * r, const PspRtpHeader * header,
    uint16_t number, int64_t arrived_at)
{
  if (!r->wide)
    return;
  psp_twcc_reports_packet (r->wide, header, number, arrived_at);
  note_throttled (r, arrived_at);
}

void
psp_receiver_forget_transport_numbers (PspReceiver * r)
{
  free (r->wide);
  r->wide = NULL;
}

/* Each known stream is listed only once, so that `byes` has room for all. */
static unsigned
list_bye (PspReceiver * r, uint32_t ssrc, uint32_t * byes, unsigned n)
{
  const PspStream *s = find_stream (r, ssrc);

  if (!s || s->bye_at != PSP_TIME_UNKNOWN)
    return n;
  for (unsigned i = 0; i < n; i++)
    if (byes[i] == ssrc)
      return n;
  byes[n] = ssrc;
  return n + 1;
}

/* True for our own packet, which comes back through a loop or from a
 * multicast group. */
static bool
is_own (const PspReceiver * r, const uint8_t * data, size_t size)
{
  PspReader reader = psp_reader (data, size);

  psp_read_u32 (&reader);
  return psp_read_u32 (&reader) == r->ssrc && !reader.error;
}

unsigned
psp_receiver_rtcp (PspReceiver * r, const uint8_t * data, size_t size,
    int64_t now, uint32_t byes[PSP_MAX_STREAMS])
{
  PspRtcpPacket packet;
  PspRtcpSenderInfo info;
  PspStream *s;
  uint32_t ssrc;
  size_t position = 0;
  unsigned n_byes = 0;

  if (!psp_rtcp_validate (data, size)) {
    r->rtcp_malformed++;
    return 0;
  }
  if (is_own (r, data, size))
    return 0;
  r->rtcp_received++;
  while (psp_rtcp_next (data, size, &position, &packet)) {
    if (psp_rtcp_parse_sr (&packet, &info) && (s = find_stream (r, info.ssrc)))
      psp_stream_sender_report (s, info.ntp, now);
    for (unsigned i = 0; psp_rtcp_parse_bye (&packet, i, &ssrc); i++)
      n_byes = list_bye (r, ssrc, byes, n_byes);
  }
  return n_byes;
}

void
psp_receiver_end_stream (PspReceiver * r, uint32_t ssrc, int64_t at)
{
  PspStream *s = find_stream (r, ssrc);

  if (s)
    s->bye_at = at;
}

bool
psp_receiver_request_key (PspReceiver * r, const uint32_t * ssrc,
    bool all_headers, int64_t now)
{
  return r->reporting.interval > 0 &&
      psp_key_requests_add (r->streams, r->n_streams, ssrc,
      all_headers ? PSP_KEY_REQUEST_FIR : PSP_KEY_REQUEST_PLI, now);
}

bool
psp_receiver_request_packet (PspReceiver * r, const uint32_t * ssrc,
    uint16_t number, int64_t interval, int64_t now)
{
  return r->reporting.interval > 0 && psp_nacks_add (r->streams, r->n_streams,
      ssrc, number, interval, now);
}

int64_t
psp_receiver_next (const PspReceiver * r, int64_t now)
{
  unsigned n;
  const PspStream *streams = reported_streams (r, &n);
  int64_t feedback_at = psp_reporting_next (&r->reporting, streams, n);
  int64_t request_at = MIN (psp_key_requests_next (r->streams, r->n_streams),
      psp_nacks_next (&r->nacks, r->streams, r->n_streams, now));

  if (r->reporting.interval <= 0)
    return PSP_TIME_NEVER;
  return MIN (MIN (feedback_at, request_at), r->rr_at);
}

/* Returns true if a sender is present to read a regular report. */
static bool
is_active (const PspReceiver * r, int64_t now)
{
  for (unsigned i = 0; i < r->n_streams; i++) {
    const PspStream *s = &r->streams[i];

    if (s->bye_at == PSP_TIME_UNKNOWN && now - s->last_arrival < GONE_AFTER)
      return true;
  }
  return false;
}

/* Writes an RR with a block for each stream heard since the last RR (RFC 3550
 * section 6.4), as many as fit, and an SDES. */
static void
write_regular (PspReceiver * r, int64_t now, PspWriter * w)
{
  PspRtcpReportBlock blocks[PSP_MAX_STREAMS];
  size_t size = RR_SIZE + SDES_SIZE + strlen (r->cname);
  unsigned n = 0;

  for (unsigned i = 0; i < r->n_streams; i++) {
    PspStream *s = &r->streams[i];

    if (s->bye_at != PSP_TIME_UNKNOWN || !psp_stream_heard (s))
      continue;
    size += PSP_RTCP_BLOCK_SIZE;
    if (size > w->capacity)
      break;
    psp_stream_report_block (s, now, &blocks[n++]);
  }
  psp_rtcp_write_rr (w, r->ssrc, blocks, n);
  psp_rtcp_write_sdes (w, &r->ssrc, 1, r->cname);
}

static PspWriter
make_writer (const PspReceiver * r, uint8_t * data, size_t capacity)
{
  return psp_writer (data, capacity < r->reporting.max_size ? capacity :
      r->reporting.max_size);
}

/* Accounts for what has been written and returns its size; 0 = it did not
 * fit. */
static size_t
finish (PspReceiver * r, const PspWriter * w)
{
  if (w->error)
    return 0;
  r->feedback_bytes += w->size;
  return w->size;
}

size_t
psp_receiver_pack (PspReceiver * r, int64_t now, uint64_t ntp, uint8_t * data,
    size_t capacity)
{
  PspWriter w = make_writer (r, data, capacity);
  bool regular = false;
  size_t size;

  if (r->reporting.interval <= 0)
    return 0;
  note_throttled (r, now);
  if (r->rr_at <= now && !is_active (r, now)) {
    r->rr_at = PSP_TIME_NEVER;  /* wait until a packet arrives */
  } else if (r->rr_at <= now) {
    r->rr_at = now + psp_rtcp_interval (false, next_random (r));
    write_regular (r, now, &w);
    regular = !w.error;
    if (regular)
      psp_reporting_spend (&r->reporting, w.size);
    else
      w = make_writer (r, data, capacity);
    r->rr_sent |= regular;
  }
  psp_nacks_pack (&r->nacks, r->streams, r->n_streams, r->ssrc, now, &w);
  size = w.size;
  psp_key_requests_pack (r->streams, r->n_streams, r->ssrc, now, &w);
  psp_reporting_spend (&r->reporting, w.size - size);
  if (r->wide)
    psp_twcc_reports_pack (r->wide, &r->reporting, regular, r->ssrc, now, &w);
  else
    psp_reporting_pack (&r->reporting, r->streams, r->n_streams, regular,
        r->ssrc, now, (uint32_t) (ntp >> 16), &w);
  return finish (r, &w);
}

size_t
psp_receiver_pack_bye (PspReceiver * r, int64_t now, uint64_t ntp,
    uint8_t * data, size_t capacity)
{
  PspWriter w = make_writer (r, data, capacity);

  (void) ntp;
  /* RFC 3550 section 6.3.7: a participant that never sent anything sends no
   * BYE. */
  if (r->reporting.interval <= 0 || !(r->rr_sent || r->reporting.n_sent) ||
      w.capacity < BYE_SIZE)
    return 0;
  w.capacity -= BYE_SIZE;
  write_regular (r, now, &w);
  w.capacity += BYE_SIZE;
  psp_rtcp_write_bye (&w, &r->ssrc, 1);
  r->rr_at = PSP_TIME_NEVER;
  return finish (r, &w);
}

static void
fill_stream_stats (const PspStream * s, PspReceiverStreamStats * stats)
{
  stats->ssrc = s->ssrc;
  stats->packets = s->counts.packets;
  stats->bytes = s->counts.bytes;
  stats->payload_bytes = s->counts.payload_bytes;
  stats->expected = psp_stream_expected (s);
  stats->lost = psp_stream_lost (s);
  stats->duplicates = s->duplicates;
  stats->reordered = s->reordered;
  stats->jitter = psp_stream_jitter (s);
  stats->bye = s->bye_at != PSP_TIME_UNKNOWN;
}

void
psp_receiver_stats (const PspReceiver * r, PspReceiverStats * stats)
{
  memset (stats, 0, sizeof *stats);
  stats->packets = r->counts.packets;
  stats->bytes = r->counts.bytes;
  stats->payload_bytes = r->counts.payload_bytes;
  stats->feedback_sent = r->reporting.n_sent;
  stats->feedback_bytes = r->feedback_bytes;
  stats->feedback_throttled = r->reporting.n_throttled;
  stats->packets_requested = r->nacks.n_asked;
  stats->rtcp_received = r->rtcp_received;
  stats->rtcp_malformed = r->rtcp_malformed;
  stats->n_streams = r->n_streams;
  for (unsigned i = 0; i < r->n_streams; i++)
    fill_stream_stats (&r->streams[i], &stats->streams[i]);
}
