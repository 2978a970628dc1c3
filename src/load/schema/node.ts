import { NODE_DEFAULTS } from '../../model/node.ts';
import { KEY_REFERENCES, type KeyReferenceKind, TOKEN_FORMS, type TokenForm } from '../../model/security.ts';
import { rateText } from '../value/limits.ts';
import { type RetryDeclared, retry } from '../value/retry.ts';
import { LENIENT } from './consumer.ts';
import { type HmacDeclared, hmacKeys } from './hmac.ts';
import {
  description,
  filePath,
  headerName,
  integer,
  type JsonSchema,
  keys,
  mapOr,
  matching,
  type TextsDeclared,
  text,
  textOrTexts,
  texts,
  time,
  word,
  yesNo,
} from './json-schema.ts';
import { type CertificateDeclared, certificate, resolve } from './tls.ts';

/** Exactly one of the keys in a valid definition; those of WS-Security (`username-token`, `timestamp`, `signature`, `reply-signature`) count as one. */
export interface CredentialDeclared {
  readonly basic?: { readonly user: string; readonly password: string };
  readonly bearer?: string;
  readonly 'api-key'?: { readonly header: string; readonly value: string };
  readonly 'client-credentials'?: ClientCredentialsDeclared;
  readonly webhook?: string | readonly string[];
  readonly hmac?: HmacDeclared;
  readonly 'username-token'?: UsernameTokenDeclared;
  readonly timestamp?: string;
  readonly signature?: MessageSignerDeclared;
  readonly 'reply-signature'?: ReplySignatureDeclared;
}

export interface ReplySignatureDeclared {
  readonly certificate?: string;
  readonly ca?: string;
  readonly subject?: string;
  readonly algorithms?: readonly string[];
  readonly digests?: readonly string[];
  readonly 'max-age'?: string;
  readonly confirmation?: boolean;
}

export interface MessageSignerDeclared extends CertificateDeclared {
  readonly algorithm?: string;
  readonly digest?: string;
  readonly reference?: KeyReferenceKind;
  readonly token?: TokenForm;
}

export interface UsernameTokenDeclared {
  readonly user: string;
  readonly password?: string;
  readonly digest?: boolean;
}

export interface ClientCredentialsDeclared {
  readonly 'token-url': string;
  readonly 'client-id': string;
  readonly 'client-secret': string;
  readonly scope?: string;
  readonly parameters?: TextsDeclared;
  readonly authentication?: 'basic' | 'body';
}

const secret = (what: string, reference: string): JsonSchema =>
  text(`${what} A reference, never the secret itself.`, reference);

const basic = keys<keyof NonNullable<CredentialDeclared['basic']>>(
  {
    required: ['user', 'password'],
    description: 'A user and a password (HTTP Basic, RFC 7617). The password is a reference to a secret.',
    examples: [{ user: 'signalbox', password: '${secret:PARTNER_PASSWORD}' }],
  },
  {
    user: text('The user name, without a colon. May refer to configuration.', 'signalbox'),
    password: text('A reference, never the password itself.', '${secret:PARTNER_PASSWORD}'),
  },
);

const apiKey = keys<keyof NonNullable<CredentialDeclared['api-key']>>(
  {
    required: ['header', 'value'],
    description: 'A key in a header of its own. It is a reference to a secret.',
    examples: [{ header: 'X-Api-Key', value: '${secret:PARTNER_KEY}' }],
  },
  {
    header: headerName(
      "The header that carries it. Of the protocol's own headers only Authorization is allowed.",
      'X-Api-Key',
    ),
    value: secret('The key. In Authorization it may follow a scheme.', '${secret:PARTNER_KEY}'),
  },
);

