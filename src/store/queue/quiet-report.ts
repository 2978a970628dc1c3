import type { Report } from './shop.ts';

/** How long the same words are not said again, in milliseconds. */
const QUIET = 10_000;

/** Says an error once in a while, however often it comes: a database that is away fails every look at it. */
export function quietReport(report: Report): Report {
  const said = new Map<string, number>();
  return (error, facts) => {
    const now = performance.now();
    for (const [words, at] of said) if (now - at >= QUIET) said.delete(words);
    const words = `${error.name}: ${error.message}`;
    if (said.has(words)) return;
    said.set(words, now);
    report(error, facts);
  };
}
