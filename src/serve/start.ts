import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { createRedactor } from '../codec/redact/redactor.ts';
import type { MadeCall } from '../invoke/index.ts';
import { standInAddress, standInVariable } from '../invoke/stand-in.ts';
import type { LoadedProject } from '../load/index.ts';
import { secretsOf } from '../load/value/config.ts';
import { CallRecords, callRecorder } from '../messaging/run/index.ts';
import type { BrokenEdit } from '../model/definition.ts';
import type { Registry } from '../model/registry.ts';
import { openLease, openStatistics, type QueueControl, type QueueDepth } from '../store/index.ts';
import type { Telemetry } from '../trace/otlp.ts';
import { type Clock, SYSTEM_CLOCK } from '../wire/waiting.ts';
import { counted } from '../wire/words.ts';
import { createLazyClient } from './answer/outbound.ts';
import { createApp, createConsoleApp } from './app.ts';
import { GRACE, IDLE_TIMEOUT } from './exchange/body.ts';
import type { GatewayEnv } from './exchange/exchange.ts';
import { GatewayError } from './gateway-error.ts';
import { createHttpServer, listenAt, requireFree } from './listen/listen.ts';
import { compileProxies } from './listen/remote.ts';
import { openTls } from './listen/tls.ts';
import { createLog, type LogOptions } from './log/log.ts';
import type { Counted } from './log/metrics.ts';
import { createMetrics } from './log/metrics.ts';
import { fleetSource, gatewaySources, identity, jobNames } from './log/readings.ts';
import { callCounter } from './log/record.ts';
import { type OwnApp, withOwn } from './own-app.ts';
import {
  type Address,
  addressUrl,
  contractBase,
  passedPort,
  readAddress,
  readConsoleAddress,
  readSampleUsers,
} from './start/address.ts';
import { checkCallSecrets, openAuthenticator, openUserDirectory, securitySettings } from './start/authentication.ts';
import { openConsole } from './start/console.ts';
import { datasourceSettings, openData } from './start/data.ts';
import { recordLoaded } from './start/definitions.ts';
import type { Development } from './start/development.ts';
import { copyWarning, importCode } from './start/handlers.ts';
import { OpenedParts } from './start/opened.ts';
import { missingSettings, openSettings } from './start/project-settings.ts';
import { drain, Readiness } from './start/readiness.ts';
import { openSafeguards } from './start/safeguards.ts';
import { openServices } from './start/services.ts';
import { type Environment, resolveSettings } from './start/settings.ts';
import { openTelemetry } from './start/telemetry.ts';

export interface GatewayOptions {
  /** The project's folder. */
  readonly root: string;
  /** Folder of the definitions, relative to the root. */
  readonly definitions?: string;
  /** A project that is already loaded; it is not loaded again. */
  readonly project?: LoadedProject;
  /** `PORT`, `HOST`, `SIGNALBOX_SAMPLE_USERS`, and the variables that the definitions refer to. */
  readonly env: Environment;
  /** Refuses to start while anything that the definitions refer to is not set; by default that is a warning. */
  readonly strictEnv?: boolean;
  readonly log?: LogOptions;
  /** Milliseconds without a byte after which a request's body, or a reply that is not read, is abandoned; 30 s. */
  readonly idleTimeout?: number;
  /** Milliseconds for which a request's body may come more slowly than `limits.slowest`; 5 s. */
  readonly grace?: number;
  /** Milliseconds within which the head of a request must arrive; 20 s. */
  readonly headersTimeout?: number;
  /** Milliseconds within which a change of a user in the database is noticed; 2 s. */
  readonly usersWithin?: number;
  /** Number of processes for stored queries that are kept running when the database is SQLite; 2. */
  readonly readers?: number;
  /** How many gateways share the port and the database; 0 for all but one of them, which warns about connections. */
  readonly gateways?: number;
  /** Replaces `server.listen` when another process holds the port. */
  readonly listen?: (server: Server, at: Address) => Promise<Address>;
  /** The counts of the other gateways that share the port; `/metrics` adds them. */
  readonly others?: () => Promise<readonly Counted[]>;
  /** The name of all gateways that share the port, which report the metrics of the fleet together; a random one by default. */
  readonly holder?: string;
  /** The edit that is not applied, of `signalbox dev`. */
  readonly brokenEdit?: () => BrokenEdit | undefined;
  /** Routes and middleware of one's own; by default those of `src/app.ts`, if the project has it. */
  readonly app?: OwnApp;
  /** How `signalbox dev` brings the database up. */
  readonly development?: Development;
  /** The time of everything that waits for one: what recurs, retries, tokens, retention; that of the machine by default. */
  readonly clock?: Clock;
}

