import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Graph, type MapLine, narrowed, type Place, statesOf } from '../../src/console/areas/map/graph.ts';
import { gatewayText, USERS } from '../support/project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

const PARTNER = `node: ERP
base: https://erp.example.org/
---
service: Erp.v1
target: ERP
public: true
operations:
  ERP_PUT: { post: things, request: { fields: { ID: { type: string, required: true } } } }
---
queue: EVENTS
---
service: Orders.v1
public: true
operations:
  ORDER_CHANGED: { post: changed, queue: EVENTS, request: { fields: { ID: { type: string, required: true } } } }
---
subscription: ORDER_TO_ERP
operation: ORDER_CHANGED
call: ERP_PUT
`;

/** Services that read the same database. */
const ALIKE = Array.from(
  { length: 45 },
  (_, n) => `service: Alike${n}.v1\npublic: true\noperations:\n  ALIKE_${n}: { get: x, query: SAME }`,
);
const SAME = 'query: SAME\npublic: true\ncolumns: { A: integer }\nsql: select 1 as a';

/** The boxes of a map in its picture. */
const boxes = (text: string): string[] =>
  [...text.matchAll(/<title>([^<]*)<\/title><rect/g)].map(([, name]) => name?.trim() ?? '');

describe('the map in the console', () => {
  let gateway: ConsoleGateway;
  let visitor: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({
      files: {
        'definitions/gateway.yaml': gatewayText('console: { sign-in: [password] }'),
        'definitions/users.yaml': USERS.replace('EVERYTHING\n', 'EVERYTHING\nconsole: [act]\n'),
        'definitions/partner.yaml': PARTNER,
        'definitions/alike.yaml': [...ALIKE, SAME].join('\n---\n'),
      },
    });
    visitor = await gateway.signIn();
  });
  afterAll(() => gateway.stop());

  /** The map as a script fetches it: with its picture, for which a page does not wait. */
  const drawn = async (query: string): Promise<string> =>
    (await visitor.get(`/map${query}`, { 'HX-Request': 'true' })).text;

  it('is there before the picture of many boxes, which its script fetches, and which is part of the page from then on', async () => {
    const { status, text } = await visitor.get('/map?like=Alike0.v1');
    expect(status).toBe(200);
    expect(boxes(text)).toEqual([]);
    expect(text).toContain('The map is being drawn.');
    expect(text.slice(text.indexOf('As a table'))).toContain('>Alike44.v1</a>');
    const fetched = await drawn('?like=Alike0.v1');
    expect(boxes(fetched)).toContain('service Alike44.v1');
    const again = (await visitor.get('/map?like=Alike0.v1')).text;
    expect(boxes(again)).toEqual(boxes(fetched));
    expect(again).not.toContain('The map is being drawn.');
  });

  it('leads from a service over its queue and subscription to the node, with a link in each box', async () => {
    const text = await drawn('?service=Orders.v1');
    expect(boxes(text).sort()).toEqual([
      'node ERP',
      'queue EVENTS',
      'service Erp.v1',
      'service Orders.v1',
      'subscription ORDER_TO_ERP',
    ]);
    expect(text).toContain('href="/console/registry/nodes/ERP"');
    expect(text).not.toMatch(/ style=/);
    const x = (name: string): number =>
      Number(
        new RegExp(
          `</title><rect class="box[^"]*" x="([\\d.]+)"[^>]*/><text[^>]*>(?:<tspan[^<]*</tspan>)?${name}`,
        ).exec(text)?.[1],
      );
    expect(x('Orders.v1')).toBeLessThan(x('EVENTS'));
    expect(x('EVENTS')).toBeLessThan(x('ORDER_TO_ERP'));
    expect(x('ORDER_TO_ERP')).toBeLessThan(x('Erp.v1'));
    expect(x('Erp.v1')).toBeLessThan(x('ERP<'));
  });

  it('has the same connections in a table', async () => {
    const { text } = await visitor.get('/map?node=ERP');
    const table = text.slice(text.indexOf('As a table'));
    for (const name of ['Orders.v1', 'EVENTS', 'ORDER_TO_ERP', 'Erp.v1', 'ERP'])
      expect(table).toContain(`>${name}</a>`);
    expect(table).not.toContain('Alike');
  });

  it('shows many services that lead to the same places as one box, which opens', async () => {
    const text = await drawn('');
    expect(boxes(text)).toContain('services Alike0.v1 and 44 more');
    expect(boxes(text)).not.toContain('service Alike7.v1');
    const opened = await drawn('?like=Alike0.v1');
    expect(boxes(opened).filter((name) => name.startsWith('service Alike')).length).toBe(45);
  });

  it('marks with a sign what is paused', async () => {
    expect(await drawn('?q=erp')).not.toContain('class="sign"');
    await visitor.post('/queues/ORDER_TO_ERP/pause');
    const text = await drawn('?q=erp');
    expect(text).toContain('class="sign"');
    expect(text).toMatch(/<span class="badge bad"><span aria-hidden="true">■<\/span> paused<\/span>/);
    await visitor.post('/queues/ORDER_TO_ERP/resume');
    expect(await drawn('?q=erp')).not.toContain('class="sign"');
  });

  it('says so when nothing has a name', async () => {
    expect((await visitor.get('/map?q=%3Ci%3E')).text).toContain('Nothing on the map has this name.');
  });

  it('asks to sign in whoever has not', async () => {
    expect((await gateway.ask('/map')).status).toBe(303);
  });
});

describe('the lines of a map', () => {
  const place = (key: string): [string, Place] => [key, { key, kind: 'node', id: key, layer: 0 }];
  const line = (from: string, to: string, ...operations: string[]): MapLine => ({
    from,
    to,
    operations: new Set(operations),
  });
  const graph: Graph = {
    places: new Map([place('a'), place('b'), place('c')]),
    lines: [line('a', 'b', 'X', 'Y'), line('b', 'c', 'Z')],
  };

  it('add up the calls of their operations, and fail when one of these does', () => {
    const totals = new Map([
      ['X', { calls: 10, failures: 0 }],
      ['Y', { calls: 5, failures: 2 }],
    ]);
    expect([...statesOf(graph, totals, []).values()]).toEqual([
      { calls: 15, failures: 2, reason: '2 of 15 calls failed' },
      { calls: 0, failures: 0 },
    ]);
  });

  it('are followed both ways from what is asked for, to the ends', () => {
    expect([...narrowed(graph, { q: 'b' }).places.keys()]).toEqual(['a', 'b', 'c']);
    expect([...narrowed(graph, { q: 'c' }).lines].length).toBe(2);
  });
});
