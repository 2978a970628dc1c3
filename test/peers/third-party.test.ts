import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answered, type Asked, ask } from './ask.ts';
import { failureAnswer, startThirdParty, type ThirdParty } from './third-party.ts';

const AUTHORIZATION = `Basic ${Buffer.from('signalbox:hush').toString('base64')}`;

async function thirdParty(): Promise<ThirdParty> {
  const started = await startThirdParty({ password: 'hush' });
  onTestFinished(() => started.close());
  return started;
}

function asked(peer: ThirdParty, { headers, ...more }: Partial<Asked> & Pick<Asked, 'path'>): Promise<Answered> {
  const given = { Authorization: AUTHORIZATION, 'Content-Type': 'application/json', ...headers };
  return ask(Number(new URL(peer.url).port), { headers: given, ...more });
}

describe('imports', () => {
  it('are told of row by row', async () => {
    const { status, text } = await asked(await thirdParty(), { path: '/api/import', body: '[{"name":"a"},{}]' });
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        import_set: 'ISET0010001',
        staging_table: 'u_import',
        result: [
          { status: 'inserted', error_message: '' },
          { status: 'error', error_message: 'name is missing' },
        ],
      },
    ]);
  });

  it('are refused with the failure shape where they are no array', async () => {
    const { status, text } = await asked(await thirdParty(), { path: '/api/import', body: '{}' });
    expect([status, JSON.parse(text)]).toMatchObject([400, { status: 'failure', error: { message: 'Not an array' } }]);
  });

  it('fail when the peer is told so, once', async () => {
    const peer = await thirdParty();
    peer.answer(failureAnswer(200, 'no', 'more'));
    const replies = [await asked(peer, { path: '/api/import', body: '[]' })];
    replies.push(await asked(peer, { path: '/api/import', body: '[]' }));
    expect(replies.map(({ text }) => (JSON.parse(text) as { status?: string }).status)).toEqual(['failure', undefined]);
  });
});

it('items are XML', async () => {
  const peer = await thirdParty();
  expect(await asked(peer, { method: 'GET', path: '/api/items' })).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/xml; charset=UTF-8' },
    text: expect.stringContaining('<key>colour</key><value>green &amp; blue</value><type>string</type>'),
  });
});

it('what is repeated is so byte for byte', async () => {
  const body = '[1.50, {"b":1e3,"a":"\\u00e4"}]';
  expect(await asked(await thirdParty(), { path: '/api/echo', body })).toMatchObject({ status: 200, text: body });
});

describe('a request is refused', () => {
  it.each<[string, Parameters<typeof asked>[1], number]>([
    ['with another password', { path: '/api/import', headers: { Authorization: 'Basic eA==' } }, 401],
    ['without JSON', { path: '/api/import', body: '[' }, 400],
    ['with another type', { path: '/api/import', headers: { 'Content-Type': 'text/plain' }, body: '[]' }, 415],
    ['that wants no XML', { method: 'GET', path: '/api/items', headers: { Accept: 'text/html' } }, 406],
    ['with a body where none belongs', { method: 'GET', path: '/api/items', body: 'x' }, 400],
    ['with another method', { path: '/api/items' }, 404],
  ])('%s', async (_, request, status) => {
    expect(await asked(await thirdParty(), request)).toMatchObject({ status });
  });
});
