import { join } from 'node:path';
import { renderDiagnostics } from '../load/index.ts';
import { MOCKS } from '../load/read/files.ts';
import type { Answers } from '../mock/answers.ts';
import { answersOf, loadMocks } from '../mock/fixtures.ts';
import type { Registry } from '../model/registry.ts';
import { watchFiles } from './dev/watch.ts';
import { Ended } from './failure.ts';
import { coloursOf, note } from './terminal.ts';

/** The answers in `mocks/`. Errors go to standard error. @throws Ended with 1 when there are any */
export function mocksOf(registry: Registry, root: string): Answers {
  const loaded = loadMocks(registry, root);
  if (loaded.diagnostics.length === 0) return answersOf(loaded);
  note(renderDiagnostics(loaded, { colour: coloursOf(process.stderr).isColorSupported }).trimEnd());
  throw new Ended(1);
}

/** The same, which follow their files: after each save they are as it has them. With errors they stay as they were. */
export function followedMocks(registry: Registry, root: string): { readonly answers: Answers; close(): void } {
  const answers = mocksOf(registry, root);
  const reload = (): void => {
    const loaded = loadMocks(registry, root);
    if (loaded.diagnostics.length > 0) {
      const text = renderDiagnostics(loaded, { colour: coloursOf(process.stderr).isColorSupported }).trimEnd();
      note(`${text}\nNot applied. The answers stay as they were.`);
      return;
    }
    answers.clear();
    for (const [operation, each] of loaded.answers) answers.set(operation, each);
    note('The answers of mocks/ were read again; sequences begin anew.');
  };
  return { answers, close: watchFiles({ trees: [join(root, MOCKS)], files: [] }, reload).close };
}
