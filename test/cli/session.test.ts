import { expect, test } from 'vitest';
import { loadProject, registryOf } from '../../src/load/index.ts';
import type { Console } from '../../src/model/gateway.ts';
import { openSessions } from '../../src/security/sign-in/sessions.ts';
import { openStore } from '../../src/store/index.ts';
import { createDirectory } from '../support/directory.ts';
import { gatewayText, USERS } from '../support/project.ts';
import { project, type Ran, signalbox } from './support.ts';

const OPERATORS = `permission-list: OPERATORS
console: [read]
---
role: OPERATOR
permission-lists: [OPERATORS]
---
user: grace
password: $scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg
roles: [OPERATOR]
`;
const files = {
  'definitions/gateway.yaml': gatewayText(),
  'definitions/users.yaml': USERS,
  'definitions/operators.yaml': OPERATORS,
};

test.concurrent('sessions of the console are listed and ended, one or all of a user', async () => {
  const root = await project(files);
  const registry = registryOf(loadProject({ root }));
  const store = await openStore({ url: 'sqlite:test.db', root });
  await store.migrate();
  const directory = createDirectory(registry.users, true);
  const sessions = openSessions({ registry, console: registry.gateway.console as Console, directory, store });
  const grace = registry.users.get('grace');
  if (grace === undefined) throw new TypeError('no grace');
  const facts = { signedIn: 'password', address: '192.0.2.7', agent: 'Browser/1.0' };
  for (let count = 0; count < 3; count++) await sessions.open(grace, facts);
  await store.close();
  const run = (...args: string[]): Promise<Ran> => signalbox(['user', ...args], { cwd: root });
  const list = await run('session', 'list');
  expect(list.stdout.split('\n')[0]).toMatch(/^SESSION +USER +SIGNED IN +BY +LAST USED +ENDS +ADDRESS +BROWSER$/);
  const [first, ...rest] = JSON.parse((await run('session', 'list', 'grace', '--json')).stdout) as { id: string }[];
  expect([first, rest.length]).toMatchObject([{ user: 'grace', signedIn: 'password', agent: 'Browser/1.0' }, 2]);
  const id = first?.id ?? '';
  expect(await run('session', 'end', id)).toMatchObject({ code: 0, stdout: `Session ${id} has ended.\n` });
  expect(await run('session', 'end', id)).toMatchObject({ code: 1, stdout: '' });
  expect(await run('session', 'end')).toMatchObject({ code: 2 });
  const all = await run('session', 'end', '--user', 'grace', '--actor', 'ops');
  expect(all).toMatchObject({ code: 0, stdout: '2 sessions of grace ended.\n' });
  expect(JSON.parse((await run('session', 'list', '--json')).stdout)).toEqual([]);
  const log = await run('log', 'grace', '--json');
  const lines = log.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { action: string; actor: string });
  expect(lines.map(({ action }) => action)).toEqual([
    ...['sign-in', 'sign-in', 'sign-in'],
    ...['session-end', 'session-end', 'session-end'],
  ]);
  expect(lines.at(-1)?.actor).toBe('ops');
});
