import { ImportError } from '../place.ts';

/** A definition as it is written to YAML: `{ kind: 'document', id: 'Order', keys: { fields: … } }`. */
export interface Declared {
  readonly kind: DeclaredKind;
  readonly id: string;
  /** Its keys beside the kind, in the order in which they are written. */
  readonly keys: DeclaredMap;
  /** The file that it is written to, without a folder and an ending: `service`, `documents`, `setup`. */
  readonly file: string;
}

export type DeclaredKind = 'service' | 'document' | 'type' | 'node' | 'permission-list' | 'scheme' | 'gateway';
export type DeclaredValue = string | number | boolean | readonly DeclaredValue[] | DeclaredMap;
export interface DeclaredMap {
  readonly [key: string]: DeclaredValue;
}

/** A map without its members that are `undefined`. */
export function given(keys: Readonly<Record<string, DeclaredValue | undefined>>): DeclaredMap {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as DeclaredMap;
}

/** Whether a value is a map. */
export function isMapValue(value: DeclaredValue | undefined): value is DeclaredMap {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Whether two values are the same, the order of members aside. */
export function isSame(one: DeclaredValue | undefined, other: DeclaredValue | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  if (!isMapValue(one) || !isMapValue(other)) return one === other;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]));
}

/** Keys that are written once, at the service, when all its operations have the same value. */
const WHOLE = ['requires', 'tags', 'style', 'fault', 'faults'] as const;

/** Keys whose members are written at the service when all its operations have them: those of a service are added to each operation. */
const MEMBERS = ['headers', 'properties'] as const;

/** A service with what all its operations have in common written once, at the service. */
export function withShared(declared: Declared): Declared {
  const { operations, ...keys } = declared.keys;
  if (declared.kind !== 'service' || !isMapValue(operations)) return declared;
  const all = Object.values(operations) as readonly DeclaredMap[];
  if (all.length < 2) return declared;
  const common = given({
    ...commonKeys(all),
    ...Object.fromEntries(MEMBERS.map((key) => [key, commonMembers(all, key)])),
    wrapped: isBare(all) ? false : undefined,
  });
  const left = Object.entries(operations).map(([id, each]) => [id, without(each as DeclaredMap, common)]);
  return { ...declared, keys: { ...keys, ...common, operations: Object.fromEntries(left) } };
}

function commonKeys(all: readonly DeclaredMap[]): Readonly<Record<string, DeclaredValue | undefined>> {
  const [first = {}] = all;
  return Object.fromEntries(
    WHOLE.map((key) => [key, all.every((each) => isSame(each[key], first[key])) ? first[key] : undefined]),
  );
}

/** The members that the map at a key has in all operations. Those that name a field of the request stay next to it. */
function commonMembers(all: readonly DeclaredMap[], key: string): DeclaredMap | undefined {
  const maps = all.map((each) => (isMapValue(each[key]) ? each[key] : {}));
  const members = Object.entries(maps[0] ?? {}).filter(
    ([name, value]) => !String(value).includes('{') && maps.every((each) => each[name] === value),
  );
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Whether the messages of all operations that can be called are elements of their own. */
function isBare(all: readonly DeclaredMap[]): boolean {
  const active = all.filter(({ active }) => active !== false);
  return active.length > 0 && active.every(({ wrapped }) => wrapped === false);
}

/** An operation without the keys of its service. */
function without(operation: DeclaredMap, keys: DeclaredMap): DeclaredMap {
  const left: Record<string, DeclaredValue | undefined> = { ...operation };
  for (const [key, value] of Object.entries(keys)) left[key] = lessShared(operation[key], value);
  // One that can't be called has its messages in their wrappers, unless its service says otherwise.
  const isWrapped = keys.wrapped === false && operation.wrapped === undefined;
  if (isWrapped && (isMapValue(operation.soap) || operation.request !== undefined)) left.wrapped = true;
  return given(left);
}

function lessShared(mine: DeclaredValue | undefined, ofService: DeclaredValue): DeclaredValue | undefined {
  if (!isMapValue(mine) || !isMapValue(ofService)) return undefined;
  const members = Object.entries(mine).filter(([name]) => ofService[name] === undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** A definition, or an operation of a service, that `check` refuses. */
export interface Refused {
  readonly kind: string;
  readonly id: string;
  readonly operation?: string;
  /** The message of `check`. */
  readonly message: string;
}

/** Finds what `check` refuses in definitions by themselves. */
export type Judge = (declared: readonly Declared[]) => readonly Refused[];

/** Bytes of the definitions of one file, as JSON. */
const FILE_BYTES = 2 * 1024 ** 2;

/** Bytes of one definition, as JSON: a service with 5,000 operations. `check` reads files of 16 MiB; YAML is longer. */
const MOST_BYTES = 10 * 1024 ** 2;

/** Puts definitions that are too large for one file into several: `documents`, `documents-2`. @throws ImportError */
export function inFiles(declared: readonly Declared[], source: string): readonly Declared[] {
  const open = new Map<string, { bytes: number; number: number }>();
  return declared.map((each) => {
    const bytes = Buffer.byteLength(JSON.stringify(each));
    if (bytes > MOST_BYTES) {
      const what = `the ${each.kind} ${each.id.slice(0, 100)} is larger than ${MOST_BYTES / 1024 ** 2} MiB`;
      throw new ImportError(what, { source, line: 0, column: 0 }, 'Import a contract without it.');
    }
    const file = open.get(each.file) ?? { bytes: 0, number: 1 };
    open.set(each.file, file);
    file.bytes += bytes;
    if (file.bytes > FILE_BYTES && file.bytes > bytes) Object.assign(file, { bytes, number: file.number + 1 });
    return file.number === 1 ? each : { ...each, file: `${each.file}-${file.number}` };
  });
}
