import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gatewayText, USERS } from '../support/project.ts';
import { project, repository, signalbox, start } from './support.ts';

test.each([
  [['--node', 'THIRD_PARTIES'], 'there is no node THIRD_PARTIES', 'Did you mean THIRD_PARTY?'],
  [['--node', 'LOCAL'], 'there is no node LOCAL', 'THIRD_PARTY'],
  [['--port', '65536'], "--port takes a whole number from 0 to 65535, not '65536'", ''],
  [['--seed', 'x'], "--seed takes a whole number from 0 to 4294967295, not 'x'", ''],
  [['--delay', '-1 s'], "--delay takes a time up to 1 h, not '-1 s'", 'ORDER_GET=500 ms'],
  [['--delay', '2 h'], "--delay takes a time up to 1 h, not '2 h'", ''],
  [['--delay', 'LOCATIONS_GET=2 min'], "--delay takes a time up to 1 h, not '2 min'", "Write '2 m'."],
  [['--delay', '5'], "--delay takes a time up to 1 h, not '5'", "Write '5 ms', '5 s' or '5 m'."],
  [['--delay', 'WEATHER=1 s'], 'the project has no operation WEATHER', ''],
  [['--fault', '503'], "--fault takes OPERATION=FAULT, not '503'", "'*=503' for all operations"],
  [['--fault', '*=NOT_FUND'], 'NOT_FUND is not a fault', 'Did you mean NOT_FOUND?'],
  [['--fault', '*=200'], '200 is not a fault', ''],
  [
    ['--node', 'THIRD_PARTY', '--fault', 'LOCATIONS_GET=503'],
    'nothing that is called at THIRD_PARTY is LOCATIONS_GET',
    '',
  ],
  [['--pages', 'many'], "--pages takes a whole number from 0 to 1000000, not 'many'", ''],
])('mock %s is refused', async (args, what, hint) => {
  const { code, stdout, stderr } = await signalbox(['mock', ...args], { cwd: repository });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(what);
  expect(stderr).toContain(hint);
});

test('an address that is not of this machine is said to be that of --host', async () => {
  const { code, stderr } = await signalbox(['mock', '--host', '192.0.2.1'], { cwd: repository });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /can't listen on 192\.0\.2\.1:8090: .*\n {2}--port .* --host takes an address of this machine\.\n/,
  );
});

const PARTS = `service: Parts.v1
public: true
operations:
  PART_GET: { get: "parts/{N}", request: { fields: { N: { type: integer, required: true } } }, response: PART, public: true, handler: part-get }
  PARTS_GET: { get: "parts{?limit,after}", query: PARTS, paging: { order: [N] }, public: true }
  PARTS_FIND: { get: "found{?cursor}", request: { fields: { cursor: string } }, response: FOUND, public: true, handler: part-get }
  PARTS_LIST: { get: "listed{?page}", request: { fields: { page: integer } }, response: LISTED, public: true, handler: part-get }
---
document: PART
fields: { N: { type: integer, required: true }, NAME: { type: string, example: Brake pad } }
---
document: FOUND
fields: { PARTS: list of PART, paging: { fields: { nextCursor: { type: string(20), required: true }, hasMore: { type: boolean, required: true } } } }
---
document: LISTED
fields: { PARTS: list of PART, next_page: integer, LINK: { type: uri, json: "@odata.nextLink" } }
---
query: PARTS
public: true
columns: { N: integer }
sql: select n from part
---
node: STORE
base: https://store.example.org
---
service: Store.v1
target: STORE
operations:
  STOCK_GET: { get: "stock{?after}", request: { fields: { after: string } }, response: { fields: { COUNT: integer, next: string } }, public: true }
`;

const parts = (): Promise<string> =>
  project({
    'definitions/gateway.yaml': gatewayText(),
    'definitions/users.yaml': USERS,
    'definitions/parts.yaml': PARTS,
    'src/handlers/part-get.ts': 'export default { onRequest: () => ({}) };\n',
  });

/** A mock of the parts, and where its paths begin. */
async function mockParts(cwd: string, ...args: string[]): Promise<string> {
  const mock = start(['mock', '--port', '0', '--json', ...args], { cwd });
  const [, address = ''] = await mock.until(/"address":"(http:[^"]*)"/);
  return `${address}/gateway/RESTListeningConnector/Parts.v1`;
}

