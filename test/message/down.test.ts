import { expect, it } from 'vitest';
import { followNode, readDown } from '../../src/messaging/run/down.ts';
import { NODE_DEFAULTS, type Node } from '../../src/model/node.ts';
import { openToRead } from '../../src/store/index.ts';
import { startOperated } from './operated.ts';
import { PLACES } from './places.ts';
import { ENGINES } from './project.ts';

/** Places whose target is tried again soon after its circuit breaker has opened. */
const NODE = 'base: ${env:ERP_URL}\n';

it.each(ENGINES)('a target that is down gets single probes, then all deliveries in order, on %s', async (kind) => {
  const files = Object.fromEntries(
    Object.entries(PLACES).map(([file, text]) => [
      file,
      text.replace(NODE, `${NODE}circuit: { failures: 3, reset: 300 ms }\n`),
    ]),
  );
  expect(files).not.toEqual(PLACES);
  const box = await startOperated(kind, files);
  const { erp } = box;
  erp.status = () => (erp.taken.length < 12 ? 503 : 200);
  const ids: string[] = [];
  for (let n = 0; n < 40; n++)
    ids.push(await box.publish('Places.v1/changed', { PLACE: `P${n % 4}`, REGION: 'N', N: n }));
  for (const id of ids) await box.delivered(id, 'TO_ERP');
  const done = erp.taken.slice(11);
  expect(done).toHaveLength(40);
  for (const place of ['P0', 'P1', 'P2', 'P3'])
    expect(
      erp
        .at(`/erp/${place}`)
        .slice(-10)
        .map(({ body }) => body.N),
    ).toEqual(Array.from({ length: 10 }, (_, n) => 4 * n + Number(place.slice(1))));
  const [{ failed } = { failed: undefined }] = await box.rows(
    "select count(*) as failed from signalbox_delivery_attempt where code = 503 or reason like '%suspended%'",
  );
  // The probes that failed are not attempts.
  expect(Number(failed)).toBeLessThan(11);
  const lines = box.log().map(({ what }) => what);
  expect(lines).toContain('a target that is down, whose deliveries wait');
  const back = box.log().find(({ msg }) => msg === 'Node ERP answers again.');
  expect(back).toMatchObject({ level: 'info', subscription: 'TO_ERP', node: 'ERP' });
}, 60_000);

it.each(ENGINES)('the delivery that was a probe shows since when its target is down, on %s', async (kind) => {
  const files = { ...PLACES };
  files['definitions/places.yaml'] = files['definitions/places.yaml'].replace(
    NODE,
    `${NODE}circuit: { failures: 2, reset: 200 ms }\n`,
  );
  const box = await startOperated(kind, files);
  const { erp } = box;
  erp.status = () => 503;
  const id = await box.publish('Places.v1/changed', { PLACE: 'P', REGION: 'N', N: 1 });
  const where = `message = '${id}' and subscription = 'TO_ERP' and reason like 'node ERP has been down since 20%'`;
  const [row] = await box.found('the probe to be noted', `select status, next from signalbox_delivery where ${where}`);
  expect(row?.status).toBe('Retry');
  expect(Number(row?.next)).toBeGreaterThan(0);
  const store = await openToRead({ root: box.folder, url: box.database });
  try {
    const down = await readDown(await store.tables());
    expect(down).toEqual([
      { node: 'ERP', subscription: 'TO_ERP', since: expect.any(String), next: expect.any(String), message: id },
    ]);
    expect(Date.parse(down[0]?.since ?? '')).toBeLessThanOrEqual(Date.now());
  } finally {
    await store.close();
  }
  erp.status = () => 200;
  expect((await box.delivered(id, 'TO_ERP')).reason).toBeNull();
}, 60_000);

it('deliveries go on one at a time, and more of them with each success', () => {
  let now = 0;
  const reported: string[] = [];
  const node: Node = { ...NODE_DEFAULTS, id: 'ERP', base: [], at: { file: 'erp.yaml', line: 1, column: 1 } };
  const pace = followNode(node, {
    ...{ subscription: 'TO_ERP', concurrency: 4, now: () => now },
    report: (error) => reported.push(error.message),
    inform: (words) => reported.push(words),
  });
  const failure = (code: string, httpResponseCode?: number, again?: Date) =>
    Object.assign(new Error(code), { code, httpResponseCode, again });
  expect(pace.failed(failure('CONNECTION'))).toBeUndefined();
  expect(pace.room()).toBe(4);
  expect(pace.failed(failure('CIRCUIT_OPEN', undefined, new Date(5000)))).toMatchObject({
    since: 0,
    until: 5000,
    isProbe: false,
  });
  now = 4999;
  expect(pace.room()).toBe(0);
  now = 5000;
  expect(pace.room()).toBe(1);
  expect(pace.failed(failure('HTTP_STATUS', 503))).toMatchObject({
    node: 'ERP',
    since: 0,
    until: 35_000,
    isProbe: true,
  });
  expect(pace.room()).toBe(0);
  now += node.circuit.reset;
  const rooms = Array.from({ length: 5 }, () => {
    pace.answered();
    return pace.room();
  });
  expect(rooms).toEqual([1, 2, 3, 4, 4]);
  expect(reported).toEqual(['CIRCUIT_OPEN', 'Node ERP answers again.']);
});

it('a target is down after as many failures as open its circuit, though none of them found it open', () => {
  const node: Node = { ...NODE_DEFAULTS, id: 'ERP', base: [], at: { file: 'erp.yaml', line: 1, column: 1 } };
  const pace = followNode(
    { ...node, circuit: { failures: 3, reset: 30_000 } },
    { subscription: 'TO_ERP', concurrency: 4, now: () => 1_000, report: () => {}, inform: () => {} },
  );
  const away = Object.assign(new Error('away'), { code: 'HTTP_STATUS', httpResponseCode: 503 });
  expect([pace.failed(away), pace.failed(away)]).toEqual([undefined, undefined]);
  pace.answered();
  expect([pace.failed(away), pace.failed(away)]).toEqual([undefined, undefined]);
  expect(pace.failed(away)).toEqual({ node: 'ERP', since: 1_000, until: 31_000, isProbe: true });
  expect(pace.room()).toBe(0);
});
