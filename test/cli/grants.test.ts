import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { files, staffProject } from './fixture.ts';
import { repository, signalbox, signalboxProcess } from './support.ts';

const sample = { cwd: repository };

test.concurrent('who-can names everybody, and the line of each link', async () => {
  const { code, stdout, stderr } = await signalboxProcess(['who-can', 'LOCATIONS_GET'], sample);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [verdict, , heading, ...rows] = stdout.trimEnd().split('\n');
  expect(verdict).toBe('1 caller may use operation LOCATIONS_GET.');
  expect(heading).toMatch(/^WHO +BECAUSE +WHERE$/);
  expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['demo', 'demo has the role SAMPLE_ALL', expect.stringMatching(/^definitions\/security\.yaml:\d+:9$/)],
    ['SAMPLE_ALL has the list LOCATIONS', expect.stringMatching(/^definitions\/security\.yaml:\d+:20$/)],
    [
      'LOCATIONS grants operation LOCATIONS_GET',
      expect.stringMatching(/^definitions\/locations\/service\.yaml:\d+:13$/),
    ],
  ]);
  // As an editor opens it.
  for (const row of rows) expect(existsSync(join(repository, /(\S+\.yaml):/.exec(row)?.[1] ?? ''))).toBe(true);
});

test.concurrent.each([
  ['demo', 0, 'demo may use query PROCESS_MONITOR.', 'demo has the role SAMPLE_ALL'],
  ['guest', 1, 'guest may not use query PROCESS_MONITOR. Needed:', 'QUERY_USER grants query PROCESS_MONITOR'],
])('can %s is told by the exit code too: %i', async (user, code, verdict, because) => {
  const ran = await signalbox(['can', user, 'PROCESS_MONITOR'], sample);
  expect({ code: ran.code, stderr: ran.stderr, verdict: ran.stdout.split('\n')[0] }).toEqual({
    code,
    stderr: '',
    verdict,
  });
  expect(ran.stdout).toContain(because);
});

test.concurrent('can without a thing lists all, services of the package by the list that grants them', async () => {
  const { code, stdout } = await signalboxProcess(['can', 'demo', '--json'], sample);
  const told = JSON.parse(stdout) as {
    kind: string;
    id: string;
    may: boolean;
    needs: { chains: { at: object }[][] }[];
  }[];
  expect([code, told.every(({ may }) => may)]).toEqual([0, true]);
  const execute = told.find(({ id }) => id === 'QAS_EXECUTEQRY_REST_GET');
  expect(execute?.needs[0]?.chains[0]?.at(-1)).toMatchObject({
    because: 'QUERY_USER grants operation QAS_EXECUTEQRY_REST_GET',
    at: { file: 'definitions/security.yaml' },
  });
  expect(told.map(({ kind }) => kind)).toContain('flow');
  const none = await signalbox(['can', 'guest'], sample);
  expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/^guest may use 1 thing\.\n.*N_LOCATION_AUDIT/s)]);
});

test.concurrent('what is public is said so, and what only operations govern', async () => {
  const cwd = await staffProject();
  expect((await signalbox(['who-can', 'HELLO_GET'], { cwd })).stdout).toMatch(
    /^Everyone may use operation HELLO_GET, without credentials\.\n.*HELLO_GET is public +definitions\/staff\/service\.yaml:/s,
  );
  expect((await signalbox(['who-can', 'LOCATION_SETUP'], sample)).stdout).toContain(
    'There are no grants for component LOCATION_SETUP itself. Whoever may call',
  );
});

test.concurrent.each([
  [['who-can', 'LOCATIONS_GTE'], 'nothing that is granted has the id LOCATIONS_GTE\n  Did you mean LOCATIONS_GET?'],
  [
    ['can', 'dema'],
    'there is no user dema\n  Did you mean demo?\n  Pass --database to include the users of the database.',
  ],
])('%j is not understood', async (args, message) => {
  const { code, stdout, stderr } = await signalbox(args, sample);
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`signalbox: ${message}`),
  });
});

test.concurrent('can asks for a role, and for a token by what it says', async () => {
  const cwd = await staffProject({
    'definitions/users.yaml': `permission-list: GREETED
operations: [HELLO_*]
---
role: GUESTS
permission-lists: [GREETED]
---
scheme: TOKENS
bearer: { issuer: https://login.example.org, audience: a, jwks: keys.json, roles: { "hello:read": GUESTS } }
`,
    'definitions/staff/service.yaml': files['definitions/staff/service.yaml'].replace(
      /public: true(?=\n {4}request)/,
      '',
    ),
  });
  const can = async (...args: string[]) => {
    const { code, stdout, stderr } = await signalbox(['can', ...args], { cwd });
    return `${code}: ${stdout}${stderr}`;
  };
  const line = 'definitions/users.yaml';
  expect(await can('role:GUESTS', 'HELLO_GET')).toMatch(
    new RegExp(
      `^0: role GUESTS may use operation HELLO_GET\\.\\n.*WHERE\\nGUESTS has the list GREETED +${line}:5:20\\n.* +${line}:2:14\\n`,
      's',
    ),
  );
  expect(await can('TOKENS:hello:read', 'HELLO_GET')).toMatch(
    /^0: a token of TOKENS with scope hello:read may use .*has the role GUESTS +definitions\/users\.yaml:8:/s,
  );
  expect(await can('TOKENS:alice')).toBe(
    '2: signalbox: there is no token TOKENS:alice\n  A token is named by a value that gives roles: TOKENS:hello:read.\n',
  );
  expect(await can('role:GUEST')).toBe('2: signalbox: there is no role GUEST\n  Did you mean GUESTS?\n');
  expect(await can('GUESTS')).toMatch(/^2: signalbox: there is no user GUESTS\n {2}Did you mean role:GUESTS\?\n/);
});