test('faults and delays of the command line are those of the operation alone, and * is every one', async () => {
  const cwd = await parts();
  const url = await mockParts(
    cwd,
    '--fault',
    'PART_GET=CONFLICT',
    '--delay',
    'PARTS_GET=80ms',
    '--delay',
    'PART_GET=80 ms',
  );
  const timed = async (path: string): Promise<[number, boolean]> => {
    const began = performance.now();
    const { status } = await fetch(`${url}/${path}`);
    return [status, performance.now() - began >= 78];
  };
  expect(await timed('parts/1')).toEqual([409, true]);
  expect(await timed('parts')).toEqual([200, true]);
  expect(await timed('found')).toEqual([200, expect.any(Boolean)]);
  const all = await mockParts(cwd, '--fault', '*=503');
  expect((await fetch(`${all}/found`)).status).toBe(503);
  expect((await fetch(`${all}/parts`, { headers: { Prefer: 'code=404' } })).status).toBe(404);
});

test('pages end: the last names no next one, whatever leads there', async () => {
  const url = await mockParts(await parts(), '--pages', '3');
  const json = async (address: string): Promise<Record<string, never>> => {
    const reply = await fetch(address);
    expect(reply.status).toBe(200);
    return {
      ...((await reply.json()) as object),
      link: /<([^>]*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1],
    } as never;
  };
  let pages = 0;
  for (let next: string | undefined = `${url}/parts?limit=2`; next !== undefined; pages++) {
    const page: { next?: string; link?: string } = await json(next);
    expect(page.next !== undefined).toBe(page.link !== undefined);
    if (page.link !== undefined) expect(page.link).toContain(`limit=2&after=${page.next}`);
    next = page.link;
  }
  expect(pages).toBe(3);
  const found = async (cursor: string) => (await json(`${url}/found?cursor=${cursor}`)).paging;
  expect([await found(''), await found('page-2'), await found('page-3'), await found('page-9')]).toEqual([
    { nextCursor: 'page-2', hasMore: true },
    { nextCursor: 'page-3', hasMore: true },
    { nextCursor: '', hasMore: false },
    { nextCursor: '', hasMore: false },
  ]);
  const listed = (page: number) => json(`${url}/listed?page=${page}`);
  expect(await listed(2)).toMatchObject({ next_page: 3, '@odata.nextLink': expect.stringMatching(/\?after=page-3$/) });
  expect(Object.keys(await listed(3))).not.toEqual(expect.arrayContaining(['next_page']));
  expect(await listed(3)).not.toHaveProperty(['@odata.nextLink']);
});

test('pages of a partner end too, and its faults are forced', async () => {
  const cwd = await parts();
  const stand = async (...args: string[]): Promise<string> => {
    const mock = start(['mock', '--node', 'STORE', '--port', '0', ...args], { cwd });
    return (await mock.until(/SIGNALBOX_NODE_STORE=(http:\S+)/))[1] as string;
  };
  const url = await stand('--pages', '2');
  expect(await (await fetch(`${url}/stock`)).json()).toMatchObject({ next: 'page-2' });
  expect(await (await fetch(`${url}/stock?after=page-2`)).json()).not.toHaveProperty('next');
  expect((await fetch(`${await stand('--fault', 'STOCK_GET=429')}/stock`)).status).toBe(429);
});

const ANSWERS = `mock: PART_GET
answers:
  - { when: { N: [7, 8] }, reply: { N: 7, NAME: Disc } }
  - { when: { N: 6 }, delay: 10 m }
  - { when: { N: 9 }, fault: { code: SOLD_OUT, status: 409, message: Nothing is left. } }
  - { when: { N: 4 }, times: 1, fault: UNAVAILABLE }
  - { when: { N: 4 }, status: 203, headers: { X-From: mocks }, delay: 80 ms, reply: { N: 4 } }
---
mock: STOCK_GET
answers:
  - { times: 1, reply: { COUNT: 1, next: more } }
  - reply: { COUNT: 2 }
`;

