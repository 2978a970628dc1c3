import { expect, it } from 'vitest';
import { compileMask } from '../../src/invoke/mask.ts';
import { load } from '../load/linked.ts';

it('takes a document that holds itself inside something secret, by all its names', () => {
  const registry = load(`
node: PARTNER
base: https://example.org
---
document: PART
fields: { NEXT: PART, PIN: { type: string, json: pinCode } }
---
service: Orders.v1
target: PARTNER
public: true
operations:
  ORDER_POST: { post: orders, request: { fields: { PLAIN: PART, SECRET: { type: PART, sensitive: true } } }, response: none }
`);
  const operation = registry.consumers.get('ORDER_POST');
  if (operation === undefined) throw new TypeError('ORDER_POST');
  const mask = compileMask(operation);
  expect(mask('{"pinCode":"1234","other":"1234"}', [])).toBe('{"pinCode":"***","other":"1234"}');
});
