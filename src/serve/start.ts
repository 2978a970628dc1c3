import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LoadedProject, loadProject, renderDiagnostics } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import type { OpenDirectory } from '../security/directory/directory.ts';
import { createLazyClient, type LazyClient } from './answer/outbound.ts';
import { createApp } from './app.ts';
import { IDLE_TIMEOUT } from './exchange/body.ts';
import { createHttpServer, type HttpServer } from './listen/listen.ts';
import { isLoopback } from './listen/loopback.ts';
import { compileProxies } from './listen/remote.ts';
import { type OpenTls, openTls, type TlsPorts } from './listen/tls.ts';
import { createLog, type Log, type LogOptions } from './log/log.ts';
import { type Counted, createMetrics } from './log/metrics.ts';
import { type Address, addressUrl, contractBase, readAddress } from './start/address.ts';
import { openAuthenticator, securitySettings } from './start/authentication.ts';
import { type Data, openData } from './start/data.ts';
import { datasourceSettings } from './start/datasources.ts';
import { openUsers } from './start/directory.ts';
import { GatewayError } from './start/gateway-error.ts';
import { importCode } from './start/handlers.ts';
import { openSafeguards, type Safeguards } from './start/safeguards.ts';
import { openServices, type RunningServices } from './start/services.ts';
import { type Environment, resolveSettings } from './start/settings.ts';

export interface GatewayOptions {
  /** The project's folder. */
  readonly root: string;
  /** Folder of the definitions, relative to the root. */
  readonly definitions?: string;
  /** A project that is loaded already; it is not loaded again. */
  readonly project?: LoadedProject;
  /** `PORT`, `HOST`, `SIGNALBOX_SAMPLE_USERS`, and whatever the definitions refer to. */
  readonly env: Environment;
  readonly log?: LogOptions;
  /** Milliseconds without a byte after which a request's body, or a reply that nobody takes, is given up; 30 s. */
  readonly idleTimeout?: number;
  /** Milliseconds for which a request's body may come more slowly than `limits.slowest`; 5 s. */
  readonly grace?: number;
  /** Milliseconds that the head of a request may take to come; 20 s. */
  readonly headersTimeout?: number;
  /** Milliseconds within which a change of a user in the database is noticed; 2 s. */
  readonly usersWithin?: number;
  /** Takes the place of `server.listen`, where somebody else holds the port. */
  readonly listen?: (server: Server, at: Address) => Promise<Address>;
  /** What the other gateways that share the port have counted; `/metrics` adds it. */
  readonly others?: () => Promise<readonly Counted[]>;
}

export interface RunningGateway {
  /** `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly registry: Registry;
  readonly server: Server;
  /** What it has counted, for another gateway's `others`. */
  counted(): Promise<Counted>;
  /** Lets running requests finish, for at most `timeoutMs` (30 s), then closes what is behind them. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/** The definitions do not load; its message shows the diagnostics. */
export class DefinitionsError extends GatewayError {
  readonly project: LoadedProject;

  constructor(project: LoadedProject) {
    const count = project.diagnostics.filter((each) => each.severity === 'error').length;
    const what = `the definitions have ${count} ${count === 1 ? 'mistake' : 'mistakes'}`;
    super(`${what}\n\n${renderDiagnostics(project, { colour: false }).trimEnd()}`);
    this.project = project;
  }
}

const CLOSE_WITHIN = 30_000;

/**
 * Starts a gateway: definitions, database, handlers, then the port.
 * @throws DefinitionsError, GatewayError, StoreError
 */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { root, definitions, env, idleTimeout = IDLE_TIMEOUT } = options;
  const place = definitions === undefined ? { root } : { root, definitions };
  const project = options.project ?? loadProject(place);
  const { registry } = project;
  if (registry === undefined) throw new DefinitionsError(project);
  checkSettings(registry, env);
  const at = readAddress(registry, env);
  const sampleUsers = readSampleUsers(registry, at, env);
  const log = createLog(options.log);
  const tls = readTls(registry, { env, folder: root, log });
  const onError = (err: Error): void => log.warn({ err }, err.message);
  const [code, data] = await both(importCode(registry, root), openData(registry, { ...place, env, onError }));
  for (const warning of data.warnings) log.warn(warning);
  const outbound = createLazyClient(registry, { env, spool: data.spool, folder: root });
  let directory: OpenDirectory | undefined;
  let services: RunningServices | undefined;
  let safeguards: Safeguards | undefined;
  let http: HttpServer | undefined;
  try {
    let base = '';
    const { handlers, processes, classes } = code;
    directory = await openUsers(registry, data.store, { sampleUsers, log, usersWithin: options.usersWithin });
    safeguards = await openSafeguards(registry, { store: data.store, env, folder: root, log });
    const { audit } = safeguards;
    services = await openServices(registry, { data, outbound, log, audit, directory, processes, classes });
    const { queue } = services;
    const { others } = options;
    const metrics = createMetrics({ queries: data.queries, queue, ...(others === undefined ? {} : { others }) });
    const app = createApp(registry, handlers, {
      queries: data.queries,
      blobs: data.blobs,
      spool: data.spool,
      services,
      outbound,
      log,
      metrics,
      authenticator: await openAuthenticator(registry, { directory, env, folder: root, store: data.store }),
      sampleUsers,
      ready: async () => void (await Promise.all([data.store.ready(), data.queries.ready()])),
      base: () => base,
      idleTimeout,
      ...(options.grace === undefined ? {} : { grace: options.grace }),
      throttle: safeguards.throttle,
      audit,
    });
    const { headersTimeout } = options;
    const { limits, proxies } = registry.gateway;
    http = createHttpServer(app, limits, safeguards, {
      log,
      idleTimeout,
      headersTimeout,
      tls,
      proxies: compileProxies(proxies),
    });
    const bound = await (options.listen ?? listen)(http.server, at);
    // A connection that can't be taken, for want of file handles say, ends nothing but itself.
    http.server.on('error', (error) => log.error({ err: error }, 'A connection could not be taken.'));
    base = contractBase(registry, env, bound);
    await services.start();
    return {
      address: addressUrl(bound, registry.gateway),
      registry,
      server: http.server,
      counted: () => metrics.counted(),
      close: closer(http, services, outbound, data, log, safeguards, directory),
    };
  } catch (error) {
    // It may listen already: nobody is to find it open with nothing behind it.
    await http?.close(0);
    await services?.close(0);
    await safeguards?.close();
    await directory?.close();
    await data.close();
    throw error;
  }
}

