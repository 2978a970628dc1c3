import { spawn } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AUTHORITY } from '../peers/certificates.ts';
import { type DocumentLibrary, startDocumentLibrary } from '../peers/document-library.ts';
import { environmentOf, LOGIN_HOST, libraryHost } from '../peers/library-facts.ts';
import { jsonAnswer } from '../peers/message.ts';
import { failureAnswer, startThirdParty } from '../peers/third-party.ts';
import { leaked } from '../support/secrets.ts';
import {
  bin,
  cleanEnvironment,
  finish,
  project,
  type RunOptions,
  repository,
  signalbox,
  signalboxProcess,
  start,
} from './support.ts';

const sample = (path: string): string => readFileSync(join(repository, 'definitions', path), 'utf8');

const nodes = `node: DOCLIB_LOGIN
base: \${env:DOCLIB_AUTH_URL}
ca-file: authority.pem
resolve: { ${LOGIN_HOST}: "\${env:LOGIN_ADDRESS:-}" }
---
node: DOCLIB
base: https://
ca-file: authority.pem
resolve: { contoso.library.example: "\${env:DOCUMENTS_ADDRESS:-}" }
---
node: THIRD_PARTY
base: \${env:THIRD_PARTY_URL}
credential: { basic: { user: signalbox, password: "\${secret:THIRD_PARTY_PASSWORD}" } }
`;

const files = {
  'definitions/gateway.yaml': 'gateway: LOCAL\n',
  'definitions/lists.yaml': 'permission-list: PARTNERS\n',
  'definitions/nodes.yaml': nodes,
  'definitions/documents.yaml': sample('doclib/documents.yaml'),
  'definitions/doclib.yaml': sample('doclib/service.yaml'),
  'definitions/third-documents.yaml': sample('third-party/documents.yaml'),
  'definitions/third-party.yaml': sample('third-party/service.yaml'),
  'authority.pem': AUTHORITY,
  'report 2026.pdf': `%PDF-1.7\n${'signalbox '.repeat(40_000)}`,
  'rows.json': '[{"name":"a","price":1.50},{"name":"b"}]\n',
} as const;

let cwd: string;
beforeAll(async () => {
  cwd = await project(files);
});

const UPLOAD = ['N_DOCLIB.upload', 'File=@report 2026.pdf', 'SiteName=HR', 'DocFolder=Shared Documents/2026'] as const;

async function library(): Promise<{ library: DocumentLibrary; options: RunOptions }> {
  const started = await startDocumentLibrary();
  onTestFinished(() => started.close());
  const { facts, login, documents } = started;
  expect(libraryHost(facts)).toBe('contoso.library.example');
  const env = {
    ...environmentOf(facts),
    LOGIN_ADDRESS: login.address,
    DOCUMENTS_ADDRESS: documents.address,
  };
  return { library: started, options: { cwd, env } };
}

async function thirdParty() {
  const peer = await startThirdParty({ password: 'hush' });
  onTestFinished(() => peer.close());
  return { peer, options: { cwd, env: { THIRD_PARTY_URL: peer.url, THIRD_PARTY_PASSWORD: 'hush' } } };
}

