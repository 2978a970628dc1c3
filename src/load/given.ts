/** The keys of `values` that have a value: optional properties are left out rather than set to undefined. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) found[key] = value as Exclude<T[typeof key], undefined>;
  }
  return found;
}

/** While it is built. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
