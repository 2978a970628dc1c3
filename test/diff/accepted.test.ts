import { expect, it } from 'vitest';
import { judge } from '../../src/diff/accepted.ts';
import { toChangelog, toMarkdown } from '../../src/diff/text.ts';
import { loadFiles } from '../../src/load/load.ts';
import type { AcceptedBreak } from '../../src/model/gateway.ts';
import { projectOf } from '../load/project-text.ts';
import { compareTexts, registryIn } from './sample.ts';

const orders = (fields: string): string =>
  `service: Orders.v1\npublic: true\noperations:\n  ORDER_POST: { post: orders, request: A, response: A }\n  ORDER_GET: { get: orders, response: A }\n---\ndocument: A\nfields: { X: integer${fields} }\n`;
const removed = () => compareTexts(orders(', Y: text'), orders(''));

const entry = (more: Partial<AcceptedBreak>): AcceptedBreak => ({
  rule: 'optional-field-removed',
  thing: 'Orders.v1.ORDER_POST.request.Y',
  reason: 'No one sends it.',
  until: '2027-03-31',
  at: { file: 'definitions/gateway.yaml', line: 3, column: 3 },
  ...more,
});

const acceptedBy = (more: Partial<AcceptedBreak>, today = '2027-01-01'): readonly string[] =>
  judge(removed(), [entry(more)], today).changes.flatMap(({ at, accepted }) => (accepted === undefined ? [] : at));

it('is accepted at a field, and at all that it is in', () => {
  expect(acceptedBy({})).toEqual(['Orders.v1.ORDER_POST.request.Y']);
  expect(acceptedBy({ thing: 'Orders.v1.ORDER_POST' })).toEqual([
    'Orders.v1.ORDER_POST.request.Y',
    'Orders.v1.ORDER_POST.reply.Y',
  ]);
  expect(acceptedBy({ thing: 'Orders.v1' })).toHaveLength(3);
  expect(acceptedBy({ thing: 'Orders.v1.ORDER' })).toEqual([]);
  expect(acceptedBy({ rule: 'field-removed' })).toEqual([]);
});

it('is accepted up to the day that is given', () => {
  expect(acceptedBy({}, '2027-03-31')).toHaveLength(1);
  expect(acceptedBy({}, '2027-04-01')).toEqual([]);
});

it('is reported when it has no effect, with the reason', () => {
  const why = (more: Partial<AcceptedBreak>, today = '2027-01-01') =>
    judge(removed(), [entry(more)], today).idle.map((each) => each.why);
  expect(why({})).toEqual([]);
  expect(why({}, '2027-04-01')).toEqual(['it ended on 2027-03-31']);
  expect(why({ rule: 'field-gone' })).toEqual(['field-gone is not a rule']);
  expect(why({ thing: 'Orders.v2' })).toEqual(['no change of the rule optional-field-removed is at Orders.v2']);
});

it('is declared by the gateway, with a date that exists', () => {
  const gateway = (until: string): string =>
    `gateway: LOCAL\naccepted-breaks:\n  - { rule: field-removed, at: Orders.v1, reason: Unused., until: ${until} }\n`;
  expect(registryIn(gateway('2027-03-31')).gateway.acceptedBreaks).toEqual([
    {
      rule: 'field-removed',
      thing: 'Orders.v1',
      reason: 'Unused.',
      until: '2027-03-31',
      at: { file: 'definitions/example.yaml', line: 3, column: 7 },
    },
  ]);
  const { diagnostics } = loadFiles(projectOf(gateway('2027-02-30')), 'ignore-missing');
  expect(diagnostics.map(({ code }) => code)).toEqual(['bad-date']);
});

it('is shown as accepted in a review, in which one change of several operations is one row', () => {
  const text = toMarkdown(judge(removed(), [entry({})], '2027-01-01'));
  expect(text).toContain('2 may break, 1 accepted.');
  expect(text).toContain('### Orders.v1: ORDER\\_POST, ORDER\\_GET');
  expect(text).toContain('(accepted until 2027-03-31: No one sends it.)');
});

it('is in a changelog for partners in plain sentences, by service', () => {
  const text = toChangelog(
    judge(compareTexts(orders(', Y: text'), orders(', Z: { type: text, required: true }')), [], ''),
  );
  expect(text).toBe(`# Changes

## Orders.v1

### Breaking: change your side

- ORDER\\_POST: Z of the request is new, and required.
- ORDER\\_POST: Y of the request is removed. It was optional.

### May break: check your side

- ORDER\\_POST, ORDER\\_GET: Z of the reply is new, and required. (SOAP and XML, generated clients)
- ORDER\\_POST, ORDER\\_GET: Y of the reply is removed. It was optional.
`);
});
