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
  'unknown-type': error<{ type: string; known: readonly string[]; meant: string | undefined }>({
    message: ({ type }) => `${type} is not a type or a document.`,
    hint: ({ type, known, meant }) =>
      meant ?? didYouMean(type, known) ?? `Types are ${TYPES}, a named type, a document, or \`list of\` one of these.`,
    explanation: 'A type is one word: a type of a single value, the id of a document, or `list of` and one of these.',
  }),
  'bad-type': error<{ type: string; reason: string }>({
    message: ({ type, reason }) => `${type} is not a valid type: ${reason}.`,
    explanation:
      'Only string has a length, as in `string(10)`. Only decimal has digits, as in `decimal(10.2)`: ten in total, two of them after the point. Lists hold single values or documents, not lists.',
  }),
  'option-not-for-type': error<{ option: string; type: string; only: string }>({
    message: ({ option, type, only }) => `The option ${option} can't be used with ${type}; it is for ${only}.`,
    explanation: 'Some options of a field apply to certain types only.',
  }),
  'conflicting-options': error<{ first: string; second: string; reason: string; remedy?: string }>({
    message: ({ first, second, reason }) => `${first} and ${second} can't be used together: ${reason}.`,
    hint: ({ first, second, remedy }) => remedy ?? `Remove ${first} or ${second}.`,
    explanation: 'Two keys contradict each other, so one of them would have no effect.',
  }),
  'value-does-not-fit': error<{ option: string; value: string; reason: string }>({
    message: ({ option, value, reason }) => `The ${option} ${value} does not fit its field: ${reason}.`,
    explanation:
      'Values of default, assumed, example, enum and fixed must obey the type, length, pattern, enum and bounds of the field. A default that a call builds from values, such as `{File.name}`, is checked when the call is made.',
  }),
  'bad-pattern': error<{ pattern: string; reason: string }>({
    message: ({ pattern, reason }) => `The pattern ${pattern} ${reason}.`,
    hint: ({ reason }) => Object.entries(PATTERN_HINTS).find(([start]) => reason.startsWith(start))?.[1],
    explanation:
      "A pattern is a regular expression of ECMA-262 with the flag `u`: an unnecessary backslash and an unclosed group are errors. The whole value must match. Callers send the values, so the time that a pattern takes may only grow with the length of the value. Therefore it can't look ahead or behind, refer back to a group, or set flags; it has at most 1000 characters after its repetitions are written out (`[a-z]{1,64}` has 64), and its classes have at most 50,000 characters and ranges (`\\p{L}` counts 500). Limit the length of a value with `string(2000)`, `minimum` and `maximum`.",
  }),
  'unknown-placeholder': error<{ name: string }>({
    message: ({ name }) => `{fault.${name}} is not a part of a fault.`,
    hint: ({ name }) => didYouMean(name, ['message', 'detail', 'code', 'status']),
    explanation:
      'The defaults of a fault document may contain `{fault.message}`, `{fault.detail}`, `{fault.code}` and `{fault.status}`.',
  }),
  'unfillable-fault': error<{ document: string; field: string }>({
    message: ({ document, field }) =>
      `The gateway can't fill the fault document ${document}: its field ${field} is required.`,
    hint: () =>
      'Remove `required` and let the gateway fill the field, with `default: "{fault.message}"` (or `{fault.code}`, `{fault.detail}`, `{fault.status}`), or give it a `fixed` value.',
    explanation:
      'The gateway fills a fault document from the fault alone, with the defaults and fixed values of its fields. With a required field without a fixed value, no fault could be written.',
  }),
  'endless-document': error<{ document: string; path: string }>({
    message: ({ document, path }) => `Document ${document} always contains itself: ${path}.`,
    hint: () => 'Make one of these fields a list or `nullable`, or remove `required`.',
    explanation:
      'A document may contain itself through a list or an optional field, as a tree does. If it must contain itself, no finite value exists.',
  }),
  'bad-choice': error<{ document: string; reason: string }>({
    message: ({ document, reason }) => `Document ${document} ${reason}.`,
    explanation:
      'A document with `one-of:` is exactly one of its branches. With `named: true` a branch has any type, and JSON has its name: `{"card": {...}}`. Otherwise JSON has the object of the branch itself, so that each branch is a document with fields, and not open. With `by:` that object has one more member, which names the branch and must not have the name of a field.',
  }),
  'choice-not-clear': error<{ document: string; one: string; other: string; same: string | undefined }>({
    message: ({ document, one, other, same }) =>
      same === undefined
        ? `In JSON a value of ${document} may be both ${one} and ${other}.`
        : `In JSON a value of ${document} may be both ${one} and ${other}, which are both ${same}.`,
    hint: ({ same }) =>
      same === undefined
        ? 'Add `by: kind`, a member that says which it is, or `named: true`, or make a field required in one of them that the other does not have.'
        : 'Add `by: kind`, a member that says which it is, or `named: true`.',
    explanation:
      'Without `by:` and `named:` the JSON object of a choice is that of one of its branches, and only its members say which. Of each two, one needs a required field that the other does not have, or that has another kind of JSON value there, or other values (`fixed`, `enum`).',
  }),
  'bad-structure': error<{ document: string; reason: string }>({
    message: ({ document, reason }) => `Document ${document} ${reason}.`,
    explanation:
      "The elements and attributes of a document tell which field they belong to. A field with `content: true` is the text of the document's own element: all other fields are attributes, and it is there whenever the element is. A document that is `inline` has elements only. Where two elements of a document have the same name, the order of declaration must tell at each element which field it is (Unique Particle Attribution of XML Schema): something that must be there stands between them. The same holds for elements of any name (`any`), which other fields may have, too.",
  }),
  'bad-derivation': error<{ document: string; reason: string }>({
    message: ({ document, reason }) => `Document ${document} ${reason}.`,
    explanation:
      'A document that extends another has its fields, and then its own; one that restricts another has some of its fields, with narrower types, and all that are required. It may stand wherever the other one is expected. XML says which it is by `xsi:type`, JSON by a member, which `by:` of the topmost base names (`type` by default) and which is no field of any of them. An abstract document needs one that derives from it.',
  }),
  'root-list': error<{ what: string }>({
    message: ({ what }) => `The root of ${what} can't be a list.`,
    hint: () =>
      'Declare one entry as a document, and name the list where it is sent: `response: list of ORDER`, or a field `orders: list of ORDER`.',
    explanation:
      'The root of a document is never a list (specification, section 2.6), because an XML document has one root element. A message may be a list of documents: `response: list of ORDER` is an array in JSON, and in XML an element with the orders inside.',
  }),
};
