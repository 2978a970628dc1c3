import { type RetryDeclared, retry } from '../value/retry.ts';
import {
  description,
  duration,
  headerName,
  type JsonSchema,
  keys,
  matching,
  type TextsDeclared,
  text,
  word,
} from './json-schema.ts';
import { type CertificateDeclared, certificate, fileText, resolve } from './tls.ts';

/** At least one of them, and one alone where nothing is wrong. */
export interface CredentialDeclared {
  readonly basic?: { readonly user: string; readonly password: string };
  readonly bearer?: string;
  readonly 'api-key'?: { readonly header: string; readonly value: string };
  readonly 'client-credentials'?: ClientCredentialsDeclared;
}

export interface ClientCredentialsDeclared {
  readonly 'token-url': string;
  readonly 'client-id': string;
  readonly 'client-secret': string;
  readonly scope?: string;
  readonly parameters?: TextsDeclared;
  readonly authentication?: 'basic' | 'body';
}

/** A text that is a secret. */
const secret = (what: string, reference: string): JsonSchema =>
  text(`${what} A reference: never the secret itself.`, reference);

const basic = keys<keyof NonNullable<CredentialDeclared['basic']>>(
  {
    required: ['user', 'password'],
    description: 'A user and a password (HTTP Basic, RFC 7617). The password is a reference to a secret.',
    examples: [{ user: 'signalbox', password: '${secret:PARTNER_PASSWORD}' }],
  },
  {
    user: text('Holds no colon. May refer to configuration.', 'signalbox'),
    password: text('A reference: never the password itself.', '${secret:PARTNER_PASSWORD}'),
  },
);

const apiKey = keys<keyof NonNullable<CredentialDeclared['api-key']>>(
  {
    required: ['header', 'value'],
    description: 'A key in a header of its own. The key is a reference to a secret.',
    examples: [{ header: 'X-Api-Key', value: '${secret:PARTNER_KEY}' }],
  },
  {
    header: headerName(
      'The header that carries it: none that belongs to the protocol, but for Authorization.',
      'X-Api-Key',
    ),
    value: secret('The key; in Authorization a scheme may stand before it.', '${secret:PARTNER_KEY}'),
  },
);

const clientCredentials = keys<keyof ClientCredentialsDeclared>(
  {
    required: ['token-url', 'client-id', 'client-secret'],
    description:
      'A bearer token by the client-credentials grant of OAuth 2.0 (RFC 6749, section 4.4): fetched once, kept until shortly before it ends.',
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
    'client-id': text('Who the client is. May refer to configuration.', 'signalbox', '${env:CLIENT_ID}'),
    'client-secret': secret('What proves it.', '${secret:CLIENT_SECRET}'),
    scope: text(
      'Scopes to ask for, with one blank between them. May refer to configuration.',
      'orders.read orders.write',
    ),
    parameters: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Further fields of the request for a token, as the server wants them. May refer to configuration.',
      examples: [{ resource: 'https://api.example.org' }, { audience: '${env:AUDIENCE}' }],
    },
    authentication: word(
      ['basic', 'body'],
      'How the client shows itself: HTTP Basic, or in the body (RFC 6749, section 2.3.1).',
      { default: 'basic', examples: ['body'] },
    ),
  },
);

/** What calls to a node show. */
const credential: JsonSchema = keys<keyof CredentialDeclared>(
  {
    description: 'What calls to it show: one of these.',
    minProperties: 1,
    examples: [{ basic: { user: 'signalbox', password: '${secret:PARTNER_PASSWORD}' } }],
  },
  {
    basic,
    bearer: secret('A token (RFC 6750).', '${secret:PARTNER_TOKEN}'),
    'api-key': apiKey,
    'client-credentials': clientCredentials,
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
  readonly circuit?: { readonly failures?: number; readonly reset?: string };
  readonly redirects?: number;
  readonly credential?: CredentialDeclared;
}

const timeouts: JsonSchema = keys<keyof NonNullable<NodeDeclared['timeouts']>>(
  {
    description: 'How long each phase of a call to it may take. What is left out has the default of calls.',
    examples: [{ connect: '5 s', head: '30 s', idle: '30 s', reply: '1 min', call: '2 min' }],
  },
  {
    connect: {
      ...duration,
      description: 'Until there is a connection, name resolution and TLS included.',
      default: '10 s',
    },
    head: {
      ...duration,
      description: 'From the last piece of the request that was taken until the head of the reply.',
      default: '60 s',
    },
    idle: {
      ...duration,
      description:
        'Between two pieces of the reply. In twice that time and longer the reply must bring 240 bytes a second on average.',
      default: '30 s',
    },
    reply: {
      ...duration,
      description:
        'From the head of the reply to its end, where all of it is read before there is a value. Binary content, which is read as it comes, has `idle` alone.',
      default: '5 min',
    },
    call: {
      ...duration,
      description: 'All of a call, its repetitions included, until the reply is there. Without it there is no end.',
    },
  },
);

const circuit: JsonSchema = keys<keyof NonNullable<NodeDeclared['circuit']>>(
  {
    description: 'The circuit breaker: a node that failed several times in a row is left alone for a while.',
    examples: [{ failures: 5, reset: '30 s' }],
  },
  {
    failures: {
      type: 'integer',
      minimum: 0,
      maximum: 1000,
      description: 'Calls in a row that came to nothing, after which no more are made; 0 switches it off.',
      default: 5,
      examples: [10],
    },
    reset: {
      ...duration,
      description: 'How long none is made. The first one afterwards is a trial.',
      default: '30 s',
    },
  },
);

export const node = keys<'node' | keyof NodeDeclared>(
  {
    title: 'node',
    description: 'A system other than this gateway: its address, and how calls to it are made.',
    required: ['node', 'base'],
    examples: [
      { node: 'THIRD_PARTY', description: 'Takes imports.', base: '${env:THIRD_PARTY_URL}' },
      {
        node: 'DOCLIB',
        base: 'https://',
        'ca-file': '${env:DOCLIB_CA_FILE:-}',
        timeouts: { connect: '5 s', call: '2 min' },
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
      'Name of the node. Holds no dot and equals no service that is offered here, because both stand at the same place of a path.',
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
        'Base URL, or a list in the order of fail-over. May refer to configuration; holds no variable of a call. `https://` alone is allowed where templates begin with the host.',
      examples: ['${env:THIRD_PARTY_URL}', ['https://a.example.org', 'https://b.example.org']],
    },
    'ca-file': {
      ...fileText,
      description:
        'File with certificates (PEM) of the authorities that its certificate may come from, in place of the usual ones. Relative to the project. May refer to configuration; the usual ones where that comes to nothing.',
      examples: ['certificates/partner-ca.pem', '${env:DOCLIB_CA_FILE:-}'],
    },
    certificate,
    resolve,
    timeouts,
    retry,
    circuit,
    redirects: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      description: 'Redirects that a call follows. Credentials go to the same origin only.',
      default: 0,
      examples: [3],
    },
    credential,
  },
);
