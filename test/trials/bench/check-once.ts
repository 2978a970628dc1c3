/**
 * Runs one check, or one parse of the same texts, in a process of its own: users run a check once, before the code is
 * JIT-compiled. `check-once.ts parse|load <project>` prints the milliseconds, without the time of imports.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadProject } from '../../../src/load/index.ts';

const [, , what, root = ''] = process.argv;

function readTexts(): string[] {
  const folder = join(root, 'definitions/services');
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
}

function measure(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function check(): void {
  const { registry, diagnostics } = loadProject({ root, handlers: 'ignore-missing' });
  if (registry === undefined) throw new Error(`the definitions do not load: ${diagnostics[0]?.message}`);
}

if (what === 'parse') {
  const texts = readTexts();
  console.log(
    measure(() => {
      for (const text of texts) parse(text);
    }),
  );
} else {
  console.log(measure(check));
}
