import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';

const PATH = '/gateway/RESTListeningConnector/LocationSetup.v1/Locations/N/NYC01';

let box: TestGateway;
beforeAll(async () => {
  box = await startTestGateway();
});
afterAll(() => box.stop());

it('saves a location of the sample, and runs the class that audits it after the save', async () => {
  const read = await box.call(PATH);
  expect([read.status, read.headers.etag]).toEqual([200, '"1"']);
  const location = JSON.parse(read.text);
  const put = await box.call(PATH, {
    method: 'PUT',
    headers: { 'if-match': read.headers.etag as string },
    body: JSON.stringify({ ...location, PHONE: '212/555-0101' }),
  });
  expect([put.status, put.headers.etag]).toEqual([200, '"2"']);
  const row = await eventually('a row of location_audit', () => {
    const file = new Database(join(box.folder, 'test.db'), { readonly: true });
    const found = file.prepare('select * from location_audit').get() as Record<string, unknown> | undefined;
    file.close();
    return found;
  });
  expect(row).toMatchObject({ region: 'N', location: 'NYC01', action: 'updated', oprid: 'demo' });
  expect(JSON.parse(row.was as string)).toEqual(location);
  expect(JSON.parse(row.is_now as string)).toMatchObject({ PHONE: '212/555-0101', REVISION: 2 });
});

it('answers faults of the sample in its own document', async () => {
  const stale = await box.call(PATH, { method: 'DELETE', headers: { 'if-match': '"99"' } });
  expect([stale.status, JSON.parse(stale.text)]).toEqual([
    412,
    { MESSAGE: 'LOCATION_SETUP N/NYC01 does not meet the preconditions of the request.' },
  ]);
  // Employees work there.
  const kept = await box.call(PATH, { method: 'DELETE' });
  expect([kept.status, JSON.parse(kept.text)]).toEqual([
    409,
    { MESSAGE: 'LOCATION_SETUP N/NYC01 violates a rule of its table.' },
  ]);
  expect((await box.call(PATH, { headers: { authorization: GUEST } })).status).toBe(403);
});

it('tells in its contracts that a body may say the keys again', async () => {
  const contract = async (kind: string): Promise<string> =>
    (await box.call(`/gateway/RESTListeningConnector/LocationSetup.v1.${kind}`)).text;
  const { schemas } = JSON.parse(await contract('openapi.json')).components;
  for (const [name, required] of [
    ['LOCATION_PUT_BODY', ['DESCR', 'EFFDT']],
    ['LOCATION_PATCH_BODY', undefined],
  ] as const) {
    expect(schemas[name]).toMatchObject({ properties: { REGION: { type: 'string' }, LOCATION: { type: 'string' } } });
    expect(schemas[name].description).toContain(
      'May also contain REGION, LOCATION, with the same value as in the URI.',
    );
    expect(schemas[name].required).toEqual(required);
  }
  expect(
    (await contract('wadl')).match(
      /REVISION\. May also contain REGION, LOCATION, with the same value as in the URI\./g,
    ),
  ).toHaveLength(3);
});
