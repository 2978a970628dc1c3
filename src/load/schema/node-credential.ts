import { headerName, type JsonSchema, keys, type TextsDeclared, text, word } from './json-schema.ts';

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
export const credential: JsonSchema = keys<keyof CredentialDeclared>(
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
