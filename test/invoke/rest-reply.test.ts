import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type InvokeError, ReplyFault } from '../../src/invoke/index.ts';
import type { Limits } from '../../src/model/gateway.ts';
import type { InvokeReply } from '../../src/model/invoke-reply.ts';
import type { RestOptions } from '../support/consumer.ts';
import { compound, document, FAILURE, field, listOf } from '../support/registry.ts';
import { remote } from './rest-support.ts';
import { type Answer, client, listen, read, target, thrown } from './support.ts';

const ROW = document('ROW', [field('status'), field('count', 'integer')], { inPlace: true });
const OUT = document('OUT', [field('NAME'), field('COUNT', 'integer'), field('result', listOf(ROW))]);
const NEEDY = document('NEEDY', [field('NAME', 'string', { required: true })]);

async function reply(
  options: Omit<RestOptions, 'templates'>,
  answer: Answer,
  limits?: Partial<Limits>,
): Promise<InvokeReply> {
  const { url } = await target(answer);
  return client(remote(url, { method: 'GET', templates: ['x'], ...options }, limits)).call('SOME_CALL', {});
}

async function failure(options: Omit<RestOptions, 'templates'>, answer: Answer, limits?: Partial<Limits>) {
  return (await thrown(reply(options, answer, limits))) as InvokeError;
}

const typed = (type: string, body: string | Buffer, status = 200): Answer => ({
  status,
  headers: { 'Content-Type': type },
  body,
});
const json = (body: unknown, status = 200): Answer => typed('application/json', JSON.stringify(body), status);

