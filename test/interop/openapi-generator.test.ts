import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signalbox } from '../cli/support.ts';
import { startThirdParty, type ThirdParty } from '../peers/third-party.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';
import { writeColliding } from './colliding.ts';
import { hasMaven, needsMaven } from './java/maven.ts';
import {
  checkTypes,
  clientName,
  compileJava,
  declaredBy,
  generate,
  java,
  LANGUAGES,
  run,
} from './openapi-generator.ts';
import { has, type Served, serve } from './support.ts';

// Clients that openapi-generator (Maven Central) writes, of each contract of the sample and of names that meet.

const pythonNeeds = 'import pydantic, urllib3, dateutil, typing_extensions; assert pydantic.VERSION >= "2.11"';
const hasPython = has('python3');
const hasPydantic = hasPython && (await run('python3', ['-c', pythonNeeds])).code === 0;

const files = `service: Files.v1
description: Keeps files as they are.
permission: ATTACHMENTS
operations:
  FILE_PUT:
    put: Files/{NAME}
    request: { fields: { NAME: { type: string, required: true }, FILE: { type: binary, required: true } } }
    body: FILE
    response: { fields: { sha256: string } }
  FILE_GET:
    get: Files/{NAME}
    request: { fields: { NAME: { type: string, required: true } } }
    response: binary
`;
const filePut = `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('FILE_PUT', {
  async onRequest({ NAME, FILE }, { blobs }) {
    const { sha256 } = await blobs.put(NAME, FILE);
    return { sha256 };
  },
});
`;
const fileGet = `import { Fault } from 'signalbox';
import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('FILE_GET', {
  async onRequest({ NAME }, { blobs, bytes }) {
    const content = await blobs.get(NAME);
    if (content === undefined) throw Fault.custom('NO_SUCH_FILE', 404, 'There is no such file.');
    const { contentType, length } = content;
    return bytes({ contentType, length, body: () => content.stream() });
  },
});
`;

/** Services of the sample over REST, and the one above. */
const served = [
  ...['Documents.v1', 'Files.v1', 'Imports.v1', 'LocationSetup.v1', 'Locations.v1', 'PROCESSREQUEST.v1'],
  'QAS_QRY_SERVICE.v1',
].map((id) => `${id}.openapi.json`);
const contracts = [...served, 'Collide.v1.openapi.json'];

const folder = mkdtempSync(join(tmpdir(), 'signalbox-openapi-'));
const upload = join(folder, 'upload.bin');
/** Every byte, and what text would lose: ends of lines, half of a character, quotes around it. */
const content = Buffer.concat([
  Buffer.from('"'),
  Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * 7 + (n >> 8)) & 255)),
  Buffer.from('\r\n"'),
]);
const sha256 = createHash('sha256').update(content).digest('hex');

let project: SampleCopy;
let peer: ThirdParty;
let gateway: Served;
const classPaths = new Map<string, string>();
const said = new Map<string, string>();

