/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/h264model.h>

#include <string.h>

/* Half of the longest cycle of order counts. Pictures that are shown
 * before an IDR picture have counts at most this far below its own. */
#define BEFORE_IDR (1 << 15)

static void
reset_shift (H264Shift * shift)
{
  memset (shift, 0, sizeof *shift);
  shift->top = INT64_MIN;
}

void
h264_model_init (H264Model * m)
{
  memset (m, 0, sizeof *m);
  h264_dpb_init (&m->source);
  h264_dpb_init (&m->view);
  m->order_top = -1;
  reset_shift (&m->shift);
}

void
h264_model_begin (H264Model * m, bool delimited)
{
  uint64_t id = m->picture.id + 1;

  memset (&m->picture, 0, sizeof m->picture);
  m->picture.id = id;
  m->trial = m->view;
  m->trial_shift = m->shift;
  m->shifts = false;
  m->delimited = delimited;
  m->damaged = false;
  m->decodable = true;
  m->needs_gaps = false;
  m->n_coded = 0;
}

void
h264_model_unreadable (H264Model * m)
{
  m->damaged = true;
}

static uint64_t
id_of (const H264Dpb * dpb, H264Reference reference)
{
  return reference.fields == 0 ? H264_NO_PICTURE
      : dpb->frames[reference.place].id;
}

static bool
same_lists (const H264Model * m, const H264List a[2], const H264List b[2])
{
  for (unsigned x = 0; x < 2; x++)
    for (unsigned i = 0; i < a[x].n; i++) {
      uint64_t id = id_of (&m->source, a[x].entries[i]);

      if (id != id_of (&m->trial, b[x].entries[i])
          || (id != H264_NO_PICTURE
              && a[x].entries[i].fields != b[x].entries[i].fields))
        return false;
    }
  return true;
}

/* True if both slices of a coded picture have the same lists. */
static bool
lists_repeat (const H264Slice * a, const H264Slice * b)
{
  if (a->type != b->type)
    return false;
  for (unsigned x = 0; x < 2; x++)
    if (a->n_active[x] != b->n_active[x]
        || a->n_modifications[x] != b->n_modifications[x]
        || memcmp (a->modifications[x], b->modifications[x],
            a->n_modifications[x] * sizeof a->modifications[x][0]) != 0)
      return false;
  return true;
}

/* Compares the lists of the source with those of the view. Modifications
 * select by number, not by place in the initial list (8.2.4.3), so only
 * entries that stay in the final list are referred to. Co-located pictures
 * are first in list 1 (8.4.1.2.1), so they are among these. */
static void
compare_lists (H264Model * m, const H264Slice * slice)
{
  H264List lists[2], seen[2];

  h264_dpb_lists (&m->source, &m->sps, slice, lists);
  for (unsigned x = 0; x < 2; x++)
    for (unsigned i = 0; i < lists[x].n; i++)
      if (lists[x].entries[i].fields)
        m->referenced |= 1u << lists[x].entries[i].place;
  if (m->decodable) {
    h264_dpb_lists (&m->trial, &m->sps, slice, seen);
    m->decodable = same_lists (m, lists, seen);
  }
  m->last = *slice;
}

/* Notes the ids that the coded picture refers to, before marking moves
 * them. */
static void
note_references (H264Model * m)
{
  H26xPicture *picture = &m->picture;

  for (unsigned i = 0; i < m->source.n_frames; i++) {
    uint64_t id = m->source.frames[i].id;
    unsigned k = 0;

    if (!(m->referenced & (1u << i)) || id == H264_NO_PICTURE
        || id == picture->id)
      continue;
    while (k < picture->n_references && picture->references[k] != id)
      k++;
    if (k == H26X_MAX_REFERENCES)
      m->lost = true;
    else if (k == picture->n_references)
      picture->references[picture->n_references++] = id;
  }
  m->referenced = 0;
}

