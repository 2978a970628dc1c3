import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Reply, startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';

const KEY = 'k-secret-4711';

const SETTINGS = `settings:
  CARRIER_URL: \${env:CARRIER_URL:-https://carrier.example.org}
  CARRIER_KEY: { value: "\${secret:CARRIER_KEY}", description: The key of our account. }
  HEAVIEST: { value: "\${env:HEAVIEST:-30}", type: decimal(6.2) }
  MOST: { value: "\${env:MOST:-20}", type: int, minimum: 1, maximum: 99 }
  STRICT: { value: "\${env:STRICT:-false}", type: boolean }
  LEVEL: { value: "\${env:LEVEL:-}", type: LEVEL }
  SINCE: { value: 2026-01-31, type: date }
`;

const DEFINITIONS = `type: LEVEL
base: string(4)
enum: [LOW, HIGH]
---
document: RECORD
fields: { ID: { type: integer, required: true }, NAME: string(20) }
---
component: RECORDS
table: record
shape: RECORD
keys: [ID]
events: [{ event: SavePostChange, service: AFTER }]
---
{ related-content: AFTER, class: after, public: true }
---
process: WORK
type: Application Engine
permission: EVERYTHING
---
queue: JOBS
---
subscription: TAKEN
operation: JOB_POST
handler: taken
---
service: Shop.v1
permission: EVERYTHING
operations:
  ALL_GET: { get: all, response: json, handler: all }
  KEY_GET: { get: "key/{HOW}", variables: { fields: { HOW: string } }, response: json, handler: key }
  RECORD_PUT: { put: "records/{ID}", save: RECORDS }
  WORK_POST: { post: work, request: json, response: none, handler: work-post }
  JOB_POST: { post: jobs, request: { fields: { ID: string } }, queue: JOBS }
`;

const LOGS =
  "context.log('info', 'settings here', { where, most: context.settings.MOST, key: context.settings.CARRIER_KEY });";

const FILES = {
  'definitions/gateway.yaml': gatewayText(`sample-data: data/*.sql\n${SETTINGS}`),
  'definitions/users.yaml': USERS,
  'definitions/shop.yaml': DEFINITIONS,
  'definitions/data/tables.sql': 'create table record (id integer primary key, name text);\n',
  'src/handlers/all.ts': `export default {
  onRequest: (_, { settings }) => {
    const { CARRIER_URL, HEAVIEST, MOST, STRICT, LEVEL, SINCE } = settings;
    return { CARRIER_URL, HEAVIEST, MOST, STRICT, ...(LEVEL === undefined ? {} : { LEVEL }), SINCE, copy: Object.keys({ ...settings }), known: 'CARRIER_KEY' in settings };
  },
};
`,
  'src/handlers/key.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ HOW }, context) {
    const { CARRIER_KEY } = context.settings;
    context.log('info', 'calls with ' + CARRIER_KEY, { CARRIER_KEY });
    if (HOW === 'throw') throw new Error('refused: ' + CARRIER_KEY);
    if (HOW === 'fault') throw Fault.custom('REFUSED', 409, 'Refused with ' + CARRIER_KEY, { detail: CARRIER_KEY });
    return { length: CARRIER_KEY.length };
  },
};
`,
  'src/handlers/work.ts': `export default { run: (_, context) => { const where = 'process'; ${LOGS} } };\n`,
  'src/handlers/work-post.ts': `export default { async onRequest(_, context) { await context.transaction((tx) => tx.schedule('WORK')); return {}; } };\n`,
  'src/handlers/taken.ts': `export default { onMessage: (_, context) => { const where = 'message'; ${LOGS} } };\n`,
  'src/handlers/after.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface { async execute(context) { const where = 'event'; ${LOGS} } }
`,
};

let test: TestGateway | undefined;
afterEach(async () => {
  await test?.stop();
  test = undefined;
});

const start = async (env: Record<string, string>, more: TestGatewayOptions = {}): Promise<TestGateway> => {
  test = await startTestGateway({ files: FILES, env, ...more });
  return test;
};
const get = (path: string): Promise<Reply> =>
  (test as TestGateway).call(`/gateway/RESTListeningConnector/Shop.v1/${path}`);