export const clientCredentials = keys(
  {
    required: ['token-url', 'client-id', 'client-secret'],
    description:
      'A bearer token from the client-credentials grant of OAuth 2.0 (RFC 6749, section 4.4). It is fetched once and kept until shortly before it expires.',
    examples: [
      {
        'token-url': '${env:LOGIN_URL}/oauth2/token',
        'client-id': '${env:CLIENT_ID}',
        'client-secret': '${secret:CLIENT_SECRET}',
        scope: 'orders.read orders.write',
      },
    ],
  },
  {
    'token-url': text(
      'The token endpoint: https://, or http:// on this machine. May refer to configuration.',
      'https://login.example.org/oauth2/token',
    ),
    'client-id': text('The client id. May refer to configuration.', 'signalbox', '${env:CLIENT_ID}'),
    'client-secret': secret('What proves it.', '${secret:CLIENT_SECRET}'),
    scope: text(
      'Requested scopes, separated by single spaces. May refer to configuration.',
      'orders.read orders.write',
    ),
    parameters: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Additional fields of the token request, as the server requires. May refer to configuration.',
      examples: [{ resource: 'https://api.example.org' }, { audience: '${env:AUDIENCE}' }],
    },
    authentication: word(
      ['basic', 'body'],
      'How the client authenticates: with HTTP Basic, or in the body (RFC 6749, section 2.3.1).',
      { default: 'basic', examples: ['body'] },
    ),
  } satisfies Record<keyof ClientCredentialsDeclared, JsonSchema>,
);

const webhook: JsonSchema = textOrTexts(
  'a secret',
  'Signs each request as Standard Webhooks has it, in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. A secret is a reference to `whsec_` with 24 to 64 bytes in base64 (HMAC-SHA256), or to `whsk_` with an Ed25519 key in base64. With several, each signs: so a receiver can replace its secret without a gap.',
  '${secret:WEBHOOK_SECRET}',
  ['${secret:WEBHOOK_SECRET}', '${secret:WEBHOOK_SECRET_BEFORE}'],
);

const hmac = keys<keyof HmacDeclared>(
  {
    required: ['secrets', 'header'],
    description:
      'Signs each request with a shared secret (HMAC), in a header and a form that the partner has chosen. The whole request is kept in memory for it, up to `limits.body`.',
    examples: [
      { secrets: '${secret:PARTNER_SECRET}', header: 'X-Signature-256', form: 'sha256={hex}' },
      {
        secrets: '${secret:PARTNER_SECRET}',
        header: 'X-Signature',
        form: 't={timestamp},v1={hex}',
        signed: '{timestamp}.{body}',
      },
    ],
  },
  hmacKeys(
    'With several, each signs: so a receiver can replace its secret without a gap.',
    'seconds since 1970, those of each attempt.',
  ),
);

export const usernameToken = keys(
  {
    required: ['user'],
    description:
      'A user name and a password in the header `wsse:Security` of SOAP messages (WSS UsernameToken Profile 1.1.1), with a new Nonce and Created in each request. Without `password` it is the user name alone. Can be combined with `timestamp` and `signature`.',
    examples: [{ user: 'signalbox', password: '${secret:PARTNER_PASSWORD}', digest: true }],
  },
  {
    user: text('The user name. May refer to configuration.', 'signalbox'),
    password: text('A reference, never the password itself.', '${secret:PARTNER_PASSWORD}'),
    digest: yesNo('Sends PasswordDigest, a hash of Nonce, Created and password, rather than PasswordText.', false),
  } satisfies Record<keyof UsernameTokenDeclared, JsonSchema>,
);

const signature = keys<keyof MessageSignerDeclared>(
  {
    required: ['file', 'key-file'],
    description:
      'Signs SOAP messages with an X.509 certificate, which each request contains or names (exclusive canonicalisation): the Body, the Timestamp, the UsernameToken and the other header blocks for the same receiver. Can be combined with `username-token` and `timestamp`. The whole message is kept in memory for it, up to `limits.body`; attachments can not be signed.',
    examples: [{ file: 'certificates/signer.pem', 'key-file': '${env:SIGNER_KEY_FILE}' }],
  },
  {
    file: filePath('File with the certificate (PEM). May refer to configuration.', 'certificates/signer.pem'),
    'key-file': filePath(
      'File with its private key (PEM): RSA with at least 2048 bits, or EC on P-256. May refer to configuration.',
      '${env:SIGNER_KEY_FILE}',
    ),
    passphrase: text('Passphrase of the key. A reference, never the passphrase itself.', '${secret:SIGNER_PASSPHRASE}'),
    algorithm: text(
      'The signature algorithm: rsa-sha256, rsa-pss-sha256 or ecdsa-sha256, each of them with sha384 or sha512 too, or rsa-sha1, which is weak and which most suites of WS-SecurityPolicy demand. The default is rsa-sha256 for a key of RSA, and ecdsa-sha256 for one of EC.',
      'rsa-sha1',
      'rsa-sha512',
    ),
    digest: text(
      'The digest algorithm: sha256, sha384, sha512, or sha1, which is weak. The default is sha256.',
      'sha1',
      'sha512',
    ),
    reference: {
      type: 'string',
      enum: [...KEY_REFERENCES],
      description:
        'How the receiver finds the certificate (X.509 Certificate Token Profile 1.1.1): `token` puts it into each message. The others name one that the receiver has: `issuer-serial` by issuer and serial number, `key-identifier` by its extension SubjectKeyIdentifier, `thumbprint` by its SHA-1. The default is `token`.',
      examples: ['issuer-serial'],
    },
    token: {
      type: 'string',
      enum: [...TOKEN_FORMS],
      description:
        '`included` puts the certificate into each message also when `reference` names it; `signed` does, and the signature covers it (`ProtectTokens` of a policy). Without the key it is there, unsigned, if `reference` is `token`.',
      examples: ['signed'],
    },
  },
);

