/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "testencoder.h"

typedef struct
{
  GstElement parent;
  GstPad *srcpad;
  GValue value;
  guint n_sets;
  guint limit;
} Encoder;

enum
{
  PROP_BITRATE = 1,
  PROP_LIMIT
};

typedef struct
{
  GstElementClass parent;
  const TestEncoder *desc;
} EncoderClass;

typedef struct
{
  const TestEncoder *desc;
  const TestLimit *limit;
} ClassData;

#define CLASS(object) ((EncoderClass *) G_OBJECT_GET_CLASS (object))

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  Encoder *self = (Encoder *) object;

  (void) pspec;
  GST_OBJECT_LOCK (self);
  if (id == PROP_LIMIT) {
    self->limit = g_value_get_uint (value);
  } else {
    g_value_copy (value, &self->value);
    self->n_sets++;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  Encoder *self = (Encoder *) object;

  (void) pspec;
  GST_OBJECT_LOCK (self);
  if (id == PROP_LIMIT)
    g_value_set_uint (value, self->limit);
  else
    g_value_copy (&self->value, value);
  GST_OBJECT_UNLOCK (self);
}

static void
finalize (GObject * object)
{
  Encoder *self = (Encoder *) object;

  if (G_IS_VALUE (&self->value))
    g_value_unset (&self->value);
  G_OBJECT_CLASS (g_type_class_peek (GST_TYPE_ELEMENT))->finalize (object);
}

static GParamSpec *
make_pspec (const TestEncoder * d)
{
  const gchar *n = d->property, *b = d->blurb ? d->blurb : "Bitrate";
  GParamFlags f = d->flags | G_PARAM_READWRITE;

  switch (d->type) {
    case G_TYPE_INT:
      return g_param_spec_int (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_UINT:
      return g_param_spec_uint (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_LONG:
      return g_param_spec_long (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_ULONG:
      return g_param_spec_ulong (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_INT64:
      return g_param_spec_int64 (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_UINT64:
      return g_param_spec_uint64 (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_FLOAT:
      return g_param_spec_float (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_DOUBLE:
      return g_param_spec_double (n, n, b, d->min, d->max, d->min, f);
    case G_TYPE_STRING:
      return g_param_spec_string (n, n, b, NULL, f);
    case G_TYPE_BOOLEAN:
      return g_param_spec_boolean (n, n, b, FALSE, f);
    default:
      return g_param_spec_boxed (n, n, b, GST_TYPE_STRUCTURE, f);
  }
}

static void
class_init (gpointer g_class, gpointer data)
{
  const ClassData *class_data = data;
  const TestEncoder *desc = class_data->desc;
  const TestLimit *limit = class_data->limit;
  GObjectClass *object_class = g_class;
  GstElementClass *element_class = g_class;

  ((EncoderClass *) g_class)->desc = desc;
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  if (desc->property)
    g_object_class_install_property (object_class, PROP_BITRATE,
        make_pspec (desc));
  if (limit && limit->property)
    g_object_class_install_property (object_class, PROP_LIMIT,
        g_param_spec_uint (limit->property, limit->property, "Limit", 0,
            100000, 0, G_PARAM_READWRITE | limit->flags));
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Test encoder",
      desc->klass ? desc->klass : "Codec/Encoder/Video", "Passes buffers",
      "The gst-psp authors");
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  (void) pad;
  return gst_pad_push (((Encoder *) parent)->srcpad, buffer);
}

static void
instance_init (GTypeInstance * instance, gpointer g_class)
{
  Encoder *self = (Encoder *) instance;
  const TestEncoder *desc = ((EncoderClass *) g_class)->desc;
  GstPad *sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");

  gst_pad_set_chain_function (sinkpad, chain);
  gst_element_add_pad (GST_ELEMENT (self), sinkpad);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
  if (desc->property)
    g_value_init (&self->value,
        desc->type == G_TYPE_NONE ? GST_TYPE_STRUCTURE : desc->type);
}

void
test_encoder_register (const TestEncoder * encoder, const TestLimit * limit)
{
  ClassData *class_data = g_new (ClassData, 1);
  GTypeInfo info = { 0 };
  gchar *name = g_strdup_printf ("TestEncoder-%s", encoder->factory);
  GType type;

  info.class_size = sizeof (EncoderClass);
  info.class_init = class_init;
  class_data->desc = encoder;
  class_data->limit = limit;
  info.class_data = class_data;
  info.instance_size = sizeof (Encoder);
  info.instance_init = instance_init;
  type = g_type_register_static (GST_TYPE_ELEMENT, name, &info, 0);
  g_free (name);
  gst_element_register (NULL, encoder->factory, GST_RANK_NONE, type);
}

gchar *
test_encoder_get (GstElement * element, guint * n_sets)
{
  Encoder *self = (Encoder *) element;
  gchar *text = NULL;

  GST_OBJECT_LOCK (self);
  if (n_sets)
    *n_sets = self->n_sets;
  if (GST_VALUE_HOLDS_STRUCTURE (&self->value)) {
    const GstStructure *s = gst_value_get_structure (&self->value);
    text = s ? gst_structure_to_string (s) : NULL;
  } else if (G_VALUE_HOLDS_STRING (&self->value)) {
    text = g_value_dup_string (&self->value);
  } else if (G_IS_VALUE (&self->value)) {
    text = gst_value_serialize (&self->value);
  }
  GST_OBJECT_UNLOCK (self);
  return text;
}
