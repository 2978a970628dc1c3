import { describe, expect, it } from 'vitest';
import { DELIVERY_RETRY } from '../../src/model/retry.ts';
import { documentOf, load, names, operation } from './linked.ts';

const TEXT = `queue: LOCATION_EVENTS
description: Changes of locations.
order: [REGION, LOCATION]
search: [LOCATION]
size: 64 KiB
retention: { failed: 365 d }
---
queue: LOG
order: all
---
document: LOCATION_CHANGE
fields:
  REGION: { type: string(1), required: true }
  LOCATION: { type: string(10), required: true }
  SINCE: date
  TAGS: list of string
---
service: LocationEvents.v1
public: true
response: LOCATION_CHANGE
variables: LOCATION_CHANGE
operations:
  LOCATION_CHANGED: { post: "changed/{REGION}", soap: true, request: LOCATION_CHANGE, queue: LOCATION_EVENTS }
  NOTED: { soap: true, request: text, queue: LOG }
---
node: ERP
base: https://erp.example.org
---
service: Erp.v1
public: true
target: ERP
operations:
  ERP_PUT:
    put: "places/{Id}"
    request:
      fields:
        Id: { type: string, required: true }
        Place: { type: string, required: true }
        Level: { type: integer, required: true }
        Active: boolean
        SINCE: text
        TAGS: list of string
        Note: string
---
role: CLERKS
permission-lists: [STAFF]
---
permission-list: STAFF
---
subscription: TO_ERP
operation: LocationEvents.v1.LOCATION_CHANGED
when: { REGION: [N, S], SINCE: 2026-01-01 }
call: ERP_PUT
map: { Id: "{LOCATION}", Place: "{REGION}/{LOCATION}", Level: 3, Active: true }
retry: { for: 1 d }
concurrency: 100
active: false
---
subscription: Location_Cache
operation: LOCATION_CHANGED
as: CLERKS
---
subscription: LOGGED
operation: NOTED
handler: log
`;

describe('messages', () => {
  const registry = load(TEXT);

  it('have queues with an order, search fields, a size and a retention', () => {
    const queues = [...registry.messageQueues.values()].map(({ at: _, ...each }) => each);
    const day = 86_400_000;
    expect(queues).toEqual([
      {
        id: 'LOCATION_EVENTS',
        description: 'Changes of locations.',
        order: ['REGION', 'LOCATION'],
        search: ['LOCATION'],
        size: 65_536,
        retention: { done: 30 * day, failed: 365 * day },
      },
      {
        id: 'LOG',
        order: 'all',
        search: [],
        size: registry.gateway.limits.body,
        retention: { done: 30 * day, failed: 90 * day },
      },
    ]);
  });

  it('are published by operations that answer 202 with the id, and one-way over SOAP, whatever the service replies', () => {
    const { answer, status, writes, responses, soap, uris } = operation(registry, 'LOCATION_CHANGED');
    expect(answer).toEqual({ kind: 'queue', queue: registry.messageQueues.get('LOCATION_EVENTS') });
    expect({ status, writes }).toEqual({ status: 202, writes: true });
    const [receipt] = responses.map(({ message }) => documentOf(message));
    expect(receipt?.id).toBe('LOCATION_CHANGED_RECEIPT');
    expect(receipt?.fields.map(({ name, type, required }) => [name, type.kind, required])).toEqual([
      ['message', 'uuid', true],
    ]);
    expect(soap?.response).toEqual({ kind: 'none' });
    expect(names(documentOf(soap?.request).fields)).toEqual(['REGION', 'LOCATION', 'SINCE', 'TAGS']);
    expect(uris[0]?.body.map(({ name }) => name)).toEqual(['LOCATION', 'SINCE', 'TAGS']);
    expect(operation(registry, 'NOTED').method).toBeUndefined();
  });

  it('are delivered to calls, whose input is filled by the map and then by the names of fields', () => {
    const subscription = registry.subscriptions.get('TO_ERP');
    expect(subscription).toMatchObject({
      operation: { id: 'LOCATION_CHANGED' },
      when: [
        { field: 'REGION', values: ['N', 'S'] },
        { field: 'SINCE', values: ['2026-01-01'] },
      ],
      retry: { for: 86_400_000, first: 1000, longest: 3_600_000, on: 'failure' },
      concurrency: 100,
      active: false,
    });
    const { target } = subscription ?? {};
    if (target?.kind !== 'call') throw new TypeError('no call');
    expect(target.call).toBe(registry.consumers.get('ERP_PUT'));
    const filled = target.input.map(({ field, from }) => {
      if (from.kind === 'field') return [field.name, from.field.name];
      return [field.name, from.kind === 'value' ? from : from.text.parts.map((part) => part.kind)];
    });
    expect(filled).toEqual([
      ['Id', 'LOCATION'],
      ['Place', ['value', 'literal', 'value']],
      ['Level', { kind: 'value', value: 3 }],
      ['Active', { kind: 'value', value: true }],
      ['SINCE', 'SINCE'],
      ['TAGS', 'TAGS'],
    ]);
  });

  it('are delivered to code, in a file that has the name of the subscription unless it says another', () => {
    expect([...registry.subscriptions.keys()]).toEqual(['LOGGED', 'Location_Cache', 'TO_ERP']);
    expect(registry.subscriptions.get('Location_Cache')).toMatchObject({
      target: { kind: 'handler', file: 'location-cache' },
      when: [],
      retry: DELIVERY_RETRY,
      as: { id: 'CLERKS' },
      concurrency: 4,
      active: true,
    });
    expect(registry.subscriptions.get('LOGGED')?.target).toEqual({ kind: 'handler', file: 'log' });
  });
});