const replySignature = keys(
  {
    description:
      'Replies over SOAP, also faults, must be signed: the Body, and the Timestamp if there is one. A call whose reply has no such signature, or one by another certificate, fails. Replies with attachments are refused. Without this key signatures in replies are ignored.',
    examples: [{ certificate: 'certificates/partner.pem' }],
  },
  {
    certificate: filePath(
      'File with the certificate (PEM) that replies are signed with; several during a change of certificates. May refer to configuration.',
      'certificates/partner.pem',
    ),
    ca: filePath(
      'File with CA certificates (PEM), in place of `certificate`: the partner signs with any certificate that they issue to `subject`. May refer to configuration.',
      'certificates/partners.pem',
    ),
    subject: text('The subject of the certificate (RFC 4514), with `ca`.', 'CN=partner,O=Example,C=DE'),
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
    'max-age': time('How long a reply is valid after its Timestamp was created; at most one hour.', '5 m', '2 m'),
    confirmation: yesNo(
      'Each reply must contain a signed `SignatureConfirmation` with the value of the signature of its request (WS-Security 1.1), so that no reply to another request is accepted. Needs `signature`. The value in a later reply (`reply-to`) is not compared: the address that it arrives at identifies its request.',
      false,
    ),
  } satisfies Record<keyof ReplySignatureDeclared, JsonSchema>,
);

const credential: JsonSchema = keys<keyof CredentialDeclared>(
  {
    description:
      'The credential of calls to the node: one of these, or for calls over SOAP those of WS-Security together: `username-token`, `timestamp`, `signature`, `reply-signature`.',
    minProperties: 1,
    examples: [{ basic: { user: 'signalbox', password: '${secret:PARTNER_PASSWORD}' } }],
  },
  {
    basic,
    bearer: secret('A token (RFC 6750).', '${secret:PARTNER_TOKEN}'),
    'api-key': apiKey,
    'client-credentials': clientCredentials,
    webhook,
    hmac,
    'username-token': usernameToken,
    timestamp: time(
      'A Timestamp in the header `wsse:Security` of SOAP messages, which expires after this time. With `signature` the default is 5 minutes; `0 s` leaves it out, for a partner whose policy has no `IncludeTimestamp` and refuses it.',
      undefined,
      '5 m',
    ),
    signature,
    'reply-signature': replySignature,
  },
);

export interface NodeDeclared {
  readonly description?: string;
  readonly base: string | readonly string[];
  readonly 'ca-file'?: string;
  readonly certificate?: CertificateDeclared;
  readonly resolve?: TextsDeclared;
  readonly timeouts?: Readonly<Partial<Record<'connect' | 'head' | 'idle' | 'reply' | 'call', string>>>;
  readonly retry?: RetryDeclared;
  readonly rate?: string;
  readonly concurrency?: number;
  readonly circuit?: { readonly failures?: number; readonly reset?: string };
  readonly redirects?: number | { readonly most?: number; readonly post?: boolean };
  readonly lenient?: boolean;
  readonly credential?: CredentialDeclared;
}

export const redirectsMap = keys(
  {
    description:
      'Redirects to follow. 307 and 308 repeat the request with its method and body, 303 is followed by a GET (RFC 9110 section 15.4). Credentials are sent to the same origin only.',
    examples: [{ post: true }],
  },
  {
    most: integer('Maximum number of redirects to follow.', { minimum: 0, maximum: 10, default: 1 }, 3),
    post: yesNo('A POST also follows 301 and 302, as a POST with its body. Otherwise they are an error.', false),
  } satisfies Record<'most' | 'post', JsonSchema>,
);

