import { type Called, InvokeError } from './error.ts';
import { REPLY_HEAD, type Timeouts } from './limits.ts';

/** How far an exchange had come. */
export type Phase = 'connect' | 'request' | 'reply';

export interface TransportFacts {
  readonly called: Called;
  readonly phase: Phase;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;
  readonly httpResponseCode?: number | undefined;
}

/** What became of a connection, as the error of the call; one of the caller's own stream stays as it is. */
export function transportError(error: unknown, facts: TransportFacts): unknown {
  const { called, phase, timeouts, signal, httpResponseCode } = facts;
  if (error instanceof InvokeError) return error;
  if (signal?.aborted === true)
    return new InvokeError('ABORTED', called, 'the call was ended before there was a reply', { cause: signal.reason });
  const code = codeOf(error);
  const limit = TIMEOUT_OF[code];
  if (limit !== undefined) {
    const seconds = timeouts[limit] / 1000;
    const reason = `${TIMEOUT_WORDS[limit]} within ${seconds} s`;
    return new InvokeError('TIMEOUT', called, reason, { retry: true, httpResponseCode, cause: error });
  }
  if (phase === 'connect') return connectError(error, code, called);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new InvokeError('REPLY_TOO_LARGE', called, `the head of the reply is larger than ${REPLY_HEAD} bytes`, {
      cause: error,
    });
  if (error instanceof Error && error.name === 'HTTPParserError')
    return new InvokeError('BAD_REPLY', called, 'the reply is no HTTP', { cause: error });
  const cut = CUT_WORDS[code];
  if (cut === undefined) return error;
  const reason = phase === 'request' ? `${cut} before there was a reply` : `${cut} before the reply was whole`;
  return new InvokeError('CUT', called, reason, { retry: true, httpResponseCode, cause: error });
}

/** Codes of TLS (OpenSSL, and Node's names of its verification results). */
const TLS = /^ERR_TLS|^ERR_SSL|^EPROTO$|CERT|SIGNATURE|^CRL_|ISSUER|^HOSTNAME_MISMATCH$/;

/** Whether a connection could not be made because the target can't be trusted, rather than reached. */
export function isTlsError(error: unknown): boolean {
  return TLS.test(codeOf(error));
}

function connectError(error: unknown, code: string, called: Called): InvokeError {
  const words = wordsOf(error);
  if (isTlsError(error)) {
    const hint = 'NODE_EXTRA_CA_CERTS names a file with certificates to trust beside the usual ones.';
    return new InvokeError('TLS', called, `the target is not to be trusted: ${words}`, { hint, cause: error });
  }
  const reason = REFUSED_WORDS[code] ?? `there is no connection: ${words}`;
  return new InvokeError('CONNECTION', called, reason, { retry: true, cause: error });
}

const TIMEOUT_OF: Readonly<Record<string, keyof Timeouts>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'head',
  UND_ERR_BODY_TIMEOUT: 'idle',
};

const TIMEOUT_WORDS: Readonly<Record<keyof Timeouts, string>> = {
  connect: 'there was no connection',
  head: 'the target did not answer',
  idle: 'nothing more of the reply came',
};

const REFUSED_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'the name of its host is not known',
  EAI_AGAIN: 'the name of its host could not be resolved',
  EHOSTUNREACH: 'its host can not be reached',
  ENETUNREACH: 'its network can not be reached',
};

const ENDED = 'the target ended the connection';

const CUT_WORDS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: ENDED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ENDED,
  UND_ERR_ABORTED: ENDED,
  UND_ERR_INFO: ENDED,
  ECONNRESET: ENDED,
  EPIPE: ENDED,
  ETIMEDOUT: 'the connection went dead',
};

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function wordsOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : codeOf(error);
}
