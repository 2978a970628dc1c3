import { describe, expect, it } from 'vitest';
import { generate, handlerStubs } from '../../src/generate/index.ts';
import { load } from '../load/linked.ts';

const registry = load(`queue: ORDER_EVENTS
order: [NUMBER]
search: [REGION]
---
document: ORDER
fields:
  NUMBER: { type: integer, required: true }
  REGION: { type: string(1), default: N }
  LINES: { list: { fields: { PRODUCT: { type: string, required: true }, FILE: binary } } }
  NOTE: text
---
service: Orders.v1
public: true
operations:
  ORDER_CHANGED: { post: changed, soap: true, request: ORDER, queue: ORDER_EVENTS, description: An order has changed }
  ORDER_GET: { get: "orders/{NUMBER}", request: { fields: { NUMBER: integer } }, response: ORDER }
  PINGED: { post: pinged, queue: PINGS }
---
queue: PINGS
---
node: SHOP
base: https://shop.example.org
---
service: Shop.v1
public: true
target: SHOP
operations:
  SHOP_ASK:
    post: asked
    request: { fields: { NUMBER: integer, To: string } }
    response: { fields: { NUMBER: integer, STATE: { type: string, required: true } } }
    fault: { fields: { CODE: string } }
  SHOP_PUT: { put: "orders/{Id}", request: { fields: { Id: { type: integer, required: true }, Label: string, Kind: string } } }
---
process: ORDER_EXTRACT
type: Application Engine
public: true
---
subscription: ORDER_CACHE
description: Keeps orders here
operation: ORDER_CHANGED
---
subscription: ORDER_TO_SHOP
operation: ORDER_CHANGED
when: { REGION: [N, S] }
call: SHOP_PUT
map: { Id: "{NUMBER}", Label: "{REGION}{NUMBER}", Kind: order }
retry: { for: 1 d }
concurrency: 2
---
subscription: ORDER_ASKED
operation: ORDER_CHANGED
call: SHOP_ASK
awaits-reply: { within: 1 d, to: To }
handler: order-asked
`);
const files = generate(registry, { schema: { $schema: 'test' } });
const textOf = (path: string): string => files.get(`generated/${path}`) ?? '';

// compile.test.ts type-checks these with code that is right, and code that is wrong.
describe('messages in generated files', () => {
  it.each(['types.ts', 'handlers.ts', 'client.ts'])('%s', async (path) => {
    await expect(textOf(path)).toMatchFileSnapshot(`fixtures/messages/generated/${path}`);
  });

  it('have a type by their operation, and code that takes them one by its subscription', () => {
    const types = textOf('types.ts').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '');
    expect(types).toContain(
      'export type Messages = {\n  ORDER_CHANGED: ORDER;\n  PINGED: Record<string, never>;\n};\n',
    );
    const handlers = textOf('handlers.ts').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '');
    expect(handlers).toContain(
      'export interface Subscriptions {\n  ORDER_ASKED: ORDER_ASKED_Subscription;\n  ORDER_CACHE: ORDER_CACHE_Subscription;\n}\n',
    );
    expect(handlers).not.toContain('ORDER_TO_SHOP');
  });

  it('stand in the registry with what fills a call, and what differs from the usual', () => {
    const tree = JSON.parse(textOf('registry.json')) as Record<string, Record<string, object>>;
    expect(tree['message-queues']).toEqual({
      ORDER_EVENTS: {
        order: ['NUMBER'],
        search: ['REGION'],
        size: 10_485_760,
        retention: { done: 2_592_000_000, failed: 7_776_000_000 },
      },
      PINGS: { search: [], size: 10_485_760, retention: { done: 2_592_000_000, failed: 7_776_000_000 } },
    });
    expect(tree.subscriptions).toEqual({
      ORDER_ASKED: {
        operation: 'ORDER_CHANGED',
        when: {},
        handler: 'order-asked',
        call: 'SHOP_ASK',
        map: { NUMBER: '{NUMBER}' },
        'awaits-reply': { within: 86_400_000, to: 'To' },
      },
      ORDER_CACHE: { description: 'Keeps orders here', operation: 'ORDER_CHANGED', when: {}, handler: 'order-cache' },
      ORDER_TO_SHOP: {
        operation: 'ORDER_CHANGED',
        when: { REGION: ['N', 'S'] },
        call: 'SHOP_PUT',
        map: { Id: '{NUMBER}', Label: '{REGION}{NUMBER}', Kind: 'order' },
        retry: { for: 86_400_000, first: 1000, longest: 3_600_000, on: 'failure' },
        concurrency: 2,
      },
    });
    expect(tree.operations?.ORDER_CHANGED).toMatchObject({ status: 202, answer: { queue: 'ORDER_EVENTS' } });
  });

  it('have a first version of the code that takes them, where there is none', async () => {
    const path = 'src/handlers/order-cache.ts';
    const text = handlerStubs(registry, new Set(['src/handlers/order-get.ts'])).get(path);
    await expect(text).toMatchFileSnapshot(`fixtures/messages/${path}`);
  });
});
