import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository, signalbox } from '../cli/support.ts';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from '../peers/certificates.ts';
import { environmentOf, FACTS, LOGIN_HOST, libraryHost, tokenForm } from '../peers/library-facts.ts';
import { large } from './servers/large.ts';
import { type RestProject, restProject } from './servers/rest-client.ts';
import { type StartedServer, startServer } from './servers/start.ts';
import { hasPython, python } from './soap-support.ts';

const sample = (path: string): string => readFileSync(join(repository, 'definitions', path), 'utf8');

/** The sample's, at addresses of the test's own; and what asks the library for what it saw. */
const definitions = `permission-list: PARTNERS
---
node: DOCLIB_LOGIN
base: \${env:DOCLIB_AUTH_URL}
ca-file: authority.pem
resolve: { ${LOGIN_HOST}: "\${env:LIBRARY}" }
---
node: DOCLIB
base: https://
ca-file: authority.pem
resolve: { ${libraryHost(FACTS)}: "\${env:LIBRARY}" }
---
service: Seen.v1
target: DOCLIB
public: true
operations:
  SEEN_GET: { get: "${libraryHost(FACTS)}/seen", response: json }
`;

/** What the library saw of a call, as Python reads it. */
interface Seen {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

describe.skipIf(!hasPython)("a document library with Python's own parsers (needs python3)", () => {
  let server: StartedServer;
  let project: RestProject;
  beforeAll(async () => {
    project = restProject({
      'definitions/nodes.yaml': definitions,
      'definitions/doclib.yaml': sample('doclib/service.yaml'),
      'definitions/documents.yaml': sample('doclib/documents.yaml'),
      'authority.pem': AUTHORITY,
      'server.pem': SERVER_CERTIFICATE,
      'server.key': SERVER_KEY,
    });
    const script = fileURLToPath(new URL('servers/library.py', import.meta.url));
    const files = ['server.pem', 'server.key'].map((name) => join(project.root, name));
    server = await startServer([python, script, ...files]);
  });
  afterAll(async () => {
    await server?.stop();
    await project?.close();
  });

  const env = () => ({ ...environmentOf(FACTS), LIBRARY: new URL(server.url).host });

  /** What it saw from a call on. */
  async function seen(from: number): Promise<readonly Seen[]> {
    const { value } = await project.clientIn(env()).call('SEEN_GET', {});
    return (value.content as Seen[]).slice(from);
  }
  const count = async (): Promise<number> => (await seen(0)).length;

  it.each([
    ['Shared Documents/2026', 'report 2026.pdf'],
    ["Köln's/a+b/100%41", "Ann's 'ü' + 50% & #1?=;,.pdf"],
    ['日本/🚂 (alt)', '~a_b-c.d!$*@:%2F%27.pdf'],
  ])('sees folder %s and file %s, decoded once', async (DocFolder, name) => {
    const before = await count();
    const { content, sha256, length } = large(true, 3);
    const File = { ...content, name, contentType: 'application/pdf' };
    const client = project.clientIn(env());
    const { value } = await client.flow('N_DOCLIB.upload', { SiteName: 'Häuser & Co', DocFolder, File });
    const folder = `/sites/Häuser & Co/${DocFolder}/`;
    expect(value).toMatchObject({ Name: name, ServerRelativeUrl: folder + name, Length: length });
    const [token, digest, upload] = await seen(before);
    expect(token).toMatchObject({
      path: `/${FACTS.tenantId}/tokens/OAuth/2`,
      headers: { host: LOGIN_HOST, 'content-type': 'application/x-www-form-urlencoded' },
      form: tokenForm(FACTS),
      // Nothing that another reader would take for something else: neither blanks as +, nor marks.
      body: expect.stringMatching(/^[\w.~%=&-]+$/),
    });
    const own = { host: libraryHost(FACTS), authorization: expect.stringMatching(/^Bearer \w/) };
    expect(digest).toMatchObject({ site: 'Häuser & Co', length: 0, headers: { ...own, 'content-length': '0' } });
    expect(upload).toMatchObject({
      site: 'Häuser & Co',
      folder,
      name,
      sha256,
      headers: {
        ...own,
        accept: 'application/json;odata=nometadata',
        'x-request-digest': '0x1F,21 Nov 2026 12:00:00 -0000',
        'content-type': 'application/pdf',
        'content-length': String(length),
      },
    });
  });

  it('sees a file whose length nobody knows, in chunks', async () => {
    const before = await count();
    const { content, sha256 } = large(false, 3);
    const File = { ...content, name: 'stream.bin' };
    await project.clientIn(env()).flow('N_DOCLIB.upload', { SiteName: 'HR', DocFolder: 'Reports', File });
    const [, , upload] = await seen(before);
    expect(upload).toMatchObject({ name: 'stream.bin', sha256, headers: { 'transfer-encoding': 'chunked' } });
  });

  it('sees what the command line uploads', async () => {
    const before = await count();
    const content = Buffer.alloc(300_000, '%PDF-1.7\n');
    writeFileSync(join(project.root, "Jürgen's report 2026.pdf"), content);
    const args = ["File=@Jürgen's report 2026.pdf", 'SiteName=HR', 'DocFolder=Shared Documents/2026'];
    const { code, stderr } = await signalbox(['invoke', 'N_DOCLIB.upload', ...args], { cwd: project.root, env: env() });
    expect([code, stderr]).toEqual([0, '']);
    const [, , upload] = await seen(before);
    expect(upload).toMatchObject({
      folder: '/sites/HR/Shared Documents/2026/',
      name: "Jürgen's report 2026.pdf",
      sha256: createHash('sha256').update(content).digest('hex'),
    });
  });
});
