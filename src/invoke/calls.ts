import { randomUUID } from 'node:crypto';
import { sizeWords } from '../binding/call/content.ts';
import type { OutgoingMessage } from '../binding/soap/assemble.ts';
import type { Environment } from '../load/value/config.ts';
import type { Spool } from '../model/blob.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { ResolveReference } from '../model/definition.ts';
import type { Gateway } from '../model/gateway.ts';
import type { InvokeReply } from '../model/invoke-reply.ts';
import type { Node } from '../model/node.ts';
import type { Redactor } from '../model/redactor.ts';
import { retryAfter } from '../model/retry.ts';
import type { DocumentValue } from '../model/value.ts';
import { empty } from '../wire/measured.ts';
import { parseMediaType } from '../wire/media-type.ts';
import { SOAP_MEDIA_TYPES, SOAP_VERSIONS } from '../wire/soap/version.ts';
import type { Callable, LaterReply, ReadReply, ReplyPorts, WriteOptions } from './callable.ts';
import { Configuration } from './configuration.ts';
import { type Called, InvokeError } from './error.ts';
import { addressBelow, type Base, calledAddress } from './http/address.ts';
import { findHeader, ownHeaders } from './http/headers.ts';
import { basesAt } from './http/peer.ts';
import type { RawReply } from './http/raw-reply.ts';
import { IDEMPOTENT } from './http/repeating.ts';
import type { Target, Transport } from './http/transport.ts';
import { deadline, type Timeouts } from './limits.ts';
import type { Asked, AskOptions, CallOptions, IncomingReply, PostOptions } from './options.ts';
import type { Outgoing, PreparedRequest } from './outgoing.ts';
import { isSuccess } from './reply.ts';
import { replyTrusts } from './reply-trust.ts';
import { compileRestCall } from './rest/call.ts';
import { compileSoapCall } from './soap/call.ts';
import { PLACEHOLDER, standInAddress, standInFor } from './stand-in.ts';
import { drain, isOneWay, isUnread, replyAtOnce, type Taken, takenUnread, withinTime } from './taken.ts';

/** Calls operations, by themselves or as steps of a flow. */
export interface Calls {
  /** The client's. */
  readonly redactor: Redactor;
  /** Makes a call, and waits for the reply's value. @throws SoapFault, ReplyFault; InvokeError */
  call(operation: ConsumerOperation, input: DocumentValue, options: CallOptions, called: Called): Promise<InvokeReply>;
  /** The request that would be sent. @throws InvokeError CONFIGURATION, BAD_INPUT */
  preview(operation: ConsumerOperation, input: DocumentValue, options: CallOptions, called: Called): PreparedRequest;
  /** Resolves the configuration of all calls. @throws InvokeError CONFIGURATION naming everything that is not set; BAD_INPUT */
  configure(
    calls: readonly { readonly operation: ConsumerOperation; readonly input: DocumentValue }[],
    called: Called,
  ): void;
}

/** Calls of a client, by themselves. */
interface ClientCalls extends Calls {
  /**
   * Makes a call whose reply may come later, to an address that the call carries.
   * @returns the reply, if it has come at once @throws as {@link Calls.call}
   */
  ask(operation: ConsumerOperation, input: DocumentValue, options: AskOptions, called: Called): Promise<Asked>;
  /**
   * Sends a message as it is, to an address below that of the operation's node. Any success means that it was taken.
   * @throws SoapFault; InvokeError
   */
  post(operation: ConsumerOperation, message: OutgoingMessage, options: PostOptions, called: Called): Promise<Asked>;
  /** Whether an address lies below one of a node. @throws InvokeError CONFIGURATION */
  reaches(node: Node, address: string, called: Called): boolean;
  /** The node itself, or its stand-in. */
  reachedNode(node: Node): Node;
  /** Reads a reply that has come later. @throws SoapFault, ReplyFault; InvokeError BAD_REPLY, REPLY_TOO_LARGE, HTTP_STATUS */
  read(operation: ConsumerOperation, reply: IncomingReply, called: Called): Promise<ReadReply>;
}

/** A request with where it is sent. */
interface Written {
  readonly callable: Callable;
  readonly target: Target;
  readonly resolve: ResolveReference;
  readonly outgoing: Outgoing;
}

/** Options of a call that may carry the address for its reply. */
type Sendable = CallOptions & { readonly later?: LaterReply };

