/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Sections are those of RFC 2250.
 */
#include "packetizer.h"

#include <stdlib.h>
#include <string.h>

#include "cutter.h"

/* bytes; no sequence header is repeated before longer headers, because both
 * would have to be copied together */
#define MAX_COPIED_HEADERS 2048

/* bytes; the headers of two pictures and what the carry may add: sequence and
 * group headers, and matrices to each picture */
#define MAX_COMPOSED (2 * (MAX_COPIED_HEADERS + M2V_CARRY_MAX_SEQUENCE \
    + M2V_QUANT_MATRIX_MAX_SIZE))

/* number of values of the header's field P, which has three bits */
#define N_TYPES 8

typedef struct
{
  RtpMpegCutter cutter;
  bool composed;                /* headers lie in RtpMpegPacketizer.composed */
  RtpMpegHeader header;         /* fields that all its packets share */
  size_t room;                  /* bytes for payload behind the header */
} Picture;

struct RtpMpegPacketizer
{
  RtpMpegPacketizerSettings settings;
  M2vCarry *carry;
  /* ns; PTS of the last frame with a sequence header */
  int64_t sequence_time;
  /* a sequence header was sent before the next frame */
  bool sequence_ahead;

  /* For N: all that a payload header can say of the last picture of each type,
   * except temporal_reference and flags; all 0 = none yet. */
  uint8_t previous[N_TYPES][RTP_MPEG_HEADER_MAX_SIZE];
  unsigned type;                /* type of the last picture */

  Picture pictures[2];
  unsigned n_pictures;
  unsigned current;
  uint8_t composed[MAX_COMPOSED];
  size_t composed_size;
};

RtpMpegPacketizer *
rtp_mpeg_packetizer_new (void)
{
  RtpMpegPacketizer *p = calloc (1, sizeof *p);

  if (p == NULL)
    return NULL;
  p->carry = m2v_carry_new ();
  if (p->carry == NULL) {
    free (p);
    return NULL;
  }
  p->settings.sequence_interval = M2V_TIME_NONE;
  rtp_mpeg_packetizer_reset (p);
  return p;
}

void
rtp_mpeg_packetizer_free (RtpMpegPacketizer * p)
{
  if (p != NULL)
    m2v_carry_free (p->carry);
  free (p);
}

/* Forgets everything but the sequence header. */
static void
forget (RtpMpegPacketizer * p)
{
  p->sequence_time = M2V_TIME_NONE;
  p->sequence_ahead = false;
  memset (p->previous, 0, sizeof p->previous);
  p->type = M2V_PICTURE_I;
  p->n_pictures = 0;
  p->current = 0;
}

void
rtp_mpeg_packetizer_reset (RtpMpegPacketizer * p)
{
  m2v_carry_reset (p->carry);
  forget (p);
}

void
rtp_mpeg_packetizer_flush (RtpMpegPacketizer * p)
{
  m2v_carry_flush (p->carry);
  forget (p);
}

void
rtp_mpeg_packetizer_learn_sequence (RtpMpegPacketizer * p,
    const M2vPicture * span, const uint8_t * data)
{
  const uint8_t *const pictures[2] = { data, NULL };
  M2vFrame frame = { 0 };

  /* The header is handled as if it had come with a picture that was not
   * sent. */
  frame.n_pictures = 1;
  frame.pictures[0] = *span;
  m2v_carry_drop (p->carry, &frame, pictures);
}

void
rtp_mpeg_packetizer_set (RtpMpegPacketizer * p,
    const RtpMpegPacketizerSettings * settings)
{
  p->settings = *settings;
}

/* True if the header of this picture cannot be made from the header of the
 * previous picture of its type (N, section 3.4). A picture with matrices of its
 * own cannot be rebuilt from another one either. */