test('files in mocks/ say what is answered, by input and in sequence, and are followed while it runs', async () => {
  const cwd = await parts();
  await mkdir(join(cwd, 'mocks'));
  await writeFile(join(cwd, 'mocks/parts.yaml'), ANSWERS);
  const mock = start(['mock', '--port', '0', '--json'], { cwd });
  const [, address = ''] = await mock.until(/"address":"(http:[^"]*)"/);
  const part = (n: number) => fetch(`${address}/gateway/RESTListeningConnector/Parts.v1/parts/${n}`);
  expect(await (await part(8)).json()).toEqual({ N: 7, NAME: 'Disc' });
  const sold = await part(9);
  expect([sold.status, await sold.json()]).toMatchObject([409, { code: 'SOLD_OUT', detail: 'Nothing is left.' }]);
  expect((await part(4)).status).toBe(503);
  const began = performance.now();
  const fourth = await part(4);
  expect([fourth.status, fourth.headers.get('x-from'), await fourth.json()]).toEqual([203, 'mocks', { N: 4 }]);
  expect(performance.now() - began).toBeGreaterThanOrEqual(78);
  expect(await (await part(5)).json()).toMatchObject({ NAME: 'Brake pad' });

  await writeFile(join(cwd, 'mocks/parts.yaml'), ANSWERS.replace('NAME: Disc', 'NAM: Disc'));
  await mock.until(/^mocks\/parts\.yaml:3:\d+: error bad-mock: .*NAM is not a field of PART\.[\s\S]*Not applied/m);
  expect(await (await part(8)).json()).toEqual({ N: 7, NAME: 'Disc' });
  await writeFile(join(cwd, 'mocks/parts.yaml'), ANSWERS.replace('NAME: Disc', 'NAME: Drum'));
  await mock.until(/The answers of mocks\/ were read again/);
  expect(await (await part(8)).json()).toEqual({ N: 7, NAME: 'Drum' });

  const store = start(['mock', '--node', 'STORE', '--port', '0'], { cwd });
  const [, stock = ''] = await store.until(/SIGNALBOX_NODE_STORE=(http:\S+)/);
  const counted = async () => (await fetch(`${stock}/stock`)).json();
  expect([await counted(), await counted(), await counted()]).toEqual([
    { COUNT: 1, next: 'more' },
    { COUNT: 2 },
    { COUNT: 2 },
  ]);
});