/** A call that has ended. */
export interface MadeCall {
  readonly operation: ConsumerOperation;
  readonly called: Called;
  /** The request, with secrets masked. */
  readonly sent: () => PreparedRequest;
  /** Milliseconds. */
  readonly ms: number;
  /** How often the request was sent or an address was tried. */
  readonly attempts: number;
  /** The status of the reply; `undefined` without one. */
  readonly status: number | undefined;
  /** The value of the reply; `undefined` when it comes later, or the call failed. */
  readonly value: DocumentValue | undefined;
  /** Why it failed; `undefined` for success. */
  readonly error: InvokeError | undefined;
  /** What could not be read of the reply to a call that was taken. */
  readonly note?: string | undefined;
}

interface CallPorts {
  readonly gateway: Gateway;
  readonly env: Environment;
  /** The folder that paths of files are relative to. */
  readonly folder: string;
  readonly spool: Spool;
  readonly timeouts: Timeouts;
  readonly transport: Transport;
  readonly redactor: Redactor;
  readonly onCall?: ((call: MadeCall) => void) | undefined;
}

export function createCalls({
  gateway,
  env,
  folder,
  spool,
  timeouts,
  transport,
  redactor,
  onCall,
}: CallPorts): ClientCalls {
  const { namespace, limits } = gateway;
  const configuration = new Configuration(env);
  const placeholders = new Configuration(env, PLACEHOLDER);
  const standIns = new Map<string, Node>();
  const compiled = new WeakMap<ConsumerOperation, Callable>();

  function callableOf(operation: ConsumerOperation): Callable {
    const known = compiled.get(operation) ?? compile(operation, namespace);
    compiled.set(operation, known);
    return known;
  }

  /** The stand-in of a node is the same object for each call: connections are kept by it. */
  function standInOf(node: Node): Node | undefined {
    const address = standInAddress(node, env);
    if (address === undefined) return undefined;
    const key = `${node.id} ${address}`;
    const standIn = standIns.get(key) ?? standInFor(node, address);
    standIns.set(key, standIn);
    return standIn;
  }

  const trustOf = replyTrusts(configuration, folder);

  /** The target of a call, or what stands in for it, with the configuration that it refers to. */
  function reached(target: Target) {
    const { operation, node, credential, to } = target;
    const standIn = standInOf(node);
    if (standIn === undefined) return { target, known: configuration };
    return {
      target: { operation, node: standIn, credential, ...(to === undefined ? {} : { to }) },
      known: placeholders,
    };
  }

  /** Checks a call, and finds the configuration that it needs. */
  function prepare(operation: ConsumerOperation, input: DocumentValue, given: Sendable, called: Called) {
    checkOptions(operation, given, called);
    const callable = callableOf(operation);
    const { target, known } = reached(targetOf(operation, given));
    const { segments = [], uriIndex = 1, later } = given;
    const knowing = later === undefined ? redactor : redactor.knowing({ secrets: () => [later.secret] });
    const { node, primaryUrl } = target;
    const written = keyed(operation, node, called);
    const address: WriteOptions['address'] = () => {
      const texts = primaryUrl === undefined ? node.base : [primaryUrl];
      const [base] = basesAt(node, primaryUrl, known.resolve(texts, called), called);
      return calledAddress(base as Base, called);
    };
    const writing = { called: written, redactor: knowing, segments, uriIndex, later, address };
    const texts = [...transport.references(target), ...callable.references(input, writing)];
    return { callable, target, writing, texts, known };
  }

  function write(operation: ConsumerOperation, input: DocumentValue, given: Sendable, called: Called) {
    const { callable, target, writing, texts, known } = prepare(operation, input, given, called);
    const resolve = known.resolve(texts, called);
    const outgoing = callable.write(input, { ...writing, resolve });
    const { later } = given;
    if (later === undefined) return { callable, target, resolve, outgoing };
    const secrets = () => [...outgoing.secrets.secrets(), later.secret];
    return { callable, target, resolve, outgoing: { ...outgoing, secrets: { ...outgoing.secrets, secrets } } };
  }

  /** A message that is written already, as a request. */
  function posted(
    operation: ConsumerOperation,
    message: OutgoingMessage,
    { to, secrets }: PostOptions,
    called: Called,
  ) {
    const { target, known } = reached({ operation, node: operation.target, to });
    const resolve = known.resolve(transport.references(target), called);
    return { callable: callableOf(operation), target, resolve, outgoing: outgoingOf(message, secrets, called) };
  }

  /** Sends a request, and takes the reply within the limits of time. */
  async function exchange<T>(
    operation: ConsumerOperation,
    written: () => Written,
    given: CallOptions,
    called: Called,
    take: (callable: Callable, raw: RawReply, ports: ReplyPorts, start: number) => Promise<Taken<T>>,
    unread?: (raw: RawReply, note: string, start: number) => Taken<T>,
  ): Promise<T> {
    const start = performance.now();
    const { callable, target, resolve, outgoing } = written();
    const sent = (): PreparedRequest => transport.describe(target, outgoing, { called, resolve });
    const most = given.timeout ?? operation.timeout ?? target.node.timeouts.call ?? timeouts.call;
    const time = deadline(given.signal, most, called);
    let raw: RawReply | undefined;
    try {
      const repliesTo = outgoing.soap?.messageId;
      const ports = { limits, spool, repliesTo, trust: trustOf(target.node, called) };
      const { onSent, heads, messageId } = given;
      const sending = { called, resolve, signal: time.signal, onSent, heads, messageId };
      raw = await transport.send(target, outgoing, sending);
      const limit = target.node.timeouts.reply ?? timeouts.reply;
      const reply = raw;
      const { result, value, note } = await withinTime(reply, limit, (each) =>
        take(callable, each, ports, start),
      ).catch((error: unknown) => {
        if (unread === undefined || !isSuccess(reply.status) || !isUnread(error)) throw error;
        reply.discard();
        return unread(reply, (time.errorOf(error) as Error).message, start);
      });
      const { status, attempts } = raw;
      const ms = performance.now() - start;
      onCall?.({ operation, called, sent, ms, attempts, status, value, error: undefined, note });
      return result;
    } catch (error) {
      const failure = time.errorOf(error);
      if (failure instanceof InvokeError) {
        failure.sent ??= sent();
        failure.repeatable =
          IDEMPOTENT.has(outgoing.method) || called.messageId !== undefined || declaresKey(operation);
        failure.attempts = raw?.attempts ?? failure.attempts;
        const asked = raw === undefined ? undefined : retryAfter(raw.headers['retry-after']);
        if (asked !== undefined) failure.again ??= new Date(Date.now() + asked);
        const { attempts, httpResponseCode: status } = failure;
        const ms = performance.now() - start;
        onCall?.({ operation, called, sent, ms, attempts, status, value: undefined, error: failure });
      }
      throw failure;
    } finally {
      time.clear();
    }
  }

  return {
    redactor,
    call: (operation, input, given, called) =>
      exchange(
        operation,
        () => write(operation, input, given, called),
        given,
        called,
        async (callable, raw, ports, start) => {
          const read = await callable.read(raw, ports);
          const { value, note } = read;
          return { result: replyOf(raw, read, performance.now() - start), value, note };
        },
        given.delivers === true || isOneWay(operation)
          ? (raw, note, start) => {
              const read = { value: {} };
              return { result: { ...replyOf(raw, read, performance.now() - start), note }, value: undefined, note };
            }
          : undefined,
      ),
    ask: (operation, input, given, called) =>
      exchange<Asked>(
        operation,
        () => write(operation, input, given, called),
        given,
        called,
        async (callable, raw, ports) => {
          const { status: httpResponseCode } = raw;
          const reply = await replyAtOnce(raw);
          if (reply === undefined) return { result: { httpResponseCode }, value: undefined };
          const { messageId: repliesTo } = given.later;
          const read = await callable.read(reply, { ...ports, repliesTo });
          return { result: { httpResponseCode, reply: read }, value: read.value, note: read.note };
        },
        takenUnread,
      ),
    post: (operation, message, given, called) =>
      exchange(
        operation,
        () => posted(operation, message, given, called),
        given,
        called,
        async (callable, raw, ports) => {
          if (isSuccess(raw.status)) await drain(raw);
          else await callable.read(raw, ports);
          return { result: { httpResponseCode: raw.status }, value: undefined };
        },
        takenUnread,
      ),
    reachedNode: (node) => standInOf(node) ?? node,
    reaches(node, address, called) {
      const standIn = standInOf(node);
      const known = standIn === undefined ? configuration : placeholders;
      const own = standIn ?? node;
      return addressBelow(basesAt(own, undefined, known.resolve(own.base, called), called), address) !== undefined;
    },
    read(operation, { contentType = '', status, bytes, repliesTo }, called) {
      const raw: RawReply = {
        ...{ called, status, bytes, redactor, whole: undefined, hint: undefined, attempts: 0 },
        headers: { 'content-type': contentType },
        timings: { connected: undefined, sent: 0, head: 0 },
        sent: 'earlier',
        discard() {},
      };
      const trust = trustOf(standInOf(operation.target) ?? operation.target, called);
      return callableOf(operation).read(raw, { limits, spool, repliesTo, trust });
    },
    preview(operation, input, given, called) {
      const { target, outgoing, resolve } = write(operation, input, given, called);
      return transport.describe(target, outgoing, { called, resolve });
    },
    configure(calls, called) {
      const all = calls.map(({ operation, input }) => prepare(operation, input, {}, called));
      const real = all.filter(({ known }) => known === configuration);
      configuration.resolve(
        real.flatMap(({ texts }) => texts),
        called,
      );
    },
  };
}

