import { everyField, isOneOfSeveral } from '../../model/derivation.ts';
import { bareField, type Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { bodyKind } from '../../model/request-form.ts';
import { primitiveOf } from '../../model/scalar.ts';
import {
  type HeaderBinding,
  hasXmlBody,
  type Message,
  type Method,
  type Operation,
  type OperationUri,
  type UriVariable,
} from '../../model/service.ts';
import { isXmlType, parseMediaType } from '../../wire/media-type.ts';
import { isOwnHeader } from '../../wire/request-headers.ts';
import type { TemplateVariable } from '../../wire/uri-template/uri-template.ts';
import { placeOf, positionOf } from '../diagnostic/diagnostic.ts';
import { type Documents, documentOf, messageWords } from '../document/documents.ts';
import { typeWords } from '../document/field-type.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { given } from '../object.ts';
import type { Exchange } from './exchange.ts';
import { linkVariablesDocument, refuseRequestTypes, requestTypesIn } from './payload.ts';
import { soapName } from './soap-form.ts';
import { type OperationSpot, type PlacedTemplate, templateCount } from './spot.ts';

/** The request of an operation over REST. */
type RestForm = Pick<Operation, 'request' | 'method' | 'uris' | 'requestHeaders' | 'body' | 'form' | 'requestTypes'>;

/** Binds templates and headers of an operation to its input; the rest is the body. Without a method, everything is empty. */
export function linkRest(
  documents: Documents,
  spot: OperationSpot,
  method: Method | undefined,
  exchange: Exchange,
  templates: readonly PlacedTemplate[],
): RestForm {
  const { request, answer } = exchange;
  const { linking } = documents;
  if (method === undefined) {
    refuseRequestTypes(linking, spot);
    return { request, uris: [], requestHeaders: [], body: 'none' };
  }
  const input = linkInput(documents, spot, exchange);
  const headers = linkHeaders(linking, spot, input);
  const body = linkBody(linking, spot, method, request);
  // A record can be saved exactly as it was read.
  const repeatable = answer.kind === 'component' ? answer.component.keys : [];
  const parts = { request, headers, body, repeatable };
  const uris = templates.map((each) => linkUri(linking, spot, each, linkVariables(linking, each, input), parts));
  const form = isMultipart(spot) && body.kind === 'document' ? ({ form: 'multipart' } as const) : {};
  if (form.form !== undefined) checkParts(linking, spot, uris);
  // Of what was meant by a template, a header or a body that was rejected, nothing is said.
  const isWhole =
    uris.length === templateCount(spot, method) &&
    uris.every(({ template, variables }) => variables.length === template.variables.length) &&
    headers.length === saidHeaders(spot).length &&
    !linking.doubt.about(body);
  if (isWhole)
    warnOfUnsent(linking, spot, request, [...headers.map(({ field }) => field), ...uris.flatMap(sentWith)], body.why);
  const types = linkTypes(linking, spot, request, body);
  return { request, method, uris, requestHeaders: headers, body: body.kind, ...form, ...types };
}

/** The media types that `request` names. Those that the body can't have are reported. */
function linkTypes(
  linking: Linking,
  spot: OperationSpot,
  request: Message,
  body: Body,
): { readonly requestTypes?: readonly string[] } {
  const types = requestTypesIn(linking, spot);
  if (types === undefined || linking.doubt.about(body) || linking.doubt.about(documentOf(request))) return {};
  for (const { mediaType, at } of types) {
    const reason = isMultipart(spot)
      ? 'form: multipart has its own'
      : body.kind === 'none'
        ? body.why
        : typeFault(mediaType, request, bodyKind({ body: body.kind, request }, body.field));
    if (reason !== undefined)
      linking.report.raise('bad-body', { reason: `The request can't be ${mediaType}: ${reason}` }, at);
  }
  return { requestTypes: types.map(({ mediaType }) => mediaType) };
}

/** Why a body of a kind can't have a media type; `undefined` when it can. */
function typeFault(mediaType: string, request: Message, kind: ReturnType<typeof bodyKind>): string | undefined {
  const type = parseMediaType(mediaType);
  if (type === undefined) return 'it is not a valid media type';
  const { essence, parameters } = type;
  const isXml = isXmlType(essence);
  const isJson = /[/+]json$/.test(essence);
  if (kind === 'document' && !isJson && !isXml) return 'the body is a document, which is JSON or XML';
  if (kind === 'document' && isXml && request.kind === 'document' && !hasXmlBody(request.document))
    return 'a change of a record is sent as JSON, where null clears';
  if (kind === 'json' && !isJson) return 'the body is JSON';
  if (kind === 'xml' && !isXml) return 'the body is XML';
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  return kind === 'binary' || charset === 'utf-8' ? undefined : `texts are UTF-8, not ${charset}`;
}

/** Whether the body is `multipart/form-data`. */
export const isMultipart = ({ declared }: OperationSpot): boolean => declared.form === 'multipart';

/** Refuses fields that no part can carry. */
export function checkParts(
  { report, places }: Linking,
  { declared }: OperationSpot,
  uris: readonly Pick<OperationUri, 'body'>[],
): void {
  for (const { name, nullable, type } of new Set(uris.flatMap(({ body }) => body))) {
    if (nullable !== true || primitiveOf(singleType(type)) === undefined) continue;
    const reason = `${name} is nullable, and a part of multipart/form-data has no null`;
    report.raise('bad-body', { reason }, places.value(declared, 'form'));
  }
}

/** The fields that URIs and headers may refer to. */
function linkInput(documents: Documents, spot: OperationSpot, { request }: Exchange): InputFields {
  // The prompts of a query, a record or a message are the whole request, so a document of variables of the service does not apply.
  const { query, save, read, queue, 'reply-of': replyOf } = spot.declared;
  const others = [save, read, queue, replyOf];
  const isGiven = typeof query === 'string' || others.some((each) => each !== undefined);
  const template = isGiven ? undefined : linkVariablesDocument(documents, spot);
  const fields = inputFields(documents.linking, [documentOf(request), template]);
  return { ...fields, complete: fields.complete && !spot.lacks('query', 'save', 'read', 'queue', 'reply-of') };
}

/** The part of a request that is sent in the body; in doubt when a part of its definition was rejected. */
interface Body {
  readonly kind: Operation['body'];
  /** The field that is the whole body. */
  readonly field?: Field;
  /** Why the body is empty. */
  readonly why: string;
}

const BODILESS: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'DELETE']);

