import { filePath, type JsonSchema, keys, text, word } from './json-schema.ts';

export interface CertificateDeclared {
  readonly file: string;
  readonly 'key-file': string;
  readonly passphrase?: string;
}

export const certificate: JsonSchema = keys<keyof CertificateDeclared>(
  {
    required: ['file', 'key-file'],
    description: 'The client certificate for calls to the node.',
    examples: [
      {
        file: 'certificates/client.pem',
        'key-file': '${env:CLIENT_KEY_FILE}',
        passphrase: '${secret:CLIENT_KEY_PASSPHRASE}',
      },
    ],
  },
  {
    file: filePath(
      'File with the certificate (PEM), followed by intermediate certificates. May refer to configuration.',
      'certificates/client.pem',
    ),
    'key-file': filePath('File with the private key (PEM). May refer to configuration.', '${env:CLIENT_KEY_FILE}'),
    passphrase: text(
      'Passphrase of the key. A reference, never the passphrase itself.',
      '${secret:CLIENT_KEY_PASSPHRASE}',
    ),
  },
);

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';

export const resolve: JsonSchema = {
  type: 'object',
  propertyNames: {
    title: 'a host name without scheme and port',
    // Unlike a name, an address ends with a numeric label (WHATWG URL section 3.5).
    pattern: `^(?=.{1,253}$)(?!(?:.*\\.)?[0-9]+$)${LABEL}(?:\\.${LABEL})*$`,
    examples: ['library.example.org'],
  },
  additionalProperties: {
    title: 'an IP address with a port or without',
    type: 'string',
    minLength: 1,
    examples: ['127.0.0.1:8443'],
  },
  description:
    'Addresses to connect to, by host name; the request and TLS keep the name. `address` or `address:port`, IPv6 in brackets. May refer to configuration; an empty value means the usual name resolution.',
  examples: [{ 'library.example.org': '127.0.0.1:8443' }],
};

export interface TlsDeclared {
  readonly certificate: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly 'client-ca'?: string;
  readonly minimum?: 'TLSv1.2' | 'TLSv1.3';
}

export const tls = keys(
  {
    required: ['certificate', 'key'],
    description: 'Enables TLS. The files are reloaded when they change.',
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
    certificate: filePath(
      'File with the certificate (PEM), followed by intermediate certificates. May refer to configuration.',
      'certificates/gateway.pem',
    ),
    key: filePath('File with the private key (PEM). May refer to configuration.', '${env:TLS_KEY_FILE}'),
    passphrase: text('Passphrase of the key. A reference, never the passphrase itself.', '${secret:TLS_PASSPHRASE}'),
    'client-ca': filePath(
      'File with the CA certificates (PEM) of accepted client certificates. Without it, no client certificate is requested. May refer to configuration.',
      'certificates/partners.pem',
    ),
    minimum: word(['TLSv1.2', 'TLSv1.3'], 'The oldest accepted version of TLS.', { default: 'TLSv1.2' }),
  } satisfies Record<keyof TlsDeclared, JsonSchema>,
);
