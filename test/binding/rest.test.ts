import { describe, expect, it } from 'vitest';
import { compileRest, type RestBinding } from '../../src/binding/rest/rest.ts';
import { CodecError } from '../../src/codec/index.ts';
import { Fault } from '../../src/model/fault.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { compound, document, field, listOf, type OperationOptions, registry, string } from '../support/registry.ts';

const ANSWER = document('ANSWER', [field('NAME', string(5)), field('LIST', listOf('integer'))]);
const SAID = document('SAID', [field('WORDS', 'text', { default: '{fault.message} ({fault.code} {fault.status})' })]);

function binding(options: Omit<OperationOptions, 'templates'>): RestBinding {
  const found = registry({ 'Some.v1': { operations: { SOME: { templates: ['some'], ...options } } } });
  const [operation] = found.operations.values();
  return compileRest(operation as NonNullable<typeof operation>, 'urn:test');
}

const typesOf = ({ representations }: RestBinding): string[] => representations.map((each) => each.contentType);

describe('the forms of a reply', () => {
  it.each<[string, Omit<OperationOptions, 'templates'>, string[]]>([
    ['a document', { response: ANSWER }, ['application/json', 'application/xml']],
    ['text', { response: 'text' }, ['text/plain; charset=utf-8']],
    ['bytes', { response: 'binary' }, ['application/octet-stream']],
    [
      'several media types',
      {
        response: {
          'application/vnd.some+xml': ANSWER,
          'text/csv; header=present': 'text',
          'application/json': ANSWER,
        },
      },
      ['application/vnd.some+xml', 'text/csv;header=present; charset=utf-8', 'application/json'],
    ],
    [
      'a wrapper',
      { response: ANSWER, wrapper: 'psnonxml' },
      ['application/xml', 'text/xml; charset=utf-8', 'application/json'],
    ],
  ])('of %s', (_, options, types) => {
    expect(typesOf(binding(options))).toEqual(types);
  });

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*;q=0.5', 'application/json'],
    ['application/xml', 'application/xml'],
    ['text/html, application/xml;q=0.2, application/json;q=0.1', 'application/xml'],
    ['application/json;q=0, */*', 'application/xml'],
    ['nonsense', 'application/json'],
  ])('Accept: %s picks %s', (accept, type) => {
    expect(binding({ response: ANSWER }).negotiate(accept).contentType).toBe(type);
  });

  it('that nobody offers is refused, where there is a body at all', () => {
    expect(() => binding({ response: ANSWER }).negotiate('text/html')).toThrow(
      expect.objectContaining({ status: 406, message: expect.stringContaining('application/json, application/xml') }),
    );
    expect(binding({}).negotiate('text/html').message.kind).toBe('none');
  });

  it('is bytes or text also for who names the form of its faults alone, as generated clients do', () => {
    const problems = 'application/problem+json';
    const fault = document('FAULT', [field('MESSAGE')]);
    expect(binding({ response: 'text' }).negotiate(problems).contentType).toBe('text/plain; charset=utf-8');
    expect(binding({ response: 'binary', fault }).negotiate('application/json').contentType).toBe(
      'application/octet-stream',
    );
    const refused = expect.objectContaining({ status: 406 });
    expect(() => binding({ response: 'text' }).negotiate('application/json')).toThrow(refused);
    expect(() => binding({ response: 'text' }).negotiate('application/*')).toThrow(refused);
    expect(() => binding({ response: ANSWER }).negotiate(problems)).toThrow(refused);
  });
});

