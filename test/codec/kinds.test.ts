import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import type { Document } from '../../src/model/document.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { compound, document, field, list, messageOf } from './support.ts';

// Documents that others derive from, in the words of code.

const derived: Document[] = [];
const BASE = document('BASE', [field('A')], { kinds: { by: field('type'), derived } });
const LEAF = document('LEAF', [field('A'), field('B', 'decimal')], { derivation: { base: BASE, by: 'extension' } });
derived.push(LEAF);
const ABSTRACT = document('ABSTRACT', [], { abstract: true, kinds: { by: field('type'), derived } });
const HOLDER = document('HOLDER', [field('LEAF', compound(LEAF)), field('ALL', list(BASE))]);
const codec = compileDocument(HOLDER, { namespace: '' });

describe('a value of a document that derives from another', () => {
  it('names itself where nothing else may stand, and may be read without that', () => {
    const value = { LEAF: { type: 'LEAF', A: 'x' }, ALL: [{ type: 'LEAF', A: 'x' }, { A: 'y' }] };
    expect(codec.toJson(value)).toBe(
      '{"LEAF":{"type":"LEAF","A":"x"},"ALL":[{"type":"LEAF","A":"x"},{"type":"BASE","A":"y"}]}',
    );
    expect(codec.fromXml(readXml(codec.toXml(value)))).toEqual({
      LEAF: { A: 'x' },
      ALL: [
        { type: 'LEAF', A: 'x' },
        { type: 'BASE', A: 'y' },
      ],
    });
    expect(codec.fromJson('{"LEAF":{"type":"LEAF","A":"x"}}')).toEqual({ LEAF: { A: 'x' } });
    expect(messageOf(() => codec.fromJson('{"LEAF":{"type":"BASE"}}'))).toBe('LEAF.type is not a field of LEAF');
    expect(messageOf(() => codec.toJson({ LEAF: { type: 'BASE' } }))).toBe('LEAF.type is not a field of LEAF');
    expect(messageOf(() => codec.toXml({ LEAF: { type: 'BASE' } }))).toBe('LEAF.type is not a field of LEAF');
  });

  it('may have another name there than in XML', () => {
    const dogs: Document[] = [];
    const pet = document('PET', [field('A')], { byValue: 'pet', kinds: { by: field('kind'), derived: dogs } });
    dogs.push(document('DOG', [field('A')], { byValue: 'dog', derivation: { base: pet, by: 'extension' } }));
    const pets = compileDocument(document('PETS', [field('ALL', list(pet))]), { namespace: '' });
    const value = { ALL: [{ kind: 'dog', A: 'x' }, { kind: 'pet' }] };
    expect(pets.toJson(value)).toBe('{"ALL":[{"kind":"dog","A":"x"},{"kind":"pet"}]}');
    expect(pets.fromJson('{"ALL":[{"kind":"dog","A":"x"},{}]}')).toEqual(value);
    expect(pets.toXml(value)).toContain('xsi:type="DOG"');
    expect(pets.fromXml(readXml(pets.toXml(value)))).toEqual(value);
    expect(messageOf(() => pets.fromJson('{"ALL":[{"kind":"DOG"}]}'))).toContain('not one of pet, dog');
  });

  it('keeps its digits, and all of its errors', () => {
    expect(codec.fromJson('{"ALL":[{"type":"LEAF","B":1.10}]}')).toEqual({ ALL: [{ type: 'LEAF', B: '1.10' }] });
    expect(messageOf(() => codec.fromJson('{"ALL":[{"type":"LEAF","A":1,"B":"x"}]}'))).toContain('ALL[0].A');
  });

  it('in the reply of another system may have more members', () => {
    const lenient = compileDocument(HOLDER, { namespace: '', foreign: 'pass' });
    expect(lenient.fromJson('{"ALL":[{"type":"LEAF","A":"x","C":1}],"LEAF":{"type":"LEAF"}}')).toEqual({
      ALL: [{ type: 'LEAF', A: 'x' }],
      LEAF: {},
    });
    const xml =
      '<HOLDER><ALL><q:BASE xmlns:q="urn:q" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="q:LEAF"><A>x</A></q:BASE></ALL></HOLDER>';
    expect(lenient.fromXml(readXml(xml))).toEqual({ ALL: [{ type: 'LEAF', A: 'x' }] });
  });
});

it('that is abstract is nil with the type of one that derives from it, since no element has an abstract type', () => {
  const nullable = document('NULLABLE', [field('A', compound(ABSTRACT), { nullable: true })]);
  const { toXml, fromXml } = compileDocument(nullable, { namespace: 'urn:x' });
  const xml = toXml({ A: null });
  expect(xml).toContain('xmlns:t="urn:x" xsi:type="t:LEAF" xsi:nil="true"/>');
  expect(fromXml(readXml(xml))).toEqual({ A: null });
});
