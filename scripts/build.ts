// Builds dist/ from src/: what the bin and the exports of package.json name. Run by `prepare` and before the tests.
//
// The new tree is made beside the old one and then takes its place, so that whoever runs from dist/ meanwhile never finds half
// of it; and where src/ does not compile, the old one stays.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { definitionsSchema } from '../src/load/schema/index.ts';
import { validatorOptions } from '../src/load/validator.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const staging = mkdtempSync(join(root, '.dist-'));

try {
  compile(join(staging, 'new'));
  copyDelivered(join(staging, 'new'));
  compileValidator(join(staging, 'new'));
  chmodSync(join(staging, 'new/cli/main.js'), 0o755);
  swap(join(staging, 'new'), join(staging, 'old'));
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function compile(to: string): void {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(/package\.json$/, 'bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--outDir', to, '--noEmitOnError'];
  const { status, error } = spawnSync(process.execPath, [tsc, ...options], { cwd: root, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) {
    rmSync(staging, { recursive: true, force: true });
    process.exit(1);
  }
}

/** The definitions of the services that ship in the package. */
function copyDelivered(to: string): void {
  const from = join(root, 'src/delivered');
  for (const name of readdirSync(from))
    if (name.endsWith('.yaml')) cpSync(join(from, name), join(to, 'delivered', name));
}

/** Puts what ajv makes of the definitions' schema in the place of the module that would compile it at each start. */
function compileValidator(to: string): void {
  const ajv = new Ajv({ ...validatorOptions, code: { source: true, esm: true } });
  const code = standalone.default(ajv, ajv.compile(definitionsSchema()));
  // ajv writes `require` into what is otherwise an ES module.
  const helpers: string[] = [];
  const body = code.replace(/require\("([^"]+)"\)\.default/g, (_, module: string) => {
    helpers.push(`import helper${helpers.length} from '${module}.js';`);
    return `helper${helpers.length - 1}.default`;
  });
  writeFileSync(join(to, 'load/validator.js'), `${helpers.join('\n')}\n${body}\n`);
}

function swap(built: string, old: string): void {
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(built, dist);
}
