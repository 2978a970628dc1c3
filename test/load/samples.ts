import { readFileSync } from 'node:fs';

/** Definitions that raise a diagnostic, and the same definitions corrected. `docs/diagnostics.md` shows both. */
export interface Sample {
  readonly wrong: string;
  readonly right: string;
}

/**
 * The sample of a diagnostic: `samples/CODE.case`, in which a line of dashes separates both. A line `#file PATH` starts a file
 * of that path (see projectOf).
 */
export function diagnosticSample(code: string): Sample {
  const text = readFileSync(new URL(`./samples/${code}.case`, import.meta.url), 'utf8');
  const [wrong = '', right = ''] = text.split(/^-{20}\n/m).map((part) => part.replace(/\n$/, ''));
  return { wrong, right };
}
