import type { ConfigText } from '../model/definition.ts';
import {
  type ClientCertificate,
  type MessageSigner,
  NODE_DEFAULTS,
  type Node,
  type NodeCredential,
  type NodeTimeouts,
  type ReplySignature,
  type UsernameToken,
} from '../model/node.ts';
import { CALL_RETRY } from '../model/retry.ts';
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../model/security.ts';
import type { Service } from '../model/service.ts';
import { certificateName } from '../wire/certificate.ts';
import { parseSocketAddress } from '../wire/network-address.ts';
import { carriesCredential, isWrittenByCalls } from '../wire/request-headers.ts';
import type { Place } from './diagnostic/diagnostic.ts';
import { declarationsOf, type Linking, linkEach, refuseKey } from './linking.ts';
import { given } from './object.ts';
import type { HmacDeclared } from './schema/hmac.ts';
import { defaultsOf, type TextsDeclared } from './schema/json-schema.ts';
import {
  type ClientCredentialsDeclared,
  type CredentialDeclared,
  clientCredentials,
  type MessageSignerDeclared,
  type NodeDeclared,
  type ReplySignatureDeclared,
  redirectsMap,
  type UsernameTokenDeclared,
  usernameToken,
} from './schema/node.ts';
import type { CertificateDeclared } from './schema/tls.ts';
import { linkHmac } from './security/hmac.ts';
import { linkAcceptedSignature, linkAlgorithm } from './security/schemes.ts';
import {
  baseFault,
  isSecretName,
  linkAddress,
  linkFile,
  linkSecret,
  linkSecrets,
  secureEndpointFault,
} from './value/address.ts';
import { literalOf, parseConfigText, parseConfigTexts } from './value/config-text.ts';
import { linkRateText } from './value/limits.ts';
import { linkRetry } from './value/retry.ts';
import { linkDuration, TIMER_OR_NONE } from './value/units.ts';

/** Links every node. */
export function linkNodes(linking: Linking): Map<string, Node> {
  return linkEach<NodeDeclared, Node>(linking, 'node', ({ id, value }) => ({
    base: linkBase(linking, value),
    resolve: linkResolve(linking, value.resolve ?? {}),
    timeouts: linkTimeouts(linking, value.timeouts ?? {}),
    circuit: linkCircuit(linking, value.circuit ?? {}, id),
    ...linkRedirects(value.redirects),
    ...linkTls(linking, value),
    ...given({
      credential: linkCredential(linking, value, id),
      retry: linkRetry(linking, value, CALL_RETRY),
      rate: linkRateText(linking, value),
      concurrency: value.concurrency,
      lenient: value.lenient,
    }),
  }));
}

const REDIRECTS = defaultsOf(redirectsMap);

function linkRedirects(declared: NodeDeclared['redirects']): Pick<Node, 'redirects' | 'redirectsPost'> {
  if (typeof declared !== 'object') return { redirects: declared ?? NODE_DEFAULTS.redirects };
  const { most, post } = { ...REDIRECTS, ...declared };
  return { redirects: most, ...(post ? { redirectsPost: true } : {}) };
}

function linkBase(linking: Linking, value: NodeDeclared): Node['base'] {
  const { places } = linking;
  const { base } = value;
  const rule = { name: 'base', fault: baseFault } as const;
  return typeof base === 'string'
    ? [linkAddress(linking, base, places.value(value, 'base'), rule)]
    : base.map((source, index) => linkAddress(linking, source, places.value(base, index), rule));
}

function linkTimeouts(linking: Linking, declared: NonNullable<NodeDeclared['timeouts']>): Partial<NodeTimeouts> {
  return given({
    connect: linkDuration(linking, declared, 'timeouts.connect'),
    head: linkDuration(linking, declared, 'timeouts.head'),
    idle: linkDuration(linking, declared, 'timeouts.idle'),
    reply: linkDuration(linking, declared, 'timeouts.reply'),
    call: linkDuration(linking, declared, 'timeouts.call'),
  });
}

function linkCircuit(linking: Linking, declared: NonNullable<NodeDeclared['circuit']>, id: string): Node['circuit'] {
  const { failures = NODE_DEFAULTS.circuit.failures } = declared;
  if (failures === 0)
    refuseKey(linking, declared, 'reset', `circuit of node ${id}`, '`failures: 0` disables the circuit breaker');
  return { failures, reset: linkDuration(linking, declared, 'circuit.reset') ?? NODE_DEFAULTS.circuit.reset };
}

