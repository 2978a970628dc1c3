import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workshop } from './workshop.ts';

const shop = workshop();
const base = '/workshop/RESTListeningConnector';

test('a defect opens a job, unless the vehicle is in the workshop already', async () => {
  const driver = await shop.gateway.caller({ roles: ['MECHANIC'] });
  const report = (TITLE: string) =>
    driver.fetch(`${base}/Defects.v1/Defects`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ PLATE: 'B-FL 100', TITLE }),
    });
  assert.equal((await report('Left headlamp out')).status, 202);
  assert.deepEqual(await shop.gateway.settle(), []);
  assert.equal((await report('Right headlamp out')).status, 202);
  const [failed] = await shop.gateway.settle();
  assert.match(failed?.error ?? '', /B-FL 100 is IN_SHOP/);

  const jobs = (await (await driver.fetch(`${base}/Jobs.v1/Vehicles/B-FL%20100/jobs`)).json()) as { TITLE: string }[];
  assert.deepEqual(
    jobs.map(({ TITLE }) => TITLE),
    ['Left headlamp out'],
  );
});
