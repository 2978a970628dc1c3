import { randomUUID } from 'node:crypto';
import type { Environment } from '../load/read/config.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Flow } from '../model/flow.ts';
import type { FlowReply, InvokeReply } from '../model/invoke-reply.ts';
import type { Node } from '../model/node.ts';
import type { Registry } from '../model/registry.ts';
import type { Spool } from '../model/spool.ts';
import type { DocumentValue } from '../model/value.ts';
import { type Callable, compileCallable } from './callable.ts';
import { Configuration } from './configuration.ts';
import type { Credential } from './credential/credential.ts';
import { deadline } from './deadline.ts';
import { type Called, InvokeError } from './error.ts';
import { findFlow, findOperation } from './find.ts';
import { createFlows } from './flow/flow.ts';
import type { RawReply } from './http/exchange.ts';
import type { Heads } from './http/trace.ts';
import { createTransport, type PreparedRequest, type Target } from './http/transport.ts';
import { TIMEOUTS, type Timeouts } from './limits.ts';
import { replyOf } from './reply.ts';
import type { Segment } from './soap/request.ts';

export interface ClientOptions {
  /** What nodes, `values:`, headers and `PRIMARYURL` refer to. */
  readonly env: Environment;
  /** Keeps attachments of replies that come before they are wanted. */
  readonly spool: Spool;
  /** Those that are left out are as in {@link TIMEOUTS}; what a node says stands above them. */
  readonly timeouts?: Partial<Timeouts>;
  /** The project's, which paths of certificates are relative to; the current one where it is left out. */
  readonly folder?: string;
}

export interface CallOptions {
  /** Over SOAP: content beside the input, numbered from 1 in the markers of its XML (`<Include SegmentNumber="1"/>`). */
  readonly segments?: readonly Segment[];
  /** Over REST: which of the operation's URI templates, from 1; the first where it is left out. */
  readonly uriIndex?: number;
  /** Ends the call, and afterwards the reading of its reply. */
  readonly signal?: AbortSignal;
  /**
   * Called with the bytes of the request that are sent, and those it has, where that is known; before compression. Where
   * the request is sent once more, it begins anew.
   */
  readonly onSent?: (sent: number, total: number | undefined) => void;
  /** Takes the place of the operation's target, PRIMARYURL included. */
  readonly node?: Node;
  /** Takes the place of the node's own. */
  readonly credential?: Credential;
  /** Sent as X-Request-Id: a word of at most 128 characters; a new one where it is left out. */
  readonly requestId?: string;
  /** In milliseconds, the whole of the call; what the operation or its node says where it is left out. */
  readonly timeout?: number;
  /** Is shown the heads of the exchange. */
  readonly heads?: Heads;
}

/** What a flow's run takes beside its input. */
export interface FlowOptions extends Omit<CallOptions, 'segments' | 'uriIndex' | 'node' | 'credential'> {
  /** Told of each step as it begins, and of one that is run anew. */
  readonly onStep?: (step: { readonly index: number; readonly operation: ConsumerOperation }) => void;
}

/** Calls the operations of other systems. */
export interface Client {
  /**
   * Calls a consumer operation, by its id or itself, and waits for the reply's value.
   * @throws SoapFault, ReplyFault where the target answers with one; InvokeError
   */
  call(operation: string | ConsumerOperation, input: DocumentValue, options?: CallOptions): Promise<InvokeReply>;
  /**
   * Runs a flow, by its id (`N_DOCLIB.upload`, `N_DOCLIB.v1.upload`) or itself, and waits for the value of its last reply.
   * What earlier steps keep, as a token, is used again by later runs of this client as long as it holds.
   * @throws FlowError naming the step; InvokeError before anything is sent
   */
  flow(flow: string | Flow, input: DocumentValue, options?: FlowOptions): Promise<FlowReply>;
  /**
   * The request that {@link Client.call} would send. Nothing is sent.
   * @throws InvokeError UNKNOWN_OPERATION, CONFIGURATION, BAD_INPUT
   */
  preview(operation: string | ConsumerOperation, input: DocumentValue, options?: CallOptions): PreparedRequest;
  /** The requests that {@link Client.flow} would send, in order; what steps keep stands as `<NAME>` in later ones. */
  previewFlow(flow: string | Flow, input: DocumentValue): PreparedRequest[];
  /** Ends all connections, and what still runs on them. */
  close(): Promise<void>;
}