type Of<K extends NodeCredential['kind']> = Extract<NodeCredential, { readonly kind: K }>;

/** The credential of calls to a node, if any. */
function linkCredential(linking: Linking, value: NodeDeclared, id: string): NodeCredential | undefined {
  const { credential } = value;
  if (credential === undefined) return undefined;
  const { report, places } = linking;
  const linkerOf = (key: string) => CREDENTIALS[key as keyof CredentialDeclared];
  const declared = Object.keys(CREDENTIALS).filter((key) => Object.hasOwn(credential, key));
  const linkers = new Set(declared.map(linkerOf));
  const linked = [...linkers].map((link) => link(linking, credential)).filter((each) => each !== undefined);
  if ((credential.webhook !== undefined || credential.hmac !== undefined) && value.redirects !== 0)
    refuseKey(linking, value, 'redirects', `node ${id}`, 'a signed request is for one address and follows no redirect');
  const [first = '', ...others] = Object.keys(credential);
  const second = others.find((each) => linkerOf(each) !== linkerOf(first));
  if (second !== undefined) {
    report.raise('two-credentials', { node: id, first, second }, places.key(credential, second));
  }
  return linked[0];
}

type LinkCredential = (linking: Linking, credential: CredentialDeclared) => NodeCredential | undefined;

/** What links each key of a credential; those with the same function are one credential: parts of one header block. */
const CREDENTIALS: { readonly [K in keyof Required<CredentialDeclared>]: LinkCredential } = {
  basic: (linking, { basic }) => basic && linkBasic(linking, basic),
  bearer: (linking, credential) => {
    const token = linkSecret(linking, credential, 'bearer', 'A token');
    return token && { kind: 'bearer', token };
  },
  'api-key': (linking, { 'api-key': apiKey }) => apiKey && linkApiKey(linking, apiKey),
  'client-credentials': (linking, { 'client-credentials': grant }) => grant && linkGrant(linking, grant),
  webhook: linkWebhook,
  hmac: (linking, { hmac }) => hmac && linkSignedHeaders(linking, hmac),
  'username-token': linkWsSecurity,
  timestamp: linkWsSecurity,
  signature: linkWsSecurity,
  'reply-signature': linkWsSecurity,
};

/** Milliseconds for which the Timestamp of a signed message is valid. */
const SIGNED_FOR = 5 * 60_000;

function linkWsSecurity(linking: Linking, credential: CredentialDeclared): Of<'ws-security'> {
  const { 'username-token': token, signature, 'reply-signature': reply } = credential;
  const timestamp = linkDuration(linking, credential, 'timestamp', TIMER_OR_NONE) ?? (signature && SIGNED_FOR);
  if (timestamp === 0 && token === undefined && signature === undefined && reply === undefined) {
    const reason = 'is no Timestamp at 0 s, and the credential has nothing else';
    const { report, places } = linking;
    report.raise(
      'bad-value',
      { name: 'credential.timestamp', reason, examples: ['5 m'] },
      places.value(credential, 'timestamp'),
    );
  }
  return {
    kind: 'ws-security',
    ...given({
      usernameToken: token && linkUsernameToken(linking, token),
      timestamp: timestamp === 0 ? undefined : timestamp,
      signature: signature && linkSigner(linking, signature),
      replySignature: reply && linkReplySignature(linking, reply, signature !== undefined),
    }),
  };
}

function linkUsernameToken(linking: Linking, declared: UsernameTokenDeclared): UsernameToken {
  const { report, places } = linking;
  const { digest } = { ...defaultsOf(usernameToken), ...declared };
  const password = linkSecret(linking, declared, 'password', 'A password');
  if (digest && password === undefined) {
    const reason = 'is the hash of a password, and there is no `password`';
    report.raise(
      'bad-value',
      {
        name: 'credential.username-token.digest',
        reason,
        examples: ['{ user: signalbox, password: "${secret:PARTNER_PASSWORD}", digest: true }'],
      },
      places.value(declared, 'digest'),
    );
  }
  return { user: parseConfigText(declared.user).text, ...given({ password }), digest };
}

const SIGNATURE = 'credential.signature';

function linkSigner(linking: Linking, declared: MessageSignerDeclared): MessageSigner {
  const algorithm = linkAlgorithm(linking, declared, 'algorithm', SIGNATURE, SIGNATURE_ALGORITHMS);
  const digest = linkAlgorithm(linking, declared, 'digest', SIGNATURE, DIGEST_ALGORITHMS);
  const reference = declared.reference === 'token' ? undefined : declared.reference;
  const token = declared.token === 'included' && reference === undefined ? undefined : declared.token;
  return { ...linkCertificate(linking, declared), ...given({ algorithm, digest, reference, token }) };
}

