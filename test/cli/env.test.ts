import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { files, staffPath, staffProject } from './fixture.ts';
import { poll } from './poll.ts';
import { repository, signalbox, signalboxProcess, start } from './support.ts';

const nodes = `node: STOCK
base: \${env:STOCK_URL}
credential: { api-key: { header: X-Api-Key, value: "\${secret:STOCK_KEY}" } }
---
node: PRINTERS
base: \${env:PRINTERS_URL:-https://printers.example.org}
ca-file: \${env:CA_FILE:-certificates/our own.pem}
---
node: LABELS
base: \${env:PRINTERS_URL:-https://printers.example.org}/labels
`;

/** A project that refers to each kind of setting; \`more\` is files next to its definitions. */
const withNodes = (more: Readonly<Record<string, string>> = {}): Promise<string> =>
  staffProject({ 'definitions/nodes.yaml': nodes, ...more });

interface Listed {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly reason?: string;
  readonly default?: string;
  readonly usedIn: readonly object[];
}

async function listed(cwd: string, args: readonly string[] = [], env = {}): Promise<Map<string, Listed>> {
  const { stdout } = await signalbox(['env', '--json', ...args], { cwd, env });
  return new Map((JSON.parse(stdout) as Listed[]).map((each) => [each.name, each]));
}

test('lists every setting with its state, its default and each use; 1 when one is missing', async () => {
  const cwd = await withNodes();
  const { code, stdout, stderr } = await signalbox(['env'], { cwd, env: { STOCK_URL: 'https://stock.example.org' } });
  const line = (pattern: RegExp): void => expect(stdout).toMatch(pattern);
  line(
    /^DATABASE_URL +env +default +sqlite:\.signalbox\/signalbox\.db +definitions\/gateway\.yaml:4 +database of the gateway LOCAL$/m,
  );
  line(/^STOCK_URL +env +environment +definitions\/nodes\.yaml:2 +base of the node STOCK$/m);
  line(/^STOCK_KEY +secret +missing +definitions\/nodes\.yaml:3 +credential\.api-key\.value of the node STOCK$/m);
  line(
    /^PRINTERS_URL +env +default +https:\S+ +definitions\/nodes\.yaml:6 +base of the node PRINTERS\n +definitions\/nodes\.yaml:10 +base of the node LABELS$/m,
  );
  expect({ code, stderr }).toEqual({ code: 1, stderr: '1 setting missing: STOCK_KEY.\n' });
  expect(stdout).not.toContain('stock.example.org');

  const set = { STOCK_URL: 'https://stock.example.org', STOCK_KEY: 'k-4711' };
  const complete = await signalbox(['env'], { cwd, env: set });
  expect(complete).toMatchObject({ code: 0, stderr: '' });
  expect(complete.stdout).not.toContain('k-4711');
});

test('lists defaults of fields that a call fills in, and the database of a gateway that names none', async () => {
  const cwd = await withNodes({
    'definitions/gateway.yaml': 'gateway: LOCAL\n',
    'definitions/calls.yaml': `service: Stock.v1
operations:
  STOCK_GET:
    target: STOCK
    get: Stock/{ITEM}{?site}
    request:
      fields: { ITEM: { type: string, required: true }, site: { type: string, default: "\${env:SITE}" } }
    response: { fields: { COUNT: integer } }
  OTHER_GET:
    get: Other/{ITEM}
    query: EMPLOYEES_BY_DEPT
    description: Write \${env:PROSE} for the sake of it.
`,
  });
  const all = await listed(cwd);
  expect(all.get('SITE')).toMatchObject({ state: 'missing', usedIn: [{ by: 'default of the field site' }] });
  expect(all.get('DATABASE_URL')).toMatchObject({ state: 'default', usedIn: [{ file: 'definitions/gateway.yaml' }] });
  expect(all.has('PROSE')).toBe(false);
});

test('a secret in a file counts as set, and one that can not be read is missing with the reason', async () => {
  const cwd = await withNodes({ key: 'k-4711\n' });
  const found = await listed(cwd, [], { STOCK_KEY_FILE: join(cwd, 'key') });
  expect(found.get('STOCK_KEY')).toMatchObject({ state: 'STOCK_KEY_FILE' });
  const lost = await listed(cwd, [], { STOCK_KEY_FILE: join(cwd, 'absent') });
  expect(lost.get('STOCK_KEY')).toMatchObject({ state: 'missing', reason: expect.stringContaining('STOCK_KEY_FILE') });
});

test('definitions with errors are listed as far as they can be read', async () => {
  const cwd = await withNodes({ 'definitions/broken.yaml': 'node: BROKEN\nbse: x\n' });
  const { stdout, stderr } = await signalbox(['env'], { cwd });
  expect(stdout).toContain('STOCK_KEY');
  expect(stderr).toContain('The definitions have errors, so the list may be incomplete.');
});

