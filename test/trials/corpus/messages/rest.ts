import { parse } from 'yaml';
import type { ReadSource } from '../../../../src/import/source.ts';
import { type Pick, seeded } from '../../../../src/mock/instance.ts';
import type { Registry } from '../../../../src/model/registry.ts';
import type { Operation } from '../../../../src/model/service.ts';
import { type Json, JsonInstances, type JsonSchema } from '../json-instances.ts';
import { compiler, differenceIn } from '../judge-json.ts';
import type { CallOutcome, ContractOutcome } from '../messages.ts';
import { Unmakeable } from '../simple-text.ts';
import { bodyValue, familyOf, type WrittenBody, writtenBody } from './rest/body.ts';
import { type ForeignContent, type ForeignOperation, type ForeignParameter, operationsOf } from './rest/contract.ts';
import {
  bodyOfInput,
  fieldOf,
  formOfServed,
  jsonOfField,
  ofForeign,
  type ServedRest,
  serveRest,
} from './rest/gateway.ts';
import { inHeader, inPath, inQuery, joined } from './rest/styles.ts';
import { type As, loadContract } from './served.ts';

/** Operations of one contract that are called: the largest have hundreds. */
const MOST = 40;

/** What the values of a request are, before it is written. */
export interface Chosen {
  readonly parameters: readonly { readonly parameter: ForeignParameter; readonly value: Json }[];
  readonly body?: { readonly content: ForeignContent; readonly value: Json; readonly hasDefault: boolean };
}

/** A description with what makes and judges its messages. */
export interface Foreign {
  readonly root: JsonSchema;
  readonly maker: JsonInstances;
  readonly pick: Pick;
  readonly validators: ReturnType<typeof compiler>;
  readonly operations: readonly ForeignOperation[];
  /** What the import reports. */
  readonly losses: readonly string[];
}

/** Reads a description, imports it in a role, and loads what is written. @returns the reason why that is not possible */
export async function openForeign(
  location: string,
  read: ReadSource,
  as: As,
  seed: string,
): Promise<(Foreign & { readonly registry: Registry }) | string> {
  const found = await read(location);
  if (!('bytes' in found)) return 'missing';
  const { registry, errors, losses } = await loadContract(location, read, as);
  if (registry === undefined) return `not loaded: ${errors[0]}`;
  const root = parse(new TextDecoder().decode(found.bytes), { logLevel: 'silent', maxAliasCount: -1 }) as JsonSchema;
  const pick = seeded(seed);
  const operations = operationsOf(root).found.slice(0, MOST);
  return { root, maker: new JsonInstances(root, pick), pick, validators: compiler(root), operations, losses, registry };
}

/** Values for a request. @throws Unmakeable */
export function chosenFor({ maker, pick, validators }: Foreign, { parameters, body }: ForeignOperation): Chosen {
  const chosen = parameters
    .filter(({ required }) => required || pick(2) === 0)
    .map((parameter) => ({ parameter, value: fitting(parameter, () => maker.make(parameter.schema)) }));
  if (body === undefined || body.contents.length === 0 || (!body.required && pick(4) === 0))
    return { parameters: chosen };
  const content = body.contents[pick(body.contents.length)] as ForeignContent;
  const value = maker.make(content.schema ?? {});
  const hasDefault = maker.seen.has('default');
  const error = content.pointer === undefined ? undefined : validators(content.pointer)?.(value);
  if (error !== undefined) throw new Unmakeable(`not valid: ${error}`);
  return { parameters: chosen, body: { content, value, hasDefault } };
}

/** A value that can be written where the parameter is. */
function fitting(parameter: ForeignParameter, make: () => Json): Json {
  let reason = new Unmakeable('no value');
  for (let n = 0; n < 20; n++) {
    const value = make();
    try {
      if (value === '' || (Array.isArray(value) && (value.length === 0 || value.includes('')))) continue;
      if (parameter.in === 'path') inPath(parameter, value);
      else if (parameter.in === 'query') inQuery(parameter, value);
      else inHeader(parameter, value);
      return value;
    } catch (error) {
      if (!(error instanceof Unmakeable)) throw error;
      reason = error;
    }
  }
  throw reason;
}

