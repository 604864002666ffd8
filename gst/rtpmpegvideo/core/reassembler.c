/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "reassembler.h"

#include <stdlib.h>
#include <string.h>

#include "kept.h"
#include <startcode/startcode.h>

/* packets; if a sequence number goes back further, the sender has begun anew
 * (RFC 3550 appendix A.1: MAX_MISORDER) */
#define MAX_LATE 100
/* packets; if a sequence number is further ahead, the sender has begun anew
 * (RFC 3550 appendix A.1: MAX_DROPOUT) */
#define MAX_AHEAD 3000

/* stands for an unknown number of missing packets */
#define UNKNOWN 0x10000

struct RtpMpegReassembler
{
  RtpMpegReassemblerStats stats;

  bool started;
  uint16_t next_seq;
  /* packets missing right before the current one */
  unsigned gap;
  /* packets missing since the kept data ended */
  unsigned missing;
  /* pictures may be lost since the kept data ended */
  bool pictures_lost;
  bool sends_markers;

  /* The members up to `timestamp` describe the current frame. */
  bool open;
  bool fresh;                   /* nothing of the frame has been kept yet */
  bool damaged;
  bool discont;
  bool lost_before;             /* discont of the next frame */
  uint32_t timestamp;

  RtpMpegKept kept;
  size_t held;                  /* bytes of memory of the frame's payloads */
  bool synced;                  /* the next payload continues the kept data */
  /* a header at the end of the last payload is whole */
  bool whole_headers;
  /* a slice at the end of the last payload is whole */
  bool whole_slice;
  uint8_t rebuilt[RTP_MPEG_REBUILT_MAX_SIZE];
};

RtpMpegReassembler *
rtp_mpeg_reassembler_new (void)
{
  RtpMpegReassembler *r = malloc (sizeof *r);

  if (r)
    rtp_mpeg_reassembler_reset (r);
  return r;
}

void
rtp_mpeg_reassembler_free (RtpMpegReassembler * r)
{
  free (r);
}

void
rtp_mpeg_reassembler_reset (RtpMpegReassembler * r)
{
  memset (r, 0, sizeof *r);
  r->lost_before = true;
  rtp_mpeg_kept_init (&r->kept);
}

void
rtp_mpeg_reassembler_flush (RtpMpegReassembler * r)
{
  rtp_mpeg_kept_clear (&r->kept);
  r->held = 0;
  r->started = false;
  r->open = false;
  r->synced = false;
  r->lost_before = true;
}

const M2vSequence *
rtp_mpeg_reassembler_sequence (const RtpMpegReassembler * r)
{
  return r->kept.has_sequence ? &r->kept.sequence : NULL;
}

void
rtp_mpeg_reassembler_stats (const RtpMpegReassembler * r,
    RtpMpegReassemblerStats * stats)
{
  *stats = r->stats;
}

static void
sync (RtpMpegReassembler * r)
{
  r->synced = true;
  r->missing = 0;
  if (r->pictures_lost)
    rtp_mpeg_rebuilder_doubt (&r->kept.rebuilder);
  r->pictures_lost = false;
}

/* Ends the kept data, because the next payload does not continue it. */
static void
unsync (RtpMpegReassembler * r, RtpMpegDelivery * out)
{
  if (r->synced)
    out->cut = rtp_mpeg_kept_break (&r->kept, r->whole_headers,
        r->whole_slice, &out->pad);
  r->synced = false;
  r->damaged = true;
}

static void
open_frame (RtpMpegReassembler * r, uint32_t timestamp)
{
  r->open = true;
  r->fresh = true;
  r->damaged = false;
  r->discont = r->lost_before;
  r->lost_before = false;
  r->timestamp = timestamp;
}

/* Ends the frame. Headers without a picture are kept for the next frame, unless
 * they take too much memory. */
