import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext, type SecureContextOptions, type Server as TlsServer } from 'node:tls';
import type { Tls } from '../../model/gateway.ts';
import { pemCertificates } from '../../wire/certificate.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Log } from '../log/log.ts';
import { type Environment, fileMark, resolveSetting } from '../start/settings.ts';

/** TLS of a gateway's own address. */
export interface OpenTls {
  /** End of the validity of the certificate in use, in milliseconds since 1970. */
  readonly notAfter: number;
  readonly options: ServerOptions;
  /**
   * Reloads the files into a server whenever they change; invalid files change nothing. @returns a function that stops
   * this
   */
  follow(server: TlsServer): () => void;
}

export interface TlsPorts {
  readonly env: Environment;
  /** The project's folder. */
  readonly folder: string;
  readonly log: Log;
}

/** Files named in gateway.yaml, by their keys. */
interface Files {
  readonly certificate: string;
  readonly key: string;
  readonly 'client-ca'?: string;
}

/** Milliseconds between two checks of the files. */
const LOOK_EVERY = 1_000;
/** Milliseconds within which a caller must complete the handshake. */
const HANDSHAKE_TIMEOUT = 10_000;

/** Reads the files of `tls:`. @throws GatewayError naming the file that is missing or invalid */
export function openTls(tls: Tls, { env, folder, log }: TlsPorts): OpenTls {
  const setting = (text: Tls['key']): string => resolveSetting(text, env);
  const files: Files = {
    certificate: resolve(folder, setting(tls.certificate)),
    key: resolve(folder, setting(tls.key)),
    ...(tls.clientCa === undefined ? {} : { 'client-ca': resolve(folder, setting(tls.clientCa)) }),
  };
  const passphrase = tls.passphrase === undefined ? undefined : setting(tls.passphrase);
  let notAfter = 0;
  const read = (): SecureContextOptions => {
    const { context, validTo } = readContext(files, passphrase, tls.minimum, log);
    notAfter = Date.parse(validTo);
    return context;
  };
  let seen = lookAt(files);

  function renew(server: TlsServer): void {
    const now = lookAt(files);
    if (now === seen) return;
    seen = now;
    try {
      server.setSecureContext(read());
      log.info(`The TLS files have changed and are in use now: ${Object.values(files).join(', ')}`);
    } catch (err) {
      log.error({ err }, 'The TLS files have changed but are not valid; the ones read before stay in use.');
    }
  }

  return {
    get notAfter() {
      return notAfter;
    },
    options: {
      ...read(),
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      requestCert: tls.clientCa !== undefined,
      // Each operation decides whether a certificate is required, and an untrusted one may be known by its fingerprint.
      rejectUnauthorized: false,
    },
    follow(server) {
      const timer = setInterval(() => renew(server), LOOK_EVERY).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Whether a connection failed before any HTTP was sent on it. */
export const isOfTls = ({ code = '' }: NodeJS.ErrnoException): boolean => /^(?:ERR_SSL|ERR_TLS|EPROTO)/.test(code);

/** Ends a failed handshake without a reply, which the caller could not read. */
export function endHandshake({ code }: NodeJS.ErrnoException, socket: Socket, log: Log): void {
  log.info({ remote: socket.remoteAddress, reason: code }, 'A TLS handshake failed.');
  socket.destroy();
}

function readContext(
  files: Files,
  passphrase: string | undefined,
  minVersion: Tls['minimum'],
  log: Log,
): { readonly context: SecureContextOptions; readonly validTo: string } {
  const cert = readPem(files, 'certificate');
  const [certificate] = certificatesOf(cert, files, 'certificate') as [X509Certificate];
  const key = readKey(files, passphrase);
  if (!certificate.checkPrivateKey(key))
    throw problem(files, 'key', `is not that of the certificate ${files.certificate}`);
  warnOfDates(certificate, files.certificate, log);
  const ca = files['client-ca'] === undefined ? undefined : readPem(files, 'client-ca');
  if (ca !== undefined) certificatesOf(ca, files, 'client-ca');
  const context: SecureContextOptions = {
    cert,
    key: key.export({ type: 'pkcs8', format: 'pem' }),
    minVersion,
    ...(ca === undefined ? {} : { ca }),
  };
  try {
    // This reports other problems that OpenSSL finds, such as a key that is too short.
    createSecureContext(context);
  } catch (error) {
    throw problem(files, 'certificate', `can't be used: ${(error as Error).message}`);
  }
  return { context, validTo: certificate.validTo };
}

function readKey(files: Files, passphrase: string | undefined): KeyObject {
  const pem = readPem(files, 'key');
  try {
    return createPrivateKey(passphrase === undefined ? pem : { key: pem, passphrase });
  } catch {
    if (!pem.includes('ENCRYPTED')) throw problem(files, 'key', 'is not a private key in PEM form');
    const what =
      passphrase === undefined ? 'is encrypted, and there is no passphrase:' : 'does not open with the passphrase';
    throw problem(files, 'key', what);
  }
}

function certificatesOf(pem: string, files: Files, name: keyof Files): X509Certificate[] {
  const found = pemCertificates(pem);
  if (found.length === 0) throw problem(files, name, 'contains no certificate in PEM form');
  try {
    return found.map((each) => new X509Certificate(each));
  } catch {
    throw problem(files, name, 'holds a certificate that can not be read');
  }
}

function warnOfDates({ validFrom, validTo }: X509Certificate, file: string, log: Log): void {
  const now = Date.now();
  if (now > Date.parse(validTo)) log.warn(`The TLS certificate ${file} has expired: ${validTo}`);
  else if (now < Date.parse(validFrom)) log.warn(`The TLS certificate ${file} is not valid before ${validFrom}`);
}

function readPem(files: Files, name: keyof Files): string {
  try {
    return readFileSync(files[name] as string, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw problem(files, name, code === 'ENOENT' ? 'does not exist' : `can't be read: ${code}`);
  }
}

function problem(files: Files, name: keyof Files, what: string): GatewayError {
  return new GatewayError(`the ${name} of tls: ${files[name]} ${what}`, {
    hint: 'tls: of gateway.yaml names files in PEM form, relative to the project.',
  });
}

/** A value that changes when a file is replaced, appears or disappears. */
function lookAt(files: Files): string {
  return Object.values(files)
    .map((file: string) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? '' : fileMark(found);
    })
    .join(',');
}
