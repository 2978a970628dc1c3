import { attachmentsIn } from '../../../codec/binary.ts';
import { CodecError } from '../../../codec/index.ts';
import { compileProvided, InvokeError, type ProvidedCall } from '../../../invoke/index.ts';
import type { ConsumerOperation } from '../../../model/consumer.ts';
import type { Flow } from '../../../model/flow.ts';
import { type Operation, onceOf } from '../../../model/service.ts';
import type { DocumentValue } from '../../../model/value.ts';
import { SOAP_CONTENT_TYPES } from '../../../wire/soap/version.ts';
import type { Visit } from '../../route.ts';
import { formOf, groupsOf, type Subject, takesText, type Way } from './subject.ts';
import { languageOf, pretty } from './text.ts';
import { type Entered, readForm, type Sent } from './values.ts';

/** A request to this gateway that is ready to be sent. */
export interface PreparedCall {
  readonly method: string;
  /** Raw path and query, relative to the gateway's address with its context. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly call: ProvidedCall;
}

/** Why there is no request: one reason for all of it, and reasons for fields by their paths. */
export interface Unready {
  readonly reason: string | undefined;
  readonly errors: ReadonlyMap<string, string>;
}

export const isUnready = (made: object): made is Unready => 'errors' in made;

export const isRaw = (entered: Entered): boolean => entered.get('raw') === '1';

/** The request of a provided operation that a form describes. */
export async function prepareCall(
  { ports: { registry } }: Pick<Visit, 'ports'>,
  operation: Operation,
  way: Way,
  sent: Sent,
): Promise<PreparedCall | Unready> {
  const { entered } = sent;
  const subject = { kind: 'provided', operation } as const;
  const raw = isRaw(entered) && takesText(subject, way) ? textOf(entered) : undefined;
  const isKeyed = way.soap === undefined && onceOf(operation, registry.gateway) !== undefined;
  const form = formOf(way, entered, raw !== undefined, registry.gateway.mtom.services);
  const call = compileProvided(registry, operation, form, isKeyed);
  if (raw !== undefined && way.soap !== undefined) return { ...envelope(operation, way.soap), body: raw, call };
  const groups = groupsOf(subject, way).filter(({ isBody }) => raw === undefined || isBody !== true);
  const { value, errors } = readForm(sent, groups);
  if (errors.size > 0) return { reason: undefined, errors };
  return written(async () => {
    const { method, target, headers, body } = call.write(value);
    if (raw === undefined) return { method, target, headers, body: await whole(body), call };
    return { method, target, headers: { ...headers, 'Content-Type': entered.get('raw-type') ?? '' }, body: raw, call };
  });
}

const textOf = (entered: Entered): Buffer => Buffer.from((entered.get('raw-body') ?? '').replaceAll('\r\n', '\n'));

/** The head of a SOAP request whose envelope is written by hand. */
function envelope({ soap }: Operation, version: '1.1' | '1.2'): Pick<PreparedCall, 'method' | 'target' | 'headers'> {
  const action = soap?.action ?? '';
  const type = SOAP_CONTENT_TYPES[version];
  const headers: Record<string, string> =
    version === '1.1'
      ? { 'Content-Type': type, SOAPAction: `"${action}"` }
      : { 'Content-Type': `${type}; action="${action}"` };
  return { method: 'POST', target: '/PeopleSoftServiceListeningConnector', headers };
}

async function whole(body: string | AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> {
  if (body === undefined || typeof body === 'string') return body === undefined ? undefined : Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The result of `make`, or why the input does not fit the operation. */
export async function written<T extends object>(make: () => Promise<T>): Promise<T | Unready> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof InvokeError)) throw error;
    const { cause, hint } = error;
    const errors = new Map<string, string>();
    if (cause instanceof CodecError)
      for (const each of [cause, ...cause.others])
        errors.set(each.steps.map((step) => (typeof step === 'object' ? step.key : step)).join('/'), each.reason);
    return { reason: hint === undefined ? error.message : `${error.message}. ${hint}`, errors };
  }
}

/** Turns the fields of the body into the text that would be sent, so that it can be edited. */
export async function takeAsText(
  visit: Visit,
  operation: Operation,
  way: Way,
  { entered, files, lost }: Sent,
): Promise<void> {
  const inline = new URLSearchParams(entered);
  inline.set('inline', '1');
  const made = await prepareCall(visit, operation, way, { entered: inline, files, lost });
  entered.set('raw', '1');
  if (isUnready(made)) return;
  const type = made.headers['Content-Type'] ?? 'application/json';
  const text = made.body?.toString() ?? '';
  entered.set('raw-type', type);
  entered.set('raw-body', pretty(text, languageOf(type)) ?? text);
}

/** The input of a call to another system, or of a flow. */
export function inputOf(subject: Subject, way: Way, sent: Sent): DocumentValue | Unready {
  const { value, errors } = readForm(sent, groupsOf(subject, way));
  return errors.size > 0 ? { reason: undefined, errors } : value;
}

/** A program that makes the same call with the generated client. */
export function clientProgram(called: ConsumerOperation | Flow, name: string, input: DocumentValue): string {
  const method = 'steps' in called ? 'flow' : 'call';
  const files = attachmentsIn(input).next().done === true ? '' : "import { createReadStream } from 'node:fs';\n";
  return `${files}import { openClient } from './generated/client.ts';

const client = await openClient();
const { value } = await client.${method}(${JSON.stringify(name)}, ${literal(input, '')});
await client.close();
`;
}

/** A value as a literal of TypeScript. */
function literal(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if ('stream' in value) {
    const { name = 'content', contentType } = value as { name?: string; contentType?: string };
    const file = JSON.stringify(name);
    return `{ contentType: ${JSON.stringify(contentType)}, name: ${file}, stream: () => createReadStream(${file}) }`;
  }
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((each) => literal(each, inner))
    : Object.entries(value).map(([name, each]) => `${memberName(name)}: ${literal(each, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return members.length === 0
    ? `${open}${close}`
    : `${open}\n${members.map((each) => `${inner}${each},\n`).join('')}${indent}${close}`;
}

const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