const REPLY = 'credential.reply-signature';

/** @param signs whether requests are signed */
function linkReplySignature(linking: Linking, declared: ReplySignatureDeclared, signs: boolean): ReplySignature {
  const { report, places } = linking;
  const { certificate, ca, subject, confirmation } = declared;
  const bad = (key: keyof ReplySignatureDeclared & string, reason: string, examples: readonly string[]): void =>
    report.raise('bad-value', { name: `${REPLY}.${key}`, reason, examples }, places.key(declared, key));
  if (certificate === undefined && ca === undefined) {
    const reason = 'has neither `certificate` nor `ca`, so that no signature would be trusted';
    const examples = ['{ certificate: certificates/partner.pem }'];
    report.raise('bad-value', { name: REPLY, reason, examples }, places.start(declared));
  }
  if (certificate !== undefined && ca !== undefined) bad('ca', 'is in place of `certificate`, and both are there', []);
  if (ca !== undefined && subject === undefined)
    bad('ca', 'needs `subject`: without it, everyone with a certificate of the authority could sign', []);
  if (confirmation === true && !signs)
    bad('confirmation', 'needs `signature`: without it, nothing is there to confirm', []);
  if (ca === undefined && subject !== undefined) bad('subject', 'has a meaning with `ca` only', []);
  const name = subject === undefined ? undefined : certificateName(subject);
  if (name instanceof Error) bad('subject', `is not a name (RFC 4514): ${name.message}`, ['CN=partner,O=Example,C=DE']);
  return {
    ...linkAcceptedSignature(linking, declared, REPLY),
    ...given({
      certificateFile: linkFile(linking, declared, 'certificate'),
      caFile: linkFile(linking, declared, 'ca'),
      subject: name instanceof Error ? undefined : name,
      confirmation,
    }),
  };
}

function linkWebhook(linking: Linking, credential: CredentialDeclared): Of<'webhook'> {
  return { kind: 'webhook', secrets: linkSecrets(linking, credential, 'webhook', 'A secret of webhooks') };
}

/** The headers are those that the partner has chosen, not those of the protocol, nor those that every call has. */
function linkSignedHeaders(linking: Linking, declared: HmacDeclared): Of<'hmac'> {
  const { report, places } = linking;
  for (const key of ['header', 'timestamp', 'id'] as const) {
    const header = declared[key];
    if (header === undefined) continue;
    const name = header.toLowerCase();
    if (key === 'header' ? carriesCredential(name) : !isWrittenByCalls(name)) continue;
    report.raise('credential-header', { header }, places.value(declared, key));
  }
  return { kind: 'hmac', ...linkHmac(linking, declared, 'credential.hmac') };
}

function linkBasic(linking: Linking, basic: NonNullable<CredentialDeclared['basic']>): Of<'basic'> {
  const { report, places } = linking;
  const user = parseConfigText(basic.user).text;
  if (user.parts.some((part) => part.kind === 'literal' && part.text.includes(':'))) {
    const reason = 'contains a colon, which would end it';
    report.raise('bad-value', { name: 'credential.basic.user', reason, examples: [] }, places.value(basic, 'user'));
  }
  return { kind: 'basic', user, password: linkSecret(linking, basic, 'password', 'A password') };
}

function linkApiKey(linking: Linking, apiKey: NonNullable<CredentialDeclared['api-key']>): Of<'api-key'> {
  const { report, places } = linking;
  const { header } = apiKey;
  const name = header.toLowerCase();
  const inAuthorization = name === 'authorization';
  if (!carriesCredential(name)) report.raise('credential-header', { header }, places.value(apiKey, 'header'));
  // In Authorization, a scheme precedes the key (RFC 9110 section 11.6.2).
  const scheme = inAuthorization ? /^[A-Za-z][A-Za-z0-9-]* +(?=\$\{)/ : undefined;
  return { kind: 'api-key', header, value: linkSecret(linking, apiKey, 'value', 'A key', scheme) };
}

/** Fields of a token request that the grant itself sets (RFC 6749 sections 2.3.1 and 4.4.2). */
const GRANT_FIELDS = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);

/** Scopes separated by single spaces (RFC 6749 section 3.3). */
const SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

