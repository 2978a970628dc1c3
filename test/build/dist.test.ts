import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const modules = globSync('**/*.js', { cwd: dist }).map((file) => ({
  file,
  text: readFileSync(join(dist, file), 'utf8'),
}));
const textOf = (file: string): string => modules.find((module) => module.file === file)?.text ?? '';

/** What a module imports, also dynamically. In texts names stand in single quotes, in comments after an asterisk. */
function importsOf(text: string): string[] {
  const found = text.matchAll(/^(?:import|export) (?:[^'"\n]* from )?"([^"]+)";|^(?!\s*\*).*?\bimport\("([^"]+)"\)/gm);
  return [...found].map((match) => match[1] ?? match[2] ?? '');
}

test('the bin imports nothing but modules of any Node before it has looked at the version', () => {
  const text = textOf('cli/main.js');
  expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
  const [before = ''] = text.split('await import(');
  // Named imports fail where a function is missing: those of node:module, which are younger, come with the whole module.
  expect(importsOf(before).sort()).toEqual(['node:fs', 'node:module', 'node:os', 'node:path']);
  expect(before).toMatch(/^import \w+ from "node:module";/m);
});

test.each([
  'Fault',
  'ServiceInterface',
  'Kysely',
  'migrations',
])('%s is in one module, however it is reached', (name) => {
  const declared = new RegExp(`^(?:var|let|const|class) ${name}\\b`, 'm');
  expect(modules.filter(({ text }) => declared.test(text)).map(({ file }) => file)).toHaveLength(1);
});

test('what is imported is there: in dist, in Node, a dependency, or an optional peer', () => {
  const known = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
  const missing = modules.flatMap(({ file, text }) =>
    importsOf(text)
      .filter((name) => {
        if (isBuiltin(name)) return false;
        if (name.startsWith('.')) return !existsSync(join(dist, dirname(file), name));
        return !known.has(
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        );
      })
      .map((name) => `${file} imports ${name}`),
  );
  expect(missing).toEqual([]);
});

test('what is started by its place is there', () => {
  for (const file of ['cli/dev/worker.js', 'cli/workers/worker.js', 'cli/progress-thread.js', 'query/sqlite/reader.js'])
    expect(textOf(file), file).not.toBe('');
  const places = modules.flatMap(({ file, text }) =>
    [...text.matchAll(/new URL\("(\.[^"]*)", import\.meta\.url\)/g)].map((match) =>
      join(dirname(file), match[1] ?? ''),
    ),
  );
  expect(places).toEqual(
    expect.arrayContaining(['load/read/files.js', 'query/sqlite/reader-process.js', 'cli/package-info.js']),
  );
});

test('the declarations are those that the package leads to, and all of them', () => {
  const wanted = new Set<string>();
  const follow = (file: string): void => {
    if (wanted.has(file)) return;
    wanted.add(file);
    for (const [, from = ''] of readFileSync(join(dist, file), 'utf8').matchAll(
      /(?:from |import\()["'](\.[^"']+)\.[jt]s["']/g,
    ))
      follow(join(dirname(file), `${from}.d.ts`));
  };
  follow('index.d.ts');
  follow('testing/index.d.ts');
  expect(globSync('**/*.d.ts', { cwd: dist }).toSorted()).toEqual([...wanted].toSorted());
});

test('a copy of a package carries its licence', () => {
  const text = readFileSync(join(dist, 'LICENSES.txt'), 'utf8');
  for (const name of [
    'htmx.org',
    'idiomorph',
    'uplot',
    'commander',
    'croner',
    'fflate',
    'hono',
    '@hono/node-server',
    'fast-xml-parser',
    'fast-xml-builder',
    'path-expression-matcher',
    'xml-naming',
    'jose',
    'kysely',
    'yaml',
  ])
    expect(text).toMatch(new RegExp(`^${name}$`, 'm'));
  expect(text.match(/Permission/g)).toHaveLength(15);
});
