import { lookup } from 'node:dns/promises';
import { request } from 'node:http';
import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SecureContext, connect as secure, type TLSSocket } from 'node:tls';
import type { ConfigText } from '../../model/definition.ts';
import { isSigning, type Node } from '../../model/node.ts';
import type { Redactor } from '../../model/redactor.ts';
import { duration } from '../../wire/duration.ts';
import { codeOf, messageOf } from '../../wire/error.ts';
import { Configuration } from '../configuration.ts';
import { credentialTexts, proofOf } from '../credential.ts';
import { bareMessage, type Called, InvokeError } from '../error.ts';
import { resolveBase } from '../http/address.ts';
import { endpointsOf, proxiesOf } from '../http/connection/endpoint.ts';
import { secureContextOf } from '../http/connection/tls.ts';
import { transportError } from '../http/transport-error.ts';
import { TIMEOUTS } from '../limits.ts';
import { PLACEHOLDER, standInAddress, standInFor } from '../stand-in.ts';
import { signerOf } from '../webhook.ts';
import { MessageSecurity } from '../ws-security.ts';
import { type CertificateFacts, certificateFacts, type NodePlaces, nodeAddress } from './facts.ts';
import { once, refusal, untrusted } from './handshake.ts';

/** The result of a test of a node's addresses. No request is sent: it ends where a call would send its first byte. */
export interface ConnectionTest {
  readonly node: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly at: string;
  readonly ms: number;
  /** No address has failed. */
  readonly ok: boolean;
  /** In the order of fail-over. */
  readonly addresses: readonly AddressTest[];
}

export type TestResult = 'ok' | 'failed' | 'skipped';

export interface AddressTest {
  /** Scheme, host and port; what the definitions have when the address refers to a secret. */
  readonly address: string;
  readonly result: TestResult;
  /** Those that were begun, in order; the last one has failed unless the result is `ok`. */
  readonly phases: readonly TestPhase[];
  /** What the target has shown in the TLS handshake, trusted or not. */
  readonly certificate?: CertificateFacts;
}

/** A step on the way to a request. */
export interface TestPhase {
  readonly phase: 'settings' | 'credential' | 'name' | 'connect' | 'proxy' | 'tls';
  readonly ms: number;
  readonly result: TestResult;
  /** What was found, or why it failed. Without secrets; it may quote the target. */
  readonly words: string;
  readonly hint?: string;
}

export interface TestOptions extends NodePlaces {
  readonly redactor: Redactor;
  /** Ends the test. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds of the longest test of an address, whatever the node allows for a connection. */
const LONGEST = 15_000;
/** Characters of the longest words of another system. */
const LONGEST_WORDS = 500;

/** Tests all addresses of a node at the same time. Never throws for what is wrong with the node. */
export async function testConnection(declared: Node, options: TestOptions): Promise<ConnectionTest> {
  const began = performance.now();
  const at = new Date().toISOString();
  const { env } = options;
  const standIn = standInAddress(declared, env);
  const node = standIn === undefined ? declared : standInFor(declared, standIn);
  const configuration = new Configuration(env, standIn === undefined ? undefined : PLACEHOLDER);
  const addresses = await Promise.all(
    node.base.map((text) => new AddressProbe(node, configuration, options).run(text)),
  );
  return {
    ...{ node: node.id, at, ms: performance.now() - began },
    ok: addresses.every(({ result }) => result !== 'failed'),
    addresses,
  };
}

/** Where connections to an address go. */
interface Way {
  readonly origin: URL;
  /** What is connected to: the target, what `resolve:` names, or a proxy. */
  readonly host: string;
  readonly port: number;
  /** Why it is not the host of the address. */
  readonly because?: string;
  readonly proxy?: URL;
  readonly secureContext: SecureContext | undefined;
}

/** A phase has failed, and is noted. */
class Stopped extends Error {}

class AddressProbe {
  readonly #node: Node;
  readonly #configuration: Configuration;
  readonly #options: TestOptions;
  readonly #called: Called;
  readonly #timeouts;
  readonly #limit: AbortSignal;
  readonly #phases: TestPhase[] = [];
  readonly #sockets: Socket[] = [];
  /** Names and addresses that only a secret has. */
  readonly #hidden: string[] = [];
  #hides = false;
  #certificate: CertificateFacts | undefined;