/** A gateway that answers where it is called, and does its background work. */
export interface OpenGateway {
  /** The gateway as a Hono app, to be mounted in another: `other.route('/', gateway.app)`. */
  readonly app: Hono<GatewayEnv>;
  /**
   * Answers a request: what `@hono/node-server` takes, with the objects of Node that it passes beside, from which the gateway
   * learns who calls. Without these, the call is one of this process.
   */
  readonly fetch: (request: Request, bindings?: HttpBindings | Http2Bindings) => Response | Promise<Response>;
  readonly registry: Registry;
  /** Lets background work finish for at most `timeoutMs` (`drain.work`), then closes what it depends on. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export interface RunningGateway extends OpenGateway {
  /** `http://127.0.0.1:8080`. */
  readonly address: string;
  /** `http://127.0.0.1:8080/console`; absent when it is off. */
  readonly console?: string;
  readonly server: Server;
  /** Its counts, for another gateway's `others`. */
  counted(): Promise<Counted>;
  /**
   * Prepares for {@link close}, for at most `drain.ready` of the gateway: takes no more queued work, answers 503 at
   * `/health/ready`, and closes connections with their replies. Resolves earlier when no caller depends on it: no connection
   * is open, and `/health/ready` was never called.
   */
  drain(options?: DrainOptions): Promise<void>;
  /** Ends the replies that would go on for ever: the events of the console's pages. */
  endStreams(): void;
  /** Closes the port, lets running work finish for at most `timeoutMs` (`drain.work`), then closes what it depends on. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** What it does besides answering, for tests. */
  readonly background: Background;
}

/** Work that gateways do by themselves, when its time has come. */
export interface Background {
  /** Does now what recurs and is due, removes what has expired, enters statistics, and lets workers look for jobs. */
  hurry(): Promise<void>;
  /** The jobs of each queue. */
  depths(): Promise<readonly QueueDepth[]>;
  readonly queues: QueueControl;
}

interface DrainOptions {
  /** Another gateway serves the port already: this one leaves it at once, and has nothing to announce. */
  readonly replaced?: boolean;
}

/** Milliseconds for what is exported by OTLP to be sent at the end. */
const EXPORT_WITHIN = 5_000;

/**
 * Opens a gateway that does not listen, for a server of one's own: definitions, database, handlers, then background work. A console
 * with an address of its own is not there. `HOST` and `PORT` are those in contracts, unless `publicUrl:` is set.
 * @throws DefinitionsError, GatewayError, StoreError
 */
export function openGateway(options: GatewayOptions): Promise<OpenGateway> {
  return opening(options, async (parts) => {
    await parts.begin();
    return parts.gateway;
  });
}

/**
 * Starts a gateway: definitions, database, handlers, then the port.
 * @throws DefinitionsError, GatewayError, StoreError
 */
export function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  return opening(options, (parts) => listen(parts, options), requirePorts);
}

/**
 * Opens the parts of a gateway, and closes them if what follows fails.
 * @param before is awaited before anything is opened or changed
 */