/** Reads `body:`, or derives the body from the method and the request. */
export function linkBody(linking: Linking, spot: OperationSpot, method: Method, request: Message): Body {
  const { report, places, doubt } = linking;
  const said = spot.declared.body;
  const none = (why: string): Body => ({ kind: 'none', why });
  const whole = request.kind === 'document' ? bareField(request.document) : undefined;
  const isOne = request.kind === 'document' && isOneOfSeveral(request.document);
  const unknown = (why: string): Body => {
    // The content of a rejected body is not reported as unreachable.
    const body = { ...none(why), ...given({ field: whole }) };
    doubt.mark(body);
    return body;
  };
  const refuse = (reason: string): Body => {
    const at = said === undefined ? spot.at : places.value(spot.declared, 'body');
    report.raise('bad-body', { reason }, at);
    return unknown('its body was rejected');
  };
  const multipart = isMultipart(spot);
  if (multipart) {
    refuseBoth(linking, spot.declared, 'form', 'body', 'each of them defines the body');
    const reason = whyNoParts(method, request);
    if (reason !== undefined) report.raise('bad-body', { reason }, places.value(spot.declared, 'form'));
    if (reason !== undefined || said !== undefined) {
      const body: Body = { kind: 'document', why: '' };
      doubt.mark(body);
      return body;
    }
  }
  if (request.kind === 'raw' || whole !== undefined || isOne) {
    const what = request.kind === 'raw' ? request.raw : messageWords(request);
    if (said !== undefined) return refuse(`The request is ${what}, which is the whole body, so body: can't be used`);
    if (method === 'GET' || method === 'HEAD') return refuse(`The request is ${what}, but ${method} has no body`);
    return request.kind === 'raw'
      ? { kind: 'raw', why: '' }
      : { kind: 'document', ...given({ field: whole }), why: '' };
  }
  if (said === 'none') return none('the operation has body: none');
  if (said === undefined) {
    if (BODILESS.has(method) && !multipart) return none(`${method} has no body`);
    return request.kind === 'none' ? none('there is no request') : { kind: 'document', why: '' };
  }
  if (method === 'GET' || method === 'HEAD') return refuse(`${method} has no body`);
  const document = documentOf(request);
  const field = document?.fields.find((each) => each.name === said);
  if (field?.nullable) return refuse(`body: refers to ${said}, which is nullable, and a body has no null`);
  if (field !== undefined) return { kind: 'raw', field, why: `the body is the field ${said}` };
  if (doubt.about(document)) return unknown('the request is not known');
  return refuse(`body: refers to ${said}, which is not a field of the request`);
}

