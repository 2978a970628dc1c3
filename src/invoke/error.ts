import { CodecError } from '../codec/index.ts';
import type { StepTrace } from '../model/invoke-reply.ts';
import { RETRY_DEFAULTS } from '../model/node.ts';
import type { DocumentValue } from '../model/value.ts';
import type { PreparedRequest } from './outgoing.ts';

/** Why a call came to nothing, where it is not the target that says so. */
export type InvokeCode =
  /** There is no such operation to call, or it is not active. */
  | 'UNKNOWN_OPERATION'
  /** Configuration is missing, or what it says is no address or no credential. */
  | 'CONFIGURATION'
  /** The input does not fit the operation. */
  | 'BAD_INPUT'
  /** No address could be reached. */
  | 'CONNECTION'
  /** The target's certificate is not one to trust, or TLS could not be agreed on. */
  | 'TLS'
  /** A phase of the exchange took too long. */
  | 'TIMEOUT'
  /** The caller's signal ended it. */
  | 'ABORTED'
  /** The connection ended before the exchange was whole. */
  | 'CUT'
  /** A status that is no success, without a SOAP fault. */
  | 'HTTP_STATUS'
  /** A reply that can't be read, or does not fit the operation. */
  | 'BAD_REPLY'
  /** A reply beyond the limits of `gateway.yaml`. */
  | 'REPLY_TOO_LARGE'
  /** Calls to the node came to nothing so often that it is left alone for a while: nothing was sent. */
  | 'CIRCUIT_OPEN'
  /** No token could be had for the node's credential. */
  | 'CREDENTIAL'
  /** The target answered with a fault over REST. */
  | 'FAULT';

/** What a fault's code says in both SOAP versions; one that stands in neither is as the target spells it. */
export type SoapFaultCode = 'Client' | 'Server' | 'MustUnderstand' | 'VersionMismatch' | (string & {});

/** What was called. */
export interface Called {
  readonly operation: string;
  /** Of the exchange, as it was sent in X-Request-Id. */
  readonly requestId: string;
  /** Without its query string, which may hold a secret; undefined where nothing was sent yet. */
  readonly address?: string;
}

export interface InvokeErrorOptions {
  readonly httpResponseCode?: number | undefined;
  /** The same call may succeed later. */
  readonly retry?: boolean;
  /** Beginning of a reply that could not be used, without what is secret. */
  readonly body?: string | undefined;
  readonly hint?: string | undefined;
  /** Names of configuration that are not set. */
  readonly missing?: readonly string[];
  readonly cause?: unknown;
}

/** A call that did not succeed; a {@link SoapFault} where the target itself says why. */
export class InvokeError extends Error {
  override readonly name: string = 'InvokeError';
  readonly code: InvokeCode | SoapFaultCode;
  readonly called: Called;
  /** Undefined where no reply came. */
  readonly httpResponseCode: number | undefined;
  /** 10 where the same call may succeed later, else 20; a reply has 0. */
  readonly responseStatus: 10 | 20;
  readonly body: string | undefined;
  /** How to mend it, where that is known. */
  readonly hint: string | undefined;
  /** Names of configuration that are not set; empty where that is not the matter. */
  readonly missing: readonly string[];
  /** The request, what is secret in it masked; undefined where none was made. */
  sent: PreparedRequest | undefined;
  /** Times that it was sent, or an address was tried; 0 where nothing was sent. */
  attempts: number;

  constructor(code: InvokeCode | SoapFaultCode, called: Called, reason: string, options: InvokeErrorOptions = {}) {
    const { cause } = options;
    super(`${called.operation}: ${reason}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.called = called;
    this.httpResponseCode = options.httpResponseCode;
    this.responseStatus = options.retry === true ? 10 : 20;
    this.body = options.body;
    this.hint = options.hint;
    this.missing = options.missing ?? [];
    this.sent = undefined;
    this.attempts = 0;
  }
}

/** A fault in the terms of both SOAP versions. */
export interface SoapFaultFacts {
  readonly code: SoapFaultCode;
  /** What stands below the code, the most general first. */
  readonly subcodes: readonly string[];
  /** In the target's words; may be empty. */
  readonly reason: string;
  /**
   * The operation's fault document, what is secret in it being `***`; undefined where the detail holds something else, or
   * nothing.
   */
  readonly detail: DocumentValue | undefined;
  /** XML inside the fault's detail; empty where it has none. */
  readonly detailXml: string;
}

/** The target answered with a SOAP fault. */
export class SoapFault extends InvokeError implements SoapFaultFacts {
  override readonly name = 'SoapFault';
  declare readonly code: SoapFaultCode;
  readonly subcodes: readonly string[];
  readonly reason: string;
  readonly detail: DocumentValue | undefined;
  readonly detailXml: string;

  constructor(called: Called, content: SoapFaultFacts, options: InvokeErrorOptions = {}) {
    const { code, subcodes, reason, detail, detailXml } = content;
    super(code, called, reason === '' ? `the target answered with a ${code} fault` : reason, options);
    this.subcodes = subcodes;
    this.reason = reason;
    this.detail = detail;
    this.detailXml = detailXml;
  }
}

/** The target answered with a fault over REST: a status from 400, or a reply that the operation's fault document fits. */
export class ReplyFault extends InvokeError {
  override readonly name = 'ReplyFault';
  /** The operation's fault document, what is secret in it being `***`; undefined where the reply holds something else. */
  readonly fault: DocumentValue | undefined;
  /** In the target's words; may be empty. */
  readonly reason: string;
  /** More of them; may be empty. */
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

/** A flow that did not come to its end: what a step of it says. */
export class FlowError extends InvokeError {
  override readonly name = 'FlowError';
  /** Id of the flow. */
  readonly flow: string;
  /** The step that failed, from 1, and the flow's number of steps. */
  readonly step: { readonly index: number; readonly of: number; readonly operation: string };
  /** What became of the steps until then, those that were made once more and the one that failed with them. */
  readonly steps: readonly StepTrace[];
  declare readonly cause: InvokeError;

  /** @param hint the cause's own where it is left out */
  constructor(
    flow: string,
    step: FlowError['step'],
    cause: InvokeError,
    { steps, hint = cause.hint }: { readonly steps: readonly StepTrace[]; readonly hint?: string | undefined },
  ) {
    const { httpResponseCode, body, missing, responseStatus, called } = cause;
    const place = `step ${step.index} of ${step.of}, ${step.operation}`;
    super(cause.code, { ...called, operation: flow }, `${place}: ${wordsOf(cause)}`, {
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
  }
}

/** What an error says, without the operation that it begins with. */
export function wordsOf({ message, called }: InvokeError): string {
  return message.replace(`${called.operation}: `, '');
}

/** HTTP statuses after which the same request may succeed later (RFC 9110 section 15, RFC 6585 section 4). */
export function mayRetry(status: number): boolean {
  return RETRY_DEFAULTS.on.has(status);
}

/** Makes something of a call's input. @throws InvokeError BAD_INPUT, where a codec complains about it */
export function checking<T>(called: Called, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new InvokeError('BAD_INPUT', called, error.message, { cause: error });
  }
}
