import type { Environment } from '../load/value/config.ts';
import type { Spool } from '../model/blob.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Gateway } from '../model/gateway.ts';
import type { InvokeReply } from '../model/invoke-reply.ts';
import type { Redactor } from '../model/redactor.ts';
import type { DocumentValue } from '../model/value.ts';
import { empty } from '../wire/measured.ts';
import { LONGEST_TIMER } from '../wire/waiting.ts';
import type { Callable, ReadReply } from './callable.ts';
import { Configuration } from './configuration.ts';
import { type Called, InvokeError } from './error.ts';
import type { RawReply } from './http/raw-reply.ts';
import type { Target, Transport } from './http/transport.ts';
import { deadline, type Timeouts } from './limits.ts';
import type { CallOptions } from './options.ts';
import type { PreparedRequest } from './outgoing.ts';
import { compileRestCall } from './rest/call.ts';
import { compileSoapCall } from './soap/call.ts';
import { PLACEHOLDER, standInAddress, standInFor } from './stand-in.ts';

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

interface CallPorts {
  readonly gateway: Gateway;
  readonly env: Environment;
  readonly spool: Spool;
  readonly timeouts: Timeouts;
  readonly transport: Transport;
  readonly redactor: Redactor;
}

export function createCalls({ gateway, env, spool, timeouts, transport, redactor }: CallPorts): Calls {
  const { namespace, limits } = gateway;
  const configuration = new Configuration(env);
  const placeholders = new Configuration(env, PLACEHOLDER);
  const standIns = new Map<string, Target['node']>();
  const compiled = new WeakMap<ConsumerOperation, Callable>();

  function callableOf(operation: ConsumerOperation): Callable {
    const known = compiled.get(operation) ?? compile(operation, namespace);
    compiled.set(operation, known);
    return known;
  }

  /** The stand-in of a node is the same object for each call: connections are kept by it. */
  function standInOf({ operation, node, credential }: Target): Target | undefined {
    const address = standInAddress(node, env);
    if (address === undefined) return undefined;
    const key = `${node.id} ${address}`;
    const standIn = standIns.get(key) ?? standInFor(node, address);
    standIns.set(key, standIn);
    return { operation, node: standIn, credential };
  }

  /** Checks a call, and finds the configuration that it needs. */
  function prepare(operation: ConsumerOperation, input: DocumentValue, given: CallOptions, called: Called) {
    checkOptions(operation, given, called);
    const callable = callableOf(operation);
    const named = targetOf(operation, given);
    const standIn = standInOf(named);
    const target = standIn ?? named;
    const writing = { called, redactor, segments: given.segments ?? [], uriIndex: given.uriIndex ?? 1 };
    const texts = [...transport.references(target), ...callable.references(input, writing)];
    return { callable, target, writing, texts, known: standIn === undefined ? configuration : placeholders };
  }

  function write(operation: ConsumerOperation, input: DocumentValue, given: CallOptions, called: Called) {
    const { callable, target, writing, texts, known } = prepare(operation, input, given, called);
    const resolve = known.resolve(texts, called);
    return { callable, target, resolve, outgoing: callable.write(input, { ...writing, resolve }) };
  }

  return {
    redactor,
    async call(operation, input, given, called) {
      const start = performance.now();
      const { callable, target, resolve, outgoing } = write(operation, input, given, called);
      const most = given.timeout ?? operation.timeout ?? target.node.timeouts.call ?? timeouts.call;
      const time = deadline(given.signal, most, called);
      let raw: RawReply | undefined;
      try {
        const { onSent, heads, messageId } = given;
        const sending = { called, resolve, signal: time.signal, onSent, heads, messageId };
        raw = await transport.send(target, outgoing, sending);
        const limit = target.node.timeouts.reply ?? timeouts.reply;
        const read = await withinTime(raw, limit, (reply) => callable.read(reply, { limits, spool }));
        return replyOf(raw, read, performance.now() - start);
      } catch (error) {
        const failure = time.errorOf(error);
        if (failure instanceof InvokeError) {
          failure.sent ??= transport.describe(target, outgoing, { called, resolve });
          failure.attempts = raw?.attempts ?? failure.attempts;
        }
        throw failure;
      } finally {
        time.clear();
      }
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
 * Reads a reply within a time limit: a target that sends a byte now and then is never idle.
 * @param most in milliseconds
 * @throws InvokeError TIMEOUT; what `read` throws
 */
async function withinTime<T>(raw: RawReply, most: number, read: (raw: RawReply) => Promise<T>): Promise<T> {
  if (raw.whole !== undefined) return read(raw);
  let late: InvokeError | undefined;
  const end = (): void => {
    const reason = `the reply was not complete within ${most / 1000} s`;
    late = new InvokeError('TIMEOUT', raw.called, reason, { httpResponseCode: raw.status, retry: true });
    raw.discard();
  };
  const timer = setTimeout(end, Math.min(most, LONGEST_TIMER));
  try {
    return await read(raw);
  } catch (error) {
    throw late ?? error;
  } finally {
    clearTimeout(timer);
  }
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
function replyOf(raw: RawReply, { value, body, content }: ReadReply, elapsed: number): InvokeReply {
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
