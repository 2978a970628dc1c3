import { type JsonSchema, keys, text, word } from './json-schema.ts';
import { fileText } from './node-tls.ts';

export interface TlsDeclared {
  readonly certificate: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly 'client-ca'?: string;
  readonly minimum?: 'TLSv1.2' | 'TLSv1.3';
}

/** TLS of the gateway's own address. */
export const tls: JsonSchema = keys<keyof TlsDeclared>(
  {
    required: ['certificate', 'key'],
    description: 'Its own address speaks TLS. The files are read anew when they change.',
    examples: [
      {
        certificate: 'certificates/gateway.pem',
        key: '${env:TLS_KEY_FILE}',
        passphrase: '${secret:TLS_PASSPHRASE}',
        'client-ca': 'certificates/partners.pem',
      },
    ],
  },
  {
    certificate: {
      ...fileText,
      description: 'File with the certificate (PEM), followed by those in between. May refer to configuration.',
      examples: ['certificates/gateway.pem'],
    },
    key: {
      ...fileText,
      description: 'File with its private key (PEM). May refer to configuration.',
      examples: ['${env:TLS_KEY_FILE}'],
    },
    passphrase: text(
      'What the key is encrypted with. A reference: never the passphrase itself.',
      '${secret:TLS_PASSPHRASE}',
    ),
    'client-ca': {
      ...fileText,
      description:
        'File with the authorities (PEM) whose client certificates are taken. Without it none is asked for. May refer to configuration.',
      examples: ['certificates/partners.pem'],
    },
    minimum: word(['TLSv1.2', 'TLSv1.3'], 'The oldest version of TLS that is spoken.', { default: 'TLSv1.2' }),
  },
);