static void
close_frame (RtpMpegReassembler * r, bool last, RtpMpegDelivery * out)
{
  RtpMpegKept *k = &r->kept;
  bool begun, useless;

  if (r->damaged)
    out->cut += rtp_mpeg_kept_drop_bare_picture (k);
  begun = k->n_pictures > 0 || k->picture.n_slices > 0;
  useless = k->size == 0 || (!k->has_sequence && (begun || last)) ||
      (!begun && r->held > RTP_MPEG_MAX_HEADERS);
  r->open = false;
  out->deliver = !useless && (begun || last);
  if (out->deliver) {
    out->damaged = r->damaged;
    out->discont = r->discont;
    out->intra = k->type == M2V_PICTURE_I;
    r->stats.frames++;
    r->stats.damaged_frames += r->damaged;
  } else {
    r->lost_before = r->lost_before || r->discont || r->damaged;
    if (useless) {
      out->cut += k->size - out->pad;
      out->pad = 0;
    }
  }
  if (out->deliver || useless) {
    rtp_mpeg_kept_clear (k);
    r->held = 0;
  }
}

static bool
is_field (const RtpMpegKeptPicture * p)
{
  return p->has_coding && p->coding.structure != M2V_FRAME_PICTURE;
}

/* Begins another frame at a header after a gap, even if the time stamp is the
 * same, unless it is the header of the second field. */
static void
begin_after_gap (RtpMpegReassembler * r, unsigned code, RtpMpegDelivery * out)
{
  const RtpMpegKept *k = &r->kept;
  const RtpMpegKeptPicture *p = &k->picture;

  if (k->n_pictures == 0 || (code == M2V_CODE_PICTURE && k->n_pictures == 1 &&
          p->known && is_field (p)))
    return;
  close_frame (r, false, out);
  open_frame (r, r->timestamp);
}

static bool
same_picture (const RtpMpegKeptPicture * p, const RtpMpegHeader * h)
{
  return h->type == p->header.type &&
      h->temporal_reference == p->header.temporal_reference &&
      !(h->has_extension && p->has_coding &&
      h->coding.structure != p->coding.structure);
}

/* True if a slice after a gap belongs to the picture that is being kept. */
static bool
belongs (RtpMpegReassembler * r, const RtpMpegHeader * h, unsigned code)
{
  RtpMpegKeptPicture *p = &r->kept.picture;
  unsigned row = rtp_mpeg_kept_row (&r->kept, code);

  if (!p->known || (h->type != 0 && !same_picture (p, h)))
    return false;
  if (row < p->row) {
    p->known = false;           /* another picture has begun */
    return false;
  }
  if (!is_field (p) || h->has_extension)
    return true;
  /* The payload headers of two fields may be the same. A single packet does not
   * hold both the end of the first field and the header of the second. */
  return row > p->row && (h->type == 0 || r->missing <= 1);
}

/* Rebuilds a lost picture header from the payload header. Returns true if it
 * did. */
static bool
rebuild (RtpMpegReassembler * r, const RtpMpegHeader * h,
    RtpMpegReassembly * out)
{
  RtpMpegKept *k = &r->kept;
  size_t size;

  if (k->n_pictures > 0 && (!k->picture.known || same_picture (&k->picture, h)))
    return false;
  size = rtp_mpeg_rebuild (&k->rebuilder, h, k->sequence.mpeg2, r->missing,
      r->rebuilt);
  if (size == 0)
    return false;
  begin_after_gap (r, M2V_CODE_PICTURE, &out->before);
  rtp_mpeg_kept_append (k, r->rebuilt, size);
  out->rebuilt.literal = r->rebuilt;
  out->rebuilt.size = size;
  r->damaged = true;
  r->stats.rebuilt_headers++;
  return true;
}

/* Returns where intact data that can be decoded begins after a gap; size =
 * nowhere. */
static size_t
resync (RtpMpegReassembler * r, const RtpMpegHeader * h, const uint8_t * data,
    size_t size, RtpMpegReassembly * out)
{
  const RtpMpegKept *k = &r->kept;

  for (size_t at = start_code_find (data, size, 0); at < size;
      at = start_code_find (data, size, at + 3)) {
    unsigned code = data[at + 3];

    if (code != M2V_CODE_SEQUENCE && !k->has_sequence && !k->has_next_sequence)
      continue;
    if (m2v_code_is_slice (code)) {
      if (!belongs (r, h, code) && !rebuild (r, h, out))
        continue;
    } else if (code == M2V_CODE_SEQUENCE || code == M2V_CODE_GROUP ||
        code == M2V_CODE_PICTURE) {
      begin_after_gap (r, code, &out->before);
    } else if (code != M2V_CODE_SEQUENCE_END) {
      continue;
    }
    sync (r);
    return at;
  }
  return size;
}

