import type { CallBody, CallText, RestConsumer, RestProperties } from '../../src/model/consumer.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import { NODE_DEFAULTS, type Node } from '../../src/model/node.ts';
import type { MediaMessage, Message, Method, RawKind } from '../../src/model/service.ts';
import { parseUriTemplate } from '../../src/wire/uri-template/uri-template.ts';
import { document, registry } from './registry.ts';

/** Consumer operations over REST from literals, for tests of the stages after the loader. */

const at = { file: 'test.yaml', line: 1, column: 1 };

/** A text as written in YAML: `{FIELD}`, `{FIELD.name}`, `${env:X}`, `${secret:X}`. */
function callText(source: string, fields: readonly Field[]): CallText {
  const parts = source.split(/(\$\{\w+:\w+\}|\{\w+(?:\.\w+)?\})/).flatMap((text): CallText['parts'] => {
    const [, kind, name = ''] = /^\$\{(env|secret):(\w+)\}$/.exec(text) ?? [];
    if (kind !== undefined) return [{ kind: kind as 'env' | 'secret', name }];
    const [, id, of] = /^\{(\w+)(?:\.(\w+))?\}$/.exec(text) ?? [];
    if (id === undefined) return text === '' ? [] : [{ kind: 'literal', text }];
    const field = fields.find((each) => each.name === id)!;
    return [{ kind: 'value', field, ...(of === undefined ? {} : { of: of as 'name' }) }];
  });
  return { source, parts };
}

export interface RestOptions {
  readonly method?: Method;
  readonly templates: readonly string[];
  readonly host?: boolean;
  /** Everything that the operation uses. */
  readonly fields?: readonly Field[];
  readonly filled?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  /** The fields that form the body, unless `form` is set. */
  readonly body?: 'document' | { readonly field: string } | RawKind;
  /** Accepts undeclared names. */
  readonly open?: boolean;
  readonly response?: Document | RawKind | Readonly<Record<string, Document | RawKind>>;
  readonly fault?: Document;
  readonly properties?: Partial<RestProperties>;
  readonly timeout?: number;
}

const types: Readonly<Record<RawKind, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

export function restConsumer(
  options: RestOptions,
  target: Node = { ...NODE_DEFAULTS, id: 'T', base: [], at },
): RestConsumer {
  const { fields = [], headers = {}, filled = {}, fault, timeout } = options;
  const text = (source: string): CallText => callText(source, fields);
  const inHeaders = fields.filter(({ name }) => Object.values(headers).some((source) => source.includes(`{${name}}`)));
  const body = bodyOf(options, fields, text);
  return {
    kind: 'rest',
    id: 'SOME_CALL',
    name: 'SOME_CALL',
    service: registry({ 'Some.v1': { operations: {} } }).services.get('Some.v1')!,
    target,
    method: options.method ?? 'POST',
    uris: options.templates.map((source, i) => {
      const template = parseUriTemplate(source);
      const variables = template.variables.map(({ name, place, wireName, required }) => {
        return { field: fields.find((each) => each.name === name)!, place, wireName, required };
      });
      const elsewhere = new Set([...inHeaders, ...variables.map(({ field }) => field)]);
      const inBody = body.kind === 'document' ? fields.filter((field) => !elsewhere.has(field)) : [];
      return { index: i + 1, template, variables, body: inBody, repeats: [], at };
    }),
    host: options.host ?? false,
    input: document('SOME_CALL', fields, { open: options.open ?? false }),
    filled: new Map(Object.entries(filled).map(([name, source]) => [name, text(source)])),
    headers: Object.entries(headers).map(([name, source]) => ({ name, text: text(source) })),
    body,
    responses: responsesOf(options.response),
    accepts: responsesOf(options.response).flatMap(({ mediaType, message }) =>
      message.kind === 'none' ? [] : [mediaType],
    ),
    properties: {
      base64ToBinary: false,
      bodyAsBuilt: true,
      compress: false,
      acceptCompressed: true,
      ...options.properties,
    },
    ...(fault === undefined ? {} : { fault }),
    ...(timeout === undefined ? {} : { timeout }),
    permissions: [],
    public: true,
    active: true,
    at,
  };
}

function bodyOf({ form, body, open }: RestOptions, fields: readonly Field[], text: (s: string) => CallText): CallBody {
  if (form !== undefined)
    return { kind: 'form', fields: Object.entries(form).map(([name, source]) => ({ name, text: text(source) })) };
  if (body === undefined) return { kind: 'none' };
  if (body === 'document')
    return { kind: 'document', document: document('SOME_BODY', fields, { open: open ?? false }) };
  if (typeof body === 'string') return { kind: 'raw', raw: body };
  return { kind: 'field', field: fields.find(({ name }) => name === body.field)! };
}

function responsesOf(given: RestOptions['response']): readonly MediaMessage[] {
  if (given === undefined) return [{ mediaType: 'text/plain', message: { kind: 'none' } }];
  if (typeof given === 'string') return [{ mediaType: types[given], message: { kind: 'raw', raw: given } }];
  if (isDocument(given))
    return ['application/json', 'application/xml'].map((mediaType) => ({ mediaType, message: messageOf(given) }));
  return Object.entries(given).map(([mediaType, each]) => ({ mediaType, message: messageOf(each) }));
}

function messageOf(given: Document | RawKind): Message {
  return typeof given === 'string' ? { kind: 'raw', raw: given } : { kind: 'document', document: given };
}

function isDocument(given: object): given is Document {
  return 'fields' in given;
}
