import { type JsonSchema, keys } from './json-schema.ts';

/** A text that is a secret. */
const secret = (what: string, reference: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  description: `${what} A reference: never the secret itself.`,
  examples: [reference],
});

const basic = keys(
  {
    required: ['user', 'password'],
    description: 'A user and a password (HTTP Basic, RFC 7617). The password is a reference to a secret.',
    examples: [{ user: 'signalbox', password: '${secret:PARTNER_PASSWORD}' }],
  },
  {
    user: {
      type: 'string',
      minLength: 1,
      description: 'Holds no colon. May refer to configuration.',
      examples: ['signalbox'],
    },
    password: {
      type: 'string',
      minLength: 1,
      description: 'A reference: never the password itself.',
      examples: ['${secret:PARTNER_PASSWORD}'],
    },
  },
);

const apiKey = keys(
  {
    required: ['header', 'value'],
    description: 'A key in a header of its own. The key is a reference to a secret.',
    examples: [{ header: 'X-Api-Key', value: '${secret:PARTNER_KEY}' }],
  },
  {
    header: {
      title: 'a header name',
      type: 'string',
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      description: 'The header that carries it: none that belongs to the protocol, but for Authorization.',
      examples: ['X-Api-Key'],
    },
    value: secret('The key; in Authorization a scheme may stand before it.', '${secret:PARTNER_KEY}'),
  },
);

const clientCredentials = keys(
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
    'token-url': {
      type: 'string',
      minLength: 1,
      description: 'The token endpoint: https://, or http:// on this machine. May refer to configuration.',
      examples: ['https://login.example.org/oauth2/token'],
    },
    'client-id': {
      type: 'string',
      minLength: 1,
      description: 'Who the client is. May refer to configuration.',
      examples: ['signalbox', '${env:CLIENT_ID}'],
    },
    'client-secret': secret('What proves it.', '${secret:CLIENT_SECRET}'),
    scope: {
      type: 'string',
      minLength: 1,
      description: 'Scopes to ask for, with one blank between them. May refer to configuration.',
      examples: ['orders.read orders.write'],
    },
    parameters: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Further fields of the request for a token, as the server wants them. May refer to configuration.',
      examples: [{ resource: 'https://api.example.org' }, { audience: '${env:AUDIENCE}' }],
    },
    authentication: {
      type: 'string',
      enum: ['basic', 'body'],
      description: 'How the client shows itself: HTTP Basic, or in the body (RFC 6749, section 2.3.1).',
      default: 'basic',
      examples: ['body'],
    },
  },
);

/** What calls to a node show. */
export const credential: JsonSchema = keys(
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
