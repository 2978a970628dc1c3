import { readdirSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { DEMO, type TestGateway } from '../support/gateway.ts';
import { NS } from './soap-project.ts';

/** A caller of SOAP operations that shares nothing with what it calls. */

export const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';
export const XOP = 'http://www.w3.org/2004/08/xop/include';

export const SERVICES = '/gateway/PeopleSoftServiceListeningConnector';
export const HTTP = '/gateway/HttpListeningConnector';

export type Version = '1.1' | '1.2';

/** An envelope around the XML of a Body. */
export function envelope(body: string, version: Version = '1.1', header = ''): string {
  const namespace = version === '1.1' ? SOAP_11 : SOAP_12;
  const head = header === '' ? '' : `<s:Header>${header}</s:Header>`;
  return `<?xml version="1.0"?>\n<s:Envelope xmlns:s="${namespace}">${head}<s:Body>${body}</s:Body></s:Envelope>`;
}

/** The element of an operation's request, with its fields as XML. */
export function wrapped(operation: string, fields = ''): string {
  return `<${operation} xmlns="${NS}">${fields}</${operation}>`;
}

/** An Include of a part by its Content-ID. */
export const include = (id: string): string => `<xop:Include xmlns:xop="${XOP}" href="cid:${id}"/>`;

export const TYPES: Readonly<Record<Version, string>> = {
  '1.1': 'text/xml; charset=utf-8',
  '1.2': 'application/soap+xml; charset=utf-8',
};

export interface SoapReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | AsyncIterable<Uint8Array>;
  /** Null: sends no credentials. By default `demo` calls. */
  readonly authorization?: string | null;
}

/**
 * Sends one request on a connection of its own, and reads the reply whole, before the request is if need be; of a request
 * that has been refused nothing more is sent.
 */
export function send(gateway: TestGateway, sent: Sent): Promise<SoapReply> {
  const { path = SERVICES, method = 'POST', headers = {}, body = '', authorization = DEMO } = sent;
  const credentials = authorization === null ? {} : { authorization };
  const length = typeof body === 'string' || Buffer.isBuffer(body) ? { 'content-length': Buffer.byteLength(body) } : {};
  const { port } = gateway;
  let refused = false;
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, agent: false };
    const outgoing = request({ ...options, headers: { ...length, ...credentials, ...headers } }, (reply) => {
      refused = reply.statusCode! >= 400;
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        const bytes = Buffer.concat(chunks);
        if (refused) outgoing.destroy();
        resolve({ status: reply.statusCode!, headers: reply.headers, bytes, text: bytes.toString() });
      });
    });
    outgoing.on('error', reject);
    if (typeof body === 'string' || Buffer.isBuffer(body)) outgoing.end(body);
    else write(outgoing, body, () => refused).catch((error: Error) => outgoing.destroy(error));
  });
}

async function write(
  outgoing: ReturnType<typeof request>,
  body: AsyncIterable<Uint8Array>,
  refused: () => boolean,
): Promise<void> {
  for await (const chunk of body) {
    if (refused()) return;
    if (!outgoing.write(chunk)) await new Promise((resolve) => outgoing.once('drain', resolve));
  }
  outgoing.end();
}

/** Posts an envelope. */
export function post(
  gateway: TestGateway,
  xml: string | Buffer,
  version: Version = '1.1',
  headers: Readonly<Record<string, string>> = {},
): Promise<SoapReply> {
  return send(gateway, { body: xml, headers: { 'content-type': TYPES[version], ...headers } });
}

/** Calls an operation with its fields as XML. */
export function callSoap(
  gateway: TestGateway,
  operation: string,
  fields = '',
  version: Version = '1.1',
): Promise<SoapReply> {
  return post(gateway, envelope(wrapped(operation, fields), version), version);
}

export interface TestPart {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Buffer;
}

export const BOUNDARY = '----=_Part_1_2.3';