async function opening<T>(
  options: GatewayOptions,
  then: (parts: Parts) => Promise<T>,
  before?: (registry: Registry, options: GatewayOptions) => Promise<void>,
): Promise<T> {
  // Commands give one, often without having loaded the loader.
  const project = options.project ?? (await import('../load/index.ts')).loadProject(options);
  const registry = project.registry ?? (await import('../load/index.ts')).registryOf(project);
  checkSettings(registry, options.env, options.root);
  await before?.(registry, options);
  const opened = new OpenedParts();
  try {
    return await then(await open(registry, project, options, opened));
  } catch (error) {
    // It may already be listening: no caller should reach a gateway with nothing behind it.
    await opened.close(0);
    throw error;
  }
}

type Parts = Awaited<ReturnType<typeof open>>;

/**
 * Requires that the gateway's own ports are free. One that another process holds, the primary of this worker or the service
 * manager, is not checked.
 * @throws GatewayError
 */
export async function requirePorts(
  registry: Registry,
  { env, listen }: Pick<GatewayOptions, 'env' | 'listen'>,
): Promise<void> {
  if (listen !== undefined || cluster.isWorker || passedPort(env) !== undefined) return;
  const ofConsole = readConsoleAddress(registry, env);
  for (const at of [readAddress(registry, env), ...(ofConsole === undefined ? [] : [ofConsole])]) await requireFree(at);
}

