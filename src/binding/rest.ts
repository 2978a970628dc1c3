import {
  CodecError,
  compileCheck,
  compileDocument,
  compileFault,
  compileInline,
  compileList,
  compileText,
  type DocumentCodec,
  type Inline,
  writeJsonText,
} from '../codec/index.ts';
import type { Document } from '../model/document.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import { serviceNamespace } from '../model/namespace.ts';
import type { Message, Operation, OperationUri } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { compileOffers, parseMediaType } from '../wire/media-type.ts';
import { problemMediaType } from '../wire/problem.ts';
import type { RawValue } from '../wire/uri-template/match.ts';
import type { TemplateVariable } from '../wire/uri-template/uri-template.ts';
import { wrapPsnonxml } from '../wire/xml/text.ts';
import { guard, naming } from './guard.ts';
import { problemText } from './problem.ts';
import { CONTENT, compileBody, type RequestBody } from './request-body.ts';
import { compileVariable } from './uri-variable.ts';

/** How a reply is written; `soap` in an envelope. */
export type Format = 'json' | 'xml' | 'psnonxml' | 'raw' | 'soap';

/** A reply's form: what was offered for one media type. */
export interface Representation {
  readonly format: Format;
  /** The Content-Type of the reply. */
  readonly contentType: string;
  readonly message: Message;
}

/** One operation's REST form, compiled once: requests are read and replies are written by it. */
export interface RestBinding {
  readonly operation: Operation;
  /** The default first. */
  readonly representations: readonly Representation[];
  /**
   * Reads the request message.
   * @param raw what the matcher bound, aligned with the URI's variables, still percent-encoded
   * @param header looks a header up by its name in lower case
   * @throws Fault MISSING_PARAMETER, BAD_PARAMETER, BAD_ENCODING, BAD_BODY, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
   */
  readRequest(
    uri: OperationUri,
    raw: readonly RawValue[],
    header: (name: string) => string | undefined,
    body: RequestBody,
  ): DocumentValue | Promise<DocumentValue>;
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

/** Compiles an operation. `namespace`: of `gateway.yaml`. */
export function compileRest(operation: Operation, namespace: string): RestBinding {
  const options = { namespace: serviceNamespace(operation.service, namespace) };
  const readers = new Map(operation.uris.map((uri) => [uri, compileReader(operation, uri)]));
  const representations = compileRepresentations(operation);
  const offers = compileOffers(representations.map((each) => each.contentType));
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
      // A reply without a body is acceptable to everybody.
      const bodiless = representations.find(({ message }) => message.kind === 'none');
      if (bodiless !== undefined) return bodiless;
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
        : { contentType: JSON_TYPE, text: json };
    },
  };
}

const JSON_TYPE = 'application/json';
/** No charset: an XML processor reads UTF-8 where nothing else is said (RFC 7303 section 3). */
const XML = 'application/xml';

/** Forms in the order offered; with the psnonxml wrapper, the wrapped JSON comes first (field notes 7). */
function compileRepresentations(operation: Operation): Representation[] {
  const listed = operation.responses.map(({ mediaType, message }): Representation => {
    const essence = parseMediaType(mediaType)?.essence ?? mediaType;
    if (message.kind !== 'document') return { format: 'raw', contentType: textual(essence), message };
    const isXml = essence.endsWith('/xml') || essence.endsWith('+xml');
    return { format: isXml ? 'xml' : 'json', contentType: isXml ? textual(essence) : essence, message };
  });
  if (operation.wrapper === undefined) return listed;
  const json = listed.find((each) => each.format === 'json');
  if (json === undefined) return listed;
  const wrapped = [XML, 'text/xml; charset=utf-8'].map(
    (contentType): Representation => ({ format: 'psnonxml', contentType, message: json.message }),
  );
  return [...wrapped, json];
}

function textual(essence: string): string {
  return essence.startsWith('text/') ? `${essence}; charset=utf-8` : essence;
}

type RequestReader = (
  raw: readonly RawValue[],
  header: (name: string) => string | undefined,
  body: RequestBody,
) => DocumentValue | Promise<DocumentValue>;

/** Everything that one URI's requests need, closed over: a decoder a variable, a codec for the body, the final check. */
function compileReader(operation: Operation, uri: OperationUri): RequestReader {
  const variables = uri.variables.map((variable, index) =>
    compileVariable(variable, uri.template.variables[index] as TemplateVariable),
  );
  const headers = operation.requestHeaders.map(({ header, field }) => {
    return { header, key: header.toLowerCase(), field, read: compileHeader(field) };
  });
  const readBody = compileBody(operation, uri);
  const fields = operation.request.kind === 'document' ? operation.request.document.fields : [];
  const extra = uri.variables.map((variable) => variable.field).filter((field) => !fields.includes(field));
  const check = compileCheck([...fields, ...extra]);
  return (raw, header, body) => {
    const given: Record<string, Value> = {};
    for (let index = 0; index < variables.length; index++)
      (variables[index] as (typeof variables)[number])(raw[index], given);
    for (const bound of headers) {
      const text = header(bound.key);
      // Sent empty is the same as not sent, as it is in a URI.
      if (text !== undefined && text !== '') given[bound.field.name] = guard(bound.header, bound.read, text);
    }
    const complete = (content: Value | undefined): DocumentValue => {
      const input = naming(() => check(given));
      return content === undefined ? input : { ...input, [CONTENT]: content };
    };
    const read = readBody(body, given);
    return read instanceof Promise ? read.then(complete) : complete(read);
  };
}

/** One header's value; entries of a list stand between commas, empty ones count for nothing (RFC 9110 section 5.6.1). */
function compileHeader(field: Field): (text: string) => Value {
  if (field.type.kind !== 'list') return compileText(field);
  const read = compileList(field);
  return (text) =>
    read(
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    );
}
