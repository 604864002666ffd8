/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscoderformat.h"

#include <libavutil/pixfmt.h>

gboolean
gst_mpeg_transcoder_format_equal (const GstMpegTranscoderFormat * a,
    const GstMpegTranscoderFormat * b)
{
  return a->version == b->version && a->width == b->width
      && a->height == b->height && a->rate_num == b->rate_num
      && a->rate_den == b->rate_den && a->par_num == b->par_num
      && a->par_den == b->par_den && a->interlaced == b->interlaced
      && a->pixel_format == b->pixel_format;
}

static GstCaps *
source_caps (const GstMpegTranscoderFormat * in)
{
  return gst_caps_new_simple ("video/mpeg",
      "mpegversion", G_TYPE_INT, in->version,
      "systemstream", G_TYPE_BOOLEAN, FALSE,
      "parsed", G_TYPE_BOOLEAN, TRUE,
      "width", G_TYPE_INT, in->width,
      "height", G_TYPE_INT, in->height,
      "framerate", GST_TYPE_FRACTION, in->rate_num, in->rate_den, NULL);
}

/* Returns the source's own format if it is allowed, otherwise the nearest
 * one in the order of downstream's preference. */
static GstStructure *
fixate (GstCaps * allowed, const GstMpegTranscoderFormat * in)
{
  GstCaps *own = source_caps (in);
  GstCaps *both = gst_caps_intersect_full (allowed, own,
      GST_CAPS_INTERSECT_FIRST);
  GstStructure *s =
      gst_structure_copy (gst_caps_get_structure (gst_caps_is_empty (both) ?
          allowed : both, 0));

  gst_structure_fixate_field_nearest_int (s, "mpegversion", in->version);
  gst_structure_fixate_field_nearest_int (s, "width", in->width);
  gst_structure_fixate_field_nearest_int (s, "height", in->height);
  gst_structure_fixate_field_nearest_fraction (s, "framerate", in->rate_num,
      in->rate_den);
  gst_caps_unref (both);
  gst_caps_unref (own);
  return s;
}

/* Sets the aspect: the picture keeps its shape unless downstream wants
 * another. */
static void
set_aspect (GstMpegTranscoderFormat * out, GstStructure * s,
    const GstMpegTranscoderFormat * in)
{
  gint n = in->par_num, d = in->par_den;

  if (!gst_util_fraction_multiply (n, d, in->width, out->width, &n, &d)
      || !gst_util_fraction_multiply (n, d, out->height, in->height, &n, &d)) {
    n = in->par_num;
    d = in->par_den;
  }
  if (gst_structure_has_field (s, "pixel-aspect-ratio")) {
    gst_structure_fixate_field_nearest_fraction (s, "pixel-aspect-ratio", n, d);
    gst_structure_get_fraction (s, "pixel-aspect-ratio", &n, &d);
  }
  out->par_num = n;
  out->par_den = d;
}

gboolean
gst_mpeg_transcoder_format_choose (GstPad * srcpad,
    const GstMpegTranscoderFormat * in, GstMpegTranscoderFormat * out)
{
  GstCaps *template = gst_pad_get_pad_template_caps (srcpad);
  GstCaps *allowed = gst_pad_peer_query_caps (srcpad, template);
  GstStructure *s;
  gboolean ok;

  allowed = gst_caps_make_writable (allowed);
  if (gst_caps_is_any (allowed)) {
    gst_caps_unref (allowed);
    allowed = gst_caps_ref (template);
  }
  gst_caps_unref (template);
  if (gst_caps_is_empty (allowed)) {
    gst_caps_unref (allowed);
    return FALSE;
  }

  s = fixate (allowed, in);
  *out = *in;
  ok = gst_structure_get_int (s, "mpegversion", &out->version)
      && gst_structure_get_int (s, "width", &out->width)
      && gst_structure_get_int (s, "height", &out->height)
      && gst_structure_get_fraction (s, "framerate", &out->rate_num,
      &out->rate_den);
  set_aspect (out, s, in);
  if (out->version == 1)
    out->interlaced = FALSE;
  if (out->version == 1 || in->pixel_format != AV_PIX_FMT_YUV422P)
    out->pixel_format = AV_PIX_FMT_YUV420P;
  gst_structure_free (s);
  gst_caps_unref (allowed);
  return ok;
}

GstCaps *
gst_mpeg_transcoder_format_caps (const GstMpegTranscoderFormat * f,
    gconstpointer sequence_header, gsize size)
{
  GstCaps *caps = source_caps (f);

  gst_caps_set_simple (caps,
      "pixel-aspect-ratio", GST_TYPE_FRACTION, f->par_num, f->par_den,
      "interlace-mode", G_TYPE_STRING,
      f->interlaced ? "mixed" : "progressive", NULL);
  if (size > 0) {
    GstBuffer *header = gst_buffer_new_memdup (sequence_header, size);

    gst_caps_set_simple (caps, "codec_data", GST_TYPE_BUFFER, header, NULL);
    gst_buffer_unref (header);
  }
  return caps;
}
