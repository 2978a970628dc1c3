import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inOut, message, service, types, wrapper, wsdl } from '../import/wsdl/wsdl-text.ts';
import { signalbox, signalboxProcess, temporaryFolder, writeFiles } from './support.ts';

const GATEWAY = 'gateway: LOCAL\nnamespace: urn:test\nmigrations: migrations\n';

const orders = (version: string, fields: string): string =>
  `service: Orders.${version}\npublic: true\noperations:\n  ORDER_GET: { get: orders, response: ORDER_${version} }\n---\ndocument: ORDER_${version}\nxml: ORDER\nfields: { NUMBER: { type: integer, required: true }${fields} }\n`;

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' });
}

/** A repository with a project in a folder of it, in which a field was removed since the last commit. */
async function repositoryWith(
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly top: string; readonly cwd: string }> {
  const top = await temporaryFolder();
  const cwd = join(top, 'project');
  await writeFiles(cwd, {
    'definitions/gateway.yaml': GATEWAY,
    'definitions/orders/v1.yaml': orders('v1', ', NOTE: { type: text, required: true }'),
    'definitions/orders/v2.yaml': orders('v2', ', REMARK: text'),
    'migrations/0001-orders.sql': 'create table orders (number integer);\n',
    'large/unrelated.txt': 'x'.repeat(100_000),
    ...files,
  });
  git(top, 'init', '--quiet', '--initial-branch=main');
  git(top, 'add', '.');
  git(top, 'commit', '--quiet', '-m', 'First');
  await writeFile(join(cwd, 'definitions/orders/v1.yaml'), orders('v1', ''));
  return { top, cwd };
}

