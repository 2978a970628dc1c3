import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallRequest, compileRestCall } from '../../src/binding/call/call.ts';
import { compileRest } from '../../src/binding/rest/rest.ts';
import { MemoryAttachment } from '../../src/codec/binary.ts';
import type { Field } from '../../src/model/field.ts';
import type { Method, RawKind } from '../../src/model/service.ts';
import type { Attachment, DocumentValue, Value } from '../../src/model/value.ts';
import { parseQueryString } from '../../src/wire/query-string.ts';
import { compileUriMatcher } from '../../src/wire/uri-template/match.ts';
import { cases, scalar } from '../codec/arbitraries.ts';
import { restConsumer } from '../support/consumer.ts';
import { document, field, listOf, registry } from '../support/registry.ts';

// What the provider's binding reads is what the consumer's binding has been given: the same templates, the same documents.

interface Mirror {
  readonly method?: Method;
  readonly templates: readonly string[];
  readonly fields: readonly Field[];
  readonly headers?: readonly string[];
  readonly body?: 'document' | { readonly field: string } | RawKind;
}

/** Sends an input from the one to the other. */
function mirror({ method = 'POST', templates, fields, headers = [], body }: Mirror) {
  const isRaw = typeof body === 'string' && body !== 'document';
  const request = isRaw ? body : document('DOC', fields);
  const one = typeof body === 'object' ? { body: 'raw' as const } : body === undefined ? { body: 'none' as const } : {};
  const headerNames = Object.fromEntries(headers.map((name, i) => [`X-Field-${i}`, `{${name}}`]));
  const requestHeaders = headers.map((name, i) => {
    return { header: `X-Field-${i}`, field: fields.find((each) => each.name === name)! };
  });
  const built = registry({
    'Some.v1': { operations: { SOME: { method, templates, request, requestHeaders, ...one } } },
  });
  const operation = built.operations.get('SOME')!;
  const provider = compileRest(operation, 'urn:test');
  const content = isRaw ? [...fields, field('content', body)] : fields;
  const options = { method, templates, headers: headerNames, fields: content };
  const consumer = compileRestCall(restConsumer(body === undefined ? options : { ...options, body }), 'urn:test');
  const matchers = operation.uris.map(({ template, variables }) => {
    const lists = new Set(variables.filter((each) => each.field.type.kind === 'list').map((each) => each.field.name));
    return compileUriMatcher(template, ({ name }) => (lists.has(name) ? 'list' : 'string'));
  });
  return async (input: DocumentValue, uriIndex = 1): Promise<DocumentValue> => {
    const written = consumer.write(input, { uriIndex, resolve: ({ name }) => name });
    const [path = '', query = ''] = written.uri.split(/\?(.*)/s);
    const matcher = matchers[uriIndex - 1]!;
    const raw = matcher.matchPath(path);
    if (raw === undefined) throw new Error(`${written.uri} matches nothing`);
    expect(matcher.matchQuery(parseQueryString(query, 100), raw)).toMatchObject({ ok: true, missing: [] });
    const given = new Map(Object.entries(written.headers).map(([name, value]) => [name.toLowerCase(), value]));
    const uri = operation.uris[uriIndex - 1]!;
    return provider.readRequest(uri, { raw, unknown: [] }, (name) => given.get(name), bodyOf(written));
  };
}

function bodyOf({ headers, content }: CallRequest) {
  return {
    contentType: headers['Content-Type'],
    text: async () => String(await whole(content)),
    attachment: (contentType: string): Attachment => ({ contentType, stream: () => content?.bytes() ?? ([] as never) }),
    present: content !== undefined,
    length: content?.length,
    bytes: () => whole(content),
  };
}

async function whole(content: CallRequest['content']): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content?.bytes() ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).length).toBe(content?.length ?? 0);
  return Buffer.concat(chunks);
}

