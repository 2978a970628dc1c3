import type { NodeCredential } from '../../model/node.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { NodeDeclared } from '../schema/node.ts';
import type { ClientCredentialsDeclared, CredentialDeclared } from '../schema/node-credential.ts';
import { linkAddress, secureEndpointFault } from '../value/address.ts';
import { literalOf, parseConfigText, parseConfigTexts } from '../value/config-text.ts';
import { OWN_HEADERS } from '../value/headers.ts';
import { isSecretName, linkSecret } from '../value/secrets.ts';

type Of<K extends NodeCredential['kind']> = Extract<NodeCredential, { readonly kind: K }>;

/** What calls to a node show: one credential, or none. */
export function linkCredential(linking: Linking, { credential }: NodeDeclared, id: string): NodeCredential | undefined {
  if (credential === undefined) return undefined;
  const { report, places } = linking;
  const { basic, bearer, 'api-key': apiKey, 'client-credentials': grant } = credential;
  const linked = [
    basic && linkBasic(linking, basic),
    bearer === undefined ? undefined : linkBearer(linking, credential),
    apiKey && linkApiKey(linking, apiKey),
    grant && linkGrant(linking, grant),
  ].filter((each) => each !== undefined);
  const [first = '', second] = Object.keys(credential);
  if (second !== undefined) {
    report.raise('two-credentials', { node: id, first, second }, places.key(credential, second));
  }
  return linked[0];
}

function linkBasic(linking: Linking, basic: NonNullable<CredentialDeclared['basic']>): Of<'basic'> {
  const { report, places } = linking;
  const user = parseConfigText(basic.user).text;
  if (user.parts.some((part) => part.kind === 'literal' && part.text.includes(':'))) {
    const reason = 'holds a colon, which would end it';
    report.raise('bad-value', { name: 'credential.basic.user', reason, examples: [] }, places.value(basic, 'user'));
  }
  return { kind: 'basic', user, password: linkSecret(linking, basic, 'password', 'A password') };
}

function linkBearer(linking: Linking, credential: CredentialDeclared): Of<'bearer'> {
  return { kind: 'bearer', token: linkSecret(linking, credential, 'bearer', 'A token') };
}

function linkApiKey(linking: Linking, apiKey: NonNullable<CredentialDeclared['api-key']>): Of<'api-key'> {
  const { report, places } = linking;
  const { header } = apiKey;
  const name = header.toLowerCase();
  const inAuthorization = name === 'authorization';
  if (OWN_HEADERS.has(name) && !inAuthorization)
    report.raise('credential-header', { header }, places.value(apiKey, 'header'));
  // There a scheme stands before the key (RFC 9110 section 11.6.2).
  const scheme = inAuthorization ? /^[A-Za-z][A-Za-z0-9-]* +(?=\$\{)/ : undefined;
  return { kind: 'api-key', header, value: linkSecret(linking, apiKey, 'value', 'A key', scheme) };
}

/** Fields of a token request that the grant itself fills (RFC 6749 sections 2.3.1 and 4.4.2). */
const GRANT_FIELDS = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);

/** Scopes with one blank between them (RFC 6749 section 3.3). */
const SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

function linkGrant(linking: Linking, grant: ClientCredentialsDeclared): Of<'client-credentials'> {
  const { report, places } = linking;
  const tokenUrl = linkAddress(linking, grant['token-url'], places.value(grant, 'token-url'), {
    name: 'token-url',
    // RFC 6749 section 3.2: requests for tokens are made over TLS.
    fault: (text) => secureEndpointFault(text, 'the client secret would travel in clear'),
  });
  const scope = grant.scope === undefined ? undefined : parseConfigText(grant.scope).text;
  const scopes = scope && literalOf(scope);
  if (scopes !== undefined && scopes !== '' && !SCOPES.test(scopes)) {
    const reason = 'is not scopes with one blank between them';
    const bad = { name: 'credential.client-credentials.scope', reason, examples: ['orders.read orders.write'] };
    report.raise('bad-value', bad, places.value(grant, 'scope'));
  }
  const { parameters = {} } = grant;
  for (const name of Object.keys(parameters)) {
    const why = 'the grant itself fills that field of the request for a token';
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
    authentication: grant.authentication ?? 'basic',
  };
}
