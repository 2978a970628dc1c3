import { writeSync } from 'node:fs';
import type { Reporter, TestModule, TestRunEndReason, TestSuite, Vitest } from 'vitest/node';

/** The results of one run. */
export interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** The last line: `12 passed, 0 failed`, followed by `, 3 skipped` if any were. */
export function countText({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * Ends the output with one line that counts the results. Everything that prevents tests from running also counts as failed: an
 * error in a file or suite, and an error outside of any test.
 */
export default class CountReporter implements Reporter {
  #count: Count | undefined;
  #watching = false;

  onInit(vitest: Vitest): void {
    this.#watching = vitest.config.watch;
    // At the exit of the process, everything else has been printed.
    if (!this.#watching) process.once('exit', (code) => this.#printLast(code));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[], _reason: TestRunEndReason): void {
    const count: Count = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) addModule(module, count);
    this.#count = count;
    if (this.#watching) process.stdout.write(`${countText(count)}\n`);
  }

  #printLast(code: number): void {
    const count = this.#count ?? { passed: 0, failed: 0, skipped: 0 };
    // A run that fails for another reason (no test files, a broken configuration) must not look like a success.
    if (code !== 0 && count.failed === 0) count.failed = 1;
    writeWhole(`${countText(count)}\n`);
  }
}

/** Standard output can be a pipe that is full at the moment (EAGAIN), or whose reader is gone (EPIPE). */
function writeWhole(text: string): void {
  for (;;) {
    try {
      writeSync(1, text);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}

function addModule(module: TestModule, count: Count): void {
  addErrors(module, count);
  for (const suite of module.children.allSuites()) addErrors(suite, count);
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') count.passed++;
    else if (state === 'failed') count.failed++;
    else count.skipped++;
  }
}

function addErrors(owner: TestModule | TestSuite, count: Count): void {
  if (owner.errors().length > 0) count.failed++;
}
