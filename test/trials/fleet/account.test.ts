import { describe, expect, test } from 'vitest';
import { accountProcesses, accountRuns, accountSaves } from './account.ts';
import { accountMessages, type HeldMessages } from './account-messages.ts';
import type { Held } from './database.ts';
import { createLedger, saveKey } from './ledger.ts';

const noMessages: HeldMessages = { messages: [], deliveries: [], published: [], delivered: [] };
const nothing: Held = { requests: [], effects: [], saved: [], audits: [], messages: noMessages };
const request = (instance: number, item: string, status = '9', once = false) => ({
  ...{ instance, item, status, once },
  ...{ from: 1000, to: 2000 },
});

describe('processes', () => {
  const ledger = createLedger();
  ledger.schedules.accepted.set('p1', 1).set('p2', 2);
  ledger.schedules.unknown.add('p3').add('p4');

  test('each that was entered ended once; of those whose answer was lost any number was', () => {
    const held = { ...nothing, requests: [request(1, 'p1'), request(2, 'p2'), request(3, 'p3')] };
    expect(accountProcesses(ledger, { ...held, effects: ['p1', 'p2', 'p3'] })).toMatchObject({
      accepted: 2,
      unknown: 2,
      happened: 1,
      done: 3,
      wrong: [],
    });
  });

  test.each([
    ['lost', [request(1, 'p1')], ['p1'], ['process p2: its request 2 is missing']],
    ['done twice', [request(1, 'p1'), request(2, 'p2')], ['p1', 'p2', 'p2'], ['process p2: it left 2 rows']],
    ['done never', [request(1, 'p1'), request(2, 'p2')], ['p1'], ['process p2: it left 0 rows']],
    ['failed', [request(1, 'p1'), request(2, 'p2', '3')], ['p1', 'p2'], ['process p2: request 2 has the status 3']],
    [
      'entered twice',
      [request(1, 'p1'), request(2, 'p2'), request(5, 'p4'), request(6, 'p4')],
      ['p1', 'p2', 'p4'],
      ['process p4: it was entered 2 times'],
    ],
    ['made up', [request(1, 'p1'), request(2, 'p2')], ['p1', 'p2', 'p9'], ['process p9: a row without a request']],
  ])('one that was %s is named', (_, requests, effects, wrong) => {
    expect(accountProcesses(ledger, { ...nothing, requests, effects }).wrong).toEqual(wrong);
  });
});

describe('processes that are cancelled', () => {
  const ledger = createLedger();
  ledger.schedules.accepted.set('p1', 1).set('p2', 2);
  ledger.cancels.accepted.add('p1');
  ledger.cancels.unknown.add('p2');

  test.each([
    ['8', '8', []],
    ['1', '9', ['p2']],
  ])('leave nothing, or were not cancelled (%s, %s)', (first, second, effects) => {
    const requests = [request(1, 'p1', first), request(2, 'p2', second)];
    expect(accountProcesses(ledger, { ...nothing, requests, effects }).wrong).toEqual([]);
  });

  test('are named where they ran all the same, or were taken back unasked', () => {
    const requests = [request(1, 'p1', '9'), request(2, 'p2', '8'), request(3, 'p3', '8')];
    expect(accountProcesses(ledger, { ...nothing, requests, effects: ['p1', 'p2'] }).wrong).toEqual([
      'process p1: request 1 has the status 9',
      'process p1: it left 1 rows',
      'process p2: it left 1 rows',
      'process p3: request 3 has the status 8',
      'process p3: it left 0 rows',
    ]);
  });
});

describe('processes with one attempt', () => {
  const ledger = createLedger();
  ledger.schedules.accepted.set('p1', 1);
  const held = { ...nothing, requests: [request(1, 'p1', '3', true)] };

  test('may end as Error if something failed while they were there, and leave nothing', () => {
    const failing = (from: number, to: number) => from <= 1500 && to >= 1500;
    expect(accountProcesses(ledger, held, failing)).toMatchObject({ died: 1, done: 0, wrong: [] });
    expect(accountProcesses(ledger, { ...held, effects: ['p1'] }, failing).wrong).toEqual([
      'process p1: it left 1 rows',
    ]);
  });

  test.each([
    ['nothing failed', held],
    ['they have more attempts', { ...nothing, requests: [request(1, 'p1', '3')] }],
  ])('may not where %s', (what, those) => {
    expect(accountProcesses(ledger, those, () => what !== 'nothing failed').wrong).toEqual([
      'process p1: request 1 has the status 3',
      'process p1: it left 0 rows',
    ]);
  });
});