static void
note_gap (RtpMpegReassembler * r, unsigned n)
{
  r->gap = r->gap + n < UNKNOWN ? r->gap + n : UNKNOWN;
}

/* Counts the packets missing before this one. Returns false for a packet that
 * comes late or twice. */
static bool
take_seq (RtpMpegReassembler * r, const RtpMpegArrival * arrival)
{
  int ahead = (int16_t) (arrival->seq - r->next_seq);

  if (!r->started || arrival->discont || ahead < -MAX_LATE || ahead > MAX_AHEAD) {
    note_gap (r, UNKNOWN);
  } else if (ahead < 0) {
    return false;
  } else {
    r->stats.lost += ahead;
    note_gap (r, ahead);
  }
  r->started = true;
  r->next_seq = arrival->seq + 1;
  return true;
}

/* Handles the packets that are missing right before this one. */
static void
take_gap (RtpMpegReassembler * r, const RtpMpegHeader * h, bool new_frame,
    RtpMpegDelivery * out)
{
  const RtpMpegKeptPicture *p = &r->kept.picture;

  if (r->gap == 0)
    return;
  if (!r->open || new_frame || !p->known || is_field (p) ||
      !same_picture (p, h))
    r->pictures_lost = true;
  r->missing = r->missing + r->gap < UNKNOWN ? r->missing + r->gap : UNKNOWN;
  /* A single packet may have been the end of the frame before or the beginning
   * of this one, but not a whole frame. */
  if (!r->open || (new_frame && r->gap > 1))
    r->lost_before = true;
  unsync (r, out);
  r->gap = 0;
}

/* Appends the usable bytes behind the payload header. */
static void
take_payload (RtpMpegReassembler * r, const RtpMpegHeader * h,
    const uint8_t * data, size_t size, RtpMpegReassembly * out)
{
  size_t from = size, cost = size + RTP_MPEG_PAYLOAD_COST;

  if (r->held + cost > RTP_MPEG_MAX_HELD) {
    unsync (r, &out->before);
    r->missing = UNKNOWN;
  } else {
    from = r->synced ? 0 : resync (r, h, data, size, out);
  }
  if (from > 0)
    r->damaged = true;
  if (from == size) {
    r->stats.left_out++;
    return;
  }
  r->held += cost;
  out->begins = r->fresh;
  r->fresh = false;
  out->keep.offset = from;
  out->keep.size = size - from;
  rtp_mpeg_kept_append (&r->kept, data + from, size - from);
}

void
rtp_mpeg_reassembler_push (RtpMpegReassembler * r,
    const RtpMpegArrival * arrival, RtpMpegReassembly * out)
{
  bool new_frame = r->open && arrival->timestamp != r->timestamp;
  RtpMpegHeader h;
  size_t header_size;

  memset (out, 0, sizeof *out);
  r->stats.packets++;
  if (!take_seq (r, arrival)) {
    r->stats.left_out++;
    return;
  }
  header_size = rtp_mpeg_header_parse (arrival->payload, arrival->size, &h);
  if (header_size == 0) {
    r->stats.malformed++;
    note_gap (r, 1);
    return;
  }

  take_gap (r, &h, new_frame, &out->before);
  if (new_frame)
    close_frame (r, false, &out->before);
  if (!r->open)
    open_frame (r, arrival->timestamp);
  take_payload (r, &h, arrival->payload + header_size,
      arrival->size - header_size, out);
  out->keep.offset += header_size;
  r->whole_headers = h.type != 0;
  r->whole_slice = h.end_slice;
  r->sends_markers |= arrival->marker;
  if (arrival->marker)
    close_frame (r, false, &out->after);
}

void
rtp_mpeg_reassembler_finish (RtpMpegReassembler * r, RtpMpegDelivery * out)
{
  memset (out, 0, sizeof *out);
  /* A frame without marker has lost its end if other frames had a marker. */
  if (r->open && r->sends_markers)
    unsync (r, out);
  close_frame (r, true, out);
}
