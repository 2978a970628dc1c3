import type { ReplyRoot } from './document.ts';

/**
 * What the clients of the original send to an operation over SOAP, and what they read: other names, other namespaces and
 * another nesting than the operation's own WSDL has. Plain data, which the SOAP binding compiles.
 */
export interface OriginalShape {
  /** Names that an action may have in place of the operation's, without a version. */
  readonly aliases?: readonly string[];
  /** Versions that an action may name (`VERSION_2`); the first also holds where none is named. */
  readonly versions: readonly number[];
  readonly request: OriginalRequest;
  readonly reply: (version: number) => OriginalReply;
}

/**
 * A request. Namespaces are not looked at, nor is letter case in names; white space around values does not count, and an
 * empty value is no value. An element that holds elements is passed through, whatever its name: clients differ there.
 */
export interface OriginalRequest {
  /** Root elements by which the operation is found where no action names it. */
  readonly roots: readonly string[];
  /** Elements around the fields that may also stand empty. */
  readonly around: readonly string[];
  /** Fields of the operation's request, by the names of their elements. A list takes each element as an entry. */
  readonly fields: Readonly<Record<string, string>>;
  /** Elements that repeat, each with fields of its own. */
  readonly entries?: Readonly<Record<string, OriginalEntry>>;
  /** Numbers that the operation's own request does not have, each with the field that may be left out where it is given. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Values of fields that are left out. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Elements without a field here: values that ask for nothing and are passed over; any other is refused with the reason. */
  readonly without?: Readonly<Record<string, { readonly values: readonly string[] | 'any'; readonly reason: string }>>;
}

export interface OriginalEntry {
  /** The list of documents that takes the entries; where undefined each field is a list, and the lists are parallel. */
  readonly list?: string;
  /** By the names of elements, as in {@link OriginalRequest.fields}. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface OriginalReply {
  readonly root: OriginalElement;
  /** How rows of a query stand in the root, where the operation returns any. */
  readonly rows?: Pick<ReplyRoot, 'rows' | 'status'>;
}

/** An element of a reply. */
export interface OriginalElement {
  /** May bear a prefix that `attributes` declare. */
  readonly name: string;
  /** That of the element around it where undefined; empty for none. */
  readonly namespace?: string;
  /** Attributes as they are written, each with a space in front. */
  readonly attributes?: string;
  /** The field whose text it holds; empty where that is absent. */
  readonly field?: string;
  /** Text that is always the same. */
  readonly text?: string;
  /** It stands once for each entry of this list, whose fields its children are. */
  readonly each?: string;
  /** It stands only where this field is there. */
  readonly given?: string;
  readonly children?: readonly OriginalElement[];
}
