import { randomUUID } from 'node:crypto';
import type { OutgoingMessage } from '../binding/soap/assemble.ts';
import { createRedactor } from '../codec/redact/redactor.ts';
import { type Environment, secretsOf } from '../load/value/config.ts';
import type { Spool } from '../model/blob.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Flow } from '../model/flow.ts';
import type { FlowReply, InvokeReply } from '../model/invoke-reply.ts';
import type { CallObserver } from '../model/metrics.ts';
import type { Node } from '../model/node.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { DocumentValue } from '../model/value.ts';
import { continueTrace, currentTrace, inTrace } from '../trace/trace.ts';
import { type Clock, SYSTEM_CLOCK } from '../wire/waiting.ts';
import type { ReadReply } from './callable.ts';
import { createCalls, type MadeCall } from './calls.ts';
import { findFlow, findOperation } from './find.ts';
import { createFlows } from './flow/flow.ts';
import { createTransport, type NodeState } from './http/transport.ts';
import { TIMEOUTS, type Timeouts } from './limits.ts';
import type { Asked, AskOptions, CallOptions, FlowOptions, IncomingReply, PostOptions } from './options.ts';
import type { PreparedRequest } from './outgoing.ts';

export interface ClientOptions {
  /** The environment that nodes, `values:`, headers and `PRIMARYURL` refer to. */
  readonly env: Environment;
  /** Stores attachments of replies that arrive before they are read. */
  readonly spool: Spool;
  /** Defaults are {@link TIMEOUTS}; those of a node take precedence. */
  readonly timeouts?: Partial<Timeouts>;
  /** The project's folder, which paths of certificates are relative to; the current one by default. */
  readonly folder?: string;
  /** Learns the tokens that are fetched; one that knows the secrets of `env` where it is left out. */
  readonly redactor?: Redactor;
  /** Counts the calls. */
  readonly observer?: CallObserver;
  /** Called with each call that has ended. */
  readonly onCall?: (call: MadeCall) => void;
  /** Decides when tokens, and values that flows keep, have expired. */
  readonly clock?: Clock;
}

/** Calls the operations of other systems. */
export interface Client {
  /**
   * Calls an operation of another system and waits for the value of the reply.
   * @param operation its id, or the operation itself
   * @throws SoapFault, ReplyFault when the target answers with a fault; InvokeError
   */
  call(operation: string | ConsumerOperation, input: DocumentValue, options?: CallOptions): Promise<InvokeReply>;
  /**
   * Calls an operation whose reply may come later, to an address that the call carries.
   * @throws as {@link Client.call}
   */
  ask(operation: ConsumerOperation, input: DocumentValue, options: AskOptions): Promise<Asked>;
  /**
   * Sends a message as it is, to an address below that of the operation's node. Any success means that it was taken.
   * @throws SoapFault when the target answers with a fault; InvokeError
   */
  post(operation: ConsumerOperation, message: OutgoingMessage, options: PostOptions): Promise<Asked>;
  /** Whether an address lies below one of a node. @throws InvokeError CONFIGURATION */
  reaches(node: Node, address: string, requestId: string): Promise<boolean>;
  /**
   * Reads a reply that has come later.
   * @throws SoapFault, ReplyFault for a fault; InvokeError BAD_REPLY, REPLY_TOO_LARGE; HTTP_STATUS for a fault of another form
   */
  readLater(operation: ConsumerOperation, reply: IncomingReply, requestId: string): Promise<ReadReply>;
  /**
   * Runs a flow and waits for the value of its last reply. Values that steps keep, such as a token, are reused by later runs
   * of this client until they expire.
   * @param flow its id (`N_DOCLIB.upload`, `N_DOCLIB.v1.upload`), or the flow itself
   * @throws FlowError naming the step; InvokeError before anything is sent
   */
  flow(flow: string | Flow, input: DocumentValue, options?: FlowOptions): Promise<FlowReply>;
  /**
   * The request that {@link Client.call} would send. Nothing is sent.
   * @throws InvokeError UNKNOWN_OPERATION, CONFIGURATION, BAD_INPUT
   */
  preview(operation: string | ConsumerOperation, input: DocumentValue, options?: CallOptions): PreparedRequest;
  /** The requests that {@link Client.flow} would send, in order. Later ones have `<NAME>` in place of values that steps keep. */
  previewFlow(flow: string | Flow, input: DocumentValue): PreparedRequest[];
  /** What is known of a node that was called; `undefined` for others. Opens nothing. */
  state(node: Node): NodeState | undefined;
  /** Closes the circuit of a node in this client. @returns whether it was not closed */
  closeCircuit(node: Node): boolean;
  /** Ends all connections and the calls on them. */
  close(): Promise<void>;
}

/** Creates a client for the operations of other systems in a registry. Connections are kept for the next call. */
export function createClient(
  registry: Registry,
  { env, spool, folder = process.cwd(), redactor = createRedactor(() => secretsOf(env)), ...options }: ClientOptions,
): Client {
  const timeouts: Timeouts = { ...TIMEOUTS, ...options.timeouts };
  const { clock = SYSTEM_CLOCK } = options;
  const transport = createTransport({
    ...{ timeouts, env, folder, redactor, clock },
    signedBody: registry.gateway.limits.body,
    observer: options.observer,
  });
  const { onCall } = options;
  const calls = createCalls({ gateway: registry.gateway, env, folder, spool, timeouts, transport, redactor, onCall });
  const flows = createFlows(calls, clock.elapsed);
  const find = (given: string | ConsumerOperation, { requestId = randomUUID(), messageId }: CallOptions) => {
    const operation = findOperation(registry, given, requestId);
    return { operation, called: { operation: operation.id, requestId, messageId } };
  };
  return {
    async call(given, input, callOptions = {}) {
      const { operation, called } = find(given, callOptions);
      return traced(called.requestId, () => calls.call(operation, input, callOptions, called));
    },
    async ask(given, input, askOptions) {
      const { operation, called } = find(given, askOptions);
      return traced(called.requestId, () => calls.ask(operation, input, askOptions, called));
    },
    async post(given, message, postOptions) {
      const { operation, called } = find(given, postOptions);
      return traced(called.requestId, () => calls.post(operation, message, postOptions, called));
    },
    reaches: async (node, address, requestId) => calls.reaches(node, address, { operation: node.id, requestId }),
    readLater: (operation, reply, requestId) => calls.read(operation, reply, { operation: operation.id, requestId }),
    async flow(given, input, flowOptions = {}) {
      const { requestId = randomUUID() } = flowOptions;
      return traced(requestId, () =>
        flows.run(findFlow(registry, given, requestId), input, { ...flowOptions, requestId }),
      );
    },
    preview(given, input, callOptions = {}) {
      const { operation, called } = find(given, callOptions);
      return calls.preview(operation, input, callOptions, called);
    },
    previewFlow(given, input) {
      const requestId = randomUUID();
      return flows.preview(findFlow(registry, given, requestId), input, { requestId });
    },
    state: (node) => transport.state(calls.reachedNode(node)),
    closeCircuit: (node) => transport.closeCircuit(calls.reachedNode(node)),
    close: () => transport.close(),
  };
}

/** A call belongs to the trace of the work that makes it. Outside of any, all its requests are one trace. */
function traced<T>(requestId: string, call: () => Promise<T>): Promise<T> {
  return currentTrace() === undefined ? inTrace(continueTrace({ requestId }), call) : call();
}
