import { setTimeout as pause } from 'node:timers/promises';
import type { InvokeError, MadeCall, ReplyFault, SoapFault } from '../../invoke/index.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import type { RetentionPeriod } from '../../model/gateway.ts';
import type { Redactor } from '../../model/redactor.ts';
import { LOG_LEVEL } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import { type InsertedColumns, insertRows, type Store } from '../../store/index.ts';
import { currentTrace } from '../../trace/trace.ts';
import { reasonOf } from './failure.ts';
import { pack } from './payload.ts';
import { compileRecorded, type RecordedParts } from './recorded.ts';
import { idAt } from './store.ts';

/** A call that has ended: one that arrived here, or one to another system. */
export interface EndedCall {
  readonly operation: string;
  /** The node that was called; absent for a call that arrived here. */
  readonly node?: string | undefined;
  readonly connector: 'rest' | 'soap' | 'http' | 'call';
  readonly status: 'Done' | 'Error' | 'Timeout';
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly ended: number;
  readonly user?: Pick<User, 'id' | 'origin'> | undefined;
  readonly requestId: string;
  readonly trace: string | undefined;
  /** The message during whose delivery it was made. */
  readonly causedBy?: string | undefined;
  /** The status of its reply. */
  readonly code?: number | undefined;
  /** Why it failed, without secrets. */
  readonly reason?: string | undefined;
  /** Bytes of the request's body. */
  readonly size?: number | undefined;
  /** Its content, masked. Called when its turn to be written has come, and not at all when it is dropped. */
  readonly parts: () => RecordedParts;
}

let origin = performance.timeOrigin;

/**
 * The time in milliseconds since 1970 with its fraction, so that the ids of calls that begin in one millisecond keep their order.
 * It follows the clock of the system when that is set.
 */
export function preciseNow(): number {
  const [now, passed] = [Date.now(), performance.now()];
  if (Math.abs(origin + passed - now) > 2) origin = now - passed;
  return origin + passed;
}

/** Takes calls that have ended. @param of makes the record, unless it is dropped: then the call costs nothing more */
export type RecordCall = (of: () => EndedCall) => void;

/**
 * Records calls to other systems by the log level of their routing. Of failures, those during the delivery of a message are
 * left out: its attempts have them.
 */
export function callRecorder(record: RecordCall, redactor: Redactor): (call: MadeCall) => void {
  const payloads = new WeakMap<ConsumerOperation, ReturnType<typeof compileRecorded>>();
  const payloadOf = (operation: ConsumerOperation) => {
    const known = payloads.get(operation) ?? compileRecorded(operation);
    payloads.set(operation, known);
    return known;
  };
  return ({ operation, called, sent, ms, attempts, status, value, error, note }) => {
    const { id, target, log = LOG_LEVEL } = operation;
    const trace = currentTrace();
    if (log === 'none' || (log === 'failures' && (error === undefined || trace?.message !== undefined))) return;
    record(() => {
      const { method, url, headers, body } = sent();
      const payload = log === 'full' ? payloadOf(operation) : undefined;
      const request = body === undefined ? undefined : payload?.request(body, redactor);
      const reply = payload?.reply(value ?? faultIn(error), redactor);
      const call = { method, url, ms: Math.round(ms * 1000) / 1000, attempts, headers };
      const ended = preciseNow();
      return {
        ...{ operation: id, node: target.id, connector: 'call', began: ended - ms, ended },
        status: error === undefined ? 'Done' : error.code === 'TIMEOUT' ? 'Timeout' : 'Error',
        ...{ requestId: called.requestId, trace: trace?.traceId, causedBy: trace?.message?.id },
        ...{
          code: status,
          reason: error === undefined ? note && redactor.text(note) : redactor.text(reasonOf(error)),
          size: body === undefined ? 0 : Buffer.byteLength(body),
        },
        parts: () => ({ call, request, reply }),
      };
    });
  };
}

/** What the target has replied to a call that failed. */
function faultIn(error: InvokeError | undefined): unknown {
  if (error === undefined) return undefined;
  const { fault, detail } = error as Partial<ReplyFault & SoapFault>;
  return fault ?? (detail === '' ? undefined : detail) ?? error.body;
}

interface CallRecordsOptions {
  readonly store: Pick<Store, 'kind' | 'transaction'>;
  /** How long records are kept, in milliseconds. */
  readonly keep: RetentionPeriod;
  /** Called with the first error after a success. */
  readonly onError: (error: Error) => void;
}

