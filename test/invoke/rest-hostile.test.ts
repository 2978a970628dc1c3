import { describe, expect, it } from 'vitest';
import type { InvokeError } from '../../src/invoke/index.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import type { RestOptions } from '../support/consumer.ts';
import { compound, document, FAILURE, field } from '../support/registry.ts';
import { everythingOf, leaked } from '../support/secrets.ts';
import { remote } from './rest-support.ts';
import { type Answer, client, read, target, thrown } from './support.ts';

// What targets answer by mistake, or to do harm.

const KEY = 'k3y/of mine+é!';

/** A call that shows KEY, which the target may repeat. */
const SECRET: Omit<RestOptions, 'templates'> = {
  method: 'GET',
  fields: [field('KEY', 'text', { sensitive: true })],
  headers: { 'X-Key': '{KEY}' },
};

async function call(options: Omit<RestOptions, 'templates'>, answer: Answer, input: DocumentValue = {}) {
  const { url } = await target(answer);
  return client(remote(url, { method: 'GET', templates: ['x'], ...options })).call('SOME_CALL', input);
}

async function failure(options: Omit<RestOptions, 'templates'>, answer: Answer, input: DocumentValue = { KEY }) {
  return (await thrown(call(options, answer, input))) as InvokeError;
}

const typed = (type: string, body: string | Buffer, status = 200): Answer => ({
  status,
  headers: { 'Content-Type': type },
  body,
});
const json = (body: unknown, status = 200): Answer => typed('application/json', JSON.stringify(body), status);

describe('a reply that repeats what is secret in the request', () => {
  const WORD = document('WORD', [field('WORD', 'string', { enum: ['yes', 'no'] })]);

  it.each<[string, Omit<RestOptions, 'templates'>, Answer, object]>([
    [
      'in its fault document',
      { ...SECRET, fault: FAILURE },
      json({ status: 'failure', error: { message: `not ${KEY}`, detail: KEY } }),
      { fault: { status: 'failure', error: { message: 'not ***', detail: '***' } }, message: 'SOME_CALL: not ***' },
    ],
    [
      'in JSON with slashes and letters escaped',
      SECRET,
      typed('application/json', '{"error":{"message":"no k3y\\/of mine\\u002b\\u00e9!"}}', 400),
      { reason: 'no ***' },
    ],
    [
      'in another charset',
      SECRET,
      typed('text/html; charset=utf-16le', Buffer.from(`<p>${KEY}</p>`, 'utf16le'), 500),
      { body: '<p>***</p>' },
    ],
    ['in a page', SECRET, typed('text/html', '<p>k3y&#x2F;of mine&#43;&#233;!</p>', 500), { body: '<p>***</p>' }],
    [
      'as it is encoded in a URL',
      SECRET,
      typed('text/plain', '/x?a=k3y%2Fof%20mine%2B%C3%A9%21', 500),
      { body: '/x?a=***' },
    ],
    [
      'where it redirects to',
      SECRET,
      { status: 302, headers: { Location: `https://a.example/?key=${encodeURIComponent(KEY)}` } },
      { hint: 'Redirects are not followed; it leads to https://a.example/?key=***.' },
    ],
    [
      'in a value that does not fit',
      { ...SECRET, response: WORD },
      json({ WORD: KEY }),
      { message: 'SOME_CALL: the reply does not fit the operation: WORD is "***", not one of yes, no' },
    ],
    [
      'as a name',
      { ...SECRET, response: 'json' },
      typed('application/json', `{"${KEY}":{"__proto__":1}}`),
      {
        message:
          'SOME_CALL: the reply does not fit the operation: "***" holds a key "__proto__", which is not accepted',
      },
    ],
  ])('%s: is masked', async (_, options, answer, told) => {
    const error = await failure(options, answer);
    expect(error).toMatchObject(told);
    expect(leaked(everythingOf(error), [KEY])).toEqual([]);
  });

  it('of a document that is the whole body: is masked by its value', async () => {
    const ORDER = document('ORDER', [field('PIN', 'integer', { sensitive: true })]);
    const options = { method: 'POST', fields: [field('ORDER', compound(ORDER))], body: { field: 'ORDER' } } as const;
    const error = await failure(options, typed('text/plain', 'not 4711', 500), { ORDER: { PIN: 4711 } });
    expect(error.body).toBe('not ***');
  });
});

it('sensitive fields of a fault document are masked, and content in it stays', async () => {
  const fault = document('FAULT', [
    field('code', 'string', { fixed: 'F' }),
    field('token', 'text', { sensitive: true }),
    field('scan', 'binary'),
  ]);
  const error = await failure({ fault }, json({ code: 'F', token: 't0ken', scan: 'c2Nhbg==' }), {});
  expect(error).toMatchObject({ fault: { code: 'F', token: '***', scan: { length: 4 } } });
});

describe('a reply of which nothing came', () => {
  it.each<[string, RestOptions['response'], unknown]>([
    ['a document of which nothing is required', document('OUT', [field('NAME')]), {}],
    ['text', 'text', { content: '' }],
  ])('is %s, with 204, and with 200 unless it is a document', async (_, response, value) => {
    const options = response === undefined ? {} : { response };
    expect((await call(options, { status: 204 })).value).toEqual(value);
    // An empty text is not a document.
    if (typeof response === 'object')
      expect(await failure(options, { status: 200 }, {})).toMatchObject({ code: 'BAD_REPLY' });
    else expect((await call(options, { status: 200 })).value).toEqual(value);
  });

  it.each([204, 205, 200])('is content without a byte, with the status %i', async (status) => {
    const { value } = await call({ response: 'binary' }, { status });
    expect(value.content).toMatchObject({ length: 0 });
    expect(await read(value.content)).toBe('');
  });

  it.each(['json', 'xml'] as const)('is no %s, whatever its status', async (response) => {
    for (const status of [200, 204, 205])
      expect(await failure({ response }, { status }, {})).toMatchObject({
        code: 'BAD_REPLY',
        message: 'SOME_CALL: the reply is empty',
      });
  });
});

describe('a reply that is made to do harm', () => {
  it.each([
    ['in a fault', json({ error: { message: '<access_token '.repeat(400_000) } }, 400)],
    ['in a page', typed('text/html', '<access_token '.repeat(400_000), 500)],
  ])('is looked through in one go: tags without an end %s', async (_, answer) => {
    expect((await failure({}, answer, {})).body?.length).toBeLessThanOrEqual(2048);
  });

  it('has parameters that are none, and a type all the same', async () => {
    const response = document('OUT', [field('NAME')]);
    expect((await call({ response }, typed('application/json; charset', '{"NAME":"a"}'))).value).toEqual({ NAME: 'a' });
  });
});
