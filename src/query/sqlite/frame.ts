/**
 * Messages between the gateway and a reader, over one socket pair. To the reader: a length and JSON. From the reader: a
 * head of twelve bytes (kind, truncated, two unused, rows, length; numbers big-endian) and a payload.
 */

import type { Plan } from '../plan.ts';
import type { Command } from '../runner.ts';

/** Before a statement: its plan instead of its rows. */
export const EXPLAIN = 'explain query plan ';

/** One query to run, as it is sent to a reader. */
export interface ReaderCommand extends Command {
  /** The plan's id. */
  readonly plan: number;
  /** The plan itself, the first time that this reader is given it. */
  readonly define?: Plan;
  /** The id of a plan that is not needed any more, or will be defined anew. */
  readonly forget?: number;
}

/**
 * Kinds of reply. A `spill` comes before the end of a large result, all others end the command. Payloads but that of `bytes`
 * are JSON: `spill` the path of the file, `file` the position of the result in it (start, length), `failed` the code and message.
 */
export const Reply = { ready: 1, bytes: 2, spill: 3, file: 4, failed: 5 } as const;

/** Bytes before a reply's payload. */
export const HEAD = 12;

/** The head of a reply, before its payload. */
interface ReplyHead {
  readonly kind: number;
  readonly truncated: boolean;
  readonly rows: number;
  /** Bytes of the payload. */
  readonly length: number;
}

/** Writes the head of a reply. */
export function writeHead(into: Buffer, at: number, { kind, truncated, rows, length }: ReplyHead): void {
  into[at] = kind;
  into[at + 1] = truncated ? 1 : 0;
  into[at + 2] = 0;
  into[at + 3] = 0;
  into.writeUInt32BE(rows, at + 4);
  into.writeUInt32BE(length, at + 8);
}

/** One whole reply. */
export interface ReplyFrame extends Omit<ReplyHead, 'length'> {
  readonly payload: Buffer;
}

/** Assembles replies from the chunks of a socket. */
export class FrameDecoder {
  #pending: Buffer = Buffer.alloc(0);
  /** A payload that spans several chunks, and how much of it is there. */
  #frame: { head: Buffer; payload: Buffer; filled: number } | undefined;
  readonly #emit: (frame: ReplyFrame) => void;

  constructor(emit: (frame: ReplyFrame) => void) {
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    let rest = this.#fill(chunk);
    if (this.#pending.length > 0) {
      rest = Buffer.concat([this.#pending, rest]);
      this.#pending = Buffer.alloc(0);
    }
    while (rest.length >= HEAD) {
      const length = rest.readUInt32BE(8);
      if (rest.length < HEAD + length) {
        const payload = Buffer.allocUnsafe(length);
        this.#frame = { head: rest.subarray(0, HEAD), payload, filled: rest.copy(payload, 0, HEAD) };
        return;
      }
      // The usual case: a small result in one chunk, which is handed on without a copy.
      this.#deliver(rest, rest.subarray(HEAD, HEAD + length));
      rest = rest.subarray(HEAD + length);
    }
    this.#pending = rest;
  }

  /** Gives a payload that is under way what it still lacks, and returns what is left. */
  #fill(chunk: Buffer): Buffer {
    const frame = this.#frame;
    if (frame === undefined) return chunk;
    const taken = chunk.copy(frame.payload, frame.filled);
    frame.filled += taken;
    if (frame.filled < frame.payload.length) return chunk.subarray(taken);
    this.#frame = undefined;
    this.#deliver(frame.head, frame.payload);
    return chunk.subarray(taken);
  }

  #deliver(head: Buffer, payload: Buffer): void {
    this.#emit({ kind: head[0] ?? 0, truncated: head[1] === 1, rows: head.readUInt32BE(4), payload });
  }
}

/** A command as it is sent. */
export function encodeCommand(command: ReaderCommand): Buffer {
  const text = JSON.stringify(command);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeUInt32BE(length, 0);
  bytes.write(text, 4);
  return bytes;
}