/** A request as a client of the description writes it. */
export interface WrittenRequest {
  /** With the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: WrittenBody;
}

export function writtenRequest(
  { path }: ForeignOperation,
  { parameters, body }: Chosen,
  maker: JsonInstances,
): WrittenRequest {
  const within = (where: ForeignParameter['in']) => parameters.filter(({ parameter }) => parameter.in === where);
  let target = path.replace(/#.*/s, '');
  for (const { parameter, value } of within('path'))
    target = target.replace(`{${parameter.name}}`, () => inPath(parameter, value));
  if (/[{}]/.test(target)) throw new Unmakeable('a path parameter that is not declared');
  const pairs = within('query').flatMap(({ parameter, value }) => inQuery(parameter, value));
  if (pairs.length > 0) target += (target.includes('?') ? '&' : '?') + pairs.join('&');
  const headers = Object.fromEntries(
    within('header').map(({ parameter, value }) => [parameter.name, inHeader(parameter, value)]),
  );
  const cookies = within('cookie').map(
    ({ parameter, value }) => `${parameter.name}=${encodeURIComponent(inHeader(parameter, value))}`,
  );
  if (cookies.length > 0) headers.Cookie = cookies.join('; ');
  if (body === undefined) return { target, headers };
  return { target, headers, body: writtenBody(body.content, body.value, maker) };
}

interface Trial extends Foreign {
  readonly path: string;
  readonly served: ServedRest;
}

/** Serves a description, and calls each operation as a client of it does. */
export async function callRest(
  path: string,
  location: string,
  read: ReadSource,
  { count, seed }: { readonly count: number; readonly seed: string },
): Promise<ContractOutcome> {
  const foreign = await openForeign(location, read, 'provider', seed);
  if (typeof foreign === 'string') return { reason: foreign, operations: 0, calls: [] };
  const own = [...foreign.registry.services.values()]
    .filter(({ delivered }) => !delivered)
    .flatMap(({ operations }) => operations);
  const served = await serveRest(foreign.registry);
  try {
    const trial: Trial = { ...foreign, path, served };
    const calls: CallOutcome[] = [];
    for (const [index, operation] of foreign.operations.entries()) {
      const at = { path, operation: operation.id };
      const ours = ofForeign(
        own.filter(({ active }) => active),
        operation,
      );
      if (ours === undefined) {
        calls.push({ ...at, finding: 'not served', reason: `${operation.method} ${operation.path}` });
        continue;
      }
      for (let n = 0; n < count; n++)
        calls.push({ ...at, ...(await attempt(() => judgeCall(trial, operation, ours, `${index}.${n}`))) });
      for (const { status } of operation.responses)
        if (/^[45]\d\d$/.test(status))
          calls.push({ ...at, ...(await attempt(() => judgeFault(trial, operation, ours, status))) });
    }
    return { operations: foreign.operations.length, calls };
  } finally {
    await served.close();
  }
}

export type Judged = Omit<CallOutcome, 'path' | 'operation'>;
export const OK: Judged = { finding: 'ok', reason: '' };

export async function attempt(judge: () => Promise<Judged>): Promise<Judged> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof Unmakeable) return { finding: 'unmade', reason: error.message };
    throw error;
  }
}

async function sent(
  served: ServedRest,
  ours: Operation,
  { target, headers, body }: WrittenRequest,
  more: Record<string, string>,
) {
  const init: RequestInit = {
    method: ours.method ?? 'GET',
    headers: { ...headers, ...more, ...(body === undefined ? {} : { 'content-type': body.contentType }) },
  };
  if (body !== undefined) init.body = new Uint8Array(body.bytes);
  try {
    const response = await fetch(`${served.at(ours)}${target}`, init);
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  } catch (error) {
    throw new Unmakeable(`fetch: ${(error as Error).message} ${(error as { cause?: Error }).cause?.message ?? ''}`);
  }
}

