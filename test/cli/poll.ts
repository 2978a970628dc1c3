import { pauseAfter } from '../support/project.ts';

/** Asks again and again until there is an answer; fails, with what was seen, after 45 seconds. */
export async function poll<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  seen: () => string = () => '',
): Promise<T> {
  const limit = performance.now() + 45_000;
  for (let ms = 10; performance.now() < limit; ms = pauseAfter(ms)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  throw new Error(`timed out waiting for ${what}\n${seen()}`);
}
