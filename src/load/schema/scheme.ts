import {
  description,
  duration,
  headerName,
  idItem,
  type JsonSchema,
  keys,
  matching,
  text,
  texts,
  word,
} from './json-schema.ts';
import { fileText } from './tls.ts';

export interface BearerDeclared {
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly jwks: string;
  readonly algorithms?: readonly string[];
  readonly scopes?: readonly string[];
  readonly tolerance?: string;
  readonly user?: string;
  readonly users?: 'known' | 'any';
  readonly claim?: string;
  readonly roles?: Readonly<Record<string, string | readonly string[]>>;
}

/** Tokens that an issuer vouches for. */
const bearer: JsonSchema = keys<keyof BearerDeclared>(
  {
    required: ['issuer', 'audience', 'jwks'],
    description: 'A signed JSON Web Token as bearer token (RFC 6750, RFC 7519).',
    examples: [
      {
        issuer: 'https://login.example.org/',
        audience: 'signalbox',
        jwks: 'https://login.example.org/jwks.json',
        roles: { 'orders.read': ['CLERK'] },
      },
    ],
  },
  {
    issuer: text(
      'Who issues the tokens: what `iss` must say. May refer to configuration.',
      'https://login.example.org/',
    ),
    audience: {
      title: 'a text or a list of them',
      type: ['string', 'array'],
      minLength: 1,
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      uniqueItems: true,
      description: 'For whom: one of these must stand in `aud`. May refer to configuration.',
      examples: ['signalbox', ['signalbox', '${env:AUDIENCE}']],
    },
    jwks: text(
      "The issuer's keys (JSON Web Key Set, RFC 7517): https://, http:// on this machine, or a file inside the project. May refer to configuration.",
      'https://login.example.org/jwks.json',
      'certificates/keys.json',
    ),
    algorithms: texts(
      'Signature algorithms that are taken (RFC 7518, RFC 8037), asymmetric ones alone: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519. Without it RS256.',
      'RS256',
      'ES256',
    ),
    scopes: {
      type: 'array',
      items: {
        title: 'a scope',
        type: 'string',
        pattern: '^[!#-\\[\\]-~]+$',
        examples: ['orders.read'],
      },
      uniqueItems: true,
      description: 'Scopes that every token must hold, in `scope` or `scp`.',
      examples: [['orders.read']],
    },
    tolerance: {
      ...duration,
      description: 'By how much clocks may differ; ten minutes at most.',
      default: '30 s',
      examples: ['10 s'],
    },
    user: { ...text('The claim that names the user.', 'preferred_username'), default: 'sub' },
    users: word(
      ['any', 'known'],
      'Who may call: `any` whom the issuer vouches for, or `known` users alone, those of definitions and of the database, whose own roles hold too.',
      { default: 'any' },
    ),
    claim: {
      ...text('The claim whose values give roles, a path with dots.', 'realm_access.roles'),
      default: 'scope',
    },
    roles: {
      type: 'object',
      additionalProperties: {
        title: 'a role or several',
        type: ['string', 'array'],
        minLength: 1,
        items: idItem('role-id'),
        minItems: 1,
        uniqueItems: true,
        examples: ['CLERK', ['CLERK', 'AUDITOR']],
      },
      description: "Roles by the claim's values.",
      examples: [{ 'orders.read': 'CLERK' }, { 'orders.write': ['CLERK', 'BUYER'] }],
    },
  },
);

/** One of the keys beside the description, where nothing is wrong. */
export interface SchemeDeclared {
  readonly description?: string;
  readonly basic?: object;
  readonly 'api-key'?: { readonly header: string };
  readonly bearer?: BearerDeclared;
  readonly 'client-certificate'?: { readonly header?: string };
  readonly 'username-token'?: {
    readonly passwords?: readonly ('text' | 'digest')[];
    readonly 'max-age'?: string;
  };
  readonly signature?: SignatureDeclared;
}

