/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-link-relay: an emulated bottleneck between UDP sockets, without root.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "relay.h"

static const char usage[] =
    "Usage: psp-link-relay --listen HOST:PORT --to HOST:PORT [OPTION...]\n"
    "       psp-link-relay --flow 'HOST:PORT>HOST:PORT'... [OPTION...]\n"
    "\n"
    "Relays UDP through an emulated link. Prints \"ready\" and the listening\n"
    "addresses when it listens, and sums as JSON when it ends.\n"
    "\n"
    "  --listen ADDR     where senders send to; port 0 = any free one\n"
    "  --to ADDR         where the packets go\n"
    "  --flow 'ADDR>ADDR'  both; may be repeated, all flows share the link\n"
    "  --forward SPEC    the link towards --to, e.g. rate=2M,delay=20ms,\n"
    "                    queue=10p (README.md has the grammar)\n"
    "  --back SPEC       the link back\n"
    "  --log FILE        a line per packet, CSV\n"
    "  --stats FILE      the sums to FILE instead of stdout\n"
    "  --duration SECONDS  end by itself; else at SIGINT or SIGTERM\n"
    "  --help\n";

typedef struct
{
  const char *listen, *to, *forward, *back, *log, *stats;
  double duration;
} Options;

static bool
add_flow (Relay * r, const char *listen, const char *to)
{
  RelayFlow *f = &r->flow[r->n_flows];

  if (r->n_flows == RELAY_MAX_FLOWS) {
    fprintf (stderr, "more than %d flows\n", RELAY_MAX_FLOWS);
    return false;
  }
  if (!relay_parse_address (listen, &f->listen) ||
      !relay_parse_address (to, &f->to))
    return false;
  r->n_flows++;
  return true;
}

static bool
add_flow_pair (Relay * r, char *pair)
{
  char *arrow = strchr (pair, '>');

  if (!arrow) {
    fprintf (stderr, "--flow \"%.60s\" is not 'HOST:PORT>HOST:PORT'\n", pair);
    return false;
  }
  *arrow = '\0';
  return add_flow (r, pair, arrow + 1);
}

static bool
parse_duration (const char *text, double *duration)
{
  char *end;

  *duration = strtod (text, &end);
  if (*end == '\0' && *duration > 0 && *duration < 1e9)
    return true;
  fprintf (stderr, "--duration \"%.30s\" is not a number of seconds\n", text);
  return false;
}

/* 0, or the exit status with -1 for 0. */
static int
parse_options (int argc, char **argv, Relay * r, Options * o)
{
  static const struct option options[] = {
    {"listen", 1, 0, 'l'}, {"to", 1, 0, 't'}, {"flow", 1, 0, 'F'},
    {"forward", 1, 0, 'f'}, {"back", 1, 0, 'b'}, {"log", 1, 0, 'L'},
    {"stats", 1, 0, 's'}, {"duration", 1, 0, 'd'}, {"help", 0, 0, 'h'},
    {0, 0, 0, 0}
  };
  bool ok = true;
  int c;

  while (ok && (c = getopt_long (argc, argv, "h", options, NULL)) != -1) {
    switch (c) {
      case 'l':
        o->listen = optarg;
        break;
      case 't':
        o->to = optarg;
        break;
      case 'F':
        ok = add_flow_pair (r, optarg);
        break;
      case 'f':
        o->forward = optarg;
        break;
      case 'b':
        o->back = optarg;
        break;
      case 'L':
        o->log = optarg;
        break;
      case 's':
        o->stats = optarg;
        break;
      case 'd':
        ok = parse_duration (optarg, &o->duration);
        break;
      case 'h':
        fputs (usage, stdout);
        return -1;
      default:
        return 2;
    }
  }
  if (ok && (o->listen || o->to)) {
    if (!o->listen || !o->to)
      ok = !fputs ("--listen and --to go together\n", stderr);
    else
      ok = add_flow (r, o->listen, o->to);
  }
  if (ok && (optind < argc || r->n_flows == 0)) {
    fputs (usage, stderr);
    ok = false;
  }
  return ok ? 0 : 2;
}

static void
print_ready (const Relay * r)
{
  unsigned i;

  fputs ("ready", stdout);
  for (i = 0; i < r->n_flows; i++) {
    fputc (' ', stdout);
    relay_print_address (&r->flow[i].listen, stdout);
  }
  fputc ('\n', stdout);
  fflush (stdout);
}

static void
print_stats (const Relay * r, FILE * file, bool realtime)
{
  fputc ('{', file);
  link_path_stats (&r->forward, file);
  fputc (',', file);
  link_path_stats (&r->back, file);
  fprintf (file, ",\"strangers\":%llu,\"kernel-drops\":%llu,"
      "\"send-errors\":%llu,\"realtime\":%s}\n",
      (unsigned long long) r->strangers,
      (unsigned long long) relay_kernel_drops (r),
      (unsigned long long) r->send_errors, realtime ? "true" : "false");
}

static int
run (Relay * r, const Options * o, FILE * log, FILE * stats)
{
  bool realtime;

  r->forward.log = r->back.log = log;
  link_signals_init (false);
  if (!relay_open (r)) {
    relay_close (r);
    return 1;
  }
  realtime = link_realtime ();
  print_ready (r);
  relay_run (r, o->duration > 0 ?
      link_now () + (int64_t) (o->duration * 1e9) : LINK_NEVER);
  relay_close (r);
  print_stats (r, stats, realtime);
  return 0;
}

int
main (int argc, char **argv)
{
  static Relay relay;           /* too big for a stack */
  Options o = {.forward = "",.back = "" };
  FILE *log = NULL, *stats;
  int32_t overhead;
  int status = parse_options (argc, argv, &relay, &o);

  if (status)
    return status < 0 ? 0 : status;
  /* IP and UDP headers, which the sockets hide. */
  overhead = relay.flow[0].to.storage.ss_family == AF_INET6 ? 48 : 28;
  if (!link_path_init (&relay.forward, "forward", o.forward, overhead))
    return 2;
  status = 2;
  if (!link_path_init (&relay.back, "back", o.back, overhead))
    goto out;
  status = 1;
  stats = link_stats_open (o.stats);
  if (stats && (!o.log || (log = link_log_open (o.log))))
    status = run (&relay, &o, log, stats);
  if (stats && fclose (stats) != 0)
    status = 1;
  if (log && fclose (log) != 0) {
    perror ("--log");
    status = 1;
  }
  link_path_clear (&relay.back);
  link_buffers_clear ();

out:
  link_path_clear (&relay.forward);
  return status;
}