const shownRequest = ({ target, headers, body }: WrittenRequest): string =>
  `${target} ${JSON.stringify(headers)} ${body?.contentType ?? ''} ${body?.bytes.toString().slice(0, 500) ?? ''}`;

async function judgeCall(trial: Trial, operation: ForeignOperation, ours: Operation, id: string): Promise<Judged> {
  const { maker, served, pick } = trial;
  const chosen = chosenFor(trial, operation);
  if (chosen.body !== undefined && (ours.method === 'GET' || ours.method === 'HEAD'))
    throw new Unmakeable(`a body of ${ours.method}`);
  const request = writtenRequest(operation, chosen, maker);
  const success = successOf(operation);
  const accepts = success?.contents.map(({ mediaType }) => mediaType) ?? [];
  const accept = accepts[pick(Math.max(1, accepts.length))];
  const { response, bytes } = await sent(served, ours, request, {
    'x-call': id,
    ...(accept === undefined ? {} : { accept }),
  });
  const text = shownRequest(request);
  const received = served.received.get(id);
  if (received === undefined) return { finding: 'refused', reason: reasonOf(response.status, bytes, chosen), text };
  if (received.operation !== ours) return { finding: 'other operation', reason: received.operation.id, text };
  const difference = differenceOfInput(operation.path, chosen, received.operation, received.input);
  if (difference !== undefined) return { finding: 'other content', reason: difference, text };
  if (/The mock has no reply/.test(bytes.toString()))
    return { finding: 'no example', reason: bytes.toString().slice(0, 300) };
  return judgeReply(trial, operation, response, bytes);
}

function reasonOf(status: number, bytes: Buffer, { body }: Chosen): string {
  const of = body === undefined ? 'without a body' : `in ${body.content.mediaType}`;
  const text = bytes.toString();
  const detail = /"detail":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  return `${status} ${of}: ${detail.slice(0, 300)}`;
}

/** The first difference of what was sent and what the handler received. */
function differenceOfInput(
  path: string,
  { parameters, body }: Chosen,
  operation: Operation,
  input: Parameters<typeof bodyOfInput>[1],
): string | undefined {
  const form = formOfServed(operation);
  for (const { parameter, value } of parameters) {
    const at = `${parameter.in} parameter ${parameter.name}`;
    if (
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      fieldOf(form, parameter, path) === undefined
    ) {
      const different = differenceOfMembers(form, parameter, value as { readonly [key: string]: Json }, input);
      if (different !== undefined) return `${at}: ${different}`;
      continue;
    }
    const field = fieldOf(form, parameter, path);
    if (field === undefined) return `${at} is not read`;
    const found = input[field.name];
    if (found === undefined) return `${at} is gone: ${JSON.stringify(value)}`;
    const got = jsonOfField(field, found);
    const wanted = typeof got === 'string' && typeof value !== 'string' ? joined(parameter, value) : value;
    const different = differenceOfValues(wanted, got);
    if (different !== '') return `${at}: ${different}`;
  }
  if (body === undefined) return undefined;
  const got = bodyOfInput(form, input);
  if (got === undefined) return 'the body is not read';
  const different = differenceOfValues(body.value, got);
  if (different === '' || (body.hasDefault && different.endsWith('was added'))) return undefined;
  return `the body in ${body.content.mediaType}: ${different}`;
}

function differenceOfMembers(
  form: ReturnType<typeof formOfServed>,
  parameter: ForeignParameter,
  value: { readonly [key: string]: Json },
  input: Parameters<typeof bodyOfInput>[1],
): string | undefined {
  for (const [key, each] of Object.entries(value)) {
    const name = parameter.style === 'deepObject' ? `${parameter.name}[${key}]` : key;
    const field = fieldOf(form, { ...parameter, name }, '');
    if (field === undefined) return `its member ${key} is not read`;
    const found = input[field.name];
    const different = found === undefined ? 'is gone' : differenceOfValues(each, jsonOfField(field, found));
    if (different !== '') return `its member ${key} ${different}`;
  }
  return undefined;
}