/** The fields that are sent with one of the URIs. */
const sentWith = ({ variables, body }: OperationUri): Field[] => [...variables.map(({ field }) => field), ...body];

/**
 * Warns of optional fields of the operation's own request that no request can carry, in a URI, a header or the body. A document
 * with an id of its own may have fields that are for other operations, and a query prompts that are for its own callers.
 * @param why there is no body
 */
function warnOfUnsent(
  { report, doubt }: Linking,
  spot: OperationSpot,
  request: Message,
  sent: readonly Field[],
  why: string,
): void {
  const { request: said } = spot.declared;
  const isOwn = typeof said === 'object' && 'fields' in said;
  // Code may publish with all fields.
  const isPublished = spot.declared.queue !== undefined;
  const hasOther =
    isPublished || soapName(spot.name, spot.declared) !== undefined || spot.lacks('request', 'headers', 'body');
  const document = documentOf(request);
  if (document === undefined || !isOwn || hasOther || doubt.about(document)) return;
  const names = new Set(sent.map(({ name }) => name));
  for (const field of everyField(document)) {
    const { name, type, required, fixed, default: otherwise, at } = field;
    if (required || fixed !== undefined || otherwise !== undefined || names.has(name)) continue;
    const isSingle = primitiveOf(singleType(type)) !== undefined;
    report.raise('unsent-field', { field: name, operation: spot.id, why, isSingle }, placeOf(at));
  }
}

/** Why a request can't be sent as multipart/form-data; `undefined` when it can. */
function whyNoParts(method: Method, request: Message): string | undefined {
  if (method === 'GET' || method === 'HEAD') return `${method} has no body`;
  if (request.kind === 'document' && bareField(request.document) === undefined && request.document.choice === undefined)
    return request.document.patch === undefined ? undefined : 'A change of a record is sent as JSON, where null clears';
  return `The request is ${messageWords(request)}, but form: multipart needs a document with fields`;
}

/** Input of the URIs of an operation. */
interface UriParts {
  readonly request: Message;
  readonly headers: readonly HeaderBinding[];
  readonly body: Body;
  /** Fields that the body may repeat from the URI. */
  readonly repeatable: readonly Field[];
}

/** One URI of an operation: its variables and the rest for the body. */
function linkUri(
  { report }: Linking,
  spot: OperationSpot,
  { index, template, at }: PlacedTemplate,
  variables: readonly UriVariable[],
  { request, headers, body, repeatable }: UriParts,
): OperationUri {
  const document = documentOf(request);
  const fields = document === undefined ? [] : everyField(document);
  const elsewhere = new Set([...variables, ...headers].map((each) => each.field.name));
  const left = fields.filter((field) => !elsewhere.has(field.name));
  if (body.field !== undefined && elsewhere.has(body.field.name)) {
    report.raise(
      'bad-body',
      { reason: `The field ${body.field.name} is the body, so it can't also be sent in the URI or a header` },
      at,
    );
  }
  // Of what is only sent as a whole it has been reported that there is no body.
  const isSplit = document !== undefined && !isOneOfSeveral(document);
  if (isSplit && body.kind !== 'document' && !spot.lacks('request', 'headers', 'body')) {
    for (const field of left) {
      if (!field.required || field.fixed !== undefined || field === body.field) continue;
      report.raise('unreachable-field', { field: field.name, uri: index, why: body.why }, at);
    }
  }
  const carried = body.kind === 'document' ? left : body.field === undefined ? [] : [body.field];
  const repeats =
    body.kind === 'document' ? repeatable.filter((field) => variables.some((each) => each.field === field)) : [];
  return { index, template, variables, body: carried, repeats, at: positionOf(at) };
}

/** The source of the values of a call. */
export interface InputFields {
  /** The fields of the request, then those of `variables:`. */
  readonly byName: ReadonlyMap<string, Field>;
  /** False when a document of them is in doubt: missing fields are not reported. */
  readonly complete: boolean;
  /** The operation whose messages have the fields; absent for the values of a call. */
  readonly of?: string;
  /** Names of the fields that are sent in the body only, all together: those of what may be one of several things. */
  readonly whole?: ReadonlySet<string>;
}

