import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/invoke/index.ts';
import { parseConfigText } from '../../src/load/value/config-text.ts';
import type { SoapConsumer, SoapProperties } from '../../src/model/consumer.ts';
import type { Position } from '../../src/model/definition.ts';
import type { Document } from '../../src/model/document.ts';
import type { Limits } from '../../src/model/gateway.ts';
import { NODE_DEFAULTS, type Node } from '../../src/model/node.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Message, RawKind } from '../../src/model/service.ts';
import type { Attachment } from '../../src/model/value.ts';
import { createSpool } from '../../src/store/index.ts';
import { atFileEnd } from '../support/file-end.ts';
import { document, field, registry as registryOf } from '../support/registry.ts';

const at: Position = { file: 'test.yaml', line: 1, column: 1 };

export const SERVICE_NAMESPACE = 'urn:signalbox:test:Partner.v1';

/** A name, and content that may be an attachment. */
export const FILE = document('FILE', [field('name'), field('content', 'binary')]);
export const SUM = document('SUM', [field('name'), field('length', 'integer')]);
export const TROUBLE = document('TROUBLE', [field('message', 'text'), field('line', 'integer')]);

export function node(id: string, base: readonly string[], more: Partial<Node> = {}): Node {
  return { ...NODE_DEFAULTS, id, base: base.map((text) => parseConfigText(text).text), at, ...more };
}

export interface ConsumerOptions {
  readonly request?: Document | RawKind;
  /** None: one-way. */
  readonly response?: Document | RawKind;
  readonly fault?: Document;
  readonly headers?: Readonly<Record<string, string>>;
  readonly properties?: Partial<SoapProperties>;
  readonly active?: boolean;
  readonly lenient?: boolean;
}

/** A registry with one consumer operation, FILE_SEND of Partner.v1. */
export function partner(target: Node, options: ConsumerOptions = {}, limits: Partial<Limits> = {}): Registry {
  const built = registryOf({ 'Partner.v1': { operations: {} } });
  const service = built.services.get('Partner.v1')!;
  const operation: SoapConsumer = {
    kind: 'soap',
    id: 'FILE_SEND',
    name: 'FILE_SEND',
    service,
    target,
    soap: {
      name: 'FILE_SEND',
      action: 'FILE_SEND.v1',
      request: messageOf(options.request),
      response: messageOf(options.response),
    },
    headers: Object.entries(options.headers ?? {}).map(([name, value]) => ({ name, value })),
    properties: {
      mtom: false,
      upContent: true,
      compress: false,
      segmentContentTransfer: 'binary',
      ...options.properties,
    },
    ...(options.fault === undefined ? {} : { fault: options.fault }),
    ...(options.lenient === undefined ? {} : { lenient: options.lenient }),
    permissions: [],
    public: true,
    active: options.active ?? true,
    at,
  };
  const gateway = { ...built.gateway, limits: { ...built.gateway.limits, ...limits } };
  return { ...built, gateway, consumers: new Map([[operation.id, operation]]) };
}

function messageOf(given: Document | RawKind | undefined): Message {
  if (given === undefined) return { kind: 'none' };
  return typeof given === 'string' ? { kind: 'raw', raw: given } : { kind: 'document', document: given };
}

let folder: string | undefined;

/** Where what is large is kept, for all clients of a file. */
function spoolFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'signalbox-invoke-'));
  atFileEnd(() => {
    folder = undefined;
    rmSync(made, { recursive: true, force: true });
  });
  folder = made;
  return made;
}

/** A client that is closed when the test ends. */
export function client(registry: Registry, options: Partial<ClientOptions> = {}): Client {
  const made = createClient(registry, {
    env: {},
    spool: createSpool({ folder: spoolFolder(), memory: 1024 }),
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

/** A request as it came. */
export interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Target {
  readonly url: string;
  readonly seen: Seen[];
  /** Connections that were made. */
  connections(): number;
}

/** A target on a free port that gives one answer to all requests, once they are whole. */
export async function target(answer: Answer | ((seen: Seen) => Answer)): Promise<Target> {
  const seen: Seen[] = [];
  return {
    ...(await listen((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url = '', method = '', headers } = request;
        const one = { url, method, headers, body: Buffer.concat(chunks) };
        seen.push(one);
        const { status = 200, headers: own = {}, body = '' } = typeof answer === 'function' ? answer(one) : answer;
        response.writeHead(status, own).end(body);
      });
    })),
    seen,
  };
}

/** A target that does as it is told with each request. */
export async function listen(listener: RequestListener): Promise<Omit<Target, 'seen'>> {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => connections++);
  const url = await started(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, connections: () => connections };
}

/** A target that writes these bytes to whoever says anything, and ends the connection. */
export async function rawTarget(bytes: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  onTestFinished(() => void server.close());
  return started(server);
}

/** A target that answers each request on a connection with these packets, whatever they hold. */
export async function packetTarget(
  packets: readonly string[],
): Promise<{ readonly url: string; readonly connections: () => number; readonly requests: () => readonly string[] }> {
  const seen: string[] = [];
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    let request = '';
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      const length = Number(/^content-length: (\d+)/im.exec(request)?.[1] ?? 0);
      const head = request.indexOf('\r\n\r\n');
      if (head === -1 || request.length < head + 4 + length) return;
      seen.push(request);
      request = '';
      const send = (at: number): void => {
        const packet = packets[at];
        if (packet !== undefined) socket.write(packet, 'latin1', () => setImmediate(send, at + 1));
      };
      send(0);
    });
  });
  onTestFinished(() => void server.close());
  return { url: await started(server), connections: () => connections, requests: () => seen };
}

/** An address where nothing listens, also later: other tests take ports of 127.0.0.1. */
export async function deadAddress(): Promise<string> {
  const server = createTcpServer();
  const url = await started(server);
  await new Promise((resolve) => server.close(resolve));
  return url.replace('127.0.0.1', '127.77.0.1');
}

function started(server: ReturnType<typeof createTcpServer>): Promise<string> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/partner`)),
  );
}

/** Content in memory, in pieces of a few bytes. */
export function attachment(content: string | Buffer, contentType = 'application/pdf', name?: string): Attachment {
  const bytes = Buffer.from(content);
  return {
    contentType,
    length: bytes.length,
    ...(name === undefined ? {} : { name }),
    async *stream() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    },
  };
}

/** An attachment read whole, as Latin-1. */
export async function read(content: unknown): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (content as Attachment).stream()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';

/** An envelope of somebody else's making. */
export function envelope(body: string, namespace = SOAP_11): string {
  return `<?xml version="1.0"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV="${namespace}"><SOAP-ENV:Body>${body}</SOAP-ENV:Body></SOAP-ENV:Envelope>`;
}

/** A reply in an envelope of SOAP 1.1. */
export function reply(body: string, status = 200): Answer {
  return { status, headers: { 'Content-Type': 'text/xml; charset=utf-8' }, body: envelope(body) };
}

/** The reply that {@link SUM} is. */
export const SUM_REPLY = reply(
  `<p:FILE_SENDResponse xmlns:p="${SERVICE_NAMESPACE}"><p:name>a.pdf</p:name><p:length>3</p:length></p:FILE_SENDResponse>`,
);

/** What a call throws. */
export async function thrown(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
