import {
  CodecError,
  compileDocument,
  compileFault,
  compileInline,
  type DocumentCodec,
  type Inline,
  writeJsonText,
} from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import { type Message, type Operation, type OperationUri, serviceNamespace } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { compileOffers } from '../../wire/media-type.ts';
import { problemMediaType } from '../../wire/problem.ts';
import { wrapPsnonxml } from '../../wire/xml/text.ts';
import { problemText } from './problem.ts';
import { type Representation, representationsOf, XML } from './representation.ts';
import { compileReader, type RequestReader } from './request.ts';

/** One operation's REST form, compiled once: requests are read and replies are written by it. */
export interface RestBinding {
  readonly operation: Operation;
  /** The default first. */
  readonly representations: readonly Representation[];
  /** Reads the request message that came to one of the operation's URIs. @throws Fault as a {@link RequestReader} does */
  readRequest(uri: OperationUri, ...given: Parameters<RequestReader>): ReturnType<RequestReader>;
  /** Picks the reply's form by the Accept header. @throws Fault NOT_ACCEPTABLE */
  negotiate(accept: string | undefined): Representation;
  /**
   * Writes a reply's value.
   * @param limit in bytes, of each attachment that the reply holds as base64
   * @throws CodecError where the value does not fit its document
   */
  writeReply(value: DocumentValue | string, as: Representation, limit: number): string | Promise<string>;
  /** Writes a fault: the operation's fault document, else RFC 9457 problem details. */
  writeFault(
    fault: Fault,
    as: Representation,
    requestId: string,
  ): { readonly contentType: string; readonly text: string };
}

/** A reply's document: its codec, and what brings its attachments into memory where it holds any. */
interface ReplyCodec extends DocumentCodec {
  readonly inline: Inline | undefined;
}

/** Declared for content whose media type is its own. */
const OCTETS = 'application/octet-stream';

/** Compiles an operation. `namespace`: of `gateway.yaml`. */
export function compileRest(operation: Operation, namespace: string): RestBinding {
  const options = { namespace: serviceNamespace(operation.service, namespace) };
  const readers = new Map(operation.uris.map((uri) => [uri, compileReader(operation, uri, options.namespace)]));
  const representations = representationsOf(operation);
  const offers = compileOffers(representations.map((each) => each.contentType));
  const byDefault = representations[0] as Representation;
  const faults = compileOffers([operation.fault === undefined ? problemMediaType : 'application/json']);
  const offered = representations.map((each) => each.contentType).join(', ');
  const codecs = new Map<Document, ReplyCodec>();
  for (const { message } of representations) {
    if (message.kind !== 'document') continue;
    codecs.set(message.document, {
      ...compileDocument(message.document, options),
      inline: compileInline(message.document),
    });
  }
  const fault = operation.fault === undefined ? undefined : compileFault(operation.fault, options);
  const codecOf = (message: Message): ReplyCodec => {
    const codec = message.kind === 'document' ? codecs.get(message.document) : undefined;
    if (codec === undefined) throw new TypeError(`${operation.id} has no document to write a reply with`);
    return codec;
  };

  return {
    operation,
    representations,
    readRequest: (uri, raw, header, body) => (readers.get(uri) as RequestReader)(raw, header, body),
    negotiate(accept) {
      const found = offers(accept);
      if (found !== undefined) return representations[found.index] as Representation;
      // A reply without a body is acceptable to everyone; the type of content is known once there is content.
      const any = representations.find(({ message, contentType }) => message.kind === 'none' || contentType === OCTETS);
      if (any !== undefined) return any;
      // Generated clients name the one form of a contract that they can read: for a file, that of its faults.
      // RFC 9110, section 15.5.7 permits the reply to be sent then.
      if (byDefault.message.kind === 'raw' && faults(accept)?.explicit) return byDefault;
      throw Fault.of('NOT_ACCEPTABLE', { offered });
    },
    writeReply(value, as, limit) {
      if (as.message.kind === 'none') return '';
      if (as.message.kind === 'raw') return typeof value === 'string' ? value : writeJsonText(value);
      if (typeof value === 'string') throw new CodecError('', 'is a text, where a document is declared');
      const codec = codecOf(as.message);
      const write = (whole: DocumentValue): string => {
        if (as.format === 'xml') return codec.toXml(whole);
        const json = codec.toJson(whole);
        return as.format === 'psnonxml' ? wrapPsnonxml(json) : json;
      };
      return codec.inline === undefined ? write(value) : codec.inline(value, limit).then(write);
    },
    writeFault(thrown, as, requestId) {
      if (fault === undefined) {
        return { contentType: problemMediaType, text: problemText(thrown, requestId) };
      }
      if (as.format === 'xml') return { contentType: XML, text: fault.toXml(thrown) };
      const json = fault.toJson(thrown);
      return as.format === 'psnonxml'
        ? { contentType: XML, text: wrapPsnonxml(json) }
        : { contentType: 'application/json', text: json };
    },
  };
}
