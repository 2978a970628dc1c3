/** Asks again and again until there is an answer; fails, with what was seen, after 45 seconds. */
export async function poll<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  seen: () => string = () => '',
): Promise<T> {
  const limit = performance.now() + 45_000;
  while (performance.now() < limit) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`timed out waiting for ${what}\n${seen()}`);
}
