/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "gstpspuri.h"

/* An element with a property of each kind that a URI may meet. */
enum
{
  PROP_0,
  PROP_URI,
  PROP_HOST,
  PROP_PORT,
  PROP_TTL,
  PROP_RATE,
  PROP_SHARE,
  PROP_LOOP,
  PROP_TEXT,
  PROP_CAPS,
  PROP_MODE,
  PROP_FLAGS,
  PROP_STRUCTURE,
  PROP_SOCKET,
  PROP_READ_ONLY,
  PROP_CONSTRUCT_ONLY,
  N_PROPERTIES
};

static GParamSpec *pspecs[N_PROPERTIES];

typedef struct
{
  GstElement parent;
  GValue values[N_PROPERTIES];
  guint sets;
} UriTest;

typedef GstElementClass UriTestClass;

static GType uri_test_get_type (void);
G_DEFINE_TYPE (UriTest, uri_test, GST_TYPE_ELEMENT);

static void
uri_test_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  UriTest *self = (UriTest *) object;

  (void) pspec;
  g_value_copy (value, &self->values[id]);
  self->sets++;
}

static void
uri_test_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  UriTest *self = (UriTest *) object;

  (void) pspec;
  g_value_copy (&self->values[id], value);
}

static void
uri_test_finalize (GObject * object)
{
  UriTest *self = (UriTest *) object;
  guint i;

  for (i = PROP_URI; i < N_PROPERTIES; i++)
    g_value_unset (&self->values[i]);
  G_OBJECT_CLASS (uri_test_parent_class)->finalize (object);
}

