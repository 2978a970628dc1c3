import { expect, it } from 'vitest';
import { followNode } from '../../src/message/down.ts';
import { NODE_DEFAULTS, type Node } from '../../src/model/node.ts';
import { PLACES } from './places.ts';
import { ENGINES, startMessages, Target } from './project.ts';

/** Places whose target is tried again soon after its circuit breaker has opened. */
const NODE = 'base: ${env:ERP_URL}\n';

it.each(ENGINES)('a target that is down gets single probes, then all deliveries in order, on %s', async (kind) => {
  const erp = await Target.start();
  const files = Object.fromEntries(
    Object.entries(PLACES).map(([file, text]) => [
      file,
      text.replace(NODE, `${NODE}circuit: { failures: 3, reset: 300 ms }\n`),
    ]),
  );
  expect(files).not.toEqual(PLACES);
  const box = await startMessages(kind, files, { ERP_URL: erp.url });
  try {
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
    expect(lines).toContain('a target that is back');
  } finally {
    await box.stop();
    await erp.stop();
  }
}, 60_000);

it('deliveries go on one at a time, and more of them with each success', () => {
  let now = 0;
  const reported: string[] = [];
  const node: Node = { ...NODE_DEFAULTS, id: 'ERP', base: [], at: { file: 'erp.yaml', line: 1, column: 1 } };
  const pace = followNode(node, {
    ...{ subscription: 'TO_ERP', concurrency: 4, now: () => now },
    report: (error) => reported.push(error.message),
  });
  const failure = (code: string, httpResponseCode?: number, again?: Date) =>
    Object.assign(new Error(code), { code, httpResponseCode, again });
  expect(pace.failed(failure('CONNECTION'))).toBe(false);
  expect(pace.room()).toBe(4);
  expect(pace.failed(failure('CIRCUIT_OPEN', undefined, new Date(5000)))).toBe(true);
  now = 4999;
  expect(pace.room()).toBe(0);
  now = 5000;
  expect(pace.room()).toBe(1);
  expect(pace.failed(failure('HTTP_STATUS', 503))).toBe(true);
  expect(pace.room()).toBe(0);
  now += node.circuit.reset;
  const rooms = Array.from({ length: 5 }, () => {
    pace.answered();
    return pace.room();
  });
  expect(rooms).toEqual([1, 2, 3, 4, 4]);
  expect(reported).toEqual(['CIRCUIT_OPEN', 'node ERP answers again']);
});
