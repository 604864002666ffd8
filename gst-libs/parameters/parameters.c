/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <parameters/parameters.h>

GstStructure *
gst_psp_parameters_new (void)
{
  return gst_structure_new_empty ("params");
}

/* What there is, for people. */
static gchar *
describe_parameters (void)
{
  const PspControllerClass *const *all = psp_controller_list ();
  GString *text = g_string_new (NULL);

  for (; *all; all++) {
    guint n = psp_parameter_count ((*all)->parameters);

    for (guint i = 0; i < n; i++) {
      const PspParameter *p = &(*all)->parameters[i];

      g_string_append_printf (text, "%s%s (%s%s%s, %.15g to %.15g, default "
          "%.15g)", text->len == 0 ? "" : ", ", p->name, (*all)->name,
          *p->unit ? ", " : "", p->unit, p->least, p->most, p->standard);
    }
  }
  return g_string_free (text, FALSE);
}

/* NULL where no controller has it. */
static const PspParameter *
find_parameter (const gchar * controller, const gchar * name)
{
  const PspControllerClass *const *all = psp_controller_list ();
  const PspControllerClass *klass = psp_controller_find (controller);
  int i = klass ? psp_parameter_find (klass->parameters, name) : -1;

  while (i < 0 && (klass = *all++))
    i = psp_parameter_find (klass->parameters, name);
  return klass && i >= 0 ? &klass->parameters[i] : NULL;
}

static gboolean
get_number (const GValue * value, gdouble * number)
{
  GValue number_value = G_VALUE_INIT;
  GType type = G_VALUE_TYPE (value);

  if (type != G_TYPE_INT && type != G_TYPE_UINT && type != G_TYPE_INT64 &&
      type != G_TYPE_UINT64 && type != G_TYPE_DOUBLE && type != G_TYPE_FLOAT)
    return FALSE;
  g_value_init (&number_value, G_TYPE_DOUBLE);
  g_value_transform (value, &number_value);
  *number = g_value_get_double (&number_value);
  g_value_unset (&number_value);
  return TRUE;
}

typedef struct
{
  GstStructure *checked;        /* the fields so far, as doubles */
  const gchar *controller;
  GError **error;
} Check;

static gboolean
check_field (GQuark field, const GValue * value, gpointer data)
{
  Check *check = data;
  const gchar *name = g_quark_to_string (field);
  const PspParameter *p = find_parameter (check->controller, name);
  gdouble number;
  gchar *names;

  if (!p) {
    names = describe_parameters ();
    g_set_error (check->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "No controller has a parameter \"%s\"; there are: %s. Nothing is "
        "changed.", name, names);
    g_free (names);
    return FALSE;
  }
  if (!get_number (value, &number) || !psp_parameter_allows (p, number)) {
    names = gst_value_serialize (value);
    g_set_error (check->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The parameter \"%s\" takes a number from %.15g to %.15g%s%s, not "
        "\"%s\". Nothing is changed.", name, p->least, p->most,
        *p->unit ? " " : "", p->unit,
        names ? names : G_VALUE_TYPE_NAME (value));
    g_free (names);
    return FALSE;
  }
  gst_structure_id_set (check->checked, field, G_TYPE_DOUBLE, number, NULL);
  return TRUE;
}

static gboolean
copy_field (GQuark field, const GValue * value, gpointer data)
{
  gst_structure_id_set_value (data, field, value);
  return TRUE;
}

gboolean
gst_psp_parameters_set (GstStructure * parameters, const GstStructure * from,
    const gchar * controller, GError ** error)
{
  Check check = { gst_psp_parameters_new (), controller, error };
  gboolean ok = TRUE;

  if (!from)
    gst_structure_remove_all_fields (parameters);
  else if ((ok = gst_structure_foreach (from, check_field, &check)))
    gst_structure_foreach (check.checked, copy_field, parameters);
  gst_structure_free (check.checked);
  return ok;
}

static gdouble
get_value (const GstStructure * parameters, const PspParameter * p)
{
  gdouble value;

  if (gst_structure_get_double (parameters, p->name, &value) &&
      psp_parameter_allows (p, value))
    return value;
  return p->standard;
}

gdouble
gst_psp_parameters_get (const GstStructure * parameters,
    const gchar * controller, const gchar * name)
{
  return get_value (parameters, find_parameter (controller, name));
}

void
gst_psp_parameters_values (const GstStructure * parameters,
    const PspControllerClass * klass, gdouble values[PSP_MAX_PARAMETERS])
{
  guint n = psp_parameter_count (klass->parameters);

  for (guint i = 0; i < n; i++)
    values[i] = get_value (parameters, &klass->parameters[i]);
}

/* Their names, for people. */
static gchar *
describe_controllers (void)
{
  const PspControllerClass *const *all = psp_controller_list ();
  GString *names = g_string_new (all[0]->name);

  while (*++all)
    g_string_append_printf (names, ", %s", (*all)->name);
  return g_string_free (names, FALSE);
}

const PspControllerClass *
gst_psp_controller_find (const gchar * name, GError ** error)
{
  const PspControllerClass *klass = psp_controller_find (name);
  gchar *names;

  if (klass)
    return klass;
  names = describe_controllers ();
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "There is no controller \"%s\"; choose one of %s.", name ? name : "",
      names);
  g_free (names);
  return NULL;
}

/* Takes the text. */
static const gchar *
blurb (const gchar * what, gchar * text)
{
  gchar *whole = g_strdup_printf ("%s: %s", what, text);
  const gchar *interned = g_intern_string (whole);

  g_free (whole);
  g_free (text);
  return interned;
}

GParamSpec *
gst_psp_controller_spec (const gchar * standard, GParamFlags flags)
{
  return g_param_spec_string ("controller", "Controller",
      blurb ("Name of the congestion controller", describe_controllers ()),
      standard, flags);
}

GParamSpec *
gst_psp_parameters_spec (GParamFlags flags)
{
  return g_param_spec_boxed ("controller-params", "Controller parameters",
      blurb ("Parameters of controllers", describe_parameters ()),
      GST_TYPE_STRUCTURE, flags);
}
