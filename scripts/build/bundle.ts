import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join, relative } from 'node:path';
import {
  type CodeSplittingGroup,
  type OutputAsset,
  type OutputChunk,
  type Plugin,
  type RenderedChunk,
  rolldown,
} from 'rolldown';
import { IN_BROWSER } from './console.ts';
import { validatorModule } from './validator.ts';

/**
 * Files that are started or imported by path: the package's module, the bin, and the processes and threads that they start.
 * Each keeps its path from src/.
 */
const ENTRIES = [
  'index',
  'cli/main',
  'cli/check/importer',
  'cli/dev/worker',
  'cli/workers/worker',
  'cli/progress-thread',
  'console/areas/map/layout-thread',
  'query/sqlite/reader',
  'testing/index',
];

/** The folder of dist/ for modules that several entries or commands share. */
const SHARED = 'shared';

/**
 * What is started often or must be ready soon, by the modules that it loads until then. Each file takes half a millisecond to
 * find, read and link, so modules that the same stages load become one file: `signalbox serve` reads a dozen instead of ninety,
 * and no stage loads what only another one needs.
 */
const STAGES = {
  program: ['cli/program'],
  health: ['cli/health', 'serve/start/address'],
  check: ['cli/check/check'],
  link: ['load/load'],
  serve: ['cli/serve', 'serve/start', 'serve/start/address', 'serve/page/curl', 'store/queue/sqlite'],
  package: ['index'],
  reader: ['query/sqlite/reader'],
};

/**
 * Packages that are bundled, because every start needs them and their many files are slow to import. From node_modules
 * kysely takes 120 ms to import, bundled 20; jose 35 and 5, yaml 25 and 10, commander 20 and 10, hono 15 and 5; of croner
 * and fflate only a part is used, and of fast-xml-parser its writer, with what that needs. They have no other dependencies. All
 * other packages are imported from node_modules.
 */
const TAKEN_IN = [
  ...['commander', 'croner', 'fflate', 'hono', '@hono/node-server', 'jose', 'kysely', 'yaml'],
  ...['fast-xml-parser', 'fast-xml-builder', 'path-expression-matcher', 'xml-naming'],
];

/** Bundles the modules of src/ into few files, each module in exactly one. Dynamic imports stay separate files. */
export async function bundle(root: string, to: string): Promise<void> {
  const src = join(root, 'src');
  let isGrouped = false;
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(src, `${name}.ts`)])),
    external: (id) =>
      /^[^./]/.test(id) && id !== HTTP && !TAKEN_IN.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: 'node',
    transform: { target: 'node22.19' },
    plugins: [keepPlaces(src), compiledValidator(join(src, 'load/read/validator.ts')), leanHttp()],
    onLog: (level, log) => {
      // Among groups a dynamic import may lead to a file that is read already.
      if (isGrouped && log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return;
      if (level !== 'debug' && level !== 'info') throw new Error(log.message);
    },
  });
  // Without minification and source maps: stack traces are readable anyway, and maps would add 70 ms to each start.
  const files = { dir: to, entryFileNames: '[name].js', chunkFileNames: `${SHARED}/[name].js` };
  const split = (await build.generate(files)).output.filter((each) => each.type === 'chunk');
  isGrouped = true;
  const { output } = await build.write({ ...files, codeSplitting: { groups: groupsOf(split, src) } });
  markBuild(output, to);
  await build.close();
  writeFileSync(join(to, 'LICENSES.txt'), [...TAKEN_IN, ...IN_BROWSER].map((name) => licenceOf(root, name)).join('\n'));
}

/** Replaced by a digest of all code, where a module asks which build it is part of. */
const BUILD = '#build#';

function markBuild(output: readonly (OutputAsset | OutputChunk)[], to: string): void {
  const chunks = output.flatMap((each) => (each.type === 'chunk' ? { name: each.fileName, code: each.code } : []));
  chunks.sort((a, b) => (a.name < b.name ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(chunks)).digest('hex');
  const marked = chunks.filter(({ code }) => code.includes(BUILD));
  if (marked.length !== 1) throw new Error(`${BUILD} is in ${marked.length} files`);
  for (const { name, code } of marked) writeFileSync(join(to, name), code.replaceAll(BUILD, digest));
}

/**
 * Groups of modules that the same stages load, from chunks as the bundler splits them by itself: by all entries and dynamic
 * imports. An entry stays in a file of its own, because it is run where it is loaded.
 */
function groupsOf(chunks: readonly OutputChunk[], src: string): CodeSplittingGroup[] {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const stages = new Map<OutputChunk, string[]>(chunks.map((chunk) => [chunk, []]));
  for (const [stage, modules] of Object.entries(STAGES)) {
    const reach = (chunk: OutputChunk | undefined): void => {
      const found = chunk && stages.get(chunk);
      if (chunk === undefined || found === undefined || found.at(-1) === stage) return;
      found.push(stage);
      for (const file of chunk.imports) reach(byFile.get(file));
    };
    for (const module of modules) {
      const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(join(src, `${module}.ts`)));
      if (chunk === undefined) throw new Error(`${module} of the stage ${stage} is not bundled`);
      reach(chunk);
    }
  }
  const modules = new Map<string, Set<string>>();
  const entries = new Set(ENTRIES.map((name) => join(src, `${name}.ts`)));
  for (const [chunk, found] of stages) {
    if (found.length === 0) continue;
    const name = found.join('-');
    for (const id of chunk.moduleIds) if (!entries.has(id)) modules.set(name, (modules.get(name) ?? new Set()).add(id));
  }
  // A group takes with it what its modules import, unless an earlier group has it: what more stages load comes first.
  return [...modules].map(([name, ids]) => ({
    name,
    test: (id) => ids.has(id),
    priority: name.split('-').length,
  }));
}

/** The notices that a copy of a package must include. */
function licenceOf(root: string, name: string): string {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((each) => /^LICENSE(\.md)?$/.test(each)) ?? 'LICENSE';
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

/** Placeholder for the relative path from a file to dist/, until that is known. */
const UP = '#dist#';

/** Modules find neighbouring files with `import.meta.url`: it is replaced by the URL of their place in src/, wherever they are bundled. */
function keepPlaces(src: string): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const place = `${UP}/${relative(src, id).replace(/\.ts$/, '.js')}`;
      return { code: code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`), map: null };
    },
    renderChunk(code, { fileName }: RenderedChunk) {
      if (!code.includes(UP)) return null;
      const up = fileName
        .split('/')
        .slice(1)
        .map(() => '..');
      return { code: code.replaceAll(UP, up.join('/') || '.'), map: null };
    },
  };
}

function compiledValidator(module: string): Plugin {
  return {
    name: 'compiled-validator',
    load: (id) => (id === module ? { code: validatorModule(), moduleType: 'js' } : null),
  };
}

const HTTP = 'node:http';

/**
 * An `import` of node:http reads all of its exports, among them WebSocket, and so loads the undici of Node: 25 ms of each start.
 * Its object is available without that; of its members only those are exported that are values.
 */
function leanHttp(): Plugin {
  const values = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { value }]) =>
    value === undefined ? [] : [name],
  );
  const code = `const http = process.getBuiltinModule('${HTTP}');\n${values
    .map((name) => `export const ${name} = http.${name};`)
    .join('\n')}\nexport default http;\n`;
  return {
    name: 'lean-http',
    resolveId: (id) => (id === HTTP ? `\0${HTTP}` : null),
    load: (id) => (id === `\0${HTTP}` ? { code, moduleType: 'js' } : null),
  };
}
