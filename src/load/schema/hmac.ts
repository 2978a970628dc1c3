import { HMAC_ALGORITHMS, type HmacAlgorithm, SECRET_ENCODINGS, type SecretEncoding } from '../../wire/hmac.ts';
import { headerName, type JsonSchema, textOrTexts, word } from './json-schema.ts';

/** A signature by a shared secret, of requests that arrive and of those that are sent. */
export interface HmacDeclared {
  readonly secrets: string | readonly string[];
  readonly 'secret-encoding'?: SecretEncoding;
  readonly header: string;
  readonly algorithm?: HmacAlgorithm;
  readonly form?: string;
  readonly signed?: string;
  readonly timestamp?: string;
  readonly id?: string;
}

/** @param several what a list of secrets means @param timestamp what the header of that name contains, and what follows */
export function hmacKeys(several: string, timestamp: string) {
  return {
    secrets: textOrTexts('a secret', `References to the secrets. ${several}`, '${secret:GITHUB_SECRET}', [
      '${secret:GITHUB_SECRET}',
      '${secret:GITHUB_SECRET_BEFORE}',
    ]),
    'secret-encoding': word(
      [...SECRET_ENCODINGS],
      'How a secret stands for the bytes of the key: as its own characters, in base64, or in hexadecimal digits.',
      { default: 'text', examples: ['base64'] },
    ),
    header: headerName('The header with the signature.', 'X-Hub-Signature-256'),
    algorithm: word([...HMAC_ALGORITHMS], 'The hash function; sha1 only for a partner that has no other.', {
      default: 'sha256',
      examples: ['sha512'],
    }),
    form: {
      type: 'string',
      minLength: 1,
      default: '{hex}',
      description:
        'What the header contains: `{hex}` or `{base64}` for the signature, and `{timestamp}` if it has the time, with the texts around them. A header may have several signatures, separated by commas, semicolons or spaces.',
      examples: ['sha256={hex}', '{base64}', 't={timestamp},v1={hex}'],
    },
    signed: {
      type: 'string',
      minLength: 1,
      default: '{body}',
      description:
        'What is signed: `{body}`, the bytes of the body of any media type; and `{timestamp}` and `{id}` if these are signed, with the texts between them.',
      examples: ['{timestamp}.{body}', 'v0:{timestamp}:{body}', '{id}{timestamp}{body}'],
    },
    timestamp: headerName(`The header with the time, if it is signed and not in \`form\`: ${timestamp}`, 'X-Timestamp'),
    id: headerName('The header with the id of the webhook, if it is signed.', 'X-Webhook-Id'),
  } satisfies Record<keyof HmacDeclared, JsonSchema>;
}
