import { sql } from 'kysely';
import type { Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { Db, ReadableBlobs } from '../../store/index.ts';
import { showPayload } from './mask.ts';
import { readText } from './parts.ts';
import { unpack } from './payload.ts';
import { REQUEST } from './store.ts';

/** The form of ids. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What is needed to compare a text with what operators see. */
export interface TextPorts {
  readonly registry: Registry;
  readonly blobs: ReadableBlobs | undefined;
  readonly redactor: Redactor;
}

/** What a text may stand for. */
export interface TextMatches {
  readonly text: string;
  /** Ids of messages. */
  readonly messages: readonly string[];
  readonly operations: readonly string[];
  readonly queues: readonly string[];
  readonly nodes: readonly string[];
  readonly subscriptions: readonly string[];
}

/** Names of one kind that a text may be a part of; one in more is not worth a search. */
const MOST_NAMES = 20;
/** The newest failures of each status whose errors are compared. */
const NEWEST = 1000;
/** The matches among them whose payloads are read, because what is secret there counts for nothing. */
const MOST_ERRORS = 200;
/** Bytes of a payload that is read for that; of a larger one the errors are not found, and not listed. */
const SMALL = 65_536;

const FAILED = ['Error', 'Timeout', 'Hold', 'Retry'] as const;

/**
 * What a text stands for: the id of a message, of a delivery, of a request or a trace; a part of the name of an operation, a
 * queue, a node or a subscription; the whole value of a search field; a part of the error of one of the newest failures.
 */
export async function matchesOf(db: Db, ports: TextPorts, given: string): Promise<TextMatches> {
  const text = given.trim();
  const { operations, consumers, messageQueues, nodes, subscriptions } = ports.registry;
  const part = text.toLowerCase();
  const named = (ids: Iterable<string>) =>
    [...ids].filter((id) => id.toLowerCase().includes(part)).slice(0, MOST_NAMES);
  return {
    text,
    messages: [...(await byId(db, part)), ...(await byError(db, ports, part))],
    operations: named([...operations.keys(), ...consumers.keys()]),
    queues: named(messageQueues.keys()),
    nodes: named(nodes.keys()),
    subscriptions: named(subscriptions.keys()),
  };
}

async function byId(db: Db, id: string): Promise<readonly string[]> {
  if (!UUID.test(id)) return [];
  const row = await db.selectFrom('signalbox_delivery').select('message').where('id', '=', id).executeTakeFirst();
  return [row?.message ?? id];
}

interface Failure {
  readonly message: string;
  readonly reason: string;
}

/** Messages whose errors contain a text, as operators see them: a secret in an error is not found. @param part in lower case */
async function byError(db: Db, ports: TextPorts, part: string): Promise<readonly string[]> {
  const newest = [
    ...FAILED.map(
      (status) => sql`select * from (select message, reason from signalbox_delivery where status = ${status}
        order by message desc limit ${NEWEST}) ${sql.ref(`deliveries${status}`)}`,
    ),
    ...(['Error', 'Timeout'] as const).map(
      (status) => sql`select * from (select id as message, reason from signalbox_message where status = ${status}
        order by id desc limit ${NEWEST}) ${sql.ref(`messages${status}`)}`,
    ),
  ];
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await sql<Failure>`
    select message, reason from (${sql.join(newest, sql` union all `)}) failures
    where lower(reason) like ${pattern} escape '\\' order by message desc limit ${MOST_ERRORS}`.execute(db);
  const shown = await shownErrors(db, ports, rows);
  return [...new Set(shown.flatMap(({ message, reason }) => (reason.toLowerCase().includes(part) ? [message] : [])))];
}

/** Errors without what is secret in the payloads of their messages; those of large payloads are left out. */
async function shownErrors(db: Db, ports: TextPorts, failures: readonly Failure[]): Promise<readonly Failure[]> {
  if (failures.length === 0) return [];
  const ids = [...new Set(failures.map(({ message }) => message))];
  const rows = await db
    .selectFrom('signalbox_message')
    .select(['id', 'operation', 'size'])
    .where('id', 'in', ids)
    .execute();
  const texts = await smallRequests(
    db,
    rows.map(({ id }) => id),
  );
  const hiding = new Map<string, (reason: string) => string>();
  for (const { id, operation, size } of rows)
    if (Number(size) <= SMALL) hiding.set(id, hidingIn(ports, operation, texts.get(id)));
  return failures.flatMap(({ message, reason }) => {
    const hide = hiding.get(message);
    return hide === undefined ? [] : [{ message, reason: hide(reason) }];
  });
}

/** The payloads of messages that are not blobs. */
async function smallRequests(db: Db, messages: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('signalbox_message_content')
    .select(['message', 'encoding', 'content', 'size'])
    .where('message', 'in', messages)
    .where('part', '=', REQUEST)
    .where('blob', 'is', null)
    .execute();
  return new Map(
    rows.flatMap(({ message, encoding, content, size }) =>
      content === null ? [] : [[message, unpack(encoding, content, Number(size)).toString()] as const],
    ),
  );
}

/** Hides in errors what is secret in the payload of their message: a target may repeat what it was sent. */
export async function hidingOf(
  db: Db,
  ports: TextPorts,
  { id, operation }: { readonly id: string; readonly operation: string },
): Promise<(reason: string) => string> {
  return hidingIn(ports, operation, await readText(db, ports.blobs, id, REQUEST));
}

function hidingIn(
  { registry, redactor }: TextPorts,
  operation: string,
  text: string | undefined,
): (reason: string) => string {
  const request = registry.operations.get(operation)?.request;
  const { secrets } = text === undefined ? { secrets: [] } : showPayload(request, text, redactor);
  return (reason) => redactor.knowing({ secrets: () => secrets }).text(reason);
}

/** The error of the last delivery that failed of each of some messages. */
export async function errorsOf(
  db: Db,
  ports: TextPorts,
  messages: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (messages.length === 0) return new Map();
  const rows = await db
    .selectFrom('signalbox_delivery')
    .select(['message', 'reason'])
    .where('message', 'in', messages)
    .where('status', 'in', FAILED)
    .orderBy('message')
    .orderBy('id')
    .execute();
  const failures = rows.flatMap(({ message, reason }) => (reason === null ? [] : [{ message, reason }]));
  return new Map((await shownErrors(db, ports, failures)).map(({ message, reason }) => [message, reason]));
}

/** Messages whose deliveries are part of {@link readNews}. */
const MOST_NEWS = 100;
/** Deliveries of a status that are counted for it. */
const MOST_COUNTED = 1000;

/** A text that changes when the newest messages, the number of open or failed deliveries, or the trail of operators do. */
export async function readNews(db: Db): Promise<string> {
  const { rows: newest } = await sql`
    select m.id, m.status, m.open, d.id as delivery, d.status as state, d.attempts, j.started
    from (select id, status, open from signalbox_message order by id desc limit ${MOST_NEWS}) m
    left join signalbox_delivery d on d.message = m.id
    left join signalbox_job j on j.queue = d.subscription and j.id = d.id
    order by m.id, d.id`.execute(db);
  const counts = [...FAILED, 'New', 'Working'].map(
    (status) =>
      sql`(select count(*) from (select 1 from signalbox_delivery where status = ${status} limit ${MOST_COUNTED}) ${sql.ref(`few${status}`)}) as ${sql.ref(status)}`,
  );
  const { rows: rest } = await sql`
    select ${sql.join(counts)}, (select count(*) from signalbox_job where mark is not null) as running,
      (select max(at) from signalbox_job_audit) as acted`.execute(db);
  return JSON.stringify([newest, rest]);
}