describe('what is written', () => {
  it('is the document in each form, or a text as it is', () => {
    const some = binding({ response: ANSWER, wrapper: 'psnonxml' });
    const [wrapped, , json] = some.representations;
    const value = { NAME: ']]>', LIST: [1, 2n ** 60n] };
    const text = '{"NAME":"]]>","LIST":[1,1152921504606846976]}';
    expect(some.writeReply(value, json as NonNullable<typeof json>, 0)).toBe(text);
    const inside = text.replace(']]>', ']]]]><![CDATA[>');
    const expected = `<data psnonxml='Yes'><![CDATA[${inside}]]></data>`;
    expect(some.writeReply(value, wrapped as NonNullable<typeof wrapped>, 0)).toBe(expected);
    const raw = binding({ response: 'json' });
    const as = raw.negotiate(undefined);
    expect(raw.writeReply('{ "as": "is" }', as, 0)).toBe('{ "as": "is" }');
    expect(raw.writeReply({ big: 2n ** 60n }, as, 0)).toBe('{"big":1152921504606846976}');
  });

  it('is refused where it does not fit', () => {
    const some = binding({ response: ANSWER });
    const as = some.negotiate(undefined);
    expect(() => some.writeReply('text', as, 0)).toThrow(CodecError);
    expect(() => some.writeReply({ NAME: 'longer' }, as, 0)).toThrow('NAME is longer than 5 characters');
  });

  it('of a fault is its document in the form of the reply, else problem details', () => {
    const fault = Fault.custom('ODD', 409, 'a <b>');
    const some = binding({ response: ANSWER, fault: SAID });
    const written = some.representations.map((as) => some.writeFault(fault, as, 'id'));
    expect(written).toEqual([
      { contentType: 'application/json', text: '{"WORDS":"a <b> (ODD 409)"}' },
      {
        contentType: 'application/xml',
        text: '<SAID xmlns="urn:test:Some.v1"><WORDS>a &lt;b&gt; (ODD 409)</WORDS></SAID>',
      },
    ]);
    const bare = binding({ response: ANSWER });
    const { contentType, text } = bare.writeFault(fault, bare.negotiate('application/xml'), 'id');
    expect(contentType).toBe('application/problem+json');
    expect(JSON.parse(text)).toEqual({
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'a <b>',
      code: 'ODD',
      requestId: 'id',
    });
  });
});

describe('what is read', () => {
  const headers = (given: Readonly<Record<string, string>>) => (name: string) => given[name];
  const bodyOf = (text: string | undefined) => ({
    contentType: 'application/json',
    present: text !== undefined,
    length: undefined,
    bytes: async () => Buffer.from(text ?? ''),
    text: async () => text ?? '',
    attachment: () => {
      throw new Error('not asked for');
    },
  });
  const read = async (
    { operation, readRequest }: RestBinding,
    { body, sent = {} }: { body?: string; sent?: Readonly<Record<string, string>> },
  ): Promise<DocumentValue> => {
    const [uri] = operation.uris;
    return readRequest(uri as NonNullable<typeof uri>, { raw: [], unknown: [] }, headers(sent), bodyOf(body));
  };

  it('of a header that is a list are the entries between its commas, those that are empty left out', async () => {
    const ids = field('IDS', listOf('integer'));
    const some = binding({ request: document('R', [ids]), requestHeaders: [{ header: 'X-Ids', field: ids }] });
    expect(await read(some, { sent: { 'x-ids': '1, 2,,\t3 ,' } })).toEqual({ IDS: [1, 2, 3] });
    expect(await read(some, { sent: { 'x-ids': '' } })).toEqual({});
    await expect(read(some, { sent: { 'x-ids': '1,x' } })).rejects.toThrow('X-Ids is not an integer.');
  });

  describe('of a body that is one field', () => {
    const PRICE = document('PRICE', [field('AMOUNT', 'decimal'), field('NEXT', 'json')]);
    const one = (options: Parameters<typeof field>[2] = {}) => {
      const price = field('PRICE', compound(PRICE), options);
      const some = binding({ method: 'PUT', request: document('R', [price]), body: 'raw' });
      return (body: string) => read(some, { body });
    };

    it('is its value, with all digits', async () => {
      expect(await one()('{"AMOUNT":1.50,"NEXT":1234567890123456789}')).toEqual({
        PRICE: { AMOUNT: '1.50', NEXT: 1234567890123456789n },
      });
      expect(await one()('null')).toEqual({});
    });

    it('is refused by the name of the field, or as a body where it is no JSON', async () => {
      const price = one({ required: true, jsonName: 'price' });
      await expect(price('{"AMOUNT":true}')).rejects.toThrow('PRICE.AMOUNT is a boolean, not a decimal.');
      await expect(price('[]')).rejects.toThrow('PRICE is a list, not an object.');
      await expect(price('null')).rejects.toThrow('PRICE is missing.');
      await expect(price('1},"x":{')).rejects.toThrow('Invalid request body: it is not JSON');
      await expect(price('')).rejects.toThrow('Invalid request body: it is not JSON: it ends too early.');
    });

    it('may nest as deep as any JSON', async () => {
      const nested = (levels: number) => `{"NEXT":${'['.repeat(levels)}${']'.repeat(levels)}}`;
      await expect(one()(nested(99))).resolves.toBeDefined();
      await expect(one()(nested(100))).rejects.toThrow('is nested more than 100 levels deep');
    });
  });
});
