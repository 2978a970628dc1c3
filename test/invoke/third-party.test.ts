import { describe, expect, it, onTestFinished } from 'vitest';
import { JsonBuilder, JsonParser } from '../../src/index.ts';
import { type Client, ReplyFault } from '../../src/invoke/index.ts';
import { failureAnswer, startThirdParty, type ThirdParty } from '../peers/third-party.ts';
import { failure, sampleClient } from './doclib-support.ts';

async function thirdParty(): Promise<{ readonly peer: ThirdParty; readonly client: Client }> {
  const peer = await startThirdParty({ password: 'hüsh:+/' });
  onTestFinished(() => peer.close());
  return { peer, client: sampleClient({ env: { THIRD_PARTY_URL: peer.url, THIRD_PARTY_PASSWORD: 'hüsh:+/' } }) };
}

/** A list at the root, its objects without a label, with an object under one (specification 2.6). */
function rows(): string {
  return new JsonBuilder()
    .startArray()
    .startObject()
    .addProperty('name', 'Ümläut "quoted"')
    .addNumber('amount', '1.50')
    .startObject('caller')
    .addProperty('id', '7')
    .endObject('caller')
    .endObject()
    .startObject()
    .addProperty('other', '')
    .endObject()
    .endArray()
    .toString();
}

describe('an import', () => {
  it('takes the text of a JSON builder as it is, and tells of each row', async () => {
    const { peer, client } = await thirdParty();
    const reply = await client.call('THIRD_PARTY_IMPORT_POST', { content: rows() });
    expect(peer.seen).toEqual([
      {
        method: 'POST',
        target: '/api/import',
        body: '[{"name":"Ümläut \\"quoted\\"","amount":1.50,"caller":{"id":"7"}},{"other":""}]',
      },
    ]);
    expect(reply.value).toEqual({
      import_set: 'ISET0010001',
      staging_table: 'u_import',
      result: [
        { status: 'inserted', error_message: '' },
        { status: 'error', error_message: 'name is missing' },
      ],
    });
  });

  it('takes values as well', async () => {
    const { peer, client } = await thirdParty();
    await client.call('THIRD_PARTY_IMPORT_POST', { content: [{ name: 'a', big: 12345678901234567890n }] });
    expect(peer.seen).toMatchObject([{ body: '[{"name":"a","big":12345678901234567890}]' }]);
  });

  it('of what is no JSON is not sent', async () => {
    const { peer, client } = await thirdParty();
    const error = await failure(client.call('THIRD_PARTY_IMPORT_POST', { content: '[{"name":}]' }));
    expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('content') });
    expect(peer.seen).toEqual([]);
  });

  it.each([400, 422, 500, 200])('that fails with status %d is a fault with message and detail', async (status) => {
    const { peer, client } = await thirdParty();
    peer.answer(failureAnswer(status, 'No such table', 'Ask the administrator.'));
    const error = await failure(client.call('THIRD_PARTY_IMPORT_POST', { content: '[]' }));
    expect(error).toBeInstanceOf(ReplyFault);
    expect(error).toMatchObject({
      code: 'FAULT',
      httpResponseCode: status,
      responseStatus: 20,
      message: 'THIRD_PARTY_IMPORT_POST: No such table',
      reason: 'No such table',
      detail: 'Ask the administrator.',
      fault: { status: 'failure', error: { message: 'No such table', detail: 'Ask the administrator.' } },
    });
  });

  it('that fails otherwise is no fault of the declared kind', async () => {
    const { peer, client } = await thirdParty();
    peer.answer({ status: 500, headers: { 'Content-Type': 'text/html' }, body: '<h1>Sorry</h1>' });
    const error = await failure(client.call('THIRD_PARTY_IMPORT_POST', { content: '[]' }));
    expect(error).toMatchObject({ code: 'HTTP_STATUS', httpResponseCode: 500, body: '<h1>Sorry</h1>' });
  });

  it('with another password is not let in', async () => {
    const { peer } = await thirdParty();
    const client = sampleClient({ env: { THIRD_PARTY_URL: peer.url, THIRD_PARTY_PASSWORD: 'guess' } });
    const error = await failure(client.call('THIRD_PARTY_IMPORT_POST', { content: '[]' }));
    expect(error).toMatchObject({ httpResponseCode: 401 });
    expect(peer.seen).toEqual([]);
  });
});

it('items are read from XML, what nobody declared passed over', async () => {
  const { client } = await thirdParty();
  const { value } = await client.call('THIRD_PARTY_ITEMS_GET', {});
  expect(value).toEqual({
    level1: {
      level2: {
        level3: [
          { key: 'colour', value: 'green & blue', type: 'string' },
          { key: 'size', value: '12', type: 'integer' },
        ],
      },
    },
  });
});

it('JSON that goes there and back keeps the order of its members and the digits of its numbers', async () => {
  const { client } = await thirdParty();
  const content = '[{"b":1.50,"a":[1e3,-0.0,12345678901234567890]},null,"\\u00e4"]';
  const { body } = await client.call('JSON_REPEAT', { content });
  expect(body).toBe(content);
  const [object] = JsonParser.parse(body as string).asArray().entries;
  expect(object?.asObject().names).toEqual(['b', 'a']);
  expect(object?.asObject().text('b')).toBe('1.50');
  expect(
    object
      ?.asObject()
      .array('a')
      .entries.map((entry) => [entry.kind, entry.asScalar().text]),
  ).toEqual([
    ['scalar', '1e3'],
    ['scalar', '-0.0'],
    ['scalar', '12345678901234567890'],
  ]);
});
