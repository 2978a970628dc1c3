import {
  acceptedTypesOf,
  type CallBody,
  type CallHeader,
  type CallText,
  type RestConsumer,
} from '../../model/consumer.ts';
import { everyField, isOneOfSeveral } from '../../model/derivation.ts';
import type { Field } from '../../model/field.ts';
import type { Message, Method, Operation, OperationUri } from '../../model/service.ts';
import { compileUriExpander } from '../../wire/uri-template/expand.ts';
import { UriExpansionError } from '../../wire/uri-template/expand-template.ts';
import { type TemplateVariable, type UriTemplate, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import { contentOf, type Documents, documentOf, messageWords } from '../document/documents.ts';
import { derivedName } from '../document/field-type.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { given } from '../object.ts';
import {
  linkDocument,
  linkFaultTypes,
  linkRequest,
  linkResponses,
  linkVariablesDocument,
  requestTypesIn,
} from '../operation/payload.ts';
import { checkParts, type InputFields, isMultipart, linkBody, linkVariables, whyNoText } from '../operation/request.ts';
import { type OperationSpot, type PlacedTemplate, parseTemplates, templateCount } from '../operation/spot.ts';
import type { TextsDeclared } from '../schema/json-schema.ts';
import { isSecretName, secretInQuery } from '../value/address.ts';
import { type ConsumerFacts, isSchemeOnly, saidTarget } from './facts.ts';
import { contentTypeFault, fitContentType, linkCallHeaders } from './headers.ts';
import {
  type CallFields,
  callFields,
  carriedNames,
  inputOf,
  isClearText,
  linkCallText,
  linkFilled,
  type Usage,
  valueNames,
} from './input.ts';
import { linkRestProperties, withSegmentType } from './properties.ts';
import { checkOwnValues, linkValues } from './values.ts';

/** Links an operation that calls another system over REST. */
export function linkRestConsumer(
  documents: Documents,
  spot: OperationSpot,
  facts: ConsumerFacts,
  method: Method,
): RestConsumer {
  const { linking } = documents;
  const request = linkRequest(documents, spot);
  const responses = linkResponses(documents, spot);
  const fields = linkFields(documents, spot, request);
  const { body, why } = linkCallBody(linking, spot, method, request, fields);
  const headers = linkHeaders(linking, spot, fields, body);
  const properties = linkRestProperties(linking, spot, { method, headers, body });
  const texts = headers.map(({ text }) => text);
  const { primaryUrl } = properties;
  const host = isHostInTemplates(linking, spot, primaryUrl === undefined ? facts.target.base : [primaryUrl]);
  const errors = given({ faultTypes: linkFaultTypes(linking, spot) });
  const uris = linkCallUris(linking, spot, method, fields, { body, inHeaders: carriedNames(texts), host });
  if (body.kind === 'document' && body.form !== undefined) checkParts(linking, spot, uris);
  const inTexts = [...texts, ...(body.kind === 'form' ? body.fields.map(({ text }) => text) : [])];
  const whole = body.kind === 'raw' ? ['content'] : [];
  const named = new Set([...valueNames(inTexts), ...whole]);
  const usage: Usage = { named, always: new Set([...neededNames(inTexts), ...whole]), uris };
  const filled = linkFilled(linking, fields, usage);
  const consumer: RestConsumer = {
    kind: 'rest',
    ...facts,
    method,
    uris,
    host,
    input: documents.synthesize(derivedName(spot, 'INPUT'), inputOf(fields, filled, usage), spot.at, {
      open: body.kind === 'document' && body.document.open,
    }),
    filled,
    headers,
    body,
    responses,
    accepts: acceptedTypesOf({ responses, ...errors }),
    properties,
    ...given({ fault: linkDocument(documents, spot, 'fault') }),
    ...errors,
  };
  const isKnown = fields.complete && !linking.doubt.about(body);
  if (isKnown && !spot.lacks('headers')) {
    checkOwnValues(linking, spot, consumer);
    checkCarried(linking, spot, consumer, request, why);
  }
  // A rejected template has not been removed, and may use a value.
  if (!isKnown || uris.length < templateCount(spot, method)) linking.doubt.mark(consumer);
  return consumer;
}

/** All fields that the call may use. */
function linkFields(documents: Documents, spot: OperationSpot, request: Message): CallFields {
  const { linking } = documents;
  const content = contentOf(request, spot).map((field) => ({ ...field, required: true }));
  const template = linkVariablesDocument(documents, spot);
  if (template?.fields.some(({ name }) => name === content[0]?.name)) {
    const reason = 'Without a document the body is the field content, but `variables` also has a field of that name';
    linking.report.raise('bad-body', { reason }, spot.inherited('request')?.at ?? spot.at);
  }
  const fields = callFields(linking, [documentOf(request), template], content, linkValues(linking, spot));
  return { ...fields, complete: fields.complete && !spot.lacks('values') };
}

function linkHeaders(linking: Linking, spot: OperationSpot, fields: CallFields, body: CallBody): CallHeader[] {
  const said = linkCallHeaders(linking, spot, fields);
  if (linking.doubt.about(body)) return said;
  return withSegmentType(
    linking,
    spot,
    withRequestType(linking, spot, fitContentType(linking, spot, said, body), body),
    body,
  );
}

/** The headers, with the media type that `request` names. */
function withRequestType(
  linking: Linking,
  spot: OperationSpot,
  headers: readonly CallHeader[],
  body: CallBody,
): CallHeader[] {
  const [first, second] = requestTypesIn(linking, spot) ?? [];
  if (first === undefined) return [...headers];
  const { mediaType, at } = first;
  const isSaid = headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const fault = body.kind === 'none' ? 'there is no body' : contentTypeFault(mediaType, body);
  const reason =
    second === undefined
      ? isSaid
        ? `The header Content-Type and the media type ${mediaType} of the request both say what is sent: remove one of them`
        : fault && `The request can't be ${mediaType}: ${fault}`
      : `A call sends its request in one media type, not in ${mediaType} and ${second.mediaType}`;
  if (reason !== undefined) linking.report.raise('bad-body', { reason }, second?.at ?? at);
  const text = { source: mediaType, parts: [{ kind: 'literal' as const, text: mediaType }] };
  return isSaid ? [...headers] : [...headers, { name: 'Content-Type', text }];
}

/**
 * Refuses required fields of the operation's own request that the call never sends. A request of the service is shared by
 * several calls.
 */
function checkCarried(
  { report, places }: Linking,
  { declared }: OperationSpot,
  { input, uris }: RestConsumer,
  request: Message,
  why: string,
): void {
  const [first] = uris;
  if (declared.request === undefined || request.kind !== 'document' || first === undefined) return;
  const sent = new Set(input.fields.map(({ name }) => name));
  for (const { name, required, fixed } of request.document.fields) {
    if (!required || fixed !== undefined || sent.has(name)) continue;
    report.raise('unreachable-field', { field: name, uri: first.index, why }, places.key(declared, 'request'));
  }
}

/** Fields whose header or form field is sent with every call: all but one with `required: false` that is the whole text. */
function neededNames(texts: readonly CallText[]): string[] {
  const isOptional = ({ parts: [part, ...others] }: CallText): boolean =>
    part?.kind === 'value' && others.length === 0 && part.field.optional === true;
  return valueNames(texts.filter((text) => !isOptional(text)));
}

/** Whether the templates contain the host. If one address is only a scheme, all of them must be. */
function isHostInTemplates(linking: Linking, spot: OperationSpot, base: RestConsumer['target']['base']): boolean {
  const without = base.filter(isSchemeOnly).length;
  if (without > 0 && without < base.length) {
    const { id, at } = saidTarget(linking, spot);
    linking.report.raise('mixed-bases', { node: id, operation: spot.id }, at);
  }
  return without > 0;
}

/** The URIs of a call. They are only written, so they need not be distinguishable. */
function linkCallUris(
  linking: Linking,
  spot: OperationSpot,
  method: Method,
  input: InputFields,
  parts: { readonly body: CallBody; readonly inHeaders: ReadonlySet<string>; readonly host: boolean },
): OperationUri[] {
  const { report } = linking;
  return parseTemplates(linking, spot, method).map((placed) => {
    const { index, template, at } = placed;
    const variables = linkVariables(linking, placed, input, (_, field: Field) => whyNoText(field));
    const unwritable = writeFault(template, input, parts.host);
    const hostless = parts.host && unwritable === undefined ? hostFault(placed) : undefined;
    if (secretInQuery(template.text.replace(/\{[^{}]*\}/g, ''))) {
      const instead = 'Use a variable, as in ?key={KEY}, and set KEY to ${secret:NAME} under `values:`.';
      report.raise('secret-in-clear', { what: 'A secret of the URI template', instead }, at);
    }
    if (unwritable !== undefined) report.raise('template-not-writable', { reason: unwritable }, at);
    if (hostless !== undefined) report.raise('bad-host', { operation: spot.id, reason: hostless }, at);
    const elsewhere = new Set([...variables.map(({ field }) => field.name), ...parts.inHeaders]);
    const { body } = parts;
    if (body.kind === 'field' && variables.some(({ field }) => field.name === body.field.name))
      report.raise(
        'bad-body',
        { reason: `The field ${body.field.name} is the body, so it can't also be sent in the URI` },
        at,
      );
    return { index, template, variables, body: bodyFields(body, input, elsewhere), repeats: [], at: positionOf(at) };
  });
}

/** Why a template can't be used for a call, as a clause; `undefined` when it can. */
function writeFault(template: UriTemplate, input: InputFields, hostText: boolean): string | undefined {
  const isFragment = template.parts.some((part) =>
    part.kind === 'literal' ? part.text.includes('#') : part.operator === '#',
  );
  if (isFragment) return 'a fragment (# or {#...}) is never sent';
  const [first] = template.parts;
  if (first?.kind === 'literal' && /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(first.text))
    return 'it begins with a scheme, which belongs in the base of the node';
  try {
    const styleOf = ({ name }: TemplateVariable) => input.byName.get(name)?.url ?? 'segment';
    const expand = compileUriExpander(template, styleOf, { hostText });
    // No value can repair the literal text of a template.
    expand(Object.fromEntries(template.variables.map(({ name }) => [name, 'x'])));
    return undefined;
  } catch (error) {
    if (error instanceof UriTemplateError) return error.message;
    if (error instanceof UriExpansionError) return 'a segment . or .. changes the path';
    throw error;
  }
}

/** Why a template can't begin with a host; `undefined` when it can. */
function hostFault({ template, slash }: PlacedTemplate): string | undefined {
  if (slash) return 'it begins with a slash';
  let host = '';
  for (const part of template.parts) {
    if (part.kind === 'expression') {
      const [variable, second] = part.variables;
      if (part.operator !== '' || second !== undefined || variable?.explode === true || variable?.prefix !== undefined)
        return 'a variable of a host must be alone in its braces';
      host += 'x';
      continue;
    }
    const slashAt = part.text.indexOf('/');
    host += slashAt < 0 ? part.text : part.text.slice(0, slashAt);
    if (slashAt >= 0) break;
  }
  if (host === '') return 'it begins with a slash';
  // RFC 3986 section 3.2.2, without the characters that DNS names can't have; optionally a port.
  const found = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::([0-9]{1,5}))?$/.exec(host);
  const port = Number(found?.[1] ?? 1);
  if (port < 1 || port > 65_535) return `the port ${port} does not exist`;
  return found !== null && !host.includes('..')
    ? undefined
    : 'the part before its first slash may only contain letters, digits, dots, hyphens and variables, and a port at the end';
}

