/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as video, cut and joined into frames, thinned out and recoded:
 * steps of settings, each in force for some spans in turn, then the stream.
 */
#include <mpeg2scaling/dropper.h>
#include <mpeg2scaling/recoder.h>
#include <mpeg2/slicereader.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

#define N_STEPS 4
#define STEP_SIZE 6
#define SPANS_PER_STEP 4

typedef struct
{
  const uint8_t *data;
  M2vDropper *dropper;
  M2vRecoder *recoder;
  M2vVlc vlc;
  uint64_t n_pictures;          /* since the last reset */
} Run;

/* A picture that left. */
typedef struct
{
  uint8_t *bytes;
  size_t size;
  M2vRange slices;
} Output;

/* What a slice covers. */
typedef struct
{
  bool readable;
  unsigned row, first, end;
  unsigned n_macroblocks, n_intra;
} Cover;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

/* Mostly what streams have, at times what none has. */
static int64_t
target (unsigned choice)
{
  switch (choice % 8) {
    case 0:
      return -1;
    case 1:
      return (int64_t) choice << 50;
    case 2:
      return choice / 8;
    default:
      return (int64_t) choice *choice * 100;
  }
}

static void
take_step (Run * r, const uint8_t * step)
{
  M2vRecoderSettings settings = {
    .target = target (step[0]),
    .max_code = step[1] & 0x3f,
    .drift = step[2] % 3,
    .rate_distortion = step[2] & 0x80,
    .vector_share = step[3] & 0x80 ? 0 : M2V_WORTHWHILE_VECTOR_SHARE,
    .modulate = step[2] & 0x40,
    .kb = step[3] == 255 ? NAN : step[3] / 32.,
    .front_load = step[4] == 255 ? INFINITY : step[4] / 64. - 1
  };
  M2vDropperSettings dropping = {
    .scale = step[5] % 8 < 5 ? step[5] % 8 : -1,
    .target = step[5] % 8 == 5 ? 0 : step[5] % 8 == 6 ? settings.target : -1,
    .repeat_dropped = step[5] & 0x80,
    .fill = step[5] & 0x40
  };

  m2v_recoder_set (r->recoder, &settings);
  m2v_dropper_set (r->dropper, &dropping);
  if (step[2] & 0x20)
    m2v_recoder_discont (r->recoder);
  if (step[2] & 0x10) {
    m2v_recoder_reset (r->recoder);
    r->n_pictures = 0;
  }
}

/* What came before the slices keeps its size, and what came behind. */
static void
locate_slices (Output * o, const M2vPicture * picture, size_t size_before)
{
  size_t behind = picture->size - picture->slices.offset - picture->slices.size;
  size_t ahead = size_before - picture->slices.size - behind;

  check (o->size <= size_before && o->size >= ahead + behind);
  o->slices.offset = ahead;
  o->slices.size = o->size - ahead - behind;
}

/* Checks and joins the pieces. */
static Output
join (const Run * r, const M2vFrame * frame, const M2vDecision * decision,
    unsigned picture)
{
  const M2vPicture *p = &frame->pictures[picture];
  Output o = {.size = m2v_decision_size (decision, picture) };
  size_t end = 0, n = 0;

  check (decision->n_first <= decision->n_pieces);
  check (decision->n_pieces <=
      sizeof decision->pieces / sizeof *decision->pieces);
  o.bytes = malloc (o.size + 1);
  check (o.bytes != NULL);
  for (unsigned i = 0; i < decision->n_pieces; i++) {
    const M2vPiece *piece = &decision->pieces[i];
    const uint8_t *from = piece->literal;

    check (piece->size > 0 && piece->picture == (i >= decision->n_first));
    if (piece->picture != picture)
      continue;
    if (!from) {
      from = r->data + p->begin;
      check (piece->offset >= end);
      end = piece->offset + piece->size;
      check (end <= p->size);
    }
    memcpy (o.bytes + n, from + piece->offset, piece->size);
    n += piece->size;
  }
  return o;
}

static Cover
cover (const Run * r, const M2vPictureParams * p, const uint8_t * data,
    size_t size)
{
  static M2vMacroblock mb;
  M2vSliceReader reader;
  Cover c = {.readable = false };

  if (!m2v_slice_reader_begin (&reader, p, &r->vlc, data, size))
    return c;
  while (m2v_slice_reader_next (&reader, &mb)) {
    if (mb.first)
      c.first = mb.address;
    c.end = mb.address + 1;
    c.n_macroblocks += mb.n_skipped + 1;
    c.n_intra += (mb.type & M2V_INTRA) != 0;
  }
  c.row = reader.slice.row;
  c.readable = !reader.error;
  return c;
}

static void
check_slice (const Run * r, const M2vPictureParams * p, const uint8_t * in,
    size_t size_in, const uint8_t * out, size_t size_out)
{
  bool same = size_in == size_out && memcmp (in, out, size_in) == 0;
  Cover a, b;

  if (same)
    return;
  check (m2v_is_slice (in, size_in));
  a = cover (r, p, in, size_in);
  b = cover (r, p, out, size_out);
  /* What cannot be read is as it was. */
  check (a.readable && b.readable);
  check (a.row == b.row && a.first == b.first && a.end == b.end);
  check (a.n_macroblocks == b.n_macroblocks && a.n_intra == b.n_intra);
}

