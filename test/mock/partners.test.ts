import { describe, expect, it } from 'vitest';
import { openClient, type TypedClient } from '../../src/client/client.ts';
import { standInVariable } from '../../src/invoke/stand-in.ts';
import type { PartnerCall, PartnerReply } from '../../src/mock/answers.ts';
import type { PartnerRefusal } from '../../src/mock/mock-port.ts';
import { startPartners } from '../../src/mock/partners.ts';
import { Fault } from '../../src/model/fault.ts';
import type { AnyCalls, AnyFlows } from '../../src/model/typed.ts';
import { atFileEnd } from '../support/file-end.ts';
import { registryIn } from './project.ts';

const { root, registry } = registryIn();
const asked: PartnerCall[] = [];
const refusals: PartnerRefusal[] = [];
let reply: (call: PartnerCall) => PartnerReply = () => undefined;
let time = Date.now();
const partners = await startPartners({
  ...{ registry, nodes: [...registry.nodes.values()], port: 0, log: { level: 'silent' }, now: () => time },
  answer(call) {
    asked.push(call);
    return reply(call);
  },
  refused: (refusal) => refusals.push(refusal),
});
// The partners' addresses are not set. Their secrets are, and stay here.
const env = Object.fromEntries([...registry.nodes.keys()].map((id) => [standInVariable(id), partners.addressOf(id)]));
Object.assign(env, { SITE_KEY: 'top secret', PARTS_SECRET: 'top secret too' });
const client: TypedClient<AnyCalls, AnyFlows> = await openClient({ folder: root, env });
atFileEnd(() => Promise.all([client.close(), partners.close()]));

async function call(operation: string, input: object): Promise<unknown> {
  return (await client.call(operation, input as never)).value;
}

