import { guard } from '../binding/message.ts';
import { compileHeader, compileRest, type RestBinding } from '../binding/rest/rest.ts';
import { emptyRegistry } from '../kinds/kinds.ts';
import type {
  CallPart,
  CallText,
  CallValue,
  ConsumerOperation,
  RestConsumer,
  SoapConsumer,
} from '../model/consumer.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import type { Node } from '../model/node.ts';
import type { Registry } from '../model/registry.ts';
import type { MediaMessage, Message, Operation, OperationUri, Service } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { NO_BODY } from '../serve/exchange/body.ts';
import { readContentType, shownContentType } from '../wire/content-type.ts';
import { FORM_MEDIA_TYPE } from '../wire/form-values.ts';
import { percentDecode } from '../wire/percent.ts';
import { parseQueryString } from '../wire/query-string.ts';
import { compileUriMatcher } from '../wire/uri-template/match.ts';
import { parseUriTemplate, UriTemplateError } from '../wire/uri-template/uri-template.ts';

/** The first segment of the paths that the gateway's spine knows the operations of partners by. */
export const CONTEXT = 'stand-in';

/** An operation that a project calls, turned around: as the partner provides it. */
export interface Mirrored {
  readonly operation: Operation;
  readonly consumer: ConsumerOperation;
  /** Reads what a call over REST writes; absent over SOAP, which reads the same in both directions. */
  readonly binding?: RestBinding;
}

/** The operations of partners, and a registry that provides them: one service for each node, under its id. */
export interface Mirror {
  readonly registry: Registry;
  readonly operations: ReadonlyMap<Operation, Mirrored>;
  /** Operations that are left out, as a sentence each: no receiver can take their URIs apart. */
  readonly unreadable: readonly string[];
}

/** Turns around the operations of some nodes. */
export function mirrorNodes(registry: Registry, nodes: readonly Node[]): Mirror {
  const consumers = [...registry.consumers.values()].filter(({ active }) => active);
  const operations = new Map<Operation, Mirrored>();
  const unreadable: string[] = [];
  const services = nodes.map((node): Service => {
    const own = consumers.filter(({ target }) => target.id === node.id);
    const mirrored = own.flatMap((each) => {
      try {
        return mirror(each, registry.gateway.namespace);
      } catch (error) {
        if (!(error instanceof UriTemplateError)) throw error;
        unreadable.push(`No partner can stand in for ${each.id}: in its URI template, ${error.message}.`);
        return [];
      }
    });
    for (const each of mirrored) operations.set(each.operation, each);
    return serviceOf(node, mirrored);
  });
  const { tls: _tls, audit: _audit, publicUrl: _url, ...gateway } = registry.gateway;
  return {
    ...{ operations, unreadable },
    registry: {
      ...emptyRegistry({
        ...gateway,
        ...{ id: CONTEXT, context: CONTEXT, requires: [], proxies: [], metrics: [], contracts: 'public' },
        ...{ delivered: [], mtom: { services: true, http: true }, compress: { rest: true, soap: true } },
      }),
      ...{ documents: registry.documents, schemes: registry.schemes },
      ...{ permissionLists: registry.permissionLists, roles: registry.roles },
      services: new Map(services.map((service) => [service.id, service])),
      operations: new Map([...operations.keys()].map((operation) => [operation.id, operation])),
    },
  };
}

function serviceOf({ id, at }: Node, mirrored: readonly Mirrored[]): Service {
  const operations = mirrored.map(({ operation }) => operation);
  return {
    ...{ id: `${id}.v1`, name: id, version: 'v1', default: true, active: true, delivered: false, at },
    ...{ operations, consumers: [], flows: [] },
  };
}

/** @throws UriTemplateError for a URI that can't be taken apart */
function mirror(consumer: ConsumerOperation, namespace: string): Mirrored {
  if (consumer.kind === 'soap') return { operation: soapOperation(consumer), consumer };
  const form = restForm(consumer);
  for (const { template } of form.uris) compileUriMatcher(template);
  const { method, responses } = consumer;
  const { faultTypes } = consumer;
  const types = faultTypes === undefined ? {} : { faultTypes };
  const operation: Operation = { ...commonOf(consumer, responses), method, ...form, ...types };
  return { operation, consumer, binding: compileReceiving(operation, consumer, namespace) };
}

