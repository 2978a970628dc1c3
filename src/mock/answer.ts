import { STATUS_CODES } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Format } from '../binding/message.ts';
import { isAttachment } from '../codec/binary.ts';
import { CodecError } from '../codec/index.ts';
import { exampleContent } from '../describe/example/scalar.ts';
import { Fault, faults } from '../model/fault.ts';
import type { Outcome } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import { finalAnswer, type Message, type Operation } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { renderRows } from '../query/index.ts';
import { messageFor } from '../serve/answer/by-call.ts';
import type { Answerer } from '../serve/answer/call.ts';
import { instanceOf, rowOf, seeded } from './instance.ts';
import type { MockAnswers } from './mock-port.ts';

/** Longest wait that a caller may ask for, in seconds. */
const LONGEST_WAIT = 300;

/**
 * Answers an operation from its definition: the same request always gets the same reply. `Prefer` (RFC 7240) chooses another:
 * `code=404` the fault, or the status, of that code, `wait=2` a reply after so many seconds.
 */
export function mockAnswerer(operation: Operation, { seed = 0, latency = 0 }: MockAnswers): Answerer {
  const final = finalAnswer(operation);
  return {
    async answer(input, call, as) {
      const { code, wait } = readPreferences(call.header('prefer'));
      const ms = wait === undefined ? latency : wait * 1000;
      if (ms > 0) await pause(ms, undefined, { signal: call.signal });
      const applied = appliedHeaders({ code, wait });
      if (code !== undefined && code >= 400) throw faultOf(code, operation, applied);
      const by = `${seed} ${operation.id} ${keyOf(input)}`;
      const outcome =
        final.kind === 'query' && (as === 'csv' || as === 'xlsx')
          ? await fileOf(final.query, as, by)
          : replyOf(messageFor(operation, as), as, by);
      const chosen = { ...(code === undefined ? {} : { status: code }), headers: applied };
      return outcome.kind === 'value'
        ? { ...outcome, ...chosen }
        : { kind: 'bytes', bytes: { ...outcome.bytes, ...chosen } };
    },
  };
}

/** The reply of a message, by a seed. */
function replyOf(message: Message, as: Format, seed: string): Outcome {
  if (message.kind === 'none') return { kind: 'value', value: {} };
  if (message.kind === 'document')
    return { kind: 'value', value: making(() => instanceOf(message.document, seeded(seed))) };
  const content = exampleContent(message.raw);
  if (message.raw === 'binary') return contentOf(Buffer.from(content, 'base64'));
  // In an envelope, JSON is a value, elsewhere its text.
  return { kind: 'value', value: message.raw === 'json' && as === 'soap' ? JSON.parse(content) : content };
}

/** Rows of a query as a file. */
async function fileOf(query: Query, format: 'csv' | 'xlsx', seed: string): Promise<Outcome> {
  const pick = seeded(seed);
  const rows = Array.from({ length: 1 + pick(3) }, () => making(() => rowOf(query, pick)));
  const { contentType, stream } = renderRows(rows, format, { query, timezone: 'UTC' });
  return contentOf(Buffer.concat(await Array.fromAsync(stream())), contentType);
}

/** A reply that is content without a document. */
export function contentOf(bytes: Uint8Array, contentType = 'application/octet-stream'): Outcome {
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

/** The fault of the catalogue with a status. */
function faultOf(status: number, { id }: Operation, headers: Readonly<Record<string, string>>): Fault {
  const [code = `STATUS_${status}`] = Object.entries(faults).find(([, entry]) => entry.status === status) ?? [];
  const what = STATUS_CODES[status] ?? String(status);
  return Fault.custom(code, status, `${what}: ${id} was asked for this fault.`, { headers });
}
