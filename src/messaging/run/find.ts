import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../store/index.ts';
import { badParameter, type MessageFilter, planOf, type Source } from './condition.ts';
import type { MessageRow } from './store.ts';
import { type TextPorts, UUID } from './text.ts';

/** A part of a list. */
export interface MessageRange {
  /** The most messages. */
  readonly limit: number;
  /** {@link MessagePage.next} of the part before. */
  readonly after?: string;
}

/** Entries of an index that are looked at in one statement. */
const BLOCK = 2000;
/** Entries that are looked at first: of most lists they are enough. */
const FIRST_BLOCK = 250;
/** Further statements of one part of a list: it ends after so many, however few messages were found. */
const BLOCKS = 10;

/** A message with the status of its deliveries. */
interface FoundPage {
  readonly rows: readonly MessageRow[];
  readonly next?: string;
}

/**
 * Finds messages, the newest first. One condition leads through its index, in blocks of a bounded number of entries; the
 * others are checked for each.
 * @throws Fault NOT_FOUND for an unknown name; BAD_PARAMETER for a field that no message is found by, for a value that its
 * type does not have, and for `after`
 */
export async function findRows(
  db: Db,
  ports: TextPorts,
  filter: MessageFilter,
  { limit, after }: MessageRange,
): Promise<FoundPage> {
  if (after !== undefined && !UUID.test(after))
    throw badParameter('After', 'is not the end of a part of this list; repeat the text that came with that part');
  const { lead, where, since, until } = await planOf(db, ports, filter);
  if (lead.length === 0) return { rows: [] };
  const rows: MessageRow[] = [];
  let below = after ?? until;
  for (let block = 0; block <= BLOCKS; block++) {
    const most = block === 0 ? FIRST_BLOCK : BLOCK;
    const from = entriesOf(lead, { below, since, most });
    const { rows: ends } = await sql<{ readonly many: number | string; readonly last: string | null }>`
      with entries as materialized (${from})
      select (select count(*) from entries) as many, (select id from entries order by id limit 1) as last`.execute(db);
    const [end] = ends;
    if (end === undefined || end.last === null) return { rows };
    const { rows: found } = await sql<MessageRow>`
      with entries as materialized (${from})
      select m.* from signalbox_message m where m.id in (select id from entries) and ${where}
      order by m.id desc limit ${limit + 1 - rows.length}`.execute(db);
    rows.push(...found);
    const last = rows[limit - 1];
    if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), next: last.id };
    if (Number(end.many) < most) return { rows };
    below = end.last;
  }
  return { rows, ...(below === undefined ? {} : { next: below }) };
}

/** How many messages a filter finds, as far as they were counted. */
export interface MessageCount {
  readonly count: number;
  /** There may be more: only so many entries of an index were looked at. */
  readonly isLeast: boolean;
}

/** Entries of an index whose messages are looked at for a count; entries that need no look are cheap. */
const MOST_LOOKED = 1000;

/**
 * Counts the messages that a filter finds, up to `most`; fewer when each has to be looked at.
 * @throws as {@link findRows}
 */
export async function countRows(db: Db, ports: TextPorts, filter: MessageFilter, most: number): Promise<MessageCount> {
  const { lead, where, isWhole, since, until } = await planOf(db, ports, filter);
  if (lead.length === 0) return { count: 0, isLeast: false };
  const limit = isWhole ? most : Math.min(most, MOST_LOOKED);
  const from = entriesOf(lead, { below: until, since, most: limit + 1 });
  const counted = isWhole
    ? sql`select count(distinct id) from entries`
    : sql`select count(*) from signalbox_message m where m.id in (select id from entries) and ${where}`;
  const { rows } = await sql<{ readonly many: number | string; readonly found: number | string }>`
    with entries as materialized (${from})
    select (select count(*) from entries) as many, (${counted}) as found`.execute(db);
  const [{ many, found } = { many: 0, found: 0 }] = rows;
  return { count: Math.min(Number(found), limit), isLeast: Number(many) > limit };
}

/** The next entries of some indexes, the newest messages first. */
function entriesOf(
  sources: readonly Source[],
  {
    below,
    since,
    most,
  }: { readonly below: string | undefined; readonly since: string | undefined; readonly most: number },
): RawBuilder<unknown> {
  const parts = sources.map(({ table, id, where }) => {
    const column = sql.ref(id);
    const limits = [
      ...(where === undefined ? [] : [where]),
      ...(below === undefined ? [] : [sql`${column} < ${below}`]),
      ...(since === undefined ? [] : [sql`${column} >= ${since}`]),
    ];
    const conditions = limits.length === 0 ? sql`` : sql`where ${sql.join(limits, sql` and `)}`;
    return sql`select ${column} as id from ${sql.table(table)} ${conditions} order by ${column} desc limit ${most}`;
  });
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const all = sql.join(
    parts.map((part, n) => sql`select * from (${part}) ${sql.ref(`part${n}`)}`),
    sql` union all `,
  );
  return sql`select id from (${all}) joined order by id desc limit ${most}`;
}