/** What consumers of both kinds have as providers: anyone may call, and the credential is checked by the partner. */
function commonOf(
  consumer: ConsumerOperation,
  responses: readonly MediaMessage[],
): Omit<Operation, 'uris' | 'request' | 'body'> {
  const { id, name, service, target, fault, description, at } = consumer;
  return {
    ...{ id, name, service, at, responses, pathName: target.id },
    ...(description === undefined ? {} : { description }),
    ...(fault === undefined ? {} : { fault }),
    ...{ requestHeaders: [], status: 200, writes: false },
    answer: { kind: 'handler', file: '' },
    ...{ permissions: [], public: true, requires: [], limits: {}, active: true },
  };
}

function soapOperation(consumer: SoapConsumer): Operation {
  const { soap } = consumer;
  const responses = [{ mediaType: 'application/xml', message: soap.response }];
  return { ...commonOf(consumer, responses), soap, uris: [], request: soap.request, body: 'none' };
}

function restForm(
  consumer: RestConsumer,
): Pick<Operation, 'uris' | 'request' | 'requestTypes' | 'body' | 'form' | 'formStyles'> {
  const { body, input } = consumer;
  const bodyOf = (uri: OperationUri): readonly Field[] => {
    if (body.kind === 'document') return uri.body.map((field) => unfilled(field, consumer));
    return body.kind === 'field' ? [body.field] : [];
  };
  const uris = consumer.uris.map(
    (uri): OperationUri => receivable({ ...uri, body: bodyOf(uri), repeats: [] }, consumer),
  );
  const document = body.kind === 'document' ? body.document : input;
  // Headers and forms are read by this module; a body without a document is the message itself.
  const sent = new Set(uris.flatMap((uri) => uri.body));
  const request: Message =
    body.kind === 'raw'
      ? { kind: 'raw', raw: body.raw }
      : { kind: 'document', document: { ...document, fields: [...sent] } };
  const kinds = { none: 'none', form: 'none', document: 'document', field: 'raw', raw: 'raw' } as const;
  const { form, formStyles } = body.kind === 'document' ? body : {};
  return {
    ...{ uris, request, body: kinds[body.kind] },
    ...(form === undefined ? {} : { form }),
    ...(formStyles === undefined ? {} : { formStyles }),
    ...requestTypes(consumer),
  };
}

/** The media type that the call says it sends; a file has its own, and that of a form is known. */
function requestTypes({ headers, body }: RestConsumer): Pick<Operation, 'requestTypes'> {
  const isText =
    (body.kind === 'document' && body.form === undefined) || (body.kind === 'raw' && body.raw !== 'binary');
  const said = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.text;
  const isLiteral = said?.parts.every(({ kind }) => kind === 'literal') === true;
  return isText && isLiteral ? { requestTypes: [said.source] } : {};
}

/** A field without the text that fills it on the caller's side. */
function unfilled(field: Field, { filled }: RestConsumer): Field {
  if (!filled.has(field.name)) return field;
  const { default: _, ...rest } = field;
  return rest;
}

/** Marks the names of variables that repeat another one. */
const AGAIN = /\.again\d+$/;

/**
 * A template as the receiver reads it: without the slash in front, with slashes in the values that keep theirs, and with a name
 * of its own for a variable that occurs again.
 */
function receivable(uri: OperationUri, consumer: RestConsumer): OperationUri {
  const { template } = uri;
  const keeping = new Set(
    template.variables.filter((_, at) => uri.variables[at]?.field.url.endsWith('path')).map(({ name }) => name),
  );
  const seen = new Set<string>();
  const text = template.text.replace(/^\//, '').replace(/\{([\w.]+)\}/g, (_, name: string) => {
    const own = seen.has(name) ? `${name}.again${seen.size}` : name;
    seen.add(own);
    return `{${keeping.has(name) ? '+' : ''}${own}}`;
  });
  const parsed = parseUriTemplate(text);
  const variables = uri.variables.map((variable, at) => {
    const name = parsed.variables[at]?.name ?? '';
    const field = unfilled(variable.field, consumer);
    return { ...variable, field: AGAIN.test(name) ? { ...field, name } : field };
  });
  return { ...uri, template: parsed, variables };
}

/**
 * The input as the caller gave it: without the repetitions of variables, and with single quotes in place of those that OData
 * doubles. @throws Fault BAD_PARAMETER when repetitions differ
 */
function restored(input: DocumentValue, { variables }: OperationUri): DocumentValue {
  const doubled = new Set(
    variables.filter(({ field }) => field.url.startsWith('odata')).map(({ field }) => field.name),
  );
  const plain = ([name, value]: [string, Value]): [string, Value] =>
    typeof value === 'string' && doubled.has(name) ? [name, value.replaceAll("''", "'")] : [name, value];
  const entries = Object.entries(input).map(plain);
  for (const [name, value] of entries) {
    const original = name.replace(AGAIN, '');
    if (original !== name && input[original] !== value)
      throw Fault.of('BAD_PARAMETER', { name: original, reason: 'has two values in the path' });
  }
  return Object.fromEntries(entries.filter(([name]) => !AGAIN.test(name)));
}