const send = (method: string, path: string, body: object): Promise<Reply> =>
  (test as TestGateway).call(`/gateway/RESTListeningConnector/Shop.v1/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('settings of a project', () => {
  it('have the types and defaults that are declared; an empty default is no value, and a copy has no secrets', async () => {
    await start({ CARRIER_KEY: KEY });
    expect(JSON.parse((await get('all')).text)).toEqual({
      ...{ CARRIER_URL: 'https://carrier.example.org', HEAVIEST: '30', MOST: 20, STRICT: false, SINCE: '2026-01-31' },
      ...{ copy: ['CARRIER_URL', 'HEAVIEST', 'MOST', 'STRICT', 'LEVEL', 'SINCE'], known: true },
    });
  });

  it('are those of the environment', async () => {
    await start({
      CARRIER_KEY: KEY,
      CARRIER_URL: 'http://other',
      HEAVIEST: '2.5',
      MOST: '7',
      STRICT: 'true',
      LEVEL: 'LOW',
    });
    expect(JSON.parse((await get('all')).text)).toMatchObject({
      ...{ CARRIER_URL: 'http://other', HEAVIEST: '2.5', MOST: 7, STRICT: true, LEVEL: 'LOW' },
    });
  });

  it('are there for processes, messages and classes of components, with secrets masked in what they log', async () => {
    const { log } = await start({ CARRIER_KEY: KEY });
    expect((await send('PUT', 'records/1', { ID: 1, NAME: 'a' })).status).toBe(201);
    expect((await send('POST', 'work', {})).status).toBe(204);
    expect((await send('POST', 'jobs', { ID: 'a' })).status).toBe(202);
    const heard = await eventually('all three', () => {
      const found = log().filter(({ msg }) => msg === 'settings here');
      return found.length === 3 ? found : undefined;
    });
    const expected = (where: string) => expect.objectContaining({ where, most: 20, key: '***' });
    expect(heard).toEqual(expect.arrayContaining([expected('process'), expected('message'), expected('event')]));
  });

  it('do not show a secret in the log, in a fault, or in an error of code', async () => {
    const { log } = await start({ CARRIER_KEY: KEY });
    expect(JSON.parse((await get('key/well')).text)).toEqual({ length: KEY.length });
    const replies = [await get('key/throw'), await get('key/fault')];
    expect(replies.map(({ status }) => status)).toEqual([500, 409]);
    expect(JSON.parse(replies[1]?.text ?? '')).toMatchObject({ detail: expect.stringContaining('Refused with ***') });
    const said = JSON.stringify(log());
    expect(said).toContain('calls with ***');
    expect(said).toContain('refused: ***');
    expect(said + replies.map(({ text }) => text).join()).not.toContain(KEY);
  });

  it('change with the file of a secret while the gateway runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-key-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'key');
    writeFileSync(file, 'short');
    const { log } = await start({ CARRIER_KEY_FILE: file });
    expect(JSON.parse((await get('key/well')).text)).toEqual({ length: 5 });
    writeFileSync(file, 'a longer key');
    await eventually('the new key', async () => {
      const { length } = JSON.parse((await get('key/well')).text) as { length: number };
      return length === 12 ? true : undefined;
    });
    expect(JSON.stringify(log())).not.toContain('a longer key');
  });

  it('refuse a start with values of other types, all at once and without the value of a secret', async () => {
    const env = { CARRIER_KEY: KEY, HEAVIEST: 'heavy', MOST: '0', STRICT: 'perhaps', LEVEL: 'NONE' };
    const error = await start(env).catch((thrown: Error) => thrown);
    expect((error as Error).message.split('\n')).toEqual([
      expect.stringMatching(/^the setting HEAVIEST \(\$\{env:HEAVIEST:-30\}\) /),
      expect.stringMatching(/^the setting MOST /),
      expect.stringMatching(/^the setting STRICT /),
      expect.stringMatching(/^the setting LEVEL /),
    ]);
  });
});

describe('configuration that is not set', () => {
  it('is a warning at the start, with names and places; code that asks for it fails with its name in the log', async () => {
    const { log } = await start({});
    const warned = log().filter(({ setting }) => setting !== undefined);
    expect(warned).toEqual([
      expect.objectContaining({
        level: 'warn',
        setting: 'CARRIER_KEY',
        msg: 'CARRIER_KEY is not set, and neither is CARRIER_KEY_FILE; needed by settings.CARRIER_KEY.value of the gateway LOCAL (definitions/gateway.yaml:7).',
      }),
    ]);
    expect((await get('all')).status).toBe(200);
    expect((await get('key/well')).status).toBe(500);
    expect(JSON.stringify(log())).toContain('the setting CARRIER_KEY has no value: CARRIER_KEY is not set');
  });
});
