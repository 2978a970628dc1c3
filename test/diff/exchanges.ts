import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodecError } from '../../src/codec/index.ts';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import type { WireLanguage } from '../../src/diff/verdict.ts';
import { InvokeError } from '../../src/invoke/error.ts';
import { asRestConsumer, compileProvided, type ProvidedForm } from '../../src/invoke/provided.ts';
import { mockAnswerer } from '../../src/mock/answer.ts';
import { instanceOf, seeded } from '../../src/mock/instance.ts';
import { startMock } from '../../src/mock/serve.ts';
import type { Document } from '../../src/model/document.ts';
import type { Registry } from '../../src/model/registry.ts';
import { hasXmlBody, type Operation } from '../../src/model/service.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { createSpool } from '../../src/store/index.ts';
import { attempt } from './messages.ts';

/** A gateway in this process that serves a registry with replies made from its definitions. */
export interface Served {
  readonly registry: Registry;
  send(request: Request): Promise<Answer>;
  close(): Promise<void>;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** What the operation got; `undefined` for a request that reached none. */
  readonly received: DocumentValue | undefined;
}

const SPOOL = createSpool({ folder: join(tmpdir(), `signalbox-exchanges-${process.pid}`) });

export async function serve(registry: Registry): Promise<Served> {
  const received = new Map<string, DocumentValue>();
  const mock = await startMock({
    ...{ registry, port: 0, log: { level: 'silent', to: { write: () => {} } } },
    replaced(operation) {
      const made = mockAnswerer(operation, {});
      return {
        answerer: {
          answer(input, call, as) {
            received.set(call.header('x-call') ?? '', input);
            return made.answer(input, call, as);
          },
        },
      };
    },
  });
  return {
    registry,
    async send({ method, path, headers, body }) {
      const id = randomUUID();
      const reply = await fetch(`${mock.address}${path}`, {
        method,
        headers: { ...headers, 'x-call': id },
        ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(body) }),
      });
      const bytes = Buffer.from(await reply.arrayBuffer());
      return { status: reply.status, headers: Object.fromEntries(reply.headers), bytes, received: received.get(id) };
    },
    close: () => mock.close(),
  };
}

/** One way to call an operation, by a client that knows the registry. */
export interface Way {
  readonly label: string;
  readonly operation: Operation;
  readonly form: ProvidedForm;
  readonly languages: readonly WireLanguage[];
  /** Other paths that lead to the same operation. */
  readonly path: (path: string, registry: Registry) => string;
}

const asIs = (path: string): string => path;
const withNode = (path: string, { gateway }: Registry): string =>
  path.replace('/RESTListeningConnector/', `/RESTListeningConnector/${gateway.id}/`);
const withoutVersion = (path: string): string => path.replace(/(\/RESTListeningConnector\/\w+)\.v\d+/, '$1');

export function waysOf({ operations }: Registry): readonly Way[] {
  return [...operations.values()]
    .filter((each) => each.active && each.service.active && !each.service.delivered)
    .flatMap((operation): Way[] => {
      const isXml = (mediaType: string): boolean => /[/+]xml\b/.test(mediaType);
      const rest = operation.uris.flatMap(({ index }): Way[] => {
        const form = { kind: 'rest', uriIndex: index } as const;
        const first = operation.responses[0]?.mediaType ?? '';
        const base = { operation, languages: isXml(first) ? (['json', 'xml'] as const) : (['json'] as const) };
        return [
          { ...base, label: `REST ${index}`, form, path: asIs },
          { ...base, label: `REST ${index} with node`, form, path: withNode },
          { ...base, label: `REST ${index} without version`, form, path: withoutVersion },
          ...(hasXmlRequest(operation, index)
            ? [
                {
                  ...base,
                  label: `REST ${index} in XML`,
                  form: { ...form, contentType: 'application/xml' },
                  path: asIs,
                  languages: ['json', 'xml'] as const,
                },
              ]
            : []),
          ...operation.responses
            .filter(({ message }) => message.kind !== 'none')
            .map(
              ({ mediaType }): Way => ({
                ...{
                  operation,
                  label: `REST ${index} for ${mediaType}`,
                  form: { ...form, accept: mediaType },
                  path: asIs,
                },
                languages: isXml(mediaType) ? ['json', 'xml'] : ['json'],
              }),
            ),
        ];
      });
      if (operation.soap === undefined) return rest;
      const soap = (['1.1', '1.2'] as const).map(
        (version): Way => ({
          ...{ operation, label: `SOAP ${version}`, form: { kind: 'soap', version }, languages: ['xml'], path: asIs },
        }),
      );
      return [...rest, ...soap];
    });
}

