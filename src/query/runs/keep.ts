import { randomUUID } from 'node:crypto';
import type { Blobs } from '../../model/blob.ts';
import type { Query } from '../../model/query.ts';
import type { Attachment } from '../../model/value.ts';
import { abandoned } from '../errors.ts';
import { type QueryInput, readInput } from '../input.ts';
import type { QueryPort, QueryResult } from '../port.ts';
import { BlockCounter } from './blocks.ts';
import type { RunFormat } from './port.ts';
import type { RunResult } from './run-rows.ts';

export interface KeepPorts {
  readonly queries: QueryPort;
  readonly blobs: Blobs;
}

/** A result to keep. */
export interface KeepCall {
  readonly query: Query;
  readonly input: QueryInput;
  readonly format: RunFormat;
  /** Name of the file; undefined where rows are kept, of which blocks are made later. */
  readonly file: string | undefined;
  readonly signal: AbortSignal;
  /** Whose share of the readers it takes. */
  readonly caller: string | undefined;
  /** Called once the rows have been read. */
  readonly onRead?: () => Promise<void>;
}

/**
 * Runs a query and streams its result into a blob.
 * @throws Fault as QueryPort.run does, and STORAGE_FULL; an AbortError where the signal ended it. Then nothing of it stays
 */
export async function keepResult({ queries, blobs }: KeepPorts, call: KeepCall): Promise<RunResult> {
  const { query, input, format, file, signal, caller, onRead } = call;
  const asked = readInput(query, input);
  const result = await queries.run({ ...asked, format: file === undefined ? 'raw' : format, signal, caller });
  try {
    await onRead?.();
    const counter = file === undefined ? new BlockCounter() : undefined;
    const { length, rows, truncated } = result;
    const blob = await blobs.put(randomUUID(), contentOf(result, file, counter, signal));
    return {
      columns: asked.fields?.length ?? query.columns.length,
      rows,
      bytes: length,
      truncated,
      blocks: counter?.starts ?? [[0, 1]],
      blob: blob.key,
    };
  } finally {
    result.dispose?.();
  }
}

function contentOf(
  result: QueryResult,
  name: string | undefined,
  counter: BlockCounter | undefined,
  signal: AbortSignal,
): Attachment {
  const { contentType, length, body } = result;
  return {
    contentType,
    length,
    ...(name === undefined ? {} : { name }),
    async *stream() {
      for await (const chunk of body instanceof Uint8Array ? [body] : body()) {
        if (signal.aborted) throw abandoned(signal);
        counter?.push(chunk);
        yield chunk;
      }
    },
  };
}
