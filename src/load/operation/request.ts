import type { Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { HeaderBinding, Message, Method, Operation, OperationUri, UriVariable } from '../../model/service.ts';
import type { TemplateVariable } from '../../wire/uri-template/uri-template.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import { type Documents, documentOf } from '../document/documents.ts';
import { typeWords } from '../document/field-type.ts';
import type { Linking } from '../linking.ts';
import { isOwnHeader } from '../value/headers.ts';
import type { Exchange } from './exchange.ts';
import { linkTemplateDocument } from './message.ts';
import type { OperationSpot, PlacedTemplate } from './spot.ts';

/** An operation's request, and how it travels over REST. */
type RestForm = Pick<Operation, 'request' | 'method' | 'uris' | 'requestHeaders' | 'body'>;

/** Ties an operation's templates and headers to its input, and what is left to the body. Without a method there are none. */
export function linkRest(
  documents: Documents,
  spot: OperationSpot,
  method: Method | undefined,
  exchange: Exchange,
  templates: readonly PlacedTemplate[],
): RestForm {
  const { request, answer } = exchange;
  if (method === undefined) return { request, uris: [], requestHeaders: [], body: 'none' };
  const { linking } = documents;
  const input = linkInput(documents, spot, exchange);
  const headers = linkHeaders(linking, spot, input);
  const body = linkBody(linking, spot, method, request);
  // So that what was read of a record is saved as it came.
  const repeatable = answer.kind === 'component' ? answer.component.keys : [];
  const parts = { request, headers, body, repeatable };
  const uris = templates.map((each) => linkUri(linking, spot, each, linkVariables(linking, each, input), parts));
  return { request, method, uris, requestHeaders: headers, body: body.kind };
}

/** The fields that URIs and headers may name. */
function linkInput(documents: Documents, spot: OperationSpot, { request }: Exchange): InputFields {
  // Where a query's prompts or a record are the request, nothing else is: what the service says of a template does not hold.
  const { query, save, read } = spot.declared;
  const isGiven = typeof query === 'string' || save !== undefined || read !== undefined;
  const template = isGiven ? undefined : linkTemplateDocument(documents, spot);
  const { byName, complete } = inputFields(documents.linking, [documentOf(request), template]);
  return { byName, complete: complete && !spot.lacks('query', 'save', 'read') };
}

/** The part of a request that is sent in the body; in doubt when what it would be was rejected. */
interface Body {
  readonly kind: Operation['body'];
  /** The one field that is the body. */
  readonly field?: Field;
  /** Why nothing travels in the body. */
  readonly why: string;
}

const BODILESS: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'DELETE']);

/** Reads `body:` and what follows from method and request without it. */
export function linkBody(linking: Linking, spot: OperationSpot, method: Method, request: Message): Body {
  const { report, places, doubt } = linking;
  const said = spot.declared.body;
  const none = (why: string): Body => ({ kind: 'none', why });
  const unknown = (why: string): Body => {
    const body = none(why);
    doubt.mark(body);
    return body;
  };
  const refuse = (reason: string): Body => {
    const at = said === undefined ? spot.at : places.value(spot.declared, 'body');
    report.raise('bad-body', { reason }, at);
    return unknown('its body is refused');
  };
  if (request.kind === 'raw') {
    if (said !== undefined)
      return refuse(`The request is ${request.raw}, which is the body; body: has nothing to name`);
    if (method === 'GET' || method === 'HEAD')
      return refuse(`The request is ${request.raw}, and ${method} carries no body`);
    return { kind: 'raw', why: '' };
  }
  if (said === 'none') return none('the operation says body: none');
  if (said === undefined) {
    if (BODILESS.has(method)) return none(`${method} has no body`);
    return request.kind === 'none' ? none('there is no request') : { kind: 'document', why: '' };
  }
  if (method === 'GET' || method === 'HEAD') return refuse(`${method} carries no body`);
  const document = documentOf(request);
  const field = document?.fields.find((each) => each.name === said);
  if (field !== undefined) return { kind: 'raw', field, why: `the body is the field ${said}` };
  if (doubt.about(document)) return unknown('the request is not known');
  return refuse(`body: names ${said}, which is no field of the request`);
}

