import type { Server } from 'node:http';
import module, { registerHooks } from 'node:module';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type LoadedProject, loadProject, renderDiagnostics } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import type { Address } from '../../serve/start/address.ts';
import { startGateway } from '../../serve/start.ts';
import { CliFailure, renderFailure } from '../failure.ts';
import { renderScreen, terminalLog } from '../gateway-output.ts';
import { planGenerated, writeGenerated } from '../generated-files.ts';
import { colours } from '../terminal.ts';
import { fingerprint } from './changes.ts';
import { type Connections, type DrainOptions, followConnections, forwardTo } from './handover.ts';
import type { SupervisorMessage, WorkerFiles, WorkerMessage, WorkerStart } from './worker-handle.ts';

// The process that runs the gateway under `signalbox dev`: it ends with the next edit. It is started ahead where there
// is time, imports and warms up what does not change with an edit, and reads the project only when it is told to.

const { colour, spare, first, ...place } = JSON.parse(process.argv[2] ?? '') as WorkerStart;
const paint = colours(colour);
const modules = recordModules(place.root);
let handlers: string | undefined;
let server: Server | undefined;
let connections: Connections | undefined;
let close: (() => Promise<void>) | undefined;

// The supervisor decides when this process ends: a terminal's Ctrl-C reaches both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(1));

if (spare) await warmUp();
process.on('message', (message: SupervisorMessage, socket?: Socket) => {
  if (message.kind === 'connection') admit(message.connection, socket);
  else if (message.kind === 'go') void go();
  else if (message.kind === 'retire') retire(message.address);
  else if (message.kind === 'end') void drain({ idleMs: 0 });
});

/** Does once, for nothing, what is slow the first time: compiling the schemas' validators, and our own code. */
async function warmUp(): Promise<void> {
  try {
    const { registry } = loadProject({ ...place, handlers: 'ignore-missing' });
    if (registry !== undefined) await planGenerated(place.root, registry);
  } catch {
    // What is wrong is told when it is done in earnest.
  }
}

async function go(): Promise<void> {
  try {
    await serve();
  } catch (error) {
    fail(renderFailure(error, paint));
  }
}

async function serve(): Promise<void> {
  // A handler file that is missing is created below.
  const project = loadProject({ ...place, handlers: 'ignore-missing' });
  const text = project.diagnostics.length === 0 ? '' : renderDiagnostics(project, { colour });
  if (project.registry === undefined) return fail(text);
  handlers = resolve(place.root, project.registry.gateway.handlers);
  await bringUpToDate(project.registry);
  const gateway = await startServing(project);
  const { address, registry } = gateway;
  tellSupervisor({
    kind: 'ready',
    address,
    operations: fingerprint(registry),
    warnings: text,
    screen: first ? await renderScreen({ address, registry, place, follows: true }, paint) : '',
    ...filesRead(),
  });
  // Workers are often killed, and the cache is otherwise written at the end of a process.
  setImmediate(() => module.flushCompileCache());
}

/** Writes generated/ and missing handlers, before any handler is imported: handlers import generated/. */
async function bringUpToDate(registry: Registry): Promise<void> {
  const plan = await planGenerated(place.root, registry);
  // Told before it is done: what we create is no edit.
  if (plan.stubs.size > 0) tellSupervisor({ kind: 'creating', handlers: [...plan.stubs.keys()] });
  await writeGenerated(place.root, plan);
  if (plan.stubs.size > 0) tellSupervisor({ kind: 'created' });
}

async function startServing(project: LoadedProject) {
  const gateway = await startGateway({ ...place, env: process.env, project, log: terminalLog(paint), listen });
  close = () => gateway.close();
  return gateway;
}

/** Takes the place of the gateway's own listening: the supervisor holds the port, and sends what comes in. */
async function listen(its: Server, at: Address): Promise<Address> {
  server = its;
  connections = followConnections(its);
  const answer = new Promise<SupervisorMessage>((resolve) => {
    process.on('message', function heard(message: SupervisorMessage) {
      if (message.kind !== 'listening' && message.kind !== 'not-listening') return;
      process.off('message', heard);
      resolve(message);
    });
  });
  tellSupervisor({ kind: 'listen', ...at });
  const bound = await answer;
  if (bound.kind === 'listening') return bound;
  throw new CliFailure(bound.kind === 'not-listening' ? bound.message : 'the supervisor did not answer');
}

function admit(connection: number, socket: Socket | undefined): void {
  tellSupervisor({ kind: 'admitted', connection });
  // The caller may have gone while the connection was on its way here.
  if (socket === undefined) return;
  socket.setNoDelay(true);
  server?.emit('connection', socket);
}

function retire(successor: string): void {
  // Callers were told how long a connection stays (Keep-Alive: timeout): closed before that, one might be just in use.
  const kept = (server?.keepAliveTimeout ?? 0) + 1_000;
  void drain({ idleMs: kept, answer: forwardTo(successor) });
  tellSupervisor({ kind: 'retired' });
}

async function drain(options: DrainOptions): Promise<void> {
  await connections?.drain(options);
  await close?.();
  process.exit(0);
}

function fail(text: string): void {
  tellSupervisor({ kind: 'failed', text, ...filesRead() }, () => process.exit(1));
}

function filesRead(): WorkerFiles {
  return { handlers, modules: [...modules] };
}

function tellSupervisor(message: WorkerMessage, then: () => void = () => undefined): void {
  process.send?.(message, then);
}

/**
 * Notes the project's own modules, from now on and as they are imported: these are what an edit may change. Packages, the
 * product itself and what it generates are left out.
 * @returns absolute paths; the set grows
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
