import { randomUUID } from 'node:crypto';
import type { Component, SavedRecord, StoredRecord } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Db } from '../store/index.ts';
import { codeOf } from '../wire/error.ts';
import { jsonPointer } from '../wire/json-pointer.ts';
import { compileZone, type Zone } from '../wire/timezone.ts';
import { changeOf, type SaveAction } from './change.ts';
import { columnsOf, constraintsOf } from './columns.ts';
import { runClass } from './context.ts';
import type { ComponentsOptions, SaveFacts } from './event-port.ts';
import {
  type Change,
  classCode,
  classOf,
  enterAfter,
  type InsideFacts,
  isDue,
  openFor,
  type SaveInside,
} from './inside.ts';
import { compileRecords, type Records, type Row } from './record.ts';
import { RecordMade, refusalOf } from './refusal.ts';
import { compileSteps, type SaveSteps } from './steps.ts';
import { compileTable, type Table } from './table.ts';

/** Codes for the violation of a unique key: SQLSTATE (PostgreSQL, appendix A) and those of SQLite. */
const DOUBLED = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const FOREIGN = new Set(['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']);
const EMPTY = new Set(['23502', 'SQLITE_CONSTRAINT_NOTNULL']);
/** Values that a column can't represent: class 22. */
const UNFIT = /^(22[0-9A-Z]{3}|SQLITE_TOOBIG|SQLITE_MISMATCH)$/;
const RULE = /^(23[0-9A-Z]{3}|SQLITE_CONSTRAINT.*)$/;

/** Whether a row violates a unique key. */
function isDoubled(error: unknown): boolean {
  return DOUBLED.has(codeOf(error));
}

/** Whether a column can't represent a value. */
function isUnfit(error: unknown): boolean {
  return UNFIT.test(codeOf(error));
}

/**
 * The fault for a record whose content the database has rejected; the error itself for a failure of the database.
 * @param what the record, for messages
 * @param table names the fields that an error is about
 * @param dangling fields that refer to a record that does not exist, if they are known
 */
function faultOfDatabase(
  error: unknown,
  what: string,
  table: Table | undefined,
  dangling: readonly Field[] = [],
): unknown {
  const code = codeOf(error);
  if (isUnfit(error))
    return Fault.of(
      'BAD_BODY',
      { reason: `${what} holds a value that does not fit its column` },
      { cause: error, at: { pointer: '#' } },
    );
  if (!RULE.test(code)) return error;
  const fields = [...(table?.fieldsIn(error) ?? []), ...dangling];
  const list = fields.map(({ name }) => name).join(' and ');
  const place = fields.map(({ jsonName }) => jsonPointer([jsonName]));
  if (EMPTY.has(code)) {
    const name = list === '' ? what : list;
    const reason = 'is missing, and its table requires a value';
    return Fault.of('BAD_PARAMETER', { name, reason }, { cause: error, at: { pointer: place[0] ?? '#' } });
  }
  const reason = violation(code, list);
  const detail = `${what} ${reason}.`;
  const errors = place.map((pointer) => ({ pointer, detail }));
  return Fault.of('CONFLICT', { what, reason }, { cause: error, errors, reason: `the record ${reason}` });
}

/** The violation of a constraint. @param list the fields, if they are known */
function violation(code: string, list: string): string {
  if (DOUBLED.has(code))
    return list === ''
      ? 'has a value that must be unique and that another record has'
      : `has the same ${list} as another record`;
  if (list === '') return 'violates a rule of its table';
  return FOREIGN.has(code)
    ? `refers by ${list} to a record that does not exist`
    : `violates a rule of its table about ${list}`;
}

/** Nesting of saves by classes: one that saves the component that it is registered at would never end. */
const DEEPEST = 8;
/** Attempts at a save whose record is created by another transaction meanwhile. */
const TRIES = 3;

