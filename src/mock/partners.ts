import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { compileRest } from '../binding/rest/rest.ts';
import { TOKEN_PATH } from '../invoke/stand-in.ts';
import { headersOfCredential } from '../load/value/headers.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Document } from '../model/document.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import type { Node } from '../model/node.ts';
import type { ScalarKind } from '../model/scalar.ts';
import type { Operation, Service } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Call } from '../serve/answer/call.ts';
import type { Replacement } from '../serve/operations.ts';
import { isSecurityHeader } from '../wsse/header.ts';
import { mockAnswerer } from './answer.ts';
import type { PartnerCall } from './answers.ts';
import { Answers, EVERY_OPERATION } from './answers.ts';
import { CONTEXT, type Mirrored, mirrorNodes, parseForm } from './mirror.ts';
import type { PartnersOptions, RunningPartners } from './mock-port.ts';
import { startMock } from './serve.ts';

/**
 * Serves the operations that a project calls at some nodes, each node below its own path, with a token endpoint. Requests are
 * checked against the operation as a gateway checks its own.
 * @throws GatewayError when it can't listen
 */
export async function startPartners(options: PartnersOptions): Promise<RunningPartners> {
  const { registry, nodes, now = Date.now } = options;
  const mirror = mirrorNodes(registry, nodes);
  const requests = new Map<string, Received>();
  const tokens = new Tokens(now);
  const deliberate = new WeakSet<Fault>();
  const endpoints = new Map(nodes.filter(isTokenNode).map((node) => [tokenOperation(node), node]));
  const services = new Map(mirror.registry.services);
  for (const [operation, { id }] of endpoints) {
    const service = services.get(`${id}.v1`) as Service;
    services.set(service.id, { ...service, operations: [...service.operations, operation] });
  }
  const all = [...mirror.registry.operations.values(), ...endpoints.keys()];
  const operations = new Map(all.map((operation) => [operation.id, operation]));

  /** @throws Fault for a call at another node, or without the credential of its node */
  async function hear({ consumer }: Mirrored, input: DocumentValue, call: Call): Promise<PartnerCall> {
    const { node, headers = {} } = requests.get(call.requestId) ?? {};
    const { id, target } = consumer;
    if (node !== undefined && node !== target.id)
      throw Fault.of('NOT_FOUND', { what: `operation ${id} at node ${node}` });
    checkCredential(consumer, headers, tokens);
    const made = { node: target.id, operation: id, input, headers };
    return (await options.heard?.(made)) ?? made;
  }

  const own = new Answers();
  if (options.answer !== undefined) own.add(EVERY_OPERATION, { reply: options.answer });
  const answers = [own, ...(options.answers ?? [])];

  const replaced = (operation: Operation): Replacement => {
    const mirrored = mirror.operations.get(operation);
    if (mirrored === undefined) return tokenEndpoint(operation, endpoints.get(operation) as Node, tokens);
    const { consumer, binding } = mirrored;
    const answerer = mockAnswerer(
      operation,
      { ...options, answers },
      {
        heard: (input, call) => hear(mirrored, input, call),
        asked: (fault) => void deliberate.add(fault),
      },
    );
    // A Security header is understood where calls send one, and not verified.
    const secured = consumer.target.credential?.kind === 'ws-security' ? { understands: isSecurityHeader } : {};
    return { answerer, ...secured, ...(binding === undefined ? {} : { binding }) };
  };

  const mock = await startMock({
    registry: { ...mirror.registry, services, operations },
    replaced,
    ...{ host: options.host, port: options.port, log: options.log },
    before(incoming, outgoing) {
      const received = receive(incoming, services);
      requests.set(received.requestId, received);
      outgoing.once('close', () => requests.delete(received.requestId));
    },
    refused(fault, requestId) {
      // A caller that has left was not refused.
      if (deliberate.has(fault) || fault.code === 'ABANDONED') return;
      const { node = '', request = '' } = requests.get(requestId) ?? {};
      options.refused?.({ node, request, fault });
    },
  });
  return {
    addressOf: (node) => `${mock.address}/${node}`,
    unreadable: mirror.unreadable,
    close: () => mock.close(),
  };
}

