import { STATUS_CODES } from 'node:http';
import {
  CodecError,
  compileCheck,
  compileDocument,
  compileFault,
  compileInline,
  compileSeparated,
  compileText,
  type DocumentCodec,
  type Inline,
  nearest,
  shown,
  stepOf,
  writeJsonText,
} from '../../codec/index.ts';
import { carryDigits } from '../../codec/json/digits.ts';
import type { Document } from '../../model/document.ts';
import { type ErrorPlace, Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import {
  faultType,
  type Message,
  type Operation,
  type OperationUri,
  replyForms,
  serviceNamespace,
  type UriVariable,
} from '../../model/service.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { compileOffers } from '../../wire/media-type.ts';
import { PercentError } from '../../wire/percent.ts';
import { problemJson, problemMediaType } from '../../wire/problem.ts';
import { type DecodedValue, decodeRaw, UriValueError } from '../../wire/uri-template/decode-value.ts';
import type { RawValue } from '../../wire/uri-template/match.ts';
import type { TemplateVariable } from '../../wire/uri-template/uri-template.ts';
import { wrapPsnonxml } from '../../wire/xml/text.ts';
import { compileFormWriter, type FormWriter, type WrittenForm } from '../form/write.ts';
import { completed, type Format, guard, placeIn, RequestErrors } from '../message.ts';
import { compileBody, type RequestBody } from './body.ts';

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
   * @throws CodecError when the value does not fit its document
   */
  writeReply(value: DocumentValue | string, as: Representation, limit: number): string | Promise<string>;
  /** Writes a reply's value with a part for each field. @throws CodecError when the value does not fit its document */
  writeForm(value: DocumentValue | string, as: Representation): WrittenForm;
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

/** Declared for content that brings its own media type. */
const OCTETS = 'application/octet-stream';

/** Compiles an operation. `namespace`: of `gateway.yaml`. */
export function compileRest(operation: Operation, namespace: string): RestBinding {
  const options = { namespace: serviceNamespace(operation.service, namespace) };
  const readers = new Map(operation.uris.map((uri) => [uri, compileReader(operation, uri, options.namespace)]));
  const representations = representationsOf(operation);
  const offers = compileOffers(representations.map((each) => each.contentType));
  const byDefault = representations[0] as Representation;
  const faults = compileOffers([operation.fault === undefined ? problemMediaType : faultType(operation, 'json')]);
  const offered = representations.map((each) => each.contentType).join(', ');
  const codecs = new Map<Document, ReplyCodec>();
  for (const { message } of representations) {
    if (message.kind !== 'document') continue;
    codecs.set(message.document, {
      ...compileDocument(message.document, options),
      inline: compileInline(message.document),
    });
  }
  const forms = new Map(
    representations.flatMap((each): [Representation, FormWriter][] =>
      each.format === 'multipart' && each.message.kind === 'document'
        ? [[each, compileFormWriter(each.message.document, each.contentType)]]
        : [],
    ),
  );
  const fault = operation.fault === undefined ? undefined : compileFault(operation.fault, options);
  const codecOf = (message: Message): ReplyCodec => {
    const codec = message.kind === 'document' ? codecs.get(message.document) : undefined;
    if (codec === undefined) throw new TypeError(`${operation.id} has no document to write a reply with`);
    return codec;
  };

  return {
    operation,
    representations,
    readRequest: (uri, ...given) => (readers.get(uri) as RequestReader)(...given),
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
    writeForm(value, as) {
      if (typeof value === 'string') throw new CodecError('', 'is a text, where a document is declared');
      const write = forms.get(as);
      if (write === undefined) throw new TypeError(`${operation.id} has no form to write a reply with`);
      return write(value);
    },
    writeFault(thrown, as, requestId) {
      if (fault === undefined) {
        return writeProblem(thrown, requestId);
      }
      if (as.format === 'xml') return { contentType: faultType(operation, 'xml'), text: fault.toXml(thrown) };
      const json = fault.toJson(thrown);
      return as.format === 'psnonxml'
        ? { contentType: XML, text: wrapPsnonxml(json) }
        : { contentType: faultType(operation, 'json'), text: json };
    },
  };
}

/**
 * Reads the request message.
 * @param raw what the matcher bound, aligned with the URI's variables, still percent-encoded
 * @param unknown names in the query that are refused
 * @param header looks a header up by its name in lower case
 * @throws Fault MISSING_PARAMETER, BAD_PARAMETER, BAD_ENCODING, BAD_BODY, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
type RequestReader = (
  { raw, unknown }: { readonly raw: readonly RawValue[]; readonly unknown: readonly string[] },
  header: (name: string) => string | undefined,
  body: RequestBody,
) => DocumentValue | Promise<DocumentValue>;

/**
 * Everything that one URI's requests need, closed over: a decoder a variable, a codec for the body, the final check.
 * @param namespace of the service
 */
function compileReader(operation: Operation, uri: OperationUri, namespace: string): RequestReader {
  const variables = uri.variables.map((variable, index) =>
    compileVariable(variable, uri.template.variables[index] as TemplateVariable),
  );
  const headers = operation.requestHeaders.map(({ header, field }) => {
    return { header, key: header.toLowerCase(), field, read: compileHeader(field), at: { header } };
  });
  const readBody = compileBody(operation, uri, namespace);
  const document = operation.request.kind === 'document' ? operation.request.document : undefined;
  const fields = document?.fields ?? [];
  const extra = uri.variables.map((variable) => variable.field).filter((field) => !fields.includes(field));
  const check = compileCheck([...fields, ...extra], document);
  const places = new Map<string, ErrorPlace>([
    ...uri.variables.map(({ field, wireName }) => [field.name, { parameter: wireName }] as const),
    ...headers.map(({ field, at }) => [field.name, at] as const),
  ]);
  const inBody = operation.body === 'document' ? placeIn(document) : () => ({ pointer: '#' });
  const placeOf = (missing: CodecError): ErrorPlace => places.get(missing.path) ?? inBody(missing);
  const outsideBody = (missing: CodecError): ErrorPlace | undefined => places.get(missing.path);
  const queryNames = uri.variables.filter(({ place }) => place === 'query').map(({ wireName }) => wireName);
  return ({ raw, unknown }, header, body) => {
    const given: Record<string, Value> = {};
    let errors: RequestErrors | undefined;
    for (let index = 0; index < variables.length; index++) {
      try {
        (variables[index] as (typeof variables)[number])(raw[index], given);
      } catch (error) {
        errors = (errors ?? new RequestErrors()).add(error);
      }
    }
    for (const name of unknown) errors = (errors ?? new RequestErrors()).add(unknownParameter(name, queryNames));
    for (const { key, header: name, read, field, at } of headers) {
      const text = header(key);
      // An empty header counts as absent, as an empty parameter does in a URI.
      if (text === undefined || text === '') continue;
      try {
        given[field.name] = guard(name, read, text, at);
      } catch (error) {
        errors = (errors ?? new RequestErrors()).add(error);
      }
    }
    const complete = (content: DocumentValue | undefined): DocumentValue => {
      const input = completed(given, check, errors, placeOf);
      return content === undefined ? input : carryDigits(content, carryDigits(input, { ...input, ...content }));
    };
    const failed = (error: unknown): DocumentValue =>
      completed(given, check, (errors ?? new RequestErrors()).add(error), outsideBody);
    let content: ReturnType<typeof readBody>;
    try {
      content = readBody(body, given);
    } catch (error) {
      return failed(error);
    }
    return content instanceof Promise ? content.then(complete, failed) : complete(content);
  };
}

/** Longest name of a parameter that a reply repeats, in characters. */
const LONGEST_NAME = 200;

function unknownParameter(name: string, known: readonly string[]): Fault {
  const meant = nearest(name, known);
  const hint =
    meant === undefined
      ? known.length === 0
        ? '; it has none'
        : `; it has ${known.join(', ')}`
      : ` (did you mean ${meant}?)`;
  const reason = `is not a query parameter of this operation${hint}`;
  const at = name.length > LONGEST_NAME ? {} : { parameter: name.toWellFormed() };
  return Fault.of('BAD_PARAMETER', { name: shown(stepOf(name)), reason }, { at });
}

/**
 * The value of one header; entries of a list are separated by commas, and empty ones are ignored (RFC 9110 section
 * 5.6.1).
 */
export function compileHeader(field: Field): (text: string) => Value {
  if (field.type.kind !== 'list') return compileText(field);
  const read = compileSeparated(field);
  return (text) =>
    read(
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    );
}

/** Puts the value that the URI has for one variable into the request message. */
type VariableReader = (raw: RawValue, into: Record<string, Value>) => void;

/** One URI variable: percent-decoded after the match, then typed and checked. */
function compileVariable(variable: UriVariable, template: TemplateVariable): VariableReader {
  const { field, wireName, required } = variable;
  const isNeeded = required && variable.place === 'query';
  const label = wireName === field.name ? wireName : `${wireName} (${field.name})`;
  const at = { parameter: wireName };
  const missing = (): Fault => Fault.of('MISSING_PARAMETER', { name: `Query parameter ${wireName}` }, { at });
  if (field.type.kind === 'list') {
    const read = compileSeparated(field);
    return (raw, into) => {
      if (raw !== undefined)
        into[field.name] = guard(label, read, decode(raw, template, 'list', label, at) as string[], at);
      else if (isNeeded) throw missing();
    };
  }
  const read = compileText(field);
  const hinted = variable.place === 'query' ? withPlusHint(read) : read;
  return (raw, into) => {
    if (raw === undefined) {
      if (isNeeded) throw missing();
      return;
    }
    const text = decode(raw, template, 'string', label, at) as string;
    // An empty parameter counts as absent: existing clients send every parameter of the template (field notes 1).
    if (text !== '') into[field.name] = guard(label, hinted, text, at);
    else if (required) throw Fault.of('BAD_PARAMETER', { name: label, reason: 'is empty' }, { at });
  };
}

/** Names the remedy where a value, as the offset of a time, has a `+` that was sent raw and so means a space. */
function withPlusHint<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof CodecError && text.includes(' ') && accepts(read, text.replaceAll(' ', '+')))
        throw new CodecError(error.path, `${error.reason}: a raw + in a query means a space, so write it as %2B`);
      throw error;
    }
  };
}

