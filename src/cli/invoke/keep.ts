import { isAttachment } from '../../codec/binary.ts';
import type { InvokeReply } from '../../model/invoke-reply.ts';
import type { Attachment, DocumentValue, JsonValue, Value } from '../../model/value.ts';
import { writeContent } from './files.ts';

/** What is said of an attachment in place of its bytes. */
export class Kept {
  readonly contentType: string;
  readonly name: string | undefined;
  /** In bytes, where known. */
  readonly length: number | undefined;
  /** Where it is now; undefined where it was not kept. */
  readonly file: string | undefined;

  constructor({ contentType, name, length }: Omit<Attachment, 'stream'>, file?: string) {
    this.contentType = contentType;
    this.name = name;
    this.length = length;
    this.file = file;
  }

  toJson(): { readonly [key: string]: JsonValue } {
    return JSON.parse(JSON.stringify(this)) as { readonly [key: string]: JsonValue };
  }
}

/** A reply that has been read: attachments became what is said of them. */
export interface KeptReply {
  readonly value: DocumentValue;
  /** Those that no field holds. */
  readonly segments: readonly Kept[];
  /** How many were not kept. */
  readonly left: number;
}

export interface KeepOptions {
  /** Where the first attachment goes; the others go beside it, numbered from 2. `-` is standard output, which takes one. */
  readonly output: string | undefined;
  /** Told the bytes that have come so far. */
  onReceived(bytes: number): void;
}

/**
 * Reads a reply, and keeps its attachments where the command line says. Those that nobody wants stay unread, the
 * connection with them.
 */
export async function keepReply(reply: InvokeReply, { output, onReceived }: KeepOptions): Promise<KeptReply> {
  let number = 0;
  let left = 0;
  let received = 0;
  const keep = async (attachment: Attachment): Promise<Kept> => {
    number++;
    const file = output === undefined || (output === '-' && number > 1) ? undefined : numbered(output, number);
    if (file === undefined) {
      left++;
      return new Kept(attachment);
    }
    const before = received;
    const written = await writeContent(file, attachment.stream(), (bytes) => {
      received = before + bytes;
      onReceived(received);
    });
    return new Kept({ ...attachment, length: written }, file);
  };
  const value = (await describing(reply.value, keep)) as DocumentValue;
  const segments: Kept[] = [];
  // What comes behind an attachment that is not wanted would have to be read past it.
  if (left === 0) {
    for await (const segment of reply.segments()) {
      segments.push(await keep(segment));
      if (left > 0) break;
    }
  }
  if (left === 0) await reply.finish();
  return { value, segments, left };
}

/** `report.pdf`, `report.2.pdf`. */
function numbered(path: string, number: number): string {
  if (number === 1) return path;
  const dot = path.lastIndexOf('.');
  const isExtension = dot > path.lastIndexOf('/') + 1;
  return isExtension ? `${path.slice(0, dot)}.${number}${path.slice(dot)}` : `${path}.${number}`;
}

/** The same value with what is said of its attachments in their places, which are read in their order. */
async function describing(value: Value, keep: (attachment: Attachment) => Promise<Kept>): Promise<Value> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const entries: Value[] = [];
    for (const each of value as readonly Value[]) entries.push(await describing(each, keep));
    return entries;
  }
  if (isAttachment(value)) return (await keep(value)) as unknown as Value;
  const fields: [string, Value][] = [];
  for (const [name, each] of Object.entries(value)) fields.push([name, await describing(each as Value, keep)]);
  return Object.fromEntries(fields);
}
