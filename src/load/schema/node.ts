import { description, duration, type JsonSchema, keys, matching, type TextsDeclared } from './json-schema.ts';
import { type CredentialDeclared, credential } from './node-credential.ts';
import { type CertificateDeclared, certificate, fileText, resolve } from './node-tls.ts';
import { type RetryDeclared, retry } from './retry.ts';

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
