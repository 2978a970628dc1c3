import { expect } from 'vitest';

/** A reply, as either client reads it. */
interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What every reply has of its own. */
const OWN = new Set(['date', 'x-request-id', 'x-trace-id', 'keep-alive']);

/** All that a reply tells, with the name that was asked for taken out of it. */
function toldBy({ status, headers, text }: Told, name: string): object {
  const kept = Object.entries(headers).filter(([each]) => !OWN.has(each));
  const own = String(headers['x-request-id'] ?? '-');
  return { status, headers: Object.fromEntries(kept), text: text.replaceAll(name, '#').replaceAll(own, 'ID') };
}

/** Asks for what is there and hidden, and for what is not there: nothing but the name may differ. @returns the status of both */
export async function expectAlike(
  ask: (name: string) => Promise<Told>,
  hidden: string,
  absent: string,
  what: string,
): Promise<number> {
  // Of the same length, so that Content-Length is compared as it stands.
  expect(hidden.length, `${hidden} and ${absent}`).toBe(absent.length);
  const [there, away] = [await ask(hidden), await ask(absent)];
  expect(toldBy(there, hidden), what).toEqual(toldBy(away, absent));
  return there.status;
}