/** The steps of a start: each part depends on those before it, and is closed before them. */
async function open(
  registry: Registry,
  { sources, uses }: Pick<LoadedProject, 'sources' | 'uses'>,
  options: GatewayOptions,
  opened: OpenedParts,
) {
  const { root, env, usersWithin, idleTimeout = IDLE_TIMEOUT, grace = GRACE, others, clock = SYSTEM_CLOCK } = options;
  const { gateway: declared } = registry;
  const configured = readAddress(registry, env);
  const at = (options.listen === undefined && passedPort(env)) || configured;
  const missing = missingSettings(registry, uses, env);
  if (options.strictEnv === true && missing.length > 0)
    throw new GatewayError(missing.map(({ text }) => text).join('\n'), {
      hint: 'Set them, or leave out --strict-env to start without; signalbox env lists all.',
    });
  const settings = openSettings(declared.settings, env);
  // A supervisor hands over connections of one port only.
  const ofConsole = options.listen === undefined ? readConsoleAddress(registry, env) : undefined;
  const sampleUsers = readSampleUsers(registry, at, env) && (!ofConsole || readSampleUsers(registry, ofConsole, env));
  const redactor = createRedactor(() => secretsOf(env));
  // The log is open before the export, whose libraries may warn at once.
  let telemetry: Telemetry | undefined;
  const also = (line: string): void => telemetry?.line?.(line);
  const log = createLog({ ...options.log, isAudit: declared.audit === undefined, redactor, also });
  opened.add(() => new Promise((resolve) => log.flush(() => resolve())));
  telemetry = await openTelemetry(env, redactor, (words) => log.warn(words));
  if (telemetry !== undefined) opened.add((timeoutMs) => telemetry.close(Math.min(timeoutMs, EXPORT_WITHIN)));
  for (const { name, text } of missing) log.warn({ setting: name }, `${text}.`);
  const ports = { env, folder: root, log };
  const metrics = createMetrics({ jobs: jobNames(registry), ...(others === undefined ? {} : { others }) });
  metrics.measure(identity(sources));
  const tls = declared.tls === undefined ? undefined : openTls(declared.tls, ports);

  const onError = (err: Error): void => log.warn({ err }, err.message);
  const report = (sentence: string): void => log.warn(sentence);
  const onMigration = (file: string): void => log.info(`The migration ${file} runs.`);
  // Handlers load while the database opens.
  const both = [openData(registry, { ...options, onError, onMigration, report }), importCode(registry, root)] as const;
  const [dataOpened, codeLoaded] = await Promise.allSettled(both);
  if (dataOpened.status === 'rejected') throw dataOpened.reason;
  const data = dataOpened.value;
  opened.add(() => data.close());
  if (codeLoaded.status === 'rejected') throw codeLoaded.reason;
  const { handlers, ...code } = codeLoaded.value;
  for (const warning of [...data.warnings, copyWarning(root) ?? []].flat()) log.warn(warning);

  for (const node of registry.nodes.values()) {
    const address = standInAddress(node, env);
    if (address !== undefined)
      log.warn(`${standInVariable(node.id)} is set: ${address} stands in for node ${node.id}.`);
  }

  const { store, queries, blobs, spool } = data;
  const directory = await openUserDirectory(registry, store, { sampleUsers, log, usersWithin, clock });
  opened.add(() => directory.close());
  const safeguards = await openSafeguards(registry, { ...ports, store, also });
  opened.add(() => safeguards.close());
  const { audit, throttle } = safeguards;
  const calls = new CallRecords({
    store,
    keep: declared.retention.calls,
    onError: (err) => log.warn({ err }, 'Calls could not be recorded in the message store. The audit log has them.'),
  });
  opened.add(() => calls.close());
  const statistics = openStatistics({
    store,
    clock,
    onError: (err) =>
      log.warn({ err }, 'The statistics of calls could not be entered. The gateway tries again every ten seconds.'),
  });
  opened.add(() => statistics.close());
  const [countCall, recordCall] = [callCounter(statistics), callRecorder(calls.add, redactor)];
  const onCall = (call: MadeCall): void => {
    countCall(call);
    recordCall(call);
  };
  const outbound = createLazyClient(registry, { env, spool, folder: root, redactor, observer: metrics, onCall, clock });
  opened.add(() => outbound.close());
  let base = contractBase(registry, env, configured);
  let consoleUrl: string | undefined;
  const services = await openServices(registry, {
    ...{ data, outbound, log, settings, redactor, audit, metrics, directory, ...code },
    base: () => base,
    tracer: telemetry?.tracer,
    clock,
  });
  opened.add((timeoutMs) => services.close(timeoutMs));

  const authenticator = await openAuthenticator(registry, { ...ports, directory, store, clock });
  const operators =
    declared.console &&
    openConsole({
      ...{ declared: declared.console, registry, sources, redactor, sampleUsers, brokenEdit: options.brokenEdit },
      ...{ authenticator, directory, store, ...ports, clock },
      ...{ queues: services.queues, messages: services.messageControl, outbound, spool },
      ...{ scheduler: services.scheduler, queries, saved: services.saved, nodes: outbound.nodes },
      base: () => base,
      origin: () => new URL(consoleUrl ?? base).origin,
    });
  const readiness = new Readiness(() => Promise.all([store.ready(), queries.ready(), blobs.ready()]));
  const proxies = compileProxies(declared.proxies);
  const served = {
    ...{ proxies, tracer: telemetry?.tracer, auditFile: safeguards.auditFile },
    ...{ handlers, queries, blobs, spool, services, outbound },
    answers: services.answers,
    ...{ log, settings, redactor, audit, metrics, authenticator, throttle, sampleUsers, ready: () => readiness.ask() },
    recordCall: calls.add,
    statistics,
    pace: { idle: idleTimeout, slowest: declared.limits.slowest, grace },
    base: () => base,
  };
  const operations = createApp(registry, { ...served, console: ofConsole ? undefined : operators?.open });
  const added = options.app ?? code.app;
  const app = added === undefined ? operations : await withOwn(operations, added);
  const { queue } = services;
  const measured = { queries, queue, spool, readiness, tls, calls, ...safeguards, tables: () => store.pool?.() };
  const lease = openLease(store, 'metrics', options.holder ?? randomUUID());
  metrics.measureFleet(fleetSource(lease, services));
  // Each worker exports its own metrics: their sums would be counted several times.
  telemetry?.measure(() => (others === undefined ? metrics.families() : metrics.counted()));
  // Without the database, it ends by itself.
  opened.addBeside(() => lease.release().catch(() => {}));
  const gateway: OpenGateway = {
    app,
    fetch: (request, bindings) => app.fetch(request, (bindings ?? {}) as GatewayEnv['Bindings']),
    registry,
    close({ timeoutMs = declared.drain.work } = {}) {
      operators?.close();
      return opened.close(timeoutMs);
    },
  };
  return {
    ...{ gateway, app, operations, served, operators, opened, services, statistics, readiness, safeguards, measured },
    ...{ tls, proxies, idleTimeout, configured, at, ofConsole },
    /** @param bound what it listens at @param console where its console is */
    set(bound: Address, console?: string) {
      base = contractBase(registry, env, bound);
      consoleUrl = console;
    },
    /** Begins its background work, and to answer that it is ready. */
    async begin() {
      await services.start();
      readiness.begin();
      const recorded = recordLoaded(registry, { sources, store, log, clock });
      opened.add(() => recorded.close());
      operators?.expect();
      return recorded;
    },
  };
}

