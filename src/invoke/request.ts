import { placeSegments } from '../binding/segments.ts';
import type { Pieces } from '../binding/soap.ts';
import { assembleEnvelope, assembleMessage } from '../binding/soap-message-write.ts';
import { CodecError } from '../codec/index.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import { parseMediaType } from '../wire/media-type.ts';
import { readEnvelope, SoapError, type SoapVersion } from '../wire/soap.ts';
import { readXml, XmlError } from '../wire/xml-read.ts';
import type { Callable } from './callable.ts';
import { type Called, InvokeError } from './error.ts';
import type { Outgoing } from './exchange.ts';

/** Content that travels beside the envelope, or where a marker of it is. */
export interface Segment extends Omit<Attachment, 'contentType'> {
  /** SegmentContentType of the operation where it is left out, else application/octet-stream. */
  readonly contentType?: string;
}

/**
 * Writes the request of a call.
 * @throws InvokeError BAD_INPUT
 */
export function writeRequest(
  callable: Callable,
  input: DocumentValue,
  given: readonly Segment[],
  called: Called,
): Outgoing {
  const { binding, version, headers, operation } = callable;
  const { mtom, upContent, compress, segmentContentTransfer: transfer } = operation.properties;
  const message = checking(called, () => {
    const segments = given.map((segment, index) => typed(segment, index, operation.properties.segmentContentType));
    const xml = upContent ? binding.writeRequest(input) : envelopeOf(input, version);
    const mayHoldMarkers = segments.length > 0 || binding.form.request.kind === 'raw';
    const { pieces, rest } = mayHoldMarkers ? placeSegments(xml, segments) : { pieces: xml, rest: segments };
    const options = { mtom, action: binding.form.action, segments: rest, transfer };
    return upContent ? assembleMessage(version, pieces, options) : assembleEnvelope(version, pieces, options);
  });
  return {
    headers: { 'X-Request-Id': called.requestId, ...message.headers, ...headers },
    length: message.length,
    text: message.text,
    bytes: message.bytes,
    compress,
  };
}

function checking<T>(called: Called, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new InvokeError('BAD_INPUT', called, error.message, { cause: error });
  }
}

function typed(segment: Segment, index: number, otherwise: string | undefined): Attachment {
  const contentType = segment.contentType ?? otherwise ?? 'application/octet-stream';
  if (parseMediaType(contentType) === undefined)
    throw new CodecError(`segment ${index + 1}`, `has the content type ${JSON.stringify(contentType)}, which is none`);
  const { length, name } = segment;
  return {
    contentType,
    ...(length === undefined ? {} : { length }),
    ...(name === undefined ? {} : { name }),
    stream: () => segment.stream(),
  };
}

/** A byte order mark and an XML declaration: what is sent is UTF-8, which needs neither. */
const PROLOGUE = /^\ufeff?(?:<\?xml\s[^>]*\?>\s*)?/;

/** The caller's own envelope, as written. */
function envelopeOf({ content }: DocumentValue, version: SoapVersion): Pieces {
  if (content === undefined) throw new CodecError('content', 'is missing: it is the envelope');
  if (typeof content !== 'string') throw new CodecError('content', 'is no text');
  try {
    const found = readEnvelope(readXml(content.replace(/^\ufeff/, ''))).version;
    if (found !== version)
      throw new CodecError(
        'content',
        `is an envelope of SOAP ${found}, and the call's Content-Type is that of ${version}`,
      );
  } catch (error) {
    if (error instanceof XmlError) throw new CodecError('content', `is not well-formed XML: ${error.message}`);
    if (error instanceof SoapError) throw new CodecError('content', `is no SOAP envelope: ${error.reason}`);
    throw error;
  }
  return [content.replace(PROLOGUE, '')];
}