/**
 * A call that `retry:` repeats whatever its method carries an id that is the same in each attempt: one whose result is uncertain
 * may then be sent again (draft-ietf-httpapi-idempotency-key-header).
 */
function keyed(operation: ConsumerOperation, node: Node, called: Called): Called {
  const { messageId } = called;
  const retry = operation.retry ?? node.retry;
  if (messageId !== undefined || retry === undefined || retry.attempts === 1) return called;
  if (operation.kind === 'rest' && IDEMPOTENT.has(operation.method)) return called;
  return { ...called, messageId: randomUUID() };
}

/** Whether an operation itself sends the id by which its target tells repetitions. */
function declaresKey({ headers }: ConsumerOperation): boolean {
  return headers.some(({ name }) => name.toLowerCase() === 'idempotency-key');
}

function compile(operation: ConsumerOperation, namespace: string): Callable {
  return operation.kind === 'soap' ? compileSoapCall(operation, namespace) : compileRestCall(operation, namespace);
}

/** @throws InvokeError BAD_INPUT for options that do not apply to the kind of operation */
function checkOptions({ kind }: ConsumerOperation, { segments = [], uriIndex }: CallOptions, called: Called): void {
  if (kind === 'rest' && segments.length > 0)
    throw new InvokeError(
      'BAD_INPUT',
      called,
      'segments are for calls over SOAP, and this operation is called over REST',
    );
  if (kind === 'soap' && uriIndex !== undefined)
    throw new InvokeError(
      'BAD_INPUT',
      called,
      'a URI index is for calls over REST, and this operation is called over SOAP',
    );
}

