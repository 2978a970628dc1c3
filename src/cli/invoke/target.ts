import { asRestConsumer, type Credential, flowNamed } from '../../invoke/index.ts';
import type { ConsumerOperation, RestConsumer } from '../../model/consumer.ts';
import type { ConfigText } from '../../model/definition.ts';
import { everyField, isOneOfSeveral } from '../../model/derivation.ts';
import { type Flow, flowNames } from '../../model/flow.ts';
import { NODE_DEFAULTS, type Node } from '../../model/node.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import type { MediaMessage, Message, Operation, SoapForm } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { may } from '../../security/authorise.ts';
import { verifyPassword } from '../../security/password.ts';
import { isLoopback } from '../../serve/listen/remote.ts';
import { readAddress } from '../../serve/start/address.ts';
import { closestType, parseMediaType } from '../../wire/media-type.ts';
import { readPasswordHash } from '../../wire/password-hash.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { findOperation, propose } from '../find.ts';
import { contractBaseOf, reachable } from '../project.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The target of a call, as far as the command line determines it. */
export interface ChosenTarget {
  readonly node?: Node;
  readonly credential?: Credential;
  /** The credential is that of a sample user, since none was given. */
  readonly sample?: true;
}

/** @throws CliFailure */
export async function chooseTarget(
  registry: Registry,
  found: OneOperation,
  given: { readonly node: string | undefined; readonly user: string | undefined },
  env: Environment,
): Promise<ChosenTarget> {
  const named = given.user === undefined ? {} : { credential: readUser(given.user, env) };
  if (given.node === undefined) return named;
  const below = found.kind === 'provided' ? restPath(found.provided) : undefined;
  if (given.node !== registry.gateway.id) {
    const node = nodeOf(registry, given.node);
    const base = below === undefined ? node.base : node.base.map((each) => restBase(each, below));
    return { node: { ...node, base }, ...named };
  }
  const { node, host } = await localNode(registry, env, below ?? SOAP_CONNECTOR);
  return { node, ...(given.user === undefined ? await localUser(registry, found, host, env) : named) };
}

function nodeOf({ nodes, gateway }: Registry, id: string): Node {
  const node = nodes.get(id);
  if (node !== undefined) return node;
  throw wrongUsage(`there is no node ${id}`, propose(id, [gateway.id, ...nodes.keys()]));
}

const SOAP_CONNECTOR = 'PeopleSoftServiceListeningConnector';

/** The path of an operation's URIs, below the gateway's context. */
function restPath({ pathName, service }: Operation): string {
  return `RESTListeningConnector/${pathName}.${service.version}`;
}

/** The base of a node that is another gateway, which names its connector for SOAP or for REST; any other is used as it is. */
function restBase({ source, parts }: ConfigText, below: string): ConfigText {
  const connector = /\/(?:PeopleSoftServiceListeningConnector|RESTListeningConnector)\/?$/;
  const last = parts.at(-1);
  if (last?.kind !== 'literal' || !connector.test(last.text)) return { source, parts };
  return { source, parts: [...parts.slice(0, -1), { ...last, text: last.text.replace(connector, `/${below}`) }] };
}

/** The gateway of these definitions, at its address for callers. `path`: below its context. */
async function localNode(registry: Registry, env: Environment, path: string): Promise<{ node: Node; host: string }> {
  const { id, at, publicUrl } = registry.gateway;
  if (publicUrl === undefined && readAddress(registry, env).port === 0)
    throw new CliFailure('the port of the gateway is not known', { hint: 'Set PORT to the port that it listens on.' });
  const base = reachable(await contractBaseOf(registry, undefined));
  const url = new URL(`${base}/${path}`);
  return { node: { ...NODE_DEFAULTS, id, base: [literal(url.href)], at }, host: url.hostname.replace(/^\[|\]$/g, '') };
}

const literal = (text: string): ConfigText => ({ source: text, parts: [{ kind: 'literal', text }] });

/** `NAME:PASSWORD`, or a name whose password is in the environment. */
function readUser(text: string, env: Environment): Credential {
  const colon = text.indexOf(':');
  if (colon >= 0) return { user: text.slice(0, colon), password: text.slice(colon + 1) };
  const password = env.SIGNALBOX_PASSWORD;
  if (password !== undefined && password !== '') return { user: text, password };
  throw wrongUsage(`the password of ${text} is missing`, 'Pass --user NAME:PASSWORD, or set SIGNALBOX_PASSWORD.');
}

/**
 * The user for calls of the gateway of these definitions when no user is named: the one of the environment, or on a loopback
 * address one of the sample. Neither is ever sent to another system.
 */
async function localUser(
  registry: Registry,
  found: OneOperation,
  host: string,
  env: Environment,
): Promise<Omit<ChosenTarget, 'node'>> {
  const user = env.SIGNALBOX_USER;
  if (user !== undefined && user !== '') return { credential: readUser(user, env) };
  const { operation } = found;
  if (operation.public) return {};
  const sample =
    isLoopback(host) && env.SIGNALBOX_SAMPLE_USERS !== 'off' ? await sampleUser(registry, operation) : undefined;
  if (sample !== undefined) return { credential: { user: sample.id, password: sample.id }, sample: true };
  throw new CliFailure(`${operation.id} requires credentials`, {
    hint: 'Pass --user NAME:PASSWORD, or set SIGNALBOX_USER and SIGNALBOX_PASSWORD.',
  });
}