/** Reads and saves the records of all components, in own or given transactions. */
export class Saves {
  readonly #options: ComponentsOptions;
  readonly #zone: Zone;
  readonly #records = new Map<Component, Records>();
  /** Compiled on first use, from the columns in the database. */
  readonly #tables = new Map<Component, Table>();
  /** What follows the writing of a record, compiled on first use. */
  readonly #steps = new Map<Component, SaveSteps>();

  constructor(options: ComponentsOptions) {
    this.#options = options;
    this.#zone = compileZone(options.registry.gateway.timezone);
  }

  recordsOf(component: Component): Records {
    const known = this.#records.get(component) ?? compileRecords(component, this.#zone);
    this.#records.set(component, known);
    return known;
  }

  async read(component: Component, keys: DocumentValue, tx?: Db): Promise<StoredRecord> {
    const db = tx ?? (await this.#options.store.tables());
    const records = this.recordsOf(component);
    const named = records.keysOf(keys);
    const table = await this.#tableOf(db, component);
    const found = await table.find(db, named, false).catch((error: unknown) => {
      // No row can have such a key.
      if (isUnfit(error)) return undefined;
      throw error;
    });
    if (found === undefined) throw Fault.of('NOT_FOUND', { what: records.nameOf(named) });
    const { record, etag } = records.read(found);
    return { record, etag };
  }

  /** In a transaction of its own. */
  async save(component: Component, action: SaveAction, record: DocumentValue, facts: SaveFacts): Promise<SavedRecord> {
    const { store, directory } = this.#options;
    // What follows this save, and saves that its code makes, runs for the user who saves.
    const { events, afterSave, publications } = component;
    const isFollowed = afterSave !== undefined || publications.length > 0 || events.some(({ enabled }) => enabled);
    if (facts.user !== undefined && isFollowed) await directory.keep(facts.user);
    const keys = Object.values(this.recordsOf(component).keysOf(record));
    const about = `record ${JSON.stringify([component.table, ...keys])}`;
    for (let tries = 1; ; tries++) {
      try {
        return await store.transaction(async (tx) => {
          const done = await this.inside(tx, component, action, record, { ...facts, depth: 0 });
          await facts.takeEffect?.(tx);
          return done;
        }, about);
      } catch (error) {
        if (error instanceof RecordMade && tries < TRIES) continue;
        if (error instanceof RecordMade) throw error.fault;
        const records = this.recordsOf(component);
        // A constraint may be deferred to the commit.
        throw faultOfDatabase(error, records.nameOf(records.keysOf(record)), this.#tables.get(component));
      }
    }
  }

  /** In a transaction of code. */
  async saveInside(...given: Parameters<SaveInside>): Promise<SavedRecord> {
    try {
      return await this.inside(...given);
    } catch (error) {
      // The save that a class belongs to is tried again.
      throw error instanceof RecordMade && given[4].depth === 0 ? error.fault : error;
    }
  }

  readonly inside: SaveInside = async (tx, component, action, record, facts) => {
    const { id } = component;
    if (facts.depth > DEEPEST) throw new Error(`saves of ${id} by classes are nested more than ${DEEPEST} levels deep`);
    facts.signal?.throwIfAborted();
    const records = this.recordsOf(component);
    const keys = records.keysOf(record);
    const table = await this.#tableOf(tx, component);
    const name = records.nameOf(keys);
    const found = await table.find(tx, keys, true).catch((error: unknown) => {
      throw faultOfDatabase(error, name, table);
    });
    const present = found === undefined ? undefined : records.read(found);
    const row = changeOf(component, records, { ...facts, action, record, keys }, present);
    const replacing = row === undefined ? undefined : records.read(row);
    const change: Change = {
      component,
      save: randomUUID(),
      action: present === undefined ? 'created' : row === undefined ? 'deleted' : 'updated',
      name,
      before: present,
      after: replacing,
      redactor: records.redactorOf(this.#options.redactor, [present?.record, replacing?.record]),
    };
    await runBefore(tx, change, facts, this.#options);
    const written = await write(table, tx, change, row);
    const after = written === undefined ? undefined : records.read(written);
    const { code, publish } = this.#stepsOf(component);
    const saved: Change = { ...change, after };
    // The code may have changed its own record.
    const isChanged = await code(tx, saved, facts);
    const done = isChanged ? await this.#afterCode(tx, table, saved, written ?? present?.row ?? keys) : saved;
    if (done !== undefined) {
      await publish(tx, done, facts);
      await enterAfter(tx, done, keys, facts, this.#options);
    }
    facts.signal?.throwIfAborted();
    const last = done?.after ?? after;
    return {
      created: done?.action === 'created',
      ...(last === undefined ? {} : { record: last.record }),
      ...(done?.after === undefined ? {} : { etag: done.after.etag }),
    };
  };

  /**
   * The change that a save has made once its code has run, which may have changed the record, deleted it or created it again.
   * @param keys of the record, as they are in the database
   * @returns `undefined` for a new record that the code has deleted: there was none, and there is none
   */
  async #afterCode(tx: Db, table: Table, change: Change, keys: Row): Promise<Change | undefined> {
    const { component, before } = change;
    const records = this.recordsOf(component);
    const found = await table.find(tx, keys, false);
    const after = found === undefined ? undefined : records.read(found);
    if (before === undefined && after === undefined) return undefined;
    const action = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated';
    return { ...change, action, after, redactor: records.redactorOf(change.redactor, [after?.record]) };
  }

  #stepsOf(component: Component): SaveSteps {
    const known = this.#steps.get(component) ?? compileSteps(component, this.#options);
    this.#steps.set(component, known);
    return known;
  }

  async #tableOf(db: Db, component: Component): Promise<Table> {
    const known = this.#tables.get(component);
    if (known !== undefined) return known;
    const { kind } = this.#options.store;
    const { timezone } = this.#options.registry.gateway;
    const columns = await columnsOf(db, kind, component.table);
    const constraints = await constraintsOf(db, kind, component.table);
    const table = compileTable(component, { columns, constraints }, kind, timezone);
    this.#tables.set(component, table);
    return table;
  }
}

/**
 * @returns the row as it is in the database afterwards
 * @throws Fault for content that the table rejects; RecordMade when another transaction may have created the record
 */
async function write(table: Table, tx: Db, { name, before }: Change, row: Row | undefined): Promise<Row | undefined> {
  try {
    if (row !== undefined) return await (before === undefined ? table.insert(tx, row) : table.update(tx, row));
    await table.remove(tx, before?.row as Row);
    return undefined;
  } catch (error) {
    const dangling = row !== undefined && FOREIGN.has(codeOf(error)) ? await table.dangling(tx, row) : [];
    const refused = faultOfDatabase(error, name, table, dangling);
    throw before === undefined && isDoubled(error) ? new RecordMade(refused as Fault) : refused;
  }
}

/** Runs the classes before a save, one after the other. @throws Fault of a class; INTERNAL, TIMEOUT */
async function runBefore(tx: Db, change: Change, facts: InsideFacts, options: ComponentsOptions): Promise<void> {
  const { component, before, after } = change;
  for (const registration of component.events) {
    if (registration.event !== 'SavePreChange' || !isDue(registration, change, facts, options.work)) continue;
    const { service } = registration;
    const opened = openFor(options.work, classCode(registration), change, facts);
    const inside = opened.inside(tx, facts.depth);
    const story = {
      component: component.id,
      event: registration.event,
      action: change.action,
      save: change.save,
      before: before?.record,
      after: after?.record,
      attempt: 1,
    };
    const { timeout } = options.registry.gateway.limits;
    try {
      await runClass(classOf(service.file, options), story, opened.context, inside, timeout);
    } catch (error) {
      throw change.redactor.error(refusalOf(error, change, facts, timeout));
    } finally {
      opened.done();
    }
  }
}
