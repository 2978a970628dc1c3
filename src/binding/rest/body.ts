import { compileJsonField, compileJsonReader, compileText, readJsonText } from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import { takesBody } from '../../model/rest-form.ts';
import type { Message, Operation, OperationUri, RawKind } from '../../model/service.ts';
import type { Attachment, Value } from '../../model/value.ts';
import { isJsonType, isXmlType, parseMediaType } from '../../wire/media-type.ts';
import { guard, reading } from '../complaint.ts';

/** What a request carries beside its URI. */
export interface RequestBody {
  readonly contentType: string | undefined;
  /** The whole body as text (UTF-8, checked), read when asked for. @throws Fault BODY_TOO_LARGE, BAD_BODY */
  text(): Promise<string>;
  /** The body as a stream; counted against the limit while it is read. */
  attachment(contentType: string): Attachment;
  /** Whether there is a body at all. */
  readonly present: boolean;
}

/** Reads a body: fields into `given`, or returns what has no document. */
export type BodyReader = (body: RequestBody, given: Record<string, Value>) => undefined | Promise<Value | undefined>;

/** What a request to one URI may carry, compiled. */
export function compileBody(operation: Operation, uri: OperationUri): BodyReader {
  if (!takesBody(operation, uri)) {
    return (body) => {
      if (!body.present) return undefined;
      throw Fault.of('BAD_BODY', { reason: `${operation.method} ${operation.id} takes none` });
    };
  }
  if (operation.body === 'document') return compileDocumentBody(operation, uri);
  const [field] = uri.body;
  if (field !== undefined) return compileFieldBody(field);
  return compileRawBody((operation.request as Extract<Message, { kind: 'raw' }>).raw);
}

/** A body of fields, as JSON. */
function compileDocumentBody(operation: Operation, uri: OperationUri): BodyReader {
  const document = (operation.request as Extract<Message, { kind: 'document' }>).document;
  const read = compileJsonReader({ ...document, fields: [...uri.body, ...uri.repeats].map(optional) });
  const elsewhere = namesElsewhere(document, operation, uri);
  return async (body, given) => {
    if (!body.present) return undefined;
    requireType(body, JSON_BODY);
    const text = await body.text();
    const value = reading(() => read(text), document.id);
    // An open document takes any name, and those of values that travel elsewhere are not for the body to say.
    for (const name of elsewhere) {
      if (Object.hasOwn(value, name))
        throw Fault.of('BAD_PARAMETER', { name, reason: 'does not belong into the body' });
    }
    for (const field of uri.repeats) checkRepeated(field, value[field.name], given[field.name]);
    Object.assign(given, value);
    return undefined;
  };
}

/** What the URI says, the body may say again, and no other value. Keys have one text for each value. */
function checkRepeated({ name, sensitive }: Field, again: Value | undefined, given: Value | undefined): void {
  if (again === undefined || String(again) === String(given)) return;
  const [one, other] = sensitive
    ? ['one value', 'another']
    : [given, again].map((value) => String(value).slice(0, 100));
  throw Fault.of('BAD_PARAMETER', { name, reason: `is ${one} in the URI and ${other} in the body` });
}

/** Names that an open document could take for undeclared ones, and that are declared all the same. */
function namesElsewhere(document: Document, { requestHeaders }: Operation, uri: OperationUri): string[] {
  if (!document.open) return [];
  const fields = [...document.fields, ...[...requestHeaders, ...uri.variables].map(({ field }) => field)];
  return fields.filter((field) => !uri.body.includes(field)).map(({ name }) => name);
}

/** Presence is checked once, over URI, headers and body together. */
function optional(field: Field): Field {
  const { default: _, ...rest } = field;
  return { ...rest, required: false };
}

/** The whole request without a document. */
function compileRawBody(raw: RawKind): BodyReader {
  return async (body) => (body.present ? readRaw(raw, body) : undefined);
}

/** A body that is one field (`body: FIELD`). */
function compileFieldBody(field: Field): BodyReader {
  const read = compileFieldContent(field);
  return async (body, given) => {
    if (body.present) given[field.name] = await read(body);
    return undefined;
  };
}

function compileFieldContent(field: Field): (body: RequestBody) => Promise<Value> {
  const { kind } = field.type;
  if (kind === 'binary' || kind === 'json') return (body) => readRaw(kind, body);
  if (kind === 'document' || kind === 'list') {
    const read = compileJsonField(field);
    return async (body) => {
      requireType(body, JSON_BODY);
      const text = await body.text();
      return reading(() => read(text));
    };
  }
  const read = compileText(field);
  return async (body) => {
    const text = await readRaw(kind === 'xml' ? 'xml' : 'text', body);
    return guard(field.name, read, text as string);
  };
}

async function readRaw(raw: RawKind, body: RequestBody): Promise<Value> {
  if (raw === 'binary') return body.attachment(body.contentType ?? 'application/octet-stream');
  requireType(body, BODIES[raw]);
  const text = await body.text();
  return raw === 'json' ? reading(() => readJsonText(text)) : text;
}

/** What a body's Content-Type may be. */
interface BodyType {
  readonly supported: string;
  accepts(essence: string): boolean;
}

const JSON_BODY: BodyType = {
  supported: 'application/json',
  accepts: isJsonType,
};

const BODIES: Readonly<Record<Exclude<RawKind, 'binary'>, BodyType>> = {
  json: JSON_BODY,
  xml: {
    supported: 'application/xml',
    accepts: isXmlType,
  },
  text: { supported: 'text/plain', accepts: (essence) => essence.startsWith('text/') },
};

/** A body without a Content-Type is taken for what is wanted; every text is UTF-8. */
function requireType({ contentType }: RequestBody, { accepts, supported }: BodyType): void {
  if (contentType === undefined) return;
  const type = parseMediaType(contentType);
  const charset = type?.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type !== undefined && accepts(type.essence) && (charset === 'utf-8' || charset === 'us-ascii')) return;
  const given = `Content-Type ${contentType.slice(0, 100)}`;
  throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given, supported: `${supported} in UTF-8` });
}
