import { fork } from 'node:child_process';
import { createRedactor } from '../../codec/redact/redactor.ts';
import { codeDiagnostic, type Diagnostic } from '../../load/index.ts';
import { resolveAll, secretsOf } from '../../load/value/config.ts';
import type { Registry } from '../../model/registry.ts';
import { type CodeFile, codeFiles } from '../../serve/start/handlers.ts';
import { post } from '../child-process.ts';
import { sibling } from '../package-info.ts';
import type { ImporterMessage, ImporterStart } from './importer.ts';

/**
 * Imports the code of a project in a process of its own, and reports what is wrong with it. What code writes goes to standard
 * error. A file that does not end is given up, and the others are imported in a new process.
 * @param within milliseconds for one file
 */
export async function checkHandlers(
  { registry, sources }: Checked,
  root: string,
  within: number,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  let left: readonly CodeFile[] = codeFiles(registry, root);
  while (left.length > 0) {
    const run = await importAll({ root, files: left }, within);
    found.push(...run.found);
    const [failed, ...rest] = left.slice(run.done);
    if (failed !== undefined) found.push(diagnosticOf(failed.path, run.end, within));
    left = rest;
  }
  // Errors of code, and of the packages that it uses, may repeat values of the environment.
  for (const text of sources.values()) noteSecrets(text);
  const redactor = createRedactor(() => secretsOf(process.env));
  return distinct(found).map((each) => ({ ...each, message: redactor.text(each.message) }));
}

/** A project without errors. */
interface Checked {
  readonly registry: Registry;
  /** The texts of the definitions. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Resolves what definitions refer to, one by one: secrets, and passwords in addresses, are masked from then on. */
function noteSecrets(text: string): void {
  for (const [, kind, name = ''] of text.matchAll(/\$\{(secret|env):(\w+)/g)) {
    try {
      resolveAll([{ source: '', parts: [{ kind: kind as 'secret' | 'env', name }] }], process.env);
    } catch {
      // It is not set, which matters at a start.
    }
  }
}

/** An error of a file that several import is one error. */
function distinct(found: readonly Diagnostic[]): Diagnostic[] {
  const byPlace = new Map(
    found.map((each) => {
      const { file, line, column } = each.at;
      return [JSON.stringify([each.code, file, line, column, each.code === 'code-throws' ? '' : each.message]), each];
    }),
  );
  return [...byPlace.values()];
}

function diagnosticOf(file: string, end: string | undefined, within: number): Diagnostic {
  const at = { file, line: 1, column: 1 };
  if (end === undefined) return codeDiagnostic('code-hangs', { file, seconds: within / 1000 }, at);
  return codeDiagnostic('code-exits', { file, end }, at);
}

/** One process of imports. */
interface Run {
  readonly found: readonly Diagnostic[];
  /** How many files it has done. */
  readonly done: number;
  /** How the process ended before the last was done; `undefined` when it was stopped. */
  readonly end: string | undefined;
}

function importAll(start: ImporterStart, within: number): Promise<Run> {
  const found: Diagnostic[] = [];
  let done = 0;
  let late = false;
  const { promise, resolve, reject } = Promise.withResolvers<Run>();
  // Code may write to its standard output, which is not ours.
  const child = fork(sibling('importer', import.meta.url), { cwd: start.root, stdio: ['ignore', 2, 2, 'ipc'] });
  // A message, because a large project has more files than the arguments of a process may hold.
  post(child, start);
  const stop = (): void => {
    late = true;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(stop, within);
  child.on('message', (message: ImporterMessage) => {
    clearTimeout(timer);
    timer = setTimeout(stop, within);
    if (message.kind !== 'done') return;
    found.push(...message.found);
    done += 1;
  });
  child.once('error', reject);
  child.once('close', (code, signal) => {
    clearTimeout(timer);
    const end = signal === null ? `exit code ${code}` : `signal ${signal}`;
    resolve({ found, done, end: late ? undefined : end });
  });
  return promise;
}