test.concurrent('compares what is committed with the working tree, and fails where it is asked to', async () => {
  const { cwd } = await repositoryWith();
  const { code, stdout, stderr } = await signalboxProcess(['diff'], { cwd });
  expect(stderr).toBe('');
  expect(stdout).toBe(`Orders.v1: ORDER_GET
  breaking       NOTE of the reply is removed.
                 field-removed at Orders.v1.ORDER_GET.reply.NOTE, definitions/orders/v1.yaml:8 > -

1 breaking.
`);
  expect(code).toBe(0);
  expect((await signalbox(['diff', '--fail-on', 'breaking'], { cwd })).code).toBe(1);
  expect((await signalbox(['diff', 'HEAD', '--fail-on', 'may-break'], { cwd })).code).toBe(1);
  expect(await signalbox(['diff', 'HEAD', 'main', '--fail-on', 'may-break'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'No changes.\n',
    stderr: '',
  });
});

test.concurrent('compares commits, tags, folders of projects and folders of definitions', async () => {
  const { top, cwd } = await repositoryWith();
  git(top, 'tag', 'v1.0.0');
  git(top, 'add', '.');
  git(top, 'commit', '--quiet', '-m', 'Second');
  const rules = async (...args: readonly string[]): Promise<string[]> => {
    const { stdout, stderr } = await signalbox(['diff', ...args, '--json'], { cwd });
    expect(stderr).toBe('');
    return (JSON.parse(stdout) as { changes: { rule: string }[] }).changes.map(({ rule }) => rule);
  };
  expect(await rules('v1.0.0')).toEqual(['field-removed']);
  expect(await rules('HEAD', 'v1.0.0')).toEqual(['required-field-added']);
  expect(await rules('HEAD~1', 'HEAD')).toEqual(['field-removed']);
  git(top, 'worktree', 'add', '--quiet', join(top, 'released'), 'v1.0.0');
  expect(await rules('../released/project')).toEqual(['field-removed']);
  expect(await rules('../released/project/definitions', '.')).toEqual(['field-removed']);
});

test.concurrent('compares two services of the same definitions', async () => {
  const { cwd } = await repositoryWith();
  const { code, stdout } = await signalbox(['diff', 'Orders.v1', 'Orders.v2', '--changelog'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toBe(`# Changes

## Orders.v1

### Breaking: change your side

- The service is called Orders.v2, no longer Orders.v1.

### May break: check your side

- ORDER\\_GET: The document of the reply is called ORDER\\_v2, no longer ORDER\\_v1. (generated clients)
- ORDER\\_GET: REMARK of the reply is new. (SOAP and XML, generated clients)
`);
  expect(await signalbox(['diff', 'Orders.v1', 'Orders.v3'], { cwd })).toMatchObject({
    code: 2,
    stderr: 'signalbox: these definitions have no service Orders.v3\n  Services: Orders.v1, Orders.v2.\n',
  });
});

test.concurrent('shows breaks that are accepted, and entries without effect', async () => {
  const { cwd } = await repositoryWith();
  const entry = (rule: string, until: string): string =>
    `  - { rule: ${rule}, at: Orders.v1.ORDER_GET, reason: No one reads it., until: ${until} }\n`;
  const accept = (...entries: readonly string[]): Promise<void> =>
    writeFile(join(cwd, 'definitions/gateway.yaml'), `${GATEWAY}accepted-breaks:\n${entries.join('')}`);
  await accept(entry('field-removed', '2999-12-31'), entry('field-required', '2999-12-31'));
  const accepted = await signalbox(['diff', '--fail-on', 'breaking'], { cwd });
  expect(accepted).toMatchObject({
    code: 0,
    stderr:
      'definitions/gateway.yaml:6: this entry of accepted-breaks has no effect: no change of the rule field-required is at Orders.v1.ORDER_GET.\n',
  });
  expect(accepted.stdout).toContain('  accepted       NOTE of the reply is removed.\n');
  expect(accepted.stdout).toContain('until 2999-12-31: No one reads it.\n');
  expect((await signalbox(['diff', '--markdown'], { cwd })).stdout).toContain(
    '(accepted until 2999-12-31: No one reads it.)',
  );
  await accept(entry('field-removd', '2999-12-31'));
  expect((await signalbox(['diff'], { cwd })).stderr).toBe(
    'definitions/gateway.yaml:5: this entry of accepted-breaks has no effect: field-removd is not a rule (did you mean field-removed?).\n',
  );
  await accept(entry('field-removed', '2020-01-01'));
  expect(await signalbox(['diff', '--fail-on', 'breaking'], { cwd })).toMatchObject({
    code: 1,
    stderr: 'definitions/gateway.yaml:5: this entry of accepted-breaks has no effect: it ended on 2020-01-01.\n',
  });
});

test.concurrent('reports errors of the definitions on either side', async () => {
  const { cwd } = await repositoryWith({ 'definitions/bad.yaml': 'document: BAD\nfields: { X: strin }\n' });
  await rm(join(cwd, 'definitions/bad.yaml'));
  const { code, stdout, stderr } = await signalbox(['diff'], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('The definitions of HEAD contain errors:\n\ndefinitions/bad.yaml:2:');
});

test.concurrent.each([
  [['diff', 'nosuch'], 2, 'nosuch is not a git reference, a folder, or a service of these definitions'],
  [['diff', 'nosuch.wsdl'], 2, 'nosuch.wsdl is not a file'],
  [['diff', '--output=x'], 2, "unknown option '--output=x'"],
  [['diff', 'HEAD', '--', '--output=x'], 2, '--output=x is not a git reference'],
  [
    ['diff', 'http://127.0.0.1:1/'],
    1,
    "http://127.0.0.1:1/ is neither a contract nor a gateway: http://127.0.0.1:1/ can't be fetched: connect ECONNREFUSED",
  ],
  [['diff', 'definitions/gateway.yaml'], 1, 'definitions/gateway.yaml'],
  [['diff', '../empty'], 1, '../empty has no folder definitions and no definitions'],
  [['diff', '--json', '--markdown'], 2, "option '--json' cannot be used with option '--markdown'"],
  [['diff', '--fail-on', 'compatible'], 2, "--fail-on can't be 'compatible'"],
])('%j is refused', async (args, exit, words) => {
  const { top, cwd } = await repositoryWith();
  await mkdir(join(top, 'empty'));
  const { code, stdout, stderr } = await signalbox(args, { cwd });
  expect(stderr).toContain(words);
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
});

test.concurrent('says what to do outside of a repository', async () => {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, { 'definitions/gateway.yaml': 'gateway: LOCAL\n' });
  const { code, stderr } = await signalbox(['diff'], { cwd, env: { GIT_CEILING_DIRECTORIES: cwd } });
  expect(code).toBe(1);
  expect(stderr).toContain('this folder is not in a git repository, and HEAD is not a folder');
});

/** The contract of a service Orders with an operation `place`. */
const contract = (...fields: readonly string[]): string =>
  wsdl(
    types(`${wrapper('place', ...fields)}${wrapper('placeResponse', 'number')}`) +
      message('place', 'element="t:place"') +
      message('placeReply', 'element="t:placeResponse"') +
      service({ place: inOut('place', 'placeReply') }),
  );

const openapi = (field: string): string =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Pets', version: '1' },
    paths: {
      '/pets': {
        get: {
          operationId: 'getPets',
          responses: {
            200: {
              description: 'Pets.',
              content: {
                'application/json': {
                  schema: { type: 'object', required: [field], properties: { [field]: { type: 'string' } } },
                },
              },
            },
          },
        },
      },
    },
  });

/** Lines of the changes: verdict, audience, rule and place. */
async function changesOf(cwd: string, ...args: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await signalbox(['diff', ...args, '--json'], { cwd });
  expect(stderr).toBe('');
  const { changes } = JSON.parse(stdout) as {
    changes: { verdict: string; audience: string; rule: string; at: string }[];
  };
  return changes.map(({ verdict, audience, rule, at }) => `${verdict} for ${audience}: ${rule} at ${at}`);
}

test.concurrent('compares contracts, of files and of addresses, for those who call what they describe', async ({
  onTestFinished,
}) => {
  const cwd = await temporaryFolder();
  const [old, now] = [contract('customer'), contract('customer', 'size')];
  await writeFiles(cwd, { 'old.wsdl': old, 'new.wsdl': now, 'a.json': openapi('name'), 'b.json': openapi('label') });
  const added = 'breaking for callers: required-field-added at Orders.v1.place.request.size';
  expect(await changesOf(cwd, 'old.wsdl', 'new.wsdl')).toEqual([added]);
  expect(await changesOf(cwd, 'old.wsdl', 'old.wsdl')).toEqual([]);
  expect(await changesOf(cwd, 'a.json', 'b.json')).toEqual([
    'may-break for callers: required-field-added at Pets.v1.getPets.reply.label',
    'breaking for callers: field-removed at Pets.v1.getPets.reply.name',
  ]);
  const server = createServer((_, response) => void response.end(now)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await changesOf(cwd, 'old.wsdl', `http://127.0.0.1:${port}/orders?wsdl`)).toEqual([added]);
});

test.concurrent('compares a contract with calls, or with what is served, of the same name', async () => {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, { 'old.wsdl': contract('customer'), 'new.wsdl': contract('customer', 'size') });
  await signalbox(['import', 'old.wsdl', '--name', 'partner'], { cwd });
  expect(await changesOf(cwd, 'old.wsdl')).toEqual([]);
  expect(await changesOf(cwd, 'new.wsdl')).toEqual([
    'breaking for called: field-removed at Orders.v1.place.request.size',
  ]);
  await rm(join(cwd, 'definitions'), { recursive: true });
  await signalbox(['import', 'old.wsdl', '--as', 'provider'], { cwd });
  expect(await changesOf(cwd, 'old.wsdl')).toEqual([]);
  expect(await changesOf(cwd, '.', 'new.wsdl')).toEqual([
    'breaking for callers: required-field-added at Orders.v1.place.request.size',
  ]);
  expect((await signalbox(['diff', '.', 'new.wsdl', '--fail-on', 'breaking'], { cwd })).code).toBe(1);
  await writeFiles(cwd, { 'pets.json': openapi('name') });
  expect(await signalbox(['diff', 'pets.json'], { cwd })).toMatchObject({
    code: 2,
    stderr:
      'signalbox: no service of pets.json corresponds to one of the definitions, by its name or its operations\n  Services of the contract: Pets.v1; of the definitions: Orders.v1.\n',
  });
});
