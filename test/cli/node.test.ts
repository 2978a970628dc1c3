import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesProject, System } from '../console/nodes-project.ts';
import { AUTHORITY, EXPIRED } from '../support/certificates.ts';
import { type TestProject, writeProject } from '../support/project.ts';
import { signalbox } from './support.ts';

describe('signalbox node', () => {
  let erp: System;
  let files: TestProject;
  let env: Record<string, string>;
  beforeAll(async () => {
    erp = await System.start();
    files = writeProject({
      ...nodesProject(),
      'ca.pem': AUTHORITY,
      'old.pem': EXPIRED.certificate,
      'old.key': EXPIRED.key,
    });
    env = { ERP_URL: erp.url, ERP_SPARE_URL: erp.url, ERP_PASSWORD: 'hush', SAFE_HOST: 'hidden.invalid' };
  });
  afterAll(async () => {
    await erp.stop();
    files.remove();
  });
  const node = (...args: string[]) => signalbox(['node', ...args], { cwd: files.root, env });

  it('lists nodes with addresses, names of secrets and the end of certificates, and no secret', async () => {
    const { code, stdout } = await node('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^ERP +\\$\\{env:ERP_URL\\} +http://127\\.0\\.0\\.1:${erp.port} +1 +1 +basic ERP_PASSWORD$`, 'm'),
    );
    expect(stdout).toMatch(/^SAFE .* secret +0 +bearer SAFE_TOKEN +2021-01-01T00:00:00\.000Z$/m);
    const json = await node('list', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id: 'ERP', operations: ['ERP_PUT'], credential: { kind: 'basic', secrets: ['ERP_PASSWORD'], missing: [] } },
      { id: 'OTHERS', addresses: [{ origin: 'https://' }] },
      {
        id: 'SAFE',
        credential: { missing: ['SAFE_TOKEN'] },
        certificate: { certificates: [{ subject: 'CN=old partner' }] },
      },
    ]);
    expect(stdout + json.stdout).not.toMatch(/hush|wordpass|hidden-path|hidden\.invalid/);
  });

  it('tests the connections of a node, and fails when an address does', async () => {
    const done = await node('test', 'ERP');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/^ERP {2}2 addresses, \d+ ms$/m);
    expect(done.stdout).toMatch(/^ {2}connect +ok +[\d.]+ ms {2}127\.0\.0\.1 accepts connections at port \d+$/m);
    await erp.stop();
    const failed = await node('test', 'ERP', '--json');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject([
      { node: 'ERP', ok: false, addresses: [{ result: 'failed' }, { result: 'failed' }] },
    ]);
    expect((await node('test', 'OTHERS')).code).toBe(0);
  });

  it('connects to nothing that is not declared', async () => {
    expect(await node('test', 'EPR')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there is no node EPR\n.*Did you mean ERP\?/),
    });
    expect(await node('test')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('test takes ids of nodes, or --all'),
    });
  });
});