/** Attachments by their bytes. */
function plain(value: unknown): unknown {
  if (value instanceof MemoryAttachment) return Buffer.from(value.bytes).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Text of any characters that a URI brings over; empty text says nothing there. */
const word = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((text) => text.isWellFormed() && !text.includes('\0') && !/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(text));
const path = word.filter((text) => !/^\/|\/$|\/\//.test(text));

describe('what is written is what is read', () => {
  const uris: Mirror = {
    method: 'GET',
    templates: [
      'a/{ID}/b?region={REGION}',
      "f(url='{ID}')/{FOLDER}{?REGION,LIST*}",
      'c/{ID}/{+FOLDER}?x={REGION}{&COUNT}',
    ],
    fields: [
      field('ID', 'text', { url: 'segment' }),
      field('REGION', 'text'),
      field('FOLDER', 'text', { url: 'path' }),
      field('LIST', listOf('text')),
      field('COUNT', 'integer'),
    ],
  };

  it('in each of the URIs', async () => {
    const send = mirror(uris);
    const input = fc.record({ ID: word, REGION: word });
    const folder = path.filter((text) => !text.includes('/'));
    await fc.assert(
      fc.asyncProperty(input, async (value) => {
        expect(await send(value, 1)).toEqual(value);
      }),
    );
    await fc.assert(
      fc.asyncProperty(input, folder, fc.array(word, { minLength: 1 }), async (value, FOLDER, LIST) => {
        expect(await send({ ...value, FOLDER, LIST }, 2)).toEqual({ ...value, FOLDER, LIST });
      }),
    );
    await fc.assert(
      fc.asyncProperty(input, path, fc.integer(), async (value, FOLDER, COUNT) => {
        expect(await send({ ...value, FOLDER, COUNT }, 3)).toEqual({ ...value, FOLDER, COUNT });
      }),
    );
  });

  it('of every type, in the query', async () => {
    await fc.assert(
      fc.asyncProperty(
        scalar().chain(({ type, value }) => value.map((v) => ({ type, v: v as Value }))),
        async ({ type, v }) => {
          fc.pre(v !== '');
          const send = mirror({ method: 'GET', templates: ['a{?X}'], fields: [field('X', type)] });
          expect(await send({ X: v })).toEqual({ X: v });
        },
      ),
    );
  });

  it('in headers', async () => {
    const send = mirror({
      method: 'GET',
      templates: ['a'],
      fields: [field('A'), field('N', listOf('integer'))],
      headers: ['A', 'N'],
    });
    const text = fc.stringMatching(/^[\x21-\x7e\xa1-\xff](?:[\t\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa1-\xff])?$/);
    const numbers = fc.array(fc.integer(), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(text, numbers, async (A, N) => {
        expect(await send({ A, N })).toEqual({ A, N });
      }),
    );
  });

  it('in a body of fields, of any document', async () => {
    await fc.assert(
      fc.asyncProperty(cases, word, async ({ of, value }, ID) => {
        fc.pre(of.kinds === undefined && of.fields.every(({ name }) => name !== 'ID' && name !== '__proto__'));
        const send = mirror({ templates: ['a/{ID}'], fields: [field('ID', 'text'), ...of.fields], body: 'document' });
        expect(plain(await send({ ...value, ID }))).toEqual(plain({ ...value, ID }));
      }),
    );
  });

  it('in a body that is one field, of every type', async () => {
    await fc.assert(
      fc.asyncProperty(
        scalar().chain(({ type, value }) => value.map((v) => ({ type, v: v as Value }))),
        async ({ type, v }) => {
          fc.pre(type.kind !== 'xml');
          const send = mirror({ templates: ['a'], fields: [field('X', type)], body: { field: 'X' } });
          expect(await send({ X: v })).toEqual({ X: v });
        },
      ),
    );
  });

  it('in a body without a document', async () => {
    const text = fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed());
    const send = mirror({ templates: ['a'], fields: [], body: 'text' });
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        expect(await send({ content })).toEqual({ content });
      }),
    );
    const sendJson = mirror({ templates: ['a'], fields: [], body: 'json' });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        const content = JSON.stringify(value);
        fc.pre(!content.includes('\\u') && !content.includes('__proto__') && !/\d{16}|-0|e/.test(content));
        expect(await sendJson({ content })).toEqual({ content: JSON.parse(content) });
      }),
    );
  });
});
