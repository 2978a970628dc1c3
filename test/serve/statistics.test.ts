import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, readStatistics } from '../../src/store/index.ts';
import { ENGINES, Target } from '../message/project.ts';
import { GUEST, startTestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres.ts';
import { writeProject } from '../support/project.ts';
import { envelope, post } from './soap-client.ts';

const FILES = {
  'definitions/notes.yaml': `document: NOTE
fields: { ID: { type: integer, required: true }, TEXT: text }
---
service: Notes.v1
permission: EVERYTHING
operations:
  NOTE_PUT: { put: "notes/{ID}", request: NOTE, response: NOTE, soap: true, handler: echo }
  NOTE_OUT: { put: "out/{ID}", request: NOTE, response: json, handler: out }
  NOTE_IDLE: { put: "idle/{ID}", request: NOTE, response: NOTE, handler: echo }
---
{ node: ERP, base: "\${env:ERP_URL}", circuit: { failures: 0 } }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_PUT: { post: "erp/{ID}", request: NOTE, response: json, retry: { attempts: 1 } }
`,
  'src/handlers/echo.ts': `import { Fault } from 'signalbox';
export default {
  onRequest(note) {
    if (note.ID === 409) throw Fault.of('CONFLICT', { what: 'The note', reason: 'is there already' });
    if (note.ID === 500) throw new Error('broken');
    return note;
  },
};
`,
  'src/handlers/out.ts': `export default {
  onRequest: async ({ ID }, context) => (await context.call('ERP_PUT', { ID })).value.content,
};
`,
};

const REST = '/gateway/RESTListeningConnector/Notes.v1';

for (const kind of ENGINES)
  describe(`statistics of calls on ${kind}`, () => {
    async function start() {
      const since = Date.now();
      const project = writeProject(FILES);
      onTestFinished(project.remove);
      const database = kind === 'postgres' ? await createDatabase({ migrated: true }) : undefined;
      onTestFinished(async () => database?.drop());
      const url = database?.url ?? `sqlite:${project.root}/test.db`;
      const erp = await Target.start();
      onTestFinished(() => erp.stop());
      const open = async () => {
        const gateway = await startTestGateway({
          root: project.root,
          env: { DATABASE_URL: url, ERP_URL: erp.url },
        });
        onTestFinished(gateway.stop);
        return gateway;
      };
      const box = await open();
      const store = await openStore({ url, root: project.root });
      onTestFinished(() => store.close());
      const reader = readStatistics(store);
      const put = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
        const given = {
          method: 'PUT',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"TEXT":"x"}',
        };
        return (await box.call(`${REST}/${path}`, given)).status;
      };
      const counted = async () => {
        const { operations } = await reader.byOperation({ since, until: Date.now() + 60_000 });
        return operations.map(({ kind, operation, calls, failures, refusals }) =>
          [kind, operation, calls, failures, refusals].join(' '),
        );
      };
      return { ...box, box, erp, open, since, reader, put, counted };
    }

    it('have the calls of operations that were served, with refusals apart from failures, and no other request', async () => {
      const { gateway, call, put, counted, reader, since } = await start();
      for (const path of ['notes/1', 'notes/2']) expect(await put(path)).toBe(200);
      expect(await put('notes/409')).toBe(409);
      expect(await put('notes/500')).toBe(500);
      expect(await put('notes/3', { authorization: GUEST })).toBe(403);
      expect(await put('notes/x')).toBe(400);
      expect(await put('nothing/1')).toBe(404);
      expect((await call('/health/live')).status).toBe(200);
      await gateway.background.hurry();
      expect(await counted()).toEqual(['served NOTE_PUT 6 1 3']);
      const series = await reader.series({ since, until: Date.now(), step: 3_600_000, kind: 'served' });
      expect(series.reduce((sum, { calls }) => sum + calls, 0)).toBe(6);
      const { p50 = 0, p99 = 0 } = series.at(-1) ?? {};
      expect(p50).toBeGreaterThan(0);
      expect(p99).toBeLessThan(60_000);
    });

    it('count a fault over SOAP 1.1 as the same over REST, whatever its status', async () => {
      const { gateway, box, counted } = await start();
      const soap = async (id: number): Promise<number> => {
        const fields = `<ID>${id}</ID>`;
        return (await post(box, envelope(`<NOTE_PUT xmlns="urn:test:Notes.v1">${fields}</NOTE_PUT>`))).status;
      };
      expect([await soap(1), await soap(409), await soap(500)]).toEqual([200, 500, 500]);
      await gateway.background.hurry();
      expect(await counted()).toEqual(['served NOTE_PUT 3 1 1']);
    });

    it('have the calls to other systems', async () => {
      const { gateway, erp, put, counted } = await start();
      erp.status = ({ path }) => Number(path.split('/').at(-1));
      for (const status of [200, 404, 503]) await put(`out/${status}`);
      await gateway.background.hurry();
      expect(await counted()).toEqual(['called ERP_PUT 3 1 1', 'served NOTE_OUT 3 2 0']);
    });

    it('are whole after a stop and a start within the minute', async () => {
      const { gateway, open, put, counted } = await start();
      expect(await put('notes/1')).toBe(200);
      await gateway.close({ timeoutMs: 1000 });
      expect(await counted()).toEqual(['served NOTE_PUT 1 0 0']);
      const again = await open();
      const given = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"TEXT":"x"}' };
      for (let each = 0; each < 2; each += 1) await again.call(`${REST}/notes/1`, given);
      await again.gateway.close({ timeoutMs: 1000 });
      expect(await counted()).toEqual(['served NOTE_PUT 3 0 0']);
    });
  });
