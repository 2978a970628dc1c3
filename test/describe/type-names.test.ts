import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeWsdl, describeXsdFiles } from '../../src/describe/index.ts';
import { type Document, foldedName } from '../../src/model/document.ts';
import type { Service } from '../../src/model/service.ts';
import { compound, document, field, listOf, type OperationOptions, registry, string } from '../support/registry.ts';
import { base } from './samples.ts';

const service = (operations: Readonly<Record<string, OperationOptions>>): [ReturnType<typeof registry>, Service] => {
  const built = registry({ 'Test.v1': { operations } });
  return [built, built.services.get('Test.v1') as Service];
};
const xsdOf = (operations: Readonly<Record<string, OperationOptions>>): string =>
  [...describeXsdFiles(...service(operations)).values()].join('\n');
const wsdlOf = (operations: Readonly<Record<string, OperationOptions>>): string =>
  describeWsdl(...service(operations), { base });
const reply = (response: Document): OperationOptions => ({
  templates: ['X'],
  response: { 'application/xml': response },
});

/** The names of the classes that JAXB writes from a schema, as its factory methods have them. */
function classesOf(xsd: string): string[] {
  const classes: string[] = [];
  const path: string[] = [];
  for (const [, closing, kind, attributes = '', empty] of xsd.matchAll(
    /<(\/?)xs:(element|complexType)\b([^>]*?)(\/?)>/g,
  )) {
    if (closing === '/') path.pop();
    else {
      const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? '';
      // An anonymous type is a class of the name of its element, inside that around it.
      if (kind === 'complexType') classes.push(path.join('') + name);
      if (empty !== '/') path.push(name);
    }
  }
  return classes;
}

describe('names of types', () => {
  test('an entry in place is not called as the element of its list is in generated code', () => {
    const entry = document('OWNER_result', [field('status')], { inPlace: true });
    const text = xsdOf({ A: reply(document('OWNER', [field('result', listOf(entry))])) });
    expect(text).toContain('<xs:element name="item" type="tns:OWNER_result_item"');
    expect(classesOf(text)).toEqual(['OWNER', 'OWNERresult', 'OWNER_result_item']);
  });

  test('a type is not called as the element of a list inside it', () => {
    const text = xsdOf({ A: reply(document('OWNER', [field('owner', listOf('string'))])) });
    expect(text).toContain('<xs:complexType name="OWNER_2">');
  });

  test.each([
    'ObjectFactory',
    'OBJECT_FACTORY',
    'String',
    'TestPortType',
    'Test_Service',
    'FAULTMessage',
    'ASK',
  ])('none is called as a class that stands for something else: %s', (id) => {
    const fault = document('FAULT', [field('TEXT', 'text')]);
    const response = document('OUTER', [field('inner', compound(document(id, [field('x')])))]);
    expect(wsdlOf({ ASK: { soap: true, response, fault } })).toContain(`<xs:complexType name="${id}_2">`);
  });

  test('what is declared keeps its name before what is named after its place', () => {
    const inner = document('A_B', [field('x')], { inPlace: true });
    const text = xsdOf({
      A: reply(document('DOC', [field('F', compound(inner)), field('G', compound(document('A-B', [])))])),
    });
    expect(text).toContain('<xs:element name="F" type="tns:A_B_2"');
    expect(text).toContain('<xs:element name="G" type="tns:A-B"');
  });

  test('no two classes have one name, whatever documents and fields are called', () => {
    const name = fc.constantFrom(
      'a',
      'A',
      'a_b',
      'aB',
      'a-b',
      'ab',
      'b',
      'a_b_item',
      'item',
      'A_2',
      'a_2',
      'a_b_2',
      'ObjectFactory',
    );
    const documents = fc.uniqueArray(
      fc.record({
        id: name,
        inPlace: fc.boolean(),
        lists: fc.uniqueArray(name, { maxLength: 3, selector: foldedName }),
      }),
      { selector: ({ id }) => id, minLength: 1 },
    );
    fc.assert(
      fc.property(documents, (shapes) => {
        let last: Document | undefined;
        for (const { id, inPlace, lists } of shapes) {
          const inner = last === undefined ? string(3) : last;
          last = document(id, [...lists.map((list) => field(list, listOf(inner))), field('f0', listOf(inner, true))], {
            inPlace,
          });
        }
        const classes = classesOf(xsdOf({ A: reply(document('ROOT', [field('f', compound(last as Document))])) }));
        expect(new Set(classes.map(foldedName)).size).toBe(classes.length);
      }),
    );
  });
});

describe('elements that request and reply have both', () => {
  const ask = (request: Document, response: Document): string => wsdlOf({ ASK: { soap: true, request, response } });
  const one = (...fields: Document['fields']): Document => document('IN', fields);
  const other = (...fields: Document['fields']): Document => document('OUT', fields);
  const wrapped = (text: string): boolean => !text.includes('enableWrapperStyle');

  test('are of one named type where one of them has facets', () => {
    const text = ask(one(field('STATE', 'string', { enum: ['A', 'B'] })), other(field('STATE'), field('MORE')));
    expect(text.match(/<xs:element name="STATE" type="tns:STATE"/g)).toHaveLength(2);
    expect(text).toContain('<xs:documentation>One of: A, B.</xs:documentation>');
    expect(text).toMatch(/<xs:simpleType name="STATE">\s*<xs:restriction base="xs:string"\/>/);
    expect(wrapped(text)).toBe(true);
  });

  test('keep their facets where both have some', () => {
    const text = ask(one(field('KEY', string(10))), other(field('KEY', string(20))));
    expect(text).toContain('<xs:maxLength value="10"/>');
    expect(text).toContain('<xs:maxLength value="20"/>');
    expect(wrapped(text)).toBe(true);
  });

  const same = document('SAME', [field('x')]);
  test.each([
    ['a text and a number', field('F'), field('F', 'integer')],
    ['a list and another', field('F', listOf('string')), field('F', listOf('string'))],
    ['a value and a list without an element around', field('F'), field('F', listOf('string', true))],
    ['two documents', field('F', compound(same)), field('F', compound(document('LIKE', [field('x')])))],
    ['a boolean that is there and one that may be', field('F', 'boolean', { required: true }), field('F', 'boolean')],
    ['names that are one in Java', field('a_b'), field('aB')],
  ])('make the method take and return messages where they would be one parameter of two types: %s', (_, a, b) => {
    expect(wrapped(ask(one(a), other(b)))).toBe(false);
  });

  test.each([
    ['a text', field('F'), field('F')],
    ['a document', field('F', compound(same)), field('F', compound(same))],
    ['other names', field('F'), field('G', 'integer')],
    ['an attribute, which is no parameter', field('F', 'string', { attribute: true }), field('F', 'integer')],
  ])('are parameters: %s', (_, a, b) => {
    expect(wrapped(ask(one(a), other(b)))).toBe(true);
  });

  test('a reserved word of Java is no parameter', () => {
    expect(wrapped(ask(one(field('class')), other(field('x'))))).toBe(false);
    expect(wrapped(ask(one(field('x')), other(field('int'))))).toBe(false);
  });

  test('content without a document is one element', () => {
    const of = (request: 'text' | 'binary'): string => wsdlOf({ ASK: { soap: true, request, response: 'text' } });
    expect([wrapped(of('text')), wrapped(of('binary'))]).toEqual([true, false]);
  });
});