function targetOf(operation: ConsumerOperation, { node, credential }: CallOptions): Target {
  if (node !== undefined) return { operation, node, credential };
  return { operation, node: operation.target, primaryUrl: operation.properties.primaryUrl, credential };
}

/** @param elapsed milliseconds from the start of the call to the value of the reply */
function replyOf(raw: RawReply, { value, body, content, note }: ReadReply, elapsed: number): InvokeReply {
  return {
    httpResponseCode: raw.status,
    responseStatus: 0,
    headers: raw.headers,
    value,
    body,
    segments: () => content?.segments() ?? empty(),
    timings: { ...raw.timings, value: elapsed },
    attempts: raw.attempts,
    requestId: raw.called.requestId,
    ...(note === undefined ? {} : { note }),
    async finish() {
      try {
        await content?.finish();
      } finally {
        content?.close();
      }
    },
    close: () => content?.close(),
  };
}

/** A message that is written already, as the request of a POST. It is kept, so that it can be sent again. */
function outgoingOf(
  { headers, length, text, bytes }: OutgoingMessage,
  secrets: readonly string[],
  called: Called,
): Outgoing {
  const sent = { ...ownHeaders(headers, called), ...headers };
  const type = parseMediaType(sent[findHeader(sent, 'content-type') ?? ''] ?? '')?.essence;
  const version = SOAP_VERSIONS.find((each) => SOAP_MEDIA_TYPES[each] === type);
  return {
    ...{ method: 'POST', uri: undefined, headers: sent, length, text, bytes, again: true, compress: false },
    ...(version === undefined ? {} : { soap: { version } }),
    shown: { uri: undefined, headers: sent, body: sizeWords(length) },
    secrets: { secrets: () => secrets, hide: (shown) => shown },
  };
}
