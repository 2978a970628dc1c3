import type { ReplyRoot } from './document.ts';

/**
 * The messages of an operation's original SOAP clients, whose names, namespaces and nesting differ from those of the
 * operation's WSDL. Plain data, which the SOAP binding compiles.
 */
export interface OriginalShape {
  /** Other names of the operation in actions, without a version. */
  readonly aliases?: readonly string[];
  /** Versions that an action may name (`VERSION_2`); the first is the default. */
  readonly versions: readonly number[];
  readonly request: OriginalRequest;
  readonly reply: (version: number) => OriginalReply;
}

/**
 * A request. Namespaces and the letter case of names are ignored, white space around values is trimmed, and an empty value
 * counts as absent. Any element that contains elements is transparent, because clients differ in these.
 */
export interface OriginalRequest {
  /** Root elements that identify the operation when no action names it. */
  readonly roots: readonly string[];
  /** Elements around the fields that may also be empty. */
  readonly around: readonly string[];
  /** Fields of the operation's request by element name. For a list, each element is an entry. */
  readonly fields: Readonly<Record<string, string>>;
  /** Repeated elements, each with its own fields. */
  readonly entries?: Readonly<Record<string, OriginalEntry>>;
  /** Numbers that only the original request has, each with the field that it makes optional. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Values of absent fields. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Elements without a field: these values are ignored, any other is refused with the reason. */
  readonly without?: Readonly<Record<string, { readonly values: readonly string[] | 'any'; readonly reason: string }>>;
}

export interface OriginalEntry {
  /** The list of documents that takes the entries. Without it each field is a list, and the lists are parallel. */
  readonly list?: string;
  /** By the names of elements, as in {@link OriginalRequest.fields}. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface OriginalReply {
  readonly root: OriginalElement;
  /** How rows of a query are written into the root, if the operation returns any. */
  readonly rows?: Pick<ReplyRoot, 'rows' | 'status'>;
}

/** An element of a reply. */
export interface OriginalElement {
  /** May have a prefix that `attributes` declare. */
  readonly name: string;
  /** Inherited from the parent element by default; empty for none. */
  readonly namespace?: string;
  /** Serialised attributes, each with a leading space. */
  readonly attributes?: string;
  /** The field whose text it contains; empty if the field is absent. */
  readonly field?: string;
  /** A constant text. */
  readonly text?: string;
  /** Repeats the element for each entry of this list, whose fields its children are. */
  readonly each?: string;
  /** Writes the element only if this field is present. */
  readonly given?: string;
  readonly children?: readonly OriginalElement[];
}
