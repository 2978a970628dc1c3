import { existsSync } from 'node:fs';
import { access, constants, readFile, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Diagnostic } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import type { StoreOptions } from '../../store/index.ts';
import { codeOf, messageOf } from '../../wire/error.ts';
import { ask } from '../health.ts';
import { type Place, reachable, storeOptions } from '../project.ts';

/** The result of a check. */
export interface Outcome {
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped';
  /** One sentence or fact. */
  readonly found: string;
  readonly remedy?: string;
}

export const ok = (found: string): Outcome => ({ state: 'ok', found });
export const warn = (found: string, remedy: string): Outcome => ({ state: 'warn', found, remedy });
export const fail = (found: string, remedy: string): Outcome => ({ state: 'fail', found, remedy });

/** The file of an embedded database; `undefined` for one on a server. */
export function sqliteFile({ url, root }: StoreOptions): string | undefined {
  const [, file] = /^sqlite:(.*)$/i.exec(url) ?? [];
  return file === undefined ? undefined : resolve(root, file.replace(/^\/{3,}/, '/'));
}

export async function lookAtPort(registry: Registry): Promise<Outcome> {
  const { addressUrl, passedPort, readAddress } = await import('../../serve/start/address.ts');
  if (passedPort(process.env) !== undefined) return ok('The service manager passes a port.');
  const at = readAddress(registry, process.env);
  const shown = addressUrl(at, registry.gateway);
  const code = await listenOnce(at);
  if (code === undefined) return ok(`${shown} is free`);
  if (code === 'EACCES')
    return fail(`${shown} needs a privilege: ports below 1024.`, 'Set PORT to a number from 1024 on.');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return fail(`${at.host} is not an address of this machine.`, 'Correct HOST, or listen: of the gateway.');
  if (code !== 'EADDRINUSE') return fail(`${shown} can't be listened on (${code}).`, 'Correct HOST and PORT.');
  const isGateway = (await ask(`${reachable(shown)}/health/live`)) === undefined;
  if (isGateway) return warn(`A gateway is running at ${shown}.`, 'To run another one, set PORT.');
  const { portHolder } = await import('../../serve/listen/port-holder.ts');
  const holder = portHolder(at.port);
  const who = holder === undefined ? 'Another program' : `Another program, ${holder},`;
  return fail(`${who} listens at ${shown}.`, 'Set PORT to a free one; ss -ltnp shows who listens.');
}

function listenOnce({ host, port }: { readonly host: string; readonly port: number }): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error) => done(codeOf(error) || messageOf(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)));
  });
}

export async function lookAtDatabase(registry: Registry, site: Place): Promise<Outcome[]> {
  const { checkConnected } = await import('../../serve/start/database-check.ts');
  const diagnostics = await checkConnected(registry, { ...site, env: process.env });
  const { migrate } = registry.gateway.database;
  const found = diagnostics.map((each) => outcomeOf(each, migrate));
  if (diagnostics.some(({ code, message }) => code === 'database-unreachable' && message.startsWith('The database ')))
    return found;
  const { openToRead } = await import('../../store/index.ts');
  const options = await storeOptions(registry, site);
  const isOutdated = diagnostics.some(({ code }) => code === 'database-outdated');
  const file = sqliteFile(options);
  if (file !== undefined && !existsSync(file)) return migrate ? [ok(`${file}, which the first start creates`)] : found;
  const store = await openToRead(options);
  try {
    const condition = await store.condition?.();
    if (condition !== undefined) {
      const { user, creates, locked, ahead } = condition;
      if (isOutdated && migrate && !creates)
        found.push(fail(`${user} may not create tables.`, 'Run signalbox migrate as a user that may.'));
      if (locked.length > 0)
        found.push(
          fail(
            `${user} may not read and write ${listed(locked)}.`,
            'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ... TO it, as the owner of the tables.',
          ),
        );
      if (Math.abs(ahead) > SKEW_MS)
        found.push(
          warn(
            `The clock of the database is ${Math.abs(ahead) / 1000} s ${ahead > 0 ? 'ahead of' : 'behind'} that of this machine.`,
            'Synchronise both (NTP): tokens, signatures and due times depend on them.',
          ),
        );
    }
    return found.length > 0 ? found : [ok(store.location)];
  } finally {
    await store.close();
  }
}

/** Milliseconds by which two clocks may differ that are synchronised. */
const SKEW_MS = 2_000;

function listed(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more tables` : names.join(', ');
}

function outcomeOf({ code, severity, message, hint }: Diagnostic, migrates: boolean): Outcome {
  const remedy = hint ?? 'signalbox check --connect shows the place in the definitions.';
  // A start of the gateway does it.
  if (code === 'database-outdated' && migrates) return warn(message, remedy);
  return severity === 'error' ? fail(message, remedy) : warn(message, remedy);
}

const MEGABYTE = 1024 * 1024;
/** Bytes below which results, attachments and the embedded database soon no longer fit. */
const SCARCE = 1024 * MEGABYTE;
const NEARLY_FULL = 100 * MEGABYTE;

/** The folder of the database file, or that of results and attachments of a database on a server. */
export async function lookAtDisk(registry: Registry, site: Place): Promise<Outcome> {
  const file = sqliteFile(await storeOptions(registry, site));
  let folder = file === undefined ? join(site.root, '.signalbox') : dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    return fail(
      `${folder} can't be written to (${codeOf(error)}).`,
      'Let it belong to the user that runs the gateway.',
    );
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const shown = `${Math.floor(free / MEGABYTE)} MB free in ${folder}`;
  if (free >= SCARCE) return ok(shown);
  return (free < NEARLY_FULL ? fail : warn)(`${shown}.`, 'Make room: the database, results and attachments are there.');
}

/** Each connection and each file takes one. */
const FEW_FILES = 4096;

export async function lookAtFileLimit(): Promise<Outcome> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (soft === undefined) return { state: 'skipped', found: 'This system does not report the limit.' };
  if (Number(soft) >= FEW_FILES) return ok(soft);
  return warn(
    `A process may open ${soft} files.`,
    `Raise it to ${FEW_FILES} or more: ulimit -n, or LimitNOFILE= of systemd.`,
  );
}

export function lookAtTimeZone(registry: Registry): Outcome {
  const here = process.env.TZ ?? '';
  const schedules = `; schedules use ${registry.gateway.timezone} (timezone: of the gateway)`;
  try {
    const zone = new Intl.DateTimeFormat(
      'en',
      here === '' ? {} : { timeZone: here.replace(/^:/, '') },
    ).resolvedOptions();
    return ok(`${zone.timeZone}${schedules}`);
  } catch {
    return warn(`TZ=${here} is not a time zone, so UTC applies${schedules}.`, 'Write it as Europe/Vienna or UTC.');
  }
}