/** What the parts of an operation's URIs are made of. */
interface UriParts {
  readonly request: Message;
  readonly headers: readonly HeaderBinding[];
  readonly body: Body;
  /** Fields that a body may hold beside the URI. */
  readonly repeatable: readonly Field[];
}

/** One URI of an operation: its variables, and what is left for the body. */
function linkUri(
  { report }: Linking,
  spot: OperationSpot,
  { index, template, at }: PlacedTemplate,
  variables: readonly UriVariable[],
  { request, headers, body, repeatable }: UriParts,
): OperationUri {
  const fields = documentOf(request)?.fields ?? [];
  const elsewhere = new Set([...variables, ...headers].map((each) => each.field.name));
  const left = fields.filter((field) => !elsewhere.has(field.name));
  if (body.field !== undefined && elsewhere.has(body.field.name)) {
    report.raise(
      'bad-body',
      { reason: `The field ${body.field.name} is the body, and travels in the URI or a header too` },
      at,
    );
  }
  if (body.kind !== 'document' && !spot.lacks('request', 'headers', 'body')) {
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

/** Where the values of a call come from. */
export interface InputFields {
  /** The request's own, then those of the template document. */
  readonly byName: ReadonlyMap<string, Field>;
  /** False where a document of them could not be used: what they lack is nobody's mistake. */
  readonly complete: boolean;
}

/** The fields that a call may fill: of the request, then of the template document. */
export function inputFields({ doubt }: Linking, documents: readonly (Document | undefined)[]): InputFields {
  const byName = new Map<string, Field>();
  for (const field of documents.flatMap((document) => document?.fields ?? []))
    if (!byName.has(field.name)) byName.set(field.name, field);
  return { byName, complete: !documents.some((document) => doubt.about(document)) };
}

/** Ties the variables of a template to fields. `whyNot` says why a field can't fill one. */
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
    const reason = whyNot(variable, field);
    if (reason !== undefined)
      report.raise('variable-type', { variable: variable.name, reason }, variableAt(variable.name));
    const { place, wireName, required } = variable;
    return { field, place, wireName, required };
  });
}

function whyNotReadBack(variable: TemplateVariable, { type }: Field): string | undefined {
  if (variable.prefix !== undefined)
    return `a prefix ({${variable.name}:${variable.prefix}}) does not carry the whole value`;
  return whyNoText(type);
}

/** Why a value has no form in a text; undefined where it has. */
export function whyNoText(type: Field['type']): string | undefined {
  const item = singleType(type);
  if (item.kind === 'document') return `it is ${typeWords(type)}, which has no form in a text`;
  return primitiveOf(item) === 'binary' ? 'it is binary content' : undefined;
}

/** Ties request headers to fields: those of the service, unless the operation says otherwise, and its own. */
function linkHeaders(linking: Linking, spot: OperationSpot, input: InputFields): HeaderBinding[] {
  return saidHeaders(spot).flatMap(({ header, container }) => linkHeader(linking, container, header, input) ?? []);
}

/** A header as it is spelled, and the map that it stands in. */
interface SaidHeader {
  readonly header: string;
  readonly container: Readonly<Record<string, string>>;
}

/** The headers of the service, unless the operation or what overrides its routing says otherwise, and theirs; letter case apart. */
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
    const reason = "belongs to the protocol and can't be tied to a field";
    report.raise('bad-header', { header, reason }, places.key(container, header));
  } else if (name === undefined) {
    report.raise('bad-header', { header, reason: `is not tied to one field: ${JSON.stringify(text)}` }, at);
  } else if (field === undefined) {
    if (input.complete)
      report.raise('bad-header', { header, reason: `names ${name}, which is no field of the request` }, at);
  } else {
    const reason = whyNoText(field.type);
    if (reason === undefined) return { header, field };
    report.raise('variable-type', { variable: field.name, reason }, at);
  }
  return undefined;
}
