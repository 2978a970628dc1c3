import { constants, createReadStream } from 'node:fs';
import { access, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAttachment } from '../../codec/binary.ts';
import { CodecError } from '../../codec/index.ts';
import { carryDigits } from '../../codec/json/digits.ts';
import type { Segment } from '../../invoke/index.ts';
import type { InvokeReply } from '../../model/invoke-reply.ts';
import type { Attachment, DocumentValue, JsonValue, Value } from '../../model/value.ts';
import { fileAttachment } from '../../store/file/attachment.ts';
import { codeOf } from '../../wire/error.ts';
import { OCTETS } from '../../wire/file-type.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { decodeTransfer } from '../../wire/multipart/transfer-encoding.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { print } from '../terminal.ts';

/**
 * A file that a command line names: `report.pdf;type=application/pdf`, `report.txt;base64`, `-` for standard input. The endings may have
 * any order.
 */
export interface NamedFile {
  readonly path: string;
  readonly contentType: string | undefined;
  /** The file has the Base64 text of the content. */
  readonly base64?: boolean;
}

/** @throws CliFailure for a type that is not a media type */
export function readFileName(text: string): NamedFile {
  const last = withoutBase64(text);
  const at = last.path.lastIndexOf(TYPE);
  if (at === -1) return { ...last, contentType: undefined };
  const contentType = last.path.slice(at + TYPE.length);
  if (parseMediaType(contentType) === undefined)
    throw wrongUsage(`${JSON.stringify(contentType)} is not a media type`, 'Write one such as application/pdf.');
  const first = withoutBase64(last.path.slice(0, at));
  return { path: first.path, contentType, base64: first.base64 || last.base64 };
}

function withoutBase64(text: string): { readonly path: string; readonly base64: boolean } {
  return text.endsWith(BASE64) ? { path: text.slice(0, -BASE64.length), base64: true } : { path: text, base64: false };
}

const TYPE = ';type=';
const BASE64 = ';base64';

/** A file as content. Its type follows from its name if none is given; its bytes are read while they are sent. */
export async function fileContent({ path, contentType, base64 = false }: NamedFile): Promise<Attachment> {
  if (base64) return decodedFile(path, await fileContent({ path, contentType: contentType ?? OCTETS }));
  if (path === '-') return { contentType: contentType ?? OCTETS, stream: () => process.stdin };
  try {
    return await fileAttachment(path, contentType);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The content whose Base64 text is in a file. The name of that file says nothing about it. */
function decodedFile(path: string, { contentType, again = false, stream }: Attachment): Attachment {
  const complain = (reason: string) => new CodecError(path, `can't be decoded: ${reason}`);
  return { contentType, again, stream: () => decodeTransfer('base64', stream() as AsyncIterable<Buffer>, complain) };
}

/** A file as a segment. Its type is that of its name, or the operation's type of segments, unless it is given. */
export async function fileSegment(file: NamedFile): Promise<Segment> {
  const { contentType, ...content } = await fileContent(file);
  return file.contentType === undefined ? content : { ...content, contentType };
}

/** Text of a file, or of standard input, in UTF-8. */
export async function fileText({ path }: NamedFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) chunks.push(chunk as Buffer);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new CliFailure(`${path === '-' ? 'standard input' : path} is not text in UTF-8`, { exitCode: 2, cause });
  }
}

function unreadable(path: string, error: unknown): CliFailure {
  const why = { exitCode: 2, cause: error } as const;
  const code = codeOf(error);
  if (code === 'EISDIR') return new CliFailure(`${path} is a folder`, why);
  if (code === 'ENOENT') return new CliFailure(`there is no file ${path}`, why);
  return new CliFailure(`${path} can't be opened${code === '' ? '' : ` (${code})`}`, why);
}