describe('partners that are stood in for', () => {
  it('answer a call with the examples of its reply, and with the same values each time', async () => {
    const first = await call('PART_GET', { NUMBER: 1 });
    expect(first).toEqual({ NUMBER: 4711, NAME: 'Brake pad', STOCK: expect.any(Number) });
    expect(await call('PART_GET', { NUMBER: 1 })).toEqual(first);
  });

  it('see the input of a call as its definition has it: from the path, the query, a header, the body and a form', async () => {
    asked.length = 0;
    await call('PART_GET', { NUMBER: 7, lang: 'de' });
    await call('PART_ORDER', { NUMBER: 7, COUNT: 2, KEY: 'k-1' });
    await call('PART_SEARCH', { WORDS: 'brake & pad=1', MOST: 5 });
    await call('VALUE_OF', { PLATE: 'M AB 1' });
    expect(asked.map(({ node, operation, input }) => ({ node, operation, input }))).toEqual([
      { node: 'PARTS', operation: 'PART_GET', input: { SITE: 'stand-in', NUMBER: 7, lang: 'de' } },
      { node: 'PARTS', operation: 'PART_ORDER', input: { SITE: 'stand-in', NUMBER: 7, COUNT: 2, KEY: 'k-1' } },
      { node: 'PARTS', operation: 'PART_SEARCH', input: { WORDS: 'brake & pad=1', MOST: 5 } },
      { node: 'VALUER', operation: 'VALUE_OF', input: { PLATE: 'M AB 1' } },
    ]);
    expect(asked[1]?.headers['idempotency-key']).toBe('order-k-1');
  });

  it('take a form with its files, and answer with one', async () => {
    asked.length = 0;
    const PHOTO = {
      contentType: 'image/png',
      name: 'a.png',
      length: 3,
      stream: async function* () {
        yield Buffer.from('abc');
      },
    };
    const made = (await call('PART_PHOTO', { NUMBER: 7, PHOTO })) as { NAME: string; THUMB: { contentType: string } };
    expect([made.NAME, typeof made.THUMB.contentType]).toEqual(['front', 'string']);
    expect(asked[0]?.input).toMatchObject({ NUMBER: 7, PHOTO: { contentType: 'image/png', name: 'a.png' } });
  });

  it('answer with a list, made from its definition or as the test says, and see that of a call', async () => {
    asked.length = 0;
    const content = [{ NUMBER: 7 }];
    expect(await call('PARTS_LIST', { content })).toEqual({ content: expect.arrayContaining([expect.any(Object)]) });
    reply = () => [{ NUMBER: 8 }];
    expect(await call('PARTS_LIST', { content })).toEqual({ content: [{ NUMBER: 8 }] });
    reply = () => undefined;
    expect(asked[0]?.input).toEqual({ content });
  });

  it('reply lists and single values that have no document', async () => {
    const made = await call('PART_LIST', {});
    expect(made).toEqual({ content: expect.arrayContaining([expect.objectContaining({ NUMBER: 4711 })]) });
    reply = () => [{ NUMBER: 1 }, { NUMBER: 2 }];
    const list = await call('PART_LIST', {});
    reply = () => 12;
    const count = await call('PART_COUNT', {});
    reply = () => undefined;
    expect([list, count]).toEqual([{ content: [{ NUMBER: 1 }, { NUMBER: 2 }] }, { content: 12 }]);
  });

  it('are never sent a secret of the project', async () => {
    asked.length = 0;
    await call('PART_ORDER', { NUMBER: 7, COUNT: 1, KEY: 'k' });
    expect(asked[0]?.headers['x-site-key']).toBe('stand-in');
    expect(JSON.stringify(asked)).not.toContain('top secret');
  });

  it('answer over SOAP', async () => {
    expect(await call('VALUE_OF', { PLATE: 'M AB 1' })).toEqual({ AMOUNT: '12000', CURRENCY: 'EUR' });
  });

  it('answer with a fault in the fault document, which is no refusal', async () => {
    refusals.length = 0;
    reply = () => {
      throw Fault.custom('SOLD_OUT', 409, 'Nothing is left.');
    };
    const failed = await call('PART_ORDER', { NUMBER: 7, COUNT: 2, KEY: 'k' }).catch((error: unknown) => error);
    reply = () => undefined;
    expect(client.faultOf('PART_ORDER', failed)).toEqual({ message: 'Nothing is left.' });
    expect(failed).toMatchObject({ httpResponseCode: 409 });
    expect(refusals).toEqual([]);
  });

  it('issue tokens for client-credentials, and take no call without one that holds', async () => {
    refusals.length = 0;
    const url = `${partners.addressOf('PARTS')}/sites/x/parts/1`;
    const without = await fetch(url);
    const wrong = await fetch(url, { headers: { Authorization: 'Bearer made-up' } });
    expect([without.status, wrong.status]).toEqual([401, 401]);
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    const headers = { Authorization: 'Basic Zmw6ZWV0' };
    const endpoint = `${partners.addressOf('PARTS')}/.signalbox/token`;
    const issued = await fetch(endpoint, { method: 'POST', headers, body: form });
    const token = (await issued.json()) as { access_token: string };
    expect(token).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
    const bearer = { headers: { Authorization: `Bearer ${token.access_token}` } };
    expect((await fetch(url, bearer)).status).toBe(200);
    time += 3_600_001;
    expect((await fetch(url, bearer)).status).toBe(401);
    expect(refusals.map(({ node, request, fault }) => [node, request, fault.code])).toEqual(
      Array(3).fill(['PARTS', 'GET /sites/x/parts/1', 'UNAUTHENTICATED']),
    );
  });

  it.each([
    ['an unknown path', 'PARTS', '/orders', {}, 404, 'There is no resource "orders" in service PARTS.'],
    ['a wrong method', 'PARTS', '/search', {}, 405, '"GET" is not allowed here; allowed: POST, OPTIONS.'],
    [
      'a form with an undeclared field',
      'PARTS',
      '/search',
      { method: 'POST', body: new URLSearchParams({ q: 'x', mode: 'simple', size: '1' }) },
      400,
      'Form field size is not declared in PART_SEARCH.',
    ],
    [
      'a form with another text than the definition has',
      'PARTS',
      '/search',
      { method: 'POST', body: new URLSearchParams({ q: 'x', mode: 'full' }) },
      400,
      'Form field mode is not of the form simple.',
    ],
    [
      'a body without a required field',
      'PARTS',
      '/sites/x/orders',
      { method: 'POST', body: '{"COUNT":1}', headers: { 'Content-Type': 'application/json', 'X-Site-Key': 'k' } },
      400,
      'NUMBER is missing.',
    ],
  ] as const)('refuse %s', async (_, node, path, init, status, message) => {
    refusals.length = 0;
    const response = await fetch(partners.addressOf(node) + path, init as RequestInit);
    expect([response.status, refusals.map(({ fault }) => fault.message)]).toEqual([status, [message]]);
  });
});
