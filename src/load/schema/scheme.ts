import { type HmacDeclared, hmacKeys } from './hmac.ts';
import {
  description,
  filePath,
  headerName,
  idItem,
  type JsonSchema,
  keys,
  matching,
  text,
  textOrTexts,
  texts,
  time,
  word,
} from './json-schema.ts';

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

export const bearer = keys(
  {
    required: ['issuer', 'audience', 'jwks'],
    description: 'A signed JSON Web Token as a bearer token (RFC 6750, RFC 7519).',
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
      'The issuer of the tokens: the required value of `iss`. May refer to configuration.',
      'https://login.example.org/',
    ),
    audience: textOrTexts(
      'a text',
      'The audience: `aud` must contain one of these. May refer to configuration.',
      'signalbox',
      ['signalbox', '${env:AUDIENCE}'],
    ),
    jwks: text(
      'Keys of the issuer (JSON Web Key Set, RFC 7517): https://, http:// on this machine, or a file in the project. May refer to configuration.',
      'https://login.example.org/jwks.json',
      'certificates/keys.json',
    ),
    algorithms: texts(
      'Accepted signature algorithms (RFC 7518, RFC 8037), which are all asymmetric: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519. The default is RS256.',
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
      description: 'Scopes that every token must contain, in `scope` or `scp`.',
      examples: [['orders.read']],
    },
    tolerance: time('Tolerated difference between clocks, at most ten minutes.', '30 s', '10 s'),
    user: { ...text('The claim with the name of the user.', 'preferred_username'), default: 'sub' },
    users: word(
      ['any', 'known'],
      'Who may call: `any` user that the issuer vouches for, or only `known` users, in the definitions or the database, whose own roles then also apply.',
      { default: 'any' },
    ),
    claim: {
      ...text('The claim whose values give roles, as a path with dots.', 'realm_access.roles'),
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
      description: 'Roles by value of the claim.',
      examples: [{ 'orders.read': 'CLERK' }, { 'orders.write': ['CLERK', 'BUYER'] }],
    },
  } satisfies Record<keyof BearerDeclared, JsonSchema>,
);

/** Exactly one of the keys besides the description in a valid definition. */
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
  readonly webhook?: WebhookDeclared;
  readonly hmac?: HmacSchemeDeclared;
}

export interface WebhookDeclared {
  readonly user: string;
  readonly secrets: string | readonly string[];
  readonly tolerance?: string;
}

export interface HmacSchemeDeclared extends HmacDeclared {
  readonly user: string;
  readonly tolerance?: string;
}

export interface SignatureDeclared {
  readonly 'max-age'?: string;
  readonly algorithms?: readonly string[];
  readonly digests?: readonly string[];
  readonly ca?: string;
  readonly certificates?: string;
}

export const usernameToken = keys(
  {
    description:
      'A user and a password inside a SOAP message (WS-Security UsernameToken Profile 1.1.1). A digest is computed from the shared secret of the user.',
    examples: [{ passwords: ['digest'], 'max-age': '5 m' }],
  },
  {
    passwords: {
      type: 'array',
      items: { type: 'string', enum: ['text', 'digest'] },
      minItems: 1,
      uniqueItems: true,
      description:
        'Accepted forms of the password. `text` requires TLS or a caller on this machine. The default is both.',
      examples: [['digest']],
    },
    'max-age': time(
      'How long a digest is valid after its creation, and how long its nonce is rejected; at most one hour.',
      '5 m',
      '2 m',
    ),
  } satisfies Record<keyof NonNullable<SchemeDeclared['username-token']>, JsonSchema>,
);

