import type { Attachment } from '../model/value.ts';
import { dispositionOf } from '../wire/multipart/content-disposition.ts';
import { freshBoundary, writeMultipart } from '../wire/multipart/write.ts';
import { envelope, SOAP_CONTENT_TYPES, type SoapVersion } from '../wire/soap/soap.ts';
import { hrefOf, newContentId, relatedContentType, XOP_MEDIA_TYPE, XOP_NAMESPACE } from '../wire/soap/xop.ts';
import { escapeAttribute } from '../wire/xml/text.ts';
import { type Pieces, XmlBytes } from './soap.ts';

/** A message as it goes out. */
export interface OutgoingMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes; undefined where an attachment does not know its own. */
  readonly length: number | undefined;
  /** The whole of it, where it is a text in memory. */
  readonly text?: string;
  /** To be read once. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface AssembleOptions {
  /** Attachments travel as parts (MTOM) rather than as base64 in their place. */
  readonly mtom: boolean;
  /** What the request asks for: SOAPAction in 1.1, `action=` in 1.2. */
  readonly action?: string;
  /** Parts that nothing includes. Where there are any, the message is multipart whatever `mtom` says. */
  readonly segments?: readonly Attachment[];
  /** How parts travel; binary. */
  readonly transfer?: 'binary' | 'base64';
}

/**
 * Puts a body into an envelope, and that with its attachments into a message: XOP (MTOM 1.0), SOAP with attachments that
 * nothing includes, or XML alone.
 * @param content XML of the Body
 */
export function assembleMessage(version: SoapVersion, content: Pieces, options: AssembleOptions): OutgoingMessage {
  const { start, end } = envelope(version);
  return assembleEnvelope(version, [start, ...content, end], options);
}

/** The same for an envelope that stands already. */
export function assembleEnvelope(version: SoapVersion, pieces: Pieces, options: AssembleOptions): OutgoingMessage {
  const { mtom, action, segments = [] } = options;
  const contentType = SOAP_CONTENT_TYPES[version];
  if (mtom || segments.length > 0) return related(version, pieces, options);
  const headers = withAction(version, contentType, action);
  const text = textOf(pieces);
  if (text !== undefined) return textMessage(headers, text);
  return { headers, length: inlineLength(pieces), bytes: () => inline(pieces) };
}

/** The pieces as one text; undefined where there is something else among them. */
function textOf(pieces: Pieces): string | undefined {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece !== 'string') return undefined;
    // Not joined, which would copy what has been put together of many texts once more.
    text += piece;
  }
  return text;
}

function textMessage(headers: Readonly<Record<string, string>>, text: string): OutgoingMessage {
  return {
    headers,
    text,
    length: Buffer.byteLength(text),
    bytes: async function* () {
      yield Buffer.from(text);
    },
  };
}

/** SOAP 1.1 section 6.1.1; SOAP 1.2 part 2, 7.1.4 with RFC 3902. */
function withAction(version: SoapVersion, contentType: string, action: string | undefined): Record<string, string> {
  if (action === undefined) return { 'Content-Type': contentType };
  return version === '1.1'
    ? { 'Content-Type': contentType, SOAPAction: `"${action}"` }
    : { 'Content-Type': `${contentType}; action="${action}"` };
}

function related(version: SoapVersion, pieces: Pieces, options: AssembleOptions): OutgoingMessage {
  const { mtom, action, segments = [], transfer = 'binary' } = options;
  const type = version === '1.1' ? 'text/xml' : 'application/soap+xml';
  const start = newContentId();
  const included: { readonly id: string; readonly attachment: Attachment }[] = [];
  const includeAt = (attachment: Attachment): string => {
    const id = newContentId();
    included.push({ id, attachment });
    return `<xop:Include xmlns:xop="${XOP_NAMESPACE}" href="${escapeAttribute(hrefOf(id))}"/>`;
  };
  const isXml = (piece: Pieces[number]): boolean => typeof piece === 'string' || piece instanceof XmlBytes;
  const xml = mtom ? pieces.map((piece) => (isXml(piece) ? piece : includeAt(piece as Attachment))) : pieces;
  const text = textOf(xml);
  const rootType = mtom ? `${XOP_MEDIA_TYPE}; charset=UTF-8; type="${type}"` : SOAP_CONTENT_TYPES[version];
  const boundary = freshBoundary();
  const written = writeMultipart({
    boundary,
    parts: [
      {
        headers: { 'Content-Type': rootType, 'Content-Transfer-Encoding': '8bit', 'Content-ID': `<${start}>` },
        content: text ?? { ...lengthOf(inlineLength(xml)), stream: () => inline(xml) },
      },
      ...included.map(({ id, attachment }) => part(id, attachment, transfer)),
      ...segments.map((attachment) => part(newContentId(), attachment, transfer)),
    ],
  });
  const outer = relatedContentType({
    boundary,
    start,
    type: mtom ? XOP_MEDIA_TYPE : type,
    ...(mtom ? { startInfo: type } : {}),
  });
  return { headers: withAction(version, outer, action), ...written };
}

function part(id: string, attachment: Attachment, transfer: 'binary' | 'base64') {
  const { contentType, name } = attachment;
  return {
    headers: {
      'Content-Type': contentType,
      'Content-Transfer-Encoding': transfer,
      'Content-ID': `<${id}>`,
      ...(name === undefined ? {} : { 'Content-Disposition': dispositionOf(name) }),
    },
    content: attachment,
    encoding: transfer,
  } as const;
}

const lengthOf = (length: number | undefined): { readonly length?: number } => (length === undefined ? {} : { length });

/** Bytes of XML with base64 (RFC 4648 section 4) in place of attachments. */
function inlineLength(pieces: Pieces): number | undefined {
  let total = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') total += Buffer.byteLength(piece);
    else if (piece.length === undefined) return undefined;
    else total += piece instanceof XmlBytes ? piece.length : Math.ceil(piece.length / 3) * 4;
  }
  return total;
}

async function* inline(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece);
    else if (piece instanceof XmlBytes) yield* piece.stream();
    else yield* base64(piece);
  }
}

/** In pieces that end with a whole group of three bytes. @throws RangeError where it does not hold what it said */
async function* base64(attachment: Attachment): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  let seen = 0;
  for await (const chunk of attachment.stream()) {
    seen += chunk.length;
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  const { length } = attachment;
  if (length !== undefined && seen !== length) throw new RangeError(`an attachment of ${length} bytes holds ${seen}`);
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}
