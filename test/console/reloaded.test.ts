import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHEAP, hashPassword } from '../../src/security/password.ts';
import { startConsole } from './support.ts';
import { FILES } from './users-project.ts';

const USERS = 'definitions/users.yaml';

describe('a session after the definitions were loaded anew', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Signs in, changes the users of the definitions, and follows the session to a page. */
  async function reloaded(name: string, change: (yaml: string) => string | Promise<string>, path = '/users') {
    const env = { DATABASE_URL: `sqlite:${join(folder, `${name}.db`)}` };
    const before = await startConsole({ files: FILES, env });
    const { cookie } = await before.signIn();
    expect((await before.ask(path, { headers: { Cookie: cookie } })).status).toBe(200);
    await before.stop();
    const yaml = FILES[USERS] as string;
    const changed = await change(yaml);
    if (name !== 'same') expect(changed).not.toBe(yaml);
    const gateway = await startConsole({ files: { ...FILES, [USERS]: changed }, env });
    const { status, headers } = await gateway.ask(path, { headers: { Cookie: cookie } });
    await gateway.stop();
    return { status, out: String(headers.location ?? '').startsWith('/console/sign-in') };
  }

  const demo = /user: demo\n(?:.+\n)+?(?=---\n|$)/;

  it('goes on when nothing of its user has changed', async () => {
    expect(await reloaded('same', (yaml) => yaml)).toEqual({ status: 200, out: false });
  });

  it('ends when the user has another password', async () => {
    const hash = await hashPassword('battery staple', CHEAP);
    const ended = await reloaded('password', (yaml) =>
      yaml.replace(demo, (text) => text.replace(/password: \S+/, () => `password: ${hash}`)),
    );
    expect(ended).toEqual({ status: 303, out: true });
  });

  it('ends when the user is not declared any more', async () => {
    const ended = await reloaded('removed', (yaml) => yaml.replace(demo, (text) => text.replace('demo', 'other')));
    expect(ended).toEqual({ status: 303, out: true });
  });

  it('has only what is left of the grants, and ends without any', async () => {
    const granting = (grants: string) => (yaml: string) => yaml.replace('console: [payload, act, users]', grants);
    expect(await reloaded('less', granting('console: [read]'), '/users/new')).toEqual({ status: 403, out: false });
    expect(await reloaded('none', granting(''))).toEqual({ status: 303, out: true });
  });
});
