import { type Kind, type Pair, REST } from './frozen.ts';
import type { Writes } from './postgres-wire.ts';

/** All of these, whatever else. */
const writing =
  (...all: readonly string[]) =>
  (writes: Writes): boolean =>
    all.every((each) => writes.has(each));

/** All of these, and none of those that another kind has. */
const without =
  (is: Kind['is'], ...others: readonly string[]) =>
  (writes: Writes): boolean =>
    is(writes) && !others.some((each) => writes.has(each));

/** None but these. */
const only =
  (...all: readonly string[]) =>
  (writes: Writes): boolean =>
    [...writes].every((each) => all.includes(each));

/** Of the gateway that hangs, with a request that no gateway takes. */
const acting =
  (...actions: readonly string[]) =>
  async (pair: Pair): Promise<void> => {
    const instance = await pair.waiting();
    for (const action of actions) await pair.frozen.caller.act(instance, action);
  };

const resumed = ({ database }: Pair) => database.run('delete from signalbox_paused_queue');

/**
 * The transactions of the product by what a user would call them. A kind is known by what only it writes, so that a table which
 * a transaction writes too makes it no other kind. What comes first counts. Jobs are entered through the gateway that is to hang:
 * it knows of them first, so that it is the one that takes them.
 */
export const KINDS = {
  'a request that is scheduled': {
    is: without(writing('insert psprcsrqst', 'insert process_request'), 'update recurring', 'update psprcsrqst'),
    cause: (pair) => pair.schedule(pair.frozen),
  },
  'a record that is saved': { is: writing('insert note'), cause: (pair) => pair.note(pair.frozen) },
  'a query that is entered': {
    is: writing('insert query_run', 'insert job'),
    cause: (pair) => pair.poll(pair.frozen),
  },
  'a process that ends': {
    is: writing('insert effect', 'update psprcsrqst'),
    cause: (pair) => pair.schedule(pair.frozen),
  },
  'a process that is taken up': {
    is: without(
      writing('update psprcsrqst', 'update process_request'),
      ...['insert effect', 'insert job_audit', 'insert job', 'insert dead_letter', 'insert psprcsrqst'],
    ),
    cause: (pair) => pair.schedule(pair.frozen),
  },
  'a process that begins': {
    is: (writes) => [...writes].join() === 'update psprcsrqst',
    cause: (pair) => pair.schedule(pair.frozen),
  },
  'lines of the log of a process': {
    is: without(writing('insert process_message'), 'update psprcsrqst', 'update job', 'insert dead_letter'),
    cause: (pair) => pair.schedule(pair.frozen),
  },
  'a class after a save that ends': {
    is: without(writing('insert effect', 'delete job'), 'update psprcsrqst'),
    cause: (pair) => pair.note(pair.frozen),
  },
  'a query that ends': {
    is: without(writing('update query_run', 'delete job'), 'insert dead_letter'),
    cause: (pair) => pair.poll(pair.frozen),
  },
  'content that is kept': { is: writing('insert blob'), cause: (pair) => pair.poll(pair.frozen) },
  'a report of a process': {
    is: (writes) => [...writes].join() === 'update process_request',
    cause: (pair) => pair.run(pair.frozen, 'PSQuery', 'EFFECTS'),
  },
  'an attempt that another follows': {
    is: without(writing('insert job_attempt', 'update job'), 'insert dead_letter'),
    cause: (pair) => pair.run(pair.frozen, 'Application Engine', 'FAILS'),
  },
  'a job that is buried': {
    is: writing('insert dead_letter'),
    cause: (pair) => pair.run(pair.frozen, 'Application Engine', 'FAILS'),
  },
  'an attempt that is given back': {
    is: (writes) => [...writes].join() === 'update job',
    // A process that no gateway has.
    cause: async ({ database, other }) => {
      const soon = new Date(Date.now() + 300).toISOString();
      const instance = await other.caller.scheduled('GONE', '/', { RunDateTime: soon });
      const gone = `update signalbox_job set data = replace(data, '"WAITING"', '"GONE"'), kind = 'gone'`;
      await database.run(`${gone} where queue = 'processes' and data like $1`, [`%"instance":${instance},%`]);
    },
    pause: 2000,
    after: ({ database }) => database.run(`delete from signalbox_job where data like '%"GONE"%'`),
  },
  'a request put on hold': {
    is: without(
      writing('update psprcsrqst', 'insert job_audit'),
      ...['insert effect', 'update process_request', 'insert job', 'insert dead_letter', 'insert process_message'],
    ),
    cause: acting('Hold'),
  },
  'a request that is cancelled': {
    is: without(
      writing('update psprcsrqst', 'update process_request', 'insert job_audit'),
      ...['insert effect', 'insert job', 'insert dead_letter', 'insert process_message'],
    ),
    cause: acting('Cancelled'),
  },
  'a request that is restarted': {
    is: writing('update psprcsrqst', 'update process_request', 'insert job'),
    cause: acting('Hold', 'Restart'),
    pause: 300,
  },
  'a query that is saved': {
    is: writing('update saved_query'),
    cause: (pair) => pair.keepQuery(pair.frozen, 'MINE'),
  },
  'a user that is disabled': {
    is: writing('update user_version'),
    by: ['user', 'disable', 'gone'],
  },
  'a queue that is paused': {
    is: writing('insert paused_queue'),
    cause: (pair) => pair.post(pair.frozen, 'Queues.v1/queues/events/pause'),
    pause: 2000,
    after: resumed,
  },
  'a queue that is resumed': {
    is: writing('delete paused_queue'),
    async cause(pair) {
      await pair.database.run(
        "insert into signalbox_paused_queue (queue, actor, paused) values ('events', 'demo', '2026-01-01T00:00:00.000Z') on conflict do nothing",
      );
      await pair.post(pair.frozen, 'Queues.v1/queues/events/resume');
    },
    pause: 2000,
    after: resumed,
  },
  'a dead letter that runs again': {
    is: writing('delete dead_letter', 'insert job'),
    cause: async (pair) => pair.post(pair.frozen, `Queues.v1/jobs/${await pair.dead()}/resubmit`),
  },
  'a dead letter that is dropped': {
    is: without(writing('delete dead_letter', 'insert job_audit'), 'insert job'),
    cause: async (pair) => pair.frozen.call(`${REST}/Queues.v1/jobs/${await pair.dead()}`, { method: 'DELETE' }),
  },
  'a process that recurs': {
    is: writing('update recurring', 'insert psprcsrqst'),
    cause: (pair) => pair.due('process RECURS'),
  },
  'work that recurs': {
    is: without(writing('update recurring'), 'insert psprcsrqst'),
    cause: (pair) => pair.due('cancelled'),
  },
  'a batch of expired data': {
    is: writing('update retention'),
    cause: (pair) => pair.due('sweep'),
  },
  'records of calls': {
    is: writing('insert message', 'insert message_content'),
    // A call that fails.
    cause: (pair) => pair.frozen.caller.get('ProcessRequest.v1/requests/99999'),
  },
  'the numbers of jobs done': {
    is: writing('insert job_rate'),
    cause: (pair) => pair.note(pair.frozen),
  },
} satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof KINDS;

