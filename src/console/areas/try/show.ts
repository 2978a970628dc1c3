import { type CurlWord, curlCommand, restCredentials, soapCredentials } from '../../../describe/example/curl.ts';
import type { InvokeError, PreparedRequest, Verdict } from '../../../invoke/index.ts';
import type { FlowReply, InvokeReply } from '../../../model/invoke-reply.ts';
import type { Operation } from '../../../model/service.ts';
import type { DocumentValue } from '../../../model/value.ts';
import type { InnerReply } from '../../console-request.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import { badge, code, facts, length, notice, number, section, table } from '../../parts.ts';
import type { Visit } from '../../route.ts';
import type { PreparedCall } from './request.ts';
import type { Way } from './subject.ts';
import { coloured, isText, languageOf, pretty, textBlock } from './text.ts';

/** Maximum number of bytes of a body on a page. */
const MOST_SHOWN = 256 * 1024;
/**
 * Maximum number of bytes of a reply that are read for a page; a longer reply is cut off and not compared with the contract.
 */
const MOST_READ = 4 * 1024 * 1024;

/** A request to this gateway: in HTTP, and as a command. */
export function requestSection(visit: Visit, operation: Operation, way: Way, request: PreparedCall): Html {
  const { method, target, headers, body } = request;
  const base = visit.ports.base();
  const { pathname, host } = new URL(`${base}${target}`);
  const query = target.indexOf('?');
  const line = `${method} ${pathname}${query < 0 ? '' : target.slice(query)} HTTP/1.1`;
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const type = headers['Content-Type'] ?? '';
  const shown = body === undefined ? undefined : bodyText(body, type);
  const credentials =
    way.soap === undefined ? restCredentials(operation, undefined) : soapCredentials(operation, undefined);
  return section(
    'Request',
    html`${textBlock(
      'http',
      'HTTP',
      shown === undefined
        ? [line, ...lines].join('\n')
        : html`${[line, ...lines].join('\n')}

${coloured(shown, languageOf(type))}`,
    )}
${textBlock('curl', 'curl', curlOf(`${base}${target}`, request, operation.public ? [] : credentials))}
<p class="hint">${operation.public ? 'Anyone may call it.' : html`Here the session of ${visit.user.id} takes the place of credentials; the command has placeholders for them.`}</p>`,
    'request',
  );
}

/** Headers that clients set by themselves. */
const OWN: ReadonlySet<string> = new Set(['Accept', 'X-Request-Id', 'User-Agent', 'Content-Length']);

function curlOf(url: string, { method, headers, body }: PreparedCall, credentials: readonly CurlWord[]): string {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.has(name)));
  const accept =
    headers.Accept === undefined || headers.Accept.includes(',') ? [] : ['-H', `Accept: ${headers.Accept}`];
  const text = body !== undefined && body.length <= MOST_SHOWN && isReadable(body) ? body.toString() : undefined;
  const sent = body === undefined ? {} : text === undefined ? { file: 'FILE' } : { body: text };
  return curlCommand({ method, url, headers: kept, ...sent }, [...credentials, ...accept]);
}

const isReadable = (body: Uint8Array): boolean => {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(body).includes('\0');
  } catch {
    return false;
  }
};

function bodyText(body: Buffer, type: string): string {
  if (!isText(type) || body.includes(0)) return `(${number(body.length)} bytes of ${type || 'content'})`;
  if (body.length <= MOST_SHOWN) return body.toString();
  return `${body.subarray(0, MOST_SHOWN).toString()}\n(${number(body.length)} bytes in all)`;
}

/** A reply of this gateway as shown on a page. */
export interface ShownReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether more was available than was read. */
  readonly isCut: boolean;
  /** Milliseconds until the head of the reply arrived, and until the last byte that was read. */
  readonly head: number;
  readonly total: number;
  /** `undefined` for a reply that was not read to its end. */
  readonly verdict: Verdict | undefined;
}

/** Reads as much of a reply as a page needs, and ends the call. */
export async function readReply(visit: Visit, reply: InnerReply, { call }: PreparedCall): Promise<ShownReply> {
  const began = performance.now();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  for await (const chunk of reply.body) {
    chunks.push(chunk);
    size += chunk.length;
    isCut = size > MOST_READ;
    if (isCut) break;
  }
  const total = reply.ms + performance.now() - began;
  const body = Buffer.concat(chunks);
  const { registry, spool, redactor } = visit.ports;
  const ports = { limits: registry.gateway.limits, spool, redactor };
  const verdict = isCut
    ? undefined
    : await call.compare({ status: reply.status, headers: reply.headers, bytes: body }, ports);
  return { status: reply.status, headers: reply.headers, body, isCut, head: reply.ms, total, verdict };
}

const statusBadge = (status: number): Html =>
  badge(status < 300 ? 'good' : status < 400 ? 'idle' : status < 500 ? 'warn' : 'bad', `HTTP ${status}`);

