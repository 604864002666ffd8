/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "calltext.h"

#include <string.h>

/* ns: 36 years after the clock began; sums of such times do not overflow */
#define LATEST (INT64_C (1) << 60)
#define DIGITS 20               /* digits of an int64_t with its sign */

/* The range of an argument by its type in sender.h, which a letter names. */
typedef struct
{
  char letter;
  int64_t least, most;
} Range;

static const Range ranges[] = {
  {'t', 0, LATEST},             /* time */
  {'d', 0, LATEST},             /* duration */
  {'b', 0, 1},
  {'o', 0, 2},                  /* not received, received, untold */
  {'e', 0, PSP_ECN_CE},
  {'s', 0, UINT16_MAX},
  {'u', 0, UINT32_MAX},
  {'l', INT64_MIN, INT64_MAX},
  {'r', -LATEST, LATEST}        /* receiver's time, or unknown */
};

/* The part of a call after the numbers. */
typedef enum
{
  REST_NONE,
  REST_PARAMETERS,
  REST_ACKNOWLEDGEMENTS
} Rest;

typedef struct
{
  bool controller;
  const char *in;
  Rest rest;
  unsigned out;
} Kind;

static const Kind kinds[PSP_N_CALLS] = {
  [PSP_CALL_NEW] = {true, "llllbt", REST_PARAMETERS, PSP_CALL_STATE},
  [PSP_CALL_SET_CONTROLLER] = {true, "lt", REST_PARAMETERS,
      PSP_CALL_STATE},
  [PSP_CALL_SET_LIMITS] = {false, "llllt", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_SET_PARAMETERS] = {true, "t", REST_PARAMETERS,
      PSP_CALL_STATE},
  [PSP_CALL_SET_PAIRS] = {false, "b", REST_NONE, 0},
  [PSP_CALL_SET_ECN] = {false, "et", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_SET_RESERVED] = {false, "lt", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_SET_TIMING] = {false, "dduddt", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_RESET] = {false, "t", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_RESUME] = {false, "t", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_ALLOWANCE] = {false, "tu", REST_NONE, 2},
  [PSP_CALL_WAIT] = {false, "", REST_NONE, 0},
  [PSP_CALL_SENT] = {false, "uubustu", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_BIND] = {false, "lus", REST_NONE, 0},
  [PSP_CALL_ACKNOWLEDGE] = {false, "rt", REST_ACKNOWLEDGEMENTS,
      PSP_CALL_STATE},
  [PSP_CALL_TICK] = {false, "t", REST_NONE, PSP_CALL_STATE},
  [PSP_CALL_TAKE_NOTICE] = {false, "t", REST_NONE, 1 + PSP_CALL_NOTICE}
};

int64_t
psp_call_time (const PspCall * call)
{
  const char *in = kinds[call->kind].in, *at = memchr (in, 't', strlen (in));

  return at && (unsigned) (at - in) < call->n_in ? call->in[at - in] :
      PSP_TIME_UNKNOWN;
}

/* The functions below read word by word; one space ends each word but the
 * last. */

typedef struct
{
  const char *at;
  size_t left;
} Words;

/* Returns the next word; it is empty if there is none. */
static size_t
take_word (Words * words, const char **word)
{
  const char *end;
  size_t size, used;

  *word = words->at;
  if (words->left == 0)
    return 0;
  end = memchr (words->at, ' ', words->left);
  size = end ? (size_t) (end - words->at) : words->left;
  used = end ? size + 1 : size;
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
    if (take_text (words, psp_call_name ((PspCallKind) i))) {
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
read_number (const char *word, size_t size, int64_t * number)
{
  bool negative = size > 0 && word[0] == '-';
  uint64_t most = (uint64_t) INT64_MAX + negative, value = 0;
  size_t i = negative;

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

static bool
take_number (Words * words, int64_t * number)
{
  const char *word;
  size_t size = take_word (words, &word);

  return read_number (word, size, number);
}

static bool
in_range (char letter, int64_t number)
{
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (ranges[i].letter == letter)
      return (number >= ranges[i].least && number <= ranges[i].most)
          || (letter == 'r' && number == PSP_TIME_UNKNOWN);
  return false;
}

/* Reads numbers joined by colons. Returns how many, or 0 if a part is not a
 * number. */
static unsigned
split_word (const char *word, size_t size, int64_t * numbers, unsigned max)
{
  const char *end = word + size, *colon;
  unsigned n = 0;

  for (;; word = colon + 1) {
    colon = memchr (word, ':', (size_t) (end - word));
    if (n == max
        || !read_number (word, (size_t) ((colon ? colon : end) - word),
            &numbers[n]))
      return 0;
    n++;
    if (!colon)
      return n;
  }
}

static bool
read_acknowledgement (const char *word, size_t size, PspAcknowledgement * a)
{
  static const char letters[] = "usoerru";
  int64_t m[] = { 0, 0, 0, 0, 0, PSP_TIME_UNKNOWN, 0 };
  unsigned n = split_word (word, size, m, 7);

  if (n != 5 && n != 7)
    return false;
  for (unsigned i = 0; i < n; i++)
    if (!in_range (letters[i], m[i]))
      return false;
  a->key.series = (uint32_t) m[0];
  a->key.number = (uint16_t) m[1];
  a->received = m[2] == 1;
  a->untold = m[2] == 2;
  a->ecn = (uint8_t) m[3];
  a->arrived_at = m[4];
  a->sent_at = m[5];
  a->size = (uint32_t) m[6];
  return true;
}

/* Reads up to the "=". */
static bool
take_acknowledgements (Words * words, PspCall * call, PspAcknowledgement * a)
{
  const char *word;
  size_t size;

  call->acknowledgements = a;
  for (;;) {
    Words before = *words;

    size = take_word (words, &word);
    if (size == 1 && word[0] == '=') {
      *words = before;
      return true;
    }
    if (call->n_acknowledgements == PSP_CALL_ACKNOWLEDGEMENTS
        || !read_acknowledgement (word, size, &a[call->n_acknowledgements]))
      return false;
    call->n_acknowledgements++;
  }
}

static bool
take_arguments (Words * words, const Kind * kind, PspCall * call,
    PspAcknowledgement * acknowledgements)
{
  int64_t number;
  unsigned n = 0;

  for (const char *letter = kind->in; *letter; letter++) {
    if (!take_number (words, &number) || !in_range (*letter, number))
      return false;
    psp_call_in (call, number);
  }
  if (kind->rest == REST_PARAMETERS)
    n = psp_parameter_count (call->controller->parameters);
  for (unsigned i = 0; i < n; i++) {
    if (!take_number (words, &number))
      return false;
    psp_call_in (call, number);
  }
  return kind->rest != REST_ACKNOWLEDGEMENTS
      || take_acknowledgements (words, call, acknowledgements);
}

bool
psp_call_parse (const char *line, size_t size, PspCall * call,
    PspAcknowledgement acknowledgements[PSP_CALL_ACKNOWLEDGEMENTS])
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
  if (!take_arguments (&words, kind, call, acknowledgements)
      || !take_text (&words, "="))
    return false;
  for (unsigned i = 0; i < kind->out; i++) {
    if (!take_number (&words, &number))
      return false;
    psp_call_out (call, number);
  }
  return words.left == 0;
}
