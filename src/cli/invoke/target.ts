import type { Credential } from '../../invoke/index.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import type { ConfigText } from '../../model/definition.ts';
import { NODE_DEFAULTS, type Node } from '../../model/node.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import { may } from '../../security/authorise.ts';
import { verifyPassword } from '../../security/password.ts';
import { isLoopback } from '../../serve/listen/remote.ts';
import { readAddress } from '../../serve/start/address.ts';
import { readPasswordHash } from '../../wire/password-hash.ts';
import { contractBaseOf, reachable } from '../address.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { propose } from '../proposal.ts';
import type { OneOperation } from './found.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a call goes, as far as the command line decides it. */
export interface ChosenTarget {
  readonly node?: Node;
  readonly credential?: Credential;
  /** The credential is that of a user of the sample, whom nobody has named. */
  readonly sample?: true;
}

/** @throws CliFailure */
export async function chooseTarget(
  registry: Registry,
  found: OneOperation,
  given: { readonly node: string | undefined; readonly user: string | undefined },
  env: Environment,
): Promise<ChosenTarget> {
  const said = given.user === undefined ? {} : { credential: readUser(given.user, env) };
  if (given.node === undefined) return said;
  if (given.node !== registry.gateway.id) return { node: nodeOf(registry, given.node), ...said };
  const { node, host } = await localNode(registry, env);
  return { node, ...(given.user === undefined ? await localUser(registry, found, host, env) : said) };
}

function nodeOf({ nodes, gateway }: Registry, id: string): Node {
  const node = nodes.get(id);
  if (node !== undefined) return node;
  throw wrongUsage(`there is no node ${id}`, propose(id, [gateway.id, ...nodes.keys()]));
}

/** The gateway of these definitions, at the address that it has for its callers. */
async function localNode(registry: Registry, env: Environment): Promise<{ node: Node; host: string }> {
  const { id, at, publicUrl } = registry.gateway;
  if (publicUrl === undefined && readAddress(registry, env).port === 0)
    throw new CliFailure('the port of the gateway is not known', { hint: 'PORT says which one it has taken.' });
  const base = reachable(await contractBaseOf(registry, undefined));
  const url = new URL(`${base}/PeopleSoftServiceListeningConnector`);
  return { node: { ...NODE_DEFAULTS, id, base: [literal(url.href)], at }, host: url.hostname.replace(/^\[|\]$/g, '') };
}

const literal = (text: string): ConfigText => ({ source: text, parts: [{ kind: 'literal', text }] });

/** `NAME:PASSWORD`, or a name with its password in the environment. */
function readUser(text: string, env: Environment): Credential {
  const colon = text.indexOf(':');
  if (colon >= 0) return { user: text.slice(0, colon), password: text.slice(colon + 1) };
  const password = env.SIGNALBOX_PASSWORD;
  if (password !== undefined && password !== '') return { user: text, password };
  throw wrongUsage(`the password of ${text} is missing`, '--user NAME:PASSWORD or SIGNALBOX_PASSWORD gives it.');
}

/**
 * Who calls the gateway of these definitions where nobody is named: the user of the environment, or of the sample where
 * only this machine can listen in. Neither is ever shown to another system.
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
  throw new CliFailure(`${operation.id} wants to know who calls`, {
    hint: '--user NAME:PASSWORD says it, or SIGNALBOX_USER and SIGNALBOX_PASSWORD.',
  });
}

/** A user of the sample whose password is its id, one that may call the operation before others. */
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
