/**
 * Messages that the gateway publishes and delivers: `messages-ours.ts <what> <database URL> <count> <operation> [<partitions>
 * [<a second>]]`. Prints the figures as JSON: see {@link MEASURES}. Messages are published in this process, without HTTP, by 32 callers
 * at once; handlers do nothing.
 */
import { fileURLToPath } from 'node:url';
import { createRedactor } from '../../../src/codec/redact/redactor.ts';
import { loadProject } from '../../../src/load/index.ts';
import { openDirectory } from '../../../src/security/directory/directory.ts';
import { createLazyClient } from '../../../src/serve/answer/outbound.ts';
import { createLog } from '../../../src/serve/log/log.ts';
import { openData } from '../../../src/serve/start/data.ts';
import { importCode } from '../../../src/serve/start/handlers.ts';
import { openServices } from '../../../src/serve/start/services.ts';
import { proportionalMemory } from './memory.ts';
import { atOnce, changeOf, tenthOf } from './message-data.ts';
import { discarded } from './serving.ts';

/** Callers that publish at the same time. */
const PUBLISHERS = 32;

const [, , what = '', url = '', counted = '', operationId = '', partitions = '1', rate = ''] = process.argv;
const count = Number(counted);
const root = fileURLToPath(new URL('messages/', import.meta.url));
const env = { DATABASE_URL: url, TARGET_URL: process.env.TARGET_URL ?? 'http://127.0.0.1:9' };
const { registry, diagnostics } = loadProject({ root });
if (registry === undefined) throw new Error(`the messages of the bench do not load: ${diagnostics[0]?.message}`);
const operation = registry.operations.get(operationId);
if (operation === undefined) throw new Error(`unknown operation ${operationId}`);

const redactor = createRedactor();
const log = createLog({ to: discarded(), redactor });
const data = await openData(registry, { root, env });
const directory = await openDirectory({ registry, sampleUsers: false, store: data.store, onError: fail });
const outbound = createLazyClient(registry, { env, spool: data.spool, folder: root, redactor });
/** Called with the id of a message that was delivered, once that is committed. */
let delivered: (message: string) => void = () => {};
const services = await openServices(registry, {
  ...{ data, outbound, log, settings: {}, redactor, audit: log, directory, ...(await importCode(registry, root)) },
  metrics: {
    published: () => {},
    attempted({ id, error }) {
      if (error !== undefined) fail(error as Error);
      delivered(String(id));
    },
  },
  base: () => '',
});

function fail(error: Error): never {
  throw error;
}

function publish(n: number): Promise<string> {
  const facts = { user: undefined, requestId: `bench-${n}`, connector: 'handler' } as const;
  return services.messages.publish(operation!, changeOf(n, Number(partitions)), facts);
}

/** Resolves once so many messages are delivered. */
function all(messages: number, seen: (message: string, n: number) => unknown = () => {}): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let n = 0;
  delivered = (message) => {
    seen(message, n++);
    if (n === messages) resolve();
  };
  return promise;
}

/** Publishes before any worker is started, and then delivers: messages a second. */
async function published(): Promise<number> {
  const begun = performance.now();
  await atOnce(count, PUBLISHERS, publish);
  return perSecond(begun);
}

async function drained(): Promise<number> {
  await atOnce(count, PUBLISHERS, publish);
  const done = all(count);
  const begun = performance.now();
  await services.start();
  await done;
  return perSecond(begun);
}

function perSecond(begun: number, messages = count): number {
  return (messages / (performance.now() - begun)) * 1000;
}

/** Milliseconds from the call that publishes a message to its return, and to the commit of its handler, at an even rate. */
async function latency(): Promise<{ readonly publish: number[]; readonly deliver: number[] }> {
  await services.start();
  const warm = all(Math.ceil(count / 5));
  await atOnce(Math.ceil(count / 5), 2, publish);
  await warm;
  const begun = new Map<string, number>();
  const early = new Map<string, number>();
  const times = { publish: [] as number[], deliver: [] as number[] };
  const done = all(count, (message) => {
    const from = begun.get(message);
    // Its delivery can end before the call that published it returns.
    if (from === undefined) early.set(message, performance.now());
    else times.deliver.push(performance.now() - from);
  });
  const interval = 1000 / Number(rate);
  const start = performance.now();
  const calls: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    const due = start + n * interval;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const from = performance.now();
    const call = publish(n).then((message) => {
      times.publish.push(performance.now() - from);
      begun.set(message, from);
      const end = early.get(message);
      if (end !== undefined) times.deliver.push(end - from);
    });
    calls.push(call);
  }
  await Promise.all([...calls, done]);
  return times;
}

/** A tenth of a backlog: messages a second, and the memory of this process at its end, in MB. */
interface Tenth {
  readonly perSecond: number;
  readonly mb: number;
}

/** Publishes all, and then delivers all, by tenths. */
async function backlog(): Promise<{ readonly publish: readonly Tenth[]; readonly deliver: readonly Tenth[] }> {
  const publishing = tenths();
  await atOnce(count, PUBLISHERS, async (n) => {
    await publish(n);
    publishing.seen();
  });
  const delivering = tenths();
  const done = all(count, () => delivering.seen());
  await services.start();
  await done;
  return { publish: await publishing.all(), deliver: await delivering.all() };
}

/** Notes the rate and the memory of each tenth. */
function tenths(): { seen(): void; all(): Promise<readonly Tenth[]> } {
  const found: Promise<Tenth>[] = [];
  let seen = 0;
  let from = 0;
  let begun = performance.now();
  return {
    seen() {
      if (tenthOf(seen, count) === tenthOf(++seen, count) && seen < count) return;
      const rate = perSecond(begun, seen - from);
      found.push(proportionalMemory(process.pid).then((bytes) => ({ perSecond: rate, mb: bytes / 1_048_576 })));
      from = seen;
      begun = performance.now();
    },
    all: () => Promise.all(found),
  };
}

const MEASURES: Readonly<Record<string, () => Promise<unknown>>> = { published, drained, latency, backlog };
const figures = await MEASURES[what]?.();
if (figures === undefined) throw new Error(`unknown measure '${what}'`);
process.stdout.write(`${JSON.stringify(figures)}\n`);
await services.close(1000);
await Promise.all([outbound.close(), directory.close()]);
await data.close();
process.exit(0);
