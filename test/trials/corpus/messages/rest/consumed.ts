import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodecError, compileDocument, compileJsonField } from '../../../../../src/codec/index.ts';
import type { ReadSource } from '../../../../../src/import/source.ts';
import { createClient, InvokeError, ReplyFault } from '../../../../../src/invoke/index.ts';
import { standInVariable } from '../../../../../src/invoke/stand-in.ts';
import type { RestConsumer } from '../../../../../src/model/consumer.ts';
import type { Document } from '../../../../../src/model/document.ts';
import type { Registry } from '../../../../../src/model/registry.ts';
import type { DocumentValue } from '../../../../../src/model/value.ts';
import { createSpool } from '../../../../../src/store/index.ts';
import type { Json } from '../../json-instances.ts';
import type { CallOutcome, ContractOutcome } from '../../messages.ts';
import { Unmakeable } from '../../simple-text.ts';
import {
  attempt,
  type Chosen,
  chosenFor,
  differenceOfValues,
  type Foreign,
  type Judged,
  OK,
  openForeign,
  writtenRequest,
} from '../rest.ts';
import { type ArrivedRequest, asSent, differenceOfRequests } from './arrived.ts';
import { familyOf, type WrittenBody, writtenBody } from './body.ts';
import type { ForeignContent, ForeignOperation, ForeignResponse } from './contract.ts';
import { fieldOf, formOfCalled, isFiles, jsonOfReply, ofForeign, type RequestForm } from './gateway.ts';
import { isObject, joined } from './styles.ts';

/** A partner's server: it keeps the latest request and answers with what it is given. */
interface Partner {
  readonly address: string;
  sent: ArrivedRequest | undefined;
  reply: { readonly status: number; readonly body?: WrittenBody };
  close(): void;
}

async function startPartner(): Promise<Partner> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    partner.sent = { method, target: url, headers, bytes: Buffer.concat(chunks) };
    const { status, body } = partner.reply;
    response.writeHead(status, body === undefined ? {} : { 'content-type': body.contentType });
    response.end(body?.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const partner: Partner = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ sent: undefined, reply: { status: 200 } },
    close: () => void server.close().closeAllConnections(),
  };
  return partner;
}

interface Trial extends Foreign {
  readonly registry: Registry;
  readonly partner: Partner;
}

/** Calls each operation of a description at a server that keeps what arrives. */
export async function consumeRest(
  path: string,
  location: string,
  read: ReadSource,
  { count, seed }: { readonly count: number; readonly seed: string },
): Promise<ContractOutcome> {
  const foreign = await openForeign(location, read, 'consumer', seed);
  if (typeof foreign === 'string') return { reason: foreign, operations: 0, calls: [] };
  const consumers = [...foreign.registry.services.values()]
    .flatMap((service) => service.consumers)
    .filter((each) => each.kind === 'rest')
    .filter(({ active }) => active);
  const partner = await startPartner();
  const trial: Trial = { ...foreign, partner };
  const calls: CallOutcome[] = [];
  try {
    for (const operation of foreign.operations) {
      const at = { path, operation: operation.id };
      const consumer = ofForeign(consumers, operation);
      if (consumer === undefined) {
        calls.push({ ...at, finding: 'not served', reason: `${operation.method} ${operation.path}` });
        continue;
      }
      const answered = operation.responses.filter(({ status }) => !/^[13]/.test(status));
      const replies = answered.length === 0 ? [undefined] : answered;
      for (let n = 0; n < count; n++)
        for (const response of replies)
          calls.push({ ...at, ...(await attempt(() => judgeCall(trial, operation, consumer, response))) });
    }
    return { operations: foreign.operations.length, calls };
  } finally {
    partner.close();
  }
}