static bool
has_same_frame (const H264Dpb * dpb, const H264Frame * frame)
{
  for (unsigned i = 0; i < dpb->n_frames; i++)
    if (dpb->frames[i].id == frame->id
        && dpb->frames[i].frame_num == frame->frame_num)
      return dpb->frames[i].short_term == frame->short_term
          && dpb->frames[i].long_term == frame->long_term
          && dpb->frames[i].long_term_index == frame->long_term_index;
  return false;
}

/* True if a second field that is still to come will decode, whatever it
 * refers to. */
static bool
same_references (const H264Model * m)
{
  if (m->source.n_frames != m->trial.n_frames)
    return false;
  for (unsigned i = 0; i < m->source.n_frames; i++)
    if (!has_same_frame (&m->trial, &m->source.frames[i]))
      return false;
  return true;
}

static void
end_coded (H264Model * m)
{
  if (m->lost || m->n_coded == 0)
    return;
  note_references (m);
  if (!h264_dpb_end (&m->source, &m->sps, &m->first))
    m->lost = true;
  else if (m->decodable)
    m->decodable = h264_dpb_end (&m->trial, &m->sps, &m->first)
        && m->trial.n_unmatched == m->source.n_unmatched;
}

/* Begins the view for a decoder that starts here. It has no reference and
 * counts as the source does. */
static void
enter_view (H264Model * m)
{
  m->trial = m->source;
  m->trial.n_frames = 0;
  m->trial.paired = true;
}

/* True if a decoder would take this IDR picture for a part of the one
 * before, by its slice headers alone (7.4.1.2.4). */
static bool
merges (const H264Dpb * dpb, const H264Slice * slice)
{
  return slice->idr && dpb->idr && dpb->structure == slice->structure
      && dpb->idr_id == slice->idr_id
      && dpb->order_lsb == (int64_t) slice->order_lsb;
}

/* Begins a coded picture in the decoder's view. */
static void
begin_view (H264Model * m, const H264Slice * slice, bool source_gap)
{
  if (!m->trial.started && m->source.started && !slice->idr)
    enter_view (m);
  if (!source_gap && !m->sps.gaps_allowed
      && h264_dpb_gap (&m->trial, &m->sps, slice))
    m->needs_gaps = true;
  if (!m->delimited && merges (&m->trial, slice)
      && !merges (&m->source, slice))
    m->decodable = false;
}

/* Notes where the decoder's counts begin to differ otherwise than before.
 * h264_model_end decides whether they may. */
static bool
follow_shift (H264Model * m, const H264Slice * slice)
{
  H264Shift *shift = &m->trial_shift;
  int64_t order = (int64_t) h264_dpb_order (&m->trial)
      - h264_dpb_order (&m->source);
  int64_t offset = m->trial.frame_num_offset - m->source.frame_num_offset;

  if (slice->idr && !m->source.second_field)
    reset_shift (shift);
  if (order == shift->order && offset == shift->frame_num_offset)
    return true;
  if (m->n_coded > 0 || m->source.second_field)
    return false;
  shift->order = order;
  shift->frame_num_offset = offset;
  m->shifts = true;
  return true;
}

static void
follow_view (H264Model * m, const H264Slice * slice)
{
  m->decodable = m->decodable
      && h264_dpb_begin (&m->trial, &m->sps, slice, m->picture.id)
      && m->trial.second_field == m->source.second_field
      && follow_shift (m, slice);
}

/* Describes the access unit by its first coded picture. */
static void
describe (H264Model * m, const H264Slice * slice)
{
  H26xPicture *picture = &m->picture;

  picture->idr = slice->idr && !m->source.second_field;
  picture->disposable = !slice->reference;
  picture->order_cycle =
      m->sps.order_type == 0 ? 1u << m->sps.log2_max_order_lsb : 0;
  picture->counts = slice->reference;
  picture->frame_num_gap_limit = 1u << m->sps.log2_max_frame_num;
  m->intra = true;
  m->restarts = picture->idr || h264_slice_has_marking (slice, 5);
}

