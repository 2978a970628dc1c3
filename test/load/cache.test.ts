import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generate, knownIds } from '../../src/generate/index.ts';
import { loadCached } from '../../src/load/cache.ts';
import { catalogue } from '../../src/load/diagnostic/catalogue.ts';
import { extentOf } from '../../src/load/diagnostic/place.ts';
import { editorSchema, type LoadedProject, loadProject, registryOf, renderDiagnostics } from '../../src/load/index.ts';
import { projectOf, splitFiles } from './project-text.ts';
import { diagnosticSample } from './samples.ts';

let root = '';
const cached = (): string => {
  const folder = existsSync(join(root, '.signalbox')) ? '.signalbox/cache' : 'node_modules/.cache/signalbox';
  return join(root, folder, 'registry');
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-cache-'));
});
afterEach(() => {
  for (const each of [root, `${root}-other`]) rmSync(each, { recursive: true, force: true });
});

/** The same moment for all files, so that no time tells that one was written. */
const MOMENT = new Date('2026-01-01T00:00:00Z');

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  utimesSync(join(root, path), MOMENT, MOMENT);
}

const SMALL = {
  'definitions/gateway.yaml': 'gateway: LOCAL\nmigrations: migrations\nsample-data: sample/*.sql\n',
  'definitions/a.yaml':
    'service: Orders.v1\npermission: ORDERS\noperations:\n  ORDERS_GET:\n    get: Orders/{ID}\n    request: { fields: { ID: { type: string(20), pattern: "[a-z]+" } } }\n    response: { fields: { PRICE: decimal(10.2) } }\n',
  'definitions/lists.yaml': 'permission-list: ORDERS\n',
  'definitions/sample/1.sql': 'insert into orders values (1);\n',
  'migrations/0001-orders.sql': 'create table orders (id integer);\n',
  'src/handlers/orders-get.ts': 'export default {};\n',
};

function writeSmall(): void {
  mkdirSync(join(root, '.signalbox'), { recursive: true });
  for (const [path, content] of Object.entries(SMALL)) write(path, content);
}

interface Options {
  readonly build?: string;
  readonly handlers?: 'check' | 'ignore-missing';
  readonly definitions?: string;
}

/** Loads through the cache, lets it be written, and reports whether the project came from it. */
async function load({ build = 'one', ...options }: Options = {}): Promise<{ project: LoadedProject; hit: boolean }> {
  const { project, keep } = await loadCached({ root, build, ...options });
  const before = readIfThere();
  keep();
  // A file that is written again is another one.
  const hit = before !== undefined && project.registry !== undefined && before === readIfThere();
  return { project, hit };
}

function readIfThere(): number | undefined {
  return statSync(cached(), { throwIfNoEntry: false })?.ino;
}

/** Everything that can be seen of a value, references to one object included. */
function graph(value: unknown): string {
  const numbers = new Map<object, number>();
  const lines: string[] = [];
  const visit = (each: unknown): unknown => {
    if (typeof each !== 'object' || each === null) return each === undefined ? 'undefined' : [typeof each, `${each}`];
    const known = numbers.get(each);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(each, number);
    const parts =
      each instanceof Map
        ? [...each].map((pair) => pair.map(visit))
        : each instanceof Set
          ? [...each].map(visit)
          : Object.entries(each).map(([key, part]) => [key, visit(part)]);
    const { name } = Object.getPrototypeOf(each).constructor;
    lines.push(JSON.stringify([number, name, Object.isFrozen(each), extentOf(each), parts]));
    return number;
  };
  visit(value);
  return lines.join('\n');
}

/** A load through the cache gives what a load gives. */
async function expectSame(options: Options = {}): Promise<boolean> {
  const { project, hit } = await load(options);
  const { build, ...rest } = options;
  const fresh = loadProject({ root, ...rest });
  expect(renderDiagnostics(project, { colour: false })).toBe(renderDiagnostics(fresh, { colour: false }));
  expect(graph(project)).toBe(graph(fresh));
  return hit;
}