describe('a document', () => {
  it('is read from JSON, whatever else stands in it, digits in a string as a number', async () => {
    const body = { odata: {}, NAME: 'a', COUNT: '7', result: [{ status: 's', more: 1, count: null }], __proto__: 1 };
    const { value, body: text } = await reply({ response: OUT }, json(body));
    expect(value).toStrictEqual({ NAME: 'a', COUNT: 7, result: [{ status: 's' }] });
    expect(text).toBe(JSON.stringify(body));
  });

  it.each([
    ['without a namespace', '<OUT><more><NAME>x</NAME></more><NAME at="1">a</NAME><COUNT>7</COUNT></OUT>'],
    ['in one of theirs', '<o:OUT xmlns:o="urn:theirs" v="1"><o:COUNT>7</o:COUNT><o:NAME>a</o:NAME></o:OUT>'],
    ['with a declaration', '<?xml version="1.0" encoding="UTF-8"?>\n<OUT><NAME>a</NAME><COUNT> 7 </COUNT></OUT>'],
    ['around JSON', '<data psnonxml="Yes"><![CDATA[{"NAME":"a","COUNT":7}]]></data>'],
  ])('is read from XML %s', async (_, xml) => {
    for (const type of ['application/xml', 'text/xml', 'application/some+xml'])
      expect((await reply({ response: OUT }, typed(type, xml))).value).toStrictEqual({ NAME: 'a', COUNT: 7 });
  });

  it('is unwrapped where only JSON is declared', async () => {
    const wrapped = typed('text/xml', "<data psnonxml='Yes'>[1]</data>");
    expect((await reply({ response: 'json' }, wrapped)).value).toEqual({ content: [1] });
    expect(await failure({ response: 'json' }, typed('text/xml', '<data/>'))).toMatchObject({ code: 'BAD_REPLY' });
  });

  it('is known by the end of its media type, and without one is taken for the first', async () => {
    expect((await reply({ response: OUT }, typed('application/hal+json; v=1', '{"NAME":"a"}'))).value).toEqual({
      NAME: 'a',
    });
    expect((await reply({ response: OUT }, { body: '{"NAME":"a"}' })).value).toEqual({ NAME: 'a' });
  });

  it.each<[string, Buffer, string]>([
    ['application/json', Buffer.from('\ufeff{"NAME":"ü"}'), 'ü'],
    ['application/json; charset=iso-8859-1', Buffer.from('{"NAME":"ü"}', 'latin1'), 'ü'],
    ['application/xml; charset=utf-16', Buffer.from('\ufeff<OUT><NAME>ü</NAME></OUT>', 'utf16le'), 'ü'],
    ['text/xml', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><OUT><NAME>ü</NAME></OUT>', 'latin1'), 'ü'],
  ])('of %s is decoded', async (type, body, NAME) => {
    expect((await reply({ response: OUT }, typed(type, body))).value).toEqual({ NAME });
  });

  it('may be missing where nothing of it is required', async () => {
    expect((await reply({ response: OUT }, { status: 204 })).value).toEqual({});
    expect((await reply({ response: OUT }, { status: 202 })).value).toEqual({});
    for (const type of ['application/json', 'text/xml'])
      expect(await failure({ response: OUT }, typed(type, ''))).toMatchObject({
        code: 'BAD_REPLY',
        message: 'SOME_CALL: the reply is empty',
      });
    expect(await failure({ response: NEEDY }, { status: 204 })).toMatchObject({
      code: 'BAD_REPLY',
      message: 'SOME_CALL: the reply is empty',
    });
  });
});

describe('a reply that is not what is declared', () => {
  it.each<[string, RestOptions['response'], Answer, string]>([
    ['a page', OUT, typed('text/html', '<h1>Sorry</h1>'), 'is "text/html", and not application/json, application/xml'],
    ['a page as text', 'text', typed('text/html', '<h1>Sorry</h1>'), 'is "text/html", and not text/plain'],
    ['another type', OUT, typed('text/csv', 'a,b'), 'is "text/csv", and not application/json, application/xml'],
    ['no JSON', OUT, typed('application/json', '{"NAME":\n"a"]'), 'is not JSON: an error at line 2, column 4'],
    [
      'a wrong value',
      OUT,
      json({ result: [{}, { count: 'x' }] }),
      'does not fit the operation: result[1].count is not an integer',
    ],
    ['a missing value', NEEDY, json({ name: 'a' }), 'does not fit the operation: NAME is missing'],
    ['another element', OUT, typed('text/xml', '<html/>'), 'is the element html, not OUT'],
    ['no XML', OUT, typed('text/xml', '<OUT>'), 'is not readable XML'],
    [
      'no UTF-8',
      OUT,
      typed('application/json', Buffer.from([0x22, 0xff, 0x22])),
      'contains bytes that are not text in utf-8',
    ],
    [
      'an unknown charset',
      OUT,
      typed('text/xml; charset=martian', '<OUT/>'),
      'is in the charset "martian", which is not known',
    ],
  ])('says so: %s', async (_, response, answer, reason) => {
    const error = await failure(response === undefined ? {} : { response }, answer);
    expect(error).toMatchObject({ code: 'BAD_REPLY', httpResponseCode: 200, responseStatus: 20 });
    expect(error.message).toContain(`SOME_CALL: the reply ${reason}`);
  });

  it('shows its beginning, on one line', async () => {
    const error = await failure({ response: OUT }, typed('text/html', `<h1>Sorry\u001b[31m</h1>\n${'x'.repeat(9000)}`));
    expect(error.body).toMatch(/^<h1>Sorry \[31m<\/h1> x{1000}/);
    expect(error.body?.length).toBeLessThanOrEqual(2048);
  });

  it('is too large, and its connection is given up', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { url } = await listen((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const more = (): void => void (response.destroyed || response.write('x'.repeat(1000), more));
      response.on('close', resolve);
      more();
    });
    const call = client(remote(url, { method: 'GET', templates: ['x'], response: 'json' }, { body: 5000 })).call(
      'SOME_CALL',
      {},
    );
    expect(await thrown(call)).toMatchObject({
      code: 'REPLY_TOO_LARGE',
      message: 'SOME_CALL: the reply is larger than 5000 bytes (`limits.body`)',
    });
    await closed;
  });
});

describe('content', () => {
  it('is a stream with what its head says of it', async () => {
    const headers = {
      'Content-Type': 'application/pdf',
      'Content-Disposition': 'attachment; filename="a b.pdf"',
      'Content-Length': '5',
    };
    const { value, body, finish } = await reply({ response: 'binary' }, { headers, body: '%PDF!' });
    expect(value.content).toMatchObject({ contentType: 'application/pdf', name: 'a b.pdf', length: 5 });
    expect(await read(value.content)).toBe('%PDF!');
    expect(body).toBeUndefined();
    await finish();
  });

  it('has a limit, which its head or its bytes run into', async () => {
    const known = { headers: { 'Content-Length': '6' }, body: 'abcdef' };
    const large = {
      code: 'REPLY_TOO_LARGE',
      message: 'SOME_CALL: the content of the reply is larger than 5 bytes (`limits.attachment`)',
    };
    expect(await failure({ response: 'binary' }, known, { attachment: 5 })).toMatchObject(large);
    const unknown = await reply(
      { response: 'binary' },
      { headers: { 'Transfer-Encoding': 'chunked' }, body: 'abcdef' },
      { attachment: 5 },
    );
    expect(await thrown(read(unknown.value.content))).toMatchObject(large);
  });

  it.each<[RestOptions['response'], string, unknown]>([
    ['text', 'text/plain; charset=utf-8', 'plain\n'],
    ['text', 'text/csv', 'a,b'],
    ['xml', 'text/xml', '<a>b</a>'],
    ['json', 'application/json', '[1,{"big":1152921504606846976}]'],
  ])('without a document stands in content: %s', async (response, type, body) => {
    const { value } = await reply({ response: response as 'text' }, typed(type, body as string));
    expect(value).toEqual({ content: response === 'json' ? [1, { big: 2n ** 60n }] : body });
  });

  it('that nobody wants is passed over, and its connection serves again', async () => {
    const { url, connections } = await target(typed('text/html', 'x'.repeat(5000)));
    const some = client(remote(url, { templates: ['x'] }));
    for (let i = 0; i < 6; i++) {
      expect((await some.call('SOME_CALL', {})).value).toEqual({});
      // A connection is let go in the turn of the event loop after the end of its reply.
      await setImmediate();
    }
    expect(connections()).toBe(1);
  });

  it('of a reply to HEAD is not there', async () => {
    expect((await reply({ method: 'HEAD', response: OUT }, typed('text/html', ''))).value).toEqual({});
  });
});

describe('a fault', () => {
  const fault = { fault: FAILURE, response: OUT };
  const said = { status: 'failure', error: { message: 'No table', detail: 'x_1', more: 1 } };

  it.each([[400], [500], [200]])('is the document that its fixed values mark, with the status %i', async (status) => {
    const error = await failure(fault, json(said, status));
    expect(error).toBeInstanceOf(ReplyFault);
    expect(error).toMatchObject({
      code: 'FAULT',
      message: 'SOME_CALL: No table',
      reason: 'No table',
      detail: 'x_1',
      fault: { status: 'failure', error: { message: 'No table', detail: 'x_1' } },
      httpResponseCode: status,
      responseStatus: 20,
    });
  });

  it('is read from XML, and out of its wrapper', async () => {
    const xml = '<FAILURE><status>failure</status><error><message>No</message></error></FAILURE>';
    expect(await failure(fault, typed('application/xml', xml, 500))).toMatchObject({ reason: 'No', detail: '' });
    const wrapped = `<data psnonxml='Yes'>${JSON.stringify(said)}</data>`;
    expect(await failure(fault, typed('text/xml', wrapped))).toMatchObject({ code: 'FAULT', reason: 'No table' });
  });

  it('is found in a reply whose content nobody declared, or that is content', async () => {
    expect(await failure({ fault: FAILURE }, json(said))).toMatchObject({ reason: 'No table' });
    expect(await failure({ fault: FAILURE, response: 'binary' }, json(said))).toMatchObject({ reason: 'No table' });
    const { value } = await reply({ fault: FAILURE, response: 'binary' }, json({ status: 'success' }));
    expect(await read(value.content)).toBe('{"status":"success"}');
  });

  it('is none without its marks', async () => {
    expect((await reply(fault, json({ NAME: 'a', status: 'success' }))).value).toEqual({ NAME: 'a' });
    expect((await reply(fault, json({ NAME: 'a' }))).value).toEqual({ NAME: 'a' });
    expect(await failure(fault, json({ status: 'failed' }, 503))).toMatchObject({
      code: 'HTTP_STATUS',
      message: 'SOME_CALL: the target answered with the status 503',
      body: '{"status":"failed"}',
      responseStatus: 10,
    });
  });

  it('without marks says something, or is none', async () => {
    const plain = document('PLAIN', [field('words', 'text', { default: '{fault.message}' })]);
    expect(await failure({ fault: plain }, json({ words: 'no' }, 404))).toMatchObject({
      reason: 'no',
      fault: { words: 'no' },
    });
    expect(await failure({ fault: plain }, json({ other: 'no' }, 404))).toMatchObject({ code: 'HTTP_STATUS' });
    expect((await reply({ fault: plain, response: OUT }, json({ words: 'no' }))).value).toEqual({});
  });

  it.each<[string, Answer, string, string]>([
    [
      'problem details',
      typed('application/problem+json', '{"title":"Gone","detail":"For good","status":410}', 410),
      'Gone',
      'For good',
    ],
    ['OAuth', json({ error: 'invalid_client', error_description: 'Unknown' }, 401), 'invalid_client', 'Unknown'],
    ['OData 4', json({ error: { code: '1', message: 'No such list' } }, 404), 'No such list', ''],
    ['an older OData', json({ error: { code: '1', message: { lang: 'en', value: 'No list' } } }, 404), 'No list', ''],
  ])('is known from %s', async (_, answer, reason, detail) => {
    expect(await failure({}, answer)).toMatchObject({
      code: 'FAULT',
      fault: undefined,
      reason,
      detail,
      httpResponseCode: answer.status,
    });
  });

  it('does not repeat what is secret in the request, or by its name', async () => {
    const options: RestOptions = {
      templates: ['x'],
      fields: [
        field('KEY', 'text', { sensitive: true }),
        field('PIN', compound(document('PIN', [field('digits')])), { sensitive: true }),
      ],
      headers: { 'X-Key': '{KEY}' },
      body: 'document',
    };
    const { url } = await target(({ headers, body }) =>
      typed(
        'text/html',
        `${headers['x-key']} ${encodeURIComponent(String(headers['x-key']))} ${body} access_token=a1b2&client_secret=c3d4 {"KEY": "z9"}`,
        500,
      ),
    );
    const error = (await thrown(
      client(remote(url, options)).call('SOME_CALL', { KEY: 's/e c', PIN: { digits: '4711' } }),
    )) as InvokeError;
    expect(error.body).toBe('*** *** {"PIN":"***"} access_token=***&client_secret=*** {"KEY": "***"}');
    expect(error.sent).toMatchObject({ body: '{"PIN":"***"}', headers: { 'X-Key': '***' } });
  });

  it('of a redirect says where it leads', async () => {
    expect(await failure({}, { status: 302, headers: { Location: 'https://a.example/' } })).toMatchObject({
      code: 'HTTP_STATUS',
      hint: 'Redirects are not followed; it leads to https://a.example/.',
    });
  });
});
