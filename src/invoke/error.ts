import type { DocumentValue } from '../model/value.ts';

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
  /** A reply that is no SOAP message, or does not fit the operation. */
  | 'BAD_REPLY'
  /** A reply beyond the limits of `gateway.yaml`. */
  | 'REPLY_TOO_LARGE';

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
  /** Beginning of a reply that is no SOAP message. */
  readonly body?: string | undefined;
  readonly hint?: string | undefined;
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

  constructor(code: InvokeCode | SoapFaultCode, called: Called, reason: string, options: InvokeErrorOptions = {}) {
    const { cause } = options;
    super(`${called.operation}: ${reason}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.called = called;
    this.httpResponseCode = options.httpResponseCode;
    this.responseStatus = options.retry === true ? 10 : 20;
    this.body = options.body;
    this.hint = options.hint;
  }
}

/** A fault in the terms of both SOAP versions. */
export interface SoapFaultFacts {
  readonly code: SoapFaultCode;
  /** What stands below the code, the most general first. */
  readonly subcodes: readonly string[];
  /** In the target's words; may be empty. */
  readonly reason: string;
  /** The operation's fault document; undefined where the detail holds something else, or nothing. */
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

/** HTTP statuses after which the same request may succeed later (RFC 9110 section 15, RFC 6585 section 4). */
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function mayRetry(status: number): boolean {
  return RETRY_STATUSES.has(status);
}
