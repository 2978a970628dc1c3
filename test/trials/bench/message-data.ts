/** A message of about 1 KB as JSON. Its text is of many words, so that compressing it is work. @param n from 0 */
export function changeOf(n: number, places: number): { readonly PLACE: string; readonly TEXT: string } {
  return { PLACE: `P${n % places}`, TEXT: TEXT.slice(n % 50, (n % 50) + 950) };
}

const TEXT = Array.from({ length: 200 }, (_, n) => (n * 7919).toString(36))
  .join(' ')
  .padEnd(1100, 'x');

/** Runs a number of calls, at most `most` at the same time. */
export async function atOnce(count: number, most: number, call: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: Math.min(most, count) }, caller));
}

/** A tenth of some numbered work, from 0. */
export function tenthOf(n: number, count: number): number {
  return Math.min(9, Math.floor((10 * n) / count));
}
