import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const src = join(root, 'src');

/**
 * What a folder imports beside `model` and `wire`, which all may: folders of ours, then packages. Data moves one way:
 * definitions > load > model > what is made of it. `type:` stands where nothing but types is taken.
 */
const TABLE: Readonly<Record<string, string>> = {
  wire: 'croner fast-xml-parser mime re2js url-template',
  model: '',
  kinds: 'messaging',
  load: 'kinds messaging/link ajv yaml',
  codec: '',
  trace:
    '@opentelemetry/api @opentelemetry/exporter-logs-otlp-proto @opentelemetry/exporter-metrics-otlp-proto @opentelemetry/exporter-trace-otlp-proto @opentelemetry/resources @opentelemetry/sdk-logs @opentelemetry/sdk-metrics @opentelemetry/sdk-trace-base',
  binding: 'codec',
  store: 'trace better-sqlite3 kysely pg',
  wsse: 'xml-crypto',
  security: 'store wsse jose kysely oauth4webapi rate-limiter-flexible',
  query: 'codec load store trace better-sqlite3 fflate mysql2 type:pg',
  process: 'codec type:query security store trace kysely',
  event: 'codec security store trace kysely',
  messaging: 'kinds type:messaging/run type:operator',
  'messaging/link': 'load',
  'messaging/run': 'binding codec invoke security store trace kysely',
  'messaging/serve': 'serve',
  'messaging/console': 'codec console messaging type:messaging/run type:operator',
  'messaging/cli': 'cli codec messaging type:messaging/run serve commander',
  'messaging/delivered': 'delivered type:messaging/run',
  moving: 'store kysely',
  operator: 'type:process type:security type:store',
  delivered: 'messaging/delivered type:messaging/run type:process query type:store',
  describe: '',
  diff: '',
  generate: 'describe kinds',
  import: '@seriousme/openapi-schema-validator yaml',
  invoke: 'binding codec load trace wsse oauth4webapi undici',
  client: 'invoke load store',
  console:
    'codec describe invoke kinds messaging/console type:messaging/run operator type:process type:query security type:store @dagrejs/dagre hono htmx.org idiomorph uplot',
  serve:
    'binding codec console delivered describe event invoke load messaging/run messaging/serve process query security store trace wsse @hono/node-server hono pino prom-client',
  mock: 'binding codec describe invoke kinds load query security serve store trace wsse',
  testing: 'codec describe invoke load mock security serve store pg',
  cli: 'codec describe diff generate import invoke load messaging/cli mock moving operator type:process query security serve store better-sqlite3 commander picocolors',
  handlers: 'signalbox',
  '.': 'client codec invoke load serve store',
};

/** What all may import; of these, `model` takes types of `wire`, and `wire` nothing of ours. */
const GROUND: readonly string[] = ['model', 'wire'];

/** Where files are read and written. */
const READS_FILES = /^src\/(cli|serve|store|query|testing|console\/assets\.ts|load\/(?:cache|read\/files)\.ts)/;

/** Files above 600 lines, and why each is one subject all the same. */
const LONG: Readonly<Record<string, string>> = {};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/[^\n]*/g, '$1');
  const found: Import[] = [];
  for (const match of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'"`;]*?\bfrom\s+'([^']+)'|(?:^|\n)\s*import\s+'([^']+)'|\bimport\(\s*'([^']+)'/g,
  )) {
    const to = (match[2] ?? match[3] ?? match[4]) as string;
    // An import inside a template that writes code is text.
    if (to.includes('${')) continue;
    found.push({ from: file, to, typeOnly: match[1] !== undefined });
  }
  return found;
}

/** Features: folders with a part for each stage, which is a row of its own. What all stages take stands in the folder itself. */
const FEATURES: ReadonlySet<string> = new Set(['messaging']);

const folderOf = (file: string): string => {
  const [first = '', second, third] = relative(src, file).split('/');
  if (second === undefined) return '.';
  return FEATURES.has(first) && third !== undefined ? `${first}/${second}` : first;
};

const lengthOf = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;

