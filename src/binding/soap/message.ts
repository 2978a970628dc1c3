import type { Resolve } from '../../codec/index.ts';
import type { Spool } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Attachment } from '../../model/value.ts';
import { readContentType, shownContentType } from '../../wire/content-type.ts';
import { empty } from '../../wire/measured.ts';
import type { MediaType } from '../../wire/media-type.ts';
import { MultipartReader, type Part } from '../../wire/multipart/read-multipart.ts';
import { isRelated, readRelatedType, XOP_MEDIA_TYPE } from '../../wire/soap/xop.ts';
import { XmlDecoder } from '../../wire/xml/encoding.ts';
import { XmlError, XmlReader } from '../../wire/xml/read-xml.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { asFault, speaking } from '../message.ts';
import { PART_HEADER } from '../part.ts';
import { MessageParts, type PartLimits } from './parts.ts';

/** A message as it comes: its type, and its bytes once. */
export interface MessageSource {
  readonly contentType: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** All of them, where they are in memory: they are read instead of `bytes`. */
  readonly whole?: Uint8Array;
}

export interface MessageLimits extends PartLimits {
  /** In bytes: the message without attachments, or the part that is the envelope. */
  readonly envelope: number;
}

/** Finds the attachment that is a part of WSDL, by its name. */
export type Attached = (part: string) => Attachment | undefined;

/** A message whose XML has been read, and whose attachments are about to be. */
export interface OpenedMessage {
  readonly root: XmlElement;
  /** Whether it arrived as multipart/related. */
  readonly mtom: boolean;
  /** Whether that is a XOP package: its type, or that of its root part, says so. */
  readonly xop: boolean;
  /**
   * Goes on to the last attachment that the root includes, or that is a field: the others are kept until they are wanted.
   * @param fields names of parts in WSDL
   * @throws Fault
   */
  include(fields?: readonly string[]): void | Promise<void>;
  /** Finds the attachment that is a field, after {@link OpenedMessage.include}. */
  readonly attached: Attached | undefined;
  /** Finds the attachment that a `cid:` of the root names, after {@link OpenedMessage.include}: every one of them is there. */
  readonly resolve: Resolve | undefined;
  /** Attachments that were not resolved, in the order in which they come. Each is to be read before the next is asked for. */
  segments(): AsyncIterable<Attachment>;
  /** Reads the rest, unless an earlier attachment is unread. @throws Fault as {@link openMessage} does */
  finish(): void | Promise<void>;
  /** Frees the stored parts. */
  close(): void;
}

/** Content types that an XML message may have; with attachments they are those of its root part. */
const XML_TYPES: ReadonlySet<string> = new Set([
  'text/xml',
  'application/soap+xml',
  'application/xml',
  'application/xop+xml',
]);

/**
 * Reads the XML of a message: all of it, or the root of multipart/related (RFC 2387; with XOP 1.0, MTOM). Of the
 * attachments that it includes, the one that comes last is read as it is asked for, those before it are kept by the
 * spool, as are all that come before the root.
 * @throws Fault UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, TOO_MANY_ATTACHMENTS
 */
export async function openMessage(source: MessageSource, limits: MessageLimits, spool: Spool): Promise<OpenedMessage> {
  const type = typeOf(source.contentType);
  if (type !== undefined && isRelated(type)) return openRelated(source, type, limits, spool);
  const root = new RootReader(type, limits.envelope);
  if (source.whole !== undefined) root.take(source.whole);
  else for await (const chunk of source.bytes) root.take(chunk);
  return { root: root.end(), ...ALONE };
}

/**
 * Reads a message that is XML alone, and small enough to be read at once. Its type is checked before any of it is read.
 * @param limit in bytes
 * @throws Fault as {@link openMessage}
 */
export function openWhole(
  contentType: string | undefined,
  read: () => Promise<Uint8Array>,
  limit: number,
): Promise<OpenedMessage> {
  const root = new RootReader(typeOf(contentType), limit);
  return read().then((bytes) => {
    root.take(bytes);
    return { root: root.end(), ...ALONE };
  });
}

const nothing = (): void => {};

/** A message without attachments. */
const ALONE = {
  mtom: false,
  xop: false,
  include: nothing,
  resolve: undefined,
  attached: undefined,
  segments: empty,
  finish: nothing,
  close: nothing,
} as const;

function typeOf(contentType: string | undefined): MediaType | undefined {
  const type = contentType === undefined ? undefined : readContentType(contentType);
  if (contentType !== undefined && type === undefined) throw unsupportedType(shownContentType(contentType));
  return type;
}

async function openRelated(
  { bytes }: MessageSource,
  type: MediaType,
  limits: MessageLimits,
  spool: Spool,
): Promise<OpenedMessage> {
  const { boundary, start, type: rootType } = speaking(() => readRelatedType(type));
  // Room for the root and one more, so that it is the count of attachments which complains.
  const reader = new MultipartReader(bytes, boundary, { parts: limits.attachments + 2, headers: PART_HEADER });
  const parts = new MessageParts(reader, limits, spool);
  try {
    const rootPart = await parts.root(start);
    const ownType = partType(rootPart);
    const xml = new RootReader(ownType, limits.envelope);
    for await (const chunk of rootPart.body()) xml.take(chunk);
    const root = xml.end();
    return {
      root,
      mtom: true,
      xop: rootType === XOP_MEDIA_TYPE || ownType?.essence === XOP_MEDIA_TYPE,
      include: (fields) => parts.include(root, fields),
      attached: (part) => parts.attached(part),
      resolve: (href) => parts.resolve(href),
      segments: () => parts.segments(),
      finish: () => parts.finish(),
      close: () => parts.close(),
    };
  } catch (error) {
    parts.close();
    throw asFault(error);
  }
}

function partType({ headers }: Part): MediaType | undefined {
  const given = headers.get('content-type');
  return given === undefined ? undefined : readContentType(given);
}

/** Reads the XML of a message as it comes. Each method throws a Fault. */
class RootReader {
  readonly #limit: number;
  readonly #decoder: XmlDecoder;
  readonly #reader = new XmlReader();
  #seen = 0;

  /** @param limit in bytes */
  constructor(type: MediaType | undefined, limit: number) {
    if (type !== undefined && !XML_TYPES.has(type.essence)) throw unsupported(type.essence);
    this.#decoder = decoderFor(type?.parameters.get('charset'));
    this.#limit = limit;
  }

  take(chunk: Uint8Array): void {
    this.#seen += chunk.length;
    if (this.#seen > this.#limit) throw Fault.of('BODY_TOO_LARGE', { limit: this.#limit, key: '`limits.body`' });
    speaking(() => this.#reader.write(this.#decoder.write(chunk)));
  }

  end(): XmlElement {
    return speaking(() => {
      this.#reader.write(this.#decoder.end());
      return this.#reader.end();
    });
  }
}

function decoderFor(charset: string | undefined): XmlDecoder {
  try {
    return new XmlDecoder(charset);
  } catch (error) {
    if (error instanceof XmlError) throw unsupported(`with charset ${charset}`);
    throw error;
  }
}

function unsupported(given: string): Fault {
  return unsupportedType(`Content-Type ${given.slice(0, 100)}`);
}

/** @param given with the name of the header */
function unsupportedType(given: string): Fault {
  const supported =
    'text/xml, application/soap+xml or multipart/related with such a root, in UTF-8, UTF-16, ISO-8859-1 or windows-1252';
  return Fault.of('UNSUPPORTED_MEDIA_TYPE', { given, supported });
}
