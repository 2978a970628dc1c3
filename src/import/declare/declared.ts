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
