import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signalbox } from '../cli/support.ts';
import { Target } from '../message/project.ts';
import { eventually } from '../support/project.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';
import { java } from './java/generators.ts';
import { hasMaven, needsMaven } from './java/maven.ts';
import { connectorOf, demoSession, nodeSoap, php, runSessions, zeep } from './soap-support.ts';
import { has, run, type Served, serve } from './support.ts';

const NOTES = `queue: NOTES
order: [FROM]
---
service: Notes.v1
permission: LOCATIONS
operations:
  NOTE_PUBLISH:
    post: notes
    soap: true
    request: { fields: { FROM: { type: string(40), required: true }, TEXT: text } }
    queue: NOTES
---
node: NOTED
base: \${env:NOTED_URL}
---
service: Noted.v1
target: NOTED
permission: LOCATIONS
operations:
  NOTED_POST: { post: noted, request: { fields: { FROM: string(40), TEXT: text } } }
---
subscription: NOTED
operation: NOTE_PUBLISH
call: NOTED_POST
`;
const TEXT = 'Grüße, 日本 & <b>fett</b>';

/** Clients of other makers publish, and the subscriber gets each message once. */
describe('a message is published', () => {
  let project: SampleCopy;
  let subscriber: Target;
  let gateway: Served;
  beforeAll(async () => {
    subscriber = await Target.start();
    project = copySample({ 'definitions/notes.yaml': NOTES });
    const { code, stderr } = await signalbox(['generate'], { cwd: project.root });
    if (code !== 0) throw new Error(stderr);
    gateway = await serve(project.root, environment());
  });
  afterAll(async () => {
    await gateway?.stop();
    project?.remove();
    await subscriber?.stop();
  });

  const environment = () => ({
    DATABASE_URL: `sqlite:${join(project.root, 'notes.db')}`,
    NOTED_URL: subscriber.url,
  });

  /** The texts that arrived from a client, once there are any. */
  const arrived = (from: string): Promise<unknown[]> =>
    eventually(`the message of ${from}`, async () => {
      const own = subscriber.taken.filter(({ body }) => body.FROM === from).map(({ body }) => body.TEXT);
      return own.length > 0 ? own : undefined;
    });

  describe.each([zeep, php, nodeSoap])('by $name (needs $needs)', (client) => {
    test.skipIf(!client.isHere).each(['1.1', '1.2'] as const)(
      'one-way, from the WSDL, over SOAP %s',
      async (version) => {
        const FROM = `${client.name} ${version}`;
        const call = { operation: 'NOTE_PUBLISH', argument: { FROM, TEXT } };
        const session = demoSession(gateway, 'Notes.v1', version, { publish: call });
        const { publish } = (await runSessions(client, { session })).session.answers;
        expect(publish).toEqual({ reply: null });
        expect(await arrived(FROM)).toEqual([TEXT]);
      },
    );
  });

  // PHP does not wait for the reply to a message that is one-way.
  test.skipIf(!zeep.isHere).each([zeep, nodeSoap])(
    'by $name not, and with a fault, where it does not fit',
    async (client) => {
      const call = { operation: 'NOTE_PUBLISH', argument: { FROM: 'x'.repeat(41), TEXT } };
      const session = demoSession(gateway, 'Notes.v1', '1.2', { publish: call });
      const { publish } = (await runSessions(client, { session })).session.answers;
      expect(publish?.fault?.reason).toContain('FROM');
    },
  );

  describe.skipIf(!has('curl'))('by curl (needs curl)', () => {
    const curl = async (path: string, body: object): Promise<string[]> => {
      const given = [
        '-sS',
        '-m',
        '20',
        '-u',
        'demo:demo',
        '-H',
        'Content-Type: application/json',
        '-w',
        '\n%{http_code}',
      ];
      const url = `${gateway.address}/gateway/${path}`;
      return (await run('curl', [...given, '-d', JSON.stringify(body), url])).stdout.split('\n');
    };
    const shown = async (id: string): Promise<object> => {
      const options = { cwd: project.root, env: environment() };
      const { stdout, stderr } = await signalbox(['message', 'show', id, '--json'], options);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    };

    test('over REST, where 202 has its id', async () => {
      const [body = '', status] = await curl('RESTListeningConnector/Notes.v1/notes', { FROM: 'curl', TEXT });
      expect(status).toBe('202');
      expect(await arrived('curl')).toEqual([TEXT]);
      expect(JSON.stringify(await shown(JSON.parse(body).message))).toContain('NOTE_PUBLISH');
    });

    test('at the HTTP connector with OperationType=Async, whose TransactionID is its id', async () => {
      const query = 'Operation=NOTE_PUBLISH.v1&OperationType=Async';
      const reply = await curl(`HttpListeningConnector?${query}`, { FROM: 'async', TEXT });
      expect(reply.at(-1)).toBe('200');
      expect(await arrived('async')).toEqual([TEXT]);
      const id = /<TransactionID>([^<]+)</i.exec(reply.join('\n'))?.[1] ?? '';
      expect(JSON.stringify(await shown(id))).toContain('NOTE_PUBLISH');
    });
  });

  test.skipIf(!hasMaven)(
    `by CXF, one-way, from the WSDL (${needsMaven})`,
    async () => {
      const reply = await fetch(`${connectorOf(gateway)}/Notes.v1?wsdl`, {
        headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
      });
      const wsdl = join(project.root, 'notes.wsdl');
      writeFileSync(wsdl, await reply.text());
      const printed = await java('WSS4J', 'Published.java', { args: [wsdl, 'demo', 'demo', 'CXF', TEXT] });
      expect(printed.trim()).toBe('202');
      expect(await arrived('CXF')).toEqual([TEXT]);
    },
    240_000,
  );
});
