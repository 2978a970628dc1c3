import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from 'signalbox/testing';
import { workshop } from './workshop.ts';

const shop = workshop();
const desk = () => shop.gateway.caller({ user: 'ada', roles: ['DESK'] });
const base = '/workshop/RESTListeningConnector';

test('a job takes parts and is closed, over REST and SOAP', async () => {
  const ada = await desk();
  const { JOB_NO } = await ada.call('JOB_OPEN', { PLATE: 'B-FL 100', TITLE: 'Brake pads worn' });
  const parts = [
    { PART_NO: 'BP-7', AMOUNT: 2 },
    { PART_NO: 'OF-2', AMOUNT: 1 },
  ];
  const taken = await ada.soap('JOB_PARTS_POST', { JOB_NO, PARTS: parts });
  assert.deepEqual(taken.PARTS, [
    { PART_NO: 'BP-7', AMOUNT: 2, PRICE: '48.95' },
    { PART_NO: 'OF-2', AMOUNT: 1, PRICE: '7.25' },
  ]);
  assert.equal(taken.CLOSED, null);
  assert.equal(await stockOf('BP-7'), 4);

  const PAYER = { insurer: { NAME: 'Aegis', CLAIM: 'C-17' } };
  const closed = await ada.soap('JOB_CLOSE', { JOB_NO, HOURS: '1.25', ODOMETER_KM: 84300, PAYER });
  assert.equal(closed.HOURS, '1.25');
  assert.deepEqual(closed.PAYER, PAYER);
  const read = await ada.fetch(`${base}/Jobs.v1/Jobs/${JOB_NO}`);
  const { PAYER: inJson } = (await read.json()) as { PAYER: unknown };
  assert.deepEqual(inJson, { kind: 'insurer', NAME: 'Aegis', CLAIM: 'C-17' });
  assert.deepEqual(await vehicle('B-FL 100'), { STATUS: 'ACTIVE', ODOMETER_KM: 84300 });
  await assert.rejects(ada.call('JOB_CLOSE', { JOB_NO, HOURS: '1', ODOMETER_KM: 84300 }), { httpResponseCode: 409 });

  const jobs = await ada.fetch(`${base}/Jobs.v1/Vehicles/B-FL%20100/jobs`);
  const [job] = (await jobs.json()) as { JOB_NO: number; TITLE: string; CLOSED: string }[];
  assert.deepEqual([job?.JOB_NO, job?.TITLE], [JOB_NO, 'Brake pads worn']);
  assert.ok(job?.CLOSED);
});

test('parts are taken all or not at all', async () => {
  const ada = await desk();
  const { JOB_NO } = await ada.call('JOB_OPEN', { PLATE: 'B-FL 101', TITLE: 'Oil change' });
  const before = await stockOf('OF-2');
  const parts = [
    { PART_NO: 'OF-2', AMOUNT: 1 },
    { PART_NO: 'BP-7', AMOUNT: 1000 },
  ];
  await assert.rejects(ada.call('JOB_PARTS_POST', { JOB_NO, PARTS: parts }), { httpResponseCode: 409 });
  assert.equal(await stockOf('OF-2'), before);
  assert.deepEqual((await ada.call('JOB_GET', { JOB_NO })).PARTS, []);
});

test('of two jobs for one vehicle at the same moment, one is opened', async () => {
  const ada = await desk();
  const job = { PLATE: 'B-FL 200', TITLE: 'Wiper blades' };
  const both = await Promise.allSettled([ada.call('JOB_OPEN', job), ada.call('JOB_OPEN', job)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const retire = await ada.fetch(`${base}/Vehicles.v1/Vehicles/B-FL%20200`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: '{"STATUS":"RETIRED"}',
  });
  assert.equal(retire.status, 409, 'it has an open job');
});

test('version 2 books an inspection over SOAP', async () => {
  const ada = await desk();
  await add('B-FL 500', 'WVWZZZ1KZAW000500');
  const authority = shop.gateway.partner('INSPECTION');
  authority.answers('INSPECTION_BOOK', { BOOKING: 'I-2026-1' });
  const inspection = { PLATE: 'B-FL 500', TITLE: 'Yearly inspection', INSPECTION: '2026-06-01' };
  const { JOB_NO, BOOKING } = await ada.call('Jobs.v2.JOB_OPEN', inspection);
  assert.equal(BOOKING, 'I-2026-1');
  assert.deepEqual(
    authority.asked.map(({ operation, input }) => [operation, input]),
    [['INSPECTION_BOOK', { VIN: 'WVWZZZ1KZAW000500', DAY: '2026-06-01' }]],
  );
  assert.equal((await ada.call('Jobs.v2.JOB_GET', { JOB_NO })).TITLE, 'Yearly inspection');
});

test('an inspection that is refused is reported as such, and no job is opened', async () => {
  const ada = await desk();
  await add('B-FL 501', 'WVWZZZ1KZAW000501');
  shop.gateway.partner('INSPECTION').answers('INSPECTION_BOOK', Fault.custom('FULL', 409, 'No free day.'));
  const inspection = { PLATE: 'B-FL 501', TITLE: 'Yearly inspection', INSPECTION: '2026-06-01' };
  await assert.rejects(ada.call('Jobs.v2.JOB_OPEN', inspection), { httpResponseCode: 502 });
  assert.equal((await vehicle('B-FL 501')).STATUS, 'ACTIVE');
});

test('photos come back as they were stored', async () => {
  const ada = await desk();
  await add('B-FL 600', 'WVWZZZ1KZAW000600');
  const { JOB_NO } = await ada.call('JOB_OPEN', { PLATE: 'B-FL 600', TITLE: 'Dent in the door' });
  const path = `${base}/Jobs.v1/Jobs/${JOB_NO}/photos/door.jpg`;
  const bytes = new Uint8Array(200_000).map((_, index) => index % 251);
  const put = await ada.fetch(path, { method: 'PUT', headers: { 'Content-Type': 'image/jpeg' }, body: bytes });
  assert.deepEqual(await put.json(), { LENGTH: 200_000, SHA256: createHash('sha256').update(bytes).digest('hex') });
  const got = await ada.fetch(path);
  assert.equal(got.headers.get('content-type'), 'image/jpeg');
  assert.deepEqual(new Uint8Array(await got.arrayBuffer()), bytes);
  assert.equal((await ada.fetch(`${path}2`)).status, 404);
});

async function add(PLATE: string, VIN: string): Promise<void> {
  const added = await (await desk()).fetch(`${base}/Vehicles.v1/Vehicles`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ PLATE, VIN, MAKE: 'Fiat', MODEL: 'Ducato', REGISTERED: '2025-01-01', ODOMETER_KM: 10 }),
  });
  assert.equal(added.status, 201);
}

async function vehicle(plate: string): Promise<{ STATUS: string; ODOMETER_KM: number }> {
  const found = await (await desk()).fetch(`${base}/Vehicles.v1/Vehicles/${encodeURIComponent(plate)}`);
  const { STATUS, ODOMETER_KM } = (await found.json()) as { STATUS: string; ODOMETER_KM: number };
  return { STATUS, ODOMETER_KM };
}

async function stockOf(part: string): Promise<number> {
  const found = await (await desk()).fetch(`${base}/Parts.v1/Parts/${part}`);
  return ((await found.json()) as { STOCK: number }).STOCK;
}
