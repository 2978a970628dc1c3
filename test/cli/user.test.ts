import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { AUTHORITY, PARTNER } from '../support/certificates.ts';
import { gatewayText, USERS } from '../support/project.ts';
import { bin, cleanEnvironment, finish, project, type Ran, signalbox, startProcess } from './support.ts';

const files = { 'definitions/gateway.yaml': gatewayText(), 'definitions/users.yaml': USERS };

/** Runs `signalbox user` with something on its standard input. */
function fed(input: string, args: readonly string[], cwd: string): Promise<Ran> {
  const child = spawn(process.execPath, [bin, 'user', ...args], { cwd, env: cleanEnvironment() });
  child.stdin.end(input);
  return finish(child);
}

test.concurrent('a user is added, changed, disabled and listed; the trail says by whom, and nothing tells a secret', async () => {
  const cwd = await project(files);
  const run = (...args: string[]): Promise<Ran> => signalbox(['user', ...args], { cwd });
  const added = await fed('correct horse\nnot read\n', ['add', 'ada', '--role', 'ALL', '--password-stdin'], cwd);
  expect(added).toMatchObject({ code: 0, stderr: '', stdout: `ada was added to ${cwd}/test.db.\n` });
  const made = await run('passwd', 'ada', '--generate', '--actor', 'ops');
  expect(made).toMatchObject({ code: 0, stderr: 'ada has a new password. The password is shown only this once:\n' });
  expect(made.stdout).toMatch(/^[\w-]{24}\n$/);
  const key = await run('key', 'add', 'ada', '--expires', '90 d', '--description', 'of a test');
  const [, id = ''] = /^sbk_([a-z0-9]{8})_[\w-]{43}\n$/.exec(key.stdout) ?? [];
  expect(key.stderr).toMatch(new RegExp(`^Key ${id} of ada expires at \\S+Z\\. It is shown only this once:\n$`));
  expect(await run('key', 'revoke', 'ada', id)).toMatchObject({ code: 0, stdout: `Key ${id} of ada is revoked.\n` });
  expect(await run('disable', 'ada')).toMatchObject({ code: 0, stdout: 'ada is disabled.\n' });
  const shown = [await run('list'), await run('show', 'ada', '--json'), await run('log', 'ada', '--json')];
  const [list, show, log] = shown.map(({ stdout }) => stdout) as [string, string, string];
  expect(list).toMatch(/^ada +disabled +yes +ALL +database$/m);
  expect(list).toMatch(/^guest +active +yes +definitions\/users\.yaml:\d+$/m);
  expect(JSON.parse(show)).toMatchObject({
    id: 'ada',
    disabled: true,
    roles: ['ALL'],
    keys: [{ id, description: 'of a test' }],
  });
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { action: string; actor: string });
  expect(lines.map(({ action }) => action)).toEqual(['add', 'passwd', 'key-add', 'key-revoke', 'disable']);
  expect(lines.map(({ actor }) => actor === 'ops')).toEqual([false, true, false, false, false]);
  expect(lines[0]?.actor).toMatch(/^.+@.+$/);
  for (const secret of [made.stdout.trim(), key.stdout.trim(), key.stdout.trim().slice(13), '$scrypt', 'sha256:'])
    for (const text of [list, show, log]) expect(text).not.toContain(secret);
  const file = new Database(`${cwd}/test.db`, { readonly: true });
  const [{ password }] = file.prepare('select password from signalbox_user').all() as [{ password: string }];
  file.close();
  expect(password).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$/);
});

test.concurrent('what can not be done is said, with what can', async () => {
  const cwd = await project(files);
  const said = async (input: string, ...args: string[]): Promise<string> => {
    const ran = input === '' ? signalbox(['user', ...args], { cwd }) : fed(input, args, cwd);
    const { code, stdout, stderr } = await ran;
    expect(stdout).toBe('');
    return `${code} ${stderr}`;
  };
  const every = await Promise.all([
    said('', 'disable', 'demo'),
    said('', 'add', 'ada', '--role', 'AL', '--no-password'),
    said('', 'add', '-a b', '--no-password'),
    said('Adalovelace\n', 'add', 'adaLovelace', '--password-stdin'),
    said('7 chars\n', 'add', 'ada', '--password-stdin'),
    said('', 'add', 'ada'),
    said('', 'add', 'ada', '--generate', '--no-password'),
    said('', 'passwd', 'ada', '--no-password'),
    said('', 'key', 'add', 'ada', '--expires', 'soon'),
    said('', 'role', 'ada'),
  ]);
  expect(every).toEqual([
    expect.stringMatching(
      /^1 signalbox: demo is a user of the definitions \(definitions\/users\.yaml:\d+\) and can't be changed by a command\n {2}Edit definitions\/users\.yaml\. signalbox user hash /,
    ),
    '2 signalbox: there is no role AL in the definitions\n  Did you mean ALL?\n',
    expect.stringMatching(/^2 signalbox: unknown option '-a b'/),
    '1 signalbox: the password is the id of its user\n',
    '1 signalbox: the password has fewer than 8 characters\n',
    '2 signalbox: a password prompt needs a terminal\n  Pass --password-stdin to read it from standard input.\n',
    '2 signalbox: --password-stdin, --generate and --no-password are mutually exclusive\n',
    '1 signalbox: user ada is not in the database\n  signalbox user list lists the users.\n',
    expect.stringMatching(
      /^2 signalbox: --expires can't be 'soon'\n {2}It takes a time such as '90 d', '12 h' or '30 m',/,
    ),
    '2 signalbox: a role is missing\n  Name it with --add or --remove.\n',
  ]);
});

