import { compileDocument, compileJsonFieldWriter } from '../../../../../src/codec/index.ts';
import { mockAnswerer } from '../../../../../src/mock/answer.ts';
import { startMock } from '../../../../../src/mock/serve.ts';
import type { RestConsumer } from '../../../../../src/model/consumer.ts';
import type { Document } from '../../../../../src/model/document.ts';
import type { Field } from '../../../../../src/model/field.ts';
import type { Registry } from '../../../../../src/model/registry.ts';
import type { MediaMessage, Operation, OperationUri } from '../../../../../src/model/service.ts';
import type { Attachment, DocumentValue, Value } from '../../../../../src/model/value.ts';
import type { Json } from '../../json-instances.ts';
import type { ForeignOperation, ForeignParameter } from './contract.ts';

/** What a handler received, with content of attachments as base64. */
export interface ReceivedInput {
  readonly operation: Operation;
  readonly input: DocumentValue;
}

export interface ServedRest {
  /** The address of a service. */
  at(operation: Operation): string;
  /** By the header X-Call of a request. */
  readonly received: ReadonlyMap<string, ReceivedInput>;
  close(): Promise<void>;
}

/** Serves a registry with replies made from its definitions. */
export async function serveRest(registry: Registry): Promise<ServedRest> {
  const received = new Map<string, ReceivedInput>();
  const mock = await startMock({
    registry,
    port: 0,
    log: { level: 'silent', to: { write: () => {} } },
    replaced(operation) {
      const made = mockAnswerer(operation, {});
      return {
        answerer: {
          async answer(input, call, as) {
            const whole = (await inMemory(input)) as DocumentValue;
            received.set(call.header('x-call') ?? '', { operation, input: whole });
            return made.answer(whole, call, as);
          },
        },
      };
    },
  });
  const base = `${mock.address}/${registry.gateway.context}/RESTListeningConnector`;
  return {
    at: ({ pathName, service }) => `${base}/${pathName}.${service.version}`,
    received,
    close: () => mock.close(),
  };
}

/** A value with the content of its attachments as base64. */
async function inMemory(value: Value): Promise<Value> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((each) => inMemory(each as Value))) as unknown as Value;
  if (typeof (value as Attachment).stream === 'function') {
    const chunks: Uint8Array[] = [];
    for await (const each of (value as Attachment).stream()) chunks.push(each);
    return Buffer.concat(chunks).toString('base64');
  }
  const made: Record<string, Value> = {};
  for (const [key, each] of Object.entries(value as object)) made[key] = await inMemory(each as Value);
  return made as DocumentValue;
}

/** A request form: of an operation that is served or called. */
export interface RequestForm {
  readonly uri: OperationUri;
  readonly headers: readonly { readonly header: string; readonly field: Field }[];
  readonly body:
    | { readonly kind: 'none' }
    | { readonly kind: 'document'; readonly document: Document }
    | { readonly kind: 'field'; readonly field: Field }
    | { readonly kind: 'raw'; readonly raw: string };
}

export function formOfServed({ uris, requestHeaders, body, request }: Operation): RequestForm {
  const uri = uris[0] as OperationUri;
  const own = { uri, headers: requestHeaders };
  if (body === 'none') return { ...own, body: { kind: 'none' } };
  if (body === 'document' && request.kind === 'document')
    return { ...own, body: { kind: 'document', document: bodyDocument(request.document, uri) } };
  const [field] = uri.body;
  if (field !== undefined) return { ...own, body: { kind: 'field', field } };
  return { ...own, body: { kind: 'raw', raw: request.kind === 'raw' ? request.raw : '' } };
}

export function formOfCalled({ uris, headers, body, input }: RestConsumer): RequestForm {
  const uri = uris[0] as OperationUri;
  const own = {
    uri,
    headers: headers.flatMap(({ name, text }) => {
      const [part, ...others] = text.parts;
      return part?.kind === 'value' && others.length === 0 ? [{ header: name, field: part.field }] : [];
    }),
  };
  if (body.kind === 'document')
    return { ...own, body: { kind: 'document', document: bodyDocument(body.document, uri) } };
  if (body.kind === 'form') {
    const fields = body.fields.flatMap(({ name, text }) => {
      const [part] = text.parts;
      return part?.kind === 'value' ? [{ ...part.field, jsonName: name }] : [];
    });
    return { ...own, body: { kind: 'document', document: { ...input, fields } } };
  }
  return { ...own, body };
}

