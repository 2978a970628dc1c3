import type { Zone } from '../../wire/timezone.ts';
import { childStatement, keysAsArrays } from '../connected/keys.ts';
import { Batch, type ChildRead, compileMembers, type Member, nest } from '../connected/nest.ts';
import type { Plan, PlanLink } from '../plan.ts';
import type { Bound } from '../prompts.ts';
import type { Renderer, SqlValue } from '../render/index.ts';
import { Renderers, Result } from '../result.ts';
import type { MemberValues, RawResult, Task } from '../runner.ts';
import type { Session } from './session.ts';
import { type Found, findIn } from './values.ts';

/** Rows that are asked for at once. */
const ROWS = 500;

/**
 * Runs a connected query on a session, in a transaction that sees one state of the database: rows of the query come
 * through a cursor, and between its batches what stands below them is read.
 * @param folder for large results
 * @throws errors of the database, of the connection and of the file system; ValueError, ResultLimitError
 */
export async function runConnected(
  session: Session,
  { plan, command }: Pick<Task, 'plan' | 'command'>,
  given: MemberValues,
  zone: Zone,
  folder: string,
): Promise<RawResult> {
  const id = String(plan.id);
  const found = await find(session, id, plan, plan.sql);
  const statements: Found[] = [];
  await prepareMembers(session, plan, id, statements);
  const members = compileMembers(plan, found.columns, (_, index) => statements[index]?.columns ?? []);
  const shapes = members.map((member) => member.shape);
  const factory = new Renderers(plan.name, found.columns, zone).of(command, shapes);
  const run = new ConnectedRun(factory.start(), new Result(folder, factory.headRoom), members, given.rows, (step) =>
    readChildren(session, statements[step.member.index] as Found, step, given.values[step.member.index] ?? []),
  );
  await session.ask('begin isolation level repeatable read read only');
  try {
    return await run.through(readInTurn(session, found, command.values), command);
  } finally {
    if (!session.lost) await session.ask('rollback');
  }
}

/** Prepares the statements of a connected query anew the next time. */
export function forgetConnected(session: Session, plan: Plan): void {
  const id = String(plan.id);
  session.forget(id);
  for (let index = countMembers(plan) - 1; index >= 0; index -= 1) {
    session.forget(`${id}/${index}`);
    session.forget(`${id}/${index}/keys`);
  }
}

function countMembers({ children }: Plan): number {
  return children.reduce((count, link) => count + 1 + countMembers(link.plan), 0);
}

/** Reads rows of the query from a portal that stays open while other statements run: each call the next ones. */
function readInTurn(
  session: Session,
  { prepared, read }: Found,
  values: readonly Bound[],
): () => Promise<SqlValue[][]> {
  const portal = { statement: prepared.name, values, rows: ROWS, once: true, portal: 'signalbox_parents' };
  let begun = false;
  let over = false;
  return async () => {
    if (over) return [];
    const { rows, complete } = await session.start({ ...portal, begun }).batch;
    begun = true;
    over = complete;
    return rows.map(read);
  };
}

async function find(session: Session, id: string, plan: Plan, sql: string): Promise<Found> {
  return findIn(await session.prepare(id, sql), plan, `${plan.name}: `);
}

/** Prepares the statements of all members, in the order of the tree. */
async function prepareMembers(session: Session, { children }: Plan, id: string, into: Found[]): Promise<void> {
  for (const link of children) {
    into.push(await prepareMember(session, link, `${id}/${into.length}`));
    await prepareMembers(session, link.plan, id, into);
  }
}

async function prepareMember(session: Session, { plan, on }: PlanLink, id: string): Promise<Found> {
  const own = await find(session, id, plan, plan.sql);
  const names = on.map((pair) => own.prepared.fields[own.columns[pair.child]?.at ?? 0]?.name ?? '');
  return find(session, `${id}/keys`, plan, childStatement(plan.sql, names, plan.prompts.length, 'postgres'));
}

async function readChildren(
  session: Session,
  { prepared, read }: Found,
  { member, keys, take }: ChildRead,
  values: readonly Bound[],
): Promise<void> {
  const all = [...values, ...keysAsArrays(keys, member.kinds).map(arrayText)];
  const portal = session.start({ statement: prepared.name, values: all, rows: ROWS, once: false });
  try {
    for (;;) {
      const { rows, complete } = await portal.batch;
      if (!complete) portal.ask(ROWS);
      for (const row of rows) if (!take(read(row))) return;
      if (complete) return;
    }
  } finally {
    await portal.close();
  }
}

/** The text of an array (section 8.15.2 of PostgreSQL's manual). */
function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join()}}`;
}

/** Renders rows of a connected query with what stands below them. */
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
