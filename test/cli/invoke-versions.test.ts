import { beforeAll, expect, test } from 'vitest';
import { project, signalbox } from './support.ts';

const version = (service: string, more = '', flow = ''): string => `service: ${service}
public: true
target: PARTNER${more}
operations:
  NOTE_GET: { get: "${service}/notes", response: text }
  SAME_GET: { get: "${service}/same", response: text }
${flow}`;

let cwd: string;
beforeAll(async () => {
  cwd = await project({
    'definitions/all.yaml': [
      'gateway: LOCAL\nnamespace: urn:test\nlisten: 127.0.0.1:8080\ndatabase: sqlite:test.db\n',
      'node: PARTNER\nbase: https://partner.example.org\n',
      version('Partner.v1', '', 'flows:\n  old: [{ call: Partner.v1.NOTE_GET }]\n  any: [{ call: NOTE_GET }]\n'),
      version('Partner.v2', '\ndefault: true'),
      version('Other.v1').replace(/ +NOTE_GET.*\n/, ''),
      'service: Here.v1\npublic: true\noperations:\n  PING: { soap: true, response: text }\n',
      'service: Here.v2\npublic: true\noperations:\n  PING: { soap: true, response: text }\n',
    ].join('---\n'),
  });
});

const PARTNER = 'https://partner.example.org';

test.each([
  ['NOTE_GET', `GET ${PARTNER}/Partner.v2/notes`],
  ['Partner.v1.NOTE_GET', `GET ${PARTNER}/Partner.v1/notes`],
  ['Partner.v2.NOTE_GET', `GET ${PARTNER}/Partner.v2/notes`],
  ['Other.v1.SAME_GET', `GET ${PARTNER}/Other.v1/same`],
  ['Partner.v1.old', `GET ${PARTNER}/Partner.v1/notes`],
  ['Partner.v1.any', `GET ${PARTNER}/Partner.v2/notes`],
])('invoke %s calls that operation', async (name, line) => {
  const { code, stdout, stderr } = await signalbox(['invoke', name, '--dry-run', '--json'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [request] = JSON.parse(stdout) as { method: string; url: string }[];
  expect(`${request?.method} ${request?.url}`).toBe(line);
});

test.each([
  ['PING', 'PING.v1', 'urn:test:Here.v1'],
  ['Here.v2.PING', 'PING.v2', 'urn:test:Here.v2'],
])('invoke %s calls that operation of the gateway', async (name, action, namespace) => {
  const { code, stdout } = await signalbox(['invoke', name, '--node', 'LOCAL', '--dry-run'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(action);
  expect(stdout).toContain(namespace);
});

test.each([
  [
    'SAME_GET',
    'SAME_GET may mean Other.v1.SAME_GET or Partner.v2.SAME_GET\n  Write one of them in full: Other.v1.SAME_GET.',
  ],
  ['Partner.v3.NOTE_GET', 'there is no operation Partner.v3.NOTE_GET\n  Did you mean Partner.v1.NOTE_GET?'],
])('invoke %s says what it may mean', async (name, words) => {
  const { code, stderr } = await signalbox(['invoke', name], { cwd });
  expect({ code, stderr }).toEqual({ code: 2, stderr: `signalbox: ${words}\n` });
});
