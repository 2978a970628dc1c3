import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { CallRecords, type EndedCall, MOST_WAITING } from '../../src/messaging/run/record.ts';
import { showRecorded } from '../../src/messaging/run/recorded.ts';
import { readMessages } from '../../src/messaging/run/show.ts';
import { withMessages } from '../../src/serve/start/queues.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { load } from '../load/linked.ts';
import { describeEngines } from '../store/engines.ts';
import { GUEST } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { startOperated } from './operated.ts';
import { ENGINES } from './project.ts';

const DEFINITIONS = `document: NOTE
fields:
  ID: { type: integer, required: true }
  TEXT: text
  PIN: { type: string, sensitive: true }
---
service: Notes.v1
permission: EVERYTHING
operations:
  NOTE_PUT: { put: "notes/{ID}", request: NOTE, response: NOTE, soap: true, handler: echo }
  NOTE_QUIET: { put: "quiet/{ID}", request: NOTE, response: NOTE, handler: echo }
  NOTE_HEAD: { put: "head/{ID}", request: NOTE, response: NOTE, handler: echo }
  NOTE_FULL: { put: "full/{ID}", request: NOTE, response: NOTE, handler: echo }
  NOTE_SENT: { post: sent, request: NOTE, queue: NOTES }
  NOTE_OUT: { put: "out/{ID}", request: NOTE, response: json, handler: out }
---
{ routing: QUIET, operation: NOTE_QUIET, log: none }
---
{ routing: HEAD, operation: NOTE_HEAD, log: header }
---
{ routing: FULL, operation: NOTE_FULL, log: full }
---
{ routing: SENT, operation: NOTE_SENT, log: full }
---
{ queue: NOTES }
---
{ node: ERP, base: "\${env:ERP_URL}", credential: { api-key: { header: X-Key, value: "\${env:ERP_URL}" } }, circuit: { failures: 0 } }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_PUT: { post: "erp/{ID}", request: NOTE, response: json, retry: { attempts: 1 } }
  ERP_FULL: { post: "full/{ID}", request: NOTE, response: json, retry: { attempts: 1 } }
---
{ routing: ERP_LOGGED, operation: ERP_FULL, log: full }
---
{ subscription: TO_ERP, operation: NOTE_SENT, call: ERP_PUT, retry: { attempts: 1 } }
---
{ subscription: TO_ERP_FULL, operation: NOTE_SENT, call: ERP_FULL, retry: { attempts: 1 } }
`;

const FILES = {
  'definitions/notes.yaml': DEFINITIONS,
  'definitions/data/tables.sql': 'create table place (place varchar(10) primary key);',
  'src/handlers/echo.ts': `import { Fault } from 'signalbox';
export default {
  onRequest(note) {
    if (note.TEXT === 'conflict') throw Fault.of('CONFLICT', { what: 'The note', reason: 'is there already, says ' + note.PIN });
    return note;
  },
};
`,
  'src/handlers/out.ts': `export default {
  async onRequest({ ID, TEXT, PIN }, context) {
    const { value } = await context.call(TEXT === 'full' ? 'ERP_FULL' : 'ERP_PUT', { ID, TEXT, PIN });
    return value.content;
  },
};
`,
};

const REST = '/gateway/RESTListeningConnector/Notes.v1';

