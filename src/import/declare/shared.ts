import { type Declared, type DeclaredMap, type DeclaredValue, given, isMapValue, isSame } from './declared.ts';

/** Keys that are written once, at the service, when all its operations have the same value. */
const WHOLE = ['requires', 'style', 'fault', 'faults'] as const;

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
