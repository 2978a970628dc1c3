import { expect, it } from 'vitest';
import { openClient, type TypedClient } from '../../src/client/client.ts';
import { standInVariable } from '../../src/invoke/stand-in.ts';
import { startPartners } from '../../src/mock/partners.ts';
import { Fault } from '../../src/model/fault.ts';
import type { AnyCalls, AnyFlows } from '../../src/model/typed.ts';
import { CALLED } from '../serve/soap-styles-project.ts';
import { atFileEnd } from '../support/file-end.ts';
import { registryIn } from './project.ts';

const { root, registry } = registryIn({ 'definitions/calls.yaml': CALLED });
const partners = await startPartners({
  ...{ registry, nodes: [...registry.nodes.values()], port: 0, log: { level: 'silent' } },
  answer({ operation, input }) {
    if (operation === 'BUY') throw Fault.custom('OutOfStock', 409, 'None.', { document: { LEFT: 0 } });
    return operation === 'ORDER_CANCEL' ? { DONE: 'cancelled' } : operation === 'STATUS_GET' ? undefined : input;
  },
});
const env = { [standInVariable('SHOP')]: partners.addressOf('SHOP'), SHOP_PASSWORD: 'x' };
const client: TypedClient<AnyCalls, AnyFlows> = await openClient({ folder: root, env });
atFileEnd(() => Promise.all([client.close(), partners.close()]));

it.each([
  ['ORDER_CANCEL', { NUMBER: 7 }, { DONE: 'cancelled' }],
  ['STATUS_GET', {}, { NUMBER: expect.any(Number), DONE: expect.any(String) }],
  ['BASKET_SAVE', { OWNER: 'Ada', SHIP: { CITY: 'Bonn' } }, { OWNER: 'Ada', SHIP: { CITY: 'Bonn' } }],
  ['HEADED_SAVE', { Session: { TOKEN: 't' }, NUMBER: 1 }, { Session: { TOKEN: 't' }, NUMBER: 1 }],
])('a partner is stood in for over SOAP in the style of %s', async (operation, input, expected) => {
  expect((await client.call(operation, input as never)).value).toEqual(expected);
});

it('a stand-in answers with a fault that has a name', async () => {
  const answer = client.call('BUY', { KIND: 'x' } as never);
  await expect(answer).rejects.toMatchObject({ faultName: 'OutOfStock', reason: 'None.', detail: { LEFT: 0 } });
});
