/**
 * Messages between the gateway and a reader, over one socket pair. To the reader: a length and JSON. From the reader: a
 * head of twelve bytes (kind, truncated, two unused, rows, length; numbers big-endian) and a payload.
 */

import type { Bound } from './bind.ts';
import type { Plan } from './plan.ts';
import type { ResultFormat, RootElement, XmlNames } from './port.ts';

/** Formats that a reader writes; `values` is the form in which rows cross for a handler. */
export type RenderFormat = ResultFormat | 'values';

/** One query to run. */
export interface Command {
  /** The plan's id. */
  readonly plan: number;
  /** The plan itself, the first time that this reader is given it. */
  readonly define?: Plan;
  /** The id of a plan that is not needed any more, or will be defined anew. */
  readonly forget?: number;
  readonly format: RenderFormat;
  readonly values: readonly Bound[];
  /** Rows to read, at most. */
  readonly limit: number;
  /** One row more is looked for, to tell a cut result. */
  readonly probe: boolean;
  /** Indices of the columns to write; all where absent. */
  readonly fields?: readonly number[];
  readonly xml?: XmlNames;
  readonly root?: RootElement;
  /** Of a connected query; absent where it is run alone. */
  readonly members?: MemberValues;
}

/** What the members of a connected query are run with. */
export interface MemberValues {
  /** Of each member, in the order of the tree: a child, its own children, the next child. */
  readonly values: readonly (readonly Bound[])[];
  /** Most rows of a member under one row where it has no cap of its own, and of all members together under one of the query's. */
  readonly rows: number;
}

/** Kinds of reply. A `spill` comes before the end of a large result, all others end the command. */
export const Reply = { ready: 1, bytes: 2, spill: 3, file: 4, failed: 5 } as const;

/** Where in the spilled file the result stands. The payload of a `file` reply. */
export interface SpilledRange {
  readonly start: number;
  readonly length: number;
}

/** Why a command, or the start of a reader, failed. The payload of a `failed` reply. */
export interface Failure {
  /** Of SQLite or of the file system; empty for a value that does not fit its column. */
  readonly code: string;
  readonly message: string;
}

/** Bytes before a reply's payload. */
export const HEAD = 12;

/** Writes the head of a reply. */
export function writeHead(
  into: Buffer,
  at: number,
  kind: number,
  truncated: boolean,
  rows: number,
  length: number,
): void {
  into[at] = kind;
  into[at + 1] = truncated ? 1 : 0;
  into[at + 2] = 0;
  into[at + 3] = 0;
  into.writeUInt32BE(rows, at + 4);
  into.writeUInt32BE(length, at + 8);
}

/** One whole reply. */
export interface ReplyFrame {
  readonly kind: number;
  readonly truncated: boolean;
  readonly rows: number;
  readonly payload: Buffer;
}

/** Puts replies together from what a socket delivers. */
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
export function encodeCommand(command: Command): Buffer {
  const text = JSON.stringify(command);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeUInt32BE(length, 0);
  bytes.write(text, 4);
  return bytes;
}