/* Slice by slice: none is lost, none is new. */
static void
check_slices (const Run * r, const M2vFrame * frame, unsigned i,
    const Output * o)
{
  const M2vPicture *picture = &frame->pictures[i];
  const uint8_t *in = r->data + picture->begin + picture->slices.offset;
  const uint8_t *out = o->bytes + o->slices.offset;
  size_t position = 0, other = 0;
  M2vPictureParams p;
  M2vRange a, b;

  if (!m2v_picture_params_init (&p, &frame->sequence, picture)) {
    check (o->slices.size == picture->slices.size);
    check (o->slices.size == 0 || memcmp (in, out, o->slices.size) == 0);
    return;
  }
  while (m2v_slices_next (in, picture->slices.size, &position, &a)) {
    check (m2v_slices_next (out, o->slices.size, &other, &b));
    check_slice (r, &p, in + a.offset, a.size, out + b.offset, b.size);
  }
  check (other == o->slices.size);
}

static void
check_picture (const Run * r, const M2vFrame * frame,
    const M2vDecision * decision, unsigned i, size_t size_before)
{
  Output o = join (r, frame, decision, i);

  if (decision->action == M2V_PASS && frame->valid) {
    locate_slices (&o, &frame->pictures[i], size_before);
    check_slices (r, frame, i, &o);
  } else {
    check (o.size == size_before);
  }
  free (o.bytes);
}

static void
check_stats (const Run * r)
{
  M2vRecoderStats s;

  m2v_recoder_stats (r->recoder, &s);
  check (s.recoded + s.passed == r->n_pictures && s.unreadable <= s.passed);
  check (s.quantiser_in >= 0 && s.quantiser_in <= 112);
  check (s.quantiser_out >= 0 && s.quantiser_out <= 112);
  check (isfinite (s.control.wait));
  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    check (isfinite (s.control.complexity[i])
        && isfinite (s.control.fullness[i]));
}

static void
take_frame (Run * r, const M2vFrame * frame)
{
  const uint8_t *data[2] = {
    r->data + frame->pictures[0].begin, r->data + frame->pictures[1].begin
  };
  M2vDecision decision;
  size_t before[2];

  check (m2v_recoder_floor (r->recoder, frame, data) <= frame->size);
  m2v_dropper_frame (r->dropper, frame, data, &decision);
  for (unsigned i = 0; i < 2; i++)
    before[i] = m2v_decision_size (&decision, i);
  m2v_recoder_frame (r->recoder, frame, data, &decision);
  if (decision.action != M2V_DROP) {
    r->n_pictures += frame->n_pictures;
    for (unsigned i = 0; i < frame->n_pictures; i++)
      check_picture (r, frame, &decision, i, before[i]);
  }
  check_stats (r);
}

static void
drop_unpaired (const Run * r, const M2vFrame * frame)
{
  const uint8_t *data[2] = { r->data + frame->pictures[0].begin, NULL };

  m2v_dropper_unpaired (r->dropper, frame, data);
}

static void
recode (Run * r, M2vAssembler * assembler, const uint8_t * steps, size_t size)
{
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, false };
  M2vFrame before, frame;
  M2vSplitter splitter;
  M2vPicture span;
  size_t position = 0;
  unsigned done;

  m2v_splitter_init (&splitter);
  for (unsigned n = 0; m2v_splitter_next (&splitter, r->data, size, &position,
          &span); n++) {
    if (n % SPANS_PER_STEP == 0)
      take_step (r, steps + n / SPANS_PER_STEP % N_STEPS * STEP_SIZE);
    if (span.kind != M2V_SPAN_PICTURE) {
      const uint8_t *bytes = r->data + span.begin;
      M2vPiece headers;

      if (m2v_dropper_span (r->dropper, &span, bytes)
          && m2v_dropper_headers (r->dropper, &span, bytes, &headers) > 0)
        check (headers.literal && headers.size > 0);
      continue;
    }
    done = m2v_assembler_push (assembler, &splitter, &span, &stamp, &before,
        &frame);
    if (done & M2V_ASSEMBLED_UNPAIRED)
      drop_unpaired (r, &before);
    if (done & M2V_ASSEMBLED_FRAME)
      take_frame (r, &frame);
  }
  if (m2v_assembler_finish (assembler, &frame))
    drop_unpaired (r, &frame);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static Run r;
  M2vAssembler *assembler;

  if (size < N_STEPS * STEP_SIZE)
    return 0;
  m2v_vlc_init (&r.vlc);
  r.n_pictures = 0;
  r.data = data + N_STEPS * STEP_SIZE;
  r.dropper = m2v_dropper_new ();
  r.recoder = m2v_recoder_new ();
  assembler = m2v_assembler_new ();
  if (r.dropper && r.recoder && assembler)
    recode (&r, assembler, data, size - N_STEPS * STEP_SIZE);
  m2v_assembler_free (assembler);
  m2v_recoder_free (r.recoder);
  m2v_dropper_free (r.dropper);
  return 0;
}
