/** An error and what it was caused by, each once; what is no Error ends the chain. */
export function* causesOf(error: unknown): Generator<Error> {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    yield at;
  }
}
