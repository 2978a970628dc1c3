import { describe, expect, it } from 'vitest';
import { literalOf } from '../../src/load/value/config-text.ts';
import type { ConsumerOperation } from '../../src/model/consumer.ts';
import type { Registry } from '../../src/model/registry.ts';
import { load } from './linked.ts';

const SYSTEMS = 'node: PARTNER\nbase: https://example.org\n---\nnode: TEST\nbase: https://test.example.org\n---\n';

function consumer(registry: Registry, id: string): ConsumerOperation {
  const found = registry.consumers.get(id);
  if (found === undefined) throw new TypeError(id);
  return found;
}

describe('a routing of a call over REST', () => {
  const registry = load(`${SYSTEMS}
service: Partner.v1
public: true
target: PARTNER
headers: { X-Sender: LOCAL, X-Shared: a }
properties: { sendUncompressed: N }
operations:
  ORDER_POST: { post: orders, request: json, headers: { X-Own: b }, properties: { PRIMARYURL: "https://own.example.org" } }
  ORDERS_GET: { get: orders, response: json }
---
routing: ORDERS_ON_TEST
operation: ORDER_POST
target: TEST
headers: { x-sender: TEST, X-More: "\${env:MORE}" }
properties: { PRIMARYURL: "https://routed.example.org", sendUncompressed: Y }
---
routing: NO_ORDERS
operation: ORDERS_GET
active: false
`);
  const order = consumer(registry, 'ORDER_POST');

  it('sends it to another node', () => {
    expect(order.target).toBe(registry.nodes.get('TEST'));
    expect(order.routing).toBe('ORDERS_ON_TEST');
    expect(consumer(registry, 'ORDERS_GET').target).toBe(registry.nodes.get('PARTNER'));
  });

  it('stands above the headers of operation and service, letter case apart', () => {
    if (order.kind !== 'rest') throw new TypeError(order.kind);
    const headers = order.headers.map(({ name, text }) => [name.toLowerCase(), text.source]);
    expect(new Map(headers as [string, string][])).toEqual(
      new Map([
        ['x-sender', 'TEST'],
        ['x-shared', 'a'],
        ['x-own', 'b'],
        ['x-more', '${env:MORE}'],
      ]),
    );
  });

  it('stands above the properties of operation and service', () => {
    if (order.kind !== 'rest' || order.properties.primaryUrl === undefined) throw new TypeError(order.kind);
    expect(literalOf(order.properties.primaryUrl)).toBe('https://routed.example.org');
    expect(order.properties).toMatchObject({ compress: false, acceptCompressed: false });
  });

  it('switches it off', () => {
    expect(order.active).toBe(true);
    expect(consumer(registry, 'ORDERS_GET')).toMatchObject({ active: false, routing: 'NO_ORDERS' });
  });

  it('is no routing of what comes in', () => {
    expect(registry.routings).toEqual([]);
  });
});

describe('a routing of a call over SOAP', () => {
  it('stands above what the operation says', () => {
    const registry = load(`${SYSTEMS}
service: Partner.v1
public: true
operations:
  SEND: { soap: true, target: PARTNER, request: xml, headers: { X-Sender: LOCAL }, properties: { MTOM: N } }
---
routing: ON_TEST
operation: SEND
target: TEST
headers: { X-Sender: TEST }
properties: { MTOM: Y }
`);
    expect(consumer(registry, 'SEND')).toMatchObject({
      target: { id: 'TEST' },
      headers: [{ name: 'X-Sender', value: 'TEST' }],
      properties: { mtom: true },
      routing: 'ON_TEST',
    });
  });
});

describe('calls that keep the domain name', () => {
  const library = `node: LIBRARY
base: https://example.org
---
service: Library.v2
public: true
target: LIBRARY
operations: { DIGEST_POST: { post: digest, response: json }, UPLOAD: { post: upload, response: json } }
#file definitions/gateway.yaml
gateway: LOCAL
`;
  const property = 'ig.UseDomainName.ExternalOperationNames';

  it('are named by a list, with the suffix of their method or without it', () => {
    const { gateway } = load(`${library}properties: { ${property}: [DIGEST.v2, DIGEST_POST.v2, UPLOAD.v2] }`);
    expect(gateway.domainNames).toEqual(['DIGEST.v2', 'DIGEST_POST.v2', 'UPLOAD.v2']);
  });

  it('are named by a text with commas', () => {
    const { gateway } = load(`${library}properties: { ${property}: "DIGEST.v2,UPLOAD.v2 , DIGEST.v2" }`);
    expect(gateway.domainNames).toEqual(['DIGEST.v2', 'UPLOAD.v2']);
  });

  it('need not be named', () => {
    expect(load(library).gateway.domainNames).toEqual([]);
  });
});
