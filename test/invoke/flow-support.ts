import { Pending } from '../../src/binding/call/values.ts';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import type { Calls } from '../../src/invoke/calls.ts';
import { InvokeError } from '../../src/invoke/error.ts';
import { createFlows, type Flows } from '../../src/invoke/flow/flow.ts';
import type { CallOptions } from '../../src/invoke/index.ts';
import type { ConsumerOperation, RestConsumer, SoapConsumer } from '../../src/model/consumer.ts';
import type { Document } from '../../src/model/document.ts';
import type { Flow, FlowStep, ReplyPath } from '../../src/model/flow.ts';
import type { InvokeReply } from '../../src/model/invoke-reply.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { document, field, registry } from '../support/registry.ts';
import { node } from './support.ts';

const at = { file: 'test.yaml', line: 1, column: 1 };
const service = registry({ 'Library.v1': { operations: {} } }).services.get('Library.v1')!;
const own = {
  service,
  target: node('LIBRARY', ['http://library.example']),
  permissions: [],
  public: true,
  active: true,
  at,
};

/** An operation that a flow calls; these tests answer it themselves. */
export function operation(id: string, input: Document): RestConsumer {
  return {
    ...own,
    kind: 'rest',
    id,
    name: id,
    method: 'POST',
    uris: [],
    host: false,
    input,
    filled: new Map(),
    headers: [],
    body: { kind: 'none' },
    responses: [],
    accepts: [],
    properties: { base64ToBinary: false, bodyAsBuilt: false, compress: false, acceptCompressed: true },
  };
}

export function soapOperation(id: string, request: Document): SoapConsumer {
  return {
    ...own,
    kind: 'soap',
    id,
    name: id,
    soap: {
      name: id,
      action: `${id}.v1`,
      request: { kind: 'document', document: request },
      response: { kind: 'none' },
    },
    headers: [],
    properties: { mtom: false, upContent: true, compress: false, segmentContentTransfer: 'binary' },
  };
}

const path = (text: string): ReplyPath => ({
  path: text.split('.'),
  field: field(text.split('.').at(-1)!, 'text'),
});

export interface StepOptions extends Partial<Pick<FlowStep, 'renewOn' | 'timeout'>> {
  readonly keep?: Readonly<Record<string, string>>;
  readonly holds?: string;
}

export function step(operation: ConsumerOperation, { keep = {}, holds, ...more }: StepOptions = {}): FlowStep {
  return {
    operation,
    keep: Object.entries(keep).map(([name, from]) => ({ name, from: path(from) })),
    renewOn: [],
    ...(holds === undefined ? {} : { holds: path(holds) }),
    ...more,
  };
}

export function flow(input: Document, steps: readonly FlowStep[]): Flow {
  return { id: 'Library.v1.upload', name: 'upload', service, steps, input, active: true, at };
}

export const TOKEN = operation('TOKEN', document('TOKEN_INPUT', [field('Tenant', 'text', { required: true })]));
export const DIGEST = operation(
  'DIGEST',
  document('DIGEST_INPUT', [
    field('Site', 'text', { required: true }),
    field('ACCESS_TOKEN', 'text', { required: true, sensitive: true }),
  ]),
);
export const UPLOAD = operation(
  'UPLOAD',
  document('UPLOAD_INPUT', [
    field('Site', 'text', { required: true }),
    field('ACCESS_TOKEN', 'text', { required: true, sensitive: true }),
    field('FORM_DIGEST', 'text', { required: true, sensitive: true }),
    field('File', 'binary'),
  ]),
);

/** Token, digest, upload: the later ones renew the earlier ones after 401 and 403. */
export const LIBRARY = flow(
  document('UPLOAD_FLOW', [
    field('Tenant', 'text', { required: true }),
    field('Site', 'text', { required: true }),
    field('File', 'binary'),
  ]),
  [
    step(TOKEN, { keep: { ACCESS_TOKEN: 'token' }, holds: 'expires', renewOn: [401] }),
    step(DIGEST, { keep: { FORM_DIGEST: 'info.digest' }, holds: 'info.seconds', renewOn: [403] }),
    step(UPLOAD),
  ],
);

/** A call as it reached the ports. */
export interface Made {
  readonly operation: string;
  readonly input: DocumentValue;
  readonly options: CallOptions;
}

export interface TestFlows extends Flows {
  readonly made: Made[];
  /** Ids of the operations that were called. */
  readonly calls: () => string[];
  /** Operations whose reply was closed. */
  readonly closed: string[];
  /** Configuration that was asked for, by the operations of each check. */
  readonly configured: string[][];
  /** Moves the clock on. */
  pass(milliseconds: number): void;
}

export type Answer = (made: Made, count: number) => DocumentValue | Promise<DocumentValue>;

/** Flows whose calls a test answers; `count` is how often the operation was called, from 1. */
export function flowsOf(answer: Answer, more: Partial<Calls> = {}): TestFlows {
  const made: Made[] = [];
  const closed: string[] = [];
  const configured: string[][] = [];
  let now = 1000;
  const ports: Calls = {
    redactor: createRedactor(),
    async call({ id }, input, options, called) {
      const one = { operation: id, input, options };
      made.push(one);
      const value = await answer(one, made.filter((each) => each.operation === id).length);
      return { ...REPLY, value, requestId: called.requestId, close: () => closed.push(id) };
    },
    preview({ id }, input) {
      const shown = Object.entries(input).map(([name, value]) => [
        name,
        value instanceof Pending ? `<${value.name}>` : value,
      ]);
      const body = JSON.stringify(Object.fromEntries(shown), (_, each) =>
        typeof each === 'bigint' ? `${each}n` : each,
      );
      return { operation: id, method: 'POST', url: `http://library.example/${id}`, headers: {}, body };
    },
    configure: (calls) => void configured.push(calls.map((each) => each.operation.id)),
    ...more,
  };
  const flows = createFlows(ports, () => now);
  return {
    ...flows,
    made,
    calls: () => made.map((each) => each.operation),
    closed,
    configured,
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

const REPLY: InvokeReply = {
  httpResponseCode: 200,
  responseStatus: 0,
  headers: {},
  value: {},
  body: undefined,
  segments: async function* () {},
  timings: { connected: undefined, sent: 1, head: 2, value: 3 },
  attempts: 1,
  requestId: '',
  finish: async () => undefined,
  close: () => undefined,
};

/** Tokens and digests by number, each for its time in seconds; the upload answers with what it was given. */
export function library(holds: { readonly token?: unknown; readonly digest?: unknown } = {}): Answer {
  return ({ operation, input }, count) => {
    const { token = 3600, digest = 1800 } = holds as Record<string, string>;
    if (operation === 'TOKEN') return { token: `token ${count} of ${input.Tenant}`, expires: token };
    if (operation === 'DIGEST') return { info: { digest: `digest ${count}`, seconds: digest } };
    const { File: _, ...rest } = input;
    return rest;
  };
}

/** What a call throws that was answered with a status. */
export function refused(operation: string, httpResponseCode: number): InvokeError {
  const called = { operation, requestId: 'r', address: 'http://library.example/' };
  return new InvokeError('HTTP_STATUS', called, `the target answered with ${httpResponseCode}`, { httpResponseCode });
}
