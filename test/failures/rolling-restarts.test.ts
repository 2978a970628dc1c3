import { Agent, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { files, staffPath, staffProject } from '../cli/fixture.ts';
import { poll } from '../cli/poll.ts';
import { start, writeFiles } from '../cli/support.ts';
import { freePort } from '../support/free-port.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { hasProxy, type ProxyName, startProxy } from '../support/proxies.ts';
import { passed, type Restarted, restarted } from '../support/restarted.ts';

const ready = /^Signalbox is ready on /m;

/** A gateway whose replies name their process. */
function project(): Promise<string> {
  const handler = 'export default { onRequest: () => ({ GREETING: String(process.pid) }) };\n';
  return staffProject({
    'definitions/gateway.yaml': `${files['definitions/gateway.yaml']}drain: 1 s\n`,
    'definitions/staff/service.yaml': files['definitions/staff/service.yaml'].replace(
      '  HELLO_GET:',
      `  HELLO_POST:
    post: Hello
    public: true
    request: { fields: { NAME: string } }
    response: { fields: { GREETING: string } }
  HELLO_GET:`,
    ),
    'src/handlers/hello-get.ts': handler,
    'src/handlers/hello-post.ts': handler,
  });
}

/** Calls that go on until they are stopped. */
interface Load {
  /** The processes that answered the latest calls. */
  pids(): ReadonlySet<number>;
  /** Everything that was not answered as it should be. */
  stop(): Promise<{ readonly calls: number; readonly failures: readonly string[] }>;
}

const CALLERS = 6;

/** Callers that send GET and POST in turn, each on a connection that it keeps. */
function load(address: string): Load {
  const agent = new Agent({ keepAlive: true });
  const pids: number[] = [];
  const failures: string[] = [];
  let calls = 0;
  let isOver = false;
  const caller = async (): Promise<void> => {
    while (!isOver) {
      const method = ++calls % 2 === 0 ? 'GET' : 'POST';
      try {
        pids.push(await call(agent, address, method));
      } catch (error) {
        failures.push(`${method}: ${(error as Error).message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  const stop = async (): ReturnType<Load['stop']> => {
    isOver = true;
    await callers;
    agent.destroy();
    return { calls, failures };
  };
  onTestFinished(async () => void (await stop()));
  return { pids: () => new Set(pids.slice(-40)), stop };
}

function call(agent: Agent, address: string, method: string): Promise<number> {
  const body = method === 'POST' ? '{"NAME":"Ada"}' : undefined;
  const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  const path = `${staffPath}/Hello${body === undefined ? '/Ada' : ''}`;
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { method, headers, agent }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      reply.once('error', reject);
      reply.once('end', () => {
        if (reply.statusCode === 200) resolve(Number((JSON.parse(text) as { GREETING: string }).GREETING));
        else reject(new Error(`${reply.statusCode} ${text.slice(0, 80)}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Nobody knows yet who reaches a port that is passed. */
const ENV = { SIGNALBOX_SAMPLE_USERS: 'off' };

const RESTARTS = Number(process.env.SIGNALBOX_TEST_RESTARTS ?? 3);
/** Takes half a minute: a worker that is replaced has no `drain.ready` to wait for. */
const REPLACEMENTS = Number(process.env.SIGNALBOX_TEST_RESTARTS ?? 20);

/**
 * nginx does not ask for health: what it sends in the moment in which a port is closed is lost, if it may not be sent again. That
 * moment is longer on a busy machine.
 */
const isUnlucky = (failure: string): boolean => failure.startsWith('POST: 502 ');

describe.each<[string, ProxyName, typeof restarted, most: number]>([
  ['whose ports are held for them, behind nginx', 'nginx', passed, 0],
  ['behind HAProxy', 'haproxy', restarted, 0],
  ['behind nginx', 'nginx', restarted, 2 * RESTARTS],
])('two gateways %s', (_, name, gatewayOf, most) => {
  test.skipIf(!hasProxy(name))(
    `are restarted in turn, and ${most === 0 ? 'no call' : 'at most a POST now and then'} is lost (needs ${name})`,
    async () => {
      const ports = [await freePort(), await freePort()];
      const gateways = await Promise.all(
        ports.map(async (port) => gatewayOf({ cwd: await project(), port, env: ENV })),
      );
      const pids = await Promise.all(gateways.map((gateway) => gateway.start()));
      const proxy = await startProxy(name, ports);
      onTestFinished(() => proxy.stop());
      const calls = load(proxy.address);
      const answering = (pid: number): Promise<true> =>
        poll('an answer of the new gateway', async () => (calls.pids().has(pid) ? true : undefined));
      for (const pid of pids) await answering(pid);
      for (let restart = 0; restart < RESTARTS; restart++) {
        const gateway = gateways[restart % 2] as Restarted;
        expect(await gateway.stop(), gateway.output()).toBe(0);
        await answering(await gateway.start());
      }
      const { calls: count, failures } = await calls.stop();
      expect(most === 0 ? failures : failures.filter((each) => !isUnlucky(each))).toEqual([]);
      expect(failures.length).toBeLessThanOrEqual(most);
      expect(count).toBeGreaterThan(RESTARTS * 20);
      if (process.env.SIGNALBOX_TEST_RESTARTS) console.log(`${name}: ${RESTARTS} restarts, ${count} calls`);
    },
    600_000,
  );
});

describe.skipIf(!hasPostgres || !hasProxy('nginx'))('workers behind nginx (needs PostgreSQL and nginx)', () => {
  test('are replaced one at a time at SIGUSR2; definitions with mistakes replace none', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const cwd = await project();
    const port = await freePort();
    const env = { PORT: String(port), DATABASE_URL: database.url };
    const gateway = start(['serve', '--workers', '2'], { cwd, env });
    await gateway.until(ready);
    const proxy = await startProxy('nginx', [port]);
    onTestFinished(() => proxy.stop());
    const calls = load(proxy.address);
    const two = (): Promise<ReadonlySet<number>> =>
      poll('answers of two workers', async () => (calls.pids().size === 2 ? calls.pids() : undefined));
    let before = await two();
    for (let replacement = 0; replacement < REPLACEMENTS; replacement++) {
      const from = gateway.output().length;
      gateway.process.kill('SIGUSR2');
      for (const worker of [1, 2]) {
        await gateway.until(new RegExp(`"worker":${worker},"msg":"Another gateway has taken over`), from);
        await gateway.until(new RegExp(`Worker ${worker} was replaced`), from);
      }
      const after = await poll('answers of new workers', async () => {
        const pids = calls.pids();
        return pids.size === 2 && ![...pids].some((pid) => before.has(pid)) ? pids : undefined;
      });
      before = after;
    }

    await writeFiles(cwd, { 'definitions/staff/more.yaml': 'query: 7\n' });
    gateway.process.kill('SIGUSR2');
    await gateway.until(/more\.yaml:1.*error/);
    await gateway.until(/^\{.*"level":"error".*Worker 1 was not replaced.*\}$/m);
    expect(await two()).toEqual(before);

    const { calls: count, failures } = await calls.stop();
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(REPLACEMENTS * 20);
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0 });
    if (process.env.SIGNALBOX_TEST_RESTARTS) console.log(`workers: ${REPLACEMENTS} replacements, ${count} calls`);
  }, 600_000);
});