const files = filesBelow(src);
const imports = files.flatMap(importsOf);
const isOurs = ({ to }: Import): boolean => to.startsWith('.');
const target = ({ from, to }: Import): string => resolve(dirname(from), to);

/** The folder or the package that an import names. */
function nameOf(each: Import): string {
  if (isOurs(each)) return folderOf(target(each));
  return each.to
    .split('/')
    .slice(0, each.to.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Imports that leave their folder; those of Node are no concern of the table. */
const leaving = imports.filter((each) => !each.to.startsWith('node:') && nameOf(each) !== folderOf(each.from));

describe('the import table', () => {
  it('covers every folder of src', () => {
    expect(new Set(files.map(folderOf))).toEqual(new Set(Object.keys(TABLE)));
  });

  it('allows what is imported', () => {
    const wrong = leaving.filter((each) => {
      const [from, to] = [folderOf(each.from), nameOf(each)];
      // The sample's own code is typed by what is generated.
      if (to === '..') return from !== 'handlers' || !relative(src, target(each)).startsWith('../generated/');
      if (GROUND.includes(to)) return from === 'wire' || (from === 'model' && !each.typeOnly);
      const allowed = (TABLE[from] ?? '').split(' ');
      return !allowed.includes(to) && !(each.typeOnly && allowed.includes(`type:${to}`));
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it('imports the dependencies of package.json, and docs/architecture.md says what each is for', () => {
    const { dependencies } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8'));
    const imported = new Set(leaving.map(nameOf));
    const page = readFileSync(join(src, '../docs/architecture.md'), 'utf8');
    const table = page.slice(
      page.indexOf('| package | what it does here |'),
      page.indexOf('| written here | because |'),
    );
    for (const name of Object.keys(dependencies))
      expect([name, imported.has(name), table.includes(`\`${name}\``)]).toEqual([name, true, true]);
  });

  it('allows nothing else', () => {
    const used = new Set(
      leaving.map((each) => `${folderOf(each.from)}: ${each.typeOnly ? 'type:' : ''}${nameOf(each)}`),
    );
    const rows = Object.entries(TABLE).flatMap(([from, list]) => list.split(' ').map((to) => `${from}: ${to}`));
    const idle = rows.filter((row) => !row.endsWith(' ') && !used.has(row));
    expect(idle).toEqual([]);
  });

  it('keeps the file system to where files are read and written', () => {
    const wrong = imports.filter((each) => /^node:fs/.test(each.to) && !READS_FILES.test(relative(root, each.from)));
    expect(wrong.map(shown)).toEqual([]);
  });
});

describe('the files of src', () => {
  it('lay out graphs in a thread alone: hundreds of boxes take a second, in which nothing else would run', () => {
    const thread = join(src, 'console/areas/map/layout-thread.ts');
    expect(imports.filter(({ to }) => to === '@dagrejs/dagre').map(({ from }) => from)).toEqual([thread]);
    expect(imports.filter((each) => isOurs(each) && target(each) === thread)).toEqual([]);
  });

  it('import each other in no circle, types included; nouns of the model may', () => {
    const edges = new Map(
      files.map((file) => [
        file,
        imports
          .filter((each) => each.from === file && isOurs(each) && !(each.typeOnly && folderOf(file) === 'model'))
          .map(target),
      ]),
    );
    const done = new Set<string>();
    const walk = (file: string, trail: readonly string[]): string[] => {
      if (trail.includes(file))
        return [[...trail.slice(trail.indexOf(file)), file].map((each) => relative(src, each)).join(' > ')];
      if (done.has(file)) return [];
      const circles = (edges.get(file) ?? []).flatMap((next) => walk(next, [...trail, file]));
      done.add(file);
      return circles;
    };
    expect(files.flatMap((file) => walk(file, []))).toEqual([]);
  });

  it('have one subject each, which rarely takes more than 600 lines', () => {
    const long = files.filter((file) => lengthOf(file) > 600).map((file) => relative(src, file));
    expect(long.sort()).toEqual(Object.keys(LONG).sort());
  });

  it('say export * nowhere', () => {
    expect(files.filter((file) => /^export \*/m.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

function shown({ from, to }: Import): string {
  return `${relative(root, from)} imports ${to}`;
}
