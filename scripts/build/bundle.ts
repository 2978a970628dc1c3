import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Plugin, type RenderedChunk, rolldown } from 'rolldown';
import { validatorModule } from './validator.ts';

/**
 * What is started or imported by its place: the package's module, the bin, and the processes and threads that it starts. Each
 * keeps the path that it has in src/.
 */
const ENTRIES = [
  'index',
  'cli/main',
  'cli/dev/worker',
  'cli/workers/worker',
  'cli/progress-thread',
  'query/sqlite/reader',
];

/** The folder of dist/ where modules that several entries or commands share are gathered. */
const SHARED = 'shared';

/**
 * Packages that are taken in: every start needs them, and what they cost is their many files. kysely takes 120 ms to import
 * from where it is installed and 20 from here, jose 35 and 5, yaml 25 and 10, commander 20 and 10, hono 15 and 5; of croner
 * and fflate a part is used. They have no dependencies. The others are imported from where they are installed.
 */
const TAKEN_IN = ['commander', 'croner', 'fflate', 'hono', 'jose', 'kysely', 'yaml'];

/** Gathers the modules of src/ into few files, each in one only; what is imported dynamically stays a file of its own. */
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
  // Nothing is made shorter, and there are no maps: stack traces show names and lines that can be read, and maps would cost a
  // start 70 ms.
  await build.write({
    dir: to,
    entryFileNames: '[name].js',
    chunkFileNames: `${SHARED}/[name].js`,
  });
  await build.close();
  writeFileSync(join(to, 'LICENSES.txt'), TAKEN_IN.map((name) => licenceOf(root, name)).join('\n'));
}

/** What a copy of a package has to carry with it. */
function licenceOf(root: string, name: string): string {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((each) => /^LICENSE(\.md)?$/.test(each)) ?? 'LICENSE';
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

/** Stands for the way from a file to dist/ until that is known. */
const UP = '#dist#';

/** A module asks for what is beside it by `import.meta.url`, which stays that of its place in src/, wherever it is put. */
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