/** What gateway.yaml and the datasources refer to and is not set is told at once, before anything is opened. */
function checkSettings(registry: Registry, env: Environment): void {
  const { listen: at, database, publicUrl } = registry.gateway;
  const texts = [at, database.url, ...(publicUrl === undefined ? [] : [publicUrl])];
  resolveSettings([...texts, ...datasourceSettings(registry), ...securitySettings(registry)], env);
}

function readTls({ gateway }: Registry, ports: TlsPorts): OpenTls | undefined {
  return gateway.tls === undefined ? undefined : openTls(gateway.tls, ports);
}

/** Handlers load while the database opens; where they fail, the database is closed again. */
async function both<H>(handlers: Promise<H>, data: Promise<Data>): Promise<[H, Data]> {
  const [loaded, opened] = await Promise.allSettled([handlers, data]);
  if (opened.status === 'rejected') throw opened.reason;
  if (loaded.status === 'fulfilled') return [loaded.value, opened.value];
  await opened.value.close();
  throw loaded.reason;
}

/** Sample users have well-known passwords: they work on addresses that only this machine reaches, or not at all. */
function readSampleUsers({ users, gateway }: Registry, { host }: Address, env: Environment): boolean {
  const off = env.SIGNALBOX_SAMPLE_USERS === 'off';
  const sample = [...users.values()].filter((user) => user.sample).map((user) => user.id);
  if (off || sample.length === 0) return !off;
  const isFronted = gateway.proxies.length > 0;
  if (isLoopback(host) && !isFronted) return true;
  throw new GatewayError(
    `${host} can be reached by others${isFronted ? ' through its proxies' : ''}, and the users ${sample.join(', ')} have well-known passwords`,
    {
      hint: 'Set SIGNALBOX_SAMPLE_USERS=off, or remove them, or listen on 127.0.0.1 without proxies.',
    },
  );
}

function listen(server: Server, { host, port }: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        const hint = 'Set PORT to another port; PORT=0 takes a free one.';
        reject(new GatewayError(`${host}:${port} is in use`, { hint, cause: error }));
      } else reject(new GatewayError(`can't listen on ${host}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, () => {
      const { address, port: bound } = server.address() as AddressInfo;
      resolve({ host: host === 'localhost' ? host : address, port: bound });
    });
  });
}

/** What is in front ends first, then what it stands on; a second call waits for the first. */
function closer(
  http: HttpServer,
  services: RunningServices,
  outbound: LazyClient,
  data: Data,
  log: Log,
  safeguards: Safeguards,
  directory: OpenDirectory,
): RunningGateway['close'] {
  let closing: Promise<void> | undefined;
  return ({ timeoutMs = CLOSE_WITHIN } = {}) => {
    closing ??= (async () => {
      await Promise.all([http.close(timeoutMs), services.close(timeoutMs)]);
      await outbound.close();
      await safeguards.close();
      await directory.close();
      await data.close();
      await new Promise<void>((resolve) => log.flush(() => resolve()));
    })();
    return closing;
  };
}