export interface SignatureDeclared {
  readonly 'max-age'?: string;
  readonly algorithms?: readonly string[];
  readonly digests?: readonly string[];
  readonly ca?: string;
}

const usernameToken = keys<keyof NonNullable<SchemeDeclared['username-token']>>(
  {
    description:
      'A user and a password inside a SOAP message (WS-Security UsernameToken Profile 1.1.1). A digest is made of the shared secret of the user.',
    examples: [{ passwords: ['digest'], 'max-age': '5 min' }],
  },
  {
    passwords: {
      type: 'array',
      items: { type: 'string', enum: ['text', 'digest'] },
      minItems: 1,
      uniqueItems: true,
      description: 'Forms of the password that are taken; `text` over TLS or from this machine alone. Without it both.',
      examples: [['digest']],
    },
    'max-age': {
      ...duration,
      description: 'How long a digest holds from when it was made, and how long its nonce is refused; an hour at most.',
      default: '5 min',
      examples: ['2 min'],
    },
  },
);

const signature = keys<keyof SignatureDeclared>(
  {
    description:
      'An XML signature over Body and Timestamp of a SOAP message, with an X.509 certificate (WS-Security X.509 Token Profile 1.1.1).',
    examples: [{ algorithms: ['rsa-sha256'], ca: 'certificates/partners.pem' }],
  },
  {
    'max-age': {
      ...duration,
      description: 'How long a message holds from when it was signed; an hour at most.',
      default: '5 min',
      examples: ['2 min'],
    },
    algorithms: texts(
      'Signature algorithms that are taken: rsa-sha256, rsa-pss-sha256, ecdsa-sha256, and each of them with sha384 and sha512. Without it rsa-sha256.',
      'rsa-sha256',
      'rsa-sha512',
    ),
    digests: texts('Digest algorithms that are taken: sha256, sha384, sha512. Without it sha256.', 'sha256', 'sha512'),
    ca: {
      ...fileText,
      description:
        'File with authorities (PEM) whose certificates are known by their subject. Without it a certificate is known by its fingerprint alone. May refer to configuration.',
      examples: ['certificates/partners.pem'],
    },
  },
);

export const scheme = keys<'scheme' | keyof SchemeDeclared>(
  {
    title: 'scheme',
    description:
      'What a caller shows: one of the keys `basic`, `api-key`, `bearer`, `client-certificate`, `username-token` and `signature`. `requires` of the gateway, a service or an operation names it. `basic` alone needs no definition.',
    required: ['scheme'],
    examples: [
      {
        scheme: 'LOGIN',
        bearer: {
          issuer: 'https://login.example.org/',
          audience: 'signalbox',
          jwks: 'https://login.example.org/jwks.json',
          roles: { 'orders.read': ['CLERK'] },
        },
      },
      { scheme: 'PARTNER_KEY', 'api-key': { header: 'X-Api-Key' } },
    ],
  },
  {
    scheme: matching('a name', '^[A-Za-z][A-Za-z0-9_-]*$', 'Its id.', 'PARTNER_KEY'),
    description,
    basic: keys({ description: 'A user and a password (HTTP Basic, RFC 7617).', examples: [{}] }, {}),
    'api-key': keys(
      {
        required: ['header'],
        description: "A key in a header of its own. Its hash stands among a user's `api-keys`, or in the database.",
        examples: [{ header: 'X-Api-Key' }],
      },
      { header: headerName('The header that carries it: none that belongs to the protocol.', 'X-Api-Key') },
    ),
    bearer,
    'client-certificate': keys(
      {
        description:
          "A certificate of the caller's own: of its TLS connection (`tls.client-ca` of the gateway), or as a proxy of the gateway's `proxies` hands it on.",
        examples: [{ header: 'Client-Cert' }, {}],
      },
      {
        header: headerName(
          'The header in which a proxy hands it on: `Client-Cert` (RFC 9440), or another with PEM, percent-encoded.',
          'Client-Cert',
        ),
      },
    ),
    'username-token': usernameToken,
    signature,
  },
);