/** Calls that wait to be written. */
export const MOST_WAITING = 2_000;
/** Calls of one transaction. */
const BATCH = 100;
/** Milliseconds in which calls are gathered. */
const GATHER = 50;
/** The part of the time in which the database may be busy with records. */
const SHARE = 1 / 20;
/** Characters of the longest reason. */
const LONGEST_REASON = 1000;
/** Bytes below which compressing content would take longer than it saves. */
const SMALL = 1024;

/**
 * Records calls in the message store, beside the calls themselves. Calls that come faster than the database takes them in its
 * share of the time are dropped and counted: the audit log has a line for each.
 */
export class CallRecords {
  readonly #options: CallRecordsOptions;
  readonly #waiting: EndedCall[] = [];
  readonly #closing = new AbortController();
  #writing: Promise<void> | undefined;
  #isFailing = false;
  /** Calls that were recorded. */
  recorded = 0;
  /** Calls that could not be recorded. */
  dropped = 0;

  constructor(options: CallRecordsOptions) {
    this.#options = options;
  }

  readonly add: RecordCall = (of) => {
    if (this.#waiting.length >= MOST_WAITING || this.#closing.signal.aborted) {
      this.dropped += 1;
      return;
    }
    try {
      this.#waiting.push(of());
    } catch (error) {
      // A call that was answered must not fail because of its record.
      this.#failed(1, error as Error);
      return;
    }
    this.#writing ??= this.#write();
  };

  /** Writes those that wait, and takes no more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    await this.#pause(GATHER);
    while (this.#waiting.length > 0) {
      const began = performance.now();
      await this.#enter(this.#waiting.splice(0, BATCH));
      await this.#pause((performance.now() - began) * (1 / SHARE - 1));
    }
    this.#writing = undefined;
  }

  /** Ends at once when the gateway stops. */
  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    if (!signal.aborted) await pause(ms, undefined, { ref: false, signal }).catch(() => {});
  }

  async #enter(calls: readonly EndedCall[]): Promise<void> {
    const { store, keep } = this.#options;
    try {
      const rows = calls.map((call) => rowOf(call, keep));
      const contents = await Promise.all(rows.map(({ id }, at) => contentsOf(id, calls[at] as EndedCall)));
      await store.transaction(async (tx) => {
        await insertRows(tx, store.kind, 'signalbox_message', ROW, rows);
        await insertRows(tx, store.kind, 'signalbox_message_content', CONTENT, contents.flat());
      });
      this.recorded += calls.length;
      this.#isFailing = false;
    } catch (error) {
      this.#failed(calls.length, error as Error);
    }
  }

  #failed(calls: number, error: Error): void {
    this.dropped += calls;
    if (!this.#isFailing) this.#options.onError(error);
    this.#isFailing = true;
  }
}

/** Those of a record that have no defaults. */
const ROW = {
  ...{
    id: 'uuid',
    operation: 'text',
    node: 'text',
    status: 'text',
    entered: 'bigint',
    ended: 'bigint',
    expires: 'bigint',
  },
  ...{ actor: 'text', declared: 'integer', connector: 'text', request_id: 'text', trace: 'text', caused_by: 'uuid' },
  ...{ size: 'bigint', code: 'integer', reason: 'text' },
} as const satisfies InsertedColumns;

const CONTENT = {
  ...{ message: 'uuid', part: 'text', encoding: 'text', content: 'bytes', size: 'bigint' },
} as const satisfies InsertedColumns;

function rowOf(
  call: EndedCall,
  keep: RetentionPeriod,
): Record<keyof typeof ROW, string | number | null> & { readonly id: string } {
  const { operation, node, connector, status, began, ended, user, requestId, trace, causedBy, code, reason, size } =
    call;
  return {
    id: idAt(began),
    operation,
    node: node ?? null,
    status,
    entered: Math.round(began),
    ended: Math.round(ended),
    expires: keep === 'forever' ? null : Math.round(ended) + keep,
    actor: user === undefined ? null : storable(user.id),
    declared: user?.origin === 'definitions' ? 1 : 0,
    connector,
    request_id: requestId,
    trace: trace ?? null,
    caused_by: causedBy ?? null,
    size: size ?? 0,
    code: code ?? null,
    reason: reason === undefined ? null : storable(shortened(reason)),
  };
}

function shortened(reason: string): string {
  return reason.length <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON)}…`;
}

/** PostgreSQL has no texts with NUL, nor with half a character. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

async function contentsOf(message: string, { parts }: EndedCall) {
  const all = Object.entries(parts()).filter(([, value]) => value !== undefined);
  return Promise.all(
    all.map(async ([part, value]) => {
      const { encoding, content, size } = await pack(Buffer.from(JSON.stringify(value)), SMALL);
      return { message, part, encoding, content: Buffer.from(content).toString('hex'), size };
    }),
  );
}
