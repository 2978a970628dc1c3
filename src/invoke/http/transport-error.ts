import { duration } from '../../wire/duration.ts';
import { codeOf } from '../../wire/error.ts';
import { type Called, InvokeError } from '../error.ts';
import { abortError, REPLY_HEAD, type Timeouts } from '../limits.ts';
import { InvalidHead, LargeHead } from './connection/reply-head.ts';

/** How far an exchange got. */
export type Phase = 'connect' | 'request' | 'reply';

export interface TransportFacts {
  readonly called: Called;
  /** Id of the node. */
  readonly node: string;
  readonly phase: Phase;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;

  readonly proxied?: boolean;
  readonly httpResponseCode?: number | undefined;
}

/** An error of a connection as the error of the call. Errors of the caller's own stream are returned unchanged. */
export function transportError(error: unknown, facts: TransportFacts): unknown {
  const { called, phase, timeouts, signal, httpResponseCode } = facts;
  if (error instanceof InvokeError && error !== signal?.reason) return error;
  if (signal?.aborted === true) return abortError(signal.reason, called);
  const code = codeOf(error);
  const limit = TIMEOUT_OF[code];
  if (limit !== undefined) {
    const reason = `${TIMEOUT_WORDS[limit]} within ${duration(timeouts[limit])}`;
    return new InvokeError('TIMEOUT', called, reason, { retry: true, httpResponseCode, cause: error });
  }
  if (isTlsError(error)) return tlsError(error, facts);
  if (isOddStatus(error, code))
    return new InvokeError(
      'BAD_REPLY',
      called,
      'the reply has the status 101, which was not requested, or one below 100',
      {
        cause: error,
      },
    );
  if (phase === 'connect' || PROXY_STATUS.test(wordsOf(error))) return connectError(error, code, facts);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new InvokeError(
      'REPLY_TOO_LARGE',
      called,
      `the head of the reply is larger than ${REPLY_HEAD} bytes (a fixed limit)`,
      {
        cause: error,
      },
    );
  if (error instanceof LargeHead) return new InvokeError('REPLY_TOO_LARGE', called, error.message, { cause: error });
  const invalid = invalidHttp(error, code);
  if (invalid !== undefined)
    return new InvokeError('BAD_REPLY', called, `the reply is not valid HTTP: ${invalid}`, {
      httpResponseCode,
      cause: error,
    });
  if (code === 'UND_ERR_INVALID_ARG')
    return new InvokeError('BAD_INPUT', called, `the request can't be sent: ${wordsOf(error)}`, { cause: error });
  const cut = CUT_WORDS[code];
  if (cut === undefined) return error;
  const reason = phase === 'request' ? `${cut} before it replied` : `${cut} before the reply was complete`;
  return new InvokeError('CUT', called, reason, { retry: true, httpResponseCode, cause: error });
}

/** An interim status as the final one (RFC 9110 section 15): undici fails an assertion. */
function isOddStatus(error: unknown, code: string): boolean {
  const words = wordsOf(error);
  return code === 'ERR_ASSERTION' ? /statusCode|upgrade/.test(words) : words === 'bad upgrade';
}

/** Why a reply is not HTTP, in the words of who reads it; `undefined` for another error. */
function invalidHttp(error: unknown, code: string): string | undefined {
  if (error instanceof InvalidHead) return error.message;
  if (!(error instanceof Error) || error.name !== 'HTTPParserError' || CUT_WORDS[code] !== undefined) return undefined;
  const [, reason] = /\((.*)\)$/.exec(error.message) ?? [];
  return reason === undefined || reason === '' ? code : reason.charAt(0).toLowerCase() + reason.slice(1);
}

/** Codes of TLS errors: OpenSSL's, Node's names of verification results, and undici's for the TLS of a proxy. */
const TLS =
  /^ERR_TLS|^ERR_SSL|^EPROTO$|CERT|SIGNATURE|^CRL_|ISSUER|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$|^UND_ERR_PRX_TLS$/;

/** Whether a connection failed because one side does not trust the other. */
export function isTlsError(error: unknown): boolean {
  return TLS.test(codeOf(error));
}

/** An alert is sent by the target (RFC 8446 section 6.2). */
const ALERT = /ALERT/;

function tlsError(error: unknown, { called, node }: TransportFacts): InvokeError {
  const code = codeOf(error);
  if (ALERT.test(code)) {
    const hint = `If the target requires a client certificate, name it in certificate: of node ${node}.`;
    return new InvokeError('TLS', called, `the target refuses the connection: ${wordsOf(error)}`, {
      hint,
      cause: error,
    });
  }
  const hint = `Name a file with the certificates to trust in ca-file: of node ${node}, or in NODE_EXTRA_CA_CERTS, which adds to the usual ones for all nodes.`;
  const who = code === 'UND_ERR_PRX_TLS' ? 'the proxy' : 'the target';
  return new InvokeError('TLS', called, `${who} is not trusted: ${wordsOf(error)}`, { hint, cause: error });
}

/** undici's words for a proxy that refuses a tunnel or requires authentication. */
const PROXY_STATUS = /^Proxy (?:response|Authentication Required) \((\d+)\)/;

function connectError(error: unknown, code: string, { called, proxied }: TransportFacts): InvokeError {
  const status = PROXY_STATUS.exec(wordsOf(error))?.[1];
  const answered = status === undefined ? undefined : `the proxy answered with the status ${status}`;
  const reason = answered ?? CONNECT_WORDS[code] ?? `the connection failed: ${wordsOf(error)}`;
  const hint =
    proxied === true
      ? 'HTTPS_PROXY or HTTP_PROXY names the proxy; NO_PROXY lists the hosts to call without it.'
      : undefined;
  return new InvokeError('CONNECTION', called, reason, { retry: true, hint, cause: error });
}

/** Timeouts that the connection enforces. */
type PhaseTimeout = Exclude<keyof Timeouts, 'reply' | 'call'>;

const TIMEOUT_OF: Readonly<Record<string, PhaseTimeout>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'head',
  UND_ERR_BODY_TIMEOUT: 'idle',
};

const TIMEOUT_WORDS: Readonly<Record<PhaseTimeout, string>> = {
  connect: 'no connection was made',
  head: 'the target did not answer',
  idle: 'no more of the reply arrived',
};

const CONNECT_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be resolved',
  EHOSTUNREACH: "its host can't be reached",
  ENETUNREACH: "its network can't be reached",
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
};

const CLOSED = 'the target closed the connection';

const CUT_WORDS: Readonly<Record<string, string>> = {
  // The parser's, at an end inside a chunk or a head.
  HPE_INVALID_EOF_STATE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_ABORTED: CLOSED,
  UND_ERR_INFO: CLOSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: 'the connection went dead',
};

function wordsOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : codeOf(error);
}