function linkGrant(linking: Linking, grant: ClientCredentialsDeclared): Of<'client-credentials'> {
  const { report, places } = linking;
  const tokenUrl = linkAddress(linking, grant['token-url'], places.value(grant, 'token-url'), {
    name: 'token-url',
    // RFC 6749 section 3.2: token requests use TLS.
    fault: (text) => secureEndpointFault(text, 'the client secret would be sent in clear text'),
  });
  const scope = grant.scope === undefined ? undefined : parseConfigText(grant.scope).text;
  const scopes = scope && literalOf(scope);
  if (scopes !== undefined && scopes !== '' && !SCOPES.test(scopes)) {
    const reason = 'is not a list of scopes separated by single spaces';
    const bad = { name: 'credential.client-credentials.scope', reason, examples: ['orders.read orders.write'] };
    report.raise('bad-value', bad, places.value(grant, 'scope'));
  }
  const { parameters = {} } = grant;
  for (const name of Object.keys(parameters)) {
    const why = 'the grant itself sets that field of the token request';
    if (GRANT_FIELDS.has(name)) report.raise('reserved-name', { name, why }, places.key(parameters, name));
    if (isSecretName(name)) linkSecret(linking, parameters, name, `The parameter ${name}`);
  }
  return {
    kind: 'client-credentials',
    tokenUrl,
    clientId: parseConfigText(grant['client-id']).text,
    clientSecret: linkSecret(linking, grant, 'client-secret', 'A client secret'),
    ...given({ scope }),
    parameters: parseConfigTexts(parameters),
    authentication: grant.authentication ?? defaultsOf(clientCredentials).authentication,
  };
}

/** The CA certificates and the client certificate for TLS to a node. */
function linkTls(linking: Linking, value: NodeDeclared): Pick<Node, 'caFile' | 'certificate'> {
  const { certificate } = value;
  return given({
    caFile: linkFile(linking, value, 'ca-file'),
    certificate: certificate && linkCertificate(linking, certificate),
  });
}

function linkCertificate(linking: Linking, certificate: CertificateDeclared): ClientCertificate {
  return {
    file: linkFile(linking, certificate, 'file'),
    keyFile: linkFile(linking, certificate, 'key-file'),
    ...given({ passphrase: linkSecret(linking, certificate, 'passphrase', 'A passphrase') }),
  };
}

/** Addresses to connect to, by host name in lower case. Literal addresses are checked. */
function linkResolve({ report, places }: Linking, declared: TextsDeclared): ReadonlyMap<string, ConfigText> {
  const resolve = new Map<string, ConfigText>();
  const spelled = new Map<string, string>();
  for (const [host, source] of Object.entries(declared)) {
    const name = host.toLowerCase();
    const other = spelled.get(name);
    if (other !== undefined) {
      report.raise('host-twice', { host, other }, places.key(declared, host));
      continue;
    }
    const { text, bad } = parseConfigText(source);
    const address = bad.length > 0 ? undefined : literalOf(text);
    if (address !== undefined && address !== '' && parseSocketAddress(address) === undefined) {
      const reason = `${address} is not an IP address with or without a port`;
      report.raise('bad-resolve', { host, reason }, places.value(declared, host));
    }
    spelled.set(name, host);
    resolve.set(name, text);
  }
  return resolve;
}

/** A node and a service are at the same position of a path, so their names must differ. */
export function checkNodeNames(linking: Linking, services: Iterable<Service>): void {
  const taken = new Map<string, string>();
  for (const service of services) {
    // A service that is only called has no path here.
    if (service.operations.length === 0 && service.consumers.length > 0) continue;
    taken.set(service.name, service.id);
    for (const { pathName, id } of service.operations) if (!taken.has(pathName)) taken.set(pathName, `operation ${id}`);
  }
  const check = (name: string, at: Place): void => {
    const user = taken.get(name);
    if (name.includes('.'))
      linking.report.raise('node-name', { name, reason: 'it contains a dot, as services in a path do' }, at);
    else if (user !== undefined)
      linking.report.raise('node-name', { name, reason: `${user} has that name in paths` }, at);
  };
  for (const { id, at } of declarationsOf(linking, 'gateway')) check(id, at);
  const gateways = linking.declared.of('gateway');
  for (const { id, at } of declarationsOf(linking, 'node')) {
    check(id, at);
    if (gateways.has(id))
      linking.report.raise('node-name', { name: id, reason: 'it is the name of the gateway itself' }, at);
  }
}
