import type { ConfigText } from './config.ts';

/** TLS of the gateway's own address. Files are PEM, relative to the project; they are read anew when they change. */
export interface Tls {
  readonly certificate: ConfigText;
  readonly key: ConfigText;
  readonly passphrase?: ConfigText;
  /** Authorities whose client certificates are taken; without it none is asked for. */
  readonly clientCa?: ConfigText;
  readonly minimum: 'TLSv1.2' | 'TLSv1.3';
}
