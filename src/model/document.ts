import type { Field } from './field.ts';
import type { Position } from './position.ts';

/** How a change of a record (RFC 7396) empties fields. */
export interface Patch {
  /** The fields that a record can be without. */
  readonly clearable: readonly Field[];
  /**
   * The list field that names, by their XML names, those to empty: in a request over SOAP, where `xsi:nil` is refused.
   * Undefined in other requests, where null and `xsi:nil` empty a field.
   */
  readonly clear?: Field;
}

/** The shape of data, with a JSON and an XML form. */
export interface Document {
  readonly id: string;
  /**
   * Its name in contracts, where that is not the id: of a document written in place at an operation with a qualified id,
   * without the service.
   */
  readonly name?: string;
  readonly description?: string;
  /** Name of the root element in XML (`xml:`); its name unless said otherwise. */
  readonly xmlName: string;
  /** XML namespace of its elements; the service's (`<namespace>:<Service>.<version>`) where undefined, none where empty. */
  readonly namespace?: string;
  /** The document's name is the JSON root label: `{"LOC_RESPONSE": {...}}`. */
  readonly root: boolean;
  /** May hold fields that are not declared; they are kept as they come. */
  readonly open: boolean;
  /** Set for a change of a record: a field that is null in it is emptied, one that is absent stays. No other document holds null. */
  readonly patch?: Patch;
  /** In declared order, which is the order in which they are written. */
  readonly fields: readonly Field[];
  /** Written in place at a field or an operation rather than under an id of its own; its id is derived from there. */
  readonly inPlace: boolean;
  readonly at: Position;
}

/** The name of a document in contracts. */
export function documentName({ id, name = id }: Pick<Document, 'id' | 'name'>): string {
  return name;
}