describe('saves', () => {
  const ledger = createLedger();
  ledger.saves.accepted.add(saveKey('a', 1)).add(saveKey('a', 3));
  ledger.saves.unknown.add(saveKey('a', 2));
  const saved = [1, 3].map((step) => ({ id: 'a', step }));
  const row = (step: number, by: number) => ({ id: 'a', step, class: by });
  const sound = [row(1, 1), row(1, 2), row(3, 1), row(3, 2)];

  test('each that was made has a row of each class, in order', () => {
    const account = accountSaves(ledger, { ...nothing, saved, audits: sound });
    expect(account).toMatchObject({ accepted: 2, unknown: 1, happened: 0, done: 2, wrong: [] });
  });

  test.each([
    ['a row is missing', sound.slice(0, 3), 'row 4 is missing; expected 3 by class 2'],
    ['a row is there twice', [...sound, row(3, 2)], 'row 5 is 3 by class 2; expected no more'],
    [
      'classes are out of order',
      [row(1, 2), row(1, 1), ...sound.slice(2)],
      'row 1 is 1 by class 2; expected 1 by class 1',
    ],
    [
      'saves are out of order',
      [...sound.slice(2), ...sound.slice(0, 2)],
      'row 1 is 3 by class 1; expected 1 by class 1',
    ],
  ])('where %s, it is named', (_, audits, wrong) => {
    const account = accountSaves(ledger, { ...nothing, saved, audits });
    expect(account).toMatchObject({ done: 0, wrong: [`save of a: ${wrong}`] });
  });

  test.each([
    ['n', ['save of n: row 6 is missing; expected 3 by class 3']],
    ['s', []],
  ])('by the next definitions have a row of the third class too (%s)', (id, wrong) => {
    const audits = [row(1, 1), row(1, 2), row(1, 3), row(3, 1), row(3, 2)].map((each) => ({ ...each, id }));
    const account = accountSaves(createLedger(), { ...nothing, saved: saved.map((each) => ({ ...each, id })), audits });
    expect(account.wrong).toEqual(wrong);
  });

  test('one that was accepted and not made is named', () => {
    const account = accountSaves(ledger, { ...nothing, saved: saved.slice(0, 1), audits: sound.slice(0, 2) });
    expect(account.wrong).toEqual(['save a step 3: it was not made']);
  });
});

test('a polled query that was not followed to its end is not taken for done', () => {
  const ledger = createLedger();
  Object.assign(ledger.runs, { accepted: 4, done: 1, cancelled: 1 });
  ledger.runs.wrong.push('query q1: it ended with error');
  expect(accountRuns(ledger).wrong).toEqual([
    'query q1: it ended with error',
    '1 of them were not followed to their end',
  ]);
});

describe('messages', () => {
  const ledger = createLedger();
  ledger.ordered.accepted.set('a', undefined).set('b', undefined);
  ledger.ordered.unknown.add('c').add('lost');
  const items = ['a', 'b', 'c'];
  const [code, call] = ['FLEET_ORDERED_CODE', 'FLEET_ORDERED_CALL'];
  const sound: HeldMessages = {
    messages: items.map((item) => ({ id: `m${item}`, item, status: 'Done' })),
    deliveries: [code, call].flatMap((subscription) =>
      items.map((item) => ({ id: `${subscription} ${item}`, item, subscription, status: 'Done' })),
    ),
    published: items.map((item) => ({ item, part: item === 'c' ? 'q' : 'p' })),
    delivered: ['c', 'a', 'b'].map((item) => ({ subscription: code, item })),
  };
  const request = (item: string, id = `${call} ${item}`) => ({ installation: 'first', subscription: call, id, item });
  const taken = ['a', 'c', 'b', 'a'].map((item) => request(item));
  const wrongOf = (held: Partial<HeldMessages>, requests = taken): readonly string[] =>
    accountMessages('ordered', ledger.ordered, { ...sound, ...held }, requests).wrong;

  test('each arrived, at code once and at the receiver in any number with one id, in the order of its partition', () => {
    expect(accountMessages('ordered', ledger.ordered, sound, taken)).toEqual({
      ...{ kind: 'ordered messages', accepted: 2, unknown: 2, happened: 1, done: 3, cancelled: 0, died: 0, wrong: [] },
    });
  });

  test.each<[string, Partial<HeldMessages>, string[]]>([
    [
      'was not committed',
      { published: sound.published.slice(1) },
      [
        'ordered message a: it was accepted, and does not exist',
        'ordered message a: it was published without its commit',
      ],
    ],
    ['was not delivered', { delivered: sound.delivered.slice(1) }, [`${code} c: it arrived 0 times`]],
    [
      'was delivered twice',
      { delivered: [...sound.delivered, { subscription: code, item: 'c' }] },
      [`${code} c: it arrived 2 times`],
    ],
    [
      'is out of order',
      { delivered: sound.delivered.toReversed() },
      [`${code} partition p: b arrived where a was next`],
    ],
    [
      'has not ended well',
      {
        messages: sound.messages.map((each) => (each.item === 'b' ? { ...each, status: 'Hold' } : each)),
        deliveries: sound.deliveries.map((each) => (each.id === `${call} b` ? { ...each, status: 'Hold' } : each)),
      },
      ['ordered message b: it is Hold', `${call} b: the delivery is Hold`],
    ],
    [
      'exists twice',
      { messages: [...sound.messages, { id: 'again', item: 'a', status: 'Done' }] },
      ['ordered message a: it exists 2 times'],
    ],
  ])('one that %s is named', (_, held, wrong) => {
    expect(wrongOf(held)).toEqual(wrong);
  });

  test.each([
    ['was lost', taken.filter(({ item }) => item !== 'b'), [`${call} b: it arrived 0 times`]],
    ['came with another id', [...taken, request('b', 'x')], [`${call} b: it came with the id x, not with ${call} b`]],
    ['came before another', taken.toReversed().slice(1), [`${call} partition p: b arrived where a was next`]],
    [
      'no one published',
      [...taken, request('z')],
      [`${call} z: no message has it`, `${call} z: it came with the id ${call} z, not with undefined`],
    ],
  ])('a request to the receiver that %s is named', (_, requests, wrong) => {
    expect(wrongOf({}, requests)).toEqual(wrong);
  });
});
