/** Content that can be read once. */
export interface StreamedContent {
  /** In bytes, if known. */
  readonly length?: number | undefined;
  stream(): AsyncIterable<Uint8Array>;
}

/** A stream without content. */
export async function* empty(): AsyncGenerator<never> {}

/** Wraps a body in memory as a stream. */
export function streamOf(body: Uint8Array | (() => AsyncIterable<Uint8Array>)): () => AsyncIterable<Uint8Array> {
  if (!(body instanceof Uint8Array)) return body;
  return async function* () {
    yield body;
  };
}

/**
 * Creates the error for content whose length differs from the declared one; `seen` is `undefined` when it is longer.
 */
export type ComplainOfLength = (length: number, seen: number | undefined) => Error;

const inWords: ComplainOfLength = (length, seen) =>
  new RangeError(`a content of ${length} bytes holds ${seen ?? 'more'}`);

/** Yields content up to its declared length. @throws the error of `complain` before it yields a byte beyond that */
export async function* measured(
  content: StreamedContent,
  complain: ComplainOfLength = inWords,
): AsyncGenerator<Uint8Array> {
  const { length } = content;
  let seen = 0;
  for await (const chunk of content.stream()) {
    seen += chunk.length;
    if (length !== undefined && seen > length) throw complain(length, undefined);
    if (chunk.length > 0) yield chunk;
  }
  if (length !== undefined && seen < length) throw complain(length, seen);
}