/** The fields that a call may fill: those of the request, then those of `variables:`. */
export function inputFields({ doubt }: Linking, documents: readonly (Document | undefined)[]): InputFields {
  const byName = new Map<string, Field>();
  const fieldsOf = (document: Document | undefined): readonly Field[] =>
    document === undefined ? [] : everyField(document);
  for (const field of documents.flatMap(fieldsOf)) if (!byName.has(field.name)) byName.set(field.name, field);
  const whole = documents.filter((document) => document && isOneOfSeveral(document)).flatMap(fieldsOf);
  const complete = !documents.some((document) => doubt.about(document));
  return { byName, complete, whole: new Set(whole.map(({ name }) => name)) };
}

/** Binds the variables of a template to fields. `whyNot` returns why a field can't fill one. */
export function linkVariables(
  { report }: Linking,
  { template, variableAt }: PlacedTemplate,
  input: InputFields,
  whyNot: (variable: TemplateVariable, field: Field) => string | undefined = whyNotReadBack,
): UriVariable[] {
  return template.variables.flatMap((variable) => {
    const field = input.byName.get(variable.name);
    if (field === undefined) {
      const known = [...input.byName.keys()];
      if (input.complete)
        report.raise('unknown-variable', { variable: variable.name, known }, variableAt(variable.name));
      return [];
    }
    const reason = whyNot(variable, field) ?? whyOnlyWhole(input, field);
    if (reason !== undefined)
      report.raise('variable-type', { variable: variable.name, reason }, variableAt(variable.name));
    const { place, wireName, required } = variable;
    return { field, place, wireName, required };
  });
}

function whyNotReadBack(variable: TemplateVariable, { type, nullable }: Field): string | undefined {
  if (variable.prefix !== undefined)
    return `a prefix ({${variable.name}:${variable.prefix}}) does not contain the whole value`;
  return whyNoText({ type, ...given({ nullable }) });
}

/** Why a field is sent in the body only; `undefined` when it may be sent elsewhere. */
export function whyOnlyWhole({ whole }: InputFields, { name }: Field): string | undefined {
  return whole?.has(name) ? 'it depends on which of several the request is, so it is only in the body' : undefined;
}

/** Why values of a field have no text form; `undefined` when they have one. */
export function whyNoText({ type, nullable }: Pick<Field, 'type' | 'nullable'>): string | undefined {
  if (nullable) return 'it is nullable, and a text has no null';
  const item = singleType(type);
  if (item.kind === 'document' || type.kind === 'map') return `it is ${typeWords(type)}, which has no text form`;
  return primitiveOf(item) === 'binary' ? 'it is binary content' : undefined;
}

/** Binds request headers to fields: those of the service, overridden by those of the operation. */
function linkHeaders(linking: Linking, spot: OperationSpot, input: InputFields): HeaderBinding[] {
  return saidHeaders(spot).flatMap(({ header, container }) => linkHeader(linking, container, header, input) ?? []);
}

/** A header in its spelling, with the map that contains it. */
interface SaidHeader {
  readonly header: string;
  readonly container: Readonly<Record<string, string>>;
}

/** The headers of the service, overridden by those of the operation and of the routing, regardless of letter case. */
export function saidHeaders(spot: OperationSpot): SaidHeader[] {
  const said = new Map<string, SaidHeader>();
  for (const container of [spot.above('headers'), spot.declared.headers, spot.override?.declared.headers]) {
    for (const header of Object.keys(container ?? {})) {
      if (container !== undefined) said.set(header.toLowerCase(), { header, container });
    }
  }
  return [...said.values()];
}

function linkHeader(
  { report, places }: Linking,
  container: Readonly<Record<string, string>>,
  header: string,
  input: InputFields,
): HeaderBinding | undefined {
  const text = container[header] ?? '';
  const at = places.value(container, header);
  const name = /^\{([^{}]+)\}$/.exec(text)?.[1];
  const field = name === undefined ? undefined : input.byName.get(name);
  if (isOwnHeader(header.toLowerCase())) {
    const reason = "belongs to the protocol and can't be bound to a field";
    report.raise('bad-header', { header, reason }, places.key(container, header));
  } else if (name === undefined) {
    report.raise('bad-header', { header, reason: `must refer to one field, not ${JSON.stringify(text)}` }, at);
  } else if (field === undefined) {
    if (input.complete)
      report.raise('bad-header', { header, reason: `refers to ${name}, which is not a field of the request` }, at);
  } else {
    const reason = whyNoText(field) ?? whyOnlyWhole(input, field);
    if (reason === undefined) return { header, field };
    report.raise('variable-type', { variable: field.name, reason }, at);
  }
  return undefined;
}
