import { setTimeout as pause } from 'node:timers/promises';
import type { Format } from '../binding/message.ts';
import { isAttachment } from '../codec/binary.ts';
import { CodecError, writeJsonText } from '../codec/index.ts';
import { exampleContent } from '../describe/example/scalar.ts';
import { bareField } from '../model/document.ts';
import { Fault } from '../model/fault.ts';
import type { Outcome, ReplyOptions } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import { finalAnswer, type Message, type Operation } from '../model/service.ts';
import type { Attachment, DocumentValue, Value } from '../model/value.ts';
import { renderRows } from '../query/index.ts';
import { messageFor } from '../serve/answer/by-call.ts';
import type { Answerer, Call } from '../serve/answer/call.ts';
import { untilAborted } from '../wire/waiting.ts';
import type { PartnerCall, PartnerReply } from './answers.ts';
import { takeAnswer } from './answers.ts';
import { faultOf } from './fault.ts';
import { instanceOf, rowOf, seeded } from './instance.ts';
import { type MockAnswers, PAGES } from './mock-port.ts';
import { compilePages } from './pages.ts';

/** Longest wait that a caller may ask for, in seconds. */
const LONGEST_WAIT = 300;

/** What is around a mock's answers. */
export interface MockPlace {
  /** Returns a call as answers get it. */
  readonly heard?: (input: DocumentValue, call: Call) => PartnerCall | Promise<PartnerCall>;
  /** Gets the faults that were asked for. */
  readonly asked?: (fault: Fault) => void;
  /** Its address with its context, for links. */
  readonly base?: () => string;
}

/**
 * Answers an operation as was asked for, or else from its definition: the same request always gets the same reply. `Prefer`
 * (RFC 7240) chooses another: `code=404` the fault, or the status, of that code, `wait=2` a reply after so many seconds.
 */
export function mockAnswerer(
  operation: Operation,
  { answers = [], seed = 0, pages = PAGES }: MockAnswers,
  { heard, asked: noteAsked, base }: MockPlace = {},
): Answerer {
  const paged = compilePages(operation, pages, base);
  const fault = (thrown: Fault): Fault => {
    noteAsked?.(thrown);
    return thrown;
  };
  const final = finalAnswer(operation);
  const made = (input: DocumentValue, as: Format): Outcome | Promise<Outcome> => {
    const by = `${seed} ${operation.id} ${keyOf(input)}`;
    if (final.kind === 'query' && (as === 'csv' || as === 'xlsx')) return madeFile(final.query, as, by);
    const outcome = madeReply(messageFor(operation, as), as, by);
    return outcome.kind === 'value' ? { ...outcome, ...paged(outcome.value, input) } : outcome;
  };
  return {
    async answer(input, call, as) {
      const { code, wait } = readPreferences(call.header('prefer'));
      const partnerCall = (await heard?.(input, call)) ?? { node: '', operation: operation.id, input, headers: {} };
      const { delay = 0, reply, ...chosen } = takeAnswer(answers, operation.id, partnerCall.input);
      const ms = wait === undefined ? delay : wait * 1000;
      if (ms > 0) await pause(ms, undefined, { signal: call.signal });
      const applied = appliedHeaders({ code, wait });
      if (code !== undefined && code >= 400)
        throw fault(faultOf({ status: code }, operation.id, { headers: applied }) as Fault);
      // A caller that has left, or the end of the mock, ends an answer that never comes, and with it the timer of the call.
      const given = await untilAborted((async () => reply?.(partnerCall))(), call.signal).catch((error: unknown) => {
        throw error instanceof Fault ? fault(error) : error;
      });
      const outcome = await (given === undefined ? made(input, as) : outcomeOf(given, messageFor(operation, as)));
      return withOptions(outcome, {
        ...(chosen.status === undefined ? {} : { status: chosen.status }),
        ...(code === undefined ? {} : { status: code }),
        headers: { ...chosen.headers, ...applied },
      });
    },
  };
}

function withOptions(outcome: Outcome, { headers, ...options }: ReplyOptions): Outcome {
  if (outcome.kind === 'value') return { ...outcome, ...options, headers: { ...outcome.headers, ...headers } };
  const { bytes } = outcome;
  return { kind: 'bytes', bytes: { ...bytes, ...options, headers: { ...bytes.headers, ...headers } } };
}

/** The reply of a message, by a seed. */
function madeReply(message: Message, as: Format, seed: string): Outcome {
  if (message.kind === 'none') return { kind: 'value', value: {} };
  if (message.kind === 'document')
    return { kind: 'value', value: making(() => instanceOf(message.document, seeded(seed))) };
  const content = exampleContent(message.raw);
  if (message.raw === 'binary') return contentOf(Buffer.from(content, 'base64'));
  // In an envelope, JSON is a value, elsewhere its text.
  return { kind: 'value', value: message.raw === 'json' && as === 'soap' ? JSON.parse(content) : content };
}

