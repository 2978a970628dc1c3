import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const src = join(root, 'src');

/**
 * What a folder may import: folders of ours, and packages. Data moves one way: definitions > load > model > what is
 * made of it. Types may be taken from further left where the table says `type:`.
 */
const TABLE: Readonly<Record<string, { ours: string; packages: string }>> = {
  model: { ours: 'type:wire', packages: '' },
  wire: { ours: '', packages: 'url-template fast-xml-parser croner re2js' },
  load: { ours: 'model wire', packages: 'yaml ajv croner' },
  codec: { ours: 'model wire', packages: '' },
  binding: { ours: 'model wire codec', packages: '' },
  security: { ours: 'model wire store', packages: 'kysely jose xml-crypto rate-limiter-flexible pg' },
  store: { ours: 'model wire', packages: 'kysely better-sqlite3 pg pg-boss croner mime' },
  query: { ours: 'model wire load codec store', packages: 'better-sqlite3 pg fflate' },
  process: { ours: 'model wire codec security store query', packages: '' },
  event: { ours: 'model wire codec security store', packages: 'kysely' },
  describe: { ours: 'model wire', packages: '' },
  generate: { ours: 'model wire describe', packages: '' },
  delivered: { ours: 'model wire codec query process', packages: '' },
  invoke: { ours: 'model wire load codec binding', packages: 'undici cockatiel oauth4webapi' },
  client: { ours: 'model type:generate invoke load store serve', packages: '' },
  serve: {
    ours: 'model wire load codec binding security store query process event describe delivered invoke',
    packages: 'hono @hono/node-server pino prom-client',
  },
  handlers: { ours: '', packages: 'signalbox' },
  cli: {
    ours: 'model wire load codec binding security store query process event describe generate delivered serve invoke',
    packages: 'commander picocolors',
  },
  '.': { ours: 'model wire load serve codec query store describe generate invoke client', packages: '' },
};

/** Folders whose own files alone may import `hono`, `kysely` and their like is what the table says; node:fs is rarer still. */
const READS_FILES = /^src\/(cli|serve|store|query|load\/read\/files\.ts)/;

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

const folderOf = (file: string): string => {
  const [first = '', second] = relative(src, file).split('/');
  return second === undefined ? '.' : first;
};

const files = filesBelow(src);
const imports = files.flatMap(importsOf);
const isOurs = ({ to }: Import): boolean => to.startsWith('.');
const target = ({ from, to }: Import): string => resolve(dirname(from), to);

describe('the import table', () => {
  it('covers every folder of src', () => {
    expect(new Set(files.map(folderOf))).toEqual(new Set(Object.keys(TABLE)));
  });

  it('holds for the folders of ours', () => {
    const wrong = imports.filter(isOurs).filter((each) => {
      const [from, to] = [folderOf(each.from), folderOf(target(each))];
      if (relative(src, target(each)).startsWith('..'))
        return !/^\.\.\/generated\//.test(relative(src, target(each))) || from !== 'handlers';
      const allowed = (TABLE[from]?.ours ?? '').split(' ');
      return from !== to && !allowed.includes(to) && !(each.typeOnly && allowed.includes(`type:${to}`));
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it('holds for packages', () => {
    const wrong = imports.filter((each) => {
      if (isOurs(each) || each.to.startsWith('node:')) return false;
      const name = each.to
        .split('/')
        .slice(0, each.to.startsWith('@') ? 2 : 1)
        .join('/');
      return !(TABLE[folderOf(each.from)]?.packages ?? '').split(' ').includes(name);
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it('keeps the file system to where files are read and written', () => {
    const wrong = imports.filter((each) => /^node:fs/.test(each.to) && !READS_FILES.test(relative(root, each.from)));
    expect(wrong.map(shown)).toEqual([]);
  });
});

describe('the files of src', () => {
  it('import each other in no circle', () => {
    const edges = new Map(
      files.map((file) => [
        file,
        imports.filter((each) => each.from === file && isOurs(each) && !each.typeOnly).map(target),
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

  it('stay at 400 lines or below', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 401);
    expect(long.map((file) => relative(root, file))).toEqual([]);
  });

  it('say export * nowhere', () => {
    expect(files.filter((file) => /^export \*/m.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

function shown({ from, to }: Import): string {
  return `${relative(root, from)} imports ${to}`;
}
