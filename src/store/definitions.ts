import type { Store, StoreReader } from './store-port.ts';
import type { Db } from './tables.ts';

/** The parts of definitions, by kind and name, each with a hash: `operation LOCATIONS_GET`, `file definitions/nodes.yaml`. */
export type DefinedParts = Readonly<Record<string, string>>;

/** What differs from the definitions that were loaded before. */
interface DefinitionChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Definitions that a gateway has loaded, when others were loaded last. */
export interface LoadedDefinitions extends DefinitionChanges {
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly loaded: string;
  /** As `signalbox_definitions_info` has it. */
  readonly hash: string;
  /** The one that has loaded them first. */
  readonly gateway: string;
}

/** Rows that are kept. */
const MOST = 50;
/** Names of one kind of change that are kept. */
const MOST_NAMES = 200;

/**
 * Records the definitions of a gateway, unless the same were loaded last.
 * @param parts is called only then
 */
export async function recordDefinitions(
  store: Pick<Store, 'transaction' | 'tables'>,
  { hash, gateway, loaded }: Pick<LoadedDefinitions, 'hash' | 'gateway' | 'loaded'>,
  parts: () => DefinedParts | Promise<DefinedParts>,
): Promise<void> {
  const db = await store.tables();
  const newest = db.selectFrom('signalbox_definitions').select('hash').orderBy('id', 'desc').limit(1);
  if ((await newest.executeTakeFirst())?.hash === hash) return;
  const now = await parts();
  // Gateways of a fleet start at the same time. Of those that find the same newest row one adds the next, and the others look again.
  for (let tries = 0; tries < MOST_TRIES; tries++)
    if (await store.transaction((tx) => addNext(tx, { hash, gateway, loaded }, now), 'definitions')) return;
}

/** As many gateways with definitions of their own as may start at once. */
const MOST_TRIES = 20;

/** Adds a row unless the newest one has the same definitions. @returns whether these are recorded, and no other gateway was first */
async function addNext(
  tx: Db,
  row: Pick<LoadedDefinitions, 'hash' | 'gateway' | 'loaded'>,
  now: DefinedParts,
): Promise<boolean> {
  const newest = tx.selectFrom('signalbox_definitions').orderBy('id', 'desc').limit(1);
  const last = await newest.select(['id', 'hash', 'parts']).executeTakeFirst();
  if (last?.hash === row.hash) return true;
  const entered = await tx
    .insertInto('signalbox_definitions_order')
    .values({ follows: last?.id ?? 0 })
    .onConflict((conflict) => conflict.column('follows').doNothing())
    .executeTakeFirst();
  // Waits for the gateway that is about to add a row, and finds that it was first.
  if (entered.numInsertedOrUpdatedRows !== 1n) return false;
  // What told that one was first is deleted when the next follows.
  if ((await newest.select('id').executeTakeFirst())?.id !== last?.id) return false;
  const before = JSON.parse(last?.parts ?? 'null') as DefinedParts | null;
  const changes = before === null ? { added: [], changed: [], removed: [] } : changesOf(before, now);
  await tx
    .insertInto('signalbox_definitions')
    .values({ ...row, parts: JSON.stringify(now), changes: JSON.stringify(changes) })
    .execute();
  if (last === undefined) return true;
  // Only the newest is compared with.
  await tx.updateTable('signalbox_definitions').set({ parts: null }).where('id', '<=', last.id).execute();
  await tx
    .deleteFrom('signalbox_definitions')
    .where('id', '<=', last.id - MOST)
    .execute();
  await tx.deleteFrom('signalbox_definitions_order').where('follows', '<', last.id).execute();
  return true;
}

/** The definitions that were loaded last, the newest first. The first ones of a database have no changes. */
export async function readDefinitions(
  store: Pick<StoreReader, 'tables'>,
  most: number,
): Promise<readonly LoadedDefinitions[]> {
  const db = await store.tables();
  const rows = await db
    .selectFrom('signalbox_definitions')
    .select(['loaded', 'hash', 'gateway', 'changes'])
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ changes, ...row }) => ({ ...row, ...(JSON.parse(changes) as DefinitionChanges) }));
}

function changesOf(before: DefinedParts, now: DefinedParts): DefinitionChanges {
  const names = Object.keys(now);
  return {
    added: names.filter((name) => !Object.hasOwn(before, name)).slice(0, MOST_NAMES),
    changed: names.filter((name) => Object.hasOwn(before, name) && before[name] !== now[name]).slice(0, MOST_NAMES),
    removed: Object.keys(before)
      .filter((name) => !Object.hasOwn(now, name))
      .slice(0, MOST_NAMES),
  };
}
