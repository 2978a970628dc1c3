import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from 'signalbox/testing';
import { workshop } from './workshop.ts';

const shop = workshop();
const base = '/workshop/RESTListeningConnector';

test('the store keeper asks the dealer for a price, with a token of the dealer', async () => {
  const keeper = await shop.gateway.caller({ roles: ['STORE_KEEPER'] });
  const dealer = shop.gateway.partner('DEALER');
  dealer.answers('DEALER_QUOTE_POST', { QUOTE_ID: 'Q-5', PRICE: '44.15', REBATES: { '50': '2.5', '100': '4' } });
  const quote = await keeper.fetch(`${base}/Parts.v1/Parts/BP-7/quote?AMOUNT=10`);
  assert.deepEqual(await quote.json(), { quoteId: 'Q-5', price: 44.15, rebates: { 50: 2.5, 100: 4 } });
  const [asked] = dealer.asked;
  assert.deepEqual(asked?.input, { PART_NO: 'BP-7', AMOUNT: 10 });
  assert.match(String(asked?.headers.authorization), /^Bearer /);
});

test('parts that run out are ordered, later if the dealer is busy, and once', async () => {
  const dealer = shop.gateway.partner('DEALER');
  const keeper = await shop.gateway.caller({ roles: ['STORE_KEEPER'] });
  dealer.answers('DEALER_ORDER_POST', Fault.custom('BUSY', 503, 'Try again later.'));
  const request = await keeper.fetch(`${base}/ProcessRequest.v1/requests`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"RunControlId":"TEST","ProcessType":"Application Engine","ProcessName":"REORDER"}',
  });
  assert.ok(request.ok, await request.clone().text());
  const [failed] = await shop.gateway.settle();
  assert.equal(failed?.attempts, 1);

  dealer.reset();
  dealer.answers('DEALER_ORDER_POST', { ORDER_ID: 'O-77', DUE: '2026-06-02' });
  await shop.gateway.clock.advance('11 m');
  assert.deepEqual(await shop.gateway.settle(), []);
  assert.deepEqual(
    dealer.asked.map(({ operation }) => operation),
    ['DEALER_QUOTE_POST', 'DEALER_ORDER_POST'],
  );
});

test('the night run orders what has run out since, and nothing twice', async () => {
  const dealer = shop.gateway.partner('DEALER');
  const keeper = await shop.gateway.caller({ roles: ['STORE_KEEPER'] });
  const used = await keeper.fetch(`${base}/Parts.v1/Parts/OF-2`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: '{"STOCK":1}',
  });
  assert.equal(used.status, 200);
  dealer.answers('DEALER_ORDER_POST', { ORDER_ID: 'O-78', DUE: '2026-06-03' });
  for (const _night of [1, 2]) {
    await shop.gateway.clock.advance('1 d');
    assert.deepEqual(await shop.gateway.settle(), []);
  }
  const quoted = dealer.asked.filter(({ operation }) => operation === 'DEALER_QUOTE_POST');
  assert.deepEqual(
    quoted.map(({ input }) => input),
    [{ PART_NO: 'OF-2', AMOUNT: 19 }],
  );
});
