import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonBuilder, type JsonScalarValue } from '../../src/codec/json/builder.ts';

describe('JsonBuilder', () => {
  it('builds a list of objects without labels, with an object under a label in each (specification 2.6)', () => {
    const builder = new JsonBuilder().startArray('');
    for (const [number, name] of [
      ['INC1', 'Ada'],
      ['INC2', 'Grace "G"'],
    ] as const) {
      builder.startObject('').addProperty('number', number).addProperty('state', 'new');
      builder.startObject('caller').addProperty('name', name).endObject('caller').endObject('');
    }
    expect(builder.endArray('').toString()).toBe(
      '[{"number":"INC1","state":"new","caller":{"name":"Ada"}},{"number":"INC2","state":"new","caller":{"name":"Grace \\"G\\""}}]',
    );
  });

  it('writes every single value, lists in lists, and the digits of a number as they are', () => {
    const text = new JsonBuilder()
      .startObject()
      .addProperty('text', 'ä\n')
      .addProperty('number', 1.5)
      .addProperty('large', 9007199254740993n)
      .addProperty('yes', true)
      .addProperty('nothing', null)
      .addNumber('price', '1.50')
      .startArray('lists')
      .startArray()
      .addProperty('', 1)
      .addProperty('', 2)
      .endArray()
      .startArray()
      .endArray()
      .endArray('lists')
      .startObject('empty')
      .endObject()
      .endObject()
      .toString();
    expect(text).toBe(
      '{"text":"ä\\n","number":1.5,"large":9007199254740993,"yes":true,"nothing":null,"price":1.50,"lists":[[1,2],[]],"empty":{}}',
    );
  });

  it.each<[string, (builder: JsonBuilder) => unknown, string]>([
    [
      'an object in an object without a label',
      (b) => b.startObject().startObject(),
      'is an object, whose members need labels',
    ],
    [
      'a list in an object without a label',
      (b) => b.startObject().startArray(),
      'is an object, whose members need labels',
    ],
    [
      'a property without a label, deeper',
      (b) => b.startObject().startObject('caller').addProperty('', 1),
      'caller is an object, whose members need labels',
    ],
    ['a label at the root', (b) => b.startObject('root'), '"root" is at the root, which has no label'],
    ['a label in a list', (b) => b.startArray().startObject('row'), 'row is the entry of a list, which has no label'],
    ['a label twice', (b) => b.startObject().addProperty('a', 1).startArray('a'), 'a is in its object already'],
    ['a second root', (b) => b.startArray().endArray().startArray(), 'the root is built already'],
    ['a single value at the root', (b) => b.addProperty('', 'x'), 'the root is an object or a list: begin one'],
    ['an end that fits nothing', (b) => b.endObject(), 'is nothing, and an object is ended'],
    [
      'the end of another kind',
      (b) => b.startObject().startArray('rows').endObject(),
      'rows is a list, and an object is ended',
    ],
    [
      'the end of another label',
      (b) => b.startObject().startObject('caller').endObject('called'),
      'caller is ended as "called", and was begun as "caller"',
    ],
    ['what JSON has no number for', (b) => b.startArray().addProperty('', Number.NaN), "is NaN, which JSON can't hold"],
    ['digits that are none', (b) => b.startObject().addNumber('price', '01'), 'price is not a JSON number: "01"'],
    [
      'half of a surrogate pair',
      (b) => b.startObject().addProperty('a', '\ud800'),
      'a holds half of a surrogate pair, which is not a character',
    ],
    [
      'an object as a value',
      (b) => b.startObject().addProperty('a', {} as unknown as JsonScalarValue),
      'a is not a single value: begin an object or a list',
    ],
    ['a text of nothing', (b) => b.toString(), 'nothing was built: the root is an object or a list'],
    ['a text before the end', (b) => b.startObject().startArray('rows').toString(), 'rows is a list that is not ended'],
  ])('refuses %s', (_what, build, message) => {
    expect(() => build(new JsonBuilder())).toThrow(expect.objectContaining({ name: 'CodecError', message }) as Error);
  });

  it('is as it was after a refusal', () => {
    const builder = new JsonBuilder().startObject().addProperty('a', 1);
    expect(() => builder.startObject('')).toThrow();
    expect(() => builder.addProperty('a', 2)).toThrow();
    expect(builder.addProperty('b', 2).endObject().toString()).toBe('{"a":1,"b":2}');
  });

  it('builds what JSON.stringify writes, for any value whose root is an object or a list', () => {
    const value = fc.letrec<{ any: unknown; root: unknown }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'grapheme' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        tie('root'),
      ),
      root: fc.oneof(
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), tie('any'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).root;
    fc.assert(
      fc.property(value, (root) => {
        const text = JSON.stringify(root);
        fc.pre(!text.includes('\\u0000') && !text.includes('__proto__'));
        expect(built(new JsonBuilder(), '', root).toString()).toBe(text);
      }),
    );
  });
});

function built(builder: JsonBuilder, label: string, value: unknown): JsonBuilder {
  if (Array.isArray(value)) {
    builder.startArray(label);
    for (const each of value) built(builder, '', each);
    return builder.endArray(label);
  }
  if (typeof value !== 'object' || value === null) return builder.addProperty(label, value as JsonScalarValue);
  builder.startObject(label);
  for (const [name, each] of Object.entries(value)) built(builder, name, each);
  return builder.endObject(label);
}