static bool
is_new_header (RtpMpegPacketizer * p, const M2vPicture * picture)
{
  uint8_t now[RTP_MPEG_HEADER_MAX_SIZE] = { 0 };
  uint8_t *previous = p->previous[picture->header.type % N_TYPES];
  RtpMpegHeader h;
  bool differs;

  rtp_mpeg_header_from_picture (&h, picture);
  h.temporal_reference = 0;
  h.has_extension = true;
  rtp_mpeg_header_write (&h, now);
  differs = memcmp (previous, now, sizeof now) != 0;
  memcpy (previous, now, sizeof now);
  return differs || picture->quant_matrix.size > 0;
}

/* True if the sequence header is to be repeated before this frame. It may stand
 * before an I picture (13818-2 clause 6.1.1.6), in MPEG-1 only before a group
 * (11172-2 clause 2.4.2.2). */
static bool
sequence_due (const RtpMpegPacketizer * p, const M2vFrame * frame)
{
  const M2vPicture *first = &frame->pictures[0];
  int64_t interval = p->settings.sequence_interval;

  if (interval == M2V_TIME_NONE || !frame->valid || !frame->has_sequence
      || frame->type != M2V_PICTURE_I || first->sequence.size > 0
      || p->sequence_ahead || !(first->mpeg2 || first->group.size > 0))
    return false;
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    if (frame->pictures[i].slices.offset > MAX_COPIED_HEADERS)
      return false;
  }
  return p->sequence_time == M2V_TIME_NONE
      || frame->pts < p->sequence_time
      || (uint64_t) frame->pts - (uint64_t) p->sequence_time
      >= (uint64_t) interval;
}

/* Returns the picture to whose headers a literal piece is added, before or
 * between them; n = none. */
static unsigned
owner (const M2vPiece * pieces, unsigned n, unsigned i)
{
  while (i < n && pieces[i].literal)
    i++;
  return i < n ? pieces[i].picture : n;
}

static bool
append (RtpMpegPacketizer * p, const uint8_t * data, size_t size)
{
  if (size > MAX_COMPOSED - p->composed_size)
    return false;
  memcpy (p->composed + p->composed_size, data, size);
  p->composed_size += size;
  return true;
}

/* Copies a picture's headers together with what the carry has added to them;
 * all other bytes stay in the span. Returns false if nothing was added.
 * Matrices among the headers make a new header. */
static bool
compose_headers (RtpMpegPacketizer * p, unsigned which, const uint8_t * data,
    size_t headers_size, const M2vPiece * pieces, unsigned n)
{
  bool added = false, begun = false;

  for (unsigned i = 0; i < n; i++)
    added |= pieces[i].literal && owner (pieces, n, i) == which;
  for (unsigned i = 0; added && i < n; i++) {
    const M2vPiece *piece = &pieces[i];

    if (owner (pieces, n, i) != which)
      continue;
    if (piece->literal) {
      added = append (p, piece->literal, piece->size);
      p->pictures[which].header.new_header |= begun;
    } else if (piece->offset < headers_size) {
      size_t left = headers_size - piece->offset;

      begun = true;
      added = append (p, data + piece->offset,
          piece->size < left ? piece->size : left);
    }
  }
  return added;
}

/* Returns where the ES headers of a span of any kind end. */
static size_t
find_headers_end (const M2vPicture * span)
{
  if (span->slices.size > 0)
    return span->slices.offset;
  if (span->headers.size > 0)
    return span->headers.offset + span->headers.size;
  if (span->group.size > 0)
    return span->group.offset + span->group.size;
  return span->sequence.offset + span->sequence.size;
}

static void
set_header (RtpMpegPacketizer * p, RtpMpegHeader * h, const M2vFrame * frame,
    const M2vPicture * picture)
{
  if (frame->valid) {
    rtp_mpeg_header_from_picture (h, picture);
    h->has_extension = p->settings.extension_header && picture->mpeg2;
    h->new_header = picture->mpeg2 && is_new_header (p, picture);
    p->type = h->type;
    return;
  }
  memset (h, 0, sizeof *h);
  h->temporal_reference = frame->temporal_reference;
  h->type = frame->type != 0 ? frame->type : p->type;
}