describe('definitions that have not changed', () => {
  it('are linked once: the next process gets the same registry', async () => {
    writeSmall();
    expect(await expectSame()).toBe(false);
    expect(await expectSame()).toBe(true);
    const { registry } = (await load()).project;
    const operation = registry?.operations.get('ORDERS_GET');
    expect(operation?.permissions[0]).toBe(registry?.permissionLists.get('ORDERS'));
    expect(() => (registry?.operations as Map<string, unknown>).delete('ORDERS_GET')).toThrow('frozen');
  });

  it('give the same warnings again', async () => {
    writeSmall();
    write('definitions/sample/1.sql', 'create table orders (id integer);\n');
    await load();
    expect(await expectSame()).toBe(true);
    expect((await load()).project.diagnostics.map(({ code }) => code)).toEqual(['sample-data-tables']);
  });

  it('are linked on every load where the code has no build: it may have changed', async () => {
    writeSmall();
    const { keep } = await loadCached({ root, build: undefined });
    keep();
    expect(existsSync(cached())).toBe(false);
  });

  it('are not kept while they have errors', async () => {
    writeSmall();
    write('definitions/lists.yaml', 'permission-list: ORDRES\n');
    await expectSame();
    expect(existsSync(cached())).toBe(false);
  });

  it('with all handlers are the same where missing ones are ignored, not the other way round', async () => {
    writeSmall();
    await load({ handlers: 'check' });
    expect(await expectSame({ handlers: 'ignore-missing' })).toBe(true);
    rmSync(join(root, 'src'), { recursive: true });
    expect(await expectSame({ handlers: 'ignore-missing' })).toBe(false);
    expect(await expectSame({ handlers: 'ignore-missing' })).toBe(true);
    await expectSame({ handlers: 'check' });
    expect((await load({ handlers: 'check' })).project.diagnostics.map(({ code }) => code)).toEqual([
      'missing-handler',
    ]);
  });
});

