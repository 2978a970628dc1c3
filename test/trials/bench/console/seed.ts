import { NODES, PROCESSES, QUEUES, type Size } from './project.ts';

// The content of a database with all that the console shows, in statements that make sets of rows: a million of them take seconds.

type Kind = 'sqlite' | 'postgres';

interface Dialect {
  /** A query for the numbers from 1, as the column `n`. */
  readonly series: (most: number) => string;
  /** A number with so many hexadecimal digits. */
  readonly hex: (number: string, digits: number) => string;
  readonly uuid: (text: string) => string;
  readonly bytes: (text: string) => string;
  /** A time in milliseconds since 1970 as `yyyy-MM-ddTHH:mm:ss.fffZ`, and as `yyyy-MM-dd HH:mm:ss`, in UTC. */
  readonly instant: (ms: string) => string;
  readonly datetime: (ms: string) => string;
}

const DIALECTS: Readonly<Record<Kind, Dialect>> = {
  sqlite: {
    series: (most) =>
      `(with recursive series (n) as (select 1 union all select n + 1 from series where n < ${most}) select n from series)`,
    hex: (number, digits) => `printf('%0${digits}x', ${number})`,
    uuid: (text) => text,
    bytes: (text) => `cast(${text} as blob)`,
    instant: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`,
    datetime: (ms) => `strftime('%Y-%m-%d %H:%M:%S', (${ms}) / 1000, 'unixepoch')`,
  },
  postgres: {
    series: (most) => `(select cast(n as bigint) as n from generate_series(1, ${most}) n) series`,
    hex: (number, digits) => `lpad(to_hex(${number}), ${digits}, '0')`,
    uuid: (text) => `cast(${text} as uuid)`,
    bytes: (text) => `convert_to(${text}, 'UTF8')`,
    instant: (ms) => `to_char(to_timestamp((${ms}) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    datetime: (ms) => `to_char(to_timestamp((${ms}) / 1000) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`,
  },
};

/** The days over which everything is spread. */
const DAYS = 7;
const DAY = 86_400_000;
const MINUTE = 60_000;
/** As jobs that are held have it. */
const HELD = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The tables that are filled. Their indexes are created afterwards, which takes a third of the time. */
export const FILLED = [
  ...['signalbox_message', 'signalbox_message_content', 'signalbox_message_field', 'signalbox_delivery'],
  ...[
    'signalbox_delivery_attempt',
    'signalbox_job',
    'signalbox_dead_letter',
    'psprcsrqst',
    'signalbox_process_request',
  ],
  ...['signalbox_statistics', 'signalbox_user', 'signalbox_user_audit', 'signalbox_job_audit'],
] as const;

/** The id of a message, as in a statement. @param n its number, 1 for the oldest */
export function messageId(n: number, now: number, { messages }: Pick<Size, 'messages'>): string {
  const step = Math.floor((DAYS * DAY) / messages);
  const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
  const at = now - (messages - n + 1) * step;
  return `${hex(Math.floor(at / 65_536), 8)}-${hex(at % 65_536, 4)}-7000-8000-${hex(n, 12)}`;
}

/** Statements that fill the tables of a gateway. @param now milliseconds since 1970 */
export function seedStatements(kind: Kind, size: Size, now: number): readonly string[] {
  const { series, hex, uuid, bytes, instant, datetime } = DIALECTS[kind];
  const { messages, requests, counted, trail, users } = size;
  const step = Math.floor((DAYS * DAY) / messages);
  const at = `(cast(${now} as bigint) - (${messages} - n + 1) * ${step})`;
  const id = (variant: number): string =>
    uuid(
      `${hex(`${at} / 65536`, 8)} || '-' || ${hex(`${at} % 65536`, 4)} || '-7000-800${variant}-' || ${hex('n', 12)}`,
    );
  const [message, delivery] = [id(0), id(1)];
  // Of ten messages two are recorded calls, of which one is a call to a node.
  const isCall = '(n % 10 < 2)';
  const of = `(n / 10 % ${QUEUES})`;
  // The newest ones wait; of the others some have failed, and some are held or tried again.
  const isNew = `(n > ${Math.floor(messages * 0.995)})`;
  const status = `(case when ${isNew} then 'New' when n % 200 = 3 then 'Error' when n % 1000 = 7 then 'Hold' when n % 1000 = 14 then 'Retry' when n % 5000 = 25 then 'Timeout' else 'Done' end)`;
  const reason = `(case when n % 3 = 0 then 'REMOTE: connect ECONNREFUSED 127.0.0.1:9' else 'REMOTE answered 503 to item A' || (n % 997) end)`;
  const isOpen = `${status} in ('New', 'Hold', 'Retry')`;
  const isFailed = `${status} not in ('New', 'Done')`;
  const payload = `'{"ITEM_ID":"A' || (n % 997) || '","NOTE":"Item number ' || n || ' has changed."}'`;
  const actor = `'user' || (n % ${users})`;
  const spread = (count: number): string =>
    `(cast(${now} as bigint) - (${count} - n) * ${Math.floor((DAYS * DAY) / count)})`;
  const run = `(case when n % 50 = 1 then '3' when n % 997 = 2 then '8' when n % 499 = 3 then '17' else '9' end)`;
  const minute = Math.floor(now / MINUTE);
  const latency = `'2f:' || (1 + n % 9) || ' 2g:3 2i 3a:2 3c'`;
  const everyMinute = (span: number, operation: string, from: string): string =>
    `insert into signalbox_statistics (span, minute, kind, operation, gateway, calls, failures, refusals, latency)
     select ${span}, m, 'served', ${operation}, 'bench', 12 + n % 9, n % 40 / 39, n % 7 / 6, ${latency} from ${from}`;
  const minutes = (span: number, operations: number): string =>
    `(select (n - 1) / ${operations} as o, ${minute - (minute % 60)} - ((n - 1) % ${operations} + 1) * ${span} as m, n from ${series(counted * operations)}) ms`;
  return [
    `insert into signalbox_message (id, operation, queue, partition, node, status, entered, ended, expires, actor, declared, connector, request_id, open, size, code, reason)
     select ${message},
       case when n % 10 = 1 then 'REMOTE_' || (n / 10 % ${NODES}) || '_GET' when ${isCall} then 'MANY_' || (n / 10 % ${size.services}) || '_1_GET' else 'MANY_' || ${of} || '_9_POST' end,
       case when ${isCall} then null else 'EVENTS_' || ${of} end,
       case when ${isCall} then null else '["A' || (n % 997) || '"]' end,
       case when n % 10 = 1 then 'NODE_' || (n / 10 % ${NODES}) end,
       case when ${isCall} then case when n % 500 = 1 then 'Error' else 'Done' end when ${isOpen} then 'New' else ${status} end,
       ${at}, case when not ${isCall} and ${isOpen} then null else ${at} + 40 end,
       case when not ${isCall} and ${isOpen} then null else ${now + 30 * DAY} end,
       ${actor}, 0, case when n % 10 = 1 then 'call' else 'rest' end, 'bench-' || n,
       case when not ${isCall} and ${isOpen} then 1 else 0 end, 60,
       case when ${isCall} then case when n % 500 = 1 then 503 else 200 end end,
       case when n % 500 = 1 then 'The other system answered 503.' end
     from ${series(messages)}`,
    `insert into signalbox_message_content (message, part, encoding, content, size)
     select ${message}, 'request', 'plain', ${bytes(payload)}, length(${payload}) from ${series(messages)} where not ${isCall}`,
    `insert into signalbox_message_field (name, value, message)
     select 'ITEM_ID', 'A' || (n % 997), ${message} from ${series(messages)} where not ${isCall}`,
    `insert into signalbox_delivery (id, message, subscription, partition, status, attempts, entered, ended, next, reason)
     select ${delivery}, ${message}, 'TAKEN_' || ${of}, '["A' || (n % 997) || '"]', ${status},
       case when ${isNew} then 0 when ${isFailed} then 4 else 1 end, ${at}, case when ${isOpen} then null else ${at} + 40 end,
       case when ${status} = 'Retry' then ${now + DAY} end, case when ${isFailed} then ${reason} end
     from ${series(messages)} where not ${isCall}`,
    `insert into signalbox_delivery_attempt (delivery, number, began, ended, gateway, code, reason)
     select ${delivery}, 1, ${at} + 10, ${at} + 40, 'bench', 503, ${reason} from ${series(messages)} where not ${isCall} and ${isFailed}`,
    // What waits is not taken while the queues are paused.
    `insert into signalbox_job (sequence, queue, id, key, data, place, due, attempt, cancelled, failed, entered, recorded)
     select 1000000 + n, 'TAKEN_' || ${of}, ${delivery}, null, '{"message":"' || ${message} || '"}', 0,
       case ${status} when 'Hold' then ${HELD} when 'Retry' then ${now + DAY} else ${at} end, 0, 0, 0, ${at}, 0
     from ${series(messages)} where not ${isCall} and ${isOpen}`,
    `insert into signalbox_paused_queue (queue, paused, actor) select 'TAKEN_' || (n - 1), ${instant(String(now))}, 'demo' from ${series(QUEUES)}`,
    `insert into signalbox_dead_letter (queue, id, key, data, attempts, error, died, entered)
     select 'TAKEN_' || ${of}, ${kind === 'postgres' ? `cast(${delivery} as text)` : delivery}, null, '{}', 4, ${reason}, ${instant(at)}, ${at}
     from ${series(messages)} where not ${isCall} and ${status} = 'Error'`,
    `insert into psprcsrqst (prcsinstance, prcstype, prcsname, runlocation, opsys, servernamerqst, servernamerun, rundttm, oprid, runcntlid, runstatus, diststatus, rqstdttm, begindttm, enddttm)
     select n, 'SQR Report', 'PRCS_' || (n % ${PROCESSES}), '', '', '', 'LOCAL', ${datetime(spread(requests))}, ${actor}, 'RUN', ${run}, '5',
       ${datetime(spread(requests))}, ${datetime(spread(requests))}, ${datetime(`${spread(requests)} + 4000`)}
     from ${series(requests)}`,
    `insert into signalbox_process_request (instance, parameters, destination, format, requested, runs, began, ended, job, messages)
     select n, '{"REGION":"N"}', 'WEB', 'CSV', ${instant(spread(requests))}, ${instant(spread(requests))}, ${instant(spread(requests))},
       ${instant(`${spread(requests)} + 4000`)}, 'bench-' || n, 0
     from ${series(requests)}`,
    `update signalbox_process_number set last = ${requests}`,
    everyMinute(1, `'MANY_' || o || '_1_GET'`, minutes(1, 1440)),
    everyMinute(60, `'MANY_' || o || '_1_GET'`, minutes(60, 24)),
    everyMinute(1, "''", `(select ${minute} - n as m, n from ${series(1440)}) ms`),
    everyMinute(60, "''", `(select ${minute - (minute % 60)} - n * 60 as m, n from ${series(24 * DAYS)}) ms`),
    `insert into signalbox_user (id, description, roles, disabled, created, changed)
     select 'user' || (n - 1), 'A user of team ' || (n % ${QUEUES}), '["TEAM_' || (n % ${QUEUES}) || '","TEAM_' || ((n + 7) % ${QUEUES}) || '"]', n % 100 / 99, ${instant(spread(users))}, ${instant(spread(users))}
     from ${series(users)}`,
    `insert into signalbox_user_audit (sequence, at, actor, action, user_id, detail)
     select n, ${instant(spread(trail))}, 'console:' || ${actor}, case n % 3 when 0 then 'role' when 1 then 'enable' else 'sign-in' end, 'user' || (n * 7 % ${users}), '{}'
     from ${series(trail)}`,
    `update signalbox_user_version set version = ${trail}`,
    `insert into signalbox_job_audit (id, at, actor, action, queue, job)
     select ${kind === 'postgres' ? `cast(${message} as text)` : message}, ${instant(spread(trail))}, 'console:' || ${actor}, case n % 2 when 0 then 'retry' else 'resubmit' end, 'TAKEN_' || (n % ${QUEUES}), null
     from ${series(trail)}`,
    'analyze',
  ];
}
