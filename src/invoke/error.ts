import { CodecError } from '../codec/index.ts';
import type { StepTrace } from '../model/invoke-reply.ts';
import { CALL_RETRY } from '../model/retry.ts';
import type { DocumentValue } from '../model/value.ts';
import type { PreparedRequest } from './outgoing.ts';

/** Why a call failed, unless the target answered with a SOAP fault. */
export type InvokeCode =
  /** The operation does not exist or is not active. */
  | 'UNKNOWN_OPERATION'
  /** Configuration is missing, or is not a valid address or credential. */
  | 'CONFIGURATION'
  /** The input does not match the operation. */
  | 'BAD_INPUT'
  /** No address could be reached. */
  | 'CONNECTION'
  /** The target's certificate is not trusted, or the TLS handshake failed. */
  | 'TLS'
  /** A phase of the exchange took too long. */
  | 'TIMEOUT'
  /** The caller's signal ended the call. */
  | 'ABORTED'
  /** The connection was closed before the exchange was complete. */
  | 'CUT'
  /** An error status, without a SOAP fault. */
  | 'HTTP_STATUS'
  /** The reply is malformed or does not match the operation. */
  | 'BAD_REPLY'
  /** The reply exceeds the limits of `gateway.yaml`. */
  | 'REPLY_TOO_LARGE'
  /** Calls to the node are suspended after repeated failures: nothing was sent. */
  | 'CIRCUIT_OPEN'
  /** No token could be fetched for the node's credential. */
  | 'CREDENTIAL'
  /** The target answered with a fault over REST. */
  | 'FAULT';

/** The code of a SOAP fault, with the same name for both SOAP versions; codes of neither version are as the target sends them. */
export type SoapFaultCode = 'Client' | 'Server' | 'MustUnderstand' | 'VersionMismatch' | (string & {});

/** Identifies a call. */
export interface Called {
  /** Id of the operation. */
  readonly operation: string;
  /** Id of the call, sent as X-Request-Id. */
  readonly requestId: string;
  /** Id of what is delivered by the call: see `CallOptions`. */
  readonly messageId?: string | undefined;
  /** Without the query string, which may contain a secret; absent if nothing was sent. */
  readonly address?: string;
}

export interface InvokeErrorOptions {
  readonly httpResponseCode?: number | undefined;
  /** The same call may succeed later. */
  readonly retry?: boolean;
  /** When the same call may be made again: see {@link InvokeError.again}. */
  readonly again?: Date | undefined;
  /** Beginning of the reply, with secrets masked. */
  readonly body?: string | undefined;
  readonly hint?: string | undefined;
  /** Names of configuration that are not set. */
  readonly missing?: readonly string[];
  readonly cause?: unknown;
}

/** A failed call. {@link SoapFault} and {@link ReplyFault} contain the fault with which the target answered. */
export class InvokeError extends Error {
  override readonly name: string = 'InvokeError';
  readonly code: InvokeCode | SoapFaultCode;
  readonly called: Called;
  /** `undefined` if there was no reply. */
  readonly httpResponseCode: number | undefined;
  /** 10 if the same call may succeed later, else 20. A reply has 0. */
  readonly responseStatus: 10 | 20;
  /** Beginning of the reply, with secrets masked. */
  readonly body: string | undefined;
  /** How to fix the cause, if known. */
  readonly hint: string | undefined;
  /** When the target (Retry-After) or the circuit breaker of the node lets a call through again, if it is known. */
  again: Date | undefined;
  /** Names of configuration that are not set. */
  readonly missing: readonly string[];
  /** The request, with secrets masked; `undefined` if none was prepared. */
  sent: PreparedRequest | undefined;
  /** How often the request was sent or an address was tried. */
  attempts: number;
  /** The request was sent to its end, and no status came: the target may have taken it. */
  uncertain: boolean;
  /**
   * The same call may be made again without harm: its method is idempotent (RFC 9110 section 9.2.2), or it had an id that its
   * caller gives to each attempt. Decides whether work that failed by an uncertain call is attempted again.
   */
  repeatable: boolean;