/** Checks that content can be written to a file, before the call is made. @throws CliFailure */
export async function checkOutput(path: string): Promise<void> {
  if (path === '-') return;
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw wrongUsage(`${path} is a folder`, '--output takes a file.');
  const place = there === undefined || there.isFile() ? dirname(path) : path;
  try {
    await access(place, constants.W_OK);
  } catch (cause) {
    const isMissing = codeOf(cause) === 'ENOENT';
    throw new CliFailure(isMissing ? `there is no folder ${place}` : `${place} can't be written to`, {
      hint: '--output names the file to write.',
      exitCode: 2,
      cause,
    });
  }
}

/**
 * Writes content to a file, which is replaced atomically at the end. Devices and pipes are written to directly, `-` is
 * standard output.
 * @param onWritten called with the bytes written so far
 * @returns the number of bytes
 */
export async function writeContent(
  path: string,
  content: AsyncIterable<Uint8Array>,
  onWritten: (bytes: number) => void = () => {},
): Promise<number> {
  let written = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      written += chunk.length;
      onWritten(written);
      yield chunk;
    }
  }
  if (path === '-') for await (const chunk of counted()) await print(chunk);
  else await writeFileWhole(path, counted());
  return written;
}

async function writeFileWhole(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  const direct = there !== undefined && !there.isFile();
  // A symbolic link is kept.
  const final = there === undefined || direct ? path : await realpath(path);
  const partial = direct ? final : `${final}.part-${process.pid}`;
  const file = await open(partial, direct ? 'w' : 'wx');
  try {
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    if (!direct) await rename(partial, final);
  } catch (error) {
    if (!direct) await unlink(partial).catch(() => undefined);
    throw error;
  }
}

/** The description of an attachment, in place of its bytes. */
export class KeptAttachment {
  readonly contentType: string;
  readonly name: string | undefined;
  /** In bytes, if known. */
  readonly length: number | undefined;
  /** The file with its content; `undefined` if it was discarded. */
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

/** A reply that has been read, with descriptions of its attachments. */
export interface KeptReply {
  readonly value: DocumentValue;
  /** Attachments outside of fields. */
  readonly segments: readonly KeptAttachment[];
  /** How many were discarded. */
  readonly left: number;
}

export interface KeepOptions {
  /** The file for the first attachment; others are next to it, numbered from 2. `-` is standard output, for one only. */
  readonly output: string | undefined;
  /** Called with the bytes received so far. */
  onReceived(bytes: number): void;
}

/**
 * Reads a reply and writes its attachments to the file that the command line names. Others stay unread, and the connection is
 * not used again.
 */
export async function keepReply(reply: InvokeReply, { output, onReceived }: KeepOptions): Promise<KeptReply> {
  let number = 0;
  let left = 0;
  let received = 0;
  const keep = async (attachment: Attachment): Promise<KeptAttachment> => {
    number++;
    const file = output === undefined || (output === '-' && number > 1) ? undefined : numbered(output, number);
    if (file === undefined) {
      left++;
      return new KeptAttachment(attachment);
    }
    const before = received;
    const written = await writeContent(file, attachment.stream(), (bytes) => {
      received = before + bytes;
      onReceived(received);
    });
    return new KeptAttachment({ ...attachment, length: written }, file);
  };
  const value = (await describing(reply.value, keep)) as DocumentValue;
  const segments: KeptAttachment[] = [];
  // Segments after an unread attachment could only be reached by reading it.
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

/** Replaces the attachments in a value by their descriptions, reading them in order. */
async function describing(value: Value, keep: (attachment: Attachment) => Promise<KeptAttachment>): Promise<Value> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const entries: Value[] = [];
    for (const each of value as readonly Value[]) entries.push(await describing(each, keep));
    return carryDigits(value, entries);
  }
  if (isAttachment(value)) return (await keep(value)) as unknown as Value;
  const fields: [string, Value][] = [];
  for (const [name, each] of Object.entries(value)) fields.push([name, await describing(each as Value, keep)]);
  return carryDigits(value, Object.fromEntries(fields));
}