describe('a change is never overlooked', () => {
  const changes: Readonly<Record<string, () => void>> = {
    'of a text, at the same size and time': () =>
      write('definitions/a.yaml', SMALL['definitions/a.yaml'].replace('string(20)', 'string(30)')),
    'by a new file': () => write('definitions/deep/b.yaml', 'permission-list: MORE\n'),
    'by a file less': () => rmSync(join(root, 'definitions/lists.yaml')),
    'by a new name': () => renameSync(join(root, 'definitions/a.yaml'), join(root, 'definitions/z.yaml')),
    'of a name of a handler': () =>
      renameSync(join(root, 'src/handlers/orders-get.ts'), join(root, 'src/handlers/orders-put.ts')),
    'by another handler': () => write('src/handlers/more.ts', ''),
    'of a migration': () => write('migrations/0001-orders.sql', 'create table orders (id boolean);\n'),
    'by another migration': () => write('migrations/0002-more.sql', 'create table more (id integer);\n'),
    'of sample data': () => write('definitions/sample/1.sql', 'create table orders (id integer);\n'),
    'of the committed registry': () => write('generated/registry.json', '{"operations":{"ORDERS_GET":{"uris":["x"]}}}'),
    'of a file into a link out of the project': () => {
      const other = `${root}-other`;
      mkdirSync(other);
      renameSync(join(root, 'definitions/a.yaml'), join(other, 'a.yaml'));
      symlinkSync(join(other, 'a.yaml'), join(root, 'definitions/a.yaml'));
    },
  };

  it.each(Object.keys(changes))('%s', async (name) => {
    writeSmall();
    await load();
    expect(await expectSame()).toBe(true);
    changes[name]?.();
    expect(await expectSame()).toBe(false);
  });

  it('of the build or of the folder of definitions', async () => {
    writeSmall();
    await load();
    expect(await expectSame({ build: 'two' })).toBe(false);
    expect(await expectSame({ build: 'two' })).toBe(true);
    mkdirSync(join(root, 'other'));
    for (const name of ['a.yaml', 'gateway.yaml', 'lists.yaml', 'sample'])
      symlinkSync(join(root, 'definitions', name), join(root, 'other', name));
    expect(await expectSame({ build: 'two', definitions: 'other' })).toBe(false);
  });

  it('whatever is edited, in any order', async () => {
    const paths = [...Object.keys(SMALL), 'definitions/b.yaml', 'migrations/0002-b.sql', 'src/handlers/b-get.ts'];
    const contents = [
      ...Object.values(SMALL),
      'permission-list: ORDERS\n',
      'permission-list: OTHERS\n',
      'role: CLERK\npermission-lists: ORDERS\n',
      'create table b (id integer);\n',
      'gateway: LOCAL\n',
      'gateway: [\n',
      '',
    ];
    const edit = fc.record({
      path: fc.constantFrom(...paths),
      to: fc.oneof(fc.constantFrom(...contents), fc.constant(undefined), fc.constant('as it was')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => {
        rmSync(root, { recursive: true, force: true });
        writeSmall();
        await load();
        for (const { path, to } of edits) {
          const content = to === 'as it was' ? SMALL[path as keyof typeof SMALL] : to;
          if (content === undefined) rmSync(join(root, path), { force: true });
          else write(path, content);
          await expectSame();
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a file that may not be ours', () => {
  beforeEach(async () => {
    writeSmall();
    await load();
    forge();
    expect((await load()).project.diagnostics.map(({ message }) => message)).toEqual(['forged']);
  });

  /** Puts a warning into the file in the right form: a load that uses the file shows it. */
  function forge(): void {
    const bytes = readFileSync(cached());
    const end = bytes.indexOf('\n');
    const at = { file: 'definitions/a.yaml', line: 1, column: 1 };
    const diagnostics = [{ code: 'forged', severity: 'warning', message: 'forged', at }];
    const body = serialize({ ...deserialize(bytes.subarray(end + 1)), diagnostics });
    const sum = createHash('sha256').update(body).digest('hex');
    const head = JSON.stringify({ ...JSON.parse(bytes.toString('utf8', 0, end)), sum });
    writeFileSync(cached(), Buffer.concat([Buffer.from(`${head}\n`), body]));
  }

  const spoil = (change: (bytes: Buffer) => Buffer): void => writeFileSync(cached(), change(readFileSync(cached())));
  const damages: Readonly<Record<string, () => void>> = {
    empty: () => spoil(() => Buffer.alloc(0)),
    'cut off': () => spoil((bytes) => bytes.subarray(0, -100)),
    'cut off in its first line': () => spoil((bytes) => bytes.subarray(0, 20)),
    'changed in one bit of a text': () =>
      spoil((bytes) => {
        const at = bytes.indexOf('ORDERS_GET', bytes.indexOf('\n'));
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        return bytes;
      }),
    'something else': () => writeFileSync(cached(), '[1]\n2'),
    'writable to others': () => chmodSync(cached(), 0o666),
    'in a folder that others can write to': () => chmodSync(dirname(cached()), 0o777),
    'behind a link': () => {
      renameSync(cached(), join(root, 'elsewhere'));
      symlinkSync(join(root, 'elsewhere'), cached());
    },
  };

  it.each(Object.keys(damages))('is not used: %s', async (name) => {
    damages[name]?.();
    await expectSame();
  });

  it('is not used, and nothing is written beside it, where another user owns it', async ({ skip }) => {
    if (process.geteuid?.() !== 0) skip();
    chownSync(cached(), 12345, 12345);
    await expectSame();
    // It is replaced by one that is ours.
    expect(statSync(cached()).uid).toBe(0);
    forge();
    chownSync(dirname(cached()), 12345, 12345);
    const before = readFileSync(cached());
    await expectSame();
    expect(readFileSync(cached())).toEqual(before);
  });

  it('is replaced when it is damaged', async () => {
    damages['cut off']?.();
    await load();
    expect((await load()).hit).toBe(true);
  });

  it('can be deleted', async () => {
    rmSync(dirname(cached()), { recursive: true });
    expect(await expectSame()).toBe(false);
    expect(await expectSame()).toBe(true);
  });
});

describe('the folder', () => {
  it('is not needed: where it can not be made, each load links', async () => {
    writeSmall();
    write('.signalbox/cache', 'not a folder');
    expect(await expectSame()).toBe(false);
    expect(await expectSame()).toBe(false);
  });

  it('is made where a gateway has run: reading a project does not change it', async () => {
    writeSmall();
    rmSync(join(root, '.signalbox'), { recursive: true });
    expect(await expectSame()).toBe(false);
    expect(existsSync(join(root, '.signalbox'))).toBe(false);
  });

  it('is that of other tools where no gateway has run', async () => {
    writeSmall();
    rmSync(join(root, '.signalbox'), { recursive: true });
    mkdirSync(join(root, 'node_modules'));
    expect(await expectSame()).toBe(false);
    expect(await expectSame()).toBe(true);
    expect(readdirSync(join(root, 'node_modules/.cache/signalbox'))).toEqual(['registry']);
    expect(existsSync(join(root, '.signalbox'))).toBe(false);
  });

  it('belongs to this user alone', async () => {
    writeSmall();
    await load();
    const modeOf = (path: string): number => statSync(path).mode & 0o777;
    expect([modeOf(dirname(cached())), modeOf(cached())]).toEqual([0o700, 0o600]);
  });

  it("is not made in another user's state folder", async ({ skip }) => {
    if (process.geteuid?.() !== 0) skip();
    writeSmall();
    chownSync(join(root, '.signalbox'), 12345, 12345);
    await load();
    expect(existsSync(dirname(cached()))).toBe(false);
  });

  it('is written by several at once, with nothing left over', async () => {
    writeSmall();
    const all = await Promise.all(Array.from({ length: 5 }, () => loadCached({ root, build: 'one' })));
    for (const { keep } of all) keep();
    expect(await expectSame()).toBe(true);
    expect(readdirSync(dirname(cached())).sort()).toEqual(['registry']);
  });
});

describe('every kind of definition', () => {
  const folder = new URL('./cases/', import.meta.url);
  const texts = [
    ...Object.keys(catalogue).map((code) => diagnosticSample(code).right),
    ...readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8').split(/^-{10,}\n/m)[0] ?? ''),
  ].filter((text) => !text.includes('\\xff'));

  function writeProject(text: string): void {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(join(root, '.signalbox'), { recursive: true });
    for (const [path, content] of splitFiles(text)) write(path, content);
    for (const each of projectOf(text).definitions) if (each.kind === 'text') write(each.file, each.text);
  }

  it('comes back as it was', async () => {
    let sound = 0;
    for (const text of texts) {
      writeProject(text);
      const { project } = await load({ handlers: 'ignore-missing' });
      if (project.registry === undefined) continue;
      sound += 1;
      expect(await expectSame({ handlers: 'ignore-missing' }), text).toBe(true);
    }
    expect(sound).toBeGreaterThanOrEqual(Object.keys(catalogue).length);
  });

  it('gives the same generated files', async () => {
    const sample = fileURLToPath(new URL('../../', import.meta.url));
    mkdirSync(join(root, '.signalbox'));
    for (const part of ['definitions', 'generated', 'src/handlers'])
      cpSync(join(sample, part), join(root, part), { recursive: true });
    await load();
    expect(await expectSame()).toBe(true);
    const [linked, restored] = [loadProject({ root }), (await load()).project].map((project) => {
      const registry = registryOf(project);
      return generate(registry, { schema: editorSchema(knownIds(registry)) });
    });
    expect(restored).toEqual(linked);
  });

  it('refers to no object of our modules: code that recognises one would not recognise its copy', () => {
    const shared = new Set<string>();
    for (const text of texts) {
      writeProject(text);
      const [first, second] = [1, 2].map(() => objectsIn(loadProject({ root, handlers: 'ignore-missing' }).registry));
      for (const each of first ?? []) if (second?.has(each)) shared.add(textOf(each));
    }
    expect([...shared]).toEqual([]);
  });

  const textOf = (value: object): string =>
    JSON.stringify(value instanceof Map || value instanceof Set ? [...value] : value);
});

function objectsIn(value: unknown): Set<object> {
  const found = new Set<object>();
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || found.has(each)) return;
    found.add(each);
    const parts = each instanceof Map ? [...each].flat() : each instanceof Set ? each : Object.values(each);
    for (const part of parts) visit(part);
  };
  visit(value);
  return found;
}
