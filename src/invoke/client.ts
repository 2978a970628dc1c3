import { randomUUID } from 'node:crypto';
import type { Environment } from '../load/config.ts';
import type { Registry } from '../model/registry.ts';
import type { Node } from '../model/routing.ts';
import type { ConsumerOperation } from '../model/service.ts';
import type { Spool } from '../model/spool.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import { type Callable, compileCallable } from './callable.ts';
import { type Called, InvokeError } from './error.ts';
import { exchange } from './exchange.ts';
import { TIMEOUTS, type Timeouts } from './limits.ts';
import { Pools } from './pools.ts';
import { readReply } from './reply.ts';
import { type Segment, writeRequest } from './request.ts';
import { type Address, type Credential, resolveAddresses } from './target.ts';
import type { Heads } from './trace.ts';

export interface ClientOptions {
  /** What nodes and `PRIMARYURL` refer to. */
  readonly env: Environment;
  /** Keeps attachments of replies that come before they are wanted. */
  readonly spool: Spool;
  /** Those that are left out are as in {@link TIMEOUTS}. */
  readonly timeouts?: Partial<Timeouts>;
}

export interface CallOptions {
  /** Content beside the input, numbered from 1 in the markers of its XML (`<Include SegmentNumber="1"/>`). */
  readonly segments?: readonly Segment[];
  /** Ends the call, and afterwards the reading of its reply. */
  readonly signal?: AbortSignal;
  /** Called with the bytes of the request that are sent, and those it has, where that is known; before compression. */
  readonly onSent?: (sent: number, total: number | undefined) => void;
  /** Takes the place of the operation's target, PRIMARYURL included. */
  readonly node?: Node;
  /** Takes the place of the node's own. */
  readonly credential?: Credential;
  /** Sent as X-Request-Id: a word of at most 128 characters; a new one where it is left out. */
  readonly requestId?: string;
  /** Is shown the heads of the exchange. */
  readonly heads?: Heads;
}

/** What a target answered. It holds a connection as long as it has attachments that have not been read. */
export interface InvokeReply {
  readonly httpResponseCode: number;
  /** Success. A call that does not succeed throws an {@link InvokeError}, which has 10 or 20. */
  readonly responseStatus: 0;
  /** By names in lower case; values of one name are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The response document, its binary fields being attachments: each can be read once, and until {@link InvokeReply.close}.
   * Without a document `content` holds what stands in the reply's element, and with `SOAPUpContent=N` the whole envelope,
   * as XML text; of a one-way operation it is empty.
   */
  readonly value: DocumentValue;
  /** Attachments that no field holds. Each is to be read before the next is asked for. */
  segments(): AsyncIterable<Attachment>;
  /** Milliseconds from the call to the head of the reply, and to its value. */
  readonly timings: { readonly head: number; readonly value: number };
  readonly requestId: string;
  /**
   * Reads what is left behind the last attachment, so that the connection can serve again, then closes.
   * @throws InvokeError where the rest is broken
   */
  finish(): Promise<void>;
  /** Frees what was kept of the reply; gives its connection up where it is not read to its end. */
  close(): void;
}

/** Calls the operations of other systems. */
export interface Client {
  /**
   * Calls a consumer operation, by its id or itself, and waits for the reply's value.
   * @throws SoapFault where the target answers with one; InvokeError
   */
  call(operation: string | ConsumerOperation, input: DocumentValue, options?: CallOptions): Promise<InvokeReply>;
  /** Ends all connections, and what still runs on them. */
  close(): Promise<void>;
}

/** A client for the consumer operations of a registry. Connections are kept for the next call. */
export function createClient(registry: Registry, options: ClientOptions): Client {
  const { env, spool } = options;
  const { namespace, limits } = registry.gateway;
  const timeouts: Timeouts = { ...TIMEOUTS, ...options.timeouts };
  const pools = new Pools(timeouts.connect);
  const compiled = new WeakMap<ConsumerOperation, Callable>();
  const resolved = new WeakMap<ConsumerOperation, readonly Address[]>();

  function callableOf(operation: ConsumerOperation): Callable {
    const known = compiled.get(operation) ?? compileCallable(operation, namespace);
    compiled.set(operation, known);
    return known;
  }

  function addressesOf(operation: ConsumerOperation, called: Called, given: CallOptions): readonly Address[] {
    const { node, credential } = given;
    const { target, properties } = operation;
    if (node !== undefined) return resolveAddresses({ node, credential }, env, called);
    const source = { node: target, primaryUrl: properties.primaryUrl, credential };
    if (credential !== undefined) return resolveAddresses(source, env, called);
    const known = resolved.get(operation) ?? resolveAddresses(source, env, called);
    resolved.set(operation, known);
    return known;
  }

  return {
    async call(given, input, callOptions = {}) {
      const { segments = [], signal, onSent, heads, requestId = randomUUID() } = callOptions;
      const start = performance.now();
      const operation = findOperation(registry, given, requestId);
      const called = { operation: operation.id, requestId };
      const callable = callableOf(operation);
      const outgoing = writeRequest(callable, input, segments, called);
      const addresses = addressesOf(operation, called, callOptions);
      const raw = await exchange(pools, addresses, outgoing, called, { timeouts, signal, onSent, heads });
      const head = performance.now() - start;
      const { value, message } = await readReply(callable, raw, { limits, spool });
      return {
        httpResponseCode: raw.status,
        responseStatus: 0,
        headers: raw.headers,
        value,
        segments: () => message?.segments() ?? none(),
        timings: { head, value: performance.now() - start },
        requestId,
        async finish() {
          try {
            await message?.finish();
          } finally {
            message?.close();
          }
        },
        close: () => message?.close(),
      };
    },
    close: () => pools.close(),
  };
}

async function* none(): AsyncGenerator<never> {}

function findOperation(registry: Registry, given: string | ConsumerOperation, requestId: string): ConsumerOperation {
  const operation = typeof given === 'string' ? registry.consumers.get(given) : given;
  const called = { operation: typeof given === 'string' ? given : given.id, requestId };
  if (operation === undefined) {
    const reason = registry.operations.has(called.operation)
      ? 'it is answered here, and calls no other system'
      : 'there is no such operation to call';
    throw new InvokeError('UNKNOWN_OPERATION', called, reason);
  }
  if (!operation.active) throw new InvokeError('UNKNOWN_OPERATION', called, 'it is not active');
  return operation;
}
