/** What a document that is written in place is called: by where it stands. */
export interface DerivedName {
  /** Unique over all documents. */
  readonly id: string;
  /** In contracts. */
  readonly name: string;
}

/** The name of a document that belongs to something: `LOCATIONS_GET_REQUEST`. */
export function derivedName({ id, name }: DerivedName, suffix: string): DerivedName {
  return { id: `${id}_${suffix}`, name: `${name}_${suffix}` };
}
