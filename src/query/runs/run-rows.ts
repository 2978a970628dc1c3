import { createHash, randomUUID } from 'node:crypto';
import { maskTexts } from '../../codec/redact/declared.ts';
import type { Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import type { Db, JobOwner, QueryRunTable, Store } from '../../store/index.ts';
import { membersOf, type QueryInput } from '../input.ts';
import type { NewRun, QueryRun, RunState } from './run-port.ts';

/** The queue of runs, and the scope of the blobs that hold their results. */
export const QUEUE = 'query-runs';

/** The result of a run that succeeded. */
export interface RunResult {
  readonly columns: number;
  readonly rows: number;
  readonly bytes: number;
  readonly truncated: boolean;
  readonly blocks: readonly BlockStart[];
  /** Key of the blob. */
  readonly blob: string;
}

/** A run with what only its keeper knows. */
export interface KeptRun extends QueryRun {
  readonly starts: readonly BlockStart[];
  readonly blob: string | undefined;
  /** Of the query's columns when the run was entered. */
  readonly shape: string;
}

/** What is kept of a request. */
type Request = Pick<QueryRun, 'input' | 'format'> & { readonly shape: string };

/** States of a run that has not ended. */
const OPEN: readonly RunState[] = ['queued', 'running', 'posting'];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the database knows of runs. Its times are the gateway's own. */
export class RunRows {
  readonly #store: Store;
  readonly #clock: () => number;

  /** @param clock milliseconds since 1970 */
  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  #now(): string {
    return new Date(this.#clock()).toISOString();
  }

  /** @returns the run's id */
  async insert(tx: Db, run: NewRun, file: string | undefined, result?: RunResult): Promise<string> {
    const id = randomUUID();
    const request: Request = { input: run.input, format: run.format, shape: digestOf(run.query) };
    const entered = this.#now();
    await tx
      .insertInto('signalbox_query_run')
      .values({
        id,
        owner: run.owner,
        query: run.query.id,
        is_private: run.query.owner === undefined ? 0 : 1,
        request: JSON.stringify(request),
        state: 'queued' satisfies RunState,
        message: null,
        num_cols: 0,
        total_rows: 0,
        total_bytes: 0,
        truncated: 0,
        blocks: '[]',
        blob: null,
        file: file ?? null,
        entered,
        ended: null,
        ...(result === undefined ? {} : succeeded(result, this.#now())),
      })
      .execute();
    return id;
  }

  async find(id: string, tx?: Db): Promise<KeptRun | undefined> {
    // Ids are UUIDs, and other texts may be ones that a database can't compare.
    if (!UUID.test(id)) return undefined;
    const db = tx ?? (await this.#store.tables());
    const row = await db.selectFrom('signalbox_query_run').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? undefined : runOf(row);
  }

  /** Whether the run had not ended, so that it is in this state now. */
  async move(id: string, state: 'queued' | 'running' | 'posting', tx?: Db): Promise<boolean> {
    return this.#update(tx ?? (await this.#store.tables()), id, { state });
  }

  /** The same, for a run that ends in success. */
  succeed(tx: Db, id: string, result: RunResult): Promise<boolean> {
    return this.#update(tx, id, succeeded(result, this.#now()));
  }

  /** The same, for one that ends in error. */
  fail(tx: Db, id: string, message: string): Promise<boolean> {
    return this.#update(tx, id, { state: 'error', message, ended: this.#now() });
  }

  /** The same, for one of an owner's that is cancelled. */
  kill(tx: Db, id: string, owner: string): Promise<boolean> {
    return this.#update(tx, id, { state: 'killed', ended: this.#now() }, owner);
  }

  /** Removes those that ended before a time, up to a number of them. @returns how many */
  async expire(tx: Db, before: string, most: number): Promise<number> {
    const old = tx
      .selectFrom('signalbox_query_run')
      .select('id')
      .where('ended', '<', before)
      .orderBy('ended')
      .limit(most);
    const { numDeletedRows } = await tx.deleteFrom('signalbox_query_run').where('id', 'in', old).executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** Those of some owners that have runs which have not ended. */
  async busy(tx: Db, owners: readonly string[]): Promise<readonly string[]> {
    const those = tx.selectFrom('signalbox_query_run').select('owner').distinct().where('owner', 'in', owners);
    return (await those.where('ended', 'is', null).execute()).map(({ owner }) => owner);
  }

  async #update(
    db: Db,
    id: string,
    change: Partial<QueryRunTable> & { readonly state: RunState },
    owner?: string,
  ): Promise<boolean> {
    let update = db.updateTable('signalbox_query_run').set(change).where('id', '=', id).where('state', 'in', OPEN);
    if (owner !== undefined) update = update.where('owner', '=', owner);
    const { numUpdatedRows } = await update.executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}

/** The queue of runs, and what its jobs belong to: the state of a run follows what is done with its job. */
export function queryRunJobs(registry: Registry): [queue: string, owner: JobOwner] {
  const find = (db: Db, id: string) =>
    db.selectFrom('signalbox_query_run').selectAll().where('id', '=', id).executeTakeFirst();
  const owner: JobOwner = {
    async onResubmitted(tx, { data, state }) {
      const id = String(data.id);
      const run = await find(tx, id);
      if (run === undefined) return `query run ${id} no longer exists`;
      if (state !== 'dead') return undefined;
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_query_run')
        .set({ state: 'queued' satisfies RunState, message: null, ended: null })
        .where('id', '=', id)
        .where('state', '=', 'error' satisfies RunState)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 0n ? `query run ${id} has the state ${run.state}` : undefined;
    },
    async onCancelled(tx, { data }) {
      // One that is dead has ended in error already.
      await tx
        .updateTable('signalbox_query_run')
        .set({
          state: 'killed' satisfies RunState,
          message: 'It was cancelled in the queue.',
          ended: new Date().toISOString(),
        })
        .where('id', '=', String(data.id))
        .where('state', 'in', OPEN)
        .execute();
    },
    async read(db, data) {
      const row = await find(db, String(data.id));
      if (row === undefined) return { payload: data, secrets: [] };
      const { query: name, owner: user, isPrivate, input } = runOf(row);
      // The prompts of a private query are known to its owner only.
      const query = isPrivate ? undefined : registry.queries.get(name);
      const { shown, secrets } = maskInput(query, input);
      return { payload: { ...data, query: name, owner: user, input: shown }, secrets };
    },
  };
  return [QUEUE, owner];
}

function maskInput(query: Query | undefined, input: QueryInput): { shown: QueryInput; secrets: readonly string[] } {
  const own = maskTexts(query?.prompts, input.prompts);
  const known = query === undefined ? [] : membersOf(query);
  const members = Object.entries(input.members ?? {}).map(
    ([id, prompts]) => [id, maskTexts(known.find((member) => member.id === id)?.prompts, prompts)] as const,
  );
  const shown = {
    ...input,
    prompts: own.shown as QueryInput['prompts'],
    ...(input.members === undefined
      ? {}
      : { members: Object.fromEntries(members.map(([id, masked]) => [id, masked.shown])) as QueryInput['members'] }),
  } as QueryInput;
  return { shown, secrets: [...own.secrets, ...members.flatMap(([, masked]) => masked.secrets)] };
}

function succeeded({ columns, rows, bytes, truncated, blocks, blob }: RunResult, ended: string) {
  return {
    state: 'success',
    num_cols: columns,
    total_rows: rows,
    total_bytes: bytes,
    truncated: truncated ? 1 : 0,
    blocks: JSON.stringify(blocks),
    blob,
    ended,
  } satisfies Partial<QueryRunTable> & { readonly state: RunState };
}

function runOf(row: QueryRunTable): KeptRun {
  const { input, format, shape } = JSON.parse(row.request) as Request;
  const starts = JSON.parse(row.blocks) as BlockStart[];
  return {
    id: row.id,
    owner: row.owner,
    query: row.query,
    isPrivate: row.is_private === 1,
    input,
    format,
    shape,
    state: row.state as RunState,
    message: row.message ?? undefined,
    columns: row.num_cols,
    rows: Number(row.total_rows),
    blocks: starts.length,
    bytes: Number(row.total_bytes),
    truncated: row.truncated === 1,
    file: row.file ?? undefined,
    starts,
    blob: row.blob ?? undefined,
  };
}

/** A digest of what the rows of a query look like, those of its members too: kept rows can be read by the same shape alone. */
export function digestOf(query: Query): string {
  return createHash('sha256')
    .update(JSON.stringify(described(query)))
    .digest('base64url');
}

function described({ id, columns, children }: Query): unknown {
  return [id, columns.map(({ name, type }) => [name, type]), children.map((child) => described(child.query))];
}

/** Rows of one block at most. */
const BLOCK_ROWS = 1000;
/** Bytes of one block at most, where it has more than one row. */
const BLOCK_BYTES = 1_048_576;

const LINE_END = 0x0a;

/** Where a block begins: the offset of its first byte, and the number of its first row, from 1. */
type BlockStart = readonly [offset: number, row: number];

/** Counts the lines of a `raw` result while it streams by, and cuts it into blocks of whole lines. */
export class BlockCounter {
  readonly #starts: BlockStart[] = [[0, 1]];
  #bytes = 0;
  #rows = 0;
  /** Where the line begins that is under way. */
  #line = 0;

  /** Where each block begins; of no rows there is one block. */
  get starts(): readonly BlockStart[] {
    return this.#starts;
  }

  /** Lines that have ended. */
  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) {
      this.#endLine(this.#bytes + at + 1);
    }
    this.#bytes += chunk.length;
  }

  /** A line ended before this offset: it begins a block where it does not fit into the one before. */
  #endLine(end: number): void {
    const [offset, row] = this.#starts.at(-1) as BlockStart;
    const number = this.#rows + 1;
    if (number > row && (number - row >= BLOCK_ROWS || end - offset > BLOCK_BYTES)) {
      this.#starts.push([this.#line, number]);
    }
    this.#rows = number;
    this.#line = end;
  }
}