test.concurrent('users of the database count where they are asked for', async () => {
  const cwd = await staffProject({
    'definitions/users.yaml': 'permission-list: GREETED\n---\nrole: GUESTS\npermission-lists: [GREETED]\n',
    'definitions/staff/service.yaml': files['definitions/staff/service.yaml'].replace(
      /(?<=\{NAME\}\n {4})public: true/,
      'permission: GREETED',
    ),
  });
  const added = await signalbox(['user', 'add', 'cleo', '--role', 'GUESTS', '--no-password'], { cwd });
  expect(added.code, added.stderr).toBe(0);
  const asked = ['who-can', 'HELLO_GET'];
  expect((await signalbox(asked, { cwd })).stdout).toMatch(/^No one may use/);
  expect((await signalbox([...asked, '--database'], { cwd })).stdout).toMatch(
    /^1 caller may use .*cleo has the role GUESTS +database\n/s,
  );
});

test.concurrent('a database is only read: one that is not up to date is left as it is', async () => {
  const cwd = await staffProject();
  for (const asked of [
    ['who-can', 'HELLO_GET', '--database'],
    ['can', 'guest', '--database'],
    ['user', 'list'],
    ['user', 'log'],
  ])
    expect(await signalbox(asked, { cwd })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^signalbox: the gateway's database lacks \d+ steps? of the schema of this version\n {2}Run signalbox migrate/,
      ),
    });
  expect(existsSync(join(cwd, '.signalbox'))).toBe(false);
});

/** Two versions of a service, of which the second is the default, and another service with an operation of that name. */
const versions = {
  'definitions/versions.yaml': ['Places.v1', 'Places.v2', 'Others.v1']
    .map((service) => {
      const more = service === 'Places.v2' ? 'default: true\n' : '';
      const names = service === 'Others.v1' ? ['SAME_GET'] : ['PLACES_GET', 'SAME_GET'];
      const operations = names.map((name) => `  ${name}: { get: "${name}", response: text, handler: hello-get }\n`);
      return `service: ${service}\n${more}permission: ${service.replace('.', '_')}\noperations:\n${operations.join('')}---\npermission-list: ${service.replace('.', '_')}\n`;
    })
    .concat('role: OLD\npermission-lists: [Places_v1]\n')
    .join('---\n'),
};

test.concurrent.each([
  ['PLACES_GET', 1, 'role OLD may not use operation PLACES_GET.', 'Places_v2 grants operation PLACES_GET'],
  ['Places.v2.PLACES_GET', 1, 'role OLD may not use operation PLACES_GET.', 'Places_v2 grants operation PLACES_GET'],
  [
    'Places.v1.PLACES_GET',
    0,
    'role OLD may use operation Places.v1.PLACES_GET.',
    'Places_v1 grants operation Places.v1.PLACES_GET',
  ],
  [
    'operation:Places.v1.SAME_GET',
    0,
    'role OLD may use operation Places.v1.SAME_GET.',
    'Places_v1 grants operation Places.v1.SAME_GET',
  ],
])('can names one version of an operation: %s', async (thing, code, verdict, because) => {
  const cwd = await staffProject(versions);
  const ran = await signalbox(['can', 'role:OLD', thing], { cwd });
  expect({ code: ran.code, stderr: ran.stderr, verdict: ran.stdout.split('\n')[0] }).toMatchObject({
    code,
    stderr: '',
    verdict: expect.stringContaining(verdict.replace(/\.$/, '')),
  });
  expect(ran.stdout).toContain(because);
});

test.concurrent.each([['can', 'role:OLD'], ['who-can']])('%s refuses a name of two services', async (...command) => {
  const { code, stderr } = await signalbox([...command, 'SAME_GET'], { cwd: await staffProject(versions) });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'signalbox: SAME_GET may mean Others.v1.SAME_GET or Places.v2.SAME_GET\n  Write one of them in full: Others.v1.SAME_GET.\n',
  });
});

test.concurrent('who-can, can and routes show names that lead back to the operation', async () => {
  const cwd = await staffProject(versions);
  const asked = await signalbox(['who-can', 'Places.v1.PLACES_GET', '--json'], { cwd });
  expect(JSON.parse(asked.stdout)).toMatchObject([{ id: 'Places.v1.PLACES_GET' }]);
  const all = JSON.parse((await signalbox(['can', 'role:OLD', '--json'], { cwd })).stdout) as { id: string }[];
  expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(['Places.v1.PLACES_GET', 'Places.v1.SAME_GET']));
  const routes = JSON.parse((await signalbox(['routes', '--json'], { cwd })).stdout) as { operation: string }[];
  expect(routes.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['PLACES_GET', 'Places.v1.PLACES_GET', 'Others.v1.SAME_GET', 'Places.v2.SAME_GET']),
  );
});

test.concurrent('the console is granted by its four things', async () => {
  const asked = ['console:act', 'console:users'].map((thing) => signalbox(['who-can', thing], sample));
  const [act, users] = await Promise.all(asked);
  expect(act?.stdout).toContain('1 caller may use console act.');
  expect(users?.stdout).toMatch(/OPERATORS grants console users +definitions\/security\.yaml:\d+:31/);
  expect((await signalbox(['can', 'demo', 'console:read'], sample)).code).toBe(0);
  expect((await signalbox(['can', 'guest', 'console:read'], sample)).code).toBe(1);
});
