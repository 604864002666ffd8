/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-lab: controllers beside one another on the cases of cases.c, in virtual
 * time: the libraries' sender and receiver over tests/link's model.
 *
 *   psp-lab [-c CONTROLLER[:NAME=VALUE]...[,CONTROLLER...]] [-s FIRST-LAST]
 *       [-m SOURCE] [-t TRACE] [-r] [-l] [-p CONTROLLER]
 *       [-L LINK [-B LINK] [-F FLOWS] [-T SECONDS]] [CASE...]
 *
 * A row for each case and controller: means over the seeds, and in brackets
 * the least and the largest where they matter. With -r a line for each figure:
 * case,controller,figure,mean,least,largest. -p lists a controller's parameters:
 * name,least,largest,default. -L is a case of one's own: the link there, and back,
 * the flows as in cases.h, and how long, of which the last three quarters count.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "spec.h"

typedef struct
{
  char label[100];
  const PspControllerClass *klass;
  double parameters[PSP_MAX_PARAMETERS];
} Candidate;

typedef struct
{
  double mean, least, most;
  int n;
} Figure;

static void
fail (const char *what, const char *which)
{
  fprintf (stderr, "psp-lab: %s: %s\n", what, which);
  exit (2);
}

static Candidate
parse_candidate (char *text)
{
  Candidate c = {.klass = NULL };
  char *rest = NULL, *word;

  snprintf (c.label, sizeof c.label, "%s", text);
  word = strtok_r (text, ":", &rest);
  c.klass = psp_controller_find (word);
  if (!c.klass)
    fail ("there is no controller", word);
  psp_parameter_defaults (c.klass->parameters, c.parameters);
  while ((word = strtok_r (NULL, ":", &rest))) {
    char *value = strchr (word, '=');
    int i;

    if (!value)
      fail ("not NAME=VALUE", word);
    *value++ = '\0';
    i = psp_parameter_find (c.klass->parameters, word);
    if (i < 0)
      fail ("there is no parameter", word);
    c.parameters[i] = atof (value);
  }
  return c;
}

static void
add (Figure * f, double value)
{
  if (isnan (value))
    return;
  f->least = f->n == 0 ? value : fmin (f->least, value);
  f->most = f->n == 0 ? value : fmax (f->most, value);
  f->mean += (value - f->mean) / ++f->n;
  if (isinf (value))
    f->mean = value;
}

static void
print_figure (LabFigure i, const Figure * f)
{
  bool ratio = i == LAB_USE || i == LAB_SHARE || i == LAB_WORST
      || i == LAB_JAIN;
  char text[40] = "";
  int digits = ratio ? 3 : i == LAB_LOSS ? 2 : i == LAB_WAIT || i == LAB_DELAY
      || i == LAB_PEAK ? 0 : 1;

  if (f->n > 0 && (i == LAB_WORST || i == LAB_LOSS || i == LAB_DELAY
          || i == LAB_DOWN || f->n == 1))
    snprintf (text, sizeof text, "%.*f", digits, f->mean);
  else if (f->n > 0)
    snprintf (text, sizeof text, "%.*f(%.*f-%.*f)", digits, f->mean, digits,
        f->least, digits, f->most);
  printf (" %*s", f->n > 1 && (ratio && i != LAB_WORST) ? 18 :
      i == LAB_WAIT || i == LAB_PEAK ? 13 : i == LAB_UP ? 12 : 6, text);
}

