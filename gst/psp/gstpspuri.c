/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * This uses GLib's GUri instead of GstUri, which crashes on an invalid percent
 * escape and wraps ports above 2^32.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspuri.h"

#include <string.h>

/* The scheme of our URIs. */
#define SCHEME "psp"
/* A URI as errors suggest it. */
#define EXAMPLE SCHEME "://host:port"

typedef struct
{
  GParamSpec *pspec;
  GValue value;
} Setting;

static void
setting_clear (gpointer data)
{
  Setting *setting = data;

  g_value_unset (&setting->value);
}

/* True if a URI may set the property. An object cannot be written as text. A
 * property that cannot be read is secret, but a URI is visible. GstObject's own
 * properties (name, parent) do not belong to the address. */
static gboolean
is_parameter (const GParamSpec * pspec, const gchar * host_property)
{
  GType type = pspec->value_type;

  return (pspec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE
      && !(pspec->flags & G_PARAM_CONSTRUCT_ONLY)
      && pspec->owner_type != GST_TYPE_OBJECT
      && !g_type_is_a (type, G_TYPE_OBJECT)
      && !g_type_is_a (type, G_TYPE_INTERFACE)
      && !g_type_is_a (type, G_TYPE_POINTER)
      && strcmp (pspec->name, "uri") != 0
      && strcmp (pspec->name, "port") != 0
      && strcmp (pspec->name, host_property) != 0;
}

static gchar *
list_parameters (GObjectClass * klass, const gchar * host_property)
{
  guint n, i;
  GParamSpec **pspecs = g_object_class_list_properties (klass, &n);
  GString *names = g_string_new (NULL);

  for (i = 0; i < n; i++) {
    if (is_parameter (pspecs[i], host_property))
      g_string_append_printf (names, "%s%s", names->len ? ", " : "",
          pspecs[i]->name);
  }
  g_free (pspecs);
  if (!names->len)
    g_string_append (names, "none");
  return g_string_free (names, FALSE);
}

static gboolean
find_parameter (GstElement * element, const gchar * host_property,
    const gchar * key, GParamSpec ** found, GError ** error)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  GParamSpec *pspec = g_object_class_find_property (klass, key);
  gchar *known;

  if (pspec && is_parameter (pspec, host_property)) {
    *found = pspec;
    return TRUE;
  }

  if (!strcmp (key, "port") || !strcmp (key, host_property)) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' cannot be a parameter: write it as in " EXAMPLE, key);
    return FALSE;
  }

  known = list_parameters (klass, host_property);
  if (pspec)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' of %s cannot be set from a URI; parameters are: %s", key,
        GST_OBJECT_NAME (element), known);
  else
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "unknown parameter '%s'; known are: %s", key, known);
  g_free (known);
  return FALSE;
}

static gboolean
read_value (GParamSpec * pspec, const gchar * text, GValue * value,
    GError ** error)
{
  gboolean ok;

  g_value_init (value, pspec->value_type);
  /* gst_value_deserialize() would interpret quotes and backslashes. */
  if (pspec->value_type == G_TYPE_STRING) {
    g_value_set_string (value, text);
    ok = TRUE;
  } else {
    ok = gst_value_deserialize_with_pspec (value, text, pspec);
  }

  if (!ok) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' is not a value for parameter '%s', which is a %s", text,
        pspec->name, g_type_name (pspec->value_type));
  } else if (g_param_value_validate (pspec, value)) {
    gchar *allowed = gst_value_serialize (value);

    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' is out of range for parameter '%s'; the nearest allowed value"
        " is %s", text, pspec->name, allowed ? allowed : "another");
    g_free (allowed);
    ok = FALSE;
  }

  if (!ok)
    g_value_unset (value);
  return ok;
}

