/** Copies the keys of `values` that have a value, so that optional properties are left out instead of set to undefined. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) found[key] = value as Exclude<T[typeof key], undefined>;
  }
  return found;
}

/** Calls `again` for each item whose key an earlier one has, with the first of that key. */
export function eachOnce<T>(items: Iterable<T>, keyOf: (item: T) => string, again: (item: T, first: T) => void): void {
  const firsts = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, item);
    else again(item, first);
  }
}

/** An object while it is built. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Freezes a value and everything it refers to, including maps, sets and template objects. */
export function deepFreeze<T>(value: T): T {
  const open: object[] = [];
  // Most values are texts and numbers: only objects that can be frozen are visited. `isExtensible` asks less than `isFrozen`, which
  // looks at every property; here, nothing is made inextensible without being frozen.
  const meet = (each: unknown): void => {
    if (typeof each === 'object' && each !== null && Object.isExtensible(each)) open.push(each);
  };
  meet(value);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!Object.isExtensible(next)) continue;
    if (next instanceof Map) {
      for (const each of next.values()) meet(each);
      Object.defineProperties(next, SEALED_MAP);
    } else if (next instanceof Set) {
      for (const each of next) meet(each);
      Object.defineProperties(next, SEALED_SET);
    } else if (Array.isArray(next)) {
      for (const each of next) meet(each);
    } else {
      for (const key in next) meet(next[key as keyof typeof next]);
    }
    Object.freeze(next);
  }
  return value;
}

const refused = {
  value: () => {
    throw new TypeError('the registry is frozen');
  },
};
/** Object.freeze does not protect the entries of a Map or Set. */
const SEALED_MAP = { set: refused, delete: refused, clear: refused };
const SEALED_SET = { add: refused, delete: refused, clear: refused };
