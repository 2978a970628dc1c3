import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Plugin, type RenderedChunk, rolldown } from 'rolldown';
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
  'query/sqlite/reader',
  'testing/index',
];

/** The folder of dist/ for modules that several entries or commands share. */
const SHARED = 'shared';

/**
 * Packages that are bundled, because every start needs them and their many files are slow to import. From node_modules
 * kysely takes 120 ms to import, bundled 20; jose 35 and 5, yaml 25 and 10, commander 20 and 10, hono 15 and 5; of croner
 * and fflate only a part is used. They have no dependencies. All other packages are imported from node_modules.
 */
const TAKEN_IN = ['commander', 'croner', 'fflate', 'hono', 'jose', 'kysely', 'yaml'];

/** Bundles the modules of src/ into few files, each module in exactly one. Dynamic imports stay separate files. */
export async function bundle(root: string, to: string): Promise<void> {
  const src = join(root, 'src');
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(src, `${name}.ts`)])),
    external: (id) => /^[^./]/.test(id) && !TAKEN_IN.includes(id),
    platform: 'node',
    transform: { target: 'node22.19' },
    plugins: [keepPlaces(src), compiledValidator(join(src, 'load/read/validator.ts'))],
    onLog: (level, log) => {
      if (level !== 'debug' && level !== 'info') throw new Error(log.message);
    },
  });
  // Without minification and source maps: stack traces are readable anyway, and maps would add 70 ms to each start.
  await build.write({
    dir: to,
    entryFileNames: '[name].js',
    chunkFileNames: `${SHARED}/[name].js`,
  });
  await build.close();
  writeFileSync(join(to, 'LICENSES.txt'), TAKEN_IN.map((name) => licenceOf(root, name)).join('\n'));
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
