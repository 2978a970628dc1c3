import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Type-checks src/, and writes the declarations that the package's own import. Errors go to standard output.
 * @returns whether src/ compiles
 */
export function writeTypes(root: string, to: string): boolean {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(/package\.json$/, 'bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', to, '--noEmitOnError'];
  const { status, error } = spawnSync(process.execPath, [tsc, ...options], { cwd: root, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) return false;
  const wanted = new Set<string>();
  for (const entry of ['index.d.ts', 'testing/index.d.ts']) follow(join(to, entry), wanted);
  for (const file of globSync(join(to, '**/*.d.ts'))) if (!wanted.has(file)) rmSync(file);
  return true;
}

/** Collects a declaration and everything that it imports. */
function follow(file: string, found: Set<string>): void {
  if (found.has(file)) return;
  found.add(file);
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/\b(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
    follow(join(dirname(file), `${from}.d.ts`), found);
}
