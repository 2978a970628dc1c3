import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { CHECK_MS, type DefinitionsCase } from './check.ts';
import type { ImportCase } from './contracts.ts';
import { Finding } from './judge.ts';
import { mutated } from './mutate.ts';

const PATHS = [
  'definitions/gateway.yaml',
  'definitions/security.yaml',
  'definitions/nodes.yaml',
  'definitions/child.yaml',
  'definitions/locations/documents.yaml',
  'definitions/locations/queries.yaml',
  'definitions/locations/service.yaml',
  'definitions/locations/setup.yaml',
  'definitions/processes/extract.yaml',
  'definitions/attachments/service.yaml',
  'definitions/doclib/service.yaml',
] as const;

/** Changed files of a project that `writeProject` wrote. */
export function definitionsCases(root: string): fc.Arbitrary<DefinitionsCase> {
  return fc
    .constantFrom(...PATHS)
    .chain((path) => mutated([readFileSync(join(root, path))]).map((text) => ({ path, text: text.toString() })));
}

/** Checks definitions and contracts in a separate process, which is replaced if it crashes or hangs. */
export class Checker {
  readonly #root: string;
  #child: ChildProcess | undefined;

  /** @param root the project whose files are changed */
  constructor(root: string) {
    this.#root = root;
  }

  /** @throws Finding if the check does not end, or finds an error that is not about the case */
  async check(given: DefinitionsCase | ImportCase): Promise<void> {
    this.#child ??= fork(fileURLToPath(new URL('check-process.ts', import.meta.url)), {
      cwd: this.#root,
      stdio: 'inherit',
      execArgv: ['--max-old-space-size=512'],
    });
    const child = this.#child;
    const wrong = await new Promise<string>((resolve) => {
      const late = setTimeout(() => resolve(`the check takes more than ${CHECK_MS} ms`), CHECK_MS);
      const gone = (): void => {
        clearTimeout(late);
        resolve('the check ended its process');
      };
      child.once('exit', gone);
      child.once('message', (answer: string) => {
        clearTimeout(late);
        child.off('exit', gone);
        resolve(answer);
      });
      child.send(given);
    });
    if (wrong === '') return;
    this.close();
    throw new Finding(wrong);
  }

  close(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