  constructor(code: InvokeCode | SoapFaultCode, called: Called, reason: string, options: InvokeErrorOptions = {}) {
    const { cause } = options;
    super(`${called.operation}: ${reason}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.called = called;
    this.httpResponseCode = options.httpResponseCode;
    this.responseStatus = options.retry === true ? 10 : 20;
    this.body = options.body;
    this.hint = options.hint;
    this.again = options.again;
    this.missing = options.missing ?? [];
    this.sent = undefined;
    this.attempts = 0;
    this.uncertain = false;
    this.repeatable = false;
  }
}

/** A fault of either SOAP version. */
export interface SoapFaultFacts {
  readonly code: SoapFaultCode;
  /** Subcodes, the most general first. */
  readonly subcodes: readonly string[];
  /** The target's message; may be empty. */
  readonly reason: string;
  /** The name of the fault, if it is one of the operation's `faults:`, whose document is `detail`. */
  readonly faultName?: string | undefined;
  /** The fault document, with `***` for secrets; `undefined` if the detail does not match it. */
  readonly detail: DocumentValue | undefined;
  /** XML inside the fault's detail; may be empty. */
  readonly detailXml: string;
}

/** The target answered with a SOAP fault. */
export class SoapFault extends InvokeError implements SoapFaultFacts {
  override readonly name = 'SoapFault';
  declare readonly code: SoapFaultCode;
  readonly subcodes: readonly string[];
  readonly reason: string;
  readonly faultName: string | undefined;
  readonly detail: DocumentValue | undefined;
  readonly detailXml: string;

  constructor(called: Called, content: SoapFaultFacts, options: InvokeErrorOptions = {}) {
    const { code, subcodes, reason, faultName, detail, detailXml } = content;
    super(code, called, reason === '' ? `the target answered with a ${code} fault` : reason, options);
    this.subcodes = subcodes;
    this.reason = reason;
    this.faultName = faultName;
    this.detail = detail;
    this.detailXml = detailXml;
  }
}

/** The target answered with a fault over REST: a status from 400, or a reply that matches the operation's fault document. */
export class ReplyFault extends InvokeError {
  override readonly name = 'ReplyFault';
  /** The operation's fault document, with `***` for secrets; `undefined` if the reply does not match it. */
  readonly fault: DocumentValue | undefined;
  /** The target's message; may be empty. */
  readonly reason: string;
  /** The target's details; may be empty. */
  readonly detail: string;

  constructor(
    called: Called,
    content: { readonly fault: DocumentValue | undefined; readonly reason: string; readonly detail: string },
    options: InvokeErrorOptions = {},
  ) {
    const { fault, reason, detail } = content;
    super('FAULT', called, reason === '' ? 'the target answered with a fault' : reason, options);
    this.fault = fault;
    this.reason = reason;
    this.detail = detail;
  }
}

/**
 * The receiver of webhooks wants no more of them: it answered with 410 Gone, and `credential: { webhook: … }` of its node says
 * that the calls are webhooks. The same call, and any other to this receiver, will fail.
 */
export class WebhookGone extends InvokeError {
  override readonly name = 'WebhookGone';
  /** Id of the node. */
  readonly node: string;

  constructor(called: Called, node: string) {
    super('HTTP_STATUS', called, `the receiver of webhooks at node ${node} wants no more of them (410 Gone)`, {
      httpResponseCode: 410,
      hint: `Stop calling it, or ask the partner for the address that replaces the base of node ${node}.`,
    });
    this.node = node;
  }
}

/** A failed step of a flow; `cause` is the error of the call. */
export class FlowError extends InvokeError {
  override readonly name = 'FlowError';
  /** Id of the flow. */
  readonly flow: string;
  /** The step that failed: its number from 1, the number of steps, and its operation. */
  readonly step: { readonly index: number; readonly of: number; readonly operation: string };
  /** All executions of steps, including repeated ones and the one that failed. */
  readonly steps: readonly StepTrace[];
  declare readonly cause: InvokeError;

  /** @param hint that of the cause by default */
  constructor(
    flow: string,
    step: FlowError['step'],
    cause: InvokeError,
    { steps, hint = cause.hint }: { readonly steps: readonly StepTrace[]; readonly hint?: string | undefined },
  ) {
    const { httpResponseCode, body, missing, responseStatus, called } = cause;
    const place = `step ${step.index} of ${step.of}, ${step.operation}`;
    super(cause.code, { ...called, operation: flow }, `${place}: ${bareMessage(cause)}`, {
      httpResponseCode,
      body,
      hint,
      missing,
      retry: responseStatus === 10,
      cause,
    });
    this.flow = flow;
    this.step = step;
    this.steps = steps;
    this.sent = cause.sent;
    this.attempts = cause.attempts;
    this.uncertain = cause.uncertain;
    this.repeatable = cause.repeatable;
    this.again = cause.again;
  }
}

/** The message of an error without the operation in front. */
export function bareMessage({ message, called }: InvokeError): string {
  return message.replace(`${called.operation}: `, '');
}

/** HTTP statuses after which the same request may succeed later (RFC 9110 section 15, RFC 6585 section 4). */
export function mayRetry(status: number): boolean {
  return CALL_RETRY.on.has(status);
}

/** Converts a call's input. @throws InvokeError BAD_INPUT for an error of a codec */
export function checking<T>(called: Called, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new InvokeError('BAD_INPUT', called, error.message, { cause: error });
  }
}
