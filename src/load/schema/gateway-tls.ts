import { type JsonSchema, keys } from './json-schema.ts';
import { fileText } from './node-tls.ts';

/** TLS of the gateway's own address. */
export const tls: JsonSchema = keys(
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
    passphrase: {
      type: 'string',
      minLength: 1,
      description: 'What the key is encrypted with. A reference: never the passphrase itself.',
      examples: ['${secret:TLS_PASSPHRASE}'],
    },
    'client-ca': {
      ...fileText,
      description:
        'File with the authorities (PEM) whose client certificates are taken. Without it none is asked for. May refer to configuration.',
      examples: ['certificates/partners.pem'],
    },
    minimum: {
      type: 'string',
      enum: ['TLSv1.2', 'TLSv1.3'],
      description: 'The oldest version of TLS that is spoken.',
      default: 'TLSv1.2',
    },
  },
);