/** The first difference of two values, where content may be base64, and JSON its text. */
export function differenceOfValues(sent: Json, got: Json): string {
  const different = differenceIn(sent, got, '');
  if (different !== '' && typeof sent === 'object' && typeof got === 'object' && sent !== null && got !== null) {
    const [one, other] = [sent, got] as [Record<string, Json>, Record<string, Json>];
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length || keys.some((key) => !Object.hasOwn(other, key))) return different;
    return (
      keys.map((key) => differenceOfValues(one[key] as Json, other[key] as Json)).find((each) => each !== '') ?? ''
    );
  }
  if (different === '' || typeof got !== 'string') return different;
  if (typeof sent === 'string') return Buffer.from(got, 'base64').toString() === sent ? '' : different;
  try {
    return differenceIn(sent, JSON.parse(got) as Json, '') === '' ? '' : different;
  } catch {
    return different;
  }
}

function successOf({ responses }: ForeignOperation) {
  const good = responses.filter(({ status }) => /^2/.test(status)).sort((a, b) => (a.status < b.status ? -1 : 1));
  return good[0] ?? responses.find(({ status }) => status === 'default');
}

/** Whether a reply is one of the description. */
function judgeReply(
  { validators, maker }: Trial,
  operation: ForeignOperation,
  response: Response,
  bytes: Buffer,
): Judged {
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  const text = `${status} ${type} ${bytes.toString().slice(0, 600)}`;
  const declared =
    operation.responses.find((each) => each.status === String(status)) ??
    operation.responses.find((each) => each.status.toUpperCase() === `${Math.floor(status / 100)}XX`) ??
    operation.responses.find((each) => each.status === 'default');
  const invalid = (reason: string): Judged => ({ finding: 'invalid reply', reason, text });
  if (declared === undefined)
    return operation.responses.length === 0
      ? OK
      : invalid(
          `the status ${status} is not declared${successOf(operation) === undefined ? ', as no success is' : ''}`,
        );
  if (bytes.length === 0 || operation.method === 'HEAD')
    return declared.contents.length === 0 || operation.method === 'HEAD' ? OK : invalid(`${status} without a body`);
  if (declared.contents.length === 0) return invalid(`${status} has a body`);
  const essence = (each: string): string => each.replace(/;.*/s, '').trim().toLowerCase();
  const matches = (each: string): boolean =>
    new RegExp(`^${essence(each).replace(/[.+]/g, '\\$&').replaceAll('*', '.*')}$`).test(essence(type));
  const content = declared.contents.find(({ mediaType }) => matches(mediaType));
  if (content === undefined)
    return invalid(`${status} in ${essence(type)}, not ${declared.contents.map(({ mediaType }) => mediaType).join()}`);
  const family = familyOf(type);
  if ((family !== 'json' && family !== 'xml') || content.schema === undefined || content.pointer === undefined)
    return OK;
  const read = bodyValue(content, type, bytes, maker);
  if ('wrong' in read) return invalid(`${status} in ${family}: ${read.wrong}`);
  const error = validators(content.pointer)?.(read.value);
  return error === undefined ? OK : invalid(`${status} in ${family}: ${error}`);
}

/** Asks for the reply of an error. */
async function judgeFault(trial: Trial, operation: ForeignOperation, ours: Operation, status: string): Promise<Judged> {
  const chosen = chosenFor(trial, operation);
  const request = writtenRequest(operation, chosen, trial.maker);
  const declared = operation.responses.find((each) => each.status === status);
  const [content] = declared?.contents ?? [];
  const id = `fault ${operation.id} ${status}`;
  const more = {
    prefer: `code=${status}`,
    'x-call': id,
    ...(content === undefined ? {} : { accept: content.mediaType }),
  };
  const { response, bytes } = await sent(trial.served, ours, request, more);
  // A request that is refused is reported by itself.
  if (!trial.served.received.has(id) || declared?.contents.length === 0) return OK;
  const judged = judgeReply(trial, operation, response, bytes);
  return judged.finding === 'invalid reply' ? { ...judged, finding: 'invalid fault' } : judged;
}
