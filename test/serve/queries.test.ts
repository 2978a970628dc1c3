import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

const MANY = 60_000;
const CAP = 5;
const IDLE = 4000;

const SERIES = 'with recursive c(n) as (select 1 union all select n + 1 from c where n < :N) select';

const DEFINITIONS = `document: SAID
fields: { MESSAGE: { type: text, default: "{fault.message}" } }
---
service: Rows.v1
permission: EVERYTHING
fault: SAID
operations:
  PEOPLE: { get: "people/{DEPT}{?maxrows,OLDEST}", query: PEOPLE }
  WRAPPED: { get: "wrapped/{DEPT}", query: PEOPLE, wrapper: psnonxml }
  BOTH:
    get: "both/{DEPT}{?maxrows}"
    request: { fields: { DEPT: string(10), maxrows: integer } }
    response: { fields: { PEOPLE: list of PERSON, OTHERS: list of PERSON, NOTE: { type: string, absent: blank } } }
    query: { PEOPLE: PEOPLE, OTHERS: OTHERS }
  CAPPED: { get: "capped/{N}{?maxrows}", query: CAPPED }
  IN_WRAPPER: { get: "in-wrapper/{N}", query: CAPPED, wrapper: psnonxml }
  IN_DOCUMENT:
    get: "in-document/{N}"
    request: { fields: { N: integer } }
    response: { fields: { LIST: { list: { fields: { N: integer } } } } }
    query: { LIST: CAPPED }
  BY_CODE:
    get: "by-code/{N}"
    request: { fields: { N: integer } }
    response: { fields: { LIST: { list: { fields: { N: integer } } } } }
  MANY: { get: "many/{N}", query: MANY }
  SLOW: { get: slow, query: SLOW }
  ENDLESS: { get: endless, query: ENDLESS }
  UNGRANTED: { get: ungranted, query: UNGRANTED }
---
document: PERSON
fields: { NAME: string, AGE: integer }
---
query: PEOPLE
permission: EVERYTHING
prompts:
  DEPT: { type: string(6), required: true }
  OLDEST: { type: integer, default: 200 }
columns: { NAME: string, AGE: integer, PAY: decimal(30.10), BIG: integer, SINCE: { type: date, json: "since when", xml: Since } }
sql: select name, age, pay, big, since from people where dept = :DEPT and age <= :OLDEST order by name
---
query: OTHERS
permission: EVERYTHING
prompts: { DEPT: string }
columns: { NAME: string, AGE: integer }
sql: select name, age from people where dept <> :DEPT order by name
---
query: CAPPED
permission: EVERYTHING
rows: ${CAP}
prompts: { N: { type: integer, required: true } }
columns: { N: integer }
sql: ${SERIES} n from c
---
query: MANY
permission: EVERYTHING
rows: 1000000
timeout: 20 s
prompts: { N: { type: integer, required: true } }
columns: { N: integer, TEXT: string }
sql: ${SERIES} n, printf('%0200d', n) as text from c
---
query: SLOW
permission: EVERYTHING
timeout: 600 ms
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) as n from c
---
query: ENDLESS
permission: EVERYTHING
timeout: 30 s
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) as n from c
---
permission-list: NOBODY
---
query: UNGRANTED
permission: NOBODY
columns: { N: integer }
sql: select 1 as n
`;

