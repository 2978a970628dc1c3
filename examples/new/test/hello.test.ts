import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestGateway, type TestGateway } from 'signalbox/testing';
import type { Handlers } from '../generated/handlers.ts';

let gateway: TestGateway<Handlers>;
before(async () => {
  gateway = await startTestGateway<Handlers>();
});
after(() => gateway?.close());

test('greets by name', async () => {
  const anyone = await gateway.caller();
  assert.deepEqual(await anyone.call('HELLO_GET', { NAME: 'World' }), { GREETING: 'Hello, World!' });
});
