// What was valid before and is refused after is never judged compatible: tried with every pair of these definitions of a field.
import { expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import type { Role, WireLanguage } from '../../src/diff/verdict.ts';
import { instanceOf, seeded } from '../../src/mock/instance.ts';
import type { Document } from '../../src/model/document.ts';
import { changesOf, hasAtLeast, type Messages, messagesOf, refusedOf } from './messages.ts';
import { registryIn } from './sample.ts';

/** Definitions of the field F, each with further documents that it needs. */
const FIELDS: readonly string[] = [
  '',
  'F: string',
  'F: string(5)',
  'F: { type: string(5), required: true }',
  'F: { type: string(5), default: A }',
  'F: { type: string(5), default: I }',
  'F: { type: string(10), maximum: 3 }',
  'F: { type: string(10), minimum: 2 }',
  'F: { type: integer, above: 0 }',
  'F: { type: integer, above: 0, below: 18 }',
  'F: { type: integer, digits: 2 }',
  'F: { type: decimal, above: "1.5" }',
  'F: { type: decimal, minimum: "1.50" }',
  'F: { type: decimal, digits: 4, fraction: 1 }',
  'F: { type: date, minimum: "2026-02-01" }',
  'F: number',
  'F: { type: number, below: 2 }',
  'F: hex',
  'F: { type: hex, maximum: 1 }',
  'F: duration',
  'F: { type: text, space: collapse }',
  'F: { type: text, pattern: ["[A-Z]+", ".{1,2}"] }',
  'F: { type: list of integer, spaced: true }',
  'F: { type: list of string(5), entry: { minimum: 2 } }',
  'F: { type: list of string(5), entry: { maximum: 2 } }',
  'F: { type: list of integer, entry: { minimum: 2 } }',
  'F: { inline: true, fields: { A: string(5) } }',
  'F: { type: xml, any: "urn:other" }',
  'F: { type: xml, any: "##other" }',
  'F: string(10)',
  'F: text',
  'F: { type: text, nullable: true }',
  'F: { type: text, nullable: true, required: true }',
  'F: { type: text, pattern: "[A-Z]+" }',
  'F: { type: text, pattern: "[A-Z0-9]+" }',
  'F: { type: text, minimum: 1 }',
  'F: { type: text, maximum: 4 }',
  'F: { type: string(1), enum: [A, I] }',
  'F: { type: string(1), enum: [A, I, X] }',
  'F: { type: string(1), enum: [A, I], any-case: true }',
  'F: { type: string(1), fixed: A }',
  'F: { type: string(1), fixed: I }',
  'F: integer',
  'F: { type: integer, required: true }',
  'F: { type: integer, minimum: 1 }',
  'F: { type: integer, minimum: 0, maximum: 99 }',
  'F: { type: integer, enum: [1, 2] }',
  'F: { type: integer, default: 1 }',
  'F: decimal',
  'F: decimal(6.2)',
  'F: decimal(5.3)',
  'F: decimal(4.0)',
  'F: { type: decimal(6.2), minimum: 1 }',
  'F: boolean',
  'F: flag',
  'F: date',
  'F: { type: date, nullable: true }',
  'F: time',
  'F: datetime',
  'F: uuid',
  'F: uri',
  'F: json',
  'F: xml',
  'F: binary',
  'F: list of string(5)',
  'F: { type: list of string(5), minimum: 1 }',
  'F: { type: list of string(5), maximum: 2, required: true }',
  'F: { type: list of string(5), flat: true }',
  'F: list of integer',
  'F: map of string(5)',
  'F: map of integer',
  'F: { type: string(5), json: f }',
  'F: { type: string(5), xml: f }',
  'F: { type: string(5), attribute: true }',
  'F: { type: string(5), namespace: "urn:other" }',
  'G: { type: string(5), json: F, xml: F }',
  'F: { fields: { A: string(5) } }',
  'F: { fields: { A: string(5), B: integer } }',
  'F: { fields: { A: { type: string(5), required: true } } }',
  'F: { open: true, fields: { A: string(5) } }',
  'F: { list: { fields: { A: string(5) } } }',
  'F: { list: { xml: row, fields: { A: string(5) } } }',
  'F: { type: PAY }\n---\ndocument: PAY\none-of: { card: CARD, transfer: TRANSFER }',
  'F: { type: PAY }\n---\ndocument: PAY\none-of: { card: CARD, transfer: TRANSFER, cash: CASH }',
  'F: { type: PAY }\n---\ndocument: PAY\none-of: { card: CARD, transfer: TRANSFER }\nby: kind',
  'F: { type: PAY }\n---\ndocument: PAY\none-of: { card: CARD, transfer: TRANSFER }\nnamed: true',
  'F: { type: PAY }\n---\ndocument: PAY\none-of: { card: CARD, transfer: string(5) }\nnamed: true',
  'F: { type: PAY }\n---\ndocument: PAY\none-of: { card: CARD, transfer: string(10) }\nnamed: true',
  'F: CARD',
];

const BRANCHES =
  'document: CARD\nfields: { PAN: { type: text, required: true } }\n---\ndocument: TRANSFER\nfields: { IBAN: { type: text, required: true } }\n---\ndocument: CASH\nfields: { TILL: { type: text, required: true } }';

/** Values of F in JSON. */
const VALUES: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '1',
    '2',
    '17',
    '100',
    '-1',
    '1.5',
    '1234',
    '1234.5',
    '12345.25',
    '1.125',
    '12.345',
    '1e3',
  ],
  ...['9223372036854775807', '123456789012345678901', '0.001'],
  ...[
    '""',
    '"A"',
    '"a"',
    '"I"',
    '"X"',
    '"Y"',
    '"N"',
    '"AB"',
    '"ABC"',
    '"ABCDE"',
    '"abcdefgh"',
    '"A1"',
    '"1"',
    '"a b"',
    '"Ä€😀"',
  ],
  ...[
    '"2026-01-31"',
    '"08:30:00"',
    '"2026-01-31T08:30:00Z"',
    '"0f8fad5b-d9cb-469f-a165-70867728950e"',
    '"https://example.org/x"',
  ],
  ...[
    '"U2lnbmFsYm94"',
    '"<value/>"',
    '[]',
    '["A"]',
    '["A","B","C"]',
    '[1,2]',
    '["abcdefgh"]',
    '{}',
    '{"A":"A"}',
    '{"A":"A","B":1}',
  ],
  ...[
    '{"A":1}',
    '{"B":1}',
    '{"A":"A","Z":1}',
    '[{"A":"A"}]',
    '[{}]',
    '{"PAN":"1"}',
    '{"IBAN":"1"}',
    '{"TILL":"1"}',
    '{"kind":"card","PAN":"1"}',
  ],
];