test('.env.example: --example prints it, --check reports what it lacks and accepts more', async () => {
  const cwd = await withNodes();
  const { stdout, code } = await signalbox(['env', '--example'], { cwd });
  expect(code).toBe(0);
  expect(parseEnv(stdout)).toEqual({ STOCK_URL: '', STOCK_KEY: '' });
  expect(parseEnv(stdout.replaceAll(/^# ([A-Z_]+=)/gm, '$1'))).toMatchObject({
    CA_FILE: 'certificates/our own.pem',
    DATABASE_URL: 'sqlite:.signalbox/signalbox.db',
  });
  expect(stdout).toContain('# base of the node STOCK (definitions/nodes.yaml)\nSTOCK_URL=\n');

  expect(await signalbox(['env', '--check'], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('.env.example lacks DATABASE_URL, STOCK_URL, STOCK_KEY, PRINTERS_URL, CA_FILE\n'),
  });
  const path = join(cwd, '.env.example');
  await writeFile(path, `${stdout}OUR_OWN=1\n`);
  expect(await signalbox(['env', '--check'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  await writeFile(path, (await readFile(path, 'utf8')).replace('STOCK_KEY=', ''));
  expect((await signalbox(['env', '--check'], { cwd })).stderr).toContain('.env.example lacks STOCK_KEY\n');
});

test('the environment wins over .env; --env-file replaces .env, and a later one wins over an earlier one', async () => {
  const cwd = await withNodes({
    '.env': 'STOCK_URL=https://env.example.org\nSTOCK_KEY="two\nlines"\n',
    'one.env': 'STOCK_URL=https://one.example.org\nCA_FILE=one.pem\n',
    'two.env': 'export STOCK_URL=https://two.example.org # the second\n',
  });
  const statesOf = async (args: readonly string[], env = {}): Promise<unknown[]> => {
    const all = await listed(cwd, args, env);
    return ['STOCK_URL', 'STOCK_KEY', 'CA_FILE'].map((name) => all.get(name)?.state);
  };
  expect(await statesOf([])).toEqual(['.env', '.env', 'default']);
  expect(await statesOf([], { STOCK_URL: 'https://x.example.org' })).toEqual(['environment', '.env', 'default']);
  expect(await statesOf(['--env-file', 'one.env', '--env-file', 'two.env'])).toEqual(['two.env', 'missing', 'one.env']);
  expect(await statesOf(['--no-env-file'])).toEqual(['missing', 'missing', 'default']);
  // Before the command too, as --definitions.
  const early = await signalbox(['--env-file', 'one.env', 'env'], { cwd });
  expect(early.stdout).toMatch(/^CA_FILE +env +one\.env/m);
});

test('a file that is named must exist; a line that is no assignment is reported by its number, never its text', async () => {
  const cwd = await withNodes({
    '.env': '# ok\nSTOCK_URL: https://x\n\nSTOCK_KEY="a\nb"\nsecret-without-name\nPORT=1\n',
  });
  const { stderr } = await signalbox(['env'], { cwd });
  expect(stderr).toContain('.env:2 is ignored: it is not NAME=value, a comment or blank.\n.env:6 is ignored');
  expect(stderr.match(/is ignored/g)).toHaveLength(2);
  expect(stderr).not.toContain('secret-without-name');
  expect(await signalbox(['check', '--env-file', 'absent.env'], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the settings in absent.env can't be read: the file does not exist"),
  });
});

test('commands take their settings from it: serve its port, dev also edits of it', { timeout: 40_000 }, async () => {
  const cwd = await staffProject({
    '.env': 'PORT=0\nGREETING=Hello\n',
    'src/greet.ts': 'export const greet = (name: string): string => `${process.env.GREETING}, ${name}`;\n',
  });
  const dev = start(['dev'], { cwd });
  const [, address = ''] = await dev.until(/^Signalbox is ready on (http:\/\/\S+)/m);
  const greeting = async (): Promise<string> => (await fetch(`${address}${staffPath}/Hello/Ada`)).text();
  expect(await greeting()).toContain('Hello, Ada');
  await writeFile(join(cwd, '.env'), 'PORT=0\nGREETING=Ciao\n');
  await poll('the new greeting', async () => (await greeting()).includes('Ciao, Ada') || undefined);
  await dev.stop();
});

test('the .env.example of the sample has all of its settings', async () => {
  expect(await signalbox(['env', '--check'], { cwd: repository })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\.env\.example has \d+ settings/),
  });
});

const withSettings = (): Promise<string> =>
  staffProject({
    'definitions/gateway.yaml': `${files['definitions/gateway.yaml']}settings:
  CARRIER_KEY: { value: "\${secret:CARRIER_KEY}", description: The key of our account. }
  HEAVIEST: { value: "\${env:HEAVIEST:-30}", type: int }
`,
  });

test('lists the settings of code, and shows what they are for in .env.example', async () => {
  const cwd = await withSettings();
  const { stdout } = await signalbox(['env'], { cwd });
  expect(stdout).toMatch(
    /^CARRIER_KEY +secret +missing +definitions\/gateway\.yaml:\d+ +settings\.CARRIER_KEY\.value of the gateway LOCAL$/m,
  );
  expect(stdout).toMatch(/^HEAVIEST +env +default +30 /m);
  const example = await signalbox(['env', '--example'], { cwd });
  expect(example.stdout).toContain(
    '# The key of our account.\n# settings.CARRIER_KEY.value of the gateway LOCAL (definitions/gateway.yaml)\n',
  );
});

test('serve starts with a warning while something is not set; with --strict-env it does not start', async () => {
  const cwd = await withSettings();
  const said =
    'CARRIER_KEY is not set, and neither is CARRIER_KEY_FILE; needed by settings.CARRIER_KEY.value of the gateway LOCAL (definitions/gateway.yaml:';
  const strict = await signalboxProcess(['serve', '--strict-env'], { cwd, env: { PORT: '0' } });
  expect(strict).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`signalbox: ${said}`) });
  const gateway = start(['serve'], { cwd, env: { PORT: '0' } });
  await gateway.until(/^Signalbox is ready on /m);
  expect(gateway.output()).toContain(said);
  await gateway.stop();
  const complete = start(['serve', '--strict-env'], { cwd, env: { PORT: '0', CARRIER_KEY: 'k-4711' } });
  await complete.until(/^Signalbox is ready on /m);
  expect(complete.output()).not.toContain('k-4711');
  await complete.stop();
});
