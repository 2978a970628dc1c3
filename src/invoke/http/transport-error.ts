import { codeOf } from '../../wire/error.ts';
import { type Called, InvokeError } from '../error.ts';
import { abortError, REPLY_HEAD, type Timeouts } from '../limits.ts';

/** How far an exchange had come. */
export type Phase = 'connect' | 'request' | 'reply';

export interface TransportFacts {
  readonly called: Called;
  /** Id of the node. */
  readonly node: string;
  readonly phase: Phase;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;
  /** It goes by way of a proxy. */
  readonly proxied?: boolean;
  readonly httpResponseCode?: number | undefined;
}

/** What became of a connection, as the error of the call; one of the caller's own stream stays as it is. */
export function transportError(error: unknown, facts: TransportFacts): unknown {
  const { called, phase, timeouts, signal, httpResponseCode } = facts;
  if (error instanceof InvokeError && error !== signal?.reason) return error;
  if (signal?.aborted === true) return abortError(signal.reason, called);
  const code = codeOf(error);
  const limit = TIMEOUT_OF[code];
  if (limit !== undefined) {
    const seconds = timeouts[limit] / 1000;
    const reason = `${TIMEOUT_WORDS[limit]} within ${seconds} s`;
    return new InvokeError('TIMEOUT', called, reason, { retry: true, httpResponseCode, cause: error });
  }
  if (isTlsError(error)) return tlsError(error, facts);
  if (isOddStatus(error, code))
    return new InvokeError(
      'BAD_REPLY',
      called,
      'the reply has the status 101, which nobody asked for, or one below 100',
      {
        cause: error,
      },
    );
  if (phase === 'connect' || PROXY_STATUS.test(wordsOf(error))) return connectError(error, code, facts);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new InvokeError('REPLY_TOO_LARGE', called, `the head of the reply is larger than ${REPLY_HEAD} bytes`, {
      cause: error,
    });
  if (error instanceof Error && error.name === 'HTTPParserError')
    return new InvokeError('BAD_REPLY', called, 'the reply is no HTTP', { cause: error });
  if (code === 'UND_ERR_INVALID_ARG')
    return new InvokeError('BAD_INPUT', called, `the request is none to send: ${wordsOf(error)}`, { cause: error });
  const cut = CUT_WORDS[code];
  if (cut === undefined) return error;
  const reason = phase === 'request' ? `${cut} before there was a reply` : `${cut} before the reply was whole`;
  return new InvokeError('CUT', called, reason, { retry: true, httpResponseCode, cause: error });
}

/** A status that ends no exchange (RFC 9110 section 15); the HTTP client asserts that there is none. */
function isOddStatus(error: unknown, code: string): boolean {
  const words = wordsOf(error);
  return code === 'ERR_ASSERTION' ? /statusCode|upgrade/.test(words) : words === 'bad upgrade';
}

/** Codes of TLS (OpenSSL, and Node's names of its verification results), and that of a proxy's own. */
const TLS =
  /^ERR_TLS|^ERR_SSL|^EPROTO$|CERT|SIGNATURE|^CRL_|ISSUER|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$|^UND_ERR_PRX_TLS$/;

/** Whether a connection came to nothing because one side does not trust the other, rather than reach it. */
export function isTlsError(error: unknown): boolean {
  return TLS.test(codeOf(error));
}

/** An alert is what the target says (RFC 8446 section 6.2). */
const ALERT = /ALERT/;

function tlsError(error: unknown, { called, node }: TransportFacts): InvokeError {
  const code = codeOf(error);
  if (ALERT.test(code)) {
    const hint = `Where the target asks for a certificate, certificate: of node ${node} names it.`;
    return new InvokeError('TLS', called, `the target refuses the connection: ${wordsOf(error)}`, {
      hint,
      cause: error,
    });
  }
  const hint = `ca-file: of node ${node} names a file with the certificates to trust; NODE_EXTRA_CA_CERTS names one for all nodes, beside the usual ones.`;
  const who = code === 'UND_ERR_PRX_TLS' ? 'the proxy' : 'the target';
  return new InvokeError('TLS', called, `${who} is not to be trusted: ${wordsOf(error)}`, { hint, cause: error });
}

/** What undici says where a proxy opens no tunnel, or wants to know who calls. */
const PROXY_STATUS = /^Proxy (?:response|Authentication Required) \((\d+)\)/;

function connectError(error: unknown, code: string, { called, proxied }: TransportFacts): InvokeError {
  const status = PROXY_STATUS.exec(wordsOf(error))?.[1];
  const answered = status === undefined ? undefined : `the proxy answered with the status ${status}`;
  const reason = answered ?? CONNECT_WORDS[code] ?? `there is no connection: ${wordsOf(error)}`;
  const hint =
    proxied === true
      ? 'The proxy is what HTTPS_PROXY or HTTP_PROXY names; NO_PROXY says who is called without.'
      : undefined;
  return new InvokeError('CONNECTION', called, reason, { retry: true, hint, cause: error });
}

/** Times that the connection itself keeps. */
type PhaseTimeout = Exclude<keyof Timeouts, 'reply' | 'call'>;

const TIMEOUT_OF: Readonly<Record<string, PhaseTimeout>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'head',
  UND_ERR_BODY_TIMEOUT: 'idle',
};

const TIMEOUT_WORDS: Readonly<Record<PhaseTimeout, string>> = {
  connect: 'there was no connection',
  head: 'the target did not answer',
  idle: 'nothing more of the reply came',
};

const CONNECT_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'the name of its host is not known',
  EAI_AGAIN: 'the name of its host could not be resolved',
  EHOSTUNREACH: 'its host can not be reached',
  ENETUNREACH: 'its network can not be reached',
  UND_ERR_PRX_CONN: 'the proxy ended the connection',
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

function wordsOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : codeOf(error);
}
