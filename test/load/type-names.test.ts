import { expect, it } from 'vitest';
import { load } from './linked.ts';

/** Each contract has a folder, as imports have. */
const family = (base: string, derived: string): string =>
  `#file definitions/${base.toLowerCase()}/documents.yaml\n` +
  `document: ${base}\nnamespace: urn:partner\nfields: { NAME: string }\n---\n` +
  `document: ${derived}\nextends: ${base}\nxml-type: Order\nfields: { DUE: date }\n`;

it('types of one name keep it in services that have nothing to do with each other, and differ where one service has both', () => {
  const registry = load(
    [
      'gateway: LOCAL\n',
      family('OLD', 'OLD_ORDER'),
      family('NEW', 'NEW_ORDER'),
      family('OTHER', 'OTHER_ORDER'),
      '#file definitions/services.yaml\ndocument: BOTH\nfields: { A: NEW, B: OTHER }\n',
      'service: Old.v1\npermission: ALL\ntarget: PARTNER\noperations: { OLD_GET: { get: orders, response: OLD } }\n',
      'service: New.v1\npublic: true\noperations: { NEW_GET: { get: orders, response: BOTH } }\n',
      'node: PARTNER\nbase: https://partner.example.org\n',
      'permission-list: ALL\n',
    ]
      .join('---\n')
      .replaceAll('---\n#file', '#file'),
  );
  const names = ['OLD_ORDER', 'NEW_ORDER', 'OTHER_ORDER'].map((id) => registry.documents.get(id)?.xmlType);
  expect(names).toEqual(['Order', 'Order', 'Order_2']);
});
