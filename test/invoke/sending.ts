import { onTestFinished } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { Configuration } from '../../src/invoke/configuration.ts';
import type { Credential } from '../../src/invoke/credential.ts';
import type { RawReply } from '../../src/invoke/http/raw-reply.ts';
import { createTransport, type SendOptions, type Target } from '../../src/invoke/http/transport.ts';
import { TIMEOUTS, type Timeouts } from '../../src/invoke/limits.ts';
import type { Outgoing, PreparedRequest } from '../../src/invoke/outgoing.ts';
import type { Environment } from '../../src/load/value/config.ts';
import { parseConfigText } from '../../src/load/value/config-text.ts';
import type { ConsumerOperation, RestConsumer } from '../../src/model/consumer.ts';
import type { ConfigText, ResolveReference } from '../../src/model/definition.ts';
import type { Node } from '../../src/model/node.ts';
import { document, registry } from '../support/registry.ts';

/** A text of configuration. */
export const text = (source: string): ConfigText => parseConfigText(source).text;

/** A request with what a writer of requests would have made of it. */
export function outgoing(method = 'GET', more: Partial<Outgoing> = {}): Outgoing {
  const { uri, headers = {}, text: body } = more;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return {
    method,
    uri,
    headers,
    length,
    text: body,
    again: true,
    compress: false,
    async *bytes() {
      if (body !== undefined) yield Buffer.from(body);
    },
    shown: { uri, headers: createRedactor().headers(headers), body },
    secrets: { secrets: () => [], hide: (each) => each },
    ...more,
  };
}

/** A request whose body is a stream, in these pieces. */
export function streamed(pieces: readonly string[], more: Partial<Outgoing> = {}): Outgoing {
  return outgoing('POST', {
    length: Buffer.byteLength(pieces.join('')),
    again: false,
    async *bytes() {
      for (const piece of pieces) yield Buffer.from(piece);
    },
    ...more,
  });
}

export interface SenderOptions {
  readonly env?: Environment;
  readonly timeouts?: Partial<Timeouts>;
  readonly folder?: string;
  readonly operation?: Partial<RestConsumer>;
  /** In bytes. */
  readonly signedBody?: number;
}

export interface CallOf extends Partial<Omit<SendOptions, 'called' | 'resolve'>> {
  readonly credential?: Credential;
  readonly primaryUrl?: ConfigText;
}

export interface Sender {
  send(request: Outgoing, options?: CallOf): Promise<RawReply>;
  describe(request: Outgoing, options?: CallOf): PreparedRequest;
  close(): Promise<void>;
}

/** A transport that calls one node, closed when the test ends. */
export function sender(
  node: Node,
  { env = {}, timeouts, folder = '/', operation, signedBody = 1000 }: SenderOptions = {},
): Sender {
  const transport = createTransport({
    timeouts: { ...TIMEOUTS, ...timeouts },
    env,
    folder,
    redactor: createRedactor(),
    signedBody,
  });
  onTestFinished(() => transport.close());
  const configuration = new Configuration(env);
  const consumer = rest(node, operation);
  const called = { operation: consumer.id, requestId: 'R-1' };
  const targetOf = ({ credential, primaryUrl }: CallOf): Target => ({
    operation: consumer,
    node,
    credential,
    primaryUrl,
  });
  const resolveOf = (target: Target): ResolveReference => configuration.resolve(transport.references(target), called);
  return {
    async send(request, options = {}) {
      const target = targetOf(options);
      const { signal, onSent, heads, messageId } = options;
      const sending = { called, resolve: resolveOf(target), signal, onSent, heads, messageId };
      return transport.send(target, request, sending);
    },
    describe(request, options = {}) {
      const target = targetOf(options);
      return transport.describe(target, request, { called, resolve: resolveOf(target) });
    },
    close: () => transport.close(),
  };
}

function rest(target: Node, more: Partial<RestConsumer> = {}): ConsumerOperation {
  return {
    kind: 'rest',
    id: 'THING_GET',
    name: 'THING_GET',
    service: registry({ 'Partner.v1': { operations: {} } }).services.get('Partner.v1')!,
    target,
    method: 'GET',
    uris: [],
    host: false,
    input: document('THING', []),
    filled: new Map(),
    headers: [],
    body: { kind: 'none' },
    responses: [{ mediaType: 'application/json', message: { kind: 'none' } }],
    accepts: [],
    properties: { base64ToBinary: false, bodyAsBuilt: false, compress: false, acceptCompressed: true },
    permissions: [],
    public: true,
    active: true,
    at: target.at,
    ...more,
  };
}

/** The body of a reply, decoded. */
export async function bodyOf({ bytes }: RawReply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
