import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import { errorCode, errorText, StoreError } from '../../store/error.ts';

/** The connection details of a MariaDB or MySQL database. */
export interface MysqlAccess {
  /** `host:port/database`. */
  readonly location: string;
  /** For the driver. Contains the password. */
  readonly config: ConnectionOptions;
}

const PORT = 3306;
const works = 'write mysql://<user>@<host>/<database>';

/** The supported query parameters of a URL, named as in PostgreSQL's URLs. */
const PARAMETERS = new Set(['sslmode', 'sslrootcert', 'sslcert', 'sslkey']);

/**
 * Reads a URL. It is never passed to the driver itself, which would accept any of its options from there.
 * @param root base folder of certificate paths
 * @throws StoreError, whose message contains nothing that could be a password
 */
export function readMysqlUrl(url: string, root: string, password: string | undefined): MysqlAccess {
  if (!URL.canParse(url)) throw refuse('the URL is not well-formed (percent-encode what is special in it)');
  const address = new URL(url);
  const database = decode(address.pathname.slice(1));
  if (address.hostname === '') throw refuse('the URL names no host');
  if (database === '') throw refuse('the URL names no database behind the host');
  const host = decode(address.hostname.replace(/^\[(.*)\]$/, '$1'));
  const port = address.port === '' ? PORT : Number(address.port);
  const ssl = sslOf(address.searchParams, host, root);
  return {
    location: `${address.hostname}:${port}/${database}`,
    config: {
      host,
      port,
      database,
      user: decode(address.username),
      password: password ?? decode(address.password),
      ...(ssl === undefined ? {} : { ssl }),
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('the URL is not well-formed (percent-encode what is special in it)');
  }
}

function sslOf(parameters: URLSearchParams, host: string, root: string): SslOptions | undefined {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name)) throw refuse(`the URL has ${name}; it may have ${[...PARAMETERS].join(', ')}`);
  }
  const file = (name: string): string | undefined => {
    const path = parameters.get(name);
    return path === null ? undefined : read(name, resolve(root, path));
  };
  const mode = parameters.get('sslmode') ?? 'disable';
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')];
  const files = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  switch (mode) {
    case 'disable':
      if (Object.keys(files).length > 0) throw refuse('the URL has a certificate, but no sslmode');
      return undefined;
    case 'require':
      return { ...files, rejectUnauthorized: false };
    case 'verify-ca':
      return { ...files, rejectUnauthorized: true, verifyIdentity: false };
    case 'verify-full':
      // For an IP address the driver passes no server name, so TLS would verify another name.
      if (isIP(host) !== 0) throw refuse('sslmode=verify-full needs a host that is a name');
      return { ...files, rejectUnauthorized: true, verifyIdentity: true };
    default:
      throw refuse('sslmode is not disable, require, verify-ca or verify-full');
  }
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreError('', `${name} of the URL can't be read: ${errorText(error)}`, { cause: error });
  }
}

/** @throws StoreError if the driver is not installed */
export async function requireDriver(): Promise<void> {
  try {
    await import('mysql2');
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StoreError('', 'its driver mysql2 is not installed; run `npm install mysql2`', { cause: error });
  }
}

function refuse(reason: string): StoreError {
  return new StoreError('', `${reason}; ${works}`);
}
