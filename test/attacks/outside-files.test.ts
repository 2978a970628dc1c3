import { mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadProject, renderDiagnostics } from '../../src/load/index.ts';
import {
  callSoap,
  envelope,
  include,
  keptFiles,
  packed,
  part,
  RELATED,
  root,
  send,
  wrapped,
} from '../serve/soap-client.ts';
import { soapProject } from '../serve/soap-project.ts';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { writeProject } from '../support/project.ts';
import { expectUnharmed, REST } from './support/attack.ts';

const SECRET = 'what lies outside';
const outside = mkdtempSync(join(tmpdir(), 'signalbox-outside-'));
const secret = join(outside, 'secret.txt');
writeFileSync(secret, SECRET);
afterAll(() => rmSync(outside, { recursive: true, force: true }));

const NAMES = [
  '../secret',
  '../../../../../../etc/passwd',
  '/etc/passwd',
  '..',
  '.',
  './x',
  'a/../../b',
  'C:\\Windows\\win.ini',
  '..\\..\\x',
  '%2e%2e%2fetc%2fpasswd',
  'a\0.txt',
  'con',
  '~root',
  '.env',
  secret,
] as const;

describe('names of results', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(async () => {
    await expectUnharmed(gateway);
    await gateway.stop();
  });

  it.each(NAMES)('%j reaches no file', async (name) => {
    const enc = encodeURIComponent(name);
    const made = await gateway.call(`${REST}/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/CSV/FILE?json_resp=true`);
    const address = new URL((JSON.parse(made.text) as { data: { fileurl: string } }).data.fileurl).pathname;
    const id = address.split('/').at(-2) as string;
    for (const path of [
      `${REST}/QueryFile.v1/${enc}/x.csv`,
      `${REST}/QueryFile.v1/${id}/${enc}`,
      `${REST}/QueryFile.v1/${id}%2F..%2F${enc}/x.csv`,
      `${REST}/QueryFile.v1/${id}/${name.replaceAll('\0', '%00').replaceAll('\\', '%5C')}`,
      `${REST}/ProcessRequest.v1/requests/${enc}/report/content`,
    ]) {
      const reply = await gateway.call(path);
      expect([400, 404], `${reply.status} ${path}`).toContain(reply.status);
      expect(reply.text).not.toMatch(/root:|what lies outside/);
    }
    expect((await gateway.call(address)).status).toBe(200);
  });
});

/** Puts a link to a file in the place of each that a gateway keeps. */
function linkOutside(gateway: TestGateway, to: string): void {
  const kept = keptFiles(gateway).filter((file) => /blob/.test(file) && !/writers|lock/.test(file));
  expect(kept).not.toEqual([]);
  for (const file of kept) {
    const path = join(gateway.folder, file);
    unlinkSync(path);
    symlinkSync(to, path);
  }
}

/** The reply has begun where the file is opened: it is cut short. */
async function expectNotFollowed(ask: () => Promise<Reply>, holding: string): Promise<void> {
  const got = await ask().catch((error: Error) => error);
  expect(got instanceof Error ? got.message : `${got.status} ${got.text}`).toMatch(/hang up|aborted|ECONNRESET|^500 /);
  expect(got instanceof Error ? '' : got.text).not.toContain(holding);
}

it('a result in a file is not read through a link that was put in its place', async () => {
  const gateway = await startTestGateway();
  onTestFinished(() => gateway.stop());
  const made = await gateway.call(`${REST}/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/CSV/FILE?json_resp=true`);
  const address = new URL((JSON.parse(made.text) as { data: { fileurl: string } }).data.fileurl).pathname;
  const { status, text } = await gateway.call(address);
  expect(status).toBe(200);
  const asLong = join(outside, 'as-long.txt');
  writeFileSync(asLong, SECRET.padEnd(Buffer.byteLength(text), '.'));
  linkOutside(gateway, asLong);
  await expectNotFollowed(() => gateway.call(address), SECRET);
});

describe('content that is kept', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: soapProject() });
  });
  afterAll(() => gateway.stop());

  it.each(
    NAMES.filter((name) => !name.includes('\0')),
  )('under %j is a file of the folder, however its part is called', async (name) => {
    const before = readdirSync(outside);
    const escaped = name.replaceAll('&', '&amp;');
    const xml = envelope(wrapped('PUT', `<NAME>${escaped.slice(0, 40)}</NAME><CONTENT>${include('a')}</CONTENT>`));
    const disposition = {
      'Content-Disposition': `attachment; filename="${name}"`,
      'Content-Location': `file://${secret}`,
    };
    const body = packed([root(xml), part('a', 'own content', disposition)]);
    expect((await send(gateway, { body, headers: { 'content-type': RELATED } })).status).toBe(200);
    const got = await callSoap(gateway, 'GET', `<NAME>${escaped.slice(0, 40)}</NAME>`);
    expect(got.text).toContain(Buffer.from('own content').toString('base64'));
    expect(readdirSync(outside)).toEqual(before);
    // Files are called by numbers of ours, whatever their content is.
    for (const file of keptFiles(gateway)) expect(file).toMatch(/^[\w./-]+$/);
  });

  it('is not read through a link that was put in its place', async () => {
    const content = 'x'.repeat(SECRET.length);
    await callSoap(gateway, 'PUT', `<NAME>linked</NAME><CONTENT>${Buffer.from(content).toString('base64')}</CONTENT>`);
    linkOutside(gateway, secret);
    const holding = Buffer.from(SECRET).toString('base64');
    await expectNotFollowed(() => callSoap(gateway, 'GET', '<NAME>linked</NAME>'), holding);
  });
});

describe('paths in definitions', () => {
  const shown = (files: Readonly<Record<string, string>>, prepare: (root: string) => void = () => {}): string => {
    const project = writeProject(files);
    try {
      prepare(project.root);
      return renderDiagnostics(loadProject({ root: project.root }), { colour: false });
    } finally {
      project.remove();
    }
  };

  it.each([
    ['definitions/x.yaml', '/etc/passwd'],
    ['definitions/below', '/etc'],
    ['definitions/below', '..'],
    ['definitions/below', '/proc/self'],
  ])('a link at %s to %s leads out of the project', (path, to) => {
    const text = shown({}, (folder) => symlinkSync(to === '..' ? dirname(folder) : to, join(folder, path)));
    expect(text).toBe(
      `${path}:1:1: error file-unreadable: The file can't be read: its link leads outside the project.\n`,
    );
  });

  it.each([
    '../../../../etc/passwd',
    '/etc/passwd',
    '..',
    `../${'x'.repeat(300)}`,
  ])('a handler is never at %s', (handler) => {
    const text = shown({
      'definitions/s.yaml': `service: S.v1\npublic: true\noperations:\n  GET_IT: { get: it, response: text, handler: "${handler}" }\n`,
    });
    expect(text).toContain('definitions/s.yaml');
    expect(text).not.toContain('root:');
  });
});