async function judgeCall(
  trial: Trial,
  operation: ForeignOperation,
  consumer: RestConsumer,
  response: ForeignResponse | undefined,
): Promise<Judged> {
  const { partner, maker, registry } = trial;
  const chosen = chosenFor(trial, operation);
  const wanted = writtenRequest(operation, chosen, maker);
  const reply = replyFor(trial, operation, response);
  partner.reply = { status: reply.status, ...(reply.body === undefined ? {} : { body: reply.body }) };
  partner.sent = undefined;
  const form = formOfCalled(consumer);
  const text = `${JSON.stringify(chosen.parameters.map(({ parameter, value }) => [parameter.name, value]))} ${JSON.stringify(chosen.body?.value)?.slice(0, 400)}`;
  let input: DocumentValue;
  try {
    input = inputOf(form, chosen, operation.path);
  } catch (error) {
    if (error instanceof CodecError) return { finding: 'not sent', reason: error.message, text };
    throw error;
  }
  const env = { [standInVariable(consumer.target.id)]: partner.address };
  const client = createClient(registry, { env, spool: createSpool({ folder: join(tmpdir(), 'signalbox-messages') }) });
  try {
    const found = await outcomeOf(client.call(consumer, input, {}), consumer);
    const arrived = partner.sent as Partner['sent'];
    if (arrived === undefined) return { finding: 'not sent', reason: found.error ?? '', text };
    const taken = asSent(operation, chosen, wanted, arrived.headers['content-type'] ?? '', maker);
    const wrong = await differenceOfRequests(taken.wanted, arrived, taken.chosen);
    if (wrong !== undefined)
      return {
        ...wrong,
        text: `${text}\n    ${operation.method} ${wanted.target}\n    ${arrived.method} ${arrived.target} ${arrived.headers['content-type'] ?? ''} ${arrived.bytes.toString().slice(0, 400)}`,
      };
    return judgeReply(operation, reply, found);
  } finally {
    await client.close();
  }
}

/** What came of a call. */
interface Found {
  readonly value?: Json;
  readonly error?: string;
  readonly status?: number;
  readonly fault?: Json;
  /** Where the caller has a fault, even of no document. */
  readonly isFault?: boolean;
}

async function outcomeOf(
  call: ReturnType<ReturnType<typeof createClient>['call']>,
  consumer: RestConsumer,
): Promise<Found> {
  try {
    const reply = await call;
    const type = (reply.headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase();
    const message =
      consumer.responses.find(({ mediaType }) => mediaType.toLowerCase() === type) ?? consumer.responses[0];
    if (message === undefined) return { status: reply.httpResponseCode };
    const isFamily = consumer.responses.find(({ mediaType }) => familyOf(mediaType) === familyOf(type)) ?? message;
    return { status: reply.httpResponseCode, value: await jsonOfReply(isFamily, reply.value) };
  } catch (error) {
    if (!(error instanceof InvokeError)) throw error;
    const { httpResponseCode } = error as { httpResponseCode?: number };
    const common = {
      error: `${error.code}: ${error.message}`,
      ...(httpResponseCode === undefined ? {} : { status: httpResponseCode }),
    };
    if (!(error instanceof ReplyFault) || error.fault === undefined || consumer.fault === undefined) return common;
    return {
      ...common,
      isFault: true,
      fault: JSON.parse(compileDocument(consumer.fault, { namespace: '' }).toJson(error.fault)) as Json,
    };
  }
}

/** The input of a call with values of the description. @throws CodecError for what the import does not take */
function inputOf(form: RequestForm, { parameters, body }: Chosen, path: string): DocumentValue {
  const input: Record<string, DocumentValue[string]> = {};
  for (const { parameter, value } of parameters) {
    const field = fieldOf(form, parameter, path);
    if (field !== undefined) {
      const asText = field.type.kind !== 'list' && typeof value === 'object';
      input[field.name] = compileJsonField(field)(
        JSON.stringify(asText && field.type.kind === 'string' ? joined(parameter, value) : value),
      );
      continue;
    }
    // What is not carried shows in what is sent.
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    for (const [key, each] of Object.entries(value)) {
      const member = fieldOf(
        form,
        { ...parameter, name: parameter.style === 'deepObject' ? `${parameter.name}[${key}]` : key },
        '',
      );
      if (member !== undefined) input[member.name] = compileJsonField(member)(JSON.stringify(each));
    }
  }
  if (body === undefined || form.body.kind === 'none') return input;
  if (form.body.kind === 'field') input[form.body.field.name] = fieldValue(form.body.field, body);
  else if (form.body.kind === 'document') Object.assign(input, documentInput(form.body.document, body));
  else input.content = rawValue(form.body.raw, body);
  return input;
}

/** The fields of a body; those of files are content. */
function documentInput(document: Document, body: NonNullable<Chosen['body']>): DocumentValue {
  const files = isObject(body.value) ? document.fields.filter(isFiles) : [];
  if (files.length === 0) return compileDocument(document, { namespace: '' }).fromJson(JSON.stringify(body.value));
  const given = body.value as { readonly [key: string]: Json };
  const names = new Set(files.map(({ jsonName }) => jsonName));
  const others = Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)));
  const fields = document.fields.filter((each) => !files.includes(each));
  const made: Record<string, DocumentValue[string]> = {
    ...compileDocument({ ...document, fields }, { namespace: '' }).fromJson(JSON.stringify(others)),
  };
  const file = (value: Json) => rawValue('binary', { ...body, content: { ...body.content, mediaType: '*/*' }, value });
  for (const { name, jsonName } of files) {
    const value = given[jsonName];
    if (value !== undefined)
      made[name] = (Array.isArray(value) ? value.map(file) : file(value)) as DocumentValue[string];
  }
  return made;
}

