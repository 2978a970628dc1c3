import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { AUTHORITY, IMPOSTOR, PARTNER, SERVER } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { eventually } from '../support/project.ts';

/** Whether the connection that a URL makes is encrypted. @throws StoreError */
async function encrypted(url: string): Promise<boolean> {
  const store = await openStore({ url, root: '/' });
  onTestFinished(() => store.close());
  await store.ready();
  const own = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  return (await own.execute(await store.tables())).rows[0]?.ssl as boolean;
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Files by their names in a folder of the user of the servers. */
function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
  const owner = process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'postgres'])) : process.getuid?.();
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    chownSync(join(folder, name), owner as number, -1);
  }
  chmodSync(folder, 0o755);
  return folder;
}

describe.skipIf(postgresPrograms() === undefined)('sslmode, as libpq has it,', () => {
  let folder: string;
  let plain: PostgresServer;
  let tls: PostgresServer;
  beforeAll(async () => {
    folder = writeFiles({
      ...{ 'server.crt': SERVER.certificate, 'server.key': SERVER.key, 'ca.crt': AUTHORITY },
      ...{ 'other.crt': IMPOSTOR.certificate, 'partner.crt': PARTNER.certificate, 'partner.key': PARTNER.key },
      // One user has to encrypt, another has to have a certificate.
      hba: `hostnossl all encrypting 0.0.0.0/0 reject
hostssl all certified 0.0.0.0/0 trust clientcert=verify-ca
host all rotated 0.0.0.0/0 scram-sha-256
host all all 0.0.0.0/0 trust
`,
    });
    plain = startPostgres(await freePort());
    tls = startPostgres(await freePort(), {
      ...{ ssl: 'on', ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: join(folder, 'server.key') },
      ...{ ssl_ca_file: join(folder, 'ca.crt'), hba_file: join(folder, 'hba') },
      listen_addresses: '127.0.0.1,127.0.0.2',
    });
    for (const user of ['encrypting', 'certified']) await runOn(tls.url, `create role ${user} login`);
  }, 60_000);
  afterAll(() => {
    plain.remove();
    tls.remove();
    rmSync(folder, { recursive: true });
  });

  const at = (server: PostgresServer, parameters: string, host = 'localhost'): string => {
    const { port } = new URL(server.url);
    const user = parameters.includes('user=') ? '' : 'postgres@';
    return `postgres://${user}${host}:${port}/postgres?${parameters.replaceAll('$', `${folder}/`)}`;
  };

  it.each([
    ['', 'localhost', true],
    ['sslmode=disable', 'localhost', false],
    ['sslmode=allow', 'localhost', false],
    ['sslmode=prefer', 'localhost', true],
    ['sslmode=require', 'localhost', true],
    ['ssl=true', 'localhost', true],
    ['sslmode=require', '127.0.0.2', true],
    ['sslmode=allow&user=encrypting', 'localhost', true],
    ['sslmode=require&sslrootcert=$ca.crt', '127.0.0.2', true],
    ['sslmode=verify-ca&sslrootcert=$ca.crt', '127.0.0.2', true],
    ['sslmode=verify-full&sslrootcert=$ca.crt', 'localhost', true],
    ['sslmode=verify-full&sslrootcert=$ca.crt', '127.0.0.1', true],
    ['sslmode=prefer&sslrootcert=$other.crt', 'localhost', true],
    ['sslmode=require&sslcert=$partner.crt&sslkey=$partner.key&user=certified', 'localhost', true],
    ['sslmode=verify-full&sslrootcert=$ca.crt&ssl_min_protocol_version=TLSv1.3', 'localhost', true],
  ])('%s at %s connects, encrypted: %s', async (parameters, host, isEncrypted) => {
    expect(await encrypted(at(tls, parameters, host))).toBe(isEncrypted);
  });

  it.each([
    ['sslmode=require&sslrootcert=$other.crt', 'localhost', 'certificate of the server is not valid for it'],
    ['sslmode=verify-ca&sslrootcert=$other.crt', 'localhost', 'certificate of the server is not valid for it'],
    ['sslmode=verify-full&sslrootcert=$other.crt', 'localhost', 'certificate of the server is not valid for it'],
    ['sslmode=verify-full&sslrootcert=$ca.crt', '127.0.0.2', "127.0.0.2 is not in the cert's list"],
    ['sslmode=verify-full', 'localhost', 'certificate of the server is not valid for it'],
    ['sslmode=disable&user=encrypting', 'localhost', 'pg_hba.conf rejects connection'],
    ['sslmode=require&user=certified', 'localhost', 'requires a valid client certificate'],
  ])('%s at %s is refused: %s', async (parameters, host, words) => {
    await expect(encrypted(at(tls, parameters, host))).rejects.toThrow(words);
  });

  it.each([
    ['', false],
    ['sslmode=prefer', false],
    ['sslmode=allow', false],
    ['sslmode=disable', false],
  ])('%s connects to a server without TLS', async (parameters, isEncrypted) => {
    expect(await encrypted(at(plain, parameters))).toBe(isEncrypted);
  });

  it.each([
    'sslmode=require',
    'sslmode=verify-ca&sslrootcert=$ca.crt',
    'sslmode=verify-full&sslrootcert=$ca.crt',
  ])('%s is refused by a server without TLS', async (parameters) => {
    await expect(encrypted(at(plain, parameters))).rejects.toThrow(/the server has no TLS.*sslmode=\S+ requires it/);
  });

  it('a password that is rotated is that of the next connections', async () => {
    await runOn(tls.url, "create role rotated login password 'first'");
    let password = 'first';
    const renewed = (): string => at(tls, 'user=rotated').replace('//', `//:${password}@`);
    const store = await openStore({ url: renewed(), renewed, root: '/' });
    onTestFinished(() => store.close());
    await store.ready();
    await runOn(tls.url, "alter role rotated password 'second'");
    await runOn(tls.url, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotated'");
    await eventually('the old password to be refused', () =>
      store.ready().then(
        () => undefined,
        (error: Error) => /password authentication failed/.test(error.message) || undefined,
      ),
    );
    password = 'second';
    await store.ready();
  });

  it.each([
    ['sslmode=verify-ca', 'sslmode=verify-ca without sslrootcert'],
    ['sslmode=verify-ca&sslrootcert=system', 'only verify-full is safe'],
    ['sslmode=sure', 'it may be disable, allow, prefer, require, verify-ca, verify-full'],
    ['sslnegotiation=direct', 'needs sslmode=require or stronger'],
    ['sslcert=$partner.crt', 'only one of sslcert and sslkey'],
    ['sslmode=require&sslrootcert=$none.crt', "sslrootcert of the database URL can't be read"],
    ['sllmode=require', 'has the parameter "sllmode", which is not supported; remove it, or write one of host,'],
    ['channel_binding=require', 'has the parameter "channel_binding", which is not supported; remove it'],
  ])('%s is refused before a connection is made', async (parameters, words) => {
    await expect(openStore({ url: at(plain, parameters), root: '/' })).rejects.toThrow(words);
  });
});