export const signature = keys(
  {
    description:
      'An XML signature over the Body and Timestamp of a SOAP message, with an X.509 certificate (WS-Security X.509 Token Profile 1.1.1).',
    examples: [{ algorithms: ['rsa-sha256'], ca: 'certificates/partners.pem' }],
  },
  {
    'max-age': time('How long a message is valid after it was signed; at most one hour.', '5 m', '2 m'),
    algorithms: texts(
      'Accepted signature algorithms: rsa-sha256, rsa-pss-sha256, ecdsa-sha256, and each of them with sha384 and sha512; rsa-sha1, which is weak. The default is rsa-sha256.',
      'rsa-sha256',
      'rsa-sha512',
    ),
    digests: texts(
      'Accepted digest algorithms: sha256, sha384, sha512; sha1, which is weak. The default is sha256.',
      'sha256',
      'sha512',
    ),
    ca: filePath(
      'File with CA certificates (PEM). Certificates that they issue are identified by their subject, all others only by their fingerprint. May refer to configuration.',
      'certificates/partners.pem',
    ),
    certificates: filePath(
      'File with certificates (PEM) of callers, which messages may then name by issuer and serial number, thumbprint or key identifier instead of containing them. Who a certificate belongs to is decided as for others: by the `certificates` of users. May refer to configuration.',
      'certificates/callers.pem',
    ),
  } satisfies Record<keyof SignatureDeclared, JsonSchema>,
);

export const webhook = keys(
  {
    required: ['user', 'secrets'],
    description:
      'A signature of the whole request over REST, as Standard Webhooks has it, in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. Each webhook is accepted once.',
    examples: [{ user: 'shop', secrets: '${secret:SHOP_WEBHOOK_SECRET}' }],
  },
  {
    user: text('The user who sends the webhooks, in the definitions or the database.', 'shop'),
    secrets: textOrTexts(
      'a secret',
      'References to `whsec_` with 24 to 64 bytes in base64 (HMAC-SHA256), or to `whpk_` with an Ed25519 public key in base64. A signature of any of them is enough.',
      '${secret:SHOP_WEBHOOK_SECRET}',
      ['${secret:SHOP_WEBHOOK_SECRET}', '${secret:SHOP_WEBHOOK_SECRET_BEFORE}'],
    ),
    tolerance: time(
      'By how much the time of a webhook may differ from that of the gateway; at most one hour.',
      '5 m',
      '2 m',
    ),
  } satisfies Record<keyof WebhookDeclared, JsonSchema>,
);

export const hmac = keys(
  {
    required: ['user', 'secrets', 'header'],
    description:
      'A signature of the whole request over REST by a shared secret (HMAC), in a header of the form that the sender has chosen: GitHub, Stripe, Slack, Shopify and others. What is signed are the bytes of the body, of any media type.',
    examples: [
      {
        user: 'github',
        secrets: '${secret:GITHUB_SECRET}',
        header: 'X-Hub-Signature-256',
        form: 'sha256={hex}',
      },
      {
        user: 'stripe',
        secrets: '${secret:STRIPE_SECRET}',
        header: 'Stripe-Signature',
        form: 't={timestamp},v1={hex}',
        signed: '{timestamp}.{body}',
      },
    ],
  },
  {
    user: text('The user who sends the webhooks, in the definitions or the database.', 'github'),
    ...hmacKeys(
      'A signature of any of them is enough.',
      'seconds or milliseconds since 1970, or a date and time (RFC 3339). A webhook with a signed time is accepted once, and only near that time.',
    ),
    tolerance: time(
      'By how much the time of a webhook may differ from that of the gateway; at most one hour.',
      '5 m',
      '2 m',
    ),
  } satisfies Record<keyof HmacSchemeDeclared, JsonSchema>,
);

export const scheme = keys<'scheme' | keyof SchemeDeclared>(
  {
    title: 'scheme',
    description:
      'A way to authenticate callers: one of the keys `basic`, `api-key`, `bearer`, `client-certificate`, `username-token`, `signature`, `webhook` and `hmac`. `requires` of the gateway, a service or an operation refers to it. `basic` alone needs no definition.',
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
        description:
          'A key in a header of its own or in `Authorization`. Its hash is among the `api-keys` of a user, or in the database.',
        examples: [{ header: 'X-Api-Key' }],
      },
      { header: headerName('The header that carries it. Headers of the protocol are not allowed.', 'X-Api-Key') },
    ),
    bearer,
    'client-certificate': keys(
      {
        description:
          'A certificate of the caller: that of its TLS connection (`tls.client-ca` of the gateway), or one that a trusted proxy forwards.',
        examples: [{ header: 'Client-Cert' }, {}],
      },
      {
        header: headerName(
          'The header in which a proxy forwards it: `Client-Cert` (RFC 9440), or another with percent-encoded PEM.',
          'Client-Cert',
        ),
      },
    ),
    'username-token': usernameToken,
    signature,
    webhook,
    hmac,
  },
);