  constructor(node: Node, configuration: Configuration, options: TestOptions) {
    this.#node = node;
    this.#configuration = configuration;
    this.#options = options;
    this.#called = { operation: node.id, requestId: '' };
    this.#timeouts = { ...TIMEOUTS, ...node.timeouts };
    const limit = AbortSignal.timeout(this.#most);
    this.#limit = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  }

  async run(text: ConfigText): Promise<AddressTest> {
    const { reference, origin } = nodeAddress(text, this.#options.env);
    this.#hides = origin === undefined;
    let result: TestResult = 'ok';
    try {
      const way = await this.#phase('settings', async () => this.#wayTo(text));
      if (way === undefined) result = 'skipped';
      else {
        const checked = this.#node.credential && this.#phase('credential', async () => this.#checkCredential());
        // The way is worth knowing also when the credential is not set.
        await checked?.catch(() => (result = 'failed'));
        await this.#reach(way);
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      result = 'failed';
    } finally {
      // Not inside of an event of TLS, and the connection over another before that: Node 24 crashes otherwise.
      await nextTurn();
      for (const socket of this.#sockets.toReversed()) socket.destroy();
    }
    const certificate = this.#certificate;
    return {
      address: origin ?? reference,
      result,
      phases: this.#phases,
      ...(certificate === undefined ? {} : { certificate }),
    };
  }

  async #reach(way: Way): Promise<void> {
    const { origin, proxy } = way;
    const addresses = await this.#phase('name', () => this.#lookUp(way));
    let socket: Socket = await this.#phase('connect', () => this.#connect(way, addresses));
    if (proxy !== undefined) socket = await this.#phase('proxy', () => this.#tunnel(socket, way, proxy));
    if (origin.protocol === 'https:') await this.#phase('tls', () => this.#handshake(socket, way));
  }

  /** Runs a phase within the time of the test. @throws Stopped when it has failed */
  async #phase<T>(phase: TestPhase['phase'], work: () => Promise<Outcome<T>>): Promise<T> {
    const began = performance.now();
    const note = (result: TestResult, words: string, hint?: string): void => {
      const ms = performance.now() - began;
      this.#phases.push({ phase, ms, result, words: this.#shown(words), ...(hint === undefined ? {} : { hint }) });
    };
    try {
      const { value, words, isSkipped } = await this.#within(work());
      note(isSkipped === true ? 'skipped' : 'ok', words);
      return value;
    } catch (error) {
      const { words, hint } = this.#reasonOf(error, phase);
      note('failed', words, hint);
      throw new Stopped();
    }
  }

  #within<T>(work: Promise<T>): Promise<T> {
    const limit = this.#limit;
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new Late());
      if (limit.aborted) late();
      limit.addEventListener('abort', late);
      work.then(resolve, reject).finally(() => limit.removeEventListener('abort', late));
    });
  }

  #reasonOf(error: unknown, phase: TestPhase['phase']): { readonly words: string; readonly hint?: string | undefined } {
    if (error instanceof Late) {
      if (this.#options.signal?.aborted === true) return { words: 'the test was ended' };
      return { words: `${UNFINISHED[phase]} within ${duration(this.#most)}` };
    }
    const facts = { called: this.#called, node: this.#node.id, timeouts: this.#timeouts, signal: undefined };
    const proxied = phase === 'proxy';
    if (error instanceof InvokeError) return { words: bareMessage(error).replace(/\s*\n\s*/g, ' '), hint: error.hint };
    const known = transportError(error, { ...facts, proxied, phase: 'connect' });
    if (!(known instanceof InvokeError)) return { words: messageOf(error) };
    const [words = ''] = bareMessage(known).split('\n', 1);
    const own = systemWords(error);
    return { words: own === '' || words.includes(own) ? words : `${words} (${own})`, hint: known.hint };
  }

  /** Milliseconds. */
  get #most(): number {
    return Math.min(this.#timeouts.connect, LONGEST);
  }

  /** The words of other systems, without secrets, in one line. */
  #shown(words: string): string {
    const redactor = this.#options.redactor.knowing({ secrets: () => this.#hidden });
    const line = redactor.text(words).replace(/\s+/g, ' ').trim();
    return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line;
  }