/** A text that a call consists of, read: the values of its fields. @throws Fault BAD_PARAMETER for another text */
type TextReader = (text: string, into: Record<string, Value>) => void;

/** A header or form field, and what it carries. */
interface Carrier {
  readonly name: string;
  readonly label: string;
  /** Every call has it. */
  readonly required: boolean;
  readonly read: TextReader;
}

/** The binding of a mirrored operation: it also reads the headers and the form that the call builds from texts. */
function compileReceiving(operation: Operation, consumer: RestConsumer, namespace: string): RestBinding {
  const binding = compileRest(operation, namespace);
  const headers = consumer.headers
    .filter(({ name }) => name.toLowerCase() !== 'content-type')
    .map(({ name, text }) => carrier(name.toLowerCase(), `Header ${name}`, text, consumer));
  const form =
    consumer.body.kind === 'form'
      ? consumer.body.fields.map(({ name, text }) => carrier(name, `Form field ${name}`, text, consumer))
      : undefined;
  return {
    ...binding,
    negotiate(accept) {
      try {
        return binding.negotiate(accept);
      } catch (error) {
        // What the call accepts is its own business: the definition says what it gets.
        if (error instanceof Fault) return binding.representations[0] as never;
        throw error;
      }
    },
    async readRequest(uri, raw, header, body) {
      const given: Record<string, Value> = {};
      for (const each of headers) take(each, header(each.name), given);
      if (form === undefined) return { ...given, ...restored(await binding.readRequest(uri, raw, header, body), uri) };
      const read = await binding.readRequest(uri, raw, header, NO_BODY);
      const fields = parseForm(await body.text(), body.contentType);
      for (const each of form) take(each, fields.get(each.name), given);
      const unknown = [...fields.keys()].find((name) => form.every((each) => each.name !== name));
      if (unknown !== undefined)
        throw Fault.of('BAD_PARAMETER', { name: `Form field ${unknown}`, reason: `is not declared in ${consumer.id}` });
      return { ...given, ...restored(read, uri) };
    },
  };
}

function take({ label, required, read }: Carrier, text: string | undefined, given: Record<string, Value>): void {
  if (text !== undefined) read(text, given);
  else if (required) throw Fault.of('MISSING_PARAMETER', { name: label });
}

/** Most fields of a form. */
const FIELDS = 1000;

/** The fields of a form. @throws Fault UNSUPPORTED_MEDIA_TYPE */
export function parseForm(text: string, contentType: string | undefined): ReadonlyMap<string, string> {
  if (readContentType(contentType ?? '')?.essence !== FORM_MEDIA_TYPE)
    throw Fault.of('UNSUPPORTED_MEDIA_TYPE', {
      given: shownContentType(contentType ?? ''),
      supported: FORM_MEDIA_TYPE,
    });
  const entries = [...parseQueryString(text, FIELDS)].map(([name, [value = '']]) => [name, value] as const);
  return new Map(entries.map(([name, value]) => [name, percentDecode(value, true)]));
}

function carrier(name: string, label: string, text: CallText, consumer: RestConsumer): Carrier {
  const fields = text.parts.flatMap((part) => (part.kind === 'value' ? [part.field] : []));
  const required = fields.every((field) => field.required || consumer.filled.has(field.name));
  return { name, label, required, read: compileText(label, text) };
}

/** Compiles the reverse of a text: literal text stands for itself, configuration for anything. */
function compileText(label: string, { source, parts }: CallText): TextReader {
  const values = parts.filter((part): part is CallValue => part.kind === 'value' && part.of === undefined);
  const pattern = parts.map((part) => {
    if (part.kind === 'literal') return part.text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    return (values as readonly CallPart[]).includes(part) ? '(.*?)' : '.*?';
  });
  const whole = new RegExp(`^${pattern.join('')}$`, 's');
  const readers = values.map(({ field }) => ({ name: field.name, read: compileHeader(field) }));
  return (text, into) => {
    const [found, ...texts] = whole.exec(text) ?? [];
    if (found === undefined) throw Fault.of('BAD_PARAMETER', { name: label, reason: `is not of the form ${source}` });
    for (const [index, { name, read }] of readers.entries()) into[name] = guard(label, read, texts[index] as string);
  };
}
