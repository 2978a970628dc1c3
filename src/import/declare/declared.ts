/** A definition as it is written to YAML: `{ kind: 'document', id: 'Order', keys: { fields: … } }`. */
export interface Declared {
  readonly kind: DeclaredKind;
  readonly id: string;
  /** Its keys beside the kind, in the order in which they are written. */
  readonly keys: DeclaredMap;
  /** The file that it is written to, without a folder and an ending: `service`, `documents`, `setup`. */
  readonly file: string;
}

export type DeclaredKind = 'service' | 'document' | 'node' | 'permission-list' | 'scheme' | 'gateway';
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