/** Content-Type of a package whose root is SOAP 1.1. */
export const RELATED = `multipart/related; type="application/xop+xml"; start-info="text/xml"; boundary="${BOUNDARY}"`;

/** A part that an envelope may include. */
export function part(id: string, content: string | Buffer, more: Readonly<Record<string, string>> = {}): TestPart {
  return { headers: { 'Content-Type': 'text/x-part', 'Content-ID': `<${id}>`, ...more }, content };
}

/** The root of a package. */
export function root(xml: string | Buffer, more: Readonly<Record<string, string>> = {}): TestPart {
  const type = 'application/xop+xml; charset=UTF-8; type="text/xml"';
  return { headers: { 'Content-Type': type, 'Content-ID': '<root>', ...more }, content: xml };
}

/** A package of parts, lines ending as told. */
export function packed(parts: readonly TestPart[], end = '\r\n', boundary = BOUNDARY): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}${end}`);
    return [Buffer.from(`--${boundary}${end}${lines.join('')}${end}`), Buffer.from(content), Buffer.from(end)];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--${end}`)]);
}

/** Posts a package. */
export function postParts(
  gateway: TestGateway,
  parts: readonly TestPart[],
  headers: Readonly<Record<string, string>> = {},
): Promise<SoapReply> {
  return send(gateway, { body: packed(parts), headers: { 'content-type': RELATED, ...headers } });
}

/** Parts of a reply as they came, the root first; bodies as Latin-1. */
export function partsOf({ headers, bytes }: SoapReply): { readonly head: string; readonly body: string }[] {
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '?';
  const [before, ...parts] = `\r\n${bytes.toString('latin1')}`.split(`\r\n--${boundary}`);
  const after = parts.pop();
  if (before !== '' || after !== '--\r\n') throw new Error(`no package: ${before}...${after}`);
  return parts.map((each) => {
    const end = each.indexOf('\r\n\r\n');
    return { head: each.slice(2, end), body: each.slice(end + 4) };
  });
}

/** The Body of a reply, without the envelope around it, which has to be one of its version and no other. */
export function bodyOf({ text }: { readonly text: string }, version: Version = '1.1'): string {
  const [prefix, namespace] = version === '1.1' ? ['soap', SOAP_11] : ['env', SOAP_12];
  const start = `<${prefix}:Envelope xmlns:${prefix}="${namespace}">`;
  const found = new RegExp(`<${prefix}:Body>(.*)</${prefix}:Body></${prefix}:Envelope>$`, 's').exec(text);
  if (!text.startsWith(start) || found === null) throw new Error(`no envelope of SOAP ${version}: ${text}`);
  return found[1]!;
}

/** A fault, whichever version it is in. */
export interface SeenFault {
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  readonly detail: string | undefined;
}

/** The fault that a reply is; fails where it is none. */
export function faultOf(reply: SoapReply, version: Version = '1.1'): SeenFault {
  const { status, headers } = reply;
  const body = bodyOf(reply, version);
  const shape =
    version === '1.1'
      ? /^<soap:Fault><faultcode>soap:(\w+)<\/faultcode><faultstring>(.*?)<\/faultstring>(?:<detail>(.*)<\/detail>)?<\/soap:Fault>$/s
      : /^<env:Fault><env:Code><env:Value>env:(\w+)<\/env:Value><\/env:Code><env:Reason><env:Text xml:lang="en">(.*?)<\/env:Text><\/env:Reason>(?:<env:Detail>(.*)<\/env:Detail>)?<\/env:Fault>$/s;
  const found = shape.exec(body);
  if (found === null) throw new Error(`no fault: ${body}`);
  if (headers['content-type'] !== TYPES[version]) throw new Error(`a fault as ${headers['content-type']}`);
  const [, code = '', reason = '', detail] = found;
  return { status, code, reason, detail };
}

/** Names of the files that the gateway keeps beside its database: attachments, and what is left of them. */
export function keptFiles({ folder }: TestGateway): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .filter((each) => !/^test\.db(-wal|-shm)?$/.test(each))
    .toSorted();
}
