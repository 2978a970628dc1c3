import { writeJsonText } from '../codec/index.ts';
import type { linkSavedQuery } from '../load/query/saved-query.ts';
import { Fault } from '../model/fault.ts';
import type { Limits } from '../model/gateway.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { JsonValue } from '../model/value.ts';
import type { Store } from '../store/index.ts';
import { checkQueries } from './check.ts';
import type { QueryProblem } from './check-columns.ts';
import { ownDatabase } from './engines.ts';
import { unavailable } from './errors.ts';

/** A column declared shorter than in the database is accepted, as it is in YAML: its values are returned in full. */
const ACCEPTED: ReadonlySet<QueryProblem['kind']> = new Set(['narrow-column', 'nullable-column', 'local-column']);

/**
 * Names that must not occur anywhere in the SQL of a private query: a scan for identifiers only could be misled by quotes and
 * escapes. Access to other confidential tables is controlled by the privileges of the database's user.
 */
const RESERVED: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /signalbox_\w*/i, what: "the gateway's own tables" },
  { pattern: /sqlite_\w*|\bdbstat\b|\binformation_schema\b/i, what: "the database's own tables" },
  { pattern: /\b(?:pg|pragma)_\w*|\bcurrent_setting\b/i, what: "the database's own tables and functions" },
  { pattern: /\b(?:query|cursor|table|schema|database)_to_xml\w*/i, what: 'SQL inside a text' },
  { pattern: /\bdblink\w*/i, what: 'other databases' },
  { pattern: /\bU&["']/i, what: 'escaped names, which can hide any name' },
];

/** The forbidden names that the SQL of a private query contains, one sentence each. */
export function reservedNames(sql: string): string[] {
  return RESERVED.flatMap(({ pattern, what }) => {
    const found = pattern.exec(sql)?.[0];
    return found === undefined ? [] : [`The SQL holds ${found.slice(0, 60)}: a private query can't reach ${what}.`];
  });
}

interface SavedQueriesOptions {
  readonly registry: Registry;
  readonly store: Store;
}

/** Private queries that one user may have. Listing them links them all. */
const MOST_QUERIES = 200;

/** Linked queries that are remembered, and characters of their definitions in all. */
const REMEMBERED = 1000;
const REMEMBERED_TEXT = 8_388_608;

type Linked = { readonly query: Query } | { readonly problems: readonly string[] };

/** Opens the private queries of a database. */
export function openSavedQueries({ registry, store }: SavedQueriesOptions): SavedQueries {
  const { limits } = registry.gateway;
  let opened: Promise<Linker> | undefined;
  // Imports much of the loader, which a start with unchanged definitions does without.
  const openLinker = (): Promise<Linker> => {
    opened ??= import('../load/query/saved-query.ts').then((loader) => new Linker(limits, loader.linkSavedQuery));
    return opened;
  };
  const inTurn = turns();
  return {
    async find(owner, name) {
      const db = await store.tables();
      const row = await db
        .selectFrom('signalbox_saved_query')
        .select('definition')
        .where('owner', '=', owner)
        .where('name', '=', name)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const linked = (await openLinker()).link(owner, row.definition);
      if ('query' in linked) return linked.query;
      const reason = `is acceptable no longer: ${linked.problems.join(' ')} Save it again`;
      throw Fault.of('CONFLICT', { what: `Private query ${name}`, reason });
    },
    async list(owner) {
      const db = await store.tables();
      const rows = await db
        .selectFrom('signalbox_saved_query')
        .select('definition')
        .where('owner', '=', owner)
        .orderBy('name')
        .execute();
      const linker = await openLinker();
      const linked = rows.map((row) => linker.link(owner, row.definition));
      return linked.flatMap((each) => ('query' in each ? each.query : []));
    },
    async save(owner, definition) {
      const linked = (await openLinker()).linkNew(owner, definition);
      if ('problems' in linked) return linked;
      const { query } = linked;
      const found = await inTurn(() => checkQueries(ownDatabase(store), [query])).catch((error: unknown) => {
        throw unavailable("the database can't be reached", error);
      });
      const refused = found.filter(({ kind }) => !ACCEPTED.has(kind));
      if (refused.length > 0) return { problems: refused.map(({ message }) => `The database says: ${message}.`) };
      return keep(store, owner, query, definition);
    },
    async delete(owner, name) {
      const db = await store.tables();
      const { numDeletedRows } = await db
        .deleteFrom('signalbox_saved_query')
        .where('owner', '=', owner)
        .where('name', '=', name)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** Runs one task at a time: each check opens its own connection outside of any pool. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

async function keep(store: Store, owner: string, query: Query, definition: JsonValue): Promise<SaveOutcome> {
  const row = { definition: writeJsonText(definition), saved: new Date().toISOString() };
  return store.transaction(async (tx) => {
    // Writes first, so that of two concurrent transactions one waits for the other.
    const { numUpdatedRows } = await tx
      .updateTable('signalbox_saved_query')
      .set(row)
      .where('owner', '=', owner)
      .where('name', '=', query.id)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return { query, replaced: true };
    const { count } = await tx
      .selectFrom('signalbox_saved_query')
      .select((select) => select.fn.countAll().as('count'))
      .where('owner', '=', owner)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MOST_QUERIES)
      return { problems: [`There are ${MOST_QUERIES} private queries of this user already, as many as there may be.`] };
    await tx
      .insertInto('signalbox_saved_query')
      .values({ owner, name: query.id, ...row })
      .onConflict((conflict) => conflict.columns(['owner', 'name']).doUpdateSet(row))
      .execute();
    return { query, replaced: false };
  }, `query ${owner} ${query.id}`);
}

/** Links definitions. An unchanged definition keeps its object, which identifies its plan. */
class Linker {
  readonly #limits: Limits;
  /** By owner and definition, least recently used first. */
  readonly #known = new Map<string, Linked>();
  /** Total characters of the remembered definitions. */
  #text = 0;

  readonly #link: typeof linkSavedQuery;

  constructor(limits: Limits, link: typeof linkSavedQuery) {
    this.#limits = limits;
    this.#link = link;
  }

  link(owner: string, text: string): Linked {
    const key = `${owner} ${text}`;
    const linked = this.#known.get(key) ?? this.linkNew(owner, JSON.parse(text) as JsonValue);
    this.#forget(key);
    this.#known.set(key, linked);
    this.#text += key.length;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED && this.#text <= REMEMBERED_TEXT) break;
      this.#forget(oldest);
    }
    return linked;
  }

  #forget(key: string): void {
    if (this.#known.delete(key)) this.#text -= key.length;
  }

  linkNew(owner: string, definition: JsonValue): Linked {
    const linked = this.#link(definition);
    if ('problems' in linked) return linked;
    const { query } = linked;
    const problems = reservedNames(query.sql);
    if (problems.length > 0) return { problems };
    const { rows: mostRows, timeout: longest } = this.#limits;
    const rows = Math.min(query.rows ?? mostRows, mostRows);
    const timeout = Math.min(query.timeout ?? longest, longest);
    return { query: { ...query, owner, rows, timeout } };
  }
}

/** The result of saving a private query. */
type SaveOutcome =
  /** `replaced`: a query of the same name existed. */
  | { readonly query: Query; readonly replaced: boolean }
  /** All problems, as sentences without a full stop. */
  | { readonly problems: readonly string[] };

/** Private queries: saved by users, each available to its owner only. */
export interface SavedQueries {
  /**
   * A user's query by name, linked and ready to run; the same object as long as its definition is unchanged.
   * @throws Fault CONFLICT if it was saved by another version of the gateway and is no longer valid
   */
  find(owner: string, name: string): Promise<Query | undefined>;
  /** All valid queries of a user, ordered by name. */
  list(owner: string): Promise<readonly Query[]>;
  /** Checks a definition by the rules for YAML and on the database, then saves it, replacing one of the same name. */
  save(owner: string, definition: JsonValue): Promise<SaveOutcome>;
  /** @returns whether it existed */
  delete(owner: string, name: string): Promise<boolean>;
}