/** A client for the consumer operations of a registry. Connections are kept for the next call. */
export function createClient(registry: Registry, options: ClientOptions): Client {
  const { env, spool } = options;
  const { namespace, limits } = registry.gateway;
  const timeouts: Timeouts = { ...TIMEOUTS, ...options.timeouts };
  const transport = createTransport({ timeouts, env, folder: options.folder ?? process.cwd() });
  const configuration = new Configuration(env);
  const compiled = new WeakMap<ConsumerOperation, Callable>();

  function callableOf(operation: ConsumerOperation): Callable {
    const known = compiled.get(operation) ?? compileCallable(operation, namespace);
    compiled.set(operation, known);
    return known;
  }

  /** Everything that can be said of a call before it is sent. */
  function prepare(operation: ConsumerOperation, input: DocumentValue, given: CallOptions, called: Called) {
    checkOptions(operation, given, called);
    const callable = callableOf(operation);
    const target = targetOf(operation, given);
    const writing = { called, segments: given.segments ?? [], uriIndex: given.uriIndex ?? 1 };
    const texts = [...transport.references(target), ...callable.references(input, writing)];
    return { callable, target, writing, texts };
  }

  function write(operation: ConsumerOperation, input: DocumentValue, given: CallOptions, called: Called) {
    const { callable, target, writing, texts } = prepare(operation, input, given, called);
    const resolve = configuration.resolve(texts, called);
    return { callable, target, resolve, outgoing: callable.write(input, { ...writing, resolve }) };
  }

  function previewOf(operation: ConsumerOperation, input: DocumentValue, given: CallOptions, called: Called) {
    const { target, outgoing, resolve } = write(operation, input, given, called);
    return transport.describe(target, outgoing, { called, resolve });
  }

  async function callOf(operation: ConsumerOperation, input: DocumentValue, given: CallOptions, called: Called) {
    const start = performance.now();
    const { callable, target, resolve, outgoing } = write(operation, input, given, called);
    const most = given.timeout ?? operation.timeout ?? target.node.timeouts.call ?? timeouts.call;
    const time = deadline(given.signal, most, called);
    let raw: RawReply | undefined;
    try {
      const { onSent, heads } = given;
      raw = await transport.send(target, outgoing, { called, resolve, signal: time.signal, onSent, heads });
      const { value, body, content } = await callable.read(raw, { limits, spool });
      return replyOf({ raw, value, body, content, called, elapsed: performance.now() - start });
    } catch (error) {
      const told = time.told(error);
      if (told instanceof InvokeError) {
        told.sent ??= transport.describe(target, outgoing, { called, resolve });
        told.attempts = raw?.attempts ?? told.attempts;
      }
      throw told;
    } finally {
      time.clear();
    }
  }

  const flows = createFlows({
    call: callOf,
    preview: previewOf,
    configure(calls, called) {
      const texts = calls.flatMap(({ operation, input }) => prepare(operation, input, {}, called).texts);
      configuration.resolve(texts, called);
    },
  });

  return {
    call: async (given, input, callOptions = {}) => {
      const requestId = callOptions.requestId ?? randomUUID();
      const operation = findOperation(registry, given, requestId);
      return callOf(operation, input, callOptions, { operation: operation.id, requestId });
    },
    async flow(given, input, flowOptions = {}) {
      const requestId = flowOptions.requestId ?? randomUUID();
      return flows.run(findFlow(registry, given, requestId), input, { ...flowOptions, requestId });
    },
    preview(given, input, callOptions = {}) {
      const requestId = callOptions.requestId ?? randomUUID();
      const operation = findOperation(registry, given, requestId);
      return previewOf(operation, input, callOptions, { operation: operation.id, requestId });
    },
    previewFlow(given, input) {
      const requestId = randomUUID();
      return flows.preview(findFlow(registry, given, requestId), input, { requestId });
    },
    close: () => transport.close(),
  };
}

/** @throws InvokeError BAD_INPUT for what has no place in a request of that kind */
function checkOptions({ kind }: ConsumerOperation, { segments = [], uriIndex }: CallOptions, called: Called): void {
  if (kind === 'rest' && segments.length > 0)
    throw new InvokeError('BAD_INPUT', called, 'segments go with a message over SOAP, and it is called over REST');
  if (kind === 'soap' && uriIndex !== undefined)
    throw new InvokeError('BAD_INPUT', called, 'a URI index is for a call over REST, and it is called over SOAP');
}

function targetOf(operation: ConsumerOperation, { node, credential }: CallOptions): Target {
  if (node !== undefined) return { operation, node, credential };
  return { operation, node: operation.target, primaryUrl: operation.properties.primaryUrl, credential };
}
