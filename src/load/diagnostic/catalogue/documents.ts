import { SCALAR_KINDS, SCALARS } from '../../../model/scalar.ts';
import { didYouMean } from '../suggest.ts';
import { error } from './entry.ts';

/** What to write in place of what no pattern may have, by the beginning of the reason that it is refused for. */
const PATTERN_HINTS: Readonly<Record<string, string>> = {
  'looks ahead or behind':
    'That could run for ever on a long value. Say what may stand there: `[^0].*` in place of `(?!0).+`.',
  'refers back to a group':
    'That could run for ever on a long value. Write out the values that there are: `aa|bb` in place of `(a|b)\\1`.',
  'sets flags inside': 'Write out both letters: `[Aa]` in place of `(?i:a)`.',
  'is longer': 'Say how long a value is by its type, `string(2000)`, and by `minimum`.',
};

/** The words for types, with what may follow them in parentheses. */
const TYPES = SCALAR_KINDS.map((word) => {
  const { size } = SCALARS[word];
  return size === undefined ? word : `${word}${size === 'digits' ? '(p.s)' : '(n)'}`;
}).join(', ');

/** Mistakes in documents, fields and types. */
export const documentEntries = {
  'unknown-type': error<{ type: string; known: readonly string[] }>({
    message: ({ type }) => `${type} is neither a type nor a document.`,
    hint: ({ type, known }) =>
      didYouMean(type, known) ?? `Types are ${TYPES}, a document, or \`list of\` one of these.`,
    explanation: 'A type is one word: a type of a single value, the id of a document, or `list of` and one of these.',
    wrong: 'document: ORDER\nfields: { NUMBER: int }',
    right: 'document: ORDER\nfields: { NUMBER: integer }',
  }),
  'bad-type': error<{ type: string; reason: string }>({
    message: ({ type, reason }) => `${type} is not a type: ${reason}.`,
    explanation:
      'A length stands with string, as `string(10)`; digits stand with decimal, as `decimal(10.2)`: ten in all, two of them after the point. Lists hold single values or documents, not lists.',
    wrong: 'document: ORDER\nfields: { NUMBER: integer(5), PRICE: decimal(2.5) }',
    right: 'document: ORDER\nfields: { NUMBER: integer, PRICE: decimal(5.2) }',
  }),
  'option-not-for-type': error<{ option: string; type: string; only: string }>({
    message: ({ option, type, only }) => `${option} does not go with ${type}: it is for ${only}.`,
    explanation: 'Some options of a field mean something for some types only.',
    wrong: 'document: ORDER\nfields: { PAID: { type: boolean, pattern: "[YN]" } }',
    right: 'document: ORDER\nfields: { PAID: { type: string, pattern: "[YN]" } }',
  }),
  'conflicting-options': error<{ first: string; second: string; reason: string }>({
    message: ({ first, second, reason }) => `${first} and ${second} exclude each other: ${reason}.`,
    explanation: "Two keys say things that can't both be true, so one of them would be without effect.",
    wrong: 'document: ORDER\nfields: { NUMBER: { type: integer, required: true, default: 1 } }',
    right: 'document: ORDER\nfields: { NUMBER: { type: integer, default: 1 } }',
  }),
  'value-does-not-fit': error<{ option: string; value: string; reason: string }>({
    message: ({ option, value, reason }) => `The ${option} ${value} does not fit its field: ${reason}.`,
    explanation:
      "What is written as default, example, enum or fixed value obeys the field's own type, length, pattern, enum and bounds. A default that a call makes of values, such as `{File.name}`, is held against its field when the call is made.",
    wrong: 'document: ORDER\nfields: { STATUS: { type: string(1), default: OPEN } }',
    right: 'document: ORDER\nfields: { STATUS: { type: string(1), default: O } }',
  }),
  'bad-pattern': error<{ pattern: string; reason: string }>({
    message: ({ pattern, reason }) => `The pattern ${pattern} ${reason}.`,
    hint: ({ reason }) => Object.entries(PATTERN_HINTS).find(([start]) => reason.startsWith(start))?.[1],
    explanation:
      "A pattern is a regular expression of ECMA-262 under the flag `u`: there, a backslash before a character that needs none is a mistake, and so is an unclosed group. The whole value must match. Callers send the values, so that a pattern has to run in time that grows with the length of a value alone: it can't look ahead or behind, nor refer back to a group, nor set flags, and has at most 1000 characters when its repetitions are written out (`[a-z]{1,64}` has 64) and at most 50,000 characters and ranges in its classes as they are written (`\\p{L}` counts 500). Say how long a value is with `string(2000)`, `minimum` and `maximum`.",
    wrong: 'document: ORDER\nfields: { CODE: { type: string, pattern: "[A-Z" } }',
    right: 'document: ORDER\nfields: { CODE: { type: string, pattern: "[A-Z]+" } }',
  }),
  'unknown-placeholder': error<{ name: string }>({
    message: ({ name }) => `{fault.${name}} is nothing that a fault has.`,
    hint: ({ name }) => didYouMean(name, ['message', 'detail', 'code', 'status']),
    explanation:
      'The defaults of a fault document may hold `{fault.message}`, `{fault.detail}`, `{fault.code}` and `{fault.status}`.',
    wrong: 'document: ORDER_FAULT\nfields: { MESSAGE: { type: text, default: "{fault.mesage}" } }',
    right: 'document: ORDER_FAULT\nfields: { MESSAGE: { type: text, default: "{fault.message}" } }',
  }),
  'unfillable-fault': error<{ document: string; field: string }>({
    message: ({ document, field }) => `The fault document ${document} can't be filled: ${field} is required.`,
    hint: () => 'Leave out `required`, or give the field a `fixed` value.',
    explanation:
      'The gateway fills a fault document from the fault alone: with the defaults and fixed values of its fields. A required field without a fixed value would keep every fault from being written.',
    wrong:
      'document: ORDER_FAULT\nfields: { MESSAGE: { type: text, required: true } }\n---\nservice: Orders.v1\npublic: true\nfault: ORDER_FAULT\noperations:\n  ORDERS_GET: { get: Orders, response: text }',
    right:
      'document: ORDER_FAULT\nfields: { MESSAGE: { type: text, default: "{fault.message}" } }\n---\nservice: Orders.v1\npublic: true\nfault: ORDER_FAULT\noperations:\n  ORDERS_GET: { get: Orders, response: text }',
  }),
  'endless-document': error<{ document: string; path: string }>({
    message: ({ document, path }) => `${document} contains itself without end: ${path}.`,
    hint: () => 'Make one of these fields a list, or leave out `required`.',
    explanation:
      'A document may contain itself through a list or a field that may be left out: a tree is data. Where each one must contain another, no finite value fits it.',
    wrong: 'document: PART\nfields: { NAME: string, INNER: { type: PART, required: true } }',
    right: 'document: PART\nfields: { NAME: string, INNER: list of PART }',
  }),
  'root-list': error<{ what: string }>({
    message: ({ what }) => `The root of ${what} can't be a list.`,
    hint: () => 'Put the list into a field of a document, or say `json` and build the text in code.',
    explanation:
      'The root of a document is never a list (specification, section 2.6): XML has no root that repeats. A message without a document (`json`) may be an array.',
    wrong:
      'document: ORDER\nfields: { NUMBER: integer }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: Orders, response: list of ORDER }',
    right:
      'document: ORDER\nfields: { NUMBER: integer }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: Orders, response: { fields: { orders: list of ORDER } } }',
  }),
};