function accepts(read: (text: string) => unknown, text: string): boolean {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
}

function decode(
  raw: RawValue,
  template: TemplateVariable,
  shape: 'string' | 'list',
  name: string,
  at: ErrorPlace,
): DecodedValue {
  try {
    return decodeRaw(raw, template, shape);
  } catch (error) {
    if (error instanceof PercentError) throw Fault.of('BAD_ENCODING', { name, reason: error.message }, { at });
    if (error instanceof UriValueError) throw Fault.of('BAD_PARAMETER', { name, reason: error.reason }, { at });
    throw error;
  }
}

/** A reply's form: what was offered for one media type. */
export interface Representation {
  readonly format: Format;
  /** The Content-Type of the reply. */
  readonly contentType: string;
  readonly message: Message;
}

/** No charset: an XML processor reads UTF-8 by default (RFC 7303 section 3). */
const XML = 'application/xml';

/** Forms in the order offered. */
function representationsOf(operation: Operation): Representation[] {
  return replyForms(operation).flatMap(({ mediaType, format, message }) => {
    const contentTypes = format === 'psnonxml' ? WRAPPED : [format === 'json' ? mediaType : textual(mediaType)];
    return contentTypes.map((contentType): Representation => ({ format, contentType, message }));
  });
}

const WRAPPED = [XML, 'text/xml; charset=utf-8'] as const;

function textual(mediaType: string): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

/** A fault as problem details (RFC 9457), for operations without a fault document. */
export function writeProblem(
  { status, text, errors, code }: Fault,
  requestId: string,
): { readonly contentType: string; readonly text: string } {
  const title = STATUS_CODES[status] ?? String(status);
  const problem = { status, title, detail: text, errors, code, requestId };
  return { contentType: problemMediaType, text: problemJson(problem) };
}