test.concurrent('a certificate is given to a user by its file or its fingerprint, and taken away', async () => {
  const { certificate, key } = PARTNER;
  const spelled = new X509Certificate(certificate).fingerprint256;
  const fingerprint = `sha256:${spelled.replaceAll(':', '').toLowerCase()}`;
  const cwd = await project({
    ...files,
    'partner.pem': certificate,
    'two.pem': certificate + AUTHORITY,
    'own.key': key,
  });
  const run = (...args: string[]): Promise<Ran> => signalbox(['user', ...args], { cwd });
  expect(await run('add', 'ada', '--no-password')).toMatchObject({ code: 0 });
  const added = (word: string): string => `The certificate ${fingerprint} ${word} belongs to ada.\n`;
  const add = (which: string): Promise<Ran> => run('certificate', 'add', 'ada', which);
  expect(await add('partner.pem')).toMatchObject({ stdout: added('now') });
  expect(await add(`sha256:${spelled}`)).toMatchObject({ stdout: added('already') });
  const [list, show, two, none, text] = await Promise.all([
    run('certificate', 'list', 'ada', '--json'),
    run('show', 'ada'),
    run('certificate', 'add', 'ada', 'two.pem'),
    run('certificate', 'add', 'ada', 'own.key'),
    run('key', 'add', 'ada', '--description', 'a\u001b[2Jb'),
  ]);
  expect(JSON.parse(list.stdout)).toMatchObject([{ fingerprint }]);
  expect(show.stdout).toContain(fingerprint);
  expect(two).toMatchObject({ code: 1, stderr: expect.stringContaining('two.pem contains more than one certificate') });
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('own.key is not a certificate') });
  expect(text).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'signalbox: --description contains a control character\n',
  });
  const removed = await run('certificate', 'remove', 'ada', fingerprint);
  expect(removed).toMatchObject({ code: 0, stdout: `The certificate ${fingerprint} no longer belongs to ada.\n` });
});

test.concurrent('hashes for users of the definitions need no project', async () => {
  const password = await fed('correct horse\n', ['hash', '--password-stdin'], '/');
  expect(password).toMatchObject({ code: 0, stderr: '' });
  expect(password.stdout).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$[\w+/]+\$[\w+/]+\n$/);
  const key = await signalbox(['user', 'hash', '--key'], { cwd: '/' });
  expect(key.stdout).toMatch(/^sbk_[a-z0-9]{8}_[\w-]{43}\nsha256:[0-9a-f]{64}\n$/);
});

const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

test.skipIf(!hasScript)('a password is asked for on a terminal, twice and unseen (needs script)', async () => {
  const answered = async (typed: string): Promise<string> => {
    const command = `'${process.execPath}' '${bin}' user hash`;
    const asked = startProcess('/usr/bin/script', ['-qec', command, '/dev/null'], { env: { NO_COLOR: '1' } });
    const ended = once(asked.process, 'close');
    await asked.until(/Password: /);
    asked.process.stdin?.write(typed);
    const [code] = await ended;
    return `${code} ${asked.output().replaceAll('\r\n', '\n')}`;
  };
  const every = await Promise.all([
    // Both lines at once, as they are pasted.
    answered('correct horsf\x7fe\rcorrect horse\r'),
    answered('correct horse\rcorrect house\r'),
    answered('correct\x03'),
    answered('correct horse\r\x04'),
  ]);
  expect(every).toEqual([
    expect.stringMatching(/^0 Password: \nRepeat it: \n\$scrypt\$ln=14,r=8,p=1\$[\w+/]+\$[\w+/]+\n$/),
    '1 Password: \nRepeat it: \nsignalbox: the two passwords differ\n',
    '1 Password: \nsignalbox: interrupted\n',
    '1 Password: \nRepeat it: \nsignalbox: interrupted\n',
  ]);
});

test.concurrent('the trail is searched by who, what and when, also for what operators did', async () => {
  const cwd = await project(files);
  const run = (...args: string[]): Promise<Ran> => signalbox(args, { cwd });
  await fed('correct horse\n', ['add', 'ada', '--password-stdin', '--actor', 'ops'], cwd);
  await run('user', 'disable', 'ada', '--actor', 'eve');
  await run('queue', 'pause', 'events', '--actor', 'console:eve');
  const actions = async (...args: string[]): Promise<string[]> =>
    (await run('user', 'log', '--json', ...args)).stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { action: string }).action);
  expect(await actions('--by', 'eve')).toEqual(['disable']);
  expect(await actions('--by', 'eve', '--all')).toEqual(['disable', 'pause']);
  expect(await actions('events', '--all')).toEqual(['pause']);
  expect(await actions('ada', '--action', 'add', '--since', '1 d')).toEqual(['add']);
  expect(await actions('--until', '1 h', '--all')).toEqual([]);
  expect(await actions('--since', '2020-01-01', '--until', '2999-01-01T00:00:00Z')).toEqual(['add', 'disable']);
  expect((await run('user', 'log', '--until', '2026-02-30')).code).toBe(2);
  expect((await run('user', 'log', '--all')).stdout).toMatch(/console:eve +pause +events/);
});
