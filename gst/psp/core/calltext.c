/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "call.h"

#include <string.h>

#define LATEST (INT64_C (1) << 60)      /* 36 years after the clock began */
#define DIGITS 20               /* of an int64_t, with its sign */

/* What an argument may be: its type in sender.h, by a letter. */
typedef struct
{
  char letter;
  int64_t least, most;
} Range;

static const Range ranges[] = {
  {'t', 0, LATEST},             /* time */
  {'b', 0, 1},
  {'y', 0, UINT8_MAX},
  {'s', 0, UINT16_MAX},
  {'u', 0, UINT32_MAX},
  {'l', INT64_MIN, INT64_MAX},
  {'c', 0, PSP_CALL_OCTETS}     /* capacity for octets */
};

typedef enum
{
  OCTETS_NONE,
  OCTETS_IN,
  OCTETS_OUT
} Octets;

typedef struct
{
  const char *name;
  bool controller;
  const char *in;
  unsigned out;
  Octets octets;
} Kind;

#define STATE 8                 /* psp_call_out_state() */
#define NOTICE 6
#define STATS 25

static const Kind kinds[PSP_N_CALLS] = {
  [PSP_CALL_NEW] = {"new", true, "lllllllllbut", STATE, OCTETS_IN},
  [PSP_CALL_SET_CONTROLLER] = {"set-controller", true, "t", 1 + STATE,
      OCTETS_NONE},
  [PSP_CALL_SET_LIMITS] = {"set-limits", false, "lllllllllt", STATE,
      OCTETS_NONE},
  [PSP_CALL_SET_PAIRS] = {"set-pairs", false, "b", 0, OCTETS_NONE},
  [PSP_CALL_SET_CLOCK_RATE] = {"set-clock-rate", false, "u", 0, OCTETS_NONE},
  [PSP_CALL_RESET] = {"reset", false, "t", STATE, OCTETS_NONE},
  [PSP_CALL_RESUME] = {"resume", false, "t", STATE, OCTETS_NONE},
  [PSP_CALL_ALLOWANCE] = {"allowance", false, "tu", 2, OCTETS_NONE},
  [PSP_CALL_SENT] = {"sent", false, "uusybuultb", STATE, OCTETS_NONE},
  [PSP_CALL_MEDIA_ALLOWED] = {"media-allowed", false, "t", 1, OCTETS_NONE},
  [PSP_CALL_RTCP] = {"rtcp", false, "t", 1 + STATE, OCTETS_IN},
  [PSP_CALL_NEXT_TICK] = {"next-tick", false, "t", 1, OCTETS_NONE},
  [PSP_CALL_TICK] = {"tick", false, "t", STATE, OCTETS_NONE},
  [PSP_CALL_TAKE_NOTICE] = {"take-notice", false, "t", 1 + NOTICE, OCTETS_NONE},
  [PSP_CALL_NOTICE] = {"notice", false, "", NOTICE, OCTETS_NONE},
  [PSP_CALL_PACK_RTCP] = {"pack-rtcp", false, "tllbc", 0, OCTETS_OUT},
  [PSP_CALL_STATS] = {"stats", false, "t", STATS, OCTETS_NONE}
};

int64_t
psp_call_time (const PspCall * call)
{
  const char *in = kinds[call->kind].in, *at = memchr (in, 't', strlen (in));

  return at && (unsigned) (at - in) < call->n_in ? call->in[at - in] :
      PSP_TIME_UNKNOWN;
}

/* Writing */

typedef struct
{
  char *at;
  size_t left;
  bool error;
} Writer;

static void
put (Writer * w, const char *text, size_t size)
{
  if (w->error || w->left < size) {
    w->error = true;
    return;
  }
  memcpy (w->at, text, size);
  w->at += size;
  w->left -= size;
}

