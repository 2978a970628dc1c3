import type { Zone } from '../../wire/timezone.ts';
import { Batch, type ChildRead, compileMembers, type Member, nest } from '../connected/nest.ts';
import type { Plan, PlanLink } from '../plan.ts';
import type { Renderer, SqlValue } from '../render/index.ts';
import { Renderers, Result } from '../result.ts';
import type { Bound, MemberValues, RawResult, Task } from '../runner.ts';
import type { Connection, Statement } from './connection.ts';

/** Rows in one request. */
const ROWS = 500;

/** A member of a connected query whose columns were found. */
interface Prepared {
  /** Of its statements on the connection. */
  readonly id: string;
  readonly plan: Plan;
  readonly statement: Statement;
  /** Names of the columns with the values of the keys. */
  readonly keys: readonly string[];
}

/**
 * Runs a connected query in a transaction that sees one snapshot of the database: rows of the query are read in batches, and
 * after each batch the rows below it.
 * @param folder for large results
 * @throws errors of the database, of the connection and of the file system; ValueError, ResultLimitError
 */
export async function runConnected(
  connection: Connection,
  { plan, command }: Pick<Task, 'plan' | 'command'>,
  given: MemberValues,
  zone: Zone,
  folder: string,
): Promise<RawResult> {
  const id = String(plan.id);
  const { limit, probe, values } = command;
  const statement = await connection.prepare(id, plan);
  const prepared: Prepared[] = [];
  await prepareMembers(connection, plan, id, prepared);
  const members = compileMembers(plan, statement.columns, (_, index) => prepared[index]?.statement.columns ?? []);
  const shapes = members.map((member) => member.shape);
  const factory = new Renderers(plan.name, statement.columns, zone).of(command, shapes);
  const run = new ConnectedRun(factory.start(), new Result(folder, factory.headRoom), members, given.rows, (step) =>
    readChildren(connection, prepared[step.member.index] as Prepared, step, given.values[step.member.index] ?? []),
  );
  await connection.begin();
  try {
    const wanted = probe ? limit + 1 : limit;
    return await run.through(statement.readInTurn({ values, wanted }, folder), command);
  } finally {
    if (!connection.lost) await connection.end();
  }
}

/** Prepares the statements of all members, in the order of the tree. */
async function prepareMembers(connection: Connection, { children }: Plan, id: string, into: Prepared[]): Promise<void> {
  for (const link of children) {
    into.push(await prepareMember(connection, link, `${id}/${into.length}`));
    await prepareMembers(connection, link.plan, id, into);
  }
}

async function prepareMember(connection: Connection, { plan, on }: PlanLink, id: string): Promise<Prepared> {
  const statement = await connection.prepare(id, plan);
  const keys = on.map((pair) => statement.names[statement.columns[pair.child]?.at ?? 0] ?? '');
  return { id, plan, statement, keys };
}

async function readChildren(
  connection: Connection,
  { id, plan, keys: columns }: Prepared,
  { member, keys, take }: ChildRead,
  given: readonly Bound[],
): Promise<void> {
  const child = connection.childStatement(plan, columns, { values: keys, kinds: member.kinds });
  const parameters = [...plan.parameters, ...child.kinds.map((kind) => ({ name: '', kind }))];
  const statement = await connection.prepare(`${id}/${child.variant}`, { ...plan, sql: child.sql, parameters });
  const cursor = statement.start({ values: [...given, ...child.values], rows: ROWS });
  try {
    for (;;) {
      const { rows, complete } = await cursor.batch;
      if (!complete) cursor.ask(ROWS);
      for (const row of rows) if (!take(statement.read(row))) return;
      if (complete) return;
    }
  } finally {
    await cursor.close();
  }
}

/** Renders rows of a connected query with the rows below them. */
class ConnectedRun {
  readonly #renderer: Renderer;
  readonly #result: Result;
  readonly #members: readonly Member[];
  readonly #cap: number;
  readonly #read: (step: ChildRead) => Promise<void>;
  readonly #batch = new Batch();
  #rows = 0;
  #truncated = false;

  constructor(
    renderer: Renderer,
    result: Result,
    members: readonly Member[],
    cap: number,
    read: (step: ChildRead) => Promise<void>,
  ) {
    this.#renderer = renderer;
    this.#result = result;
    this.#members = members;
    this.#cap = cap;
    this.#read = read;
  }

  async through(next: () => Promise<SqlValue[][]>, { limit, probe }: Task['command']): Promise<RawResult> {
    try {
      const wanted = probe ? limit + 1 : limit;
      let taken = 0;
      while (taken < wanted) {
        const rows = await next();
        if (rows.length === 0) break;
        for (const cells of rows.slice(0, Math.max(0, limit - taken))) if (this.#batch.add(cells)) await this.#fill();
        taken = Math.min(wanted, taken + rows.length);
        this.#truncated ||= taken > limit;
      }
      await this.#fill();
      await this.#result.add(this.#renderer.tail());
      return await this.#result.finish(this.#renderer.head(this.#rows), this.#rows, this.#truncated);
    } catch (error) {
      this.#result.dispose();
      throw error;
    }
  }

  async #fill(): Promise<void> {
    for (const step of nest(this.#batch.take(), this.#members, this.#cap)) {
      if ('member' in step) {
        await this.#read(step);
        continue;
      }
      for (const { cells, below } of step.rows) {
        this.#rows += 1;
        this.#renderer.row(cells, this.#rows, below);
        await this.#result.add(this.#renderer.flush());
      }
      this.#truncated ||= step.truncated;
    }
  }
}