/** The body of a call; in doubt when a part of its definition was rejected. */
interface LinkedBody {
  readonly body: CallBody;
  /** Why a field that is in neither the URI nor a header may not be sent. */
  readonly why: string;
}

/** Reads `form:` and `body:`, or derives the body from the method and the request. */
function linkCallBody(
  linking: Linking,
  spot: OperationSpot,
  method: Method,
  request: Message,
  input: InputFields,
): LinkedBody {
  if (spot.declared.form !== undefined && !isMultipart(spot))
    return { body: linkForm(linking, spot, method, request, input), why: 'the form does not contain it' };
  const found = linkBody(linking, spot, method, request);
  const own = found.field === undefined ? undefined : input.byName.get(found.field.name);
  const plain = callBody(found.kind, own, request);
  const body: CallBody = plain.kind === 'document' && isMultipart(spot) ? { ...plain, form: 'multipart' } : plain;
  const { doubt } = linking;
  if (doubt.about(found) || doubt.about(documentOf(request)) || spot.lacks('body', 'form')) doubt.mark(body);
  return { body, why: found.why };
}

function callBody(kind: Operation['body'], field: Field | undefined, request: Message): CallBody {
  if (kind === 'document' && request.kind === 'document') return { kind, document: request.document };
  if (field !== undefined) return { kind: 'field', field };
  return kind === 'raw' && request.kind === 'raw' ? { kind, raw: request.raw } : { kind: 'none' };
}