const TEXTS: readonly string[] = ['{}', ...VALUES.map((value) => `{"F":${value}}`), '{"f":"A"}', '{"F":"A","f":"A"}'];

interface Known extends Messages {
  readonly definition: string;
}

function knownOf(definition: string): Known {
  const [fields = '', ...more] = definition.split('\n---\n');
  const text = [
    `document: DOC\nfields: { ${['KEPT: integer', fields].filter((each) => each !== '').join(', ')} }`,
    ...more,
    BRANCHES,
  ];
  const document = registryIn(text.join('\n---\n')).documents.get('DOC') as Document;
  const { toJson } = compileDocument(document, { namespace: 'urn:test' });
  const pick = seeded(definition);
  const made = Array.from({ length: 10 }, () => toJson(instanceOf(document, pick)));
  return { definition, ...messagesOf(document, [...TEXTS, ...made]) };
}

const known = FIELDS.map(knownOf);

/** Pairs in which a message of one side is refused by the other and no change says that it may break. */
function missed(role: Role, language: WireLanguage): string[] {
  return known.flatMap((before) =>
    known.flatMap((after) => {
      const refused = refusedOf(before, after, role, language);
      if (refused === undefined) return [];
      if (hasAtLeast(changesOf(before.document, after.document, role, language), language, 'may-break')) return [];
      return `${before.definition} > ${after.definition}: ${refused}`;
    }),
  );
}

it.each([
  'request',
  'reply',
  'sent',
  'received',
] as const)('what is refused in the role %s is not compatible', (role) => {
  expect(missed(role, 'json')).toEqual([]);
  expect(missed(role, 'xml')).toEqual([]);
});

it('tries messages that are refused, of most pairs', () => {
  const refused = known.flatMap((before) =>
    known.filter((after) => before.valid.json.some((text) => !after.reads(text, 'json'))),
  );
  expect(refused.length).toBeGreaterThan((FIELDS.length * FIELDS.length) / 2);
});
