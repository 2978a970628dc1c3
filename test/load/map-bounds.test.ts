import { describe, expect, it } from 'vitest';
import { loadFiles } from '../../src/load/load.ts';
import { projectOf } from './project-text.ts';

/** The errors of a map that fills a field of one type from one of another, in a request or in a reply. */
function errorsOf(role: 'request' | 'response', from: string, to: string, map = ''): string[] {
  const [old, now] = role === 'request' ? [from, to] : [to, from];
  const entry = role === 'request' ? `B: { from: A${map} }` : `A: { from: B${map} }`;
  const field = (name: string, type: string): string => `{ ${name}: ${type} }`;
  const text = `service: Parts.v2
public: true
operations:
  PUT: { post: parts, handler: own, request: { fields: ${role === 'request' ? field('B', now) : '{ C: string }'} }, response: { fields: ${role === 'response' ? field('B', now) : '{ C: string }'} } }
---
service: Parts.v1
public: true
operations:
  PUT: { post: parts, call: Parts.v2.PUT, request: { fields: ${role === 'request' ? field('A', old) : '{ C: string }'} }, response: { fields: ${role === 'response' ? field('A', old) : '{ C: string }'} }, map: { ${role}: { ${entry} } } }
---
document: INNER_WIDE
fields: { text: string, lines: list of string }
---
document: INNER_NARROW
fields: { text: string(5), lines: { type: list of string, maximum: 2 } }
---
document: LINE
fields: { line: string }
---
document: OTHER_LINE
fields: { line: string }
`;
  const { diagnostics } = loadFiles(projectOf(text), 'ignore-missing');
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

const FITS: readonly [from: string, to: string][] = [
  ['int', 'integer'],
  ['{ type: integer, minimum: 0, maximum: 99 }', 'int'],
  ['int', '{ type: integer, minimum: -2147483648 }'],
  ['string(12)', 'string(12)'],
  ['string(10)', 'string(12)'],
  ['{ type: string, maximum: 12 }', 'string(12)'],
  ['{ type: string, enum: [a, abc] }', 'string(3)'],
  ['date', 'string(10)'],
  ['uuid', 'string(36)'],
  ['boolean', 'string(5)'],
  ['{ type: integer, minimum: 0, maximum: 99 }', 'string(3)'],
  ['decimal(4.1)', 'decimal(4.1)'],
  ['decimal(3.1)', 'decimal(5.2)'],
  ['{ type: integer, minimum: -99, maximum: 99 }', 'decimal(4.1)'],
  ['{ type: integer, minimum: 1, maximum: 5 }', '{ type: integer, minimum: 0, maximum: 10 }'],
  ['{ type: integer, above: 0, below: 6 }', '{ type: integer, minimum: 0, maximum: 10 }'],
  ['{ type: date, minimum: 2026-01-01 }', '{ type: date, minimum: 2025-01-01 }'],
  ['{ type: list of string, maximum: 3 }', '{ type: list of string, maximum: 3 }'],
  ['{ type: list of string, minimum: 2 }', '{ type: list of string, minimum: 1 }'],
  ['list of string(3)', 'list of string(3)'],
  ['map of string(3)', 'map of string(4)'],
  ["{ type: string, pattern: '[A-Z]+' }", "{ type: string, pattern: '[A-Z]+' }"],
  ['{ type: string, enum: [A, BB] }', "{ type: string, pattern: '[A-Z]+' }"],
  ['INNER_NARROW', 'INNER_WIDE'],
  ['list of INNER_NARROW', 'list of INNER_WIDE'],
  ['{ type: list of INNER_NARROW, maximum: 3 }', '{ type: list of INNER_WIDE, maximum: 3 }'],
  ['{ type: map of INNER_NARROW, minimum: 1, maximum: 3 }', '{ type: map of INNER_NARROW, minimum: 1 }'],
  ['uuid', 'uuid'],
  ['uuid', 'string'],
  ['flag', 'flag'],
];

const MAY_NOT_FIT: readonly [from: string, to: string, words: string, cuts?: true][] = [
  ['string', 'string(12)', 'takes 12 characters at most', true],
  ['integer', 'int', 'takes 10 digits before the point'],
  ['int', '{ type: integer, maximum: 99 }', 'takes no value above 99'],
  ['string(13)', 'string(12)', 'takes 12 characters at most', true],
  ['text', '{ type: text, maximum: 100 }', 'takes 100 characters at most', true],
  ['string', '{ type: string, minimum: 2 }', 'takes 2 characters at least'],
  ['{ type: string, enum: [a, abcd] }', 'string(3)', 'does not take the value "abcd"', true],
  ['integer', 'string(3)', 'takes 3 characters at most', true],
  ['decimal', 'decimal(4.1)', 'digits before the point'],
  ['decimal(5.1)', 'decimal(4.1)', 'takes 3 digits before the point'],
  ['decimal(4.2)', 'decimal(4.1)', 'takes 1 digits after the point', true],
  ['integer', 'decimal(4.1)', 'takes 3 digits before the point'],
  ['integer', '{ type: integer, maximum: 10 }', 'takes no value above 10'],
  [
    '{ type: integer, minimum: 0, maximum: 11 }',
    '{ type: integer, minimum: 0, maximum: 10 }',
    'takes no value above 10',
  ],
  [
    '{ type: integer, minimum: 0, maximum: 10 }',
    '{ type: integer, minimum: 0, below: 10 }',
    'takes only values below 10',
  ],
  [
    '{ type: integer, minimum: -1, maximum: 9 }',
    '{ type: integer, minimum: 0, maximum: 10 }',
    'takes no value below 0',
  ],
  ['{ type: decimal(4.1), maximum: 5 }', '{ type: decimal(4.1), minimum: 0 }', 'takes no value below 0'],
  ['date', '{ type: date, minimum: 2025-01-01 }', 'takes no value below 2025-01-01'],
  ['list of string', '{ type: list of string, maximum: 3 }', 'takes 3 entries at most', true],
  ['list of string', '{ type: list of string, minimum: 1 }', 'takes 1 entries at least'],
  ['list of string', 'list of string(3)', 'takes 3 characters at most', true],
  ['map of string', 'map of string(3)', 'takes 3 characters at most', true],
  [
    '{ type: list of string, entry: { maximum: 4 } }',
    '{ type: list of string, entry: { maximum: 3 } }',
    'takes 3 characters at most',
    true,
  ],
  ['string', "{ type: string, pattern: '[A-Z]+' }", 'takes values of the pattern [A-Z]+'],
  ['{ type: string, enum: [a] }', "{ type: string, pattern: '[A-Z]+' }", 'does not take the value "a"'],
  ['string', '{ type: string, enum: [A, B] }', 'is one of A, B'],
  ['string', 'uuid', 'takes only values of the type uuid'],
  ['text', 'uri', 'takes only values of the type uri'],
  ['string', 'flag', 'takes only values of the type flag'],
  ['string(8)', 'hex', 'takes only values of the type hex'],
  ['list of string', 'list of duration', 'takes only values of the type duration'],
  ['list of LINE', '{ type: list of LINE, maximum: 3 }', 'takes 3 entries at most', true],
  ['{ type: list of LINE, maximum: 4 }', '{ type: list of OTHER_LINE, maximum: 3 }', 'takes 3 entries at most', true],
  ['list of LINE', '{ type: list of OTHER_LINE, minimum: 1 }', 'takes 1 entries at least'],
  ['map of LINE', '{ type: map of OTHER_LINE, maximum: 2 }', 'takes 2 entries at most'],
  ['INNER_WIDE', 'INNER_NARROW', 'takes 5 characters at most'],
  ['list of INNER_WIDE', 'list of INNER_NARROW', 'takes 2 entries at most'],
];

describe.each(['request', 'response'] as const)('in a %s', (role) => {
  it.each(FITS)('%s always fits %s', (from, to) => {
    expect(errorsOf(role, from, to)).toEqual([]);
  });

  it.each(MAY_NOT_FIT)('%s may not fit %s', (from, to, words, cuts) => {
    const errors = errorsOf(role, from, to);
    expect(errors.join('\n')).toContain(words);
    expect(errors.join('\n')).toContain('`fault: true`');
    // Replacing values changes nothing in how many there are.
    const one = errors.find((error) => error.includes(words));
    expect(one?.includes('`values`')).toBe(!/ entries at (?:most|least)/.test(words));
    // Documents are mapped inside of `map`, with entries of their own.
    if (from.includes('INNER')) return;
    expect(errorsOf(role, from, to, ', fault: true')).toEqual([]);
    if (cuts === true && !/enum/.test(from)) expect(errorsOf(role, from, to, ', cut: true')).toEqual([]);
    else if (cuts !== true) expect(errorsOf(role, from, to, ', cut: true').join('\n')).toContain(words);
  });
});