/** Lets callers in: the port, that of the console if it has its own, and background work. */
async function listen(parts: Parts, { headersTimeout, listen: bind }: GatewayOptions): Promise<RunningGateway> {
  const { gateway, app, operations, served, operators, opened, services, readiness, safeguards } = parts;
  const { tls, proxies, idleTimeout, configured, at, ofConsole } = parts;
  const { registry } = gateway;
  const { log, metrics } = served;
  const { limits, drain: drains } = registry.gateway;
  const transport = { log, metrics, idleTimeout, headersTimeout, tls, proxies };
  const http = createHttpServer(app, limits, safeguards, transport);
  opened.addBeside((timeoutMs) => http.close(timeoutMs));
  metrics.measure(...gatewaySources({ ...parts.measured, connections: http.connections }));
  const bound = await (bind?.(http.server, configured) ?? listenAt(http.server, at));
  // A connection that can't be accepted, for lack of file handles for example, affects no other.
  http.server.on('error', (error) => log.error({ err: error }, 'A connection could not be accepted.'));
  parts.set(bound);
  const address = addressUrl(bound, registry.gateway);
  let consoleUrl: string | undefined;
  if (ofConsole !== undefined && operators !== undefined) {
    const own = createConsoleApp(registry, { ...served, console: operators.open }, operations);
    const ofOperators = createHttpServer(own, limits, safeguards, transport);
    opened.addBeside((timeoutMs) => ofOperators.close(timeoutMs));
    consoleUrl = addressUrl(await listenAt(ofOperators.server, ofConsole), registry.gateway);
    parts.set(bound, consoleUrl);
  }
  const recorded = await parts.begin();
  return {
    ...gateway,
    address,
    ...(operators === undefined ? {} : { console: `${consoleUrl ?? address}/console` }),
    server: http.server,
    counted: () => metrics.counted(),
    async drain({ replaced = false } = {}) {
      services.stopTaking();
      operators?.close();
      if (!replaced) readiness.deny();
      const seconds = Math.ceil(drains.ready / 1000);
      log.info(
        replaced
          ? 'Another gateway has taken over; this one stops.'
          : `The gateway stops. Its port stays open for up to ${counted(seconds, 'second')} (drain: ready).`,
      );
      await drain(http.connections, drains.ready, { replaced, readiness });
    },
    endStreams: () => operators?.close(),
    background: {
      async hurry() {
        await services.queue.hurry();
        await services.retention.sweep();
        await parts.statistics.flush();
        await recorded.write();
      },
      depths: () => services.queue.depths(),
      queues: services.queues,
    },
  };
}

/**
 * Reports all missing settings of gateway.yaml, datasources, schemes and users at once, before anything is opened.
 * @throws GatewayError
 */
function checkSettings(registry: Registry, env: Environment, folder: string): void {
  const { listen, database, publicUrl } = registry.gateway;
  const given = [database.schema, publicUrl].filter((text) => text !== undefined);
  const texts = [listen, database.url, ...(database.replicas?.urls ?? []), ...given];
  resolveSettings([...texts, ...datasourceSettings(registry), ...securitySettings(registry)], env);
  checkCallSecrets(registry, env, folder);
}
