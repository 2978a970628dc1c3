import { header, Refusal, type RequestHead } from './message.ts';

/** What a request's head has to be. */
export interface HeadRules {
  readonly host: string;
  /** By name: those that the specification names, with what is right. */
  readonly headers: Readonly<Record<string, string | RegExp>>;
  /** Others that may be there. */
  readonly allowed?: readonly string[];
  readonly body: 'none' | 'length' | 'any length';
}

/** Of HTTP's and the client's own. */
const OWN = ['host', 'connection', 'user-agent', 'x-request-id', 'traceparent', 'accept-encoding', 'content-length'];

/** @throws Refusal */
export function checkHead(head: RequestHead, rules: HeadRules): void {
  const { method, serverName } = head;
  if (method !== 'POST') throw new Refusal(400, `the method is ${method} rather than POST`);
  const host = header(head, 'Host');
  if (host !== rules.host) throw new Refusal(400, `Host is ${host} rather than ${rules.host}`);
  if (serverName !== rules.host) throw new Refusal(400, `TLS was asked for ${serverName} rather than ${rules.host}`);
  checkHeaders(head, rules);
  checkLength(head, rules.body);
}

function checkHeaders(head: RequestHead, { headers, allowed = [], body }: HeadRules): void {
  for (const [name, right] of Object.entries(headers)) {
    const value = header(head, name);
    if (value === undefined) throw new Refusal(400, `${name} is missing`);
    const fits = typeof right === 'string' ? value === right : right.test(value);
    if (!fits) throw new Refusal(400, `${name} is not as specified`);
  }
  const known = [...OWN, ...allowed, ...Object.keys(headers)].map((name) => name.toLowerCase());
  if (body === 'any length') known.push('transfer-encoding');
  const foreign = head.headers.find(([name]) => !known.includes(name.toLowerCase()));
  if (foreign !== undefined) throw new Refusal(400, `${foreign[0]} has no place in this request`);
}

function checkLength(head: RequestHead, body: HeadRules['body']): void {
  const length = header(head, 'Content-Length');
  if (body === 'any length') return;
  if (length === undefined) throw new Refusal(400, 'Content-Length is missing');
  if (body === 'none' && length !== '0') throw new Refusal(400, 'there is a body, where none belongs');
}
