import { ReferredAttachment } from '../../codec/binary.ts';
import { CodecError } from '../../codec/index.ts';
import type { Attachment } from '../../model/value.ts';
import { sentMediaType } from '../../wire/file-type.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { dispositionOf } from '../../wire/multipart/content-disposition.ts';
import { freshBoundary, writeMultipart } from '../../wire/multipart/write.ts';
import { envelope, SOAP_CONTENT_TYPES, SOAP_MEDIA_TYPES, type SoapVersion } from '../../wire/soap/version.ts';
import {
  hrefOf,
  newContentId,
  newPartId,
  relatedContentType,
  XOP_MEDIA_TYPE,
  XOP_NAMESPACE,
} from '../../wire/soap/xop.ts';
import { escapeAttribute, escapeText } from '../../wire/xml/text.ts';
import { bytesOf, lengthOf, type Pieces, textOf, XmlBytes } from '../pieces.ts';
import type { NamedAttachment } from './attachments.ts';

/** A message as it is sent. */
export interface OutgoingMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes; `undefined` when an attachment does not know its own. */
  readonly length: number | undefined;
  /** The whole message, if it is a text in memory. */
  readonly text?: string | undefined;
  /** To be read once. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface AssembleOptions {
  /** Attachments travel as parts (MTOM) rather than as base64 in their place. */
  readonly mtom: boolean;
  /** The action of a request: SOAPAction in 1.1; `action=` in 1.2, omitted when empty. */
  readonly action?: string;
  /** XML of header blocks. */
  readonly headers?: string;
  /** Parts that nothing includes. If there are any, the message is multipart regardless of `mtom`. */
  readonly segments?: readonly Attachment[];
  /** Parts that the contract declares beside the envelope. */
  readonly attached?: readonly NamedAttachment[];
  /** Transfer encoding of the parts; `binary` by default. */
  readonly transfer?: 'binary' | 'base64';
}

/**
 * Puts a body into an envelope, and that with its attachments into a message: XOP (MTOM 1.0), SOAP with attachments that
 * nothing includes, or XML alone.
 * @param content XML of the Body
 */
export function assembleMessage(version: SoapVersion, content: Pieces, options: AssembleOptions): OutgoingMessage {
  const { start, end } = envelope(version, options.headers);
  return assembleEnvelope(version, [start, ...content, end], options);
}

/** The same for an envelope that is complete already. */
export function assembleEnvelope(version: SoapVersion, pieces: Pieces, options: AssembleOptions): OutgoingMessage {
  const { mtom, action, segments = [], attached = [] } = options;
  const contentType = SOAP_CONTENT_TYPES[version];
  if (mtom || segments.length + attached.length > 0 || pieces.some(isReferred))
    return related(version, pieces, options);
  const headers = withAction(version, contentType, action);
  const text = textOf(pieces);
  const whole = text === undefined ? pieces : [text];
  return { headers, text, length: lengthOf(whole), bytes: () => bytesOf(whole) };
}

/** SOAP 1.1 section 6.1.1; SOAP 1.2 part 2, 7.1.4 with RFC 3902. */
function withAction(version: SoapVersion, contentType: string, action: string | undefined): Record<string, string> {
  if (action === undefined) return { 'Content-Type': contentType };
  if (version === '1.1') return { 'Content-Type': contentType, SOAPAction: `"${action}"` };
  return { 'Content-Type': action === '' ? contentType : `${contentType}; action="${action}"` };
}

function isReferred(piece: Pieces[number]): boolean {
  return piece instanceof ReferredAttachment;
}

function related(version: SoapVersion, pieces: Pieces, options: AssembleOptions): OutgoingMessage {
  const { mtom, action, segments = [], attached = [], transfer = 'binary' } = options;
  const type = SOAP_MEDIA_TYPES[version];
  const start = newContentId();
  const included: { readonly id: string; readonly attachment: Attachment }[] = [];
  const includeAt = (attachment: Attachment): string => {
    const id = newContentId();
    included.push({ id, attachment });
    return `<xop:Include xmlns:xop="${XOP_NAMESPACE}" href="${escapeAttribute(hrefOf(id))}"/>`;
  };
  const referTo = (attachment: Attachment): string => {
    const id = newContentId();
    included.push({ id, attachment });
    return escapeText(hrefOf(id));
  };
  const xml = pieces.map((piece) => {
    if (typeof piece === 'string' || piece instanceof XmlBytes) return piece;
    if (piece instanceof ReferredAttachment) return referTo(piece);
    return mtom ? includeAt(piece) : piece;
  });
  const rootType = mtom ? `${XOP_MEDIA_TYPE}; charset=UTF-8; type="${type}"` : SOAP_CONTENT_TYPES[version];
  const boundary = freshBoundary();
  const written = writeMultipart({
    boundary,
    parts: [
      {
        headers: { 'Content-Type': rootType, 'Content-Transfer-Encoding': '8bit', 'Content-ID': `<${start}>` },
        content: textOf(xml) ?? { length: lengthOf(xml), stream: () => bytesOf(xml) },
      },
      ...included.map(({ id, attachment }) => part(id, attachment, transfer)),
      ...attached.map((each) => part(newPartId(each.part), each.attachment, transfer)),
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
  if (parseMediaType(contentType) === undefined)
    throw new CodecError(name ?? id, `has the Content-Type ${JSON.stringify(contentType)}, which is not valid`);
  return {
    headers: {
      'Content-Type': sentMediaType(contentType, { name }),
      'Content-Transfer-Encoding': transfer,
      'Content-ID': `<${id}>`,
      ...(name === undefined ? {} : { 'Content-Disposition': dispositionOf(name) }),
    },
    content: attachment,
    encoding: transfer,
  } as const;
}