static void
measure (const LabCase * c, const Candidate * candidate, const char *source,
    int first, int last, FILE * trace, bool raw)
{
  Figure figures[LAB_N_FIGURES];
  double values[LAB_N_FIGURES];
  int seed;
  unsigned i;

  memset (figures, 0, sizeof figures);
  for (seed = first; seed <= last; seed++) {
    lab_run (c, candidate->klass->name, candidate->parameters, source,
        (uint64_t) seed, values, trace);
    for (i = 0; i < LAB_N_FIGURES; i++)
      add (&figures[i], values[i]);
  }
  for (i = 0; raw && i < LAB_N_FIGURES; i++)
    if (figures[i].n > 0)
      printf ("%s,%s,%s,%.6g,%.6g,%.6g\n", c->name, candidate->label,
          lab_figure_names[i], figures[i].mean, figures[i].least,
          figures[i].most);
  if (raw)
    return;
  printf ("%-12s %-12s", c->name, candidate->label);
  for (i = 0; i < LAB_N_FIGURES; i++)
    print_figure (i, &figures[i]);
  printf ("\n");
  fflush (stdout);
}

static void
list (void)
{
  unsigned i;

  for (i = 0; lab_cases[i].name; i++)
    printf ("%-12s %s\n", lab_cases[i].name, lab_cases[i].blurb);
  for (i = 0; lab_sources[i].name; i++)
    printf ("source %-8s %s\n", lab_sources[i].name, lab_sources[i].blurb);
  exit (0);
}

static void
list_parameters (const char *name)
{
  const PspControllerClass *klass = psp_controller_find (name);
  const PspParameter *p;

  if (!klass)
    fail ("there is no controller", name);
  for (p = klass->parameters; p && p->name; p++)
    printf ("%s,%g,%g,%g\n", p->name, p->least, p->most, p->standard);
  exit (0);
}

static void
check_link (const char *spec)
{
  LinkConfig config;
  char error[LINK_ERROR_SIZE];

  if (spec && !link_spec_parse (spec, &config, error))
    fail (spec, error);
}

int
main (int argc, char **argv)
{
  Candidate candidates[16];
  LabCase own = {.name = "own",.flows = "media:plain",.end = 60 };
  unsigned n = 0, i, k;
  int option, first = 1, last = 5;
  char standard[] = "scp", *names = standard, *rest = NULL, *word;
  const char *source = NULL;
  FILE *trace = NULL;
  bool raw = false;

  while ((option = getopt (argc, argv, "c:s:m:t:rlp:L:B:F:T:")) >= 0) {
    if (option == 'c')
      names = optarg;
    else if (option == 'm')
      source = optarg;
    else if (option == 't')
      trace = fopen (optarg, "w");
    else if (option == 's' && sscanf (optarg, "%d-%d", &first, &last) == 1)
      last = first;
    else if (option == 'r')
      raw = true;
    else if (option == 'L')
      own.forward.link = optarg;
    else if (option == 'B')
      own.back.link = optarg;
    else if (option == 'F')
      own.flows = optarg;
    else if (option == 'T')
      own.end = atoi (optarg);
    else if (option == 'l')
      list ();
    else if (option == 'p')
      list_parameters (optarg);
    else if (option == '?')
      return 2;
  }
  for (word = strtok_r (names, ",", &rest); word && n < 16;
      word = strtok_r (NULL, ",", &rest))
    candidates[n++] = parse_candidate (word);
  if (!raw)
    printf ("%-12s %-12s", "case", "controller");
  for (i = 0; !raw && i < LAB_N_FIGURES; i++)
    printf (" %s%s", lab_figure_names[i], i + 1 < LAB_N_FIGURES ? "" : "\n");
  check_link (own.forward.link);
  check_link (own.back.link);
  own.from = own.end / 4;
  for (k = 0; own.forward.link && k < n; k++)
    measure (&own, &candidates[k], source, first, last, trace, raw);
  for (i = 0; lab_cases[i].name; i++) {
    bool wanted = optind == argc && !own.forward.link;

    for (k = (unsigned) optind; k < (unsigned) argc; k++)
      wanted = wanted || strcmp (argv[k], lab_cases[i].name) == 0;
    for (k = 0; wanted && k < n; k++)
      measure (&lab_cases[i], &candidates[k], source, first, last, trace, raw);
  }
  return 0;
}
