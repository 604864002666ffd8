/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspmissing.h"

#include <string.h>

#define N_IDS 64                /* pictures in the bits of `ids` */

/* Reads the picture's place. A re-encoded buffer may still carry the meta of
 * its source, so the delta-unit flag, which every encoder sets, overrides
 * it. */
void
gst_psp_place_read (GstPspPlace * place, GstBuffer * buffer)
{
  const GstCodedPictureMeta *meta = gst_buffer_get_coded_picture_meta (buffer);

  memset (place, 0, sizeof *place);
  if (!meta)
    return;
  place->known = TRUE;
  place->id = meta->id;
  place->references = meta->references;
  place->key = (meta->flags & GST_CODED_PICTURE_FLAG_KEY) != 0;
  place->disposable = (meta->flags & GST_CODED_PICTURE_FLAG_DISPOSABLE) != 0;
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    place->key = TRUE;
    place->references = 0;
  }
}

/* Advances to a later picture and marks those in between as missing. */
static void
advance (GstPspMissing * m, guint64 id)
{
  guint64 steps = id - m->newest, distance = m->newest - m->key;
  guint64 since_key = m->ids;

  if (distance < N_IDS - 1)
    since_key &= (G_GUINT64_CONSTANT (2) << distance) - 1;
  if (steps < N_IDS) {
    m->older |= since_key >> (N_IDS - steps) != 0;
    m->ids = (m->ids << steps) | ((G_GUINT64_CONSTANT (1) << steps) - 2);
  } else {
    m->older |= since_key != 0 || steps > N_IDS;
    m->ids = ~G_GUINT64_CONSTANT (1);
  }
  m->newest = id;
}

static void
begin (GstPspMissing * m, guint64 id)
{
  memset (m, 0, sizeof *m);
  m->begun = TRUE;
  m->newest = m->key = id;
}

gboolean
gst_psp_missing_concerns (const GstPspMissing * m, const GstPspPlace * place)
{
  return (place->references & (m->ids >> 1)) != 0 || (m->older &&
      (place->references & GST_CODED_PICTURE_OLDER_REFERENCES) != 0);
}

gboolean
gst_psp_missing_next (GstPspMissing * m, const GstPspPlace * place)
{
  if (m->begun && place->id == m->newest)
    return (m->ids & 1) != 0;
  if (m->begun && place->id > m->newest)
    advance (m, place->id);
  else
    begin (m, place->id);

  if (place->key) {
    m->longest = MAX (m->longest, m->newest - m->key);
    m->key = m->newest;
    m->older = FALSE;
  }
  if (m->newest - m->key > MAX (2 * m->longest, GST_PSP_MISSING_MAX_GROUP)) {
    m->ids = 0;
    m->older = FALSE;
  }
  if (!gst_psp_missing_concerns (m, place))
    return FALSE;
  m->ids |= 1;
  return TRUE;
}

void
gst_psp_missing_add (GstPspMissing * m, guint64 id)
{
  if (!m->begun || id > m->newest)
    return;
  if (m->newest - id < N_IDS)
    m->ids |= G_GUINT64_CONSTANT (1) << (m->newest - id);
  else if (id >= m->key)
    m->older = TRUE;
}