/** A request as it came. */
interface Received {
  readonly requestId: string;
  readonly node: string;
  readonly request: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Leads `/ERP/orders` to the operations of the node ERP, and messages to `/ERP` to those over SOAP. */
function receive(incoming: IncomingMessage, services: ReadonlyMap<string, Service>): Received {
  const { url = '/', method = '', headers } = incoming;
  const [, node = '', rest = ''] = /^\/([^/?]*)\/?(.*)$/s.exec(url) ?? [];
  const requestId = randomUUID();
  headers['x-request-id'] = requestId;
  const isSoap = services.get(`${node}.v1`)?.operations.some(({ soap }) => soap !== undefined) === true;
  const isMessage = /^\s*(?:text\/xml|application\/soap\+xml|multipart\/related)/i.test(headers['content-type'] ?? '');
  const connector =
    isSoap && isMessage && method === 'POST' && rest === ''
      ? 'PeopleSoftServiceListeningConnector'
      : `RESTListeningConnector/${node}/${rest}`;
  incoming.url = `/${CONTEXT}/${connector}`;
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { requestId, node, request: `${method} /${rest.replace(/\?.*/s, '')}`, headers: Object.fromEntries(texts) };
}

type ClientCredentials = Extract<NonNullable<Node['credential']>, { kind: 'client-credentials' }>;

function isTokenNode({ credential }: Node): boolean {
  return credential?.kind === 'client-credentials';
}

/** Seconds for which a token holds. */
const HOLDS = 3600;

/** The tokens that were issued, with the time at which they expire. */
class Tokens {
  readonly #now: () => number;
  readonly #issued = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(node: string): string {
    const token = `${node}-${randomUUID()}`;
    this.#issued.set(token, this.#now() + HOLDS * 1000);
    return token;
  }

  holds(token: string): boolean {
    return (this.#issued.get(token) ?? 0) > this.#now();
  }
}

/** @throws Fault UNAUTHENTICATED when a call lacks what the node's `credential:` says */
function checkCredential(consumer: ConsumerOperation, headers: Readonly<Record<string, string>>, tokens: Tokens): void {
  const { credential } = consumer.target;
  // A Security header is part of the message, and not read by a mock.
  if (credential === undefined || credential.kind === 'ws-security') return;
  const own = headersOfCredential(credential);
  // The operation's own header takes the place of the node's credential.
  if (consumer.headers.some((each) => own.includes(each.name.toLowerCase()))) return;
  const sent = headers[own[0] ?? ''] ?? '';
  const areThere = own.every((name) => (headers[name] ?? '') !== '');
  const fits = {
    'api-key': areThere,
    basic: /^Basic ./i.test(sent),
    bearer: /^Bearer ./i.test(sent),
    webhook: areThere,
    hmac: areThere,
    'client-credentials': tokens.holds(sent.replace(/^Bearer /i, '')),
  }[credential.kind];
  if (!fits) throw Fault.of('UNAUTHENTICATED', { scheme: credential.kind }, { reason: `no valid ${credential.kind}` });
}

const field = (name: string, kind: ScalarKind, required: boolean, at: Node['at']): Field => ({
  ...{ name, jsonName: name, xmlName: name, type: { kind }, required, at },
  ...{ anyCase: false, sensitive: false, attribute: false, absent: 'omit', url: 'segment' },
});

/** The token endpoint of a node (RFC 6749 section 4.4). */
function tokenOperation({ id, at }: Node): Operation {
  const document: Document = {
    ...{ id: 'TOKEN', xmlName: 'TOKEN', root: false, open: false, inPlace: false, at },
    fields: [
      field('access_token', 'text', true, at),
      field('token_type', 'text', true, at),
      field('expires_in', 'integer', true, at),
    ],
  };
  const name = `${id}_TOKEN`;
  const service = { id: `${id}.v1`, name: id, version: 'v1', default: true, active: true, delivered: false, at };
  return {
    ...{ id: name, name, pathName: id, method: 'POST', at, uris: [tokenUri(at)], body: 'none', requestHeaders: [] },
    service: { ...service, operations: [], consumers: [], flows: [] },
    request: { kind: 'none' },
    responses: [{ mediaType: 'application/json', message: { kind: 'document', document } }],
    ...{ status: 200, writes: false, permissions: [], public: true, requires: [], limits: {}, active: true },
    answer: { kind: 'handler', file: '' },
  };
}

function tokenUri(at: Node['at']): Operation['uris'][number] {
  const literal = { kind: 'literal', text: TOKEN_PATH } as const;
  const template = { text: TOKEN_PATH, parts: [literal], variables: [] };
  return { index: 1, template, variables: [], body: [], repeats: [], at };
}

function tokenEndpoint(operation: Operation, { id, credential }: Node, tokens: Tokens): Replacement {
  const { authentication } = credential as ClientCredentials;
  const binding = compileRest(operation, '');
  return {
    binding: {
      ...binding,
      async readRequest(_uri, _raw, header, body) {
        const fields = parseForm(await body.text(), body.contentType);
        if (fields.get('grant_type') !== 'client_credentials')
          throw Fault.of('BAD_PARAMETER', { name: 'grant_type', reason: 'is not client_credentials' });
        const isKnown =
          authentication === 'basic' ? /^Basic ./i.test(header('authorization') ?? '') : fields.has('client_secret');
        if (!isKnown) throw Fault.of('UNAUTHENTICATED', { scheme: authentication }, { reason: 'no client' });
        return Object.fromEntries(fields);
      },
    },
    answerer: {
      answer: () => {
        const value = { access_token: tokens.issue(id), token_type: 'Bearer', expires_in: HOLDS };
        return { kind: 'value', value };
      },
    },
  };
}