function fieldValue(
  field: Parameters<typeof compileJsonField>[0],
  body: NonNullable<Chosen['body']>,
): DocumentValue[string] {
  if (field.type.kind === 'binary') return rawValue('binary', body);
  return compileJsonField(field)(JSON.stringify(body.value));
}

function rawValue(raw: string, { content, value }: NonNullable<Chosen['body']>): DocumentValue[string] {
  if (raw === 'json') return value as DocumentValue[string];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (raw !== 'binary') return text;
  const bytes = Buffer.from(text);
  return {
    ...{
      contentType: content.mediaType.includes('*') ? 'application/octet-stream' : content.mediaType,
      length: bytes.length,
      again: true,
    },
    async *stream() {
      yield bytes;
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body?: WrittenBody;
  readonly content?: ForeignContent;
  readonly value?: Json;
  readonly hasDefault: boolean;
}

/** A reply of a description. @throws Unmakeable */
function replyFor(
  { maker, pick, validators }: Trial,
  { responses }: ForeignOperation,
  response: ForeignResponse | undefined,
): Reply {
  const isGood = responses.some((each) => /^2/.test(each.status));
  const status = response?.status === 'default' && isGood ? 500 : statusFor(response?.status ?? '200');
  const contents = response?.contents ?? [];
  const content = contents[pick(Math.max(1, contents.length))];
  if (content === undefined) return { status, hasDefault: false };
  const value = maker.make(content.schema ?? {});
  const hasDefault = maker.seen.has('default');
  const error = content.pointer === undefined ? undefined : validators(content.pointer)?.(value);
  if (error !== undefined) throw new Unmakeable(`not valid: ${error}`);
  return { status, content, value, hasDefault, body: writtenBody(content, value, maker) };
}

function statusFor(status: string): number {
  if (status === 'default') return 200;
  return Number(status.replace(/XX/i, '07')) || 200;
}

function judgeReply(
  { method, responses }: ForeignOperation,
  { status, content, value, body, hasDefault }: Reply,
  found: Found,
): Judged {
  const of = `${status} in ${content?.mediaType ?? 'nothing'}`;
  const text = body?.bytes.toString().slice(0, 600) ?? '';
  if (status >= 200 && status < 300) {
    if (found.error !== undefined) return { finding: 'reply refused', reason: `${of}: ${found.error}`, text };
    if (value === undefined || method === 'HEAD') return OK;
    const difference = differenceOfValues(value, found.value ?? null);
    if (difference === '' || (hasDefault && difference.endsWith('was added'))) return OK;
    if (familyOf(body?.contentType ?? '') === 'xml' && typeof found.value === 'string')
      return found.value === text ? OK : { finding: 'other reply', reason: `${of}: another text`, text };
    return {
      finding: 'other reply',
      reason: `${of}: ${difference}${responses.length > 1 ? ` of ${responses.map((each) => each.status).join()}` : ''}`,
      text: `${text}\n    ${JSON.stringify(found.value)}`,
    };
  }
  if (found.status !== status)
    return { finding: 'other reply', reason: `${of} is ${found.status}: ${found.error}`, text };
  if (value === undefined || typeof value !== 'object' || value === null) return OK;
  if (!found.isFault) return { finding: 'fault not read', reason: `${of}: ${found.error}`, text };
  const difference = differenceOfValues(value, found.fault ?? null);
  return difference === '' || (hasDefault && difference.endsWith('was added'))
    ? OK
    : { finding: 'fault not read', reason: `${of}: ${difference}`, text };
}
