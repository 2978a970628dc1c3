import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { codeDiagnostic, type Diagnostic, type Place } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import { CliFailure } from '../failure.ts';
import { planGenerated } from '../generated-files.ts';

/**
 * Runs the TypeScript compiler of a project, if what is generated for it matches the definitions.
 * @throws CliFailure when the compiler or its configuration is missing, or when it fails
 */
export async function checkTypes(registry: Registry, root: string): Promise<Diagnostic[]> {
  const compiler = findCompiler(root);
  if (!existsSync(join(root, 'tsconfig.json')))
    throw new CliFailure('the project has no tsconfig.json', {
      hint: 'The compiler needs it: `signalbox init` in an empty folder writes one that you can copy.',
    });
  const outdated = await outdatedTypes(registry, root);
  if (outdated.length > 0) {
    const [file = ''] = outdated;
    return [codeDiagnostic('generated-outdated', { files: outdated }, { file, line: 1, column: 1 })];
  }
  const { code, output } = await run(compiler, root);
  const found = diagnosticsIn(output);
  if (code !== 0 && found.length === 0)
    throw new CliFailure(`the TypeScript compiler ended with exit code ${code}`, { hint: output.trim() });
  return found;
}

/** The compiler that the project has installed, as it would import it. @returns the path of its program */
function findCompiler(root: string): string {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { tsc: string } };
    return resolve(dirname(manifest), bin.tsc);
  } catch (cause) {
    throw new CliFailure('the project has no TypeScript compiler', {
      hint: 'Install it: npm install -D typescript',
      cause,
    });
  }
}

/** The files of types in `generated/` that differ from those of the definitions. */
async function outdatedTypes(registry: Registry, root: string): Promise<string[]> {
  const { write, remove } = await planGenerated(root, registry);
  return [...write.keys(), ...remove].filter((path) => path.endsWith('.ts')).sort();
}

async function run(compiler: string, root: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [compiler, '--noEmit', '--pretty', 'false', '--project', 'tsconfig.json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const { promise, resolve: end, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', end);
  return { code: await promise, output };
}

/** Reads `file(line,column): error CODE: message`, or without a place; lines that are indented continue a message. */
function diagnosticsIn(output: string): Diagnostic[] {
  const found: { readonly at: Place; text: string }[] = [];
  for (const line of output.split(/\r?\n/)) {
    const [, file, row, column, text] = /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+: .*)$/.exec(line) ?? [];
    const last = found.at(-1);
    if (text !== undefined)
      found.push({ text, at: { file: file ?? 'tsconfig.json', line: Number(row ?? 1), column: Number(column ?? 1) } });
    else if (last !== undefined && /^\s+\S/.test(line)) last.text += ` ${line.trim()}`;
  }
  return found.map(({ at, text }) => codeDiagnostic('code-type', { text }, at));
}
