import { describe, expect, it } from 'vitest';
import { fills } from '../../src/load/document/fit.ts';
import type { Document } from '../../src/model/document.ts';
import type { FieldType } from '../../src/model/field.ts';
import type { ScalarKind } from '../../src/model/scalar.ts';
import { load } from './linked.ts';

const KINDS: readonly ScalarKind[] = [
  'string',
  'text',
  'integer',
  'decimal',
  'boolean',
  'flag',
  'date',
  'time',
  'datetime',
  'uuid',
  'uri',
  'binary',
  'json',
  'xml',
];

const single = (kind: ScalarKind): FieldType => ({ kind });
const takenBy = (to: ScalarKind): ScalarKind[] => KINDS.filter((from) => fills(single(from), single(to)));

describe('a field that another fills', () => {
  it('takes values of its own type', () => {
    for (const kind of KINDS) expect(takenBy(kind)).toContain(kind);
  });

  it('takes any single value that has a form in a text, where it is a text', () => {
    const written = KINDS.filter((kind) => kind !== 'binary' && kind !== 'json');
    expect(takenBy('text')).toEqual(written);
    expect(takenBy('string')).toEqual(written);
  });

  it('takes a text where it is a text of one form, or a flag, and an integer where it is a decimal', () => {
    for (const kind of ['date', 'time', 'uuid', 'uri', 'flag'] as const)
      expect(takenBy(kind)).toEqual(['string', 'text', kind]);
    expect(takenBy('decimal')).toEqual(['integer', 'decimal']);
  });

  it('takes nothing else', () => {
    for (const kind of ['integer', 'boolean', 'datetime', 'binary', 'json', 'xml'] as const)
      expect(takenBy(kind)).toEqual([kind]);
  });

  const { documents } = load(`
document: NODE
fields: { NAME: text, CHILDREN: list of NODE }
---
document: SAME
fields: { NAME: text, CHILDREN: list of SAME }
---
document: OTHER
fields: { NAME: text, CHILDREN: list of OTHER_CHILD }
---
document: OTHER_CHILD
fields: { NAME: datetime, CHILDREN: list of OTHER }
---
document: OPEN
open: true
fields: { NAME: text }
---
document: COUNTED
fields: { NAME: text, COUNT: { type: integer, required: true } }
---
document: NUMBERED
fields: { NAME: integer }
---
document: FIXED
fields: { NAME: text, KIND: { type: text, required: true, fixed: x } }
---
document: NAMED
fields: { NAME: text }
---
document: EITHER
one-of: { node: NODE, named: NAMED }
by: kind
---
document: ANY_OF_THREE
one-of: { node: NODE, named: NAMED, counted: COUNTED }
by: kind
---
document: BOTH
fields: { node: NODE, named: NAMED }
`);

  const document = (id: string): FieldType => ({ kind: 'document', document: documents.get(id) as Document });
  const list = (id: string): FieldType => ({
    kind: 'list',
    item: { kind: 'document', document: documents.get(id) as Document },
    flat: false,
  });

  it('takes a document of the same fields, and one that holds itself too', () => {
    expect(fills(document('NODE'), document('NODE'))).toBe(true);
    expect(fills(document('NODE'), document('SAME'))).toBe(true);
    expect(fills(list('SAME'), list('NODE'))).toBe(true);
  });

  it('finds what does not fit on a way that leads in a circle', () => {
    expect(fills(document('OTHER'), document('NODE'))).toBe(true);
    expect(fills(document('OTHER'), document('SAME'))).toBe(true);
    expect(fills(document('NODE'), document('OTHER'))).toBe(false);
  });

  it('takes a choice with no other documents than its own, where it is a choice', () => {
    expect(fills(document('EITHER'), document('ANY_OF_THREE'))).toBe(true);
    expect(fills(document('ANY_OF_THREE'), document('EITHER'))).toBe(false);
    expect(fills(document('BOTH'), document('EITHER'))).toBe(false);
    expect(fills(document('EITHER'), document('BOTH'))).toBe(true);
  });

  it('takes no number in place of a text inside of a document', () => {
    expect(fills(document('NUMBERED'), document('NAMED'))).toBe(false);
    expect(fills(list('NUMBERED'), list('NAMED'))).toBe(false);
  });

  it('takes no document with fields that it does not have, unless its own is open', () => {
    expect(fills(document('NODE'), document('NAMED'))).toBe(false);
    expect(fills(document('NODE'), document('OPEN'))).toBe(true);
    expect(fills(document('OPEN'), document('NAMED'))).toBe(false);
    expect(fills(document('OPEN'), document('OPEN'))).toBe(true);
  });

  it('takes no document without a field that its own requires, unless that has one value', () => {
    expect(fills(document('NAMED'), document('COUNTED'))).toBe(false);
    expect(fills(document('NAMED'), document('FIXED'))).toBe(true);
  });

  it('takes no list in place of one value, and no document in place of a text', () => {
    expect(fills(list('NAMED'), document('NAMED'))).toBe(false);
    expect(fills(document('NAMED'), list('NAMED'))).toBe(false);
    expect(fills(document('NAMED'), { kind: 'text' })).toBe(false);
    expect(fills({ kind: 'text' }, document('NAMED'))).toBe(false);
  });
});