static gboolean
read_query (GstElement * element, const gchar * query,
    const gchar * host_property, const gchar * const *other_end,
    GArray * settings, GError ** error)
{
  GUriParamsIter iter;
  gchar *key, *text;
  GError *why = NULL;
  gboolean ok = TRUE;

  g_uri_params_iter_init (&iter, query, -1, "&", G_URI_PARAMS_NONE);
  while (ok && g_uri_params_iter_next (&iter, &key, &text, &why)) {
    Setting setting = { NULL, G_VALUE_INIT };

    if (!other_end || !g_strv_contains (other_end, key)) {
      ok = find_parameter (element, host_property, key, &setting.pspec, error)
          && read_value (setting.pspec, text, &setting.value, error);
      if (ok)
        g_array_append_val (settings, setting);
    }
    g_free (key);
    g_free (text);
  }
  if (why) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "cannot read the parameters '%s' (%s); write ?name=value&name=value",
        query, why->message);
    g_error_free (why);
    return FALSE;
  }
  return ok;
}

gboolean
gst_psp_uri_check_port (gint port, GError ** error)
{
  if (port <= G_MAXUINT16)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "There is no port %d: set one up to 65535.", port);
  return FALSE;
}

static gboolean
check_address (const gchar * uri, const gchar * host, gint port,
    const gchar * userinfo, const gchar * path, const gchar * fragment,
    GError ** error)
{
  const gchar *wrong = NULL;

  if (!host || !*host)
    wrong = "a host";
  else if (port < 1)
    wrong = "a port from 1 to 65535";

  if (wrong) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' lacks %s: write " EXAMPLE, uri, wrong);
    return FALSE;
  }

  if (userinfo)
    wrong = "user";
  else if (path && *path && strcmp (path, "/"))
    wrong = "path";
  else if (fragment)
    wrong = "fragment";

  if (wrong) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' has a %s, which means nothing here: write " EXAMPLE
        "?parameter=value", uri, wrong);
    return FALSE;
  }
  return TRUE;
}

static void
apply (GstElement * element, const gchar * host_property, const gchar * host,
    guint port, GArray * settings)
{
  GObject *object = G_OBJECT (element);
  guint i;

  g_object_freeze_notify (object);
  g_object_set (object, host_property, host, "port", port, NULL);
  for (i = 0; i < settings->len; i++) {
    Setting *setting = &g_array_index (settings, Setting, i);

    g_object_set_property (object, setting->pspec->name, &setting->value);
  }
  g_object_thaw_notify (object);
}

gboolean
gst_psp_uri_apply (GstElement * element, const gchar * uri,
    const gchar * host_property, const gchar * const *other_end,
    GError ** error)
{
  gchar *scheme = NULL, *userinfo = NULL, *host = NULL, *path = NULL;
  gchar *query = NULL, *fragment = NULL;
  gint port = -1;
  GArray *settings;
  GError *why = NULL;
  gboolean ok;

  g_return_val_if_fail (GST_IS_ELEMENT (element), FALSE);
  g_return_val_if_fail (uri != NULL, FALSE);
  g_return_val_if_fail (host_property != NULL, FALSE);

  settings = g_array_new (FALSE, TRUE, sizeof (Setting));
  g_array_set_clear_func (settings, setting_clear);

  ok = g_uri_split (uri, G_URI_FLAGS_ENCODED_QUERY, &scheme, &userinfo, &host,
      &port, &path, &query, &fragment, &why);
  if (!ok) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' is not a URI (%s): write " EXAMPLE ", an IPv6 address in"
        " brackets", uri, why->message);
    g_error_free (why);
  } else if (!scheme || g_ascii_strcasecmp (scheme, SCHEME)) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "'%s' does not begin with " SCHEME "://", uri);
    ok = FALSE;
  } else {
    ok = check_address (uri, host, port, userinfo, path, fragment, error)
        && (!query || read_query (element, query, host_property, other_end,
            settings, error));
  }
  if (ok)
    apply (element, host_property, host, port, settings);

  g_array_unref (settings);
  g_free (scheme);
  g_free (userinfo);
  g_free (host);
  g_free (path);
  g_free (query);
  g_free (fragment);
  return ok;
}

gchar *
gst_psp_uri_format (const gchar * host, guint port)
{
  /* g_uri_join() brackets IPv6 addresses and escapes their zone (RFC 6874). */
  return g_uri_join (G_URI_FLAGS_NONE, SCHEME, NULL, host ? host : "", port,
      "", NULL, NULL);
}