describe('a flow', () => {
  test('is run by one line, and shows the last reply', async () => {
    const { library: peer, options } = await library();
    const { code, stdout, stderr } = await signalboxProcess(['invoke', ...UPLOAD], options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('ServerRelativeUrl  /sites/HR/Shared Documents/2026/report 2026.pdf\n');
    expect(peer.files).toMatchObject([{ length: files['report 2026.pdf'].length, contentType: 'application/pdf' }]);
    expect(peer.seen.map(({ step, status }) => `${step} ${status}`)).toEqual(['token 200', 'digest 200', 'upload 200']);
  });

  test('--dry-run shows the three requests as they would go out, secrets masked, and sends nothing', async () => {
    const { library: peer, options } = await library();
    const { code, stdout } = await signalbox(['invoke', ...UPLOAD, '--dry-run'], options);
    expect(code).toBe(0);
    const { tenantId, clientId, applicationId, clientSecret } = peer.facts;
    for (const line of [
      `POST https://login.example/${tenantId}/tokens/OAuth/2`,
      `grant_type=client_credentials&client_id=${clientId}%40${tenantId}&client_secret=***&resource=${applicationId}%2Fcontoso.library.example%40${tenantId}`,
      'POST https://contoso.library.example/sites/HR/_api/ContextInfo',
      "POST https://contoso.library.example/sites/HR/_api/web/GetFolderByServerRelativeURL('/sites/HR/Shared%20Documents/2026/')/Files/add(url='report%202026.pdf',overwrite=true)",
      'X-Request-Digest: <FORM_DIGEST>',
      'Authorization: Bearer <ACCESS_TOKEN>',
      'Content-Type: application/pdf',
    ]) {
      expect(stdout.split('\n')).toContain(line);
    }
    for (const form of [clientSecret, encodeURIComponent(clientSecret)]) expect(stdout).not.toContain(form);
    expect(peer.seen).toEqual([]);
    const json = await signalbox(['invoke', ...UPLOAD, '--dry-run', '--json'], options);
    expect(JSON.parse(json.stdout)).toMatchObject([{ method: 'POST' }, { method: 'POST' }, { method: 'POST' }]);
  });

  test('--verbose tells each step with its times, and no secret', async () => {
    const { library: peer, options } = await library();
    const { stderr } = await signalbox(['invoke', ...UPLOAD, '--verbose'], options);
    expect(stderr).toMatch(/^\* N_DOCLIB_UPLOADFILES_POST: .* to the head of the reply, .*; 1 attempt$/m);
    expect(stderr).toMatch(/^\* response status 0, call [\w-]{36}$/m);
    for (const secret of [...peer.given, peer.facts.clientSecret]) expect(stderr).not.toContain(secret);
  });

  test('that fails says which step, what it was told and the id of the call: exit code 1', async () => {
    const { library: peer, options } = await library();
    peer.fail('digest', { kind: 'answer', answer: jsonAnswer({ 'odata.error': { code: '-1' } }, { status: 500 }) });
    const { code, stdout, stderr } = await signalboxProcess(['invoke', ...UPLOAD], options);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^signalbox: N_DOCLIB\.v1\.upload: step 2 of 3, N_DOCLIB_FORMDIGEST_POST: .*500\n {2}Reply: .*odata\.error.*\n {2}HTTP status 500, POST https:\/\/contoso\.library\.example\/sites\/HR\/_api\/ContextInfo, call [\w-]{36}\n$/,
    );
  });

  test('that fails with --verbose tells what became of the steps until then', async () => {
    const { library: peer, options } = await library();
    const answer = jsonAnswer({}, { status: 403 });
    peer.fail('upload', { kind: 'answer', answer }, { kind: 'answer', answer });
    const { code, stderr } = await signalbox(['invoke', ...UPLOAD, '--verbose'], options);
    expect(
      stderr.split('\n').flatMap((line) => /^\* (\S+: (?:failed.*|(?=.*attempt$)))/.exec(line)?.[1] ?? []),
    ).toEqual([
      'N_DOCLIB_ACCESSTOKEN_POST: ',
      'N_DOCLIB_FORMDIGEST_POST: ',
      'N_DOCLIB_UPLOADFILES_POST: failed, HTTP status 403; 1 attempt',
      'N_DOCLIB_FORMDIGEST_POST: ',
      'N_DOCLIB_UPLOADFILES_POST: failed, HTTP status 403; 1 attempt',
    ]);
    expect(code).toBe(1);
  });

  test('names all configuration that is missing, at once', async () => {
    const { code, stderr } = await signalbox(['invoke', ...UPLOAD], { cwd });
    for (const name of ['AUTH_URL', 'HOST', 'TENANT_ID', 'TENANT_NAME', 'APPLICATION_ID', 'CLIENT_ID', 'CLIENT_SECRET'])
      expect(stderr).toContain(`DOCLIB_${name} is not set`);
    expect(code).toBe(1);
  });

  test.each([
    [['N_DOCLIB.uplaod'], 'there is no operation N_DOCLIB.uplaod\n  Did you mean N_DOCLIB.upload?'],
    [['N_DOCLIB.upload', 'SiteNam=HR'], 'the request has no field SiteNam\n  Did you mean SiteName?'],
    [['N_DOCLIB.upload', 'SiteName=HR', 'File=@report 2026.pdf'], 'DocFolder is missing'],
    [['N_DOCLIB_FORMDIGEST_POST', 'SiteName=HR', 'ACCESS_TOKEN=a\r\nX: 1'], 'Authorization'],
    [[...UPLOAD.slice(0, 3), 'DocFolder=../../secret'], 'DocFolder would put a segment .. into the path'],
    [[...UPLOAD, '--node', 'DOCLIB'], "--node can't be used with a flow"],
    [[...UPLOAD, '--user', 'me:hush'], "--user can't be used with a flow"],
    [[...UPLOAD, '--uri', '1'], "--uri can't be used with a flow"],
    [[...UPLOAD, '--segment', 'rows.json'], "--segment can't be used with a flow"],
  ])('%j: exit code 2, and nothing is sent', async (args, words) => {
    const { library: peer, options } = await library();
    const { code, stdout, stderr } = await signalbox(['invoke', ...args], options);
    expect(stderr).toContain(words);
    expect({ code, stdout, seen: peer.seen }).toEqual({ code: 2, stdout: '', seen: [] });
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('%s ends the transfer, on both sides', async (signal) => {
    const { library: peer, options } = await library();
    // Larger than what the connection takes at once, and without room on the disk.
    writeFileSync(join(cwd, 'big.bin'), '');
    truncateSync(join(cwd, 'big.bin'), 2 ** 31);
    const [flow, , ...rest] = UPLOAD;
    const running = start(['invoke', flow, 'File=@big.bin', ...rest, '--verbose'], options);
    await running.until(/^> POST .*Files\/add/m);
    await expect.poll(() => peer.seen.at(-1)?.step).toBe('upload');
    expect(await running.stop(signal)).toMatchObject({ code: 1, signal: null });
    expect(running.output()).toContain('signalbox: interrupted\n');
    await expect.poll(() => peer.seen.at(-1)).toMatchObject({ step: 'upload', abandoned: true });
    expect(peer.files).toEqual([]);
  });

  test.each([
    'token',
    'digest',
    'upload',
  ] as const)('has no secret in its words where %s repeats all of it', async (step) => {
    const { library: peer, options } = await library();
    peer.fail(step, { kind: 'echo', status: 500 });
    const env = { ...options.env, SIGNALBOX_DEBUG: '1' };
    const { code, stdout, stderr } = await signalbox(['invoke', ...UPLOAD, '--verbose'], { ...options, env });
    expect(code).toBe(1);
    expect(leaked(stdout + stderr, [peer.facts.clientSecret, ...peer.given])).toEqual([]);
  });
});

describe('an operation over REST', () => {
  test.each([[['--input', '-']], [['content=@-']]])('takes standard input: %j', async (args) => {
    const { peer, options } = await thirdParty();
    const command = [bin, 'invoke', 'THIRD_PARTY_IMPORT_POST', ...args];
    const child = spawn(process.execPath, command, { cwd, env: cleanEnvironment(options.env) });
    child.stdin.end('[{"name":"s"}]');
    expect(await finish(child)).toMatchObject({ code: 0 });
    expect(peer.seen.map(({ body }) => body)).toEqual(['[{"name":"s"}]']);
  });

  test('takes JSON as it is written, from a file or an argument', async () => {
    const { peer, options } = await thirdParty();
    const { code, stdout } = await signalbox(['invoke', 'THIRD_PARTY_IMPORT_POST', 'content=@rows.json'], options);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('result[1].status') });
    await signalbox(['invoke', 'THIRD_PARTY_IMPORT_POST', '--input', 'rows.json'], options);
    await signalbox(['invoke', 'THIRD_PARTY_IMPORT_POST', 'content=[{"name":"c"}]'], options);
    expect(peer.seen.map(({ body }) => body.trim())).toEqual([
      files['rows.json'].trim(),
      files['rows.json'].trim(),
      '[{"name":"c"}]',
    ]);
  });

  test('shows XML that it was answered as fields, or as JSON', async () => {
    const { options } = await thirdParty();
    const { stdout } = await signalbox(['invoke', 'THIRD_PARTY_ITEMS_GET'], options);
    expect(stdout).toMatch(/^level1\.level2\.level3\[0\]\.key {2}/);
    const json = await signalbox(['invoke', 'THIRD_PARTY_ITEMS_GET', '--json'], options);
    expect(JSON.parse(json.stdout)).toMatchObject({ level1: { level2: { level3: expect.any(Array) } } });
  });

  test('a failure body is told with its message and detail: exit code 1', async () => {
    const { peer, options } = await thirdParty();
    peer.answer(failureAnswer(200, 'No such table', 'u_imp'));
    const { code, stderr } = await signalbox(['invoke', 'THIRD_PARTY_IMPORT_POST', 'content=[]'], options);
    expect(stderr).toMatch(
      /^signalbox: THIRD_PARTY_IMPORT_POST: No such table\n {2}error\.detail: u_imp\n {2}status: failure\n {2}HTTP status 200, POST http:.*\/api\/import, call [\w-]{36}\n$/,
    );
    expect(code).toBe(1);
  });

  test.each([
    [['THIRD_PARTY_IMPORT_POST'], 'the content is missing'],
    [['THIRD_PARTY_IMPORT_POST', 'content={'], 'content is not JSON'],
    [['THIRD_PARTY_ITEMS_GET', 'name=a'], 'the operation has no input'],
    [['THIRD_PARTY_ITEMS_GET', '--uri', '2'], 'URI'],
    [['THIRD_PARTY_ITEMS_GET', '--uri', '0'], 'It takes a number from 1'],
  ])('%j: exit code 2, and nothing is sent', async (args, words) => {
    const { peer, options } = await thirdParty();
    const { code, stderr } = await signalbox(['invoke', ...args], options);
    expect(stderr).toContain(words);
    expect({ code, seen: peer.seen }).toEqual({ code: 2, seen: [] });
  });
});