/**
 * Transactions without a row of their own, and why. What needs one statement only is not among them: the database ends it by
 * itself, whatever happens to the gateway. That holds for leases, nonces, rates, the callers that are kept, and the numbers of
 * process requests.
 */
const OTHERS: Readonly<Record<string, { is(writes: Writes): boolean; readonly because: string }>> = {
  'a start': {
    is: (writes) =>
      writes.has('insert sample_data') || writes.has('insert recurring') || writes.has('insert migration'),
    because: 'gateways that start wait for each other; those that run do not',
  },
  nothing: { is: (writes) => writes.size === 0, because: 'it locks nothing' },
  'a job that has become due': {
    is: only('insert job_key', 'update job', 'delete job_key', 'insert job_attempt'),
    because: 'it joins a job to its key when that is due, and locks what entering a job locks',
  },
  'a job that was cancelled, or taken out': {
    is: only('delete job', 'delete job_key', 'delete job_attempt', 'update job'),
    because: 'it locks what the end of a job locks',
  },
  'definitions that are recorded': {
    is: only(
      ...['insert definitions', 'update definitions', 'delete definitions'],
      ...['insert definitions_order', 'delete definitions_order'],
    ),
    because: 'only a gateway that has started writes there, and nothing waits for that',
  },
  'content that is removed': {
    is: only('delete blob', 'insert loose_blob', 'delete loose_blob', 'delete blob_chunk'),
    because: 'no one else wants content that nothing refers to',
  },
};

/** What transactions wrote that are none of these. */
export function unknownOf(seen: Iterable<Writes>): string[] {
  const known = [...Object.values<Kind>(KINDS), ...Object.values(OTHERS)];
  return [...seen].filter((writes) => !known.some(({ is }) => is(writes))).map((writes) => [...writes].join(', '));
}