/** Rows of a query as a file. */
async function madeFile(query: Query, format: 'csv' | 'xlsx', seed: string): Promise<Outcome> {
  const pick = seeded(seed);
  const rows = Array.from({ length: 1 + pick(3) }, () => making(() => rowOf(query, pick)));
  const { contentType, stream } = renderRows(rows, format, { query, timezone: 'UTC' });
  return contentOf(Buffer.concat(await Array.fromAsync(stream())), contentType);
}

/** What was asked for as a reply. */
function outcomeOf(reply: Exclude<PartnerReply, undefined>, message: Message): Outcome | Promise<Outcome> {
  if (message.kind === 'none') return { kind: 'value', value: {} };
  const content = isContainer(reply) ? reply.content : reply;
  if (message.kind === 'document') {
    const whole = bareField(message.document);
    const value = whole === undefined || isContainer(reply) ? reply : { [whole.name]: reply as Value };
    return { kind: 'value', value: value as DocumentValue };
  }
  if (message.raw !== 'binary')
    return { kind: 'value', value: typeof content === 'string' ? content : writeJsonText(content as Value) };
  if (isAttachment(content)) return passed(content);
  return contentOf(typeof content === 'string' ? Buffer.from(content) : (content as Uint8Array));
}

/** The form in which callers get a reply without a document. */
function isContainer(reply: PartnerReply): reply is { readonly content: Value } {
  return typeof reply === 'object' && reply !== null && !isAttachment(reply) && Object.keys(reply).join() === 'content';
}

async function passed(content: Attachment): Promise<Outcome> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.stream()) chunks.push(chunk);
  return contentOf(Buffer.concat(chunks), content.contentType);
}

/** A reply that is content without a document. */
function contentOf(bytes: Uint8Array, contentType = 'application/octet-stream'): Outcome {
  return { kind: 'bytes', bytes: { contentType, length: bytes.byteLength, body: bytes } };
}

function making(make: () => DocumentValue): DocumentValue {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw Fault.custom('NO_EXAMPLE', 501, `The mock has no reply: ${error.message}.`, { cause: error });
  }
}

/** A request as a text: content by its type and length, since it is not read. */
function keyOf(input: DocumentValue): string {
  return JSON.stringify(input, (name, value: Value) => {
    if (typeof value === 'bigint') return String(value);
    if (isAttachment(value)) return [name, value.contentType, value.length];
    return value;
  });
}

interface Preferences {
  readonly code: number | undefined;
  /** In seconds. */
  readonly wait: number | undefined;
}

/** @throws Fault BAD_REQUEST for a value that is not valid; unknown preferences are ignored (RFC 7240 section 2) */
function readPreferences(header: string | undefined): Preferences {
  const given = new Map<string, string>();
  for (const each of (header ?? '').split(',')) {
    const [, name, value = ''] = /^\s*([\w-]+)\s*=\s*"?([^";]*?)"?\s*(?:;.*)?$/.exec(each) ?? [];
    // The first of several counts (section 2).
    if (name !== undefined && !given.has(name.toLowerCase())) given.set(name.toLowerCase(), value);
  }
  const code = numberIn(given.get('code'), 'code', [200, 599], STATUSES);
  if (code !== undefined && (!Number.isInteger(code) || (code >= 300 && code < 400)))
    throw badPreference('code', String(code), STATUSES);
  return {
    code,
    wait: numberIn(given.get('wait'), 'wait', [0, LONGEST_WAIT], `a number of seconds from 0 to ${LONGEST_WAIT}`),
  };
}

/** A redirect would need a place that no definition names. */
const STATUSES = 'a status from 200 to 299, or from 400 to 599';

function numberIn(
  text: string | undefined,
  name: string,
  [least, most]: readonly [number, number],
  what: string,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw badPreference(name, text, what);
}

function badPreference(name: string, text: string, what: string): Fault {
  return Fault.of('BAD_REQUEST', { reason: `${name}=${text} in Prefer is not ${what}` });
}

/** RFC 7240, section 3. */
function appliedHeaders({ code, wait }: Preferences): Readonly<Record<string, string>> {
  const applied = Object.entries({ code, wait }).filter(([, value]) => value !== undefined);
  if (applied.length === 0) return {};
  return { 'Preference-Applied': applied.map(([name, value]) => `${name}=${value}`).join(', ') };
}