const SQL = `create table people (name text, dept text, age integer, pay numeric, big integer, since text);
insert into people values
  ('Ada <&>', 'SALES', 36, 12345678901234.5, 9007199254740993, '2020-02-29'),
  ('Bo', 'SALES', 90, null, null, null),
  ('Cy', 'IT', 20, 0.10, -1, '2021-01-01');
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('sample-data: sample/*.sql'),
      'definitions/rows.yaml': DEFINITIONS,
      'definitions/sample/people.sql': SQL,
      'src/handlers/by-code.ts':
        "export default { onRequest: async ({ N }, context) => ({ LIST: await context.query('CAPPED', { N }) }) };",
    },
    idleTimeout: IDLE,
    readers: 2,
  });
});
afterAll(() => gateway.stop());

const BASE = '/gateway/RESTListeningConnector/Rows.v1/';
const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  gateway.call(BASE + path, { headers });

describe('query: NAME', () => {
  const ADA = '{"NAME":"Ada <&>","AGE":36,"PAY":12345678901234.5,"BIG":9007199254740993,"since when":"2020-02-29"}';

  it('answers JSON with every digit, NULL left out', async () => {
    const reply = await get('people/SALES');
    expect(reply.text).toBe(`{"rows":[${ADA},{"NAME":"Bo","AGE":90}]}`);
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
    expect(reply.headers['rows-truncated']).toBeUndefined();
  });

  it('answers XML of the same', async () => {
    const reply = await get('people/SALES', { accept: 'application/xml' });
    expect(reply.headers['content-type']).toBe('application/xml');
    expect(reply.text).toBe(
      '<PEOPLE_RESPONSE xmlns="urn:test:Rows.v1"><rows><row><NAME>Ada &lt;&amp;&gt;</NAME><AGE>36</AGE>' +
        '<PAY>12345678901234.5</PAY><BIG>9007199254740993</BIG><Since>2020-02-29</Since></row>' +
        '<row><NAME>Bo</NAME><AGE>90</AGE></row></rows></PEOPLE_RESPONSE>',
    );
  });

  it('answers the wrapped JSON of the same', async () => {
    const reply = await get('wrapped/SALES');
    expect(reply.text).toBe(`<data psnonxml='Yes'><![CDATA[{"rows":[${ADA},{"NAME":"Bo","AGE":90}]}]]></data>`);
    expect((await get('wrapped/SALES', { accept: 'application/json' })).text).toBe((await get('people/SALES')).text);
  });

  it('takes prompts, their defaults, and maxrows', async () => {
    expect(JSON.parse((await get('people/SALES?OLDEST=40')).text).rows).toHaveLength(1);
    expect(JSON.parse((await get('people/SALES?OLDEST=')).text).rows).toHaveLength(2);
    expect(JSON.parse((await get('people/SALES?maxrows=1')).text).rows).toHaveLength(1);
    expect(JSON.parse((await get('people/SALES?maxrows=0')).text).rows).toHaveLength(2);
    expect((await get('people/none')).text).toBe('{"rows":[]}');
    expect((await get('people/none', { accept: 'application/xml' })).text).toMatch(/<rows\s*(\/>|><\/rows>)/);
    expect((await get(`people/${encodeURIComponent("' or 1")}`)).text).toBe('{"rows":[]}');
  });

  it.each([
    ['people/TOOLONG', 'DEPT is longer than 6 characters.'],
    ['people/SALES?OLDEST=old', 'OLDEST is not an integer.'],
    ['people/SALES?maxrows=-1', 'maxrows is less than 0.'],
    ['people/SALES?maxrows=1.5', 'maxrows is not an integer.'],
  ])('%s is 400', async (path, MESSAGE) => {
    const reply = await get(path);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE });
  });

  it('needs a grant for the query, beside that for the operation', async () => {
    const reply = await get('ungranted');
    expect([reply.status, reply.text]).toEqual([403, '{"MESSAGE":"User demo may not use query UNGRANTED."}']);
    expect((await get('people/SALES', { authorization: GUEST })).status).toBe(403);
  });
});

describe('query: { FIELD: NAME }', () => {
  it('fills the lists of a document, whose fields pick the columns', async () => {
    expect((await get('both/SALES')).text).toBe(
      '{"PEOPLE":[{"NAME":"Ada <&>","AGE":36},{"NAME":"Bo","AGE":90}],"OTHERS":[{"NAME":"Cy","AGE":20}],"NOTE":""}',
    );
    expect((await get('both/none')).text).toMatch(/^{"PEOPLE":\[],"OTHERS":\[/);
    expect(JSON.parse((await get('both/SALES?maxrows=1')).text).PEOPLE).toHaveLength(1);
  });

  it('holds what the request gives against the prompts of each query', async () => {
    const reply = await get('both/TOOLONG');
    expect([reply.status, reply.text]).toEqual([400, '{"MESSAGE":"Prompt DEPT is longer than 6 characters."}']);
  });
});

describe('the row cap', () => {
  it.each([
    [`capped/${CAP}`, CAP, undefined],
    [`capped/${CAP + 1}`, CAP, 'true'],
    [`capped/${CAP + 1}?maxrows=0`, CAP, 'true'],
    [`capped/${CAP + 1}?maxrows=${CAP + 1}`, CAP, 'true'],
    [`capped/${CAP + 1}?maxrows=${CAP}`, CAP, undefined],
    [`capped/${CAP + 1}?maxrows=1`, 1, undefined],
  ])('%s: a result that it cut says so', async (path, rows, truncated) => {
    for (const accept of ['application/json', 'application/xml']) {
      const reply = await get(path, { accept });
      const found = accept === 'application/json' ? JSON.parse(reply.text).rows : reply.text.match(/<row>/g);
      expect(found).toHaveLength(rows);
      expect(reply.headers['rows-truncated']).toBe(truncated);
    }
  });
});

describe('the row cap of a query that code or a document reads', () => {
  it.each([
    [`in-document/${CAP}`, undefined],
    [`in-document/${CAP + 1}`, 'true'],
    [`in-wrapper/${CAP + 1}`, 'true'],
    [`by-code/${CAP + 1}`, 'true'],
    [`by-code/${CAP}`, undefined],
  ])('%s: a result that it cut says so', async (path, truncated) => {
    const reply = await get(path);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.text.match(/"N":/g)).toHaveLength(CAP);
    expect(reply.headers['rows-truncated']).toBe(truncated);
  });
});

describe('a large result', () => {
  const MiB = 1024 * 1024;
  const WHOLE = `{"rows":[${Array.from({ length: MANY }, (_, index) => `{"N":${index + 1},"TEXT":"${String(index + 1).padStart(200, '0')}"}`).join(',')}]}`;
  const LENGTH = Buffer.byteLength(WHOLE);

  /** Asks for it, and takes nothing but the head. */
  async function ask(path: string): Promise<{ socket: Socket; head: string; begun: Buffer }> {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`GET ${BASE}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nConnection: close\r\n\r\n`);
    await new Promise<void>((resolve) => socket.once('readable', () => resolve()));
    const first = socket.read() as Buffer;
    const end = first.indexOf('\r\n\r\n') + 4;
    return { socket, head: first.toString('latin1', 0, end), begun: first.subarray(end) };
  }

  it(`of ${MANY} rows arrives byte for byte, and stays out of memory while its caller takes its time`, async () => {
    const before = process.memoryUsage().arrayBuffers;
    const { socket, head, begun } = await ask(`many/${MANY}`);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head.toLowerCase()).toContain(`\r\ncontent-length: ${LENGTH}\r\n`);
    for (let round = 0; round < 5; round++) expect((await get('people/SALES')).status).toBe(200);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(LENGTH / 2);
    expect(LENGTH).toBeGreaterThan(12 * MiB);
    const bytes = Buffer.concat([begun, ...(await Array.fromAsync(socket as AsyncIterable<Buffer>))]);
    expect(bytes.length).toBe(LENGTH);
    expect(bytes.equals(Buffer.from(WHOLE))).toBe(true);
  });

  it('has its length for HEAD alone', async () => {
    const reply = await gateway.call(`${BASE}many/20000`, { method: 'HEAD' });
    const whole = await get('many/20000');
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers['content-length']).toBe(String(whole.text.length));
  });

  it('that nobody takes holds no reader, and is given up after a while', async () => {
    const asked = await Promise.all(Array.from({ length: 3 }, () => ask(`many/${MANY}`)));
    const cut = (): Record<string, unknown>[] =>
      gateway.log().filter(({ operation, complete }) => operation === 'MANY' && complete === false);
    await atRest();
    expect((await get('people/SALES')).status).toBe(200);
    const lines = await eventually('the end of the replies', () => (cut().length === asked.length ? cut() : undefined));
    expect(lines.every(({ ms }) => (ms as number) >= IDLE)).toBe(true);
    for (const { socket } of asked) socket.destroy();
    expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  });
});

interface Reader {
  readonly pid: string;
  /** One letter of proc_pid_stat(5); R is running. */
  readonly state: string;
}

/** The processes that run this gateway's queries. */
function readers(): Reader[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(gateway.folder)) return [];
      const [state = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').slice(-1);
      return state.startsWith('Z') ? [] : [{ pid, state: state.charAt(0) }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** Waits until the readers are there, and none of them works. */
async function atRest(): Promise<void> {
  await eventually('readers at rest', () => {
    const found = readers();
    return (found.length >= 2 && found.every(({ state }) => state === 'S')) || undefined;
  });
}

describe('a slow query', () => {
  /** Asks for what never ends, under an id; the request is sent when this returns. */
  async function endless(id: string): Promise<Socket> {
    const socket = connect(gateway.port, '127.0.0.1');
    await new Promise((resolve) => {
      const head = `GET ${BASE}endless HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nX-Request-Id: ${id}`;
      socket.write(`${head}\r\n\r\n`, resolve);
    });
    return socket;
  }

  const lineOf = (id: string): Promise<Record<string, unknown>> =>
    eventually('its line', () => gateway.log().find(({ requestId }) => requestId === id));

  /** Waits for so many readers that run on and on: a reader that starts computes for a while as well. */
  async function atWork(count: number): Promise<void> {
    const seen = new Map<string, number>();
    await eventually('readers at work', () => {
      for (const { pid, state } of readers()) seen.set(pid, state === 'R' ? (seen.get(pid) ?? 0) + 1 : 0);
      return [...seen.values()].filter((times) => times >= 20).length >= count || undefined;
    });
  }

  it('is ended when its time is up, with the fault document', async () => {
    for (const reply of await Promise.all([get('slow'), get('slow')])) {
      const said = '{"MESSAGE":"Query SLOW took longer than 600 ms and was stopped."}';
      expect([reply.status, reply.text]).toEqual([504, said]);
    }
    expect((await get('people/SALES')).status).toBe(200);
  });

  it('delays nobody', async () => {
    const sockets = [await endless('first'), await endless('second')];
    await atWork(2);
    // Behind one of the two it would wait for 30 seconds, longer than this test may take.
    expect((await get('people/SALES')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    for (const id of ['first', 'second']) await lineOf(id);
  });

  it('is ended when its caller goes away, and is no defect', async () => {
    const socket = await endless('left');
    await atWork(1);
    socket.destroy();
    expect(await lineOf('left')).toMatchObject({ level: 'info', status: 499, fault: 'ABANDONED' });
    // Left alone, it would compute for 30 seconds.
    await atRest();
    expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
