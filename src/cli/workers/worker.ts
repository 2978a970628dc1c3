// One of the gateway processes of `signalbox serve --workers`. The primary holds the port and hands each connection to one
// of them.
import type { Counted } from '../../serve/log/metrics.ts';
import { type RunningGateway, startGateway } from '../../serve/start.ts';
import { post, Questions } from '../child-process.ts';
import { CliFailure, type ExitCode, renderFailure } from '../failure.ts';
import { terminalLog } from '../gateway-output.ts';
import { loadCached } from '../project.ts';
import { colours } from '../terminal.ts';
import type { PrimaryMessage, WorkerMessage, WorkerStart } from './primary.ts';

/** `drain`: announce it first. `retire`: another worker has its place. `close`: now. */
type Ending = 'drain' | 'retire' | 'close';

const { colour, people, worker, workers, holder, ...place } = JSON.parse(process.argv[2] ?? '') as WorkerStart;
let gateway: RunningGateway | undefined;
/** How it is to end, once that is asked for. */
let ending: Ending | undefined;
const questions = new Questions<readonly Counted[]>();

// A terminal's Ctrl-C reaches all processes; the primary decides when this one ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('SIGTERM', () => void end('drain'));
// Without a primary it would get no connections and never end.
process.on('disconnect', () => process.exit(1));
process.on('message', (message: PrimaryMessage) => {
  if (message.kind === 'end') void end(message.drains ? 'drain' : 'close');
  else if (message.kind === 'retire') void end('retire');
  else if (message.kind === 'ask') tell({ kind: 'alive' });
  else if (message.kind === 'count') void count(message.question);
  else if (message.kind === 'others') questions.answered(message.question, message.counted);
});

await start();

async function start(): Promise<void> {
  try {
    const { project, keep } = await loadCached(place, 'check');
    const { registry } = project;
    if (registry === undefined) {
      const { renderDiagnostics } = await import('../../load/index.ts');
      return fail(renderDiagnostics(project, { colour }), 1);
    }
    const log = { base: { worker }, ...(people ? terminalLog(colours(colour)) : {}) };
    const gateways = worker === 1 ? workers : 0;
    gateway = await startGateway({ ...place, env: process.env, project, log, others, holder, gateways });
    if (ending !== undefined) return await finish(gateway, ending);
    const { ready, work } = registry.gateway.drain;
    const { address, console } = gateway;
    tell({ kind: 'ready', address, console, stopsWithin: ready + work });
    keep();
  } catch (error) {
    const text = renderFailure(error, colours(colour));
    fail(text, error instanceof CliFailure ? error.exitCode : 1);
  }
}

/** A gateway that is still starting can't be closed, so its start is awaited. */
async function end(how: Ending): Promise<void> {
  if (ending !== undefined) return;
  ending = how;
  if (gateway !== undefined) await finish(gateway, how);
}

async function finish(running: RunningGateway, how: Ending): Promise<void> {
  if (how !== 'close') await running.drain({ replaced: how === 'retire' });
  await running.close();
  // Handlers may have left timers or connections behind that would keep the process alive.
  process.exit(0);
}

async function others(): Promise<readonly Counted[]> {
  return (await questions.ask((question) => tell({ kind: 'others', question }))) ?? [];
}

async function count(question: number): Promise<void> {
  tell({ kind: 'counted', question, counted: (await gateway?.counted().catch(() => [])) ?? [] });
}

function fail(text: string, exitCode: ExitCode): void {
  tell({ kind: 'failed', text, exitCode }, () => process.exit(exitCode));
}

function tell(message: WorkerMessage, onSent?: () => void): void {
  post(process, message, onSent);
}
