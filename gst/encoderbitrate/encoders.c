/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoders.h"

#include <string.h>

#include <pads/pads.h>

/* elements; far more than any pipeline has. A loop of links must not block the
 * sender. */
#define MAX_STEPS 1000

/* The remedy in messages. */
#define NAME_IT "name the encoder with the 'encoder' property"

static gboolean
has_klass (GstElement * element, const gchar * word)
{
  const gchar *klass = gst_element_get_metadata (element,
      GST_ELEMENT_METADATA_KLASS);

  return klass && strstr (klass, word) != NULL;
}

/* Returns the sink pad that feeds a source pad, if there is exactly one. */
static GstPad *
only_input (GstPad * srcpad, guint * n_inputs)
{
  GstIterator *it = gst_pad_iterate_internal_links (srcpad);
  GValue item = G_VALUE_INIT;
  GstPad *input = NULL;
  gboolean more = it != NULL;

  *n_inputs = 0;
  while (more) {
    switch (gst_iterator_next (it, &item)) {
      case GST_ITERATOR_OK:
        if (!input)
          input = g_value_dup_object (&item);
        (*n_inputs)++;
        g_value_reset (&item);
        break;
      case GST_ITERATOR_RESYNC:
        gst_clear_object (&input);
        *n_inputs = 0;
        gst_iterator_resync (it);
        break;
      default:
        more = FALSE;
        break;
    }
  }
  if (it)
    gst_iterator_free (it);
  g_value_unset (&item);

  if (*n_inputs != 1)
    gst_clear_object (&input);
  return input;
}

static gchar *
explain_end (GstElement * element, guint n_inputs)
{
  if (has_klass (element, "Decoder"))
    return g_strdup_printf ("No encoder before %s, which decodes: put"
        " encoderbitrate behind the encoder or " NAME_IT,
        GST_OBJECT_NAME (element));
  if (n_inputs > 1)
    return g_strdup_printf ("%s has %u inputs, and the encoder may be behind"
        " any: put encoderbitrate between the encoder and %s or " NAME_IT,
        GST_OBJECT_NAME (element), n_inputs, GST_OBJECT_NAME (element));
  return g_strdup_printf ("No encoder upstream, the way ends at %s: put"
      " encoderbitrate behind the encoder or " NAME_IT,
      GST_OBJECT_NAME (element));
}

/* Finds the nearest element that encodes. Beyond a decoder lies another stream.
 * An encoder whose bitrate cannot change is also a result: setting an encoder
 * behind it would harm its input. */
GstElement *
encoder_find_upstream (GstPad * sinkpad, gchar ** why)
{
  GstPad *pad = gst_object_ref (sinkpad);
  GstElement *element = NULL;
  guint step, n_inputs = 0;

  for (step = 0; pad && step < MAX_STEPS; step++) {
    GstPad *peer = gst_pads_get_peer (pad);

    gst_clear_object (&pad);
    if (!peer)
      break;
    gst_clear_object (&element);
    element = gst_pad_get_parent_element (peer);
    if (element && has_klass (element, "Encoder")) {
      gst_object_unref (peer);
      return element;
    }
    n_inputs = 0;
    if (element && !has_klass (element, "Decoder"))
      pad = only_input (peer, &n_inputs);
    gst_object_unref (peer);
  }

  if (element)
    *why = explain_end (element, n_inputs);
  else
    *why = g_strdup ("Nothing is linked upstream: put encoderbitrate behind"
        " the encoder or " NAME_IT);
  gst_clear_object (&pad);
  gst_clear_object (&element);
  return NULL;
}

GstElement *
encoder_find_by_name (GstElement * neighbour, const gchar * name, gchar ** why)
{
  GstObject *top = gst_object_ref (GST_OBJECT (neighbour));
  GstObject *parent;
  GstElement *element = NULL;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  if (GST_IS_BIN (top))
    element = gst_bin_get_by_name (GST_BIN (top), name);
  gst_object_unref (top);

  if (!element)
    *why = g_strdup_printf ("No element is called '%s' in this pipeline:"
        " correct the 'encoder' property, or leave it empty to take the"
        " encoder upstream", name);
  return element;
}