static void
uri_test_class_init (UriTestClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->set_property = uri_test_set_property;
  object_class->get_property = uri_test_get_property;
  object_class->finalize = uri_test_finalize;

  pspecs[PROP_URI] = g_param_spec_string ("uri", "", "", NULL, rw);
  pspecs[PROP_HOST] = g_param_spec_string ("host", "", "", "localhost", rw);
  pspecs[PROP_PORT] = g_param_spec_int ("port", "", "", 0, 65535, 1, rw);
  pspecs[PROP_TTL] = g_param_spec_int ("ttl", "", "", 0, 255, 64, rw);
  pspecs[PROP_RATE] =
      g_param_spec_uint64 ("rate", "", "", 0, G_MAXUINT64, 0, rw);
  pspecs[PROP_SHARE] = g_param_spec_double ("share", "", "", 0, 1, 1, rw);
  pspecs[PROP_LOOP] = g_param_spec_boolean ("loop", "", "", TRUE, rw);
  pspecs[PROP_TEXT] = g_param_spec_string ("text", "", "", NULL, rw);
  pspecs[PROP_CAPS] = g_param_spec_boxed ("caps", "", "", GST_TYPE_CAPS, rw);
  pspecs[PROP_MODE] = g_param_spec_enum ("mode", "", "", GST_TYPE_FORMAT,
      GST_FORMAT_BYTES, rw);
  pspecs[PROP_FLAGS] = g_param_spec_flags ("flags", "", "",
      GST_TYPE_SEEK_FLAGS, 0, rw);
  pspecs[PROP_STRUCTURE] = g_param_spec_boxed ("structure", "", "",
      GST_TYPE_STRUCTURE, rw);
  pspecs[PROP_SOCKET] = g_param_spec_object ("socket", "", "", G_TYPE_OBJECT,
      rw);
  pspecs[PROP_READ_ONLY] = g_param_spec_int ("read-only", "", "", 0, 9, 0,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  pspecs[PROP_CONSTRUCT_ONLY] = g_param_spec_int ("construct-only", "", "",
      0, 9, 0, rw | G_PARAM_CONSTRUCT_ONLY);
  g_object_class_install_properties (object_class, N_PROPERTIES, pspecs);
}

static void
uri_test_init (UriTest * self)
{
  guint i;

  for (i = PROP_URI; i < N_PROPERTIES; i++) {
    g_value_init (&self->values[i], pspecs[i]->value_type);
    g_param_value_set_default (pspecs[i], &self->values[i]);
  }
}

static const gchar *const other_end[] = { "bind-port", "timeout", NULL };

static GstElement *
make (void)
{
  GstElement *element = g_object_new (uri_test_get_type (), "name", "test",
      NULL);

  ((UriTest *) gst_object_ref_sink (element))->sets = 0;
  return element;
}

static gchar *
serialized (GstElement * element, const gchar * name)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (G_OBJECT (element), name, &value);
  if (G_VALUE_HOLDS_STRING (&value))
    text = g_value_dup_string (&value);
  else if (GST_VALUE_HOLDS_CAPS (&value))
    text = gst_caps_to_string (gst_value_get_caps (&value));
  else if (GST_VALUE_HOLDS_STRUCTURE (&value))
    text = gst_structure_to_string (gst_value_get_structure (&value));
  else
    text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

static const struct
{
  const gchar *uri;
  const gchar *host;
  gint port;
} addresses[] = {
  {"psp://192.0.2.1:5004", "192.0.2.1", 5004},
  {"psp://example.org:1", "example.org", 1},
  {"psp://example.org:65535/", "example.org", 65535},
  {"PSP://example.org:5004", "example.org", 5004},
  {"psp://[::1]:5004", "::1", 5004},
  {"psp://[2001:db8::7]:5004?ttl=3", "2001:db8::7", 5004},
  {"psp://[fe80::1%25eth0]:5004", "fe80::1%eth0", 5004},
};

GST_START_TEST (test_address)
{
  const gchar *uri = addresses[__i__].uri;
  GstElement *element = make ();
  GError *error = NULL;
  gchar *host;
  gint port;

  if (!gst_psp_uri_apply (element, uri, "host", other_end, &error))
    fail ("%s: %s", uri, error->message);
  g_object_get (element, "host", &host, "port", &port, NULL);
  fail_unless_equals_string (host, addresses[__i__].host);
  fail_unless_equals_int (port, addresses[__i__].port);
  g_free (host);
  gst_object_unref (element);
}

GST_END_TEST;

static const struct
{
  const gchar *query, *name, *expect;
} parameters[] = {
  {"ttl=3", "ttl", "3"},
  {"ttl=0x10", "ttl", "16"},
  {"rate=18446744073709551615", "rate", "18446744073709551615"},
  {"share=0.25", "share", "0.25"},
  {"loop=false", "loop", "false"},
  {"mode=time", "mode", "time"},
  {"flags=flush%2Bkey-unit", "flags",
      "GST_SEEK_FLAG_FLUSH+GST_SEEK_FLAG_KEY_UNIT"},
  {"flags=flush+key-unit", "flags",
      "GST_SEEK_FLAG_FLUSH+GST_SEEK_FLAG_KEY_UNIT"},
  {"text=plain", "text", "plain"},
  {"text=", "text", ""},
  {"text=a%20b%26c%3Dd%25", "text", "a b&c=d%"},
  {"text=%22quoted%22", "text", "\"quoted\""},
  {"t%65xt=x", "text", "x"},
  {"caps=application%2Fx-rtp,payload=96", "caps",
      "application/x-rtp, payload=(int)96"},
  {"structure=feed,step=(int)3;", "structure", "feed, step=(int)3;"},
  {"ttl=3&ttl=4", "ttl", "4"},
  {"timeout=nonsense&ttl=5&bind-port=0", "ttl", "5"},
  {"", "ttl", "64"},
};

GST_START_TEST (test_parameter)
{
  gchar *uri = g_strconcat ("psp://h:5004?", parameters[__i__].query, NULL);
  GstElement *element = make ();
  GError *error = NULL;
  gchar *text;

  if (!gst_psp_uri_apply (element, uri, "host", other_end, &error))
    fail ("%s: %s", uri, error->message);
  text = serialized (element, parameters[__i__].name);
  fail_unless_equals_string (text, parameters[__i__].expect);
  g_free (text);
  g_free (uri);
  gst_object_unref (element);
}

GST_END_TEST;

#define BAD GST_URI_ERROR_BAD_URI

/* What the message has to say: cause and remedy. */
static const struct
{
  const gchar *uri;
  gint code;
  const gchar *says[3];
} refused[] = {
  {"", GST_URI_ERROR_UNSUPPORTED_PROTOCOL, {"psp://"}},
  {"h:5004", GST_URI_ERROR_UNSUPPORTED_PROTOCOL, {"psp://"}},
  {"udp://h:5004", GST_URI_ERROR_UNSUPPORTED_PROTOCOL, {"udp", "psp://"}},
  {"psp:h:5004", BAD, {"a host", "psp://host:port"}},
  {"psp://:5004", BAD, {"a host", "psp://host:port"}},
  {"psp://h", BAD, {"a port", "psp://host:port"}},
  {"psp://h:", BAD, {"port", "psp://host:port"}},
  {"psp://h:0", BAD, {"1 to 65535", "psp://host:port"}},
  {"psp://h:65536", BAD, {"psp://host:port"}},
  {"psp://h:4294972300", BAD, {"psp://host:port"}},
  {"psp://h:99999999999999999999", BAD, {"psp://host:port"}},
  {"psp://h:-1", BAD, {"psp://host:port"}},
  {"psp://h:5004x", BAD, {"psp://host:port"}},
  {"psp://::1:5004", BAD, {"brackets"}},
  {"psp://[::1:5004", BAD, {"brackets"}},
  {"psp://u@h:5004", BAD, {"user"}},
  {"psp://h:5004/path", BAD, {"path"}},
  {"psp://h:5004#here", BAD, {"fragment"}},
  {"psp://h:5004?ttl=9&speed=4", BAD, {"'speed'", "known are", "ttl"}},
  {"psp://h:5004?ttl=9&speed", BAD, {"speed", "?name=value"}},
  {"psp://h:5004?ttl=9&text=%zz", BAD, {"%-encoding"}},
  {"psp://h:5004?ttl=9&text=%", BAD, {"%-encoding"}},
  {"psp://h:5004?ttl=9&text=%00x", BAD, {"?name=value"}},
  {"psp://h:5004?ttl=9&text=%ff", BAD, {"?name=value"}},
  {"psp://h:5004?ttl=9&%zz=1", BAD, {"%-encoding"}},
  {"psp://h:5004?ttl=9&rate=-", BAD, {"'rate'", "guint64"}},
  {"psp://h:5004?rate=1&ttl=256", BAD, {"'ttl'", "255"}},
  {"psp://h:5004?rate=1&ttl=4000000000", BAD, {"'ttl'"}},
  {"psp://h:5004?ttl=9&share=1.5", BAD, {"'share'", "range"}},
  {"psp://h:5004?ttl=9&share=half", BAD, {"'share'", "half", "gdouble"}},
  {"psp://h:5004?ttl=9&loop=maybe", BAD, {"'loop'", "maybe"}},
  {"psp://h:5004?ttl=9&mode=sideways", BAD, {"'mode'", "sideways"}},
  {"psp://h:5004?ttl=9&caps=%3B(", BAD, {"'caps'"}},
  {"psp://h:5004?ttl=9&uri=psp", BAD, {"'uri'", "cannot be set"}},
  {"psp://h:5004?ttl=9&socket=3", BAD, {"'socket'", "cannot be set"}},
  {"psp://h:5004?ttl=9&read-only=3", BAD, {"'read-only'", "cannot be set"}},
  {"psp://h:5004?ttl=9&construct-only=3", BAD, {"'construct-only'"}},
  {"psp://h:5004?ttl=9&name=x", BAD, {"'name'", "cannot be set"}},
  {"psp://h:5004?ttl=9&host=x", BAD, {"'host'", "psp://host:port"}},
  {"psp://h:5004?ttl=9&port=7", BAD, {"'port'", "psp://host:port"}},
};

GST_START_TEST (test_refused)
{
  const gchar *uri = refused[__i__].uri;
  GstElement *element = make ();
  GError *error = NULL;
  guint i;

  fail_if (gst_psp_uri_apply (element, uri, "host", other_end, &error),
      "%s was taken", uri);
  fail_unless (g_error_matches (error, GST_URI_ERROR, refused[__i__].code),
      "%s: %s", uri, error ? error->message : "no error");
  for (i = 0; i < 3 && refused[__i__].says[i]; i++)
    fail_unless (strstr (error->message, refused[__i__].says[i]) != NULL,
        "%s: '%s' does not say '%s'", uri, error->message,
        refused[__i__].says[i]);
  fail_unless_equals_int (((UriTest *) element)->sets, 0);
  g_clear_error (&error);

  fail_if (gst_psp_uri_apply (element, uri, "host", other_end, NULL));
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_known_parameters)
{
  GstElement *element = make ();
  GError *error = NULL;

  fail_if (gst_psp_uri_apply (element, "psp://h:1?x=1", "host", NULL, &error));
  fail_unless (g_str_has_suffix (error->message, "known are: ttl, rate, share,"
          " loop, text, caps, mode, flags, structure"), "%s", error->message);
  g_clear_error (&error);

  /* without a list of the other end's, its parameters are unknown too */
  fail_if (gst_psp_uri_apply (element, "psp://h:1?timeout=1", "host", NULL,
          NULL));
  gst_object_unref (element);
}

GST_END_TEST;

static void
count_notify (GObject * object, GParamSpec * pspec, guint * count)
{
  gint port;

  (void) pspec;
  /* every value is in place before the first is announced */
  g_object_get (object, "port", &port, NULL);
  fail_unless_equals_int (port, 5004);
  (*count)++;
}

GST_START_TEST (test_notify)
{
  GstElement *element = make ();
  guint count = 0;

  g_signal_connect (element, "notify", G_CALLBACK (count_notify), &count);
  fail_unless (gst_psp_uri_apply (element, "psp://h:5004?ttl=3&rate=7",
          "host", NULL, NULL));
  fail_unless_equals_int (count, 4);
  gst_object_unref (element);
}

GST_END_TEST;

static const struct
{
  const gchar *host;
  guint port;
  const gchar *uri;
} formats[] = {
  {"192.0.2.1", 5004, "psp://192.0.2.1:5004"},
  {"example.org", 1, "psp://example.org:1"},
  {"::1", 65535, "psp://[::1]:65535"},
  {"fe80::1%eth0", 5004, "psp://[fe80::1%25eth0]:5004"},
};

GST_START_TEST (test_format)
{
  gchar *uri = gst_psp_uri_format (formats[__i__].host, formats[__i__].port);
  GstElement *element = make ();
  gchar *host;

  fail_unless_equals_string (uri, formats[__i__].uri);

  /* and back */
  fail_unless (gst_psp_uri_apply (element, uri, "host", NULL, NULL));
  g_object_get (element, "host", &host, NULL);
  fail_unless_equals_string (host, formats[__i__].host);
  g_free (host);
  g_free (uri);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
uri_suite (void)
{
  Suite *suite = suite_create ("psp-uri");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_address, 0, G_N_ELEMENTS (addresses));
  tcase_add_loop_test (tcase, test_parameter, 0, G_N_ELEMENTS (parameters));
  tcase_add_loop_test (tcase, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tcase, test_known_parameters);
  tcase_add_test (tcase, test_notify);
  tcase_add_loop_test (tcase, test_format, 0, G_N_ELEMENTS (formats));
  return suite;
}

GST_CHECK_MAIN (uri);
