/** Bytes that are read once. */
export interface StreamedContent {
  /** In bytes, where known. */
  readonly length?: number | undefined;
  stream(): AsyncIterable<Uint8Array>;
}

/** A stream without content. */
export async function* empty(): AsyncGenerator<never> {}

/** A body in memory as one that is read as a stream. */
export function streamOf(body: Uint8Array | (() => AsyncIterable<Uint8Array>)): () => AsyncIterable<Uint8Array> {
  if (!(body instanceof Uint8Array)) return body;
  return async function* () {
    yield body;
  };
}

/** Makes the error for content of another length than it said; `seen` is `undefined` when it is longer. */
export type ComplainOfLength = (length: number, seen: number | undefined) => Error;

const inWords: ComplainOfLength = (length, seen) =>
  new RangeError(`a content of ${length} bytes holds ${seen ?? 'more'}`);

/** Yields content up to its declared length. @throws the error of `complain`, before a byte beyond that is yielded */
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
