import { expect, it } from 'vitest';
import { startOperated } from './operated.ts';
import { PLACES } from './places.ts';
import { ENGINES } from './project.ts';

/** Places whose target has limits of its own. */
function limited(keys: string): Readonly<Record<string, string>> {
  const node = 'base: ${env:ERP_URL}\n';
  const text = PLACES['definitions/places.yaml'];
  expect(text).toContain(node);
  return { ...PLACES, 'definitions/places.yaml': text.replace(node, `${node}${keys}\n`) };
}

it.each(
  ENGINES,
)('deliveries of all subscriptions come at the rate of their node, and none is lost, on %s', async (kind) => {
  const box = await startOperated(kind, limited('rate: 20 per 1 s'));
  const { erp } = box;
  const times: number[] = [];
  erp.status = () => {
    times.push(performance.now());
    return 200;
  };
  const ids: [string, string][] = [];
  for (let n = 0; n < 20; n++) {
    const place = { PLACE: `P${n % 3}`, REGION: 'N', N: n };
    ids.push([await box.publish('Places.v1/changed', place), 'TO_ERP']);
    ids.push([await box.publish('Places.v1/noted', place), 'NOTED_TO_ERP']);
  }
  for (const [id, subscription] of ids) await box.delivered(id, subscription);
  expect(erp.taken).toHaveLength(40);
  // Those within any second are twenty, but for what came late to this busy process.
  const within = times.map((begin) => times.filter((time) => time >= begin && time < begin + 500).length);
  expect(Math.max(...within)).toBeLessThanOrEqual(20);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1500);
  const [{ attempts } = { attempts: undefined }] = await box.rows(
    "select count(*) as attempts from signalbox_delivery_attempt a join signalbox_delivery d on d.id = a.delivery where d.subscription like '%TO_ERP'",
  );
  expect(Number(attempts)).toBe(40);
}, 60_000);

it.each(ENGINES)('a node gets no more deliveries of all subscriptions at once than it takes, on %s', async (kind) => {
  const box = await startOperated(kind, limited('concurrency: 2'));
  const { erp } = box;
  let open = 0;
  let most = 0;
  const replies: (() => void)[] = [];
  erp.status = async () => {
    open += 1;
    most = Math.max(most, open);
    // A reply waits until two requests are there, so that they would be more if they could.
    await new Promise<void>((resolve) => {
      replies.push(resolve);
      if (replies.length >= 2) for (const reply of replies.splice(0)) setImmediate(reply);
    });
    open -= 1;
    return 200;
  };
  const ids: [string, string][] = [];
  for (let n = 0; n < 10; n++) {
    const place = { PLACE: `P${n}`, REGION: 'N', N: n };
    ids.push([await box.publish('Places.v1/changed', place), 'TO_ERP']);
    ids.push([await box.publish('Places.v1/noted', place), 'NOTED_TO_ERP']);
  }
  for (const [id, subscription] of ids) await box.delivered(id, subscription);
  expect(erp.taken).toHaveLength(20);
  expect(most).toBe(2);
}, 60_000);

it('deliveries that wait for a slow rate are left in the queue, and do not delay the end of the gateway', async () => {
  const box = await startOperated('sqlite', limited('rate: 1 per 1 h'));
  const { erp } = box;
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await box.publish('Places.v1/changed', { PLACE: `P${n}`, REGION: 'N', N: n }));
  await box.found(
    'one to be delivered',
    "select id from signalbox_delivery where subscription = 'TO_ERP' and status = 'Done'",
  );
  await box.found('the others to wait', "select id from signalbox_job where queue = 'TO_ERP'", 5);
  const began = performance.now();
  await box.gateway.close();
  expect(performance.now() - began).toBeLessThan(5000);
  expect(erp.taken).toHaveLength(1);
}, 60_000);