for (const kind of ENGINES)
  describe(`a call on ${kind}`, () => {
    async function start() {
      const box = await startOperated(kind, FILES);
      const store = await openStore({ url: box.database, root: box.folder });
      onTestFinished(() => store.close());
      const reader = readMessages({
        registry: box.gateway.registry,
        tables: () => store.tables(),
        blobs: undefined,
        redactor: createRedactor(),
      });
      const put = async (
        path: string,
        note: object,
        headers: Readonly<Record<string, string>> = {},
      ): Promise<number> => {
        const call = { method: 'PUT', headers: { 'content-type': 'application/json', ...headers } };
        return (await box.call(`${REST}/${path}`, { ...call, body: JSON.stringify(note) })).status;
      };
      const calls = async (count: number) =>
        eventually(`${count} records`, async () => {
          const { messages } = await reader.list({ kind: 'call' }, { limit: 100 });
          return messages.length >= count ? messages : undefined;
        });
      return { ...box, store, reader, put, calls };
    }

    it('is recorded as its routing says: none, failures, headers, or headers and payload', async () => {
      const { put, calls, reader } = await start();
      const note = { TEXT: 'hello', PIN: 'c4n4ry' };
      for (const path of ['notes/1', 'quiet/1', 'head/1', 'full/1'])
        expect(await put(path, note, { 'x-request-id': path.replace('/', '-') })).toBe(200);
      for (const path of ['notes/2', 'quiet/2']) expect(await put(path, { TEXT: 'conflict', PIN: 'c4n4ry' })).toBe(409);
      // Refused before the call was permitted: only where all calls are recorded.
      for (const path of ['notes/3', 'head/3']) expect(await put(path, note, { authorization: GUEST })).toBe(403);
      expect(await put('notes/x', note)).toBe(400);
      const found = await calls(5);
      const replied = async (reply: 'failed' | 'refused') =>
        (await reader.list({ kind: 'call', reply }, { limit: 100 })).messages.map(({ id }) => id);
      expect(await replied('refused')).toEqual(found.filter(({ code = 0 }) => code >= 400).map(({ id }) => id));
      expect(await replied('failed')).toEqual([]);
      expect(
        found.map(({ operation, status, code, requestId }) => [
          operation,
          status,
          code,
          requestId.length === 36 ? '' : requestId,
        ]),
      ).toEqual([
        ['NOTE_PUT', 'Error', 400, ''],
        ['NOTE_HEAD', 'Error', 403, ''],
        ['NOTE_PUT', 'Error', 409, ''],
        ['NOTE_FULL', 'Done', 200, 'full-1'],
        ['NOTE_HEAD', 'Done', 200, 'head-1'],
      ]);
      const [, , failed, full, head] = found;
      expect(head).toEqual({
        ...{ id: expect.any(String), operation: 'NOTE_HEAD', status: 'Done', user: 'demo', connector: 'rest' },
        ...{ entered: expect.any(String), ended: expect.any(String), requestId: 'head-1' },
        ...{ trace: expect.stringMatching(/^[0-9a-f]{32}$/), size: expect.any(Number), code: 200, deliveries: {} },
      });
      expect(failed?.reason).toBe('CONFLICT: The note is there already, says ***.');
      const { parts } = await reader.payload(head?.id ?? '');
      expect(parts).toEqual({
        call: {
          ...{ method: 'PUT', path: `${REST}/head/1`, remote: '127.0.0.1', scheme: 'basic', ms: expect.any(Number) },
          ...{ bytesIn: expect.any(Number), bytes: expect.any(Number), complete: true },
          headers: expect.objectContaining({ authorization: '***', 'content-type': 'application/json' }),
        },
      });
      expect((await reader.payload(full?.id ?? '')).parts).toMatchObject({
        call: { method: 'PUT' },
        request: { ID: 1, TEXT: 'hello', PIN: '***' },
        reply: { ID: 1, TEXT: 'hello', PIN: '***' },
      });
      expect((await reader.payload(failed?.id ?? '')).parts).toMatchObject({ call: { path: `${REST}/notes/2` } });
    });

    it('that publishes is its message, and a record only when it fails', async () => {
      const { call, reader, calls } = await start();
      const post = (body: string) => call(`${REST}/sent`, { method: 'POST', body });
      expect((await post('{"ID":1,"TEXT":"x"}')).status).toBe(202);
      expect((await post('{"ID":"one"}')).status).toBe(400);
      const refused = (await calls(1)).filter(({ operation }) => operation === 'NOTE_SENT');
      expect(refused).toMatchObject([{ status: 'Error', code: 400 }]);
      const { messages } = await reader.list({ kind: 'message' }, { limit: 100 });
      expect(messages).toMatchObject([{ operation: 'NOTE_SENT', queue: 'NOTES' }]);
      expect((await reader.payload(messages[0]?.id ?? '')).parts).toMatchObject({
        request: { ID: 1, TEXT: 'x' },
        'sent.TO_ERP': { ID: 1, TEXT: 'x' },
      });
    });

    it('over SOAP and at the HTTP connector says so', async () => {
      const { call, calls, gateway } = await start();
      const namespace = `${gateway.registry.gateway.namespace}:Notes.v1`;
      const note = `<NOTE_PUT xmlns="${namespace}"><ID>1</ID><TEXT>conflict</TEXT></NOTE_PUT>`;
      const envelope = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${note}</s:Body></s:Envelope>`;
      const headers = { 'content-type': 'text/xml' };
      await call('/gateway/PeopleSoftServiceListeningConnector', { method: 'POST', headers, body: envelope });
      await call('/gateway/HttpListeningConnector?Operation=NOTE_PUT', { method: 'POST', headers, body: note });
      const found = await calls(2);
      expect(new Set(found.map(({ connector, code }) => `${connector} ${code}`))).toEqual(
        new Set(['soap 500', 'http 409']),
      );
    });

    it('of another system is recorded as its routing says, with what was sent and what came back', async () => {
      const { put, calls, reader, erp } = await start();
      expect(await put('out/1', { TEXT: 'full', PIN: 'c4n4ry' })).toBe(200);
      expect(await put('out/2', { TEXT: 'plain', PIN: 'c4n4ry' })).toBe(200);
      erp.status = () => 503;
      expect(await put('out/3', { TEXT: 'plain', PIN: 'c4n4ry' })).toBe(502);
      const found = (await calls(3)).filter(({ connector }) => connector === 'call');
      expect(found.map(({ operation, node, status, code }) => [operation, node, status, code])).toEqual([
        ['ERP_PUT', 'ERP', 'Error', 503],
        ['ERP_FULL', 'ERP', 'Done', 200],
      ]);
      const [failed, full] = found;
      expect(failed?.reason).toContain('503');
      const ofNode = await reader.list({ node: 'ERP', status: 'Error' }, { limit: 10 });
      expect(ofNode.messages.map(({ id }) => id)).toEqual([failed?.id]);
      const { parts } = await reader.payload(full?.id ?? '');
      expect(parts).toMatchObject({
        call: { method: 'POST', url: `${erp.url}/full/1`, attempts: 1, headers: { 'X-Key': '***' } },
        request: '{"TEXT":"full","PIN":"***"}',
        reply: { content: {} },
      });
      const first = (await calls(3)).find(({ operation }) => operation === 'NOTE_OUT');
      expect(first).toMatchObject({ status: 'Error', code: 502, trace: failed?.trace });
    });

    it('of a delivery is recorded where its routing asks for it, and names the message', async () => {
      const { publish, calls, reader, erp, deliveries } = await start();
      erp.status = () => 422;
      const id = await publish('Notes.v1/sent', { ID: 7, PIN: 'c4n4ry' });
      await deliveries('TO_ERP', 'Error');
      await deliveries('TO_ERP_FULL', 'Error');
      const [record, ...others] = await calls(1);
      expect(others).toEqual([]);
      expect(record).toMatchObject({ operation: 'ERP_FULL', causedBy: id, status: 'Error', code: 422 });
      expect((await reader.get(id)).caused).toEqual([record?.id]);
    });

    it('can not be sent again, and says so', async () => {
      const { put, calls, gateway, store } = await start();
      await put('head/1', {});
      const [record] = await calls(1);
      const { id } = record ?? expect.fail();
      await withMessages(gateway.registry, { store, env: {} }, async (messages) => {
        for (const action of ['resubmit', 'cancel'] as const)
          expect(await messages.act(action, id, 'ada')).toEqual({
            done: [],
            refused: [
              {
                message: id,
                reason: 'is the record of a call, which has no deliveries; only its caller can repeat it',
              },
            ],
          });
        expect(await messages.count('resubmit', { kind: 'call' }, 10)).toBe(0);
      });
    });

    it('is removed when its time is over', async () => {
      const { put, calls, rows, gateway } = await start();
      await put('full/1', { TEXT: 'x' });
      await calls(1);
      await rows('update signalbox_message set expires = 1');
      await gateway.background.hurry();
      expect(await rows('select id from signalbox_message')).toEqual([]);
      expect(await rows('select part from signalbox_message_content')).toEqual([]);
    });
  });

const ended = (more: Partial<EndedCall> = {}): EndedCall => ({
  ...{ operation: 'NOTE_PUT', connector: 'rest', status: 'Done', began: 1_767_225_600_000, ended: 1_767_225_600_040 },
  ...{ requestId: 'r', trace: undefined, parts: () => ({ call: { path: '/' } }) },
  ...more,
});

it('what has become sensitive since then is masked when a record is shown, and all of it without its operation', () => {
  const text = '{"ID":1,"TEXT":"c4n4ry","PIN":"***"}';
  const show = (definitions: string, part: string, kept = text) =>
    JSON.stringify(showRecorded(load(definitions), 'ERP_PUT', part, kept, createRedactor()));
  const own = DEFINITIONS.replaceAll('EVERYTHING', 'NOTES_ALL').concat('---\npermission-list: NOTES_ALL\n');
  expect(show(own, 'request')).toBe(text);
  const stricter = own.replace('TEXT: text', 'TEXT: { type: text, sensitive: true }');
  expect(show(stricter, 'request')).toBe('{"ID":1,"TEXT":"***","PIN":"***"}');
  // As a text that was sent to another system.
  expect(show(stricter, 'request', JSON.stringify(text))).not.toContain('c4n4ry');
  expect(show('node: ERP\nbase: https://example.org\n', 'request')).toBe('{"ID":"***","TEXT":"***","PIN":"***"}');
});

describeEngines('records', ({ kind, place }) => {
  it('are written in batches beside the calls, and those that wait when the gateway stops', async () => {
    const store = await (await place()).migrated();
    const failures: Error[] = [];
    const records = new CallRecords({ store, keep: 'forever', onError: (error) => failures.push(error) });
    const nasty = 'a\0b\ud800c "\' \\ \u2028';
    for (let count = 0; count < 250; count++)
      records.add(() => ended({ reason: nasty, user: { id: nasty, origin: 'token' } }));
    expect(records.recorded).toBe(0);
    await records.close();
    expect(failures).toEqual([]);
    expect([records.recorded, records.dropped]).toEqual([250, 0]);
    records.add(ended);
    expect(records.dropped).toBe(1);
    const db = await store.tables();
    const rows = await db.selectFrom('signalbox_message').selectAll().execute();
    expect(rows).toHaveLength(250);
    expect(rows[0]).toMatchObject({
      operation: 'NOTE_PUT',
      reason: 'ab\ufffdc "\' \\ \u2028',
      expires: null,
      queue: null,
    });
    expect(new Set(rows.map(({ entered }) => Number(entered)))).toEqual(new Set([1_767_225_600_000]));
    expect(kind).toBe(store.kind);
  });

  it('that the database does not take are counted, and reported once', async () => {
    const store = await (await place()).migrated();
    const failures: Error[] = [];
    const away: Store['transaction'] = () => Promise.reject(new Error('away'));
    const records = new CallRecords({
      store: { kind, transaction: away },
      keep: 1000,
      onError: (error) => failures.push(error),
    });
    for (let count = 0; count < 300; count++) records.add(ended);
    await records.close();
    expect([records.recorded, records.dropped]).toEqual([0, 300]);
    expect(failures.map(({ message }) => message)).toEqual(['away']);
    expect(store.kind).toBe(kind);
  });

  it('that can not be made are counted, and do not fail the call', async () => {
    const failures: Error[] = [];
    const transaction: Store['transaction'] = async () => undefined as never;
    const records = new CallRecords({
      store: { kind, transaction },
      keep: 1,
      onError: (error) => failures.push(error),
    });
    records.add(() => {
      throw new Error('odd');
    });
    await records.close();
    expect([records.recorded, records.dropped, failures.map(({ message }) => message)]).toEqual([0, 1, ['odd']]);
  });

  it('beyond those that may wait are dropped and counted, and never rendered', async () => {
    let rendered = 0;
    const parts = () => {
      rendered += 1;
      return {};
    };
    const transaction: Store['transaction'] = async () => undefined as never;
    const records = new CallRecords({ store: { kind, transaction }, keep: 1000, onError: () => {} });
    for (let count = 0; count < MOST_WAITING + 10; count++) records.add(() => ended({ parts }));
    expect(records.dropped).toBe(10);
    await records.close();
    expect([records.recorded, rendered]).toEqual([MOST_WAITING, MOST_WAITING]);
  });
});
