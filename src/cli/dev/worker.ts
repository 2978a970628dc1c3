import type { Server } from 'node:http';
import module, { registerHooks } from 'node:module';
import type { Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { fingerprint } from '../../load/fingerprint.ts';
import { type LoadedProject, loadProject, registryOf, renderDiagnostics } from '../../load/index.ts';
import type { BrokenEdit } from '../../model/definition.ts';
import type { Registry } from '../../model/registry.ts';
import { NO_GRANT } from '../../serve/log/record.ts';
import { type Address, readAddress } from '../../serve/start/address.ts';
import type { Development } from '../../serve/start/development.ts';
import { startGateway } from '../../serve/start.ts';
import { post } from '../child-process.ts';
import { CliFailure, renderFailure } from '../failure.ts';
import { type ExplainRefusal, renderScreen, terminalLog } from '../gateway-output.ts';
import { planGenerated, writeGenerated } from '../generated-files.ts';
import { mockPartners } from '../mock.ts';
import { colours } from '../terminal.ts';
import { type Connections, type DrainOptions, followConnections, forwardTo } from './handover.ts';
import type { SupervisorMessage, WorkerFiles, WorkerMessage, WorkerStart } from './worker-handle.ts';

// The process that runs the gateway of `signalbox dev` until the next edit. When there is time it is started in advance: it
// imports and warms up what does not change with an edit, and reads the project only when the supervisor says `go`.

const { colour, spare, first, mock, fault, delay, how, ...place } = JSON.parse(process.argv[2] ?? '') as WorkerStart;
const paint = colours(colour);
const modules = recordModules(place.root);
let handlers: string | undefined;
let watched: readonly string[] = [];
let server: Server | undefined;
let connections: Connections | undefined;
let close: (() => Promise<void>) | undefined;
/** The edit after this version, while it is not applied. */
let broken: BrokenEdit | undefined;
let endStreams: () => void = () => undefined;
const KEEP_ALIVE_MS = 5_000;
const bound = Promise.withResolvers<Address>();

// A terminal's Ctrl-C reaches both processes; the supervisor decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(1));

if (spare) await warmUp();
process.on('message', (message: SupervisorMessage, socket?: Socket) => {
  if (message.kind === 'connection') admit(message.connection, socket);
  else if (message.kind === 'go') void go(message.migrate);
  else if (message.kind === 'listening') bound.resolve(message);
  else if (message.kind === 'not-listening') bound.reject(new CliFailure(message.message));
  else if (message.kind === 'broken') broken = message.edit;
  else if (message.kind === 'retire') retire(message.address);
  else if (message.kind === 'end') void drain({ idleMs: 0 });
});

/** Does what is slow the first time, and discards the result: the validators of schemas and our own code are compiled. */
async function warmUp(): Promise<void> {
  try {
    const { registry } = loadProject({ ...place, handlers: 'ignore-missing' });
    if (registry !== undefined) await planGenerated(place.root, registry);
  } catch {
    // Errors are reported by `serve`.
  }
}

async function go(migrate: boolean): Promise<void> {
  try {
    await serve(migrate);
  } catch (error) {
    fail(renderFailure(error, paint));
  }
}

async function serve(migrate: boolean): Promise<void> {
  // Missing handler files are created below.
  const project = loadProject({ ...place, handlers: 'ignore-missing' });
  watched = migrationFolders(project);
  const text = project.diagnostics.length === 0 ? '' : renderDiagnostics(project, { colour });
  if (project.registry === undefined) return fail(text, brokenLines(project));
  handlers = resolve(place.root, project.registry.gateway.handlers);
  await bringUpToDate(project.registry);
  const gateway = await startServing(project, { migrate, first, how });
  const { address, console, registry } = gateway;
  tellSupervisor({
    kind: 'ready',
    address,
    operations: fingerprint(registry),
    warnings: text,
    screen: first ? await renderScreen({ address, console, registry, place, follows: true }, paint) : '',
    ...filesRead(),
  });
  // The cache would otherwise be written when the process ends, and workers are often killed.
  setImmediate(() => module.flushCompileCache());
}

/** The folder of migrations; without a registry, where a file of SQL has a mistake, or the usual one. */
function migrationFolders({ registry, diagnostics }: LoadedProject): string[] {
  const wrong = diagnostics.flatMap(({ at }) => (at.file.endsWith('.sql') ? dirname(at.file) : []));
  const { migrations: found } = registry?.gateway ?? { migrations: { folder: wrong[0] ?? 'migrations' } };
  return found === undefined ? [] : [resolve(place.root, found.folder)];
}

/** Writes generated/ and missing handlers, before any handler is imported: handlers import generated/. */
async function bringUpToDate(registry: Registry): Promise<void> {
  const plan = await planGenerated(place.root, registry);
  // Reported in advance: files that we create are not edits.
  if (plan.stubs.size > 0) tellSupervisor({ kind: 'creating', handlers: [...plan.stubs.keys()] });
  await writeGenerated(place.root, plan);
  if (plan.stubs.size > 0) tellSupervisor({ kind: 'created' });
}

async function startServing(project: LoadedProject, development: Development) {
  // Before the database is opened: whoever has the port may be using it.
  if (first) await takePort(readAddress(registryOf(project), process.env));
  const log = terminalLog(paint, refusalExplainer(registryOf(project)));
  const partners = mock.length === 0 ? undefined : await mockPartners(registryOf(project), { mock, fault, delay }, log);
  const gateway = await startGateway({
    ...place,
    env: partners === undefined ? process.env : { ...process.env, ...partners.env },
    project,
    log,
    listen,
    brokenEdit: () => broken,
    development,
  });
  endStreams = () => gateway.endStreams();
  close = async () => {
    await gateway.close();
    await partners?.close();
  };
  return gateway;
}

/** What a developer needs to know of a refusal beside its reason. Callers are never told: the lines are for the terminal. */
function refusalExplainer({ operations }: Registry): ExplainRefusal {
  return ({ fault, operation: id = '', reason }) => {
    const operation = operations.get(id);
    if (operation === undefined) return undefined;
    if (fault === 'FORBIDDEN' && reason === NO_GRANT) {
      const lists = operation.permissions.map((list) => list.id);
      return lists.length === 0 ? `no permission list grants ${id}` : `${id} is granted by ${lists.join(', ')}`;
    }
    if (fault !== 'UNAUTHENTICATED') return undefined;
    return `${id} takes ${operation.requires.map((scheme) => `${scheme.id} (${scheme.kind})`).join(' or ')}`;
  };
}

/** Replaces the gateway's own listening: the supervisor holds the port and sends the connections. */
async function listen(its: Server, at: Address): Promise<Address> {
  server = its;
  // A gateway ends at every edit, when its connections have been idle for this long.
  its.keepAliveTimeout = KEEP_ALIVE_MS;
  connections = followConnections(its);
  return await takePort(at);
}

let taken: Promise<Address> | undefined;

/** Has the supervisor listen, which keeps callers waiting until this process is ready. @throws CliFailure */
function takePort(at: Address): Promise<Address> {
  if (taken === undefined) tellSupervisor({ kind: 'listen', ...at });
  taken ??= bound.promise;
  return taken;
}

function admit(connection: number, socket: Socket | undefined): void {
  tellSupervisor({ kind: 'admitted', connection });
  // Undefined when the caller has gone in the meantime.
  if (socket === undefined) return;
  socket.setNoDelay(true);
  server?.emit('connection', socket);
}

function retire(successor: string): void {
  // A connection that is closed before the time that `Keep-Alive: timeout` promised may be in use at that moment.
  const kept = (server?.keepAliveTimeout ?? 0) + 1_000;
  void drain({ idleMs: kept, answer: forwardTo(successor) });
  tellSupervisor({ kind: 'retired' });
}

async function drain(options: DrainOptions): Promise<void> {
  // They have no end of their own: browsers open them again, and reach the successor.
  endStreams();
  await connections?.drain(options);
  await close?.();
  process.exit(0);
}

function fail(text: string, found: BrokenEdit['found'] = []): void {
  const edit = { text: stripVTControlCharacters(text), found };
  tellSupervisor({ kind: 'failed', text, edit, ...filesRead() }, () => process.exit(1));
}

/** The diagnostics of a project with their lines. */
function brokenLines({ diagnostics, sources }: LoadedProject): BrokenEdit['found'] {
  return diagnostics.map(({ code, severity, message, hint, at }) => {
    const line = sources.get(at.file)?.split(/\r?\n/)[at.line - 1];
    return {
      code,
      severity,
      message,
      at,
      ...(hint === undefined ? {} : { hint }),
      ...(line === undefined ? {} : { line }),
    };
  });
}

function filesRead(): WorkerFiles {
  return { handlers, migrations: watched, modules: [...modules] };
}

function tellSupervisor(message: WorkerMessage, onSent?: () => void): void {
  post(process, message, onSent);
}

/**
 * Records the project's own modules as they are imported from now on, since an edit may change them. Packages, the product
 * itself and generated files are left out.
 * @returns absolute paths, in a set that grows
 */
function recordModules(root: string): ReadonlySet<string> {
  const found = new Set<string>();
  const project = pathToFileURL(join(root, '/')).href;
  const others = [new URL('../../', import.meta.url).href, pathToFileURL(join(root, 'generated/')).href];
  registerHooks({
    load(url, context, nextLoad) {
      const isOurs = url.startsWith(project) && !url.includes('/node_modules/');
      if (isOurs && !others.some((other) => url.startsWith(other))) found.add(fileURLToPath(url));
      return nextLoad(url, context);
    },
  });
  return found;
}
