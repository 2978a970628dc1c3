import type { JsonSchema } from './json-schema.ts';
import { keys, mapOr, refersTo, text, texts, time, word } from './json-schema.ts';

export interface ConsoleDeclared {
  readonly listen?: string;
  readonly idle?: string;
  readonly session?: string;
  readonly 'sign-in'?: readonly ('password' | OpenIdDeclared)[];
}

export interface OpenIdDeclared {
  readonly scheme: string;
  readonly client: string;
  readonly secret?: string;
  readonly label?: string;
  readonly scopes?: readonly string[];
}

const PROVIDER = { scheme: 'CORP_TOKENS', client: 'signalbox-console', secret: '${secret:OIDC_SECRET}' };

const openId = keys<keyof OpenIdDeclared>(
  { required: ['scheme', 'client'], examples: [{ ...PROVIDER, label: 'Company account' }] },
  {
    scheme: refersTo(
      'scheme-id',
      'A scheme with `bearer`. Its issuer is the provider; its keys, algorithms and rules for users and roles hold for ID tokens too. The audience is `client`.',
      'CORP_TOKENS',
    ),
    client: text(
      'The id under which the provider knows the console. Register the redirect URI `<address>/console/sign-in/callback` with it. May refer to configuration.',
      'signalbox-console',
    ),
    secret: text(
      'The secret of the client; without it, the console is a public client. A reference, never the secret itself.',
      '${secret:OIDC_SECRET}',
    ),
    label: text('The words for it on the sign-in page. The default is the id of the scheme.', 'Company account'),
    scopes: {
      ...texts('The scopes to ask for. `openid` is always one of them.', 'openid', 'profile'),
      items: { title: 'a scope', type: 'string', pattern: '^[!#-\\[\\]-~]+$', examples: ['profile'] },
    },
  },
);

/** The map of `console`. */
export const consoleMap = keys(
  { examples: [{ listen: '127.0.0.1:9090', idle: '15 m', 'sign-in': ['password', PROVIDER] }] },
  {
    listen: text(
      'Host and port of its own. By default the console is on the address of the gateway. May refer to configuration.',
      '127.0.0.1:9090',
    ),
    idle: time('A session that is not used for this time ends. From 5 m on.', '30 m', '15 m'),
    session: time('A session ends this long after its sign-in, however it is used. From 1 m on.', '12 h', '8 h'),
    'sign-in': {
      title: 'a list of ways to sign in',
      type: 'array',
      items: {
        title: 'password, or an OpenID provider',
        ...mapOr(openId, word(['password'], 'Id and password of a user.')),
        examples: ['password', PROVIDER],
      },
      minItems: 1,
      description:
        'What the sign-in page offers, in this order: `password`, with the id and the password of a user, and OpenID providers. The default is `[password]`.',
      examples: [['password'], ['password', PROVIDER]],
    },
  } satisfies Record<keyof ConsoleDeclared, JsonSchema>,
);

/** The key `console` of the gateway. */
export const consoleKey: JsonSchema = {
  title: 'on or off, or a map',
  description:
    "The operator's console in the browser, at `/console`. Permission lists grant it (`console:`); without such a list, no one can sign in.",
  default: 'on',
  examples: ['off', { listen: '127.0.0.1:9090', idle: '15 m' }],
  ...mapOr(consoleMap, { type: 'string', enum: ['on', 'off'] }),
};
