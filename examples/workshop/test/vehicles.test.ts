import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectContract } from 'signalbox/testing';
import { workshop } from './workshop.ts';

const shop = workshop();
const base = '/workshop/RESTListeningConnector/Vehicles.v1';
const van = {
  PLATE: 'B-FL 400',
  VIN: 'WVWZZZ1KZAW000400',
  MAKE: 'Volkswagen',
  MODEL: 'Crafter',
  REGISTERED: '2024-03-01',
  ODOMETER_KM: 12,
};

test('a vehicle is added, read, changed, and its saves are recorded', async () => {
  const desk = await shop.gateway.caller({ user: 'ada', roles: ['DESK'] });
  const added = await desk.fetch(`${base}/Vehicles`, { method: 'POST', ...json(van) });
  assert.equal(added.status, 201);
  assert.deepEqual(await added.json(), { ...van, STATUS: 'ACTIVE', DRIVER: null, REVISION: 1 });

  const path = `${base}/Vehicles/B-FL%20400`;
  const etag = added.headers.get('etag') ?? '';
  const change = () => desk.fetch(path, { method: 'PATCH', ...json({ DRIVER: 'Grace' }, { 'If-Match': etag }) });
  assert.equal((await change()).status, 200);
  assert.equal((await change()).status, 412, 'it has changed since');
  assert.equal(((await (await desk.fetch(path)).json()) as { DRIVER: string }).DRIVER, 'Grace');

  assert.deepEqual(await shop.gateway.settle(), []);
  const history = await desk.fetch(`${path}/history`);
  assert.deepEqual(await history.json(), [
    { ACTION: 'created', OPERATOR: 'ada', STATUS: 'ACTIVE' },
    { ACTION: 'updated', OPERATOR: 'ada', STATUS: 'ACTIVE' },
  ]);
});

test('all mistakes of a vehicle are reported at once', async () => {
  const desk = await shop.gateway.caller({ roles: ['DESK'] });
  const refused = await desk.fetch(`${base}/Vehicles`, {
    method: 'POST',
    ...json({ ...van, VIN: 'no vin', ODOMETER_KM: -1, REGISTERED: 'yesterday' }),
  });
  assert.equal(refused.status, 400);
  const { errors } = (await refused.json()) as { errors: { pointer: string }[] };
  assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['#/ODOMETER_KM', '#/REGISTERED', '#/VIN']);
});

test('a number that another vehicle has is refused, with the field', async () => {
  const desk = await shop.gateway.caller({ roles: ['DESK'] });
  const taken = { ...van, PLATE: 'B-FL 401', VIN: 'WVWZZZ1KZAW000100' };
  const refused = await desk.fetch(`${base}/Vehicles`, { method: 'POST', ...json(taken) });
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /VIN/);
});

test('vehicles come in pages, in the order that the caller wants', async () => {
  const mechanic = await shop.gateway.caller({ roles: ['MECHANIC'] });
  const seen: string[] = [];
  let path: string | undefined = `${base}/Vehicles?sort=-ODOMETER_KM&limit=2`;
  while (path !== undefined) {
    const page = await mechanic.fetch(path);
    const { rows } = (await page.json()) as { rows: { PLATE: string }[] };
    assert.ok(rows.length <= 2);
    seen.push(...rows.map(({ PLATE }) => PLATE));
    const next: string | undefined = /<([^>]*)>; *rel="?next/.exec(page.headers.get('link') ?? '')?.[1];
    path = next?.slice(shop.gateway.address.length);
  }
  assert.deepEqual(seen.slice(0, 4), ['B-FL 300', 'B-FL 200', 'B-FL 101', 'B-FL 100']);
  assert.equal((await mechanic.fetch(`${base}/Vehicles?limitt=2`)).status, 400, 'a parameter that is misspelt');
});

test('vehicles are found by their status', async () => {
  const mechanic = await shop.gateway.caller({ roles: ['MECHANIC'] });
  const found = await mechanic.fetch(`${base}/Vehicles?STATUS=RETIRED`);
  const { rows } = (await found.json()) as { rows: { PLATE: string }[] };
  assert.deepEqual(
    rows.map(({ PLATE }) => PLATE),
    ['B-FL 300'],
  );
});

test('mechanics look, but do not change', async () => {
  const mechanic = await shop.gateway.caller({ roles: ['MECHANIC'] });
  assert.equal((await mechanic.fetch(`${base}/Vehicles/B-FL%20100`, { method: 'DELETE' })).status, 403);
  assert.equal((await (await shop.gateway.caller()).fetch(`${base}/Vehicles`)).status, 401);
});

test('partners keep their contract', async () => {
  await expectContract(shop.gateway, 'openapi', 'Vehicles.v1', 'contracts/vehicles.openapi.json');
});

function json(body: unknown, headers: Record<string, string> = {}): { body: string; headers: Record<string, string> } {
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
}