function hasXmlRequest({ request, body, form, uris }: Operation, index: number): boolean {
  const hasBody = uris.some((uri) => uri.index === index && uri.body.length > 0);
  return (
    request.kind === 'document' && body === 'document' && form === undefined && hasBody && hasXmlBody(request.document)
  );
}

function inputDocument({ operation, form }: Way, { gateway }: Registry): Document | undefined {
  if (form.kind === 'rest') return asRestConsumer(operation, gateway).input;
  const { request } = operation.soap ?? {};
  return request?.kind === 'document' ? request.document : undefined;
}

/** Inputs of a call: everything, what is required, and something in between. */
export function inputsOf(way: Way, registry: Registry, seed: string): readonly DocumentValue[] {
  const document = inputDocument(way, registry);
  if (document === undefined) return [{}];
  const pick = seeded(`${seed} ${way.operation.id} ${way.label}`);
  const optional = document.fields.filter(({ required }) => !required).map(({ name }) => name);
  const without = (value: DocumentValue, isLeft: () => boolean): DocumentValue =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !optional.includes(name) || isLeft()));
  return [1, 2].flatMap(() => {
    const whole = attempt(() => instanceOf(document, pick));
    return whole === undefined ? [] : [whole, without(whole, () => false), without(whole, () => pick(2) === 0)];
  });
}

/** Sends a call as a client that knows one registry, to the gateway of the same or of another one, and reads the reply. */
export async function exchange(
  way: Way,
  input: DocumentValue,
  known: Registry,
  to: Served,
  more: Readonly<Record<string, string>> = {},
): Promise<
  { readonly problem?: string; readonly status: number; readonly received: DocumentValue | undefined } | undefined
> {
  const call = compileProvided(known, way.operation, way.form);
  const request = attempted(() => call.write(input));
  if (request === undefined) return undefined;
  const answer = await to.send({
    method: request.method,
    path: `/${known.gateway.context}${way.path(request.target, known)}`,
    headers: { ...request.headers, ...more },
    body: await bytesOf(request.body),
  });
  const { status, received } = answer;
  const ports = { limits: known.gateway.limits, spool: SPOOL, redactor: createRedactor() };
  const verdict = await call.compare(answer, ports);
  const isFault = more.prefer !== undefined;
  const problem =
    verdict.kind !== (isFault ? 'fault' : 'reply')
      ? `${verdict.kind} ${status} ${answer.bytes.toString().slice(0, 200)}`
      : verdict.differences[0];
  return { status, received, ...(problem === undefined ? {} : { problem }) };
}

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvokeError || error instanceof CodecError) return undefined;
    throw error;
  }
}

async function bytesOf(body: string | AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> {
  if (body === undefined || typeof body === 'string') return body === undefined ? undefined : Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const each of body) chunks.push(each);
  return Buffer.concat(chunks);
}

/** What a call means otherwise to the new operation, of the fields that both have; `undefined` for the same. */
export function misread(old: DocumentValue | undefined, now: DocumentValue | undefined): string | undefined {
  if (old === undefined || now === undefined) return undefined;
  const words = (value: unknown): string =>
    JSON.stringify(value, (_, each: unknown) => {
      if (typeof each === 'bigint') return String(each);
      // The order of elements in XML is not part of a value.
      const isMap = typeof each === 'object' && each !== null && !Array.isArray(each);
      return isMap ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each;
    }) ?? 'absent';
  const names = Object.keys(old).filter((name) => name in now);
  const name = names.find((each) => words(old[each]) !== words(now[each]));
  return name === undefined ? undefined : `${name} is ${words(now[name])}, not ${words(old[name])}`;
}