beforeAll(async () => {
  if (!hasMaven) return;
  writeFileSync(upload, content);
  project = copySample({
    'definitions/files/service.yaml': files,
    'src/handlers/file-put.ts': filePut,
    'src/handlers/file-get.ts': fileGet,
  });
  expect(await signalbox(['generate'], { cwd: project.root })).toMatchObject({ code: 0 });
  peer = await startThirdParty({ password: 'hush' });
  gateway = await serve(project.root, { THIRD_PARTY_URL: peer.url, THIRD_PARTY_PASSWORD: 'hush' });
  for (const name of served)
    writeFileSync(join(folder, name), await (await fetch(`${gateway.connector}/${name}`)).text());
  writeColliding(folder, 'openapi');
  await generate(folder, contracts);
  await Promise.all(
    (['native', 'okhttp'] as const).map(async (language) => {
      const declared = await declaredBy(folder, language);
      said.set(language, await compileJava(folder, language, declared));
      classPaths.set(language, [join(folder, `${language}-classes`), declared].join(':'));
    }),
  );
  said.set('typescript', await checkTypes(folder));
  if (hasPython) {
    const { stdout, stderr } = await run('python3', ['-m', 'compileall', '-q', join(folder, 'python')]);
    said.set('python', stdout + stderr);
  }
}, 240_000);
afterAll(async () => {
  await gateway?.stop();
  await peer?.close();
  project?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** What a program printed as `NAME=VALUE`, a line each. */
function facts(printed: string): Record<string, string> {
  const lines = printed.trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

const cases = LANGUAGES.flatMap((language) => contracts.map((contract) => [language, contract] as const));
describe(`a client is written by openapi-generator, and compiles (${needsMaven})`, () => {
  test.skipIf(!hasMaven).each(cases.filter(([language]) => language !== 'python'))('%s: %s', (language, contract) => {
    const own = join(language, clientName(contract));
    const errors = said
      .get(language)!
      .split('\n')
      .filter((line) => line.includes(own) && line.includes('error'));
    expect(errors).toEqual([]);
    expect(readFileSync(join(folder, contract), 'utf8')).toContain('"openapi"');
  });

  test.skipIf(!hasMaven).each(['native', 'okhttp', 'typescript'])('%s: nothing else is wrong', (language) => {
    expect(
      said
        .get(language)!
        .split('\n')
        .filter((line) => /\berror\b/.test(line)),
    ).toEqual([]);
  });

  test.skipIf(!hasMaven || !hasPython)('python: every contract (needs python3)', () => {
    expect(said.get('python')).toBe('');
  });
});

describe(`such a client calls the gateway (${needsMaven})`, () => {
  test.skipIf(!hasMaven)(
    'java, native: one call a service; a file comes back as it was, and typed getters hold values',
    async () => {
      const found = facts(await java(classPaths.get('native')!, 'OpenApiNative.java', { args: [upload] }));
      expect(found).toEqual({
        'files.put': sha256,
        'files.get': sha256,
        'files.none': '404',
        'locations.first': 'BOS01',
        'locations.blank': '{DEPTNAME=, EMAIL_ADDR=, NAME=, PHONE=, TITLE=}',
        'locations.people': '[DEPTNAME, EMAIL_ADDR, NAME, PHONE, TITLE]',
        'setup.made': '201 Java A',
        'setup.found': '200',
        'setup.twice': '409',
        'processes.location': 'true',
        'processes.found': 'LOCATION_EXTRACT',
        'queries.rows': '2 2 [DEPTNAME, EMPLOYEES]',
        'queries.saved': 'Query JAVA was saved.',
        imports: 'inserted',
        documents: '500',
      });
    },
  );

  test.skipIf(!hasMaven)(
    'java, OkHttp and Gson: a file comes back as it was, and rows have their columns',
    async () => {
      const found = facts(await java(classPaths.get('okhttp')!, 'OpenApiOkHttp.java', { args: [upload] }));
      expect(found).toEqual({ 'files.put': sha256, 'files.get': sha256, 'queries.rows': '2 2 [DEPTNAME, EMPLOYEES]' });
    },
  );

  test.skipIf(!hasMaven)('typescript-fetch: a file comes back as it was', async () => {
    const { Configuration, FilesV1Api } = await import(/* @vite-ignore */ join(folder, 'typescript/files/index.ts'));
    const api = new FilesV1Api(new Configuration({ username: 'demo', password: 'demo' }));
    expect((await api.fILEPUT({ nAME: 'fetch.bin', body: new Blob([content]) })).sha256).toBe(sha256);
    const got: Blob = await api.fILEGET({ nAME: 'fetch.bin' });
    expect(
      createHash('sha256')
        .update(Buffer.from(await got.arrayBuffer()))
        .digest('hex'),
    ).toBe(sha256);
  });

  test.skipIf(!hasMaven || !hasPydantic)(
    'python: a file comes back as it was (needs pydantic 2.11, urllib3, python-dateutil)',
    async () => {
      const script = fileURLToPath(new URL('clients/openapi.py', import.meta.url));
      const { stdout, stderr } = await run('python3', [
        script,
        upload,
        ...['files', 'locations'].map((name) => join(folder, 'python', name)),
      ]);
      expect(stderr).toBe('');
      expect(facts(stdout)).toEqual({ 'files.put': sha256, 'files.get': sha256, 'locations.first': 'BOS01' });
    },
  );
});