export function replySection(visit: Visit, reply: ShownReply): Html {
  const { status, headers, body, isCut, head, total } = reply;
  const type = headers['content-type'] ?? '';
  const size = isCut ? `more than ${number(body.length)} bytes` : `${number(body.length)} bytes`;
  const seen = visit.may('payload');
  return section(
    'Reply',
    html`${facts([
      ['Status', statusBadge(status)],
      ['First byte after', length(head)],
      ['Complete after', isCut ? '' : length(total)],
      ['Size', size],
      ['Type', type],
      ['Request', headers['x-request-id']],
    ])}
${verdictOf(reply, seen)}
${seen ? html`${textBlock('reply-headers', 'Headers', headerLines(headers))}${bodyBlocks(body, type, isCut)}` : notice('idle', 'The headers and the body of a reply need the grant payload.')}`,
    'reply',
  );
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function verdictOf({ verdict, isCut }: ShownReply, seen: boolean): Html {
  if (verdict === undefined || isCut) return notice('idle', 'It is longer than what is compared with the contract.');
  const { kind, differences } = verdict;
  const what = kind === 'fault' ? 'The fault' : 'The reply';
  if (differences.length === 0) return notice('good', `${what} fits the contract.`);
  const found = `${what} differs from the contract in ${differences.length === 1 ? 'one place' : `${differences.length} places`}.`;
  if (!seen) return notice('warn', found);
  return html`${notice('warn', found)}<ul class="differences">${differences.map((each) => html`<li>${each}</li>`)}</ul>`;
}

function bodyBlocks(body: Buffer, type: string, isCut: boolean): Html {
  if (body.length === 0) return html`<p class="empty">It has no body.</p>`;
  if (!isText(type) || body.includes(0))
    return html`<p class="empty">Its content is not text. “Send and save the reply” keeps it as a file.</p>`;
  const isLong = isCut || body.length > MOST_SHOWN;
  const text = body.subarray(0, MOST_SHOWN).toString();
  const language = languageOf(type);
  const formatted = isLong ? undefined : pretty(text, language);
  const cut = isLong
    ? notice(
        'warn',
        `The first ${number(MOST_SHOWN / 1024)} KiB are shown. “Send and save the reply” makes the call again and keeps all of it.`,
      )
    : NOTHING;
  if (formatted === undefined)
    return html`${cut}${textBlock('body', 'Body', isLong ? text : coloured(text, language))}`;
  return html`${textBlock('body', 'Body', coloured(formatted, language))}
<details class="raw"><summary>As it was sent</summary>${textBlock('body-raw', 'Body as it was sent', text)}</details>`;
}

/** Requests to other systems, with secrets masked. */
export const previewSection = (requests: readonly PreparedRequest[], program: string): Html =>
  section(
    requests.length === 1 ? 'Request' : `${number(requests.length)} requests`,
    html`<p class="hint">Nothing was sent for this. Secrets are masked; a value that an earlier step keeps has its name in angle brackets.</p>
${requests.map(({ operation, method, url, headers, body }, index) => {
  const head = [`${method} ${url}`, headerLines(headers)].filter((each) => each !== '').join('\n');
  const type = headers['Content-Type'] ?? '';
  return textBlock(
    `request-${index + 1}`,
    `${index + 1}. ${operation}`,
    html`${head}${
      body === undefined
        ? NOTHING
        : html`

${coloured(body, languageOf(type))}`
    }`,
  );
})}
${textBlock('program', 'TypeScript, by the generated client', program)}`,
    'request',
  );

/** The reply of another system. */
export function outboundSection(visit: Visit, reply: InvokeReply | FlowReply): Html {
  const { httpResponseCode, headers, timings, attempts, body, value, requestId } = reply;
  const seen = visit.may('payload');
  const { redactor } = visit.ports;
  const type = headers['content-type'] ?? '';
  const text = body ?? JSON.stringify(described(value), undefined, 2);
  return section(
    'Reply',
    html`${facts([
      ['Status', statusBadge(httpResponseCode)],
      ['Connected after', timings.connected === undefined ? '' : length(timings.connected)],
      ['Sent after', length(timings.sent)],
      ['First byte after', length(timings.head)],
      ['Read after', length(timings.value)],
      ['Attempts', attempts],
      ['Request', requestId],
    ])}
${'steps' in reply ? stepsOf(reply) : NOTHING}
${notice('good', 'The reply fits the contract.')}
${
  seen
    ? html`${textBlock('reply-headers', 'Headers', headerLines(redactor.headers(headers)))}${bodyBlocks(Buffer.from(redactor.text(text)), body === undefined ? 'application/json' : type, false)}`
    : notice('idle', 'The headers and the body of a reply need the grant payload.')
}`,
    'reply',
  );
}

const stepsOf = ({ steps }: FlowReply): Html =>
  table(
    'Steps',
    [
      { title: 'Step', cell: ({ operation }) => operation },
      {
        title: 'Result',
        cell: ({ kept, httpResponseCode: status }) =>
          kept ? 'kept from before' : status === undefined ? 'no reply' : statusBadge(status),
      },
      { title: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
      { title: 'Time', kind: 'number', cell: ({ timings }) => length(timings?.value) },
    ],
    steps,
    { empty: 'No step was made.' },
  );

/** A value with each attachment replaced by its media type and length. */
function described(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(described);
  if ('stream' in value) {
    const { contentType, name, length } = value as { contentType?: string; name?: string; length?: number };
    return { contentType, name, length };
  }
  return Object.fromEntries(Object.entries(value as DocumentValue).map(([name, each]) => [name, described(each)]));
}

/** Why a call to another system failed. */
export function failureSection(visit: Visit, error: InvokeError): Html {
  const { code: kind, message, hint, body, httpResponseCode, attempts, called } = error;
  const { redactor } = visit.ports;
  const differs = kind === 'BAD_REPLY' ? notice('warn', 'The reply differs from the contract.') : NOTHING;
  const shown: Part =
    body !== undefined && visit.may('payload') ? code(redactor.text(body), 'Beginning of the reply') : NOTHING;
  return section(
    'Reply',
    html`${notice('bad', visit.may('payload') ? message : `The call failed: ${kind}.`)}${hint === undefined ? NOTHING : html`<p>${hint}</p>`}${differs}
${facts([
  ['Status', httpResponseCode === undefined ? '' : statusBadge(httpResponseCode)],
  ['Code', kind],
  ['Attempts', attempts],
  ['Request', called.requestId],
])}${shown}`,
    'reply',
  );
}
