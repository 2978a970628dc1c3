import { describe, expect, it } from 'vitest';
import { generate } from '../../src/generate/index.ts';
import type { Field } from '../../src/model/field.ts';
import type { Query } from '../../src/model/query.ts';
import { documentOf, load, operation } from './linked.ts';

describe('named simple types', () => {
  const registry = load(`
type: STATUS
description: New or sent.
base: string(1)
enum: [N, S]
labels: { N: New, S: Sent }
any-case: true
example: N
---
type: AMOUNT
base: decimal
minimum: 0.10
below: 12345678901234567890.5
digits: 22
fraction: 2
---
type: CODE
base: string(10)
pattern: ["[A-Z]+", ".{2,}"]
space: collapse
minimum: 2
---
document: ORDER
fields:
  PLAIN: STATUS
  OWN: { type: STATUS, description: Of the order., example: S, default: s }
  MANY: { type: list of CODE, minimum: 1, maximum: 3 }
  BY: { type: map of CODE, maximum: 5 }
  TOTALS: { type: list of AMOUNT, minimum: 1, maximum: 3 }
  TOTAL: AMOUNT
  NARROW: { type: CODE, maximum: 5 }
---
query: ORDERS
public: true
prompts: { P: STATUS }
columns: { C: CODE }
sql: select c from t where s = :P
---
process: LIST
type: A program
public: true
handler: list
parameters: { TOTAL: AMOUNT }
---
service: Orders.v1
public: true
operations:
  STATUS_PUT: { put: status, request: STATUS, response: list of CODE }
`);
  const fields = new Map<string, Field>(registry.documents.get('ORDER')?.fields.map((each) => [each.name, each]));

  it('give fields their base, restrictions, description and example', () => {
    expect(fields.get('PLAIN')).toMatchObject({
      type: { kind: 'string', length: 1 },
      description: 'New or sent.',
      enum: ['N', 'S'],
      labels: { N: 'New', S: 'Sent' },
      anyCase: true,
      example: 'N',
    });
    expect(fields.get('TOTAL')).toMatchObject({
      type: { kind: 'decimal' },
      range: { minimum: '0.10', below: '12345678901234567890.5' },
      digits: 22,
      fraction: 2,
    });
  });

  it('leave to fields what these say themselves', () => {
    expect(fields.get('OWN')).toMatchObject({ description: 'Of the order.', example: 'S', default: 'S' });
  });

  it('restrict the entries of lists and maps, whose number is the field’s own', () => {
    const entries = { type: { item: { kind: 'string', length: 10 } }, space: 'collapse', entry: { minimum: 2 } };
    expect(fields.get('MANY')).toMatchObject({ ...entries, patterns: ['[A-Z]+', '.{2,}'], minimum: 1, maximum: 3 });
    expect(fields.get('TOTALS')).toMatchObject({ minimum: 1, maximum: 3, range: fields.get('TOTAL')?.range });
    expect(fields.get('BY')).toMatchObject({ ...entries, type: { kind: 'map' }, maximum: 5 });
  });

  it('are those of a field that adds no restriction of its own', () => {
    expect(Array.from(fields.values(), ({ name, named }) => [name, named?.id])).toEqual([
      ['PLAIN', 'STATUS'],
      ['OWN', 'STATUS'],
      ['MANY', 'CODE'],
      ['BY', 'CODE'],
      ['TOTALS', 'AMOUNT'],
      ['TOTAL', 'AMOUNT'],
      ['NARROW', undefined],
    ]);
  });

  it('are types of prompts, columns and parameters', () => {
    const { prompts, columns } = registry.queries.get('ORDERS') as Query;
    expect(prompts[0]).toMatchObject({ enum: ['N', 'S'], anyCase: true });
    expect(columns[0]).toMatchObject({ type: { length: 10 }, minimum: 2, asFound: true });
    expect(registry.processes.get('LIST')?.parameters[0]).toMatchObject({ digits: 22, range: { minimum: '0.10' } });
  });

  it('are whole messages, alone or in lists', () => {
    const { request, responses } = operation(registry, 'STATUS_PUT');
    expect(documentOf(request).fields[0]).toMatchObject({ type: { length: 1 }, enum: ['N', 'S'], anyCase: true });
    const [entries] = documentOf(responses[0]?.message).fields;
    expect(entries).toMatchObject({ type: { kind: 'list' }, space: 'collapse', entry: { minimum: 2 } });
    expect(entries).not.toHaveProperty('minimum');
  });

  it('have a member of their own in registry.json', () => {
    const { types } = JSON.parse(
      generate(registry, { schema: { $schema: 'x' } }).get('generated/registry.json') as string,
    );
    expect(types).toMatchObject({ STATUS: { base: 'string(1)', enum: ['N', 'S'] }, CODE: { minimum: 2 } });
  });
});