/** A sample user whose password is its id, preferably one that may call the operation. */
async function sampleUser({ users }: Registry, operation: Operation | ConsumerOperation): Promise<User | undefined> {
  const samples = [...users.values()].filter((user) => user.sample);
  const allowed = samples.filter((user) => may(user, operation));
  for (const user of [...allowed, ...samples.filter((each) => !allowed.includes(each))]) {
    if (user.password === undefined) continue;
    const hash = readPasswordHash(user.password);
    if (typeof hash !== 'string' && (await verifyPassword(user.id, hash))) return user;
  }
  return undefined;
}

export type Found = OneOperation | { readonly kind: 'flow'; readonly flow: Flow };

export type OneOperation =
  | { readonly kind: 'consumer'; readonly operation: ConsumerOperation }
  /** Answered by a gateway with these definitions, and called there over REST. */
  | { readonly kind: 'provided'; readonly operation: RestConsumer; readonly provided: Operation }
  | { readonly kind: 'provider'; readonly operation: Operation; readonly soap: SoapForm };

/**
 * Finds an operation or a flow by its id. An operation that is answered here needs a node, and is called there over SOAP if it
 * has a SOAP form and no URI is chosen.
 * @throws CliFailure
 */
export function findCallable(
  registry: Registry,
  id: string,
  { node, uri }: { readonly node: string | undefined; readonly uri: number | undefined },
): Found {
  const flow = flowNamed(registry, id);
  if (flow !== undefined) return { kind: 'flow', flow };
  const operation = findOperation(
    registry,
    id,
    [...registry.flows.values()].map((each) => flowNames(each)[0]),
  );
  if ('target' in operation) return { kind: 'consumer', operation };
  const { gateway } = registry;
  if (node === undefined)
    throw wrongUsage(
      `operation ${id} is answered here and calls no other system`,
      `Pass --node ${gateway.id} to call it at the running gateway.`,
    );
  const { soap, method } = operation;
  if (soap !== undefined && (uri === undefined || method === undefined)) return { kind: 'provider', operation, soap };
  return { kind: 'provided', operation: asRestConsumer(operation, gateway), provided: operation };
}

/**
 * The URI that a call over REST uses: the chosen one, or for an operation that is answered by a gateway the first one in which
 * all of the input has a place.
 */
export function uriFor(found: Found, input: DocumentValue, chosen: number | undefined): number | undefined {
  if (chosen !== undefined || found.kind !== 'provided') return chosen;
  const { uris, requestHeaders } = found.provided;
  const names = Object.keys(input);
  const fitting = uris.find(({ variables, body }) => {
    const placed = [...variables, ...requestHeaders].map(({ field }) => field.name);
    const known = new Set([...placed, ...body.map(({ name }) => name), 'content']);
    const needed = variables.filter(({ required }) => required).map(({ field }) => field.name);
    return names.every((name) => known.has(name)) && needed.every((name) => names.includes(name));
  });
  return fitting?.index;
}

/**
 * @param options options for the call of one operation, by name
 * @throws CliFailure when one of them is given for a flow
 */
export function checkOptions({ kind }: Found, options: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(options).find((name) => options[name] !== undefined);
  if (kind === 'flow' && given !== undefined)
    throw wrongUsage(`${given} can't be used with a flow`, 'A flow defines how its steps are called.');
}

/** The message that the command line fills. Over REST a body without a document is a field besides those of the URI. */
export function requestOf(found: Found): Message {
  if (found.kind === 'flow') return { kind: 'document', document: found.flow.input };
  if (found.kind === 'provider') return found.soap.request;
  const { operation } = found;
  if (operation.kind === 'soap') return operation.soap.request;
  const { body, input } = operation;
  // JSON is sent as it was written, with its digits and order.
  if (body.kind === 'raw' && input.fields.length === 1)
    return { kind: 'raw', raw: body.raw === 'json' ? 'text' : body.raw };
  // The JSON of a choice is not that of fields.
  if (body.kind === 'document' && isOneOfSeveral(body.document)) {
    const names = new Set(everyField(body.document).map(({ name }) => name));
    if (input.fields.length === names.size) return body;
  }
  return input.fields.length === 0 ? { kind: 'none' } : { kind: 'document', document: input };
}

/** The message of a reply with that media type. */
export function responseOf(found: Found, contentType: string | undefined): Message {
  if (found.kind === 'provider') return found.soap.response;
  const operation = found.kind === 'flow' ? found.flow.steps.at(-1)?.operation : found.operation;
  if (operation === undefined) return { kind: 'none' };
  return operation.kind === 'soap' ? operation.soap.response : formOf(operation.responses, contentType);
}

const NO_TYPE = { essence: '', parameters: new Map<string, string>() };

function formOf(responses: readonly MediaMessage[], contentType: string | undefined): Message {
  const given = contentType === undefined ? undefined : parseMediaType(contentType);
  const types = responses.map(({ mediaType }) => parseMediaType(mediaType) ?? NO_TYPE);
  const form = responses[(given === undefined ? undefined : closestType(types, given)) ?? 0];
  return form?.message ?? { kind: 'none' };
}
