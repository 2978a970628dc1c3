import { describe, expect, it } from 'vitest';
import { type CallRequest, compileRestCall } from '../../src/binding/call/call.ts';
import { Pending } from '../../src/binding/call/values.ts';
import { CodecError } from '../../src/codec/index.ts';
import type { Field } from '../../src/model/field.ts';
import type { Attachment, DocumentValue, Value } from '../../src/model/value.ts';
import { type RestOptions, restConsumer } from '../support/consumer.ts';
import { compound, document, field, listOf } from '../support/registry.ts';

// What callers give without care, or with too much of it.

const write = (options: RestOptions, input: DocumentValue): CallRequest =>
  compileRestCall(restConsumer(options), 'urn:test').write(input, { uriIndex: 1, resolve: ({ name }) => name });

function complaint(options: RestOptions, input: DocumentValue): string {
  try {
    write(options, input);
  } catch (error) {
    if (error instanceof CodecError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const content = (more: Partial<Attachment> = {}): Attachment => ({
  contentType: 'text/plain',
  async *stream() {
    yield Buffer.from('content');
  },
  ...more,
});

const text = (name: string, more: Partial<Field> = {}): Field => field(name, 'text', more);

describe('content that tells lies about itself', () => {
  const FILE: RestOptions = { templates: ['x'], fields: [field('FILE', 'binary')], body: { field: 'FILE' } };

  it.each<[Partial<Attachment>, string]>([
    [
      { contentType: 'text/plain; a="\r\nX-Evil: 1"' },
      'has the content type "text/plain; a=\\"\\r\\nX-Evil: 1\\"", which is not valid',
    ],
    [{ contentType: 'text/plain; a="€"' }, 'has the content type "text/plain; a=\\"€\\"", which is not valid'],
    [{ contentType: '' }, 'has the content type "", which is not valid'],
    [{ contentType: undefined as unknown as string }, 'has the content type undefined, which is not valid'],
    [{ length: -1 }, 'has the length -1, which is not a number of bytes'],
    [{ length: Number.NaN }, 'has the length NaN, which is not a number of bytes'],
    [{ length: 1.5 }, 'has the length 1.5, which is not a number of bytes'],
  ])('is named before anything is sent: %j', (more, reason) => {
    expect(complaint(FILE, { FILE: content(more) })).toBe(`FILE ${reason}`);
  });

  it('is named inside a document too', () => {
    const options: RestOptions = { templates: ['x'], fields: [field('SCAN', 'binary')], body: 'document' };
    expect(complaint(options, { SCAN: content({ length: -3 }) })).toBe(
      'content of the body has the length -3, which is not a number of bytes',
    );
  });
});

describe('a value', () => {
  it('that holds itself is nested too deep, with content in it or without', () => {
    const fields: Field[] = [];
    const loop = document('LOOP', fields);
    fields.push(field('INNER', compound(loop)), field('SCAN', 'binary'));
    const value: Record<string, Value> = {};
    value.INNER = value as DocumentValue;
    expect(complaint({ templates: ['x'], fields, body: 'document' }, value)).toContain(
      'is nested more than 100 levels deep',
    );
  });

  it('that is empty does not pass for a blank beside it', () => {
    const options: RestOptions = {
      templates: ['x'],
      fields: [text('TOKEN'), text('NOTE')],
      headers: { Authorization: 'Bearer {TOKEN}', 'X-Note': '{NOTE} said' },
    };
    expect(complaint(options, { TOKEN: '' })).toBe('TOKEN is empty, and is used in header Authorization');
    expect(complaint(options, { NOTE: '' })).toBe('NOTE is empty, and is used in header X-Note');
    expect(complaint(options, { TOKEN: ' ' })).toBe('TOKEN ends with a blank, and is used in header Authorization');
  });

  it('with a NUL has no place in a URI or a form', () => {
    const A = text('A');
    expect(complaint({ templates: ['x/{A}'], fields: [A] }, { A: 'a\0.pdf' })).toBe('A holds the character NUL');
    expect(complaint({ templates: ['x{?A}'], fields: [A] }, { A: '\0' })).toBe('A holds the character NUL');
    expect(complaint({ templates: ['x'], fields: [A], form: { a: '{A}' } }, { A: '\0' })).toBe(
      'A holds the character NUL (%00), and is used in form field a',
    );
    const raw: RestOptions = {
      templates: ['x'],
      fields: [text('content')],
      body: 'text',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      properties: { bodyAsBuilt: false },
    };
    expect(complaint(raw, { content: 'a=\0' })).toBe('content holds the character NUL (%00)');
  });

  it.each([
    'a/../b',
    '..\\b',
    'a\\..',
    './a',
  ])('with dots between slashes of either kind leads nowhere: %s', (value) => {
    for (const url of ['segment', 'path', 'odata', 'odata-path'] as const)
      expect(complaint({ templates: ["x/f('/{A}/')"], fields: [text('A', { url })] }, { A: value })).toMatch(
        /^A would put a segment \.\.? into the path/,
      );
  });

  it('of raw JSON is named by its whole path, and may be null', () => {
    const options: RestOptions = {
      templates: ['x'],
      fields: [field('content', 'json', { required: true })],
      body: 'json',
    };
    expect(complaint(options, { content: { content: { n: Number.NaN } } })).toBe(
      "content.content.n is NaN, which JSON can't hold",
    );
    expect(write(options, { content: null }).content?.text).toBe('null');
  });
});

describe('a field that is the whole body', () => {
  const ORDER = document('ORDER', [text('ID'), field('PIN', 'integer', { sensitive: true }), field('SCAN', 'binary')]);
  const options: RestOptions = {
    templates: ['x'],
    fields: [field('ORDER', compound(ORDER))],
    body: { field: 'ORDER' },
  };

  it('tells what is secret in it, at any depth', () => {
    const { content: body, secrets } = write(options, { ORDER: { ID: 'a', PIN: 4711 } });
    expect(body?.text).toBe('{"ID":"a","PIN":4711}');
    expect(body?.shown()).toBe('{"ID":"a","PIN":"***"}');
    expect([...secrets()]).toEqual(['4711']);
  });

  it('may hold content that is read as it is sent', async () => {
    const list: RestOptions = { templates: ['x'], fields: [field('ALL', listOf(ORDER))], body: { field: 'ALL' } };
    const request = write(list, { ALL: [{ SCAN: content({ length: 7 }) }, { ID: 'b' }] });
    const chunks: Uint8Array[] = [];
    for await (const chunk of request.content?.bytes() ?? []) chunks.push(chunk);
    const sent = `[{"SCAN":"${Buffer.from('content').toString('base64')}"},{"ID":"b"}]`;
    expect(String(Buffer.concat(chunks))).toBe(sent);
    expect(request.content?.length).toBe(sent.length);
  });

  it('is named where it is missing', () => {
    const needy = { ...options, fields: [field('ORDER', compound(ORDER), { required: true })] };
    expect(complaint(needy, {})).toBe('ORDER is missing');
    expect(complaint(options, { ORDER: 'x' })).toBe('ORDER is a string, not an object');
  });
});

it.each<[string, RestOptions, string | undefined]>([
  ['a form', { templates: ['x'], fields: [text('A')], form: { a: '{A}' } }, 'application/x-www-form-urlencoded'],
  ['a document', { templates: ['x'], fields: [text('A')], body: 'document' }, 'application/json'],
  ['one field', { templates: ['x'], fields: [field('A', 'json')], body: { field: 'A' } }, 'application/json'],
  ['a text', { templates: ['x'], fields: [text('A')], body: { field: 'A' } }, 'text/plain; charset=utf-8'],
])('a body with what is pending has its type, and no length yet: %s', (_, options, type) => {
  const { content: body, headers } = write(options, { A: new Pending('A') });
  expect(headers['Content-Type']).toBe(type);
  expect(body?.length).toBeUndefined();
  expect(body?.shown()).toContain('<A>');
});