static void
begin_coded (H264Model * m, const H264Sps * sps, const H264Slice * slice)
{
  bool continues, gap;

  if (m->lost && slice->idr && m->n_coded == 0) {
    h264_dpb_init (&m->source);
    h264_dpb_init (&m->trial);
    m->lost = false;
  }
  continues = h264_dpb_continues (&m->source, slice);
  if (m->n_coded > 0 && !continues)
    m->lost = true;
  if (m->lost)
    return;
  if (continues)
    m->picture.id = m->source.current.id;
  else if (slice->idr || !m->source.started)
    m->sps = *sps;
  gap = h264_dpb_gap (&m->source, &m->sps, slice);
  begin_view (m, slice, gap);
  if (!h264_dpb_begin (&m->source, &m->sps, slice, m->picture.id)) {
    m->lost = true;
    return;
  }
  follow_view (m, slice);
  m->first = *slice;
  m->last.type = H264_I;
  if (m->n_coded == 0)
    describe (m, slice);
}

void
h264_model_slice (H264Model * m, const H264Sps * sps, const H264Slice * slice)
{
  if (!h264_sps_valid (sps) || !h264_slice_valid (slice, sps))
    m->damaged = true;
  if (m->damaged)
    return;
  if (m->n_coded == 0 || slice->structure != m->first.structure) {
    end_coded (m);
    begin_coded (m, sps, slice);
    m->n_coded++;
  }
  if (!h264_sps_equal (&m->sps, sps) || slice->frame_num != m->first.frame_num)
    m->lost = true;
  if (m->lost || h264_is_intra (slice))
    return;
  if (m->n_coded == 1)
    m->intra = false;
  if (!lists_repeat (&m->last, slice))
    compare_lists (m, slice);
}

/* Numbers the pictures with order counts that grow over the sequence.
 * After an IDR picture or operation 5, all are shown later than all
 * before, also those that precede the IDR picture. */
static void
number_order (H264Model * m)
{
  H26xPicture *picture = &m->picture;
  int32_t order = h264_frame_order (&m->source.current);

  if (m->restarts)
    m->order_base = m->order_top + 1 - order;
  if (picture->idr && m->order_top >= 0)
    m->order_base += BEFORE_IDR;
  picture->order = m->order_base + order;
  if (picture->order > m->order_top)
    m->order_top = picture->order;
  if (picture->random_access) {
    m->entry_order = picture->order;
    m->entry_idr = picture->idr;
  }
  picture->leading = !m->entry_idr && picture->order < m->entry_order;
}

/* Accepts changed counts only where decoding can begin and only if what
 * comes then is shown after all before. Leading pictures would not be. */
static void
end_shift (H264Model * m)
{
  const H26xPicture *picture = &m->picture;
  H264Shift *shift = &m->trial_shift;
  int64_t order = h264_frame_order (&m->trial.current);

  if (m->shifts && (!picture->random_access || order <= shift->top))
    m->decodable = false;
  if (picture->random_access)
    shift->entered = m->shifts;
  else if (picture->leading && shift->entered)
    m->decodable = false;
  if (m->restarts)
    reset_shift (shift);
  if (order > shift->top)
    shift->top = order;
}

const H26xPicture *
h264_model_end (H264Model * m, bool recovery, unsigned layer)
{
  H26xPicture *picture = &m->picture;

  end_coded (m);
  if (m->damaged)
    m->lost = true;
  if (m->n_coded == 0 && !m->damaged) {
    picture->id--;
    return NULL;
  }
  picture->readable = !m->lost;
  if (m->lost) {
    m->verdict = H264_DECODES;
    return picture;
  }
  picture->layer = layer;
  picture->random_access = picture->idr
      || (recovery && m->intra && picture->n_references == 0);
  number_order (m);
  end_shift (m);
  if (!m->source.paired && m->decodable)
    m->decodable = same_references (m);
  m->verdict = !m->decodable ? H264_DIFFERS
      : m->needs_gaps ? H264_DECODES_WITH_GAPS : H264_DECODES;
  return picture;
}

H264Verdict
h264_model_verdict (const H264Model * m)
{
  return m->verdict;
}

void
h264_model_passed (H264Model * m)
{
  if (m->lost)
    return;
  m->view = m->trial;
  m->shift = m->trial_shift;
}