function linkForm(
  linking: Linking,
  spot: OperationSpot,
  method: Method,
  request: Message,
  input: InputFields,
): CallBody {
  const { report, places } = linking;
  const { declared } = spot;
  const form = (declared.form ?? {}) as TextsDeclared;
  const at = places.key(declared, 'form');
  refuseBoth(linking, declared, 'form', 'body', 'each of them defines the body');
  if (method === 'GET' || method === 'HEAD') report.raise('bad-body', { reason: `${method} has no body` }, at);
  const document = documentOf(request);
  if (request.kind === 'raw' || (document !== undefined && isOneOfSeveral(document))) {
    const what = request.kind === 'raw' ? request.raw : messageWords(request);
    const reason = `The request is ${what}, which is the body, so form: can't be used`;
    report.raise('bad-body', { reason }, at);
  }
  const fields = Object.keys(form).map((name): { readonly name: string; readonly text: CallText } => {
    const text = linkCallText(linking, form[name] ?? '', input, (offset, length) =>
      places.inText(form, name, offset, length),
    );
    if (isSecretName(name) && isClearText(text)) {
      const instead = 'Write ${secret:NAME} or a value of the call instead.';
      report.raise('secret-in-clear', { what: `The form field ${name}`, instead }, places.value(form, name));
    }
    return { name, text };
  });
  return { kind: 'form', fields };
}

/** The fields in the body for one URI: those of the document that are in neither the URI nor a header. */
function bodyFields(body: CallBody, input: InputFields, elsewhere: ReadonlySet<string>): readonly Field[] {
  if (body.kind === 'field') return [body.field];
  if (body.kind !== 'document') return [];
  const left = everyField(body.document).filter(({ name }) => !elsewhere.has(name));
  return left.flatMap(({ name }) => input.byName.get(name) ?? []);
}