test('check compares the files in mocks/ with the operations, and reports every mistake at its place', async () => {
  const cwd = await parts();
  await mkdir(join(cwd, 'mocks'));
  await writeFile(join(cwd, 'mocks/parts.yaml'), ANSWERS);
  expect(await signalbox(['check', '--no-handlers'], { cwd })).toMatchObject({ code: 0 });
  const wrong = `mock: PART_GTE
answers: [{ reply: {} }]
---
mock: PART_GET
answers:
  - { when: { M: 1 }, reply: { N: seven } }
  - { when: { N: x }, fault: NOT_FUND }
  - { repyl: {}, delay: soon, times: 0, status: 404 }
  - { reply: { NAME: Disc } }
  - { delay: 2 min }
  - { headers: { X-A: "a\\nb", X B: c, Content-Length: 3, X-D: [] } }
  - { fault: { code: NO, status: 409, headers: { X-A: "\\0" } } }
`;
  await writeFile(join(cwd, 'mocks/parts.yaml'), wrong);
  const { code, stdout } = await signalbox(['check', '--no-handlers'], { cwd });
  expect(code).toBe(1);
  const lines = stdout
    .split('\n')
    .flatMap(
      (line) => (/^mocks\/parts\.yaml:(\S+): error bad-mock: (.*)$/.exec(line) ?? []).slice(1, 3).join(' ') || [],
    );
  expect(lines).toEqual([
    expect.stringMatching(/^1:7 There is no operation PART_GTE\.$/),
    expect.stringMatching(/^6:15 M is not a field of the request of PART_GET\.$/),
    expect.stringMatching(/^6:35 The reply of PART_GET: N .*\.$/),
    expect.stringMatching(/^7:18 N in `when` .*\.$/),
    expect.stringMatching(/^7:30 NOT_FUND is not a fault\.$/),
    expect.stringMatching(/^8:7 `repyl` is not a key of an answer\.$/),
    expect.stringMatching(/^8:25 `delay` is a time up to 1 h/),
    expect.stringMatching(/^8:38 `times` is a whole number at least 1\.$/),
    expect.stringMatching(/^8:49 `status` is a whole number from 200 to 299\.$/),
    expect.stringMatching(/^9:14 The reply of PART_GET: N is missing\.$/),
    expect.stringMatching(/^10:14 `delay` is a time up to 1 h/),
    expect.stringMatching(/^11:23 Header "X-A" can't be sent: Invalid character in header content \["X-A"\]\.$/),
    expect.stringMatching(/^11:36 Header "X B" can't be sent: .*\.$/),
    expect.stringMatching(/^11:55 Header "Content-Length" can't be sent: the gateway sets the header .* itself\.$/),
    expect.stringMatching(/^11:63 Header "X-D" has to be a text\.$/),
    expect.stringMatching(/^12:55 Header "X-A" can't be sent: .*\.$/),
  ]);
  expect(stdout).toContain('Write `2 m`.');
  expect(stdout).toContain('Did you mean PART_GET?');
});

test('`when` compares values, not their texts, as conditions of subscriptions do', async () => {
  const cwd = await project({
    'definitions/gateway.yaml': gatewayText(),
    'definitions/users.yaml': USERS,
    'definitions/bills.yaml': `service: Bills.v1
public: true
operations:
  BILL_POST: { post: bills, request: BILL, response: { fields: { FOUND: { type: string, example: none } } }, handler: bill }
---
document: BILL
fields: { AMOUNT: decimal(9.2), DUE: datetime, PARTS: list of decimal(9.2), PAYER: { fields: { LIMIT: decimal(9.2) } } }
`,
    'mocks/bills.yaml': `mock: BILL_POST
answers:
  - { when: { AMOUNT: 12.5 }, reply: { FOUND: amount } }
  - { when: { AMOUNT: [7, 8] }, reply: { FOUND: one of the amounts } }
  - { when: { DUE: 2026-03-01T12:00:00+02:00 }, reply: { FOUND: due } }
  - { when: { PARTS: [1.5, 2] }, reply: { FOUND: parts } }
  - { when: { PAYER: { LIMIT: 3 } }, reply: { FOUND: payer } }
`,
  });
  const mock = start(['mock', '--port', '0', '--json'], { cwd });
  const [, address = ''] = await mock.until(/"address":"(http:[^"]*)"/);
  const found = async (bill: string): Promise<unknown> => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: bill };
    const reply = await fetch(`${address}/gateway/RESTListeningConnector/Bills.v1/bills`, init);
    return ((await reply.json()) as { FOUND: unknown }).FOUND;
  };
  expect(await found('{"AMOUNT":12.50}')).toBe('amount');
  expect(await found('{"AMOUNT":8.00}')).toBe('one of the amounts');
  expect(await found('{"DUE":"2026-03-01T10:00:00Z"}')).toBe('due');
  expect(await found('{"PARTS":[1.50,2.0]}')).toBe('parts');
  expect(await found('{"PARTS":[1.50]}')).toBe('none');
  expect(await found('{"PAYER":{"LIMIT":3.00}}')).toBe('payer');
  expect(await found('{"AMOUNT":12.51}')).toBe('none');
});

test('a mock and a partner may be slower than the limits of the gateway', async () => {
  const cwd = await project({
    'definitions/gateway.yaml': gatewayText('limits: { timeout: 200 ms }'),
    'definitions/users.yaml': USERS,
    'definitions/parts.yaml': PARTS,
  });
  const url = await mockParts(cwd, '--delay', 'PARTS_FIND=300 ms', '--delay', 'PARTS_GET=300 ms');
  expect((await fetch(`${url}/found`)).status).toBe(200);
  expect((await fetch(`${url}/parts`)).status).toBe(200);
  expect((await fetch(`${url}/listed`, { headers: { Prefer: 'wait=0.3' } })).status).toBe(200);
  const partner = start(['mock', '--node', 'STORE', '--port', '0', '--delay', '300 ms'], { cwd });
  const [, store] = await partner.until(/SIGNALBOX_NODE_STORE=(http:\S+)/);
  expect((await fetch(`${store}/stock`)).status).toBe(200);
});
