/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The parameters of all controllers as one structure, whose fields are those of
 * their tables: what the property controller-params is. And a controller by its
 * name. Nothing here knows any controller.
 */
#ifndef PARAMETERS_PARAMETERS_H
#define PARAMETERS_PARAMETERS_H

#include <gst/gst.h>

#include <control/controller.h>

G_BEGIN_DECLS

/* Without a field: every parameter has its default. */
GstStructure *gst_psp_parameters_new (void);
/* Takes the fields of `from`, any number types, and leaves others as they were;
 * NULL takes all away. FALSE where a field is of no controller, no number, or
 * out of its range: nothing is changed then, and the error names field and
 * range. The chosen controller's table comes first where several have the
 * name. */
gboolean gst_psp_parameters_set (GstStructure * parameters,
    const GstStructure * from, const gchar * controller, GError ** error);
/* The value of a parameter, which its controller must have. */
gdouble gst_psp_parameters_get (const GstStructure * parameters,
    const gchar * controller, const gchar * name);
/* The values for a controller, in the order of its table. */
void gst_psp_parameters_values (const GstStructure * parameters,
    const PspControllerClass * klass, gdouble values[PSP_MAX_PARAMETERS]);
/* The controller of this name; NULL: there is none, as the error says. */
const PspControllerClass *gst_psp_controller_find (const gchar * name,
    GError ** error);

/* The properties controller and controller-params, which say what there is. */
GParamSpec *gst_psp_controller_spec (const gchar * standard, GParamFlags flags);
GParamSpec *gst_psp_parameters_spec (GParamFlags flags);

G_END_DECLS

#endif
