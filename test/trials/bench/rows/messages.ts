import { type Engine, onEach } from '../engines.ts';
import type { Target } from '../figure.ts';
import { type Bench, ended, firstLine, type Row, scriptPath } from '../harness.ts';
import { percentile } from '../statistics.ts';

/** Runs a script that prints its figures as JSON. */
async function figuresOf<T>(bench: Bench, args: readonly string[], env: Record<string, string> = {}): Promise<T> {
  const child = bench.spawn([scriptPath('messages-ours.ts'), ...args], { env });
  const over = ended(child);
  const line = await firstLine(child, 'messages-ours.ts');
  await over;
  return JSON.parse(line) as T;
}

/** Messages a second, by hand and by the gateway. */
const limitOf = (bench: Bench, what: string, engine: Engine, count: number) => async (): Promise<number> =>
  bench.figure('messages-limit.ts', [what, await engine.fresh(), String(count)]);

interface Ours {
  readonly operation: string;
  readonly partitions?: number;
  readonly target?: string;
}

const oursOf =
  (bench: Bench, what: string, engine: Engine, count: number, { operation, partitions = 1, target }: Ours) =>
  async (): Promise<number> =>
    figuresOf(
      bench,
      [what, await engine.fresh(), String(count), operation, String(partitions)],
      target === undefined ? {} : { TARGET_URL: target },
    );

export const publish: Row = {
  name: 'publish',
  about: 'messages published in one process, each in a transaction, for two subscriptions; limit: their rows by hand',
  measure: (bench) =>
    onEach(bench, async (engine) => {
      const job = `messages published for two subscriptions, ${engine.name}`;
      const count = bench.smoke ? 100 : 5000;
      const ours = oursOf(bench, 'published', engine, count, { operation: 'TWICE' });
      const pair = await bench.compare(job, limitOf(bench, 'published', engine, count), ours);
      return [{ job, beside: 'the same rows by hand', unit: 'messages/s', ...pair }];
    }),
};

export const deliver: Row = {
  name: 'deliver',
  about:
    'messages delivered to a handler that does nothing: by partitions, without order, and to a call; limit: their rows by hand',
  measure: (bench) =>
    onEach(bench, async (engine) => {
      const count = bench.smoke ? 50 : 3000;
      const many = bench.smoke ? 50 : 10_000;
      const target = await bench.serve('messages-target.ts');
      const ours = (about: Ours, messages = count) => oursOf(bench, 'drained', engine, messages, about);
      const subjects = {
        limit: limitOf(bench, 'drained', engine, count),
        'without order': ours({ operation: 'FREE' }),
        'one partition': ours({ operation: 'PLACED' }),
        '100 partitions': ours({ operation: 'PLACED', partitions: 100 }),
        '10,000 partitions': ours({ operation: 'PLACED', partitions: many }, many),
        'without order, to a call': ours({ operation: 'CALLED', target: `http://127.0.0.1:${target.port}` }),
      };
      const { limit, ...found } = await bench.inRounds<keyof typeof subjects, number>('deliver', subjects);
      await target.stop();
      return Object.entries(found).map(([name, rounds]) => ({
        job: `messages delivered, ${name}, ${engine.name}`,
        beside: 'the same rows by hand, without order',
        unit: 'messages/s',
        limit,
        ours: rounds,
      }));
    }),
};

interface Times {
  readonly publish: readonly number[];
  readonly deliver: readonly number[];
}

export const latency: Row = {
  name: 'latency',
  about:
    'from publishing to the commit of the handler, at a tenth of what is delivered a second; limit: publishing alone',
  measure: (bench) =>
    onEach(bench, async (engine) => {
      const most = bench.smoke ? 200 : await oursOf(bench, 'drained', engine, 3000, { operation: 'FREE' })();
      const rate = Math.max(1, Math.round(most / 10));
      const count = bench.smoke ? 20 : 5 * rate;
      const { both } = await bench.inRounds('latency', {
        both: async () =>
          figuresOf<Times>(bench, ['latency', await engine.fresh(), String(count), 'FREE', '1', String(rate)]),
      });
      return [50, 99].map((percent) => ({
        job: `message from publishing to its handler's commit, p${percent}, at ${rate} a second, ${engine.name}`,
        beside: 'publishing alone',
        unit: 'ms',
        limit: both.map((round) => percentile(round.publish, percent)),
        ours: both.map((round) => percentile(round.deliver, percent)),
      }));
    }),
};

interface Tenth {
  readonly perSecond: number;
  readonly mb: number;
}

const FLAT: Target = { kind: 'at-least', ratio: 0.75 };
/** Megabytes by which the memory of the gateway may grow from the second tenth to the last one. */
const GROWTH: Target = { kind: 'within', more: 64 };

export const backlog: Row = {
  name: 'backlog',
  about: '100,000 messages (1,000,000 with --whole) published, then delivered, once: rate and memory by tenths',
  measure: (bench) =>
    onEach(bench, async (engine) => {
      const count = bench.smoke ? 300 : bench.whole ? 1_000_000 : 100_000;
      bench.say(`backlog on ${engine.name}`);
      const args = ['backlog', await engine.fresh(), String(count), 'FREE'];
      const found = await figuresOf<Record<'publish' | 'deliver', readonly Tenth[]>>(bench, args);
      return (['publish', 'deliver'] as const).flatMap((what) => {
        // The first tenth warms up.
        const [, second, ...others] = found[what];
        const last = others.at(-1);
        if (second === undefined || last === undefined) throw new Error('the backlog has no tenths');
        const job = `${what} a backlog of ${count.toLocaleString('en')} messages, ${engine.name}`;
        const each = { job, beside: 'the second tenth' };
        return [
          {
            ...each,
            job: `${job}, last tenth`,
            unit: 'messages/s',
            limit: [second.perSecond],
            ours: [last.perSecond],
            target: FLAT,
          },
          {
            ...each,
            job: `${job}, slowest tenth`,
            unit: 'messages/s',
            limit: [second.perSecond],
            ours: [Math.min(...others.map(({ perSecond }) => perSecond))],
          },
          { ...each, job: `${job}, memory as PSS`, unit: 'MB', limit: [second.mb], ours: [last.mb], target: GROWTH },
        ];
      });
    }),
};
