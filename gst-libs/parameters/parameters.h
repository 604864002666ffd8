/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The parameters of all controllers as one structure, whose fields are those of
 * their tables: what the property controller-params is. Nothing here knows any
 * controller.
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
/* What there is, for people. Free with g_free(). */
gchar *gst_psp_parameters_describe (void);
/* The names of all controllers, for people. Free with g_free(). */
gchar *gst_psp_controllers_describe (void);

G_END_DECLS

#endif