  /** `undefined` when each call brings its host. @throws InvokeError CONFIGURATION */
  #wayTo(text: ConfigText): Outcome<Way | undefined> {
    const node = this.#node;
    const called = this.#called;
    const { caFile, certificate } = node;
    const files = certificate === undefined ? [] : [certificate.file, certificate.keyFile, certificate.passphrase];
    const texts = [text, caFile, ...files, ...node.resolve.values()].filter((each) => each !== undefined);
    const resolve = this.#configuration.resolve(texts, called);
    const base = resolveBase(text, 'the address', resolve, called);
    const secureContext = secureContextOf(node, { folder: this.#options.folder, resolve, called }, true);
    if (base.kind === 'scheme') {
      const words = `${base.scheme} is a scheme alone: each call brings its host, so there is no address to connect to`;
      return { value: undefined, words, isSkipped: true };
    }
    const origin = new URL(base.origin);
    const host = withoutBrackets(origin.hostname);
    const port = portOf(origin);
    if (this.#hides) this.#hidden.push(host);
    const words = 'all settings of the connection are complete';
    const endpoint = endpointsOf(node, resolve, called).get(host);
    if (endpoint !== undefined) {
      const because = `resolve: of the node names ${endpoint.host} in place of ${host}`;
      const to = { host: withoutBrackets(endpoint.host), port: Number(endpoint.port ?? port), because };
      return { value: { origin, ...to, secureContext }, words };
    }
    const named = proxiesOf(this.#options.env)(base.origin, called);
    if (named === undefined) return { value: { origin, host, port, secureContext }, words };
    const proxy = new URL(named);
    const to = { host: withoutBrackets(proxy.hostname), port: portOf(proxy), because: `a proxy is in between` };
    return { value: { origin, ...to, proxy, secureContext }, words };
  }

  /** Looks whether it could be sent. It is not. @throws InvokeError CONFIGURATION */
  #checkCredential(): Outcome<undefined> {
    const { id, credential } = this.#node;
    const resolve = this.#configuration.resolve(credentialTexts(this.#node), this.#called);
    if (credential?.kind === 'ws-security')
      new MessageSecurity(credential, {
        ...{ node: id, folder: this.#options.folder, resolve, called: this.#called, now: Date.now },
      });
    else if (isSigning(credential)) signerOf(credential, { node: id, resolve, now: Date.now, called: this.#called });
    else if (credential !== undefined && credential.kind !== 'client-credentials')
      proofOf(credential, id, resolve, this.#called);
    return { value: undefined, words: 'it is set; the test does not send it' };
  }

  async #lookUp({ host, because }: Way): Promise<Outcome<readonly LookupAddress[]>> {
    const family = isIP(host);
    const why = because === undefined ? '' : `${because}; `;
    if (family !== 0) return { value: [{ address: host, family }], words: `${why}${host} is an address` };
    const value = await lookup(host, { all: true });
    if (this.#hides) this.#hidden.push(...value.map(({ address }) => address));
    return { value, words: `${why}${host} is ${value.map(({ address }) => address).join(', ')}` };
  }

  async #connect({ host, port }: Way, addresses: readonly LookupAddress[]): Promise<Outcome<Socket>> {
    const known: LookupFunction = (_, { all }, found) => {
      const [first] = addresses;
      if (all === true) found(null, [...addresses]);
      else found(null, first?.address ?? '', first?.family);
    };
    const socket = this.#kept(openSocket({ host, port, lookup: known }));
    await once(socket, 'connect');
    return { value: socket, words: `${socket.remoteAddress ?? host} accepts connections at port ${port}` };
  }

  async #tunnel(socket: Socket, { origin }: Way, proxy: URL): Promise<Outcome<Socket>> {
    const host = withoutBrackets(proxy.hostname);
    const over = proxy.protocol === 'https:' ? this.#kept(secure({ socket, ...named(host) })) : socket;
    if (over !== socket) await once(over, 'secureConnect');
    const to = `${origin.hostname}:${portOf(origin)}`;
    const { username, password } = proxy;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const own = username === '' ? {} : { 'Proxy-Authorization': `Basic ${Buffer.from(user).toString('base64')}` };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({
        method: 'CONNECT',
        path: to,
        headers: { Host: to, ...own },
        createConnection: () => over,
      });
      sent.once('error', reject);
      sent.once('connect', ({ statusCode }) => resolve(statusCode));
      sent.end();
    });
    if (status !== 200) throw new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`);
    return { value: over, words: `the proxy at ${proxy.host} has opened a tunnel to ${to}` };
  }

  async #handshake(socket: Socket, { origin, secureContext }: Way): Promise<Outcome<undefined>> {
    const host = withoutBrackets(origin.hostname);
    // An untrusted certificate is described too, and then refused as a call would. No request is sent to any.
    const context = secureContext === undefined ? {} : { secureContext };
    const made = secure({ socket, ...named(host), ...context, rejectUnauthorized: false });
    const over = this.#kept(made) as TLSSocket;
    const ended = refusal(over);
    await once(over, 'secureConnect');
    const shown = over.getPeerX509Certificate();
    if (shown !== undefined) {
      const { subject, issuer, ...times } = certificateFacts(shown);
      this.#certificate = { subject: this.#shown(subject), issuer: this.#shown(issuer), ...times };
    }
    if (!over.authorized) throw untrusted(over, host);
    await ended;
    return {
      value: undefined,
      words: `${over.getProtocol()} with ${over.getCipher().standardName}; the certificate is trusted`,
    };
  }

  #kept<T extends Socket>(socket: T): T {
    this.#sockets.push(socket);
    // A socket may fail after the phase that has waited for it.
    socket.on('error', () => {});
    return socket;
  }
}

interface Outcome<T> {
  readonly value: T;
  readonly words: string;
  readonly isSkipped?: true;
}

interface LookupAddress {
  readonly address: string;
  readonly family: number;
}

/** The time of the test is over, or its caller has gone. */
class Late extends Error {}

const UNFINISHED: Readonly<Record<TestPhase['phase'], string>> = {
  settings: 'the settings were not read',
  credential: 'the credential was not read',
  name: 'the name was not resolved',
  connect: 'no connection was made: nothing answers at the address, or a firewall drops what is sent there',
  proxy: 'the proxy has opened no tunnel',
  tls: 'the TLS handshake was not completed: what listens at the address may not speak TLS, or is overloaded',
};

/** The words of the system: `connect ECONNREFUSED 127.0.0.1:9`. Several addresses were tried for an AggregateError. */
function systemWords(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  const words = messageOf(error);
  return codeOf(error) === '' ? '' : words;
}

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

const portOf = ({ protocol, port }: URL): number => Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port);

/** The name that TLS asks for: none for an address (RFC 6066, section 3), which is still compared with the certificate. */
const named = (host: string) => (isIP(host) === 0 ? { host, servername: host } : { host });