static void
put_number (Writer * w, int64_t number)
{
  uint64_t rest = number < 0 ? 0 - (uint64_t) number : (uint64_t) number;
  char text[1 + DIGITS];
  size_t at = sizeof text;

  do {
    text[--at] = (char) ('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0)
    text[--at] = '-';
  text[--at] = ' ';
  put (w, text + at, sizeof text - at);
}

static void
put_octets (Writer * w, const uint8_t * octets, size_t n)
{
  static const char digits[] = "0123456789abcdef";

  put (w, n > 0 ? " " : " -", n > 0 ? 1 : 2);
  for (size_t i = 0; i < n; i++) {
    char text[2] = { digits[octets[i] >> 4], digits[octets[i] & 15] };

    put (w, text, 2);
  }
}

size_t
psp_call_format (const PspCall * call, char *line, size_t capacity)
{
  const Kind *kind = &kinds[call->kind];
  Writer w = { line, capacity, false };

  put (&w, kind->name, strlen (kind->name));
  if (kind->controller) {
    put (&w, " ", 1);
    put (&w, call->controller->name, strlen (call->controller->name));
  }
  for (unsigned i = 0; i < call->n_in; i++)
    put_number (&w, call->in[i]);
  if (kind->octets == OCTETS_IN)
    put_octets (&w, call->octets, call->n_octets);
  put (&w, " =", 2);
  for (unsigned i = 0; i < call->n_out; i++)
    put_number (&w, call->out[i]);
  if (kind->octets == OCTETS_OUT)
    put_octets (&w, call->octets, call->n_octets);
  return w.error ? 0 : capacity - w.left;
}

/* Reading: word by word, of which each but the last ends with one space. */

typedef struct
{
  const char *at;
  size_t left;
} Words;

/* Empty where there is none. */
static size_t
take_word (Words * words, const char **word)
{
  const char *end = words->left > 0 ?
      memchr (words->at, ' ', words->left) : NULL;
  size_t size = end ? (size_t) (end - words->at) : words->left;
  size_t used = end ? size + 1 : size;

  *word = words->at;
  words->at += used;
  words->left -= used;
  return size;
}

static bool
take_text (Words * words, const char *text)
{
  const char *word;
  size_t size = take_word (words, &word);

  return size == strlen (text) && memcmp (word, text, size) == 0;
}

static bool
take_kind (Words * words, PspCallKind * kind)
{
  Words before = *words;

  for (unsigned i = 0; i < PSP_N_CALLS; i++) {
    *words = before;
    if (take_text (words, kinds[i].name)) {
      *kind = (PspCallKind) i;
      return true;
    }
  }
  return false;
}

static bool
take_controller (Words * words, const PspControllerClass ** controller)
{
  char name[32];
  const char *word;
  size_t size = take_word (words, &word);

  if (size >= sizeof name || memchr (word, '\0', size))
    return false;
  memcpy (name, word, size);
  name[size] = '\0';
  *controller = psp_controller_find (name);
  return *controller != NULL;
}

static bool
take_number (Words * words, int64_t * number)
{
  const char *word;
  size_t size = take_word (words, &word), i;
  bool negative = size > 0 && word[0] == '-';
  uint64_t most = (uint64_t) INT64_MAX + negative, value = 0;

  i = negative;
  if (i == size || size > DIGITS)
    return false;
  for (; i < size; i++) {
    unsigned digit = (unsigned) (uint8_t) word[i] - '0';

    if (digit > 9 || value > (most - digit) / 10)
      return false;
    value = 10 * value + digit;
  }
  *number = negative ? (int64_t) (0 - value) : (int64_t) value;
  return true;
}

static int
nibble (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
take_octets (Words * words, PspCall * call)
{
  const char *word;
  size_t size = take_word (words, &word);

  if (size == 1 && word[0] == '-')
    return true;
  if (size == 0 || size % 2 != 0 || size / 2 > PSP_CALL_OCTETS)
    return false;
  for (size_t i = 0; i < size / 2; i++) {
    int high = nibble (word[2 * i]), low = nibble (word[2 * i + 1]);

    if (high < 0 || low < 0)
      return false;
    call->octets[i] = (uint8_t) (high << 4 | low);
  }
  call->n_octets = size / 2;
  return true;
}

static bool
in_range (char letter, int64_t number)
{
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (ranges[i].letter == letter)
      return number >= ranges[i].least && number <= ranges[i].most;
  return false;
}

bool
psp_call_parse (const char *line, size_t size, PspCall * call)
{
  Words words = { line, size };
  const Kind *kind;
  PspCallKind which;
  int64_t number;

  if (!take_kind (&words, &which))
    return false;
  kind = &kinds[which];
  psp_call_begin (call, which);
  if (kind->controller && !take_controller (&words, &call->controller))
    return false;
  for (const char *letter = kind->in; *letter; letter++) {
    if (!take_number (&words, &number) || !in_range (*letter, number))
      return false;
    psp_call_in (call, number);
  }
  if (kind->octets == OCTETS_IN && !take_octets (&words, call))
    return false;
  if (!take_text (&words, "="))
    return false;
  for (unsigned i = 0; i < kind->out; i++) {
    if (!take_number (&words, &number))
      return false;
    psp_call_out (call, number);
  }
  if (kind->octets == OCTETS_OUT && !take_octets (&words, call))
    return false;
  return words.left == 0;
}
