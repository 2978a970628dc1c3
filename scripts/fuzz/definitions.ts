import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { Finding } from './judge.ts';
import { mutated } from './mutate.ts';

/** A check takes a tenth of a second; the first one of a process waits for that to start, on a machine that is busy. */
const CHECK_MS = 15_000;

/** A file of the sample with another text. */
export interface DefinitionsCase {
  readonly path: string;
  readonly text: string;
}

const repository = fileURLToPath(new URL('../../', import.meta.url));
const PATHS = [
  'definitions/gateway.yaml',
  'definitions/security.yaml',
  'definitions/nodes.yaml',
  'definitions/locations/documents.yaml',
  'definitions/locations/queries.yaml',
  'definitions/locations/service.yaml',
  'definitions/locations/setup.yaml',
  'definitions/processes/extract.yaml',
  'definitions/attachments/service.yaml',
  'definitions/doclib/service.yaml',
] as const;

/** Files of the sample, changed. */
export const definitionsCases: fc.Arbitrary<DefinitionsCase> = fc
  .constantFrom(...PATHS)
  .chain((path) => mutated([readFileSync(join(repository, path))]).map((text) => ({ path, text: text.toString() })));

/** Checks definitions in a process of its own, which is replaced where it crashes or hangs. */
export class Checker {
  #child: ChildProcess | undefined;

  /** @throws Finding where the check does not end, or not with a registry or diagnostics */
  async check(given: DefinitionsCase): Promise<void> {
    this.#child ??= fork(fileURLToPath(new URL('check-process.ts', import.meta.url)), {
      cwd: repository,
      stdio: 'inherit',
    });
    const child = this.#child;
    const wrong = await new Promise<string | undefined>((resolve) => {
      const late = setTimeout(() => resolve(`the check takes more than ${CHECK_MS} ms`), CHECK_MS);
      const gone = (): void => resolve('the check ended its process');
      child.once('exit', gone);
      child.once('message', (answer: string) => {
        clearTimeout(late);
        child.off('exit', gone);
        resolve(answer === '' ? undefined : answer);
      });
      child.send(given);
    });
    if (wrong === undefined) return;
    this.close();
    throw new Finding(wrong);
  }

  close(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