function bodyDocument(document: Document, { body, repeats }: OperationUri): Document {
  const isWhole = document.bare || document.kinds !== undefined || document.choice !== undefined;
  return isWhole ? document : { ...document, fields: [...body, ...repeats] };
}

/** The document with texts, which are base64, in place of content. */
function withTexts(document: Document): Document {
  const text = { kind: 'string' } as const;
  const fields = document.fields.map((field): Field => {
    const { type } = field;
    if (type.kind === 'binary') return { ...field, type: text };
    return isFiles(field) && type.kind === 'list' ? { ...field, type: { ...type, item: text } } : field;
  });
  return { ...document, fields };
}

/** Whether a field is content, or a list of it. */
export function isFiles({ type }: Field): boolean {
  return type.kind === 'binary' || (type.kind === 'list' && type.item.kind === 'binary');
}

/**
 * The field of a parameter; `undefined` where the import has none.
 * @param path of the operation, whose variables are in the order of the template
 */
export function fieldOf(
  { uri, headers }: RequestForm,
  { name, in: where }: ForeignParameter,
  path: string,
): Field | undefined {
  const all = (place: string) => uri.variables.filter((each) => each.place === place);
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, each]) => each);
  const index = names.length === all('path').length ? names.indexOf(name) : undefined;
  if (where === 'header') return headers.find(({ header }) => header.toLowerCase() === name.toLowerCase())?.field;
  // A variable of a path has the name of its parameter, unless the body has it.
  if (where === 'path' && index !== undefined && index >= 0) return all(where)[index]?.field;
  const plain = (text: string): string =>
    decode(text)
      .replace(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase();
  const own = all(where);
  const found =
    own.find(({ wireName }) => decode(wireName) === name) ??
    own.find(({ wireName }) => plain(wireName) === plain(name));
  return found?.field;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const jsonOfField = (field: Field, value: Value): Json =>
  JSON.parse(compileJsonFieldWriter(field)(value)) as Json;

/** The value of the body of a request, as JSON. */
export function bodyOfInput({ uri, headers, body }: RequestForm, input: DocumentValue): Json | undefined {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'field': {
      const value = input[body.field.name];
      return value === undefined ? undefined : jsonOfField(body.field, value);
    }
    case 'raw':
      return input.content as Json;
    case 'document': {
      const elsewhere = new Set([...uri.variables, ...headers].map(({ field }) => field.name));
      for (const { name } of body.document.fields) elsewhere.delete(name);
      const own = Object.fromEntries(Object.entries(input).filter(([name]) => !elsewhere.has(name)));
      return JSON.parse(compileDocument(withTexts(body.document), { namespace: '' }).toJson(own)) as Json;
    }
  }
}

/** The value of a reply, as JSON. */
export async function jsonOfReply({ message }: MediaMessage, value: DocumentValue): Promise<Json> {
  const whole = (await inMemory(value)) as DocumentValue;
  if (message.kind === 'none') return null;
  if (message.kind === 'raw') return whole.content as Json;
  return JSON.parse(compileDocument(message.document, { namespace: '' }).toJson(whole)) as Json;
}

/** The operation of an imported contract that is one of the description. */
export function ofForeign<
  T extends { readonly name: string; readonly method?: string; readonly uris: readonly OperationUri[] },
>(all: readonly T[], { id, method, path }: ForeignOperation): T | undefined {
  const shape = (text: string): string =>
    text
      .replace(/\{[^}]*\}/g, '{}')
      .replace(/[?#].*/s, '')
      .replace(/^\/+/, '');
  const wanted = shape(path);
  const plain = (text: string): string => text.replace(/\W|_/g, '').toLowerCase();
  const sames = all.filter(
    (each) =>
      each.method === method && each.uris.some(({ template }) => sameShape(shape(pathText(template.text)), wanted)),
  );
  return sames.find(({ name }) => plain(name) === plain(id)) ?? sames[0];
}

/** The text of a template without the variables of its query. */
const pathText = (text: string): string => text.replace(/\{[?&][^}]*\}/g, '');

const sameShape = (a: string, b: string): boolean => decode(a) === decode(b);
