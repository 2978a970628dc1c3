import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHORITY } from '../peers/certificates.ts';
import { type DocumentLibrary, startDocumentLibrary } from '../peers/document-library.ts';
import { FACTS, LOGIN_HOST, libraryHost } from '../peers/library-facts.ts';
import { has, run } from './support.ts';

/** The peer that our own client is tested with takes the same three calls from another maker's. */
describe.skipIf(!has('curl'))('the document library, called by curl (needs curl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-library-'));
  const content = Buffer.alloc(3_000_000, 'PDF! ');
  let library: DocumentLibrary;
  beforeAll(async () => {
    writeFileSync(join(folder, 'authority.pem'), AUTHORITY);
    writeFileSync(join(folder, 'report.pdf'), content);
    // Without a blank, which curl writes as + in forms.
    library = await startDocumentLibrary({ facts: { clientSecret: 'k+9/v=&%41Ü~' } });
  });
  afterAll(async () => {
    await library?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function curl(url: string, ...args: string[]): Promise<Record<string, unknown>> {
    const known = ['--cacert', join(folder, 'authority.pem'), '-sS', '-m', '20', '--globoff', '--fail-with-body'];
    const servers = [
      ...['--connect-to', `${LOGIN_HOST}:443:${library.login.address}`],
      ...['--connect-to', `${libraryHost(FACTS)}:443:${library.documents.address}`],
    ];
    const { code, stdout, stderr } = await run('curl', [...known, ...servers, ...args, url]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it('takes a token, a digest and a file', async () => {
    const client = `${FACTS.clientId}@${FACTS.tenantId}`;
    const resource = `${FACTS.applicationId}/${libraryHost(FACTS)}@${FACTS.tenantId}`;
    const granted = await curl(
      `https://${LOGIN_HOST}/${FACTS.tenantId}/tokens/OAuth/2`,
      ...['-d', 'grant_type=client_credentials'],
      ...['--data-urlencode', `client_id=${client}`],
      ...['--data-urlencode', `client_secret=${library.facts.clientSecret}`],
      ...['--data-urlencode', `resource=${resource}`],
    );
    const site = `https://${libraryHost(FACTS)}/sites/HR/_api`;
    const own = [
      '-H',
      `Authorization: Bearer ${granted.access_token}`,
      '-H',
      'Accept: application/json;odata=nometadata',
    ];
    const digest = await curl(`${site}/ContextInfo`, ...own, '-d', '', '-H', 'Content-Type:');
    const uploaded = await curl(
      `${site}/web/GetFolderByServerRelativeURL('/sites/HR/Shared%20Documents/2026/')/Files/add(url='Ann''s%20report.pdf',overwrite=true)`,
      ...own,
      ...['-H', `X-Request-Digest: ${digest.FormDigestValue}`, '-H', 'Content-Type: application/pdf', '-H', 'Expect:'],
      ...['--data-binary', `@${join(folder, 'report.pdf')}`],
    );
    expect(uploaded).toMatchObject({ Name: "Ann's report.pdf", Length: '3000000' });
    expect(library.files).toMatchObject([{ sha256: createHash('sha256').update(content).digest('hex') }]);
    expect(library.seen.map(({ status, words }) => [status, words])).toEqual([
      [200, ''],
      [200, ''],
      [200, ''],
    ]);
  });
});
