import { createHash } from 'node:crypto';
import type { Document } from './document.ts';
import { boundsOf, type Field, singleType } from './field.ts';
import type { Transaction, WorkContext } from './handler.ts';
import type { Redactor } from './redactor.ts';
import type { PermissionList, Role, User } from './security.ts';

/** A definition that background work runs by. */
interface WorkDefinition {
  readonly permissions: readonly PermissionList[];
  readonly public: boolean;
}

/**
 * The kind of a job: a name, with a digest of what the definitions declare about its data and its grants. Gateways with the same
 * definitions give the same work the same kind.
 * @param name of what runs: `EXTRACT of Application Engine`
 */
export function kindOfWork(
  name: string,
  fields: readonly Field[],
  definitions: readonly (WorkDefinition | undefined)[],
): string {
  const shapes = fields.map((field) => shapeOf(field, new Set()));
  const grants = definitions.map((each) => each && [each.public, each.permissions.map(({ id }) => id).toSorted()]);
  const digest = createHash('sha256')
    .update(JSON.stringify([shapes, grants]))
    .digest('base64url');
  return `${name} ${digest.slice(0, 12)}`;
}

/** What the definitions declare about a field. A document that contains itself is named there. */
function shapeOf(field: Field, around: ReadonlySet<Document>): unknown[] {
  const {
    type,
    required,
    default: standard,
    assumed,
    enum: listed,
    patterns = [],
    fixed,
    space,
    digits,
    fraction,
    entry,
  } = field;
  const single = singleType(type);
  const inner = single.kind === 'document' ? documentShape(single.document, around) : undefined;
  const own = inner === undefined ? type : [type.kind, inner];
  const pattern = patterns.length > 1 ? patterns : patterns[0];
  const { minimum, maximum, ...range } = boundsOf(field);
  const others = { assumed, space, digits, fraction, entry, ...range };
  const more = Object.values(others).some((each) => each !== undefined) ? [others] : [];
  return [field.name, own, required, standard, listed, pattern, minimum, maximum, fixed, ...more];
}

function documentShape(document: Document, around: ReadonlySet<Document>): unknown {
  if (around.has(document)) return document.id;
  const within = new Set([...around, document]);
  const derived = document.kinds?.derived.map((each) => documentShape(each, within)) ?? [];
  return [document.id, document.open, document.fields.map((field) => shapeOf(field, within)), ...derived];
}

/** What code in the background runs for. */
interface OpenWorkFacts {
  /** `undefined` for an anonymous caller. */
  readonly user: User | undefined;
  /** The role whose lists replace the user's when access is checked. */
  readonly as?: Role | undefined;
  readonly requestId: string;
  /** The owner of its blobs: `process LOCATION_EXTRACT`. */
  readonly scope: string;
  /** What kind of code it is, for messages that it publishes; a handler by default. */
  readonly origin?: 'component' | 'process';
  /** Added to each line of its log. */
  readonly named: Readonly<Record<string, unknown>>;
  /** The file of the code in the handlers folder, without its extension. */
  readonly file: string;
  /** Knows what is secret in what the code works on; undefined where that is nothing beyond what is always secret. */
  readonly redactor?: Redactor | undefined;
  readonly signal: AbortSignal;
}

/**
 * An open context.
 * @typeParam Tx a transaction of the store
 */
export interface OpenedWork<Tx> {
  readonly context: WorkContext;
  /**
   * What the code does in a transaction.
   * @param depth number of saves by classes that led to this code, whose own saves need no grants; `undefined` for other code
   */
  inside(tx: Tx, depth?: number): Transaction;
  /** Closes replies that the code left open, and wakes the queues that it entered work in. */
  done(): void;
}

/** Opens a context for code of the project. */
export type OpenWork<Tx> = (facts: OpenWorkFacts) => OpenedWork<Tx>;

/** An attempt at work in the background, for the audit log. */
interface DoneWork {
  readonly kind: 'process' | 'query' | 'event' | 'message';
  /** Of the process, the query, the class and its component, as in `Audit of CUSTOMER`, or the subscription. */
  readonly name: string;
  /** The request's instance number, or the id of the run, the save or the message. */
  readonly id: string | number;
  /** `undefined` for an anonymous caller. */
  readonly user: string | undefined;
  readonly attempt: number;
  readonly ms: number;
  /** The error of a failed attempt. */
  readonly error?: unknown;
}

/** Records an attempt that has ended. */
export type Account = (work: DoneWork) => void;

/** Begins to time an attempt. Call the returned function when it has ended, with its error if it failed. */
export function beginAccount(
  account: Account | undefined,
  work: Omit<DoneWork, 'ms' | 'error'>,
): (error?: unknown) => void {
  const since = performance.now();
  return (error) => account?.({ ...work, ms: performance.now() - since, error });
}
