import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnostic } from '../../load/index.ts';
import { counted } from '../../wire/words.ts';
import { compileTypes, findCompiler } from '../check/compiler.ts';
import type { Colors } from '../terminal.ts';

/** Milliseconds after a reload at which the compiler starts: until then the processor is left to the new worker. */
const AFTER_MS = 300;

/** Most errors that are printed; `signalbox check --types` has them all. */
const MOST = 20;

/**
 * Runs the project's TypeScript compiler in the background after each save, at a low priority, and prints its errors. It never
 * holds up what is served: code with errors of types runs. A project without a compiler or a tsconfig.json is left alone.
 */
export class TypeCheck {
  readonly #root: string;
  readonly #paint: Colors;
  readonly #write: (text: string) => void;
  /** Holds what the compiler remembers from one run to the next. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'signalbox-types-'));
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;
  #hadErrors = false;

  constructor(root: string, paint: Colors, write: (text: string) => void) {
    this.#root = root;
    this.#paint = paint;
    this.#write = write;
  }

  /** Checks the files as they are now. A check that still runs is out of date and is ended. */
  start(): void {
    this.cancel();
    this.#timer = setTimeout(() => void this.#run(), AFTER_MS);
  }

  /** Ends a check that runs: what it looks at has changed. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = undefined;
  }

  close(): void {
    this.cancel();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    const run = new AbortController();
    this.#running = run;
    const background = { remembers: join(this.#folder, 'project.tsbuildinfo'), signal: run.signal };
    try {
      const found = await compileTypes(this.#root, findCompiler(this.#root), background);
      if (!run.signal.aborted) this.#report(found);
    } catch {
      // It was ended, or the project has no compiler that can be run: `signalbox check --types` gives the reason.
    }
  }

  #report(found: readonly Diagnostic[]): void {
    const { red, green } = this.#paint;
    if (found.length === 0) {
      if (this.#hadErrors) this.#write(`${green('Types')}: no errors.\n`);
      this.#hadErrors = false;
      return;
    }
    this.#hadErrors = true;
    const lines = found.slice(0, MOST).map(({ at: { file, line, column }, message }) => {
      return `${file}:${line}:${column}: ${red('error')} ${message}\n`;
    });
    const more = found.length > MOST ? ' `signalbox check --types` lists all of them.' : '';
    this.#write(`${lines.join('')}${red('Types')}: ${counted(found.length, 'error')}. The gateway runs on.${more}\n`);
  }
}