/* Returns the bytes for payload behind this header. The largest ES header must
 * fit (section 3.1). */
static size_t
room_behind (const RtpMpegPacketizer * p, const RtpMpegHeader * h)
{
  uint8_t header[RTP_MPEG_HEADER_MAX_SIZE];
  size_t header_size = rtp_mpeg_header_write (h, header);

  if (p->settings.max_payload < header_size + RTP_MPEG_MIN_PAYLOAD)
    return RTP_MPEG_MIN_PAYLOAD;
  return p->settings.max_payload - header_size;
}

static void
set_picture (RtpMpegPacketizer * p, unsigned which, const M2vFrame * frame,
    const uint8_t * data, const M2vPiece * pieces, unsigned n)
{
  Picture *picture = &p->pictures[which];
  const M2vPicture *from = &frame->pictures[which];
  size_t headers_size = find_headers_end (from);
  size_t slices_end = headers_size + from->slices.size;
  size_t begin = p->composed_size;

  set_header (p, &picture->header, frame, from);
  picture->room = room_behind (p, &picture->header);
  picture->composed = compose_headers (p, which, data, headers_size, pieces, n);
  if (picture->composed)
    rtp_mpeg_cutter_init (&picture->cutter, p->composed + begin,
        p->composed_size - begin, data, headers_size, slices_end, from->size);
  else
    rtp_mpeg_cutter_init (&picture->cutter, data, headers_size, data,
        headers_size, slices_end, from->size);
}

void
rtp_mpeg_packetizer_begin (RtpMpegPacketizer * p, const M2vFrame * frame,
    const uint8_t * const data[2])
{
  M2vPiece pieces[M2V_CARRY_MAX_PIECES];
  bool has_sequence = frame->pictures[0].sequence.size > 0;
  unsigned n;

  if (sequence_due (p, frame))
    m2v_carry_repeat_sequence (p->carry);
  n = m2v_carry_emit (p->carry, frame, data, pieces);
  p->composed_size = 0;
  for (unsigned i = 0; i < frame->n_pictures; i++)
    set_picture (p, i, frame, data[i], pieces, n);
  p->n_pictures = frame->n_pictures;
  p->current = 0;

  if (!frame->valid) {
    p->sequence_ahead |= has_sequence;
    return;
  }
  if (has_sequence || p->sequence_ahead || p->pictures[0].composed)
    p->sequence_time = frame->pts;
  p->sequence_ahead = false;
}

static bool
find_picture (RtpMpegPacketizer * p)
{
  while (p->current < p->n_pictures
      && rtp_mpeg_cutter_is_done (&p->pictures[p->current].cutter))
    p->current++;
  return p->current < p->n_pictures;
}

bool
rtp_mpeg_packetizer_next (RtpMpegPacketizer * p, RtpMpegPacket * packet)
{
  Picture *picture;
  RtpMpegHeader h;
  RtpMpegCut cut;

  if (!find_picture (p))
    return false;
  picture = &p->pictures[p->current];
  h = picture->header;
  if (!rtp_mpeg_cutter_next (&picture->cutter, picture->room, &cut))
    return false;
  h.sequence = cut.sequence;
  h.begin_slice = cut.begin_slice;
  h.end_slice = cut.end_slice;

  packet->header_size = rtp_mpeg_header_write (&h, packet->header);
  packet->prefix = NULL;
  packet->prefix_size = 0;
  packet->picture = p->current;
  packet->range = cut.body;
  if (cut.headers.size > 0) {
    if (picture->composed) {
      packet->prefix = picture->cutter.headers + cut.headers.offset;
      packet->prefix_size = cut.headers.size;
    } else {
      packet->range.offset = cut.headers.offset;
      packet->range.size += cut.headers.size;
    }
  }
  packet->marker = !find_picture (p);
  return true;
}
