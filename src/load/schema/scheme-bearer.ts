import { duration, idItem, type JsonSchema, keys, text, texts, word } from './json-schema.ts';

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
export const bearer: JsonSchema = keys<keyof BearerDeclared>(
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