const redirects: JsonSchema = {
  ...mapOr(redirectsMap, integer('Maximum number of redirects to follow.', { minimum: 0, maximum: 10 }, 3)),
  title: 'a whole number or a map',
  description: 'Maximum number of redirects to follow, or a map. Credentials are sent to the same origin only.',
  default: NODE_DEFAULTS.redirects,
};

const timeouts: JsonSchema = keys<keyof NonNullable<NodeDeclared['timeouts']>>(
  {
    description: 'Time limits for the phases of a call. Missing ones have their defaults.',
    examples: [{ connect: '5 s', head: '30 s', idle: '30 s', reply: '1 m', call: '2 m' }],
  },
  {
    connect: time('For connecting, including name resolution and TLS.', '10 s'),
    head: time('From the last accepted part of the request to the head of the reply.', '60 s'),
    idle: time(
      'Between two parts of the reply. Over twice that time and longer, the reply must bring 240 bytes per second on average.',
      '30 s',
    ),
    reply: time(
      'From the head of the reply to its end, for replies that are read completely. Binary content is streamed and only subject to `idle`.',
      '5 m',
    ),
    call: time('For the whole call, including retries, until the reply is available. By default there is no limit.'),
  },
);

const circuit = keys(
  {
    description: 'The circuit breaker: after several consecutive failures, no calls are made to the node for a while.',
    examples: [{ failures: 5, reset: '30 s' }],
  },
  {
    failures: integer(
      'Consecutive failed calls after which no more are made; 0 disables the circuit breaker.',
      { minimum: 0, maximum: 1000, default: NODE_DEFAULTS.circuit.failures },
      10,
    ),
    reset: time('How long no calls are made. The first one afterwards is a trial.', '30 s'),
  } satisfies Record<keyof NonNullable<NodeDeclared['circuit']>, JsonSchema>,
);

export const node = keys<'node' | keyof NodeDeclared>(
  {
    title: 'node',
    description: 'Another system: its address and how to call it.',
    required: ['node', 'base'],
    examples: [
      { node: 'THIRD_PARTY', description: 'Takes imports.', base: '${env:THIRD_PARTY_URL}' },
      {
        node: 'DOCLIB',
        base: 'https://',
        'ca-file': '${env:DOCLIB_CA_FILE:-}',
        timeouts: { connect: '5 s', call: '2 m' },
        retry: { attempts: 3, on: [429, 503] },
        circuit: { failures: 5, reset: '30 s' },
        credential: { bearer: '${secret:DOCLIB_TOKEN}' },
      },
    ],
  },
  {
    node: matching(
      'a node name',
      '^[A-Za-z][A-Za-z0-9_.-]*$',
      'Name of the node. It has no dot and differs from all services offered here, because both are at the same position of a path.',
      'THIRD_PARTY',
    ),
    description,
    base: {
      title: 'a base URL or a list of them',
      type: ['string', 'array'],
      minLength: 1,
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      description:
        'Base URL, or a list in the order of failover. May refer to configuration, but not contain variables of a call. It may be only `https://` when templates begin with the host.',
      examples: ['${env:THIRD_PARTY_URL}', ['https://a.example.org', 'https://b.example.org']],
    },
    'ca-file': filePath(
      'File with CA certificates (PEM) to trust instead of the default ones, relative to the project. May refer to configuration; an empty value means the default ones.',
      'certificates/partner-ca.pem',
      '${env:DOCLIB_CA_FILE:-}',
    ),
    certificate,
    resolve,
    timeouts,
    retry,
    circuit,
    rate: {
      ...rateText,
      description:
        'Maximum rate at which one gateway begins deliveries of messages to the node, over all subscriptions. They are spaced evenly; further ones wait. Other calls are not limited.',
      examples: ['50 per 1 s'],
    },
    concurrency: integer(
      'Maximum number of deliveries of messages to the node at the same time in one gateway, over all subscriptions. Further ones wait. Other calls are not limited.',
      { minimum: 1, maximum: 1000 },
      4,
    ),
    redirects,
    lenient: yesNo(LENIENT, false),
    credential,
  },
);
